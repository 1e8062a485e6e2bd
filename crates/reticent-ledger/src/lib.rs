//! The ledger: the durable, tamper-evident record of what was released, and to whom.
//!
//! A folder that only its owner can read:
//!
//! ```text
//! catalogue.sqlite   entries: names, recipients, counts, hashes; each carries the hash of the one before it and is signed
//! bodies/            what was published (Parquet), policies, taxonomies; each under the SHA-256 of its bytes
//! links/             which published record is about whom, under keyed pseudonyms (Parquet)
//! seal.json          the hash of the catalogue and of its last entry, signed
//! lock               held by whoever writes
//! ```
//!
//! Nothing here knows a model or an algorithm. It records what it is given, whole or not at all; it gives it back as the
//! library's `History`; and it tells when a byte of it was changed.

mod bodies;
mod catalogue;
mod chain;
mod disk;
mod entry;
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
mod records;
mod recovery;
mod schema;
mod seal;
mod session;
mod signature;
mod staging;
#[cfg(test)]
mod tests;
mod verify;
mod witness;

pub use chain::Head;
pub use disk::sync_folder;
pub use entry::{
    Amendment, ColumnRecord, Entry, EntryKind, Erasure, FileRecord, Judged, KeyRotation, Kind, Made, MethodRecord,
    Metric, Origin, Per, Promised, Purge, Recorded, Replaced, Spent, Stored, StoredLinks, StoredTaxonomy, TableRecord,
    Verified, Withdrawal, Withheld, WitnessRecord,
};
pub use error::{Error, Result};
pub use hash::Hash;
pub use head::ExportedHead;
pub use key::{Derivation, Identity, Key, KeyFile};
pub use ledger::{Ledger, Writer};
pub use load::Wanted;
pub use lock::Holder;
pub use proof::{Proof, Proven};
pub use record::{ByMethod, Draft, Outcome};
pub use records::{Body, BodyColumn, BodyTree, Published};
pub use seal::Naming;
pub use session::{Clock, Session};
pub use signature::Verifier;
pub use staging::Staging;
pub use verify::{Authentication, FileState, Findings, NamedFile};
pub use witness::countersign;
