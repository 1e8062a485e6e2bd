//! What a column seems to be, and why. Suggestions only: whoever knows the data decides.

use super::ColumnSketch;
use crate::column_names::{IDENTITY, PEOPLE, PRIVATE, PRIVATE_STEMS, words_of};
use crate::taxonomy::{Type, is_code};
use crate::text::grouped;

/// Words in a column's name that speak of codes, which are no numbers even where they look it.
const CODES: &[&str] = &["code", "fips", "icd", "plz", "postal", "postcode", "zip", "zipcode"];

/// Texts that often stand for a missing value.
const MISSING: &[&str] = &["?", "-", "N/A", "NA", "NULL", "NaN", "None", "n/a", "na", "null", "unknown"];

/// The column's type; a code with leading zeros is no number.
pub(super) fn type_of(column: &ColumnSketch) -> Type {
    let codes = texts(column).any(is_code) || is_called_a_code(column);
    if column.looks_like == Type::Number && codes { Type::Text } else { column.looks_like }
}

fn is_called_a_code(column: &ColumnSketch) -> bool {
    words_of(&column.name).iter().any(|word| CODES.contains(&word.as_str()))
}

/// `3 different values in 10,000 rows, 12 of them empty`
pub(super) fn what_it_holds(column: &ColumnSketch) -> String {
    let values = match different(column) {
        1 => "1 value".to_owned(),
        count => format!("{} different values", grouped(count)),
    };
    let empty = if column.empty > 0 { format!(", {} of them empty", grouped(column.empty)) } else { String::new() };
    let kind = match (type_of(column), column.looks_like) {
        (Type::Text, Type::Number) if is_called_a_code(column) => "; its name says it is a code, not a number",
        (Type::Text, Type::Number) => "; digits with leading zeros: a code, not a number",
        (Type::Number, _) => "; looks like numbers",
        (Type::Date, _) => "; looks like dates",
        (Type::Text, _) => "",
    };
    format!("{values} in {} rows{empty}{kind}", grouped(column.rows))
}

/// The suggested role and the reason for it.
pub(super) fn role(column: &ColumnSketch) -> Option<(&'static str, String)> {
    let words = words_of(&column.name);
    let named = |list: &[&'static str]| list.iter().copied().find(|known| words.iter().any(|word| word == known));
    if different(column) == 0 {
        return Some(("identifier", "no row has a value, and an identifier is not published".to_owned()));
    }
    let owner = "; is it the `owner`, who a record is about?";
    let person = named(PEOPLE).filter(|_| different(column) > 20);
    if is_nearly_unique(column) && type_of(column) == Type::Text {
        let why = "NEARLY UNIQUE: almost every row has its own value, which may name a person by itself";
        return Some(("identifier", format!("{why}{}", person.map_or("", |_| owner))));
    }
    if let Some(word) = person {
        return Some(("identifier", format!("its name says `{word}`{owner}")));
    }
    if let Some(word) = named(IDENTITY) {
        return Some(("identifier", format!("its name says `{word}`")));
    }
    let begins = |known: &&str| words.iter().any(|word| word.starts_with(known));
    if let Some(word) = named(PRIVATE).or_else(|| PRIVATE_STEMS.iter().copied().find(begins)) {
        return Some(("sensitive", format!("its name says `{word}`; is it what nobody may learn about a person?")));
    }
    if is_nearly_unique(column) {
        let why =
            "NEARLY UNIQUE: almost every row has its own value; an identifier, unless it is a measurement or a date";
        return Some(("quasi-identifier", why.to_owned()));
    }
    (different(column) <= 1).then(|| ("other", "it is the same for everybody".to_owned()))
}

/// Whether this may be the owner: named like an identity, and with several rows for a value.
pub(super) fn repeats_people(column: &ColumnSketch) -> bool {
    is_called_a_person(column) && column.distinct > 20.min(column.rows / 10) && column.distinct < column.rows
}

/// Whether this may be the owner of one record each.
pub(super) fn names_people(column: &ColumnSketch) -> bool {
    is_called_a_person(column) && is_nearly_unique(column)
}

fn is_called_a_person(column: &ColumnSketch) -> bool {
    words_of(&column.name).iter().any(|word| PEOPLE.contains(&word.as_str()))
}

fn is_nearly_unique(column: &ColumnSketch) -> bool {
    let filled = column.rows.saturating_sub(column.empty);
    filled >= 10 && different(column).saturating_mul(10) >= filled.saturating_mul(9)
}

/// The texts that say nothing: the empty one, and those of blanks only.
pub(super) fn missing_values(columns: &[ColumnSketch]) -> Vec<String> {
    let mut missing: Vec<String> =
        columns.iter().flat_map(texts).filter(|text| text.trim().is_empty()).map(str::to_owned).collect();
    missing.push(String::new());
    missing.sort();
    missing.dedup();
    missing
}

/// A comment on texts that look like missing values, if there are any.
pub(super) fn missing_seen(columns: &[ColumnSketch]) -> Option<String> {
    let seen = |word: &&&str| columns.iter().flat_map(texts).any(|text| text == **word);
    let seen: Vec<String> = MISSING.iter().filter(seen).map(|word| format!("\"{word}\"")).collect();
    (!seen.is_empty()).then(|| format!("# the data has {}: add those that stand for a missing value", seen.join(", ")))
}

/// How many different values there are, not counting the empty text.
fn different(column: &ColumnSketch) -> u64 {
    column.distinct.saturating_sub(u64::from(column.empty > 0))
}

fn texts(column: &ColumnSketch) -> impl Iterator<Item = &str> {
    column.values.iter().flatten().map(|(text, _)| text.as_str())
}
