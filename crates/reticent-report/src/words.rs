//! Formatting of numbers and texts.

use std::fmt::{self, Display, Formatter};

use maud::{Markup, Render, html};
use reticent::text::format_count;

/// Replaces control characters, and characters that change the text direction, by U+FFFD.
///
/// Such characters can hide text or change its order. Templates contain none, so every one comes from data.
pub fn printable(page: &str) -> String {
    let replaced = |letter: char| match letter {
        '\n' => letter,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER,
        letter => letter,
    };
    page.chars().map(replaced).collect()
}

/// Formats a probability as a percentage with one or two decimals. Only 1 is `100 %`, and only 0 is `0 %`.
pub fn percent(probability: f64) -> String {
    let number = match probability * 100.0 {
        hundredths if hundredths <= 0.0 => "0".to_owned(),
        hundredths if hundredths < 0.01 => "less than 0.01".to_owned(),
        hundredths if hundredths < 1.0 => trimmed(format!("{hundredths:.2}")),
        hundredths if hundredths >= 100.0 => "100".to_owned(),
        hundredths if hundredths > 99.9 => "more than 99.9".to_owned(),
        hundredths => trimmed(format!("{hundredths:.1}")),
    };
    format!("{number}\u{a0}%")
}

/// Formats an upper bound as a percentage. Does not round down.
pub fn percent_at_most(bound: f64) -> String {
    percent(((bound * 1000.0 - 1e-6).ceil() / 1000.0).max(bound))
}

/// Formats a lower bound as a percentage. Does not round up a bound of 1 % or more.
pub fn percent_at_least(bound: f64) -> String {
    match bound {
        bound if bound < 0.01 => percent(bound),
        bound => percent((bound * 1000.0 + 1e-6).floor() / 1000.0),
    }
}

fn trimmed(number: String) -> String {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => number,
    }
}

/// Formats a risk: `25 % (1 in 4)`.
pub fn one_in(risk: f64) -> String {
    match risk {
        risk if risk <= 0.0 => percent(0.0),
        risk if risk >= 1.0 => percent(1.0),
        risk => format!("{} (1 in {})", percent(risk), trimmed(format!("{:.1}", 1.0 / risk))),
    }
}

/// A number of possible worlds. A page shows the exponent as a superscript, plain text as `10^6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worlds {
    /// Exact number.
    Exact(u64),
    /// Approximate power of 10, given by its exponent.
    About(u64),
    /// Lower bound: a power of 10, given by its exponent.
    AtLeast(u64),
    /// Fewer than 10 to the power [`MIN_PUBLIC_EXPONENT`].
    Few,
    /// Too many to count for at least some people.
    TooMany,
    /// Not counted, because records are not linked across releases.
    NotCounted,
    /// Not shown on a public page, because it would disclose a small count.
    NotShown,
}

/// Maximum number of digits of a number that is not shown as a power of 10.
const MAX_DIGITS: usize = 9;

/// Smallest exponent that a public page shows. It does not distinguish smaller numbers of worlds.
const MIN_PUBLIC_EXPONENT: u64 = 64;

impl Worlds {
    /// Returns the number for an internal page, from its decimal digits and its natural logarithm.
    pub fn counted(full: Option<&str>, ln: Option<f64>) -> Worlds {
        let number = full.filter(|digits| digits.len() <= MAX_DIGITS).and_then(|digits| digits.parse().ok());
        match (number, ln) {
            (Some(number), _) => Worlds::Exact(number),
            (None, Some(ln)) => Worlds::About((ln / std::f64::consts::LN_10).round().max(0.0) as u64),
            (None, None) => Worlds::TooMany,
        }
    }

    /// Returns the rounded number for a public page. An exact number would disclose how many people have a value.
    pub fn roughly(ln: Option<f64>, few_people: bool) -> Worlds {
        match ln.map(|ln| ln / std::f64::consts::LN_10) {
            _ if few_people => Worlds::NotShown,
            Some(digits) if digits < MIN_PUBLIC_EXPONENT as f64 => Worlds::Few,
            // Exponents are rounded down to a power of 2.
            Some(digits) => Worlds::AtLeast(1 << digits.log2().floor() as u32),
            None => Worlds::TooMany,
        }
    }

    /// Returns the text before the exponent, and the exponent.
    fn parts(self) -> (String, Option<String>) {
        match self {
            Worlds::Exact(number) => (format_count(number), None),
            Worlds::About(exponent) => ("about 10".to_owned(), Some(format_count(exponent))),
            Worlds::AtLeast(exponent) => ("at least 10".to_owned(), Some(format_count(exponent))),
            Worlds::Few => (format!("fewer than 10^{MIN_PUBLIC_EXPONENT}"), None),
            Worlds::TooMany => ("too many to count".to_owned(), None),
            Worlds::NotCounted => ("not counted".to_owned(), None),
            Worlds::NotShown => ("not shown".to_owned(), None),
        }
    }
}

impl Display for Worlds {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (text, None) => formatter.write_str(&text),
            (text, Some(exponent)) => write!(formatter, "{text}^{exponent}"),
        }
    }
}

impl Render for Worlds {
    fn render(&self) -> Markup {
        let (text, exponent) = self.parts();
        html! { (text) @if let Some(exponent) = exponent { sup { (exponent) } } }
    }
}

/// Formats a column name in quotation marks.
pub fn quoted(name: &str) -> Markup {
    html! { q { (name) } }
}

/// Joins texts: `a`, `a and b`, `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins items with a word before the last: `a`, `a or b`, `a, b or c`.
pub fn joined<T: Render>(items: &[T], word: &str) -> Markup {
    html! {
        @for (at, item) in (1..).zip(items) {
            @if at > 1 && at == items.len() { " " (word) " " } @else if at > 1 { ", " }
            (item)
        }
    }
}

/// Truncates a text to this many characters.
pub fn cut(text: &str, letters: usize) -> String {
    match text.chars().count() > letters {
        true => text.chars().take(letters.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// Formats a text as a sentence: first letter in upper case, full stop at the end.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if text.ends_with(['.', '!', '?']) || text.is_empty() { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}
