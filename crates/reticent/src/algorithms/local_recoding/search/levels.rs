//! Level vectors: one generalization level per column.
//!
//! Level `l` of a column publishes for each value its highest ancestor with height at most `l`. High trees have only
//! `MAX_LEVELS` levels, at equal distances.

use std::collections::HashMap;

use super::neighbours::Neighbours;
use super::problem::Problem;
use super::random::mix;

/// Maximum number of levels of a column.
const MAX_LEVELS: usize = 8;
/// Maximum number of pairs of neighbours from which the vectors are collected.
const MAX_PAIRS: usize = 1_000_000;

/// Maximum number of combinations whose common nodes give vectors.
const MAX_UNION: usize = 256;
/// Number of records whose common nodes give vectors, as a multiple of the smallest satisfying number, if the number of
/// records does not decide the requirement.
const UNION_FACTOR: u64 = 4;

/// One level per column.
pub(super) type LevelVector = Box<[u8]>;

/// Generalization levels of all columns.
pub(super) struct Levels {
    columns: Vec<ColumnLevels>,
}

struct ColumnLevels {
    /// Hash of the published node, by level, then by code.
    hashes: Vec<Vec<u64>>,
    /// Smallest loss of a node at the level.
    min_loss: Vec<f64>,
    /// Lowest level that publishes the node or a higher one, by node of the column.
    level_of: Vec<u8>,
}

impl Levels {
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        Levels { columns: (0..problem.columns).map(|column| ColumnLevels::new(problem, column)).collect() }
    }

    /// Smallest loss of a group that is published with a vector, as a sum over the columns.
    pub(super) fn min_loss(&self, vector: &[u8]) -> f64 {
        self.columns.iter().zip(vector).map(|(column, level)| column.min_loss[usize::from(*level)]).sum()
    }

    /// Hash tables by column: hash of the published node by code.
    pub(super) fn hashes<'a>(&'a self, vector: &[u8]) -> Vec<&'a [u64]> {
        self.columns.iter().zip(vector).map(|(column, level)| column.hashes[usize::from(*level)].as_slice()).collect()
    }

    /// Returns the most frequent vectors of lowest common nodes of neighbours (pairs, and a combination with its nearest ones),
    /// ascending by smallest loss.
    pub(super) fn vectors(&self, problem: &Problem<'_>, neighbours: &Neighbours, limit: usize) -> Vec<LevelVector> {
        let mut counts: HashMap<LevelVector, u32> = HashMap::new();
        counts.insert(vec![0; problem.columns].into(), u32::MAX);
        let pairs: usize = (0..problem.len() as u32).map(|one| neighbours.ids(one).count()).sum();
        let step = 1 + pairs / MAX_PAIRS;
        let factor = if problem.only_weight() { 1 } else { UNION_FACTOR };
        let union_weight = problem.min_weight().saturating_mul(factor);
        let mut vector = vec![0; problem.columns];
        for one in (0..problem.len() as u32).step_by(step) {
            for other in neighbours.ids(one) {
                self.write_vector(problem, &[one, other], &mut vector);
                count(&mut counts, &vector);
            }
            let mut union = vec![0; problem.columns];
            let mut weight = problem.weight(one);
            for other in neighbours.chain(one).take(MAX_UNION) {
                if weight >= union_weight {
                    break;
                }
                weight += problem.weight(other);
                self.write_vector(problem, &[one, other], &mut vector);
                union.iter_mut().zip(&vector).for_each(|(union, level)| *union = (*union).max(*level));
                count(&mut counts, &union);
            }
        }
        let mut counts: Vec<(LevelVector, u32)> = counts.into_iter().collect();
        counts.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        counts.truncate(limit.max(1));
        let mut vectors: Vec<LevelVector> = counts.into_iter().map(|(vector, _)| vector).collect();
        vectors.sort_unstable_by(|one, other| {
            self.min_loss(one).total_cmp(&self.min_loss(other)).then_with(|| one.cmp(other))
        });
        vectors
    }

    /// Writes the lowest vector that publishes both combinations alike.
    fn write_vector(&self, problem: &Problem<'_>, pair: &[u32; 2], vector: &mut [u8]) {
        let codes = problem.row(pair[0]).iter().zip(problem.row(pair[1]));
        for ((level, (one, other)), column) in vector.iter_mut().zip(codes).zip(0..) {
            *level = 0;
            if one != other {
                let node = problem.lift(problem.leaves_of(column)[*one as usize], *other, *other + 1);
                *level = self.columns[column].level_of[(node - problem.nodes_of(column).start) as usize];
            }
        }
    }
}

fn count(counts: &mut HashMap<LevelVector, u32>, vector: &[u8]) {
    match counts.get_mut(vector) {
        Some(count) => *count = count.saturating_add(1),
        None => drop(counts.insert(vector.into(), 1)),
    }
}

impl ColumnLevels {
    fn new(problem: &Problem<'_>, column: usize) -> Self {
        let heights = heights(problem, column);
        let top = heights.iter().copied().max().unwrap_or(0);
        let limits = level_heights(top);
        let first = problem.nodes_of(column).start;
        let published = |leaf: u32, limit: usize| {
            let mut node = leaf;
            while problem.node(node).parent != node && heights[(problem.node(node).parent - first) as usize] <= limit {
                node = problem.node(node).parent;
            }
            node
        };
        let leaves = problem.leaves_of(column);
        let nodes = |limit: &usize| leaves.iter().map(|leaf| published(*leaf, *limit)).collect::<Vec<u32>>();
        let levels: Vec<Vec<u32>> = limits.iter().map(nodes).collect();
        let min_loss = |nodes: &Vec<u32>| {
            let min = nodes.iter().map(|node| problem.node(*node).loss).fold(f64::INFINITY, f64::min);
            if min.is_finite() { min } else { 0.0 }
        };
        let level_of = |height: &usize| limits.partition_point(|limit| limit < height) as u8;
        ColumnLevels {
            min_loss: levels.iter().map(min_loss).collect(),
            hashes: levels.iter().map(|nodes| nodes.iter().map(|node| mix(u64::from(*node) + 1)).collect()).collect(),
            level_of: heights.iter().map(level_of).collect(),
        }
    }
}

/// Height of each node of a column.
fn heights(problem: &Problem<'_>, column: usize) -> Vec<usize> {
    let nodes = problem.nodes_of(column);
    let mut heights = vec![0; nodes.len()];
    for leaf in problem.leaves_of(column) {
        let (mut node, mut height) = (*leaf, 0);
        while problem.node(node).parent != node {
            node = problem.node(node).parent;
            height += 1;
            let known = &mut heights[(node - nodes.start) as usize];
            *known = height.max(*known);
        }
    }
    heights
}

/// Largest height of a published node, by level.
fn level_heights(top: usize) -> Vec<usize> {
    let steps = top.min(MAX_LEVELS - 1);
    (0..=steps).map(|level| (top * level).div_ceil(steps.max(1))).collect()
}
