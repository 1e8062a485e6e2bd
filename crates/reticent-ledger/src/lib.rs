//! The ledger: the durable, tamper-evident record of what was released, and to whom.
//!
//! A folder that only its owner can read:
//!
//! ```text
//! catalogue.sqlite   entries: names, recipients, counts, hashes; each carries the hash of the one before it
//! bodies/            what was published (Parquet), policies, taxonomies; each under the SHA-256 of its bytes
//! links/             which published record is about whom, under keyed pseudonyms (Parquet)
//! seal.json          the hash of the catalogue and of its last entry
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
mod ledger;
mod links;
mod load;
mod lock;
mod purge;
mod record;
mod records;
mod seal;
mod session;
mod settle;
mod staging;
#[cfg(test)]
mod tests;
mod verify;

pub use chain::Head;
pub use disk::sync_folder;
pub use entry::{
    ColumnRecord, Entry, FileRecord, Judged, Kind, Made, MethodRecord, Metric, Origin, Promised, Purge, Recorded,
    Stored, StoredLinks, StoredTaxonomy, TableRecord, Verified, What, Withheld,
};
pub use error::{Error, Result};
pub use hash::Hash;
pub use head::ExportedHead;
pub use key::Key;
pub use ledger::{Ledger, Writer};
pub use load::Wanted;
pub use lock::Holder;
pub use record::{ByMethod, Draft, Outcome};
pub use records::{Body, BodyColumn, BodyTree};
pub use seal::Naming;
pub use session::{Clock, Session};
pub use staging::Staging;
pub use verify::{FileState, Findings, NamedFile};
