//! Suggested type and role of a column, with the reason. The user decides.

use super::ColumnSketch;
use super::content::content;
use crate::column_names::{IDENTIFIER_WORDS, PERSON_WORDS, SENSITIVE_STEMS, SENSITIVE_WORDS, split_words};
use crate::data::schema::Role;
use crate::data::taxonomy::{Type, is_code};
use crate::text::format_count;

/// Words in a column name that indicate codes whose prefixes have a meaning.
const PREFIX_WORDS: &[&str] = &["fips", "icd", "naics", "plz", "postal", "postcode", "zip", "zipcode"];

/// Words that a column of names consists of.
const NAME_WORDS: &[&str] =
    &["family", "first", "full", "given", "initial", "last", "maiden", "middle", "name", "nick", "sur"];

/// Last words of the name of a column that numbers people.
const NUMBER_WORDS: &[&str] = &["code", "id", "identifier", "key", "no", "nr", "num", "number"];

/// Words in a column name that indicate a code. A code is a text, even if it consists of digits.
const CODE_WORDS: &[&str] = &["code", "fips", "icd", "plz", "postal", "postcode", "zip", "zipcode"];

/// Returns the type of the column. A code, by its name or its leading zeros, is a text.
pub(super) fn type_of(column: &ColumnSketch) -> Type {
    let codes = texts(column).any(is_code) || has_code_name(column) || has_two_numbers(column);
    if column.looks_like == Type::Number && codes { Type::Text } else { column.looks_like }
}

/// Whether the column has two numbers, such as 0 and 1 for no and yes. As intervals, they would be published as `<1` and `>=1`.
fn has_two_numbers(column: &ColumnSketch) -> bool {
    column.format.is_none() && column.values.as_ref().is_some_and(|values| values.len() == 2)
}

fn has_code_name(column: &ColumnSketch) -> bool {
    is_code_name(&column.name)
}

/// Whether the column name means a code.
pub(super) fn is_code_name(name: &str) -> bool {
    split_words(name).iter().any(|word| CODE_WORDS.contains(&word.as_str()))
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
        (Type::Text, Type::Number) if has_two_numbers(column) => "; treated as a code, not a number (two values)",
        (Type::Text, Type::Number) => "; treated as a code, not a number (leading zeros)",
        (Type::Number, _) => "; all are numbers",
        (Type::Date, _) => "; all are dates",
        (Type::Text, _) => "",
    };
    format!("{values} in {} rows{empty}{kind}", format_count(column.rows))
}

/// Returns the suggested role and the reason.
pub(super) fn role(column: &ColumnSketch) -> Option<(Role, String)> {
    let words = split_words(&column.name);
    let named = |list: &[&'static str]| list.iter().copied().find(|known| words.iter().any(|word| word == known));
    if distinct_values(column) == 0 {
        return Some((Role::Drop, "no row has a value".to_owned()));
    }
    if column.name.starts_with("unnamed ") && is_nearly_unique(column) {
        return Some((
            Role::Drop,
            "the column has no name, and a value of its own in nearly every row: row numbers or names".to_owned(),
        ));
    }
    let owner = "; it may be the `owner` column, which identifies the person of a record";
    let is_person = identifies_person(column) && distinct_values(column) > 20;
    let person = named(PERSON_WORDS).filter(|_| is_person);
    if let Some(content) = content(column).filter(|_| type_of(column) == Type::Text) {
        return Some((Role::Identifier, content.reason().to_owned()));
    }
    if is_nearly_unique(column) && type_of(column) == Type::Text {
        let why = "NEARLY UNIQUE: almost every row has a different value, which may identify a person";
        return Some((Role::Identifier, format!("{why}{}", person.map_or("", |_| owner))));
    }
    if let Some(word) = person {
        return Some((Role::Identifier, format!("the column name contains `{word}`{owner}")));
    }
    if is_name(column) {
        return Some((Role::Identifier, "the column name means names of people".to_owned()));
    }
    if let Some(word) = named(IDENTIFIER_WORDS) {
        return Some((Role::Identifier, format!("the column name contains `{word}`")));
    }
    let begins = |known: &&str| words.iter().any(|word| word.starts_with(known));
    if let Some(word) = named(SENSITIVE_WORDS).or_else(|| SENSITIVE_STEMS.iter().copied().find(begins)) {
        return Some((
            Role::Sensitive,
            format!("the column name contains `{word}`, which suggests private information"),
        ));
    }
    if is_nearly_unique(column) {
        let why = "NEARLY UNIQUE: almost every row has a different value; an identifier, unless it is a measurement or a date";
        return Some((Role::QuasiIdentifier, why.to_owned()));
    }
    (distinct_values(column) <= 1).then(|| (Role::Other, "the column has a single value".to_owned()))
}

/// Whether this may be the owner column of a table with several records per person.
pub(super) fn may_be_repeated_owner(column: &ColumnSketch) -> bool {
    identifies_person(column) && column.distinct > 20.min(column.rows / 10) && column.distinct < column.rows
}

/// Whether this may be the owner column of a table with one record per person.
pub(super) fn may_be_unique_owner(column: &ColumnSketch) -> bool {
    identifies_person(column) && is_nearly_unique(column)
}

/// Whether the column name means a number or pseudonym of a person: `patient`, `patient_id`, `id`. An attribute of a person,
/// such as `patient_age`, and a number of something else, such as `visit_id`, do not identify one.
fn identifies_person(column: &ColumnSketch) -> bool {
    let words = split_words(&column.name);
    let Some((last, others)) = words.split_last() else { return false };
    let means_person = |word: &String| PERSON_WORDS.contains(&word.as_str());
    let is_number = NUMBER_WORDS.contains(&last.as_str());
    (others.is_empty() && means_person(last))
        || (is_number && others.iter().any(means_person))
        || means_number_of_person(last)
}

/// Whether the word means a number that only people have.
fn means_number_of_person(word: &str) -> bool {
    matches!(word, "mrn" | "ssn")
}

/// Whether the column name consists of words such as `first` and `name`, and the values are texts.
fn is_name(column: &ColumnSketch) -> bool {
    let words = split_words(&column.name);
    let has_all = !words.is_empty() && words.iter().all(|word| NAME_WORDS.contains(&word.as_str()));
    has_all && type_of(column) == Type::Text && distinct_values(column) > 5
}

/// Returns the role in the draft. Only a column that certainly identifies people, or has no value, is not a quasi-identifier.
pub(super) fn drafted_role(column: &ColumnSketch) -> Role {
    let is_text = type_of(column) == Type::Text;
    match role(column) {
        Some((Role::Drop, _)) => Role::Drop,
        Some((Role::Identifier, _)) if is_text && (content(column).is_some() || is_nearly_unique(column)) => {
            Role::Identifier
        }
        _ => Role::QuasiIdentifier,
    }
}

/// Whether the column has codes whose prefixes are drafted as levels.
pub(super) fn is_masked_code(column: &ColumnSketch) -> bool {
    let words = split_words(&column.name);
    let by_name = words.iter().any(|word| PREFIX_WORDS.contains(&word.as_str()));
    let is_code = |text: &str| text.chars().count() <= 20 && !text.contains(['*', ' ']);
    let is_number = column.looks_like == Type::Number && !has_two_numbers(column);
    column.looks_like != Type::Date
        && (by_name || is_number)
        && column.values.as_ref().is_some_and(|values| values.iter().all(|(text, _)| is_code(text)))
}

fn is_nearly_unique(column: &ColumnSketch) -> bool {
    let filled = column.rows.saturating_sub(column.empty);
    filled >= 10 && distinct_values(column).saturating_mul(10) >= filled.saturating_mul(9)
}

/// Number of distinct texts, without the empty text.
fn distinct_values(column: &ColumnSketch) -> u64 {
    let is_listed_empty = |values: &Vec<(String, u64)>| values.iter().any(|(text, _)| text.is_empty());
    column.distinct.saturating_sub(u64::from(column.values.as_ref().map_or(column.empty > 0, is_listed_empty)))
}

fn texts(column: &ColumnSketch) -> impl Iterator<Item = &str> {
    column.values.iter().flatten().map(|(text, _)| text.as_str())
}
