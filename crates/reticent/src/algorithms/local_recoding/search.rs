//! Local recoding: partitions the distinct combinations of values into groups, each with its own published values.
//!
//! State       a partition of the combinations. A group publishes, for every column, the lowest common node of its members
//!             (`ValueForm::Nodes`) or the set of their leaves (`ValueForm::Sets`). Groups that publish the same are one class.
//! Search      an initial partition (level greedy or k-member clustering), insertion of the leftovers, local search.
//! Loss        mean generalized certainty penalty of the records; the search adds the columns instead of averaging them.
//! Soundness   every group satisfies the requirement when it is added or changed. If all combinations as one group violate
//!             it, there is no result.
//! Result      deterministic for a seed; independent of the order of the input combinations.
//! Papers      Byun et al., Efficient k-anonymization using clustering techniques, DASFAA 2007 (k-member);
//!             Xu et al., Utility-based anonymization using local recoding, KDD 2006 (local recoding, penalty).

mod clustering;
mod cover;
mod leftovers;
mod level_greedy;
mod levels;
mod local_search;
mod moves;
mod neighbours;
mod partition;
mod problem;
mod random;
mod subset;
#[cfg(test)]
mod tests;

use super::super::ValueForm;
use cover::{Cover, NodeCover, SetCover};
use neighbours::Neighbours;
use partition::Partition;
use problem::Problem;
use random::Random;

/// Taxonomy of one column. Node 0 is the root, a parent precedes its children, and every code has a leaf.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Nodes, the root first.
    pub nodes: Vec<TreeNode>,
    /// Whether a set of values is a range of leaves, as for numbers and dates.
    pub ordered: bool,
    /// Code of missing values, which belong to no range.
    pub missing: Option<u32>,
    /// Loss of publishing all leaves as a set, without the detail of a purpose.
    pub weight: f64,
    /// Whether sets lose detail that a purpose needs, see [`Input::set_detail_loss`].
    pub has_detail: bool,
}

/// Node of a taxonomy.
#[derive(Debug, Clone)]
pub(super) struct TreeNode {
    /// Parent node; `None` for the root.
    pub parent: Option<u32>,
    /// Codes of the leaves below the node.
    pub codes: std::ops::Range<u32>,
    /// Penalty of a published cell: 0 for a leaf, 1 for the root.
    pub loss: f64,
}

/// Judgement of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GroupVerdict {
    /// Whether the group satisfies the requirement.
    pub holds: bool,
    /// Safety of the group; higher is safer.
    pub safety: f64,
}

/// Judges a group: members (indices of combinations) and the lowest common node by column.
pub(super) type JudgeGroup<'a> = &'a (dyn Fn(&[u32], &[u32]) -> GroupVerdict + Sync);

/// Loss of the detail that a purpose needs: column and leaves of a set.
pub(super) type SetDetailLoss<'a> = &'a (dyn Fn(usize, &mut dyn Iterator<Item = u32>) -> f64 + Sync);

/// Data and requirement of the search.
pub(super) struct Input<'a> {
    /// Taxonomy by column.
    pub trees: &'a [Tree],
    /// Leaf code by column, then by combination. Combinations are distinct.
    pub codes: &'a [Vec<u32>],
    /// Number of records by combination.
    pub weights: &'a [u64],
    /// Judges a group exactly.
    pub judge: JudgeGroup<'a>,
    /// A group with fewer records violates the requirement; 1 if unknown.
    pub min_weight: u64,
    /// Whether a group satisfies the requirement exactly if it has at least `min_weight` records.
    pub only_weight: bool,
    /// Whether the union of a satisfying group and any group satisfies the requirement.
    pub merging_is_safe: bool,
    /// Published values of a group: the lowest common node of the members, or the set of their leaves. Numbers and dates publish the
    /// range from the first to the last leaf. The loss of a set is weight * (leaves in the set - 1) / (leaves of the tree - 1), and the
    /// detail of the purpose.
    pub form: ValueForm,
    /// Loss of the detail of the purpose, for sets of columns with `has_detail`.
    pub set_detail_loss: SetDetailLoss<'a>,
}

/// Limits of the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// Maximum number of level vectors of the level greedy search.
    pub vectors: usize,
    /// Maximum number of changes that the local search evaluates.
    pub moves: u64,
}

/// Group of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Indices of the combinations, ascending.
    pub members: Vec<u32>,
    /// Lowest common node by column.
    pub nodes: Vec<u32>,
}

/// Partitions the combinations into groups that satisfy the requirement, with low loss.
///
/// Returns `None` if all combinations as one group violate the requirement. If `stop` returns true, the search finishes
/// the partition with cheap steps; every group satisfies the requirement also then.
pub(super) fn search(
    input: &Input<'_>,
    seed: u64,
    budget: &Budget,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Group>> {
    let problem = Problem::new(input, stop);
    if problem.len() == 0 {
        return Some(Vec::new());
    }
    let all: Vec<u32> = (0..problem.len() as u32).collect();
    if !problem.satisfies(&all) {
        return None;
    }
    let groups = match input.form {
        ValueForm::Nodes => partition::<NodeCover>(&problem, seed, budget),
        ValueForm::Sets => partition::<SetCover>(&problem, seed, budget),
    };
    let mut groups: Vec<Group> = groups.iter().map(|members| problem.group(members)).collect();
    groups.iter_mut().for_each(|group| group.members.sort_unstable());
    groups.sort_unstable_by(|one, other| one.members.cmp(&other.members));
    Some(groups)
}

/// Returns a large subset of the combinations that satisfies the requirement as one group; `None` if none is found.
pub(super) fn satisfying_subset(input: &Input<'_>) -> Option<Vec<u32>> {
    let problem = Problem::new(input, &|| false);
    let all = (0..problem.len() as u32).collect();
    let mut members = problem.group(&subset::satisfying_subset(&problem, all)?).members;
    members.sort_unstable();
    Some(members)
}

/// Returns the members of the groups, as indices of the problem.
fn partition<C: Cover>(problem: &Problem<'_>, seed: u64, budget: &Budget) -> Vec<Vec<u32>> {
    let mut random = Random::new(seed);
    let all: Vec<u32> = (0..problem.len() as u32).collect();
    let neighbours = Neighbours::of::<C>(problem, &all, &mut random);
    let initial = match problem.form {
        ValueForm::Nodes => level_greedy::groups(problem, &neighbours, budget.vectors),
        ValueForm::Sets => clustering::groups::<C>(problem, &neighbours, &all),
    };
    let mut partition: Partition<'_, C> = Partition::new(problem);
    initial.into_iter().for_each(|members| partition.add(members));
    leftovers::place(&mut partition, &neighbours, &mut random);
    local_search::improve(&mut partition, &neighbours, budget.moves, &mut random);
    partition.finish()
}
