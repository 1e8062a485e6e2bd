//! What is told of everybody, put together from what is forced and what was found about pieces.

use std::ops::Index;

use rayon::prelude::*;

use super::pieces::{Piece, Split};
use super::presolve::Boxes;
use super::system::System;
use super::{Fraction, Sampled, Solved, Value};

/// Crowds that are told of together, by one thread.
const TOGETHER: usize = 1 << 6;

/// What is told about one value of one person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    /// The value.
    pub value: Value,
    /// The random-worlds probability is at least this,
    pub lower: Fraction,
    /// and at most this.
    pub upper: Fraction,
    /// The random-worlds probability, where worlds were counted.
    pub worlds: Option<f64>,
    /// The random-worlds probability as estimated from samples.
    pub sampled: Option<Sampled>,
    /// The maximum-entropy estimate.
    pub entropy: Option<f64>,
}

/// By crowd: what is told of its people, value by value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tellings {
    crowds: usize,
    /// By [`TOGETHER`] crowds.
    together: Vec<Together>,
}

impl Tellings {
    pub(super) fn of(system: &System, boxes: &Boxes, split: &Split, solved: &[Solved]) -> Tellings {
        let crowds = system.crowds();
        let some = (0..crowds.div_ceil(TOGETHER)).into_par_iter().map(|at| {
            let mut told = Together::default();
            let here = at * TOGETHER..crowds.min((at + 1) * TOGETHER);
            // What nobody has is not told, so that there is room for the others only.
            let cells = here.clone().flat_map(|crowd| system.cells(crowd));
            told.all.reserve(cells.filter(|cell| boxes.at(*cell).1 > 0).count());
            for crowd in here {
                told.add(system, boxes, split, solved, crowd);
            }
            told
        });
        Tellings { crowds, together: some.collect() }
    }

    /// How many crowds there are.
    pub fn len(&self) -> usize {
        self.crowds
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.crowds == 0
    }

    /// Crowd by crowd.
    pub fn iter(&self) -> impl Iterator<Item = &[Told]> {
        (0..self.crowds).map(|crowd| &self[crowd])
    }
}

impl Index<usize> for Tellings {
    type Output = [Told];

    fn index(&self, crowd: usize) -> &[Told] {
        self.together[crowd / TOGETHER].of(crowd % TOGETHER)
    }
}

/// What is told of crowds that follow each other, in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq)]
struct Together {
    /// By crowd: the end of what is told of it.
    ends: Vec<u32>,
    all: Vec<Told>,
}

impl Together {
    fn of(&self, crowd: usize) -> &[Told] {
        let start = crowd.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[crowd] as usize]
    }

    /// What is told of one more crowd.
    fn add(&mut self, system: &System, boxes: &Boxes, split: &Split, solved: &[Solved], crowd: usize) {
        let (place, open) = (split.place[crowd], split.open[crowd]);
        let people = system.people[crowd] as u64;
        let loose = system.loose.binary_search(&(crowd as u32)).is_ok();
        let mut free = 0;
        for cell in system.cells(crowd) {
            let (low, high) = boxes.at(cell);
            let value = system.value[cell];
            if high == 0 {
                continue;
            }
            let told = if loose {
                // Something tells its people apart after all: only what all of them have, or none, is true of each.
                let lower = Fraction::new(u128::from(low as u64 == people), 1);
                Told::between(value, lower, Fraction::ONE)
            } else if low == high {
                Told::known(value, Fraction::new(low as u128, u128::from(people)))
            } else if let Some((piece, merged)) = place {
                let (piece, solved) = (&split.pieces[piece as usize], &solved[piece as usize]);
                let crowd = Here { people, open, piece, solved, merged: merged as usize, at: free };
                free += 1;
                crowd.told(value, low as u64, high as u64)
            } else {
                continue;
            };
            if told.upper.numerator > 0 {
                self.all.push(told);
            }
        }
        self.ends.push(self.all.len() as u32);
    }
}

/// One open value of one crowd in its piece.
struct Here<'a> {
    people: u64,
    open: u64,
    piece: &'a Piece,
    solved: &'a Solved,
    merged: usize,
    at: usize,
}

impl Here<'_> {
    fn told(&self, value: Value, low: u64, high: u64) -> Told {
        let fraction = |a: u64, b: u64| Fraction::new(u128::from(a), u128::from(b));
        // Of the crowd, `open` people are of the piece; each of them has the value as likely as anybody else in it.
        let scale = self.open as f64 / self.people as f64;
        let mut told = Told {
            value,
            lower: fraction(low, self.people),
            upper: fraction(high, self.people),
            worlds: None,
            sampled: None,
            entropy: None,
        };
        let alike = u64::from(self.solved.proved.alike.to(value));
        told.upper = told.upper.min(fraction(self.open, self.people * alike));
        if alike as usize == self.piece.crowds[self.merged].cells().len() {
            told.lower = told.lower.max(told.upper);
            told.worlds = Some(told.upper.value());
        }
        self.narrow(&mut told);
        if let Some(counted) = &self.solved.proved.counted {
            let share = counted.share(self.merged, self.at);
            let exact = counted.exact(self.merged, self.at);
            let exact = exact.and_then(|share| share.times(fraction(self.open, self.people)));
            told.worlds = Some(exact.map_or(share * scale, |exact| exact.value()));
            let (lower, upper) = match exact {
                Some(exact) => (exact, exact),
                None => Fraction::around(share * scale),
            };
            (told.lower, told.upper) = (told.lower.max(lower), told.upper.min(upper));
        }
        let sampled = self.solved.sampled.as_ref();
        let sampled = sampled.and_then(|samples| samples.share(self.merged, self.at));
        told.sampled = sampled.map(|sampled| sampled.scaled(scale));
        let entropy = self.solved.entropy.as_ref();
        told.entropy = entropy.map(|estimate| estimate.share(self.merged, self.at) * scale);
        told
    }

    /// By what programs prove of all who are merged: each of them has the value as likely as any other.
    fn narrow(&self, told: &mut Told) {
        let Some(bounded) = self.solved.proved.bounded.as_ref().filter(|_| !self.solved.bounds_only) else { return };
        let (low, high) = bounded.bounds[self.merged][self.at];
        let merged = self.piece.crowds[self.merged].people;
        let share = |people: u64| {
            let share = u128::from(people) * u128::from(self.open);
            Fraction::new(share, u128::from(merged) * u128::from(self.people))
        };
        (told.lower, told.upper) = (told.lower.max(share(low)), told.upper.min(share(high)));
        if told.lower == told.upper {
            told.worlds = Some(told.upper.value());
        }
    }
}

impl Told {
    /// Something of which nothing but bounds is known.
    fn between(value: Value, lower: Fraction, upper: Fraction) -> Told {
        Told { value, lower, upper, worlds: None, sampled: None, entropy: None }
    }

    /// Something that is the same in every world.
    fn known(value: Value, share: Fraction) -> Told {
        let worlds = Some(share.value());
        Told { value, lower: share, upper: share, worlds, sampled: None, entropy: worlds }
    }

    /// The random-worlds probability as a fraction, where it is known and small enough to write: then its bounds meet.
    pub fn exact(&self) -> Option<Fraction> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// The best single figure: counted, or else sampled, or else the estimate.
    pub fn best(&self) -> f64 {
        let sampled = self.sampled.map(|sampled| sampled.share);
        let estimate = self.worlds.or(sampled).or(self.entropy).unwrap_or_else(|| self.upper.value());
        estimate.clamp(self.lower.value(), self.upper.value())
    }
}
