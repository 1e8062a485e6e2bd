//! One of Newton's steps by conjugate gradients, with a diagonal preconditioner.

use super::strips::Weigh;
use super::{Dual, Point};

/// Conjugate gradients for one step of Newton's.
pub(super) struct Turns<'a> {
    dual: &'a Dual,
    at: &'a Point,
    /// By multiplier: its sign, and one over the diagonal of the second derivative; both 0 where the multiplier does not move.
    sign: Vec<f64>,
    scale: Vec<f64>,
    pub step: Vec<f64>,
    rest: Vec<f64>,
    /// The size of what is left of the gradient.
    pub size: f64,
    direction: Vec<f64>,
    before: f64,
    /// By multiplier: the second derivative along the direction; one more where rows and multipliers are the same.
    curved: Vec<f64>,
    of_row: Vec<f64>,
    sums: Vec<f64>,
    change: Vec<f64>,
}

impl<'a> Turns<'a> {
    pub(super) fn new(dual: &'a Dual, at: &'a Point) -> Turns<'a> {
        let len = dual.bound.len();
        let (of_row, mut sums) = (dual.strips.nothing(), dual.strips.nothing());
        let mut change = vec![0.0; dual.strips.cells()];
        dual.strips.sweep(&of_row, &mut change, &mut sums, &Own { dual, having: &at.having });
        let scale = |(row, met): (&u32, &bool)| if *met { 1.0 / (sums[*row as usize] + 1e-14) } else { 0.0 };
        let scale: Vec<f64> = dual.row.iter().zip(&dual.met).map(scale).collect();
        let sign = dual.sign.iter().zip(&dual.met).map(|(sign, met)| if *met { *sign } else { 0.0 }).collect();
        let rest = at.gradient.iter().zip(&dual.met).map(|(gradient, met)| if *met { -gradient } else { 0.0 });
        let rest: Vec<f64> = rest.collect();
        let direction: Vec<f64> = rest.iter().zip(&scale).map(|(rest, scale)| rest * scale).collect();
        let (before, size) = sizes(&rest, &scale);
        let (step, curved) = (vec![0.0; len], if dual.exact { dual.strips.nothing() } else { vec![0.0; len] });
        Turns { dual, at, sign, scale, step, rest, size, direction, before, curved, of_row, sums, change }
    }

    /// The second derivative times the direction, and times the direction again.
    fn curve(&mut self) -> f64 {
        let (dual, at) = (self.dual, self.at);
        dual.by_row(&self.direction, &mut self.of_row);
        let bend = Bend { dual, having: &at.having };
        dual.strips.sweep(&self.of_row, &mut self.change, &mut self.sums, &bend);
        if dual.exact {
            std::mem::swap(&mut self.curved, &mut self.sums);
        } else {
            for (at, curved) in self.curved.iter_mut().enumerate() {
                *curved = self.sign[at] * self.sums[dual.row[at] as usize];
            }
        }
        dot(&self.direction, &self.curved[..self.direction.len()])
    }

    /// Whether no count would be missed by more, as far as the second derivative tells.
    pub(super) fn misses_at_most(&self, most: f64) -> bool {
        let far = self.size > most * (self.rest.len() as f64).sqrt();
        !far && self.rest.iter().all(|rest| rest.abs() <= most)
    }

    /// One turn; false when there is nothing more to gain.
    pub(super) fn turn(&mut self) -> bool {
        let bend = self.curve();
        if bend <= 1e-300 {
            return false;
        }
        let length = self.before / bend;
        let moved = self.step.iter_mut().zip(&self.direction).zip(self.rest.iter_mut().zip(&self.curved));
        moved.for_each(|((step, direction), (rest, curved))| {
            *step += length * direction;
            *rest -= length * curved;
        });
        let (now, size) = sizes(&self.rest, &self.scale);
        let turned = now / self.before;
        (self.before, self.size) = (now, size);
        let both = self.direction.iter_mut().zip(&self.rest).zip(&self.scale);
        both.for_each(|((direction, rest), scale)| *direction = rest * scale + turned * *direction);
        true
    }
}

/// The second derivative by each multiplier, cell by cell.
struct Own<'a> {
    dual: &'a Dual,
    having: &'a [f64],
}

impl Weigh for Own<'_> {
    const KEEPS: bool = false;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64]) -> f64 {
        let (each, having) = (self.dual.each[crowd], &self.having[first..first + cells.len()]);
        for (cell, having) in cells.iter_mut().zip(having) {
            *cell = having * (1.0 - having * each);
        }
        0.0
    }
}

/// The second derivative along a direction, cell by cell: every slope less the mean, by how many have it.
struct Bend<'a> {
    dual: &'a Dual,
    having: &'a [f64],
}

impl Weigh for Bend<'_> {
    const KEEPS: bool = false;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64]) -> f64 {
        let having = &self.having[first..first + cells.len()];
        let sum: f64 = having.iter().zip(&*cells).map(|(having, slope)| having * slope).sum();
        let mean = sum * self.dual.each[crowd];
        cells.iter_mut().zip(having).for_each(|(slope, having)| *slope = having * (*slope - mean));
        0.0
    }
}

/// The rest times itself by the diagonal, and its length.
fn sizes(rest: &[f64], scale: &[f64]) -> (f64, f64) {
    let ((rests, last), (scales, other)) = (rest.as_chunks::<4>(), scale.as_chunks::<4>());
    let (mut by_scale, mut plain) = ([0.0; 4], [0.0; 4]);
    for (rest, scale) in rests.iter().zip(scales) {
        for lane in 0..4 {
            let square = rest[lane] * rest[lane];
            by_scale[lane] += square * scale[lane];
            plain[lane] += square;
        }
    }
    let (mut now, mut size) =
        ((by_scale[0] + by_scale[1]) + (by_scale[2] + by_scale[3]), (plain[0] + plain[1]) + (plain[2] + plain[3]));
    for (rest, scale) in last.iter().zip(other) {
        now += rest * rest * scale;
        size += rest * rest;
    }
    (now, size.sqrt())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums at a time: one would wait for itself.
    let ((a, last), (b, other)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    let rest: f64 = last.iter().zip(other).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
