//! Intervals: what a published number or date says, as an attacker reads it.
//!
//! Numbers lie dense between two bounds. Dates are whole days, so that a month, the days it goes from and to, and
//! `[first day,first day of the next)` are one interval: both bounds of an interval of dates belong to it.

mod parse;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

pub(crate) use parse::{is_masked, masked_interval, masked_prefix, masks_meet};

/// All numbers between two bounds, and the bounds themselves where they belong. Some number always lies in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower bound; none when there is no lowest number.
    pub low: Option<f64>,
    /// Whether the lower bound belongs.
    pub low_in: bool,
    /// The upper bound; none when there is no highest number.
    pub high: Option<f64>,
    /// Whether the upper bound belongs.
    pub high_in: bool,
}

impl Interval {
    /// Every number there is.
    pub const ANY: Interval = Interval { low: None, low_in: false, high: None, high_in: false };

    /// From one bound, with whether it belongs, to another; none when no number lies between them.
    pub fn between(low: Option<(f64, bool)>, high: Option<(f64, bool)>) -> Option<Interval> {
        let finite = |bound: Option<(f64, bool)>| bound.is_none_or(|(number, _)| number.is_finite());
        let ascends = match (low, high) {
            (Some((low, low_in)), Some((high, high_in))) => low < high || (low == high && low_in && high_in),
            _ => true,
        };
        (finite(low) && finite(high) && ascends).then(|| Interval {
            // Minus zero and zero are one number.
            low: low.map(|(number, _)| number + 0.0),
            low_in: low.is_some_and(|(_, belongs)| belongs),
            high: high.map(|(number, _)| number + 0.0),
            high_in: high.is_some_and(|(_, belongs)| belongs),
        })
    }

    /// One number, and no other.
    pub fn one(number: f64) -> Interval {
        let bound = Some(number + 0.0);
        Interval { low: bound, low_in: true, high: bound, high_in: true }
    }

    /// Whether it is one number, and no other.
    pub fn is_one(&self) -> bool {
        self.low.is_some() && self.low == self.high
    }

    /// Whether a number lies in it.
    pub fn contains(&self, number: f64) -> bool {
        let above = self.low.is_none_or(|low| low < number || (low == number && self.low_in));
        let below = self.high.is_none_or(|high| number < high || (number == high && self.high_in));
        above && below && !number.is_nan()
    }

    /// Whether some number lies in both.
    pub fn overlaps(&self, other: &Interval) -> bool {
        !self.ends_before(other) && !other.ends_before(self)
    }

    /// Whether every number of this one lies in the other.
    pub fn within(&self, other: &Interval) -> bool {
        self.by_low(other).is_ge() && self.by_high(other).is_le()
    }

    /// Whether it lies wholly below the other.
    pub(crate) fn ends_before(&self, other: &Interval) -> bool {
        match (self.high, other.low) {
            (Some(high), Some(low)) => high < low || (high == low && !(self.high_in && other.low_in)),
            _ => false,
        }
    }

    /// Which of two begins first.
    pub(crate) fn by_low(&self, other: &Interval) -> Ordering {
        match (self.low, other.low) {
            (Some(one), Some(another)) => one.total_cmp(&another).then(other.low_in.cmp(&self.low_in)),
            (one, another) => one.is_some().cmp(&another.is_some()),
        }
    }

    /// Which of two ends first.
    pub(crate) fn by_high(&self, other: &Interval) -> Ordering {
        match (self.high, other.high) {
            (Some(one), Some(another)) => one.total_cmp(&another).then(self.high_in.cmp(&other.high_in)),
            (one, another) => another.is_some().cmp(&one.is_some()),
        }
    }
}
