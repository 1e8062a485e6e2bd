//! Bands of counts: a public page shows the band of a count, not the count.
//!
//! Hiding small counts is not enough: 147 of 150 discloses 3, and so do 12 before and 15 after. So every band but 0 is about as
//! wide as the smallest count that is shown, or wider. Two counts of one grid that differ by a small number can then differ by any
//! small number. Totals that a reader may know exactly, such as the people in a release, are *known points* of the grid. Below each
//! of them lies a separate band, `all but fewer than 10`.
//!
//! Rule     A public page shows nested counts (at least this probability), never the parts of a whole: nine bars of 9 with a sum of
//!          81 disclose themselves. Counts that are compared come from one grid.
//! Test     `tests.rs`: for all small totals and counts, the bands leave every small difference possible.

/// Bands of counts.
#[derive(Debug, Clone)]
pub struct Grid {
    least: u64,
    /// Runs of known points that lie close together: the first and the last point of each.
    known: Vec<(u64, u64)>,
}

/// Counts that the page shows as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    /// The smallest count.
    pub low: u64,
    /// The largest count.
    pub high: u64,
}

impl Grid {
    /// A grid that hides counts below `least`, also as distances from known points.
    pub fn new(least: u64, mut points: Vec<u64>) -> Grid {
        let least = least.max(1);
        points.sort_unstable();
        let mut known: Vec<(u64, u64)> = Vec::new();
        for point in points.into_iter().filter(|point| *point > 0) {
            match known.last_mut() {
                Some((_, last)) if point - *last < 2 * least => *last = point,
                _ => known.push((point, point)),
            }
        }
        Grid { least, known }
    }

    /// The band of a count.
    pub fn band(&self, count: u64) -> Band {
        if count == 0 {
            return Band { low: 0, high: 0 };
        }
        // A single known point begins the band after it.
        let single = |at: usize| self.known[at].0 == self.known[at].1 && !self.is_near_nothing(at);
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
        let start = (first + 1).saturating_sub(self.least).max(1);
        match single(next) {
            _ if self.is_near_nothing(next) => Band { low: 1, high: last },
            _ if count < start => self.between(from, start, count),
            true => Band { low: start, high: last - 1 },
            false => Band { low: start, high: last },
        }
    }

    /// Whether there is no room for bands between 0 and a known point.
    fn is_near_nothing(&self, at: usize) -> bool {
        at == 0 && self.known[at].0 < 2 * self.least
    }

    /// The band of a count between two known points: bands begin at multiples of the smallest count, and none is narrower than it.
    fn between(&self, from: u64, end: u64, count: u64) -> Band {
        let least = self.least;
        // From 1 on, the first band ends just below the smallest count.
        let narrowest = if from == 1 { least - 1 } else { least };
        let first = (from + narrowest).div_ceil(least) * least;
        let last = (end - least) / least * least;
        let low = if first <= count.min(last) { (count / least * least).min(last) } else { from };
        let next = if low < first { first } else { low + least };
        Band { low, high: if next <= last { next - 1 } else { end - 1 } }
    }

    fn round(&self, count: u64) -> u64 {
        count / self.least * self.least
    }

    /// The text of a count, with the total if it is given; and its height in a chart, which discloses no more.
    pub fn says(&self, count: u64, of: Option<u64>) -> (String, u64) {
        let band = self.band(count);
        let least = reticent::text::format_count(self.least);
        let round = self.round(band.low);
        match (band, of) {
            (Band { high: 0, .. }, _) => ("0".to_owned(), 0),
            (Band { low: 1, high }, _) if high < self.least => (format!("fewer than {least}"), self.least / 2),
            (Band { low, .. }, Some(of)) if low == of => ("all".to_owned(), self.round(of)),
            (Band { low, high }, Some(of)) if high + 1 == of && low + self.least == of + 1 => {
                (format!("all but fewer than {least}"), self.round(of))
            }
            _ if round == 0 => ("some".to_owned(), self.least / 2),
            _ => (format!("at least {}", reticent::text::format_count(round)), round),
        }
    }
}
