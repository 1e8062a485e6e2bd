//! Texts: counts as people write them, and cells without the apostrophe that guards a formula.

/// A count with its thousands apart: 9981 as `9,981`.
pub fn grouped(number: u64) -> String {
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

/// `1 person`, `2 people`.
pub fn people(number: u64) -> String {
    if number == 1 { "1 person".to_owned() } else { format!("{} people", grouped(number)) }
}

/// `1 row`, `2 rows`, `1,000 rows`.
pub fn counted(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A text without the apostrophe that was put before something that looks like a formula.
pub(crate) fn plain(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@', '\t', '\r']) => rest,
        _ => text,
    }
}
