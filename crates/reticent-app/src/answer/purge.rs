//! What `purge` answers.

use serde::Serialize;

/// What `purge` answers.
#[derive(Debug, Serialize)]
pub struct Purged {
    /// The release whose contents were erased.
    pub release: u64,
    /// Its name.
    pub name: String,
    /// The number of the entry that says so.
    pub number: u64,
    /// Its hash.
    pub entry: String,
    /// Stored files that are gone.
    pub erased_files: usize,
    /// Stored files that stay, because another release has the same.
    pub shared_files: usize,
    /// The releases that have the same, and through which it can still be read.
    pub shared_with: Vec<u64>,
    /// The published file, which is not touched.
    pub file: Option<String>,
}
