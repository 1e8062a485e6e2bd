//! Maps with combinations of codes as keys: the count or the number of each combination.

use reticent::contingency::Weight;
use reticent::taxonomy::Code;

use super::packed::PackedMap;

/// Number of one-word keys that are looked up together, so that memory accesses overlap.
const PENDING_KEYS: usize = 256;

/// Count of each combination.
pub(crate) struct CombinationCounter {
    weights: PackedMap,
    /// Words that are not counted yet.
    pending: Vec<u64>,
}

impl CombinationCounter {
    pub(crate) fn new(columns: usize) -> Self {
        CombinationCounter { weights: PackedMap::new(columns), pending: Vec::with_capacity(PENDING_KEYS) }
    }

    /// Counts a row with this combination.
    #[inline]
    pub(crate) fn add(&mut self, codes: &[Code]) {
        if !self.weights.has_room(codes) {
            self.flush();
            self.weights.widen(codes);
        }
        let Some(word) = self.weights.word(codes) else {
            *self.weights.number(codes, 0) += 1;
            return;
        };
        self.pending.push(word);
        if self.pending.len() == PENDING_KEYS {
            self.flush();
        }
    }

    /// Counts several rows with this combination.
    pub(crate) fn add_weighted(&mut self, codes: &[Code], weight: Weight) {
        if !self.weights.has_room(codes) {
            self.flush();
            self.weights.widen(codes);
        }
        *self.weights.number(codes, 0) += weight;
    }

    fn flush(&mut self) {
        if let Some(weights) = self.weights.words() {
            for word in self.pending.drain(..) {
                *weights.entry(word).or_insert(0) += 1;
            }
        }
    }

    /// Returns an upper bound on the number of distinct combinations.
    pub(crate) fn len(&self) -> usize {
        self.weights.len() + self.pending.len()
    }

    /// Visits every combination with its count, in no particular order.
    pub(crate) fn for_each(mut self, visit: impl FnMut(&[Code], Weight)) {
        self.flush();
        self.weights.for_each(visit);
    }

    /// Returns the approximate memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.weights.bytes()
    }
}

/// Combinations numbered in order of appearance, and the number of each row's combination.
pub(crate) struct CombinationNumbering {
    numbers: PackedMap,
    /// Words of the last rows, which are not numbered yet.
    pending: Vec<u64>,
    /// Number of each row's combination.
    rows: Vec<u32>,
}

impl CombinationNumbering {
    pub(crate) fn new(columns: usize) -> Self {
        CombinationNumbering {
            numbers: PackedMap::new(columns),
            pending: Vec::with_capacity(PENDING_KEYS),
            rows: Vec::new(),
        }
    }

    /// Adds a row with this combination.
    #[inline]
    pub(crate) fn add(&mut self, codes: &[Code]) {
        if !self.numbers.has_room(codes) {
            self.flush();
            self.numbers.widen(codes);
        }
        let Some(word) = self.numbers.word(codes) else {
            let next = self.numbers.len() as u64;
            self.rows.push(*self.numbers.number(codes, next) as u32);
            return;
        };
        self.pending.push(word);
        if self.pending.len() == PENDING_KEYS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(numbers) = self.numbers.words() {
            for word in self.pending.drain(..) {
                let next = numbers.len() as u64;
                self.rows.push(*numbers.entry(word).or_insert(next) as u32);
            }
        }
    }

    /// Returns an upper bound on the number of distinct combinations.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len() + self.pending.len()
    }

    /// Visits every combination with its number, in no particular order. Returns the number of each row's
    /// combination.
    pub(crate) fn for_each(mut self, visit: impl FnMut(&[Code], u64)) -> Vec<u32> {
        self.flush();
        self.numbers.for_each(visit);
        self.rows
    }

    /// Returns the approximate memory of the map in bytes.
    pub(crate) fn map_bytes(&self) -> u64 {
        self.numbers.bytes()
    }

    /// Returns the memory of the rows in bytes.
    pub(crate) fn rows_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u32>()
    }
}
