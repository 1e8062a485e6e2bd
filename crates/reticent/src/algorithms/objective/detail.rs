//! Detail that a purpose loses if the values of a column are published as one.
//!
//! labels      mutual information of value and label within the published value, in bits: Ent(labels) - mean of Ent(labels of a leaf).
//! queries     mean over the queries of 2 s (1 - s), where s is the share of the leaves that match: the mean distance of a leaf, which
//!             matches or not, from the estimate s.

use std::ops::Range;

use super::Labels;
use crate::data::contingency::Weight;
use crate::data::table::Table;
use crate::data::taxonomy::{Code, Taxonomy};
use crate::data::workload::{CodeCondition, CodeQuery};

/// Detail of one column that a purpose needs.
#[derive(Debug, Clone)]
pub(super) enum Detail {
    /// The purpose needs all columns alike.
    Uniform,
    /// Number of records by code, then by label.
    Labels { joint: Vec<Weight>, count: usize },
    /// Conditions of queries on the column, with the share of each query in the weight of all queries.
    Queries(Vec<(CodeCondition, f64)>),
}

impl Detail {
    pub(super) fn of_labels(table: &Table, column: usize, labels: &Labels) -> Detail {
        let count = labels.count;
        let mut joint = vec![0; table.columns[column].tree.len() * count];
        let codes = &table.contingency.codes[column];
        for ((code, label), weight) in codes.iter().zip(&labels.by_combination).zip(&table.contingency.weights) {
            joint[*code as usize * count + *label as usize] += weight;
        }
        Detail::Labels { joint, count }
    }

    pub(super) fn of_queries(queries: &[CodeQuery], column: usize) -> Detail {
        let total: f64 = queries.iter().map(|query| query.weight).sum();
        let conditions = queries.iter().flat_map(|query| {
            let own = query.conditions.iter().filter(|condition| condition.column == column);
            own.map(|condition| (condition.clone(), query.weight / total))
        });
        Detail::Queries(conditions.collect())
    }

    /// Detail that is lost if these codes are published as one value.
    pub(super) fn lost(&self, codes: &Range<Code>) -> f64 {
        match self {
            Detail::Uniform => 0.0,
            Detail::Labels { joint, count } => {
                information(&joint[codes.start as usize * count..codes.end as usize * count], *count)
            }
            Detail::Queries(conditions) => {
                let spread = |(condition, weight): &(CodeCondition, f64)| {
                    let share = condition.share(std::slice::from_ref(codes));
                    weight * 2.0 * share * (1.0 - share)
                };
                conditions.iter().map(spread).sum()
            }
        }
    }

    /// Detail that is lost by publishing each node of a tree. A node loses at least as much as its children.
    pub(super) fn lost_by_node(&self, tree: &Taxonomy) -> Vec<f64> {
        let mut lost: Vec<f64> = tree.nodes().iter().map(|node| self.lost(&node.span)).collect();
        let mut children_first: Vec<usize> = (0..lost.len()).collect();
        children_first.sort_by_key(|node| std::cmp::Reverse(tree.node(*node).depth));
        for node in children_first {
            if let Some(parent) = tree.node(node).parent {
                lost[parent] = lost[parent].max(lost[node]);
            }
        }
        lost
    }
}

/// Mutual information of values and labels, in bits. `joint` has the number of records by value, then by label.
fn information(joint: &[Weight], labels: usize) -> f64 {
    let mut totals: Vec<Weight> = vec![0; labels];
    let mut within = 0.0;
    for counts in joint.chunks(labels) {
        within += counts.iter().sum::<Weight>() as f64 * entropy(counts);
        totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    let rows: Weight = totals.iter().sum();
    if rows == 0 {
        return 0.0;
    }
    // Rounding can give a negative number.
    (entropy(&totals) - within / rows as f64).max(0.0)
}

/// Entropy of counts, in bits.
fn entropy(counts: &[Weight]) -> f64 {
    let rows: Weight = counts.iter().sum();
    let part = |count: &Weight| {
        let share = *count as f64 / rows as f64;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(part).sum()
}
