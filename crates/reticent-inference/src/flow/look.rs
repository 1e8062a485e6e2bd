//! A look at one view: what hangs together with what has changed, and which of its cells cannot change.

use super::network::{Network, OUTSIDE, ROWS};
use super::parts::{Few, Parts};
use super::{FEWER, MORE, NONE, State, View, Views, With, leads};
use crate::error::Result;
use crate::system::System;

/// Marks on rows, and other things that are used again; raising `now` or `view` takes all marks away.
#[derive(Default)]
pub(super) struct Marks {
    now: u32,
    /// The view.
    view: u32,
    /// By row: the last view in which it was looked at, and its node there; no node where nothing was forced around it, because then all
    /// that it leads to was looked at with it.
    entered: Vec<(u32, u32)>,
    /// By row: when it was reached in each direction.
    reached: [Vec<u32>; 2],
    /// What hangs together: rows by node, and cells with the nodes they lead from and to.
    rows: Vec<u32>,
    cells: Vec<(u32, u32, u32)>,
    parts: Parts,
    /// By cell: how many have it in a flow, where no world is known.
    having: Vec<i64>,
}

impl Marks {
    pub(super) fn new(rows: usize) -> Marks {
        let reached = [vec![0; rows], vec![0; rows]];
        Marks { entered: vec![(0, 0); rows], reached, ..Marks::default() }
    }
}

/// A look at one view.
pub(super) struct Look<'a> {
    system: &'a System,
    views: &'a Views<'a>,
    view: &'a View,
    state: &'a State<'a>,
    marks: &'a mut Marks,
    /// How many rows with open cells there are at most.
    rows: usize,
    /// By cell: its row of the one kind and of the other, where that is noted, and how many rows come before.
    row_of: [Option<(u32, &'a [u32])>; 2],
    /// Whether rows of several values count.
    any_value: bool,
}

/// What can be reached from a row.
#[derive(Default)]
struct Reach {
    /// Rows from which less leads on, and those from which more does.
    rows: [Vec<u32>; 2],
    outside: bool,
}

impl Reach {
    fn len(&self) -> usize {
        self.rows[0].len() + self.rows[1].len()
    }
}

impl<'a> Look<'a> {
    pub(super) fn at(views: &'a Views<'a>, view: &'a View, state: &'a State, marks: &'a mut Marks) -> Look<'a> {
        let open = |rows: &[u32]| rows.iter().filter(|row| state.open[**row as usize] > 0).count();
        let rows = match &view.with {
            With::Source(_, others) => open(&view.rows) + open(others),
            With::People => usize::MAX,
        };
        let row_of = |source: &u32| views.row_of.get(source).map(|row_of| (0, row_of.as_slice()));
        let other = match &view.with {
            With::Source(other, _) => row_of(other),
            With::People => Some((views.system.counts() as u32, views.system.crowd.as_slice())),
        };
        let any_value = views.all_one_value || matches!(view.with, With::People);
        let row_of = [row_of(&view.source), other];
        Look { system: views.system, views, view, state, marks, rows, row_of, any_value }
    }

    /// The cells that are forced, each with its number of people.
    pub(super) fn forced(mut self) -> Result<Vec<(u32, i64)>> {
        let mut found = Vec::new();
        self.marks.view += 1;
        let view = self.view;
        let crowds = self.system.counts() as u32..self.system.rows.len() as u32;
        match &view.with {
            With::Source(_, others) => self.all(view.rows.iter().chain(others).copied(), &mut found)?,
            With::People => self.all(view.rows.iter().copied().chain(crowds), &mut found)?,
        }
        Ok(found)
    }

    /// Looks at what hangs together with these rows, where they have changed.
    fn all(&mut self, rows: impl Iterator<Item = u32>, found: &mut Vec<(u32, i64)>) -> Result<()> {
        for row in rows {
            let at = row as usize;
            let anew = self.state.changed[at] & self.view.kind() > 0
                && self.state.open[at] > 0
                && self.marks.entered[at].0 != self.marks.view;
            let seen_easily = |look: &mut Look| look.state.open[at] >= look.views.many && look.nothing_forced(row);
            if anew && !seen_easily(self) {
                self.flow(row, found)?;
            }
        }
        Ok(())
    }

    fn open(&self, row: u32) -> impl Iterator<Item = usize> + use<'a> {
        let boxes = self.state.boxes;
        self.system.rows.at(row as usize).iter().map(|cell| *cell as usize).filter(|cell| boxes.is_open(*cell))
    }

    /// Whether a row is of the first kind.
    fn is_first(&self, row: u32) -> bool {
        self.system.source.get(row as usize) == Some(&self.view.source)
    }

    /// The row of the first kind, or of the other, that a cell is in.
    #[inline(always)]
    fn end(&self, cell: usize, first: bool) -> Option<u32> {
        match self.row_of[usize::from(!first)] {
            Some((_, row_of)) if row_of[cell] == NONE => None,
            Some((before, row_of)) => {
                let row = before + row_of[cell];
                (self.any_value || self.views.one_value[row as usize]).then_some(row)
            }
            None => self.find_end(cell, first),
        }
    }

    /// The same where it is not noted.
    fn find_end(&self, cell: usize, first: bool) -> Option<u32> {
        let source = match &self.view.with {
            With::Source(other, _) if !first => *other,
            _ => self.view.source,
        };
        let any_value = self.any_value;
        let fits = |row: &&u32| {
            let of = self.system.source.get(**row as usize);
            of == Some(&source) && (any_value || self.views.one_value[**row as usize])
        };
        let rows = self.system.of_cell.at(cell);
        // Mostly sources come one after the other, so that it is known where to look.
        let first = rows.first().and_then(|row| self.system.source.get(*row as usize)).unwrap_or(&source);
        let likely = rows.get(source.saturating_sub(*first) as usize).filter(fits);
        likely.or_else(|| rows.iter().find(fits)).copied()
    }

    /// Whether it is seen easily that nothing is forced around a row: all that it can reach can reach it. False proves nothing.
    fn nothing_forced(&mut self, row: u32) -> bool {
        let Some((seen, leads)) = self.system.seen.as_ref().zip(self.state.leads) else { return false };
        self.marks.now += 1;
        let (there, back) = (self.reach(seen, leads, row, 0), self.reach(seen, leads, row, 1));
        let both = |row: &u32| self.marks.reached[1][*row as usize] == self.marks.now;
        let one_part = there.len() == back.len() && there.rows.iter().flatten().all(both);
        if one_part && there.outside == back.outside {
            there.rows.iter().flatten().for_each(|row| self.marks.entered[*row as usize].0 = self.marks.view);
            return true;
        }
        false
    }

    /// What can be reached from a row in what a world leaves, or what can reach it (`back` 1), without passing outside. Ends as
    /// soon as everything is.
    fn reach(&mut self, seen: &[i64], leads: &[u8], row: u32, back: usize) -> Reach {
        let mut reach = Reach::default();
        let mut looked = [0, 0];
        // More flows along a cell from the first kind to the other, or less the other way, of what somebody has. There are
        // fewer cells of that kind, so they come first.
        let more = |first: bool| first == (back == 0);
        reach.rows[usize::from(more(self.is_first(row)))].push(row);
        self.marks.reached[back][row as usize] = self.marks.now;
        while let Some(kind) = (0..2).find(|kind| looked[*kind] < reach.rows[*kind].len()) {
            let row = reach.rows[kind][looked[kind]];
            looked[kind] += 1;
            let (more, first) = (kind == 1, self.is_first(row));
            reach.outside |= self.has_room(seen, row, !more);
            let cells = if more { self.system.rows.at(row as usize) } else { self.views.held.at(row as usize) };
            let wanted = if more { MORE } else { FEWER };
            for cell in cells.iter().map(|cell| *cell as usize).filter(|cell| leads[*cell] & wanted > 0) {
                match self.end(cell, !first) {
                    None => reach.outside = true,
                    Some(other) if self.marks.reached[back][other as usize] != self.marks.now => {
                        self.marks.reached[back][other as usize] = self.marks.now;
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

    /// Whether a row can count more, or less, than so many people have its values.
    fn has_room(&self, having: &[i64], row: u32, more: bool) -> bool {
        let row = row as usize;
        let (least, most) = (self.system.least[row], self.system.most[row]);
        if least == most {
            return false;
        }
        let counted: i64 = self.system.rows.at(row).iter().map(|cell| having[*cell as usize]).sum();
        if more { counted < most } else { counted > least }
    }

    /// Makes a row a node, once, and says which.
    fn enter(&mut self, row: u32) -> u32 {
        let (view, node) = &mut self.marks.entered[row as usize];
        if *view != self.marks.view {
            (*view, *node) = (self.marks.view, ROWS + self.marks.rows.len() as u32);
            self.marks.rows.push(row);
        }
        *node
    }

    /// Makes all that hangs together with a row nodes, and notes the cells between them.
    fn gather(&mut self, row: u32) {
        self.marks.rows.clear();
        self.marks.cells.clear();
        self.enter(row);
        let mut next = 0;
        while let Some(row) = self.marks.rows.get(next).copied() {
            let node = ROWS + next as u32;
            next += 1;
            if self.is_first(row) {
                for cell in self.open(row) {
                    let other = self.end(cell, false).map_or(OUTSIDE, |other| self.enter(other));
                    self.marks.cells.push((cell as u32, node, other));
                }
                continue;
            }
            for cell in self.open(row) {
                match self.end(cell, true) {
                    None => self.marks.cells.push((cell as u32, OUTSIDE, node)),
                    // Told from the other end.
                    Some(other) => {
                        self.enter(other);
                    }
                }
            }
        }
    }

    /// The cells that are forced among all that hangs together with a row.
    fn flow(&mut self, row: u32, found: &mut Vec<(u32, i64)>) -> Result<()> {
        self.gather(row);
        if self.marks.rows.len() == 1 {
            // What follows from one row is found before any flow.
            return Ok(());
        }
        match &self.system.seen {
            Some(seen) => self.no_circle(seen, found),
            None => {
                let mut having = std::mem::take(&mut self.marks.having);
                having.resize(self.system.value.len(), 0);
                self.fill(&mut having)?;
                self.no_circle(&having, found);
                self.marks.having = having;
            }
        }
        Ok(())
    }

    /// The cells through which no circle leads in what is left of a flow, each with its number of people.
    fn no_circle(&mut self, having: &[i64], found: &mut Vec<(u32, i64)>) {
        let nodes = self.marks.rows.len() + ROWS as usize;
        if nodes <= Few::MOST {
            let mut few = Few::default();
            self.arcs(having, |from, to| few.arc(from, to));
            // Whether a row has room is not asked: where they are one part without that, they are one with it.
            if few.is_one_part(ROWS) {
                return;
            }
        }
        let mut parts = std::mem::take(&mut self.marks.parts);
        parts.begin(nodes);
        self.arcs(having, |from, to| parts.arc(from, to));
        for (row, node) in self.marks.rows.iter().zip(ROWS..) {
            // A row of the first kind that counts more has it from outside, one of the other kind leads it there.
            let first = self.is_first(*row);
            if self.has_room(having, *row, first) {
                parts.arc(OUTSIDE, node);
            }
            if self.has_room(having, *row, !first) {
                parts.arc(node, OUTSIDE);
            }
        }
        parts.find();
        let apart = self.marks.cells.iter().filter(|(_, from, to)| parts.apart(*from, *to));
        found.extend(apart.map(|(cell, _, _)| (*cell, having[*cell as usize])));
        self.marks.parts = parts;
    }

    /// What leads from node to node through cells.
    fn arcs(&self, having: &[i64], mut arc: impl FnMut(u32, u32)) {
        for (cell, from, to) in &self.marks.cells {
            let cell = *cell as usize;
            let leads =
                self.state.leads.map_or_else(|| leads(self.state.boxes.at(cell), having[cell]), |leads| leads[cell]);
            if leads & MORE > 0 {
                arc(*from, *to);
            }
            if leads & FEWER > 0 {
                arc(*to, *from);
            }
        }
    }

    /// Finds a flow that fits, by cell of these rows; what is closed has what it must have.
    fn fill(&self, having: &mut [i64]) -> Result<()> {
        let (rows, boxes) = (&self.marks.rows, self.state.boxes);
        let mut network = Network::of(rows.len());
        for (row, node) in rows.iter().zip(ROWS..) {
            network.row(self.system, boxes, *row as usize, node, self.is_first(*row));
        }
        let arc = |(cell, from, to): &(u32, u32, u32)| {
            let (low, high) = boxes.at(*cell as usize);
            network.cell(*from, *to, high - low)
        };
        let arcs: Vec<u32> = self.marks.cells.iter().map(arc).collect();
        network.fill()?;
        let cells = rows.iter().flat_map(|row| self.system.rows.at(*row as usize));
        cells.for_each(|cell| having[*cell as usize] = boxes.at(*cell as usize).0);
        for ((cell, _, _), arc) in self.marks.cells.iter().zip(arcs) {
            having[*cell as usize] += network.flows(arc);
        }
        Ok(())
    }
}
