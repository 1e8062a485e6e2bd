//! Search for forced cells in one view, starting from its changed rows.

use super::network::{FIRST_ROW, FlowNetwork, OUTSIDE};
use super::scc::{Scc, SmallGraph};
use super::{CAN_DECREASE, CAN_INCREASE, NONE, Opposite, PresolveState, View, Views, residual_directions};
use crate::error::Result;
use crate::system::System;

/// Scratch memory of a search. Incrementing `epoch` or `view` clears the marks.
#[derive(Default)]
pub(super) struct SearchMarks {
    /// Number of the current quick check.
    epoch: u32,
    /// Number of the current view.
    view: u32,
    /// By row: the last view that visited it, and its node there. The node is not set if the quick check visited the row, because
    /// then all connected rows are visited too.
    visited: Vec<(u32, u32)>,
    /// By direction and row: the last epoch in which it was reached.
    reached: [Vec<u32>; 2],
    /// By node: row of the current connected network.
    rows: Vec<u32>,
    /// Cells of the network: cell, tail node, head node.
    cells: Vec<(u32, u32, u32)>,
    scc: Scc,
    /// By cell: a feasible flow, if no possible world is known.
    flow: Vec<i64>,
}

impl SearchMarks {
    pub(super) fn new(rows: usize) -> SearchMarks {
        let reached = [vec![0; rows], vec![0; rows]];
        SearchMarks { visited: vec![(0, 0); rows], reached, ..SearchMarks::default() }
    }
}

/// Search for forced cells in one view.
pub(super) struct ForcedCellSearch<'a> {
    system: &'a System,
    views: &'a Views<'a>,
    view: &'a View,
    state: &'a PresolveState<'a>,
    marks: &'a mut SearchMarks,
    /// Upper bound on the number of rows with open cells.
    rows: usize,
    /// By family: offset of its rows, and row by cell; `None` if the source is not indexed.
    row_of: [Option<(u32, &'a [u32])>; 2],
    /// Whether rows with several values belong to the view.
    any_value: bool,
}

/// Rows that a row reaches in the residual graph.
#[derive(Default)]
struct Reach {
    /// Rows that are left through decreasing cells, and rows that are left through increasing cells.
    rows: [Vec<u32>; 2],
    /// Whether the outside is reached.
    outside: bool,
}

impl Reach {
    fn len(&self) -> usize {
        self.rows[0].len() + self.rows[1].len()
    }
}

impl<'a> ForcedCellSearch<'a> {
    pub(super) fn new(
        views: &'a Views<'a>,
        view: &'a View,
        state: &'a PresolveState,
        marks: &'a mut SearchMarks,
    ) -> ForcedCellSearch<'a> {
        let open = |rows: &[u32]| rows.iter().filter(|row| state.open[**row as usize] > 0).count();
        let rows = match &view.opposite {
            Opposite::Source(_, others) => open(&view.rows) + open(others),
            Opposite::People => usize::MAX,
        };
        let row_of = |source: &u32| views.row_of.get(source).map(|row_of| (0, row_of.as_slice()));
        let other = match &view.opposite {
            Opposite::Source(other, _) => row_of(other),
            Opposite::People => Some((views.system.counts() as u32, views.system.class.as_slice())),
        };
        let any_value = views.all_one_value || matches!(view.opposite, Opposite::People);
        let row_of = [row_of(&view.source), other];
        ForcedCellSearch { system: views.system, views, view, state, marks, rows, row_of, any_value }
    }

    /// Forced cells, with their number of people.
    pub(super) fn forced(mut self) -> Result<Vec<(u32, i64)>> {
        let mut forced = Vec::new();
        self.marks.view += 1;
        let view = self.view;
        let class_rows = self.system.counts() as u32..self.system.rows.len() as u32;
        match &view.opposite {
            Opposite::Source(_, others) => self.search_rows(view.rows.iter().chain(others).copied(), &mut forced)?,
            Opposite::People => self.search_rows(view.rows.iter().copied().chain(class_rows), &mut forced)?,
        }
        Ok(forced)
    }

    /// Searches the networks of all changed rows that are not visited yet.
    fn search_rows(&mut self, rows: impl Iterator<Item = u32>, forced: &mut Vec<(u32, i64)>) -> Result<()> {
        for row in rows {
            let at = row as usize;
            let pending = self.state.changed[at] & self.view.kind() > 0
                && self.state.open[at] > 0
                && self.marks.visited[at].0 != self.marks.view;
            let quick_check = |search: &mut ForcedCellSearch| {
                search.state.open[at] >= search.views.quick_check_min && search.is_strongly_connected(row)
            };
            if pending && !quick_check(self) {
                self.search_connected(row, forced)?;
            }
        }
        Ok(())
    }

    fn open_cells(&self, row: u32) -> impl Iterator<Item = usize> + use<'a> {
        let bounds = self.state.bounds;
        self.system.rows.at(row as usize).iter().map(|cell| *cell as usize).filter(|cell| bounds.is_open(*cell))
    }

    /// Whether a row belongs to the first family.
    fn is_first(&self, row: u32) -> bool {
        self.system.source.get(row as usize) == Some(&self.view.source)
    }

    /// Row of a cell in the first or second family.
    #[inline(always)]
    fn row_of_cell(&self, cell: usize, first: bool) -> Option<u32> {
        match self.row_of[usize::from(!first)] {
            Some((_, row_of)) if row_of[cell] == NONE => None,
            Some((before, row_of)) => {
                let row = before + row_of[cell];
                (self.any_value || self.views.one_value[row as usize]).then_some(row)
            }
            None => self.find_row_of_cell(cell, first),
        }
    }

    /// [`Self::row_of_cell`] for sources that are not indexed.
    fn find_row_of_cell(&self, cell: usize, first: bool) -> Option<u32> {
        let source = match &self.view.opposite {
            Opposite::Source(other, _) if !first => *other,
            _ => self.view.source,
        };
        let any_value = self.any_value;
        let matches = |row: &&u32| {
            let of = self.system.source.get(**row as usize);
            of == Some(&source) && (any_value || self.views.one_value[**row as usize])
        };
        let rows = self.system.rows_of.at(cell);
        // Sources are usually consecutive, which gives the likely position.
        let first = rows.first().and_then(|row| self.system.source.get(*row as usize)).unwrap_or(&source);
        let likely = rows.get(source.saturating_sub(*first) as usize).filter(matches);
        likely.or_else(|| rows.iter().find(matches)).copied()
    }

    /// Quick check: whether the network of a row is strongly connected, so that no cell is forced. `false` proves nothing.
    fn is_strongly_connected(&mut self, row: u32) -> bool {
        let Some((known_solution, residual)) = self.system.known_solution.as_ref().zip(self.state.residual) else {
            return false;
        };
        self.marks.epoch += 1;
        let (forward, backward) =
            (self.reach(known_solution, residual, row, 0), self.reach(known_solution, residual, row, 1));
        let both = |row: &u32| self.marks.reached[1][*row as usize] == self.marks.epoch;
        let same = forward.len() == backward.len() && forward.rows.iter().flatten().all(both);
        if same && forward.outside == backward.outside {
            forward.rows.iter().flatten().for_each(|row| self.marks.visited[*row as usize].0 = self.marks.view);
            return true;
        }
        false
    }

    /// Rows that a row reaches in the residual graph of the known world, or that reach it (`back` = 1), without passing the outside.
    ///
    /// Stops as soon as all rows are reached.
    fn reach(&mut self, known_solution: &[i64], residual: &[u8], row: u32, back: usize) -> Reach {
        let mut reach = Reach::default();
        let mut visited = [0, 0];
        // Forward arcs increase a cell from the first family to the second, or decrease it from the second to the first. Only
        // cells with people can decrease. These are fewer, so they come first.
        let more = |first: bool| first == (back == 0);
        reach.rows[usize::from(more(self.is_first(row)))].push(row);
        self.marks.reached[back][row as usize] = self.marks.epoch;
        while let Some(kind) = (0..2).find(|kind| visited[*kind] < reach.rows[*kind].len()) {
            let row = reach.rows[kind][visited[kind]];
            visited[kind] += 1;
            let (more, first) = (kind == 1, self.is_first(row));
            reach.outside |= self.has_slack(known_solution, row, !more);
            let cells =
                if more { self.system.rows.at(row as usize) } else { self.views.assigned_cells.at(row as usize) };
            let wanted = if more { CAN_INCREASE } else { CAN_DECREASE };
            for cell in cells.iter().map(|cell| *cell as usize).filter(|cell| residual[*cell] & wanted > 0) {
                match self.row_of_cell(cell, !first) {
                    None => reach.outside = true,
                    Some(other) if self.marks.reached[back][other as usize] != self.marks.epoch => {
                        self.marks.reached[back][other as usize] = self.marks.epoch;
                        reach.rows[1 - kind].push(other);
                    }
                    Some(_) => {}
                }
                if reach.len() == self.rows && (reach.outside || !self.view.leads_outside) {
                    return reach;
                }
            }
        }
        reach
    }

    /// Whether the sum of a row can increase (`more`) or decrease within its bounds.
    fn has_slack(&self, cell_flow: &[i64], row: u32, more: bool) -> bool {
        let row = row as usize;
        let (lower, upper) = (self.system.lower[row], self.system.upper[row]);
        if lower == upper {
            return false;
        }
        let counted: i64 = self.system.rows.at(row).iter().map(|cell| cell_flow[*cell as usize]).sum();
        if more { counted < upper } else { counted > lower }
    }

    /// Returns the node of a row, which is added on the first call.
    fn add_node(&mut self, row: u32) -> u32 {
        let (view, node) = &mut self.marks.visited[row as usize];
        if *view != self.marks.view {
            (*view, *node) = (self.marks.view, FIRST_ROW + self.marks.rows.len() as u32);
            self.marks.rows.push(row);
        }
        *node
    }

    /// Collects the nodes and cells of the network that is connected to a row.
    fn collect_connected(&mut self, row: u32) {
        self.marks.rows.clear();
        self.marks.cells.clear();
        self.add_node(row);
        let mut next = 0;
        while let Some(row) = self.marks.rows.get(next).copied() {
            let node = FIRST_ROW + next as u32;
            next += 1;
            if self.is_first(row) {
                for cell in self.open_cells(row) {
                    let other = self.row_of_cell(cell, false).map_or(OUTSIDE, |other| self.add_node(other));
                    self.marks.cells.push((cell as u32, node, other));
                }
                continue;
            }
            for cell in self.open_cells(row) {
                match self.row_of_cell(cell, true) {
                    None => self.marks.cells.push((cell as u32, OUTSIDE, node)),
                    // The first family adds the cell.
                    Some(other) => {
                        self.add_node(other);
                    }
                }
            }
        }
    }

    /// Adds the forced cells of the network that is connected to a row.
    fn search_connected(&mut self, row: u32, forced: &mut Vec<(u32, i64)>) -> Result<()> {
        self.collect_connected(row);
        if self.marks.rows.len() == 1 {
            // Row-by-row propagation has found everything that follows from one row.
            return Ok(());
        }
        match &self.system.known_solution {
            Some(known_solution) => self.collect_forced(known_solution, forced),
            None => {
                let mut cell_flow = std::mem::take(&mut self.marks.flow);
                cell_flow.resize(self.system.value.len(), 0);
                self.find_flow(&mut cell_flow)?;
                self.collect_forced(&cell_flow, forced);
                self.marks.flow = cell_flow;
            }
        }
        Ok(())
    }

    /// Adds the cells whose ends lie in different strongly connected components of the residual graph.
    fn collect_forced(&mut self, cell_flow: &[i64], forced: &mut Vec<(u32, i64)>) {
        let nodes = self.marks.rows.len() + FIRST_ROW as usize;
        if nodes <= SmallGraph::MAX_NODES {
            let mut small_graph = SmallGraph::default();
            self.for_each_residual_arc(cell_flow, |from, to| small_graph.add_arc(from, to));
            // Arcs for the slack of rows are omitted: they cannot make a strongly connected graph lose this property.
            if small_graph.is_strongly_connected(FIRST_ROW) {
                return;
            }
        }
        let mut scc = std::mem::take(&mut self.marks.scc);
        scc.reset(nodes);
        self.for_each_residual_arc(cell_flow, |from, to| scc.add_arc(from, to));
        for (row, node) in self.marks.rows.iter().zip(FIRST_ROW..) {
            // A row of the first family receives additional flow from the outside; a row of the second sends it there.
            let first = self.is_first(*row);
            if self.has_slack(cell_flow, *row, first) {
                scc.add_arc(OUTSIDE, node);
            }
            if self.has_slack(cell_flow, *row, !first) {
                scc.add_arc(node, OUTSIDE);
            }
        }
        scc.compute();
        let separate = self.marks.cells.iter().filter(|(_, from, to)| scc.are_separate(*from, *to));
        forced.extend(separate.map(|(cell, _, _)| (*cell, cell_flow[*cell as usize])));
        self.marks.scc = scc;
    }

    /// Calls `arc` with the tail and head of every residual arc.
    fn for_each_residual_arc(&self, cell_flow: &[i64], mut arc: impl FnMut(u32, u32)) {
        for (cell, from, to) in &self.marks.cells {
            let cell = *cell as usize;
            let directions = self.state.residual.map_or_else(
                || residual_directions(self.state.bounds.at(cell), cell_flow[cell]),
                |residual| residual[cell],
            );
            if directions & CAN_INCREASE > 0 {
                arc(*from, *to);
            }
            if directions & CAN_DECREASE > 0 {
                arc(*to, *from);
            }
        }
    }

    /// Finds a feasible flow of the network, by cell. Fixed cells have their fixed value.
    fn find_flow(&self, cell_flow: &mut [i64]) -> Result<()> {
        let (rows, bounds) = (&self.marks.rows, self.state.bounds);
        let mut network = FlowNetwork::new(rows.len());
        for (row, node) in rows.iter().zip(FIRST_ROW..) {
            network.add_row(self.system, bounds, *row as usize, node, self.is_first(*row));
        }
        let arc = |(cell, from, to): &(u32, u32, u32)| {
            let (low, high) = bounds.at(*cell as usize);
            network.add_cell(*from, *to, high - low)
        };
        let arcs: Vec<u32> = self.marks.cells.iter().map(arc).collect();
        network.solve()?;
        let cells = rows.iter().flat_map(|row| self.system.rows.at(*row as usize));
        cells.for_each(|cell| cell_flow[*cell as usize] = bounds.at(*cell as usize).0);
        for ((cell, _, _), arc) in self.marks.cells.iter().zip(arcs) {
            cell_flow[*cell as usize] += network.flow_through(arc);
        }
        Ok(())
    }
}
