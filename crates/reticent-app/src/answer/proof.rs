//! What `check-proof`, `witness`, `record-witness` and `authenticate` answer.

use reticent_ledger::{Entry, ExportedHead};
use serde::Serialize;

/// What `check-proof` answers.
#[derive(Debug, Serialize)]
pub struct ProofChecked {
    /// What is proved.
    #[serde(flatten)]
    pub of: ProofOf,
    /// The head that the proof leads to.
    pub head: ExportedHead,
    /// Whether the head is signed with a key that the caller gave; otherwise with the key that it names.
    pub signed_by_trusted_key: bool,
}

/// What a proof shows.
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

/// What `witness` answers.
#[derive(Debug, Serialize)]
pub struct Countersigned {
    /// The countersigned head.
    pub head: ExportedHead,
    /// The public key of the witness.
    pub witness: String,
    /// How many entries the head had that was kept before; none the first time.
    pub kept_entries: Option<u64>,
    /// Whether the key of the witness was drawn.
    pub drew_key: bool,
}

/// What `record-witness` and `authenticate` answer.
#[derive(Debug, Serialize)]
pub struct RecordedEntry {
    /// The number of the entry.
    pub number: u64,
    /// Its hash.
    pub entry: String,
    /// The public key of the ledger.
    pub verifier: Option<String>,
}
