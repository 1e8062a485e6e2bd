//! What is forced before anything is estimated: bounds on how many people of a crowd have a value, tightened to a fixed point.
//!
//! Two ways, in turn: each count by itself (what is left for one cell when the others have their least, or their most), and many
//! counts together where they are a flow ([`super::flow`]). Both hold for fractions of people too, so what is forced here is
//! forced in the maximum-entropy problem as well, which is well behaved only without it.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::pieces::{Piece, Split};
use super::symmetry::Alike;
use super::system::System;
use super::{contradiction, flow};
use crate::error::Result;

/// By cell: how many people of its crowd have its value, at least and at most. They are looked up everywhere and in any order, so they are
/// small; a system has no crowd that is too large for them.
#[derive(Debug, Clone)]
pub(super) struct Boxes {
    bounds: Vec<(u32, u32)>,
    /// By 64 cells: a bit for each that is open, which is asked most often.
    open: Vec<u64>,
}

impl Boxes {
    fn of(bounds: Vec<(u32, u32)>) -> Boxes {
        let bits = |cells: &[(u32, u32)]| {
            cells.iter().enumerate().fold(0, |bits, (at, (low, high))| bits | u64::from(low < high) << at)
        };
        Boxes { open: bounds.chunks(64).map(bits).collect(), bounds }
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

/// What is forced.
pub(super) struct Found {
    pub boxes: Boxes,
    /// Cells that were open after looking at each count by itself,
    pub open: u64,
    /// and of these, how many were closed by looking at several.
    pub forced: u64,
}

/// In pieces of more people, nothing is looked for where all values can be exchanged for each other: then none is forced.
pub(super) const EXCHANGED: u64 = 50;
/// Cells are narrowed by each count by itself so many times in all, and so many times each, before other ways are tried.
const MOST_NARROWED: usize = 100_000;
const NARROWED_EACH: usize = 64;
const NOBODY: u32 = u32::MAX;
/// Fewer rows are counted by one thread.
const FEW_ROWS: usize = 1 << 12;

/// Finds what is forced. Counts that contradict each other are an error. `exchange` says whether the puzzle is all that is known, so
/// that values can be exchanged.
pub(super) fn presolve(system: &System, exchange: bool) -> Result<Found> {
    presolve_with(system, exchange, flow::MANY)
}

/// The same, where rows with `many` open cells are first looked at in the easy way.
pub(super) fn presolve_with(system: &System, exchange: bool, many: u32) -> Result<Found> {
    let settled = || -> Result<Bounds> {
        let mut bounds = Bounds::new(system);
        bounds.settle()?;
        if bounds.open() > 0 {
            bounds.changed.fill(flow::ANY);
            if exchange && system.people.iter().sum::<i64>() > EXCHANGED as i64 {
                bounds.leave_exchanged();
            }
        }
        Ok(bounds)
    };
    let (bounds, views) = rayon::join(settled, || flow::Views::of(system, many));
    let mut bounds = bounds?;
    let open = bounds.open();
    if open > 0 {
        bounds.by_flows(&views)?;
    }
    let forced = open - bounds.open();
    Ok(Found { boxes: bounds.boxes, open, forced })
}

/// Finds what is forced when something else has been proved of cells: at least, and at most so many people.
pub(super) fn narrow(system: &System, found: &mut Found, proved: &[(u32, i64, i64)]) -> Result<()> {
    let mut bounds = Bounds::from(system, found.boxes.clone());
    for (cell, least, most) in proved {
        bounds.narrow(*cell as usize, *least, *most, flow::ANY)?;
    }
    bounds.settle()?;
    bounds.by_flows(&flow::Views::of(system, flow::MANY))?;
    found.forced = found.open - bounds.open();
    found.boxes = bounds.boxes;
    Ok(())
}

/// How many cells are closed when everything is looked at anew; none if nothing was missed.
#[cfg(test)]
pub(super) fn missed(system: &System, found: &Found) -> u64 {
    let mut bounds = Bounds::from(system, found.boxes.clone());
    let open = bounds.open();
    bounds.changed.fill(flow::ANY);
    bounds.by_flows(&flow::Views::of(system, flow::MANY)).map_or(u64::MAX, |()| open - bounds.open())
}

/// Boxes that are being tightened.
struct Bounds<'a> {
    system: &'a System,
    boxes: Boxes,
    /// By row: the sums of the least and of the most of its cells.
    sums: Vec<(i64, i64)>,
    /// No crowd has more people.
    largest: i64,
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// By row: how many of its cells are open, and the views that have not looked at it since any of its cells was narrowed.
    open: Vec<u32>,
    changed: Vec<u8>,
    /// By cell: what can flow through it, once flows are looked at and where a world is known.
    leads: Option<Vec<u8>>,
}

impl<'a> Bounds<'a> {
    fn new(system: &'a System) -> Bounds<'a> {
        let boxes = system.crowd.iter().map(|crowd| (0, system.people[*crowd as usize] as u32)).collect();
        let mut bounds = Bounds::from(system, Boxes::of(boxes));
        bounds.waiting.extend(0..system.rows.len() as u32);
        bounds.waits.fill(true);
        bounds
    }

    fn from(system: &'a System, boxes: Boxes) -> Bounds<'a> {
        let rows = system.rows.len();
        let counted = |row: usize| {
            let (mut sum, mut open) = ((0, 0), 0);
            for cell in system.rows.at(row) {
                let (low, high) = boxes.at(*cell as usize);
                sum = (sum.0 + low, sum.1 + high);
                open += u32::from(low < high);
            }
            (sum, open)
        };
        let (sums, open) = (0..rows).into_par_iter().with_min_len(FEW_ROWS).map(counted).unzip();
        let (waiting, largest) = (VecDeque::new(), system.people.iter().copied().max().unwrap_or(0));
        let (waits, changed) = (vec![false; rows], vec![0; rows]);
        Bounds { system, boxes, sums, largest, waiting, waits, open, changed, leads: None }
    }

    /// Rows of large pieces all of whose values can be exchanged are not looked at.
    fn leave_exchanged(&mut self) {
        if !self.may_be_exchanged() {
            return;
        }
        let split = Split::of(self.system, &self.boxes);
        let settled = |piece: &Piece| piece.people() > EXCHANGED && !piece.loose && Alike::of(piece).everywhere(piece);
        let settled: Vec<bool> = split.pieces.par_iter().map(settled).collect();
        for (crowd, place) in split.place.iter().enumerate() {
            if place.is_some_and(|(piece, _)| settled[piece as usize]) {
                let open = self.system.cells(crowd).filter(|cell| self.boxes.is_open(*cell));
                let rows = open.flat_map(|cell| self.system.of_cell.at(cell));
                rows.for_each(|row| self.changed[*row as usize] = 0);
            }
        }
    }

    /// Whether a large piece may be one of these, as far as is seen without taking it apart: values that can be exchanged are counted
    /// in rows of the same sizes.
    fn may_be_exchanged(&self) -> bool {
        let system = self.system;
        let sizes = |cell: usize| {
            let sizes = system.counts_of(cell).map(|row| self.open[row]);
            sizes.fold((u32::MAX, 0), |(least, most), size| (least.min(size), most.max(size)))
        };
        let open = |crowd: usize| system.cells(crowd).filter(|cell| self.boxes.is_open(*cell));
        let same_sizes = |crowd: usize| {
            let mut cells = open(crowd).map(sizes);
            cells.next().is_some_and(|first| cells.all(|sizes| sizes == first))
        };
        let counted = |row: usize| {
            let open = system.rows.at(row).iter().filter(|cell| self.boxes.is_open(**cell as usize));
            open.map(|cell| system.crowd[*cell as usize] as usize)
        };
        // From somebody to all with whom they hang together, as long as it is so of these. By crowd and by row: from whom it was reached.
        let (mut from, mut row_from) = (vec![NOBODY; system.crowds()], vec![NOBODY; system.counts()]);
        let mut waiting: Vec<usize> = Vec::new();
        for first in 0..system.crowds() {
            let (mut people, mut all) = (0, from[first] == NOBODY && same_sizes(first));
            from[first] = from[first].min(first as u32);
            waiting.clear();
            waiting.push(first);
            while let Some(crowd) = waiting.pop().filter(|_| all) {
                people += system.people[crowd];
                let rows = open(crowd).flat_map(|cell| system.counts_of(cell));
                for row in rows.filter(|row| std::mem::replace(&mut row_from[*row], first as u32) != first as u32) {
                    for other in counted(row) {
                        let new = from[other] == NOBODY;
                        // With somebody who was reached before, it is not so.
                        all &= if new { same_sizes(other) } else { from[other] == first as u32 };
                        from[other] = from[other].min(first as u32);
                        waiting.extend(new.then_some(other));
                    }
                }
            }
            if all && people > EXCHANGED as i64 {
                return true;
            }
        }
        false
    }

    /// How many cells are open.
    fn open(&self) -> u64 {
        self.boxes.open.iter().map(|cells| u64::from(cells.count_ones())).sum()
    }

    /// Looks at many counts together, where rows have changed, and at each again, until nothing changes any more.
    fn by_flows(&mut self, views: &flow::Views) -> Result<()> {
        // Those with people fall into small parts, so they come first: what they force is not looked at in the others.
        let mut quiet = 0;
        self.leads = flow::all_leads(self.system, &self.boxes);
        for kind in [flow::PEOPLE, flow::SOURCES].into_iter().cycle() {
            let (boxes, open, changed) = (&self.boxes, &self.open, &self.changed);
            let state = flow::State { boxes, open, changed, leads: self.leads.as_deref() };
            let closed = views.forced(&state, kind)?;
            self.changed.iter_mut().for_each(|changed| *changed &= !kind);
            let mut changed = false;
            for (cell, people) in closed {
                let cell = cell as usize;
                changed |= self.boxes.is_open(cell);
                self.narrow(cell, people, people, views.concerned(kind))?;
            }
            self.settle()?;
            quiet = if changed { 0 } else { quiet + 1 };
            if quiet == 2 {
                break;
            }
        }
        Ok(())
    }

    /// Looks at each count until nothing changes any more, or too much has: between large crowds, two counts may narrow each other by
    /// one person at a time. What is narrowed by then is true.
    fn settle(&mut self) -> Result<()> {
        let mut left = MOST_NARROWED + self.boxes.bounds.len() * NARROWED_EACH;
        while left > 0 {
            let Some(row) = self.waiting.pop_front() else { break };
            let row = row as usize;
            self.waits[row] = false;
            let system = self.system;
            let (more, less) = self.room(row);
            // Where there is room for any crowd, no cell is narrowed.
            let cells = if more.min(less) < self.largest { system.rows.at(row) } else { &[] };
            for cell in cells {
                if !self.boxes.is_open(*cell as usize) {
                    continue;
                }
                let (low, high) = self.boxes.at(*cell as usize);
                // What is left for it beyond its least, and below its most, when the others have theirs.
                let (more, less) = self.room(row);
                if high - low > more.min(less) {
                    left = left.saturating_sub(1);
                    self.narrow(*cell as usize, high - less, low + more, flow::ANY)?;
                }
            }
            // A row without cells can still demand somebody.
            self.check(row)?;
        }
        self.waiting.iter().try_for_each(|row| self.check(*row as usize))
    }

    /// An error where a row cannot be met.
    fn check(&self, row: usize) -> Result<()> {
        let (more, less) = self.room(row);
        if more < 0 || less < 0 { Err(contradiction()) } else { Ok(()) }
    }

    /// By how much a row can count more than the least of its cells, and less than their most.
    fn room(&self, row: usize) -> (i64, i64) {
        let (low, high) = self.sums[row];
        (self.system.most[row] - low, high - self.system.least[row])
    }

    /// Narrows a cell, which is something new for views of some kinds.
    fn narrow(&mut self, cell: usize, least: i64, most: i64, kinds: u8) -> Result<()> {
        let (low, high) = self.boxes.at(cell);
        let (new_low, new_high) = (low.max(least), high.min(most));
        if new_low > new_high {
            return Err(contradiction());
        }
        if (new_low, new_high) == (low, high) {
            return Ok(());
        }
        self.boxes.set(cell, new_low, new_high);
        if let Some((leads, seen)) = self.leads.as_mut().zip(self.system.seen.as_ref()) {
            leads[cell] = flow::leads((new_low, new_high), seen[cell]);
        }
        for row in self.system.of_cell.at(cell) {
            let (sum_low, sum_high) = &mut self.sums[*row as usize];
            (*sum_low, *sum_high) = (*sum_low + (new_low - low), *sum_high + (new_high - high));
            self.open[*row as usize] -= u32::from(new_low == new_high);
            self.changed[*row as usize] |= kinds;
            if !std::mem::replace(&mut self.waits[*row as usize], true) {
                self.waiting.push_back(*row);
            }
        }
        Ok(())
    }
}
