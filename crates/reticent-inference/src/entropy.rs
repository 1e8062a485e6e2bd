//! Maximum-entropy estimate of a component.
//!
//! The primal problem maximizes the entropy `-sum of n(c) p(c, v) ln p(c, v)` over all `p` that meet every count in expectation. The
//! dual has one multiplier per count and is smooth and convex:
//!
//! ```text
//! minimize  sum over c of n(c) ln(sum over v of exp(sum of the multipliers of (c, v)))  -  sum of multiplier * count
//! ```
//!
//! It is solved by Newton's method, with conjugate gradients for each step ([`conjugate_gradient`]). A count with different bounds
//! has one multiplier per bound. The multiplier is nonnegative, and 0 unless the bound is active.
//!
//! If a probability is 0 in every solution and presolve did not find it, multipliers diverge. So a cell whose probability falls
//! below [`NEGLIGIBLE_PROBABILITY`] is excluded. At the end the dual with all cells is evaluated, which is an upper bound of the
//! entropy. If it exceeds the entropy by more than the allowed gap, there is no estimate.
//!
//! The estimate can be far below the posterior over possible worlds. It also allows fractions of people.

mod conjugate_gradient;
mod incidence;

use super::components::Component;
use conjugate_gradient::ConjugateGradient;
use incidence::{CellWeights, Incidence, Sums, Total};

/// Maximum residual of a count, in people.
const TOLERANCE: f64 = 1e-8;
/// Probability below which a cell is excluded, subject to the final duality gap.
const NEGLIGIBLE_PROBABILITY: f64 = 1e-9;
/// Maximum duality gap, in nats per person.
const MAX_GAP_PER_PERSON: f64 = 1e-7;
/// Residual, in people, below which negligible cells are excluded.
const NEAR_RESIDUAL: f64 = 0.5;
/// A Newton step is solved to final accuracy if its target residual is below this multiple of the tolerance.
const FINAL_STEP_FACTOR: f64 = 50.0;
/// Predicted residual of the final step, as a fraction of the tolerance.
const FINAL_STEP_TARGET: f64 = 0.8;
/// Largest forcing term of the inexact Newton method: the residual of a step relative to the gradient.
const MAX_FORCING_TERM: f64 = 0.2;
/// Maximum change of a multiplier in one step.
const MAX_MULTIPLIER_CHANGE: f64 = 40.0;
/// Maximum number of iterative scaling rounds before the first Newton step.
const MAX_SCALING_ROUNDS: usize = 30;
const MAX_NEWTON_STEPS: usize = 100;
const MAX_ACTIVE_SETS: usize = 50;
const MAX_CG_ITERATIONS: usize = 2_000;

/// Accuracy of a maximum-entropy solution.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Gap {
    /// Largest residual of a count, in people.
    pub residual: f64,
    /// Duality gap in nats: upper bound of the maximum entropy less the computed entropy.
    pub duality_gap: f64,
}

impl Gap {
    pub(super) fn worst(self, other: Gap) -> Gap {
        Gap { residual: self.residual.max(other.residual), duality_gap: self.duality_gap + other.duality_gap }
    }
}

/// Maximum-entropy estimate of one component.
#[derive(Debug, Clone)]
pub(super) struct Estimate {
    /// By class: index of its first cell.
    start: Vec<u32>,
    /// By cell: estimated probability.
    probabilities: Vec<f64>,
    /// Entropy of the people without a fixed value, in nats.
    pub nats: f64,
    pub gap: Gap,
}

impl Estimate {
    pub(super) fn probability(&self, class: usize, cell: usize) -> f64 {
        self.probabilities[self.start[class] as usize + cell]
    }
}

/// Computes the maximum-entropy estimate; `None` if it does not converge.
///
/// Active-set method: counts with different bounds are ignored at first. A violated bound becomes active and is met exactly. It becomes
/// inactive again if its multiplier is negative.
pub(super) fn estimate(component: &Component) -> Option<Estimate> {
    estimate_with(component, incidence::CELLS_PER_PART)
}

/// [`estimate`] with a given number of cells per parallel part.
pub(super) fn estimate_with(component: &Component, cells_per_part: usize) -> Option<Estimate> {
    let mut dual = Dual::new(component, cells_per_part);
    let (mut at, mut newton) = (dual.initial_point(), Newton::new(&dual));
    for _ in 0..MAX_ACTIVE_SETS {
        dual.optimize(&mut at, &mut newton)?;
        if dual.update_active_set(&mut at) {
            dual.evaluate(&mut at);
            continue;
        }
        let (entropy, residual) = (dual.entropy(&at), at.residual);
        let upper_bound = if std::mem::take(&mut dual.possible).is_empty() {
            at.value
        } else {
            let next = &mut newton.next;
            next.multipliers.clone_from(&at.multipliers);
            dual.evaluate(next);
            next.value
        };
        let gap_nats = (upper_bound - entropy).max(0.0);
        let gap = Gap { residual, duality_gap: gap_nats };
        let people: f64 = dual.people.iter().sum();
        if gap_nats > MAX_GAP_PER_PERSON * people {
            return None;
        }
        let mut probabilities = at.expected;
        for (class, people) in dual.people.iter().enumerate() {
            probabilities[dual.incidence.cells_of_class(class)].iter_mut().for_each(|expected| *expected /= people);
        }
        let start = component.classes.iter().map(|class| class.cells().start as u32).collect();
        return Some(Estimate { start, probabilities, nats: entropy, gap });
    }
    None
}

/// The dual problem of a component.
struct Dual<'a> {
    /// By class: number of people.
    people: Vec<f64>,
    incidence: Incidence<'a>,
    /// By cell: whether it is included; empty while all are.
    possible: Vec<bool>,
    /// By multiplier: row.
    row: Vec<u32>,
    /// By multiplier: bound of the row.
    bound: Vec<f64>,
    /// By multiplier: 0 for an exact count, +1 for a lower bound, -1 for an upper bound.
    side: Vec<f64>,
    /// By multiplier: -1 for an upper bound, else +1.
    sign: Vec<f64>,
    /// By multiplier: whether the bound is met exactly. Always true for an exact count.
    active: Vec<bool>,
}

/// A point of the dual problem.
struct Point {
    multipliers: Vec<f64>,
    /// By cell: expected number of people.
    expected: Vec<f64>,
    /// Value of the dual function.
    value: f64,
    /// By multiplier: derivative of the dual function.
    gradient: Vec<f64>,
    /// Largest residual of an active bound, in people.
    residual: f64,
    /// By row: signed sum of its multipliers.
    row_multipliers: Vec<f64>,
    /// By row: expected number of people.
    sums: Sums,
}

impl Point {
    /// The point with all multipliers 0, not evaluated.
    fn new(dual: &Dual<'_>) -> Point {
        let nothing = vec![0.0; dual.bound.len()];
        Point {
            multipliers: nothing.clone(),
            expected: vec![0.0; dual.incidence.cells()],
            value: f64::NAN,
            gradient: nothing,
            residual: f64::NAN,
            row_multipliers: dual.incidence.zeros(),
            sums: dual.incidence.sums(),
        }
    }
}

/// Newton's method with reused memory.
struct Newton {
    gradient: ConjugateGradient,
    next: Point,
}

impl Newton {
    fn new(dual: &Dual<'_>) -> Newton {
        Newton { gradient: ConjugateGradient::new(dual), next: Point::new(dual) }
    }

    /// Moves to a better point; `None` if the line search fails.
    fn step(&mut self, dual: &Dual<'_>, at: &mut Point) -> Option<()> {
        dual.newton_step(at, &mut self.gradient);
        dual.line_search(at, &mut self.next, &self.gradient.step)
    }
}

impl<'a> Dual<'a> {
    fn new(component: &'a Component, cells_per_part: usize) -> Dual<'a> {
        let (mut row, mut bound, mut side) = (Vec::new(), Vec::new(), Vec::new());
        for (at, count) in (0..).zip(&component.rows) {
            let mut add = |count: u64, sign: f64| {
                row.push(at);
                bound.push(count as f64);
                side.push(sign);
            };
            if count.lower == count.upper {
                add(count.lower, 0.0);
                continue;
            }
            if count.lower > 0 {
                add(count.lower, 1.0);
            }
            add(count.upper, -1.0);
        }
        let incidence = Incidence::new(component, cells_per_part);
        let people = component.classes.iter().map(|class| class.people as f64).collect();
        let active = side.iter().map(|side| *side == 0.0).collect();
        let sign = side.iter().map(|side| if *side < 0.0 { -1.0 } else { 1.0 }).collect();
        Dual { people, possible: Vec::new(), incidence, row, bound, side, sign, active }
    }

    /// Writes the signed sum of multipliers of every row to `sums`.
    fn by_row(&self, multipliers: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        for (at, multiplier) in multipliers.iter().enumerate() {
            sums[self.row[at] as usize] += self.sign[at] * multiplier;
        }
    }

    /// Evaluates the dual function, its gradient and the expected numbers of people at a point.
    fn evaluate(&self, at: &mut Point) {
        self.by_row(&at.multipliers, &mut at.row_multipliers);
        let mut value = self.incidence.sweep(&at.row_multipliers, &mut at.expected, &mut at.sums, &GibbsWeights(self));
        let mut residual = 0.0f64;
        for (place, gradient) in at.gradient.iter_mut().enumerate() {
            *gradient = self.sign[place] * (at.sums.all[self.row[place] as usize] - self.bound[place]);
            value -= self.sign[place] * self.bound[place] * at.multipliers[place];
            let off = if self.active[place] { gradient.abs() } else { 0.0 };
            residual = if off > residual { off } else { residual };
        }
        (at.value, at.residual) = (value, residual);
    }

    /// Initial point by a few rounds of generalized iterative scaling (Darroch and Ratcliff).
    ///
    /// Scaling makes fast progress far from the optimum, where Newton steps are too long.
    fn initial_point(&self) -> Point {
        let mut at = Point::new(self);
        self.evaluate(&mut at);
        let most_rows = self.incidence.max_rows_per_cell() as f64;
        for _ in 0..MAX_SCALING_ROUNDS {
            if at.residual < 1.0 {
                break;
            }
            for (place, multiplier) in at.multipliers.iter_mut().enumerate().filter(|(place, _)| self.active[*place]) {
                let (wanted, expected) = (self.bound[place], self.bound[place] + at.gradient[place]);
                if wanted > 0.0 && expected > 0.0 {
                    *multiplier += (wanted / expected).ln() / most_rows;
                }
            }
            self.evaluate(&mut at);
        }
        at
    }

    fn entropy(&self, at: &Point) -> f64 {
        let of_class = |class: usize| {
            let expected = at.expected[self.incidence.cells_of_class(class)].iter().filter(|expected| **expected > 0.0);
            -expected.map(|expected| expected * (expected / self.people[class]).ln()).sum::<f64>()
        };
        (0..self.people.len()).map(of_class).sum()
    }

    /// Excludes cells with negligible probability. Returns whether any cell was excluded.
    fn exclude_negligible(&mut self, at: &Point) -> bool {
        let mut any = false;
        for (class, people) in self.people.iter().enumerate() {
            for cell in
                self.incidence.cells_of_class(class).filter(|cell| at.expected[*cell] < NEGLIGIBLE_PROBABILITY * people)
            {
                self.possible.resize(self.incidence.cells(), true);
                any |= std::mem::replace(&mut self.possible[cell], false);
            }
        }
        any
    }

    /// Minimizes the dual for the active bounds; `None` if it does not converge.
    fn optimize(&mut self, at: &mut Point, newton: &mut Newton) -> Option<()> {
        for _ in 0..MAX_NEWTON_STEPS {
            // A NaN does not show in the residual.
            if !at.value.is_finite() {
                return None;
            }
            if at.residual <= TOLERANCE {
                return Some(());
            }
            newton.step(self, at)?;
            // Far from the optimum, a small probability may still grow.
            if at.residual < NEAR_RESIDUAL && self.exclude_negligible(at) {
                self.evaluate(at);
            }
        }
        None
    }

    /// Updates the set of active bounds. Returns whether it changed.
    fn update_active_set(&mut self, at: &mut Point) -> bool {
        let mut changed = false;
        for multiplier in (0..self.side.len()).filter(|multiplier| self.side[*multiplier] != 0.0) {
            // The gradient of a bound is positive if the bound has slack.
            let (value, slack) = (at.multipliers[multiplier], at.gradient[multiplier]);
            if self.active[multiplier] && value < -TOLERANCE {
                self.active[multiplier] = false;
                at.multipliers[multiplier] = 0.0;
                changed = true;
            } else if !self.active[multiplier] && slack < -TOLERANCE {
                self.active[multiplier] = true;
                changed = true;
            }
        }
        changed
    }

    /// Computes a Newton step by conjugate gradients, to the accuracy that is useful (inexact Newton method).
    fn newton_step(&self, at: &Point, gradient: &mut ConjugateGradient) {
        gradient.begin(self, at);
        // The forcing term decreases with the gradient, which preserves quadratic convergence.
        let enough = gradient.norm * gradient.norm.min(MAX_FORCING_TERM);
        // Close to the tolerance, one accurate step is cheaper than two steps.
        let last = enough < FINAL_STEP_FACTOR * TOLERANCE;
        for _ in 0..MAX_CG_ITERATIONS {
            let progress = gradient.iterate(self, at);
            if !progress
                || if last { gradient.residual_within(FINAL_STEP_TARGET * TOLERANCE) } else { gradient.norm <= enough }
            {
                break;
            }
        }
    }

    /// Backtracking line search along a step; `None` if no better point is found.
    fn line_search(&self, at: &mut Point, next: &mut Point, step: &[f64]) -> Option<()> {
        let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        let mut length = (MAX_MULTIPLIER_CHANGE / longest).min(1.0);
        for _ in 0..50 {
            let moved = at.multipliers.iter().zip(step).map(|(multiplier, step)| multiplier + length * step);
            next.multipliers.clear();
            next.multipliers.extend(moved);
            self.evaluate(next);
            let both = next.multipliers.iter().zip(&at.multipliers);
            let gain: f64 = both.zip(&at.gradient).map(|((new, old), gradient)| (new - old) * gradient).sum();
            let increase = next.value - at.value;
            // Near the optimum, changes of the value are below the rounding error; then the residual decides.
            let flat = increase.abs() <= 1e-12 * at.value.abs().max(1.0) && next.residual < at.residual;
            if increase <= 1e-4 * gain || flat {
                std::mem::swap(at, next);
                return Some(());
            }
            length *= 0.5;
        }
        None
    }
}

/// Distributes the people of a class over its cells in proportion to `exp(sum of multipliers)`.
struct GibbsWeights<'a>(&'a Dual<'a>);

impl CellWeights for GibbsWeights<'_> {
    const USES_ROW_SUMS: bool = true;

    #[inline(always)]
    fn weigh(&self, class: usize, first: usize, cells: &mut [f64], value: &mut Total) {
        let dual = self.0;
        if !dual.possible.is_empty() {
            let possible = &dual.possible[first..first + cells.len()];
            let excluded = cells.iter_mut().zip(possible).filter(|(_, possible)| !**possible);
            excluded.for_each(|(cell, _)| *cell = f64::NEG_INFINITY);
        }
        let highest = cells.iter().fold(f64::NEG_INFINITY, |highest, slope| highest.max(*slope));
        let mut total = 0.0;
        for cell in &mut *cells {
            *cell = (*cell - highest).exp();
            total += *cell;
        }
        let people = dual.people[class];
        let scale = people / total;
        cells.iter_mut().for_each(|cell| *cell *= scale);
        if people == 1.0 {
            value.add(highest);
            value.add_ln(total);
        } else {
            value.add(people * (total.ln() + highest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Component, TOLERANCE, estimate};
    use crate::components::Row;

    /// Two classes with three and two people. One person has the first value, and two have the second.
    fn component() -> Component {
        let mut component =
            Component { rows: vec![Row { lower: 1, upper: 1 }, Row { lower: 2, upper: 2 }], ..Component::default() };
        for (people, last) in [(3, 2), (2, 3)] {
            component.push_cell(0, [0]);
            component.push_cell(1, [1]);
            component.push_cell(last, []);
            component.push_class(people);
        }
        component
    }

    /// The probabilities are 1/5, 2/5 and 2/5 for every person.
    #[test]
    fn estimate_matches_hand_computation() {
        let estimate = estimate(&component()).expect("a maximum");
        let nats = -5.0 * (0.2 * f64::ln(0.2) + 2.0 * 0.4 * f64::ln(0.4));
        assert!((estimate.nats - nats).abs() < 1e-9, "{} and {nats}", estimate.nats);
        for class in 0..2 {
            for (cell, probability) in [0.2, 0.4, 0.4].into_iter().enumerate() {
                assert!((estimate.probability(class, cell) - probability).abs() < TOLERANCE, "{class}, {cell}");
            }
        }
    }
}
