//! Naive Bayes error: the test error of a naive Bayes classifier that is trained on the release.
//!
//! Definition  error on the published test records of categorical naive Bayes with add-one smoothing. All values that no
//!             training record has form one additional category. In case of a tie, the lowest label is predicted.
//! Formula     argmax over labels y of  ln(n(y) / n) + sum over features of  ln((n(value, y) + 1) / (n(y) + categories)).
//! Suppressed  records are in neither set. The text also gives the error on the raw table, with all records.
//! Missing     a missing value is a separate value.
//! Paper       Fung, Wang and Yu, TKDE 19(5), 2007 (classification of releases); survey section 4.2.

use hashbrown::HashMap;

use super::learning::{self, TrainTestSplit};
use super::{Comparison, Measure, MetricDef};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "naive-bayes-error",
        title: "naive Bayes error",
        summary: "Error on the published test records of categorical naive Bayes (add-one smoothing) trained on the published \
                  training records; two thirds of the records train.",
        paper: "Fung, Wang and Yu, Anonymizing classification data for privacy preservation, TKDE 19(5), 2007",
        protects_against: "accuracy of classifiers trained on the release",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::naive_bayes", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    learning::measure(comparison, predict, "naive Bayes (add-one smoothing)")
}

pub(super) fn predict(split_data: &TrainTestSplit) -> Vec<u32> {
    let training = &split_data.training;
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
        for (feature, values) in features.iter().zip(&split_data.test.features) {
            let logs = feature.logs(values[record]);
            scores.iter_mut().zip(logs).for_each(|(score, log)| *score += log);
        }
        scores.iter_mut().zip(&priors).for_each(|(score, prior)| *score += prior);
        argmax(&scores)
    };
    (0..split_data.test.labels.len()).map(predict).collect()
}

/// Returns the label with the highest score; the lowest one in case of a tie.
fn argmax(scores: &[f64]) -> u32 {
    let best = scores.iter().zip(0..).reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or(0, |(_, label)| label)
}

/// Smoothed conditional probabilities of one feature.
struct Feature {
    /// Category from 1, by value of a training record. Category 0 is for all other values.
    categories: HashMap<u32, usize>,
    labels: usize,
    /// Logarithm of the smoothed P(category | label), by category and label.
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

    /// Returns the logarithm of P(value | label), by label.
    fn logs(&self, value: u32) -> &[f64] {
        let category = self.categories.get(&value).copied().unwrap_or(0);
        &self.logs[category * self.labels..][..self.labels]
    }
}
