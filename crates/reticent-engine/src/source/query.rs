//! Tables of databases, read by queries.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};

use super::arrow::{BATCH, Texts, unsupported};
use super::csv::other_format;
use super::scan::{RowConsumer, RowError};
use super::{Input, InputFormat, Origin, Source, column_names};
use crate::error::{Error, Result};
use crate::options::Options;

/// Rows of a table outside of this process.
pub(crate) trait RowQuery: fmt::Debug + Send + Sync {
    /// Name of the table for errors.
    fn name(&self) -> &str;

    /// Passes the rows of these columns on, in batches. If they are `grouped`, each row occurs once, and the last column of a batch is
    /// the number of its occurrences.
    fn read(
        &self,
        columns: &[String],
        grouped: bool,
        options: &Options,
        each: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()>;
}

impl Source {
    /// Opens a table with these columns.
    pub(crate) fn query(query: Arc<dyn RowQuery>, names: Vec<String>) -> Result<Source> {
        let origin = Origin::file(PathBuf::from(query.name()));
        let names = column_names(origin.path(), names)?;
        Ok(Source::new(vec![Input::new(origin, InputFormat::Query(query), 0)], names))
    }

    /// Returns the names of these columns.
    pub(super) fn columns_named(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|column| self.names[*column].clone()).collect()
    }
}

/// Reads a batch. If the rows are `grouped`, its last column is their weight.
pub(super) fn read_batch<R: RowConsumer>(
    name: &str,
    batch: &RecordBatch,
    grouped: bool,
    trim: bool,
    rows: &mut R,
) -> Result<()> {
    let schema = batch.schema();
    let malformed = |column: usize, what: &str| {
        let field = schema.field(column);
        let text = format!("column `{}` has the type {}, {what}; convert or omit it", field.name(), field.data_type());
        Error::malformed(Path::new(name), None, text)
    };
    let width = batch.num_columns() - usize::from(grouped);
    let columns: Vec<usize> = (0..width).collect();
    if let Some(column) = unsupported(&schema, &columns) {
        return Err(malformed(column, "which has no text form"));
    }
    for from in (0..batch.num_rows()).step_by(BATCH) {
        let batch = batch.slice(from, BATCH.min(batch.num_rows() - from));
        let no_text = |column| malformed(column, "and a value without a text form");
        let mut texts = Texts::new(&batch, &columns).map_err(no_text)?;
        if grouped {
            let weights =
                batch.column(width).as_primitive_opt::<Int64Type>().filter(|weights| weights.null_count() == 0);
            let weights = weights.ok_or_else(|| malformed(width, "which is no number of rows"))?;
            texts = texts.with_weights(weights.clone());
        }
        texts.read(trim, rows).map_err(|error| match error {
            RowError::NotUtf8(at) => malformed(at, "and a value that is not UTF-8"),
            RowError::OtherFormat(at) => other_format(&Origin::file(PathBuf::from(name)), None, at),
            RowError::Error(error) => error,
        })?;
    }
    Ok(())
}
