//! Answers about a ledger and about data that no command of its own prints.

use std::collections::BTreeMap;

use reticent::Type;
use serde::Serialize;

/// Answer of opening a ledger.
#[derive(Debug, Serialize)]
pub struct OpenAnswer {
    /// Folder of the ledger.
    pub ledger: String,
    /// Whether the call created it.
    pub created: bool,
    /// Number of entries.
    pub entries: u64,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// Names of the columns of data, and types.
#[derive(Debug, Serialize)]
pub struct ColumnsAnswer {
    /// Names, in the order of the data.
    pub columns: Vec<String>,
    /// Type of the values of each requested column.
    pub types: BTreeMap<String, Type>,
}
