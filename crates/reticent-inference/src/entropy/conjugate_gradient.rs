//! Newton step by the conjugate gradient method with a diagonal preconditioner.

use super::incidence::{CellWeights, Sums, Total};
use super::{Dual, Point};

/// Conjugate gradient solver with memory that is reused from step to step.
pub(super) struct ConjugateGradient {
    /// By class: reciprocal of the number of people.
    inverse_people: Vec<f64>,
    /// By multiplier: reciprocal of the diagonal of the Hessian; 0 if the multiplier is inactive.
    preconditioner: Vec<f64>,
    /// By multiplier: the Newton step so far.
    pub step: Vec<f64>,
    /// By multiplier: residual of the linear system.
    residual: Vec<f64>,
    /// Norm of the residual.
    pub norm: f64,
    /// By multiplier: search direction.
    direction: Vec<f64>,
    /// Squared norm of the residual with respect to the preconditioner.
    preconditioned_norm: f64,
    /// By row: search direction.
    row_direction: Vec<f64>,
    /// By row: Hessian times search direction.
    sums: Sums,
    /// By cell: scratch memory.
    change: Vec<f64>,
}

impl ConjugateGradient {
    pub(super) fn new(dual: &Dual<'_>) -> ConjugateGradient {
        let len = dual.bound.len();
        let zeros = |len: usize| vec![0.0; len];
        ConjugateGradient {
            inverse_people: dual.people.iter().map(|people| 1.0 / people).collect(),
            preconditioner: zeros(len),
            step: zeros(len),
            residual: zeros(len),
            norm: 0.0,
            direction: zeros(len),
            preconditioned_norm: 0.0,
            row_direction: dual.incidence.zeros(),
            sums: dual.incidence.sums(),
            change: zeros(dual.incidence.cells()),
        }
    }

    /// Starts a step from a point.
    pub(super) fn begin(&mut self, dual: &Dual<'_>, at: &Point) {
        let diagonal = Diagonal { inverse_people: &self.inverse_people, expected: &at.expected };
        dual.incidence.sweep(&[], &mut self.change, &mut self.sums, &diagonal);
        self.step.fill(0.0);
        for place in 0..self.residual.len() {
            let (diagonal, active) = (self.sums.all[dual.row[place] as usize], dual.active[place]);
            self.preconditioner[place] = if active { (diagonal + 1e-14).recip() } else { 0.0 };
            self.residual[place] = if active { -at.gradient[place] } else { 0.0 };
            self.direction[place] = self.residual[place] * self.preconditioner[place];
        }
        self.update_norms();
    }

    /// Whether the predicted residual of every count is at most `limit`.
    pub(super) fn residual_within(&self, limit: f64) -> bool {
        self.residual.iter().all(|residual| residual.abs() <= limit)
    }

    /// Performs one iteration. Returns false if the curvature vanishes, so that no progress is possible.
    pub(super) fn iterate(&mut self, dual: &Dual<'_>, at: &Point) -> bool {
        let curvature = Curvature { inverse_people: &self.inverse_people, expected: &at.expected };
        dual.by_row(&self.direction, &mut self.row_direction);
        let curvature = dual.incidence.sweep(&self.row_direction, &mut self.change, &mut self.sums, &curvature);
        if curvature.is_nan() || curvature <= 1e-300 {
            return false;
        }
        let length = self.preconditioned_norm / curvature;
        for (place, residual) in self.residual.iter_mut().enumerate() {
            let curved = dual.sign[place] * self.sums.all[dual.row[place] as usize];
            *residual -= if dual.active[place] { length * curved } else { 0.0 };
        }
        let before = self.preconditioned_norm;
        self.update_norms();
        let beta = self.preconditioned_norm / before;
        let moved = self.step.iter_mut().zip(&mut self.direction).zip(self.residual.iter().zip(&self.preconditioner));
        moved.for_each(|((step, direction), (residual, scale))| {
            *step += length * *direction;
            *direction = residual * scale + beta * *direction;
        });
        true
    }

    fn update_norms(&mut self) {
        let (mut scaled, mut plain) = (0.0, 0.0);
        for (residual, scale) in self.residual.iter().zip(&self.preconditioner) {
            let square = residual * residual;
            scaled += square * scale;
            plain += square;
        }
        (self.preconditioned_norm, self.norm) = (scaled, plain.sqrt());
    }
}

/// Contribution of each cell to the diagonal of the Hessian.
struct Diagonal<'a> {
    inverse_people: &'a [f64],
    expected: &'a [f64],
}

impl CellWeights for Diagonal<'_> {
    const USES_ROW_SUMS: bool = false;

    #[inline(always)]
    fn weigh(&self, class: usize, first: usize, cells: &mut [f64], _: &mut Total) {
        let (inverse_people, expected) = (self.inverse_people[class], &self.expected[first..first + cells.len()]);
        for (cell, expected) in cells.iter_mut().zip(expected) {
            *cell = expected * (1.0 - expected * inverse_people);
        }
    }
}

/// Product of the Hessian with a direction, cell by cell: expected people times the deviation of the slope from the class mean.
///
/// The total is the quadratic form of the direction.
struct Curvature<'a> {
    inverse_people: &'a [f64],
    expected: &'a [f64],
}

impl CellWeights for Curvature<'_> {
    const USES_ROW_SUMS: bool = true;

    #[inline(always)]
    fn weigh(&self, class: usize, first: usize, cells: &mut [f64], total: &mut Total) {
        let expected = &self.expected[first..first + cells.len()];
        let sum: f64 = expected.iter().zip(&*cells).map(|(expected, slope)| expected * slope).sum();
        let mean = sum * self.inverse_people[class];
        let mut curvature = 0.0;
        for (cell, expected) in cells.iter_mut().zip(expected) {
            let off = *cell - mean;
            *cell = expected * off;
            curvature += *cell * off;
        }
        total.add(curvature);
    }
}
