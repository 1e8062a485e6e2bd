//! The ledger: a durable, tamper-evident record of releases and their recipients.
//!
//! A ledger is a folder that only its owner, and the group that it is shared with, can read:
//!
//! ```text
//! catalogue.sqlite   signed entries (names, recipients, counts, hashes), each with the hash of the previous entry
//! bodies/            published records (Parquet), policies, taxonomies; each named by the SHA-256 of its bytes
//! links/             owner links: which person each published record belongs to, under keyed pseudonyms (Parquet)
//! seal.json          hash of the catalogue and of its last entry, signed
//! lock               locked by the process that writes
//! ```
//!
//! The ledger knows no privacy model and no algorithm. It records a release atomically, returns the recorded releases
//! as the library's `History`, and detects every changed byte.

mod amend;
mod blobs;
mod body_format;
mod catalogue;
mod chain;
mod corrections;
mod disk;
mod entry;
pub mod environment;
mod erase;
mod error;
mod finalize;
mod hash;
mod head;
mod key;
mod key_file;
mod kinds;
mod ledger;
mod links;
mod load;
mod lock;
mod merkle;
mod proof;
mod purge;
mod record;
mod recovery;
mod schema;
mod seal;
mod session;
mod sharing;
mod signature;
mod staging;
#[cfg(test)]
mod tests;
mod verify;
mod withdraw;
mod witness;

pub use amend::{AmendmentDraft, AmendmentOutcome};
pub use body_format::{Body, BodyColumn, BodyTree, Published};
pub use chain::Head;
pub use disk::sync_folder;
pub use entry::{
    Amendment, AttributeLevel, BlobKind, BudgetRecord, ColumnRecord, Corrections, Entry, EntryKind, Erasure,
    FileRecord, HistoryScope, KeyRotation, MethodRecord, Metric, Origin, PosteriorBound, Provenance, Purge,
    ReleaseRecord, Replacement, StoredBlob, StoredLinks, StoredTaxonomy, TableRecord, Tried, VerifiedModel, Withdrawal,
    WithdrawnMark, WithheldRecords, WitnessRecord,
};
pub use error::{Error, Result};
pub use hash::Hash;
pub use head::ExportedHead;
pub use key::{Derivation, Identity, Key, KeyFile};
pub use ledger::{Ledger, Writer};
pub use load::HistoryQuery;
pub use lock::Holder;
pub use proof::{Proof, ProvenClaim};
pub use record::{MethodDraft, RecordOutcome, ReleaseDraft};
pub use seal::Naming;
pub use session::{Clock, Session};
pub use signature::Verifier;
pub use staging::Staging;
pub use verify::{Authentication, FileState, Findings, NamedFile};
pub use withdraw::WithdrawalDraft;
pub use witness::countersign;
