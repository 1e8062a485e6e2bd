//! Maximal sets of earlier releases whose join can contain a record of the table.
//!
//! Two earlier records that match a record of the table also match each other in every column that all three have,
//! because both represent its value. So two releases can conflict only in a column that the table does not have or that
//! a rule uses.

use std::collections::{BTreeMap, BTreeSet};

use super::histories::{connected, sorted, too_large};
use super::pruning::matched;
use crate::data::interval::is_masked;
use crate::data::table::Table;
use crate::error::{Error, HistoryLimit, Result};
use crate::join::lossy::{InconsistentRules, are_related, is_same_attribute};
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};
use crate::release::recipients::maximal_independent_sets;
use crate::release::recoding::{Recoded, Recoding};

/// Maximum number of sets of releases.
const MAX_PATTERNS: usize = 64;
/// Maximum number of search steps.
const MAX_SEARCH_STEPS: usize = 1_000;

/// Search for the maximal sets of releases by record of a table.
pub(super) struct MaximalSets<'a> {
    table: &'a Table,
    raw: Recoding,
    history: &'a History,
    rules: &'a [InconsistentRules],
    /// Whether no value is masked, by column of the table.
    plain: Vec<bool>,
    /// Whether a record matches some tuple of the releases, by set of releases, then by record.
    matched: BTreeMap<Vec<usize>, Vec<bool>>,
    /// Sets to process, with their records.
    open: Vec<(Vec<usize>, Vec<usize>)>,
}

impl<'a> MaximalSets<'a> {
    pub(super) fn new(table: &'a Table, history: &'a History, rules: &'a [InconsistentRules]) -> MaximalSets<'a> {
        let raw = Recoding::identity(table);
        let plain = |recoded: &Recoded| !recoded.column.tree.values().iter().any(|value| is_masked(value));
        let plain = raw.columns.iter().map(plain).collect();
        MaximalSets { table, raw, history, rules, plain, matched: BTreeMap::new(), open: Vec::new() }
    }

    /// Maximal sets for some record, within the releases of each coalition.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many sets.
    pub(super) fn find(mut self, by_coalition: &[Vec<usize>]) -> Result<BTreeSet<Vec<usize>>> {
        for held in by_coalition {
            let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
            let mut of_record: Vec<Vec<usize>> = vec![Vec::new(); self.table.contingency.len()];
            for release in held {
                let matched = self.matched(&[*release])?;
                let matching = of_record.iter_mut().zip(matched).filter(|(_, matched)| **matched);
                matching.for_each(|(pattern, _)| pattern.push(*release));
            }
            for (record, pattern) in of_record.into_iter().enumerate() {
                patterns.entry(pattern).or_default().push(record);
                check_limit(patterns.len())?;
            }
            self.open.extend(patterns);
        }
        let (mut maximal, mut processed) = (BTreeSet::new(), BTreeSet::new());
        while let Some((set, records)) = self.open.pop() {
            let set = connected(self.table, self.history, &set, self.rules);
            if !processed.insert((set.clone(), records.clone())) {
                continue;
            }
            for (set, records) in self.split_by_pairwise_conflicts(&set, records)? {
                if self.check_larger_conflicts(&set, records)? {
                    maximal.insert(connected(self.table, self.history, &set, self.rules));
                }
            }
            check_limit(maximal.len())?;
            if processed.len() > MAX_SEARCH_STEPS {
                return Err(too_many());
            }
        }
        Ok(maximal)
    }

    /// Maximal subsets without pairwise conflicts, with their records.
    fn split_by_pairwise_conflicts(
        &mut self,
        set: &[usize],
        records: Vec<usize>,
    ) -> Result<Vec<(Vec<usize>, Vec<usize>)>> {
        let mut of_record: Vec<Vec<(usize, usize)>> = vec![Vec::new(); records.len()];
        for (one, other) in self.may_conflict(set) {
            let both = self.matched(&[set[one], set[other]])?;
            let conflicting = of_record.iter_mut().zip(&records).filter(|(_, record)| !both[**record]);
            conflicting.for_each(|(conflicts, _)| conflicts.push((one, other)));
        }
        let mut conflicts: BTreeMap<Vec<(usize, usize)>, Vec<usize>> = BTreeMap::new();
        for (record, of_record) in records.into_iter().zip(of_record) {
            conflicts.entry(of_record).or_default().push(record);
        }
        let mut subsets = Vec::new();
        for (conflicts, records) in conflicts {
            let mut conflicting: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); set.len()];
            for (one, other) in conflicts {
                conflicting[one].insert(other);
                conflicting[other].insert(one);
            }
            for places in maximal_independent_sets(&conflicting).map_err(|_| too_many())? {
                subsets.push((sorted(places.into_iter().map(|at| set[at]).collect()), records.clone()));
            }
        }
        Ok(subsets)
    }

    /// Returns true if some of the records match the whole set, which has no pairwise conflicts.
    ///
    /// For the other records, three or more releases conflict; smaller sets are queued.
    fn check_larger_conflicts(&mut self, set: &[usize], records: Vec<usize>) -> Result<bool> {
        let mut remaining = records;
        for component in
            components(set.len(), &self.may_conflict(set)).into_iter().filter(|component| component.len() > 2)
        {
            let members: Vec<usize> = component.iter().map(|at| set[*at]).collect();
            let matched = self.matched(&members)?;
            let (can, cannot): (Vec<usize>, Vec<usize>) = remaining.into_iter().partition(|record| matched[*record]);
            let core = if cannot.is_empty() { Vec::new() } else { self.minimal_conflict(members, &cannot)? };
            for removed in &core {
                let smaller = set.iter().copied().filter(|release| release != removed).collect();
                self.open.push((smaller, cannot.clone()));
            }
            remaining = can;
        }
        Ok(!remaining.is_empty())
    }

    /// Minimal subset of `members` whose join contains none of the records.
    fn minimal_conflict(&mut self, mut members: Vec<usize>, records: &[usize]) -> Result<Vec<usize>> {
        for removed in members.clone() {
            let without: Vec<usize> = members.iter().copied().filter(|member| *member != removed).collect();
            let matched = self.matched(&without)?;
            if !records.iter().any(|record| matched[*record]) {
                members = without;
            }
        }
        Ok(members)
    }

    /// Pairs of releases of a set that can conflict, as indices into the set.
    fn may_conflict(&self, set: &[usize]) -> Vec<(usize, usize)> {
        let columns = |at: usize| &self.history.releases[set[at]].release.columns;
        // If the three columns have one type and the table's column is not masked, values that match its value match each other.
        let settled = |one: &PublishedColumn, other: &PublishedColumn| {
            let same = |ours: &PublishedColumn| {
                let same = |theirs: &&PublishedColumn| {
                    is_same_attribute(&ours.name, &theirs.name, self.rules)
                        && ours.tree.value_type() == theirs.tree.value_type()
                };
                [one, other].iter().all(same)
            };
            self.raw.columns.iter().zip(&self.plain).any(|(recoded, plain)| *plain && same(&recoded.column))
        };
        let conflict = |one: &PublishedColumn, other: &PublishedColumn| {
            are_related(&one.name, &other.name, self.rules) && !settled(one, other)
        };
        let pairs = (0..set.len()).flat_map(|one| (one + 1..set.len()).map(move |other| (one, other)));
        pairs
            .filter(|(one, other)| columns(*one).iter().any(|one| columns(*other).iter().any(|two| conflict(one, two))))
            .collect()
    }

    /// Whether a record matches some tuple of these releases, by record.
    fn matched(&mut self, set: &[usize]) -> Result<&Vec<bool>> {
        if !self.matched.contains_key(set) {
            let releases: Vec<&RecordedRelease> = set.iter().map(|at| &self.history.releases[*at]).collect();
            let found = matched(self.table, &self.raw, &releases, self.rules).ok_or_else(too_many)?;
            self.matched.insert(set.to_vec(), found);
        }
        Ok(&self.matched[set])
    }
}

/// Connected components of a graph with `len` nodes and the edges `pairs`.
fn components(len: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut part: Vec<usize> = (0..len).collect();
    for (one, other) in pairs {
        let (from, to) = (part[*one].max(part[*other]), part[*one].min(part[*other]));
        part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
    }
    let members = |wanted: usize| (0..len).filter(|at| part[*at] == wanted).collect::<Vec<usize>>();
    (0..len).map(members).filter(|members| !members.is_empty()).collect()
}

fn too_many() -> Error {
    too_large(HistoryLimit::Ways)
}

fn check_limit(sets: usize) -> Result<()> {
    match sets > MAX_PATTERNS {
        true => Err(too_large(HistoryLimit::Patterns { limit: MAX_PATTERNS })),
        false => Ok(()),
    }
}
