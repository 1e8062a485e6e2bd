//! Errors of the ledger: a stable code, data, and a text made from the data.
//!
//! No text shows the value of a cell, and none names a flag or a command. The texts of the database name tables and columns of
//! the catalogue, and values are bound as parameters: they hold no cell either.

use std::path::{Path, PathBuf};

use reticent::error::Hint;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::lock::Holder;

/// The ledger's one result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything a ledger can refuse to do.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[non_exhaustive]
pub enum Error {
    /// There is no ledger.
    #[error("there is no ledger in {}", .0.display())]
    #[strum(serialize = "ledger-not-found")]
    None(PathBuf),
    /// The ledger does not hold together.
    #[error("the ledger in {} does not hold together: {what}", .folder.display())]
    #[strum(serialize = "ledger-inconsistent")]
    Broken {
        /// The ledger's folder.
        folder: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The ledger carries no signatures, and there is a key: it is not signed yet, or was replaced by one that is not.
    #[error(
        "the ledger in {} carries no signatures, and there is a key: either it has not been authenticated yet, or it was replaced",
        .0.display()
    )]
    #[strum(serialize = "ledger-unauthenticated")]
    Unauthenticated(PathBuf),
    /// The ledger is signed, and there is no key to sign what is written.
    #[error("the ledger in {} is signed, and its key is not there: nothing can be recorded without it", .0.display())]
    #[strum(serialize = "ledger-key-missing")]
    KeyNeeded(PathBuf),
    /// An entry that this program cannot act on.
    #[error("entry {number} of the ledger in {} needs `{what}`, which this program does not know; use a newer Reticent", .folder.display())]
    #[strum(serialize = "ledger-entry-unknown")]
    UnknownEntry {
        /// The ledger's folder.
        folder: PathBuf,
        /// The entry.
        number: u64,
        /// The kind, or what the entry requires.
        what: String,
    },
    /// The ledger was written by a newer program.
    #[error(
        "the ledger in {} has format {found}, and this program knows formats up to {known}; use a newer Reticent",
        .folder.display()
    )]
    #[strum(serialize = "ledger-format-newer")]
    Newer {
        /// The ledger's folder.
        folder: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format this program knows.
        known: i64,
    },
    /// Somebody else is writing.
    #[error("the ledger is held by {holder}; waited {} s for it", .waited.as_secs())]
    #[strum(serialize = "ledger-locked")]
    Held {
        /// Who holds it.
        holder: Holder,
        /// How long this process waited.
        waited: std::time::Duration,
    },
    /// Somebody asked to stop before anything was written.
    #[error("interrupted; nothing was recorded")]
    #[strum(serialize = "stopped")]
    Stopped,
    /// The head is not the one a release was made against.
    #[error("another release was recorded while this one was made")]
    #[strum(serialize = "history-changed")]
    Stale,
    /// A name that another release has.
    #[error("release {number} is already named `{name}`; every release has a name of its own, choose another")]
    #[strum(serialize = "release-name-taken")]
    NameTaken {
        /// The name.
        name: String,
        /// The release that has it.
        number: u64,
    },
    /// A release that the ledger does not have.
    #[error("the ledger has no release `{wanted}`")]
    #[strum(serialize = "release-not-found")]
    NoSuch {
        /// What was asked for.
        wanted: String,
    },
    /// A release that was erased.
    #[error("release {number} (`{name}`) was erased on {at}: its contents can no longer be read")]
    #[strum(serialize = "release-erased")]
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
    #[strum(serialize = "key-unusable")]
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
    #[strum(serialize = "key-differs")]
    OtherKey {
        /// The fingerprint of the key that was used.
        known: String,
        /// The fingerprint of the key that was given.
        given: String,
    },
    /// A release was recorded, and its file could not be given its name.
    #[error(
        "release {number} is recorded, but its file could not be named {}: {source}; it waits in {} and is named \
         by the next command that writes and finds the obstacle gone",
        .to.display(), .from.display()
    )]
    #[strum(serialize = "release-file-unnamed")]
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
    #[strum(serialize = "head-invalid")]
    NoHead(String),
    /// A text that is no exported proof.
    #[error("this is no exported proof: {0}")]
    #[strum(serialize = "proof-invalid")]
    NoProof(String),
    /// A head that a witness does not countersign.
    #[error("the head is not countersigned: {0}")]
    #[strum(serialize = "head-refused")]
    HeadRefused(String),
    /// What was to be recorded does not fit together.
    #[error("cannot record the release: {0}")]
    #[strum(serialize = "release-unfit")]
    Unfit(String),
    /// The system does not permit it.
    #[error("no permission to {doing} {}: {source}", .path.display())]
    #[strum(serialize = "ledger-permission-denied")]
    Denied {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file could not be read or written.
    #[error("could not {doing} {}: {source}", .path.display())]
    #[strum(serialize = "ledger-io-failed")]
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
    #[strum(serialize = "catalogue-failed")]
    Catalogue {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: rusqlite::Error,
    },
    /// The library says so.
    #[error(transparent)]
    #[strum(serialize = "library")]
    Library(#[from] reticent::Error),
}

impl Error {
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
            Error::None(_) => vec![Hint::StartLedger],
            Error::Broken { .. } => vec![Hint::Verify],
            Error::Unauthenticated(_) => vec![Hint::Authenticate],
            Error::KeyNeeded(_) => vec![Hint::OtherKey, Hint::KeyLost],
            Error::Held { .. } => vec![Hint::WaitLonger],
            Error::NameTaken { .. } | Error::NoSuch { .. } | Error::Erased { .. } => vec![Hint::ListReleases],
            Error::Library(error) => error.hints(),
            _ => Vec::new(),
        }
    }

    /// A failed file operation.
    pub(crate) fn io(doing: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> Error {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let path = path.as_ref().to_owned();
        match source.kind() {
            PermissionDenied | ReadOnlyFilesystem => Error::Denied { doing, path, source },
            _ => Error::Io { doing, path, source },
        }
    }

    /// A ledger that does not hold together.
    pub(crate) fn broken(folder: &Path, what: impl Into<String>) -> Error {
        Error::Broken { folder: folder.to_owned(), what: what.into() }
    }

    /// A failed database operation; a damaged database is a ledger that does not hold together.
    pub(crate) fn catalogue(folder: &Path, doing: &'static str, source: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode::{CannotOpen, DatabaseCorrupt, NotADatabase, PermissionDenied, ReadOnly};
        match source.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                Error::broken(folder, format!("the catalogue is damaged: {source}"))
            }
            Some(CannotOpen | PermissionDenied | ReadOnly) => match denial(folder, &source) {
                Some(denied) => Error::io(doing, folder.join(crate::catalogue::NAME), denied),
                None => Error::Catalogue { doing, source },
            },
            _ if is_of_another_make(&source) => {
                Error::broken(folder, format!("the catalogue is not as it was written: {source}"))
            }
            _ => Error::Catalogue { doing, source },
        }
    }
}

/// The data of the error as a map, without texts other than those of the operating system and the database.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if let Error::Library(error) = self {
            return error.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Error::UnknownEntry { folder, number, what } => {
                map.serialize_entry("folder", &text(folder))?;
                map.serialize_entry("number", number)?;
                map.serialize_entry("needs", what)?;
            }
            Error::None(folder)
            | Error::Broken { folder, .. }
            | Error::Unauthenticated(folder)
            | Error::KeyNeeded(folder) => map.serialize_entry("folder", &text(folder))?,
            Error::Newer { folder, found, known } => {
                map.serialize_entry("folder", &text(folder))?;
                map.serialize_entry("found", found)?;
                map.serialize_entry("known", known)?;
            }
            Error::Held { holder, waited } => {
                map.serialize_entry("holder", holder)?;
                map.serialize_entry("waited_seconds", &waited.as_secs())?;
            }
            Error::NameTaken { name, number } => {
                map.serialize_entry("name", name)?;
                map.serialize_entry("number", number)?;
            }
            Error::NoSuch { wanted } => map.serialize_entry("wanted", wanted)?,
            Error::Erased { number, name, at } => {
                map.serialize_entry("number", number)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("at", at)?;
            }
            Error::Key { path, .. } => map.serialize_entry("path", &text(path))?,
            Error::OtherKey { known, given } => {
                map.serialize_entry("known", known)?;
                map.serialize_entry("given", given)?;
            }
            Error::Unnamed { number, from, to, source } => {
                map.serialize_entry("number", number)?;
                map.serialize_entry("from", &text(from))?;
                map.serialize_entry("to", &text(to))?;
                map.serialize_entry("source", &source.to_string())?;
            }
            Error::Io { doing, path, source } | Error::Denied { doing, path, source } => {
                map.serialize_entry("doing", doing)?;
                map.serialize_entry("path", &text(path))?;
                map.serialize_entry("source", &source.to_string())?;
            }
            Error::Catalogue { doing, source } => {
                map.serialize_entry("doing", doing)?;
                map.serialize_entry("source", &source.to_string())?;
            }
            Error::NoHead(_)
            | Error::NoProof(_)
            | Error::HeadRefused(_)
            | Error::Unfit(_)
            | Error::Stopped
            | Error::Stale
            | Error::Library(_) => {}
        }
        map.end()
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What the system says where a database cannot be opened or written for want of permission.
fn denial(folder: &Path, source: &rusqlite::Error) -> Option<std::io::Error> {
    let path = folder.join(crate::catalogue::NAME);
    let read_only = || std::io::Error::new(std::io::ErrorKind::PermissionDenied, source.to_string());
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Some(error),
        Err(_) => None,
        Ok(_) => Some(read_only()),
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

#[cfg(test)]
mod tests {
    use super::{Error, Hint};

    #[test]
    fn codes_data_and_hints_belong_to_the_variant() {
        let taken = Error::NameTaken { name: "may".to_owned(), number: 5 };
        assert_eq!((taken.code(), taken.hints()), ("release-name-taken", vec![Hint::ListReleases]));
        assert_eq!(serde_json::to_string(&taken).unwrap(), r#"{"name":"may","number":5}"#);
        assert_eq!(serde_json::to_string(&Error::Stale).unwrap(), "{}");
        let library = Error::from(reticent::Error::Stopped);
        assert_eq!((library.code(), serde_json::to_string(&library).unwrap().as_str()), ("stopped", "{}"));
        let codes = Error::codes();
        assert!(codes.contains(&"ledger-not-found") && !codes.contains(&"library"), "{codes:?}");
    }
}
