//! Answer of `init`.

use reticent::policy::{DraftedColumn, PolicyDraft};
use serde::Serialize;

use super::confidential::Confidential;

/// Answer of `init`.
#[derive(Debug, Serialize)]
pub struct InitAnswer {
    /// Number of rows in the data.
    pub rows: u64,
    /// Number of columns in the data.
    pub columns: usize,
    /// Paths that were written, with remarks; the policy first.
    pub written: Vec<String>,
    /// Columns with their drafted and suggested roles.
    pub suggestions: Vec<DraftedColumn>,
    /// How the data was read: encodings, formats that are converted, texts that mean a missing value.
    pub notes: Vec<String>,
    /// The policy and its taxonomies.
    #[serde(skip)]
    pub draft: Confidential<PolicyDraft>,
}
