//! Parser for intervals in the notations of published tables.
//!
//! A bound is a number, or for dates a day, month, quarter, year or decade. `2024-01 to 2024-03` is the range from the
//! first day of January to the last day of March. `<2024` ends with the last day of 2023. Without brackets both bounds
//! are included: `20-29` and `30-39` do not overlap, and neither contains 29.5.

use jiff::civil::Date;

use super::Interval;
use crate::scalar::{MAX_EXACT_INTEGER, SUPPRESSED, Type, days_since_epoch, parse_date, parse_number, parse_scale};

/// Maximum number of hyphens tried as the separator of two bounds. Two dates or two numbers with exponents have fewer.
const MAX_HYPHENS: usize = 8;

/// A parsed bound: the first and the last number or day that it names.
#[derive(Clone, Copy)]
struct Bound {
    first: f64,
    last: f64,
}

impl Bound {
    /// Lower bound of an interval, with a flag "included".
    fn as_low(self, values: Type, included: bool) -> (f64, bool) {
        match (included, values) {
            (true, _) => (self.first, true),
            (false, Type::Date) => (self.last + 1.0, true),
            (false, _) => (self.last, false),
        }
    }

    /// Upper bound of an interval, with a flag "included".
    fn as_high(self, values: Type, included: bool) -> (f64, bool) {
        match (included, values) {
            (true, _) => (self.last, true),
            (false, Type::Date) => (self.first - 1.0, true),
            (false, _) => (self.first, false),
        }
    }
}

impl Interval {
    /// Parses a number, a date or an interval, for example `[20,30)`, `20-29`, `<20`, `80+`, `2*`, `2024-03` or `any`.
    /// Returns `None` for other texts and for empty intervals.
    pub fn parse(values: Type, text: &str) -> Option<Interval> {
        if values == Type::Text {
            return None;
        }
        let text = text.trim();
        if let Some(number) = parse_scale(values, text) {
            return Some(Interval::point(number));
        }
        if text == SUPPRESSED || text.eq_ignore_ascii_case("any") {
            return Some(Interval::ANY);
        }
        one_bound(values, text)
            .or_else(|| if values == Type::Number { masked_digits(text) } else { None })
            .or_else(|| one_sided(values, text))
            .or_else(|| bracketed(values, text))
            .or_else(|| from_to(values, text))
    }
}

/// Returns true if a text contains a star, for example `47***`, `123**-****`, `***-**-1234` or `*`.
pub(crate) fn is_masked(text: &str) -> bool {
    text.contains('*')
}

/// Smallest interval that contains every number or day that a masked text can represent; `None` if there is none.
pub(crate) fn masked_interval(values: Type, text: &str) -> Option<Interval> {
    if let Some(interval) = Interval::parse(values, text) {
        return Some(interval);
    }
    let is_allowed = |letter: char| letter.is_ascii_digit() || "*.-".contains(letter);
    if values == Type::Text || !is_masked(text) || !text.chars().all(is_allowed) {
        return None;
    }
    if values == Type::Date {
        // The text before the first star can be a year or a month.
        let prefix = text.split('*').next().unwrap_or_default().trim_end_matches('-');
        return Interval::parse(values, prefix).or(Some(Interval::ANY));
    }
    let end = |digit: &str| parse_number(&text.replace('*', digit));
    match (end("0"), end("9")) {
        (Some(one), Some(other)) => Interval::between(Some((one.min(other), true)), Some((one.max(other), true))),
        _ => None,
    }
}

/// Returns true if two texts, masked or not, can represent the same text. A star represents any character; stars at
/// the end represent any suffix.
pub(crate) fn masks_match(one: &str, other: &str) -> bool {
    let visible = |text: &str| text.trim_end_matches('*').chars().count();
    // A text without a star at its end must be at least as long as the visible part of the other text.
    let long_enough = |text: &str, other: &str| text.ends_with('*') || text.chars().count() >= visible(other);
    let matches = |(one, other): (char, char)| one == other || one == '*' || other == '*';
    let common = visible(one).min(visible(other));
    long_enough(one, other) && long_enough(other, one) && one.chars().zip(other.chars()).take(common).all(matches)
}

/// Prefix of a text that ends with stars: `47` for `47***`.
pub(crate) fn masked_prefix(text: &str) -> Option<&str> {
    let prefix = text.trim_end_matches('*');
    (!prefix.is_empty() && prefix.len() < text.len()).then_some(prefix)
}

/// A single bound that is an interval, for example `2024-03`.
fn one_bound(values: Type, text: &str) -> Option<Interval> {
    let bound = bound(values, text)?;
    Interval::between(Some((bound.first, true)), Some((bound.last, true)))
}

/// Whole numbers with masked last digits, for example `47***`.
fn masked_digits(text: &str) -> Option<Interval> {
    let digits = masked_prefix(text)?;
    let stars = text.len() - digits.len();
    if stars > 15 || !is_digits(digits) {
        return None;
    }
    let low = parse_number(&format!("{digits}{}", "0".repeat(stars)))?;
    let high = low + 10f64.powi(stars as i32);
    if high < MAX_EXACT_INTEGER { Interval::between(Some((low, true)), Some((high, false))) } else { None }
}

/// Interval with a bound on one side, for example `<20`, `over 80` or `80+`.
fn one_sided(values: Type, text: &str) -> Option<Interval> {
    const SIGNS: [(&str, bool, bool); 8] = [
        ("<=", false, true),
        ("≤", false, true),
        ("<", false, false),
        (">=", true, true),
        ("≥", true, true),
        (">", true, false),
        ("under ", false, false),
        ("over ", true, false),
    ];
    let signed = SIGNS.iter().find_map(|(sign, above, included)| {
        let (start, rest) = text.split_at_checked(sign.len())?;
        start.eq_ignore_ascii_case(sign).then_some((rest, *above, *included))
    });
    let (rest, above, included) = signed.or_else(|| Some((text.strip_suffix('+')?, true, true)))?;
    let bound = bound(values, rest)?;
    if above {
        Interval::between(Some(bound.as_low(values, included)), None)
    } else {
        Interval::between(None, Some(bound.as_high(values, included)))
    }
}

/// Interval in brackets, for example `[20,30)`, `]20;30]` or `[20-30)`. Brackets define which bounds are included.
fn bracketed(values: Type, text: &str) -> Option<Interval> {
    let low_in = text.starts_with('[');
    let high_in = text.ends_with(']');
    let inner = text.strip_prefix(['[', '(', ']'])?.strip_suffix([']', ')', '['])?;
    let listed = inner.split_once([',', ';']).and_then(|pair| bounds(values, pair));
    let (low, high) = listed.or_else(|| separated_bounds(values, inner))?;
    Interval::between(Some(low.as_low(values, low_in)), Some(high.as_high(values, high_in)))
}

/// Interval without brackets, for example `20-29` or `2024-01/2024-03`. Both bounds are included.
fn from_to(values: Type, text: &str) -> Option<Interval> {
    let (low, high) = separated_bounds(values, text)?;
    Interval::between(Some(low.as_low(values, true)), Some(high.as_high(values, true)))
}

/// Two bounds with a separator between them.
fn separated_bounds(values: Type, text: &str) -> Option<(Bound, Bound)> {
    // Three dots are ambiguous and rejected.
    let dots = text.split_once("..").filter(|(_, right)| !right.starts_with('.'));
    let word = [" to ", " TO ", " To "].iter().find_map(|word| text.split_once(word));
    let signs = text.split_once(['–', '—', '~', ':']);
    let slash = text.split_once('/').filter(|_| values == Type::Date);
    let unambiguous = [dots, word, signs, slash].into_iter().flatten();
    // Dates, exponents and negative numbers also contain hyphens. The separator has a valid bound on each side.
    let hyphens =
        text.match_indices('-').take(MAX_HYPHENS).map(|(at, hyphen)| (&text[..at], &text[at + hyphen.len()..]));
    unambiguous.chain(hyphens).find_map(|pair| bounds(values, pair))
}

fn bounds(values: Type, (low, high): (&str, &str)) -> Option<(Bound, Bound)> {
    Some((bound(values, low)?, bound(values, high)?))
}

fn bound(values: Type, text: &str) -> Option<Bound> {
    let text = text.trim();
    match values {
        Type::Text => None,
        Type::Number => parse_number(text).map(|number| Bound { first: number, last: number }),
        Type::Date => day(text).or_else(|| calendar_unit(text)),
    }
}

/// A day. A day with a time is rejected, because it does not define where an interval ends.
fn day(text: &str) -> Option<Bound> {
    let number = match text.len() {
        10 => parse_date(text)?,
        // Notation of years before year 0.
        13 if text.starts_with('-') => f64::from(days_since_epoch(text.parse().ok()?)),
        _ => return None,
    };
    Some(Bound { first: number, last: number })
}

/// A year, month, quarter or decade: `2024`, `2024-03`, `2024-Q1`, `2020s`.
fn calendar_unit(text: &str) -> Option<Bound> {
    let (year, rest) = text.split_at_checked(4)?;
    let year: i16 = if is_digits(year) { year.parse().ok()? } else { return None };
    if rest.is_empty() {
        return months(year, 1, 12);
    }
    if rest == "s" && year % 10 == 0 {
        return months(year, 1, 120);
    }
    let unit = rest.trim_start_matches(['-', ' ']);
    let separators = rest.len() - unit.len();
    if let Some(quarter) = unit.strip_prefix(['Q', 'q']).filter(|_| separators <= 1) {
        let quarter: i8 = if is_digits(quarter) { quarter.parse().ok()? } else { return None };
        return if (1..=4).contains(&quarter) { months(year, 3 * quarter - 2, 3) } else { None };
    }
    let month = rest.strip_prefix('-').filter(|month| month.len() == 2 && is_digits(month))?;
    months(year, month.parse().ok()?, 1)
}

/// Bound of `count` months from the given month on.
fn months(year: i16, month: i8, count: i16) -> Option<Bound> {
    let first = Date::new(year, month, 1).ok()?;
    let after = i16::from(month) - 1 + count - 1;
    let last = Date::new(year.checked_add(after / 12)?, (after % 12 + 1) as i8, 1).ok()?.last_of_month();
    Some(Bound { first: days_since_epoch(first).into(), last: days_since_epoch(last).into() })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
