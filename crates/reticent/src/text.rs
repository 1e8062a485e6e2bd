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

/// Returns the pattern of a text, which does not show its letters and digits: `9999-99-99`, `Aaaa 9`.
pub fn pattern(text: &str) -> String {
    const MAX_SHOWN: usize = 24;
    let class = |letter: char| match letter {
        _ if letter.is_numeric() => '9',
        _ if letter.is_uppercase() => 'A',
        _ if letter.is_alphabetic() => 'a',
        _ if letter.is_control() => ' ',
        other => other,
    };
    let shown: String = text.chars().take(MAX_SHOWN).map(class).collect();
    if text.chars().nth(MAX_SHOWN).is_some() { shown + "..." } else { shown }
}

/// Returns the text without the apostrophe that was written before a possible spreadsheet formula.
pub(crate) fn without_formula_guard(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@', '\t', '\r']) => rest,
        _ => text,
    }
}
