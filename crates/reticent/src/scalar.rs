//! Scalars: parsing and formatting of numbers and dates.

use jiff::civil::Date;

/// Text of a suppressed cell.
pub const SUPPRESSED: &str = "*";

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Texts, ordered only by a taxonomy.
    Text,
    /// Numbers, ordered by value.
    Number,
    /// Calendar dates (YYYY-MM-DD), ordered by time.
    Date,
}

/// Formats a number without trailing zeros, and whole numbers without an exponent.
pub fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{}", number as i64) } else { format!("{number}") }
}

/// 2^53. Above it, an `f64` cannot represent every integer.
pub(crate) const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Whether the text is a code: digits with a leading zero before another digit, which no number has. `038.9` is a code, `0.5`
/// is not.
pub(crate) fn is_code(digits: &str) -> bool {
    let mut bytes = digits.bytes();
    let leads = bytes.next() == Some(b'0') && bytes.next().is_some_and(|second| second.is_ascii_digit());
    leads && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Parses a finite number of magnitude below 2^53, so that every integer is exact.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() || text.bytes().any(|byte| byte.is_ascii_alphabetic() && byte != b'e' && byte != b'E') {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    // Adding 0.0 turns minus zero into zero.
    (number.is_finite() && number.abs() < MAX_EXACT_INTEGER).then_some(number + 0.0)
}

/// Parses a calendar date as days since 1970-01-01. A time of day after the date is ignored.
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
    Some(f64::from(days_since_epoch(date)))
}

/// Parses a value of an ordered type. Returns `None` for texts.
pub fn parse_scale(values: Type, text: &str) -> Option<f64> {
    match values {
        Type::Text => None,
        Type::Number => parse_number(text),
        Type::Date => parse_date(text),
    }
}

/// Formats a value of an ordered type.
pub fn scale_text(values: Type, number: f64) -> String {
    match values {
        Type::Date => date_from_days(number).to_string(),
        _ => number_text(number),
    }
}

/// Formats an interval: `[20,30)`, `<20`, `>=80`, or `any` without bounds.
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

/// Returns the number of days since 1970-01-01.
pub(crate) fn days_since_epoch(date: Date) -> i32 {
    EPOCH.until(date).map(|span| span.get_days()).unwrap_or(0)
}

/// Returns the date this many days after 1970-01-01, limited to the range of supported dates.
pub(crate) fn date_from_days(after: f64) -> Date {
    use jiff::ToSpan;
    let after = after.clamp(days_since_epoch(Date::MIN).into(), days_since_epoch(Date::MAX).into());
    EPOCH.saturating_add((after as i32).days())
}
