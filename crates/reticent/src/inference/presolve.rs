//! What is forced before anything is estimated: bounds on how many people of a crowd have a value, tightened to a fixed point.
//!
//! Two ways, in turn: each count by itself (what is left for one cell when the others have their least, or their most), and many
//! counts together where they are a flow ([`super::flow`]). Both hold for fractions of people too, so what is forced here is
//! forced in the maximum-entropy problem as well, which is well behaved only without it.

use std::collections::VecDeque;

use super::system::System;
use super::{contradiction, flow};
use crate::error::Result;

/// By cell: how many people of its crowd have its value, at least and at most.
#[derive(Debug, Clone)]
pub(super) struct Boxes {
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Boxes {
    pub(super) fn at(&self, cell: usize) -> (i64, i64) {
        (self.low[cell], self.high[cell])
    }

    pub(super) fn is_open(&self, cell: usize) -> bool {
        self.low[cell] < self.high[cell]
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

/// Finds what is forced. Counts that contradict each other are an error.
pub(super) fn presolve(system: &System) -> Result<Found> {
    let mut bounds = Bounds::new(system);
    bounds.settle()?;
    let count_open =
        |bounds: &Bounds| (0..system.value.len()).filter(|cell| bounds.boxes.is_open(*cell)).count() as u64;
    let open = count_open(&bounds);
    if open > 0 {
        let views = flow::Views::of(system);
        bounds.changed.iter_mut().for_each(|changed| *changed = true);
        loop {
            let closed = views.forced(system, &bounds.boxes, &bounds.changed)?;
            bounds.changed.iter_mut().for_each(|changed| *changed = false);
            let mut changed = false;
            for (cell, people) in closed {
                changed |= bounds.boxes.is_open(cell as usize);
                bounds.narrow(cell as usize, people, people)?;
            }
            if !changed {
                break;
            }
            bounds.settle()?;
        }
    }
    let forced = open - count_open(&bounds);
    Ok(Found { boxes: bounds.boxes, open, forced })
}

/// Boxes that are being tightened.
struct Bounds<'a> {
    system: &'a System,
    boxes: Boxes,
    /// By row: the sums of the least and of the most of its cells.
    low: Vec<i64>,
    high: Vec<i64>,
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// By row: whether any of its cells was narrowed.
    changed: Vec<bool>,
}

impl<'a> Bounds<'a> {
    fn new(system: &'a System) -> Bounds<'a> {
        let high: Vec<i64> = system.crowd.iter().map(|crowd| system.people[*crowd as usize]).collect();
        let boxes = Boxes { low: vec![0; high.len()], high };
        let rows = system.rows.len();
        let sum = |row: usize| system.rows.at(row).iter().map(|cell| boxes.high[*cell as usize]).sum();
        let sums = (0..rows).map(sum).collect();
        let waiting = (0..rows as u32).collect();
        Bounds {
            system,
            low: vec![0; rows],
            high: sums,
            boxes,
            waiting,
            waits: vec![true; rows],
            changed: vec![false; rows],
        }
    }

    /// Looks at each count until nothing changes any more.
    fn settle(&mut self) -> Result<()> {
        while let Some(row) = self.waiting.pop_front() {
            let row = row as usize;
            self.waits[row] = false;
            for at in 0..self.system.rows.at(row).len() {
                let cell = self.system.rows.at(row)[at] as usize;
                let (low, high) = self.boxes.at(cell);
                let most = self.system.most[row] - (self.low[row] - low);
                let least = self.system.least[row] - (self.high[row] - high);
                self.narrow(cell, least, most)?;
            }
            // A row without cells can still demand somebody.
            if self.low[row] > self.system.most[row] || self.high[row] < self.system.least[row] {
                return Err(contradiction());
            }
        }
        Ok(())
    }

    fn narrow(&mut self, cell: usize, least: i64, most: i64) -> Result<()> {
        let (low, high) = self.boxes.at(cell);
        let (new_low, new_high) = (low.max(least), high.min(most));
        if new_low > new_high {
            return Err(contradiction());
        }
        if (new_low, new_high) == (low, high) {
            return Ok(());
        }
        (self.boxes.low[cell], self.boxes.high[cell]) = (new_low, new_high);
        for row in self.system.of_cell.at(cell) {
            self.low[*row as usize] += new_low - low;
            self.high[*row as usize] += new_high - high;
            self.changed[*row as usize] = true;
            if !std::mem::replace(&mut self.waits[*row as usize], true) {
                self.waiting.push_back(*row);
            }
        }
        Ok(())
    }
}
