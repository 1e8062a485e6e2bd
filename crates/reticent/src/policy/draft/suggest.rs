//! Suggested type and role of a column, with the reason. The user decides.

use super::ColumnSketch;
use crate::column_names::{IDENTIFIER_WORDS, PERSON_WORDS, SENSITIVE_STEMS, SENSITIVE_WORDS, split_words};
use crate::data::taxonomy::{Type, is_code};
use crate::text::format_count;

/// Words in a column name that indicate a code. A code is a text, even if it consists of digits.
const CODE_WORDS: &[&str] = &["code", "fips", "icd", "plz", "postal", "postcode", "zip", "zipcode"];

/// Texts that often represent a missing value.
const MISSING_VALUE_TEXTS: &[&str] = &["?", "-", "N/A", "NA", "NULL", "NaN", "None", "n/a", "na", "null", "unknown"];

/// Returns the type of the column. A code, by its name or its leading zeros, is a text.
pub(super) fn type_of(column: &ColumnSketch) -> Type {
    let codes = texts(column).any(is_code) || has_code_name(column);
    if column.looks_like == Type::Number && codes { Type::Text } else { column.looks_like }
}

fn has_code_name(column: &ColumnSketch) -> bool {
    split_words(&column.name).iter().any(|word| CODE_WORDS.contains(&word.as_str()))
}

/// `3 distinct values in 10,000 rows, 12 rows empty`
pub(super) fn describe_values(column: &ColumnSketch) -> String {
    let values = match distinct_values(column) {
        1 => "1 value".to_owned(),
        count => format!("{} distinct values", format_count(count)),
    };
    let empty = if column.empty > 0 { format!(", {} rows empty", format_count(column.empty)) } else { String::new() };
    let kind = match (type_of(column), column.looks_like) {
        (Type::Text, Type::Number) if has_code_name(column) => "; treated as a code, not a number (column name)",
        (Type::Text, Type::Number) => "; treated as a code, not a number (leading zeros)",
        (Type::Number, _) => "; all are numbers",
        (Type::Date, _) => "; all are dates",
        (Type::Text, _) => "",
    };
    format!("{values} in {} rows{empty}{kind}", format_count(column.rows))
}

/// Returns the suggested role and the reason.
pub(super) fn role(column: &ColumnSketch) -> Option<(&'static str, String)> {
    let words = split_words(&column.name);
    let named = |list: &[&'static str]| list.iter().copied().find(|known| words.iter().any(|word| word == known));
    if distinct_values(column) == 0 {
        return Some(("identifier", "the column is empty, and identifiers are not published".to_owned()));
    }
    let owner = "; it may be the `owner` column, which identifies the person of a record";
    let person = named(PERSON_WORDS).filter(|_| distinct_values(column) > 20);
    if is_nearly_unique(column) && type_of(column) == Type::Text {
        let why = "NEARLY UNIQUE: almost every row has a different value, which may identify a person";
        return Some(("identifier", format!("{why}{}", person.map_or("", |_| owner))));
    }
    if let Some(word) = person {
        return Some(("identifier", format!("the column name contains `{word}`{owner}")));
    }
    if let Some(word) = named(IDENTIFIER_WORDS) {
        return Some(("identifier", format!("the column name contains `{word}`")));
    }
    let begins = |known: &&str| words.iter().any(|word| word.starts_with(known));
    if let Some(word) = named(SENSITIVE_WORDS).or_else(|| SENSITIVE_STEMS.iter().copied().find(begins)) {
        return Some(("sensitive", format!("the column name contains `{word}`, which suggests private information")));
    }
    if is_nearly_unique(column) {
        let why = "NEARLY UNIQUE: almost every row has a different value; an identifier, unless it is a measurement or a date";
        return Some(("quasi-identifier", why.to_owned()));
    }
    (distinct_values(column) <= 1).then(|| ("other", "the column has a single value".to_owned()))
}

/// Whether this may be the owner column of a table with several records per person.
pub(super) fn may_be_repeated_owner(column: &ColumnSketch) -> bool {
    has_person_name(column) && column.distinct > 20.min(column.rows / 10) && column.distinct < column.rows
}

/// Whether this may be the owner column of a table with one record per person.
pub(super) fn may_be_unique_owner(column: &ColumnSketch) -> bool {
    has_person_name(column) && is_nearly_unique(column)
}

fn has_person_name(column: &ColumnSketch) -> bool {
    split_words(&column.name).iter().any(|word| PERSON_WORDS.contains(&word.as_str()))
}

fn is_nearly_unique(column: &ColumnSketch) -> bool {
    let filled = column.rows.saturating_sub(column.empty);
    filled >= 10 && distinct_values(column).saturating_mul(10) >= filled.saturating_mul(9)
}

/// Returns the texts drafted as missing values: the empty text and texts of white space only.
pub(super) fn missing_values(columns: &[ColumnSketch]) -> Vec<String> {
    let mut missing: Vec<String> =
        columns.iter().flat_map(texts).filter(|text| text.trim().is_empty()).map(str::to_owned).collect();
    missing.push(String::new());
    missing.sort();
    missing.dedup();
    missing
}

/// Returns a comment that lists texts that may represent missing values, if there are any.
pub(super) fn missing_value_comment(columns: &[ColumnSketch]) -> Option<String> {
    let seen = |word: &&&str| columns.iter().flat_map(texts).any(|text| text == **word);
    let seen: Vec<String> = MISSING_VALUE_TEXTS.iter().filter(seen).map(|word| format!("\"{word}\"")).collect();
    (!seen.is_empty())
        .then(|| format!("# The data contains {}. Add the texts that mean a missing value.", seen.join(", ")))
}

/// Number of distinct texts, without the empty text.
fn distinct_values(column: &ColumnSketch) -> u64 {
    column.distinct.saturating_sub(u64::from(column.empty > 0))
}

fn texts(column: &ColumnSketch) -> impl Iterator<Item = &str> {
    column.values.iter().flatten().map(|(text, _)| text.as_str())
}
