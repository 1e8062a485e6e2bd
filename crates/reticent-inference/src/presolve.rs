//! Presolve: narrows the bounds of every cell until nothing changes.
//!
//! Two methods alternate: bound propagation through each row, and network flows over many rows ([`super::flow`]). Both are valid for
//! fractional solutions as well. So a cell that is fixed here is also fixed in the maximum-entropy problem, which is numerically
//! well behaved only without such cells.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::components::{Component, Decomposition};
use super::symmetry::Symmetry;
use super::system::System;
use super::{contradiction, flow};
use crate::error::Result;

/// By cell: lower and upper bound on its number of people.
///
/// Accesses are frequent and random, so the bounds are 32 bits wide. [`System::new`] refuses larger classes.
#[derive(Debug, Clone)]
pub(super) struct CellBounds {
    bounds: Vec<(u32, u32)>,
    /// Bit set of the open cells: cells whose bounds differ.
    open: Vec<u64>,
}

impl CellBounds {
    fn new(bounds: Vec<(u32, u32)>) -> CellBounds {
        let bits = |cells: &[(u32, u32)]| {
            cells.iter().enumerate().fold(0, |bits, (at, (low, high))| bits | u64::from(low < high) << at)
        };
        CellBounds { open: bounds.chunks(64).map(bits).collect(), bounds }
    }

    pub(super) fn at(&self, cell: usize) -> (i64, i64) {
        let (low, high) = self.bounds[cell];
        (low.into(), high.into())
    }

    pub(super) fn is_open(&self, cell: usize) -> bool {
        self.open[cell / 64] >> (cell % 64) & 1 == 1
    }

    fn set(&mut self, cell: usize, low: i64, high: i64) {
        self.bounds[cell] = (low as u32, high as u32);
        if low == high {
            self.open[cell / 64] &= !(1 << (cell % 64));
        }
    }
}

/// The result of presolve.
pub(super) struct Presolved {
    pub bounds: CellBounds,
    /// Number of cells that are open after row-by-row propagation.
    pub open: u64,
    /// Number of these cells that were fixed later.
    pub forced: u64,
}

/// Maximum number of people in a component that is always searched and counted.
///
/// Larger components are skipped if all their values are exchangeable, because then no cell is fixed.
pub(super) const SMALL_COMPONENT_PEOPLE: u64 = 50;
/// Limit of row-by-row propagation: this many narrowings, plus [`NARROWINGS_PER_CELL`] per cell.
const NARROWINGS_BASE: usize = 100_000;
const NARROWINGS_PER_CELL: usize = 64;
const UNREACHED: u32 = u32::MAX;
/// Minimum number of rows per parallel task.
const MIN_ROWS_PER_THREAD: usize = 1 << 12;

/// Narrows the bounds of all cells. `symmetric` allows skipping components whose values are all exchangeable.
///
/// # Errors
///
/// Returns an error if the counts contradict each other.
pub(super) fn presolve(system: &System, symmetric: bool) -> Result<Presolved> {
    presolve_with(system, symmetric, flow::QUICK_CHECK_MIN_CELLS)
}

/// [`presolve`] with a given minimum number of open cells for the quick connectivity check.
pub(super) fn presolve_with(system: &System, symmetric: bool, quick_check_min: u32) -> Result<Presolved> {
    let propagate = || -> Result<Propagation> {
        let mut propagation = Propagation::new(system);
        propagation.propagate()?;
        if propagation.open_cells() > 0 {
            propagation.changed.fill(flow::ANY);
            if symmetric && system.people.iter().sum::<i64>() > SMALL_COMPONENT_PEOPLE as i64 {
                propagation.skip_symmetric_components();
            }
        }
        Ok(propagation)
    };
    let (propagation, views) = rayon::join(propagate, || flow::Views::new(system, quick_check_min));
    let mut propagation = propagation?;
    let open = propagation.open_cells();
    if open > 0 {
        propagation.propagate_flows(&views)?;
    }
    let forced = open - propagation.open_cells();
    Ok(Presolved { bounds: propagation.bounds, open, forced })
}

/// Continues presolve with new bounds of cells: cell, lower bound, upper bound.
pub(super) fn narrow(system: &System, presolved: &mut Presolved, proved: &[(u32, i64, i64)]) -> Result<()> {
    let mut propagation = Propagation::from(system, presolved.bounds.clone());
    for (cell, lower, upper) in proved {
        propagation.narrow(*cell as usize, *lower, *upper, flow::ANY)?;
    }
    propagation.propagate()?;
    propagation.propagate_flows(&flow::Views::new(system, flow::QUICK_CHECK_MIN_CELLS))?;
    presolved.forced = presolved.open - propagation.open_cells();
    presolved.bounds = propagation.bounds;
    Ok(())
}

/// Number of cells that a second, complete flow search fixes; 0 if presolve missed none.
#[cfg(test)]
pub(super) fn shortfall(system: &System, presolved: &Presolved) -> u64 {
    let mut propagation = Propagation::from(system, presolved.bounds.clone());
    let open = propagation.open_cells();
    propagation.changed.fill(flow::ANY);
    let views = flow::Views::new(system, flow::QUICK_CHECK_MIN_CELLS);
    propagation.propagate_flows(&views).map_or(u64::MAX, |()| open - propagation.open_cells())
}

/// State of bound propagation.
struct Propagation<'a> {
    system: &'a System,
    bounds: CellBounds,
    /// By row: sum of the lower bounds and sum of the upper bounds of its cells.
    sums: Vec<(i64, i64)>,
    /// Number of people in the largest class.
    largest: i64,
    /// Rows to propagate.
    queue: VecDeque<u32>,
    /// By row: whether it is in the queue.
    queued: Vec<bool>,
    /// By row: number of open cells.
    open: Vec<u32>,
    /// By row: kinds of views that have not examined it since one of its cells was narrowed.
    changed: Vec<u8>,
    /// By cell: residual directions, during flow propagation and if a possible world is known.
    residual: Option<Vec<u8>>,
}

impl<'a> Propagation<'a> {
    fn new(system: &'a System) -> Propagation<'a> {
        let bounds = system.class.iter().map(|class| (0, system.people[*class as usize] as u32)).collect();
        let mut propagation = Propagation::from(system, CellBounds::new(bounds));
        propagation.queue.extend(0..system.rows.len() as u32);
        propagation.queued.fill(true);
        propagation
    }

    fn from(system: &'a System, bounds: CellBounds) -> Propagation<'a> {
        let rows = system.rows.len();
        let counted = |row: usize| {
            let (mut sum, mut open) = ((0, 0), 0);
            for cell in system.rows.at(row) {
                let (low, high) = bounds.at(*cell as usize);
                sum = (sum.0 + low, sum.1 + high);
                open += u32::from(low < high);
            }
            (sum, open)
        };
        let (sums, open) = (0..rows).into_par_iter().with_min_len(MIN_ROWS_PER_THREAD).map(counted).unzip();
        let (queue, largest) = (VecDeque::new(), system.people.iter().copied().max().unwrap_or(0));
        let (queued, changed) = (vec![false; rows], vec![0; rows]);
        Propagation { system, bounds, sums, largest, queue, queued, open, changed, residual: None }
    }

    /// Excludes the rows of large, fully symmetric components from the flow search.
    fn skip_symmetric_components(&mut self) {
        if !self.may_have_symmetric_component() {
            return;
        }
        let decomposition = Decomposition::new(self.system, &self.bounds);
        let symmetric = |component: &Component| {
            component.people() > SMALL_COMPONENT_PEOPLE
                && !component.incomplete
                && component.weighted.is_empty()
                && Symmetry::new(component).covers_component(component)
        };
        let symmetric: Vec<bool> = decomposition.components.par_iter().map(symmetric).collect();
        for (class, place) in decomposition.place.iter().enumerate() {
            if place.is_some_and(|(component, _)| symmetric[component as usize]) {
                let open = self.system.cells(class).filter(|cell| self.bounds.is_open(*cell));
                let rows = open.flat_map(|cell| self.system.rows_of.at(cell));
                rows.for_each(|row| self.changed[*row as usize] = 0);
            }
        }
    }

    /// Whether a large, fully symmetric component may exist. A cheap necessary condition, without a decomposition.
    ///
    /// Exchangeable values of a class occur in counts with the same numbers of open cells.
    fn may_have_symmetric_component(&self) -> bool {
        let system = self.system;
        let sizes = |cell: usize| {
            let sizes = system.counts_of(cell).map(|row| self.open[row]);
            sizes.fold((u32::MAX, 0), |(least, most), size| (least.min(size), most.max(size)))
        };
        let open = |class: usize| system.cells(class).filter(|cell| self.bounds.is_open(*cell));
        let same_sizes = |class: usize| {
            let mut cells = open(class).map(sizes);
            cells.next().is_some_and(|first| cells.all(|sizes| sizes == first))
        };
        let counted = |row: usize| {
            let open = system.rows.at(row).iter().filter(|cell| self.bounds.is_open(**cell as usize));
            open.map(|cell| system.class[*cell as usize] as usize)
        };
        // Traverses each component while the condition holds. By class and by row: the class from which it was reached.
        let (mut from, mut row_from) = (vec![UNREACHED; system.classes()], vec![UNREACHED; system.counts()]);
        let mut stack: Vec<usize> = Vec::new();
        for first in 0..system.classes() {
            let (mut people, mut all) = (0, from[first] == UNREACHED && same_sizes(first));
            from[first] = from[first].min(first as u32);
            stack.clear();
            stack.push(first);
            while let Some(class) = stack.pop().filter(|_| all) {
                people += system.people[class];
                let rows = open(class).flat_map(|cell| system.counts_of(cell));
                for row in rows.filter(|row| std::mem::replace(&mut row_from[*row], first as u32) != first as u32) {
                    for other in counted(row) {
                        let new = from[other] == UNREACHED;
                        // A class of an earlier traversal failed the condition.
                        all &= if new { same_sizes(other) } else { from[other] == first as u32 };
                        from[other] = from[other].min(first as u32);
                        stack.extend(new.then_some(other));
                    }
                }
            }
            if all && people > SMALL_COMPONENT_PEOPLE as i64 {
                return true;
            }
        }
        false
    }

    /// Number of open cells.
    fn open_cells(&self) -> u64 {
        self.bounds.open.iter().map(|cells| u64::from(cells.count_ones())).sum()
    }

    /// Alternates the flow search over changed rows with row-by-row propagation until nothing changes.
    fn propagate_flows(&mut self, views: &flow::Views) -> Result<()> {
        // Views of a source and people split into small networks, so they come first and reduce the work of the others.
        let mut quiet = 0;
        self.residual = flow::all_residual_directions(self.system, &self.bounds);
        for kind in [flow::PEOPLE, flow::SOURCES].into_iter().cycle() {
            let (bounds, open, changed) = (&self.bounds, &self.open, &self.changed);
            let state = flow::PresolveState { bounds, open, changed, residual: self.residual.as_deref() };
            let closed = views.forced(&state, kind)?;
            self.changed.iter_mut().for_each(|changed| *changed &= !kind);
            let mut changed = false;
            for (cell, people) in closed {
                let cell = cell as usize;
                changed |= self.bounds.is_open(cell);
                self.narrow(cell, people, people, views.affected_kinds(kind))?;
            }
            self.propagate()?;
            quiet = if changed { 0 } else { quiet + 1 };
            if quiet == 2 {
                break;
            }
        }
        Ok(())
    }

    /// Propagates queued rows until nothing changes, or until the limit of narrowings.
    ///
    /// The limit is needed because two rows over large classes can narrow each other by one person at a time. Bounds are valid at
    /// any time.
    fn propagate(&mut self) -> Result<()> {
        let mut remaining = NARROWINGS_BASE + self.bounds.bounds.len() * NARROWINGS_PER_CELL;
        self.propagate_rows(&mut remaining)?;
        while self.propagate_weighted(&mut remaining)? {
            self.propagate_rows(&mut remaining)?;
        }
        Ok(())
    }

    /// Propagates every weighted count once. Returns whether a bound changed.
    fn propagate_weighted(&mut self, remaining: &mut usize) -> Result<bool> {
        let (system, mut changed) = (self.system, false);
        for row in &system.weighted {
            let sums = row.cells.iter().fold((0, 0), |(low_sum, high_sum), (cell, records)| {
                let (low, high) = self.bounds.at(*cell as usize);
                (low_sum + records * low, high_sum + records * high)
            });
            let (more, less) = (row.upper - sums.0, sums.1 - row.lower);
            if more < 0 || less < 0 {
                return Err(contradiction());
            }
            for (cell, records) in row.cells.iter().map(|(cell, records)| (*cell as usize, *records)) {
                let (low, high) = self.bounds.at(cell);
                // The slack was computed with the earlier bounds, so it is not narrower than allowed.
                if *remaining > 0 && records > 0 && (high - low) * records > more.min(less) {
                    *remaining -= 1;
                    changed = true;
                    self.narrow(cell, high - less / records, low + more / records, flow::ANY)?;
                }
            }
        }
        Ok(changed)
    }

    /// Propagates queued rows until nothing changes, or until the limit of narrowings.
    fn propagate_rows(&mut self, remaining: &mut usize) -> Result<()> {
        while *remaining > 0 {
            let Some(row) = self.queue.pop_front() else { break };
            let row = row as usize;
            self.queued[row] = false;
            let system = self.system;
            let (more, less) = self.slack(row);
            // No cell can be narrowed if the slack is at least the size of the largest class.
            let cells = if more.min(less) < self.largest { system.rows.at(row) } else { &[] };
            for cell in cells {
                if !self.bounds.is_open(*cell as usize) {
                    continue;
                }
                let (low, high) = self.bounds.at(*cell as usize);
                // Slack of the cell if all other cells of the row are at a bound.
                let (more, less) = self.slack(row);
                if high - low > more.min(less) {
                    *remaining = remaining.saturating_sub(1);
                    self.narrow(*cell as usize, high - less, low + more, flow::ANY)?;
                }
            }
            // A row without cells can still have a positive lower bound.
            self.check(row)?;
        }
        self.queue.iter().try_for_each(|row| self.check(*row as usize))
    }

    /// Returns an error if a row cannot be met.
    fn check(&self, row: usize) -> Result<()> {
        let (more, less) = self.slack(row);
        if more < 0 || less < 0 { Err(contradiction()) } else { Ok(()) }
    }

    /// Slack of a row: above the sum of lower bounds, and below the sum of upper bounds.
    fn slack(&self, row: usize) -> (i64, i64) {
        let (low, high) = self.sums[row];
        (self.system.upper[row] - low, high - self.system.lower[row])
    }

    /// Narrows the bounds of a cell and marks its rows as changed for the given kinds of views.
    fn narrow(&mut self, cell: usize, lower: i64, upper: i64, kinds: u8) -> Result<()> {
        let (low, high) = self.bounds.at(cell);
        let (new_low, new_high) = (low.max(lower), high.min(upper));
        if new_low > new_high {
            return Err(contradiction());
        }
        if (new_low, new_high) == (low, high) {
            return Ok(());
        }
        self.bounds.set(cell, new_low, new_high);
        if let Some((residual, known_solution)) = self.residual.as_mut().zip(self.system.known_solution.as_ref()) {
            residual[cell] = flow::residual_directions((new_low, new_high), known_solution[cell]);
        }
        for row in self.system.rows_of.at(cell) {
            let (sum_low, sum_high) = &mut self.sums[*row as usize];
            (*sum_low, *sum_high) = (*sum_low + (new_low - low), *sum_high + (new_high - high));
            self.open[*row as usize] -= u32::from(new_low == new_high);
            self.changed[*row as usize] |= kinds;
            if !std::mem::replace(&mut self.queued[*row as usize], true) {
                self.queue.push_back(*row);
            }
        }
        Ok(())
    }
}
