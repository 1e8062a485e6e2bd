//! Answer of `show`.

use std::path::PathBuf;

use reticent_ledger::Entry;
use serde::Serialize;

use super::log::LogLine;

/// Answer of `show`.
#[derive(Debug, Serialize)]
pub struct ShowAnswer {
    /// Hash of the entry.
    pub entry: String,
    /// File with the proof that the entry is in the ledger, if one was requested.
    pub proof: Option<PathBuf>,
    /// Time when the contents were erased, if they were.
    pub erased: Option<String>,
    /// If the contents were erased: numbers of the releases with the same contents, which can still be read.
    pub shared_with: Vec<u64>,
    /// Time when the release was withdrawn, if it is.
    pub withdrawn: Option<String>,
    /// Recipients, with all corrections.
    pub recipients: Vec<String>,
    /// Later entries that correct the release: withdrawals, amendments and erasures.
    pub corrections: Vec<LogLine>,
    /// Published values of each quasi-identifier; `None` if the contents were erased.
    pub cuts: Option<Vec<ColumnCut>>,
    /// Entry, as it was recorded, without corrections.
    pub recorded: Entry,
}

/// Published values of a column.
#[derive(Debug, Serialize)]
pub struct ColumnCut {
    /// Name of the column.
    pub column: String,
    /// Distinct published values.
    pub values: Vec<String>,
}
