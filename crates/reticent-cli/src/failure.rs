//! Why a command did not do what it was asked, and the exit status that says so.

use std::path::PathBuf;

use anstream::eprintln;

use crate::screen::{BAD, HINT};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The library says so.
    #[error(transparent)]
    Library(#[from] reticent::Error),
    /// The engine says so.
    #[error(transparent)]
    Engine(#[from] reticent_engine::Error),
    /// The ledger says so.
    #[error(transparent)]
    Ledger(#[from] reticent_ledger::Error),
    /// The call is wrong.
    #[error("{0}")]
    Call(String),
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
    /// The user interrupted.
    #[error("interrupted; nothing was published")]
    Interrupted,
}

impl Failure {
    /// A failed file operation.
    pub fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Failure {
        let path = path.into();
        move |source| Failure::File { doing, path, source }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Library(error) | Failure::Ledger(reticent_ledger::Error::Library(error)) => library_status(error),
            Failure::Interrupted => 130,
            Failure::Call(_) => 2,
            Failure::Ledger(error) => ledger_status(error),
            Failure::Engine(reticent_engine::Error::Stopped) => 130,
            Failure::Engine(error) if error.is_data() => 2,
            Failure::Engine(_) | Failure::File { .. } => 3,
        }
    }

    /// Tells the user, on standard error.
    pub fn print(&self, json: bool) {
        if json {
            let answer = serde_json::json!({ "error": self.to_string(), "status": self.status() });
            eprintln!("{answer}");
            return;
        }
        let what = if self.status() == 1 { "refused" } else { "error" };
        let text = self.to_string();
        eprintln!("{BAD}{what}{BAD:#}: {}", text.strip_prefix("refused: ").unwrap_or(&text));
        if let Some(hint) = self.hint() {
            eprintln!("{HINT}{hint}{HINT:#}");
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            Failure::File { doing: "read the policy", .. } => {
                Some("draft one with `reticent init DATA`, or name it with --policy FILE")
            }
            Failure::Library(reticent::Error::Refused { .. } | reticent::Error::CannotCheck { .. }) => {
                Some("nothing was published")
            }
            Failure::Ledger(reticent_ledger::Error::Broken { .. }) => {
                Some("nothing was changed; `reticent verify` tells more, and a backup may help")
            }
            _ => None,
        }
    }
}

fn library_status(error: &reticent::Error) -> u8 {
    match error {
        reticent::Error::Refused { .. } | reticent::Error::CannotCheck { .. } => 1,
        reticent::Error::Stopped => 130,
        _ => 2,
    }
}

fn ledger_status(error: &reticent_ledger::Error) -> u8 {
    use reticent_ledger::Error;
    match error {
        Error::Broken { .. } => 4,
        Error::Held { .. } | Error::Stale => 5,
        Error::Io { .. } | Error::Catalogue { .. } | Error::Unnamed { .. } => 3,
        _ => 2,
    }
}
