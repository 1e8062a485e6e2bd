//! Numbers of worlds: exact while they fit 128 bits, and beyond that with a floating mantissa and a long exponent. Only sums and
//! products of positive numbers are made of them, so relative errors stay within a few units of the last place a step.

use std::cmp::Ordering;

/// A fraction, exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    /// Above the line.
    pub numerator: u128,
    /// Below it; never 0.
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
            below => write!(f, "{}/{below}", self.numerator),
        }
    }
}

impl Fraction {
    /// The whole.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// In lowest terms. A denominator of 0 counts as nothing of nothing: 0.
    pub fn new(numerator: u128, denominator: u128) -> Fraction {
        if denominator == 1 {
            return Fraction { numerator, denominator };
        }
        let divisor = common_divisor(numerator, denominator).max(1);
        Fraction { numerator: numerator / divisor, denominator: (denominator / divisor).max(1) }
    }

    /// As a floating number.
    pub fn value(&self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The product, if it can be written.
    pub fn times(self, other: Fraction) -> Option<Fraction> {
        // Reducing crosswise first keeps the factors small.
        let one = Fraction::new(self.numerator, other.denominator);
        let two = Fraction::new(other.numerator, self.denominator);
        let numerator = one.numerator.checked_mul(two.numerator)?;
        Some(Fraction { numerator, denominator: one.denominator.checked_mul(two.denominator)? })
    }

    /// The sum, at most 1; rounded down where it cannot be written.
    pub fn plus(self, other: Fraction) -> Fraction {
        self.exactly_plus(other).unwrap_or_else(|| Fraction::around(self.value() + other.value()).0).min(Fraction::ONE)
    }

    /// The sum, at most 1; rounded up where it cannot be written.
    pub fn plus_up(self, other: Fraction) -> Fraction {
        self.exactly_plus(other).unwrap_or_else(|| Fraction::around(self.value() + other.value()).1).min(Fraction::ONE)
    }

    fn exactly_plus(self, other: Fraction) -> Option<Fraction> {
        let divisor = common_divisor(self.denominator, other.denominator);
        let denominator = (self.denominator / divisor).checked_mul(other.denominator)?;
        let one = self.numerator.checked_mul(denominator / self.denominator)?;
        let two = other.numerator.checked_mul(denominator / other.denominator)?;
        Some(Fraction::new(one.checked_add(two)?, denominator))
    }

    /// What is left of 1.
    pub fn rest(self) -> Fraction {
        Fraction::new(self.denominator.saturating_sub(self.numerator), self.denominator)
    }

    /// This as a part of something larger, if it can be written.
    pub fn part_of(self, all: Fraction) -> Option<Fraction> {
        let turned = Fraction { numerator: all.denominator, denominator: all.numerator };
        if all.numerator == 0 { None } else { self.times(turned) }
    }

    /// A fraction just below a share that was computed with rounding.
    pub fn below(share: f64) -> Fraction {
        Fraction::around(share).0
    }

    /// A fraction just above a share that was computed with rounding.
    pub fn above(share: f64) -> Fraction {
        Fraction::around(share).1
    }

    /// Fractions just below and just above a share that was computed with rounding.
    pub(super) fn around(share: f64) -> (Fraction, Fraction) {
        const GRAIN: f64 = 1e12;
        const SLACK: f64 = 1e3;
        let low = (share * GRAIN - SLACK).floor().max(0.0) as u128;
        let high = (share * GRAIN + SLACK).ceil().min(GRAIN) as u128;
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
        // As in a continued fraction: whole parts first, then the reciprocals of the rests.
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
        // Mostly they are small, and dividing large numbers is slow.
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

/// A cell that somebody has, and how many do.
pub(super) type Had = (usize, u64);

/// How worlds are counted.
pub(super) trait Number: Clone + Send + Sync {
    /// None.
    fn zero() -> Self;
    /// A count, if it can be written.
    fn whole(count: u64) -> Self;
    /// Both together; none when that cannot be written.
    fn plus(&self, other: &Self) -> Option<Self>;
    /// One for each of the other; none when that cannot be written.
    fn times(&self, other: &Self) -> Option<Self>;
    /// How many orders `n` things have, up to orders of those that go together.
    fn arrangements(table: &Factorials, together: &[Had]) -> Option<Self>;
    /// The natural logarithm.
    fn ln(&self) -> f64;
    /// This share of the other.
    fn of(&self, other: &Self) -> f64;
    /// The number itself, where it is exact.
    fn exact(&self) -> Option<u128>;
    /// Whether it is none: that is exact always, since only positive numbers are added and multiplied.
    fn is_zero(&self) -> bool;
}

impl Number for u128 {
    fn zero() -> u128 {
        0
    }
    fn whole(count: u64) -> u128 {
        u128::from(count)
    }
    fn plus(&self, other: &u128) -> Option<u128> {
        self.checked_add(*other)
    }
    fn times(&self, other: &u128) -> Option<u128> {
        self.checked_mul(*other)
    }
    fn arrangements(table: &Factorials, together: &[Had]) -> Option<u128> {
        let all: u64 = together.iter().map(|(_, people)| people).sum();
        let mut orders = *table.exact.get(all as usize)?;
        for (_, together) in together {
            orders /= table.exact.get(*together as usize)?;
        }
        Some(orders)
    }
    fn ln(&self) -> f64 {
        (*self as f64).ln()
    }
    fn of(&self, other: &u128) -> f64 {
        *self as f64 / *other as f64
    }
    fn exact(&self) -> Option<u128> {
        Some(*self)
    }
    fn is_zero(&self) -> bool {
        *self == 0
    }
}

/// A number that may be very large: `mantissa * 2^exponent`, the mantissa 0 or in [1, 2).
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
    fn whole(count: u64) -> Large {
        Large::normal(count as f64, 0)
    }
    fn plus(&self, other: &Large) -> Option<Large> {
        if self.mantissa == 0.0 || other.mantissa == 0.0 {
            return Some(if self.mantissa == 0.0 { *other } else { *self });
        }
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let apart = (large.exponent - small.exponent).min(1000) as i32;
        Some(Large::normal(large.mantissa + small.mantissa * 2f64.powi(-apart), large.exponent))
    }
    fn times(&self, other: &Large) -> Option<Large> {
        Some(Large::normal(self.mantissa * other.mantissa, self.exponent + other.exponent))
    }
    fn arrangements(table: &Factorials, together: &[Had]) -> Option<Large> {
        let all: u64 = together.iter().map(|(_, people)| people).sum();
        let mut orders = *table.large.get(all as usize)?;
        for (_, together) in together {
            orders = orders.divided(table.large.get(*together as usize)?);
        }
        Some(orders)
    }
    fn ln(&self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }
    fn of(&self, other: &Large) -> f64 {
        let share = self.divided(other);
        share.mantissa * 2f64.powi(share.exponent.clamp(-1000, 1000) as i32)
    }
    fn exact(&self) -> Option<u128> {
        None
    }
    fn is_zero(&self) -> bool {
        self.mantissa == 0.0
    }
}

/// Factorials up to some number of people.
pub(super) struct Factorials {
    exact: Vec<u128>,
    large: Vec<Large>,
}

impl Factorials {
    pub(super) fn up_to(most: u64) -> Factorials {
        let mut exact = vec![1u128];
        let mut large = vec![Large { mantissa: 1.0, exponent: 0 }];
        for n in 1..=most {
            if let Some(next) = exact.last().filter(|_| exact.len() as u64 == n).and_then(|f| f.checked_mul(n.into())) {
                exact.push(next);
            }
            let last = large[large.len() - 1];
            large.push(Large::normal(last.mantissa * n as f64, last.exponent));
        }
        Factorials { exact, large }
    }
}
