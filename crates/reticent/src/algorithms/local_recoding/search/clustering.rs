//! k-member clustering among neighbours: grows each group from an isolated combination until it satisfies the requirement.

use super::cover::Cover;
use super::neighbours::Neighbours;
use super::problem::Problem;
use super::subset::satisfying_subset;

/// Number of candidates with the least loss that are judged, if the number of records does not decide.
const JUDGED_CANDIDATES: usize = 8;
/// Maximum number of records of a group, as a multiple of the smallest satisfying number and of the records of its seed.
const MAX_SIZE_FACTOR: u64 = 4;
/// Maximum number of members of a group for which the requirement has no smallest number of records.
const MAX_EXTRA_MEMBERS: usize = 32;

/// Clusters a pool. Combinations without a group are leftovers.
pub(super) fn groups<C: Cover>(problem: &Problem<'_>, neighbours: &Neighbours, pool: &[u32]) -> Vec<Vec<u32>> {
    let mut clustering =
        Clustering { problem, neighbours, free: vec![false; problem.len()], seen_by: vec![u32::MAX; problem.len()] };
    pool.iter().for_each(|combination| clustering.free[*combination as usize] = true);
    let mut seeds = pool.to_vec();
    // With other requirements, combinations with many records are the most difficult.
    let rank = |seed: u32| if problem.only_weight() { 0 } else { problem.weight(seed) };
    seeds.sort_by(|one, other| {
        let isolation = neighbours.isolation(*other).total_cmp(&neighbours.isolation(*one));
        rank(*other).cmp(&rank(*one)).then(isolation)
    });
    let mut groups = Vec::new();
    for seed in seeds {
        if problem.stopped() {
            break;
        }
        if clustering.free[seed as usize] {
            groups.extend(clustering.grow::<C>(seed));
        }
    }
    groups
}

struct Clustering<'a> {
    problem: &'a Problem<'a>,
    neighbours: &'a Neighbours,
    /// Whether a combination of the pool has no group.
    free: Vec<bool>,
    /// Seed of the last group that had the combination as a candidate.
    seen_by: Vec<u32>,
}

impl Clustering<'_> {
    /// Grows a group from a seed, and takes a subset if the group gets too large. Returns `None` if no group is found.
    fn grow<C: Cover>(&mut self, seed: u32) -> Option<Vec<u32>> {
        let problem = self.problem;
        let (mut members, mut weight) = (vec![seed], problem.weight(seed));
        let mut cover = C::of(problem, &members);
        let mut candidates = Vec::new();
        self.seen_by[seed as usize] = seed;
        self.add_candidates(seed, seed, &mut candidates);
        let max_weight = problem.min_weight().max(weight).saturating_mul(MAX_SIZE_FACTOR);
        while !problem.satisfies(&members) {
            if weight > max_weight && members.len() > MAX_EXTRA_MEMBERS {
                break;
            }
            let at = if problem.only_weight() || weight < problem.min_weight() {
                nearest(problem, &cover, &candidates)
            } else {
                safest(problem, &cover, &mut members, &candidates)
            };
            let Some(at) = at else { break };
            let added = candidates.swap_remove(at);
            cover.insert(problem, added);
            weight += problem.weight(added);
            members.push(added);
            self.add_candidates(added, seed, &mut candidates);
        }
        let members = satisfying_subset(problem, members)?;
        members.iter().for_each(|member| self.free[*member as usize] = false);
        Some(members)
    }

    fn add_candidates(&mut self, member: u32, seed: u32, candidates: &mut Vec<u32>) {
        for neighbour in self.neighbours.ids(member) {
            let seen_by = &mut self.seen_by[neighbour as usize];
            if self.free[neighbour as usize] && *seen_by != seed {
                *seen_by = seed;
                candidates.push(neighbour);
            }
        }
    }
}

/// Returns the position of the candidate with the least loss.
fn nearest<C: Cover>(problem: &Problem<'_>, cover: &C, candidates: &[u32]) -> Option<usize> {
    let losses =
        candidates.iter().enumerate().map(|(at, candidate)| (cover.loss_with(problem, *candidate), *candidate, at));
    losses.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))).map(|(_, _, at)| at)
}

/// Returns the position of the safest candidate among those with the least loss.
fn safest<C: Cover>(problem: &Problem<'_>, cover: &C, members: &mut Vec<u32>, candidates: &[u32]) -> Option<usize> {
    let mut losses: Vec<(f64, u32, usize)> =
        candidates.iter().enumerate().map(|(at, one)| (cover.loss_with(problem, *one), *one, at)).collect();
    losses.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut best: Option<(f64, usize)> = None;
    for (_, candidate, at) in losses.into_iter().take(JUDGED_CANDIDATES) {
        members.push(candidate);
        let verdict = problem.judge(members);
        members.pop();
        if verdict.holds {
            return Some(at);
        }
        if best.is_none_or(|(safety, _)| verdict.safety > safety) {
            best = Some((verdict.safety, at));
        }
    }
    best.map(|(_, at)| at)
}
