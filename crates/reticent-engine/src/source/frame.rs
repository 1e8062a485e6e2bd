//! Tables in memory: batches of Arrow arrays, such as those of a data frame.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};

use super::arrow::{BATCH, Texts, unsupported};
use super::csv::other_format;
use super::scan::{RowConsumer, RowError};
use super::{Input, InputFormat, Origin, Source, column_names};
use crate::batches::BatchReader;
use crate::catch_panic::catch_panic;
use crate::error::{Error, Result};

/// Number of rows that one thread reads at a time.
const CHUNK_ROWS: usize = 4 * BATCH;

/// Name of a frame in errors, in place of the path of a file.
const FRAME: &str = "data frame";

/// A table in memory. Clones share the memory of its arrays, which are never changed.
#[derive(Clone)]
pub struct Frame {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

/// Does not print the rows.
impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({} columns, {} rows)", self.schema.fields().len(), self.rows())
    }
}

impl Frame {
    /// Creates a table of batches with the same schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Frame {
        Frame { schema, batches: batches.into() }
    }

    /// Returns the rows of several tables, one after the other; none if their columns differ.
    pub fn concat(frames: Vec<Frame>) -> Option<Frame> {
        let schema = frames.first()?.schema();
        let is_same = frames.iter().all(|frame| frame.schema.fields() == schema.fields());
        let batches = frames.iter().flat_map(|frame| frame.batches.iter().cloned()).collect();
        is_same.then(|| Frame::new(schema, batches))
    }

    /// Returns the columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns the batches again, without a copy.
    pub fn reader(&self) -> BatchReader {
        let batches: Vec<Result<RecordBatch, ArrowError>> = self.batches.iter().cloned().map(Ok).collect();
        Box::new(RecordBatchIterator::new(batches, self.schema.clone()))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    /// Returns the first row and the number of rows of each chunk, by index of its batch.
    pub(super) fn chunks(&self) -> impl Iterator<Item = FrameChunk> + '_ {
        self.batches.iter().enumerate().flat_map(|(batch, rows)| {
            let of = move |from| FrameChunk { batch, from, rows: CHUNK_ROWS.min(rows.num_rows() - from) };
            (0..rows.num_rows()).step_by(CHUNK_ROWS).map(of)
        })
    }

    /// Reads these columns of a chunk.
    pub(super) fn read_chunk<R: RowConsumer>(
        &self,
        chunk: &FrameChunk,
        columns: &[usize],
        trim: bool,
        rows: &mut R,
    ) -> Result<()> {
        let malformed = |column: usize, what: &str| {
            let field = self.schema.field(column);
            let text =
                format!("column `{}` has the type {}, {what}; convert or omit it", field.name(), field.data_type());
            Error::malformed(Path::new(FRAME), None, text)
        };
        if let Some(column) = unsupported(&self.schema, columns) {
            return Err(malformed(column, "which has no text form"));
        }
        for from in (chunk.from..chunk.from + chunk.rows).step_by(BATCH) {
            let batch = self.batches[chunk.batch].slice(from, BATCH.min(chunk.from + chunk.rows - from));
            let texts = catch_panic(|| Texts::new(&batch, columns));
            let texts = texts.ok_or_else(|| Error::malformed(Path::new(FRAME), None, "its memory cannot be read"))?;
            let no_text = |column| malformed(column, "and a value without a text form");
            texts.map_err(no_text)?.read(trim, rows).map_err(|error| match error {
                RowError::NotUtf8(at) => malformed(columns[at], "and a value that is not UTF-8"),
                RowError::OtherFormat(at) => other_format(&Origin::file(PathBuf::from(FRAME)), None, columns[at]),
                RowError::Error(error) => error,
            })?;
        }
        Ok(())
    }
}

/// Rows of a batch that one thread reads.
pub(super) struct FrameChunk {
    batch: usize,
    from: usize,
    pub(super) rows: usize,
}

impl Source {
    /// Opens a table in memory.
    pub(crate) fn frame(frame: &Frame) -> Result<Source> {
        let origin = Origin::file(PathBuf::from(FRAME));
        let names = frame.schema.fields().iter().map(|field| field.name().clone()).collect();
        let names = column_names(origin.path(), names)?;
        let input = Input::new(origin, InputFormat::Frame(frame.clone()), frame.rows());
        Ok(Source::new(vec![input], names))
    }
}
