//! Tuples of earlier records, visited and counted.

use hashbrown::HashMap;

use super::rest::{Allowed, Earlier, Rest};
use crate::join::Tuples;
use crate::taxonomy::Code;

/// More tuples of groups than this are not visited for one combination of values.
const MOST_TUPLES: u64 = 20_000_000;
/// Nor are more values of X and Y kept.
const MOST_KEPT: usize = 1_000_000;

/// Tuples of the counted releases, by value on X.
pub(super) struct Visit<'v> {
    pub(super) rest: &'v Rest<'v>,
    pub(super) allowed: &'v [Allowed],
    pub(super) by_x: HashMap<Box<[Code]>, Collected>,
    visited: u64,
    kept: usize,
    /// Whether there was too much.
    pub(super) gave_up: bool,
}

impl<'v> Visit<'v> {
    pub(super) fn new(rest: &'v Rest<'v>, allowed: &'v [Allowed]) -> Visit<'v> {
        Visit { rest, allowed, by_x: HashMap::new(), visited: 0, kept: 0, gave_up: false }
    }
}

/// What was counted for one value on X.
pub(super) struct Collected {
    /// One of the tuples.
    pub(super) tuple: Vec<u32>,
    pub(super) tuples: Tuples,
    pub(super) ys: Ys,
}

/// The values on Y, if any are counted in earlier releases.
pub(super) enum Ys {
    None,
    Some(HashMap<Box<[Code]>, (Tuples, Tuples)>),
}

impl Visit<'_> {
    pub(super) fn extend(&mut self, tuple: &mut Vec<u32>, tuples: Tuples, different: Tuples) {
        let at = tuple.len();
        if at == self.rest.counted() {
            return self.collect(tuple, tuples, different);
        }
        let member = &self.rest.members()[at];
        let chosen = tuple.clone();
        for group in member.fitting(self.rest.members(), &self.allowed[at], &chosen) {
            self.visited += 1;
            self.gave_up |= self.visited > MOST_TUPLES || self.kept + self.by_x.len() > MOST_KEPT;
            self.gave_up |= self.visited.is_multiple_of(4096) && self.rest.is_aborted();
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
        let counted = self.rest.members().iter().zip(tuple);
        let codes = |of: fn(&Earlier) -> &[usize]| -> Vec<Code> {
            let of_member = |(member, group): (&Earlier, &u32)| -> Vec<Code> {
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
            let kept = &mut self.kept;
            let entry = ys.entry(y.into()).or_insert_with(|| {
                *kept += 1;
                (0, different)
            });
            entry.0 = entry.0.saturating_add(tuples);
        }
    }
}
