//! Marginal posteriors: the posteriors of sensitive tuples, summed by value of one column.

use super::sensitive_domain::SensitiveDomain;
use reticent_inference::{Fraction, Posterior, Sampled};

/// The posterior of one value of a column.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ColumnPosterior {
    /// Index of the value in the column's domain.
    #[serde(skip)]
    pub value: u32,
    /// Lower bound.
    pub lower: Fraction,
    /// Upper bound.
    pub upper: Fraction,
    /// Exact posterior: the ratio of possible worlds with this value, if they were counted.
    pub random_worlds: Option<f64>,
    /// Estimate from sampled worlds.
    pub sampled: Option<Sampled>,
    /// Maximum-entropy estimate.
    pub maximum_entropy: Option<f64>,
}

impl ColumnPosterior {
    /// Best available figure: exact, else sampled, else maximum entropy.
    pub fn figure(&self) -> Option<f64> {
        let sampled = self.sampled.map(|sampled| sampled.estimate);
        self.random_worlds.or(sampled).or(self.maximum_entropy)
    }

    /// Best available figure, or the upper bound if there is none.
    pub fn best(&self) -> f64 {
        let best = self.figure().unwrap_or_else(|| self.upper.value());
        best.clamp(self.lower.value(), self.upper.value())
    }

    /// Returns whether the posterior is exact.
    pub fn is_exact(&self) -> bool {
        self.random_worlds.is_some()
    }
}

/// Computes the posteriors of a column's possible values, ordered by value.
pub(super) fn marginals(
    domain: &SensitiveDomain,
    column: usize,
    tuple_posteriors: &[Posterior],
) -> Vec<ColumnPosterior> {
    let mut posteriors: Vec<ColumnPosterior> = Vec::new();
    for one in tuple_posteriors {
        let value = domain.tuples[one.value as usize][column];
        if value == u32::MAX {
            continue;
        }
        let Posterior { lower, upper, worlds, sampled, entropy, .. } = *one;
        match posteriors.iter_mut().find(|posterior| posterior.value == value) {
            None => posteriors.push(ColumnPosterior {
                value,
                lower,
                upper,
                random_worlds: worlds,
                sampled,
                maximum_entropy: entropy,
            }),
            Some(known) => {
                known.lower = known.lower.plus(lower);
                known.upper = known.upper.plus_up(upper);
                known.random_worlds = known.random_worlds.zip(worlds).map(|(one, two)| one + two);
                known.maximum_entropy = known.maximum_entropy.zip(entropy).map(|(one, two)| one + two);
                let both = known.sampled.zip(sampled);
                known.sampled = both.map(|(one, two)| Sampled {
                    estimate: one.estimate + two.estimate,
                    standard_error: one.standard_error.hypot(two.standard_error),
                });
            }
        }
    }
    posteriors.sort_unstable_by_key(|posterior| posterior.value);
    if posteriors.iter().all(|posterior| posterior.lower == posterior.upper) {
        return posteriors;
    }
    // The bounds of the other values limit each value, since all posteriors sum to 1.
    let all: Vec<(Fraction, Fraction)> =
        posteriors.iter().map(|posterior| (posterior.lower, posterior.upper)).collect();
    for (at, posterior) in posteriors.iter_mut().enumerate() {
        let others = |pick: fn(&(Fraction, Fraction)) -> Fraction, sum: fn(Fraction, Fraction) -> Fraction| {
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, bounds)| pick(bounds)).fold(Fraction::new(0, 1), sum)
        };
        posterior.upper = posterior.upper.min(others(|bounds| bounds.0, Fraction::plus).complement());
        posterior.lower = posterior.lower.max(others(|bounds| bounds.1, Fraction::plus_up).complement());
    }
    posteriors
}
