//! One of Newton's steps by conjugate gradients, with a diagonal preconditioner.

use super::strips::{Sums, Total, Weigh};
use super::{Dual, Point};

/// Conjugate gradients for one of Newton's steps after the other, in the same memory.
pub(super) struct Turns {
    /// By multiplier: one over the diagonal of the second derivative; 0 where the multiplier does not move.
    scale: Vec<f64>,
    pub step: Vec<f64>,
    rest: Vec<f64>,
    /// The size of what is left of the gradient.
    pub size: f64,
    /// By multiplier; one more at the end, for cells that are in fewer rows than others.
    direction: Vec<f64>,
    before: f64,
    /// By row, and one more: the direction where rows have several multipliers, and the second derivative along it.
    of_row: Vec<f64>,
    sums: Sums,
    /// By multiplier: the second derivative along the direction, where rows have several.
    curved: Vec<f64>,
    change: Vec<f64>,
}

impl Turns {
    pub(super) fn new(dual: &Dual) -> Turns {
        let len = dual.bound.len();
        let several = if dual.exact { 0 } else { len };
        Turns {
            scale: vec![0.0; len],
            step: vec![0.0; len],
            rest: vec![0.0; len],
            size: 0.0,
            direction: vec![0.0; len + 1],
            before: 0.0,
            of_row: if dual.exact { Vec::new() } else { dual.strips.nothing() },
            sums: dual.strips.sums(),
            curved: vec![0.0; several],
            change: vec![0.0; dual.strips.cells()],
        }
    }

    /// Begins the step from a place.
    pub(super) fn begin(&mut self, dual: &Dual, at: &Point) {
        dual.strips.sweep(&[], &mut self.change, &mut self.sums, &Own { dual, having: &at.having });
        self.step.fill(0.0);
        for place in 0..self.rest.len() {
            let met = dual.met[place];
            self.scale[place] = if met { 1.0 / (self.sums.all[dual.row[place] as usize] + 1e-14) } else { 0.0 };
            self.rest[place] = if met { -at.gradient[place] } else { 0.0 };
            self.direction[place] = self.rest[place] * self.scale[place];
        }
        (self.before, self.size) = less(&mut self.rest, 0.0, &self.direction, &self.scale);
    }

    /// Whether no count would be missed by more, as far as the second derivative tells.
    pub(super) fn misses_at_most(&self, most: f64) -> bool {
        let far = self.size > most * (self.rest.len() as f64).sqrt();
        !far && self.rest.iter().all(|rest| rest.abs() <= most)
    }

    /// One turn; false when there is nothing more to gain.
    pub(super) fn turn(&mut self, dual: &Dual, at: &Point) -> bool {
        let bend = Bend { dual, having: &at.having };
        let of_row = if dual.exact {
            &self.direction
        } else {
            dual.by_row(&self.direction[..self.rest.len()], &mut self.of_row);
            &self.of_row
        };
        let bend = dual.strips.sweep(of_row, &mut self.change, &mut self.sums, &bend);
        if bend <= 1e-300 {
            return false;
        }
        let curved = if dual.exact {
            &self.sums.all
        } else {
            for (place, curved) in self.curved.iter_mut().enumerate() {
                let sums = self.sums.all[dual.row[place] as usize];
                *curved = if dual.met[place] { dual.sign[place] * sums } else { 0.0 };
            }
            &self.curved
        };
        let length = self.before / bend;
        let (now, size) = less(&mut self.rest, length, curved, &self.scale);
        let turned = now / self.before;
        (self.before, self.size) = (now, size);
        let moved = self.step.iter_mut().zip(&mut self.direction).zip(self.rest.iter().zip(&self.scale));
        moved.for_each(|((step, direction), (rest, scale))| {
            *step += length * *direction;
            *direction = rest * scale + turned * *direction;
        });
        true
    }
}

/// The second derivative by each multiplier, cell by cell.
struct Own<'a> {
    dual: &'a Dual,
    having: &'a [f64],
}

impl Weigh for Own<'_> {
    const TAKES: bool = false;
    const KEEPS: bool = false;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64], _: &mut Total) {
        let (each, having) = (self.dual.each[crowd], &self.having[first..first + cells.len()]);
        for (cell, having) in cells.iter_mut().zip(having) {
            *cell = having * (1.0 - having * each);
        }
    }
}

/// The second derivative along a direction, cell by cell: every slope less the mean, by how many have it. Together, times the direction
/// again.
struct Bend<'a> {
    dual: &'a Dual,
    having: &'a [f64],
}

impl Weigh for Bend<'_> {
    const TAKES: bool = true;
    const KEEPS: bool = false;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64], total: &mut Total) {
        let having = &self.having[first..first + cells.len()];
        let sum: f64 = having.iter().zip(&*cells).map(|(having, slope)| having * slope).sum();
        let mean = sum * self.dual.each[crowd];
        let mut bend = 0.0;
        for (cell, having) in cells.iter_mut().zip(having) {
            let off = *cell - mean;
            *cell = having * off;
            bend += *cell * off;
        }
        total.add(bend);
    }
}

/// Takes a step off the rest; gives the rest times itself by the diagonal, and its length.
fn less(rest: &mut [f64], length: f64, curved: &[f64], scale: &[f64]) -> (f64, f64) {
    // Four sums at a time: one would wait for itself.
    let (mut by_scale, mut plain) = ([0.0; 4], [0.0; 4]);
    let mut one = |lane: usize, rest: &mut f64, curved: f64, scale: f64| {
        *rest -= length * curved;
        let square = *rest * *rest;
        by_scale[lane] += square * scale;
        plain[lane] += square;
    };
    let (curved, scale) = (curved[..rest.len()].as_chunks::<4>(), scale[..rest.len()].as_chunks::<4>());
    let rest = rest.as_chunks_mut::<4>();
    for ((rest, curved), scale) in rest.0.iter_mut().zip(curved.0).zip(scale.0) {
        (0..4).for_each(|lane| one(lane, &mut rest[lane], curved[lane], scale[lane]));
    }
    for ((rest, curved), scale) in rest.1.iter_mut().zip(curved.1).zip(scale.1) {
        one(0, rest, *curved, *scale);
    }
    let all = |sums: [f64; 4]| (sums[0] + sums[1]) + (sums[2] + sums[3]);
    (all(by_scale), all(plain).sqrt())
}
