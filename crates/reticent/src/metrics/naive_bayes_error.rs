//! Naive Bayes error: how often naive Bayes, trained on the release, errs on records it has not seen.
//!
//! Definition  categorical naive Bayes with add-one smoothing over the published values; its error on the published test
//!             records. A value that no training record has counts as one more category. Of equally likely labels the
//!             lowest is predicted.
//! Formula     argmax over labels y of  ln(n(y) / n) + sum over features of  ln((n(value, y) + 1) / (n(y) + categories)).
//! Suppressed  records neither train nor test; the reading gives the error on the raw table, where all do.
//! Missing     a missing value is a value of its own.
//! Paper       Fung, Wang and Yu, TKDE 19(5), 2007 (classification of releases); survey section 4.2.

use hashbrown::HashMap;

use super::learning::{self, Lesson};
use super::{Comparison, Listed, Measure};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "naive-bayes-error",
        title: "naive Bayes error",
        summary: "The error, on published test records, of naive Bayes trained on published training records; two records in three train.",
        paper: "Fung, Wang and Yu, Anonymizing classification data for privacy preservation, TKDE 19(5), 2007",
        thwarts: "how well the release can be learned from",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::naive_bayes", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    learning::measure(comparison, predict, "naive Bayes (add-one smoothing)")
}

pub(super) fn predict(lesson: &Lesson) -> Vec<u32> {
    let training = &lesson.training;
    let labels = training.labels.iter().max().map_or(0, |label| *label as usize + 1);
    let mut sizes = vec![0u32; labels];
    training.labels.iter().for_each(|label| sizes[*label as usize] += 1);
    let features: Vec<Feature> =
        training.features.iter().map(|values| Feature::new(values, &training.labels, &sizes)).collect();
    let records = training.labels.len() as f64;
    let priors: Vec<f64> = sizes.iter().map(|size| (f64::from(*size) / records).ln()).collect();
    let mut scores = vec![0.0; labels];
    let predict = |record: usize| {
        scores.fill(0.0);
        for (feature, values) in features.iter().zip(&lesson.test.features) {
            let logs = feature.logs(values[record]);
            scores.iter_mut().zip(logs).for_each(|(score, log)| *score += log);
        }
        scores.iter_mut().zip(&priors).for_each(|(score, prior)| *score += prior);
        likeliest(&scores)
    };
    (0..lesson.test.labels.len()).map(predict).collect()
}

/// The label with the highest score, the lowest where several are.
fn likeliest(scores: &[f64]) -> u32 {
    let best = scores.iter().zip(0..).reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or(0, |(_, label)| label)
}

/// What one feature says about the label.
struct Feature {
    /// By value that some training record has: its category, from 1. Category 0 is for all other values.
    categories: HashMap<u32, usize>,
    labels: usize,
    /// By category, by label: the logarithm of P(category | label), smoothed.
    logs: Vec<f64>,
}

impl Feature {
    fn new(values: &[u32], labels: &[u32], sizes: &[u32]) -> Feature {
        let mut categories = HashMap::new();
        for value in values {
            let next = categories.len() + 1;
            categories.entry(*value).or_insert(next);
        }
        let mut counts = vec![0u32; (categories.len() + 1) * sizes.len()];
        for (value, label) in values.iter().zip(labels) {
            counts[categories[value] * sizes.len() + *label as usize] += 1;
        }
        let total = categories.len() as f64 + 1.0;
        let log = |(count, size): (&u32, &u32)| ((f64::from(*count) + 1.0) / (f64::from(*size) + total)).ln();
        let logs = counts.iter().zip(sizes.iter().cycle()).map(log).collect();
        Feature { categories, labels: sizes.len(), logs }
    }

    /// By label: the logarithm of the probability of this value.
    fn logs(&self, value: u32) -> &[f64] {
        let category = self.categories.get(&value).copied().unwrap_or(0);
        &self.logs[category * self.labels..][..self.labels]
    }
}
