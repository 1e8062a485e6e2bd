//! Which earlier releases are looked at together with the new one.

use std::collections::BTreeSet;

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
