//! What is open falls into pieces: sets of people who depend on each other through counts. Each is solved by itself.
//!
//! Within a piece, people whose open values are counted in the same rows are one crowd, whatever else told them apart; and
//! rows that count the same cells are one row. Both change no world.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::Value;
use super::presolve::Boxes;
use super::system::{Lists, System};

const NONE: u32 = u32::MAX;

/// People who depend on each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Piece {
    /// The people.
    pub crowds: Vec<Merged>,
    /// By cell, crowd after crowd: the value,
    pub value: Vec<Value>,
    /// and the rows that count it.
    pub rows_of: Lists,
    /// The counts, without what is forced.
    pub rows: Vec<Row>,
    /// A world, if one is known: by cell, crowd after crowd, how many people have the value.
    pub seen: Option<Vec<u64>>,
    /// Whether more is known of somebody than the rows say.
    pub loose: bool,
}

/// People of whom the same is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merged {
    pub people: u64,
    /// What each may have: the first of its cells, and the one behind the last.
    first: u32,
    end: u32,
}

impl Merged {
    /// Its cells.
    pub(super) fn cells(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub least: u64,
    pub most: u64,
}

impl Piece {
    pub(super) fn people(&self) -> u64 {
        self.crowds.iter().map(|crowd| crowd.people).sum()
    }

    /// Some more people, each of whom has one of the cells that were added last.
    pub(super) fn add(&mut self, people: u64) {
        let first = self.crowds.last().map_or(0, |before| before.end);
        self.crowds.push(Merged { people, first, end: self.value.len() as u32 });
    }

    /// One more cell, for those who are added next.
    pub(super) fn add_cell(&mut self, value: Value, rows: impl IntoIterator<Item = u32>) {
        self.value.push(value);
        self.rows_of.push(rows);
    }

    /// The same for crowds of whom the same is open.
    fn hash_of(&self, crowd: u32) -> u64 {
        let cells = self.crowds[crowd as usize].cells();
        FxBuildHasher.hash_one((&self.value[cells.clone()], self.rows_of.items_of(cells)))
    }

    /// Whether the same is open of two crowds.
    fn same_open(&self, one: u32, other: u32) -> bool {
        let (one, other) = (self.crowds[one as usize].cells(), self.crowds[other as usize].cells());
        self.value[one.clone()] == self.value[other.clone()]
            && one.zip(other).all(|(one, other)| self.rows_of.at(one) == self.rows_of.at(other))
    }

    /// Takes the last crowd out again.
    fn take_last(&mut self) {
        if let Some(last) = self.crowds.pop() {
            self.value.truncate(last.first as usize);
            self.rows_of.truncate(last.first as usize);
        }
    }
}

/// The pieces, and where everybody is.
pub(super) struct Split {
    pub pieces: Vec<Piece>,
    /// By crowd of the puzzle: its piece and its crowd there; none when nothing of it is open.
    pub place: Vec<Option<(u32, u32)>>,
    /// By crowd of the puzzle: people who have none of its forced values.
    pub open: Vec<u64>,
}

impl Split {
    pub(super) fn of(system: &System, boxes: &Boxes) -> Split {
        let open_cells = |crowd: usize| system.cells(crowd).filter(|cell| boxes.is_open(*cell));
        let forced = |crowd: usize| -> i64 {
            system.cells(crowd).filter(|cell| !boxes.is_open(*cell)).map(|cell| boxes.at(cell).0).sum()
        };
        let (rows, (open, mut union)) = rayon::join(
            || Rows::of(system, boxes),
            || {
                let open = |crowd: usize| (system.people[crowd] - forced(crowd)) as u64;
                ((0..system.crowds()).map(open).collect(), together(system, boxes))
            },
        );
        let mut split = Split { pieces: Vec::new(), place: vec![None; system.crowds()], open };
        let mut piece_of: Vec<Option<u32>> = vec![None; system.crowds()];
        for crowd in (0..system.crowds()).filter(|crowd| open_cells(*crowd).next().is_some()) {
            let root = union.root(crowd as u32) as usize;
            piece_of[crowd] = piece_of[root].or_else(|| {
                split.pieces.push(Piece::default());
                Some(split.pieces.len() as u32 - 1)
            });
            piece_of[root] = piece_of[crowd];
        }
        // In their order, so that the rows of a group stay neighbours.
        let piece_of_row = |row: usize| {
            open_in(system, boxes, row).next().and_then(|cell| piece_of[system.crowd[cell as usize] as usize])
        };
        let place_of = rows.place_in(&mut split.pieces, piece_of_row);
        let mut places: Vec<u32> = Vec::new();
        let mut known: HashTable<(u32, u32)> = HashTable::with_capacity(system.crowds());
        for (crowd, piece) in piece_of.iter().enumerate() {
            // Its root may be somebody of whom nothing is open.
            let Some(piece) = piece.filter(|_| open_cells(crowd).next().is_some()) else { continue };
            let into = &mut split.pieces[piece as usize];
            for cell in open_cells(crowd) {
                places.clear();
                places.extend(system.counts_of(cell).map(|row| place_of[row]));
                if rows.merged {
                    places.sort_unstable();
                    places.dedup();
                }
                into.add_cell(system.value[cell], places.iter().copied());
            }
            into.add(0);
            let last = into.crowds.len() as u32 - 1;
            // The piece is part of it: small ones look much alike.
            let hash = FxBuildHasher.hash_one((piece, into.hash_of(last)));
            let same = |(other, at): &(u32, u32)| *other == piece && into.same_open(*at, last);
            let merged = known.find(hash, same).map_or(last, |(_, merged)| *merged);
            if merged == last {
                let hash_of =
                    |piece: u32, at: u32| FxBuildHasher.hash_one((piece, split.pieces[piece as usize].hash_of(at)));
                known.insert_unique(hash, (piece, last), |(piece, at)| hash_of(*piece, *at));
            } else {
                into.take_last();
            }
            let into = &mut split.pieces[piece as usize];
            into.crowds[merged as usize].people += split.open[crowd];
            if let Some(seen) = &system.seen {
                let known = into.seen.get_or_insert_with(Vec::new);
                for (place, cell) in into.crowds[merged as usize].cells().zip(open_cells(crowd)) {
                    if place == known.len() {
                        known.push(0);
                    }
                    known[place] += seen[cell] as u64;
                }
            }
            into.loose |= system.loose.binary_search(&(crowd as u32)).is_ok();
            split.place[crowd] = Some((piece, merged));
        }
        split
    }

    /// By piece: the piece of another split that is the same.
    pub(super) fn same_as(&self, other: &Split) -> Vec<Option<usize>> {
        let mut same = vec![None; self.pieces.len()];
        for (here, there) in self.place.iter().zip(&other.place) {
            let Some(((here, _), (there, _))) = here.zip(*there) else { continue };
            same[here as usize].get_or_insert(there as usize);
        }
        let is_same = |(here, there): (&Piece, Option<usize>)| there.filter(|there| *here == other.pieces[*there]);
        self.pieces.iter().zip(same).map(is_same).collect()
    }
}

/// Rows over open cells, each set of cells once.
struct Rows {
    /// By row: the first of those of the system that count its cells,
    first: Vec<u32>,
    bounds: Vec<Row>,
    /// By row of the system: its row here; none where nothing is open.
    of: Vec<u32>,
    /// Whether several of the system became one.
    merged: bool,
}

impl Rows {
    fn of(system: &System, boxes: &Boxes) -> Rows {
        let mut made = Rows { first: Vec::new(), bounds: Vec::new(), of: vec![NONE; system.counts()], merged: false };
        // By cell: the last row that begins with it; by row: the one before that begins with the same. A source has one at most.
        let (mut last, mut before): (Vec<u32>, Vec<u32>) = (vec![NONE; system.value.len()], Vec::new());
        for row in 0..system.counts() {
            let Some(begin) = open_in(system, boxes, row).next() else { continue };
            let closed = system.rows.at(row).iter().filter(|cell| !boxes.is_open(**cell as usize));
            let forced: i64 = closed.map(|cell| boxes.at(*cell as usize).0).sum();
            let left = |bound: i64| (bound - forced).max(0) as u64;
            let bounds = Row { least: left(system.least[row]), most: left(system.most[row]) };
            let last = &mut last[begin as usize];
            let is_same = |other: u32| {
                let other = made.first[other as usize] as usize;
                open_in(system, boxes, other).eq(open_in(system, boxes, row))
            };
            let mut same = *last;
            while same != NONE && !is_same(same) {
                same = before[same as usize];
            }
            if same == NONE {
                same = made.bounds.len() as u32;
                before.push(std::mem::replace(last, same));
                made.first.push(row as u32);
                made.bounds.push(bounds);
            } else {
                made.merged = true;
                let known = &mut made.bounds[same as usize];
                (known.least, known.most) = (known.least.max(bounds.least), known.most.min(bounds.most));
            }
            made.of[row] = same;
        }
        made
    }

    /// Puts every row into the piece of its cells, and says, by row of the system, at which place.
    fn place_in(&self, pieces: &mut [Piece], piece_of: impl Fn(usize) -> Option<u32>) -> Vec<u32> {
        let mut places = vec![NONE; self.bounds.len()];
        for ((row, bounds), place) in self.first.iter().zip(&self.bounds).zip(&mut places) {
            let Some(piece) = piece_of(*row as usize) else { continue };
            let rows = &mut pieces[piece as usize].rows;
            *place = rows.len() as u32;
            rows.push(*bounds);
        }
        self.of.iter().map(|row| if *row == NONE { NONE } else { places[*row as usize] }).collect()
    }
}

/// The cells of a row that are open, ascending.
fn open_in(system: &System, boxes: &Boxes, row: usize) -> impl Iterator<Item = u32> {
    system.rows.at(row).iter().copied().filter(|cell| boxes.is_open(*cell as usize))
}

/// Who hangs together with whom, through rows that count something open of both.
fn together(system: &System, boxes: &Boxes) -> Union {
    let mut union = Union::new(system.crowds());
    for row in 0..system.counts() {
        union.join(open_in(system, boxes, row).map(|cell| system.crowd[cell as usize]));
    }
    union
}

/// Who hangs together with whom.
struct Union(Vec<u32>);

impl Union {
    fn new(len: usize) -> Union {
        Union((0..len as u32).collect())
    }

    fn root(&mut self, mut one: u32) -> u32 {
        while self.0[one as usize] != one {
            self.0[one as usize] = self.0[self.0[one as usize] as usize];
            one = self.0[one as usize];
        }
        one
    }

    /// All of these hang together.
    fn join(&mut self, mut all: impl Iterator<Item = u32>) {
        let Some(first) = all.next() else { return };
        let mut root = self.root(first);
        for one in all {
            let other = self.root(one);
            // The earlier is the root, so that pieces come in the order of the people.
            self.0[root.max(other) as usize] = root.min(other);
            root = root.min(other);
        }
    }
}
