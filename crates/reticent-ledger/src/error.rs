//! Errors of the ledger: a stable code, data, and a text built from the data.
//!
//! No text contains the value of a cell, a flag or a command. Database errors name tables and columns of the
//! catalogue only, because values are bound as parameters.

use std::path::{Path, PathBuf};

use reticent::error::Hint;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::lock::Holder;

/// Result type of the ledger.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors of the ledger.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[non_exhaustive]
pub enum Error {
    /// The folder contains no ledger.
    #[error("there is no ledger in {}", .0.display())]
    #[strum(serialize = "ledger-not-found")]
    None(PathBuf),
    /// The ledger is inconsistent.
    #[error("the ledger in {} is inconsistent: {problem}", .folder.display())]
    #[strum(serialize = "ledger-inconsistent")]
    Broken {
        /// Folder of the ledger.
        folder: PathBuf,
        /// Description of the inconsistency.
        problem: String,
    },
    /// A key is available, but the ledger is unsigned: it was never authenticated, or it was replaced.
    #[error(
        "the ledger in {} has no signatures although a key is available: it was never authenticated, or it was replaced",
        .0.display()
    )]
    #[strum(serialize = "ledger-unauthenticated")]
    Unauthenticated(PathBuf),
    /// The ledger is signed, but the session has no key to sign new entries.
    #[error("the ledger in {} is signed, but its key is missing; without the key, nothing can be recorded", .0.display())]
    #[strum(serialize = "ledger-key-missing")]
    KeyNeeded(PathBuf),
    /// This program does not support an entry of the ledger.
    #[error(
        "entry {number} of the ledger in {} needs `{what}`, which this program does not support; use a newer Reticent",
        .folder.display()
    )]
    #[strum(serialize = "ledger-entry-unknown")]
    UnknownEntry {
        /// Folder of the ledger.
        folder: PathBuf,
        /// Number of the entry.
        number: u64,
        /// Unknown kind of the entry, or unknown requirement.
        what: String,
    },
    /// A newer program wrote the ledger.
    #[error(
        "the ledger in {} has format {found}, but this program supports formats up to {known}; use a newer Reticent",
        .folder.display()
    )]
    #[strum(serialize = "ledger-format-newer")]
    Newer {
        /// Folder of the ledger.
        folder: PathBuf,
        /// Format of the ledger.
        found: i64,
        /// Newest format that this program supports.
        known: i64,
    },
    /// Another process holds the lock of the ledger.
    #[error("the ledger is locked by {holder}; waited {} s", .waited.as_secs())]
    #[strum(serialize = "ledger-locked")]
    Held {
        /// Process that holds the lock.
        holder: Holder,
        /// Time that this process waited.
        waited: std::time::Duration,
    },
    /// The caller cancelled the operation before anything was written.
    #[error("interrupted; nothing was recorded")]
    #[strum(serialize = "stopped")]
    Stopped,
    /// The head of the ledger changed after the release was computed.
    #[error("another release was recorded while this one was computed")]
    #[strum(serialize = "history-changed")]
    Stale,
    /// Another release already has this name.
    #[error(
        "release {number} is already named `{name}`; choose another name, because every release needs a unique one"
    )]
    #[strum(serialize = "release-name-taken")]
    NameTaken {
        /// Requested name.
        name: String,
        /// Number of the release that has the name.
        number: u64,
    },
    /// The ledger contains no such release or entry.
    #[error("the ledger has no release or entry `{wanted}`")]
    #[strum(serialize = "release-not-found")]
    NoSuch {
        /// Requested name or number.
        wanted: String,
    },
    /// The contents of the release were erased.
    #[error("release {number} (`{name}`) was erased on {at}; its contents can no longer be read")]
    #[strum(serialize = "release-erased")]
    Erased {
        /// Number of the release.
        number: u64,
        /// Name of the release.
        name: String,
        /// Time of the erasure.
        at: String,
    },
    /// An erasure is recorded, but old files could not be removed.
    #[error(
        "the erasure is recorded as entry {entry}, but old files could not be removed: {why}; the next command that writes to \
         the ledger removes them"
    )]
    #[strum(serialize = "erased-files-remain")]
    ErasedFilesRemain {
        /// Number of the entry.
        entry: u64,
        /// Reason.
        why: String,
    },
    /// The release was withdrawn.
    #[error("release {number} (`{name}`) was withdrawn on {at}; nobody is assumed to hold it")]
    #[strum(serialize = "release-withdrawn")]
    Withdrawn {
        /// Number of the release.
        number: u64,
        /// Name of the release.
        name: String,
        /// Time of the withdrawal.
        at: String,
    },
    /// A later release builds on the release, so it cannot be withdrawn.
    #[error(
        "release {number} (`{name}`) cannot be withdrawn: release {by} (`{by_name}`) {}; withdraw that release first",
        if *.series { "continues its republication series" } else { "counts its people" }
    )]
    #[strum(serialize = "release-in-use")]
    InUse {
        /// Number of the release.
        number: u64,
        /// Name of the release.
        name: String,
        /// Number of the later release.
        by: u64,
        /// Name of the later release.
        by_name: String,
        /// Whether the later release continues a republication series; otherwise it is a marginal table.
        series: bool,
    },
    /// The file of a release to be withdrawn exists.
    #[error(
        "release {number} (`{name}`) cannot be withdrawn: its file {} exists; delete it and every copy, or keep the release",
        .path.display()
    )]
    #[strum(serialize = "withdrawn-file-exists")]
    FileExists {
        /// Number of the release.
        number: u64,
        /// Name of the release.
        name: String,
        /// Path of the file.
        path: PathBuf,
    },
    /// It cannot be checked whether the file of a release to be withdrawn is gone.
    #[error(
        "release {number} (`{name}`) cannot be withdrawn: could not check that its file{} is gone: {why}",
        .path.as_ref().map(|path| format!(" {}", path.display())).unwrap_or_default()
    )]
    #[strum(serialize = "withdrawn-file-unchecked")]
    FileUnchecked {
        /// Number of the release.
        number: u64,
        /// Name of the release.
        name: String,
        /// Path of the file, if the ledger has one.
        path: Option<PathBuf>,
        /// Reason.
        why: String,
    },
    /// The amendment does not fit the release.
    #[error("release {number} (`{name}`) cannot be amended: {why}")]
    #[strum(serialize = "amendment-unfit")]
    AmendmentUnfit {
        /// Number of the release.
        number: u64,
        /// Name of the release.
        name: String,
        /// Reason.
        why: String,
    },
    /// No release has records of the owner.
    #[error("no release with stored owner links has records of this owner; check how the owner is written")]
    #[strum(serialize = "owner-not-found")]
    NoSuchOwner,
    /// The key cannot be used.
    #[error("the key {} cannot be used: {why}", .path.display())]
    #[strum(serialize = "key-unusable")]
    Key {
        /// Path of the key file.
        path: PathBuf,
        /// Reason, and how to fix it.
        why: String,
    },
    /// The ledger could not be shared with the declared group.
    #[error("the ledger in {} cannot be shared with the group `{group}`: {why}", .folder.display())]
    #[strum(serialize = "ledger-not-shared")]
    NotShared {
        /// Folder of the ledger.
        folder: PathBuf,
        /// Name of the group.
        group: String,
        /// Reason.
        why: String,
    },
    /// The owner links of the ledger use another key.
    #[error(
        "the owner links of this ledger use the key {known}, but the given key is {given}; with another key, people could not \
         be matched across releases"
    )]
    #[strum(serialize = "key-differs")]
    OtherKey {
        /// Fingerprint of the key that the ledger uses.
        known: String,
        /// Fingerprint of the given key.
        given: String,
    },
    /// The release is recorded, but its file could not be renamed to its final name.
    #[error(
        "release {number} is recorded, but its file could not be renamed to {}: {source}; the file is still in {}; the next \
         command that writes to the ledger retries",
        .to.display(), .from.display()
    )]
    #[strum(serialize = "release-file-unnamed")]
    Unnamed {
        /// Number of the release.
        number: u64,
        /// Current path of the file.
        from: PathBuf,
        /// Final path of the file.
        to: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The head is not valid.
    #[error("the head is not valid: {0}")]
    #[strum(serialize = "head-invalid")]
    NoHead(String),
    /// The proof is not valid.
    #[error("the proof is not valid: {0}")]
    #[strum(serialize = "proof-invalid")]
    NoProof(String),
    /// The witness does not countersign the head.
    #[error("the witness does not countersign the head: {0}")]
    #[strum(serialize = "head-refused")]
    HeadRefused(String),
    /// The ledger does not accept the operation.
    #[error("the ledger does not accept this: {0}")]
    #[strum(serialize = "release-unfit")]
    Unfit(String),
    /// The operating system denies the permission.
    #[error("no permission to {doing} {}: {source}", .path.display())]
    #[strum(serialize = "ledger-permission-denied")]
    Denied {
        /// Attempted operation, as a verb.
        doing: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A file could not be read or written.
    #[error("could not {doing} {}: {source}", .path.display())]
    #[strum(serialize = "ledger-io-failed")]
    Io {
        /// Attempted operation, as a verb.
        doing: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The catalogue could not be read or written.
    #[error("could not {doing} the catalogue: {source}")]
    #[strum(serialize = "catalogue-failed")]
    Catalogue {
        /// Attempted operation, as a verb.
        doing: &'static str,
        /// Error of the database.
        source: rusqlite::Error,
    },
    /// An error of the library.
    #[error(transparent)]
    #[strum(serialize = "library")]
    Library(#[from] reticent::Error),
}

impl Error {
    /// Returns the stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Library(error) => error.code(),
            error => error.into(),
        }
    }

    /// Returns the codes of this crate. [`reticent::Error::codes`] returns those of the library.
    pub fn codes() -> Vec<&'static str> {
        let all = <Error as strum::VariantNames>::VARIANTS.iter().copied();
        all.filter(|code| *code != "library").collect()
    }

    /// Returns the actions that can resolve the error. The interface puts them into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Error::None(_) => vec![Hint::StartLedger],
            Error::Broken { .. } => vec![Hint::Verify],
            Error::Unauthenticated(_) => vec![Hint::Authenticate],
            Error::KeyNeeded(_) => vec![Hint::OtherKey, Hint::KeyLost],
            Error::Held { .. } => vec![Hint::WaitLonger],
            Error::NameTaken { .. } | Error::NoSuch { .. } | Error::Erased { .. } => vec![Hint::ListReleases],
            Error::Withdrawn { .. } => vec![Hint::Reinstate],
            Error::FileUnchecked { .. } => vec![Hint::DestroyedElsewhere],
            Error::Library(error) => error.hints(),
            _ => Vec::new(),
        }
    }

    /// Returns the error of a failed file operation.
    pub(crate) fn io(doing: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> Error {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let path = path.as_ref().to_owned();
        match source.kind() {
            PermissionDenied | ReadOnlyFilesystem => Error::Denied { doing, path, source },
            _ => Error::Io { doing, path, source },
        }
    }

    /// Returns the error of an inconsistent ledger.
    pub(crate) fn broken(folder: &Path, what: impl Into<String>) -> Error {
        Error::Broken { folder: folder.to_owned(), problem: what.into() }
    }

    /// Returns the error of a failed database operation. A damaged database is an inconsistent ledger.
    pub(crate) fn catalogue(folder: &Path, doing: &'static str, source: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode::{CannotOpen, DatabaseCorrupt, NotADatabase, PermissionDenied, ReadOnly};
        match source.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                Error::broken(folder, format!("the catalogue is damaged: {source}"))
            }
            Some(CannotOpen | PermissionDenied | ReadOnly) => match permission_error(folder, &source) {
                Some(denied) => Error::io(doing, folder.join(crate::catalogue::NAME), denied),
                None => Error::Catalogue { doing, source },
            },
            _ if has_unexpected_content(&source) => {
                Error::broken(folder, format!("the catalogue has unexpected content: {source}"))
            }
            _ => Error::Catalogue { doing, source },
        }
    }
}

/// Serializes the data of the error as a map. The only texts are those of the operating system and the database.
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
            Error::ErasedFilesRemain { entry, why } => {
                map.serialize_entry("entry", entry)?;
                map.serialize_entry("system", why)?;
            }
            Error::Withdrawn { number, name, at } => {
                map.serialize_entry("number", number)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("at", at)?;
            }
            Error::InUse { number, name, by, by_name, series } => {
                map.serialize_entry("number", number)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("by", by)?;
                map.serialize_entry("by_name", by_name)?;
                map.serialize_entry("series", series)?;
            }
            Error::FileExists { number, name, path } => {
                map.serialize_entry("number", number)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("path", &text(path))?;
            }
            Error::FileUnchecked { number, name, path, why } => {
                map.serialize_entry("number", number)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("path", &path.as_deref().map(text))?;
                map.serialize_entry("why", why)?;
            }
            Error::AmendmentUnfit { number, name, why } => {
                map.serialize_entry("number", number)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("why", why)?;
            }
            Error::Key { path, .. } => map.serialize_entry("path", &text(path))?,
            Error::NotShared { folder, group, why } => {
                map.serialize_entry("folder", &text(folder))?;
                map.serialize_entry("group", group)?;
                map.serialize_entry("why", why)?;
            }
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
            | Error::NoSuchOwner
            | Error::Library(_) => {}
        }
        map.end()
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns the permission error behind a database error, if a missing permission caused it.
fn permission_error(folder: &Path, source: &rusqlite::Error) -> Option<std::io::Error> {
    let path = folder.join(crate::catalogue::NAME);
    let read_only = || std::io::Error::new(std::io::ErrorKind::PermissionDenied, source.to_string());
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Some(error),
        Err(_) => None,
        Ok(_) => Some(read_only()),
    }
}

/// Returns true if the database is readable but does not have the content of a catalogue.
fn has_unexpected_content(source: &rusqlite::Error) -> bool {
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
