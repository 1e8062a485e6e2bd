//! Forced cells by network flow: two families of rows that share cells form a bipartite flow network.
//!
//! Each row is a node, and each cell is an arc from its row of the first family to its row of the second. A cell in only one family
//! is an arc to or from an extra node, the *outside*. There are two kinds of views of a system:
//!
//! | view | first family | second family |
//! |---|---|---|
//! | people | counts of one source | one row per class |
//! | sources | counts of one source and one value | counts of another source and the same value |
//!
//! A feasible flow is an assignment of people to cells that meets all rows of the view. A cell is forced if its ends lie in different
//! strongly connected components of the residual graph of a feasible flow. So all cells that are forced to one of their bounds
//! within a view are found in linear time, once a flow is known. A cell that is forced strictly between its bounds is not found: its
//! two residual arcs form a cycle. Classes of one person have no such cells.
//!
//! A quick check comes first, because usually no cell is forced. If a possible world is known, and one row reaches all others and is
//! reached by all others in the residual graph, the graph is strongly connected. In large groups a few cells are enough to prove it.
//!
//! A cycle through the outside can be shortened so that it leaves and re-enters the same rows. So rows that are connected only through
//! the outside are searched separately, and after a change only the connected rows are searched again.

mod forced_cells;
mod network;
mod scc;

use std::collections::BTreeMap;
use std::hash::Hash;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

use super::Value;
use super::presolve::CellBounds;
use super::system::{Lists, System};
use crate::error::Result;
use forced_cells::{ForcedCellSearch, SearchMarks};

/// Minimum number of open cells of a row for the quick check. For smaller rows the full search is as fast.
pub(super) const QUICK_CHECK_MIN_CELLS: u32 = 32;
/// Maximum number of sources for which the row of every cell is indexed. The index needs memory for each source and cell.
const MAX_INDEXED_SOURCES: usize = 4;
const NONE: u32 = u32::MAX;

/// Kind of view: one source and the classes.
pub(super) const PEOPLE: u8 = 1;
/// Kind of view: two sources.
pub(super) const SOURCES: u8 = 2;
/// All kinds of views.
pub(super) const ANY: u8 = PEOPLE | SOURCES;

/// Residual direction: the flow through a cell can increase.
const CAN_INCREASE: u8 = 1;
/// Residual direction: the flow through a cell can decrease. An open cell has at least one direction, a fixed cell has none.
const CAN_DECREASE: u8 = 2;

/// All views of a system.
pub(super) struct Views<'a> {
    system: &'a System,
    views: Vec<View>,
    sources: usize,
    /// By row of a count: whether all its cells have the same value.
    one_value: Vec<bool>,
    /// Whether every count has only one value.
    all_one_value: bool,
    /// By source and cell: row; empty if there are more than [`MAX_INDEXED_SOURCES`] sources.
    row_of: BTreeMap<u32, Vec<u32>>,
    /// By row: cells with people in the known world; empty if no row is large enough for the quick check.
    assigned_cells: Lists,
    /// Minimum number of open cells of a row for the quick check.
    quick_check_min: u32,
    /// Pool of unused scratch memory. Its size is the number of concurrent searches.
    spare: Mutex<Vec<SearchMarks>>,
}

/// A bipartite view: two families of rows.
struct View {
    /// Source of the first family.
    source: u32,
    /// Rows of the first family.
    rows: Vec<u32>,
    /// Second family.
    opposite: Opposite,
    /// Whether the network may have arcs to or from the outside.
    leads_outside: bool,
}

impl View {
    fn kind(&self) -> u8 {
        match self.opposite {
            Opposite::People => PEOPLE,
            Opposite::Source(..) => SOURCES,
        }
    }
}

/// The second family of rows of a view.
enum Opposite {
    /// Another source, and its rows for one value.
    Source(u32, Vec<u32>),
    /// The rows of the classes.
    People,
}

/// State of presolve that the search for forced cells reads.
pub(super) struct PresolveState<'a> {
    /// Bounds of cells.
    pub bounds: &'a CellBounds,
    /// By row: number of open cells.
    pub open: &'a [u32],
    /// By row: kinds of views that have not examined it since one of its cells was narrowed.
    pub changed: &'a [u8],
    /// By cell: residual directions with respect to the known world, if there is one.
    pub residual: Option<&'a [u8]>,
}

impl<'a> Views<'a> {
    pub(super) fn new(system: &'a System, quick_check_min: u32) -> Views<'a> {
        let value: Vec<Option<Value>> = (0..system.counts()).map(|row| one_value(system, row)).collect();
        let by_source = grouped(system.source.iter().copied().zip(0..));
        let of_one_value = value.iter().zip(&system.source).zip(0..);
        let by_value = grouped(of_one_value.filter_map(|((value, source), row)| Some((((*value)?, *source), row))));
        let row_of = if by_source.len() <= MAX_INDEXED_SOURCES {
            by_source.par_iter().map(|source| row_of(system, source)).collect()
        } else {
            BTreeMap::new()
        };
        let sources = by_source.len();
        let with_people = |(source, rows)| View { source, rows, opposite: Opposite::People, leads_outside: true };
        let mut views: Vec<View> = by_source.into_iter().map(with_people).collect();
        let one_value: Vec<bool> = value.iter().map(Option::is_some).collect();
        // Only the quick check of large rows uses the assigned cells and the arcs to the outside.
        let any_large = (0..system.rows.len()).any(|row| system.rows.at(row).len() >= quick_check_min as usize);
        let sets = if any_large { source_sets(system, &one_value) } else { HashSet::new() };
        let exact = |rows: &[u32]| rows.iter().all(|row| system.lower[*row as usize] == system.upper[*row as usize]);
        for ((value, source), rows) in &by_value {
            let later = (Bound::Excluded((*value, *source)), Bound::Included((*value, u32::MAX)));
            for ((_, other), others) in by_value.range(later) {
                let differ = sets.iter().any(|known| known.contains(source) != known.contains(other));
                let leads_outside = !any_large || differ || !exact(rows) || !exact(others);
                let opposite = Opposite::Source(*other, others.clone());
                views.push(View { source: *source, rows: rows.clone(), opposite, leads_outside });
            }
        }
        let assigned_cells = |row: usize| {
            let cells = system.rows.at(row).iter().copied();
            cells.filter(|cell| {
                system.known_solution.as_ref().is_some_and(|known_solution| known_solution[*cell as usize] > 0)
            })
        };
        let assigned_cells =
            if any_large { Lists::new((0..system.rows.len()).map(assigned_cells)) } else { Lists::default() };
        let all_one_value = one_value.iter().all(|one_value| *one_value);
        Views {
            system,
            views,
            sources,
            one_value,
            all_one_value,
            row_of,
            assigned_cells,
            quick_check_min,
            spare: Mutex::new(Vec::new()),
        }
    }

    /// Forced cells in all views of a kind, with their number of people. Searches only rows connected to a changed row.
    pub(super) fn forced(&self, state: &PresolveState, kind: u8) -> Result<Vec<(u32, i64)>> {
        let forced: Result<Vec<Vec<(u32, i64)>>> = self
            .views
            .par_iter()
            // One view per task, because their sizes differ widely.
            .with_max_len(1)
            .filter(|view| view.kind() == kind)
            .map(|view| {
                let spare = self.spare().pop();
                let mut marks = spare.unwrap_or_else(|| SearchMarks::new(self.system.rows.len()));
                let forced = ForcedCellSearch::new(self, view, state, &mut marks).forced();
                self.spare().push(marks);
                forced
            })
            .collect();
        Ok(forced?.into_iter().flatten().collect())
    }

    /// Kinds of views that a forced cell of a view of the given kind affects.
    ///
    /// The view itself is not affected: no residual cycle contains the cell, so all cycles remain. Other views of the same kind are
    /// affected if there are any.
    pub(super) fn affected_kinds(&self, kind: u8) -> u8 {
        let sources_of_one_view = if kind == PEOPLE { 1 } else { 2 };
        if self.sources > sources_of_one_view { ANY } else { ANY & !kind }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<SearchMarks>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Groups rows by key.
fn grouped<K: Copy + Ord + Hash>(rows: impl Iterator<Item = (K, u32)>) -> BTreeMap<K, Vec<u32>> {
    let mut groups: HashMap<K, Vec<u32>, FxBuildHasher> = HashMap::default();
    rows.for_each(|(key, row)| groups.entry(key).or_default().push(row));
    groups.into_iter().collect()
}

/// A source, and the row of every cell in it.
fn row_of(system: &System, (source, rows): (&u32, &Vec<u32>)) -> (u32, Vec<u32>) {
    let mut row_of = vec![NONE; system.value.len()];
    for row in rows {
        system.rows.at(*row as usize).iter().for_each(|cell| row_of[*cell as usize] = *row);
    }
    (*source, row_of)
}

/// By cell: residual directions with respect to the known world, if there is one.
pub(super) fn all_residual_directions(system: &System, bounds: &CellBounds) -> Option<Vec<u8>> {
    let directions = |(cell, assigned): (usize, &i64)| residual_directions(bounds.at(cell), *assigned);
    Some(system.known_solution.as_ref()?.par_iter().enumerate().with_min_len(1 << 14).map(directions).collect())
}

/// Residual directions of a cell with the given bounds and number of people.
pub(super) fn residual_directions((low, high): (i64, i64), assigned: i64) -> u8 {
    (CAN_INCREASE * u8::from(assigned < high)) + (CAN_DECREASE * u8::from(assigned > low))
}

fn one_value(system: &System, row: usize) -> Option<Value> {
    let mut values = system.rows.at(row).iter().map(|cell| system.value[*cell as usize]);
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Sets of sources that share a cell, in rows of one value.
fn source_sets(system: &System, one_value: &[bool]) -> HashSet<Vec<u32>> {
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
