//! Which rows count which cells of a piece, for sums in both directions.
//!
//! A group shows several values, so neighbouring cells of a crowd mostly lie in neighbouring rows: a *strip* is such cells, and
//! only the rows of its first cell are kept; those of the next are one further each. Sums over strips run over neighbours in
//! memory, which is what makes them fast.
//!
//! Where people are told apart so well that strips are hardly longer than a cell, and a cell is in few rows, the rows of every cell
//! are kept instead, the same number for each.

use std::ops::Range;

use rayon::prelude::*;

use super::pieces::Piece;

/// Pieces with fewer cells are not worth a second thread.
const MANY: usize = 1 << 16;
/// Into so many parts larger pieces are cut. Always the same, so that sums come out the same with any number of threads.
const PARTS: usize = 8;
/// Strips of fewer cells on the average are not worth while.
const SHORT: usize = 8;
/// Cells in more rows are always kept in strips.
const FEW: usize = 3;
/// Crowds that are swept together, so that their cells stay in the cache.
const BLOCK: usize = 128;

/// What is made of the cells of a crowd. A trait, and not a closure, so that it is always part of the loop over crowds, which are many
/// and small.
pub(super) trait Weigh: Sync {
    /// Turns the sums of a crowd's cells into what each of them weighs, and may add something to a total.
    fn weigh(&self, crowd: usize, cells: &mut [f64]) -> f64;
}

/// The rows of the cells of a piece.
pub(super) struct Strips {
    /// By crowd: its first cell; one more at the end.
    pub start: Vec<u32>,
    /// How many rows there are.
    pub rows: usize,
    /// The most rows that a cell is in.
    pub most: usize,
    /// By crowd: its first strip; one more at the end.
    first: Vec<u32>,
    /// By strip: how many cells it has, and the end of its rows in `of_strip`.
    strips: Vec<(u32, u32)>,
    of_strip: Vec<u32>,
    /// By cell: its rows, `most` of each, where that is better than strips. What is missing is one row behind the last.
    of_cell: Option<Vec<u32>>,
    /// Crowds of which a part consists.
    parts: Vec<Range<usize>>,
}

impl Strips {
    pub(super) fn of(piece: &Piece) -> Strips {
        let (mut start, mut first, mut most) = (vec![0], vec![0], 0);
        let (mut strips, mut of_strip): (Vec<(u32, u32)>, Vec<u32>) = (Vec::new(), Vec::new());
        for crowd in &piece.crowds {
            start.push(start[start.len() - 1] + crowd.cells.len() as u32);
            let mut before: Option<&Vec<u32>> = None;
            for (_, rows) in &crowd.cells {
                let next_to = |before: &&Vec<u32>| {
                    before.len() == rows.len() && before.iter().zip(rows).all(|(before, row)| before + 1 == *row)
                };
                match (before.filter(next_to), strips.last_mut()) {
                    (Some(_), Some(strip)) => strip.0 += 1,
                    _ => {
                        of_strip.extend(rows);
                        strips.push((1, of_strip.len() as u32));
                    }
                }
                most = most.max(rows.len());
                before = Some(rows);
            }
            first.push(strips.len() as u32);
        }
        let (crowds, parts) = (piece.crowds.len(), if start[start.len() - 1] as usize > MANY { PARTS } else { 1 });
        let parts = (0..parts).map(|part| crowds * part / parts..crowds * (part + 1) / parts).collect();
        let short = most <= FEW && strips.len() * SHORT > start[start.len() - 1] as usize;
        let of_cell = short.then(|| {
            let cells = piece.crowds.iter().flat_map(|crowd| &crowd.cells);
            let missing = piece.rows.len() as u32;
            cells.flat_map(|(_, rows)| (0..most).map(move |at| rows.get(at).copied().unwrap_or(missing))).collect()
        });
        Strips { start, rows: piece.rows.len(), most, first, strips, of_strip, of_cell, parts }
    }

    /// Nothing, for every row and for the one behind the last.
    pub(super) fn nothing(&self) -> Vec<f64> {
        vec![0.0; self.rows + 1]
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
    pub(super) fn sweep(&self, of_row: &[f64], cells: &mut [f64], weigh: &impl Weigh) -> (Vec<f64>, f64) {
        if let [all] = &self.parts[..] {
            return self.sweep_part(all.clone(), of_row, cells, weigh);
        }
        let mut rest = cells;
        let mut work = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (here, others) = rest.split_at_mut((self.start[part.end] - self.start[part.start]) as usize);
            work.push((part.clone(), here));
            rest = others;
        }
        let swept = work.into_par_iter().map(|(part, cells)| self.sweep_part(part, of_row, cells, weigh));
        let mut swept = swept.collect::<Vec<_>>().into_iter();
        let (mut sums, mut total) = swept.next().unwrap_or_default();
        for (other, value) in swept {
            sums.iter_mut().zip(&other).for_each(|(sum, other)| *sum += other);
            total += value;
        }
        (sums, total)
    }

    fn sweep_part(
        &self,
        crowds: Range<usize>,
        of_row: &[f64],
        cells: &mut [f64],
        weigh: &impl Weigh,
    ) -> (Vec<f64>, f64) {
        let (mut sums, mut total) = (self.nothing(), 0.0);
        let mut rest = cells;
        for block in crowds.clone().step_by(BLOCK).map(|from| from..(from + BLOCK).min(crowds.end)) {
            let offset = self.start[block.start] as usize;
            let (cells, others) = rest.split_at_mut(self.start[block.end] as usize - offset);
            rest = others;
            self.gather(block.clone(), of_row, cells);
            for crowd in block.clone() {
                let of_crowd = self.of_crowd(crowd);
                total += weigh.weigh(crowd, &mut cells[of_crowd.start - offset..of_crowd.end - offset]);
            }
            self.scatter(block, cells, &mut sums);
        }
        (sums, total)
    }

    /// Every cell of some crowds gets the sum of its rows.
    fn gather(&self, crowds: Range<usize>, of_row: &[f64], cells: &mut [f64]) {
        match (self.rows_of(&crowds), self.most) {
            (Some(rows), 1) => return gather_few::<1>(rows, of_row, cells),
            (Some(rows), 2) => return gather_few::<2>(rows, of_row, cells),
            (Some(rows), FEW) => return gather_few::<FEW>(rows, of_row, cells),
            _ => {}
        }
        let mut rest = cells;
        for (len, rows) in self.strips_of(crowds) {
            let (cells, others) = rest.split_at_mut(len);
            rest = others;
            if let [cell] = cells {
                *cell = rows.iter().map(|row| of_row[*row as usize]).sum();
                continue;
            }
            cells.fill(0.0);
            for row in rows {
                let of_rows = &of_row[*row as usize..*row as usize + len];
                cells.iter_mut().zip(of_rows).for_each(|(cell, row)| *cell += row);
            }
        }
    }

    /// Every row gets what the cells of some crowds weigh, added to what it has.
    fn scatter(&self, crowds: Range<usize>, cells: &[f64], sums: &mut [f64]) {
        match (self.rows_of(&crowds), self.most) {
            (Some(rows), 1) => return scatter_few::<1>(rows, cells, sums),
            (Some(rows), 2) => return scatter_few::<2>(rows, cells, sums),
            (Some(rows), FEW) => return scatter_few::<FEW>(rows, cells, sums),
            _ => {}
        }
        let mut rest = cells;
        for (len, rows) in self.strips_of(crowds) {
            let (cells, others) = rest.split_at(len);
            rest = others;
            if let [cell] = cells {
                rows.iter().for_each(|row| sums[*row as usize] += cell);
                continue;
            }
            for row in rows {
                let sums = &mut sums[*row as usize..*row as usize + len];
                sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
            }
        }
    }

    /// The rows of every cell of some crowds, where these are kept.
    fn rows_of(&self, crowds: &Range<usize>) -> Option<&[u32]> {
        let (from, to) = (self.start[crowds.start] as usize, self.start[crowds.end] as usize);
        self.of_cell.as_ref().map(|rows| &rows[from * self.most..to * self.most])
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

/// Every cell gets the sum of its rows, of which it has so many.
fn gather_few<const ROWS: usize>(rows: &[u32], of_row: &[f64], cells: &mut [f64]) {
    for (cell, rows) in cells.iter_mut().zip(rows.as_chunks::<ROWS>().0) {
        *cell = rows.iter().map(|row| of_row[*row as usize]).sum();
    }
}

/// Every row gets what its cells weigh, each of which has so many rows, added to what it has.
fn scatter_few<const ROWS: usize>(rows: &[u32], cells: &[f64], sums: &mut [f64]) {
    for (cell, rows) in cells.iter().zip(rows.as_chunks::<ROWS>().0) {
        rows.iter().for_each(|row| sums[*row as usize] += cell);
    }
}
