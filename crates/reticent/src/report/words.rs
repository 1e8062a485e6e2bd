//! Numbers and texts as people read them, and as HTML takes them.

use crate::text::grouped;

/// The text with everything that HTML would read as its own made harmless.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // No text may end the file or turn its direction for a reader.
            letter if letter.is_control() && letter != '\n' => escaped.push('\u{fffd}'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A share as a percentage with sensible digits. Only 1 is `100 %`, and only 0 is `0 %`.
pub fn percent(share: f64) -> String {
    let number = match share * 100.0 {
        hundredths if hundredths <= 0.0 => "0".to_owned(),
        hundredths if hundredths < 0.01 => "under 0.01".to_owned(),
        hundredths if hundredths < 1.0 => trimmed(format!("{hundredths:.2}")),
        hundredths if hundredths >= 100.0 => "100".to_owned(),
        hundredths if hundredths > 99.9 => "over 99.9".to_owned(),
        hundredths => trimmed(format!("{hundredths:.1}")),
    };
    format!("{number}\u{a0}%")
}

/// The same for what something is at most: never rounded to less.
pub fn percent_at_most(share: f64) -> String {
    percent(((share * 1000.0 - 1e-6).ceil() / 1000.0).max(share))
}

/// The same for what something is at least: never rounded to more.
pub fn percent_at_least(share: f64) -> String {
    match share {
        share if share < 0.01 => percent(share),
        share => percent((share * 1000.0 + 1e-6).floor() / 1000.0),
    }
}

fn trimmed(number: String) -> String {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => number,
    }
}

/// A risk as `1 in 4 (25 %)`.
pub fn one_in(risk: f64) -> String {
    match risk {
        risk if risk <= 0.0 => percent(0.0),
        risk if risk >= 1.0 => percent(1.0),
        risk => format!("{}, 1 in {}", percent(risk), trimmed(format!("{:.1}", 1.0 / risk))),
    }
}

/// A number of worlds, as text and as HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worlds {
    /// `16`, `about 10^1,204`, `too many to count`.
    pub text: String,
    /// The same with the exponent raised.
    pub html: String,
}

impl Worlds {
    /// Where people are not followed, though nothing was too large.
    pub fn not_counted() -> Worlds {
        plain("not counted".to_owned())
    }
}

/// So many digits of a number of worlds are written in full.
const DIGITS: usize = 9;

/// The number of worlds: in full while that can be taken in, then the power of ten.
pub fn worlds(full: Option<&str>, ln: Option<f64>) -> Worlds {
    let number = full.filter(|digits| digits.len() <= DIGITS).and_then(|digits| digits.parse().ok());
    match (number, ln) {
        (Some(number), _) => plain(grouped(number)),
        (None, Some(ln)) => power(ln),
        (None, None) => plain("too many to count".to_owned()),
    }
}

/// The same for everybody's eyes: of few people it would tell how many have a value, and also of many if it were told exactly.
pub fn worlds_roughly(ln: Option<f64>, few: bool) -> Worlds {
    match ln.map(|ln| ln / std::f64::consts::LN_10) {
        _ if few => plain("not shown".to_owned()),
        Some(digits) if digits < 64.0 => plain("fewer than 10^64".to_owned()),
        // Each step is twice as long as the one before.
        Some(digits) => {
            let digits = grouped(1 << digits.log2().floor() as u32);
            Worlds { text: format!("at least 10^{digits}"), html: format!("at least 10<sup>{digits}</sup>") }
        }
        None => plain("too many to count".to_owned()),
    }
}

fn plain(text: String) -> Worlds {
    Worlds { html: text.clone(), text }
}

fn power(ln: f64) -> Worlds {
    let exponent = grouped((ln / std::f64::consts::LN_10).round().max(0.0) as u64);
    Worlds { text: format!("about 10^{exponent}"), html: format!("about 10<sup>{exponent}</sup>") }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: &[String]) -> String {
    joined(items, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub fn either(items: &[String]) -> String {
    joined(items, "or")
}

fn joined(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// The text, cut to so many letters.
pub fn cut(text: &str, letters: usize) -> String {
    match text.chars().count() > letters {
        true => text.chars().take(letters.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// The text with a capital at the front and a full stop at the end.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if text.ends_with(['.', '!', '?']) || text.is_empty() { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}
