//! Scalars: numbers and dates as they are read from cells and written to them.

use jiff::civil::Date;

/// What stands in a published cell that says nothing.
pub const SUPPRESSED: &str = "*";

/// What a column's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Words; ordered only by the taxonomy.
    Text,
    /// Numbers, ordered.
    Number,
    /// Calendar dates (YYYY-MM-DD), ordered.
    Date,
}

/// A number as people write it: no trailing zeros, no exponent for whole numbers.
pub fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{}", number as i64) } else { format!("{number}") }
}

/// From here on a double does not hold every whole number.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether digits begin with a zero, as those of a code do: no number is written so.
pub(crate) fn is_code(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a number exactly: not a NaN, not infinite, no whole number that a double cannot hold.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() || text.bytes().any(|byte| byte.is_ascii_alphabetic() && byte != b'e' && byte != b'E') {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    // Minus zero and zero are one number.
    (number.is_finite() && number.abs() < EXACT).then_some(number + 0.0)
}

/// Reads a calendar date as days since 1970-01-01; a time of day after it is left out.
pub fn parse_date(text: &str) -> Option<f64> {
    let text = text.trim();
    let day = text.get(..10)?;
    let rest = &text[10..];
    let is_time =
        |time: &str| !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit() || b":.Z+-".contains(&byte));
    if !(rest.is_empty() || rest.strip_prefix(['T', ' ']).is_some_and(is_time)) {
        return None;
    }
    let bytes = day.as_bytes();
    let shaped = bytes.iter().enumerate().all(|(i, b)| if i == 4 || i == 7 { *b == b'-' } else { b.is_ascii_digit() });
    if !shaped {
        return None;
    }
    let date: Date = day.parse().ok()?;
    Some(f64::from(days(date)))
}

/// Reads a value of an ordered type.
pub fn parse_scale(values: Type, text: &str) -> Option<f64> {
    match values {
        Type::Text => None,
        Type::Number => parse_number(text),
        Type::Date => parse_date(text),
    }
}

/// Writes a value of an ordered type.
pub fn scale_text(values: Type, number: f64) -> String {
    match values {
        Type::Date => date(number).to_string(),
        _ => number_text(number),
    }
}

/// `[20,30)`, `<20`, `>=80`, or `*` when it has no bounds.
pub(crate) fn interval_text(values: Type, low: Option<f64>, high: Option<f64>) -> String {
    let text = |number| scale_text(values, number);
    match (low, high) {
        (Some(low), Some(high)) => format!("[{},{})", text(low), text(high)),
        (Some(low), None) => format!(">={}", text(low)),
        (None, Some(high)) => format!("<{}", text(high)),
        (None, None) => "any".to_owned(),
    }
}

const EPOCH: Date = Date::constant(1970, 1, 1);

/// Days since 1970-01-01.
pub(crate) fn days(date: Date) -> i32 {
    EPOCH.until(date).map(|span| span.get_days()).unwrap_or(0)
}

/// The date so many days after 1970-01-01, or the last one there is.
pub(crate) fn date(after: f64) -> Date {
    use jiff::ToSpan;
    let after = after.clamp(days(Date::MIN).into(), days(Date::MAX).into());
    EPOCH.saturating_add((after as i32).days())
}
