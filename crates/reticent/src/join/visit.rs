//! Enumeration and counting of tuples of earlier records.

use hashbrown::HashMap;

use super::index::{Candidates, IndexedRelease, JoinIndex};
use crate::data::taxonomy::Code;
use crate::join::lossy::Tuples;

/// Maximum number of visited tuples of groups for one combination of values.
const MAX_TUPLES: u64 = 20_000_000;
/// Maximum number of stored values of X and Y.
const MAX_STORED: usize = 1_000_000;

/// Enumeration of the tuples of the counted releases, by value on X.
pub(super) struct Visit<'v> {
    pub(super) index: &'v JoinIndex<'v>,
    pub(super) candidates: &'v [Candidates],
    pub(super) by_x: HashMap<Box<[Code]>, Collected>,
    visited: u64,
    stored: usize,
    /// Whether a limit was exceeded or the call was cancelled.
    pub(super) gave_up: bool,
}

impl<'v> Visit<'v> {
    pub(super) fn new(index: &'v JoinIndex<'v>, candidates: &'v [Candidates]) -> Visit<'v> {
        Visit { index, candidates, by_x: HashMap::new(), visited: 0, stored: 0, gave_up: false }
    }
}

/// Counts for one value on X.
pub(super) struct Collected {
    /// A representative tuple.
    pub(super) tuple: Vec<u32>,
    pub(super) tuples: Tuples,
    pub(super) ys: Ys,
}

/// Counts by value on Y (tuples and distinct values), if earlier releases have a part of Y.
pub(super) enum Ys {
    None,
    Some(HashMap<Box<[Code]>, (Tuples, Tuples)>),
}

impl Visit<'_> {
    pub(super) fn extend(&mut self, tuple: &mut Vec<u32>, tuples: Tuples, different: Tuples) {
        let at = tuple.len();
        if at == self.index.counted() {
            return self.collect(tuple, tuples, different);
        }
        let member = &self.index.members()[at];
        let chosen = tuple.clone();
        for group in member.matching_groups(self.index.members(), &self.candidates[at], &chosen) {
            self.visited += 1;
            self.gave_up |= self.visited > MAX_TUPLES || self.stored + self.by_x.len() > MAX_STORED;
            self.gave_up |= self.visited.is_multiple_of(4096) && self.index.is_aborted();
            if self.gave_up {
                return;
            }
            let weight = Tuples::from(member.groups.weights[group as usize]);
            tuple.push(group);
            let Some(tuples) = tuples.checked_mul(weight) else {
                self.gave_up = true;
                return;
            };
            self.extend(tuple, tuples, if member.records { different.saturating_mul(weight) } else { different });
            tuple.pop();
        }
    }

    fn collect(&mut self, tuple: &[u32], tuples: Tuples, different: Tuples) {
        let counted = self.index.members().iter().zip(tuple);
        let codes = |of: fn(&IndexedRelease) -> &[usize]| -> Vec<Code> {
            let of_member = |(member, group): (&IndexedRelease, &u32)| -> Vec<Code> {
                of(member).iter().map(|place| member.groups.codes[*place][*group as usize]).collect()
            };
            counted.clone().flat_map(of_member).collect()
        };
        let x = codes(|member| &member.x);
        let mut y = codes(|member| &member.y);
        y.extend(counted.clone().filter(|(member, _)| member.records).map(|(_, group)| *group));
        let fresh = || Collected {
            tuple: tuple.to_vec(),
            tuples: 0,
            ys: if y.is_empty() { Ys::None } else { Ys::Some(HashMap::new()) },
        };
        let collected = self.by_x.entry(x.into()).or_insert_with(fresh);
        collected.tuples = collected.tuples.saturating_add(tuples);
        if let Ys::Some(ys) = &mut collected.ys {
            let stored = &mut self.stored;
            let entry = ys.entry(y.into()).or_insert_with(|| {
                *stored += 1;
                (0, different)
            });
            entry.0 = entry.0.saturating_add(tuples);
        }
    }
}
