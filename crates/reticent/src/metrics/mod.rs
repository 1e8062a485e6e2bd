//! Information metrics, one file each: the utility of a release compared with its raw table.
//!
//! Every file documents how the metric counts suppressed records and missing values. All metrics count records, not people,
//! also if an owner has several records. Metrics that need the leaves of a published value ask `cells::leaves`.

mod average_class_size;
mod cells;
mod classification_metric;
mod cluster_agreement;
mod decision_tree_error;
mod discernibility;
mod gcp;
mod iloss;
mod learning;
mod minimal_distortion;
mod naive_bayes_error;
mod non_uniform_entropy;
mod pairwise_marginal_distance;
mod precision;
mod purpose_loss;
mod query_error;
#[cfg(test)]
mod tests;

use crate::algorithms::Purpose;
use crate::data::table::Table;
use crate::error::Result;
use crate::registry::Entry;
use crate::release::Release;
use crate::release::recoding::Recoding;

pub use decision_tree_error::decision_tree_error;
pub use learning::{LabelledRecords, TrainTestSplit};

/// Id of the metric by which the releases of several algorithms are compared.
pub const PURPOSE_LOSS: &str = "purpose-loss";

/// All metrics.
pub const LIST: &[MetricDef] = &[
    purpose_loss::LISTED,
    minimal_distortion::LISTED,
    gcp::LISTED,
    iloss::LISTED,
    precision::LISTED,
    discernibility::LISTED,
    average_class_size::LISTED,
    non_uniform_entropy::LISTED,
    query_error::LISTED,
    pairwise_marginal_distance::LISTED,
    classification_metric::LISTED,
    decision_tree_error::LISTED,
    naive_bayes_error::LISTED,
    cluster_agreement::LISTED,
];

/// Definition of a metric: its catalogue entry and its function.
#[derive(Debug, Clone, Copy)]
pub struct MetricDef {
    /// Catalogue entry.
    pub entry: Entry,
    /// Computes the metric; `None` if it does not apply, for example without a label column.
    pub measure: fn(&Comparison<'_>) -> Result<Option<Measure>>,
}

/// A raw table and its release: the input of a metric.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// Raw table.
    pub table: &'a Table,
    /// Recoding that was applied.
    pub recoding: &'a Recoding,
    /// Release that the recoding produced.
    pub release: &'a Release,
    /// Purpose of the release.
    pub purpose: &'a Purpose,
}

impl Comparison<'_> {
    /// Returns the index of the label column, if the purpose is classification.
    fn label_column(&self) -> Result<Option<usize>> {
        match self.purpose {
            Purpose::Classification(column) => self.table.position(column).map(Some),
            _ => Ok(None),
        }
    }

    /// Describes the records that are not in the release. `count` is the predicate for suppressed records.
    fn excluded_text(&self, count: &str) -> String {
        let mut text = String::new();
        if self.release.suppressed > 0 {
            text += &format!("; {} suppressed records {count}", self.release.suppressed);
        }
        if self.table.dropped > 0 {
            text += &format!("; {} records dropped for a missing value are not counted", self.table.dropped);
        }
        text
    }
}

/// A measured value.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Measure {
    /// Value of the metric.
    pub value: f64,
    /// Explanation of the value: unit, range and direction.
    pub reading: String,
}

/// Computes all metrics that apply. Returns (id, measure) in the order of [`LIST`].
///
/// # Errors
///
/// Returns an error if the purpose names a label column that the table does not have.
pub fn measure_all(comparison: &Comparison<'_>) -> Result<Vec<(&'static str, Measure)>> {
    let mut measures = Vec::new();
    for listed in LIST {
        if let Some(measure) = (listed.measure)(comparison)? {
            measures.push((listed.entry.id, measure));
        }
    }
    Ok(measures)
}

/// Computes the loss for the purpose of the release: 0 for the raw table, 1 for a fully suppressed one.
///
/// # Errors
///
/// Returns an error if the purpose names a label column that the table does not have.
pub fn purpose_loss(comparison: &Comparison<'_>) -> Result<f64> {
    Ok((purpose_loss::LISTED.measure)(comparison)?.map_or(0.0, |measure| measure.value))
}

/// Formats a number with at most four decimals.
fn rounded_text(number: f64) -> String {
    crate::data::taxonomy::number_text((number * 1e4).round() / 1e4)
}
