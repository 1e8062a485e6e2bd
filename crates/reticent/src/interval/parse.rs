//! Reading intervals in the notations that published tables use.
//!
//! A bound is a number, or for dates a day, a month, a quarter, a year or a decade: `2024-01 to 2024-03` goes from the
//! first day of January to the last of March, and `<2024` ends with the last day of 2023. Without brackets both bounds
//! belong: `20-29` and `30-39` do not overlap, and nothing is said about 29.5.

use jiff::civil::Date;

use super::Interval;
use crate::scalar::{EXACT, SUPPRESSED, Type, days, parse_date, parse_number, parse_scale};

/// Hyphens that are tried as the sign between two bounds; two dates and two numbers with exponents have fewer.
const HYPHENS: usize = 8;

/// What one bound says: the first and the last number, or day, that it names.
#[derive(Clone, Copy)]
struct Bound {
    first: f64,
    last: f64,
}

impl Bound {
    /// Where an interval begins that has this as its lower bound.
    fn as_low(self, values: Type, belongs: bool) -> (f64, bool) {
        match (belongs, values) {
            (true, _) => (self.first, true),
            (false, Type::Date) => (self.last + 1.0, true),
            (false, _) => (self.last, false),
        }
    }

    /// Where an interval ends that has this as its upper bound.
    fn as_high(self, values: Type, belongs: bool) -> (f64, bool) {
        match (belongs, values) {
            (true, _) => (self.last, true),
            (false, Type::Date) => (self.first - 1.0, true),
            (false, _) => (self.first, false),
        }
    }
}

impl Interval {
    /// Reads a number, a date or an interval of them: `[20,30)`, `20-29`, `<20`, `80+`, `2*`, `2024-03`, `any` and their
    /// like. None when it is something else, or when no number lies in it.
    pub fn parse(values: Type, text: &str) -> Option<Interval> {
        if values == Type::Text {
            return None;
        }
        let text = text.trim();
        if let Some(number) = parse_scale(values, text) {
            return Some(Interval::one(number));
        }
        if text == SUPPRESSED || text.eq_ignore_ascii_case("any") {
            return Some(Interval::ANY);
        }
        one_bound(values, text)
            .or_else(|| if values == Type::Number { masked_digits(text) } else { None })
            .or_else(|| compared(values, text))
            .or_else(|| bracketed(values, text))
            .or_else(|| from_to(values, text))
    }
}

/// Whether stars hide a part of a text, such as `47***`, `123**-****` or `***-**-1234`, or all of it.
pub(crate) fn is_masked(text: &str) -> bool {
    text.contains('*')
}

/// The numbers, or days, that a masked text can stand for, between the least and the most of them; none where it can be none.
pub(crate) fn masked_interval(values: Type, text: &str) -> Option<Interval> {
    if let Some(interval) = Interval::parse(values, text) {
        return Some(interval);
    }
    let fits = |letter: char| letter.is_ascii_digit() || "*.-".contains(letter);
    if values == Type::Text || !is_masked(text) || !text.chars().all(fits) {
        return None;
    }
    if values == Type::Date {
        // What comes before the first star may be a year, or a month.
        let shown = text.split('*').next().unwrap_or_default().trim_end_matches('-');
        return Interval::parse(values, shown).or(Some(Interval::ANY));
    }
    let end = |digit: &str| parse_number(&text.replace('*', digit));
    match (end("0"), end("9")) {
        (Some(one), Some(other)) => Interval::between(Some((one.min(other), true)), Some((one.max(other), true))),
        _ => None,
    }
}

/// Whether a text, masked or not, can be what another one masks, or the other way round: a star is any letter, and stars at the end any
/// end.
pub(crate) fn masks_meet(one: &str, other: &str) -> bool {
    let shown = |text: &str| text.trim_end_matches('*').chars().count();
    // What is not masked at its end has one; it must not end before the other shows more.
    let long_enough = |text: &str, other: &str| text.ends_with('*') || text.chars().count() >= shown(other);
    let meets = |(one, other): (char, char)| one == other || one == '*' || other == '*';
    let both = shown(one).min(shown(other));
    long_enough(one, other) && long_enough(other, one) && one.chars().zip(other.chars()).take(both).all(meets)
}

/// A text whose end is masked, such as `47***`, without its stars.
pub(crate) fn masked_prefix(text: &str) -> Option<&str> {
    let prefix = text.trim_end_matches('*');
    (!prefix.is_empty() && prefix.len() < text.len()).then_some(prefix)
}

/// `2024-03`: a bound that is an interval by itself.
fn one_bound(values: Type, text: &str) -> Option<Interval> {
    let bound = bound(values, text)?;
    Interval::between(Some((bound.first, true)), Some((bound.last, true)))
}

/// `47***`: whole numbers whose last digits are not shown.
fn masked_digits(text: &str) -> Option<Interval> {
    let digits = masked_prefix(text)?;
    let stars = text.len() - digits.len();
    if stars > 15 || !is_digits(digits) {
        return None;
    }
    let low = parse_number(&format!("{digits}{}", "0".repeat(stars)))?;
    let high = low + 10f64.powi(stars as i32);
    if high < EXACT { Interval::between(Some((low, true)), Some((high, false))) } else { None }
}

/// `<20`, `over 80`, `80+`: a bound on one side.
fn compared(values: Type, text: &str) -> Option<Interval> {
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
    let signed = SIGNS.iter().find_map(|(sign, above, belongs)| {
        let (start, rest) = text.split_at_checked(sign.len())?;
        start.eq_ignore_ascii_case(sign).then_some((rest, *above, *belongs))
    });
    let (rest, above, belongs) = signed.or_else(|| Some((text.strip_suffix('+')?, true, true)))?;
    let bound = bound(values, rest)?;
    if above {
        Interval::between(Some(bound.as_low(values, belongs)), None)
    } else {
        Interval::between(None, Some(bound.as_high(values, belongs)))
    }
}

/// `[20,30)`, `]20;30]`, `[20-30)`: brackets say whether the bounds belong.
fn bracketed(values: Type, text: &str) -> Option<Interval> {
    let low_in = text.starts_with('[');
    let high_in = text.ends_with(']');
    let inner = text.strip_prefix(['[', '(', ']'])?.strip_suffix([']', ')', '['])?;
    let listed = inner.split_once([',', ';']).and_then(|pair| bounds(values, pair));
    let (low, high) = listed.or_else(|| bounds_apart(values, inner))?;
    Interval::between(Some(low.as_low(values, low_in)), Some(high.as_high(values, high_in)))
}

/// `20-29`, `20 to 29`, `2024-01/2024-03`: both bounds belong.
fn from_to(values: Type, text: &str) -> Option<Interval> {
    let (low, high) = bounds_apart(values, text)?;
    Interval::between(Some(low.as_low(values, true)), Some(high.as_high(values, true)))
}

/// Two bounds with a sign or a word between them.
fn bounds_apart(values: Type, text: &str) -> Option<(Bound, Bound)> {
    // Three dots mean different things to different people.
    let dots = text.split_once("..").filter(|(_, right)| !right.starts_with('.'));
    let word = [" to ", " TO ", " To "].iter().find_map(|word| text.split_once(word));
    let signs = text.split_once(['–', '—', '~', ':']);
    let slash = text.split_once('/').filter(|_| values == Type::Date);
    let apart = [dots, word, signs, slash].into_iter().flatten();
    // A hyphen also stands in dates, exponents and before negative numbers: the one with a bound on each side counts.
    let hyphens = text.match_indices('-').take(HYPHENS).map(|(at, hyphen)| (&text[..at], &text[at + hyphen.len()..]));
    apart.chain(hyphens).find_map(|pair| bounds(values, pair))
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

/// A day. With a time after it the day would not tell where an interval ends.
fn day(text: &str) -> Option<Bound> {
    let number = match text.len() {
        10 => parse_date(text)?,
        // As years before the year 0 are written.
        13 if text.starts_with('-') => f64::from(days(text.parse().ok()?)),
        _ => return None,
    };
    Some(Bound { first: number, last: number })
}

/// `2024`, `2024-03`, `2024-Q1`, `2020s`.
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
    let apart = rest.len() - unit.len();
    if let Some(quarter) = unit.strip_prefix(['Q', 'q']).filter(|_| apart <= 1) {
        let quarter: i8 = if is_digits(quarter) { quarter.parse().ok()? } else { return None };
        return if (1..=4).contains(&quarter) { months(year, 3 * quarter - 2, 3) } else { None };
    }
    let month = rest.strip_prefix('-').filter(|month| month.len() == 2 && is_digits(month))?;
    months(year, month.parse().ok()?, 1)
}

/// So many months from one on.
fn months(year: i16, month: i8, count: i16) -> Option<Bound> {
    let first = Date::new(year, month, 1).ok()?;
    let after = i16::from(month) - 1 + count - 1;
    let last = Date::new(year.checked_add(after / 12)?, (after % 12 + 1) as i8, 1).ok()?.last_of_month();
    Some(Bound { first: days(first).into(), last: days(last).into() })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
