//! Detail that a purpose loses if the values of a column are published as one.
//!
//! labels      mutual information of value and label within the published value, in bits: Ent(labels) - mean of Ent(labels of a leaf).
//! queries     mean over the queries of 2 s (1 - s), where s is the share of the leaves that match: the mean distance of a leaf, which
//!             matches or not, from the estimate s.

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
    /// Number of records by code, then by label; and by code the number of records times the entropy of their labels.
    Labels { joint: Vec<Weight>, within: Vec<f64>, count: usize },
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
        Detail::from_joint(joint, count)
    }

    /// Creates the detail from the number of records by code, then by label.
    pub(super) fn from_joint(joint: Vec<Weight>, count: usize) -> Detail {
        let within = joint.chunks(count).map(|counts| counts.iter().sum::<Weight>() as f64 * entropy(counts)).collect();
        Detail::Labels { joint, within, count }
    }

    pub(super) fn of_queries(queries: &[CodeQuery], column: usize) -> Detail {
        let total: f64 = queries.iter().map(|query| query.weight).sum();
        let conditions = queries.iter().flat_map(|query| {
            let own = query.conditions.iter().filter(|condition| condition.column == column);
            own.map(|condition| (condition.clone(), query.weight / total))
        });
        Detail::Queries(conditions.collect())
    }

    /// Detail that is lost if these distinct codes are published as one value.
    pub(super) fn lost(&self, codes: impl Iterator<Item = Code>) -> f64 {
        match self {
            Detail::Uniform => 0.0,
            Detail::Labels { joint, within, count } => {
                let (mut totals, mut before) = (vec![0; *count], 0.0);
                for code in codes {
                    let counts = &joint[code as usize * count..][..*count];
                    totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
                    before += within[code as usize];
                }
                let rows: Weight = totals.iter().sum();
                // Rounding can give a negative number.
                if rows == 0 { 0.0 } else { (entropy(&totals) - before / rows as f64).max(0.0) }
            }
            Detail::Queries(conditions) => {
                let codes: Vec<Code> = codes.collect();
                let spread = |(condition, weight): &(CodeCondition, f64)| {
                    let matching = codes.iter().filter(|code| condition.contains(**code)).count();
                    let share = matching as f64 / codes.len().max(1) as f64;
                    weight * 2.0 * share * (1.0 - share)
                };
                conditions.iter().map(spread).sum()
            }
        }
    }

    /// Whether the purpose needs all values alike.
    pub(super) fn is_uniform(&self) -> bool {
        matches!(self, Detail::Uniform)
    }

    /// Detail that is lost by publishing each node of a tree. A node loses at least as much as its children.
    pub(super) fn lost_by_node(&self, tree: &Taxonomy) -> Vec<f64> {
        let mut lost: Vec<f64> = tree.nodes().iter().map(|node| self.lost(node.span.clone())).collect();
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

/// Entropy of counts, in bits.
fn entropy(counts: &[Weight]) -> f64 {
    let rows: Weight = counts.iter().sum();
    let part = |count: &Weight| {
        let share = *count as f64 / rows as f64;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(part).sum()
}
