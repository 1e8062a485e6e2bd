//! What is told about somebody's secret, column by column.

use super::secrets::Secrets;
use reticent_inference::{Fraction, Sampled, Told};

/// What is told about one value of a column.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Chance {
    /// The value, by place among the column's.
    #[serde(skip)]
    pub value: u32,
    /// The probability is at least this,
    pub lower: Fraction,
    /// and at most this.
    pub upper: Fraction,
    /// The share of the worlds, where they were counted.
    pub worlds: Option<f64>,
    /// The share of the worlds as sampled.
    pub sampled: Option<Sampled>,
    /// The maximum-entropy estimate.
    pub entropy: Option<f64>,
}

impl Chance {
    /// The best single figure: counted, or else sampled, or else the estimate.
    pub fn figure(&self) -> Option<f64> {
        let sampled = self.sampled.map(|sampled| sampled.share);
        self.worlds.or(sampled).or(self.entropy)
    }

    /// The same; where there is none, the most that it may be.
    pub fn best(&self) -> f64 {
        let best = self.figure().unwrap_or_else(|| self.upper.value());
        best.clamp(self.lower.value(), self.upper.value())
    }

    /// Whether it was counted, or is otherwise known exactly.
    pub fn is_exact(&self) -> bool {
        self.worlds.is_some()
    }
}

/// The chances of a column's values, by value; those that are impossible are not there.
pub(super) fn chances(secrets: &Secrets, column: usize, told: &[Told]) -> Vec<Chance> {
    let mut chances: Vec<Chance> = Vec::new();
    for one in told {
        let value = secrets.all[one.value as usize][column];
        if value == u32::MAX {
            continue;
        }
        let Told { lower, upper, worlds, sampled, entropy, .. } = *one;
        match chances.iter_mut().find(|chance| chance.value == value) {
            None => chances.push(Chance { value, lower, upper, worlds, sampled, entropy }),
            Some(known) => {
                known.lower = known.lower.plus(lower);
                known.upper = known.upper.plus_up(upper);
                known.worlds = known.worlds.zip(worlds).map(|(one, two)| one + two);
                known.entropy = known.entropy.zip(entropy).map(|(one, two)| one + two);
                let both = known.sampled.zip(sampled);
                known.sampled =
                    both.map(|(one, two)| Sampled { share: one.share + two.share, error: one.error.hypot(two.error) });
            }
        }
    }
    chances.sort_unstable_by_key(|chance| chance.value);
    if chances.iter().all(|chance| chance.lower == chance.upper) {
        return chances;
    }
    // What one value has at least, the others cannot have.
    let all: Vec<(Fraction, Fraction)> = chances.iter().map(|chance| (chance.lower, chance.upper)).collect();
    for (at, chance) in chances.iter_mut().enumerate() {
        let others = |pick: fn(&(Fraction, Fraction)) -> Fraction, sum: fn(Fraction, Fraction) -> Fraction| {
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, bounds)| pick(bounds)).fold(Fraction::new(0, 1), sum)
        };
        chance.upper = chance.upper.min(others(|bounds| bounds.0, Fraction::plus).rest());
        chance.lower = chance.lower.max(others(|bounds| bounds.1, Fraction::plus_up).rest());
    }
    chances
}
