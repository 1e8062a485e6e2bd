//! Answer of `diff`.

use reticent::Role;
use serde::Serialize;

/// Answer of `diff`.
#[derive(Debug, Serialize)]
pub struct DiffAnswer {
    /// The first release.
    pub from: DiffSide,
    /// The second release.
    pub to: DiffSide,
    /// Columns that only the first release has.
    pub columns_removed: Vec<String>,
    /// Columns that only the second release has.
    pub columns_added: Vec<String>,
    /// Columns that both releases have.
    pub columns: Vec<ColumnDiff>,
    /// Changes of records, compared on the shared columns; `None` if the record tables share no column.
    pub records: Option<Changes>,
    /// Changes of people; `None` unless both releases have owner links under the same key.
    pub people: Option<Changes>,
}

/// One of two compared releases.
#[derive(Debug, Serialize)]
pub struct DiffSide {
    /// Number of the release.
    pub number: u64,
    /// Name of the release.
    pub name: String,
    /// Date of publication.
    pub date: String,
    /// Recipients of the release.
    pub recipients: Vec<String>,
    /// Number of records.
    pub records: u64,
}

/// Changes of a column.
#[derive(Debug, Serialize)]
pub struct ColumnDiff {
    /// Name of the column.
    pub name: String,
    /// Role in each release, if the roles differ.
    pub roles: Option<RoleChange>,
    /// Number of values that only the first release has.
    pub values_removed: u64,
    /// Number of values that only the second release has.
    pub values_added: u64,
    /// Values of a quasi-identifier that only the first release has.
    pub cut_removed: Vec<String>,
    /// Values of a quasi-identifier that only the second release has.
    pub cut_added: Vec<String>,
}

/// Roles of a column in two releases.
#[derive(Debug, Serialize)]
pub struct RoleChange {
    /// Role in the first release.
    pub from: Role,
    /// Role in the second release.
    pub to: Role,
}

/// Numbers of records or people in the first release only, in both, and in the second only.
#[derive(Debug, Serialize)]
pub struct Changes {
    /// Number in the first release only.
    pub removed: u64,
    /// Number in both releases.
    pub kept: u64,
    /// Number in the second release only.
    pub added: u64,
}
