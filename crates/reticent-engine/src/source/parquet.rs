//! Parquet files, by row groups.

use std::fs::File;
use std::path::Path;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use super::arrow::{BATCH, Texts, unsupported};
use super::csv::other_format;
use super::scan::{RowConsumer, RowError};
use super::{Origin, column_names};
use crate::catch_panic::catch_panic;
use crate::error::{Error, FileOperation, Result};

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
    let name = |column: usize| metadata.schema().field(column).name();
    if let Some(column) = unsupported(metadata.schema(), columns) {
        let message = format!("column `{}` is nested or has a type without a text form; omit it", name(column));
        return Err(Error::malformed(path, None, message));
    }
    let file = File::open(path).map_err(|error| Error::io(FileOperation::Read, path, error))?;
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
    let batches = catch_panic(|| {
        let batches = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
        batches.with_row_groups(vec![group]).with_projection(mask).with_batch_size(BATCH).build()
    });
    let mut batches = batches.and_then(|batches| batches.ok()).ok_or_else(|| unreadable(path))?;
    // The reader returns the columns of the mask in the order of the file, each once.
    let mut in_file = columns.to_vec();
    in_file.sort_unstable();
    in_file.dedup();
    let place = |column: &usize| in_file.binary_search(column).unwrap_or_default();
    let places: Vec<usize> = columns.iter().map(place).collect();
    while let Some(batch) = catch_panic(|| batches.next()).ok_or_else(|| unreadable(path))? {
        let batch = batch.map_err(|_| unreadable(path))?;
        let texts = catch_panic(|| Texts::new(&batch, &places)).ok_or_else(|| unreadable(path))?;
        let texts = texts.map_err(|place| {
            let message =
                format!("column `{}` has values without a text form; convert or omit it", name(in_file[place]));
            Error::malformed(path, None, message)
        })?;
        texts.read(trim, rows).map_err(|error| match error {
            RowError::NotUtf8(_) => unreadable(path),
            RowError::OtherFormat(at) => other_format(&Origin::file(path.to_owned()), None, columns[at]),
            RowError::Error(error) => error,
        })?;
    }
    Ok(())
}
