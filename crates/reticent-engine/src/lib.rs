//! Engines: profile the columns of a table, count its combinations of values, and write its recoded rows.
//!
//! The embedded engine streams CSV and Parquet files through dictionary codes on all cores. The SQL engine (feature `sql`) asks
//! the same questions of a database. The algorithms do not depend on the engine.

#[cfg(feature = "parquet")]
mod batches;
#[cfg(any(feature = "parquet", feature = "workbook"))]
mod catch_panic;
mod count;
mod embedded;
mod error;
mod hash;
#[cfg(feature = "sql")]
mod hash_order;
mod locate;
mod options;
mod profile;
mod pseudonym;
mod published;
mod shuffle;
mod sink;
mod sort_merge;
mod source;
#[cfg(feature = "sql")]
pub mod sql;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

use reticent::Counts;
use reticent::contingency::{Owner, Weight};
use reticent::text_format::FormatDetector;

#[cfg(feature = "parquet")]
pub use batches::{BatchReader, read_batches};
#[cfg(any(feature = "parquet", feature = "workbook"))]
pub use catch_panic::is_catching_panics;
pub use embedded::{Embedded, count_csv_bytes, read_back, read_back_with_owners};
pub use error::{Error, FileOperation, Result};
pub use locate::FoundRow;
pub use options::{Options, Phase, Progress};
pub use pseudonym::OwnerKey;
pub use published::published;
pub use shuffle::Generator;
pub use sink::{csv_text, write_rows};
pub use source::FileReading;
#[cfg(feature = "parquet")]
pub use source::Frame;

/// Access to the rows of one table.
pub trait Engine: fmt::Debug + Send + Sync {
    /// Returns the name of the engine in the ledger.
    fn id(&self) -> &'static str;

    /// Returns the names of the columns, in the order of the table.
    fn columns(&self) -> &[String];

    /// Profiles these columns, or all columns.
    fn values(&self, columns: Option<&[String]>) -> Result<Vec<Profile>>;

    /// Counts the rows with each combination of values of these columns.
    fn count(&self, request: &CountRequest) -> Result<Counts>;

    /// Returns the first rows in which a column has one of these texts, as the source writes them; at most `limit`. Empty if rows
    /// have no place.
    fn locate(&self, column: &str, texts: &HashSet<&str>, limit: usize) -> Result<Vec<FoundRow>>;

    /// Ends the reading: a database need not keep the rows as they are any longer. No question about rows follows.
    fn end_reading(&self) -> Result<()> {
        Ok(())
    }

    /// Returns an error if the rows may differ from those that were counted.
    fn check_unchanged(&self) -> Result<()>;

    /// Returns the paths of the files, in reading order; empty if the rows are not in files.
    fn files(&self) -> Vec<&Path> {
        Vec::new()
    }

    /// Returns how each file is read: what was declared, and what was detected.
    fn reading(&self) -> Vec<FileReading> {
        Vec::new()
    }

    /// Returns whether row 1 is a header.
    fn has_header(&self) -> bool {
        true
    }
}

/// Combinations to count.
#[derive(Debug, Clone, Default)]
pub struct CountRequest {
    /// Columns, each at most once.
    pub columns: Vec<CountColumn>,
    /// Column that identifies the owner. Owners are returned as numbers, and only if an owner has several records.
    pub owner: Option<String>,
    /// Key that pseudonymizes the owners for the links. It has no effect without an owner column.
    pub key: Option<OwnerKey>,
}

/// A column to count.
#[derive(Debug, Clone)]
pub struct CountColumn {
    /// Name of the column.
    pub name: String,
    /// Bin bounds in ascending order, for a number or date column with nearly as many values as rows. A value counts
    /// as the greatest bound that is not above it, or else as the first bound. Missing values and other texts stay
    /// unchanged.
    pub bins: Option<Vec<f64>>,
}

/// Profile of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Name of the column.
    pub name: String,
    /// Number of rows.
    pub rows: Weight,
    /// Number of rows with a missing value.
    pub empty: Weight,
    /// Texts in ascending order, each with its number of rows; none if there are more than `Profile::MAX_LISTED`.
    pub values: Option<Vec<(String, Weight)>>,
    /// Number of distinct texts; a lower bound if `distinct_is_bound`.
    pub distinct: u64,
    /// True if `distinct` is a lower bound.
    pub distinct_is_bound: bool,
    /// Type of all texts that are not missing values.
    pub inferred_type: reticent::taxonomy::Type,
    /// Formats that all texts that are not missing values have, if [`Options::detect_formats`] asks for them.
    pub formats: Option<FormatDetector>,
    /// Bounds in ascending order, with about equally many rows between neighbours, at most 1024. Empty unless the
    /// column contains numbers or dates.
    pub quantiles: Vec<f64>,
    /// Minimum and maximum of the numbers or dates.
    pub extent: Option<(f64, f64)>,
}

impl Profile {
    /// Maximum number of listed values.
    pub const MAX_LISTED: usize = 65_536;
}

/// Destination and form of a release.
#[derive(Debug, Clone)]
pub struct Sink {
    /// File to create, which must not exist. `format` determines the form, not the name.
    pub path: PathBuf,
    /// Form of the file.
    pub format: Format,
    /// Seed of the row order. The order depends only on the seed and the published rows.
    pub seed: u64,
}

/// Form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text with a header, optionally compressed.
    Csv(Compression),
    /// Apache Parquet.
    Parquet,
}

/// Compression of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// Result of writing a release.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteSummary {
    /// Number of rows in the file.
    pub rows: Weight,
    /// Number of cells that look like a spreadsheet formula and got a leading apostrophe.
    pub neutralised: Weight,
    /// Owner of each row of the file; none unless an owner has several records.
    pub owners: Option<Vec<Owner>>,
}
