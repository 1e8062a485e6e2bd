//! Sampling of possible worlds by Markov chains, for components with too many worlds to count.
//!
//! Each step is a block Gibbs update: it chooses a few connected classes and redraws their values uniformly among all assignments that
//! are consistent with the others (counted exactly by [`super::worlds`]). The uniform distribution over possible worlds is
//! stationary. The standard error is the spread of the means of several chains.
//!
//! The result is an estimate. The chain is not proved to be irreducible, and its mixing time is unknown. So a component gets estimates
//! only if every one of its cells passes two tests over the halves of all chains: the potential scale reduction factor (split R-hat) of
//! Gelman and Rubin is at most 1.05, and the effective sample size is at least 100. A cell that no chain changed fails: its estimate
//! would be the first world, with an error of 0, and the chains miss the worlds in which it differs.
//!
//! Paper    Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-normalization, folding, and localization: an improved R-hat for
//!          assessing convergence of MCMC, 2021: split R-hat and effective sample size.

use super::components::{Component, MergedClass, Row};
use super::number::Factorials;
use super::worlds;

/// A probability estimated from samples.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Sampled {
    /// Estimated probability.
    pub estimate: f64,
    /// Standard error of the estimate, from the means of the chains.
    pub standard_error: f64,
}

impl Sampled {
    pub(super) fn scaled(self, by: f64) -> Sampled {
        Sampled { estimate: self.estimate * by, standard_error: self.standard_error * by }
    }
}

/// Sampling estimates of one component.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    /// By class and cell.
    estimates: Vec<Vec<Sampled>>,
}

impl Samples {
    pub(super) fn estimate(&self, class: usize, cell: usize) -> Option<Sampled> {
        self.estimates[class].get(cell).copied()
    }
}

/// Number of Markov chains.
const CHAINS: u64 = 8;
/// Maximum potential scale reduction factor of a cell.
const MAX_SCALE_REDUCTION: f64 = 1.05;
/// Minimum effective sample size of a cell.
const MIN_EFFECTIVE_SAMPLES: f64 = 100.0;
/// Standard error of a mean of eight chains, relative to that of a normal distribution with a known variance: the ratio of the
/// 84 % quantiles of Student's t distribution with 7 degrees of freedom and of the normal distribution.
const STUDENT_FACTOR: f64 = 1.08;
/// Number of classes that are redrawn per step.
const BLOCK_CLASSES: usize = 8;
/// Maximum number of counting steps for one redraw.
const MAX_STEPS_PER_DRAW: u64 = 20_000;

/// Samples the given number of worlds in each chain, after a burn-in of half as many.
///
/// Returns `None` if there is no world to start from, or if a class is too large.
pub(super) fn sample(component: &Component, samples: u32, seed: u64) -> Option<Samples> {
    if component.classes.iter().any(|class| class.people > worlds::MAX_PEOPLE) {
        return None;
    }
    let table = Factorials::up_to(component.classes.iter().map(|class| class.people).max().unwrap_or(0));
    let mut random = seed;
    let mut uniform = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1u64 << 53) as f64
    };
    let known_solution = component.known_solution.as_ref();
    let known_solution = known_solution
        .map(|known_solution| component.classes.iter().map(|class| known_solution[class.cells()].to_vec()).collect());
    let start = known_solution.or_else(|| worlds::draw(component, MAX_STEPS_PER_DRAW * 100, &table, &mut uniform))?;
    let zero: Vec<Vec<f64>> = component.classes.iter().map(|class| vec![0.0; class.cells().len()]).collect();
    // Halves of all chains: slow drift shows in their spread.
    let mut halves: Vec<Half> = Vec::new();
    let half = (samples / 2).max(1);
    for chain in 1..=CHAINS {
        // Mixing makes chains of adjacent seeds independent.
        let mut chain = Chain::new(component, &table, start.clone(), mix(seed ^ mix(chain)));
        (0..samples.div_ceil(2)).for_each(|_| chain.sweep());
        for _ in 0..2 {
            let mut sums = Half { means: zero.clone(), variances: zero.clone() };
            for _ in 0..half {
                chain.sweep();
                for (at, (assigned, class)) in chain.world.iter().zip(&component.classes).enumerate() {
                    for (cell, assigned) in assigned.iter().enumerate() {
                        let share = *assigned as f64 / class.people as f64;
                        sums.means[at][cell] += share;
                        sums.variances[at][cell] += share * share;
                    }
                }
            }
            halves.push(sums.finish(f64::from(half)));
        }
    }
    let of_class = |(at, class): (usize, &MergedClass)| -> Option<Vec<Sampled>> {
        (0..class.cells().len()).map(|cell| estimate(&halves, at, cell, f64::from(half))).collect()
    };
    let estimates = component.classes.iter().enumerate().map(of_class).collect::<Option<_>>()?;
    Some(Samples { estimates })
}

/// Mean and variance of each cell over half a chain.
struct Half {
    means: Vec<Vec<f64>>,
    variances: Vec<Vec<f64>>,
}

impl Half {
    /// Converts sums, and sums of squares, over `worlds` worlds.
    fn finish(mut self, worlds: f64) -> Half {
        for (means, variances) in self.means.iter_mut().zip(&mut self.variances) {
            for (mean, variance) in means.iter_mut().zip(variances) {
                *mean /= worlds;
                *variance = (*variance / worlds - *mean * *mean).max(0.0) * worlds / (worlds - 1.0).max(1.0);
            }
        }
        self
    }
}

/// Estimates the probability of a cell from the halves of all chains of `worlds` worlds each. `None` if a test fails.
fn estimate(halves: &[Half], class: usize, cell: usize, worlds: f64) -> Option<Sampled> {
    let means: Vec<f64> = halves.iter().map(|half| half.means[class][cell]).collect();
    let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance_of = |values: &[f64]| {
        let mean = mean_of(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
    };
    let within = halves.iter().map(|half| half.variances[class][cell]).sum::<f64>() / halves.len() as f64;
    let between = variance_of(&means);
    if within <= 0.0 {
        return None;
    }
    let pooled = (worlds - 1.0) / worlds * within + between;
    let chains: Vec<f64> = means.chunks(2).map(mean_of).collect();
    let of_chains = variance_of(&chains) / chains.len() as f64;
    let error = of_chains.max(between / means.len() as f64).max(f64::MIN_POSITIVE);
    if (pooled / within).sqrt() > MAX_SCALE_REDUCTION || pooled / error < MIN_EFFECTIVE_SAMPLES {
        return None;
    }
    let estimate = mean_of(&means).clamp(0.0, 1.0);
    Some(Sampled { estimate, standard_error: STUDENT_FACTOR * error.sqrt() })
}

/// Increment of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The mixing step of SplitMix64.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A Markov chain of possible worlds.
struct Chain<'a> {
    component: &'a Component,
    table: &'a Factorials,
    /// By row: its classes.
    members: Vec<Vec<u32>>,
    /// By class and cell: number of people in the current world.
    world: Vec<Vec<u64>>,
    /// By row: sum of its cells in the current world.
    used: Vec<u64>,
    random: u64,
}

impl<'a> Chain<'a> {
    fn new(component: &'a Component, table: &'a Factorials, world: Vec<Vec<u64>>, seed: u64) -> Chain<'a> {
        let (mut members, mut used) = (vec![Vec::new(); component.rows.len()], vec![0; component.rows.len()]);
        for (at, class) in component.classes.iter().enumerate() {
            for (cell, assigned) in class.cells().zip(&world[at]) {
                for row in component.rows_of.at(cell) {
                    used[*row as usize] += assigned;
                    members[*row as usize].push(at as u32);
                }
            }
        }
        members.iter_mut().for_each(|classes: &mut Vec<u32>| classes.dedup());
        Chain { component, table, members, world, used, random: seed }
    }

    /// Next random number by SplitMix64.
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(GOLDEN);
        mix(self.random)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Performs enough steps to redraw every class once on average.
    fn sweep(&mut self) {
        for _ in 0..self.component.classes.len().div_ceil(BLOCK_CLASSES) {
            self.step();
        }
    }

    /// Redraws one block of classes.
    fn step(&mut self) {
        let block = self.draw_block();
        let restricted = self.restricted_to(&block);
        let mut random = self.random;
        let mut uniform = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        let drawn = worlds::draw(&restricted, MAX_STEPS_PER_DRAW, self.table, &mut uniform);
        self.next();
        // If the draw exceeds its limit, the world is unchanged, which is a valid step of the chain.
        let Some(drawn) = drawn else { return };
        for (class, assigned) in block.iter().zip(drawn) {
            let class = *class as usize;
            let cells = self.component.classes[class].cells();
            for (cell, (new, old)) in cells.zip(assigned.iter().zip(&self.world[class])) {
                let rows = self.component.rows_of.at(cell);
                rows.iter().for_each(|row| self.used[*row as usize] = self.used[*row as usize] + new - old);
            }
            self.world[class] = assigned;
        }
    }

    /// Draws connected classes: a random one, then others that share a count with a chosen one.
    fn draw_block(&mut self) -> Vec<u32> {
        let mut block = vec![self.below(self.component.classes.len()) as u32];
        for _ in 0..4 * BLOCK_CLASSES {
            if block.len() >= BLOCK_CLASSES {
                break;
            }
            let near = block[self.below(block.len())] as usize;
            let cells = self.component.classes[near].cells();
            let rows = self.component.rows_of.at(cells.start + self.below(cells.len()));
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

    /// The component of the given classes, with all other classes fixed to the current world.
    fn restricted_to(&self, block: &[u32]) -> Component {
        let mut rows: Vec<u32> = block
            .iter()
            .flat_map(|class| self.component.rows_of.items_of(self.component.classes[*class as usize].cells()))
            .copied()
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let mut here = vec![0u64; rows.len()];
        let mut restricted = Component::default();
        for class in block {
            let of = self.component.classes[*class as usize];
            let local = |row: &u32| rows.binary_search(row).unwrap_or(0) as u32;
            for (cell, assigned) in of.cells().zip(&self.world[*class as usize]) {
                let rows = self.component.rows_of.at(cell);
                rows.iter().for_each(|row| here[local(row) as usize] += assigned);
                restricted.push_cell(self.component.value[cell], rows.iter().map(local));
            }
            restricted.push_class(of.people);
        }
        let bounds = |(row, here): (&u32, &u64)| {
            let others = self.used[*row as usize] - here;
            let Row { lower, upper } = self.component.rows[*row as usize];
            Row { lower: lower.saturating_sub(others), upper: upper.saturating_sub(others) }
        };
        restricted.rows = rows.iter().zip(&here).map(bounds).collect();
        restricted
    }
}
