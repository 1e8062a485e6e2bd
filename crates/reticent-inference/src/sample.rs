//! Sampling worlds where there are too many to count.
//!
//! A chain of worlds: again and again some people who depend on each other are chosen, everybody else keeps what they have, and
//! the chosen get a world drawn among all that fit the rest (counted exactly, [`super::worlds`]). So the chain stays uniform over
//! worlds once it is. Several chains are run, and what they differ by, batch by batch, is the error that is shown.
//!
//! An estimate. Nothing proves that every world can be reached from the first one by such steps, nor how soon: worlds that
//! are reached rarely may be missing from estimate and error alike. Of people whose values no chain ever changed, nothing is told: that would be
//! what they have in the first world, with no error at all.

use super::number::Factorials;
use super::pieces::{Merged, Piece, Row};
use super::worlds;

/// A probability estimated from samples.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Sampled {
    /// The estimate.
    pub share: f64,
    /// Its standard error, as far as the samples show it.
    pub error: f64,
}

impl Sampled {
    pub(super) fn scaled(self, by: f64) -> Sampled {
        Sampled { share: self.share * by, error: self.error * by }
    }
}

/// What was sampled of one piece.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    /// By crowd; nothing where no chain changed what it has.
    shares: Vec<Vec<Sampled>>,
}

impl Samples {
    pub(super) fn share(&self, crowd: usize, cell: usize) -> Option<Sampled> {
        self.shares[crowd].get(cell).copied()
    }
}

const CHAINS: u64 = 4;
/// So many crowds are drawn anew at a time,
const BLOCK: usize = 8;
/// for at most so many steps.
const STEPS: u64 = 20_000;

/// Samples so many worlds in each of some chains, a quarter as many first to get going; none when no world is known to start from,
/// or a crowd is too large.
pub(super) fn sample(piece: &Piece, samples: u32, seed: u64) -> Option<Samples> {
    if piece.crowds.iter().any(|crowd| crowd.people > worlds::MOST_PEOPLE) {
        return None;
    }
    let table = Factorials::up_to(piece.crowds.iter().map(|crowd| crowd.people).max().unwrap_or(0));
    let mut random = seed;
    let mut chance = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1u64 << 53) as f64
    };
    let seen = piece.seen.as_ref();
    let seen = seen.map(|seen| piece.crowds.iter().map(|crowd| seen[crowd.cells()].to_vec()).collect());
    let start = seen.or_else(|| worlds::draw(piece, STEPS * 100, &table, &mut chance))?;
    let zero: Vec<Vec<f64>> = piece.crowds.iter().map(|crowd| vec![0.0; crowd.cells().len()]).collect();
    // Means of halves of chains: what slowly drifts shows in them.
    let mut batches: Vec<Vec<Vec<f64>>> = Vec::new();
    let mut moved = vec![false; piece.crowds.len()];
    for chain in 1..=CHAINS {
        // Chains of neighbouring seeds have nothing in common.
        let mut chain = Chain::new(piece, &table, start.clone(), mixed(seed ^ mixed(chain)));
        (0..samples.div_ceil(4)).for_each(|_| chain.sweep());
        for _ in 0..2 {
            let mut sums = zero.clone();
            let half = (samples / 2).max(1);
            for _ in 0..half {
                chain.sweep();
                for ((sums, having), crowd) in sums.iter_mut().zip(&chain.world).zip(&piece.crowds) {
                    let each = f64::from(half) * crowd.people as f64;
                    sums.iter_mut().zip(having).for_each(|(sum, having)| *sum += *having as f64 / each);
                }
            }
            batches.push(sums);
        }
        moved.iter_mut().zip(&chain.moved).for_each(|(moved, here)| *moved |= here);
    }
    let many = batches.len() as f64;
    let sampled = |crowd: usize, cell: usize| {
        let means = batches.iter().map(|batch| batch[crowd][cell]);
        let share = means.clone().sum::<f64>() / many;
        let spread = means.map(|mean| (mean - share).powi(2)).sum::<f64>() / (many - 1.0);
        Sampled { share: share.min(1.0), error: (spread / many).sqrt() }
    };
    let of_crowd = |(at, crowd): (usize, &Merged)| {
        let cells = if moved[at] { crowd.cells().len() } else { 0 };
        (0..cells).map(|cell| sampled(at, cell)).collect()
    };
    Some(Samples { shares: piece.crowds.iter().enumerate().map(of_crowd).collect() })
}

/// What SplitMix64 counts by.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The mixing step of SplitMix64.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A chain of worlds.
struct Chain<'a> {
    piece: &'a Piece,
    table: &'a Factorials,
    /// By row: its crowds.
    members: Vec<Vec<u32>>,
    world: Vec<Vec<u64>>,
    /// By row: how many it counts in the world.
    used: Vec<u64>,
    /// By crowd: whether what it has was ever changed.
    moved: Vec<bool>,
    random: u64,
}

impl<'a> Chain<'a> {
    fn new(piece: &'a Piece, table: &'a Factorials, world: Vec<Vec<u64>>, seed: u64) -> Chain<'a> {
        let (mut members, mut used) = (vec![Vec::new(); piece.rows.len()], vec![0; piece.rows.len()]);
        for (at, crowd) in piece.crowds.iter().enumerate() {
            for (cell, having) in crowd.cells().zip(&world[at]) {
                for row in piece.rows_of.at(cell) {
                    used[*row as usize] += having;
                    members[*row as usize].push(at as u32);
                }
            }
        }
        members.iter_mut().for_each(|crowds: &mut Vec<u32>| crowds.dedup());
        let moved = vec![false; piece.crowds.len()];
        Chain { piece, table, members, world, used, moved, random: seed }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(GOLDEN);
        mixed(self.random)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// As many draws as give everybody one on average.
    fn sweep(&mut self) {
        for _ in 0..self.piece.crowds.len().div_ceil(BLOCK) {
            self.step();
        }
    }

    /// Draws some crowds anew.
    fn step(&mut self) {
        let block = self.block();
        let small = self.apart(&block);
        let mut random = self.random;
        let mut chance = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        let drawn = worlds::draw(&small, STEPS, self.table, &mut chance);
        self.next();
        // What takes too long to draw stays as it is: that is a step of the chain as well.
        let Some(drawn) = drawn else { return };
        for (crowd, having) in block.iter().zip(drawn) {
            let crowd = *crowd as usize;
            let cells = self.piece.crowds[crowd].cells();
            for (cell, (new, old)) in cells.zip(having.iter().zip(&self.world[crowd])) {
                let rows = self.piece.rows_of.at(cell);
                rows.iter().for_each(|row| self.used[*row as usize] = self.used[*row as usize] + new - old);
            }
            self.moved[crowd] |= self.world[crowd] != having;
            self.world[crowd] = having;
        }
    }

    /// Crowds that hang together: one by chance, then others that share a count with one of them.
    fn block(&mut self) -> Vec<u32> {
        let mut block = vec![self.below(self.piece.crowds.len()) as u32];
        for _ in 0..4 * BLOCK {
            if block.len() >= BLOCK {
                break;
            }
            let near = block[self.below(block.len())] as usize;
            let cells = self.piece.crowds[near].cells();
            let rows = self.piece.rows_of.at(cells.start + self.below(cells.len()));
            if rows.is_empty() {
                continue;
            }
            let row = rows[self.below(rows.len())] as usize;
            let at = self.below(self.members[row].len());
            let other = self.members[row][at];
            if !block.contains(&other) {
                block.push(other);
            }
        }
        block
    }

    /// The chosen crowds as a piece of their own, where everybody else keeps what they have.
    fn apart(&self, block: &[u32]) -> Piece {
        let mut rows: Vec<u32> = block
            .iter()
            .flat_map(|crowd| self.piece.rows_of.items_of(self.piece.crowds[*crowd as usize].cells()))
            .copied()
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let mut here = vec![0u64; rows.len()];
        let mut apart = Piece::default();
        for crowd in block {
            let of = self.piece.crowds[*crowd as usize];
            let local = |row: &u32| rows.binary_search(row).unwrap_or(0) as u32;
            for (cell, having) in of.cells().zip(&self.world[*crowd as usize]) {
                let rows = self.piece.rows_of.at(cell);
                rows.iter().for_each(|row| here[local(row) as usize] += having);
                apart.add_cell(self.piece.value[cell], rows.iter().map(local));
            }
            apart.add(of.people);
        }
        let bounds = |(row, here): (&u32, &u64)| {
            let others = self.used[*row as usize] - here;
            let Row { least, most } = self.piece.rows[*row as usize];
            Row { least: least.saturating_sub(others), most: most.saturating_sub(others) }
        };
        apart.rows = rows.iter().zip(&here).map(bounds).collect();
        apart
    }
}
