//! Shares and thresholds as exact fractions, so that no comparison rounds in favour of a release.

use std::cmp::Ordering;
use std::fmt;

/// A non-negative rational number, exact.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Above the line.
    pub numerator: u128,
    /// Below the line, never 0.
    pub denominator: u128,
}

impl Share {
    /// `numerator / denominator`; nothing over nothing is 0.
    pub fn new(numerator: u64, denominator: u64) -> Self {
        Share { numerator: numerator.into(), denominator: u128::from(denominator.max(1)) }
    }

    /// The decimal that a person wrote: 0.3 is three tenths, not the nearest binary fraction.
    /// `None` when negative, not finite, or written with more than 18 digits.
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
        Some(Share::new(numerator, 10u64.pow(fraction.len() as u32)))
    }

    /// As people write fractions: 1/3.
    pub fn fraction(self) -> String {
        format!("{}/{}", self.numerator, self.denominator)
    }

    /// From `1/3`.
    pub fn of_fraction(text: &str) -> Option<Share> {
        let (numerator, denominator) = text.split_once('/')?;
        let denominator = denominator.parse().ok().filter(|denominator| *denominator > 0)?;
        Some(Share::new(numerator.parse().ok()?, denominator))
    }

    /// For display and for scores; never for a verdict.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Share {}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Share {
    /// Exact for any two fractions: compares by continued fractions, so nothing can overflow.
    fn cmp(&self, other: &Self) -> Ordering {
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
                    // left/b against right/d is the reverse of b/left against d/right.
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

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", crate::scalar::number_text((self.to_f64() * 1e6).round() / 1e6))
    }
}
