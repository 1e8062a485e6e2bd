//! Release files as batches of Arrow arrays, for programs that read them as data frames.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, Field, Schema};
use hashbrown::HashMap;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use reticent::taxonomy::Code;

use crate::catch_panic::catch_panic;
use crate::embedded::unchanged_options;
use crate::error::{Error, FileOperation, Result};
use crate::options::{Options, Phase};
use crate::sink::TypedColumn;
use crate::source::{Fields, RowConsumer, RowError, Source, is_parquet, scan};

/// Batches of a table.
pub type BatchReader = Box<dyn RecordBatchReader + Send>;

/// Number of rows of a batch.
const BATCH_ROWS: usize = 1 << 16;

/// Opens a release file in CSV or Parquet, in the order of its rows.
///
/// The columns of a CSV file get the types that a release in Parquet has: integers, numbers and dates if every text can be restored
/// from them, and text otherwise. An empty text is a null value.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub fn read_batches(path: &Path, options: &Options) -> Result<BatchReader> {
    if is_parquet(path)? { parquet_batches(path) } else { csv_batches(path, options) }
}

fn parquet_batches(path: &Path) -> Result<BatchReader> {
    let file = File::open(path).map_err(|error| Error::io(FileOperation::Read, path, error))?;
    let open =
        || ParquetRecordBatchReaderBuilder::try_new(file).and_then(|rows| rows.with_batch_size(BATCH_ROWS).build());
    let reader = catch_panic(open).and_then(Result::ok);
    let reader = reader.ok_or_else(|| Error::malformed(path, None, "not a Parquet file that can be read"))?;
    Ok(Box::new(reader))
}

fn csv_batches(path: &Path, options: &Options) -> Result<BatchReader> {
    // With one thread, the rows arrive in order.
    let options = Options { threads: Some(1), ..unchanged_options(options) };
    let source = Source::open_file(path, &options)?;
    let columns: Vec<usize> = (0..source.names().len()).collect();
    let new = || Reader { columns: columns.iter().map(|_| CodedColumn::default()).collect() };
    let readers = scan(&source, &columns, &options, Phase::Counting, new)?;
    let coded: Vec<CodedColumn> = readers.into_iter().next().map(|reader| reader.columns).unwrap_or_default();
    let rows = coded.first().map_or(0, |column| column.codes.len());
    let typed: Vec<(TypedColumn, Vec<Code>)> =
        coded.into_iter().map(|column| (TypedColumn::new(&column.texts), column.codes)).collect();
    let fields = source.names().iter().zip(&typed).map(|(name, (cells, _))| Field::new(name, cells.data_type(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let of_batch = schema.clone();
    let batch = move |from: usize| -> Result<RecordBatch, ArrowError> {
        let to = rows.min(from + BATCH_ROWS);
        let arrays = typed.iter().map(|(cells, codes)| cells.array(codes[from..to].iter().copied()));
        RecordBatch::try_new(of_batch.clone(), arrays.collect())
    };
    Ok(Box::new(RecordBatchIterator::new((0..rows).step_by(BATCH_ROWS).map(batch), schema)))
}

/// Cells of a column as indices into its distinct texts.
#[derive(Default)]
struct CodedColumn {
    texts: Vec<String>,
    places: HashMap<String, Code>,
    codes: Vec<Code>,
}

struct Reader {
    columns: Vec<CodedColumn>,
}

impl RowConsumer for Reader {
    fn row(&mut self, row: &impl Fields) -> Result<(), RowError> {
        for (at, column) in self.columns.iter_mut().enumerate() {
            let text = std::str::from_utf8(row.field(at)).map_err(|_| RowError::NotUtf8(at))?;
            let code = match column.places.get(text) {
                Some(code) => *code,
                None => {
                    let code = column.texts.len() as Code;
                    column.places.insert(text.to_owned(), code);
                    column.texts.push(text.to_owned());
                    code
                }
            };
            column.codes.push(code);
        }
        Ok(())
    }

    fn pause(&mut self) -> Result<()> {
        Ok(())
    }
}
