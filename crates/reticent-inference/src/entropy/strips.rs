//! Which rows count which cells of a piece, for sums in both directions.
//!
//! A group shows several values, so neighbouring cells of a crowd mostly lie in neighbouring rows: a *strip* is such cells, and
//! only the rows of its first cell are kept; those of the next are one further each. Sums over strips run over neighbours in
//! memory, which is what makes them fast.
//!
//! Where people are told apart so well that strips are hardly longer than a cell, and a cell is in few rows, the rows of every cell
//! are kept instead. Then crowds are many and small, and those with as many cells in as many rows each follow each other, so that
//! every loop within them has a length that is known.

use std::iter::Sum;
use std::ops::{AddAssign, Range};

use num_traits::Float;
use rayon::prelude::*;

use crate::pieces::{Merged, Piece};

/// Pieces with more cells are cut into parts of about so many, each of which has sums of its own; smaller ones are not worth a second
/// thread.
pub(super) const MANY: usize = 1 << 16;
/// Into more parts no piece is cut. The number does not depend on threads, so that sums come out the same with any number of them.
const PARTS: usize = 8;
/// Strips of fewer cells on the average are not worth while.
const SHORT: usize = 8;
/// Cells in more rows are always kept in strips.
const FEW: usize = 3;
/// Products do not become much larger.
const LARGE: f64 = 1e100;
/// Rows whose sums are added up together.
const ROWS: usize = 1 << 14;
/// Crowds that are swept together, so that their cells stay in the cache.
const BLOCK: usize = 128;

/// Numbers that are added up: short ones where many are read and a few places are enough, or long ones.
pub(super) trait Real: Float + Default + AddAssign + Sum + Send + Sync {}

impl Real for f32 {}
impl Real for f64 {}

/// What is made of the cells of a crowd. A trait, and not a closure, so that it is always part of the loop over crowds, which are many
/// and small.
pub(super) trait Weigh<R>: Sync {
    /// Whether cells are given the sums of their rows; if not, what they are given means nothing.
    const TAKES: bool;
    /// Whether what each cell weighs is asked for, and not the sums of rows only.
    const KEEPS: bool;

    /// Turns the sums of a crowd's cells, the first of which is at this place, into what each of them weighs, and may add something to
    /// a total.
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [R], total: &mut Total);
}

/// A sum, of logarithms too: of those it is enough to take one of a product from time to time.
#[derive(Clone, Copy)]
pub(super) struct Total {
    sum: f64,
    product: f64,
}

impl Total {
    const NOTHING: Total = Total { sum: 0.0, product: 1.0 };

    #[inline(always)]
    pub(super) fn add(&mut self, number: f64) {
        self.sum += number;
    }

    /// Adds the logarithm of a number that is at least 1, and not so large that a product of two could not be written.
    #[inline(always)]
    pub(super) fn add_ln(&mut self, number: f64) {
        self.product *= number;
        if self.product > LARGE {
            self.sum += self.product.ln();
            self.product = 1.0;
        }
    }

    fn value(self) -> f64 {
        self.sum + self.product.ln()
    }
}

/// The sums of rows, and those of each part but the first where there are several.
pub(super) struct Sums<R> {
    pub all: Vec<R>,
    by_part: Vec<Vec<R>>,
}

/// Crowds with as many cells, each of which is in as many rows.
struct Same {
    crowds: Range<usize>,
    shape: Shape,
    /// Where the rows of their cells begin.
    at: usize,
}

/// How many rows a cell is in, the most of any, and how many cells there are. Where a cell is in fewer rows, what is missing is one
/// row behind the last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    rows: u32,
    cells: u32,
}

impl Shape {
    fn of(piece: &Piece, crowd: Merged) -> Shape {
        let rows = crowd.cells().map(|cell| piece.rows_of.at(cell).len() as u32).max().unwrap_or(0);
        Shape { rows: rows.max(1), cells: crowd.cells().len() as u32 }
    }
}

/// The rows of the cells of a piece.
#[derive(Default)]
pub(super) struct Strips {
    /// The crowds of the piece in the order that they have here.
    pub order: Vec<u32>,
    /// By crowd: its first cell; one more at the end.
    start: Vec<u32>,
    /// How many rows there are.
    rows: usize,
    /// The most rows that a cell is in.
    pub most: usize,
    /// By crowd: its first strip; one more at the end.
    first: Vec<u32>,
    /// By strip: how many cells it has, and the end of its rows in `of_strip`.
    strips: Vec<(u32, u32)>,
    of_strip: Vec<u32>,
    /// By cell: its rows, where that is better than strips.
    of_cell: Vec<u32>,
    /// Then, crowds of the same shape; otherwise none.
    same: Vec<Same>,
    /// Crowds of which a part consists.
    parts: Vec<Range<usize>>,
}

impl Strips {
    /// The rows of a piece, which is cut into parts of about `many` cells.
    pub(super) fn of(piece: &Piece, many: usize) -> Strips {
        let cells = piece.value.len();
        let most = (0..cells).map(|cell| piece.rows_of.at(cell).len()).max().unwrap_or(0);
        // They need not be counted to the end.
        let short = || piece.crowds.iter().flat_map(|crowd| strips_of(piece, *crowd)).nth(cells / SHORT).is_some();
        let order = (0..piece.crowds.len() as u32).collect();
        let mut made = Strips { order, rows: piece.rows.len(), most, first: vec![0], ..Strips::default() };
        if (1..=FEW).contains(&most) && short() {
            made.keep_cells(piece, cells);
        } else {
            made.keep_strips(piece);
        }
        let mut end = 0;
        let ends = made.order.iter().map(|crowd| {
            end += piece.crowds[*crowd as usize].cells().len() as u32;
            end
        });
        made.start = std::iter::once(0).chain(ends).collect();
        let parts = cells.div_ceil(many).clamp(1, PARTS);
        // Parts of as many cells: crowds may have come in the order of theirs.
        let place = |part: usize| made.start.partition_point(|start| (*start as usize) < cells * part / parts);
        made.parts = (0..parts).map(|part| place(part)..place(part + 1)).collect();
        made
    }

    /// Crowds of the same shape follow each other, and of these, those in the same rows, which are then near in memory too.
    fn keep_cells(&mut self, piece: &Piece, cells: usize) {
        let key = |crowd: &u32| {
            let merged = piece.crowds[*crowd as usize];
            let first = piece.rows_of.items_of(merged.cells()).first().copied().unwrap_or(0);
            (Shape::of(piece, merged), first, *crowd)
        };
        let mut keys: Vec<(Shape, u32, u32)> = self.order.iter().map(key).collect();
        keys.sort_unstable();
        self.of_cell.reserve(cells * self.most);
        self.order.clear();
        for same in keys.chunk_by(|one, other| one.0 == other.0) {
            let (start, shape) = (self.order.len(), same[0].0);
            self.order.extend(same.iter().map(|(_, _, crowd)| *crowd));
            self.same.push(Same { crowds: start..self.order.len(), shape, at: self.of_cell.len() });
            for cell in self.order[start..].iter().flat_map(|crowd| piece.crowds[*crowd as usize].cells()) {
                let rows = piece.rows_of.at(cell);
                self.of_cell.extend_from_slice(rows);
                self.of_cell.extend((rows.len()..shape.rows as usize).map(|_| piece.rows.len() as u32));
            }
        }
    }

    fn keep_strips(&mut self, piece: &Piece) {
        for crowd in &piece.crowds {
            for strip in strips_of(piece, *crowd) {
                self.of_strip.extend_from_slice(piece.rows_of.at(strip.start));
                self.strips.push((strip.len() as u32, self.of_strip.len() as u32));
            }
            self.first.push(self.strips.len() as u32);
        }
    }

    /// Room for the sums of a sweep.
    pub(super) fn sums<R: Real>(&self) -> Sums<R> {
        Sums { all: self.nothing(), by_part: vec![self.nothing(); self.parts.len() - 1] }
    }

    /// Nothing, for every row and for the one behind the last.
    pub(super) fn nothing<R: Real>(&self) -> Vec<R> {
        vec![R::zero(); self.rows + 1]
    }

    pub(super) fn cells(&self) -> usize {
        self.start[self.start.len() - 1] as usize
    }

    /// The cells of a crowd.
    pub(super) fn of_crowd(&self, crowd: usize) -> Range<usize> {
        self.start[crowd] as usize..self.start[crowd + 1] as usize
    }

    /// Every cell gets the sum of its rows, of which there is one more than counts ([`Strips::nothing`]), and then what it weighs; every
    /// row gets the sum of its cells.
    pub(super) fn sweep<R: Real>(
        &self,
        of_row: &[R],
        cells: &mut [R],
        sums: &mut Sums<R>,
        weigh: &impl Weigh<R>,
    ) -> f64 {
        if let [all] = &self.parts[..] {
            sums.all.fill(R::zero());
            return self.sweep_part(all.clone(), of_row, cells, &mut sums.all, weigh);
        }
        let mut rest = cells;
        let mut work = Vec::with_capacity(self.parts.len());
        for (part, sums) in self.parts.iter().zip(std::iter::once(&mut sums.all).chain(&mut sums.by_part)) {
            let (here, others) = rest.split_at_mut((self.start[part.end] - self.start[part.start]) as usize);
            work.push((part.clone(), here, sums));
            rest = others;
        }
        let swept = work.into_par_iter().map(|(part, cells, sums)| {
            sums.fill(R::zero());
            self.sweep_part(part, of_row, cells, sums, weigh)
        });
        let total = swept.collect::<Vec<f64>>().into_iter().sum();
        let by_part = &sums.by_part;
        sums.all.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, all)| {
            for part in by_part {
                let part = &part[chunk * ROWS..][..all.len()];
                all.iter_mut().zip(part).for_each(|(all, part)| *all += *part);
            }
        });
        total
    }

    fn sweep_part<R: Real, W: Weigh<R>>(
        &self,
        crowds: Range<usize>,
        of_row: &[R],
        cells: &mut [R],
        sums: &mut [R],
        weigh: &W,
    ) -> f64 {
        if !self.same.is_empty() {
            let total = self.same.iter().map(|same| match same.shape.rows {
                1 => self.sweep_same::<R, 1>(same, &crowds, of_row, cells, sums, weigh),
                2 => self.sweep_same::<R, 2>(same, &crowds, of_row, cells, sums, weigh),
                _ => self.sweep_same::<R, FEW>(same, &crowds, of_row, cells, sums, weigh),
            });
            return total.sum();
        }
        let mut total = Total::NOTHING;
        let mut rest = cells;
        for block in crowds.clone().step_by(BLOCK).map(|from| from..(from + BLOCK).min(crowds.end)) {
            let offset = self.start[block.start] as usize;
            let (cells, others) = rest.split_at_mut(self.start[block.end] as usize - offset);
            rest = others;
            if W::TAKES {
                self.gather(block.clone(), of_row, cells);
            }
            for crowd in block.clone() {
                let at = self.of_crowd(crowd);
                weigh.weigh(crowd, at.start, &mut cells[at.start - offset..at.end - offset], &mut total);
            }
            self.scatter(block, cells, sums);
        }
        total.value()
    }

    /// The same for those among some crowds that have one shape, where the rows of every cell are kept.
    fn sweep_same<R: Real, const ROWS: usize>(
        &self,
        same: &Same,
        crowds: &Range<usize>,
        of_row: &[R],
        cells: &mut [R],
        sums: &mut [R],
        weigh: &impl Weigh<R>,
    ) -> f64 {
        let here = same.crowds.start.max(crowds.start)..same.crowds.end.min(crowds.end);
        if here.is_empty() {
            return 0.0;
        }
        let (offset, first) = (self.start[crowds.start] as usize, self.start[same.crowds.start] as usize);
        let at = self.start[here.start] as usize..self.start[here.end] as usize;
        let rows = self.of_cell[same.at + (at.start - first) * ROWS..][..at.len() * ROWS].as_chunks::<ROWS>().0;
        let cells = &mut cells[at.start - offset..at.end - offset];
        let mut few = Few { crowd: here.start, first: at.start, rows, of_row, cells, sums };
        match same.shape.cells {
            2 => few.sweep::<2, _>(weigh),
            3 => few.sweep::<3, _>(weigh),
            4 => few.sweep::<4, _>(weigh),
            5 => few.sweep::<5, _>(weigh),
            6 => few.sweep::<6, _>(weigh),
            len => few.sweep_any(len as usize, weigh),
        }
    }

    /// Every cell of some crowds gets the sum of its rows.
    fn gather<R: Real>(&self, crowds: Range<usize>, of_row: &[R], cells: &mut [R]) {
        let mut rest = cells;
        for (len, rows) in self.strips_of(crowds) {
            let (cells, others) = rest.split_at_mut(len);
            rest = others;
            if let [cell] = cells {
                *cell = rows.iter().map(|row| of_row[*row as usize]).sum();
                continue;
            }
            cells.fill(R::zero());
            for row in rows {
                let of_rows = &of_row[*row as usize..*row as usize + len];
                cells.iter_mut().zip(of_rows).for_each(|(cell, row)| *cell += *row);
            }
        }
    }

    /// Every row gets what the cells of some crowds weigh, added to what it has.
    fn scatter<R: Real>(&self, crowds: Range<usize>, cells: &[R], sums: &mut [R]) {
        let mut rest = cells;
        for (len, rows) in self.strips_of(crowds) {
            let (cells, others) = rest.split_at(len);
            rest = others;
            if let [cell] = cells {
                rows.iter().for_each(|row| sums[*row as usize] += *cell);
                continue;
            }
            for row in rows {
                let sums = &mut sums[*row as usize..*row as usize + len];
                sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += *cell);
            }
        }
    }

    /// The strips of some crowds: how many cells each has, and the rows of the first of them.
    fn strips_of(&self, crowds: Range<usize>) -> impl Iterator<Item = (usize, &[u32])> {
        let (first, end) = (self.first[crowds.start] as usize, self.first[crowds.end] as usize);
        let mut place = if first == 0 { 0 } else { self.strips[first - 1].1 as usize };
        self.strips[first..end].iter().map(move |(len, end)| {
            let rows = &self.of_strip[place..*end as usize];
            place = *end as usize;
            (*len as usize, rows)
        })
    }
}

/// The strips of a crowd.
fn strips_of(piece: &Piece, crowd: Merged) -> impl Iterator<Item = Range<usize>> {
    let goes_on = |cell: usize| {
        let (before, rows) = (piece.rows_of.at(cell - 1), piece.rows_of.at(cell));
        before.len() == rows.len() && before.iter().zip(rows).all(|(before, row)| before + 1 == *row)
    };
    let mut cells = crowd.cells();
    std::iter::from_fn(move || {
        let start = cells.next()?;
        while !cells.is_empty() && goes_on(cells.start) {
            cells.next();
        }
        Some(start..cells.start)
    })
}

/// Crowds with as many cells, each of which has so many rows.
struct Few<'a, R, const ROWS: usize> {
    crowd: usize,
    /// The place of the first cell.
    first: usize,
    rows: &'a [[u32; ROWS]],
    of_row: &'a [R],
    cells: &'a mut [R],
    sums: &'a mut [R],
}

impl<R: Real, const ROWS: usize> Few<'_, R, ROWS> {
    fn sweep<const CELLS: usize, W: Weigh<R>>(&mut self, weigh: &W) -> f64 {
        let mut total = Total::NOTHING;
        for (at, rows) in self.rows.as_chunks::<CELLS>().0.iter().enumerate() {
            let mut cells = [R::zero(); CELLS];
            self.sweep_crowd(at, rows, &mut cells, weigh, &mut total);
            if W::KEEPS {
                self.cells[at * CELLS..(at + 1) * CELLS].copy_from_slice(&cells);
            }
        }
        total.value()
    }

    fn sweep_any(&mut self, len: usize, weigh: &impl Weigh<R>) -> f64 {
        let mut total = Total::NOTHING;
        for (at, rows) in self.rows.chunks_exact(len).enumerate() {
            let cells = std::mem::take(&mut self.cells);
            self.sweep_crowd(at, rows, &mut cells[at * len..(at + 1) * len], weigh, &mut total);
            self.cells = cells;
        }
        total.value()
    }

    #[inline(always)]
    fn sweep_crowd<W: Weigh<R>>(
        &mut self,
        at: usize,
        rows: &[[u32; ROWS]],
        cells: &mut [R],
        weigh: &W,
        total: &mut Total,
    ) {
        if W::TAKES {
            for (cell, rows) in cells.iter_mut().zip(rows) {
                *cell = self.of_row[rows[0] as usize];
                rows[1..].iter().for_each(|row| *cell += self.of_row[*row as usize]);
            }
        }
        weigh.weigh(self.crowd + at, self.first + at * cells.len(), cells, total);
        for (cell, rows) in cells.iter().zip(rows) {
            rows.iter().for_each(|row| self.sums[*row as usize] += *cell);
        }
    }
}
