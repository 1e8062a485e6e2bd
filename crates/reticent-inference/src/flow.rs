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

mod look;
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
use look::{Look, Marks};

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
    sources: usize,
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
    /// By cell: what can flow through it in what a world leaves, where one is known.
    pub leads: Option<&'a [u8]>,
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
        let sources = by_source.len();
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
        Views { system, views, sources, one_value, all_one_value, row_of, held, many, spare: Mutex::new(Vec::new()) }
    }

    /// Cells that are forced in views of a kind, each with its number of people. What does not hang together with a change is left out.
    pub(super) fn forced(&self, state: &State, kind: u8) -> Result<Vec<(u32, i64)>> {
        let found: Result<Vec<Vec<(u32, i64)>>> = self
            .views
            .par_iter()
            // Some are far larger than others.
            .with_max_len(1)
            .filter(|view| view.kind() == kind)
            .map(|view| {
                let spare = self.spare().pop();
                let mut marks = spare.unwrap_or_else(|| Marks::new(self.system.rows.len()));
                let found = Look::at(self, view, state, &mut marks).forced();
                self.spare().push(marks);
                found
            })
            .collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Kinds of views for which it is something new that a view of one kind forces a cell. It is nothing new for the view itself: no
    /// circle led through the cell, so all that had a circle still has it. Others of its kind may count the cell, or have it lead outside.
    pub(super) fn concerned(&self, kind: u8) -> u8 {
        let alone = if kind == PEOPLE { 1 } else { 2 };
        if self.sources > alone { ANY } else { ANY & !kind }
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

/// By cell: what can flow through it in what a world leaves, where one is known.
pub(super) fn all_leads(system: &System, boxes: &Boxes) -> Option<Vec<u8>> {
    let leads = |(cell, having): (usize, &i64)| leads(boxes.at(cell), *having);
    Some(system.seen.as_ref()?.par_iter().enumerate().with_min_len(1 << 14).map(leads).collect())
}

/// What can flow through a cell that so many have.
pub(super) fn leads((low, high): (i64, i64), having: i64) -> u8 {
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
