//! Parquet files: row groups, read as text regardless of their types.

#[cfg(test)]
mod tests;
mod text;

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use self::text::{TextArray, as_text, is_supported};
use super::csv::other_format;
use super::scan::{Fields, RowConsumer, RowError, trimmed};
use super::{Origin, column_names};
use crate::catch_panic::catch_panic;
use crate::error::{Error, FileOperation, Result};

/// Number of rows decoded at a time.
const BATCH: usize = 16_384;

/// Returns the metadata and the column names of a Parquet file.
pub(crate) fn header(path: &Path) -> Result<(ArrowReaderMetadata, Vec<String>)> {
    let file = File::open(path).map_err(|error| Error::io(FileOperation::Read, path, error))?;
    let metadata = catch_panic(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()));
    let metadata = metadata.and_then(|metadata| metadata.ok()).ok_or_else(|| unreadable(path))?;
    let names = metadata.schema().fields().iter().map(|field| field.name().clone()).collect();
    let names = column_names(path, names)?;
    Ok((metadata, names))
}

fn unreadable(path: &Path) -> Error {
    let message = "not a Parquet file that can be read; it must be complete, and uncompressed or compressed with snappy \
                   or zstd";
    Error::malformed(path, None, message)
}

/// Reads these columns of one row group.
pub(crate) fn read_group<R: RowConsumer>(
    path: &Path,
    metadata: &ArrowReaderMetadata,
    group: usize,
    columns: &[usize],
    trim: bool,
    rows: &mut R,
) -> Result<()> {
    for column in columns {
        let field = metadata.schema().field(*column);
        if !is_supported(field.data_type()) {
            let message = format!("column `{}` is nested or has a type without a text form; omit it", field.name());
            return Err(Error::malformed(path, None, message));
        }
    }
    let file = File::open(path).map_err(|error| Error::io(FileOperation::Read, path, error))?;
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
    let batches = catch_panic(|| {
        let batches = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
        batches.with_row_groups(vec![group]).with_projection(mask).with_batch_size(BATCH).build()
    });
    let mut batches = batches.and_then(|batches| batches.ok()).ok_or_else(|| unreadable(path))?;
    while let Some(batch) = catch_panic(|| batches.next()).ok_or_else(|| unreadable(path))? {
        let batch = batch.map_err(|_| unreadable(path))?;
        let texts = catch_panic(|| texts(path, &batch, metadata, columns)).ok_or_else(|| unreadable(path))??;
        for at in 0..batch.num_rows() {
            rows.row(&BatchRow { texts: &texts, at, trim }).map_err(|error| match error {
                RowError::NotUtf8(_) => unreadable(path),
                RowError::OtherFormat(at) => other_format(&Origin::file(path.to_owned()), None, columns[at]),
                RowError::Error(error) => error,
            })?;
        }
    }
    Ok(())
}

/// Returns the requested columns of a batch as texts, in the requested order.
fn texts(
    path: &Path,
    batch: &RecordBatch,
    metadata: &ArrowReaderMetadata,
    columns: &[usize],
) -> Result<Vec<TextArray>> {
    columns
        .iter()
        .map(|column| {
            let name = metadata.schema().field(*column).name();
            let array = batch.column_by_name(name).ok_or_else(|| unreadable(path))?;
            as_text(array).ok_or_else(|| {
                let message = format!("column `{name}` has values without a text form; convert or omit it");
                Error::malformed(path, None, message)
            })
        })
        .collect()
}

struct BatchRow<'a> {
    texts: &'a [TextArray],
    at: usize,
    trim: bool,
}

impl Fields for BatchRow<'_> {
    fn field(&self, at: usize) -> &[u8] {
        let text = self.texts[at].get(self.at).unwrap_or_default().as_bytes();
        if self.trim { trimmed(text) } else { text }
    }
}
