//! The lossy join: records of several releases that match pairwise are taken for one person's, as an attacker would.
//!
//! Definition  a tuple of records, one of each release, is in the join when every two of them match on every attribute that
//!             both releases have, and hold no two values that are declared inconsistent. Matching is not transitive, so
//!             every pair is looked at.
//! Counts      records that agree on what matters are one group with a weight; a tuple of groups stands for the product of
//!             its weights. The join itself is never made.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, sections 3 and 6; the star join in general form.

#[cfg(test)]
mod tests;

use crate::combos::{Combos, Weight};
use crate::interval::Interval;
use crate::matching::matches;
use crate::release::{PublishedColumn, Release};
use crate::taxonomy::{Code, NodeId, Taxonomy};

/// How many tuples of records: products of weights outgrow 64 bits.
pub type Tuples = u128;

/// Two values that no one person has: whoever has the one, or something below it, does not have the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inconsistent {
    /// An attribute and a value of its taxonomy.
    pub one: (String, String),
    /// Another attribute and a value of its taxonomy.
    pub other: (String, String),
}

/// The join of some releases, by groups of their records.
#[derive(Debug)]
pub struct Join {
    /// By release: its groups, and the columns they are told apart by.
    groups: Vec<Combos>,
    columns: Vec<Vec<usize>>,
    /// By release: what its groups must agree on with those of releases before it.
    demands: Vec<Vec<Demand>>,
}

/// A column of a release that must fit a column of an earlier one.
#[derive(Debug)]
struct Demand {
    /// The place of the column among those of this release's groups.
    here: usize,
    /// The earlier release, and the place of the column among those of its groups.
    earlier: usize,
    there: usize,
    /// By code there, by code here: whether they fit.
    fits: Vec<Vec<bool>>,
}

impl Join {
    /// Of these releases. Records are told apart by the columns that releases share, and by those that are asked for:
    /// `also` names them by release.
    pub fn of(releases: &[&Release], rules: &[Inconsistent], also: &[Vec<usize>]) -> Join {
        let columns: Vec<Vec<usize>> = (0..releases.len()).map(|at| told_apart_by(releases, rules, also, at)).collect();
        let groups = releases.iter().zip(&columns).map(|(release, columns)| without_owners(release).project(columns));
        let groups: Vec<Combos> = groups.collect();
        let demands = (0..releases.len()).map(|at| demands(releases, &columns, rules, at)).collect();
        Join { groups, columns, demands }
    }

    /// The place of a release's column among those of its groups.
    pub fn place(&self, release: usize, column: usize) -> Option<usize> {
        self.columns[release].iter().position(|known| *known == column)
    }

    /// The groups of a release.
    pub fn groups(&self, release: usize) -> &Combos {
        &self.groups[release]
    }

    /// Every tuple of groups that match, with how many tuples of records it stands for.
    pub fn for_each(&self, mut visit: impl FnMut(&[usize], Tuples)) {
        self.extend(&mut Vec::with_capacity(self.groups.len()), 1, &mut visit);
    }

    /// How many tuples of records there are.
    pub fn size(&self) -> Tuples {
        let mut size: Tuples = 0;
        self.for_each(|_, tuples| size = size.saturating_add(tuples));
        size
    }

    fn extend(&self, tuple: &mut Vec<usize>, tuples: Tuples, visit: &mut impl FnMut(&[usize], Tuples)) {
        let release = tuple.len();
        let Some(groups) = self.groups.get(release) else { return visit(tuple, tuples) };
        let demands: Vec<(&[Code], &[bool])> =
            self.demands[release].iter().map(|demand| self.asked(demand, release, tuple)).collect();
        for at in 0..groups.len() {
            if demands.iter().all(|(codes, fits)| fits[codes[at] as usize]) {
                tuple.push(at);
                self.extend(tuple, tuples.saturating_mul(Tuples::from(groups.weights[at])), visit);
                tuple.pop();
            }
        }
    }

    /// The codes that a demand looks at, and by code whether it fits what the tuple has so far.
    fn asked<'a>(&'a self, demand: &'a Demand, release: usize, tuple: &[usize]) -> (&'a [Code], &'a [bool]) {
        let there = self.groups[demand.earlier].codes[demand.there][tuple[demand.earlier]];
        (&self.groups[release].codes[demand.here], &demand.fits[there as usize])
    }
}

/// People do not matter here: the attacker sees records.
fn without_owners(release: &Release) -> Combos {
    Combos { owners: None, ..release.combos.clone() }
}

/// The columns of a release that some other has too, that a rule speaks of, or that are asked for.
fn told_apart_by(releases: &[&Release], rules: &[Inconsistent], also: &[Vec<usize>], at: usize) -> Vec<usize> {
    let shared = |name: &str| {
        let others = releases.iter().enumerate().filter(|(other, _)| *other != at);
        others.into_iter().any(|(_, release)| release.columns.iter().any(|column| column.name == name))
    };
    let ruled = |name: &str| rules.iter().any(|rule| rule.one.0 == name || rule.other.0 == name);
    let asked = |column: usize| also.get(at).is_some_and(|columns| columns.contains(&column));
    let names = releases[at].columns.iter().map(|column| column.name.as_str()).enumerate();
    names.filter(|(column, name)| shared(name) || ruled(name) || asked(*column)).map(|(column, _)| column).collect()
}

/// What the groups of a release must agree on with those of each earlier one.
fn demands(releases: &[&Release], columns: &[Vec<usize>], rules: &[Inconsistent], at: usize) -> Vec<Demand> {
    let mut demands = Vec::new();
    for (here, column) in columns[at].iter().enumerate() {
        let ours = &releases[at].columns[*column];
        for earlier in 0..at {
            for (there, column) in columns[earlier].iter().enumerate() {
                let theirs = &releases[earlier].columns[*column];
                let fits = fits(theirs, ours, rules);
                demands.extend(fits.map(|fits| Demand { here, earlier, there, fits }));
            }
        }
    }
    demands
}

/// Whether two columns have anything to do with each other: they are the same attribute, or a rule speaks of both.
pub(crate) fn relate(one: &str, other: &str, rules: &[Inconsistent]) -> bool {
    one == other || rules.iter().any(|rule| rule.between(one, other).is_some())
}

/// By code of one column, by code of another: whether one person can have both. None when they have nothing to do with each
/// other.
pub(crate) fn fits(one: &PublishedColumn, other: &PublishedColumn, rules: &[Inconsistent]) -> Option<Vec<Vec<bool>>> {
    let mut table = (one.name == other.name).then(|| as_table(&matches(one, other), other.nodes.len()));
    for rule in rules {
        let Some((first, second)) = rule.between(&one.name, &other.name) else { continue };
        let (first, second) = (lies_below(one, first), lies_below(other, second));
        let table = table.get_or_insert_with(|| vec![vec![true; second.len()]; first.len()]);
        for (row, _) in table.iter_mut().zip(&first).filter(|(_, below)| **below) {
            row.iter_mut().zip(&second).for_each(|(fits, below)| *fits &= !below);
        }
    }
    table
}

impl Inconsistent {
    /// The two values, in this order of the attributes; none when the rule does not speak of both.
    pub(crate) fn between(&self, one: &str, other: &str) -> Option<(&str, &str)> {
        match (&self.one, &self.other) {
            (a, b) if a.0 == one && b.0 == other => Some((&a.1, &b.1)),
            (a, b) if b.0 == one && a.0 == other => Some((&b.1, &a.1)),
            _ => None,
        }
    }
}

fn as_table(lists: &[Vec<u32>], len: usize) -> Vec<Vec<bool>> {
    let row = |codes: &Vec<u32>| {
        let mut row = vec![false; len];
        codes.iter().for_each(|code| row[*code as usize] = true);
        row
    };
    lists.iter().map(row).collect()
}

/// By published code: whether it is this value, or lies below it. A value that the taxonomy does not have is nowhere.
pub(crate) fn lies_below(column: &PublishedColumn, value: &str) -> Vec<bool> {
    column.nodes.iter().map(|node| is_below(&column.tree, *node, value)).collect()
}

/// Whether a node is this value, or lies below it; numbers and dates lie in the interval that the value says.
pub(crate) fn is_below(tree: &Taxonomy, mut node: NodeId, value: &str) -> bool {
    if let (Some(inner), Some(outer)) = (tree.interval(node), Interval::parse(tree.value_type(), value)) {
        return inner.within(&outer);
    }
    loop {
        if tree.node(node).label == value {
            return true;
        }
        match tree.node(node).parent {
            Some(parent) => node = parent,
            None => return false,
        }
    }
}

/// How often a value of some columns occurs in the join, and with which values of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tuples with this value.
    pub tuples: Tuples,
    /// By value of the others, ascending: the tuples with both.
    pub with: std::collections::BTreeMap<Vec<Code>, Tuples>,
}

impl Tally {
    /// How many different values of the others occur.
    pub fn distinct(&self) -> Weight {
        self.with.len() as Weight
    }

    /// The tuples of the most frequent value of the others.
    pub fn most(&self) -> Tuples {
        self.with.values().copied().max().unwrap_or(0)
    }
}

impl Join {
    /// For every value that occurs on some columns: how often, and with which values on others. Columns are given as release
    /// and place among its groups' columns.
    pub fn tally(&self, x: &[(usize, usize)], y: &[(usize, usize)]) -> hashbrown::HashMap<Vec<Code>, Tally> {
        let mut found: hashbrown::HashMap<Vec<Code>, Tally> = hashbrown::HashMap::new();
        self.for_each(|tuple, tuples| {
            let value = |columns: &[(usize, usize)]| -> Vec<Code> {
                columns.iter().map(|(release, place)| self.groups[*release].codes[*place][tuple[*release]]).collect()
            };
            let tally = found.entry(value(x)).or_default();
            tally.tuples = tally.tuples.saturating_add(tuples);
            let with = tally.with.entry(value(y)).or_default();
            *with = with.saturating_add(tuples);
        });
        found
    }
}
