//! Row order of a release: it depends only on the published rows and the seed.
//!
//! The original row order could identify people. The generator is implemented here because the same seed must give
//! the same bytes in every version: a change here changes every file.

#[cfg(test)]
mod tests;

use reticent::contingency::ContingencyTable;

/// Approximate number of rows that are shuffled in memory at a time. Rows are assigned to buckets at random.
const BUCKET_ROWS: u64 = 16 << 20;

/// SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub struct Generator {
    state: u64,
}

impl Generator {
    /// Creates a generator. The same seed always gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Generator { state: seed }
    }

    /// Returns the next number.
    #[inline]
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.state)
    }

    /// Returns a uniformly distributed number below `end`, which is not 0 (Lemire, TOMACS 2019).
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

    /// Shuffles items uniformly (Fisher and Yates).
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

/// Returns the random number of one occurrence of a row.
#[inline]
fn mix(seed: u64, row: u64, occurrence: u64) -> u64 {
    scramble(scramble(scramble(seed ^ 0x6a09_e667_f3bc_c909).wrapping_add(row)).wrapping_add(occurrence))
}

/// Rows of a release in their final order, bucket by bucket. A row is the index of its combination.
pub(crate) struct ShuffledRows<'a> {
    contingency: &'a ContingencyTable,
    seed: u64,
    buckets: u64,
    next: u64,
}

impl<'a> ShuffledRows<'a> {
    /// Creates the iterator. The combinations must be in ascending order of published values, then of owner.
    pub(crate) fn new(contingency: &'a ContingencyTable, seed: u64) -> Self {
        ShuffledRows::with_buckets(contingency, seed, contingency.rows().div_ceil(BUCKET_ROWS))
    }

    fn with_buckets(contingency: &'a ContingencyTable, seed: u64, buckets: u64) -> Self {
        ShuffledRows { contingency, seed, buckets, next: 0 }
    }

    /// Returns the occurrences of all rows in a bucket. Equal rows of several owners are numbered as one row, so that
    /// the order reveals nothing about owners.
    fn bucket_rows(&self, bucket: u64) -> Vec<u32> {
        let mut rows = Vec::with_capacity((self.contingency.rows() / self.buckets) as usize);
        let (mut row, mut occurrence) = (0, 0);
        for (at, weight) in self.contingency.weights.iter().enumerate() {
            if at > 0 && self.contingency.codes.iter().any(|codes| codes[at] != codes[at - 1]) {
                (row, occurrence) = (row + 1, 0);
            }
            for _ in 0..*weight {
                if self.buckets == 1 || mix(self.seed, row, occurrence) % self.buckets == bucket {
                    rows.push(at as u32);
                }
                occurrence += 1;
            }
        }
        rows
    }
}

impl Iterator for ShuffledRows<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        if self.next >= self.buckets {
            return None;
        }
        let mut rows = self.bucket_rows(self.next);
        Generator::new(mix(self.seed, self.next, u64::MAX)).shuffle(&mut rows);
        self.next += 1;
        Some(rows)
    }
}
