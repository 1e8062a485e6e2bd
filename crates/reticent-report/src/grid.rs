//! Bands of counts: a public page shows the band that contains a count, not the count itself.
//!
//! Suppressing small counts is not enough: 147 of 150 discloses 3, and so do 12 before and 15 after. Therefore every band except 0
//! is about as wide as the smallest shown count, or wider. If two counts of one grid differ by a small number, their bands are
//! consistent with every small difference. Totals that a reader may know exactly, such as the number of people in a release, are
//! *known points* of the grid. Each has a separate band directly below it, `all but fewer than 10`.
//!
//! Rule     A public page shows nested counts (posterior at least x), never the parts of a whole: nine bars of 9 with a total of
//!          81 would disclose the bars. Counts that are compared come from one grid.
//! Test     `tests.rs`: for all small totals and counts, the bands are consistent with every small difference.

/// A partition of the counts into bands.
#[derive(Debug, Clone)]
pub struct Grid {
    min_count: u64,
    /// First and last point of each run of close known points.
    known: Vec<(u64, u64)>,
}

/// A range of counts with the same displayed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    /// Smallest count.
    pub low: u64,
    /// Largest count.
    pub high: u64,
}

impl Grid {
    /// Creates a grid that hides counts below `min_count`, and distances from known points below it.
    pub fn new(min_count: u64, mut points: Vec<u64>) -> Grid {
        let min_count = min_count.max(1);
        points.sort_unstable();
        let mut known: Vec<(u64, u64)> = Vec::new();
        for point in points.into_iter().filter(|point| *point > 0) {
            match known.last_mut() {
                Some((_, last)) if point - *last < 2 * min_count => *last = point,
                _ => known.push((point, point)),
            }
        }
        Grid { min_count, known }
    }

    /// Returns the band that contains a count.
    pub fn band(&self, count: u64) -> Band {
        if count == 0 {
            return Band { low: 0, high: 0 };
        }
        // A run of one known point is the start of the band above it.
        let single = |at: usize| self.known[at].0 == self.known[at].1 && !self.is_near_zero(at);
        let mut next = self.known.partition_point(|(_, last)| *last < count);
        if next < self.known.len() && single(next) && self.known[next].1 == count {
            next += 1;
        }
        let from = match next.checked_sub(1) {
            None => 1,
            Some(at) => self.known[at].1 + u64::from(!single(at)),
        };
        let Some((first, last)) = self.known.get(next).copied() else {
            return self.between(from, u64::MAX, count);
        };
        let start = (first + 1).saturating_sub(self.min_count).max(1);
        match single(next) {
            _ if self.is_near_zero(next) => Band { low: 1, high: last },
            _ if count < start => self.between(from, start, count),
            true => Band { low: start, high: last - 1 },
            false => Band { low: start, high: last },
        }
    }

    /// Returns whether a run of known points is too close to 0 for bands in between.
    fn is_near_zero(&self, at: usize) -> bool {
        at == 0 && self.known[at].0 < 2 * self.min_count
    }

    /// Returns the band of a count between two known points. Bands start at multiples of the smallest count and are at least as wide.
    fn between(&self, from: u64, end: u64, count: u64) -> Band {
        let width = self.min_count;
        // The first band after 0 ends just below the smallest count.
        let narrowest = if from == 1 { width - 1 } else { width };
        let first = (from + narrowest).div_ceil(width) * width;
        let last = (end - width) / width * width;
        let low = if first <= count.min(last) { (count / width * width).min(last) } else { from };
        let next = if low < first { first } else { low + width };
        Band { low, high: if next <= last { next - 1 } else { end - 1 } }
    }

    fn round(&self, count: u64) -> u64 {
        count / self.min_count * self.min_count
    }

    /// Returns the text of a count of a total, if given, and its height in a chart, which discloses no more than the text.
    pub fn describe(&self, count: u64, of: Option<u64>) -> (String, u64) {
        let band = self.band(count);
        let min_count = reticent::text::format_count(self.min_count);
        let round = self.round(band.low);
        match (band, of) {
            (Band { high: 0, .. }, _) => ("0".to_owned(), 0),
            (Band { low: 1, high }, _) if high < self.min_count => {
                (format!("fewer than {min_count}"), self.min_count / 2)
            }
            (Band { low, .. }, Some(of)) if low == of => ("all".to_owned(), self.round(of)),
            (Band { low, high }, Some(of)) if high + 1 == of && low + self.min_count == of + 1 => {
                (format!("all but fewer than {min_count}"), self.round(of))
            }
            _ if round == 0 => ("some".to_owned(), self.min_count / 2),
            _ => (format!("at least {}", reticent::text::format_count(round)), round),
        }
    }
}
