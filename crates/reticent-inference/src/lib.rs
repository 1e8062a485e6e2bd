//! Computes posteriors from counts: which value does each person have, given aggregate counts over groups of people?
//!
//! [`solve`] takes a [`Problem`] (classes of people, their possible values, counts) and returns a [`Posterior`] for every
//! class and value: exact bounds, the exact probability where the possible worlds can be counted, and estimates elsewhere.
//!
//! # Example
//!
//! Three people have value 0 or 1. Exactly one of them has value 1. Each person has it in one of three possible worlds:
//!
//! ```
//! use reticent_inference::{Count, Fraction, PersonClass, Problem, SolveOptions, solve};
//!
//! let people = PersonClass { people: 3, possible: vec![0, 1] };
//! let one = Count { source: 0, cells: vec![(0, 1)], lower: 1, upper: 1 };
//! let problem = Problem { classes: vec![people], counts: vec![one], ..Problem::default() };
//! let solution = solve(&problem, &SolveOptions::default())?;
//! assert_eq!(solution.worlds, Some(3));
//! assert_eq!(solution.classes[0][1].exact(), Some(Fraction::new(1, 3)));
//! # Ok::<(), reticent_inference::Error>(())
//! ```
//!
//! # Definitions
//!
//! Class `c` has `n(c)` people and the set `D(c)` of possible values. A *cell* is a pair `(c, v)` with `v` in `D(c)`.
//! Count `i` covers the set of cells `S(i)`.
//!
//! | term | definition |
//! |---|---|
//! | world | an assignment of one value of `D(c)` to every person of every class `c` |
//! | `x(c, v)` | number of people of class `c` with value `v` in a world; the sum of `x(c, v)` over `v` is `n(c)` |
//! | possible world | a world with `lower(i) <= sum of x(c, v) over S(i) <= upper(i)` for every count `i` |
//! | weighted count | a count to which each person of a cell adds a given number of records in place of one |
//! | posterior | `P(v \| c)` = mean of `x(c, v) / n(c)` over all possible worlds, each with equal weight (random worlds) |
//! | maximum-entropy estimate | `p` that maximizes `-sum of n(c) p(c, v) ln p(c, v)` and meets every count in expectation |
//!
//! # Method
//!
//! 1. `presolve` narrows the bounds of each `x(c, v)`, count by count and by network flows (`flow`).
//! 2. `components` splits the cells that are still open into independent connected components.
//! 3. `worlds` counts the possible worlds of a component by dynamic programming. `symmetry` finds exchangeable values.
//! 4. `program` bounds the cells of components with too many worlds by linear programs; every bound is verified exactly.
//! 5. `sample` and `entropy` estimate posteriors. An estimate never changes a bound.
//!
//! Paper    Wang, Zhu, Du and Teng, Inference Analysis in Privacy-Preserving Data Re-publishing: unknowns, counts and
//!          maximum entropy. The maximum-entropy estimate can be below the posterior, even where the posterior is 1.

mod components;
mod entropy;
mod error;
mod flow;
pub mod max_flow;
mod number;
mod posterior;
mod presolve;
mod program;
mod sample;
mod symmetry;
mod system;
#[cfg(test)]
mod tests;
mod worlds;

use rayon::prelude::*;

pub use entropy::Gap;
pub use error::{Error, Result};
pub use number::Fraction;
pub use posterior::{Posterior, Posteriors};
pub use sample::Sampled;

use components::{Component, Decomposition};
use symmetry::Symmetry;
use system::System;

/// Index of a value of the sensitive attribute.
pub type Value = u32;

/// A class of indistinguishable people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonClass {
    /// Number of people in the class.
    pub people: u64,
    /// Possible values of each person, in ascending order.
    pub possible: Vec<Value>,
}

/// Bounds on the number of people with one of some values, over a set of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Origin of the count, for example a release. Counts of one source cover disjoint sets of cells.
    pub source: u32,
    /// Cells that the count covers: class index and value.
    pub cells: Vec<(u32, Value)>,
    /// Lower bound on the number of people in the cells.
    pub lower: u64,
    /// Upper bound on the number of people in the cells.
    pub upper: u64,
}

/// Bounds on a weighted number of people over a set of cells: a person with several records adds each of them to a count.
///
/// Bounds and the exact number of worlds use weighted counts. Network flows and linear programs ignore them, so bounds of
/// components that are not counted are valid but wider. Estimates are not made for such components.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedCount {
    /// Cells that the count covers, each at most once: class index, value, and number of records per person.
    pub cells: Vec<(u32, Value, u64)>,
    /// Lower bound on the sum.
    pub lower: u64,
    /// Upper bound on the sum.
    pub upper: u64,
}

/// A constraint problem: classes of people, their possible values, and counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// Classes of people.
    pub classes: Vec<PersonClass>,
    /// Counts over the classes.
    pub counts: Vec<Count>,
    /// Counts to which a person can add more than one record.
    pub weighted: Vec<WeightedCount>,
    /// A possible world, if one is known: class index, value, number of people. Ignored if it violates a count.
    ///
    /// It saves the search for a first world. It changes no result, except bounds of linear programs that exceed their budget.
    pub known_solution: Option<Vec<(u32, Value, u64)>>,
    /// Indices of classes with incomplete constraints, in ascending order. Only bounds are valid for them.
    pub incomplete: Vec<u32>,
}

/// Options of [`solve`]: which figures to compute, and work limits.
#[derive(Debug, Clone, Copy)]
pub struct SolveOptions {
    /// Maximum number of steps for counting the possible worlds of one component.
    pub steps: u64,
    /// Maximum number of steps for bounding one uncounted component by linear programs; 0 disables this.
    pub program_steps: u64,
    /// Whether to compute the maximum-entropy estimate.
    pub entropy: bool,
    /// Number of possible worlds to sample per Markov chain in uncounted components; 0 disables sampling.
    pub samples: u32,
    /// Seed of the random numbers for sampling.
    pub seed: u64,
    /// Whether to compute only bounds that stay valid if further constraints exist.
    pub bounds_only: bool,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions {
            steps: 2_000_000,
            program_steps: 2_000_000,
            entropy: true,
            samples: 0,
            seed: 0,
            bounds_only: false,
        }
    }
}

/// The result of [`solve`].
#[derive(Debug, Clone)]
pub struct Solution {
    /// Posteriors by class. Values with probability 0 are omitted.
    pub classes: Posteriors,
    /// Natural logarithm of the number of possible worlds; `None` if they were not counted.
    pub ln_worlds: Option<f64>,
    /// Number of possible worlds, if they were counted without an overflow of 128 bits.
    pub worlds: Option<u128>,
    /// Statistics of the computation.
    pub stats: SolveStats,
}

/// Statistics of a [`solve`] call.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct SolveStats {
    /// Number of cells that are not fixed after each count was propagated individually.
    pub open: u64,
    /// Number of these cells that network flows or linear programs fixed.
    pub forced: u64,
    /// Number of connected components of the cells that are not fixed.
    pub components: u64,
    /// Number of people in the largest component.
    pub largest_component: u64,
    /// Number of components whose possible worlds were counted.
    pub components_counted: u64,
    /// Number of people in uncounted components whose open values are all exchangeable.
    pub people_by_symmetry: u64,
    /// Number of components whose possible worlds were not counted.
    pub components_not_counted: u64,
    /// Number of people in the uncounted components.
    pub people_not_counted: u64,
    /// Number of uncounted components that linear programs bounded.
    pub components_bounded: u64,
    /// Number of uncounted components that were too large for linear programs.
    pub components_not_bounded: u64,
    /// Number of cells in the bounded components.
    pub bounds: u64,
    /// Number of these cells that were examined before the budget ran out.
    pub bounds_computed: u64,
    /// Number of these cells with tight bounds: possible worlds attain both bounds.
    pub bounds_tight: u64,
    /// Maximum entropy in nats; `None` if it was not requested, did not converge, or a class has incomplete constraints.
    pub entropy: Option<f64>,
    /// Accuracy of the maximum-entropy solution.
    pub gap: Option<Gap>,
    /// Number of components without a maximum-entropy estimate, because it did not converge.
    pub not_converged: u64,
    /// Number of people without an estimate from sampled worlds, because the chains failed a test of convergence.
    pub people_not_sampled: u64,
}

impl SolveStats {
    /// Combines the statistics of two problems. Component sizes and uncounted people are maxima; other figures are sums.
    pub fn combined(self, more: &SolveStats) -> SolveStats {
        SolveStats {
            open: self.open + more.open,
            forced: self.forced + more.forced,
            components: self.components + more.components,
            largest_component: self.largest_component.max(more.largest_component),
            components_counted: self.components_counted + more.components_counted,
            people_by_symmetry: self.people_by_symmetry + more.people_by_symmetry,
            components_not_counted: self.components_not_counted + more.components_not_counted,
            people_not_counted: self.people_not_counted.max(more.people_not_counted),
            components_bounded: self.components_bounded + more.components_bounded,
            components_not_bounded: self.components_not_bounded + more.components_not_bounded,
            bounds: self.bounds + more.bounds,
            bounds_computed: self.bounds_computed + more.bounds_computed,
            bounds_tight: self.bounds_tight + more.bounds_tight,
            entropy: self.entropy.zip(more.entropy).map(|(one, other)| one + other),
            gap: self.gap.zip(more.gap).map(|(one, other)| one.worst(other)),
            not_converged: self.not_converged + more.not_converged,
            people_not_sampled: self.people_not_sampled.max(more.people_not_sampled),
        }
    }

    /// Adds the bounds of an uncounted component.
    fn count_bounds(&mut self, bounded: Option<&program::Bounded>) {
        match bounded {
            Some(bounded) => {
                self.components_bounded += 1;
                self.bounds += bounded.bounds.iter().map(|cells| cells.len() as u64).sum::<u64>();
                self.bounds_computed += bounded.probed;
                self.bounds_tight += bounded.tight;
            }
            None => self.components_not_bounded += 1,
        }
    }
}

/// Computes the posteriors of a problem.
///
/// # Errors
///
/// Returns an error if no world meets all counts, if possible values are not ascending, or if the problem is too large.
pub fn solve(problem: &Problem, options: &SolveOptions) -> Result<Solution> {
    // Runs inside the thread pool, so that parallel tasks start without waking another thread.
    rayon::scope(|_| solve_in_pool(problem, options))
}

fn solve_in_pool(problem: &Problem, options: &SolveOptions) -> Result<Solution> {
    let system = System::new(problem)?;
    let mut presolved = presolve::presolve(&system, !options.bounds_only)?;
    let mut decomposition = Decomposition::new(&system, &presolved.bounds);
    let mut proved = prove(&decomposition, options, vec![None; decomposition.components.len()])?;
    let mut options = *options;
    loop {
        let bounded: Vec<_> = proved.iter().map(|proved| proved.bounded.as_ref()).collect();
        let narrowed = program::new_bounds(&system, &presolved.bounds, &decomposition, &bounded);
        let before = presolved.forced;
        if !narrowed.is_empty() {
            presolve::narrow(&system, &mut presolved, &narrowed)?;
        }
        if presolved.forced == before {
            break;
        }
        // New fixed cells split components further, so some may be countable now. Halving the budget ensures termination.
        options.program_steps /= 2;
        let next = Decomposition::new(&system, &presolved.bounds);
        let known = next.same_as(&decomposition).into_iter().map(|known| known.map(|known| proved[known].clone()));
        proved = prove(&next, &options, known.collect())?;
        decomposition = next;
    }
    let tasks = decomposition.components.par_iter().zip(proved);
    let solved: Vec<Solved> = tasks.map(|(component, proved)| solve_component(component, proved, &options)).collect();
    Ok(assemble(&system, &presolved, &decomposition, &solved, &options))
}

/// Step limit for checking that a large symmetric component has a possible world.
const EXISTENCE_STEPS: u64 = 20_000;

/// Exact results for one component.
#[derive(Clone)]
struct Proved {
    counted: Option<worlds::Counted>,
    /// Bounds by linear programs, if the worlds were not counted.
    bounded: Option<program::Bounded>,
    symmetry: Symmetry,
}

impl Proved {
    fn new(component: &Component, options: &SolveOptions) -> Result<Proved> {
        let bounds_only = options.bounds_only || component.incomplete;
        // Weighted counts restrict the values too, but symmetry and linear programs do not read them.
        let weighted = !component.weighted.is_empty();
        let symmetry = if bounds_only || weighted { Symmetry::default() } else { Symmetry::new(component) };
        // If all values are exchangeable, symmetry gives every posterior; only the number of worlds is unknown.
        let settled = symmetry.covers_component(component);
        // Large symmetric components are not counted. Without a known world, a short search checks that one exists;
        // if the search exceeds its limit, existence is assumed.
        let large = settled && component.people() > presolve::SMALL_COMPONENT_PEOPLE;
        let steps = match (bounds_only, large, &component.known_solution) {
            (true, ..) | (_, true, Some(_)) => 0,
            (_, true, None) => options.steps.min(EXISTENCE_STEPS),
            _ => options.steps,
        };
        let counted = worlds::count(component, steps)?;
        let known = counted.is_some() || settled;
        let bounded = if known || weighted { None } else { program::bound(component, options.program_steps)? };
        Ok(Proved { counted, bounded, symmetry })
    }
}

/// Counts or bounds every component. `known` has the results of unchanged components.
fn prove(decomposition: &Decomposition, options: &SolveOptions, known: Vec<Option<Proved>>) -> Result<Vec<Proved>> {
    let prove = |(component, known): (&Component, Option<Proved>)| match known {
        Some(known) => Ok(known),
        None => Proved::new(component, options),
    };
    decomposition.components.par_iter().zip(known).map(prove).collect()
}

/// All results for one component.
struct Solved {
    proved: Proved,
    sampled: Option<sample::Samples>,
    entropy: Option<entropy::Estimate>,
    /// Whether only bounds are valid.
    bounds_only: bool,
}

fn solve_component(component: &Component, proved: Proved, options: &SolveOptions) -> Solved {
    let bounds_only = options.bounds_only || component.incomplete;
    let weighted = !component.weighted.is_empty();
    let sampled = match &proved.counted {
        None if options.samples > 0 && !bounds_only && !weighted => {
            sample::sample(component, options.samples, options.seed)
        }
        _ => None,
    };
    let entropy = (options.entropy && !weighted).then(|| entropy::estimate(component)).flatten();
    Solved { entropy, proved, sampled, bounds_only }
}

fn assemble(
    system: &System,
    presolved: &presolve::Presolved,
    decomposition: &Decomposition,
    solved: &[Solved],
    options: &SolveOptions,
) -> Solution {
    let bounds = &presolved.bounds;
    let mut stats = SolveStats {
        open: presolved.open,
        forced: presolved.forced,
        components: decomposition.components.len() as u64,
        ..SolveStats::default()
    };
    let mut ln_worlds = Some(0.0);
    let mut worlds = Some(1u128);
    let mut gap = Gap::default();
    let mut entropy = 0.0;
    for (component, solved) in decomposition.components.iter().zip(solved) {
        stats.largest_component = stats.largest_component.max(component.people());
        match &solved.proved.counted {
            Some(counted) => {
                stats.components_counted += 1;
                ln_worlds = ln_worlds.map(|ln| ln + counted.ln_worlds);
                worlds = worlds.zip(counted.worlds).and_then(|(all, these)| all.checked_mul(these));
            }
            None => {
                stats.components_not_counted += 1;
                stats.people_not_counted += component.people();
                let unsampled = options.samples > 0 && solved.sampled.is_none();
                stats.people_not_sampled += if unsampled { component.people() } else { 0 };
                (ln_worlds, worlds) = (None, None);
                let settled =
                    component.classes.iter().filter(|class| solved.proved.symmetry.covers_class(component, **class));
                let settled: u64 = settled.map(|class| class.people).sum();
                stats.people_by_symmetry += settled;
                if settled < component.people() {
                    stats.count_bounds(solved.proved.bounded.as_ref());
                }
            }
        }
        match &solved.entropy {
            Some(estimate) => (entropy, gap) = (entropy + estimate.nats, gap.worst(estimate.gap)),
            None => stats.not_converged += 1,
        }
    }
    let classes = Posteriors::new(system, bounds, decomposition, solved);
    for class in 0..system.classes() {
        let Some(all) = ln_worlds else { break };
        let (arrangements, ln) = system.arrangements(class, bounds, decomposition.open[class]);
        ln_worlds = Some(all + ln);
        worlds = worlds.zip(arrangements).and_then(|(all, these)| all.checked_mul(these));
    }
    let incomplete = system.incomplete.iter().any(|class| system.people[*class as usize] > 0);
    if options.bounds_only || incomplete {
        (ln_worlds, worlds) = (None, None);
    }
    if options.entropy && stats.not_converged == 0 && !incomplete {
        let forced = (0..system.classes()).map(|class| system.forced_entropy(class, bounds, decomposition.open[class]));
        stats.entropy = Some(entropy + forced.sum::<f64>());
        stats.gap = Some(gap);
    }
    if !options.entropy {
        stats.not_converged = 0;
    }
    Solution { classes, ln_worlds, worlds, stats }
}

/// The error for counts that no world meets.
fn contradiction() -> Error {
    Error::Contradiction
}
