//! What `show` answers.

use std::path::PathBuf;

use reticent_ledger::Entry;
use serde::Serialize;

/// What `show` answers.
#[derive(Debug, Serialize)]
pub struct Show {
    /// The hash of the entry.
    pub entry: String,
    /// The file with the proof that the entry is in the ledger, if one was asked for.
    pub proof: Option<PathBuf>,
    /// When the contents were erased, if they were.
    pub erased: Option<String>,
    /// Then: the releases that have the same, and through which it can still be read.
    pub shared_with: Vec<u64>,
    /// By quasi-identifier: the values that stand in it. None once the contents are erased.
    pub cuts: Option<Vec<ColumnCut>>,
    /// The entry as it is recorded.
    pub recorded: Entry,
}

/// The values that a column shows.
#[derive(Debug, Serialize)]
pub struct ColumnCut {
    /// The column.
    pub column: String,
    /// Its values.
    pub values: Vec<String>,
}
