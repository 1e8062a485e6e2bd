//! The maximum-entropy estimate: of all ways to spread probability that keep every count, the most even one.
//!
//! Maximise -sum n p ln p over crowds and their values, where every count holds on average. The dual has one multiplier a count:
//! minimise  sum over crowds of people * ln(sum over values of exp(sum of its multipliers))  -  sum of multiplier * count,
//! a smooth convex function. Newton's method, each step by conjugate gradients with a diagonal preconditioner; a count with
//! bounds has a multiplier for each, which cannot be negative, and is 0 unless the bound is reached.
//!
//! Where a probability is forced to 0 and nobody noticed, the multipliers grow without end. So a value that falls below
//! [`NOTHING`] is taken for impossible, and in the end the whole dual is asked, which is never below the maximum: if that is as
//! far above the entropy that was found as the gap that is allowed, nothing was lost; otherwise there is no number.
//!
//! An estimate: it can be far below the random-worlds probability. It also spreads over fractions of people.

use super::pieces::Piece;
use super::strips::{Strips, Weigh};

/// Counts must be met this well, in people.
const TOLERANCE: f64 = 1e-8;
/// A probability below this is taken for 0, subject to proof.
const NOTHING: f64 = 1e-9;
/// The gap between the entropy found and what the dual proves to be the most, in nats for each person.
const MOST_GAP: f64 = 1e-7;
/// Counts missed by less are near the maximum.
const NEAR: f64 = 0.5;
/// A step that would miss by less than this many times what is allowed is made the last one.
const LAST: f64 = 50.0;
/// No multiplier moves further in one step: probabilities change by far more than that already.
const FARTHEST: f64 = 40.0;
/// Rounds of fitting before the first of Newton's steps.
const MOST_ROUNDS: usize = 30;
const MOST_STEPS: usize = 100;
const MOST_CHOICES: usize = 50;
const MOST_TURNS: usize = 2_000;

/// How exactly the maximum was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Gap {
    /// The most by which a count is missed, in people.
    pub missed: f64,
    /// The maximum is at most so much above the entropy that was found, in nats.
    pub nats: f64,
}

impl Gap {
    pub(super) fn worst(self, other: Gap) -> Gap {
        Gap { missed: self.missed.max(other.missed), nats: self.nats + other.nats }
    }
}

/// The estimate for one piece.
#[derive(Debug, Clone)]
pub(super) struct Estimate {
    /// By crowd: where its cells start.
    start: Vec<u32>,
    shares: Vec<f64>,
    pub gap: Gap,
}

impl Estimate {
    pub(super) fn share(&self, crowd: usize, cell: usize) -> f64 {
        self.shares[self.start[crowd] as usize + cell]
    }
}

/// The maximum of entropy; none when it does not converge.
///
/// Counts with bounds are left alone at first; those that are missed are then met exactly, and let go again when their multiplier
/// pulls the wrong way.
pub(super) fn estimate(piece: &Piece) -> Option<Estimate> {
    let mut dual = Dual::of(piece);
    let mut at = dual.begin();
    for _ in 0..MOST_CHOICES {
        at = dual.maximum(at)?;
        if dual.choose(&mut at) {
            at = dual.point(at.multipliers);
            continue;
        }
        let (entropy, missed) = (dual.entropy(&at), dual.missed(&at));
        dual.possible.iter_mut().for_each(|possible| *possible = true);
        let nats = (dual.point(at.multipliers).value - entropy).max(0.0);
        let gap = Gap { missed, nats };
        let people: f64 = dual.people.iter().sum();
        if nats > MOST_GAP * people {
            return None;
        }
        let mut shares = at.having;
        for (crowd, people) in dual.people.iter().enumerate() {
            shares[dual.strips.of_crowd(crowd)].iter_mut().for_each(|having| *having /= people);
        }
        return Some(Estimate { start: dual.strips.start, shares, gap });
    }
    None
}

/// The dual problem of a piece.
struct Dual {
    /// By crowd: its people.
    people: Vec<f64>,
    /// By crowd: one over its people.
    each: Vec<f64>,
    strips: Strips,
    /// By cell: whether it is taken for possible.
    possible: Vec<bool>,
    /// Whether all counts are exact, so that every row has one multiplier.
    exact: bool,
    /// By multiplier: its row, the count it holds, and its side: 0 where the count is met exactly, else +1 for the least and -1
    /// for the most.
    row: Vec<u32>,
    bound: Vec<f64>,
    side: Vec<f64>,
    /// By multiplier: -1 for the most, else +1.
    sign: Vec<f64>,
    /// By multiplier: whether its count is met exactly, for now or always.
    met: Vec<bool>,
}

/// A place in the dual.
struct Point {
    multipliers: Vec<f64>,
    /// By cell: how many people have it.
    having: Vec<f64>,
    value: f64,
    /// By multiplier: by how much the count is missed.
    gradient: Vec<f64>,
}

impl Dual {
    fn of(piece: &Piece) -> Dual {
        let (mut row, mut bound, mut side) = (Vec::new(), Vec::new(), Vec::new());
        for (at, count) in (0..).zip(&piece.rows) {
            let mut add = |count: u64, sign: f64| {
                row.push(at);
                bound.push(count as f64);
                side.push(sign);
            };
            if count.least == count.most {
                add(count.least, 0.0);
                continue;
            }
            if count.least > 0 {
                add(count.least, 1.0);
            }
            add(count.most, -1.0);
        }
        let strips = Strips::of(piece);
        let people: Vec<f64> = piece.crowds.iter().map(|crowd| crowd.people as f64).collect();
        let each = people.iter().map(|people| 1.0 / people).collect();
        let exact = side.iter().all(|side| *side == 0.0);
        let met = side.iter().map(|side| *side == 0.0).collect();
        let sign = side.iter().map(|side| if *side < 0.0 { -1.0 } else { 1.0 }).collect();
        Dual { people, each, possible: vec![true; strips.cells()], strips, exact, row, bound, side, sign, met }
    }

    /// By row: the sum of its multipliers, each with its sign.
    fn by_row(&self, multipliers: &[f64], sums: &mut [f64]) {
        if self.exact {
            sums[..multipliers.len()].copy_from_slice(multipliers);
            return;
        }
        sums.fill(0.0);
        for (at, multiplier) in multipliers.iter().enumerate() {
            sums[self.row[at] as usize] += self.sign[at] * multiplier;
        }
    }

    fn point(&self, multipliers: Vec<f64>) -> Point {
        let mut of_row = self.strips.nothing();
        self.by_row(&multipliers, &mut of_row);
        let mut having = vec![0.0; self.strips.cells()];
        let (sums, mut value) = self.strips.sweep(&of_row, &mut having, &Spread(self));
        let mut gradient = vec![0.0; self.bound.len()];
        for at in 0..gradient.len() {
            gradient[at] = self.sign[at] * (sums[self.row[at] as usize] - self.bound[at]);
            value -= self.sign[at] * self.bound[at] * multipliers[at];
        }
        Point { multipliers, having, value, gradient }
    }

    /// Where to begin: a few rounds of proportional fitting (Darroch and Ratcliff's generalized iterative scaling), which come near
    /// from far away, where Newton's steps are too long.
    fn begin(&self) -> Point {
        let mut at = self.point(vec![0.0; self.bound.len()]);
        for _ in 0..MOST_ROUNDS {
            if self.missed(&at) < 1.0 {
                break;
            }
            let mut multipliers = at.multipliers;
            for (place, multiplier) in multipliers.iter_mut().enumerate().filter(|(place, _)| self.met[*place]) {
                let (wanted, having) = (self.bound[place], self.bound[place] + at.gradient[place]);
                if wanted > 0.0 && having > 0.0 {
                    *multiplier += (wanted / having).ln() / self.strips.most as f64;
                }
            }
            at = self.point(multipliers);
        }
        at
    }

    fn entropy(&self, at: &Point) -> f64 {
        let of_crowd = |crowd: usize| {
            let having = at.having[self.strips.of_crowd(crowd)].iter().filter(|having| **having > 0.0);
            -having.map(|having| having * (having / self.people[crowd]).ln()).sum::<f64>()
        };
        (0..self.people.len()).map(of_crowd).sum()
    }

    /// Takes what has become tiny for impossible; says whether anything has.
    fn forget(&mut self, at: &Point) -> bool {
        let mut any = false;
        for (crowd, people) in self.people.iter().enumerate() {
            for cell in self.strips.of_crowd(crowd) {
                let tiny = at.having[cell] < NOTHING * people;
                any |= self.possible[cell] && tiny;
                self.possible[cell] &= !tiny;
            }
        }
        any
    }

    /// The maximum where the chosen counts are met exactly.
    fn maximum(&mut self, mut at: Point) -> Option<Point> {
        for _ in 0..MOST_STEPS {
            if self.missed(&at) <= TOLERANCE {
                return Some(at);
            }
            let step = self.newton(&at);
            at = self.along(&at, &step)?;
            // Far from the maximum a probability may be tiny that is not so there.
            if self.missed(&at) < NEAR && self.forget(&at) {
                at = self.point(at.multipliers);
            }
        }
        None
    }

    /// Chooses which bounds are met exactly; says whether that is another choice than before.
    fn choose(&mut self, at: &mut Point) -> bool {
        let mut other = false;
        for multiplier in (0..self.side.len()).filter(|multiplier| self.side[*multiplier] != 0.0) {
            // The gradient of a bound is positive where there is room.
            let (pulls, room) = (at.multipliers[multiplier], at.gradient[multiplier]);
            if self.met[multiplier] && pulls < -TOLERANCE {
                self.met[multiplier] = false;
                at.multipliers[multiplier] = 0.0;
                other = true;
            } else if !self.met[multiplier] && room < -TOLERANCE {
                self.met[multiplier] = true;
                other = true;
            }
        }
        other
    }

    /// The most by which a count is missed that is to be met exactly.
    fn missed(&self, at: &Point) -> f64 {
        let counts = (0..self.bound.len()).filter(|multiplier| self.met[*multiplier]);
        counts.map(|multiplier| at.gradient[multiplier].abs()).fold(0.0, f64::max)
    }

    /// Newton's step, as far as conjugate gradients find it worth while.
    fn newton(&self, at: &Point) -> Vec<f64> {
        let mut turns = Turns::new(self, at);
        let size = turns.size;
        // Better than what is asked for in the end is not needed; nearly as good would need another step.
        let enough = size * size.sqrt().min(0.1);
        let enough = if enough < LAST * TOLERANCE { 0.5 * TOLERANCE } else { enough };
        for _ in 0..MOST_TURNS {
            if !turns.turn() || turns.size <= enough {
                break;
            }
        }
        turns.step
    }

    /// A better place in the direction of a step; none when there is none.
    fn along(&self, at: &Point, step: &[f64]) -> Option<Point> {
        let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        let mut length = (FARTHEST / longest).min(1.0);
        for _ in 0..50 {
            let moved = |place: usize| at.multipliers[place] + length * step[place];
            let next = self.point((0..step.len()).map(moved).collect());
            let both = next.multipliers.iter().zip(&at.multipliers);
            let gain: f64 = both.zip(&at.gradient).map(|((new, old), gradient)| (new - old) * gradient).sum();
            let worse = next.value - at.value;
            // Near the end the value no longer changes in its last places; then what is missed decides.
            let flat = worse.abs() <= 1e-12 * at.value.abs().max(1.0) && self.missed(&next) < self.missed(at);
            if worse <= 1e-4 * gain || flat {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}

/// Spreads the people of a crowd over its values by the multipliers.
struct Spread<'a>(&'a Dual);

impl Weigh for Spread<'_> {
    #[inline(always)]
    fn weigh(&self, crowd: usize, cells: &mut [f64]) -> f64 {
        let dual = self.0;
        let possible = &dual.possible[dual.strips.of_crowd(crowd)];
        let among = cells.iter().zip(possible).filter(|(_, possible)| **possible);
        let highest = among.fold(f64::NEG_INFINITY, |highest, (slope, _)| highest.max(*slope));
        let mut total = 0.0;
        for (cell, possible) in cells.iter_mut().zip(possible) {
            *cell = if *possible { (*cell - highest).exp() } else { 0.0 };
            total += *cell;
        }
        let scale = dual.people[crowd] / total;
        cells.iter_mut().for_each(|cell| *cell *= scale);
        dual.people[crowd] * (total.ln() + highest)
    }
}

/// The second derivative by each multiplier, cell by cell.
struct Own<'a> {
    dual: &'a Dual,
    having: &'a [f64],
}

impl Weigh for Own<'_> {
    #[inline(always)]
    fn weigh(&self, crowd: usize, cells: &mut [f64]) -> f64 {
        let each = self.dual.each[crowd];
        for (cell, having) in cells.iter_mut().zip(&self.having[self.dual.strips.of_crowd(crowd)]) {
            *cell = having * (1.0 - having * each);
        }
        0.0
    }
}

/// The second derivative along a direction, cell by cell.
struct Bend<'a> {
    dual: &'a Dual,
    having: &'a [f64],
}

impl Weigh for Bend<'_> {
    #[inline(always)]
    fn weigh(&self, crowd: usize, cells: &mut [f64]) -> f64 {
        let having = &self.having[self.dual.strips.of_crowd(crowd)];
        let each = self.dual.each[crowd];
        // Most crowds have few values, and loops of a known length cost nothing beside what they do.
        match cells.len() {
            2 => bend::<2>(cells, having, each),
            3 => bend::<3>(cells, having, each),
            4 => bend::<4>(cells, having, each),
            5 => bend::<5>(cells, having, each),
            6 => bend::<6>(cells, having, each),
            _ => bend_any(cells, having, each),
        }
        0.0
    }
}

#[inline(always)]
fn bend<const CELLS: usize>(cells: &mut [f64], having: &[f64], each: f64) {
    if let (Some(cells), Some(having)) = (cells.first_chunk_mut::<CELLS>(), having.first_chunk::<CELLS>()) {
        bend_any(cells, having, each);
    }
}

/// Every slope less the mean, by how many have it.
#[inline(always)]
fn bend_any(cells: &mut [f64], having: &[f64], each: f64) {
    let sum: f64 = having.iter().zip(&*cells).map(|(having, slope)| having * slope).sum();
    let mean = sum * each;
    cells.iter_mut().zip(having).for_each(|(slope, having)| *slope = having * (*slope - mean));
}

/// Conjugate gradients for one step of Newton's.
struct Turns<'a> {
    dual: &'a Dual,
    at: &'a Point,
    /// By multiplier: its sign, and one over the diagonal of the second derivative; both 0 where the multiplier does not move.
    sign: Vec<f64>,
    scale: Vec<f64>,
    step: Vec<f64>,
    rest: Vec<f64>,
    /// The size of what is left of the gradient.
    size: f64,
    direction: Vec<f64>,
    before: f64,
    curved: Vec<f64>,
    of_row: Vec<f64>,
    change: Vec<f64>,
}

impl<'a> Turns<'a> {
    fn new(dual: &'a Dual, at: &'a Point) -> Turns<'a> {
        let len = dual.bound.len();
        let (of_row, mut change) = (dual.strips.nothing(), vec![0.0; dual.strips.cells()]);
        let (own, _) = dual.strips.sweep(&of_row, &mut change, &Own { dual, having: &at.having });
        let scale = |(row, met): (&u32, &bool)| if *met { 1.0 / (own[*row as usize] + 1e-14) } else { 0.0 };
        let scale: Vec<f64> = dual.row.iter().zip(&dual.met).map(scale).collect();
        let sign = dual.sign.iter().zip(&dual.met).map(|(sign, met)| if *met { *sign } else { 0.0 }).collect();
        let rest = at.gradient.iter().zip(&dual.met).map(|(gradient, met)| if *met { -gradient } else { 0.0 });
        let rest: Vec<f64> = rest.collect();
        let direction: Vec<f64> = rest.iter().zip(&scale).map(|(rest, scale)| rest * scale).collect();
        let (before, size) = sizes(&rest, &scale);
        let (step, curved) = (vec![0.0; len], vec![0.0; len]);
        Turns { dual, at, sign, scale, step, rest, size, direction, before, curved, of_row, change }
    }

    /// The second derivative times the direction, and times the direction again.
    fn curve(&mut self) -> f64 {
        let (dual, at) = (self.dual, self.at);
        dual.by_row(&self.direction, &mut self.of_row);
        let bend = Bend { dual, having: &at.having };
        let (mut sums, _) = dual.strips.sweep(&self.of_row, &mut self.change, &bend);
        if dual.exact {
            sums.truncate(self.curved.len());
            self.curved = sums;
        } else {
            for (at, curved) in self.curved.iter_mut().enumerate() {
                *curved = self.sign[at] * sums[dual.row[at] as usize];
            }
        }
        dot(&self.direction, &self.curved)
    }

    /// One turn; false when there is nothing more to gain.
    fn turn(&mut self) -> bool {
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
