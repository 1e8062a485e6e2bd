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
use super::system::Lists;

/// Counts must be met this well, in people.
const TOLERANCE: f64 = 1e-8;
/// A probability below this is taken for 0, subject to proof.
const NOTHING: f64 = 1e-9;
/// The gap between the entropy found and what the dual proves to be the most, in nats for each person.
const MOST_GAP: f64 = 1e-7;
/// Counts missed by less are near the maximum.
const NEAR: f64 = 0.5;
/// No multiplier moves further in one step: probabilities change by far more than that already.
const FARTHEST: f64 = 40.0;
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
    let mut at = dual.point(vec![0.0; dual.bound.len()]);
    for _ in 0..MOST_CHOICES {
        at = dual.maximum(at)?;
        if dual.choose(&mut at) {
            at = dual.point(at.multipliers);
            continue;
        }
        let (entropy, missed) = (dual.entropy(&at), dual.missed(&at));
        dual.possible.iter_mut().for_each(|possible| *possible = true);
        let nats = (dual.point(at.multipliers).value - entropy).max(0.0);
        let people: f64 = dual.people.iter().sum();
        let gap = Gap { missed, nats };
        return (nats <= MOST_GAP * people).then_some(Estimate { start: dual.start, shares: at.shares, gap });
    }
    None
}

/// The dual problem of a piece.
struct Dual {
    /// By crowd: its people, and where its cells start; one more at the end.
    people: Vec<f64>,
    start: Vec<u32>,
    /// By cell: whether it is taken for possible.
    possible: Vec<bool>,
    /// By cell: its rows, and by row: its cells.
    rows: Lists,
    cells: Lists,
    /// By multiplier: its row, the count it holds, and its side: 0 where the count is met exactly, else +1 for the least and -1
    /// for the most.
    row: Vec<u32>,
    bound: Vec<f64>,
    side: Vec<f64>,
    /// By multiplier: whether its count is met exactly, for now or always.
    met: Vec<bool>,
}

/// A place in the dual.
struct Point {
    multipliers: Vec<f64>,
    /// By cell: the probability.
    shares: Vec<f64>,
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
        let mut start = vec![0];
        for crowd in &piece.crowds {
            start.push(start[start.len() - 1] + crowd.cells.len() as u32);
        }
        let cells = piece.crowds.iter().flat_map(|crowd| &crowd.cells);
        let rows = Lists::of(cells.map(|(_, rows)| rows.iter().copied()));
        let cells = rows.turned(piece.rows.len());
        let people = piece.crowds.iter().map(|crowd| crowd.people as f64).collect();
        let met = side.iter().map(|side| *side == 0.0).collect();
        Dual { people, start, possible: vec![true; rows.len()], rows, cells, row, bound, side, met }
    }

    fn of_crowd(&self, crowd: usize) -> std::ops::Range<usize> {
        self.start[crowd] as usize..self.start[crowd + 1] as usize
    }

    fn sign(&self, multiplier: usize) -> f64 {
        if self.side[multiplier] < 0.0 { -1.0 } else { 1.0 }
    }

    /// By row: the sum of its multipliers, each with its sign.
    fn by_row(&self, multipliers: &[f64], sums: &mut [f64]) {
        sums.iter_mut().for_each(|sum| *sum = 0.0);
        for (at, multiplier) in multipliers.iter().enumerate() {
            sums[self.row[at] as usize] += self.sign(at) * multiplier;
        }
    }

    /// By multiplier: what its row says, with its sign.
    fn by_multiplier(&self, weights: &[f64], result: &mut [f64]) {
        let mut known = (u32::MAX, 0.0);
        for (at, result) in result.iter_mut().enumerate() {
            if known.0 != self.row[at] {
                let cells = self.cells.at(self.row[at] as usize);
                known = (self.row[at], cells.iter().map(|cell| weights[*cell as usize]).sum());
            }
            *result = self.sign(at) * known.1;
        }
    }

    fn point(&self, multipliers: Vec<f64>) -> Point {
        let mut of_row = vec![0.0; self.cells.len()];
        self.by_row(&multipliers, &mut of_row);
        let mut shares = vec![0.0; self.rows.len()];
        let mut having = vec![0.0; self.rows.len()];
        let mut value = 0.0;
        for crowd in 0..self.people.len() {
            let cells = self.of_crowd(crowd);
            let mut highest = f64::NEG_INFINITY;
            for cell in cells.clone().filter(|cell| self.possible[*cell]) {
                shares[cell] = self.rows.at(cell).iter().map(|row| of_row[*row as usize]).sum();
                highest = highest.max(shares[cell]);
            }
            let mut total = 0.0;
            for cell in cells.clone().filter(|cell| self.possible[*cell]) {
                shares[cell] = (shares[cell] - highest).exp();
                total += shares[cell];
            }
            value += self.people[crowd] * (total.ln() + highest);
            for cell in cells {
                shares[cell] /= total;
                having[cell] = self.people[crowd] * shares[cell];
            }
        }
        let mut gradient = vec![0.0; self.bound.len()];
        self.by_multiplier(&having, &mut gradient);
        for at in 0..gradient.len() {
            gradient[at] -= self.sign(at) * self.bound[at];
            value -= self.sign(at) * self.bound[at] * multipliers[at];
        }
        Point { multipliers, shares, value, gradient }
    }

    fn entropy(&self, at: &Point) -> f64 {
        let of_crowd = |crowd: usize| {
            let shares = at.shares[self.of_crowd(crowd)].iter().filter(|share| **share > 0.0);
            -self.people[crowd] * shares.map(|share| share * share.ln()).sum::<f64>()
        };
        (0..self.people.len()).map(of_crowd).sum()
    }

    /// Takes what has become tiny for impossible; says whether anything has.
    fn forget(&mut self, at: &Point) -> bool {
        let mut any = false;
        for (possible, share) in self.possible.iter_mut().zip(&at.shares) {
            any |= *possible && *share < NOTHING;
            *possible &= *share >= NOTHING;
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
        let size = turns.rest_size();
        let enough = size * size.sqrt().min(0.1);
        for _ in 0..MOST_TURNS {
            if !turns.turn() || turns.rest_size() <= enough {
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

/// Conjugate gradients for one step of Newton's.
struct Turns<'a> {
    dual: &'a Dual,
    at: &'a Point,
    /// By cell: how many people have it.
    having: Vec<f64>,
    /// By multiplier: whether it moves.
    free: Vec<bool>,
    diagonal: Vec<f64>,
    step: Vec<f64>,
    rest: Vec<f64>,
    direction: Vec<f64>,
    before: f64,
    curved: Vec<f64>,
    of_row: Vec<f64>,
    change: Vec<f64>,
}

impl<'a> Turns<'a> {
    fn new(dual: &'a Dual, at: &'a Point) -> Turns<'a> {
        let len = dual.bound.len();
        let free = dual.met.clone();
        let mut having = vec![0.0; dual.rows.len()];
        let mut own = vec![0.0; dual.rows.len()];
        for crowd in 0..dual.people.len() {
            for cell in dual.of_crowd(crowd) {
                having[cell] = dual.people[crowd] * at.shares[cell];
                own[cell] = having[cell] * (1.0 - at.shares[cell]);
            }
        }
        let mut diagonal = vec![0.0; len];
        dual.by_multiplier(&own, &mut diagonal);
        diagonal.iter_mut().for_each(|value| *value = value.abs() + 1e-14);
        let rest: Vec<f64> = at.gradient.iter().zip(&free).map(|(g, free)| if *free { -g } else { 0.0 }).collect();
        let direction: Vec<f64> = rest.iter().zip(&diagonal).map(|(rest, diagonal)| rest / diagonal).collect();
        let before = dot(&rest, &direction);
        let (of_row, change) = (vec![0.0; dual.cells.len()], vec![0.0; dual.rows.len()]);
        let (step, curved) = (vec![0.0; len], vec![0.0; len]);
        Turns { dual, at, having, free, diagonal, step, rest, direction, before, curved, of_row, change }
    }

    fn rest_size(&self) -> f64 {
        dot(&self.rest, &self.rest).sqrt()
    }

    /// The second derivative times the direction.
    fn curve(&mut self) {
        self.dual.by_row(&self.direction, &mut self.of_row);
        for crowd in 0..self.dual.people.len() {
            let cells = self.dual.of_crowd(crowd);
            let mut mean = 0.0;
            for cell in cells.clone() {
                let slope: f64 = self.dual.rows.at(cell).iter().map(|row| self.of_row[*row as usize]).sum();
                mean += self.at.shares[cell] * slope;
                self.change[cell] = slope;
            }
            for cell in cells {
                self.change[cell] = self.having[cell] * (self.change[cell] - mean);
            }
        }
        self.dual.by_multiplier(&self.change, &mut self.curved);
        self.curved.iter_mut().zip(&self.free).filter(|(_, free)| !**free).for_each(|(value, _)| *value = 0.0);
    }

    /// One turn; false when there is nothing more to gain.
    fn turn(&mut self) -> bool {
        self.curve();
        let bend = dot(&self.direction, &self.curved);
        if bend <= 1e-300 {
            return false;
        }
        let length = self.before / bend;
        let mut now = 0.0;
        for at in 0..self.step.len() {
            self.step[at] += length * self.direction[at];
            self.rest[at] -= length * self.curved[at];
            now += self.rest[at] * self.rest[at] / self.diagonal[at];
        }
        let turned = now / self.before;
        self.before = now;
        for at in 0..self.step.len() {
            self.direction[at] = self.rest[at] / self.diagonal[at] + turned * self.direction[at];
        }
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
