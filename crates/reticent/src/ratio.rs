//! Exact ratios for shares and thresholds, so that no comparison is subject to rounding.

use std::cmp::Ordering;
use std::fmt;

/// An exact non-negative rational number.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    /// Numerator.
    pub numerator: u128,
    /// Denominator, never 0.
    pub denominator: u128,
}

impl Ratio {
    /// Creates `numerator / denominator`. A denominator of 0 counts as 1.
    pub fn new(numerator: u64, denominator: u64) -> Self {
        Ratio { numerator: numerator.into(), denominator: u128::from(denominator.max(1)) }
    }

    /// Converts a decimal exactly as written: 0.3 is 3/10, not the nearest binary fraction.
    ///
    /// Returns `None` if the value is negative, not finite, or has more than 18 digits.
    pub fn from_decimal(value: f64) -> Option<Self> {
        if !value.is_finite() || value < 0.0 {
            return None;
        }
        let text = format!("{value}");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        if whole.len() + fraction.len() > 18 {
            return None;
        }
        let numerator: u64 = format!("{whole}{fraction}").parse().ok()?;
        Some(Ratio::new(numerator, 10u64.pow(fraction.len() as u32)))
    }

    /// Formats the ratio as a fraction such as `1/3`.
    pub fn fraction(self) -> String {
        format!("{}/{}", self.numerator, self.denominator)
    }

    /// Parses a fraction such as `1/3`.
    pub fn from_fraction(text: &str) -> Option<Ratio> {
        let (numerator, denominator) = text.split_once('/')?;
        let denominator = denominator.parse().ok().filter(|denominator| *denominator > 0)?;
        Some(Ratio::new(numerator.parse().ok()?, denominator))
    }

    /// Converts to floating point, for display and scores. Never use it for a verdict.
    pub fn to_f64(self) -> f64 {
        // Conversion of 64 bits is one instruction.
        match (u64::try_from(self.numerator), u64::try_from(self.denominator)) {
            (Ok(numerator), Ok(denominator)) => numerator as f64 / denominator as f64,
            _ => self.numerator as f64 / self.denominator as f64,
        }
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    /// Compares products if they fit, and otherwise continued fractions, which cannot overflow. Both are exact.
    fn cmp(&self, other: &Self) -> Ordering {
        let largest = self.numerator.max(self.denominator).max(other.numerator).max(other.denominator);
        if u64::try_from(largest).is_ok() {
            return (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator));
        }
        let (mut a, mut b, mut c, mut d) = (self.numerator, self.denominator, other.numerator, other.denominator);
        let mut swapped = false;
        loop {
            let order = (a / b).cmp(&(c / d));
            let (left, right) = (a % b, c % d);
            let order = match (order, left, right) {
                (Ordering::Equal, 0, 0) => Ordering::Equal,
                (Ordering::Equal, 0, _) => Ordering::Less,
                (Ordering::Equal, _, 0) => Ordering::Greater,
                (Ordering::Equal, _, _) => {
                    // Comparing left/b with right/d is the reverse of comparing b/left with d/right.
                    (a, b, c, d) = (b, left, d, right);
                    swapped = !swapped;
                    continue;
                }
                (unequal, _, _) => unequal,
            };
            return if swapped { order.reverse() } else { order };
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", crate::scalar::number_text((self.to_f64() * 1e6).round() / 1e6))
    }
}
