//! The lossy join: records of several releases that match pairwise are taken for one person's, as an attacker would.
//!
//! Definition  a tuple of records, one of each release, is in the join when every two of them match on every attribute that
//!             both releases have, and hold no two values that are declared inconsistent. Matching is not transitive, so
//!             every pair is looked at.
//! Counts      records that agree on what matters are one group with a weight; a tuple of groups stands for the product of
//!             its weights. The join itself is never made.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, sections 3 and 6; the star join in general form.

mod row;
#[cfg(test)]
mod tests;

use crate::combos::{Combos, Weight};
use crate::interval::Interval;
use crate::matching::matches;
use crate::release::{PublishedColumn, Release};
use crate::taxonomy::{Code, NodeId, Taxonomy};

pub(crate) use row::Row;

/// How many tuples of records: products of weights outgrow 64 bits.
pub(crate) type Tuples = u128;

/// Two values that no one person has: whoever has the one, or something below it, does not have the other. With the same column
/// on both sides: that a person can have several values of it, one in each release.
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
    /// By release: for the demand that leaves fewest, by code there, the groups that fit.
    near: Vec<Option<(usize, Vec<Vec<usize>>)>>,
    /// How many of the releases are visited; of the others there need only be some.
    visited: usize,
}

/// A column of a release that must fit a column of an earlier one.
#[derive(Debug)]
struct Demand {
    /// The place of the column among those of this release's groups.
    here: usize,
    /// The earlier release, and the place of the column among those of its groups.
    earlier: usize,
    there: usize,
    /// By code there: the codes here that fit.
    fits: Vec<Row>,
}

impl Join {
    /// Of these releases. Records are told apart by the columns that releases share, and by those that are asked for:
    /// `also` names them by release.
    pub fn of(releases: &[&Release], rules: &[Inconsistent], also: &[Vec<usize>]) -> Join {
        let columns: Vec<Vec<usize>> = (0..releases.len()).map(|at| told_apart_by(releases, rules, also, at)).collect();
        let groups = releases.iter().zip(&columns).map(|(release, columns)| without_owners(release).project(columns));
        let groups: Vec<Combos> = groups.collect();
        let demands: Vec<Vec<Demand>> = (0..releases.len()).map(|at| demands(releases, &columns, rules, at)).collect();
        let near = demands.iter().zip(&groups).map(|(demands, groups)| nearest(demands, groups)).collect();
        Join { groups, columns, demands, near, visited: releases.len() }
    }

    /// The same, visiting the first releases only: their tuples that some tuple of the others goes with.
    pub(crate) fn visiting(mut self, releases: usize) -> Join {
        self.visited = releases;
        self
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
        self.for_each_while(|tuple, tuples| {
            visit(tuple, tuples);
            true
        });
    }

    /// The same until `visit` has enough.
    pub(crate) fn for_each_while(&self, mut visit: impl FnMut(&[usize], Tuples) -> bool) {
        self.extend(&mut Vec::with_capacity(self.groups.len()), 1, &mut visit);
    }

    /// How many tuples of records there are.
    pub fn size(&self) -> Tuples {
        let mut size: Tuples = 0;
        self.for_each(|_, tuples| size = size.saturating_add(tuples));
        size
    }

    /// The value of some columns, given as release and place among its groups' columns, that a tuple has.
    pub fn value(&self, columns: &[(usize, usize)], tuple: &[usize]) -> Vec<Code> {
        columns.iter().map(|(release, place)| self.groups[*release].codes[*place][tuple[*release]]).collect()
    }

    fn extend(&self, tuple: &mut Vec<usize>, tuples: Tuples, visit: &mut impl FnMut(&[usize], Tuples) -> bool) -> bool {
        let release = tuple.len();
        if release == self.visited {
            return !self.goes_on(tuple) || visit(tuple, tuples);
        }
        let weights = &self.groups[release].weights;
        for at in self.fitting(tuple) {
            tuple.push(at);
            let more = self.extend(tuple, tuples.saturating_mul(Tuples::from(weights[at])), visit);
            tuple.pop();
            if !more {
                return false;
            }
        }
        true
    }

    /// Whether the releases that are left have a tuple that goes with this one.
    fn goes_on(&self, tuple: &mut Vec<usize>) -> bool {
        if tuple.len() == self.groups.len() {
            return true;
        }
        let found = tuple.clone();
        self.fitting(&found).any(|at| {
            tuple.push(at);
            let goes_on = self.goes_on(tuple);
            tuple.pop();
            goes_on
        })
    }

    /// The groups of the next release that go with a tuple.
    fn fitting(&self, tuple: &[usize]) -> impl Iterator<Item = usize> + use<'_> {
        let release = tuple.len();
        let demands: Vec<(&[Code], &Row)> =
            self.demands[release].iter().map(|demand| self.asked(demand, release, tuple)).collect();
        let listed = self.near[release].as_ref().map(|(demand, near)| {
            let demand = &self.demands[release][*demand];
            let there = self.groups[demand.earlier].codes[demand.there][tuple[demand.earlier]];
            near[there as usize].as_slice()
        });
        let all = if listed.is_none() { 0..self.groups[release].len() } else { 0..0 };
        let near = listed.unwrap_or_default().iter().copied();
        near.chain(all).filter(move |at| demands.iter().all(|(codes, fits)| fits.has(codes[*at])))
    }

    /// The codes that a demand looks at, and by code whether it fits what the tuple has so far.
    fn asked<'a>(&'a self, demand: &'a Demand, release: usize, tuple: &[usize]) -> (&'a [Code], &'a Row) {
        let there = self.groups[demand.earlier].codes[demand.there][tuple[demand.earlier]];
        (&self.groups[release].codes[demand.here], &demand.fits[there as usize])
    }
}

/// The demand that leaves fewest groups, and by code there the groups that it leaves.
fn nearest(demands: &[Demand], groups: &Combos) -> Option<(usize, Vec<Vec<usize>>)> {
    let by_code: Vec<Vec<Vec<usize>>> =
        demands.iter().map(|demand| groups_by_code(&groups.codes[demand.here])).collect();
    let size = |at: &usize| -> usize {
        let groups = &by_code[*at];
        let left = |row: &Row| {
            row.codes(groups.len()).iter().filter_map(|code| groups.get(*code as usize)).map(Vec::len).sum::<usize>()
        };
        demands[*at].fits.iter().map(left).sum()
    };
    let sizes = (0..demands.len()).map(|at| (size(&at), at));
    let (_, at) = sizes.min().filter(|(size, _)| *size <= MOST_LISTED)?;
    let listed = |row: &Row| {
        let mut listed: Vec<usize> = row
            .codes(by_code[at].len())
            .iter()
            .filter_map(|code| by_code[at].get(*code as usize))
            .flatten()
            .copied()
            .collect();
        listed.sort_unstable();
        listed
    };
    Some((at, demands[at].fits.iter().map(listed).collect()))
}

/// Longer lists of what fits are not kept: then every group is looked at.
pub(crate) const MOST_LISTED: usize = 20_000_000;

/// By code, up to the highest: the groups with it.
fn groups_by_code(codes: &[Code]) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); codes.iter().max().map_or(0, |most| *most as usize + 1)];
    codes.iter().enumerate().for_each(|(at, code)| groups[*code as usize].push(at));
    groups
}

/// People do not matter here: the attacker sees records.
fn without_owners(release: &Release) -> Combos {
    Combos { owners: None, ..release.combos.clone() }
}

/// The columns of a release that some other has too, that a rule speaks of, or that are asked for. Those that vary are not among
/// the first.
fn told_apart_by(releases: &[&Release], rules: &[Inconsistent], also: &[Vec<usize>], at: usize) -> Vec<usize> {
    let shared = |name: &str| {
        let others = releases.iter().enumerate().filter(|(other, _)| *other != at);
        others.into_iter().any(|(_, release)| release.columns.iter().any(|column| is_same(&column.name, name, rules)))
    };
    let speaks = |rule: &Inconsistent, name: &str| {
        rule.varying_column().is_none() && (rule.one.0 == name || rule.other.0 == name)
    };
    let ruled = |name: &str| rules.iter().any(|rule| speaks(rule, name));
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
    is_same(one, other, rules) || rules.iter().any(|rule| rule.between(one, other).is_some())
}

/// Whether two columns are the same attribute of a person, whose values must match.
pub(crate) fn is_same(one: &str, other: &str, rules: &[Inconsistent]) -> bool {
    one == other && !rules.iter().any(|rule| rule.varying_column() == Some(one))
}

/// By code of one column: the codes of another that one person can have with it. None when the two have nothing to do with
/// each other.
pub(crate) fn fits(one: &PublishedColumn, other: &PublishedColumn, rules: &[Inconsistent]) -> Option<Vec<Row>> {
    let len = other.nodes.len();
    let matched = || matches(one, other).iter().map(|codes| Row::of(codes, len)).collect();
    let mut table: Option<Vec<Row>> = is_same(&one.name, &other.name, rules).then(matched);
    for rule in rules {
        let Some((first, second)) = rule.between(&one.name, &other.name) else { continue };
        let (first, second) = (lies_below(one, first), lies_below(other, second));
        let table = table.get_or_insert_with(|| vec![Row::all(len); first.len()]);
        for (row, _) in table.iter_mut().zip(&first).filter(|(_, below)| **below) {
            *row = row.without(&second);
        }
    }
    table
}

/// Columns and values of which rules speak and that none of these columns has: such a rule says nothing.
pub fn unknown_values<'r>(rules: &'r [Inconsistent], columns: &[&PublishedColumn]) -> Vec<(&'r str, &'r str)> {
    let known = |(name, value): &(&str, &str)| {
        let has = |column: &&&PublishedColumn| {
            let tree = &column.tree;
            tree.find(value).is_some() || Interval::parse(tree.value_type(), value).is_some()
        };
        let mut named = columns.iter().filter(|column| column.name == *name).peekable();
        named.peek().is_none() || named.any(|column| has(&column))
    };
    let sides = rules.iter().filter(|rule| rule.varying_column().is_none()).flat_map(|rule| [&rule.one, &rule.other]);
    let mut unknown: Vec<(&str, &str)> = sides.map(|(name, value)| (name.as_str(), value.as_str())).collect();
    unknown.retain(|side| !known(side));
    unknown.dedup();
    unknown
}

impl Inconsistent {
    /// A column that a person can have with other values in another release: it joins nothing.
    pub(crate) fn varying(column: &str) -> Inconsistent {
        let side = (column.to_owned(), String::new());
        Inconsistent { one: side.clone(), other: side }
    }

    /// The column that can have other values in another release, if the rule says that.
    pub fn varying_column(&self) -> Option<&str> {
        (self.one.0 == self.other.0).then_some(self.one.0.as_str())
    }

    /// The two values, in this order of the attributes; none when the rule does not speak of both.
    pub(crate) fn between(&self, one: &str, other: &str) -> Option<(&str, &str)> {
        match (&self.one, &self.other) {
            (a, b) if a.0 == b.0 => None,
            (a, b) if a.0 == one && b.0 == other => Some((&a.1, &b.1)),
            (a, b) if b.0 == one && a.0 == other => Some((&b.1, &a.1)),
            _ => None,
        }
    }
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
