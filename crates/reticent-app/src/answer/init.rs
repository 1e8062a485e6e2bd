//! What `init` answers.

use serde::Serialize;

/// What `init` answers.
#[derive(Debug, Serialize)]
pub struct Drafted {
    /// Rows of the data.
    pub rows: u64,
    /// Columns of the data.
    pub columns: usize,
    /// The files that were written, the policy first.
    pub written: Vec<String>,
}
