//! Why a verb did not do what it was asked: a stable code, data, and a text made from them.
//!
//! No text names a flag or a command: [`Error::hints`] says what would help, and the interface puts it into its own words.
//! [`CODES`] lists every code with its meaning and remedy; docs/errors.md is generated from it.

mod codes;
mod problem;

use std::path::PathBuf;

use reticent::Relief;
use reticent::error::{Hint, KnowledgeFault};
use reticent::methods::Leaving;

pub use codes::{CODES, ErrorCode, all_codes, markdown};
pub use problem::Problem;

/// The result of a verb.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a verb did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library says so.
    #[error(transparent)]
    Library(reticent::Error),
    /// A policy is wrong.
    #[error("{}: {error}", .path.display())]
    Policy {
        /// Its file.
        path: PathBuf,
        /// What the library says.
        error: Box<reticent::Error>,
    },
    /// A release was refused, and this would let it pass.
    #[error("{error}")]
    Refused {
        /// What the library says.
        error: Box<reticent::Error>,
        /// What fails, and what would help.
        relief: Box<Relief>,
    },
    /// The chosen columns do not meet what the policy demands.
    #[error("with the columns that were chosen, {0}")]
    ChosenColumns(#[source] Box<Error>),
    /// A release was refused because people left, and deleting them would disclose this.
    #[error("{error}{}", .leaving.words().map(|words| format!(". {words}")).unwrap_or_default())]
    Departures {
        /// What the library says.
        error: Box<reticent::Error>,
        /// What deleting those who left would disclose.
        leaving: Box<Leaving>,
    },
    /// The background knowledge is wrong.
    #[error("the background knowledge: {}{fault}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Knowledge {
        /// The line that is wrong, from 1, if it is one.
        line: Option<usize>,
        /// What is wrong.
        fault: KnowledgeFault,
    },
    /// An audit could not be made. Nothing was to be published.
    #[error(transparent)]
    NotAudited(reticent::Error),
    /// The engine says so.
    #[error(transparent)]
    Engine(reticent_engine::Error),
    /// The ledger says so.
    #[error(transparent)]
    Ledger(reticent_ledger::Error),
    /// The request cannot be met.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// A file could not be read or written.
    #[error("could not {doing} {}: {source}", .path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// So many threads could not be started.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system said.
        why: String,
    },
    /// The call was cancelled.
    #[error("interrupted; nothing was published")]
    Cancelled,
}

/// What kind of failure an error is. Interfaces turn it into an exit status, an exception or a status code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A requirement is violated, or could not be established: nothing was published.
    Refused,
    /// The request, the policy or the data is wrong.
    Invalid,
    /// Reading or writing failed.
    Io,
    /// The ledger or a published file was modified.
    Modified,
    /// Another process writes to the ledger.
    Locked,
    /// The call was cancelled.
    Cancelled,
}

// Stopping is the caller's wish, wherever it is heard.
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
    /// A failed file operation.
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { doing, path, source }
    }

    /// The stable code, in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Library(error) | Error::NotAudited(error) => error.code(),
            Error::Policy { error, .. } | Error::Refused { error, .. } | Error::Departures { error, .. } => {
                error.code()
            }
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

    /// The data of the error. No cell of a table is in it.
    pub fn data(&self) -> serde_json::Value {
        let data = match self {
            Error::Library(error) | Error::NotAudited(error) => serde_json::to_value(error),
            Error::Refused { error, .. } | Error::Departures { error, .. } => serde_json::to_value(error),
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

    /// What would help, for the interface to put into its own words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Error::Library(error) | Error::NotAudited(error) => error.hints(),
            Error::Policy { error, .. } | Error::Refused { error, .. } | Error::Departures { error, .. } => {
                error.hints()
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

    /// What kind of failure it is.
    pub fn class(&self) -> Class {
        match self {
            Error::Library(error) | Error::Ledger(reticent_ledger::Error::Library(error)) => library_class(error),
            Error::Policy { error, .. } => library_class(error),
            Error::Refused { .. } | Error::Departures { .. } | Error::NotAudited(_) => Class::Refused,
            Error::Cancelled => Class::Cancelled,
            Error::ChosenColumns(_) | Error::Knowledge { .. } | Error::Problem(_) | Error::Threads { .. } => {
                Class::Invalid
            }
            Error::Ledger(error) => ledger_class(error),
            Error::Engine(error) if error.is_data() => Class::Invalid,
            Error::Engine(_) | Error::File { .. } => Class::Io,
        }
    }
}

/// What is done when a policy is read.
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
        Error::Io { .. } | Error::Denied { .. } | Error::Catalogue { .. } | Error::Unnamed { .. } => Class::Io,
        _ => Class::Invalid,
    }
}
