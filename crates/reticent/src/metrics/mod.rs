//! Information metrics, one file each: what a release kept or lost against its table.
//!
//! Every metric says in its file how suppressed records and missing values count.

use crate::algorithms::Purpose;
use crate::error::Result;
use crate::recoding::Recoding;
use crate::registry::Entry;
use crate::release::Release;
use crate::table::Table;

/// Every metric there is.
pub const LIST: &[Listed] = &[];

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
