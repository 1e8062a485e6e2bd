//! Posteriors by class and value, assembled from the bounds of cells and the results of components.

use std::ops::Index;

use rayon::prelude::*;

use super::components::{Component, Decomposition};
use super::presolve::CellBounds;
use super::system::System;
use super::{Fraction, Sampled, Solved, Value};

/// Number of classes per parallel task.
const CHUNK: usize = 1 << 6;

/// Posterior probability of one value, for each person of a class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posterior {
    /// The value.
    pub value: Value,
    /// Lower bound of the posterior probability.
    pub lower: Fraction,
    /// Upper bound of the posterior probability.
    pub upper: Fraction,
    /// Posterior probability over all possible worlds, if it is known exactly up to rounding.
    pub worlds: Option<f64>,
    /// Posterior probability estimated from sampled worlds.
    pub sampled: Option<Sampled>,
    /// Maximum-entropy estimate of the posterior probability.
    pub entropy: Option<f64>,
}

/// Posteriors of all classes. Index by class to get one [`Posterior`] per value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posteriors {
    classes: usize,
    /// Posteriors of [`CHUNK`] consecutive classes each.
    chunks: Vec<Chunk>,
}

impl Posteriors {
    pub(super) fn new(
        system: &System,
        bounds: &CellBounds,
        decomposition: &Decomposition,
        solved: &[Solved],
    ) -> Posteriors {
        let classes = system.classes();
        let chunks = (0..classes.div_ceil(CHUNK)).into_par_iter().map(|at| {
            let mut chunk = Chunk::default();
            let here = at * CHUNK..classes.min((at + 1) * CHUNK);
            // Impossible values are omitted, so only the others need memory.
            let cells = here.clone().flat_map(|class| system.cells(class));
            chunk.posteriors.reserve(cells.filter(|cell| bounds.at(*cell).1 > 0).count());
            for class in here {
                chunk.add(system, bounds, decomposition, solved, class);
            }
            chunk
        });
        Posteriors { classes, chunks: chunks.collect() }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes
    }

    /// Whether there are no classes.
    pub fn is_empty(&self) -> bool {
        self.classes == 0
    }

    /// Posteriors class by class.
    pub fn iter(&self) -> impl Iterator<Item = &[Posterior]> {
        (0..self.classes).map(|class| &self[class])
    }
}

impl Index<usize> for Posteriors {
    type Output = [Posterior];

    fn index(&self, class: usize) -> &[Posterior] {
        self.chunks[class / CHUNK].get(class % CHUNK)
    }
}

/// Posteriors of consecutive classes, in one allocation.
#[derive(Debug, Clone, Default, PartialEq)]
struct Chunk {
    /// By class: end of its posteriors.
    ends: Vec<u32>,
    posteriors: Vec<Posterior>,
}

impl Chunk {
    fn get(&self, class: usize) -> &[Posterior] {
        let start = class.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.posteriors[start as usize..self.ends[class] as usize]
    }

    /// Adds the posteriors of one class.
    fn add(
        &mut self,
        system: &System,
        bounds: &CellBounds,
        decomposition: &Decomposition,
        solved: &[Solved],
        class: usize,
    ) {
        let (place, open) = (decomposition.place[class], decomposition.open[class]);
        let people = system.people[class] as u64;
        let incomplete = system.incomplete.binary_search(&(class as u32)).is_ok();
        let mut open_index = 0;
        for cell in system.cells(class) {
            let (low, high) = bounds.at(cell);
            let value = system.value[cell];
            if high == 0 {
                continue;
            }
            let posterior = if incomplete {
                // Unknown constraints may distinguish its people. A bound is valid for each only if it covers all or none.
                let lower = Fraction::new(u128::from(low as u64 == people), 1);
                Posterior::between(value, lower, Fraction::ONE)
            } else if low == high {
                Posterior::known(value, Fraction::new(low as u128, u128::from(people)))
            } else if let Some((component, merged)) = place {
                let (component, solved) = (&decomposition.components[component as usize], &solved[component as usize]);
                let cell = OpenCell { people, open, component, solved, merged: merged as usize, at: open_index };
                open_index += 1;
                cell.posterior(value, low as u64, high as u64)
            } else {
                continue;
            };
            if posterior.upper.numerator > 0 {
                self.posteriors.push(posterior);
            }
        }
        self.ends.push(self.posteriors.len() as u32);
    }
}

/// One open cell of a class, with the results of its component.
struct OpenCell<'a> {
    /// Number of people in the class.
    people: u64,
    /// Number of people without a fixed value.
    open: u64,
    component: &'a Component,
    solved: &'a Solved,
    /// Merged class in the component.
    merged: usize,
    /// Position of the cell in the merged class.
    at: usize,
}

impl OpenCell<'_> {
    fn posterior(&self, value: Value, low: u64, high: u64) -> Posterior {
        let fraction = |a: u64, b: u64| Fraction::new(u128::from(a), u128::from(b));
        // Each of the `open` people has the value with the same probability as every person of the merged class.
        let scale = self.open as f64 / self.people as f64;
        let mut posterior = Posterior {
            value,
            lower: fraction(low, self.people),
            upper: fraction(high, self.people),
            worlds: None,
            sampled: None,
            entropy: None,
        };
        let orbit_size = u64::from(self.solved.proved.symmetry.orbit_size(value));
        posterior.upper = posterior.upper.min(fraction(self.open, self.people * orbit_size));
        if orbit_size as usize == self.component.classes[self.merged].cells().len() {
            posterior.lower = posterior.lower.max(posterior.upper);
            posterior.worlds = Some(posterior.upper.value());
        }
        self.narrow(&mut posterior);
        if let Some(counted) = &self.solved.proved.counted {
            let probability = counted.probability(self.merged, self.at);
            let exact = counted.exact(self.merged, self.at);
            let exact = exact.and_then(|exact| exact.checked_mul(fraction(self.open, self.people)));
            posterior.worlds = Some(exact.map_or(probability * scale, |exact| exact.value()));
            let (lower, upper) = match exact {
                Some(exact) => (exact, exact),
                None => Fraction::around(probability * scale),
            };
            (posterior.lower, posterior.upper) = (posterior.lower.max(lower), posterior.upper.min(upper));
        }
        let sampled = self.solved.sampled.as_ref();
        let sampled = sampled.and_then(|samples| samples.estimate(self.merged, self.at));
        posterior.sampled = sampled.map(|sampled| sampled.scaled(scale));
        let entropy = self.solved.entropy.as_ref();
        posterior.entropy = entropy.map(|estimate| estimate.probability(self.merged, self.at) * scale);
        posterior
    }

    /// Narrows the bounds by linear programs. All people of a merged class have the same posterior.
    fn narrow(&self, posterior: &mut Posterior) {
        let Some(bounded) = self.solved.proved.bounded.as_ref().filter(|_| !self.solved.bounds_only) else { return };
        let (low, high) = bounded.bounds[self.merged][self.at];
        let merged = self.component.classes[self.merged].people;
        let fraction = |people: u64| {
            let numerator = u128::from(people) * u128::from(self.open);
            Fraction::new(numerator, u128::from(merged) * u128::from(self.people))
        };
        (posterior.lower, posterior.upper) = (posterior.lower.max(fraction(low)), posterior.upper.min(fraction(high)));
        if posterior.lower == posterior.upper {
            posterior.worlds = Some(posterior.upper.value());
        }
    }
}

impl Posterior {
    /// A posterior with bounds only.
    fn between(value: Value, lower: Fraction, upper: Fraction) -> Posterior {
        Posterior { value, lower, upper, worlds: None, sampled: None, entropy: None }
    }

    /// A posterior that is equal in every world.
    fn known(value: Value, probability: Fraction) -> Posterior {
        let worlds = Some(probability.value());
        Posterior { value, lower: probability, upper: probability, worlds, sampled: None, entropy: worlds }
    }

    /// Posterior probability as an exact fraction, if the bounds are equal.
    pub fn exact(&self) -> Option<Fraction> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Best single figure, within the bounds: counted, else sampled, else maximum entropy, else the upper bound.
    pub fn best(&self) -> f64 {
        let sampled = self.sampled.map(|sampled| sampled.estimate);
        let estimate = self.worlds.or(sampled).or(self.entropy).unwrap_or_else(|| self.upper.value());
        estimate.clamp(self.lower.value(), self.upper.value())
    }
}
