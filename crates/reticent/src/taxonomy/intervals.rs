//! Interval trees from declared levels: widths, calendar units, or explicit bounds, finest first.

use jiff::civil::Date;

use super::{Code, Scale, Taxonomy, Type, interval_text, scale_text};
use crate::error::{Error, Result};
use crate::scalar::{date, days};

/// One level of an interval tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Level {
    /// Intervals of one width, counted from 0.
    Width(f64),
    /// Calendar months, quarters, years or decades.
    Month,
    /// Three months.
    Quarter,
    /// Calendar years.
    Year,
    /// Ten years.
    Decade,
    /// Ascending bounds: below the first, between each two, from the last on.
    Bounds(Vec<f64>),
}

type Interval = (Option<f64>, Option<f64>);

impl Level {
    /// The bounds of this level's intervals from the least to the greatest number; none when there are a million.
    pub fn bounds(&self, (least, greatest): (f64, f64)) -> Option<Vec<f64>> {
        const MOST: usize = 1_000_000;
        let mut bounds = Vec::new();
        let mut at = least;
        loop {
            let (low, high) = self.interval_around(at);
            bounds.push(low.unwrap_or(least));
            match high {
                Some(next) if next <= greatest && bounds.len() < MOST => at = next,
                Some(next) if next <= greatest => return None,
                _ => return Some(bounds),
            }
        }
    }

    fn interval_around(&self, number: f64) -> Interval {
        match self {
            Level::Width(width) => {
                // The quotient is rounded: 0.3 / 0.1 is a little below 3. The bounds decide, not the quotient.
                let bound = |steps: f64| tidy(steps * width);
                let mut steps = (number / width).floor();
                if number >= bound(steps + 1.0) {
                    steps += 1.0;
                } else if number < bound(steps) {
                    steps -= 1.0;
                }
                (Some(bound(steps)), Some(bound(steps + 1.0)))
            }
            Level::Month => months_around(number, 1),
            Level::Quarter => months_around(number, 3),
            Level::Year => months_around(number, 12),
            Level::Decade => months_around(number, 120),
            Level::Bounds(bounds) => {
                let after = bounds.partition_point(|bound| *bound <= number);
                (after.checked_sub(1).map(|i| bounds[i]), bounds.get(after).copied())
            }
        }
    }
}

impl Taxonomy {
    /// An interval tree over ascending numbers. `levels` from the finest to the coarsest; each must nest in the next.
    pub fn intervals(column: &str, values: Type, numbers: Vec<f64>, levels: &[Level]) -> Result<Self> {
        let around: Vec<Vec<Interval>> =
            levels.iter().map(|level| numbers.iter().map(|number| level.interval_around(*number)).collect()).collect();
        for pair in around.windows(2) {
            let nested = pair[0].iter().zip(&pair[1]).all(|(fine, coarse)| within(fine, coarse));
            if !nested {
                let message = "an interval of a finer level reaches over two intervals of the next; make each width a \
                               multiple of the one before it";
                return Err(Error::Taxonomy { column: column.to_owned(), line: None, message: message.to_owned() });
            }
        }
        let texts = numbers.iter().map(|number| scale_text(values, *number)).collect();
        let count = numbers.len() as Code;
        let mut tree = Taxonomy::root_over(
            super::SUPPRESSED,
            texts,
            Some(Scale { values, numbers, range: None, grown: false, exact: true }),
        );
        let mut open = vec![0];
        for level in around.iter().rev() {
            let mut next = Vec::new();
            for parent in open {
                let codes = tree.node(parent).codes.clone();
                let mut start = codes.start;
                while start < codes.end {
                    let interval = level[start as usize];
                    let end = (start..codes.end).find(|code| level[*code as usize] != interval).unwrap_or(codes.end);
                    let label = interval_text(values, interval.0, interval.1);
                    // Two levels may agree on an interval; one node stands for both.
                    let same = tree.node(parent).label == label;
                    next.push(if same { parent } else { tree.add(parent, label, start..end) });
                    start = end;
                }
            }
            open = next;
        }
        for parent in open {
            for code in tree.node(parent).codes.clone().filter(|code| *code < count) {
                let label = tree.value(code).to_owned();
                tree.add(parent, label, code..code + 1);
            }
        }
        tree.check_labels(column)?;
        Ok(tree)
    }

    /// The same tree with its finest intervals as leaves: no single value can be published.
    pub(crate) fn without_leaves(mut self) -> Self {
        // The single values are the last nodes that `intervals` adds.
        let intervals = self.nodes.len() - self.values.len();
        self.nodes.truncate(intervals);
        for node in &mut self.nodes {
            node.children.retain(|child| *child < intervals);
        }
        self
    }
}

fn within(fine: &Interval, coarse: &Interval) -> bool {
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

/// Takes out the dust that a width such as 0.1 leaves in the bounds.
fn tidy(bound: f64) -> f64 {
    format!("{bound:.9}").parse::<f64>().unwrap_or(bound) + 0.0
}

fn months_around(day: f64, months: i64) -> Interval {
    let from = date(day);
    let month = i64::from(from.year()) * 12 + i64::from(from.month()) - 1;
    let low = month.div_euclid(months) * months;
    let first = |month: i64| {
        let year = i16::try_from(month.div_euclid(12)).unwrap_or(i16::MAX);
        Date::new(year, (month.rem_euclid(12) + 1) as i8, 1).map(|date| f64::from(days(date))).ok()
    };
    (first(low), first(low + months))
}
