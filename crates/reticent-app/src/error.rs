//! Errors of the verbs. Each error has a stable code, structured data, and a text built from the data.
//!
//! No text names a flag or a command. [`Error::hints`] returns remedies as data; the interface puts them into words.
//! [`CODES`] lists every code with its meaning and remedy; docs/errors.md is generated from it.

mod codes;
mod problem;
mod unfit;

use std::path::PathBuf;

use reticent::Remedies;
use reticent::error::{Hint, KnowledgeFault};
use reticent::republication::Departures;

use crate::policy_source;

pub use codes::{CODES, ErrorCode, all_codes, markdown};
pub use problem::{AmbiguousFormat, Problem};
pub use unfit::UnfitRow;

/// Result type of the verbs.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a verb.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Error of the library.
    #[error(transparent)]
    Library(reticent::Error),
    /// The policy is invalid.
    #[error("{}{error}", policy_source::place(.path))]
    Policy {
        /// File of the policy.
        path: PathBuf,
        /// Error of the library.
        error: Box<reticent::Error>,
    },
    /// The release was refused. Remedies are known.
    #[error("{error}")]
    Refused {
        /// Refusal of the library.
        error: Box<reticent::Error>,
        /// Violated requirements, and changes that would satisfy them.
        remedies: Box<Remedies>,
    },
    /// Values of the data do not fit the policy.
    #[error("{error}{}", unfit::lines(.rows))]
    Unfit {
        /// Error of the library.
        error: Box<reticent::Error>,
        /// Some of the rows with such values.
        rows: Vec<UnfitRow>,
    },
    /// The requirement of the policy does not fit the selected columns.
    #[error("with the selected columns: {0}")]
    ChosenColumns(#[source] Box<Error>),
    /// The release was refused by a method that does not cover people who leave the data.
    #[error("{error}{}", .departures.text().map(|words| format!(". {words}")).unwrap_or_default())]
    Departures {
        /// Refusal of the library.
        error: Box<reticent::Error>,
        /// What deleting the leavers would disclose.
        departures: Box<Departures>,
    },
    /// The background knowledge is invalid.
    #[error("background knowledge: {}{fault}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Knowledge {
        /// Number of the invalid line, from 1, if a single line is at fault.
        line: Option<usize>,
        /// Description of the fault.
        fault: KnowledgeFault,
    },
    /// The audit verb could not judge the release history.
    #[error(transparent)]
    NotAudited(reticent::Error),
    /// Error of the engine.
    #[error(transparent)]
    Engine(reticent_engine::Error),
    /// Error of the ledger.
    #[error(transparent)]
    Ledger(reticent_ledger::Error),
    /// The request is invalid.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// A file could not be read or written.
    #[error("could not {doing} {}: {source}", .path.display())]
    File {
        /// Operation that failed, as a verb.
        doing: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The thread pool could not be started.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// Error of the operating system.
        why: String,
    },
    /// The call was cancelled.
    #[error("interrupted; nothing was published")]
    Cancelled,
}

/// Class of an error. Interfaces turn it into an exit status, an exception or a status code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A requirement is violated or could not be judged. Nothing was published.
    Refused,
    /// The request, the policy or the data is invalid.
    Invalid,
    /// Reading or writing failed.
    Io,
    /// The ledger or a published file was modified.
    Modified,
    /// Another process is writing to the ledger.
    Locked,
    /// The call was cancelled.
    Cancelled,
}

// A stop that any crate reports is a cancellation by the caller.
impl From<reticent::Error> for Error {
    fn from(error: reticent::Error) -> Error {
        if error == reticent::Error::Stopped { Error::Cancelled } else { Error::Library(error) }
    }
}

impl From<reticent_engine::Error> for Error {
    fn from(error: reticent_engine::Error) -> Error {
        if matches!(error, reticent_engine::Error::Stopped) { Error::Cancelled } else { Error::Engine(error) }
    }
}

impl From<reticent_ledger::Error> for Error {
    fn from(error: reticent_ledger::Error) -> Error {
        if matches!(error, reticent_ledger::Error::Stopped) { Error::Cancelled } else { Error::Ledger(error) }
    }
}

impl Error {
    /// Returns a function that turns an I/O error of a file operation into an error.
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { doing, path, source }
    }

    /// Returns the stable code, in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Library(error) | Error::NotAudited(error) => error.code(),
            Error::Policy { error, .. }
            | Error::Refused { error, .. }
            | Error::Departures { error, .. }
            | Error::Unfit { error, .. } => error.code(),
            Error::Knowledge { .. } => "background-knowledge-invalid",
            Error::ChosenColumns(error) => error.code(),
            Error::Engine(error) => error.code(),
            Error::Ledger(error) => error.code(),
            Error::Problem(problem) => problem.code(),
            Error::File { .. } => "file-failed",
            Error::Threads { .. } => "threads-failed",
            Error::Cancelled => "cancelled",
        }
    }

    /// Returns the data of the error. It contains no cell of a table, unless the context shows values.
    pub fn data(&self) -> serde_json::Value {
        let data = match self {
            Error::Library(error) | Error::NotAudited(error) => serde_json::to_value(error),
            Error::Refused { error, .. } | Error::Departures { error, .. } => serde_json::to_value(error),
            Error::Unfit { error, rows } => serde_json::to_value(error).map(|mut data| {
                if let Some(data) = data.as_object_mut() {
                    data.insert("rows".to_owned(), serde_json::json!(rows));
                }
                data
            }),
            Error::Knowledge { line, fault } => Ok(serde_json::json!({ "line": line, "fault": fault })),
            Error::Policy { path, error } => serde_json::to_value(error).map(|mut data| {
                if let Some(data) = data.as_object_mut() {
                    data.insert("path".to_owned(), path.display().to_string().into());
                }
                data
            }),
            Error::ChosenColumns(error) => return error.data(),
            Error::Engine(error) => serde_json::to_value(error),
            Error::Ledger(error) => serde_json::to_value(error),
            Error::Problem(problem) => serde_json::to_value(problem),
            Error::File { doing, path, source } => {
                Ok(serde_json::json!({ "doing": doing, "path": path, "system": source.to_string() }))
            }
            Error::Threads { threads, why } => Ok(serde_json::json!({ "threads": threads, "system": why })),
            Error::Cancelled => Ok(serde_json::Value::Null),
        };
        data.unwrap_or_default()
    }

    /// Returns the remedies. The interface puts them into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Error::Library(error) | Error::NotAudited(error) => error.hints(),
            Error::Policy { error, .. } | Error::Refused { error, .. } | Error::Departures { error, .. } => {
                error.hints()
            }
            Error::Unfit { error, rows } => {
                let hidden = rows.iter().any(|row| row.value.is_none());
                error.hints().into_iter().chain(hidden.then_some(Hint::ShowValues)).collect()
            }
            Error::ChosenColumns(error) => {
                let mut hints = error.hints();
                hints.retain(|hint| *hint != Hint::ChooseColumns);
                hints.push(Hint::ChooseColumns);
                hints
            }
            Error::Engine(error) => error.hints(),
            Error::Ledger(error) => error.hints(),
            Error::Problem(problem) => problem.hints(),
            Error::File { doing, .. } if *doing == READ_POLICY => vec![Hint::DraftPolicy],
            Error::Knowledge { .. } | Error::File { .. } | Error::Threads { .. } | Error::Cancelled => Vec::new(),
        }
    }

    /// Returns the class of the error.
    pub fn class(&self) -> Class {
        match self {
            Error::Library(error) | Error::Ledger(reticent_ledger::Error::Library(error)) => library_class(error),
            Error::Policy { error, .. } | Error::Unfit { error, .. } => library_class(error),
            Error::Refused { .. } | Error::Departures { .. } | Error::NotAudited(_) => Class::Refused,
            Error::Cancelled => Class::Cancelled,
            Error::Problem(Problem::TableDiffers { .. } | Problem::TableUnnamed { .. }) => Class::Io,
            Error::ChosenColumns(_) | Error::Knowledge { .. } | Error::Problem(_) | Error::Threads { .. } => {
                Class::Invalid
            }
            Error::Ledger(error) => ledger_class(error),
            Error::Engine(error) if error.is_data() => Class::Invalid,
            Error::Engine(_) | Error::File { .. } => Class::Io,
        }
    }
}

/// Operation of [`Error::File`] when a policy cannot be read.
pub(crate) const READ_POLICY: &str = "read the policy";

fn library_class(error: &reticent::Error) -> Class {
    match error {
        reticent::Error::Refused(_) | reticent::Error::CannotCheck(_) => Class::Refused,
        reticent::Error::Stopped => Class::Cancelled,
        _ => Class::Invalid,
    }
}

fn ledger_class(error: &reticent_ledger::Error) -> Class {
    use reticent_ledger::Error;
    match error {
        Error::Broken { .. } | Error::Unauthenticated(_) => Class::Modified,
        Error::Held { .. } | Error::Stale => Class::Locked,
        Error::Io { .. }
        | Error::Denied { .. }
        | Error::Catalogue { .. }
        | Error::Unnamed { .. }
        | Error::ErasedFilesRemain { .. }
        | Error::NotShared { .. } => Class::Io,
        _ => Class::Invalid,
    }
}
