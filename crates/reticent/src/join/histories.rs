//! Sets of earlier releases that are joined with the new one, and implied constraints.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::computable::{has_known_owners, is_computable};
use super::maximal::MaximalSets;
use super::{ColumnRef, Constraint, Counted, JoinScope};
use crate::data::table::Table;
use crate::error::{Error, HistoryLimit, Obstacle, Result};
use crate::join::lossy::{InconsistentRules, are_related, is_same_attribute};
use crate::join::matching;
use crate::model_spec::ModelSpec;
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};
use crate::release::recoding::Recoding;

/// Subsets of a coalition's releases that are joined with the new release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Breadth {
    /// Every subset if a coalition holds few releases, otherwise as `EachAndAll`.
    #[default]
    Auto,
    /// Every single release, and all releases.
    EachAndAll,
    /// Every subset.
    Every,
}

/// Maximum number of releases for which `Auto` uses every subset.
pub(super) const MAX_EXHAUSTIVE_BY_DEFAULT: usize = 4;
/// Maximum number of releases for which every subset can be used.
pub(super) const MAX_EXHAUSTIVE: usize = 16;

/// Distinct sets of earlier releases to join with the new release, smaller ones first.
///
/// `by_coalition` are the releases of each coalition. Returns `None` if `breadth` is `Every` and a coalition has too many
/// releases.
pub fn sub_histories(by_coalition: &[Vec<usize>], breadth: Breadth) -> Option<Vec<Vec<usize>>> {
    let mut sets: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
    for releases in by_coalition.iter().filter(|releases| !releases.is_empty()) {
        let mut releases = releases.clone();
        releases.sort_unstable();
        releases.dedup();
        let every = match breadth {
            Breadth::Auto => releases.len() <= MAX_EXHAUSTIVE_BY_DEFAULT,
            Breadth::EachAndAll => false,
            Breadth::Every if releases.len() > MAX_EXHAUSTIVE => return None,
            Breadth::Every => true,
        };
        if every {
            for chosen in 1u32..1 << releases.len() {
                let member = |at: &usize| chosen & (1 << at) != 0;
                let set: Vec<usize> = (0..releases.len()).filter(member).map(|at| releases[at]).collect();
                sets.insert((set.len(), set));
            }
        } else {
            sets.extend(releases.iter().map(|release| (1, vec![*release])));
            sets.insert((releases.len(), releases));
        }
    }
    Some(sets.into_iter().map(|(_, set)| set).collect())
}

/// Sets of earlier releases to join with a new release of this table.
///
/// `by_coalition` are the releases of each coalition, and `specs` the required models. If not every subset is used, "all
/// releases" means the maximal sets whose join can contain a record of the table. Otherwise, a release about other
/// people, or two conflicting releases, would make the join empty and its constraints vacuous. Releases that are
/// not connected to the new one through join columns are excluded, unless a model names them, and so are duplicates. A set does
/// not contain a release that can be computed from another one of the set.
///
/// # Errors
///
/// Returns an error if there are too many sets, or if columns are not comparable.
pub fn sets_for(
    table: &Table,
    history: &History,
    by_coalition: &[Vec<usize>],
    breadth: Breadth,
    rules: &[InconsistentRules],
    specs: &[ModelSpec],
) -> Result<Vec<Vec<usize>>> {
    check_comparable(table, history, by_coalition, rules)?;
    let first = |at: &usize| (0..*at).find(|other| is_duplicate(history, *other, *at, specs)).unwrap_or(*at);
    let by_coalition: Vec<Vec<usize>> =
        by_coalition.iter().map(|releases| sorted(releases.iter().map(first).collect())).collect();
    let Some(all) = sub_histories(&by_coalition, breadth) else {
        return Err(too_large(HistoryLimit::Subsets));
    };
    let mut sets: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
    let mut computable = Computable { history, rules, specs, known: HashMap::new() };
    let mut add = |set: Vec<usize>| {
        let set = computable.counted_once(set);
        sets.insert((set.len(), set))
    };
    let is_exhaustive = |releases: &Vec<usize>| {
        breadth == Breadth::Every || (breadth == Breadth::Auto && releases.len() <= MAX_EXHAUSTIVE_BY_DEFAULT)
    };
    // A requirement can name a release without a common column: every record of one then goes with every record of the other.
    let named = |at: &usize| specs.iter().any(|spec| spec.names(&history.releases[*at].name));
    let large: Vec<Vec<usize>> = by_coalition.into_iter().filter(|releases| !is_exhaustive(releases)).collect();
    for set in all {
        // The set of all releases is replaced by maximal sets below.
        if !(set.len() > 1 && large.contains(&set)) {
            let mut joined = connected(table, history, &set, rules);
            joined.extend(set.iter().copied().filter(named));
            add(sorted(joined));
        }
    }
    MaximalSets::new(table, history, rules).find(&large)?.into_iter().for_each(|set| {
        add(set);
    });
    Ok(sets.into_iter().map(|(_, set)| set).filter(|set| !set.is_empty()).collect())
}

/// Earlier releases that can be computed from others.
struct Computable<'a> {
    history: &'a History,
    rules: &'a [InconsistentRules],
    specs: &'a [ModelSpec],
    /// Whether the first can be computed from the second.
    known: HashMap<(usize, usize), bool>,
}

impl Computable<'_> {
    /// Returns a set without the releases that can be computed from others that stay in it. Of equal releases, the first stays.
    fn counted_once(&mut self, mut set: Vec<usize>) -> Vec<usize> {
        for one in set.clone().into_iter().rev() {
            if set.iter().any(|other| *other != one && self.is(one, *other)) {
                set.retain(|known| *known != one);
            }
        }
        set
    }

    fn is(&mut self, one: usize, other: usize) -> bool {
        let (history, rules, specs) = (self.history, self.rules, self.specs);
        *self.known.entry((one, other)).or_insert_with(|| {
            let (one, other) = (&history.releases[one], &history.releases[other]);
            let is_special =
                |recorded: &RecordedRelease| recorded.population || specs.iter().any(|spec| spec.names(&recorded.name));
            !specs.iter().any(ModelSpec::is_xy_model)
                && !is_special(one)
                && !is_special(other)
                && !has_known_owners(one, history)
                && !has_known_owners(other, history)
                && is_computable(&one.release, &other.release, rules)
        })
    }
}

pub(super) fn too_large(limit: HistoryLimit) -> Error {
    Obstacle::HistoryTooLarge { limit }.into()
}

/// Returns an error if a column has numbers in one release and dates in another, because they cannot be matched.
fn check_comparable(
    table: &Table,
    history: &History,
    by_coalition: &[Vec<usize>],
    rules: &[InconsistentRules],
) -> Result<()> {
    let raw = Recoding::identity(table);
    let ours = raw.columns.iter().map(|recoded| ("this release".to_owned(), &recoded.column));
    let of = |at: &usize| {
        let recorded = &history.releases[*at];
        let name = format!("release {} {}", recorded.number, recorded.name);
        recorded.release.columns.iter().map(move |column| (name.clone(), column))
    };
    for releases in by_coalition {
        let all: Vec<(String, &PublishedColumn)> = ours.clone().chain(releases.iter().flat_map(of)).collect();
        for (at, (one, column)) in all.iter().enumerate() {
            let same = |(_, other): &&(String, &PublishedColumn)| is_same_attribute(&column.name, &other.name, rules);
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

/// Releases of a set that are connected to the new release, directly or through other releases of the set.
pub(super) fn connected(table: &Table, history: &History, set: &[usize], rules: &[InconsistentRules]) -> Vec<usize> {
    let names = |at: usize| history.releases[at].release.columns.iter().map(|column| column.name.as_str());
    let mut open: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let mut reached: BTreeSet<usize> = BTreeSet::new();
    while let Some(name) = open.pop() {
        for at in set.iter().copied().filter(|at| !reached.contains(at)).collect::<Vec<_>>() {
            if names(at).any(|theirs| are_related(name, theirs, rules)) {
                reached.insert(at);
                open.extend(names(at));
            }
        }
    }
    reached.into_iter().collect()
}

/// Returns true if two releases are interchangeable: equal records, owners and roles, and no model names either.
fn is_duplicate(history: &History, one: usize, other: usize, specs: &[ModelSpec]) -> bool {
    let (one, other) = (&history.releases[one], &history.releases[other]);
    let named = |recorded: &RecordedRelease| specs.iter().any(|spec| spec.names(&recorded.name));
    let column = |column: &PublishedColumn| {
        let labels = (0..column.nodes.len() as u32).map(|code| column.label(code).to_owned());
        (column.name.clone(), column.role, labels.collect::<Vec<_>>())
    };
    let columns = |recorded: &RecordedRelease| recorded.release.columns.iter().map(column).collect::<Vec<_>>();
    let trees = || one.release.columns.iter().zip(&other.release.columns);
    one.population == other.population
        && one.release.contingency == other.release.contingency
        && columns(one) == columns(other)
        && trees().all(|(one, other)| one.nodes == other.nodes && one.tree == other.tree)
        && one.links == other.links
        && !named(one)
        && !named(other)
}

/// Earlier releases that a constraint counts. The others are *witnesses*.
///
/// Two releases are dependent if a pair of columns that joins them is not entirely in X. Given a value on X, releases in
/// different connected components of this relation are chosen independently: the tuples are a product. So a component without
/// an element of Y multiplies the tuples of every value on Y by the same number. This changes neither ratios nor distinct
/// values; it only decides whether the value on X occurs. `columns` are the column names of each release; release 0 is new.
pub(super) fn counted_releases(
    constraint: &Constraint,
    columns: &[Vec<&str>],
    rules: &[InconsistentRules],
) -> Vec<usize> {
    let in_x = |release: usize, column: usize| constraint.x.contains(&ColumnRef { release, column });
    let are_dependent = |one: usize, other: usize| {
        columns[one].iter().enumerate().any(|(here, ours)| {
            let mut joined = columns[other].iter().enumerate().filter(|(_, theirs)| are_related(ours, theirs, rules));
            joined.any(|(there, _)| !(in_x(one, here) && in_x(other, there)))
        })
    };
    let mut counted: Vec<bool> =
        (0..columns.len()).map(|at| constraint.y.iter().any(|of| of.release() == at)).collect();
    let mut open: Vec<usize> = (0..columns.len()).filter(|at| counted[*at]).collect();
    while let Some(one) = open.pop() {
        for (other, counted) in counted.iter_mut().enumerate().filter(|(_, counted)| !**counted) {
            *counted = are_dependent(one, other);
            open.extend(counted.then_some(other));
        }
    }
    (1..columns.len()).filter(|release| counted[*release]).collect()
}

/// Constraints that were already checked for other sets of releases.
///
/// A constraint over a set is implied by the same constraint over a subset that counts the same releases. The other
/// releases of the set are witnesses: each value on X has the same values on Y in the same ratios, and fewer values on X
/// occur.
#[derive(Debug, Default)]
pub(crate) struct JudgedSets {
    known: Vec<(Vec<usize>, String)>,
}

impl JudgedSets {
    /// Returns true if a constraint over these earlier releases is implied by a recorded one. Otherwise records it.
    /// `spec` is the index of the model specification it comes from.
    pub(crate) fn is_implied(
        &mut self,
        spec: usize,
        constraint: &Constraint,
        scope: &JoinScope,
        earlier: &[usize],
        rules: &[InconsistentRules],
    ) -> bool {
        let place = |release: usize| release.checked_sub(1).map(|at| earlier[at]);
        let of = |of: &Counted| match of {
            Counted::Column(at) => (place(at.release), Some(at.column)),
            Counted::People(release) => (place(*release), None),
        };
        let y: Vec<_> = constraint.y.iter().map(of).collect();
        let columns: Vec<Vec<&str>> =
            scope.members.iter().map(|member| member.columns.iter().map(|(name, _)| name.as_str()).collect()).collect();
        let counted: Vec<_> = counted_releases(constraint, &columns, rules).into_iter().map(place).collect();
        let key = format!("{spec} {:?} {y:?} {counted:?}", constraint.limit);
        let within = |set: &[usize]| set.iter().all(|at| earlier.contains(at));
        if self.known.iter().any(|(set, known)| *known == key && within(set)) {
            return true;
        }
        self.known.push((earlier.to_vec(), key));
        false
    }
}
