//! Naive Bayes error: how often naive Bayes, trained on the release, errs on records it has not seen.
//!
//! Definition  categorical naive Bayes with add-one smoothing over the published values; its error on the published test
//!             records. A value that no training record has counts as one more category.
//! Suppressed  records neither train nor test; the reading gives the error on the raw table, where all do.
//! Missing     a missing value is a value of its own.
//! Paper       Fung, Wang and Yu, TKDE 19(5), 2007 (classification of releases); survey section 4.2.

use hashbrown::HashMap;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::naive_bayes::categorical::{CategoricalNB, CategoricalNBParameters};

use super::learning::{self, Lesson, Records};
use super::{Comparison, Listed, Measure};
use crate::error::{Error, Obstacle, Result};
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

pub(super) fn predict(lesson: &Lesson) -> Result<Vec<u32>> {
    let categories: Vec<HashMap<u32, u32>> = lesson.training.features.iter().map(|values| numbered(values)).collect();
    let failed = |why: smartcore::error::Failed| {
        Error::from(Obstacle::LearningFailed { metric: "the naive Bayes error", reason: why.to_string() })
    };
    let training = matrix(&lesson.training, &categories).map_err(failed)?;
    let test = matrix(&lesson.test, &categories).map_err(failed)?;
    let parameters = CategoricalNBParameters::default().with_alpha(1.0);
    let learned = CategoricalNB::fit(&training, &lesson.training.labels, parameters).map_err(failed)?;
    learned.predict(&test).map_err(failed)
}

/// The values that occur, numbered from 1; 0 is kept for those that do not.
fn numbered(values: &[u32]) -> HashMap<u32, u32> {
    let mut known = values.to_vec();
    known.sort_unstable();
    known.dedup();
    known.into_iter().zip(1..).collect()
}

fn matrix(
    records: &Records,
    categories: &[HashMap<u32, u32>],
) -> std::result::Result<DenseMatrix<u32>, smartcore::error::Failed> {
    let number = |(values, known): (&Vec<u32>, &HashMap<u32, u32>)| -> Vec<u32> {
        values.iter().map(|value| known.get(value).copied().unwrap_or(0)).collect()
    };
    let values: Vec<u32> = records.features.iter().zip(categories).flat_map(number).collect();
    DenseMatrix::new(records.labels.len(), records.features.len(), values, true)
}
