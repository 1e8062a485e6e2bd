//! Spellings of a missing value.

use super::ColumnSketch;
use crate::data::taxonomy::{SUPPRESSED, Type};

/// Spellings that hardly mean anything else.
const USUAL: &[&str] = &["#N/A", "(null)", "<NA>", "?", "N/A", "NA", "NULL", "NaN", "NaT", "\\N", "n/a", "nan", "null"];
/// Spellings that can also be values. They mean a missing value in columns of numbers and dates.
const POSSIBLE: &[&str] = &["-", "--", ".", "..", "None", "Unknown", "missing", "na", "none", "unknown"];

/// Returns all known spellings of a missing value.
pub fn missing_spellings() -> Vec<String> {
    USUAL.iter().chain(POSSIBLE).map(|text| (*text).to_owned()).collect()
}

/// Returns the texts that mean a missing value in these columns, whose types were inferred without [`missing_spellings`].
///
/// A text that a release writes for a suppressed cell means a missing value, too.
pub fn missing_values(columns: &[ColumnSketch]) -> Vec<String> {
    let mut missing = vec![String::new()];
    // A word that is also a value of a column of texts is not adopted: it would be missing there, too.
    let is_text = |column: &&ColumnSketch| column.looks_like == Type::Text && column.format.is_none();
    let is_value = |text: &str| columns.iter().filter(is_text).flat_map(texts).any(|known| known == text);
    for column in columns {
        let is_ordered = column.looks_like != Type::Text || column.format.is_some();
        let means_missing = |text: &str| {
            text.trim().is_empty()
                || text == SUPPRESSED
                || USUAL.contains(&text)
                || (is_ordered && POSSIBLE.contains(&text) && !is_value(text))
        };
        missing.extend(texts(column).filter(|text| means_missing(text)).map(str::to_owned));
        // The spellings of a column with too many values to list are unknown.
        if column.values.is_none() && column.empty > 0 && is_ordered {
            missing.extend(USUAL.iter().chain(POSSIBLE).filter(|text| !is_value(text)).map(|text| (*text).to_owned()));
        }
    }
    missing.sort();
    missing.dedup();
    missing
}

/// Returns a comment that lists texts that may mean a missing value, but were not adopted.
pub(super) fn comment(columns: &[ColumnSketch], adopted: &[String]) -> Option<String> {
    let is_open = |word: &&&str| !adopted.iter().any(|known| known == **word);
    let seen = |word: &&&str| columns.iter().flat_map(texts).any(|text| text == **word);
    let seen: Vec<String> = POSSIBLE.iter().filter(is_open).filter(seen).map(|word| format!("\"{word}\"")).collect();
    let text = || format!("# The data contains {}. Add the texts that mean a missing value.", seen.join(", "));
    (!seen.is_empty()).then(text)
}

fn texts(column: &ColumnSketch) -> impl Iterator<Item = &str> {
    column.values.iter().flatten().map(|(text, _)| text.as_str())
}
