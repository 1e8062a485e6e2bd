//! Checks of equivalence classes: by a model, or by a join constraint.

use std::ops::Range;

use super::dimension::SplitDimension;
use crate::data::contingency::{ContingencyTable, ascending};
use crate::data::table::Table;
use crate::data::taxonomy::{Code, NodeId};
use crate::join::{ClassCells, JoinCheck};
use crate::models::{Judge, Judgement};
use crate::release::classes::{EquivalenceClass, Measured};

/// A check of every class of a grouping.
pub(super) struct ClassCheck<'a> {
    pub(super) measured: Measured,
    pub(super) rule: ClassRule<'a>,
}

/// Rule of a check.
pub(super) enum ClassRule<'a> {
    /// A model of the new release alone.
    Model(Judge<'a>),
    /// A constraint on joined releases. `key` has, for each join column, its dimension and the value number of each node.
    Join { join_check: &'a JoinCheck<'a>, cells: ClassCells, key: Vec<(usize, Vec<u32>)> },
}

/// The value that a candidate would split, and the split code for an interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitTarget {
    pub(super) node: NodeId,
    pub(super) split: Option<Code>,
}

impl ClassCheck<'_> {
    /// Judges a class with these values. `replaced` replaces the value number of one dimension.
    pub(super) fn judge(
        &self,
        class: &EquivalenceClass<'_>,
        values: &[NodeId],
        replaced: Option<(usize, u32)>,
        key: &mut Vec<u32>,
    ) -> Judgement {
        match &self.rule {
            ClassRule::Model(judge) => judge(class),
            ClassRule::Join { join_check, cells, key: columns } => {
                key.clear();
                key.extend(columns.iter().map(|(dimension, value_ids)| match replaced {
                    Some((changed, value_id)) if changed == *dimension => value_id,
                    _ => value_ids[values[*dimension]],
                }));
                join_check.judge(cells, key, class.counts)
            }
        }
    }

    /// Returns the value number of each child of a candidate, if this is a join constraint that uses the dimension.
    pub(super) fn child_value_ids(
        &self,
        dimension: usize,
        split_dimension: &SplitDimension,
        target: SplitTarget,
    ) -> Option<Vec<u32>> {
        let ClassRule::Join { join_check, key, .. } = &self.rule else { return None };
        let place = key.iter().position(|(known, _)| *known == dimension)?;
        let codes = split_dimension.tree.node(target.node).span.clone();
        Some(match target.split {
            Some(at) => [codes.start..at, at..codes.end]
                .map(|part| {
                    join_check.interval_value(place, &split_dimension.tree, part).unwrap_or(key[place].1[target.node])
                })
                .to_vec(),
            None => split_dimension.tree.node(target.node).children.iter().map(|child| key[place].1[*child]).collect(),
        })
    }
}

/// Returns the contingency table with published codes in all columns except the generalized ones. Values that are published as the
/// same interval get the same code.
pub(super) fn with_published_codes(table: &Table, dimensions: &[usize]) -> ContingencyTable {
    let raw = crate::release::recoding::Recoding::identity(table);
    let mut contingency = table.contingency.clone();
    for (at, (recoded, codes)) in raw.columns.iter().zip(&mut contingency.codes).enumerate() {
        if !dimensions.contains(&at) {
            codes.iter_mut().for_each(|code| *code = recoded.map[*code as usize]);
        }
    }
    contingency
}

/// Sorts combinations by the columns that are never generalized. Returns the ranges of equal values.
pub(super) fn group_by_fixed_columns(
    contingency: ContingencyTable,
    fixed: &[usize],
) -> (ContingencyTable, Vec<Range<usize>>) {
    if fixed.is_empty() {
        let all = 0..contingency.len();
        return (contingency, vec![all]);
    }
    let parts: Vec<&[Code]> = fixed.iter().map(|column| contingency.codes[*column].as_slice()).collect();
    let order = ascending(&parts, contingency.len());
    let mut initial_ranges = Vec::new();
    let mut start = 0;
    for at in 1..=order.len() {
        let ends =
            at == order.len() || parts.iter().any(|part| part[order[at] as usize] != part[order[at - 1] as usize]);
        if ends {
            initial_ranges.push(start..at);
            start = at;
        }
    }
    let take = |values: &Vec<u32>| order.iter().map(|at| values[*at as usize]).collect();
    let sorted = ContingencyTable {
        codes: contingency.codes.iter().map(take).collect(),
        weights: order.iter().map(|at| contingency.weights[*at as usize]).collect(),
        owners: contingency.owners.as_ref().map(take),
    };
    (sorted, initial_ranges)
}
