//! Near neighbours of combinations, from sorts under random attribute orders.
//!
//! Each sort places combinations that agree on its first attributes next to each other. Every combination is compared with the next
//! ones of each sort, and keeps the nearest by the loss of a group of both.

use super::cover::Cover;
use super::problem::Problem;
use super::random::Random;

/// Effort of the search for neighbours.
#[derive(Clone, Copy)]
pub(super) struct NeighbourEffort {
    /// Number of sorts.
    pub sorts: usize,
    /// Number of following combinations that a combination is compared with, in each sort.
    pub window: usize,
    /// Number of neighbours of a combination.
    pub kept: usize,
}

/// Number of pairs that estimate the loss of each column.
const SAMPLED_PAIRS: usize = 2_000;
/// Number of bits of a sort key.
const KEY_BITS: u32 = u64::BITS;

/// Nearest neighbours found for each combination of a pool.
pub(super) struct Neighbours {
    /// Loss of the pair and neighbour, nearest first, by combination.
    lists: Vec<Vec<(f32, u32)>>,
}

impl Neighbours {
    /// Finds neighbours within a pool of combinations.
    pub(super) fn of<C: Cover>(problem: &Problem<'_>, pool: &[u32], random: &mut Random) -> Self {
        let NeighbourEffort { sorts, window, kept } = C::NEIGHBOUR_EFFORT;
        let spreads = column_losses::<C>(problem, pool, random);
        let mut lists: Vec<Vec<(f32, u32)>> = vec![Vec::new(); problem.len()];
        pool.iter().for_each(|combination| lists[*combination as usize].reserve_exact(kept));
        for _ in 0..sorts {
            if problem.stopped() {
                break;
            }
            let sorted = sorted_by(problem, pool, &random_order(&spreads, random));
            for (at, one) in sorted.iter().enumerate() {
                for other in sorted[at + 1..].iter().take(window) {
                    let limits = [one, other].map(|id| limit(&lists[*id as usize], kept));
                    let loss = C::pair_loss_below(problem, *one, *other, f64::from(limits[0].max(limits[1]))) as f32;
                    if loss < limits[0] {
                        keep(&mut lists[*one as usize], loss, *other, kept);
                    }
                    if loss < limits[1] {
                        keep(&mut lists[*other as usize], loss, *one, kept);
                    }
                }
            }
        }
        for list in &mut lists {
            list.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        }
        Neighbours { lists }
    }

    /// Neighbours of a combination, nearest first.
    pub(super) fn ids(&self, combination: u32) -> impl Iterator<Item = u32> + '_ {
        self.lists[combination as usize].iter().map(|(_, id)| *id)
    }

    /// Neighbours of a combination, then those of its farthest neighbour, and so on. Combinations can occur repeatedly.
    pub(super) fn chain(&self, combination: u32) -> impl Iterator<Item = u32> + '_ {
        let farthest = |combination: &u32| self.lists[*combination as usize].last().map(|(_, id)| *id);
        std::iter::successors(Some(combination), farthest).flat_map(|from| self.ids(from))
    }

    /// Loss of the pair with the farthest neighbour.
    pub(super) fn isolation(&self, combination: u32) -> f32 {
        self.lists[combination as usize].last().map_or(f32::INFINITY, |(loss, _)| *loss)
    }
}

/// Loss below which a pair is kept in a list: that of the farthest neighbour, if the list is full.
fn limit(list: &[(f32, u32)], kept: usize) -> f32 {
    if list.len() < kept { f32::INFINITY } else { list[0].0 }
}

/// Adds a neighbour to a list, in place of the farthest one if the list is full. A full list has the farthest one first.
fn keep(list: &mut Vec<(f32, u32)>, loss: f32, id: u32, kept: usize) {
    if list.iter().any(|(_, known)| *known == id) {
        return;
    }
    if list.len() == kept {
        list[0] = (loss, id);
    } else {
        list.push((loss, id));
    }
    if list.len() == kept {
        move_farthest_to_front(list);
    }
}

fn move_farthest_to_front(list: &mut [(f32, u32)]) {
    let farthest = (1..list.len()).fold(0, |best, at| if list[at].0 > list[best].0 { at } else { best });
    list.swap(0, farthest);
}

/// Estimates, by column, the mean loss of two random combinations.
fn column_losses<C: Cover>(problem: &Problem<'_>, pool: &[u32], random: &mut Random) -> Vec<f64> {
    let mut losses = vec![0.0; problem.columns];
    if pool.is_empty() {
        return losses;
    }
    for _ in 0..SAMPLED_PAIRS {
        let [one, other] = [(); 2].map(|()| problem.row(pool[random.below(pool.len())]));
        for (column, loss) in losses.iter_mut().enumerate() {
            *loss += C::code_loss(problem, column, one[column], other[column]) / SAMPLED_PAIRS as f64;
        }
    }
    losses
}

/// Random order of the columns: columns with a high loss tend to be first.
fn random_order(losses: &[f64], random: &mut Random) -> Vec<usize> {
    let smallest = 1e-3;
    // The smallest of exponential variables with these rates is a draw in proportion to the losses.
    let mut order: Vec<(f64, usize)> = losses
        .iter()
        .enumerate()
        .map(|(column, loss)| (-(1.0 - random.unit()).ln() / loss.max(smallest), column))
        .collect();
    order.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    order.into_iter().map(|(_, column)| column).collect()
}

/// Sorts a pool by the leaf codes of the columns in this order, as far as they fit in the sort key.
fn sorted_by(problem: &Problem<'_>, pool: &[u32], order: &[usize]) -> Vec<u32> {
    let bits = |column: &usize| u32::BITS - (problem.leaves_of(*column).len() as u32).leading_zeros();
    let mut used = 0;
    let fits = |column: &&usize| {
        used += bits(column);
        used <= KEY_BITS
    };
    let key_columns: Vec<usize> = order.iter().take_while(fits).copied().collect();
    let key = |combination: u32| {
        let row = problem.row(combination);
        key_columns.iter().fold(0u64, |key, column| key << bits(column) | u64::from(row[*column]))
    };
    let mut keyed: Vec<(u64, u32)> = pool.iter().map(|combination| (key(*combination), *combination)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, combination)| combination).collect()
}
