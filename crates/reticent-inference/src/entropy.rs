//! The maximum-entropy estimate: of all ways to spread probability that keep every count, the most even one.
//!
//! Maximise -sum n p ln p over crowds and their values, where every count holds on average. The dual has one multiplier a count:
//! minimise  sum over crowds of people * ln(sum over values of exp(sum of its multipliers))  -  sum of multiplier * count,
//! a smooth convex function. Newton's method, each step by conjugate gradients ([`conjugate_gradient`]); a count with
//! bounds has a multiplier for each, which cannot be negative, and is 0 unless the bound is reached.
//!
//! Where a probability is forced to 0 and nobody noticed, the multipliers grow without end. So a value that falls below
//! [`NOTHING`] is taken for impossible, and in the end the whole dual is asked, which is never below the maximum: if that is as
//! far above the entropy that was found as the gap that is allowed, nothing was lost; otherwise there is no number.
//!
//! An estimate: it can be far below the random-worlds probability. It also spreads over fractions of people.

mod conjugate_gradient;
mod incidence;

use super::pieces::Piece;
use conjugate_gradient::ConjugateGradient;
use incidence::{Incidence, Sums, Total, Weigh};

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
/// As far as the second derivative tells, counts are then missed by less than what is allowed, so many times.
const ROOM: f64 = 0.8;
/// Far from the maximum, a step need not make less of what is missed than this many times it.
const FORCE: f64 = 0.2;
/// No multiplier moves further in one step: probabilities change by far more than that already.
const FARTHEST: f64 = 40.0;
/// Rounds of fitting before the first of Newton's steps.
const MOST_ROUNDS: usize = 30;
const MOST_STEPS: usize = 100;
const MOST_CHOICES: usize = 50;
const MOST_ITERATIONS: usize = 2_000;

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
    /// The entropy in nats, of people who have none of their forced values.
    pub nats: f64,
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
    estimate_with(piece, incidence::CELLS_A_PART)
}

/// The same, where pieces are cut into parts of about so many cells.
pub(super) fn estimate_with(piece: &Piece, cells_a_part: usize) -> Option<Estimate> {
    let mut dual = Dual::new(piece, cells_a_part);
    let (mut at, mut newton) = (dual.begin(), Newton::new(&dual));
    for _ in 0..MOST_CHOICES {
        dual.maximum(&mut at, &mut newton)?;
        if dual.choose(&mut at) {
            dual.look(&mut at);
            continue;
        }
        let (entropy, missed) = (dual.entropy(&at), at.missed);
        let whole = if std::mem::take(&mut dual.possible).is_empty() {
            at.value
        } else {
            let next = &mut newton.next;
            next.multipliers.clone_from(&at.multipliers);
            dual.look(next);
            next.value
        };
        let nats = (whole - entropy).max(0.0);
        let gap = Gap { missed, nats };
        let people: f64 = dual.people.iter().sum();
        if nats > MOST_GAP * people {
            return None;
        }
        let mut shares = at.having;
        for (crowd, people) in dual.people.iter().enumerate() {
            shares[dual.incidence.of_crowd(crowd)].iter_mut().for_each(|having| *having /= people);
        }
        let start = piece.crowds.iter().map(|crowd| crowd.cells().start as u32).collect();
        return Some(Estimate { start, shares, nats: entropy, gap });
    }
    None
}

/// The dual problem of a piece.
struct Dual<'a> {
    /// By crowd: its people.
    people: Vec<f64>,
    incidence: Incidence<'a>,
    /// By cell: whether it is taken for possible; nothing while all are.
    possible: Vec<bool>,
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
    /// The most by which a count is missed that is to be met exactly.
    missed: f64,
    /// By row: its multipliers together, and its people.
    of_row: Vec<f64>,
    sums: Sums,
}

impl Point {
    /// Where every multiplier is 0; nothing is known of it yet.
    fn new(dual: &Dual<'_>) -> Point {
        let nothing = vec![0.0; dual.bound.len()];
        Point {
            multipliers: nothing.clone(),
            having: vec![0.0; dual.incidence.cells()],
            value: f64::NAN,
            gradient: nothing,
            missed: f64::NAN,
            of_row: dual.incidence.zeros(),
            sums: dual.incidence.sums(),
        }
    }
}

/// Newton's steps, one after the other in the same memory.
struct Newton {
    gradient: ConjugateGradient,
    next: Point,
}

impl Newton {
    fn new(dual: &Dual<'_>) -> Newton {
        Newton { gradient: ConjugateGradient::new(dual), next: Point::new(dual) }
    }

    /// Goes to a better point; none when there is none.
    fn step(&mut self, dual: &Dual<'_>, at: &mut Point) -> Option<()> {
        dual.newton(at, &mut self.gradient);
        dual.along(at, &mut self.next, &self.gradient.step)
    }
}

impl<'a> Dual<'a> {
    fn new(piece: &'a Piece, cells_a_part: usize) -> Dual<'a> {
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
        let incidence = Incidence::new(piece, cells_a_part);
        let people = piece.crowds.iter().map(|crowd| crowd.people as f64).collect();
        let met = side.iter().map(|side| *side == 0.0).collect();
        let sign = side.iter().map(|side| if *side < 0.0 { -1.0 } else { 1.0 }).collect();
        Dual { people, possible: Vec::new(), incidence, row, bound, side, sign, met }
    }

    /// By row: the sum of its multipliers, each with its sign.
    fn by_row(&self, multipliers: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        for (at, multiplier) in multipliers.iter().enumerate() {
            sums[self.row[at] as usize] += self.sign[at] * multiplier;
        }
    }

    /// Finds out what is known of a place with these multipliers.
    fn look(&self, at: &mut Point) {
        self.by_row(&at.multipliers, &mut at.of_row);
        let mut value = self.incidence.sweep(&at.of_row, &mut at.having, &mut at.sums, &Spread(self));
        let mut missed = 0.0f64;
        for (place, gradient) in at.gradient.iter_mut().enumerate() {
            *gradient = self.sign[place] * (at.sums.all[self.row[place] as usize] - self.bound[place]);
            value -= self.sign[place] * self.bound[place] * at.multipliers[place];
            let off = if self.met[place] { gradient.abs() } else { 0.0 };
            missed = if off > missed { off } else { missed };
        }
        (at.value, at.missed) = (value, missed);
    }

    /// Where to begin: a few rounds of proportional fitting (Darroch and Ratcliff's generalized iterative scaling), which come near
    /// from far away, where Newton's steps are too long.
    fn begin(&self) -> Point {
        let mut at = Point::new(self);
        self.look(&mut at);
        let most_rows = self.incidence.most_rows() as f64;
        for _ in 0..MOST_ROUNDS {
            if at.missed < 1.0 {
                break;
            }
            for (place, multiplier) in at.multipliers.iter_mut().enumerate().filter(|(place, _)| self.met[*place]) {
                let (wanted, having) = (self.bound[place], self.bound[place] + at.gradient[place]);
                if wanted > 0.0 && having > 0.0 {
                    *multiplier += (wanted / having).ln() / most_rows;
                }
            }
            self.look(&mut at);
        }
        at
    }

    fn entropy(&self, at: &Point) -> f64 {
        let of_crowd = |crowd: usize| {
            let having = at.having[self.incidence.of_crowd(crowd)].iter().filter(|having| **having > 0.0);
            -having.map(|having| having * (having / self.people[crowd]).ln()).sum::<f64>()
        };
        (0..self.people.len()).map(of_crowd).sum()
    }

    /// Takes what has become tiny for impossible; says whether anything has.
    fn forget(&mut self, at: &Point) -> bool {
        let mut any = false;
        for (crowd, people) in self.people.iter().enumerate() {
            for cell in self.incidence.of_crowd(crowd).filter(|cell| at.having[*cell] < NOTHING * people) {
                self.possible.resize(self.incidence.cells(), true);
                any |= std::mem::replace(&mut self.possible[cell], false);
            }
        }
        any
    }

    /// Goes to the maximum where the chosen counts are met exactly; none when it is not found.
    fn maximum(&mut self, at: &mut Point, newton: &mut Newton) -> Option<()> {
        for _ in 0..MOST_STEPS {
            // What is no number would not be seen in what is missed.
            if !at.value.is_finite() {
                return None;
            }
            if at.missed <= TOLERANCE {
                return Some(());
            }
            newton.step(self, at)?;
            // Far from the maximum a probability may be tiny that is not so there.
            if at.missed < NEAR && self.forget(at) {
                self.look(at);
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

    /// Newton's step, as far as conjugate gradients find it worth while.
    fn newton(&self, at: &Point, gradient: &mut ConjugateGradient) {
        gradient.begin(self, at);
        // The nearer, the better a step is worth knowing: what is missed falls to its square.
        let enough = gradient.norm * gradient.norm.min(FORCE);
        // Better than what is asked for in the end is not needed; nearly as good would need another step.
        let last = enough < LAST * TOLERANCE;
        for _ in 0..MOST_ITERATIONS {
            let better = gradient.iterate(self, at);
            if !better || if last { gradient.misses_at_most(ROOM * TOLERANCE) } else { gradient.norm <= enough } {
                break;
            }
        }
    }

    /// Goes to a better point in the direction of a step; none when there is none.
    fn along(&self, at: &mut Point, next: &mut Point, step: &[f64]) -> Option<()> {
        let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        let mut length = (FARTHEST / longest).min(1.0);
        for _ in 0..50 {
            let moved = at.multipliers.iter().zip(step).map(|(multiplier, step)| multiplier + length * step);
            next.multipliers.clear();
            next.multipliers.extend(moved);
            self.look(next);
            let both = next.multipliers.iter().zip(&at.multipliers);
            let gain: f64 = both.zip(&at.gradient).map(|((new, old), gradient)| (new - old) * gradient).sum();
            let worse = next.value - at.value;
            // Near the end the value no longer changes in its last places; then what is missed decides.
            let flat = worse.abs() <= 1e-12 * at.value.abs().max(1.0) && next.missed < at.missed;
            if worse <= 1e-4 * gain || flat {
                std::mem::swap(at, next);
                return Some(());
            }
            length *= 0.5;
        }
        None
    }
}

/// Spreads the people of a crowd over its values by the multipliers.
struct Spread<'a>(&'a Dual<'a>);

impl Weigh for Spread<'_> {
    const GATHERS: bool = true;

    #[inline(always)]
    fn weigh(&self, crowd: usize, first: usize, cells: &mut [f64], value: &mut Total) {
        let dual = self.0;
        if !dual.possible.is_empty() {
            let possible = &dual.possible[first..first + cells.len()];
            let not = cells.iter_mut().zip(possible).filter(|(_, possible)| !**possible);
            not.for_each(|(cell, _)| *cell = f64::NEG_INFINITY);
        }
        let highest = cells.iter().fold(f64::NEG_INFINITY, |highest, slope| highest.max(*slope));
        let mut total = 0.0;
        for cell in &mut *cells {
            *cell = (*cell - highest).exp();
            total += *cell;
        }
        let people = dual.people[crowd];
        let scale = people / total;
        cells.iter_mut().for_each(|cell| *cell *= scale);
        if people == 1.0 {
            value.add(highest);
            value.add_ln(total);
        } else {
            value.add(people * (total.ln() + highest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, TOLERANCE, estimate};
    use crate::pieces::Row;

    /// Five people in two crowds, of whom one has the first value and two have the second.
    fn piece() -> Piece {
        let mut piece = Piece { rows: vec![Row { least: 1, most: 1 }, Row { least: 2, most: 2 }], ..Piece::default() };
        for (people, last) in [(3, 2), (2, 3)] {
            piece.add_cell(0, [0]);
            piece.add_cell(1, [1]);
            piece.add_cell(last, []);
            piece.add(people);
        }
        piece
    }

    /// The shares are 1, 2 and 2 of 5 for everybody.
    #[test]
    fn the_maximum_is_the_one_computed_by_hand() {
        let estimate = estimate(&piece()).expect("a maximum");
        let nats = -5.0 * (0.2 * f64::ln(0.2) + 2.0 * 0.4 * f64::ln(0.4));
        assert!((estimate.nats - nats).abs() < 1e-9, "{} and {nats}", estimate.nats);
        for crowd in 0..2 {
            for (cell, share) in [0.2, 0.4, 0.4].into_iter().enumerate() {
                assert!((estimate.share(crowd, cell) - share).abs() < TOLERANCE, "{crowd}, {cell}");
            }
        }
    }
}
