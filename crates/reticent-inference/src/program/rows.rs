//! Rows of a component in exact integer arithmetic: bound propagation, and checks of infeasibility certificates.
//!
//! A certificate of the floating-point solver counts only if [`ProgramRows::refutes`] confirms it.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use rustc_hash::FxHasher;

use crate::components::Component;
use crate::system::Lists;

/// Rows over the cells of a component: its counts, then one row per class with its number of people.
pub(super) struct ProgramRows {
    /// By row: its cells.
    pub cells: Lists,
    /// By cell: its rows.
    pub rows_of: Lists,
    /// By row: lower bound.
    pub lower: Vec<i64>,
    /// By row: upper bound.
    pub upper: Vec<i64>,
}

/// Limit of one propagation: this many narrowings, plus [`CUTS_PER_CELL`] per cell.
const CUTS_BASE: usize = 1_000;
const CUTS_PER_CELL: usize = 16;

/// Bounds on the number of people in every cell.
#[derive(Debug, Clone)]
pub(super) struct VariableBounds {
    /// By cell: lower bound.
    low: Vec<i64>,
    /// By cell: upper bound.
    high: Vec<i64>,
    /// By row: sum of the lower bounds of its cells.
    sum_low: Vec<i64>,
    /// By row: sum of the upper bounds of its cells.
    sum_high: Vec<i64>,
}

/// Bounds of a cell: cell, lower bound, upper bound.
pub(super) type Bound = (u32, i64, i64);

impl ProgramRows {
    pub(super) fn new(component: &Component) -> ProgramRows {
        let classes = component.classes.iter();
        let rows_of = classes.clone().zip(component.rows.len() as u32..).flat_map(|(class, own)| {
            class.cells().map(move |cell| component.rows_of.at(cell).iter().copied().chain(std::iter::once(own)))
        });
        let rows_of = Lists::new(rows_of);
        let people = || classes.clone().map(|class| class.people as i64);
        let all: i64 = people().sum();
        let bound = |bound: u64| i64::try_from(bound).unwrap_or(i64::MAX).min(all + 1);
        ProgramRows {
            cells: rows_of.transposed(component.rows.len() + component.classes.len()),
            lower: component.rows.iter().map(|row| bound(row.lower)).chain(people()).collect(),
            upper: component.rows.iter().map(|row| bound(row.upper)).chain(people()).collect(),
            rows_of,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lower.len()
    }

    /// Whether these numbers of people meet all rows.
    pub(super) fn is_world(&self, world: &[i64]) -> bool {
        let is_met = |row: usize| {
            let sum: i64 = self.cells.at(row).iter().map(|cell| world[*cell as usize]).sum();
            (self.lower[row]..=self.upper[row]).contains(&sum)
        };
        world.iter().all(|people| *people >= 0) && (0..self.len()).all(is_met)
    }

    /// Whether a weighted sum of rows proves that no world lies within the bounds (Farkas certificate).
    ///
    /// It does if the minimum of the weighted sum over the bounds exceeds its maximum over the rows. Exact for any weights.
    pub(super) fn refutes(&self, bounds: &VariableBounds, weights: &[(u32, i64)]) -> bool {
        self.violation(bounds, weights).is_some_and(|violation| violation > 0)
    }

    /// Minimum of the weighted sum over the bounds less its maximum over the rows; `None` on overflow.
    fn violation(&self, bounds: &VariableBounds, weights: &[(u32, i64)]) -> Option<i128> {
        let mut coefficients: HashMap<u32, i128, BuildHasherDefault<FxHasher>> = HashMap::default();
        let mut violation = 0i128;
        for (row, weight) in weights {
            let weight = i128::from(*weight);
            let allowed = if weight > 0 { self.upper[*row as usize] } else { self.lower[*row as usize] };
            violation = violation.checked_sub(weight.checked_mul(allowed.into())?)?;
            for cell in self.cells.at(*row as usize) {
                let sum = coefficients.entry(*cell).or_insert(0);
                *sum = sum.checked_add(weight)?;
            }
        }
        for (cell, weight) in coefficients {
            let (low, high) = bounds.at(cell as usize);
            let lower = if weight > 0 { low } else { high };
            violation = violation.checked_add(weight.checked_mul(lower.into())?)?;
        }
        Some(violation)
    }
}

impl VariableBounds {
    /// Initial bounds by propagation; `None` if there is no solution.
    pub(super) fn new(rows: &ProgramRows) -> Option<VariableBounds> {
        let upper = |cell: usize| rows.rows_of.at(cell).iter().map(|row| rows.upper[*row as usize]).min();
        let high: Vec<i64> = (0..rows.rows_of.len()).map(|cell| upper(cell).unwrap_or(0)).collect();
        let sum = |row: usize| rows.cells.at(row).iter().map(|cell| high[*cell as usize]).sum();
        let sum_high = (0..rows.len()).map(sum).collect();
        let mut bounds = VariableBounds { low: vec![0; high.len()], sum_low: vec![0; rows.len()], sum_high, high };
        bounds.propagate(rows, (0..rows.len() as u32).collect(), &mut Vec::new()).then_some(bounds)
    }

    pub(super) fn at(&self, cell: usize) -> (i64, i64) {
        (self.low[cell], self.high[cell])
    }

    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    /// Narrows a cell and propagates the change. Returns the changed cells; `None` if there is no solution.
    pub(super) fn narrow(&mut self, rows: &ProgramRows, bound: Bound) -> Option<Vec<u32>> {
        let (mut changed, mut queue) = (Vec::new(), Vec::new());
        self.cut(rows, bound, &mut queue, &mut changed)?;
        self.propagate(rows, queue, &mut changed).then_some(changed)
    }

    /// Propagates rows until nothing changes, or until the limit. Returns false if there is no solution.
    ///
    /// The limit is needed because two rows over large classes can narrow each other by one person at a time.
    fn propagate(&mut self, rows: &ProgramRows, mut queue: Vec<u32>, changed: &mut Vec<u32>) -> bool {
        let limit = changed.len() + CUTS_BASE + self.len() * CUTS_PER_CELL;
        while let Some(row) = queue.pop().filter(|_| changed.len() < limit) {
            let at = row as usize;
            if self.sum_low[at] > rows.upper[at] || self.sum_high[at] < rows.lower[at] {
                return false;
            }
            for cell in rows.cells.at(at) {
                let (low, high) = self.at(*cell as usize);
                let lower = rows.lower[at] - (self.sum_high[at] - high);
                let upper = rows.upper[at] - (self.sum_low[at] - low);
                if (lower > low || upper < high) && self.cut(rows, (*cell, lower, upper), &mut queue, changed).is_none()
                {
                    return false;
                }
            }
        }
        true
    }

    /// Narrows one cell without propagation; `None` if its bounds become empty.
    fn cut(&mut self, rows: &ProgramRows, bound: Bound, queue: &mut Vec<u32>, changed: &mut Vec<u32>) -> Option<()> {
        let (cell, lower, upper) = bound;
        let (low, high) = self.at(cell as usize);
        let (new_low, new_high) = (low.max(lower), high.min(upper));
        if new_low > new_high {
            return None;
        }
        (self.low[cell as usize], self.high[cell as usize]) = (new_low, new_high);
        for row in rows.rows_of.at(cell as usize) {
            self.sum_low[*row as usize] += new_low - low;
            self.sum_high[*row as usize] += new_high - high;
            queue.push(*row);
        }
        changed.push(cell);
        Some(())
    }
}
