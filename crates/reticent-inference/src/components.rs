//! Decomposition of the open cells into connected components, which are solved independently.
//!
//! Two classes are connected if a count contains open cells of both. Within a component, classes with the same open values and
//! the same rows are merged, and rows with the same open cells are merged. Neither changes the set of possible worlds.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{HashSet, HashTable};
use rustc_hash::FxBuildHasher;

use super::Value;
use super::presolve::CellBounds;
use super::system::{Lists, System, WeightedRow};

const NONE: u32 = u32::MAX;

/// A connected component of the open cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Component {
    /// Merged classes.
    pub classes: Vec<MergedClass>,
    /// By cell, in the order of the classes: value.
    pub value: Vec<Value>,
    /// By cell: the rows that contain it.
    pub rows_of: Lists,
    /// Bounds of the counts, reduced by the fixed cells.
    pub rows: Vec<Row>,
    /// By cell: number of people in the known possible world, if there is one.
    pub known_solution: Option<Vec<u64>>,
    /// Whether a class of the component has incomplete constraints.
    pub incomplete: bool,
    /// Counts to which a person can add several records, over the cells of the component, reduced by the fixed cells.
    pub weighted: Vec<WeightedRow>,
}

/// Classes of the problem with the same open cells, merged into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MergedClass {
    /// Number of people without a fixed value.
    pub people: u64,
    /// Index of the first cell.
    first: u32,
    /// Index after the last cell.
    end: u32,
}

impl MergedClass {
    /// Cells of the class.
    pub(super) fn cells(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// Bounds of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub lower: u64,
    pub upper: u64,
}

impl Component {
    pub(super) fn people(&self) -> u64 {
        self.classes.iter().map(|class| class.people).sum()
    }

    /// Adds a class that owns the cells added since the previous class.
    pub(super) fn push_class(&mut self, people: u64) {
        let first = self.classes.last().map_or(0, |before| before.end);
        self.classes.push(MergedClass { people, first, end: self.value.len() as u32 });
    }

    /// Adds a cell of the class that is added next.
    pub(super) fn push_cell(&mut self, value: Value, rows: impl IntoIterator<Item = u32>) {
        self.value.push(value);
        self.rows_of.push(rows);
    }

    /// Hash of the values and rows of a class.
    fn hash_class(&self, class: u32) -> u64 {
        let cells = self.classes[class as usize].cells();
        FxBuildHasher.hash_one((&self.value[cells.clone()], self.rows_of.items_of(cells)))
    }

    /// Whether two classes have the same values in the same rows.
    fn has_same_cells(&self, one: u32, other: u32) -> bool {
        let (one, other) = (self.classes[one as usize].cells(), self.classes[other as usize].cells());
        self.value[one.clone()] == self.value[other.clone()]
            && one.zip(other).all(|(one, other)| self.rows_of.at(one) == self.rows_of.at(other))
    }

    /// Removes the last class and its cells.
    fn pop_class(&mut self) {
        if let Some(last) = self.classes.pop() {
            self.value.truncate(last.first as usize);
            self.rows_of.truncate(last.first as usize);
        }
    }
}

/// The connected components, and the position of every class in them.
pub(super) struct Decomposition {
    pub components: Vec<Component>,
    /// By class of the problem: component and merged class; `None` if all cells are fixed.
    pub place: Vec<Option<(u32, u32)>>,
    /// By class of the problem: number of people without a fixed value.
    pub open: Vec<u64>,
}

impl Decomposition {
    pub(super) fn new(system: &System, bounds: &CellBounds) -> Decomposition {
        let open_cells = |class: usize| system.cells(class).filter(|cell| bounds.is_open(*cell));
        let forced = |class: usize| -> i64 {
            system.cells(class).filter(|cell| !bounds.is_open(*cell)).map(|cell| bounds.at(cell).0).sum()
        };
        let (rows, (open, mut union)) = rayon::join(
            || ComponentRows::new(system, bounds),
            || {
                let open = |class: usize| (system.people[class] - forced(class)) as u64;
                ((0..system.classes()).map(open).collect(), connect(system, bounds))
            },
        );
        let mut decomposition = Decomposition { components: Vec::new(), place: vec![None; system.classes()], open };
        let mut component_of: Vec<Option<u32>> = vec![None; system.classes()];
        for class in (0..system.classes()).filter(|class| open_cells(*class).next().is_some()) {
            let root = union.root(class as u32) as usize;
            component_of[class] = component_of[root].or_else(|| {
                decomposition.components.push(Component::default());
                Some(decomposition.components.len() as u32 - 1)
            });
            component_of[root] = component_of[class];
        }
        // Keeps the order of rows, so that rows of one group stay adjacent in memory.
        let component_of_row = |row: usize| {
            open_in(system, bounds, row).next().and_then(|cell| component_of[system.class[cell as usize] as usize])
        };
        let place_of = rows.assign_to_components(&mut decomposition.components, component_of_row);
        let weighted_cells = system.weighted.iter().flat_map(|row| &row.cells);
        let in_weighted: HashSet<u32> = weighted_cells.map(|(cell, _)| system.class[*cell as usize]).collect();
        let mut places: Vec<u32> = Vec::new();
        let mut known: HashTable<(u32, u32)> = HashTable::with_capacity(system.classes());
        for (class, component) in component_of.iter().enumerate() {
            // The root of a component can be a class without open cells.
            let Some(component) = component.filter(|_| open_cells(class).next().is_some()) else { continue };
            let into = &mut decomposition.components[component as usize];
            for cell in open_cells(class) {
                places.clear();
                places.extend(system.counts_of(cell).map(|row| place_of[row]));
                if rows.merged {
                    places.sort_unstable();
                    places.dedup();
                }
                into.push_cell(system.value[cell], places.iter().copied());
            }
            into.push_class(0);
            let last = into.classes.len() as u32 - 1;
            // The hash includes the component, because small components have many equal classes.
            let hash = FxBuildHasher.hash_one((component, into.hash_class(last)));
            let same = |(other, at): &(u32, u32)| *other == component && into.has_same_cells(*at, last);
            // Classes in weighted counts stay apart: their number of records can differ.
            let is_alone = in_weighted.contains(&(class as u32));
            let merged = known.find(hash, same).filter(|_| !is_alone).map_or(last, |(_, merged)| *merged);
            if merged == last && !is_alone {
                let hash_of = |component: u32, at: u32| {
                    FxBuildHasher.hash_one((component, decomposition.components[component as usize].hash_class(at)))
                };
                known.insert_unique(hash, (component, last), |(component, at)| hash_of(*component, *at));
            } else if merged != last {
                into.pop_class();
            }
            let into = &mut decomposition.components[component as usize];
            into.classes[merged as usize].people += decomposition.open[class];
            if let Some(solution) = &system.known_solution {
                let known = into.known_solution.get_or_insert_with(Vec::new);
                for (place, cell) in into.classes[merged as usize].cells().zip(open_cells(class)) {
                    if place == known.len() {
                        known.push(0);
                    }
                    known[place] += solution[cell] as u64;
                }
            }
            into.incomplete |= system.incomplete.binary_search(&(class as u32)).is_ok();
            decomposition.place[class] = Some((component, merged));
        }
        decomposition.add_weighted(system, bounds);
        decomposition
    }

    /// Adds the weighted counts to the components of their cells.
    fn add_weighted(&mut self, system: &System, bounds: &CellBounds) {
        for row in &system.weighted {
            let fixed = row.cells.iter().filter(|(cell, _)| !bounds.is_open(*cell as usize));
            let fixed: i64 = fixed.map(|(cell, records)| bounds.at(*cell as usize).0 * records).sum();
            let (mut cells, mut component) = (Vec::new(), None);
            for (cell, records) in row.cells.iter().filter(|(cell, _)| bounds.is_open(*cell as usize)) {
                let class = system.class[*cell as usize] as usize;
                let Some((at, merged)) = self.place[class] else { continue };
                let before = system.cells(class).take_while(|other| other < &(*cell as usize));
                let before = before.filter(|other| bounds.is_open(*other)).count();
                let first = self.components[at as usize].classes[merged as usize].cells().start;
                cells.push(((first + before) as u32, *records));
                component = Some(at);
            }
            if let Some(component) = component {
                cells.sort_unstable();
                let left = |bound: i64| (bound - fixed).max(0);
                let (lower, upper) = (left(row.lower), left(row.upper));
                self.components[component as usize].weighted.push(WeightedRow { cells, lower, upper });
            }
        }
    }

    /// By component: index of the equal component in another decomposition.
    pub(super) fn same_as(&self, other: &Decomposition) -> Vec<Option<usize>> {
        let mut same = vec![None; self.components.len()];
        for (here, there) in self.place.iter().zip(&other.place) {
            let Some(((here, _), (there, _))) = here.zip(*there) else { continue };
            same[here as usize].get_or_insert(there as usize);
        }
        let is_same =
            |(here, there): (&Component, Option<usize>)| there.filter(|there| *here == other.components[*there]);
        self.components.iter().zip(same).map(is_same).collect()
    }
}

/// Counts over open cells. Counts with the same open cells are merged.
struct ComponentRows {
    /// By merged row: the first row of the system with its open cells.
    first: Vec<u32>,
    /// By merged row: bounds without the fixed cells.
    row_bounds: Vec<Row>,
    /// By row of the system: merged row; [`NONE`] if it has no open cell.
    merged_row: Vec<u32>,
    /// Whether any two rows were merged.
    merged: bool,
}

impl ComponentRows {
    fn new(system: &System, bounds: &CellBounds) -> ComponentRows {
        let mut rows = ComponentRows {
            first: Vec::new(),
            row_bounds: Vec::new(),
            merged_row: vec![NONE; system.counts()],
            merged: false,
        };
        // Chains of merged rows with the same first cell: `last` by cell, `before` by row. A source adds at most one.
        let (mut last, mut before): (Vec<u32>, Vec<u32>) = (vec![NONE; system.value.len()], Vec::new());
        for row in 0..system.counts() {
            let Some(begin) = open_in(system, bounds, row).next() else { continue };
            let closed = system.rows.at(row).iter().filter(|cell| !bounds.is_open(**cell as usize));
            let forced: i64 = closed.map(|cell| bounds.at(*cell as usize).0).sum();
            let left = |bound: i64| (bound - forced).max(0) as u64;
            let row_bounds = Row { lower: left(system.lower[row]), upper: left(system.upper[row]) };
            let last = &mut last[begin as usize];
            let is_same = |other: u32| {
                let other = rows.first[other as usize] as usize;
                open_in(system, bounds, other).eq(open_in(system, bounds, row))
            };
            let mut same = *last;
            while same != NONE && !is_same(same) {
                same = before[same as usize];
            }
            if same == NONE {
                same = rows.row_bounds.len() as u32;
                before.push(std::mem::replace(last, same));
                rows.first.push(row as u32);
                rows.row_bounds.push(row_bounds);
            } else {
                rows.merged = true;
                let known = &mut rows.row_bounds[same as usize];
                (known.lower, known.upper) = (known.lower.max(row_bounds.lower), known.upper.min(row_bounds.upper));
            }
            rows.merged_row[row] = same;
        }
        rows
    }

    /// Adds every row to the component of its cells. Returns its index there, by row of the system.
    fn assign_to_components(
        &self,
        components: &mut [Component],
        component_of: impl Fn(usize) -> Option<u32>,
    ) -> Vec<u32> {
        let mut places = vec![NONE; self.row_bounds.len()];
        for ((row, row_bounds), place) in self.first.iter().zip(&self.row_bounds).zip(&mut places) {
            let Some(component) = component_of(*row as usize) else { continue };
            let rows = &mut components[component as usize].rows;
            *place = rows.len() as u32;
            rows.push(*row_bounds);
        }
        self.merged_row.iter().map(|row| if *row == NONE { NONE } else { places[*row as usize] }).collect()
    }
}

/// Open cells of a row, in ascending order.
fn open_in(system: &System, bounds: &CellBounds, row: usize) -> impl Iterator<Item = u32> {
    system.rows.at(row).iter().copied().filter(|cell| bounds.is_open(*cell as usize))
}

/// Connects classes that share a count through open cells.
fn connect(system: &System, bounds: &CellBounds) -> UnionFind {
    let mut union = UnionFind::new(system.classes());
    for row in 0..system.counts() {
        union.join(open_in(system, bounds, row).map(|cell| system.class[cell as usize]));
    }
    for row in &system.weighted {
        let open = row.cells.iter().filter(|(cell, _)| bounds.is_open(*cell as usize));
        union.join(open.map(|(cell, _)| system.class[*cell as usize]));
    }
    union
}

/// Disjoint-set forest over the classes.
struct UnionFind(Vec<u32>);

impl UnionFind {
    fn new(len: usize) -> UnionFind {
        UnionFind((0..len as u32).collect())
    }

    fn root(&mut self, mut one: u32) -> u32 {
        while self.0[one as usize] != one {
            self.0[one as usize] = self.0[self.0[one as usize] as usize];
            one = self.0[one as usize];
        }
        one
    }

    /// Unites the sets of all given classes.
    fn join(&mut self, mut all: impl Iterator<Item = u32>) {
        let Some(first) = all.next() else { return };
        let mut root = self.root(first);
        for one in all {
            let other = self.root(one);
            // The smallest index is the root, so that components follow the order of the classes.
            self.0[root.max(other) as usize] = root.min(other);
            root = root.min(other);
        }
    }
}
