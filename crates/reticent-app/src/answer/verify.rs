//! Answer of `verify`.

use reticent_ledger::Findings;
use serde::Serialize;

/// Answer of `verify`.
#[derive(Debug, Serialize)]
pub struct VerifyAnswer {
    /// Authenticity of the ledger: `authentic`, `modified` or `unauthenticated`.
    pub status: Status,
    /// Whether no problem was found.
    pub intact: bool,
    /// Folder of the ledger.
    pub ledger: String,
    /// Number of entries; `None` if they could not be read.
    pub entries: Option<u64>,
    /// Hash of the last entry.
    pub head: Option<String>,
    /// Problems and warnings.
    #[serde(flatten)]
    pub findings: Findings,
    /// Whether the ledger extends the exported head; `None` without an exported head.
    pub compared_with_head: Option<bool>,
    /// Public key of the ledger; `None` if it is unsigned.
    pub verifier: Option<String>,
}

/// Authenticity of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every signature is valid under a trusted key.
    Authentic,
    /// The ledger or a published file was modified.
    Modified,
    /// The hashes match, but the ledger is unsigned, or no trusted key was given.
    Unauthenticated,
}
