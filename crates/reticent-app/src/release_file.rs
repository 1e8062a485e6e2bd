//! Release files: their hash, and their rows as batches of Arrow arrays.

use std::path::Path;

use reticent_engine::{BatchReader, Options};

use crate::error::Result;

/// Returns the hash of a published file or folder, as the ledger records it.
///
/// # Errors
///
/// Returns an error if it cannot be read.
pub fn digest(path: &Path) -> Result<String> {
    Ok(reticent_ledger::Hash::digest_file(path)?.0.to_string())
}

/// Opens a release file in CSV or Parquet as batches of Arrow arrays, in the order of its rows.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub fn read_batches(path: &Path) -> Result<BatchReader> {
    Ok(reticent_engine::read_batches(path, &Options::default())?)
}
