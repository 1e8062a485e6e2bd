//! Combinations of codes as the keys of a map: how often each was met, or which it was of those met.

use reticent::combos::Weight;
use reticent::taxonomy::Code;

use super::packed::PackedMap;

/// Keys of one word are looked up so many at a time: the waits for memory overlap.
const MOST_PENDING: usize = 256;

/// How often each combination was met.
pub(crate) struct Keys {
    weights: PackedMap,
    /// Words met but not yet counted.
    pending: Vec<u64>,
}

impl Keys {
    pub(crate) fn new(columns: usize) -> Self {
        Keys { weights: PackedMap::new(columns), pending: Vec::with_capacity(MOST_PENDING) }
    }

    /// Counts a row with this combination.
    #[inline]
    pub(crate) fn add(&mut self, codes: &[Code]) {
        if !self.weights.has_room(codes) {
            self.settle();
            self.weights.widen(codes);
        }
        let Some(word) = self.weights.word(codes) else {
            *self.weights.number(codes, 0) += 1;
            return;
        };
        self.pending.push(word);
        if self.pending.len() == MOST_PENDING {
            self.settle();
        }
    }

    fn settle(&mut self) {
        if let Some(weights) = self.weights.words() {
            for word in self.pending.drain(..) {
                *weights.entry(word).or_insert(0) += 1;
            }
        }
    }

    /// About how many distinct combinations; never fewer than there are.
    pub(crate) fn len(&self) -> usize {
        self.weights.len() + self.pending.len()
    }

    /// Every combination with its weight, in no order.
    pub(crate) fn for_each(mut self, visit: impl FnMut(&[Code], Weight)) {
        self.settle();
        self.weights.for_each(visit);
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.weights.bytes()
    }
}

/// Combinations numbered as they were first met, and the number of each row's.
pub(crate) struct NumberedKeys {
    numbers: PackedMap,
    /// Words met but not yet numbered: those of the last rows.
    pending: Vec<u64>,
    /// By row.
    rows: Vec<u32>,
}

impl NumberedKeys {
    pub(crate) fn new(columns: usize) -> Self {
        NumberedKeys { numbers: PackedMap::new(columns), pending: Vec::with_capacity(MOST_PENDING), rows: Vec::new() }
    }

    /// Adds a row with this combination.
    #[inline]
    pub(crate) fn add(&mut self, codes: &[Code]) {
        if !self.numbers.has_room(codes) {
            self.settle();
            self.numbers.widen(codes);
        }
        let Some(word) = self.numbers.word(codes) else {
            let next = self.numbers.len() as u64;
            self.rows.push(*self.numbers.number(codes, next) as u32);
            return;
        };
        self.pending.push(word);
        if self.pending.len() == MOST_PENDING {
            self.settle();
        }
    }

    fn settle(&mut self) {
        if let Some(numbers) = self.numbers.words() {
            for word in self.pending.drain(..) {
                let next = numbers.len() as u64;
                self.rows.push(*numbers.entry(word).or_insert(next) as u32);
            }
        }
    }

    /// About how many distinct combinations; never fewer than there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len() + self.pending.len()
    }

    /// Visits every combination with its number, in no order. Answers with the number of each row's combination.
    pub(crate) fn for_each(mut self, visit: impl FnMut(&[Code], u64)) -> Vec<u32> {
        self.settle();
        self.numbers.for_each(visit);
        self.rows
    }

    /// About how much memory the map takes.
    pub(crate) fn map_bytes(&self) -> u64 {
        self.numbers.bytes()
    }

    /// How much memory the rows take.
    pub(crate) fn rows_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u32>()
    }
}
