//! Fragments of error texts.

use crate::text::{counted, format_count};

/// ` together with a, b`, or an empty text.
pub(super) fn with_earlier(earlier: &[String]) -> String {
    if earlier.is_empty() { String::new() } else { format!(" together with {}", earlier.join(", ")) }
}

/// `1 person`, `2 people`.
pub(super) fn people_text(people: u64) -> String {
    if people == 1 { "1 person".to_owned() } else { format!("{} people", format_count(people)) }
}

/// `1 record`, `2 records`.
pub(super) fn records_text(records: u64) -> String {
    counted(records, "record")
}

/// Converts a fraction such as `1/3` to percent, with at most one decimal.
pub(super) fn percent_of(fraction: &str) -> String {
    let (numerator, denominator) = fraction.split_once('/').unwrap_or((fraction, "1"));
    match (numerator.trim().parse::<f64>(), denominator.trim().parse::<f64>()) {
        (Ok(numerator), Ok(denominator)) if denominator > 0.0 => {
            ((numerator / denominator * 1000.0).round() / 10.0).to_string()
        }
        _ => fraction.to_owned(),
    }
}

/// Joins the texts of several items.
pub(super) fn joined<T: std::fmt::Display>(items: &[T], between: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(between)
}

/// Returns the text of an optional value, or an empty text.
pub(super) fn optional<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map(text).unwrap_or_default()
}

/// ` line 3`, or an empty text.
pub(super) fn at_line(line: Option<usize>) -> String {
    optional(line, |line| format!(" line {line}"))
}

/// ` (hint)`, or an empty text.
pub(super) fn hint_text(hint: &Option<String>) -> String {
    optional(hint.as_ref(), |hint| format!(" ({hint})"))
}

/// `` of `id` ``, or an empty text.
pub(super) fn of_entry(id: &Option<String>) -> String {
    optional(id.as_ref(), |id| format!(" of `{id}`"))
}

/// Returns one line for each column with its problem.
pub(super) fn column_lines(columns: &[(String, String)]) -> String {
    columns.iter().map(|(column, message)| format!("\n  column `{column}`: {message}")).collect()
}
