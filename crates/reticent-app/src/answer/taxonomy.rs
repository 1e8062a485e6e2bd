//! Answer of `taxonomy update`.

use serde::Serialize;

use super::confidential::Confidential;

/// Answer of `taxonomy update`.
#[derive(Debug, Serialize)]
pub struct TaxonomyUpdateAnswer {
    /// Columns with a taxonomy file.
    pub columns: Vec<TaxonomyChange>,
    /// Whether files were changed.
    pub written: bool,
    /// Path in the policy and new text of each changed file.
    #[serde(skip)]
    pub texts: Confidential<Vec<(String, String)>>,
}

/// Values that were added to a taxonomy file.
#[derive(Debug, Serialize)]
pub struct TaxonomyChange {
    /// Name of the column.
    pub column: String,
    /// Path of the taxonomy file.
    pub file: String,
    /// Number of values placed beside a value that differs only in case, spaces or punctuation.
    pub beside_similar: u64,
    /// Number of values placed directly below the root.
    pub below_root: u64,
    /// Number of values of the data that are inner nodes of the taxonomy. They are not leaves, so the data cannot be published.
    pub inner_nodes: u64,
}
