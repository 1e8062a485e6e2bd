//! One of Newton's steps by conjugate gradients, with a diagonal preconditioner.
//!
//! A step need not be known well: the next one begins with what this one misses. So short numbers will do, which are read in half the
//! time; where they do not, the same is done with long ones.

use super::strips::{Real, Sums, Total, Weigh};
use super::{Dual, Point};

/// Conjugate gradients for one of Newton's steps after the other, in the same memory.
pub(super) struct Turns<R> {
    /// By crowd: one over its people.
    each: Vec<R>,
    /// By cell: how many people have it, at the place where the step begins.
    having: Vec<R>,
    /// By multiplier: one over the diagonal of the second derivative; 0 where the multiplier does not move.
    scale: Vec<R>,
    step: Vec<R>,
    rest: Vec<R>,
    /// The size of what is left of the gradient.
    pub size: f64,
    /// By multiplier; one more at the end, for cells that are in fewer rows than others.
    direction: Vec<R>,
    before: f64,
    /// By row, and one more: the direction where rows have several multipliers, and the second derivative along it.
    of_row: Vec<R>,
    sums: Sums<R>,
    /// By multiplier: the second derivative along the direction, where rows have several.
    curved: Vec<R>,
    change: Vec<R>,
}

impl<R: Real> Turns<R> {
    pub(super) fn new(dual: &Dual) -> Turns<R> {
        let len = dual.bound.len();
        let several = if dual.exact { 0 } else { len };
        let nothing = |len: usize| vec![R::zero(); len];
        Turns {
            each: dual.people.iter().map(|people| short(1.0 / people)).collect(),
            having: nothing(dual.strips.cells()),
            scale: nothing(len),
            step: nothing(len),
            rest: nothing(len),
            size: 0.0,
            direction: nothing(len + 1),
            before: 0.0,
            of_row: if dual.exact { Vec::new() } else { dual.strips.nothing() },
            sums: dual.strips.sums(),
            curved: nothing(several),
            change: nothing(dual.strips.cells()),
        }
    }

    /// Makes numbers useless, as ones are that are too short.
    #[cfg(test)]
    pub(super) fn spoil(&mut self, by: R) {
        self.each.fill(by);
    }

    /// Begins the step from a place.
    pub(super) fn begin(&mut self, dual: &Dual, at: &Point) {
        self.having.iter_mut().zip(&at.having).for_each(|(here, having)| *here = short(*having));
        let own = Own { each: &self.each, having: &self.having };
        dual.strips.sweep(&[], &mut self.change, &mut self.sums, &own);
        self.step.fill(R::zero());
        for place in 0..self.rest.len() {
            let (own, met) = (self.sums.all[dual.row[place] as usize], dual.met[place]);
            self.scale[place] = if met { (own + short(1e-14)).recip() } else { R::zero() };
            self.rest[place] = if met { short(-at.gradient[place]) } else { R::zero() };
            self.direction[place] = self.rest[place] * self.scale[place];
        }
        (self.before, self.size) = less(&mut self.rest, R::zero(), &self.direction, &self.scale);
    }

    /// The step as far as it is known, by multiplier.
    pub(super) fn step(&self) -> impl Iterator<Item = f64> + Clone {
        self.step.iter().map(|step| long(*step))
    }

    /// Whether no count would be missed by more, as far as the second derivative tells.
    pub(super) fn misses_at_most(&self, most: f64) -> bool {
        let far = self.size > most * (self.rest.len() as f64).sqrt();
        !far && self.rest.iter().all(|rest| long(rest.abs()) <= most)
    }

    /// One turn; false when there is nothing more to gain.
    pub(super) fn turn(&mut self, dual: &Dual) -> bool {
        let bend = Bend { each: &self.each, having: &self.having };
        let of_row = if dual.exact {
            &self.direction
        } else {
            dual.by_row(&self.direction[..self.rest.len()], &mut self.of_row);
            &self.of_row
        };
        let bend = dual.strips.sweep(of_row, &mut self.change, &mut self.sums, &bend);
        if bend.is_nan() || bend <= 1e-300 {
            return false;
        }
        let curved = if dual.exact {
            &self.sums.all
        } else {
            for (place, curved) in self.curved.iter_mut().enumerate() {
                let sums = self.sums.all[dual.row[place] as usize];
                *curved = if dual.met[place] { short::<R>(dual.sign[place]) * sums } else { R::zero() };
            }
            &self.curved
        };
        let length: R = short(self.before / bend);
        let (now, size) = less(&mut self.rest, length, curved, &self.scale);
        let turned: R = short(now / self.before);
        (self.before, self.size) = (now, size);
        let moved = self.step.iter_mut().zip(&mut self.direction).zip(self.rest.iter().zip(&self.scale));
        moved.for_each(|((step, direction), (rest, scale))| {
            *step += length * *direction;
            *direction = *rest * *scale + turned * *direction;
        });
        true
    }
}

/// A number as it is kept here.
pub(super) fn short<R: Real>(number: f64) -> R {
    R::from(number).unwrap_or_else(R::nan)
}

fn long<R: Real>(number: R) -> f64 {
    number.to_f64().unwrap_or(f64::NAN)
}

/// The second derivative by each multiplier, cell by cell.
struct Own<'a, R> {
    each: &'a [R],
    having: &'a [R],
}

impl<R: Real> Weigh<R> for Own<'_, R> {
    const TAKES: bool = false;
    const KEEPS: bool = false;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [R], _: &mut Total) {
        let (each, having) = (self.each[crowd], &self.having[first..first + cells.len()]);
        for (cell, having) in cells.iter_mut().zip(having) {
            *cell = *having * (R::one() - *having * each);
        }
    }
}

/// The second derivative along a direction, cell by cell: every slope less the mean, by how many have it. Together, times the direction
/// again.
struct Bend<'a, R> {
    each: &'a [R],
    having: &'a [R],
}

impl<R: Real> Weigh<R> for Bend<'_, R> {
    const TAKES: bool = true;
    const KEEPS: bool = false;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [R], total: &mut Total) {
        let having = &self.having[first..first + cells.len()];
        let sum: R = having.iter().zip(&*cells).map(|(having, slope)| *having * *slope).sum();
        let mean = sum * self.each[crowd];
        let mut bend = R::zero();
        for (cell, having) in cells.iter_mut().zip(having) {
            let off = *cell - mean;
            *cell = *having * off;
            bend += *cell * off;
        }
        total.add(long(bend));
    }
}

/// So many numbers are added up as they are kept; their sums are long.
const TOGETHER: usize = 1 << 10;
/// So many sums at a time: one would wait for itself.
const LANES: usize = 8;

/// Takes a step off the rest; gives the rest times itself by the diagonal, and its length.
fn less<R: Real>(rest: &mut [R], length: R, curved: &[R], scale: &[R]) -> (f64, f64) {
    let (mut by_scale, mut plain) = (0.0, 0.0);
    let (curved, scale) = (curved[..rest.len()].chunks(TOGETHER), scale[..rest.len()].chunks(TOGETHER));
    for ((rest, curved), scale) in rest.chunks_mut(TOGETHER).zip(curved).zip(scale) {
        let mut sums = [[R::zero(); LANES]; 2];
        let mut one = |lane: usize, rest: &mut R, curved: R, scale: R| {
            *rest = *rest - length * curved;
            let square = *rest * *rest;
            sums[0][lane] += square * scale;
            sums[1][lane] += square;
        };
        let (curved, scale) = (curved.as_chunks::<LANES>(), scale.as_chunks::<LANES>());
        let rest = rest.as_chunks_mut::<LANES>();
        for ((rest, curved), scale) in rest.0.iter_mut().zip(curved.0).zip(scale.0) {
            (0..LANES).for_each(|lane| one(lane, &mut rest[lane], curved[lane], scale[lane]));
        }
        for ((rest, curved), scale) in rest.1.iter_mut().zip(curved.1).zip(scale.1) {
            one(0, rest, *curved, *scale);
        }
        by_scale += sums[0].iter().map(|sum| long(*sum)).sum::<f64>();
        plain += sums[1].iter().map(|sum| long(*sum)).sum::<f64>();
    }
    (by_scale, plain.sqrt())
}
