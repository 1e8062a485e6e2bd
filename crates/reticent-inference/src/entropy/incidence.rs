//! Which rows count which cells of a piece: sums over rows by cell, and over cells by row, in one pass.

use std::ops::Range;

use rayon::prelude::*;

use crate::pieces::Piece;

/// Pieces with more cells are cut into parts of about so many, each with sums of its own; smaller ones are not worth a second thread.
pub(super) const CELLS_A_PART: usize = 1 << 16;
/// No piece is cut into more parts. The number does not depend on the number of threads, so that sums do not either.
const MOST_PARTS: usize = 8;
/// Products are not allowed to grow much beyond this.
const LARGE: f64 = 1e100;
/// Rows whose sums are added up together.
const ROWS: usize = 1 << 14;

/// What is computed for the cells of a crowd. A trait, and not a closure, so that it is inlined into the loop over crowds, which are many
/// and small.
pub(super) trait Weigh: Sync {
    /// Whether cells are given the sums of their rows; if not, what they are given has no meaning.
    const GATHERS: bool;

    /// Turns the sums of a crowd's cells, the first of which has this index, into a weight each, and may add to a total.
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64], total: &mut Total);
}

/// A sum. Logarithms are added as one logarithm of a product from time to time.
#[derive(Clone, Copy)]
pub(super) struct Total {
    sum: f64,
    product: f64,
}

impl Total {
    const ZERO: Total = Total { sum: 0.0, product: 1.0 };

    #[inline(always)]
    pub(super) fn add(&mut self, number: f64) {
        self.sum += number;
    }

    /// Adds the logarithm of a number that is at least 1 and below the square root of the largest number.
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
pub(super) struct Sums {
    pub all: Vec<f64>,
    by_part: Vec<Vec<f64>>,
}

/// The rows of the cells of a piece.
pub(super) struct Incidence<'a> {
    piece: &'a Piece,
    /// The crowds of each part.
    parts: Vec<Range<usize>>,
}

impl<'a> Incidence<'a> {
    /// The rows of a piece, which is cut into parts of about so many cells.
    pub(super) fn new(piece: &'a Piece, cells_a_part: usize) -> Incidence<'a> {
        let cells = piece.value.len();
        let parts = cells.div_ceil(cells_a_part).clamp(1, MOST_PARTS);
        let end = |part: usize| piece.crowds.partition_point(|crowd| crowd.cells().start < cells * part / parts);
        let parts = (0..parts).map(|part| end(part)..end(part + 1)).collect();
        Incidence { piece, parts }
    }

    /// The most rows that a cell is in.
    pub(super) fn most_rows(&self) -> usize {
        (0..self.cells()).map(|cell| self.piece.rows_of.at(cell).len()).max().unwrap_or(0)
    }

    pub(super) fn cells(&self) -> usize {
        self.piece.value.len()
    }

    /// The cells of a crowd.
    pub(super) fn of_crowd(&self, crowd: usize) -> Range<usize> {
        self.piece.crowds[crowd].cells()
    }

    /// Room for the sums of a sweep.
    pub(super) fn sums(&self) -> Sums {
        Sums { all: self.zeros(), by_part: vec![self.zeros(); self.parts.len() - 1] }
    }

    /// 0 for every row.
    pub(super) fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.piece.rows.len()]
    }

    /// Every cell gets the sum of its rows, and then its weight; every row gets the sum of its cells.
    pub(super) fn sweep(&self, of_row: &[f64], cells: &mut [f64], sums: &mut Sums, weigh: &impl Weigh) -> f64 {
        if let [all] = &self.parts[..] {
            return self.sweep_part(all.clone(), of_row, cells, &mut sums.all, weigh);
        }
        let mut rest = cells;
        let mut work = Vec::with_capacity(self.parts.len());
        for (part, sums) in self.parts.iter().zip(std::iter::once(&mut sums.all).chain(&mut sums.by_part)) {
            let of_part: usize = self.piece.crowds[part.clone()].iter().map(|crowd| crowd.cells().len()).sum();
            let (here, others) = rest.split_at_mut(of_part);
            work.push((part.clone(), here, sums));
            rest = others;
        }
        let swept = work.into_par_iter();
        let swept = swept.map(|(part, cells, sums)| self.sweep_part(part, of_row, cells, sums, weigh));
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

    fn sweep_part<W: Weigh>(
        &self,
        crowds: Range<usize>,
        of_row: &[f64],
        cells: &mut [f64],
        sums: &mut [f64],
        weigh: &W,
    ) -> f64 {
        sums.fill(0.0);
        let mut total = Total::ZERO;
        let mut rest = cells;
        for (crowd, merged) in self.piece.crowds.iter().enumerate().take(crowds.end).skip(crowds.start) {
            let at = merged.cells();
            let (cells, others) = rest.split_at_mut(at.len());
            rest = others;
            if W::GATHERS {
                for (cell, place) in cells.iter_mut().zip(at.clone()) {
                    *cell = self.piece.rows_of.at(place).iter().map(|row| of_row[*row as usize]).sum();
                }
            }
            weigh.weigh(crowd, at.start, cells, &mut total);
            for (cell, place) in cells.iter().zip(at) {
                self.piece.rows_of.at(place).iter().for_each(|row| sums[*row as usize] += *cell);
            }
        }
        total.value()
    }
}
