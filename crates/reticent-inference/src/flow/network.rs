//! A flow through rows, where no world is known that would be one.

use crate::contradiction;
use crate::error::Result;
use crate::max_flow::MaxFlow;
use crate::presolve::Boxes;
use crate::system::System;

/// What lies outside of both kinds of rows.
pub(super) const OUTSIDE: u32 = 0;
/// The first row is this node, the next one the next.
pub(super) const ROWS: u32 = 1;

/// A network of rows. Behind its rows lie two more nodes, where everything starts and ends.
pub(super) struct Network {
    flow: MaxFlow,
    start: u32,
    end: u32,
    /// What must flow through rows at least, and must therefore come from or go outside.
    outside: i64,
    wanted: i64,
}

impl Network {
    /// So many rows, and nothing that leads from one to another.
    pub(super) fn of(rows: usize) -> Network {
        let start = ROWS + rows as u32;
        Network { flow: MaxFlow::new(start as usize + 2), start, end: start + 1, outside: 0, wanted: 0 }
    }

    /// A row, of the first kind or the other: what flows through it lies between its bounds, beyond what its cells have at least.
    pub(super) fn row(&mut self, system: &System, boxes: &Boxes, row: usize, node: u32, first: bool) {
        let low: i64 = system.rows.at(row).iter().map(|cell| boxes.at(*cell as usize).0).sum();
        let least = (system.least[row] - low).max(0);
        let spare = system.most[row] - low - least;
        let (must, may) = match first {
            true => ((self.start, node), (OUTSIDE, node)),
            false => ((node, self.end), (node, OUTSIDE)),
        };
        self.flow.add_arc(must.0, must.1, least);
        self.wanted += if first { least } else { 0 };
        self.outside += if first { -least } else { least };
        if spare > 0 {
            self.flow.add_arc(may.0, may.1, spare);
        }
    }

    /// A cell from one row to another, or from or to outside, through which so much may flow. Answers with its arc.
    pub(super) fn cell(&mut self, from: u32, to: u32, most: i64) -> u32 {
        self.flow.add_arc(from, to, most)
    }

    /// How much flows along an arc.
    pub(super) fn flows(&self, arc: u32) -> i64 {
        self.flow.flow(arc)
    }

    /// Finds a flow that fits.
    pub(super) fn fill(&mut self) -> Result<()> {
        match self.outside {
            more if more > 0 => {
                self.flow.add_arc(self.start, OUTSIDE, more);
                self.wanted += more;
            }
            less if less < 0 => {
                self.flow.add_arc(OUTSIDE, self.end, -less);
            }
            _ => {}
        }
        if self.flow.push(self.start, self.end) < self.wanted { Err(contradiction()) } else { Ok(()) }
    }
}
