//! The largest-l rule: groups of l people with l different values, as many as there can be.
//!
//! Take one record of each of the l most common values, again and again: no other choice leaves fewer over. Buckets by value in
//! a heap by size make it O(n log v) for n records and v values.

use std::collections::BinaryHeap;

use super::{Outcome, Task};
use crate::taxonomy::Code;

/// Records by value, the largest first.
#[derive(Debug, Clone)]
pub(super) struct Buckets {
    /// By value: its records; the last is taken first.
    of: Vec<Vec<u32>>,
    heap: BinaryHeap<(usize, std::cmp::Reverse<Code>)>,
}

impl Buckets {
    /// Puts records, each given with its value, into buckets. They are taken in the opposite order.
    pub(super) fn of(values: usize, records: impl IntoIterator<Item = (u32, Code)>) -> Buckets {
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); values];
        records.into_iter().for_each(|(record, value)| of[value as usize].push(record));
        let heap = (0..).zip(&of).filter(|(_, records)| !records.is_empty());
        let heap = heap.map(|(value, records)| (records.len(), std::cmp::Reverse(value))).collect();
        Buckets { of, heap }
    }

    /// The values of the next group, the most common first; none when fewer than `l` values are left.
    pub(super) fn next(&mut self, l: usize) -> Option<Vec<Code>> {
        if self.heap.len() < l {
            return None;
        }
        Some((0..l).filter_map(|_| self.heap.pop()).map(|(_, value)| value.0).collect())
    }

    /// The records of a value that was taken from [`Buckets::next`]; the chosen one is to be removed from it.
    pub(super) fn records(&mut self, value: Code) -> &mut Vec<u32> {
        &mut self.of[value as usize]
    }

    /// Puts values back after a record of each was removed.
    pub(super) fn put_back(&mut self, values: &[Code]) {
        for value in values {
            let left = self.of[*value as usize].len();
            if left > 0 {
                self.heap.push((left, std::cmp::Reverse(*value)));
            }
        }
    }

    /// What is left, by value.
    pub(super) fn left(self) -> Vec<(Code, Vec<u32>)> {
        (0..).zip(self.of).filter(|(_, records)| !records.is_empty()).collect()
    }
}

/// New groups of `l` different values of a column, in a drawn order, each as its records. Who is left joins one that does not have their
/// value yet, or waits.
pub(super) fn fresh(
    task: &Task<'_>,
    column: usize,
    l: usize,
    mut people: Vec<u32>,
    outcome: &mut Outcome,
) -> Vec<Vec<u32>> {
    people.sort_unstable();
    Drawn(task.seed ^ 1).shuffle(&mut people);
    let value = |at: u32| task.code(at as usize, column);
    let values = task.table.columns[column].tree.len();
    let mut left = Buckets::of(values, people.into_iter().map(|at| (at, value(at))));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    while let Some(chosen) = left.next(l) {
        groups.push(chosen.iter().filter_map(|value| left.records(*value).pop()).collect());
        left.put_back(&chosen);
    }
    // A group is looked at for every value once: it takes what it lacks.
    for (missing, people) in left.left() {
        let mut lacking = groups.iter_mut().filter(|group| group.iter().all(|at| value(*at) != missing));
        for at in people {
            match lacking.next() {
                Some(group) => group.push(at),
                None => outcome.waiting.push((at, task.waited(at as usize))),
            }
        }
    }
    groups
}

/// Numbers that look drawn, the same for the same seed (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Drawn(pub u64);

impl Drawn {
    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Puts things into a drawn order.
    pub(super) fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            things.swap(at, self.below(at + 1));
        }
    }
}
