//! The embedded engine: reads CSV and Parquet files on all cores of this machine, in bounded memory.

use std::path::Path;

use reticent::combos::Owner;
use reticent::{Counts, Recoding, Table};

use crate::count::{count, count_with_owners};
use crate::error::Result;
use crate::options::Options;
use crate::profile::profile;
use crate::published::published;
use crate::sink::write_rows;
use crate::source::Source;
use crate::{Ask, AskColumn, Engine, Profile, Sink, Written};

/// A table in files.
#[derive(Debug, Clone)]
pub struct Embedded {
    source: Source,
    options: Options,
}

impl Embedded {
    /// Opens files, folders and patterns as one table; looks at headers only.
    pub fn open(patterns: &[String], options: Options) -> Result<Embedded> {
        Ok(Embedded { source: Source::open(patterns, &options)?, options })
    }

    /// Opens one file, whatever characters its name has.
    pub fn open_file(path: &Path, options: Options) -> Result<Embedded> {
        Ok(Embedded { source: Source::open_file(path, &options)?, options })
    }

    /// Opens comma separated text in memory.
    pub fn from_csv(bytes: &[u8], options: Options) -> Result<Embedded> {
        Ok(Embedded { source: Source::memory(bytes, &options)?, options })
    }

    /// The columns, in the order of the files.
    pub fn columns(&self) -> &[String] {
        self.source.names()
    }

    /// The files, in the order in which they are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.source.paths()
    }

    /// Counts all columns with a number for each row, in the order of the rows: as many as there are.
    pub fn count_rows(&self, numbers: &[Owner]) -> Result<Counts> {
        count_with_owners(&self.source, numbers, &self.options)
    }

    fn count_all(&self) -> Result<Counts> {
        let columns = self.columns().iter().map(|name| AskColumn { name: name.clone(), bins: None }).collect();
        self.count(&Ask { columns, ..Ask::default() })
    }
}

impl Engine for Embedded {
    fn values(&self, columns: Option<&[String]>) -> Result<Vec<Profile>> {
        profile(&self.source, columns.unwrap_or(self.columns()), &self.options)
    }

    fn count(&self, ask: &Ask) -> Result<Counts> {
        count(&self.source, ask, &self.options)
    }

    /// Counts are enough: the rows are written from the table, the files are not read again.
    fn write(&self, table: &Table, recoding: &Recoding, sink: &Sink) -> Result<Written> {
        write_rows(&published(table, recoding), sink, &self.options)
    }
}

/// Reads a written file as it is: every column, every text unchanged.
pub fn read_back(path: &Path, options: &Options) -> Result<Counts> {
    Embedded::open_file(path, as_written(options))?.count_all()
}

/// Reads a written file as it is, with the owner of each of its rows in order.
pub fn read_back_with_owners(path: &Path, owners: &[Owner], options: &Options) -> Result<Counts> {
    let options = as_written(options);
    count_with_owners(&Source::open_file(path, &options)?, owners, &options)
}

fn as_written(options: &Options) -> Options {
    Options { trim: false, delimiter: Some(b','), ..options.clone() }
}

/// Counts all columns of comma separated text in memory, cut into small blocks; what fuzzing calls.
pub fn count_csv_bytes(bytes: &[u8], block_bytes: usize) -> Result<Counts> {
    let options = Options { block_bytes, threads: Some(2), trim: false, memory: 256 << 20, ..Options::default() };
    Embedded::from_csv(bytes, options)?.count_all()
}
