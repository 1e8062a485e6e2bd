//! Answers of `withdraw`, `amend` and `erase`.

use reticent::Role;
use serde::Serialize;

/// Answer of `withdraw`.
#[derive(Debug, Serialize)]
pub struct WithdrawAnswer {
    /// Number of the withdrawn release.
    pub release: u64,
    /// Name of the release, which stays reserved.
    pub name: String,
    /// Recorded recipients, which are assumed not to hold the release.
    pub recipients: Vec<String>,
    /// Number of the entry that records the withdrawal.
    pub number: u64,
    /// Hash of this entry.
    pub entry: String,
    /// Path of the published file, as recorded.
    pub file: Option<String>,
    /// Whether the absence of the file was checked; otherwise the steward states that it was destroyed.
    pub file_absent: bool,
    /// Numbers of the later releases that were judged together with the withdrawn one.
    pub judged_with: Vec<u64>,
    /// Assumptions that every later verdict lists.
    pub assumptions: Vec<String>,
}

/// Answer of `amend`.
#[derive(Debug, Serialize)]
pub struct AmendAnswer {
    /// Number of the amended release.
    pub release: u64,
    /// Name of the release.
    pub name: String,
    /// Number of the entry that records the amendment.
    pub number: u64,
    /// Hash of this entry.
    pub entry: String,
    /// Recipients before the amendment.
    pub recipients_before: Vec<String>,
    /// Recipients after the amendment.
    pub recipients_after: Vec<String>,
    /// Recipients that hold the release according to the amendment only.
    pub added_recipients: Vec<String>,
    /// Recipients that do not hold the release according to the amendment.
    pub removed_recipients: Vec<String>,
    /// Changed roles of columns.
    pub roles: Vec<AmendedRole>,
    /// Whether the release was withdrawn and counts again.
    pub reinstated: bool,
    /// Assumptions that every later verdict lists.
    pub assumptions: Vec<String>,
}

/// Changed role of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AmendedRole {
    /// Name of the column.
    pub column: String,
    /// Role before the amendment.
    pub from: Role,
    /// Role after the amendment.
    pub to: Role,
}

/// Answer of `erase`. It contains no value and no pseudonym of the person.
#[derive(Debug, Serialize)]
pub struct EraseAnswer {
    /// Whether the erasure was only rehearsed.
    pub dry_run: bool,
    /// Number of the entry that records the erasure; `None` for a rehearsal.
    pub number: Option<u64>,
    /// Hash of this entry; `None` for a rehearsal.
    pub entry: Option<String>,
    /// Number of stored files that were replaced by files without the person.
    pub replaced_files: usize,
    /// Releases with records of the person.
    pub releases: Vec<ErasedRecords>,
    /// What the next release without the person would disclose.
    pub warnings: Vec<String>,
    /// Assumptions that every later verdict lists; empty for a rehearsal.
    pub assumptions: Vec<String>,
}

/// Records of an erased person in a release.
#[derive(Debug, Serialize)]
pub struct ErasedRecords {
    /// Number of the release.
    pub release: u64,
    /// Name of the release.
    pub name: String,
    /// Recipients of the release. They keep the records.
    pub recipients: Vec<String>,
    /// Whether the release is withdrawn.
    pub withdrawn: bool,
    /// Republication method of the release, if any.
    pub method: Option<String>,
    /// Number of records of the person.
    pub records: u64,
    /// Number of records in the smallest equivalence class or group of the person.
    pub class_records: u64,
    /// Sensitive columns of this class.
    pub columns: Vec<ErasedColumn>,
}

/// Effect on a sensitive column if the class were published again without the person.
#[derive(Debug, Serialize)]
pub struct ErasedColumn {
    /// Name of the column.
    pub column: String,
    /// Share of the most frequent value in the class.
    pub highest_share: f64,
    /// The same without the person's records; in a list of a method, the worst case. `None` if no record is left.
    pub highest_share_without: Option<f64>,
}
