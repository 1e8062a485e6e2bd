//! Local search: changes the partition as long as the loss decreases and the budget lasts.
//!
//! Each sweep visits the groups with a loss in random order, and tries the moves of `moves` on each. Only changes that
//! decrease the loss are kept, so the search can stop at any time.

use super::cover::Cover;
use super::neighbours::Neighbours;
use super::partition::Partition;
use super::random::Random;

/// Relative decrease of the loss below which another sweep does not pay.
const MIN_SWEEP_GAIN: f64 = 1e-4;
/// Number of groups that are kept as targets for each member.
const TARGETS: usize = 3;
/// Number of groups between two tests whether to stop.
const STOP_INTERVAL: usize = 64;

/// Partition with the data that the moves need.
pub(super) struct LocalSearch<'s, 'a, C> {
    pub partition: &'s mut Partition<'a, C>,
    pub neighbours: &'s Neighbours,
    pub random: &'s mut Random,
    pub moves_left: u64,
}

/// A member of a group and the best groups to move it to.
pub(super) struct MoveCandidate {
    pub combination: u32,
    /// Increase of the target's loss and target, ascending.
    pub targets: Vec<(f64, u32)>,
}

/// Improves a partition with at most this number of evaluated changes.
pub(super) fn improve<C: Cover>(
    partition: &mut Partition<'_, C>,
    neighbours: &Neighbours,
    moves: u64,
    random: &mut Random,
) {
    let mut search = LocalSearch { partition, neighbours, random, moves_left: moves };
    loop {
        let before = search.partition.total_loss();
        let finished = !search.sweep();
        let after = search.partition.total_loss();
        if finished || before - after <= MIN_SWEEP_GAIN * before {
            return;
        }
    }
}

impl<C: Cover> LocalSearch<'_, '_, C> {
    /// Visits all groups once. Returns false if the search must end.
    fn sweep(&mut self) -> bool {
        let mut groups: Vec<u32> = self.partition.live().filter(|id| self.partition.group(*id).loss > 0.0).collect();
        self.random.shuffle(&mut groups);
        for (at, group) in groups.into_iter().enumerate() {
            if self.moves_left == 0 || (at % STOP_INTERVAL == 0 && self.partition.problem.stopped()) {
                return false;
            }
            self.improve_group(group);
        }
        true
    }

    fn improve_group(&mut self, group: u32) {
        if self.partition.group(group).loss <= 0.0 {
            return;
        }
        let candidates = self.candidates(group);
        let _ = self.relocate(group, &candidates)
            || self.dissolve(group, &candidates)
            || self.swap(group, &candidates)
            || self.recluster(group, &candidates);
    }

    /// The best groups to move each member to, among the groups of its neighbours.
    fn candidates(&mut self, group: u32) -> Vec<MoveCandidate> {
        let partition = &*self.partition;
        let mut evaluated = 0;
        let mut seen: Vec<u32> = Vec::new();
        let mut candidate = |combination: u32| {
            seen.clear();
            seen.push(group);
            let mut targets: Vec<(f64, u32)> = Vec::with_capacity(TARGETS + 1);
            for target in self.neighbours.ids(combination).filter_map(|id| partition.group_of(id)) {
                if seen.contains(&target) {
                    continue;
                }
                seen.push(target);
                let loss = partition.insertion_loss(combination, target);
                let place = targets.partition_point(|(other, _)| *other <= loss);
                if place < TARGETS {
                    targets.insert(place, (loss, target));
                    targets.truncate(TARGETS);
                }
            }
            evaluated += seen.len() as u64;
            MoveCandidate { combination, targets }
        };
        let candidates = partition.group(group).members.iter().map(|member| candidate(*member)).collect();
        self.spend(evaluated);
        candidates
    }

    /// Counts evaluated changes.
    pub(super) fn spend(&mut self, moves: u64) {
        self.moves_left = self.moves_left.saturating_sub(moves);
    }
}
