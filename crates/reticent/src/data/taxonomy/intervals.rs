//! Interval trees from declared levels: widths, calendar units or explicit bounds, finest first.

use jiff::civil::Date;

use super::{Code, NumericScale, Taxonomy, Type, interval_text, scale_text};
use crate::error::{Error, Result};
use crate::scalar::{date_from_days, days_since_epoch};

/// One level of an interval tree.
#[derive(Debug, Clone, PartialEq)]
pub enum IntervalLevel {
    /// Intervals of equal width, aligned to 0.
    Width(f64),
    /// Calendar months.
    Month,
    /// Calendar quarters.
    Quarter,
    /// Calendar years.
    Year,
    /// Calendar decades.
    Decade,
    /// Intervals between ascending bounds, with one interval below the first and one from the last bound on.
    Bounds(Vec<f64>),
}

type LabelledInterval = (Option<f64>, Option<f64>);

impl IntervalLevel {
    /// Lower bounds of the intervals from the least to the greatest number; `None` if there are more than a million.
    pub fn bounds(&self, (least, greatest): (f64, f64)) -> Option<Vec<f64>> {
        const MAX_BOUNDS: usize = 1_000_000;
        let mut bounds = Vec::new();
        let mut at = least;
        loop {
            let (low, high) = self.interval_around(at);
            bounds.push(low.unwrap_or(least));
            match high {
                Some(next) if next <= greatest && bounds.len() < MAX_BOUNDS => at = next,
                Some(next) if next <= greatest => return None,
                _ => return Some(bounds),
            }
        }
    }

    fn interval_around(&self, number: f64) -> LabelledInterval {
        match self {
            IntervalLevel::Width(width) => {
                // The quotient is inexact: 0.3 / 0.1 is slightly below 3. So the result is corrected by comparing with the bounds.
                let bound = |steps: f64| round_bound(steps * width);
                let mut steps = (number / width).floor();
                if number >= bound(steps + 1.0) {
                    steps += 1.0;
                } else if number < bound(steps) {
                    steps -= 1.0;
                }
                (Some(bound(steps)), Some(bound(steps + 1.0)))
            }
            IntervalLevel::Month => months_around(number, 1),
            IntervalLevel::Quarter => months_around(number, 3),
            IntervalLevel::Year => months_around(number, 12),
            IntervalLevel::Decade => months_around(number, 120),
            IntervalLevel::Bounds(bounds) => {
                let after = bounds.partition_point(|bound| *bound <= number);
                (after.checked_sub(1).map(|i| bounds[i]), bounds.get(after).copied())
            }
        }
    }
}

impl Taxonomy {
    /// Builds an interval tree over ascending numbers. `levels` are ordered from finest to coarsest.
    ///
    /// # Errors
    ///
    /// Returns an error if a level does not nest in the next one.
    pub fn intervals(column: &str, values: Type, numbers: Vec<f64>, levels: &[IntervalLevel]) -> Result<Self> {
        let around: Vec<Vec<LabelledInterval>> =
            levels.iter().map(|level| numbers.iter().map(|number| level.interval_around(*number)).collect()).collect();
        for pair in around.windows(2) {
            let nested = pair[0].iter().zip(&pair[1]).all(|(fine, coarse)| within(fine, coarse));
            if !nested {
                let message = "an interval of a finer level overlaps two intervals of the next; make each width a \
                               multiple of the previous one";
                return Err(Error::Taxonomy { column: column.to_owned(), line: None, message: message.to_owned() });
            }
        }
        let texts = numbers.iter().map(|number| scale_text(values, *number)).collect();
        let count = numbers.len() as Code;
        let mut tree = Taxonomy::root_over(
            super::SUPPRESSED,
            texts,
            Some(NumericScale { values, numbers, range: None, grown: false, exact: true }),
        );
        let mut open = vec![0];
        for level in around.iter().rev() {
            let mut next = Vec::new();
            for parent in open {
                let codes = tree.node(parent).span.clone();
                let mut start = codes.start;
                while start < codes.end {
                    let interval = level[start as usize];
                    let end = (start..codes.end).find(|code| level[*code as usize] != interval).unwrap_or(codes.end);
                    let label = interval_text(values, interval.0, interval.1);
                    // Equal intervals of two levels share a node.
                    let same = tree.node(parent).label == label;
                    next.push(if same { parent } else { tree.add(parent, label, start..end) });
                    start = end;
                }
            }
            open = next;
        }
        for parent in open {
            for code in tree.node(parent).span.clone().filter(|code| *code < count) {
                let label = tree.value(code).to_owned();
                tree.add(parent, label, code..code + 1);
            }
        }
        tree.check_labels(column)?;
        Ok(tree)
    }

    /// Removes the single values, so that the finest intervals are leaves.
    pub(crate) fn without_leaves(mut self) -> Self {
        // `intervals` adds the single values last.
        let intervals = self.nodes.len() - self.values.len();
        self.nodes.truncate(intervals);
        for node in &mut self.nodes {
            node.children.retain(|child| *child < intervals);
        }
        self
    }
}

fn within(fine: &LabelledInterval, coarse: &LabelledInterval) -> bool {
    let low = match (fine.0, coarse.0) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(fine), Some(coarse)) => fine >= coarse,
    };
    let high = match (fine.1, coarse.1) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(fine), Some(coarse)) => fine <= coarse,
    };
    low && high
}

/// Rounds a bound to nine decimals, to remove floating-point errors of widths such as 0.1.
fn round_bound(bound: f64) -> f64 {
    format!("{bound:.9}").parse::<f64>().unwrap_or(bound) + 0.0
}

fn months_around(day: f64, months: i64) -> LabelledInterval {
    let from = date_from_days(day);
    let month = i64::from(from.year()) * 12 + i64::from(from.month()) - 1;
    let low = month.div_euclid(months) * months;
    let first = |month: i64| {
        let year = i16::try_from(month.div_euclid(12)).unwrap_or(i16::MAX);
        Date::new(year, (month.rem_euclid(12) + 1) as i8, 1).map(|date| f64::from(days_since_epoch(date))).ok()
    };
    (first(low), first(low + months))
}
