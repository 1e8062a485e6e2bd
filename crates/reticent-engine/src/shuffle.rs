//! The order of the rows of a release: a function of the published rows and the seed, and of nothing else.
//!
//! Rows in the order of the table would tell who is who. The generator is written out here, because "same seed, same
//! bytes" is promised across versions: a change here changes every file.

#[cfg(test)]
mod tests;

use reticent::combos::Combos;

/// Rows are shuffled in memory this many at a time (about as many; the buckets are drawn by lot).
const BUCKET_ROWS: u64 = 16 << 20;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub struct Generator {
    state: u64,
}

impl Generator {
    /// A generator that always gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Generator { state: seed }
    }

    /// The next number.
    #[inline]
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.state)
    }

    /// A number below `end`, each as likely as the others (Lemire, TOMACS 2019). `end` is not 0.
    #[inline]
    pub fn below(&mut self, end: u64) -> u64 {
        let mut product = u128::from(self.next_number()) * u128::from(end);
        if (product as u64) < end {
            let unfair = end.wrapping_neg() % end;
            while (product as u64) < unfair {
                product = u128::from(self.next_number()) * u128::from(end);
            }
        }
        (product >> 64) as u64
    }

    /// Puts items in an order, each order as likely as the others (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            let at = self.below(end as u64) as usize;
            items.swap(end - 1, at);
        }
    }
}

#[inline]
fn scramble(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The lot of one occurrence of a row.
#[inline]
fn mix(seed: u64, row: u64, occurrence: u64) -> u64 {
    scramble(scramble(scramble(seed ^ 0x6a09_e667_f3bc_c909).wrapping_add(row)).wrapping_add(occurrence))
}

/// The rows of a release in their order, bucket by bucket; a row is the place of its combination.
pub(crate) struct Shuffled<'a> {
    combos: &'a Combos,
    seed: u64,
    buckets: u64,
    next: u64,
}

impl<'a> Shuffled<'a> {
    /// `combos` ascend by published values, and then by owner.
    pub(crate) fn new(combos: &'a Combos, seed: u64) -> Self {
        Shuffled::with_buckets(combos, seed, combos.rows().div_ceil(BUCKET_ROWS))
    }

    fn with_buckets(combos: &'a Combos, seed: u64, buckets: u64) -> Self {
        Shuffled { combos, seed, buckets, next: 0 }
    }

    /// Every occurrence of every row that drew this bucket. Rows of several owners are numbered as one row, so that the
    /// owners' numbers leave no trace in the order.
    fn drawn(&self, bucket: u64) -> Vec<u32> {
        let mut drawn = Vec::with_capacity((self.combos.rows() / self.buckets) as usize);
        let (mut row, mut occurrence) = (0, 0);
        for (at, weight) in self.combos.weights.iter().enumerate() {
            if at > 0 && self.combos.codes.iter().any(|codes| codes[at] != codes[at - 1]) {
                (row, occurrence) = (row + 1, 0);
            }
            for _ in 0..*weight {
                if self.buckets == 1 || mix(self.seed, row, occurrence) % self.buckets == bucket {
                    drawn.push(at as u32);
                }
                occurrence += 1;
            }
        }
        drawn
    }
}

impl Iterator for Shuffled<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        if self.next >= self.buckets {
            return None;
        }
        let mut rows = self.drawn(self.next);
        Generator::new(mix(self.seed, self.next, u64::MAX)).shuffle(&mut rows);
        self.next += 1;
        Some(rows)
    }
}
