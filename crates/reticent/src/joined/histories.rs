//! Which earlier releases are looked at together with the new one, and which statements follow from others.

use std::collections::BTreeSet;

use super::largest::Largest;
use super::{At, Of, Scope, Statement};
use crate::error::{Error, HistoryLimit, Obstacle, Result};
use crate::history::{Held, History};
use crate::join::{Inconsistent, is_same, relate};
use crate::matching;
use crate::recoding::Recoding;
use crate::release::PublishedColumn;
use crate::table::Table;
use crate::wording::Wording;

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
pub(super) const FEW: usize = 4;
/// More releases than this have too many subsets to judge them all.
pub(super) const MOST: usize = 16;

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

/// The sets of earlier releases that are judged with a new release of this table. `held` are those that each coalition holds, and `wordings`
/// what is demanded of them.
///
/// Where not every subset is judged, "all together" is said for every record of the table: the releases that it can be in together, as
/// many as there are. One that is about other people, or two that contradict each other, would else empty the join, and with it what is
/// demanded of it. Releases that have nothing to do with the new one, not even through others, are left out, and so is one that is the same as
/// another.
pub fn sets_for(
    table: &Table,
    history: &History,
    held: &[Vec<usize>],
    breadth: Breadth,
    rules: &[Inconsistent],
    wordings: &[Wording],
) -> Result<Vec<Vec<usize>>> {
    comparable(table, history, held, rules)?;
    let first = |at: &usize| (0..*at).find(|other| is_the_same(history, *other, *at, wordings)).unwrap_or(*at);
    let held: Vec<Vec<usize>> = held.iter().map(|held| sorted(held.iter().map(first).collect())).collect();
    let Some(all) = sub_histories(&held, breadth) else {
        return Err(too_large(HistoryLimit::Subsets));
    };
    let mut sets: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
    let mut add = |set: Vec<usize>| sets.insert((set.len(), set));
    let few = |held: &Vec<usize>| breadth == Breadth::Every || (breadth == Breadth::Auto && held.len() <= FEW);
    let many: Vec<Vec<usize>> = held.into_iter().filter(|held| !few(held)).collect();
    for set in all {
        // All together is said for every record below.
        if !(set.len() > 1 && many.contains(&set)) {
            add(connected(table, history, &set, rules));
        }
    }
    Largest::new(table, history, rules).of(&many)?.into_iter().for_each(|set| {
        add(set);
    });
    Ok(sets.into_iter().map(|(_, set)| set).filter(|set| !set.is_empty()).collect())
}

pub(super) fn too_large(limit: HistoryLimit) -> Error {
    Obstacle::HistoryTooLarge { limit }.into()
}

/// An error where a column holds numbers in one release and days in another: nobody can say which of them match.
fn comparable(table: &Table, history: &History, held: &[Vec<usize>], rules: &[Inconsistent]) -> Result<()> {
    let raw = Recoding::identity(table);
    let ours = raw.columns.iter().map(|recoded| ("this release".to_owned(), &recoded.column));
    let of = |at: &usize| {
        let held = &history.releases[*at];
        held.release.columns.iter().map(move |column| (format!("release {} {}", held.number, held.name), column))
    };
    for held in held {
        let all: Vec<(String, &PublishedColumn)> = ours.clone().chain(held.iter().flat_map(of)).collect();
        for (at, (one, column)) in all.iter().enumerate() {
            let same = |(_, other): &&(String, &PublishedColumn)| is_same(&column.name, &other.name, rules);
            let others = all[at + 1..].iter().filter(same);
            if let Some((other, _)) = others.into_iter().find(|(_, other)| !matching::comparable(column, other)) {
                let (column, one, other) = (column.name.clone(), one.clone(), other.clone());
                return Err(Obstacle::ColumnsNotComparable { column, one, other }.into());
            }
        }
    }
    Ok(())
}

pub(super) fn sorted(mut set: Vec<usize>) -> Vec<usize> {
    set.sort_unstable();
    set.dedup();
    set
}

/// Those of some releases that have to do with the new one, directly or through others of them.
pub(super) fn connected(table: &Table, history: &History, set: &[usize], rules: &[Inconsistent]) -> Vec<usize> {
    let names = |at: usize| history.releases[at].release.columns.iter().map(|column| column.name.as_str());
    let mut open: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let mut found: BTreeSet<usize> = BTreeSet::new();
    while let Some(name) = open.pop() {
        for at in set.iter().copied().filter(|at| !found.contains(at)).collect::<Vec<_>>() {
            if names(at).any(|theirs| relate(name, theirs, rules)) {
                found.insert(at);
                open.extend(names(at));
            }
        }
    }
    found.into_iter().collect()
}

/// Whether two releases are the same to whoever judges them: they show the same records, of the same people, in the same roles, and no
/// demand names one of them.
fn is_the_same(history: &History, one: usize, other: usize, wordings: &[Wording]) -> bool {
    let (one, other) = (&history.releases[one], &history.releases[other]);
    let named = |held: &Held| wordings.iter().any(|wording| wording.names(&held.name));
    let column = |column: &PublishedColumn| {
        let labels = (0..column.nodes.len() as u32).map(|code| column.label(code).to_owned());
        (column.name.clone(), column.role, labels.collect::<Vec<_>>())
    };
    let columns = |held: &Held| held.release.columns.iter().map(column).collect::<Vec<_>>();
    let trees = || one.release.columns.iter().zip(&other.release.columns);
    one.release.combos == other.release.combos
        && columns(one) == columns(other)
        && trees().all(|(one, other)| one.nodes == other.nodes && one.tree == other.tree)
        && one.links == other.links
        && !named(one)
        && !named(other)
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
