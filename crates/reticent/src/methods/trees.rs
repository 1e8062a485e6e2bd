//! Specializing people top-down, along the trees of their quasi-identifiers.

use std::collections::BTreeMap;

use super::Task;
use crate::taxonomy::{NodeId, Taxonomy};

/// The quasi-identifiers with trees that lead down to single values or intervals.
pub(super) struct Trees(Vec<(usize, Taxonomy)>);

/// People by what is said of them.
pub(super) type Specialized = BTreeMap<Vec<NodeId>, Vec<u32>>;

impl Trees {
    pub(super) fn of(task: &Task<'_>) -> Trees {
        let tree = |column: usize| (column, task.table.columns[column].tree.halved(&task.table.weights_of(column)));
        Trees(task.quasi_identifiers().into_iter().map(tree).collect())
    }

    /// What is said of everybody at first: nothing.
    pub(super) fn top(&self) -> Vec<NodeId> {
        vec![0; self.0.len()]
    }

    /// By column: people with the children of its value in place of it, if that leaves nobody with fewer than k, and how much
    /// distortion it undoes.
    pub(super) fn finer(&self, task: &Task<'_>, at: &[NodeId], people: &[u32], k: usize) -> Vec<(f64, Specialized)> {
        let finer = (0..self.0.len()).filter_map(|place| {
            let (column, tree) = &self.0[place];
            let children = &tree.node(at[place]).children;
            let mut parts: Specialized = BTreeMap::new();
            let mut width = 0;
            for person in people {
                let code = task.code(*person as usize, *column);
                let after = children.partition_point(|child| tree.node(*child).codes.start <= code);
                let child = children[after.checked_sub(1)?];
                width += tree.node(child).codes.len();
                let mut finer = at.to_vec();
                finer[place] = child;
                parts.entry(finer).or_default().push(*person);
            }
            let undone = people.len() * tree.node(at[place]).codes.len() - width;
            let safe = parts.values().all(|part| part.len() >= k);
            safe.then_some((undone as f64 / tree.len().max(1) as f64, parts))
        });
        finer.collect()
    }
}
