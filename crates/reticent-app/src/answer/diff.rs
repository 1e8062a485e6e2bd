//! What `diff` answers.

use reticent::Role;
use serde::Serialize;

/// What `diff` answers.
#[derive(Debug, Serialize)]
pub struct Diff {
    /// The first release.
    pub from: DiffSide,
    /// The second release.
    pub to: DiffSide,
    /// Columns that only the first has.
    pub columns_out: Vec<String>,
    /// Columns that only the second has.
    pub columns_in: Vec<String>,
    /// Columns that both have.
    pub columns: Vec<ColumnDiff>,
    /// Records, told apart by the columns that both have; none where they share no column.
    pub records: Option<InOut>,
    /// People, where both have owner links under the same key.
    pub people: Option<InOut>,
}

/// One of two releases.
#[derive(Debug, Serialize)]
pub struct DiffSide {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// When it went out.
    pub date: String,
    /// To whom.
    pub recipients: Vec<String>,
    /// Its records.
    pub records: u64,
}

/// What changed in a column.
#[derive(Debug, Serialize)]
pub struct ColumnDiff {
    /// Its name.
    pub name: String,
    /// The role in each, where they differ.
    pub roles: Option<RoleChange>,
    /// Values that only the first has.
    pub values_out: u64,
    /// Values that only the second has.
    pub values_in: u64,
    /// Of a quasi-identifier: the values that only the first has.
    pub cut_out: Vec<String>,
    /// Of a quasi-identifier: the values that only the second has.
    pub cut_in: Vec<String>,
}

/// The role of a column in two releases.
#[derive(Debug, Serialize)]
pub struct RoleChange {
    /// The first release.
    pub from: Role,
    /// The second release.
    pub to: Role,
}

/// How many are only in the first, in both, only in the second.
#[derive(Debug, Serialize)]
pub struct InOut {
    /// Only in the first.
    pub out: u64,
    /// In both.
    pub stayed: u64,
    /// Only in the second.
    pub came: u64,
}
