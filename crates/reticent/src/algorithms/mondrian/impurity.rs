//! Impurity of the label that a purpose predicts.
//!
//! Entropy        sum over both sides of |side| Ent(side), for a label without an order (InfoGain Mondrian).
//! Squared error  sum over both sides of the squared differences from the mean of the side, for a number or date (LSD Mondrian).
//! Paper          LeFevre, DeWitt and Ramakrishnan, Workload-aware anonymization, KDD 2006.
//!
//! Impurities are compared as whole numbers, so that sums in another order cannot change the result.

use crate::algorithms::local_recoding::Parts;
use crate::algorithms::objective::Objective;
use crate::algorithms::{Purpose, RecodingTask};
use crate::data::contingency::Weight;
use crate::error::Result;

/// Labels of the combinations of quasi-identifiers, with their numbers of records.
pub(super) struct LabelHistograms {
    /// Number of records by label, by combination. Labels are ascending.
    pub counts: Vec<Vec<(u32, Weight)>>,
    /// Number by label, for a number or date. Labels without a number, such as a missing value, are left out.
    pub numbers: Option<Vec<f64>>,
}

impl LabelHistograms {
    /// Returns the labels of the purpose: the classified column or the clusters; `None` without such a purpose.
    pub(super) fn of_purpose(
        task: &RecodingTask<'_>,
        known: &Objective,
        parts: &Parts,
    ) -> Result<Option<LabelHistograms>> {
        let Some(known) = &known.labels else { return Ok(None) };
        let contingency = &task.table.contingency;
        let labels = &known.by_combination;
        let numbers = match task.purpose {
            Purpose::Classification(column) => {
                task.table.columns[task.table.position(column)?].tree.numbers().map(<[f64]>::to_vec)
            }
            _ => None,
        };
        let of_combination = |members: &Vec<u32>| {
            let labelled = |at: &u32| (labels[*at as usize], contingency.weights[*at as usize]);
            merged(members.iter().map(labelled).collect())
        };
        Ok(Some(LabelHistograms { counts: parts.members.iter().map(of_combination).collect(), numbers }))
    }
}

/// Sorts counts by label and adds those of equal labels.
fn merged(mut counts: Vec<(u32, Weight)>) -> Vec<(u32, Weight)> {
    counts.sort_unstable();
    counts.dedup_by(|(label, weight), (kept, sum)| {
        let is_equal = label == kept;
        *sum += if is_equal { *weight } else { 0 };
        is_equal
    });
    counts
}

/// Impurity of both sides of a cut that moves through a part.
pub(super) enum Impurity {
    Entropy { labels: Vec<u32>, before: LabelCounts, after: LabelCounts, part: LabelCounts },
    SquaredError { mean: f64, before: Moments, after: Moments, part: Moments },
}

impl Impurity {
    /// Starts before the first combination of a part.
    pub(super) fn of_part(labels: &LabelHistograms, part: &[u32]) -> Impurity {
        let counts = merged(part.iter().flat_map(|at| &labels.counts[*at as usize]).copied().collect());
        match &labels.numbers {
            None => {
                let mut part = LabelCounts::new(counts.len());
                counts.iter().enumerate().for_each(|(label, (_, weight))| part.add(label, *weight));
                let before = LabelCounts::new(counts.len());
                let labels = counts.into_iter().map(|(label, _)| label).collect();
                Impurity::Entropy { labels, before, after: part.clone(), part }
            }
            Some(numbers) => {
                let known: Vec<(f64, f64)> = counts
                    .iter()
                    .filter_map(|(label, weight)| Some((*numbers.get(*label as usize)?, *weight as f64)))
                    .collect();
                let weight: f64 = known.iter().map(|(_, weight)| weight).sum();
                // Differences from the mean keep the squares small, so that little is lost by rounding.
                let mean = known.iter().map(|(number, weight)| number * weight).sum::<f64>() / weight.max(1.0);
                let mut part = Moments::default();
                known.iter().for_each(|(number, weight)| part.add(number - mean, *weight));
                Impurity::SquaredError { mean, before: Moments::default(), after: part, part }
            }
        }
    }

    /// Moves the cut back before the first combination.
    pub(super) fn restart(&mut self) {
        match self {
            Impurity::Entropy { before, after, part, .. } => {
                *before = LabelCounts::new(part.counts.len());
                after.clone_from(part);
            }
            Impurity::SquaredError { before, after, part, .. } => (*before, *after) = (Moments::default(), *part),
        }
    }

    /// Moves a combination to the first side.
    pub(super) fn move_before(&mut self, given: &LabelHistograms, combination: u32) {
        for (label, weight) in &given.counts[combination as usize] {
            match self {
                Impurity::Entropy { labels, before, after, .. } => {
                    if let Ok(place) = labels.binary_search(label) {
                        before.add(place, *weight);
                        after.remove(place, *weight);
                    }
                }
                Impurity::SquaredError { mean, before, after, .. } => {
                    let number = given.numbers.as_ref().and_then(|numbers| numbers.get(*label as usize));
                    if let Some(number) = number {
                        before.add(number - *mean, *weight as f64);
                        after.add(number - *mean, -(*weight as f64));
                    }
                }
            }
        }
    }

    /// Impurity of both sides relative to the whole part, in billionths. It is 0 if the part is pure.
    pub(super) fn remaining(&self) -> u64 {
        let (sides, whole) = match self {
            Impurity::Entropy { before, after, part, .. } => (before.entropy() + after.entropy(), part.entropy()),
            Impurity::SquaredError { before, after, part, .. } => (before.error() + after.error(), part.error()),
        };
        if whole > 1e-9 { (sides.max(0.0) / whole * 1e9).round() as u64 } else { 0 }
    }
}

/// Records by label, and the sum of count * log2(count).
#[derive(Clone)]
pub(super) struct LabelCounts {
    counts: Vec<Weight>,
    total: Weight,
    logarithms: f64,
}

impl LabelCounts {
    fn new(labels: usize) -> LabelCounts {
        LabelCounts { counts: vec![0; labels], total: 0, logarithms: 0.0 }
    }

    fn add(&mut self, label: usize, weight: Weight) {
        self.set(label, self.counts[label] + weight, self.total + weight);
    }

    fn remove(&mut self, label: usize, weight: Weight) {
        self.set(label, self.counts[label].saturating_sub(weight), self.total.saturating_sub(weight));
    }

    fn set(&mut self, label: usize, count: Weight, total: Weight) {
        self.logarithms += times_logarithm(count) - times_logarithm(self.counts[label]);
        self.counts[label] = count;
        self.total = total;
    }

    /// Entropy in bits times the number of records.
    fn entropy(&self) -> f64 {
        times_logarithm(self.total) - self.logarithms
    }
}

fn times_logarithm(count: Weight) -> f64 {
    if count == 0 { 0.0 } else { count as f64 * (count as f64).log2() }
}

/// Number of records, sum and sum of squares of their numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    weight: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, number: f64, weight: f64) {
        self.weight += weight;
        self.sum += number * weight;
        self.squares += number * number * weight;
    }

    /// Sum of the squared differences from the mean.
    fn error(&self) -> f64 {
        if self.weight > 0.0 { (self.squares - self.sum * self.sum / self.weight).max(0.0) } else { 0.0 }
    }
}
