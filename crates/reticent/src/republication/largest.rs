//! The largest-l rule: it forms the maximum number of groups of l people with l distinct values.
//!
//! The rule repeatedly takes one record of each of the l most frequent values; no other rule leaves fewer records. A heap of the
//! buckets by size gives O(n log v) for n records and v values.

use std::collections::BinaryHeap;

use super::{GroupingOutcome, RepublicationTask};
use crate::data::taxonomy::Code;

/// Buckets of records by value, in a heap by size.
#[derive(Debug, Clone)]
pub(super) struct ValueBuckets {
    /// Records by value. The last record of a bucket is taken first.
    by_value: Vec<Vec<u32>>,
    heap: BinaryHeap<(usize, std::cmp::Reverse<Code>)>,
}

impl ValueBuckets {
    /// Assigns records to the buckets of their values. Records are taken in the opposite order.
    pub(super) fn new(values: usize, records: impl IntoIterator<Item = (u32, Code)>) -> ValueBuckets {
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); values];
        records.into_iter().for_each(|(record, value)| of[value as usize].push(record));
        let heap = (0..).zip(&of).filter(|(_, records)| !records.is_empty());
        let heap = heap.map(|(value, records)| (records.len(), std::cmp::Reverse(value))).collect();
        ValueBuckets { by_value: of, heap }
    }

    /// Removes and returns the `l` largest buckets' values, or `None` if fewer than `l` values remain.
    pub(super) fn next(&mut self, l: usize) -> Option<Vec<Code>> {
        if self.heap.len() < l {
            return None;
        }
        Some((0..l).filter_map(|_| self.heap.pop()).map(|(_, value)| value.0).collect())
    }

    /// Returns the bucket of a value from [`ValueBuckets::next`]. The caller removes the chosen record from it.
    pub(super) fn records(&mut self, value: Code) -> &mut Vec<u32> {
        &mut self.by_value[value as usize]
    }

    /// Returns values to the heap after a record of each was removed.
    pub(super) fn put_back(&mut self, values: &[Code]) {
        for value in values {
            let remaining = self.by_value[*value as usize].len();
            if remaining > 0 {
                self.heap.push((remaining, std::cmp::Reverse(*value)));
            }
        }
    }

    /// Returns the remaining records by value.
    pub(super) fn into_remaining(self) -> Vec<(Code, Vec<u32>)> {
        (0..).zip(self.by_value).filter(|(_, records)| !records.is_empty()).collect()
    }
}

/// Forms groups with `l` distinct values of a column, in random order.
///
/// A remaining record joins a group that does not have its value, or is postponed.
pub(super) fn form_groups(
    task: &RepublicationTask<'_>,
    column: usize,
    l: usize,
    mut people: Vec<u32>,
    outcome: &mut GroupingOutcome,
) -> Vec<Vec<u32>> {
    people.sort_unstable();
    MethodRng(task.seed ^ 1).shuffle(&mut people);
    let value = |at: u32| task.code(at as usize, column);
    let values = task.table.columns[column].tree.len();
    let mut buckets = ValueBuckets::new(values, people.into_iter().map(|at| (at, value(at))));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    while let Some(chosen) = buckets.next(l) {
        groups.push(chosen.iter().filter_map(|value| buckets.records(*value).pop()).collect());
        buckets.put_back(&chosen);
    }
    // Each group takes at most one record of every remaining value.
    for (missing, people) in buckets.into_remaining() {
        let mut groups_without = groups.iter_mut().filter(|group| group.iter().all(|at| value(*at) != missing));
        for at in people {
            match groups_without.next() {
                Some(group) => group.push(at),
                None => outcome.postponed.push((at, task.times_postponed(at as usize))),
            }
        }
    }
    groups
}

/// Deterministic pseudorandom number generator (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct MethodRng(pub u64);

impl MethodRng {
    /// Returns the next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `n`, which must not be 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Shuffles items (Fisher-Yates).
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
