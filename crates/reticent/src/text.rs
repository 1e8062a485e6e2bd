//! Formatting of counts, and removal of the apostrophe that protects spreadsheet users from formulas.

/// Formats a count with thousands separators: 9981 as `9,981`.
pub fn format_count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of people: `1 person`, `2 people`.
pub fn people(number: u64) -> String {
    if number == 1 { "1 person".to_owned() } else { format!("{} people", format_count(number)) }
}

/// Formats a count with its noun: `1 row`, `2 rows`, `1,000 rows`.
pub fn counted(number: u64, word: &str) -> String {
    format!("{} {word}{}", format_count(number), if number == 1 { "" } else { "s" })
}

/// Returns the text without the apostrophe that was written before a possible spreadsheet formula.
pub(crate) fn without_formula_guard(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@', '\t', '\r']) => rest,
        _ => text,
    }
}
