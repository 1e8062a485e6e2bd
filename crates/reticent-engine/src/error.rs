//! Errors of reading and writing rows: a stable code, data, and a text built from the data.
//!
//! Texts contain files, lines, column names and counts, but no value of a cell, no flag and no command.

use std::io;
use std::path::{Path, PathBuf};

use reticent::contingency::Weight;
use reticent::error::Hint;
use serde::ser::{Serialize, SerializeMap, Serializer};

#[cfg(feature = "sql")]
use crate::sql::DatabaseError;

/// Result type of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Failed operation on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOperation {
    /// Creation of a new file.
    Create,
    /// Reading.
    Read,
    /// Writing.
    Write,
}

/// Errors of an engine.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Error {
    /// The operating system reports an error.
    #[error("could not {} {}: {source}", verb(*.doing), .path.display())]
    #[strum(serialize = "io-failed")]
    Io {
        /// Failed operation.
        doing: FileOperation,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// No file has this name or matches this pattern.
    #[error("no file matches {pattern}; give a file, a folder or a pattern such as 'data/*.csv'")]
    #[strum(serialize = "file-not-found")]
    NoFile {
        /// Name or pattern.
        pattern: String,
    },
    /// A file does not contain a readable table.
    #[error("{}{}: {message}", .file.display(), at_line(*.line))]
    #[strum(serialize = "file-malformed")]
    Malformed {
        /// Path of the file.
        file: PathBuf,
        /// Number of the line, from 1, if known.
        line: Option<u64>,
        /// Description of the problem, and how to fix it.
        message: String,
    },
    /// The table has no such column.
    #[error("the data has no column `{column}`{}", hint_text(.hint))]
    #[strum(serialize = "column-unknown")]
    UnknownColumn {
        /// Requested column.
        column: String,
        /// Suggestion of a similar name.
        hint: Option<String>,
    },
    /// A column has too many distinct values to be counted.
    #[error("column `{column}` has more than {limit} distinct values; bin it, round it, or omit it")]
    TooManyValues {
        /// Name of the column.
        column: String,
        /// Maximum number of distinct values.
        limit: usize,
    },
    /// The combinations exceed the memory limit.
    #[error(
        "counting exceeds the memory limit of {} MiB after {combinations} combinations (column `{column}` has the most \
         values: {values}); use fewer columns, coarser values, or a higher limit",
        .limit_bytes / 1_048_576
    )]
    #[strum(serialize = "memory-exceeded")]
    Memory {
        /// Memory limit in bytes.
        limit_bytes: u64,
        /// Number of combinations when the limit was exceeded.
        combinations: u64,
        /// Column with the most values.
        column: String,
        /// Number of values of that column.
        values: usize,
    },
    /// The output file already exists.
    #[error("{} already exists; a release is never overwritten, choose another name", .path.display())]
    OutputExists {
        /// Path of the file.
        path: PathBuf,
    },
    /// Some rows have no owner.
    #[error("{rows} row{} no owner in column `{column}`; complete or remove them", if *.rows == 1 { " has" } else { "s have" })]
    OwnerMissing {
        /// Column that identifies the owner.
        column: String,
        /// Number of rows.
        rows: Weight,
    },
    /// There are too many owners.
    #[error("column `{column}` has more than 4,294,967,295 distinct owners, which is the limit")]
    TooManyOwners {
        /// Column that identifies the owner.
        column: String,
    },
    /// There are too many rows for owner links.
    #[error(
        "the data has more than 4,294,967,294 rows, which is the limit for owner links; publish the table in parts"
    )]
    TooManyRows,
    /// The number of rows read back differs from the number written.
    #[error("{}: {found} rows were read back, but {expected} were written", .file.display())]
    RowsDiffer {
        /// Path of the file.
        file: PathBuf,
        /// Number of rows written.
        expected: Weight,
        /// Number of rows read back.
        found: Weight,
    },
    /// The data changed during the reading.
    #[error("the data changed while it was read; try again when no other process writes to it")]
    #[strum(serialize = "data-changed")]
    Changed,
    /// The caller cancelled the operation.
    #[error("stopped; nothing was published")]
    Stopped,
    /// A database failed.
    #[cfg(feature = "sql")]
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// An error of the library.
    #[error(transparent)]
    Library(#[from] reticent::Error),
}

impl Error {
    /// Returns true if the input is wrong, and false if reading or writing failed.
    pub fn is_data(&self) -> bool {
        #[cfg(feature = "sql")]
        if let Error::Database(error) = self {
            return error.is_data();
        }
        !matches!(self, Error::Io { .. } | Error::OutputExists { .. } | Error::RowsDiffer { .. } | Error::Stopped)
    }

    /// Returns the stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Library(error) => error.code(),
            #[cfg(feature = "sql")]
            Error::Database(error) => error.code(),
            error => error.into(),
        }
    }

    /// Returns the codes of this crate. [`reticent::Error::codes`] returns those of the library.
    pub fn codes() -> Vec<&'static str> {
        let all = <Error as strum::VariantNames>::VARIANTS.iter().copied();
        let own = all.filter(|code| !["library", "database"].contains(code));
        #[cfg(feature = "sql")]
        let own = own.chain(DatabaseError::codes());
        own.collect()
    }

    /// Returns the actions that can resolve the error. The interface puts them into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Error::Memory { .. } => vec![Hint::ChooseColumns, Hint::MoreMemory],
            Error::TooManyValues { .. } | Error::UnknownColumn { .. } => vec![Hint::ChooseColumns],
            Error::Library(error) => error.hints(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn io(doing: FileOperation, path: &Path, source: io::Error) -> Self {
        Error::Io { doing, path: path.to_owned(), source }
    }

    pub(crate) fn malformed(file: &Path, line: Option<u64>, message: impl Into<String>) -> Self {
        Error::Malformed { file: file.to_owned(), line, message: message.into() }
    }
}

/// Serializes the data of the error as a map. The only texts are those of the operating system.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if let Error::Library(error) = self {
            return error.serialize(serializer);
        }
        #[cfg(feature = "sql")]
        if let Error::Database(error) = self {
            return error.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Error::Io { doing, path, source } => {
                map.serialize_entry("doing", verb(*doing))?;
                map.serialize_entry("path", &path.to_string_lossy())?;
                map.serialize_entry("source", &source.to_string())?;
            }
            Error::NoFile { pattern } => map.serialize_entry("pattern", pattern)?,
            Error::Malformed { file, line, .. } => {
                map.serialize_entry("file", &file.to_string_lossy())?;
                map.serialize_entry("line", line)?;
            }
            Error::UnknownColumn { column, .. } | Error::TooManyOwners { column } => {
                map.serialize_entry("column", column)?;
            }
            Error::TooManyValues { column, limit } => {
                map.serialize_entry("column", column)?;
                map.serialize_entry("limit", limit)?;
            }
            Error::Memory { limit_bytes, combinations, column, values } => {
                map.serialize_entry("limit_bytes", limit_bytes)?;
                map.serialize_entry("combinations", combinations)?;
                map.serialize_entry("column", column)?;
                map.serialize_entry("values", values)?;
            }
            Error::OutputExists { path } => map.serialize_entry("path", &path.to_string_lossy())?,
            Error::OwnerMissing { column, rows } => {
                map.serialize_entry("column", column)?;
                map.serialize_entry("rows", rows)?;
            }
            Error::RowsDiffer { file, expected, found } => {
                map.serialize_entry("file", &file.to_string_lossy())?;
                map.serialize_entry("expected", expected)?;
                map.serialize_entry("found", found)?;
            }
            Error::TooManyRows | Error::Changed | Error::Stopped | Error::Library(_) => {}
            #[cfg(feature = "sql")]
            Error::Database(_) => {}
        }
        map.end()
    }
}

fn verb(doing: FileOperation) -> &'static str {
    match doing {
        FileOperation::Create => "create",
        FileOperation::Read => "read",
        FileOperation::Write => "write",
    }
}

fn at_line(line: Option<u64>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

fn hint_text(hint: &Option<String>) -> String {
    hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Error, Hint};

    #[test]
    fn codes_and_hints_belong_to_the_variant() {
        let memory = Error::Memory { limit_bytes: 1 << 20, combinations: 3, column: "zip".to_owned(), values: 2 };
        assert_eq!((memory.code(), memory.hints()), ("memory-exceeded", vec![Hint::ChooseColumns, Hint::MoreMemory]));
        let library = Error::from(reticent::Error::column("zip", "is unfit"));
        assert_eq!(library.code(), "column-unfit");
        let codes = Error::codes();
        assert!(codes.contains(&"too-many-rows") && !codes.contains(&"library"), "{codes:?}");
    }
}
