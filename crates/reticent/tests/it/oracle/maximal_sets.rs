//! Sets of earlier releases that are checked for long histories: for every record, the maximal sets in which it has a match. Compared
//! with the naive definition.

use std::collections::BTreeSet;

use reticent::join::{Breadth, sets_for};
use reticent::{Release, Table};

use super::histories::Instance;
use super::join::repeat;
use super::lossy::{PublishedRows, can_be_computed, matching};
use crate::support::Random;

/// A random history of five to seven distinct releases with few records.
pub fn random_long_history(random: &mut Random) -> (Instance, Table) {
    loop {
        let earlier = 5 + random.below(3);
        let instance = Instance::with_releases(random, 3, earlier, &[]);
        let same = |one: &PublishedRows, other: &PublishedRows| {
            let columns = |release: &PublishedRows| {
                release.columns.iter().map(|known| known.col.name.clone()).collect::<Vec<_>>()
            };
            let mut rows = [one.rows.clone(), other.rows.clone()];
            rows.iter_mut().for_each(|rows| rows.sort());
            columns(one) == columns(other) && rows[0] == rows[1]
        };
        let earlier = &instance.earlier;
        if !(0..earlier.len()).any(|at| earlier[..at].iter().any(|other| same(&earlier[at], other))) {
            let table = instance.data[0].table();
            return (instance, table);
        }
    }
}

/// Matches between the rows of all pairs of releases. Index 0 is the table.
struct MatchMatrix(Vec<Vec<Vec<Vec<bool>>>>);

impl MatchMatrix {
    fn new(instance: &Instance, table: &Table) -> MatchMatrix {
        let raw = PublishedRows::new(&Release::raw(table).unwrap(), &instance.columns[0]);
        let all: Vec<&PublishedRows> = [&raw].into_iter().chain(&instance.earlier).collect();
        let with = |one: &&PublishedRows| all.iter().map(|other| matching(one, other, &instance.rules)).collect();
        MatchMatrix(all.iter().map(with).collect())
    }

    /// Whether rows of the remaining releases of a set match these rows and each other.
    fn can_extend(&self, set: &[usize], rows: &mut Vec<usize>) -> bool {
        let Some(next) = set.get(rows.len()) else { return true };
        (0..self.0[0][*next][0].len()).any(|row| {
            let mut before = set.iter().zip(rows.iter());
            if !before.all(|(release, other)| self.0[*release][*next][*other][row]) {
                return false;
            }
            rows.push(row);
            let found = self.can_extend(set, rows);
            rows.pop();
            found
        })
    }

    /// Whether a row of the table has a match in the join of these earlier releases.
    fn matches_all(&self, row: usize, earlier: &BTreeSet<usize>) -> bool {
        let set: Vec<usize> = [0].into_iter().chain(earlier.iter().map(|at| at + 1)).collect();
        self.can_extend(&set, &mut vec![row])
    }
}

/// Releases of a set that are connected to the table by common columns or rules, directly or through other releases.
fn related(instance: &Instance, set: &BTreeSet<usize>) -> BTreeSet<usize> {
    let names = |release: usize| instance.columns[release].iter().map(|known| known.col.name.as_str());
    let connected = |one: &str, other: &str| {
        let ruled = |a: &str, b: &str| instance.rules.iter().any(|rule| rule.one.0 == a && rule.other.0 == b);
        one == other || ruled(one, other) || ruled(other, one)
    };
    let mut found: BTreeSet<usize> = BTreeSet::new();
    loop {
        let near = |at: &&usize| {
            let known: Vec<usize> = [0].into_iter().chain(found.iter().map(|at| at + 1)).collect();
            known.iter().any(|known| names(*known).any(|ours| names(**at + 1).any(|theirs| connected(ours, theirs))))
        };
        match set.iter().filter(|at| !found.contains(at)).find(near) {
            Some(at) => found.insert(*at),
            None => return found,
        };
    }
}

/// All single releases, and the maximal sets of every row. Releases that specifications name are counted even if they can be computed
/// from others; `None` if no release is left out.
pub fn largest_sets(instance: &Instance, table: &Table, named: Option<&[usize]>) -> BTreeSet<Vec<usize>> {
    let pairs = MatchMatrix::new(instance, table);
    let releases = instance.earlier.len();
    let set = |bits: &u32| (0..releases).filter(|at| bits >> at & 1 == 1).collect::<BTreeSet<usize>>();
    let mut found: BTreeSet<BTreeSet<usize>> = (0..releases).map(|at| BTreeSet::from([at])).collect();
    for row in 0..table.contingency.rows() as usize {
        let mut sets: Vec<BTreeSet<usize>> =
            (1u32..1 << releases).map(|bits| set(&bits)).filter(|set| pairs.matches_all(row, set)).collect();
        sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
        let mut largest: Vec<BTreeSet<usize>> = Vec::new();
        for set in sets {
            if !largest.iter().any(|larger| set.is_subset(larger)) {
                largest.push(set);
            }
        }
        found.extend(largest);
    }
    found
        .iter()
        .map(|set| match named {
            Some(named) => counted_once(instance, related(instance, set), named),
            None => related(instance, set).into_iter().collect(),
        })
        .filter(|set| !set.is_empty())
        .collect()
}

/// A set without the releases that can be computed from others that stay in it, from the last to the first.
fn counted_once(instance: &Instance, mut set: BTreeSet<usize>, named: &[usize]) -> Vec<usize> {
    let releases = &instance.history.releases;
    for one in set.clone().into_iter().rev() {
        let from = |other: &usize| {
            *other != one
                && !named.contains(&one)
                && !named.contains(other)
                && !releases[one].population
                && !releases[*other].population
                && releases[one].links.is_none()
                && releases[*other].links.is_none()
                && can_be_computed(&instance.earlier[one], &instance.earlier[*other])
        };
        if set.iter().any(from) {
            set.remove(&one);
        }
    }
    set.into_iter().collect()
}

/// Checks that the library returns all maximal sets, and no set without a match.
fn check_sets(seed: u64, rounds: usize) {
    let mut random = Random(seed);
    let (mut several, mut conflicts, mut unchecked) = (0, 0, 0);
    for round in 0..rounds {
        let (instance, table) = random_long_history(&mut random);
        let all: Vec<usize> = (0..instance.history.releases.len()).collect();
        let context = |what: &str| format!("{what}, round {round}{}", instance.description());
        let expected = largest_sets(&instance, &table, Some(&[]));
        let Ok(sets) =
            sets_for(&table, &instance.history, std::slice::from_ref(&all), Breadth::Auto, &instance.rules, &[])
        else {
            unchecked += 1;
            continue;
        };
        let sets: BTreeSet<Vec<usize>> = sets.into_iter().collect();
        for set in &expected {
            assert!(sets.contains(set), "{}", context(&format!("{set:?} is missing in {sets:?}")));
        }
        let pairs = MatchMatrix::new(&instance, &table);
        for set in sets.iter().filter(|set| set.len() > 1) {
            let rows = 0..table.contingency.rows() as usize;
            let set: BTreeSet<usize> = set.iter().copied().collect();
            assert!(
                rows.into_iter().any(|row| pairs.matches_all(row, &set)),
                "{}",
                context(&format!("{set:?} has no match"))
            );
        }
        several += usize::from(expected.iter().any(|set| set.len() > 1));
        conflicts += usize::from(expected.iter().filter(|set| set.len() > 1).count() > 1);
    }
    println!("{several} with sets of several releases, {conflicts} with several such sets, {unchecked} not checked");
    assert!(several * 2 > rounds && conflicts * 10 > rounds && unchecked * 20 < rounds);
}

#[test]
fn the_maximal_sets_of_many_releases_are_checked() {
    repeat(80, 400, check_sets);
}
