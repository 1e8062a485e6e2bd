//! Intervals of numbers and dates, as an attacker reads them from published values.
//!
//! Numbers are dense. Dates are whole days, and intervals of dates include both bounds. So a month, the range from its
//! first to its last day, and `[first day,first day of the next month)` are equal intervals.

mod parse;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

pub(crate) use parse::{is_masked, masked_interval, masked_prefix, masks_match};

/// A non-empty interval of numbers. Each bound is absent, included or excluded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower bound; `None` if unbounded below.
    pub low: Option<f64>,
    /// Whether the lower bound is included.
    pub low_in: bool,
    /// Upper bound; `None` if unbounded above.
    pub high: Option<f64>,
    /// Whether the upper bound is included.
    pub high_in: bool,
}

impl Interval {
    /// The unbounded interval.
    pub const ANY: Interval = Interval { low: None, low_in: false, high: None, high_in: false };

    /// Interval between two bounds, each with a flag "included"; `None` if it is empty or a bound is not finite.
    pub fn between(low: Option<(f64, bool)>, high: Option<(f64, bool)>) -> Option<Interval> {
        let finite = |bound: Option<(f64, bool)>| bound.is_none_or(|(number, _)| number.is_finite());
        let ascends = match (low, high) {
            (Some((low, low_in)), Some((high, high_in))) => low < high || (low == high && low_in && high_in),
            _ => true,
        };
        (finite(low) && finite(high) && ascends).then(|| Interval {
            // Normalizes -0 to 0.
            low: low.map(|(number, _)| number + 0.0),
            low_in: low.is_some_and(|(_, included)| included),
            high: high.map(|(number, _)| number + 0.0),
            high_in: high.is_some_and(|(_, included)| included),
        })
    }

    /// Interval that contains a single number.
    pub fn point(number: f64) -> Interval {
        let bound = Some(number + 0.0);
        Interval { low: bound, low_in: true, high: bound, high_in: true }
    }

    /// Returns true if the interval contains a single number.
    pub fn is_point(&self) -> bool {
        self.low.is_some() && self.low == self.high
    }

    /// Returns true if the interval contains `number`.
    pub fn contains(&self, number: f64) -> bool {
        let above = self.low.is_none_or(|low| low < number || (low == number && self.low_in));
        let below = self.high.is_none_or(|high| number < high || (number == high && self.high_in));
        above && below && !number.is_nan()
    }

    /// Returns true if the intervals intersect.
    pub fn overlaps(&self, other: &Interval) -> bool {
        !self.ends_before(other) && !other.ends_before(self)
    }

    /// Returns true if `other` contains this interval.
    pub fn within(&self, other: &Interval) -> bool {
        self.cmp_low(other).is_ge() && self.cmp_high(other).is_le()
    }

    /// Returns true if every number of this interval is below every number of `other`.
    pub(crate) fn ends_before(&self, other: &Interval) -> bool {
        match (self.high, other.low) {
            (Some(high), Some(low)) => high < low || (high == low && !(self.high_in && other.low_in)),
            _ => false,
        }
    }

    /// Compares the lower bounds.
    pub(crate) fn cmp_low(&self, other: &Interval) -> Ordering {
        match (self.low, other.low) {
            (Some(one), Some(another)) => one.total_cmp(&another).then(other.low_in.cmp(&self.low_in)),
            (one, another) => one.is_some().cmp(&another.is_some()),
        }
    }

    /// Compares the upper bounds.
    pub(crate) fn cmp_high(&self, other: &Interval) -> Ordering {
        match (self.high, other.high) {
            (Some(one), Some(another)) => one.total_cmp(&another).then(self.high_in.cmp(&other.high_in)),
            (one, another) => another.is_some().cmp(&one.is_some()),
        }
    }
}
