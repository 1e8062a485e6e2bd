//! Unmatched records, and pruning: cases in which every specialization of a violating candidate also violates a constraint.
//!
//! The paper's lemmas 4.1 and 4.2 claim that a violating candidate can always be pruned. They are false
//! (docs/decisions/0007). The cases below are proved. All require that the join columns of the new release are in X, so that
//! all records of a class match the same earlier tuples. The new table is *related* if every original record matches some
//! tuple of earlier records. Generalization preserves matches.
//!
//! 1. Y in the new release. The counts in a class are those without the join; the join only decides whether the class
//!    occurs. If the new table is related, every part of a split class occurs. A part has at most as many distinct values,
//!    and one of the parts has at least the same ratio.
//! 2. Y in earlier releases, X in none of them, limit "at least". A part of a class matches a subset of the tuples of the
//!    class, and at least one tuple because the table is related.
//! 3. As 2, limit "at most", if every earlier value matches at most one value of the new table, and every record of the one
//!    counted earlier release has a match. The ratio of a class is a mean of the ratios of the parts of its tuples. Every part
//!    occurs, in this class or another, because its earlier records have a match.
//! 4. Y in one earlier release, all its join columns in X, and every record of it has a match. The counts depend only on the
//!    value on X in that release, and every such value occurs for any recoding of the new table.

use std::collections::BTreeMap;

use super::index::{JoinIndex, join_columns};
use super::judge::JoinCheck;
use super::values::JoinValue;
use super::{Constraint, Counted, Limit};
use crate::contract::Merging;
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::table::Table;
use crate::data::taxonomy::Code;
use crate::join::lossy::InconsistentRules;
use crate::release::history::{History, RecordedRelease};
use crate::release::recoding::{Recoded, Recoding};

/// Relation between the original records of the new table and the earlier releases of a set.
#[derive(Debug)]
pub(super) struct Relation {
    new_all_match: bool,
    earlier_all_match: bool,
    single_valued: bool,
}

impl Relation {
    /// Returns true if every record of the new table matches some tuple of earlier records.
    pub(super) fn new_all_match(&self) -> bool {
        self.new_all_match
    }

    /// Returns true if every earlier value matches at most one value of the new table.
    pub(super) fn single_valued(&self) -> bool {
        self.single_valued
    }
}

/// Numbers of unmatched records of the new table and an earlier release.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Dangling {
    /// Number of the earlier release.
    pub number: u64,
    /// Name of the earlier release.
    pub name: String,
    /// Number of original records of the new table that match no record of the earlier release.
    pub unmatched_new: Weight,
    /// Number of records of the earlier release that match no record of the new table.
    pub unmatched_earlier: Weight,
}

/// Unmatched records of the new table and each earlier release. Releases without unmatched records are omitted.
pub fn dangling(table: &Table, history: &History, earlier: &[usize], rules: &[InconsistentRules]) -> Vec<Dangling> {
    let raw = Recoding::identity(table);
    let ours: Vec<&str> = raw.columns.iter().map(|recoded| recoded.column.name.as_str()).collect();
    let mut found = Vec::new();
    for recorded in earlier.iter().map(|at| &history.releases[*at]) {
        let keys = join_columns(&ours, &[recorded], rules);
        let index = JoinIndex::new(&TRIVIAL, &ours, &keys, &[recorded], rules);
        let reach = Reach::new(&index, table, &raw, &keys);
        let theirs = index.unreached(&reach.marks);
        if reach.unmatched > 0 || theirs > 0 {
            found.push(Dangling {
                number: recorded.number,
                name: recorded.name.clone(),
                unmatched_new: reach.unmatched,
                unmatched_earlier: theirs,
            });
        }
    }
    found
}

/// By combination of a table: whether its original records match some tuple of records of earlier releases.
/// Returns `None` if a limit is exceeded.
pub(super) fn matched(
    table: &Table,
    raw: &Recoding,
    releases: &[&RecordedRelease],
    rules: &[InconsistentRules],
) -> Option<Vec<bool>> {
    let ours: Vec<&str> = raw.columns.iter().map(|recoded| recoded.column.name.as_str()).collect();
    let keys = join_columns(&ours, releases, rules);
    let index = JoinIndex::new(&TRIVIAL, &ours, &keys, releases, rules);
    let contingency = ContingencyTable { owners: None, ..table.contingency.clone() }.project(&keys);
    let values = Reach::values(&index, raw, &keys);
    let mut marks = index.new_marks();
    let reached: Vec<bool> = (0..contingency.len())
        .map(|at| {
            let here: Vec<u32> = (0..keys.len()).map(|key| values[key][contingency.codes[key][at] as usize]).collect();
            index.mark_reached(&here, &mut marks)
        })
        .collect();
    let place = |at: usize| {
        let key: Vec<Code> = keys.iter().map(|column| table.contingency.codes[*column][at]).collect();
        contingency.find(&key)
    };
    let found = (0..table.contingency.len()).map(|at| place(at).is_some_and(|place| reached[place])).collect();
    (!index.gave_up()).then_some(found)
}

/// Number of original records of a table that match some tuple of earlier records, by set of earlier releases.
/// Counts all records if a limit is exceeded.
pub fn matching(table: &Table, history: &History, sets: &[&[usize]], rules: &[InconsistentRules]) -> Vec<Weight> {
    let raw = Recoding::identity(table);
    let rows = |set: &&[usize]| {
        let releases: Vec<&RecordedRelease> = set.iter().map(|at| &history.releases[*at]).collect();
        let matched = matched(table, &raw, &releases, rules).unwrap_or_else(|| vec![true; table.contingency.len()]);
        matched.iter().zip(&table.contingency.weights).filter(|(matched, _)| **matched).map(|(_, rows)| *rows).sum()
    };
    sets.iter().map(rows).collect()
}

/// A constraint that always holds.
const TRIVIAL: Constraint = Constraint {
    x: Vec::new(),
    y: Vec::new(),
    limit: Limit::AtLeast(0),
    excuses_earlier: false,
    title: String::new(),
    counted: String::new(),
    required_by: (String::new(), BTreeMap::new()),
};

/// Matches of a table's original records in the earlier releases.
struct Reach {
    /// Number of rows without a match.
    unmatched: Weight,
    /// Whether a record matches a group of the first release, by group.
    marks: Vec<bool>,
    /// Numbers of the values, by join column, then by code.
    values: Vec<Vec<u32>>,
}

impl Reach {
    /// Numbers of the values, by join column, then by code of the table.
    fn values(index: &JoinIndex<'_>, raw: &Recoding, keys: &[usize]) -> Vec<Vec<u32>> {
        let number = |(key, column): (usize, &usize)| -> Vec<u32> {
            let Recoded { column, map } = &raw.columns[*column];
            let node = |code: &u32| JoinValue::Node(&column.tree, column.nodes[*code as usize]);
            map.iter().map(|code| index.value(key, &node(code))).collect()
        };
        keys.iter().enumerate().map(number).collect()
    }

    fn new(index: &JoinIndex<'_>, table: &Table, raw: &Recoding, keys: &[usize]) -> Reach {
        let values = Reach::values(index, raw, keys);
        let contingency = ContingencyTable { owners: None, ..table.contingency.clone() }.project(keys);
        let (mut unmatched, mut marks) = (0, index.new_marks());
        for at in 0..contingency.len() {
            let here: Vec<u32> = (0..keys.len()).map(|key| values[key][contingency.codes[key][at] as usize]).collect();
            if !index.mark_reached(&here, &mut marks) {
                unmatched += contingency.weights[at];
            }
        }
        Reach { unmatched, marks, values }
    }
}

impl JoinCheck<'_> {
    /// Computes the relation of a table to the earlier releases. `raw` is the identity recoding.
    pub fn compute_relation(&self, table: &Table, raw: &Recoding) {
        // The index of a repeated column does not match its values.
        if self.repeats_a_column() {
            return;
        }
        self.relation().get_or_init(|| {
            let keys: Vec<usize> = self.varying().iter().chain(self.constant()).copied().collect();
            let reach = Reach::new(self.index(), table, raw, &keys);
            Relation {
                new_all_match: reach.unmatched == 0,
                earlier_all_match: self.index().all_reached(&reach.marks),
                single_valued: self.index().matches_single_values(&reach.values),
            }
        });
    }

    /// Returns true if the verdict is the same for every recoding of the new release (case 4).
    pub(crate) fn is_constant(&self, generalized: &[usize]) -> bool {
        let earlier =
            self.constraint.y.iter().all(|of| of.release() > 0) && self.constraint.x.iter().any(|at| at.release > 0);
        earlier && self.keeps_violating(generalized)
    }

    /// Returns true if two constraints have equal verdicts because both depend on the new release only (case 1).
    pub(crate) fn is_equivalent_to(&self, other: &JoinCheck<'_>) -> bool {
        let is_independent = |check: &JoinCheck<'_>| {
            let all_match = check.relation().get().is_some_and(|relation| relation.new_all_match);
            let known = check.constant().iter().all(|column| check.by().contains(column));
            all_match && known && check.constraint.y.iter().all(|of| of.release() == 0)
        };
        let limit = |check: &JoinCheck<'_>| format!("{:?}", check.constraint.limit);
        is_independent(self)
            && is_independent(other)
            && self.by() == other.by()
            && self.constraint.y == other.constraint.y
            && limit(self) == limit(other)
    }

    /// Returns true if every specialization of a violating candidate also violates the constraint. False if not proved.
    pub fn keeps_violating(&self, generalized: &[usize]) -> bool {
        let Some(relation) = self.relation().get() else { return false };
        let known = self.constant().iter().all(|column| self.by().contains(column));
        let is_generalized =
            |of: &Counted| matches!(of, Counted::Column(at) if at.release == 0 && generalized.contains(&at.column));
        if !known
            || self.has_generalized_key_outside_x(generalized)
            || !relation.new_all_match
            || self.constraint.y.iter().any(is_generalized)
        {
            return false;
        }
        let constraint = self.constraint;
        let mut counted = constraint.y.iter().map(Counted::release);
        let Some(release) = counted.next().filter(|first| counted.all(|other| other == *first)) else { return false };
        let x_in_earlier = constraint.x.iter().any(|at| at.release > 0);
        match (release, x_in_earlier, &constraint.limit) {
            // A class that violates a model of distributions has a part that does, if satisfying parts make a satisfying class.
            (0, _, Limit::Distribution(of)) => of.model.merging() == Merging::WithSatisfying,
            (0, _, _) => true,
            (_, false, Limit::AtLeast(_)) => true,
            (_, false, Limit::AtMost(_)) => relation.single_valued && relation.earlier_all_match,
            (_, false, Limit::Distribution(_)) => false,
            (_, true, _) => relation.earlier_all_match && self.index().has_join_columns_in_x(),
        }
    }
}
