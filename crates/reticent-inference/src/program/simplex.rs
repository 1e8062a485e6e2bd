//! A linear program over the rows of a piece, by the dual simplex method for variables with bounds.
//!
//! Every cell and every row is a variable between two bounds, and each row says that its cells less itself are 0. The objective is zero:
//! any feasible point is a solution, and only the budget ends a cycle. Cells start at the bounds of a world that is known, so a question about one cell moves only what lies
//! around it, and the last solution is a few steps away. Numbers here are rounded; nothing is proved by them.
//!
//! The inverse of the basis is a product of steps (product form), made anew when it has grown.

use super::rows::{Boxes, Rows};

/// What came of it.
pub(super) enum End {
    /// The values of the cells fit, in fractions of people.
    Fits,
    /// Weights of rows that should show that nothing fits.
    Refuted(Vec<f64>),
    /// It took too long, or numbers got out of hand.
    GaveUp,
}

const NONE: u32 = u32::MAX;
/// What is closer to a bound than this is within it.
const NEAR: f64 = 1e-7;
/// What is smaller is not divided by.
const PIVOT: f64 = 1e-6;
const TINY: f64 = 1e-11;
/// So many steps before the inverse is made anew.
const FRESH: usize = 60;

/// The program, and how far it has been solved. Variables are the cells, and behind them the rows, which count negatively.
#[derive(Clone)]
pub(super) struct Simplex<'a> {
    rows: &'a Rows,
    low: Vec<f64>,
    high: Vec<f64>,
    pub value: Vec<f64>,
    /// By row: the variable that is solved for by it.
    basis: Vec<u32>,
    /// By variable: the row by which it is solved for.
    place: Vec<u32>,
    steps: Steps,
    /// How many of the steps are younger than the last time they were made anew.
    young: usize,
}

/// The inverse of the basis: each step makes one column of it a unit column.
#[derive(Clone, Default)]
struct Steps {
    /// The row, what stands there, and where the rest of the column ends.
    pivots: Vec<(u32, f64, u32)>,
    rest: Vec<(u32, f64)>,
}

impl Steps {
    fn push(&mut self, row: usize, column: &[f64]) {
        let rest = column.iter().enumerate().filter(|(at, entry)| *at != row && entry.abs() > TINY);
        self.rest.extend(rest.map(|(at, entry)| (at as u32, *entry)));
        self.pivots.push((row as u32, column[row], self.rest.len() as u32));
    }

    /// The inverse times a column.
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

    /// A row times the inverse.
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
    /// A program whose cells start at the bounds of a world, or at their lower bounds without one.
    pub(super) fn new(rows: &'a Rows, boxes: &Boxes, near: Option<&[i64]>) -> Simplex<'a> {
        let (cells, all) = (boxes.len(), boxes.len() + rows.len());
        let (mut low, mut high) = (vec![0.0; all], vec![0.0; all]);
        let mut value = vec![0.0; all];
        for cell in 0..cells {
            let (least, most) = boxes.at(cell);
            (low[cell], high[cell]) = (least as f64, most as f64);
            let at_most = near.is_some_and(|world| world[cell] == most);
            value[cell] = if at_most { high[cell] } else { low[cell] };
        }
        for row in 0..rows.len() {
            (low[cells + row], high[cells + row]) = (-rows.most[row] as f64, -rows.least[row] as f64);
        }
        let basis: Vec<u32> = (cells as u32..all as u32).collect();
        let place = (0..all).map(|at| if at < cells { NONE } else { (at - cells) as u32 }).collect();
        let mut made = Simplex { rows, low, high, value, basis, place, steps: Steps::default(), young: 0 };
        made.evaluate();
        made
    }

    fn cells(&self) -> usize {
        self.value.len() - self.rows.len()
    }

    /// Calls with the rows of a variable.
    fn column(&self, variable: usize, mut each: impl FnMut(usize)) {
        match variable.checked_sub(self.cells()) {
            Some(row) => each(row),
            None => self.rows.of_cell.at(variable).iter().for_each(|row| each(*row as usize)),
        }
    }

    /// Takes over the boxes of cells.
    pub(super) fn take(&mut self, boxes: &Boxes, changed: &[u32]) {
        let mut moved = vec![0.0; self.rows.len()];
        let mut any = false;
        for cell in changed.iter().map(|cell| *cell as usize) {
            let (low, high) = boxes.at(cell);
            let at_high = self.value[cell] == self.high[cell] && self.low[cell] < self.high[cell];
            (self.low[cell], self.high[cell]) = (low as f64, high as f64);
            if self.place[cell] == NONE {
                let stays = [self.low[cell], self.high[cell]].contains(&self.value[cell]);
                let bound = if at_high { self.high[cell] } else { self.low[cell] };
                let value = if stays { self.value[cell] } else { bound };
                let by = value - self.value[cell];
                self.value[cell] = value;
                self.rows.of_cell.at(cell).iter().for_each(|row| moved[*row as usize] += by);
                any |= by != 0.0;
            }
        }
        if any {
            self.steps.times(&mut moved);
            for (variable, moved) in self.basis.iter().zip(moved) {
                self.value[*variable as usize] -= moved;
            }
        }
    }

    /// Solves it, for as long as there is work left. Numbers that are touched are work.
    pub(super) fn solve(&mut self, work: &mut u64) -> End {
        let mut along = vec![0.0; self.value.len()];
        loop {
            let cost = 2 * self.steps.size() + 3 * self.rows.len() as u64;
            *work = work.saturating_sub(cost);
            if *work == 0 {
                return End::GaveUp;
            }
            let Some((row, to)) = self.leaving() else { return End::Fits };
            let mut weights = vec![0.0; self.rows.len()];
            weights[row] = 1.0;
            self.steps.times_from_left(&mut weights);
            let touched = self.along(&weights, &mut along);
            *work = work.saturating_sub(touched.len() as u64);
            let entering = self.entering(self.value[self.basis[row] as usize] > to, &touched, &along);
            let stepped = entering.is_none_or(|entering| self.step(row, to, entering, along[entering]));
            touched.iter().for_each(|at| along[*at as usize] = 0.0);
            if entering.is_none() {
                return End::Refuted(weights);
            }
            if !stepped || self.young >= FRESH {
                // Numbers that do not agree are cured by making the inverse anew, or not at all.
                if (!stepped && self.young == 0) || !self.renew() {
                    return End::GaveUp;
                }
                let columns = self.steps.pivots.len() as u64;
                *work = work.saturating_sub(columns * self.rows.len() as u64);
            }
        }
    }

    /// The row whose variable is furthest outside of its bounds, and the bound it goes to.
    fn leaving(&self) -> Option<(usize, f64)> {
        let mut worst = (NEAR, None);
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

    /// What the weighted sum of the rows says of each variable that rests at a bound; the variables of which it says something.
    fn along(&self, weights: &[f64], along: &mut [f64]) -> Vec<u32> {
        let cells = self.cells();
        let mut touched = Vec::new();
        for (row, weight) in weights.iter().enumerate().filter(|(_, weight)| weight.abs() > TINY) {
            let own = std::iter::once((cells + row) as u32);
            for variable in self.rows.cells.at(row).iter().copied().chain(own) {
                let at = variable as usize;
                if self.place[at] == NONE && self.low[at] < self.high[at] {
                    if along[at] == 0.0 {
                        touched.push(variable);
                    }
                    along[at] += weight;
                    if along[at] == 0.0 {
                        // Not to be touched twice.
                        along[at] = TINY * 1e-3;
                    }
                }
            }
        }
        touched
    }

    /// The variable with the largest pivot that moves the leaving one towards its bound.
    fn entering(&self, down: bool, touched: &[u32], along: &[f64]) -> Option<usize> {
        let mut best: Option<usize> = None;
        for at in touched.iter().map(|at| *at as usize) {
            let entry = if down { along[at] } else { -along[at] };
            let at_high = self.value[at] == self.high[at];
            if entry.abs() < PIVOT || at_high != (entry < 0.0) {
                continue;
            }
            if best.is_none_or(|known| along[at].abs() > along[known].abs()) {
                best = Some(at);
            }
        }
        best
    }

    /// Exchanges the variable of a row for another. False when the numbers do not agree.
    fn step(&mut self, row: usize, to: f64, entering: usize, along: f64) -> bool {
        let mut column = vec![0.0; self.rows.len()];
        self.column(entering, |row| column[row] = 1.0);
        self.steps.times(&mut column);
        if (column[row] - along).abs() > 1e-6 * (1.0 + along.abs()) {
            return false;
        }
        let leaving = self.basis[row] as usize;
        let by = (self.value[leaving] - to) / column[row];
        for (variable, entry) in self.basis.iter().zip(&column) {
            self.value[*variable as usize] -= by * entry;
        }
        self.value[leaving] = to;
        self.value[entering] += by;
        (self.place[leaving], self.place[entering]) = (NONE, row as u32);
        self.basis[row] = entering as u32;
        self.steps.push(row, &column);
        self.young += 1;
        true
    }

    /// Makes the inverse anew. False when it has none.
    fn renew(&mut self) -> bool {
        let cells = self.cells();
        let solved: Vec<u32> = self.basis.iter().copied().filter(|variable| (*variable as usize) < cells).collect();
        let mut free: Vec<bool> = (0..self.rows.len()).map(|row| self.place[cells + row] == NONE).collect();
        self.steps = Steps::default();
        self.young = 0;
        self.basis = (cells as u32..self.value.len() as u32).collect();
        for (variable, wanted) in self.in_order(&solved, &free) {
            let mut column = vec![0.0; self.rows.len()];
            self.column(variable as usize, |row| column[row] = 1.0);
            self.steps.times(&mut column);
            let largest = || {
                (0..column.len()).filter(|row| free[*row]).max_by(|a, b| column[*a].abs().total_cmp(&column[*b].abs()))
            };
            let wanted = wanted.map(|row| row as usize).filter(|row| column[*row].abs() > 0.1);
            let Some(row) = wanted.or_else(largest).filter(|row| column[*row].abs() > PIVOT) else { return false };
            free[row] = false;
            self.basis[row] = variable;
            self.place[variable as usize] = row as u32;
            self.steps.push(row, &column);
        }
        self.evaluate();
        true
    }

    /// Variables to solve for, those first that a row has to itself: they change no other column.
    fn in_order(&self, solved: &[u32], free: &[bool]) -> Vec<(u32, Option<u32>)> {
        let mut waiting = vec![false; self.cells()];
        let mut many = vec![0u32; self.rows.len()];
        for variable in solved {
            waiting[*variable as usize] = true;
            self.column(*variable as usize, |row| many[row] += u32::from(free[row]));
        }
        let mut single: Vec<u32> = (0..many.len() as u32).filter(|row| many[*row as usize] == 1).collect();
        let mut order = Vec::with_capacity(solved.len());
        while let Some(row) = single.pop() {
            let mut of_row = self.rows.cells.at(row as usize).iter();
            let Some(variable) = of_row.find(|variable| waiting[**variable as usize]).copied() else { continue };
            waiting[variable as usize] = false;
            order.push((variable, Some(row)));
            self.column(variable as usize, |row| {
                many[row] = many[row].saturating_sub(u32::from(free[row]));
                if many[row] == 1 {
                    single.push(row as u32);
                }
            });
        }
        order.extend(solved.iter().filter(|variable| waiting[**variable as usize]).map(|variable| (*variable, None)));
        order
    }

    /// Values from the variables that rest at bounds.
    fn evaluate(&mut self) {
        let mut sums = vec![0.0; self.rows.len()];
        for variable in (0..self.value.len()).filter(|at| self.place[*at] == NONE) {
            let value = self.value[variable];
            self.column(variable, |row| sums[row] -= value);
        }
        self.steps.times(&mut sums);
        for (variable, value) in self.basis.iter().zip(sums) {
            self.value[*variable as usize] = value;
        }
    }
}
