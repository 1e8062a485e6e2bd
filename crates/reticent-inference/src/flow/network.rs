//! Feasible flow through the rows of a view, for systems without a known world.

use crate::contradiction;
use crate::error::Result;
use crate::max_flow::MaxFlow;
use crate::presolve::CellBounds;
use crate::system::System;

/// Node of the outside.
pub(super) const OUTSIDE: u32 = 0;
/// Node of the first row. The other rows follow.
pub(super) const FIRST_ROW: u32 = 1;

/// A flow network with the outside, the rows, a source and a sink, in this order of nodes.
pub(super) struct FlowNetwork {
    flow: MaxFlow,
    /// Source node.
    start: u32,
    /// Sink node.
    end: u32,
    /// Required outflow less required inflow of the rows; the outside supplies the difference.
    outside_demand: i64,
    /// Flow that the source must supply.
    demand: i64,
}

impl FlowNetwork {
    /// A network with the given number of rows and no arcs.
    pub(super) fn new(rows: usize) -> FlowNetwork {
        let start = FIRST_ROW + rows as u32;
        FlowNetwork { flow: MaxFlow::new(start as usize + 2), start, end: start + 1, outside_demand: 0, demand: 0 }
    }

    /// Adds a row of the first or second family. Its flow is the sum of its cells less their lower bounds.
    pub(super) fn add_row(&mut self, system: &System, bounds: &CellBounds, row: usize, node: u32, first: bool) {
        let low: i64 = system.rows.at(row).iter().map(|cell| bounds.at(*cell as usize).0).sum();
        let lower = (system.lower[row] - low).max(0);
        let spare = system.upper[row] - low - lower;
        let (required, optional) = match first {
            true => ((self.start, node), (OUTSIDE, node)),
            false => ((node, self.end), (node, OUTSIDE)),
        };
        self.flow.add_arc(required.0, required.1, lower);
        self.demand += if first { lower } else { 0 };
        self.outside_demand += if first { -lower } else { lower };
        if spare > 0 {
            self.flow.add_arc(optional.0, optional.1, spare);
        }
    }

    /// Adds a cell between two rows, or between a row and the outside. Returns its arc.
    pub(super) fn add_cell(&mut self, from: u32, to: u32, capacity: i64) -> u32 {
        self.flow.add_arc(from, to, capacity)
    }

    /// Flow through an arc.
    pub(super) fn flow_through(&self, arc: u32) -> i64 {
        self.flow.flow(arc)
    }

    /// Finds a feasible flow.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none: the rows contradict each other.
    pub(super) fn solve(&mut self) -> Result<()> {
        match self.outside_demand {
            more if more > 0 => {
                self.flow.add_arc(self.start, OUTSIDE, more);
                self.demand += more;
            }
            less if less < 0 => {
                self.flow.add_arc(OUTSIDE, self.end, -less);
            }
            _ => {}
        }
        if self.flow.push(self.start, self.end) < self.demand { Err(contradiction()) } else { Ok(()) }
    }
}
