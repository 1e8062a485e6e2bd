//! Answer of `register`.

use reticent::recognise::TextKinds;
use reticent::taxonomy::Type;
use reticent::{Presentation, Role};
use reticent_ledger::Origin;
use serde::Serialize;

/// Answer of `register`.
#[derive(Debug, Serialize)]
pub struct RegisterAnswer {
    /// Number of the release; `None` if nothing was recorded.
    pub release: Option<u64>,
    /// Whether the table was registered as a release or as a population register.
    pub origin: Origin,
    /// Whether the columns were only recognised, and nothing was recorded.
    pub dry_run: bool,
    /// Name of the release.
    pub name: String,
    /// Date of publication.
    pub date: String,
    /// Recipients of the release.
    pub recipients: Vec<String>,
    /// Folder of the ledger.
    pub ledger: String,
    /// Number of records.
    pub records: u64,
    /// Recognised columns.
    pub columns: Vec<RecognisedColumn>,
    /// Identifier columns, which are not stored.
    pub omitted_columns: Vec<String>,
    /// Identifier columns that the file shows. The people in it are identified; the ledger records which records show one.
    pub identifiers_shown: Vec<String>,
    /// Presentation of the records: groups, counterfeit records, marginal tables.
    #[serde(flatten)]
    pub presentation: Presentation,
    /// Number of people with owner links; `None` without owner links.
    pub people: Option<u64>,
    /// Hash of the entry; `None` if nothing was recorded.
    pub entry: Option<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// A recognised column.
#[derive(Debug, Serialize)]
pub struct RecognisedColumn {
    /// Name of the column.
    pub name: String,
    /// Role of the column.
    pub role: Role,
    /// Type of the values.
    #[serde(rename = "type")]
    pub values: Type,
    /// Number of texts of each kind.
    pub recognised: TextKinds,
    /// Example texts of a quasi-identifier.
    pub examples: Vec<String>,
}
