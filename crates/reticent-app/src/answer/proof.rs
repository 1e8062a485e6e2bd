//! Answers of `check-proof`, `witness`, `record-witness` and `authenticate`.

use reticent_ledger::{Entry, ExportedHead};
use serde::Serialize;

/// Answer of `check-proof`.
#[derive(Debug, Serialize)]
pub struct ProofChecked {
    /// Proved statement.
    #[serde(flatten)]
    pub of: ProofOf,
    /// Head that the proof ends at.
    pub head: ExportedHead,
    /// Whether the signature was checked with a key that the caller gave, and not only with the key in the head.
    pub signed_by_trusted_key: bool,
}

/// Statement of a proof.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "proof")]
pub enum ProofOf {
    /// The entry is in the ledger of the head.
    Inclusion {
        /// The entry.
        entry: Box<Entry>,
    },
    /// The ledger of the head extends an earlier head.
    Consistency {
        /// The earlier head.
        earlier: Box<ExportedHead>,
    },
}

/// Answer of `witness`.
#[derive(Debug, Serialize)]
pub struct Countersigned {
    /// Countersigned head.
    pub head: ExportedHead,
    /// Public key of the witness.
    pub witness: String,
    /// Number of entries of the previous head; `None` the first time.
    pub kept_entries: Option<u64>,
    /// Whether the key of the witness was created.
    pub drew_key: bool,
}

/// Answer of `record-witness` and `authenticate`.
#[derive(Debug, Serialize)]
pub struct RecordedEntry {
    /// Number of the entry.
    pub number: u64,
    /// Hash of the entry.
    pub entry: String,
    /// Public key of the ledger.
    pub verifier: Option<String>,
}
