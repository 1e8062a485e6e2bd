//! Feasibility of a linear program over the rows of a component, by the bounded dual simplex method.
//!
//! Every cell and every row is a variable with two bounds. Each row is an equation: the sum of its cells plus the row variable is 0. The
//! objective is 0: any feasible point is a solution, and only the budget ends a cycle. Cells start at the values of a known world, so a
//! probe of one cell changes only nearby cells and needs few pivots. All numbers are floating point and prove nothing.
//!
//! The basis inverse is stored in product form and is refactorized after a number of updates.

use super::rows::{ProgramRows, VariableBounds};

/// Result of the simplex method.
pub(super) enum SimplexResult {
    /// The values of the cells are feasible, possibly with fractions of people.
    Feasible,
    /// Weights of rows that should prove infeasibility (Farkas certificate, not verified).
    Infeasible(Vec<f64>),
    /// The budget ran out, or the computation is numerically unstable.
    GaveUp,
}

const NONE: u32 = u32::MAX;
/// Maximum violation of a bound that counts as feasible.
const FEASIBILITY_TOLERANCE: f64 = 1e-7;
/// Minimum absolute value of a pivot.
const MIN_PIVOT: f64 = 1e-6;
/// Entries with a smaller absolute value are treated as 0.
const DROP_TOLERANCE: f64 = 1e-11;
/// Maximum number of updates before the basis is refactorized.
const MAX_UPDATES: usize = 60;

/// The linear program and its current basis. Variables are the cells, then the negated row sums.
#[derive(Clone)]
pub(super) struct Simplex<'a> {
    rows: &'a ProgramRows,
    /// By variable: lower bound.
    low: Vec<f64>,
    /// By variable: upper bound.
    high: Vec<f64>,
    /// By variable: current value.
    pub value: Vec<f64>,
    /// By row: its basic variable.
    basis: Vec<u32>,
    /// By variable: the row in which it is basic, or [`NONE`].
    basis_row: Vec<u32>,
    inverse: BasisInverse,
    /// Number of updates since the last refactorization.
    updates: usize,
}

/// Product form of the basis inverse: a sequence of elementary column transformations (eta vectors).
#[derive(Clone, Default)]
struct BasisInverse {
    /// By transformation: pivot row, pivot, end of its other entries.
    pivots: Vec<(u32, f64, u32)>,
    /// Other entries: row and value.
    rest: Vec<(u32, f64)>,
}

impl BasisInverse {
    fn push(&mut self, row: usize, column: &[f64]) {
        let rest = column.iter().enumerate().filter(|(at, entry)| *at != row && entry.abs() > DROP_TOLERANCE);
        self.rest.extend(rest.map(|(at, entry)| (at as u32, *entry)));
        self.pivots.push((row as u32, column[row], self.rest.len() as u32));
    }

    /// Multiplies the inverse by a column (FTRAN).
    fn times(&self, column: &mut [f64]) {
        let mut start = 0;
        for (row, pivot, end) in &self.pivots {
            let here = column[*row as usize];
            if here != 0.0 {
                let here = here / pivot;
                for (at, entry) in &self.rest[start..*end as usize] {
                    column[*at as usize] -= here * entry;
                }
                column[*row as usize] = here;
            }
            start = *end as usize;
        }
    }

    /// Multiplies a row by the inverse (BTRAN).
    fn times_from_left(&self, weights: &mut [f64]) {
        for (at, (row, pivot, end)) in self.pivots.iter().enumerate().rev() {
            let start = if at == 0 { 0 } else { self.pivots[at - 1].2 as usize };
            let rest: f64 =
                self.rest[start..*end as usize].iter().map(|(at, entry)| entry * weights[*at as usize]).sum();
            let here = &mut weights[*row as usize];
            *here = (*here - rest) / pivot;
        }
    }

    fn size(&self) -> u64 {
        (self.rest.len() + self.pivots.len()) as u64
    }
}

impl<'a> Simplex<'a> {
    /// Creates a program. A cell starts at its upper bound if the world has that value, else at its lower bound.
    pub(super) fn new(rows: &'a ProgramRows, bounds: &VariableBounds, start: Option<&[i64]>) -> Simplex<'a> {
        let (cells, all) = (bounds.len(), bounds.len() + rows.len());
        let (mut low, mut high) = (vec![0.0; all], vec![0.0; all]);
        let mut value = vec![0.0; all];
        for cell in 0..cells {
            let (lower, upper) = bounds.at(cell);
            (low[cell], high[cell]) = (lower as f64, upper as f64);
            let starts_high = start.is_some_and(|world| world[cell] == upper);
            value[cell] = if starts_high { high[cell] } else { low[cell] };
        }
        for row in 0..rows.len() {
            (low[cells + row], high[cells + row]) = (-rows.upper[row] as f64, -rows.lower[row] as f64);
        }
        let basis: Vec<u32> = (cells as u32..all as u32).collect();
        let basis_row = (0..all).map(|at| if at < cells { NONE } else { (at - cells) as u32 }).collect();
        let mut simplex =
            Simplex { rows, low, high, value, basis, basis_row, inverse: BasisInverse::default(), updates: 0 };
        simplex.compute_basic_values();
        simplex
    }

    fn cells(&self) -> usize {
        self.value.len() - self.rows.len()
    }

    /// Calls `each` with the rows of a variable.
    fn column(&self, variable: usize, mut each: impl FnMut(usize)) {
        match variable.checked_sub(self.cells()) {
            Some(row) => each(row),
            None => self.rows.rows_of.at(variable).iter().for_each(|row| each(*row as usize)),
        }
    }

    /// Sets the bounds of changed cells and updates the values.
    pub(super) fn set_bounds(&mut self, bounds: &VariableBounds, changed: &[u32]) {
        let mut moved = vec![0.0; self.rows.len()];
        let mut any = false;
        for cell in changed.iter().map(|cell| *cell as usize) {
            let (low, high) = bounds.at(cell);
            let at_high = self.value[cell] == self.high[cell] && self.low[cell] < self.high[cell];
            (self.low[cell], self.high[cell]) = (low as f64, high as f64);
            if self.basis_row[cell] == NONE {
                let stays = [self.low[cell], self.high[cell]].contains(&self.value[cell]);
                let bound = if at_high { self.high[cell] } else { self.low[cell] };
                let value = if stays { self.value[cell] } else { bound };
                let by = value - self.value[cell];
                self.value[cell] = value;
                self.rows.rows_of.at(cell).iter().for_each(|row| moved[*row as usize] += by);
                any |= by != 0.0;
            }
        }
        if any {
            self.inverse.times(&mut moved);
            for (variable, moved) in self.basis.iter().zip(moved) {
                self.value[*variable as usize] -= moved;
            }
        }
    }

    /// Searches a feasible point until the budget runs out. The budget counts arithmetic operations.
    pub(super) fn solve(&mut self, budget: &mut u64) -> SimplexResult {
        let mut entries = vec![0.0; self.value.len()];
        loop {
            let cost = 2 * self.inverse.size() + 3 * self.rows.len() as u64;
            *budget = budget.saturating_sub(cost);
            if *budget == 0 {
                return SimplexResult::GaveUp;
            }
            let Some((row, to)) = self.leaving() else { return SimplexResult::Feasible };
            let mut weights = vec![0.0; self.rows.len()];
            weights[row] = 1.0;
            self.inverse.times_from_left(&mut weights);
            let touched = self.pivot_row(&weights, &mut entries);
            *budget = budget.saturating_sub(touched.len() as u64);
            let entering = self.entering(self.value[self.basis[row] as usize] > to, &touched, &entries);
            let stepped = entering.is_none_or(|entering| self.pivot(row, to, entering, entries[entering]));
            touched.iter().for_each(|at| entries[*at as usize] = 0.0);
            if entering.is_none() {
                return SimplexResult::Infeasible(weights);
            }
            if !stepped || self.updates >= MAX_UPDATES {
                // Refactorization corrects inconsistent numbers. If it was just done, the program is unstable.
                if (!stepped && self.updates == 0) || !self.refactorize() {
                    return SimplexResult::GaveUp;
                }
                let columns = self.inverse.pivots.len() as u64;
                *budget = budget.saturating_sub(columns * self.rows.len() as u64);
            }
        }
    }

    /// Leaving variable: the row of the basic variable with the largest violation, and the violated bound.
    fn leaving(&self) -> Option<(usize, f64)> {
        let mut worst = (FEASIBILITY_TOLERANCE, None);
        for (row, variable) in self.basis.iter().enumerate() {
            let at = *variable as usize;
            let (below, above) = (self.low[at] - self.value[at], self.value[at] - self.high[at]);
            if below > worst.0 {
                worst = (below, Some((row, self.low[at])));
            }
            if above > worst.0 {
                worst = (above, Some((row, self.high[at])));
            }
        }
        worst.1
    }

    /// Computes the pivot row: coefficients of the nonbasic variables in the weighted sum of rows. Returns the nonzero ones.
    fn pivot_row(&self, weights: &[f64], entries: &mut [f64]) -> Vec<u32> {
        let cells = self.cells();
        let mut touched = Vec::new();
        for (row, weight) in weights.iter().enumerate().filter(|(_, weight)| weight.abs() > DROP_TOLERANCE) {
            let own = std::iter::once((cells + row) as u32);
            for variable in self.rows.cells.at(row).iter().copied().chain(own) {
                let at = variable as usize;
                if self.basis_row[at] == NONE && self.low[at] < self.high[at] {
                    if entries[at] == 0.0 {
                        touched.push(variable);
                    }
                    entries[at] += weight;
                    if entries[at] == 0.0 {
                        // Stays nonzero, so that the variable is not listed twice.
                        entries[at] = DROP_TOLERANCE * 1e-3;
                    }
                }
            }
        }
        touched
    }

    /// Entering variable: the largest pivot that moves the leaving variable towards its bound.
    fn entering(&self, down: bool, touched: &[u32], entries: &[f64]) -> Option<usize> {
        let mut best: Option<usize> = None;
        for at in touched.iter().map(|at| *at as usize) {
            let entry = if down { entries[at] } else { -entries[at] };
            let at_high = self.value[at] == self.high[at];
            if entry.abs() < MIN_PIVOT || at_high != (entry < 0.0) {
                continue;
            }
            if best.is_none_or(|known| entries[at].abs() > entries[known].abs()) {
                best = Some(at);
            }
        }
        best
    }

    /// Exchanges the basic variable of a row. Returns false if the pivot differs from the expected one.
    fn pivot(&mut self, row: usize, to: f64, entering: usize, expected_pivot: f64) -> bool {
        let mut column = vec![0.0; self.rows.len()];
        self.column(entering, |row| column[row] = 1.0);
        self.inverse.times(&mut column);
        if (column[row] - expected_pivot).abs() > 1e-6 * (1.0 + expected_pivot.abs()) {
            return false;
        }
        let leaving = self.basis[row] as usize;
        let by = (self.value[leaving] - to) / column[row];
        for (variable, entry) in self.basis.iter().zip(&column) {
            self.value[*variable as usize] -= by * entry;
        }
        self.value[leaving] = to;
        self.value[entering] += by;
        (self.basis_row[leaving], self.basis_row[entering]) = (NONE, row as u32);
        self.basis[row] = entering as u32;
        self.inverse.push(row, &column);
        self.updates += 1;
        true
    }

    /// Recomputes the basis inverse. Returns false if the basis is singular.
    fn refactorize(&mut self) -> bool {
        let cells = self.cells();
        let solved: Vec<u32> = self.basis.iter().copied().filter(|variable| (*variable as usize) < cells).collect();
        let mut free: Vec<bool> = (0..self.rows.len()).map(|row| self.basis_row[cells + row] == NONE).collect();
        self.inverse = BasisInverse::default();
        self.updates = 0;
        self.basis = (cells as u32..self.value.len() as u32).collect();
        for (variable, wanted) in self.pivot_order(&solved, &free) {
            let mut column = vec![0.0; self.rows.len()];
            self.column(variable as usize, |row| column[row] = 1.0);
            self.inverse.times(&mut column);
            let largest = || {
                (0..column.len()).filter(|row| free[*row]).max_by(|a, b| column[*a].abs().total_cmp(&column[*b].abs()))
            };
            let wanted = wanted.map(|row| row as usize).filter(|row| column[*row].abs() > 0.1);
            let Some(row) = wanted.or_else(largest).filter(|row| column[*row].abs() > MIN_PIVOT) else { return false };
            free[row] = false;
            self.basis[row] = variable;
            self.basis_row[variable as usize] = row as u32;
            self.inverse.push(row, &column);
        }
        self.compute_basic_values();
        true
    }

    /// Pivot order for refactorization: row singletons first, because they create no fill-in.
    fn pivot_order(&self, solved: &[u32], free: &[bool]) -> Vec<(u32, Option<u32>)> {
        let mut waiting = vec![false; self.cells()];
        let mut open_columns = vec![0u32; self.rows.len()];
        for variable in solved {
            waiting[*variable as usize] = true;
            self.column(*variable as usize, |row| open_columns[row] += u32::from(free[row]));
        }
        let mut single: Vec<u32> =
            (0..open_columns.len() as u32).filter(|row| open_columns[*row as usize] == 1).collect();
        let mut order = Vec::with_capacity(solved.len());
        while let Some(row) = single.pop() {
            let mut of_row = self.rows.cells.at(row as usize).iter();
            let Some(variable) = of_row.find(|variable| waiting[**variable as usize]).copied() else { continue };
            waiting[variable as usize] = false;
            order.push((variable, Some(row)));
            self.column(variable as usize, |row| {
                open_columns[row] = open_columns[row].saturating_sub(u32::from(free[row]));
                if open_columns[row] == 1 {
                    single.push(row as u32);
                }
            });
        }
        order.extend(solved.iter().filter(|variable| waiting[**variable as usize]).map(|variable| (*variable, None)));
        order
    }

    /// Computes the values of the basic variables from the nonbasic ones.
    fn compute_basic_values(&mut self) {
        let mut sums = vec![0.0; self.rows.len()];
        for variable in (0..self.value.len()).filter(|at| self.basis_row[*at] == NONE) {
            let value = self.value[variable];
            self.column(variable, |row| sums[row] -= value);
        }
        self.inverse.times(&mut sums);
        for (variable, value) in self.basis.iter().zip(sums) {
            self.value[*variable as usize] = value;
        }
    }
}
