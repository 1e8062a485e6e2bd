//! Sinks: a release is written to a new file, completely or not at all.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reticent::Counts;
use reticent::contingency::{Owner, Weight};

use crate::error::{Error, FileOperation, Result};
use crate::options::{Options, Phase};
use crate::shuffle::ShuffledRows;
use crate::{Format, Sink, WriteSummary};

pub use csv::csv_text;
#[cfg(feature = "parquet")]
pub(crate) use parquet::TypedColumn;

/// Writes rows in canonical form (see `published`), in the order that the seed determines.
pub fn write_rows(rows: &Counts, sink: &Sink, options: &Options) -> Result<WriteSummary> {
    let file = PartialFile::create(&sink.path)?;
    let mut owners: Option<Vec<Owner>> = rows.contingency.owners.as_ref().map(|_| Vec::new());
    let order = ShuffledRows::new(&rows.contingency, sink.seed).inspect(|order| {
        if let (Some(into), Some(from)) = (&mut owners, &rows.contingency.owners) {
            into.extend(order.iter().map(|at| from[*at as usize]));
        }
    });
    let progress = WriteProgress { options, done: 0, total: rows.contingency.rows() };
    let neutralised = match sink.format {
        Format::Csv(compression) => csv::write(rows, order, compression, &file, progress)?,
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            return Err(Error::malformed(&sink.path, None, "this program was built without Parquet support"));
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(rows, order, &file, progress)?,
    };
    file.keep()?;
    Ok(WriteSummary { rows: rows.contingency.rows(), neutralised, owners })
}

/// Progress and cancellation of writing.
struct WriteProgress<'a> {
    options: &'a Options,
    done: Weight,
    total: Weight,
}

impl WriteProgress<'_> {
    fn add(&mut self, rows: usize) -> Result<()> {
        self.done += rows as Weight;
        self.options.report(Phase::Writing, self.done, self.total);
        self.options.check_stop()
    }
}

/// A file that is removed on drop unless it is kept.
struct PartialFile {
    file: File,
    path: PathBuf,
    kept: bool,
}

impl PartialFile {
    fn create(path: &Path) -> Result<PartialFile> {
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::OutputExists { path: path.to_owned() },
            _ => Error::io(FileOperation::Create, path, error),
        })?;
        Ok(PartialFile { file, path: path.to_owned(), kept: false })
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::io(FileOperation::Write, &self.path, error)
    }

    /// Syncs and keeps the file.
    fn keep(mut self) -> Result<()> {
        self.file.sync_all().map_err(|error| self.failed(error))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.kept {
            // The original error is reported, so an error here is ignored.
            let _ = fs::remove_file(&self.path);
        }
    }
}
