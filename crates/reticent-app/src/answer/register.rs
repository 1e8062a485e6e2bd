//! What `register` answers.

use reticent::recognise::Kinds;
use reticent::taxonomy::Type;
use reticent::{Disguise, Role};
use serde::Serialize;

/// What `register` answers.
#[derive(Debug, Serialize)]
pub struct Registered {
    /// The release's number; none for a rehearsal.
    pub release: Option<u64>,
    /// Whether nothing was entered.
    pub dry_run: bool,
    /// Its name.
    pub name: String,
    /// When it went out.
    pub date: String,
    /// To whom.
    pub recipients: Vec<String>,
    /// The ledger.
    pub ledger: String,
    /// Its records.
    pub records: u64,
    /// What was recognised in each column.
    pub columns: Vec<RecognisedColumn>,
    /// Columns that name a person by themselves, and are not stored.
    pub left_out: Vec<String>,
    /// How it shows the records of people.
    #[serde(flatten)]
    pub disguise: Disguise,
    /// People whose records are linked, under pseudonyms.
    pub people: Option<u64>,
    /// The hash of the entry; none for a rehearsal.
    pub entry: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// What was recognised in a column.
#[derive(Debug, Serialize)]
pub struct RecognisedColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// What its values are.
    #[serde(rename = "type")]
    pub values: Type,
    /// What its texts are.
    pub recognised: Kinds,
    /// Of a quasi-identifier: some of its texts.
    pub examples: Vec<String>,
}
