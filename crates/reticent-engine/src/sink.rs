//! Where a release goes: a new file, whole or not at all.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reticent::Counts;
use reticent::combos::{Owner, Weight};

use crate::error::{Doing, Error, Result};
use crate::options::{Options, Phase};
use crate::shuffle::Shuffled;
use crate::{Format, Sink, Written};

pub use csv::csv_text;

/// Writes rows in canonical form (see `published`) in the order that the seed decides.
pub fn write_rows(rows: &Counts, sink: &Sink, options: &Options) -> Result<Written> {
    let file = Partial::create(&sink.path)?;
    let mut owners: Option<Vec<Owner>> = rows.combos.owners.as_ref().map(|_| Vec::new());
    let order = Shuffled::new(&rows.combos, sink.seed).inspect(|order| {
        if let (Some(into), Some(from)) = (&mut owners, &rows.combos.owners) {
            into.extend(order.iter().map(|at| from[*at as usize]));
        }
    });
    let progress = Rows { options, done: 0, total: rows.combos.rows() };
    let neutralised = match sink.format {
        Format::Csv(compression) => csv::write(rows, order, compression, &file, progress)?,
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(Error::malformed(&sink.path, None, "this program was built without Parquet")),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(rows, order, &file, progress)?,
    };
    file.keep()?;
    Ok(Written { rows: rows.combos.rows(), neutralised, owners })
}

/// How many rows are written, for those who wait or want to stop.
struct Rows<'a> {
    options: &'a Options,
    done: Weight,
    total: Weight,
}

impl Rows<'_> {
    fn add(&mut self, rows: usize) -> Result<()> {
        self.done += rows as Weight;
        self.options.report(Phase::Writing, self.done, self.total);
        self.options.check_stop()
    }
}

/// A file that disappears again unless it is kept.
struct Partial {
    file: File,
    path: PathBuf,
    kept: bool,
}

impl Partial {
    fn create(path: &Path) -> Result<Partial> {
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::OutputExists { path: path.to_owned() },
            _ => Error::io(Doing::Create, path, error),
        })?;
        Ok(Partial { file, path: path.to_owned(), kept: false })
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::io(Doing::Write, &self.path, error)
    }

    /// Makes sure that the file is on the disk.
    fn keep(mut self) -> Result<()> {
        self.file.sync_all().map_err(|error| self.failed(error))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing better can be done when even this fails; the error that led here is reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}
