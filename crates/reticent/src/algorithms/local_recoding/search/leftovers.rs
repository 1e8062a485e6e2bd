//! Leftovers of the initial partition: clusters them, inserts them into groups, or merges groups until they fit.

use super::clustering;
use super::cover::Cover;
use super::neighbours::Neighbours;
use super::partition::Partition;
use super::random::Random;

/// Maximum number of groups that are judged for an insertion, those with the least loss first.
const JUDGED_TARGETS: usize = 256;
/// Maximum number of groups that are compared for all leftovers that fit into no neighbouring group.
const MAX_COMPARISONS: usize = 20_000_000;
/// Maximum number of groups that are compared to find the nearest ones for a merger.
const MAX_COMPARED: usize = 4_096;
/// Maximum number of groups that are merged for a single leftover.
const MAX_MERGED: usize = 32;

/// Assigns every combination without a group.
pub(super) fn place<C: Cover>(partition: &mut Partition<'_, C>, neighbours: &Neighbours, random: &mut Random) {
    let problem = partition.problem;
    let leftovers = partition.unassigned();
    if leftovers.is_empty() {
        return;
    }
    if !problem.stopped() {
        let near = Neighbours::of::<C>(problem, &leftovers, random);
        for members in clustering::groups::<C>(problem, &near, &leftovers) {
            let loss = problem.total_weight(&members) as f64 * C::of(problem, &members).loss(problem);
            let best =
                |member: &u32| targets(partition, neighbours, *member).first().map_or(f64::INFINITY, |best| best.0);
            if loss <= members.iter().map(best).sum() {
                partition.add(members);
            }
        }
    }
    insert_each(partition, neighbours, false);
    if !problem.stopped() {
        insert_each(partition, neighbours, true);
        merge_each(partition);
    }
    let rest = partition.unassigned();
    if !rest.is_empty() {
        partition.merge_upward(rest);
    }
}

/// Inserts leftovers into groups of their neighbours, or with `compare_all` into any group.
fn insert_each<C: Cover>(partition: &mut Partition<'_, C>, neighbours: &Neighbours, compare_all: bool) {
    let leftovers = partition.unassigned();
    let live: Vec<u32> = partition.live().collect();
    let limit = (MAX_COMPARISONS / leftovers.len().max(1)).max(1);
    let compared: Vec<u32> = live.iter().copied().step_by(live.len().div_ceil(limit).max(1)).collect();
    for leftover in leftovers {
        if partition.problem.stopped() && !partition.problem.merging_is_safe() {
            return;
        }
        let targets = if compare_all {
            let exists = |group: &u32| !partition.group(*group).members.is_empty();
            sorted_targets(partition, leftover, compared.iter().copied().filter(exists))
        } else {
            targets(partition, neighbours, leftover)
        };
        let accepting = targets.iter().take(JUDGED_TARGETS).find(|(_, group)| partition.accepts(leftover, *group));
        if let Some((_, group)) = accepting {
            partition.insert(leftover, *group);
        }
    }
}

/// Merges a few groups for each leftover, as long as the effort allows it.
fn merge_each<C: Cover>(partition: &mut Partition<'_, C>) {
    let mut leftovers = partition.unassigned();
    leftovers.sort_by_key(|leftover| std::cmp::Reverse(partition.problem.weight(*leftover)));
    leftovers.truncate(MAX_COMPARISONS / MAX_COMPARED);
    for leftover in leftovers {
        if partition.problem.stopped() {
            return;
        }
        partition.merge_safest(leftover, MAX_COMPARED, MAX_MERGED);
    }
}

/// Groups of the neighbours of a combination, ascending by the increase of the loss.
fn targets<C: Cover>(partition: &Partition<'_, C>, neighbours: &Neighbours, combination: u32) -> Vec<(f64, u32)> {
    let mut groups: Vec<u32> = neighbours.ids(combination).filter_map(|id| partition.group_of(id)).collect();
    groups.sort_unstable();
    groups.dedup();
    sorted_targets(partition, combination, groups.into_iter())
}

/// Groups, ascending by the increase of the loss if the combination is added.
fn sorted_targets<C: Cover>(
    partition: &Partition<'_, C>,
    combination: u32,
    groups: impl Iterator<Item = u32>,
) -> Vec<(f64, u32)> {
    let loss = |group: u32| (partition.insertion_loss(combination, group), group);
    let mut targets: Vec<(f64, u32)> = groups.map(loss).collect();
    targets.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    targets
}
