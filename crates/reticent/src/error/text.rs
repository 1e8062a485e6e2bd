//! Parts of the texts of errors.

use crate::text::{counted, grouped};

/// ` together with a, b`, or nothing.
pub(super) fn together(earlier: &[String]) -> String {
    if earlier.is_empty() { String::new() } else { format!(" together with {}", earlier.join(", ")) }
}

/// `1 person`, `2 people`.
pub(super) fn people_text(people: u64) -> String {
    if people == 1 { "1 person".to_owned() } else { format!("{} people", grouped(people)) }
}

/// `1 record`, `2 records`.
pub(super) fn records_text(records: u64) -> String {
    counted(records, "record")
}

/// A fraction such as `1/3` in percent, with at most one digit after the point.
pub(super) fn percent_of(fraction: &str) -> String {
    let (above, below) = fraction.split_once('/').unwrap_or((fraction, "1"));
    match (above.trim().parse::<f64>(), below.trim().parse::<f64>()) {
        (Ok(above), Ok(below)) if below > 0.0 => ((above / below * 1000.0).round() / 10.0).to_string(),
        _ => fraction.to_owned(),
    }
}

/// The texts of several items.
pub(super) fn joined<T: std::fmt::Display>(items: &[T], between: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(between)
}

/// The text of something that may be missing.
pub(super) fn because<T>(what: Option<T>, text: impl FnOnce(T) -> String) -> String {
    what.map(text).unwrap_or_default()
}

/// ` line 3`, or nothing.
pub(super) fn at_line(line: Option<usize>) -> String {
    because(line, |line| format!(" line {line}"))
}

/// ` (hint)`, or nothing.
pub(super) fn hint_text(hint: &Option<String>) -> String {
    because(hint.as_ref(), |hint| format!(" ({hint})"))
}

/// `` of `id` ``, or nothing.
pub(super) fn of_entry(id: &Option<String>) -> String {
    because(id.as_ref(), |id| format!(" of `{id}`"))
}
