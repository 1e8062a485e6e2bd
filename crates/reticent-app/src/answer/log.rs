//! Answer of `log`.

use reticent::Role;
use reticent_ledger::{HistoryScope, Origin};
use serde::Serialize;

/// Answer of `log`.
#[derive(Debug, Serialize)]
pub struct LogAnswer {
    /// Folder of the ledger.
    pub ledger: String,
    /// Whether the entries are signed. An unsigned ledger is unauthenticated.
    pub signed: bool,
    /// Number of entries.
    pub entries: u64,
    /// Hash of the last entry.
    pub head: String,
    /// Entries, oldest first.
    pub log: Vec<LogLine>,
}

/// An entry of the ledger.
#[derive(Debug, Serialize)]
pub struct LogLine {
    /// Number of the entry.
    pub number: u64,
    /// Time of the entry.
    pub at: String,
    /// Steward who made the entry.
    pub steward: String,
    /// Content of the entry.
    #[serde(flatten)]
    pub kind: LogEntry,
}

/// Content of an entry.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum LogEntry {
    /// A release.
    Release {
        /// Name of the release.
        name: String,
        /// Date of publication.
        date: String,
        /// Recipients of the release.
        recipients: Vec<String>,
        /// Whether Reticent published the release, it was registered, or it is a population register.
        origin: Origin,
        /// Number of records.
        records: u64,
        /// Columns of the release.
        columns: Vec<String>,
        /// Earlier releases that the release was judged with.
        judged: HistoryScope,
        /// Time when its contents were erased, if they were.
        erased: Option<String>,
        /// Time when it was withdrawn, if it is.
        withdrawn: Option<String>,
    },
    /// The contents of a release were erased.
    Purge {
        /// Number of the release.
        release: u64,
        /// Reason.
        reason: String,
    },
    /// The signing key changed.
    KeyRotation {
        /// New public key.
        verifier: String,
        /// Reason.
        reason: String,
    },
    /// A witness countersigned a head.
    Witness {
        /// Name of the witness.
        name: String,
        /// Number of entries that the head covers.
        entries: u64,
    },
    /// A release was withdrawn: no recipient received it.
    Withdrawal {
        /// Number of the release.
        release: u64,
        /// Reason.
        reason: String,
        /// Whether the absence of its file was checked.
        file_absent: bool,
    },
    /// The roles or recipients of a release were corrected.
    Amendment {
        /// Number of the release.
        release: u64,
        /// Reason.
        reason: String,
        /// All recipients of the release, if they were corrected.
        recipients: Option<Vec<String>>,
        /// Corrected roles by column.
        roles: Vec<CorrectedRole>,
    },
    /// People were removed from owner links and method state.
    Erasure {
        /// Number of people.
        people: u64,
        /// Numbers of the releases that had them.
        releases: Vec<u64>,
        /// Reason.
        reason: String,
    },
}

/// Corrected role of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CorrectedRole {
    /// Name of the column.
    pub column: String,
    /// Role from the amendment on.
    pub role: Role,
}
