//! Release files as batches of Arrow arrays.

use std::path::Path;

use reticent_engine::{BatchReader, Options};

use crate::error::Result;

/// Opens a release file in CSV or Parquet as batches of Arrow arrays, in the order of its rows.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub fn read_batches(path: &Path) -> Result<BatchReader> {
    Ok(reticent_engine::read_batches(path, &Options::default())?)
}
