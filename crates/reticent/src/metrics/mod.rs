//! Information metrics, one file each: what a release kept or lost against its table.
//!
//! Every metric says in its file how suppressed records and missing values count. All count records, also where an
//! owner has several: what is lost is lost in every record.

mod average_class_size;
mod cells;
mod classification_metric;
mod decision_tree_error;
mod discernibility;
mod gcp;
mod learning;
mod minimal_distortion;
mod naive_bayes_error;
mod non_uniform_entropy;
#[cfg(test)]
mod tests;

use crate::algorithms::Purpose;
use crate::error::Result;
use crate::recoding::Recoding;
use crate::registry::Entry;
use crate::release::Release;
use crate::table::Table;

pub use decision_tree_error::decision_tree_error;
pub use learning::{Lesson, Records};

/// Every metric there is.
pub const LIST: &[Listed] = &[
    minimal_distortion::LISTED,
    gcp::LISTED,
    discernibility::LISTED,
    average_class_size::LISTED,
    non_uniform_entropy::LISTED,
    classification_metric::LISTED,
    decision_tree_error::LISTED,
    naive_bayes_error::LISTED,
];

/// A metric in the list: what it says about itself, and how to measure it.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// What it says about itself.
    pub entry: Entry,
    /// Measures; nothing where the metric does not apply (no class to predict).
    pub measure: fn(&Comparison<'_>) -> Result<Option<Measure>>,
}

/// A table and what is published of it.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The raw data.
    pub table: &'a Table,
    /// The function that was applied.
    pub recoding: &'a Recoding,
    /// What it made.
    pub release: &'a Release,
    /// What the release is for.
    pub purpose: &'a Purpose,
}

impl Comparison<'_> {
    /// The place of the column that the release is to predict, if that is what it is for.
    fn class(&self) -> Result<Option<usize>> {
        match self.purpose {
            Purpose::General => Ok(None),
            Purpose::Classification(column) => self.table.position(column).map(Some),
        }
    }

    /// What a reader must know about records that are not in the release; `count` says how the metric counts them.
    fn left_out(&self, count: &str) -> String {
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
    /// The number.
    pub value: f64,
    /// How it reads: what it counts, and on which side good lies.
    pub reading: String,
}

/// Every metric that applies, by id.
pub fn measure_all(comparison: &Comparison<'_>) -> Result<Vec<(&'static str, Measure)>> {
    let mut measures = Vec::new();
    for listed in LIST {
        if let Some(measure) = (listed.measure)(comparison)? {
            measures.push((listed.entry.id, measure));
        }
    }
    Ok(measures)
}

/// A number short enough to read in a sentence.
fn short(number: f64) -> String {
    crate::taxonomy::number_text((number * 1e4).round() / 1e4)
}
