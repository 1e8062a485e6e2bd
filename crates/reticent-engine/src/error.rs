//! Errors of reading and writing rows: a stable code, data, and a text made from the data.
//!
//! No text shows the value of a cell: files, lines, column names and counts only. No text names a flag or a command.

use std::io;
use std::path::{Path, PathBuf};

use reticent::combos::Weight;
use reticent::error::Hint;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The engine's one result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was being done to a file when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Making a new file.
    Create,
    /// Reading.
    Read,
    /// Writing.
    Write,
}

/// Everything an engine can refuse or fail to do.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("could not {} {}: {source}", verb(*.doing), .path.display())]
    #[strum(serialize = "io-failed")]
    Io {
        /// What was being done.
        doing: Doing,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No file has this name or matches this pattern.
    #[error("no file matches {pattern}; give a file, a folder or a pattern such as 'data/*.csv'")]
    #[strum(serialize = "file-not-found")]
    NoFile {
        /// What was asked for.
        pattern: String,
    },
    /// A file does not hold a table that can be read.
    #[error("{}{}: {message}", .file.display(), at_line(*.line))]
    #[strum(serialize = "file-malformed")]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The line, from 1, where there is one.
        line: Option<u64>,
        /// What is wrong and what to do.
        message: String,
    },
    /// A column that the table does not have.
    #[error("there is no column `{column}` in the data{}", hint_text(.hint))]
    #[strum(serialize = "column-unknown")]
    UnknownColumn {
        /// What was asked for.
        column: String,
        /// The nearest column there is.
        hint: Option<String>,
    },
    /// A column has too many different texts to be counted.
    #[error("column `{column}` has more than {limit} different values; bin it, round it, or leave it out")]
    TooManyValues {
        /// The column.
        column: String,
        /// How many are possible.
        limit: usize,
    },
    /// The combinations do not fit.
    #[error(
        "counting needs more than the {} MiB allowed, after {combinations} combinations (column `{column}` has most \
         values: {values}); ask for fewer columns, make values coarser, or allow more memory",
        .limit_bytes / 1_048_576
    )]
    #[strum(serialize = "memory-exceeded")]
    Memory {
        /// How many bytes were allowed.
        limit_bytes: u64,
        /// Combinations held when it became too much.
        combinations: u64,
        /// The column with most values.
        column: String,
        /// How many values it has.
        values: usize,
    },
    /// The file to write is already there.
    #[error("{} exists already; a release is never overwritten, choose another name", .path.display())]
    OutputExists {
        /// The file.
        path: PathBuf,
    },
    /// Some rows say of nobody that they are theirs.
    #[error("{rows} row{} no owner in column `{column}`; complete them or take them out", if *.rows == 1 { " has" } else { "s have" })]
    OwnerMissing {
        /// The column that names the owner.
        column: String,
        /// How many rows.
        rows: Weight,
    },
    /// There are more owners than can be numbered.
    #[error("column `{column}` names more owners than can be told apart (4,294,967,295)")]
    TooManyOwners {
        /// The column that names the owner.
        column: String,
    },
    /// There are more rows than owners can be linked with.
    #[error("there are more rows than can be linked with their owners (4,294,967,294); publish the table in parts")]
    TooManyRows,
    /// A file was read back with another number of rows than were written.
    #[error("{}: {found} rows were read back, {expected} were written", .file.display())]
    RowsDiffer {
        /// The file.
        file: PathBuf,
        /// Rows written.
        expected: Weight,
        /// Rows found.
        found: Weight,
    },
    /// The file is not what it was a moment ago.
    #[error("the data changed while it was read; try again when nobody writes to it")]
    #[strum(serialize = "data-changed")]
    Changed,
    /// The user asked to stop.
    #[error("stopped; nothing was published")]
    Stopped,
    /// The library refused.
    #[error(transparent)]
    Library(#[from] reticent::Error),
}

impl Error {
    /// Whether the input is wrong, rather than reading or writing it.
    pub fn is_data(&self) -> bool {
        !matches!(self, Error::Io { .. } | Error::OutputExists { .. } | Error::RowsDiffer { .. } | Error::Stopped)
    }

    /// Returns the stable code of the error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Library(error) => error.code(),
            error => error.into(),
        }
    }

    /// Returns the codes of this crate; those of the library are in [`reticent::Error::codes`].
    pub fn codes() -> Vec<&'static str> {
        let all = <Error as strum::VariantNames>::VARIANTS.iter().copied();
        all.filter(|code| *code != "library").collect()
    }

    /// Returns what the user can do, for the interface to put into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Error::Memory { .. } => vec![Hint::ChooseColumns, Hint::MoreMemory],
            Error::TooManyValues { .. } | Error::UnknownColumn { .. } => vec![Hint::ChooseColumns],
            Error::Library(error) => error.hints(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn io(doing: Doing, path: &Path, source: io::Error) -> Self {
        Error::Io { doing, path: path.to_owned(), source }
    }

    pub(crate) fn malformed(file: &Path, line: Option<u64>, message: impl Into<String>) -> Self {
        Error::Malformed { file: file.to_owned(), line, message: message.into() }
    }
}

/// The data of the error as a map, without texts other than those of the operating system.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if let Error::Library(error) = self {
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
        }
        map.end()
    }
}

fn verb(doing: Doing) -> &'static str {
    match doing {
        Doing::Create => "create",
        Doing::Read => "read",
        Doing::Write => "write",
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
