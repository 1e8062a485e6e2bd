//! Large subset of a violating group that satisfies the requirement.

use super::problem::Problem;

/// Maximum number of members that the search for a satisfying subset judges, for each member of the group.
const TRIM_EFFORT: usize = 64;
/// Maximum number of members that are judged as the next one to remove.
const TRIM_CANDIDATES: usize = 24;

/// Removes members until the group satisfies the requirement: each time the member whose removal is the safest.
pub(super) fn satisfying_subset(problem: &Problem<'_>, mut members: Vec<u32>) -> Option<Vec<u32>> {
    let mut weight = problem.total_weight(&members);
    if weight < problem.min_weight() || members.is_empty() {
        return None;
    }
    let mut effort = TRIM_EFFORT * members.len();
    let mut first = 0;
    while !problem.satisfies(&members) {
        if problem.stopped() {
            return None;
        }
        let surplus = weight - problem.min_weight();
        let stride = members.len().div_ceil(TRIM_CANDIDATES);
        let mut best: Option<(f64, usize)> = None;
        for at in (first % stride..members.len()).step_by(stride) {
            let removed = members[at];
            if problem.weight(removed) > surplus || effort < members.len() {
                continue;
            }
            effort -= members.len();
            members.swap_remove(at);
            let verdict = problem.judge(&members);
            members.push(removed);
            let last = members.len() - 1;
            members.swap(at, last);
            let safety = if verdict.holds { f64::INFINITY } else { verdict.safety };
            if best.is_none_or(|(other, _)| safety > other) {
                best = Some((safety, at));
            }
        }
        let (_, at) = best?;
        weight -= problem.weight(members[at]);
        members.swap_remove(at);
        first += 1;
    }
    Some(members)
}
