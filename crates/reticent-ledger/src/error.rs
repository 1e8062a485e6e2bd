//! What can go wrong with a ledger, with what the reader needs to act. No text here shows a cell of any table.

use std::path::{Path, PathBuf};

use crate::lock::Holder;

/// The ledger's one result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything a ledger can refuse to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no ledger.
    #[error("there is no ledger in {}; `reticent publish` and `reticent register` start one with --new-ledger", .0.display())]
    None(PathBuf),
    /// The ledger does not hold together.
    #[error("the ledger in {} does not hold together: {what}", .folder.display())]
    Broken {
        /// The ledger's folder.
        folder: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The ledger was written by a newer program.
    #[error(
        "the ledger in {} has format {found}, and this program knows formats up to {known}; use a newer Reticent",
        .folder.display()
    )]
    Newer {
        /// The ledger's folder.
        folder: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format this program knows.
        known: i64,
    },
    /// Somebody else is writing.
    #[error("the ledger is held by {holder}; waited {} s for it (wait longer with --wait SECONDS)", .waited.as_secs())]
    Held {
        /// Who holds it.
        holder: Holder,
        /// How long this process waited.
        waited: std::time::Duration,
    },
    /// Somebody asked to stop before anything was written.
    #[error("interrupted; nothing was recorded")]
    Stopped,
    /// The head is not the one a release was made against.
    #[error("another release was recorded while this one was made")]
    Stale,
    /// A name that another release has.
    #[error("release {number} is already named `{name}`; every release has a name of its own, choose another")]
    NameTaken {
        /// The name.
        name: String,
        /// The release that has it.
        number: u64,
    },
    /// A release that the ledger does not have.
    #[error("the ledger has no release `{wanted}`; `reticent log` lists those there are")]
    NoSuch {
        /// What was asked for.
        wanted: String,
    },
    /// A release that was erased.
    #[error("release {number} (`{name}`) was erased on {at}: its contents can no longer be read")]
    Erased {
        /// The release.
        number: u64,
        /// Its name.
        name: String,
        /// When.
        at: String,
    },
    /// The key cannot be used.
    #[error("the key {}: {why}", .path.display())]
    Key {
        /// The key's file.
        path: PathBuf,
        /// What is wrong and how to mend it.
        why: String,
    },
    /// Owners are recorded under another key.
    #[error(
        "the owner links of this ledger are made with the key {known}, and this is {given}; with another key nobody would be \
         recognised again"
    )]
    OtherKey {
        /// The fingerprint of the key that was used.
        known: String,
        /// The fingerprint of the key that was given.
        given: String,
    },
    /// A release was recorded, and its file could not be given its name.
    #[error(
        "release {number} is recorded, but its file could not be named {}: {source}; it waits in {} and is named \
         by the next command that finds the obstacle gone",
        .to.display(), .from.display()
    )]
    Unnamed {
        /// The release.
        number: u64,
        /// Where the file is.
        from: PathBuf,
        /// What it should be called.
        to: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A text that is no exported head.
    #[error("this is no exported head: {0}")]
    NoHead(String),
    /// What was to be recorded does not fit together.
    #[error("cannot record the release: {0}")]
    Unfit(String),
    /// A file could not be read or written.
    #[error("could not {doing} {}: {source}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The catalogue could not be read or written.
    #[error("could not {doing} the catalogue: {source}")]
    Catalogue {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: rusqlite::Error,
    },
    /// The library says so.
    #[error(transparent)]
    Library(#[from] reticent::Error),
}

impl Error {
    /// A failed file operation.
    pub(crate) fn io(doing: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> Error {
        Error::Io { doing, path: path.as_ref().to_owned(), source }
    }

    /// A ledger that does not hold together.
    pub(crate) fn broken(folder: &Path, what: impl Into<String>) -> Error {
        Error::Broken { folder: folder.to_owned(), what: what.into() }
    }

    /// A failed database operation; a damaged database is a ledger that does not hold together.
    pub(crate) fn catalogue(folder: &Path, doing: &'static str, source: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match source.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                Error::broken(folder, format!("the catalogue is damaged: {source}"))
            }
            _ if is_of_another_make(&source) => {
                Error::broken(folder, format!("the catalogue is not as it was written: {source}"))
            }
            _ => Error::Catalogue { doing, source },
        }
    }
}

/// Whether the database can be read, and does not hold what a catalogue does.
fn is_of_another_make(source: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnIndex, InvalidColumnType, QueryReturnedNoRows,
        SqlInputError, SqliteFailure, Utf8Error,
    };
    match source {
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnIndex(_) | InvalidColumnType(..) => {
            true
        }
        QueryReturnedNoRows | Utf8Error(..) => true,
        SqlInputError { msg: message, .. } | SqliteFailure(_, Some(message)) => message.starts_with("no such "),
        _ => false,
    }
}
