//! Answer of `purge`.

use serde::Serialize;

/// Answer of `purge`.
#[derive(Debug, Serialize)]
pub struct PurgeAnswer {
    /// Number of the release whose contents were erased.
    pub release: u64,
    /// Name of the release.
    pub name: String,
    /// Number of the entry that records the erasure.
    pub number: u64,
    /// Hash of this entry.
    pub entry: String,
    /// Number of erased files in the ledger.
    pub erased_files: usize,
    /// Number of files that stay in the ledger, because another release has the same contents.
    pub shared_files: usize,
    /// Numbers of the releases with the same contents, through which the contents can still be read.
    pub shared_with: Vec<u64>,
    /// Path of the published file, which is not deleted.
    pub file: Option<String>,
}
