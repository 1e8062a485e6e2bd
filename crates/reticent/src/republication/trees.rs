//! Top-down specialization of groups along the taxonomies of the quasi-identifiers.

use std::collections::BTreeMap;

use super::RepublicationTask;
use crate::data::taxonomy::{NodeId, Taxonomy};

/// Taxonomies of the quasi-identifiers, with their columns. Grown taxonomies are completed by splitting at the median.
pub(super) struct Trees(Vec<(usize, Taxonomy)>);

/// Records by their generalized quasi-identifiers (one node for each column).
pub(super) type Specialized = BTreeMap<Vec<NodeId>, Vec<u32>>;

impl Trees {
    pub(super) fn new(task: &RepublicationTask<'_>) -> Trees {
        let tree = |column: usize| (column, task.table.columns[column].tree.halved(&task.table.weights_of(column)));
        Trees(task.quasi_identifiers().into_iter().map(tree).collect())
    }

    /// Returns the most general values: the roots.
    pub(super) fn root(&self) -> Vec<NodeId> {
        vec![0; self.0.len()]
    }

    /// Returns the valid specializations of a group, at most one for each column, with the reduction of the distortion.
    ///
    /// A specialization replaces the node of one column by its children. It is valid if every child has no record, or at least k.
    pub(super) fn specializations(
        &self,
        task: &RepublicationTask<'_>,
        at: &[NodeId],
        people: &[u32],
        k: usize,
    ) -> Vec<(f64, Specialized)> {
        let finer = (0..self.0.len()).filter_map(|place| {
            let (column, tree) = &self.0[place];
            let children = &tree.node(at[place]).children;
            let mut parts: Specialized = BTreeMap::new();
            let mut width = 0;
            for person in people {
                let code = task.code(*person as usize, *column);
                let after = children.partition_point(|child| tree.node(*child).span.start <= code);
                let child = children[after.checked_sub(1)?];
                width += tree.node(child).span.len();
                let mut finer = at.to_vec();
                finer[place] = child;
                parts.entry(finer).or_default().push(*person);
            }
            let undone = people.len() * tree.node(at[place]).span.len() - width;
            let safe = parts.values().all(|part| part.len() >= k);
            safe.then_some((undone as f64 / tree.len().max(1) as f64, parts))
        });
        finer.collect()
    }
}
