//! Incidence matrix of rows and cells: products with the matrix and its transpose in one pass.

use std::ops::Range;

use rayon::prelude::*;

use crate::components::Component;

/// Approximate number of cells per parallel part. Smaller components use one thread.
pub(super) const CELLS_PER_PART: usize = 1 << 16;
/// Maximum number of parts. It is independent of the number of threads, so results are reproducible.
const MAX_PARTS: usize = 8;
/// Limit above which a product of [`Total`] is replaced by its logarithm.
const PRODUCT_LIMIT: f64 = 1e100;
/// Number of rows per parallel task when the sums of parts are added.
const ROWS_PER_CHUNK: usize = 1 << 14;

/// Computation of the weights of a class's cells.
///
/// A trait instead of a closure, so that it is inlined into the loop over many small classes.
pub(super) trait CellWeights: Sync {
    /// Whether `weigh` reads the sums of row values. If not, the input of `weigh` is unspecified.
    const USES_ROW_SUMS: bool;

    /// Replaces the row sums of a class's cells by weights, and may add to a total. `first` is the index of the first cell.
    fn weigh(&self, class: usize, first: usize, cells: &mut [f64], total: &mut Total);
}

/// A sum. Logarithms are accumulated as a product, to save calls of `ln`.
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

    /// Adds the logarithm of a number that is at least 1 and below the square root of `f64::MAX`.
    #[inline(always)]
    pub(super) fn add_ln(&mut self, number: f64) {
        self.product *= number;
        if self.product > PRODUCT_LIMIT {
            self.sum += self.product.ln();
            self.product = 1.0;
        }
    }

    fn value(self) -> f64 {
        self.sum + self.product.ln()
    }
}

/// Sums by row.
pub(super) struct Sums {
    /// By row: sum over all cells. During a sweep, the sum of the first part.
    pub all: Vec<f64>,
    /// By part after the first: sums by row.
    by_part: Vec<Vec<f64>>,
}

/// Incidence matrix of a component, partitioned by classes.
pub(super) struct Incidence<'a> {
    component: &'a Component,
    /// Range of classes of each part.
    parts: Vec<Range<usize>>,
}

impl<'a> Incidence<'a> {
    /// The incidence matrix of a component, with parts of about `cells_per_part` cells.
    pub(super) fn new(component: &'a Component, cells_per_part: usize) -> Incidence<'a> {
        let cells = component.value.len();
        let parts = cells.div_ceil(cells_per_part).clamp(1, MAX_PARTS);
        let end = |part: usize| component.classes.partition_point(|class| class.cells().start < cells * part / parts);
        let parts = (0..parts).map(|part| end(part)..end(part + 1)).collect();
        Incidence { component, parts }
    }

    /// Maximum number of rows that contain one cell.
    pub(super) fn max_rows_per_cell(&self) -> usize {
        (0..self.cells()).map(|cell| self.component.rows_of.at(cell).len()).max().unwrap_or(0)
    }

    pub(super) fn cells(&self) -> usize {
        self.component.value.len()
    }

    /// Cells of a class.
    pub(super) fn cells_of_class(&self, class: usize) -> Range<usize> {
        self.component.classes[class].cells()
    }

    /// Memory for the sums of a sweep.
    pub(super) fn sums(&self) -> Sums {
        Sums { all: self.zeros(), by_part: vec![self.zeros(); self.parts.len() - 1] }
    }

    /// A vector of zeros, one per row.
    pub(super) fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.component.rows.len()]
    }

    /// Computes the weight of every cell from the sum of its row values, then the sum of weights of every row. Returns the total.
    pub(super) fn sweep(
        &self,
        row_values: &[f64],
        cells: &mut [f64],
        sums: &mut Sums,
        weigh: &impl CellWeights,
    ) -> f64 {
        if let [all] = &self.parts[..] {
            return self.sweep_part(all.clone(), row_values, cells, &mut sums.all, weigh);
        }
        let mut rest = cells;
        let mut work = Vec::with_capacity(self.parts.len());
        for (part, sums) in self.parts.iter().zip(std::iter::once(&mut sums.all).chain(&mut sums.by_part)) {
            let of_part: usize = self.component.classes[part.clone()].iter().map(|class| class.cells().len()).sum();
            let (here, others) = rest.split_at_mut(of_part);
            work.push((part.clone(), here, sums));
            rest = others;
        }
        let swept = work.into_par_iter();
        let swept = swept.map(|(part, cells, sums)| self.sweep_part(part, row_values, cells, sums, weigh));
        let total = swept.collect::<Vec<f64>>().into_iter().sum();
        let by_part = &sums.by_part;
        sums.all.par_chunks_mut(ROWS_PER_CHUNK).enumerate().for_each(|(chunk, all)| {
            for part in by_part {
                let part = &part[chunk * ROWS_PER_CHUNK..][..all.len()];
                all.iter_mut().zip(part).for_each(|(all, part)| *all += *part);
            }
        });
        total
    }

    fn sweep_part<W: CellWeights>(
        &self,
        classes: Range<usize>,
        row_values: &[f64],
        cells: &mut [f64],
        sums: &mut [f64],
        weigh: &W,
    ) -> f64 {
        sums.fill(0.0);
        let mut total = Total::ZERO;
        let mut rest = cells;
        for (class, merged) in self.component.classes.iter().enumerate().take(classes.end).skip(classes.start) {
            let at = merged.cells();
            let (cells, others) = rest.split_at_mut(at.len());
            rest = others;
            if W::USES_ROW_SUMS {
                for (cell, place) in cells.iter_mut().zip(at.clone()) {
                    *cell = self.component.rows_of.at(place).iter().map(|row| row_values[*row as usize]).sum();
                }
            }
            weigh.weigh(class, at.start, cells, &mut total);
            for (cell, place) in cells.iter().zip(at) {
                self.component.rows_of.at(place).iter().for_each(|row| sums[*row as usize] += *cell);
            }
        }
        total.value()
    }
}
