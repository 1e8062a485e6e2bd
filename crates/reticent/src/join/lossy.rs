//! Lossy join: combines records of several releases that can belong to the same person.
//!
//! Definition  A tuple of records, one of each release, is in the join if every pair of records matches on all common
//!             attributes and has no two values declared inconsistent. Matching is not transitive, so every pair is
//!             checked.
//! Counts      Records with equal values in the relevant columns are one group with a weight. A tuple of groups represents
//!             the product of its weights. The join is not materialized.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, sections 3 and 6; the star join in general form.

mod row;
#[cfg(test)]
mod tests;

use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::interval::Interval;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::join::matching::matches;
use crate::release::{PublishedColumn, Release};

pub(crate) use row::CodeSet;

/// Number of tuples of records. Products of weights exceed 64 bits.
pub(crate) type Tuples = u128;

/// A pair of inconsistent values: no person has both, nor values below them.
///
/// If both sides are the same column, the rule declares that the column varies: a person can have different values in
/// different releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InconsistentRules {
    /// First attribute and a value of its taxonomy.
    pub one: (String, String),
    /// Second attribute and a value of its taxonomy.
    pub other: (String, String),
}

/// Lossy join of releases, by groups of records.
#[derive(Debug)]
pub struct LossyJoin {
    /// Groups by release.
    groups: Vec<ContingencyTable>,
    /// Columns that define the groups, by release.
    columns: Vec<Vec<usize>>,
    /// Join conditions with preceding releases, by release.
    conditions: Vec<Vec<JoinCondition>>,
    /// By release: index of the most selective condition, and its matching groups by code of the preceding release.
    candidates: Vec<Option<(usize, Vec<Vec<usize>>)>>,
    /// Number of visited releases. For the others, only the existence of a matching tuple is checked.
    visited: usize,
}

/// Condition that a column of a release matches a column of a preceding release.
#[derive(Debug)]
struct JoinCondition {
    /// Index of the column in the groups of this release.
    here: usize,
    /// Index of the preceding release.
    earlier: usize,
    /// Index of the column in the groups of the preceding release.
    there: usize,
    /// Matching codes of this release, by code of the preceding release.
    matching: Vec<CodeSet>,
}

impl LossyJoin {
    /// Creates the join of `releases`. Groups are defined by the join columns and the columns in `also`, by release.
    pub fn new(releases: &[&Release], rules: &[InconsistentRules], also: &[Vec<usize>]) -> LossyJoin {
        let columns: Vec<Vec<usize>> =
            (0..releases.len()).map(|at| grouping_columns(releases, rules, also, at)).collect();
        let groups = releases.iter().zip(&columns).map(|(release, columns)| without_owners(release).project(columns));
        let groups: Vec<ContingencyTable> = groups.collect();
        let conditions: Vec<Vec<JoinCondition>> =
            (0..releases.len()).map(|at| conditions(releases, &columns, rules, at)).collect();
        let candidates =
            conditions.iter().zip(&groups).map(|(conditions, groups)| most_selective(conditions, groups)).collect();
        LossyJoin { groups, columns, conditions, candidates, visited: releases.len() }
    }

    /// Restricts the visited tuples to the first `releases` releases, if a matching tuple of the others exists.
    pub(crate) fn with_visited(mut self, releases: usize) -> LossyJoin {
        self.visited = releases;
        self
    }

    /// Index of a release's column in its groups.
    pub fn place(&self, release: usize, column: usize) -> Option<usize> {
        self.columns[release].iter().position(|known| *known == column)
    }

    /// Groups of a release.
    pub fn groups(&self, release: usize) -> &ContingencyTable {
        &self.groups[release]
    }

    /// Visits every matching tuple of groups, with the number of tuples of records that it represents.
    pub fn for_each(&self, mut visit: impl FnMut(&[usize], Tuples)) {
        self.for_each_while(|tuple, tuples| {
            visit(tuple, tuples);
            true
        });
    }

    /// Like [`LossyJoin::for_each`], until `visit` returns false.
    pub(crate) fn for_each_while(&self, mut visit: impl FnMut(&[usize], Tuples) -> bool) {
        self.extend(&mut Vec::with_capacity(self.groups.len()), 1, &mut visit);
    }

    /// Number of tuples of records.
    pub fn size(&self) -> Tuples {
        let mut size: Tuples = 0;
        self.for_each(|_, tuples| size = size.saturating_add(tuples));
        size
    }

    /// Value of a tuple on some columns, given as release and column index in its groups.
    pub fn value(&self, columns: &[(usize, usize)], tuple: &[usize]) -> Vec<Code> {
        columns.iter().map(|(release, place)| self.groups[*release].codes[*place][tuple[*release]]).collect()
    }

    fn extend(&self, tuple: &mut Vec<usize>, tuples: Tuples, visit: &mut impl FnMut(&[usize], Tuples) -> bool) -> bool {
        let release = tuple.len();
        if release == self.visited {
            return !self.has_completion(tuple) || visit(tuple, tuples);
        }
        let weights = &self.groups[release].weights;
        for at in self.matching_groups(tuple) {
            tuple.push(at);
            let more = self.extend(tuple, tuples.saturating_mul(Tuples::from(weights[at])), visit);
            tuple.pop();
            if !more {
                return false;
            }
        }
        true
    }

    /// Returns true if the remaining releases have a tuple that matches this one.
    fn has_completion(&self, tuple: &mut Vec<usize>) -> bool {
        if tuple.len() == self.groups.len() {
            return true;
        }
        let prefix = tuple.clone();
        self.matching_groups(&prefix).any(|at| {
            tuple.push(at);
            let completes = self.has_completion(tuple);
            tuple.pop();
            completes
        })
    }

    /// Groups of the next release that match a tuple.
    fn matching_groups(&self, tuple: &[usize]) -> impl Iterator<Item = usize> + use<'_> {
        let release = tuple.len();
        let conditions: Vec<(&[Code], &CodeSet)> =
            self.conditions[release].iter().map(|condition| self.condition_codes(condition, release, tuple)).collect();
        let listed = self.candidates[release].as_ref().map(|(condition, groups)| {
            let condition = &self.conditions[release][*condition];
            let there = self.groups[condition.earlier].codes[condition.there][tuple[condition.earlier]];
            groups[there as usize].as_slice()
        });
        let all = if listed.is_none() { 0..self.groups[release].len() } else { 0..0 };
        let candidates = listed.unwrap_or_default().iter().copied();
        candidates.chain(all).filter(move |at| conditions.iter().all(|(codes, set)| set.contains(codes[*at])))
    }

    /// Codes of the groups that a condition checks, and the codes that match the tuple.
    fn condition_codes<'a>(
        &'a self,
        condition: &'a JoinCondition,
        release: usize,
        tuple: &[usize],
    ) -> (&'a [Code], &'a CodeSet) {
        let there = self.groups[condition.earlier].codes[condition.there][tuple[condition.earlier]];
        (&self.groups[release].codes[condition.here], &condition.matching[there as usize])
    }
}

/// Most selective condition, and its matching groups by code of the preceding release.
fn most_selective(conditions: &[JoinCondition], groups: &ContingencyTable) -> Option<(usize, Vec<Vec<usize>>)> {
    let by_code: Vec<Vec<Vec<usize>>> =
        conditions.iter().map(|condition| groups_by_code(&groups.codes[condition.here])).collect();
    let size = |at: &usize| -> usize {
        let groups = &by_code[*at];
        let left = |set: &CodeSet| {
            set.codes(groups.len()).iter().filter_map(|code| groups.get(*code as usize)).map(Vec::len).sum::<usize>()
        };
        conditions[*at].matching.iter().map(left).sum()
    };
    let sizes = (0..conditions.len()).map(|at| (size(&at), at));
    let (_, at) = sizes.min().filter(|(size, _)| *size <= MAX_LISTED)?;
    let listed = |set: &CodeSet| {
        let mut listed: Vec<usize> = set
            .codes(by_code[at].len())
            .iter()
            .filter_map(|code| by_code[at].get(*code as usize))
            .flatten()
            .copied()
            .collect();
        listed.sort_unstable();
        listed
    };
    Some((at, conditions[at].matching.iter().map(listed).collect()))
}

/// Maximum total length of the lists of matching groups. Without lists, every group is checked.
pub(crate) const MAX_LISTED: usize = 20_000_000;

/// Groups by code, up to the highest code.
fn groups_by_code(codes: &[Code]) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); codes.iter().max().map_or(0, |maximum| *maximum as usize + 1)];
    codes.iter().enumerate().for_each(|(at, code)| groups[*code as usize].push(at));
    groups
}

/// Removes owners, because an attacker sees records.
fn without_owners(release: &Release) -> ContingencyTable {
    ContingencyTable { owners: None, ..release.contingency.clone() }
}

/// Columns of a release that define its groups: shared with another release, used by a rule, or requested in `also`.
/// Varying columns do not count as shared.
fn grouping_columns(releases: &[&Release], rules: &[InconsistentRules], also: &[Vec<usize>], at: usize) -> Vec<usize> {
    let shared = |name: &str| {
        let others = releases.iter().enumerate().filter(|(other, _)| *other != at);
        others
            .into_iter()
            .any(|(_, release)| release.columns.iter().any(|column| is_same_attribute(&column.name, name, rules)))
    };
    let uses = |rule: &InconsistentRules, name: &str| {
        rule.varying_column().is_none() && (rule.one.0 == name || rule.other.0 == name)
    };
    let ruled = |name: &str| rules.iter().any(|rule| uses(rule, name));
    let requested = |column: usize| also.get(at).is_some_and(|columns| columns.contains(&column));
    let names = releases[at].columns.iter().map(|column| column.name.as_str()).enumerate();
    names.filter(|(column, name)| shared(name) || ruled(name) || requested(*column)).map(|(column, _)| column).collect()
}

/// Join conditions of a release with each preceding release.
fn conditions(
    releases: &[&Release],
    columns: &[Vec<usize>],
    rules: &[InconsistentRules],
    at: usize,
) -> Vec<JoinCondition> {
    let mut conditions = Vec::new();
    for (here, column) in columns[at].iter().enumerate() {
        let ours = &releases[at].columns[*column];
        for earlier in 0..at {
            for (there, column) in columns[earlier].iter().enumerate() {
                let theirs = &releases[earlier].columns[*column];
                let matching = matching_codes(theirs, ours, rules);
                conditions.extend(matching.map(|matching| JoinCondition { here, earlier, there, matching }));
            }
        }
    }
    conditions
}

/// Returns true if two columns are the same attribute or a rule uses both.
pub(crate) fn are_related(one: &str, other: &str, rules: &[InconsistentRules]) -> bool {
    is_same_attribute(one, other, rules) || rules.iter().any(|rule| rule.between(one, other).is_some())
}

/// Returns true if two columns are the same attribute, so that their values must match.
pub(crate) fn is_same_attribute(one: &str, other: &str, rules: &[InconsistentRules]) -> bool {
    one == other && !rules.iter().any(|rule| rule.varying_column() == Some(one))
}

/// Codes of `other` that a person can have, by code of `one`; `None` if the columns are unrelated.
pub(crate) fn matching_codes(
    one: &PublishedColumn,
    other: &PublishedColumn,
    rules: &[InconsistentRules],
) -> Option<Vec<CodeSet>> {
    let len = other.nodes.len();
    let matched = || matches(one, other).iter().map(|codes| CodeSet::new(codes, len)).collect();
    let mut table: Option<Vec<CodeSet>> = is_same_attribute(&one.name, &other.name, rules).then(matched);
    for rule in rules {
        let Some((first, second)) = rule.between(&one.name, &other.name) else { continue };
        let (first, second) = (lies_below(one, first), lies_below(other, second));
        let table = table.get_or_insert_with(|| vec![CodeSet::all(len); first.len()]);
        for (set, _) in table.iter_mut().zip(&first).filter(|(_, below)| **below) {
            *set = set.without(&second);
        }
    }
    table
}

/// Pairs of column and value in rules whose column exists but does not have the value. Such a rule has no effect.
pub fn unknown_values<'r>(rules: &'r [InconsistentRules], columns: &[&PublishedColumn]) -> Vec<(&'r str, &'r str)> {
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

impl InconsistentRules {
    /// Rule for a column that varies between releases. The column does not join.
    pub fn varying(column: &str) -> InconsistentRules {
        let side = (column.to_owned(), String::new());
        InconsistentRules { one: side.clone(), other: side }
    }

    /// Column that varies between releases, if the rule declares one.
    pub fn varying_column(&self) -> Option<&str> {
        (self.one.0 == self.other.0).then_some(self.one.0.as_str())
    }

    /// Values of the rule for the attributes `one` and `other`; `None` if the rule does not use both.
    pub(crate) fn between(&self, one: &str, other: &str) -> Option<(&str, &str)> {
        match (&self.one, &self.other) {
            (a, b) if a.0 == b.0 => None,
            (a, b) if a.0 == one && b.0 == other => Some((&a.1, &b.1)),
            (a, b) if b.0 == one && a.0 == other => Some((&b.1, &a.1)),
            _ => None,
        }
    }
}

/// By published code: whether it is `value` or below it. All false if the taxonomy does not have `value`.
pub(crate) fn lies_below(column: &PublishedColumn, value: &str) -> Vec<bool> {
    column.nodes.iter().map(|node| is_below(&column.tree, *node, value)).collect()
}

/// Returns true if a node is `value` or below it. For numbers and dates, `value` is an interval.
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

/// Counts for one value on X in the join.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JoinTally {
    /// Number of tuples with the value on X.
    pub tuples: Tuples,
    /// Number of tuples by value on Y.
    pub with: std::collections::BTreeMap<Vec<Code>, Tuples>,
}

impl JoinTally {
    /// Number of distinct values on Y.
    pub fn distinct(&self) -> Weight {
        self.with.len() as Weight
    }

    /// Number of tuples of the most frequent value on Y.
    pub fn max_tuples(&self) -> Tuples {
        self.with.values().copied().max().unwrap_or(0)
    }
}

impl LossyJoin {
    /// Counts by value on X. Columns are given as release and column index in its groups.
    pub fn tally(&self, x: &[(usize, usize)], y: &[(usize, usize)]) -> hashbrown::HashMap<Vec<Code>, JoinTally> {
        let mut found: hashbrown::HashMap<Vec<Code>, JoinTally> = hashbrown::HashMap::new();
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
