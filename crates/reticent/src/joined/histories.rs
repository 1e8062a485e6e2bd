//! Which earlier releases are looked at together with the new one, and which statements follow from others.

use std::collections::BTreeSet;

use super::{At, Of, Scope, Statement};
use crate::join::{Inconsistent, relate};

/// Which subsets of the releases that somebody holds are judged with the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Breadth {
    /// Every subset where a coalition holds few releases, else each by itself and all together.
    #[default]
    Auto,
    /// Each by itself, and all together.
    EachAndAll,
    /// Every subset.
    Every,
}

/// Up to so many releases, every subset is judged without being asked for.
pub const FEW: usize = 4;
/// More releases than this have too many subsets to judge them all.
pub const MOST: usize = 16;

/// The sets of earlier releases that are judged with the new one, each once: shorter ones first. `held` are the releases
/// that each coalition holds. None when every subset is asked for, and there are too many.
pub fn sub_histories(held: &[Vec<usize>], breadth: Breadth) -> Option<Vec<Vec<usize>>> {
    let mut found: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
    for releases in held.iter().filter(|releases| !releases.is_empty()) {
        let mut releases = releases.clone();
        releases.sort_unstable();
        releases.dedup();
        let every = match breadth {
            Breadth::Auto => releases.len() <= FEW,
            Breadth::EachAndAll => false,
            Breadth::Every if releases.len() > MOST => return None,
            Breadth::Every => true,
        };
        if every {
            for chosen in 1u32..1 << releases.len() {
                let member = |at: &usize| chosen & (1 << at) != 0;
                let set: Vec<usize> = (0..releases.len()).filter(member).map(|at| releases[at]).collect();
                found.insert((set.len(), set));
            }
        } else {
            found.extend(releases.iter().map(|release| (1, vec![*release])));
            found.insert((releases.len(), releases));
        }
    }
    Some(found.into_iter().map(|(_, set)| set).collect())
}

/// The earlier releases that a statement counts. The others are *witnesses*: they have no Y, and all their columns that join, with
/// the columns they join with, are in X. With a value on X a witness contributes the same factor to every tuple, which changes
/// neither a share nor what is different; it only says whether the value is there at all.
pub(super) fn counted(statement: &Statement, scope: &Scope, rules: &[Inconsistent]) -> Vec<usize> {
    let in_x = |release: usize, column: usize| statement.x.contains(&At { release, column });
    let is_witness = |release: &usize| {
        let counts = statement.y.iter().any(|of| of.release() == *release);
        let known = |(column, (name, _)): (usize, &(String, _))| {
            let others = scope.members.iter().enumerate().filter(|(other, _)| other != release);
            others.into_iter().all(|(other, member)| {
                let mut joined =
                    member.columns.iter().enumerate().filter(|(_, (theirs, _))| relate(name, theirs, rules));
                joined.all(|(there, _)| in_x(*release, column) && in_x(other, there))
            })
        };
        !counts && scope.members[*release].columns.iter().enumerate().all(known)
    };
    (1..scope.members.len()).filter(|release| !is_witness(release)).collect()
}

/// Statements that were made for smaller sets of releases.
///
/// A statement over a set follows from the same one over a subset that counts the same releases: the rest of the set are
/// witnesses, so that with every value on X there are the same values of Y, in the same shares, and there are fewer values on X.
#[derive(Debug, Default)]
pub(crate) struct Made {
    known: Vec<(Vec<usize>, String)>,
}

impl Made {
    /// Whether a statement over these earlier releases follows from one that was made before; if not, it is made now.
    /// `wording` numbers the words it comes from.
    pub(crate) fn follows(
        &mut self,
        wording: usize,
        statement: &Statement,
        scope: &Scope,
        earlier: &[usize],
        rules: &[Inconsistent],
    ) -> bool {
        let place = |release: usize| release.checked_sub(1).map(|at| earlier[at]);
        let of = |of: &Of| match of {
            Of::Column(at) => (place(at.release), Some(at.column)),
            Of::People(release) => (place(*release), None),
        };
        let y: Vec<_> = statement.y.iter().map(of).collect();
        let counted: Vec<_> = counted(statement, scope, rules).into_iter().map(place).collect();
        let key = format!("{wording} {:?} {y:?} {counted:?}", statement.rule);
        let within = |set: &[usize]| set.iter().all(|at| earlier.contains(at));
        if self.known.iter().any(|(set, known)| *known == key && within(set)) {
            return true;
        }
        self.known.push((earlier.to_vec(), key));
        false
    }
}
