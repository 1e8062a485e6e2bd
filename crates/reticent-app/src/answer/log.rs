//! What `log` answers.

use reticent_ledger::{Judged, Origin};
use serde::Serialize;

/// What `log` answers.
#[derive(Debug, Serialize)]
pub struct Log {
    /// The ledger's folder.
    pub ledger: String,
    /// Whether its entries are signed; an unsigned ledger is unauthenticated.
    pub signed: bool,
    /// How many entries there are.
    pub entries: u64,
    /// The hash of the last one.
    pub head: String,
    /// The entries, oldest first.
    pub log: Vec<LogLine>,
}

/// One entry.
#[derive(Debug, Serialize)]
pub struct LogLine {
    /// Its number.
    pub number: u64,
    /// When it was entered.
    pub at: String,
    /// Who entered it.
    pub by: String,
    /// What it records.
    #[serde(flatten)]
    pub what: LogEntry,
}

/// What an entry records.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum LogEntry {
    /// A release.
    Release {
        /// Its name.
        name: String,
        /// When it went out.
        date: String,
        /// To whom.
        recipients: Vec<String>,
        /// Whether Reticent made it.
        origin: Origin,
        /// Its records.
        records: u64,
        /// Its columns.
        columns: Vec<String>,
        /// What it was judged together with.
        judged: Judged,
        /// When its contents were erased, if they were.
        erased: Option<String>,
    },
    /// The contents of a release were erased.
    Purge {
        /// The release.
        release: u64,
        /// Why.
        reason: String,
    },
    /// Entries are signed with another key from here on.
    KeyRotation {
        /// The public key.
        verifier: String,
        /// Why.
        reason: String,
    },
    /// A witness countersigned a head.
    Witness {
        /// The witness.
        name: String,
        /// How many entries the head covers.
        entries: u64,
    },
    /// A release no longer counts: it never left the house.
    Withdrawal {
        /// The release.
        release: u64,
        /// Why.
        reason: String,
    },
    /// The roles or recipients of a release are known better.
    Amendment {
        /// The release.
        release: u64,
        /// Why.
        reason: String,
    },
    /// People were removed from owner links and method state.
    Erasure {
        /// How many.
        people: u64,
        /// Why.
        reason: String,
    },
}
