//! Engines: the three questions Reticent asks of wherever the rows are.
//!
//! *What values does this column have*, *how many rows carry each combination of these columns*, and *write the table
//! recoded like this*. The embedded engine answers them by streaming CSV and Parquet through dictionary codes on all
//! cores. A database answers them in SQL; nothing in the algorithms knows which.

mod ascending;
mod count;
mod embedded;
mod error;
#[cfg(feature = "parquet")]
mod guard;
mod hash;
mod options;
mod profile;
mod pseudonym;
mod published;
mod shuffle;
mod sink;
mod source;

use std::path::PathBuf;

use reticent::combos::{Owner, Weight};
use reticent::{Counts, Recoding, Table};

pub use embedded::{Embedded, count_csv_bytes, read_back, read_back_with_owners};
pub use error::{Doing, Error, Result};
#[cfg(feature = "parquet")]
pub use guard::is_guarded;
pub use options::{Options, Phase, Progress};
pub use pseudonym::OwnerKey;
pub use published::published;
pub use shuffle::Generator;
pub use sink::{csv_text, write_rows};

/// Answers the three questions about one table of rows.
pub trait Engine {
    /// What columns are there, and what values does each have? Answers for these columns, or for all.
    fn values(&self, columns: Option<&[String]>) -> Result<Vec<Profile>>;

    /// How many rows carry each combination of these columns?
    fn count(&self, ask: &Ask) -> Result<Counts>;

    /// Write the table recoded like this. `table` is what `count` answered, typed.
    fn write(&self, table: &Table, recoding: &Recoding, sink: &Sink) -> Result<Written>;
}

/// Which combinations to count.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The columns, each at most once.
    pub columns: Vec<AskColumn>,
    /// The column that names the owner. Owners come back as numbers, and only when some owner has several records.
    pub owner: Option<String>,
    /// Under which owners are linked with their combinations; without an owner column there is nothing to link.
    pub key: Option<OwnerKey>,
}

/// One column to count.
#[derive(Debug, Clone)]
pub struct AskColumn {
    /// Its name.
    pub name: String,
    /// For a number or date column with nearly as many values as rows: ascending bounds. A value counts as the greatest
    /// bound not above it (or the first bound). Texts that are not numbers or dates, or stand for no value, stay as they
    /// are.
    pub bins: Option<Vec<f64>>,
}

/// What one column holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The column.
    pub name: String,
    /// Rows read.
    pub rows: Weight,
    /// Rows with an empty text, or one that stands for no value.
    pub empty: Weight,
    /// Its texts with the rows that carry each, ascending by text; none when there are more than `Profile::LISTED`.
    pub values: Option<Vec<(String, Weight)>>,
    /// How many different texts; a lower bound when not listed and `distinct_is_bound`.
    pub distinct: u64,
    /// Whether counting stopped before the last text was seen.
    pub distinct_is_bound: bool,
    /// What all its texts are that stand for a value.
    pub looks_like: reticent::taxonomy::Type,
    /// For numbers and dates: ascending bounds that hold about equally many rows between each two, at most 1024.
    pub quantiles: Vec<f64>,
    /// For numbers and dates: the least and the greatest.
    pub extent: Option<(f64, f64)>,
}

impl Profile {
    /// Up to this many values are listed.
    pub const LISTED: usize = 65_536;
}

/// Where and how a release is written.
#[derive(Debug, Clone)]
pub struct Sink {
    /// The file to create; it must not exist. `.csv`, `.csv.gz`, `.csv.zst` or `.parquet` by `format`, not by name.
    pub path: PathBuf,
    /// The form of the file.
    pub format: Format,
    /// Decides the order of the rows, which depends on nothing else but the published rows themselves.
    pub seed: u64,
}

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma separated text with a header, compressed or not.
    Csv(Compression),
    /// Apache Parquet.
    Parquet,
}

/// How a text file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// As gzip.
    Gzip,
    /// As Zstandard.
    Zstd,
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Rows in the file.
    pub rows: Weight,
    /// Texts that looked like a spreadsheet formula and were written with a leading apostrophe, counted in cells.
    pub neutralised: Weight,
    /// By row of the file, whose it is; only where some owner has several records.
    pub owners: Option<Vec<Owner>>,
}
