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

/// The earlier releases that a statement counts. The others are *witnesses*.
///
/// Two releases hang together where columns that join them are not both in X. With a value on X, what is chosen of releases that
/// do not hang together, not even through others, is chosen independently: the tuples are a product. So releases that do not hang
/// together with one that has a Y multiply the tuples of every value of Y by the same number, which changes neither a share nor
/// what is different; they only say whether the value on X is there at all. `columns` are those of every release, by name; the
/// new release is the first.
pub(super) fn counted(statement: &Statement, columns: &[Vec<&str>], rules: &[Inconsistent]) -> Vec<usize> {
    let in_x = |release: usize, column: usize| statement.x.contains(&At { release, column });
    let hang_together = |one: usize, other: usize| {
        columns[one].iter().enumerate().any(|(here, ours)| {
            let mut joined = columns[other].iter().enumerate().filter(|(_, theirs)| relate(ours, theirs, rules));
            joined.any(|(there, _)| !(in_x(one, here) && in_x(other, there)))
        })
    };
    let mut counted: Vec<bool> = (0..columns.len()).map(|at| statement.y.iter().any(|of| of.release() == at)).collect();
    let mut open: Vec<usize> = (0..columns.len()).filter(|at| counted[*at]).collect();
    while let Some(one) = open.pop() {
        for (other, counted) in counted.iter_mut().enumerate().filter(|(_, counted)| !**counted) {
            *counted = hang_together(one, other);
            open.extend(counted.then_some(other));
        }
    }
    (1..columns.len()).filter(|release| counted[*release]).collect()
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
        let columns: Vec<Vec<&str>> =
            scope.members.iter().map(|member| member.columns.iter().map(|(name, _)| name.as_str()).collect()).collect();
        let counted: Vec<_> = counted(statement, &columns, rules).into_iter().map(place).collect();
        let key = format!("{wording} {:?} {y:?} {counted:?}", statement.rule);
        let within = |set: &[usize]| set.iter().all(|at| earlier.contains(at));
        if self.known.iter().any(|(set, known)| *known == key && within(set)) {
            return true;
        }
        self.known.push((earlier.to_vec(), key));
        false
    }
}
