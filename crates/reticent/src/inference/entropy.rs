//! The maximum-entropy estimate: of all ways to spread probability that keep every count, the most even one.
//!
//! Maximise -sum n p ln p over crowds and their values, where every count holds on average. The dual has one multiplier a count:
//! minimise  sum over crowds of people * ln(sum over values of exp(sum of its multipliers))  -  sum of multiplier * count,
//! a smooth convex function. Newton's method, each step by conjugate gradients with a diagonal preconditioner; counts with two
//! bounds have two multipliers that cannot be negative. Not converged is no number.
//!
//! An estimate: it can be far below the random-worlds probability. It also spreads over fractions of people.

use super::pieces::Piece;

/// Counts must be met this well.
const TOLERANCE: f64 = 1e-8;
const MOST_STEPS: usize = 200;

/// How exactly the maximum was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Gap {
    /// The most by which a count is missed, in people.
    pub missed: f64,
    /// The duality gap, in nats.
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
pub(super) fn estimate(piece: &Piece) -> Option<Estimate> {
    let dual = Dual::of(piece);
    let mut at = dual.point(vec![0.0; dual.bound.len()]);
    for _ in 0..MOST_STEPS {
        if dual.missed(&at) <= TOLERANCE {
            let nats: f64 = at.multipliers.iter().zip(&at.gradient).map(|(m, g)| m * g).sum::<f64>().abs();
            let gap = Gap { missed: dual.missed(&at), nats };
            return Some(Estimate { start: dual.start, shares: at.shares, gap });
        }
        let step = dual.newton(&at);
        at = dual.along(&at, &step)?;
    }
    None
}

/// The dual problem of a piece.
struct Dual {
    /// By crowd: its people, and where its cells start; one more at the end.
    people: Vec<f64>,
    start: Vec<u32>,
    /// By cell: where its multipliers start; one more at the end.
    first: Vec<u32>,
    /// By cell: its multipliers.
    of_cell: Vec<u32>,
    /// By multiplier: the count it holds.
    bound: Vec<f64>,
    /// By multiplier: +1 or -1 for one bound of two, which cannot be negative; 0 for a count that is met exactly.
    side: Vec<f64>,
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
        let (mut bound, mut side) = (Vec::new(), Vec::new());
        let mut of_row: Vec<[Option<u32>; 2]> = Vec::with_capacity(piece.rows.len());
        for row in &piece.rows {
            let mut add = |count: u64, sign: f64| {
                bound.push(count as f64);
                side.push(sign);
                Some(bound.len() as u32 - 1)
            };
            of_row.push(match (row.least, row.most) {
                (least, most) if least == most => [add(least, 0.0), None],
                (0, most) => [add(most, -1.0), None],
                (least, most) => [add(least, 1.0), add(most, -1.0)],
            });
        }
        let (mut start, mut first, mut of_cell) = (vec![0], vec![0], Vec::new());
        for crowd in &piece.crowds {
            for (_, rows) in &crowd.cells {
                of_cell.extend(rows.iter().flat_map(|row| of_row[*row as usize].into_iter().flatten()));
                first.push(of_cell.len() as u32);
            }
            start.push(first.len() as u32 - 1);
        }
        let people = piece.crowds.iter().map(|crowd| crowd.people as f64).collect();
        Dual { people, start, first, of_cell, bound, side }
    }

    fn cells(&self, crowd: usize) -> std::ops::Range<usize> {
        self.start[crowd] as usize..self.start[crowd + 1] as usize
    }

    fn multipliers(&self, cell: usize) -> &[u32] {
        &self.of_cell[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    /// What a multiplier adds to a cell: its own sign for one bound of two.
    fn sign(&self, multiplier: u32) -> f64 {
        if self.side[multiplier as usize] < 0.0 { -1.0 } else { 1.0 }
    }

    fn point(&self, multipliers: Vec<f64>) -> Point {
        let mut shares = vec![0.0; self.first.len() - 1];
        let mut gradient: Vec<f64> =
            self.bound.iter().zip(0..).map(|(bound, at)| -self.sign(at) * bound).collect();
        let mut value: f64 = gradient.iter().zip(&multipliers).map(|(g, m)| g * m).sum();
        for crowd in 0..self.people.len() {
            let cells = self.cells(crowd);
            let mut highest = f64::NEG_INFINITY;
            for cell in cells.clone() {
                let sum = self.multipliers(cell).iter().map(|at| self.sign(*at) * multipliers[*at as usize]).sum();
                shares[cell] = sum;
                highest = highest.max(sum);
            }
            let mut total = 0.0;
            for share in &mut shares[cells.clone()] {
                *share = (*share - highest).exp();
                total += *share;
            }
            value += self.people[crowd] * (total.ln() + highest);
            for cell in cells {
                shares[cell] /= total;
                let having = self.people[crowd] * shares[cell];
                for at in self.multipliers(cell) {
                    gradient[*at as usize] += self.sign(*at) * having;
                }
            }
        }
        Point { multipliers, shares, value, gradient }
    }

    /// Whether a multiplier stays where it is: at 0, and pushed below.
    fn rests(&self, at: &Point, multiplier: usize) -> bool {
        self.side[multiplier] != 0.0 && at.multipliers[multiplier] <= 0.0 && at.gradient[multiplier] >= 0.0
    }

    /// The most by which a count is missed.
    fn missed(&self, at: &Point) -> f64 {
        let missed = |multiplier: usize| match self.side[multiplier] {
            0.0 => at.gradient[multiplier].abs(),
            // A bound that is not reached may rest; one that is pressed on must be met.
            _ if self.rests(at, multiplier) => 0.0,
            _ => at.gradient[multiplier].abs(),
        };
        (0..self.bound.len()).map(missed).fold(0.0, f64::max)
    }

    /// The second derivative times a direction.
    fn curved(&self, at: &Point, direction: &[f64], result: &mut [f64]) {
        result.iter_mut().for_each(|value| *value = 0.0);
        let mut slopes: Vec<f64> = Vec::with_capacity(16);
        for crowd in 0..self.people.len() {
            let cells = self.cells(crowd);
            slopes.clear();
            let mut mean = 0.0;
            for cell in cells.clone() {
                let slope: f64 =
                    self.multipliers(cell).iter().map(|at| self.sign(*at) * direction[*at as usize]).sum();
                mean += at.shares[cell] * slope;
                slopes.push(slope);
            }
            for (cell, slope) in cells.zip(&slopes) {
                let change = self.people[crowd] * at.shares[cell] * (slope - mean);
                for at in self.multipliers(cell) {
                    result[*at as usize] += self.sign(*at) * change;
                }
            }
        }
    }

    /// Newton's step, as far as conjugate gradients find it worth while.
    fn newton(&self, at: &Point) -> Vec<f64> {
        let len = self.bound.len();
        let free: Vec<bool> = (0..len).map(|multiplier| !self.rests(at, multiplier)).collect();
        let mut diagonal = vec![1e-12; len];
        for crowd in 0..self.people.len() {
            for cell in self.cells(crowd) {
                let own = self.people[crowd] * at.shares[cell] * (1.0 - at.shares[cell]);
                self.multipliers(cell).iter().for_each(|at| diagonal[*at as usize] += own);
            }
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut rest: Vec<f64> = at.gradient.iter().zip(&free).map(|(g, free)| if *free { -g } else { 0.0 }).collect();
        let size = dot(&rest, &rest).sqrt();
        let enough = size * size.sqrt().min(0.1);
        let mut step = vec![0.0; len];
        let mut scaled: Vec<f64> = rest.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        let mut direction = scaled.clone();
        let mut curved = vec![0.0; len];
        let mut before = dot(&rest, &scaled);
        for _ in 0..1_000 {
            self.curved(at, &direction, &mut curved);
            curved.iter_mut().zip(&free).filter(|(_, free)| !**free).for_each(|(value, _)| *value = 0.0);
            let bend = dot(&direction, &curved);
            if bend <= 1e-300 {
                break;
            }
            let length = before / bend;
            for place in 0..len {
                step[place] += length * direction[place];
                rest[place] -= length * curved[place];
            }
            if dot(&rest, &rest).sqrt() <= enough {
                break;
            }
            for place in 0..len {
                scaled[place] = rest[place] / diagonal[place];
            }
            let now = dot(&rest, &scaled);
            let turn = now / before;
            before = now;
            for place in 0..len {
                direction[place] = scaled[place] + turn * direction[place];
            }
        }
        step
    }

    /// A better place in the direction of a step; none when there is none.
    fn along(&self, at: &Point, step: &[f64]) -> Option<Point> {
        let mut length = 1.0;
        for _ in 0..60 {
            let moved = |place: usize| {
                let moved = at.multipliers[place] + length * step[place];
                if self.side[place] != 0.0 { moved.max(0.0) } else { moved }
            };
            let next = self.point((0..step.len()).map(moved).collect());
            let gain: f64 = next.multipliers.iter().zip(&at.multipliers).zip(&at.gradient).map(|((n, m), g)| (n - m) * g).sum();
            let worse = next.value - at.value;
            // Near the end the value no longer changes in its last places; then what is missed decides.
            let flat = worse.abs() <= 1e-13 * at.value.abs().max(1.0) && self.missed(&next) < self.missed(at);
            if worse <= 1e-4 * gain || flat {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}
