//! Exact fractions, and number types for counting worlds.
//!
//! Worlds are counted in `u128` while the numbers fit, else in [`Large`], a floating-point number with a 64-bit exponent. Only
//! nonnegative numbers are added and multiplied, so the relative error grows by a few units in the last place per operation.

use std::cmp::Ordering;

/// An exact nonnegative fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    /// Numerator.
    pub numerator: u128,
    /// Denominator; never 0.
    pub denominator: u128,
}

impl serde::Serialize for Fraction {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl Fraction {
    /// The fraction 1.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// Creates a fraction in lowest terms. A denominator of 0 is replaced by 1 after reduction.
    pub fn new(numerator: u128, denominator: u128) -> Fraction {
        if denominator == 1 {
            return Fraction { numerator, denominator };
        }
        let divisor = common_divisor(numerator, denominator).max(1);
        if divisor == 1 {
            return Fraction { numerator, denominator: denominator.max(1) };
        }
        Fraction { numerator: numerator / divisor, denominator: (denominator / divisor).max(1) }
    }

    /// Value as a floating-point number.
    pub fn value(&self) -> f64 {
        // Conversion of 64 bits is much faster, and most numbers are small.
        match (u64::try_from(self.numerator), u64::try_from(self.denominator)) {
            (Ok(numerator), Ok(denominator)) => numerator as f64 / denominator as f64,
            _ => self.numerator as f64 / self.denominator as f64,
        }
    }

    /// Product, if it fits 128 bits.
    pub fn checked_mul(self, other: Fraction) -> Option<Fraction> {
        // Cross-reduction keeps the factors small.
        let one = Fraction::new(self.numerator, other.denominator);
        let two = Fraction::new(other.numerator, self.denominator);
        let numerator = one.numerator.checked_mul(two.numerator)?;
        Some(Fraction { numerator, denominator: one.denominator.checked_mul(two.denominator)? })
    }

    /// Sum, at most 1; rounded down if it does not fit 128 bits.
    pub fn plus(self, other: Fraction) -> Fraction {
        self.checked_add(other).unwrap_or_else(|| Fraction::around(self.value() + other.value()).0).min(Fraction::ONE)
    }

    /// Sum, at most 1; rounded up if it does not fit 128 bits.
    pub fn plus_up(self, other: Fraction) -> Fraction {
        self.checked_add(other).unwrap_or_else(|| Fraction::around(self.value() + other.value()).1).min(Fraction::ONE)
    }

    fn checked_add(self, other: Fraction) -> Option<Fraction> {
        // Most sums of posteriors are of these forms.
        if self.numerator == 0 || other.numerator == 0 {
            return Some(if self.numerator == 0 { other } else { self });
        }
        if self.denominator == other.denominator {
            return Some(Fraction::new(self.numerator.checked_add(other.numerator)?, self.denominator));
        }
        let divisor = common_divisor(self.denominator, other.denominator);
        let denominator = (self.denominator / divisor).checked_mul(other.denominator)?;
        let one = self.numerator.checked_mul(denominator / self.denominator)?;
        let two = other.numerator.checked_mul(denominator / other.denominator)?;
        Some(Fraction::new(one.checked_add(two)?, denominator))
    }

    /// Complement `1 - self`, at least 0.
    pub fn complement(self) -> Fraction {
        Fraction::new(self.denominator.saturating_sub(self.numerator), self.denominator)
    }

    /// Quotient, if the divisor is not 0 and the result fits 128 bits.
    pub fn checked_div(self, divisor: Fraction) -> Option<Fraction> {
        let reciprocal = Fraction { numerator: divisor.denominator, denominator: divisor.numerator };
        if divisor.numerator == 0 { None } else { self.checked_mul(reciprocal) }
    }

    /// A lower bound of a probability that was computed with rounding errors.
    pub fn below(probability: f64) -> Fraction {
        Fraction::around(probability).0
    }

    /// An upper bound of a probability that was computed with rounding errors.
    pub fn above(probability: f64) -> Fraction {
        Fraction::around(probability).1
    }

    /// Lower and upper bound of a probability that was computed with rounding errors.
    pub(super) fn around(probability: f64) -> (Fraction, Fraction) {
        const GRAIN: f64 = 1e12;
        const SLACK: f64 = 1e3;
        let low = (probability * GRAIN - SLACK).floor().max(0.0) as u128;
        let high = (probability * GRAIN + SLACK).ceil().min(GRAIN) as u128;
        (Fraction::new(low, GRAIN as u128), Fraction::new(high, GRAIN as u128))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        let small = |number: u128| number <= u128::from(u64::MAX);
        if [self.numerator, self.denominator, other.numerator, other.denominator].into_iter().all(small) {
            return (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator));
        }
        let (mut a, mut b) = (*self, *other);
        // Continued fractions: compares the integer parts, then the reciprocals of the remainders.
        loop {
            let whole = (a.numerator / a.denominator).cmp(&(b.numerator / b.denominator));
            let rests = (a.numerator % a.denominator, b.numerator % b.denominator);
            match (whole, rests) {
                (Ordering::Equal, (0, 0)) => return Ordering::Equal,
                (Ordering::Equal, (0, _)) => return Ordering::Less,
                (Ordering::Equal, (_, 0)) => return Ordering::Greater,
                (Ordering::Equal, (of_a, of_b)) => {
                    let (above_a, above_b) = (a.denominator, b.denominator);
                    a = Fraction { numerator: above_b, denominator: of_b };
                    b = Fraction { numerator: above_a, denominator: of_a };
                }
                (other, _) => return other,
            }
        }
    }
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        // 64-bit division is much faster, and most numbers are small.
        if let (Ok(small), Ok(other)) = (u64::try_from(a), u64::try_from(b)) {
            return common_divisor_of_small(small, other).into();
        }
        (a, b) = (b, a % b);
    }
    a
}

fn common_divisor_of_small(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Position of a cell, and its number of people.
pub(super) type CellCount = (usize, u64);

/// A number type for counting worlds.
pub(super) trait Number: Clone + Send + Sync {
    /// The number 0.
    fn zero() -> Self;
    /// Converts a count.
    fn from_count(count: u64) -> Self;
    /// Sum; `None` on overflow.
    fn plus(&self, other: &Self) -> Option<Self>;
    /// Product; `None` on overflow.
    fn times(&self, other: &Self) -> Option<Self>;
    /// Multinomial coefficient of the numbers of people; `None` on overflow.
    fn multinomial(table: &Factorials, counts: &[CellCount]) -> Option<Self>;
    /// Natural logarithm.
    fn ln(&self) -> f64;
    /// Quotient as a floating-point number.
    fn ratio(&self, other: &Self) -> f64;
    /// The number, if this type is exact.
    fn exact(&self) -> Option<u128>;
    /// Whether the number is 0. Exact in both types, because only nonnegative numbers are added and multiplied.
    fn is_zero(&self) -> bool;
}

impl Number for u128 {
    fn zero() -> u128 {
        0
    }
    fn from_count(count: u64) -> u128 {
        u128::from(count)
    }
    fn plus(&self, other: &u128) -> Option<u128> {
        self.checked_add(*other)
    }
    fn times(&self, other: &u128) -> Option<u128> {
        self.checked_mul(*other)
    }
    fn multinomial(table: &Factorials, counts: &[CellCount]) -> Option<u128> {
        let all: u64 = counts.iter().map(|(_, people)| people).sum();
        let mut orders = *table.exact.get(all as usize)?;
        for (_, people) in counts {
            orders /= table.exact.get(*people as usize)?;
        }
        Some(orders)
    }
    fn ln(&self) -> f64 {
        (*self as f64).ln()
    }
    fn ratio(&self, other: &u128) -> f64 {
        *self as f64 / *other as f64
    }
    fn exact(&self) -> Option<u128> {
        Some(*self)
    }
    fn is_zero(&self) -> bool {
        *self == 0
    }
}

/// A floating-point number `mantissa * 2^exponent`, with a mantissa of 0 or in [1, 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Large {
    mantissa: f64,
    exponent: i64,
}

impl Large {
    fn normal(mantissa: f64, exponent: i64) -> Large {
        if mantissa == 0.0 {
            return Large { mantissa, exponent: 0 };
        }
        let shift = ((mantissa.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        Large { mantissa: mantissa * 2f64.powi(-shift as i32), exponent: exponent + shift }
    }

    fn divided(&self, by: &Large) -> Large {
        Large::normal(self.mantissa / by.mantissa, self.exponent - by.exponent)
    }
}

impl Number for Large {
    fn zero() -> Large {
        Large { mantissa: 0.0, exponent: 0 }
    }
    fn from_count(count: u64) -> Large {
        Large::normal(count as f64, 0)
    }
    fn plus(&self, other: &Large) -> Option<Large> {
        if self.mantissa == 0.0 || other.mantissa == 0.0 {
            return Some(if self.mantissa == 0.0 { *other } else { *self });
        }
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = (large.exponent - small.exponent).min(1000) as i32;
        Some(Large::normal(large.mantissa + small.mantissa * 2f64.powi(-shift), large.exponent))
    }
    fn times(&self, other: &Large) -> Option<Large> {
        Some(Large::normal(self.mantissa * other.mantissa, self.exponent + other.exponent))
    }
    fn multinomial(table: &Factorials, counts: &[CellCount]) -> Option<Large> {
        let all: u64 = counts.iter().map(|(_, people)| people).sum();
        let mut orders = *table.large.get(all as usize)?;
        for (_, people) in counts {
            orders = orders.divided(table.large.get(*people as usize)?);
        }
        Some(orders)
    }
    fn ln(&self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }
    fn ratio(&self, other: &Large) -> f64 {
        let quotient = self.divided(other);
        quotient.mantissa * 2f64.powi(quotient.exponent.clamp(-1000, 1000) as i32)
    }
    fn exact(&self) -> Option<u128> {
        None
    }
    fn is_zero(&self) -> bool {
        self.mantissa == 0.0
    }
}

/// Table of factorials.
pub(super) struct Factorials {
    exact: Vec<u128>,
    large: Vec<Large>,
}

impl Factorials {
    pub(super) fn up_to(largest: u64) -> Factorials {
        let mut exact = vec![1u128];
        let mut large = vec![Large { mantissa: 1.0, exponent: 0 }];
        for n in 1..=largest {
            if let Some(next) = exact.last().filter(|_| exact.len() as u64 == n).and_then(|f| f.checked_mul(n.into())) {
                exact.push(next);
            }
            let last = large[large.len() - 1];
            large.push(Large::normal(last.mantissa * n as f64, last.exponent));
        }
        Factorials { exact, large }
    }
}
