//! Covers: the people for whom one published quasi-identifier is true, which are those of one group, or of several groups if the policy
//! requires larger classes.

use super::{GroupingOutcome, RepublicationTask};
use crate::data::taxonomy::{Code, NodeId, Taxonomy};

impl GroupingOutcome {
    /// Returns the cover of each group, as an index, and the people of each cover: at least `task.k`, if there are so many.
    ///
    /// Groups of similar people share a cover. Their lists stay separate.
    pub fn covers(&self, task: &RepublicationTask<'_>) -> (Vec<usize>, Vec<Vec<u32>>) {
        let members = |group: usize| self.groups[group].members.iter().copied();
        if self.groups.iter().all(|group| group.members.len() as u64 >= task.k) {
            return (0..self.groups.len()).map(|group| (group, members(group).collect::<Vec<u32>>())).unzip();
        }
        // Groups are similar if their smallest codes are, most important in the first columns.
        let columns = task.quasi_identifiers();
        let lowest = |group: usize, column: usize| members(group).map(|at| task.code(at as usize, column)).min();
        let mut order: Vec<(Vec<Option<Code>>, usize)> = (0..self.groups.len())
            .map(|group| (columns.iter().map(|column| lowest(group, *column)).collect(), group))
            .collect();
        order.sort_unstable();
        let mut together: Vec<(Vec<usize>, u64)> = Vec::new();
        for (_, group) in order {
            let people = self.groups[group].members.len() as u64;
            match together.last_mut().filter(|(_, people)| *people < task.k) {
                Some((groups, sum)) => {
                    groups.push(group);
                    *sum += people;
                }
                None => together.push((vec![group], people)),
            }
        }
        // The last groups can be too few.
        if together.len() > 1
            && let Some((rest, people)) = together.pop_if(|(_, people)| *people < task.k)
            && let Some((groups, sum)) = together.last_mut()
        {
            groups.extend(rest);
            *sum += people;
        }
        let mut cover_of = vec![0; self.groups.len()];
        let mut covers = Vec::with_capacity(together.len());
        for (cover, (groups, _)) in together.into_iter().enumerate() {
            groups.iter().for_each(|group| cover_of[*group] = cover);
            covers.push(groups.into_iter().flat_map(members).collect());
        }
        (cover_of, covers)
    }
}

/// Returns the finest declared interval of a value; `None` if the policy declares none.
pub(super) fn finest_interval(tree: &Taxonomy, code: Code) -> Option<NodeId> {
    let leaf = tree.leaf_of(code);
    if leaf == 0 || tree.can_grow(leaf) {
        return None;
    }
    // A single value is below its finest interval.
    let is_value = tree.node(leaf).label == tree.value(code);
    let node = if is_value { tree.node(leaf).parent? } else { leaf };
    (node != 0 && tree.interval(node).is_some()).then_some(node)
}
