//! Numbers and texts as a page shows them.

use std::fmt::{self, Display, Formatter};

use maud::{Markup, Render, html};
use reticent::text::format_count;

/// The page with control characters, and characters that change the direction of text, replaced by U+FFFD.
///
/// Such characters can hide text from a reader, or show it in another order. No template writes one, so each comes from data.
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

/// A probability as a percentage with one or two decimals. Only 1 is `100 %`, and only 0 is `0 %`.
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

/// An upper bound as a percentage: never rounded down.
pub fn percent_at_most(share: f64) -> String {
    percent(((share * 1000.0 - 1e-6).ceil() / 1000.0).max(share))
}

/// A lower bound as a percentage: never rounded up.
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

/// A risk as `25 %, 1 in 4`.
pub fn one_in(risk: f64) -> String {
    match risk {
        risk if risk <= 0.0 => percent(0.0),
        risk if risk >= 1.0 => percent(1.0),
        risk => format!("{}, 1 in {}", percent(risk), trimmed(format!("{:.1}", 1.0 / risk))),
    }
}

/// A number of possible worlds. A page shows an exponent raised; plain text shows it as `10^6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worlds {
    /// The exact number.
    Exact(u64),
    /// About 10 to this power.
    About(u64),
    /// At least 10 to this power.
    AtLeast(u64),
    /// Fewer than 10 to the power [`FEW`]. A public page shows no smaller number.
    Few,
    /// Too many to count, at least for some people.
    TooMany,
    /// Not counted, because people are not followed from release to release.
    NotCounted,
    /// Not shown on a public page, because it would disclose a small count.
    NotShown,
}

/// A number of worlds with more digits is shown as a power of ten.
const DIGITS: usize = 9;

/// A public page does not tell apart numbers of worlds below 10 to this power.
const FEW: u64 = 64;

impl Worlds {
    /// The number for an internal page, from its decimal digits and its natural logarithm.
    pub fn counted(full: Option<&str>, ln: Option<f64>) -> Worlds {
        let number = full.filter(|digits| digits.len() <= DIGITS).and_then(|digits| digits.parse().ok());
        match (number, ln) {
            (Some(number), _) => Worlds::Exact(number),
            (None, Some(ln)) => Worlds::About((ln / std::f64::consts::LN_10).round().max(0.0) as u64),
            (None, None) => Worlds::TooMany,
        }
    }

    /// The number for a public page: an exact number would disclose how many people have a value.
    pub fn roughly(ln: Option<f64>, few_people: bool) -> Worlds {
        match ln.map(|ln| ln / std::f64::consts::LN_10) {
            _ if few_people => Worlds::NotShown,
            Some(digits) if digits < FEW as f64 => Worlds::Few,
            // Each step is twice as long as the one before.
            Some(digits) => Worlds::AtLeast(1 << digits.log2().floor() as u32),
            None => Worlds::TooMany,
        }
    }

    /// The text before a raised exponent, and the exponent.
    fn parts(self) -> (String, Option<String>) {
        match self {
            Worlds::Exact(number) => (format_count(number), None),
            Worlds::About(exponent) => ("about 10".to_owned(), Some(format_count(exponent))),
            Worlds::AtLeast(exponent) => ("at least 10".to_owned(), Some(format_count(exponent))),
            Worlds::Few => (format!("fewer than 10^{FEW}"), None),
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

/// A column's name in quotes.
pub fn quoted(name: &str) -> Markup {
    html! { q { (name) } }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `a`, `a or b`, `a, b or c`, with this word before the last.
pub fn joined<T: Render>(items: &[T], word: &str) -> Markup {
    html! {
        @for (at, item) in (1..).zip(items) {
            @if at > 1 && at == items.len() { " " (word) " " } @else if at > 1 { ", " }
            (item)
        }
    }
}

/// The text, cut to this many characters.
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
