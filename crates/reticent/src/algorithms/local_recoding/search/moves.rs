//! Moves of the local search. Each move is applied only if the loss decreases and all changed groups satisfy the
//! requirement.

use super::cover::Cover;
use super::local_search::{LocalSearch, MoveCandidate};
use super::partition::Partition;
use super::problem::Problem;

/// Smallest decrease of the loss that counts, above rounding errors.
const MIN_GAIN: f64 = 1e-9;
/// Largest number of members of a group that is dissolved, or whose members are swapped.
const MAX_CHANGED_MEMBERS: usize = 64;
/// Number of groups that are clustered again together.
const POOLED_GROUPS: usize = 4;
/// Largest number of members that are clustered again together.
const MAX_POOLED_MEMBERS: usize = 96;

/// Group of a changed partition that is not applied yet.
struct Draft<C> {
    /// Group that the draft replaces; `None` for a new group.
    group: Option<u32>,
    members: Vec<u32>,
    weight: u64,
    cover: C,
    loss: f64,
}

impl<C: Cover> Draft<C> {
    fn new(problem: &Problem<'_>, seed: u32) -> Self {
        let members = vec![seed];
        let cover = C::of(problem, &members);
        Draft { group: None, members, weight: problem.weight(seed), cover, loss: 0.0 }
    }

    fn of(partition: &Partition<'_, C>, group: u32) -> Self {
        let state = partition.group(group);
        let (members, cover) = (state.members.clone(), state.cover.clone());
        Draft { group: Some(group), members, weight: state.weight, cover, loss: state.loss }
    }

    fn insertion_loss(&self, problem: &Problem<'_>, combination: u32) -> f64 {
        let weight = self.weight + problem.weight(combination);
        weight as f64 * self.cover.loss_with(problem, combination) - self.weight as f64 * self.loss
    }

    fn insert(&mut self, problem: &Problem<'_>, combination: u32) {
        self.members.push(combination);
        self.weight += problem.weight(combination);
        self.cover.insert(problem, combination);
        self.loss = self.cover.loss(problem);
    }

    fn total_loss(&self) -> f64 {
        self.weight as f64 * self.loss
    }
}

impl<C: Cover> LocalSearch<'_, '_, C> {
    /// Moves members to other groups. Returns whether a member was moved.
    pub(super) fn relocate(&mut self, group: u32, candidates: &[MoveCandidate]) -> bool {
        let problem = self.partition.problem;
        let state = self.partition.group(group);
        let (weight, total_loss) = (state.weight, state.total_loss());
        let mut gains: Vec<(f64, usize, u32)> = Vec::new();
        for ((at, candidate), loss) in
            candidates.iter().enumerate().zip(state.cover.losses_without(problem, &state.members))
        {
            let left = weight - problem.weight(candidate.combination);
            if left > 0 && left < problem.min_weight() {
                continue;
            }
            let removal = left as f64 * loss - total_loss;
            let better = candidate.targets.iter().filter(|(insertion, _)| insertion + removal < -MIN_GAIN);
            gains.extend(better.map(|(insertion, target)| (insertion + removal, at, *target)));
        }
        gains.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut changed = false;
        for (_, at, target) in gains {
            changed |= self.relocate_member(candidates[at].combination, group, target);
        }
        changed
    }

    /// Moves a member to another group, if that still pays after earlier moves.
    fn relocate_member(&mut self, member: u32, group: u32, target: u32) -> bool {
        let problem = self.partition.problem;
        let unchanged = self.partition.group_of(member) == Some(group);
        if !unchanged || self.moves_left == 0 || self.partition.group(target).members.is_empty() {
            return false;
        }
        self.spend(self.partition.group(group).members.len() as u64);
        let state = self.partition.group(group);
        let rest = without(&state.members, member);
        let left = state.weight - problem.weight(member);
        let loss = if rest.is_empty() { 0.0 } else { left as f64 * C::of(problem, &rest).loss(problem) };
        let gain = self.partition.insertion_loss(member, target) + loss - state.total_loss();
        if gain >= -MIN_GAIN
            || !(rest.is_empty() || problem.satisfies(&rest))
            || !self.partition.accepts(member, target)
        {
            return false;
        }
        self.partition.replace(group, rest);
        self.partition.insert(member, target);
        true
    }

    /// Distributes all members of a group over other groups.
    pub(super) fn dissolve(&mut self, group: u32, candidates: &[MoveCandidate]) -> bool {
        let problem = self.partition.problem;
        let total_loss = self.partition.group(group).total_loss();
        let best = |candidate: &MoveCandidate| candidate.targets.first().map_or(f64::INFINITY, |target| target.0);
        if candidates.len() > MAX_CHANGED_MEMBERS || candidates.iter().map(best).sum::<f64>() >= total_loss {
            return false;
        }
        let mut drafts: Vec<Draft<C>> = Vec::new();
        let mut insertion = 0.0;
        for candidate in candidates {
            let mut best: Option<(f64, usize)> = None;
            for (_, target) in &candidate.targets {
                let at = drafts.iter().position(|draft| draft.group == Some(*target)).unwrap_or_else(|| {
                    drafts.push(Draft::of(self.partition, *target));
                    drafts.len() - 1
                });
                let loss = drafts[at].insertion_loss(problem, candidate.combination);
                if best.is_none_or(|(other, _)| loss < other) {
                    best = Some((loss, at));
                }
            }
            let Some((loss, at)) = best else { return false };
            drafts[at].insert(problem, candidate.combination);
            insertion += loss;
        }
        if insertion - total_loss >= -MIN_GAIN {
            return false;
        }
        drafts.retain(|draft| draft.group.is_some_and(|id| draft.weight > self.partition.group(id).weight));
        if !problem.merging_is_safe() && !drafts.iter().all(|draft| problem.satisfies(&draft.members)) {
            return false;
        }
        self.apply(&[group], drafts);
        true
    }

    /// Swaps a member with a member of another group.
    pub(super) fn swap(&mut self, group: u32, candidates: &[MoveCandidate]) -> bool {
        if candidates.len() < 2 || candidates.len() > MAX_CHANGED_MEMBERS {
            return false;
        }
        let problem = self.partition.problem;
        let state = self.partition.group(group);
        let loss = state.loss;
        let losses = state.cover.losses_without(problem, &state.members);
        for (candidate, without) in candidates.iter().zip(losses) {
            if without < loss && self.swap_member(group, candidate) {
                return true;
            }
        }
        false
    }

    /// Swaps this member with the best member of its target groups.
    fn swap_member(&mut self, group: u32, candidate: &MoveCandidate) -> bool {
        let problem = self.partition.problem;
        let (member, state) = (candidate.combination, self.partition.group(group));
        let rest = without(&state.members, member);
        let rest_cover = C::of(problem, &rest);
        let rest_weight = state.weight - problem.weight(member);
        let mut best: Option<(f64, u32, u32)> = None;
        let mut evaluated = 0;
        for (_, target) in &candidate.targets {
            let other = self.partition.group(*target);
            if other.members.len() > MAX_CHANGED_MEMBERS {
                continue;
            }
            evaluated += other.members.len() as u64;
            let joined = [other.members.as_slice(), &[member]].concat();
            let mut cover = other.cover.clone();
            cover.insert(problem, member);
            let before = state.total_loss() + other.total_loss();
            for (back, loss) in other.members.iter().zip(cover.losses_without(problem, &joined)) {
                let own_weight = rest_weight + problem.weight(*back);
                let other_weight = other.weight + problem.weight(member) - problem.weight(*back);
                if own_weight.min(other_weight) < problem.min_weight() {
                    continue;
                }
                let own_loss = own_weight as f64 * rest_cover.loss_with(problem, *back);
                let gain = own_loss + other_weight as f64 * loss - before;
                if gain < best.map_or(-MIN_GAIN, |best| best.0) {
                    best = Some((gain, *target, *back));
                }
            }
        }
        self.spend(evaluated);
        let Some((_, target, back)) = best else { return false };
        let own = [rest.as_slice(), &[back]].concat();
        let mut others = without(&self.partition.group(target).members, back);
        others.push(member);
        if !problem.satisfies(&own) || !problem.satisfies(&others) {
            return false;
        }
        self.partition.remove(target);
        self.partition.replace(group, own);
        self.partition.add(others);
        true
    }

    /// Clusters a group and its nearest groups again.
    pub(super) fn recluster(&mut self, group: u32, candidates: &[MoveCandidate]) -> bool {
        let problem = self.partition.problem;
        let pooled = self.pooled_groups(group, candidates);
        let mut pool: Vec<u32> = Vec::new();
        pooled.iter().for_each(|id| pool.extend(&self.partition.group(*id).members));
        if pooled.len() < 2 || pool.len() > MAX_POOLED_MEMBERS {
            return false;
        }
        let before: f64 = pooled.iter().map(|id| self.partition.group(*id).total_loss()).sum();
        self.spend((pool.len() * pool.len() / 2) as u64);
        let mut seed = pool[self.random.below(pool.len())];
        let mut drafts: Vec<Draft<C>> = Vec::new();
        let mut left = Vec::new();
        while !pool.is_empty() {
            seed = remove_farthest::<C>(problem, seed, &mut pool);
            let mut draft = Draft::new(problem, seed);
            while !problem.satisfies(&draft.members) {
                let Some(nearest) = remove_nearest(problem, &draft.cover, &mut pool) else { break };
                draft.insert(problem, nearest);
            }
            if problem.satisfies(&draft.members) {
                drafts.push(draft);
            } else {
                left.append(&mut draft.members);
            }
        }
        for member in left {
            let losses = drafts.iter().enumerate().map(|(at, draft)| (draft.insertion_loss(problem, member), at));
            let Some((_, at)) = losses.min_by(|one, other| one.0.total_cmp(&other.0)) else { return false };
            drafts[at].insert(problem, member);
        }
        let after: f64 = drafts.iter().map(Draft::total_loss).sum();
        if after - before >= -MIN_GAIN
            || (!problem.merging_is_safe() && !drafts.iter().all(|draft| problem.satisfies(&draft.members)))
        {
            return false;
        }
        self.apply(&pooled, drafts);
        true
    }

    /// A group and the most frequent targets of its members.
    fn pooled_groups(&self, group: u32, candidates: &[MoveCandidate]) -> Vec<u32> {
        let mut targets: Vec<u32> =
            candidates.iter().flat_map(|candidate| candidate.targets.iter().map(|(_, target)| *target)).collect();
        targets.sort_unstable();
        let mut counts: Vec<(usize, u32)> =
            targets.chunk_by(|one, other| one == other).map(|run| (run.len(), run[0])).collect();
        counts.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        let others = counts.into_iter().map(|(_, target)| target);
        std::iter::once(group).chain(others.take(POOLED_GROUPS - 1)).collect()
    }

    /// Removes groups and adds the drafts.
    fn apply(&mut self, removed: &[u32], drafts: Vec<Draft<C>>) {
        for group in removed {
            self.partition.remove(*group);
        }
        for group in drafts.iter().filter_map(|draft| draft.group) {
            self.partition.remove(group);
        }
        for draft in drafts {
            self.partition.add(draft.members);
        }
    }
}

fn without(members: &[u32], removed: u32) -> Vec<u32> {
    members.iter().copied().filter(|member| *member != removed).collect()
}

/// Removes the combination with the largest pair loss from a pool that is not empty.
fn remove_farthest<C: Cover>(problem: &Problem<'_>, from: u32, pool: &mut Vec<u32>) -> u32 {
    let losses = pool.iter().enumerate().map(|(at, one)| (C::pair_loss(problem, from, *one), at));
    let farthest = losses.max_by(|one, other| one.0.total_cmp(&other.0));
    pool.swap_remove(farthest.map_or(0, |(_, at)| at))
}

/// Removes the combination that increases the loss least from a pool.
fn remove_nearest<C: Cover>(problem: &Problem<'_>, cover: &C, pool: &mut Vec<u32>) -> Option<u32> {
    let losses = pool.iter().enumerate().map(|(at, one)| (cover.loss_with(problem, *one), at));
    let (_, at) = losses.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(pool.swap_remove(at))
}
