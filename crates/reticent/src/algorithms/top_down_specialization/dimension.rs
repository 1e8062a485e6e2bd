//! A generalized column: its taxonomy, whose intervals grow during the search, and the children of each candidate.

use std::ops::Range;

use super::judging::SplitTarget;
use super::loss::{Loss, penalty, penalty_of_node};
use crate::data::table::Table;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};

/// A generalized column with the targets of its candidates.
pub(super) struct SplitDimension {
    /// Index in the table.
    pub(super) column: usize,
    pub(super) tree: Taxonomy,
    /// By code: index of the child to which it belongs if its value in the cut is specialized.
    pub(super) child_of_code: Vec<u32>,
}

impl SplitDimension {
    pub(super) fn new(table: &Table, column: usize) -> SplitDimension {
        let tree = (*table.columns[column].tree).clone();
        SplitDimension { column, child_of_code: vec![0; tree.len()], tree }
    }

    /// Sets the children of a value as the target of its specialization.
    pub(super) fn target_children(&mut self, node: NodeId) {
        for (place, child) in self.tree.node(node).children.iter().enumerate() {
            let codes = self.tree.node(*child).span.clone();
            self.child_of_code[codes.start as usize..codes.end as usize].fill(place as u32);
        }
    }

    /// Sets the split of an interval at a code as the target of its specialization.
    pub(super) fn target_split(&mut self, node: NodeId, at: Code) {
        let codes = self.tree.node(node).span.clone();
        self.child_of_code[codes.start as usize..at as usize].fill(0);
        self.child_of_code[at as usize..codes.end as usize].fill(1);
    }

    /// Returns the penalty of publishing a node.
    pub(super) fn penalty(&self, node: NodeId) -> Loss {
        penalty_of_node(&self.tree, node)
    }

    /// Returns the penalty of each child of a candidate minus the penalty of the candidate.
    pub(super) fn child_penalties(&self, target: SplitTarget) -> Vec<Loss> {
        let (whole, codes) = (self.penalty(target.node), self.tree.node(target.node).span.clone());
        match target.split {
            Some(at) => [codes.start..at, at..codes.end].map(|part| penalty(&self.tree, &part) - whole).to_vec(),
            None => self.tree.node(target.node).children.iter().map(|child| self.penalty(*child) - whole).collect(),
        }
    }

    /// Returns the width of a range of numbers relative to the whole range.
    pub(super) fn width(&self, codes: &Range<Code>) -> f64 {
        let (Some(numbers), Some((low, high))) = (self.tree.numbers(), self.tree.extent()) else { return 0.0 };
        if high <= low || codes.is_empty() {
            return 0.0;
        }
        let start = if codes.start == 0 { low } else { numbers.get(codes.start as usize).copied().unwrap_or(high) };
        let end = numbers.get(codes.end as usize).copied().unwrap_or(high);
        (end - start) / (high - low)
    }
}
