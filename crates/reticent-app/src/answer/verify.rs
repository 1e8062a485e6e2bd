//! What `verify` answers.

use reticent_ledger::Findings;
use serde::Serialize;

/// What `verify` answers.
#[derive(Debug, Serialize)]
pub struct Verification {
    /// Whether what the ledger says is known to come from the holder of its key: `authentic`, `modified` or `unauthenticated`.
    pub status: Status,
    /// Whether everything is as it was written.
    pub intact: bool,
    /// The ledger.
    pub ledger: String,
    /// How many entries there are; null when they could not be read.
    pub entries: Option<u64>,
    /// The hash of the last one.
    pub head: Option<String>,
    /// What was found.
    #[serde(flatten)]
    pub findings: Findings,
    /// Whether the ledger extends the exported head; none without one.
    pub compared_with_head: Option<bool>,
    /// The public key of the ledger; none if it is not signed.
    pub verifier: Option<String>,
}

/// Whether a ledger is authentic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every signature was checked with a trusted key.
    Authentic,
    /// Something is not what was written.
    Modified,
    /// The hashes agree. The ledger is not signed, or no trusted key was given.
    Unauthenticated,
}
