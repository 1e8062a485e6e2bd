//! One of Newton's steps by conjugate gradients, with a diagonal preconditioner.

use super::incidence::{Sums, Total, Weigh};
use super::{Dual, Point};

/// Conjugate gradients for one of Newton's steps after the other, in the same memory.
pub(super) struct ConjugateGradient {
    /// By crowd: one over its people.
    each: Vec<f64>,
    /// By multiplier: one over the diagonal of the second derivative; 0 where the multiplier does not move.
    scale: Vec<f64>,
    pub step: Vec<f64>,
    residual: Vec<f64>,
    /// The norm of the residual.
    pub norm: f64,
    /// By multiplier.
    direction: Vec<f64>,
    /// The squared norm of the residual, by the preconditioner.
    scaled: f64,
    /// By row: the direction, and the second derivative along it.
    of_row: Vec<f64>,
    sums: Sums,
    change: Vec<f64>,
}

impl ConjugateGradient {
    pub(super) fn new(dual: &Dual<'_>) -> ConjugateGradient {
        let len = dual.bound.len();
        let zeros = |len: usize| vec![0.0; len];
        ConjugateGradient {
            each: dual.people.iter().map(|people| 1.0 / people).collect(),
            scale: zeros(len),
            step: zeros(len),
            residual: zeros(len),
            norm: 0.0,
            direction: zeros(len),
            scaled: 0.0,
            of_row: dual.incidence.zeros(),
            sums: dual.incidence.sums(),
            change: zeros(dual.incidence.cells()),
        }
    }

    /// Begins the step from a point.
    pub(super) fn begin(&mut self, dual: &Dual<'_>, at: &Point) {
        let diagonal = Diagonal { each: &self.each, having: &at.having };
        dual.incidence.sweep(&[], &mut self.change, &mut self.sums, &diagonal);
        self.step.fill(0.0);
        for place in 0..self.residual.len() {
            let (own, met) = (self.sums.all[dual.row[place] as usize], dual.met[place]);
            self.scale[place] = if met { (own + 1e-14).recip() } else { 0.0 };
            self.residual[place] = if met { -at.gradient[place] } else { 0.0 };
            self.direction[place] = self.residual[place] * self.scale[place];
        }
        self.measure();
    }

    /// Whether no count would be missed by more, by the second derivative.
    pub(super) fn misses_at_most(&self, most: f64) -> bool {
        self.residual.iter().all(|residual| residual.abs() <= most)
    }

    /// One iteration from the point where the step began; false when there is nothing more to gain.
    pub(super) fn iterate(&mut self, dual: &Dual<'_>, at: &Point) -> bool {
        let curvature = Curvature { each: &self.each, having: &at.having };
        dual.by_row(&self.direction, &mut self.of_row);
        let curvature = dual.incidence.sweep(&self.of_row, &mut self.change, &mut self.sums, &curvature);
        if curvature.is_nan() || curvature <= 1e-300 {
            return false;
        }
        let length = self.scaled / curvature;
        for (place, residual) in self.residual.iter_mut().enumerate() {
            let curved = dual.sign[place] * self.sums.all[dual.row[place] as usize];
            *residual -= if dual.met[place] { length * curved } else { 0.0 };
        }
        let before = self.scaled;
        self.measure();
        let turn = self.scaled / before;
        let moved = self.step.iter_mut().zip(&mut self.direction).zip(self.residual.iter().zip(&self.scale));
        moved.for_each(|((step, direction), (residual, scale))| {
            *step += length * *direction;
            *direction = residual * scale + turn * *direction;
        });
        true
    }

    fn measure(&mut self) {
        let (mut scaled, mut plain) = (0.0, 0.0);
        for (residual, scale) in self.residual.iter().zip(&self.scale) {
            let square = residual * residual;
            scaled += square * scale;
            plain += square;
        }
        (self.scaled, self.norm) = (scaled, plain.sqrt());
    }
}

/// The second derivative by each multiplier, cell by cell.
struct Diagonal<'a> {
    each: &'a [f64],
    having: &'a [f64],
}

impl Weigh for Diagonal<'_> {
    const GATHERS: bool = false;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64], _: &mut Total) {
        let (each, having) = (self.each[crowd], &self.having[first..first + cells.len()]);
        for (cell, having) in cells.iter_mut().zip(having) {
            *cell = having * (1.0 - having * each);
        }
    }
}

/// The second derivative along a direction, cell by cell: every slope less the mean, by how many have it. The total is that times the
/// direction again.
struct Curvature<'a> {
    each: &'a [f64],
    having: &'a [f64],
}

impl Weigh for Curvature<'_> {
    const GATHERS: bool = true;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64], total: &mut Total) {
        let having = &self.having[first..first + cells.len()];
        let sum: f64 = having.iter().zip(&*cells).map(|(having, slope)| having * slope).sum();
        let mean = sum * self.each[crowd];
        let mut curvature = 0.0;
        for (cell, having) in cells.iter_mut().zip(having) {
            let off = *cell - mean;
            *cell = having * off;
            curvature += *cell * off;
        }
        total.add(curvature);
    }
}
