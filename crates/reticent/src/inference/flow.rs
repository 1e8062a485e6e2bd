//! Two kinds of rows that share cells are a flow: from the rows of one kind to those of the other, through the cells in both.
//!
//! There are two such views of a puzzle. Two sources and one value: so many in the groups of one, so many in those of the
//! other. And one source and the people: its groups have so many of each value, and everybody has one.
//!
//! A cell that only one of the two counts leads out of it. A cell cannot change when, in what is left of a flow that fits, no
//! circle leads through it: its ends lie in different strongly connected parts. So whatever must be as few or as many as its bounds
//! allow is found in one view alone, in time linear in the cells once there is a flow. A number of people that is forced and lies between
//! its bounds is not: one more and one less are both left, and look like a circle. Crowds of one person have none such.
//!
//! Most of the time nothing is forced, and that is seen sooner: where a world is known, and from one row all others can be reached
//! and can reach it, they are one part. In large groups a few of the cells are enough to see it.
//!
//! A circle that leaves some rows for what lies outside comes back to the same rows, or can be cut short so that it does. So rows
//! that hang together through the outside alone are looked at apart, and after a change only those that hang together with it.

mod network;
mod parts;

use std::collections::BTreeMap;
use std::hash::Hash;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

use super::Value;
use super::presolve::Boxes;
use super::system::{Lists, System};
use crate::error::Result;
use network::{Network, OUTSIDE, ROWS};
use parts::{Few, Parts};

/// In rows with fewer open cells, a flow is found as fast as it is seen that nothing is forced.
pub(super) const MANY: u32 = 32;
/// With more sources it would take too much memory to note for every cell which row of each it is in.
const FEW: usize = 4;
const NONE: u32 = u32::MAX;

/// Views of a source and people,
pub(super) const PEOPLE: u8 = 1;
/// of two sources,
pub(super) const SOURCES: u8 = 2;
/// and both.
pub(super) const ANY: u8 = PEOPLE | SOURCES;

/// More people can have a cell in what is left of a flow,
const MORE: u8 = 1;
/// or fewer can. One of them is so of every cell that is open, and none of one that is closed, which has the same in every flow.
const FEWER: u8 = 2;

/// The views of a system.
pub(super) struct Views<'a> {
    system: &'a System,
    views: Vec<View>,
    /// By row of a count: whether it speaks of one value only; and whether all do.
    one_value: Vec<bool>,
    all_one_value: bool,
    /// By source and cell: its row, where sources are few.
    row_of: BTreeMap<u32, Vec<u32>>,
    /// By row: its cells that somebody has in the world that is known; none where no row is large.
    held: Lists,
    /// Rows with so many open cells are first looked at in the easy way.
    many: u32,
    /// Marks that nobody uses at the moment: as many as there are looks at a time, however many looks there are.
    spare: Mutex<Vec<Marks>>,
}

/// Two kinds of rows.
struct View {
    /// The rows of one source.
    source: u32,
    rows: Vec<u32>,
    with: With,
    /// Whether any cell, or room in a count, leads outside.
    leads_outside: bool,
}

impl View {
    fn kind(&self) -> u8 {
        match self.with {
            With::People => PEOPLE,
            With::Source(..) => SOURCES,
        }
    }
}

/// What a source is looked at together with.
enum With {
    /// The rows of another source, of one value.
    Source(u32, Vec<u32>),
    /// Everybody whom it counts.
    People,
}

/// What is known when views are looked at.
pub(super) struct State<'a> {
    pub boxes: &'a Boxes,
    /// By row: how many of its cells are open.
    pub open: &'a [u32],
    /// By row: the views that have not looked at it since any of its cells was narrowed.
    pub changed: &'a [u8],
}

impl<'a> Views<'a> {
    pub(super) fn of(system: &'a System, many: u32) -> Views<'a> {
        let value: Vec<Option<Value>> = (0..system.counts()).map(|row| one_value(system, row)).collect();
        let by_source = grouped(system.source.iter().copied().zip(0..));
        let of_one_value = value.iter().zip(&system.source).zip(0..);
        let by_value = grouped(of_one_value.filter_map(|((value, source), row)| Some((((*value)?, *source), row))));
        let row_of = if by_source.len() <= FEW {
            by_source.par_iter().map(|source| row_of(system, source)).collect()
        } else {
            BTreeMap::new()
        };
        let with_people = |(source, rows)| View { source, rows, with: With::People, leads_outside: true };
        let mut views: Vec<View> = by_source.into_iter().map(with_people).collect();
        let one_value: Vec<bool> = value.iter().map(Option::is_some).collect();
        // Only large rows are looked at in the easy way, and only that asks for what is held and what leads outside.
        let any_large = (0..system.rows.len()).any(|row| system.rows.at(row).len() >= many as usize);
        let together = if any_large { sources_of_cells(system, &one_value) } else { HashSet::new() };
        let exact = |rows: &[u32]| rows.iter().all(|row| system.least[*row as usize] == system.most[*row as usize]);
        for ((value, source), rows) in &by_value {
            let later = (Bound::Excluded((*value, *source)), Bound::Included((*value, u32::MAX)));
            for ((_, other), others) in by_value.range(later) {
                let apart = together.iter().any(|known| known.contains(source) != known.contains(other));
                let leads_outside = !any_large || apart || !exact(rows) || !exact(others);
                let with = With::Source(*other, others.clone());
                views.push(View { source: *source, rows: rows.clone(), with, leads_outside });
            }
        }
        let held = |row: usize| {
            let cells = system.rows.at(row).iter().copied();
            cells.filter(|cell| system.seen.as_ref().is_some_and(|seen| seen[*cell as usize] > 0))
        };
        let held = if any_large { Lists::of((0..system.rows.len()).map(held)) } else { Lists::default() };
        let all_one_value = one_value.iter().all(|one_value| *one_value);
        Views { system, views, one_value, all_one_value, row_of, held, many, spare: Mutex::new(Vec::new()) }
    }

    /// Cells that are forced in views of a kind, each with its number of people. What does not hang together with a change is left out.
    pub(super) fn forced(&self, state: &State, kind: u8) -> Result<Vec<(u32, i64)>> {
        let leads = self.system.seen.as_ref().map(|seen| {
            let leads = |(cell, having): (usize, &i64)| leads(state.boxes.at(cell), *having);
            seen.par_iter().enumerate().with_min_len(1 << 14).map(leads).collect::<Vec<u8>>()
        });
        let found: Result<Vec<Vec<(u32, i64)>>> = self
            .views
            .par_iter()
            // Some are far larger than others.
            .with_max_len(1)
            .filter(|view| view.kind() == kind)
            .map(|view| {
                let spare = self.spare().pop();
                let mut marks = spare.unwrap_or_else(|| Marks::new(self.system.rows.len()));
                let found = Look::at(self, view, state, leads.as_deref(), &mut marks).forced();
                self.spare().push(marks);
                found
            })
            .collect();
        Ok(found?.into_iter().flatten().collect())
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Marks>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rows by what they have in common.
fn grouped<K: Copy + Ord + Hash>(rows: impl Iterator<Item = (K, u32)>) -> BTreeMap<K, Vec<u32>> {
    let mut found: HashMap<K, Vec<u32>, FxBuildHasher> = HashMap::default();
    rows.for_each(|(key, row)| found.entry(key).or_default().push(row));
    found.into_iter().collect()
}

/// A source, and by cell its row.
fn row_of(system: &System, (source, rows): (&u32, &Vec<u32>)) -> (u32, Vec<u32>) {
    let mut row_of = vec![NONE; system.value.len()];
    for row in rows {
        system.rows.at(*row as usize).iter().for_each(|cell| row_of[*cell as usize] = *row);
    }
    (*source, row_of)
}

/// What can flow through a cell that so many have.
fn leads((low, high): (i64, i64), having: i64) -> u8 {
    (MORE * u8::from(having < high)) + (FEWER * u8::from(having > low))
}

fn one_value(system: &System, row: usize) -> Option<Value> {
    let mut values = system.rows.at(row).iter().map(|cell| system.value[*cell as usize]);
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Which sets of sources count a cell, in rows of one value.
fn sources_of_cells(system: &System, one_value: &[bool]) -> HashSet<Vec<u32>> {
    let mut known: HashSet<Vec<u32>> = HashSet::new();
    let (mut last, mut here): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for cell in 0..system.value.len() {
        here.clear();
        here.extend(system.counts_of(cell).filter(|row| one_value[*row]).map(|row| system.source[row]));
        if here != last {
            known.insert(here.clone());
            std::mem::swap(&mut here, &mut last);
        }
    }
    known
}

/// Marks on rows, and other things that are used again; raising `now` or `view` takes all marks away.
#[derive(Default)]
struct Marks {
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
    fn new(rows: usize) -> Marks {
        let reached = [vec![0; rows], vec![0; rows]];
        Marks { entered: vec![(0, 0); rows], reached, ..Marks::default() }
    }
}

/// A look at one view.
struct Look<'a> {
    system: &'a System,
    views: &'a Views<'a>,
    view: &'a View,
    state: &'a State<'a>,
    /// By cell: what can flow through it in what a world leaves, where one is known.
    leads: Option<&'a [u8]>,
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
    fn at(
        views: &'a Views<'a>,
        view: &'a View,
        state: &'a State,
        leads: Option<&'a [u8]>,
        marks: &'a mut Marks,
    ) -> Look<'a> {
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
        Look { system: views.system, views, view, state, leads, marks, rows, row_of, any_value }
    }

    fn forced(mut self) -> Result<Vec<(u32, i64)>> {
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
        let Some((seen, leads)) = self.system.seen.as_ref().zip(self.leads) else { return false };
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
            let leads = self.leads.map_or_else(|| leads(self.state.boxes.at(cell), having[cell]), |leads| leads[cell]);
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
