//! Bounds of cells by linear programs, for components with too many worlds to count.
//!
//! A *probe* asks whether a possible world has more (or fewer) people in a cell than any known world. It ends in one of three ways: such
//! a world is found, its absence is proved and the bound is narrowed, or the probe is inconclusive. Each world that is found answers
//! probes of many cells. The known world of the problem is the first one, if there is one.
//!
//! Only exact integer arithmetic narrows a bound: propagation leaves no solution, or a weighted sum of rows is a proof of infeasibility
//! (Farkas certificate, [`rows`]). The weights come from a floating-point linear program ([`simplex`]); if they fail the exact check,
//! the bound is unchanged. Bounds that follow only from integrality are not found.

mod rows;
mod simplex;
#[cfg(test)]
mod tests;

use super::components::{Component, Decomposition};
use super::contradiction;
use super::presolve;
use super::system::System;
use crate::error::Result;
use rows::{Bound, ProgramRows, VariableBounds};
use simplex::{Simplex, SimplexResult};

/// Minimum number of budget steps per cell. A component with more cells is not bounded.
const STEPS_PER_CELL: u64 = 100;
/// Number of arithmetic operations per budget step.
const OPERATIONS_PER_STEP: u64 = 250;
/// A probe may use at most the budget divided by this number.
const BUDGET_SHARES: u64 = 50;

/// Bounds of the cells of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bounded {
    /// By class and cell: lower and upper bound on the number of people.
    pub bounds: Vec<Vec<(u64, u64)>>,
    /// Number of cells that were examined before the budget ran out.
    pub probed: u64,
    /// Number of cells with tight bounds: possible worlds attain both.
    pub tight: u64,
}

/// Bounds the cells of a component within a budget; `None` if the component is too large for it.
///
/// # Errors
///
/// Returns an error if the rows are proved to contradict each other.
pub(super) fn bound(component: &Component, steps: u64) -> Result<Option<Bounded>> {
    let cells = component.value.len();
    if cells as u64 > steps / STEPS_PER_CELL {
        return Ok(None);
    }
    let rows = ProgramRows::new(component);
    let bounds = VariableBounds::new(&rows).ok_or_else(contradiction)?;
    let mut search = BoundSearch::new(&rows, bounds, steps.saturating_mul(OPERATIONS_PER_STEP));
    search.initialize(component)?;
    let mut probed = 0;
    for cell in 0..cells as u32 {
        search.tighten(cell, BoundSearch::probe_by_propagation)?;
    }
    for cell in 0..cells as u32 {
        search.tighten(cell, BoundSearch::probe_by_simplex)?;
        probed += u64::from(search.budget > 0);
    }
    let tight = (0..cells).filter(|cell| search.observed[*cell] == search.bounds.at(*cell)).count() as u64;
    let bounds = |cell: usize| {
        let (low, high) = search.bounds.at(cell);
        (low as u64, high as u64)
    };
    let bounds = component.classes.iter().map(|class| class.cells().map(bounds).collect()).collect();
    Ok(Some(Bounded { bounds, probed, tight }))
}

/// Bounds of the components that are narrower than the bounds of the system: cell, lower bound, upper bound.
pub(super) fn new_bounds(
    system: &System,
    bounds: &presolve::CellBounds,
    decomposition: &Decomposition,
    bounded: &[Option<&Bounded>],
) -> Vec<(u32, i64, i64)> {
    let mut narrowed = Vec::new();
    for class in 0..system.classes() {
        let Some((component, merged)) = decomposition.place[class] else { continue };
        let Some(bounded) = bounded[component as usize] else { continue };
        let others =
            decomposition.components[component as usize].classes[merged as usize].people - decomposition.open[class];
        let open = system.cells(class).filter(|cell| bounds.is_open(*cell));
        for (cell, (low, high)) in open.zip(&bounded.bounds[merged as usize]) {
            // Other people of the merged class may account for part of the lower bound.
            let proved = (low.saturating_sub(others) as i64, *high as i64);
            let known = bounds.at(cell);
            if proved.0 > known.0 || proved.1 < known.1 {
                narrowed.push((cell as u32, proved.0, proved.1));
            }
        }
    }
    narrowed
}

/// Result of a probe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feasibility {
    Feasible,
    Infeasible,
    Unknown,
}

/// Search for the bounds of all cells of a component.
struct BoundSearch<'a> {
    rows: &'a ProgramRows,
    /// Proved bounds.
    bounds: VariableBounds,
    /// By cell: smallest and largest number of people in a known world.
    observed: Vec<(i64, i64)>,
    /// Linear program, in the state after the last probe.
    program: Simplex<'a>,
    /// First known world, the starting point of linear programs.
    world: Option<Vec<i64>>,
    /// Remaining number of operations.
    budget: u64,
    /// Maximum number of operations of one probe.
    probe_budget: u64,
}

/// A method to decide whether a possible world lies within a bound.
type Probe<'a> = fn(&mut BoundSearch<'a>, Bound) -> Feasibility;

impl<'a> BoundSearch<'a> {
    fn new(rows: &'a ProgramRows, bounds: VariableBounds, budget: u64) -> BoundSearch<'a> {
        let program = Simplex::new(rows, &bounds, None);
        BoundSearch {
            rows,
            observed: vec![(i64::MAX, i64::MIN); bounds.len()],
            bounds,
            program,
            world: None,
            budget,
            probe_budget: budget / BUDGET_SHARES,
        }
    }

    /// Starts from the known world, or searches for one by the linear program.
    fn initialize(&mut self, component: &Component) -> Result<()> {
        let known_solution = component
            .known_solution
            .as_ref()
            .map(|known_solution| known_solution.iter().map(|people| *people as i64).collect());
        let known_solution: Option<Vec<i64>> = known_solution.filter(|known_solution: &Vec<i64>| {
            known_solution.len() == self.bounds.len() && self.rows.is_world(known_solution)
        });
        match known_solution {
            Some(known_solution) => self.record_world(&known_solution),
            None => {
                let end = self.solve();
                if self.conclude(&end, &self.bounds.clone()) == Feasibility::Infeasible {
                    return Err(contradiction());
                }
            }
        }
        self.restart_simplex();
        Ok(())
    }

    /// Resets the linear program to the basis next to the first known world.
    fn restart_simplex(&mut self) {
        self.program = Simplex::new(self.rows, &self.bounds, self.world.as_deref());
    }

    /// Records a possible world.
    fn record_world(&mut self, world: &[i64]) {
        self.world.get_or_insert_with(|| world.to_vec());
        for ((low, high), people) in self.observed.iter_mut().zip(world) {
            (*low, *high) = ((*low).min(*people), (*high).max(*people));
        }
    }

    /// Narrows the bounds of a cell by bisection.
    fn tighten(&mut self, cell: u32, probe: Probe<'a>) -> Result<()> {
        let at = cell as usize;
        // Bisects between the largest number that is attained or undecided, and the upper bound.
        let mut open = self.observed[at].1.max(self.bounds.at(at).0);
        while open < self.bounds.at(at).1 {
            let high = self.bounds.at(at).1;
            let more = open + (high - open + 1) / 2;
            match probe(self, (cell, more, high)) {
                Feasibility::Feasible => open = self.observed[at].1.max(more),
                Feasibility::Infeasible => self.record_bound((cell, i64::MIN, more - 1))?,
                Feasibility::Unknown => open = more,
            }
        }
        let mut open = self.observed[at].0.min(self.bounds.at(at).1);
        while open > self.bounds.at(at).0 {
            let low = self.bounds.at(at).0;
            let less = open - (open - low + 1) / 2;
            match probe(self, (cell, low, less)) {
                Feasibility::Feasible => open = self.observed[at].0.min(less),
                Feasibility::Infeasible => self.record_bound((cell, less + 1, i64::MAX))?,
                Feasibility::Unknown => open = less,
            }
        }
        Ok(())
    }

    /// Records a proved bound.
    fn record_bound(&mut self, bound: Bound) -> Result<()> {
        let changed = self.bounds.narrow(self.rows, bound).ok_or_else(contradiction)?;
        self.program.set_bounds(&self.bounds, &changed);
        Ok(())
    }

    /// Probes a bound by propagation through the rows.
    fn probe_by_propagation(&mut self, bound: Bound) -> Feasibility {
        if self.budget == 0 {
            return Feasibility::Unknown;
        }
        self.budget = self.budget.saturating_sub(self.bounds.len() as u64);
        let feasible = self.bounds.clone().narrow(self.rows, bound).is_some();
        if feasible { Feasibility::Unknown } else { Feasibility::Infeasible }
    }

    /// Probes a bound by the linear program, from the state after the last probe.
    fn probe_by_simplex(&mut self, bound: Bound) -> Feasibility {
        if self.budget == 0 {
            return Feasibility::Unknown;
        }
        let mut bounds = self.bounds.clone();
        let Some(changed) = bounds.narrow(self.rows, bound) else { return Feasibility::Infeasible };
        self.program.set_bounds(&bounds, &changed);
        let end = self.solve();
        let result = self.conclude(&end, &bounds);
        match end {
            SimplexResult::GaveUp => self.restart_simplex(),
            _ => self.program.set_bounds(&self.bounds, &changed),
        }
        result
    }

    /// Solves the linear program within the budget of one probe. Only the budget ends a cycle of the simplex method.
    fn solve(&mut self) -> SimplexResult {
        let available = self.probe_budget.min(self.budget);
        let mut remaining = available;
        let end = self.program.solve(&mut remaining);
        self.budget -= available - remaining;
        end
    }

    /// Derives an exact result from the floating-point result of the linear program.
    fn conclude(&mut self, end: &SimplexResult, bounds: &VariableBounds) -> Feasibility {
        match end {
            SimplexResult::Infeasible(weights) if self.refuted(bounds, weights) => Feasibility::Infeasible,
            SimplexResult::Feasible => self.record_if_world(&rounded(&self.program.value[..bounds.len()])),
            _ => Feasibility::Unknown,
        }
    }

    /// Records the rounded solution if it is a possible world.
    fn record_if_world(&mut self, world: &[i64]) -> Feasibility {
        if !self.rows.is_world(world) {
            return Feasibility::Unknown;
        }
        self.record_world(world);
        Feasibility::Feasible
    }

    /// Whether the weights, rounded to integers, prove that no world lies within the bounds.
    fn refuted(&self, bounds: &VariableBounds, weights: &[f64]) -> bool {
        const SCALE: f64 = (1u64 << 30) as f64;
        let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
        let scaled = |sign: f64| -> Vec<(u32, i64)> {
            let rounded =
                (0..).zip(weights).map(|(row, weight)| (row, (sign * weight / largest * SCALE).round() as i64));
            rounded.filter(|(_, weight)| *weight != 0).collect()
        };
        self.rows.refutes(bounds, &scaled(1.0)) || self.rows.refutes(bounds, &scaled(-1.0))
    }
}

/// Values of cells, rounded to whole people.
fn rounded(values: &[f64]) -> Vec<i64> {
    values.iter().map(|people| people.round() as i64).collect()
}
