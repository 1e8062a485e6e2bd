//! Level greedy search: publishes the groups with the least loss first, over many level vectors.
//!
//! Vectors are visited by their smallest loss. Each visit groups the remaining combinations by their values at the vector,
//! and queues the groups by their exact loss. A queued group is published when no later vector can have a smaller loss,
//! with those of its combinations that are not yet published. Remaining combinations only become fewer, so one visit per
//! vector suffices.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cover::{Cover, NodeCover};
use super::levels::Levels;
use super::neighbours::Neighbours;
use super::problem::Problem;
use super::subset::satisfying_subset;

/// Maximum number of queued members for each combination of the problem.
const QUEUED_PER_COMBINATION: usize = 24;
/// Returns disjoint groups that satisfy the requirement. Combinations without a group are leftovers.
pub(super) fn groups(problem: &Problem<'_>, neighbours: &Neighbours, max_vectors: usize) -> Vec<Vec<u32>> {
    let levels = Levels::new(problem);
    let mut search = LevelSearch {
        problem,
        published: vec![false; problem.len()],
        queue: BinaryHeap::new(),
        queued: Vec::new(),
        queued_members: 0,
        groups: Vec::new(),
        hashed: Vec::new(),
        weights: Vec::new(),
    };
    let mut remaining: Vec<u32> = (0..problem.len() as u32).collect();
    for vector in levels.vectors(problem, neighbours, max_vectors) {
        if problem.stopped() {
            break;
        }
        search.publish_up_to(levels.min_loss(&vector));
        remaining.retain(|combination| !search.published[*combination as usize]);
        if remaining.is_empty() {
            break;
        }
        search.visit(&levels.hashes(&vector), &remaining);
    }
    search.publish_up_to(f64::INFINITY);
    search.groups
}

struct LevelSearch<'a> {
    problem: &'a Problem<'a>,
    published: Vec<bool>,
    /// Loss (bits of a non-negative number, in the same order) and index in `queued`.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    queued: Vec<Vec<u32>>,
    queued_members: usize,
    groups: Vec<Vec<u32>>,
    /// Hash of the published values, and combination.
    hashed: Vec<(u64, u32)>,
    /// Number of records by the last bits of the hash.
    weights: Vec<u64>,
}

impl LevelSearch<'_> {
    /// Queues the groups of the remaining combinations at a level vector.
    fn visit(&mut self, hashes: &[&[u64]], remaining: &[u32]) {
        let mask = (remaining.len() * 2).next_power_of_two() - 1;
        self.weights.clear();
        self.weights.resize(mask + 1, 0);
        self.hashed.clear();
        for combination in remaining {
            let codes = self.problem.row(*combination).iter().zip(hashes);
            let hash = codes.fold(0u64, |hash, (code, hashes)| hash.rotate_left(5) ^ hashes[*code as usize]);
            self.weights[hash as usize & mask] += self.problem.weight(*combination);
            self.hashed.push((hash, *combination));
        }
        let (weights, min_weight) = (&self.weights, self.problem.min_weight());
        self.hashed.retain(|(hash, _)| weights[*hash as usize & mask] >= min_weight);
        self.hashed.sort_unstable();
        let hashed = std::mem::take(&mut self.hashed);
        for run in hashed.chunk_by(|one, other| one.0 == other.0) {
            let members: Vec<u32> = run.iter().map(|(_, combination)| *combination).collect();
            if self.problem.total_weight(&members) >= min_weight {
                self.enqueue(members);
            }
        }
        self.hashed = hashed;
        while self.queued_members > QUEUED_PER_COMBINATION * self.problem.len() {
            self.publish_next();
        }
    }

    fn enqueue(&mut self, members: Vec<u32>) {
        let loss = NodeCover::of(self.problem, &members).loss(self.problem);
        self.queue.push(Reverse((loss.to_bits(), self.queued.len())));
        self.queued_members += members.len();
        self.queued.push(members);
    }

    /// Publishes the queued groups with at most this loss.
    fn publish_up_to(&mut self, loss: f64) {
        while self.queue.peek().is_some_and(|Reverse((bits, _))| f64::from_bits(*bits) <= loss) {
            self.publish_next();
        }
    }

    /// Publishes the queued group with the least loss, if its unpublished members satisfy the requirement.
    fn publish_next(&mut self) {
        let Some(Reverse((_, at))) = self.queue.pop() else { return };
        let mut members = std::mem::take(&mut self.queued[at]);
        self.queued_members -= members.len();
        members.retain(|member| !self.published[*member as usize]);
        if let Some(members) = satisfying_subset(self.problem, members) {
            members.iter().for_each(|member| self.published[*member as usize] = true);
            self.groups.push(members);
        }
    }
}
