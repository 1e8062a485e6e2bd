//! The largest sets of earlier releases that a record can be in together.
//!
//! Records of two releases that both match one of the table match each other in every column that all three have, since its value is behind
//! both. So only releases that share a column which the table does not have, or which a rule speaks of, can contradict each other.

use std::collections::{BTreeMap, BTreeSet};

use super::histories::{connected, sorted, too_large};
use super::related::matched;
use crate::error::{Error, HistoryLimit, Result};
use crate::history::{Held, History};
use crate::interval::is_masked;
use crate::join::{Inconsistent, is_same, relate};
use crate::recipients::largest;
use crate::recoding::{Recoded, Recoding};
use crate::release::PublishedColumn;
use crate::table::Table;

/// More sets of releases that people can be in than this are not judged,
const MOST_PATTERNS: usize = 64;
/// and for no more is it looked.
const MOST_LOOKS: usize = 1_000;

/// Which releases records of a table can be in together.
pub(super) struct Largest<'a> {
    table: &'a Table,
    raw: Recoding,
    history: &'a History,
    rules: &'a [Inconsistent],
    /// By column of the table: whether no star hides anything in it.
    plain: Vec<bool>,
    /// By set of releases: whether each record matches some tuple of theirs.
    matched: BTreeMap<Vec<usize>, Vec<bool>>,
    /// Sets that are to be looked at, with the records for which they are.
    open: Vec<(Vec<usize>, Vec<usize>)>,
}

impl<'a> Largest<'a> {
    pub(super) fn new(table: &'a Table, history: &'a History, rules: &'a [Inconsistent]) -> Largest<'a> {
        let raw = Recoding::identity(table);
        let plain = |recoded: &Recoded| !recoded.column.tree.values().iter().any(|value| is_masked(value));
        let plain = raw.columns.iter().map(plain).collect();
        Largest { table, raw, history, rules, plain, matched: BTreeMap::new(), open: Vec::new() }
    }

    /// By what coalitions hold, the largest sets that some record can be in.
    pub(super) fn of(mut self, held: &[Vec<usize>]) -> Result<BTreeSet<Vec<usize>>> {
        for held in held {
            let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
            let mut of_record: Vec<Vec<usize>> = vec![Vec::new(); self.table.combos.len()];
            for release in held {
                let matched = self.matched(&[*release])?;
                let fitting = of_record.iter_mut().zip(matched).filter(|(_, matched)| **matched);
                fitting.for_each(|(pattern, _)| pattern.push(*release));
            }
            for (record, pattern) in of_record.into_iter().enumerate() {
                patterns.entry(pattern).or_default().push(record);
                limit(patterns.len())?;
            }
            self.open.extend(patterns);
        }
        let (mut found, mut looked) = (BTreeSet::new(), BTreeSet::new());
        while let Some((set, records)) = self.open.pop() {
            let set = connected(self.table, self.history, &set, self.rules);
            if !looked.insert((set.clone(), records.clone())) {
                continue;
            }
            for (set, records) in self.without_conflicts(&set, records)? {
                if self.without_larger_conflicts(&set, records)? {
                    found.insert(connected(self.table, self.history, &set, self.rules));
                }
            }
            limit(found.len())?;
            if looked.len() > MOST_LOOKS {
                return Err(too_many());
            }
        }
        Ok(found)
    }

    /// The largest sets without two releases that a record cannot be in, with the records for which they are.
    fn without_conflicts(&mut self, set: &[usize], records: Vec<usize>) -> Result<Vec<(Vec<usize>, Vec<usize>)>> {
        let mut of_record: Vec<Vec<(usize, usize)>> = vec![Vec::new(); records.len()];
        for (one, other) in self.may_conflict(set) {
            let both = self.matched(&[set[one], set[other]])?;
            let apart = of_record.iter_mut().zip(&records).filter(|(_, record)| !both[**record]);
            apart.for_each(|(conflicts, _)| conflicts.push((one, other)));
        }
        let mut conflicts: BTreeMap<Vec<(usize, usize)>, Vec<usize>> = BTreeMap::new();
        for (record, of_record) in records.into_iter().zip(of_record) {
            conflicts.entry(of_record).or_default().push(record);
        }
        let mut found = Vec::new();
        for (conflicts, records) in conflicts {
            let mut apart: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); set.len()];
            for (one, other) in conflicts {
                apart[one].insert(other);
                apart[other].insert(one);
            }
            for places in largest(&apart).map_err(|_| too_many())? {
                found.push((sorted(places.into_iter().map(|at| set[at]).collect()), records.clone()));
            }
        }
        Ok(found)
    }

    /// Whether some of these records can be in a set, of which no two contradict each other. For those that cannot, because three or more
    /// do, smaller sets are open.
    fn without_larger_conflicts(&mut self, set: &[usize], records: Vec<usize>) -> Result<bool> {
        let mut left = records;
        for part in parts(set.len(), &self.may_conflict(set)).into_iter().filter(|part| part.len() > 2) {
            let members: Vec<usize> = part.iter().map(|at| set[*at]).collect();
            let together = self.matched(&members)?;
            let (can, cannot): (Vec<usize>, Vec<usize>) = left.into_iter().partition(|record| together[*record]);
            let core = if cannot.is_empty() { Vec::new() } else { self.core(members, &cannot)? };
            for gone in &core {
                let smaller = set.iter().copied().filter(|release| release != gone).collect();
                self.open.push((smaller, cannot.clone()));
            }
            left = can;
        }
        Ok(!left.is_empty())
    }

    /// Of releases that none of these records can be in together, some that they cannot either, and that are no longer so without any one.
    fn core(&mut self, mut members: Vec<usize>, records: &[usize]) -> Result<Vec<usize>> {
        for gone in members.clone() {
            let without: Vec<usize> = members.iter().copied().filter(|member| *member != gone).collect();
            let together = self.matched(&without)?;
            if !records.iter().any(|record| together[*record]) {
                members = without;
            }
        }
        Ok(members)
    }

    /// Which two releases of a set can contradict each other, by place.
    fn may_conflict(&self, set: &[usize]) -> Vec<(usize, usize)> {
        let columns = |at: usize| &self.history.releases[set[at]].release.columns;
        // Where all three are compared in one way, what matches the table's value matches; unless stars hide what it is.
        let settled = |one: &PublishedColumn, other: &PublishedColumn| {
            let same = |ours: &PublishedColumn| {
                let same = |theirs: &&PublishedColumn| {
                    is_same(&ours.name, &theirs.name, self.rules) && ours.tree.value_type() == theirs.tree.value_type()
                };
                [one, other].iter().all(same)
            };
            self.raw.columns.iter().zip(&self.plain).any(|(recoded, plain)| *plain && same(&recoded.column))
        };
        let conflict = |one: &PublishedColumn, other: &PublishedColumn| {
            relate(&one.name, &other.name, self.rules) && !settled(one, other)
        };
        let pairs = (0..set.len()).flat_map(|one| (one + 1..set.len()).map(move |other| (one, other)));
        pairs
            .filter(|(one, other)| columns(*one).iter().any(|one| columns(*other).iter().any(|two| conflict(one, two))))
            .collect()
    }

    /// By record: whether it matches some tuple of these releases.
    fn matched(&mut self, set: &[usize]) -> Result<&Vec<bool>> {
        if !self.matched.contains_key(set) {
            let held: Vec<&Held> = set.iter().map(|at| &self.history.releases[*at]).collect();
            let found = matched(self.table, &self.raw, &held, self.rules).ok_or_else(too_many)?;
            self.matched.insert(set.to_vec(), found);
        }
        Ok(&self.matched[set])
    }
}

/// What hangs together through pairs, by place.
fn parts(len: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
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

fn limit(sets: usize) -> Result<()> {
    match sets > MOST_PATTERNS {
        true => Err(too_large(HistoryLimit::Patterns { limit: MOST_PATTERNS })),
        false => Ok(()),
    }
}
