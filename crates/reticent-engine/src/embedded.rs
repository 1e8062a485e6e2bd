//! The embedded engine: reads CSV and Parquet files on all cores, with bounded memory.

use std::collections::HashSet;
use std::path::Path;

use reticent::Counts;
use reticent::contingency::Owner;

use crate::count::{count, count_with_owners};
use crate::error::Result;
use crate::locate::{FoundRow, locate};
use crate::options::Options;
use crate::profile::profile;
#[cfg(feature = "parquet")]
use crate::source::Frame;
use crate::source::{FileReading, Source};
use crate::{CountColumn, CountRequest, Engine, Profile};

/// A table in files.
#[derive(Debug, Clone)]
pub struct Embedded {
    source: Source,
    options: Options,
}

impl Embedded {
    /// Opens files, folders and patterns as one table. Reads only the headers.
    pub fn open(patterns: &[String], options: Options) -> Result<Embedded> {
        Ok(Embedded { source: Source::open(patterns, &options)?, options })
    }

    /// Opens one file, whose name is not a pattern.
    pub fn open_file(path: &Path, options: Options) -> Result<Embedded> {
        Ok(Embedded { source: Source::open_file(path, &options)?, options })
    }

    /// Opens a table in memory, without a copy of it.
    #[cfg(feature = "parquet")]
    pub fn open_frame(frame: &Frame, options: Options) -> Result<Embedded> {
        Ok(Embedded { source: Source::frame(frame)?, options })
    }

    /// Opens comma-separated text in memory.
    pub fn from_csv(bytes: &[u8], options: Options) -> Result<Embedded> {
        Ok(Embedded { source: Source::memory(bytes, &options)?, options })
    }

    /// Counts all columns with a given number for each row, in row order. Returns an error unless there is one number
    /// for each row.
    pub fn count_rows(&self, numbers: &[Owner]) -> Result<Counts> {
        count_with_owners(&self.source, numbers, &self.options)
    }

    fn count_all(&self) -> Result<Counts> {
        let columns = self.columns().iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect();
        self.count(&CountRequest { columns, ..CountRequest::default() })
    }
}

impl Engine for Embedded {
    fn id(&self) -> &'static str {
        "embedded"
    }

    fn columns(&self) -> &[String] {
        self.source.names()
    }

    fn values(&self, columns: Option<&[String]>) -> Result<Vec<Profile>> {
        profile(&self.source, columns.unwrap_or(self.columns()), &self.options)
    }

    fn count(&self, request: &CountRequest) -> Result<Counts> {
        count(&self.source, request, &self.options)
    }

    fn locate(&self, column: &str, texts: &HashSet<&str>, limit: usize) -> Result<Vec<FoundRow>> {
        locate(&self.source, column, texts, limit, &self.options)
    }

    fn check_unchanged(&self) -> Result<()> {
        self.source.check_unchanged()
    }

    fn files(&self) -> Vec<&Path> {
        self.source.paths().collect()
    }

    fn reading(&self) -> Vec<FileReading> {
        self.source.reading()
    }

    fn has_header(&self) -> bool {
        !self.source.is_frame()
    }
}

/// Reads a written file: every column, every text unchanged.
pub fn read_back(path: &Path, options: &Options) -> Result<Counts> {
    Embedded::open_file(path, unchanged_options(options))?.count_all()
}

/// Reads a written file with a given owner for each row, in row order.
pub fn read_back_with_owners(path: &Path, owners: &[Owner], options: &Options) -> Result<Counts> {
    let options = unchanged_options(options);
    count_with_owners(&Source::open_file(path, &options)?, owners, &options)
}

pub(crate) fn unchanged_options(options: &Options) -> Options {
    Options {
        trim: false,
        delimiter: Some(b','),
        encoding: Some("utf-8".to_owned()),
        sheet: None,
        formats: Vec::new(),
        ..options.clone()
    }
}

/// Counts all columns of comma-separated text in memory, in small blocks. For fuzzing.
pub fn count_csv_bytes(bytes: &[u8], block_bytes: usize) -> Result<Counts> {
    let options = Options { block_bytes, threads: Some(2), trim: false, memory: 256 << 20, ..Options::default() };
    Embedded::from_csv(bytes, options)?.count_all()
}
