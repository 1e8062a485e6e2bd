//! Why a command did not do what it was asked, and the exit status that says so.

use std::path::PathBuf;

use anstream::eprintln;

use reticent::relief::Relief;

use crate::screen::{BAD, HINT, WIDTH, witness, wrap};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The library says so.
    #[error(transparent)]
    Library(#[from] reticent::Error),
    /// A policy is wrong.
    #[error("{}: {error}", .path.display())]
    Policy {
        /// Its file.
        path: PathBuf,
        /// What the library says.
        error: reticent::Error,
    },
    /// A release was refused, and this is known about it.
    #[error("{error}")]
    Refused {
        /// What the library says.
        error: reticent::Error,
        /// What fails, and what would help.
        relief: Box<Relief>,
    },
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
    /// An audit could not be made. Nothing was to be published.
    #[error(transparent)]
    NotAudited(reticent::Error),
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
            Failure::Library(error)
            | Failure::Policy { error, .. }
            | Failure::Ledger(reticent_ledger::Error::Library(error)) => library_status(error),
            Failure::Refused { .. } | Failure::NotAudited(_) => 1,
            Failure::Interrupted => 130,
            Failure::Call(_) => 2,
            Failure::Ledger(reticent_ledger::Error::Stopped) => 130,
            Failure::Ledger(error) => ledger_status(error),
            Failure::Engine(reticent_engine::Error::Stopped) => 130,
            Failure::Engine(error) if error.is_data() => 2,
            Failure::Engine(_) | Failure::File { .. } => 3,
        }
    }

    /// Tells the user, on standard error.
    pub fn print(&self, json: bool) {
        if json {
            let mut answer = serde_json::json!({ "error": self.to_string(), "status": self.status() });
            if let Failure::Refused { relief, .. } = self {
                answer["refusal"] = serde_json::json!(relief);
            }
            eprintln!("{answer}");
            return;
        }
        let refused = self.status() == 1 && !matches!(self, Failure::NotAudited(_));
        let what = if refused { "refused" } else { "error" };
        let text = self.to_string();
        let text = format!("{what}: {}", text.strip_prefix("refused: ").unwrap_or(&text));
        let text = if what == "refused" { wrap(&text, WIDTH, "  ").trim_start().to_owned() } else { text };
        eprintln!("{BAD}{what}{BAD:#}{}", text.strip_prefix(what).unwrap_or(&text));
        if let Failure::Refused { relief, .. } = self {
            print_relief(relief);
        }
        if let Some(hint) = self.hint() {
            eprintln!("{HINT}{hint}{HINT:#}");
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            Failure::File { doing: "read the policy", .. } => {
                Some("draft one with `reticent init DATA`, or name it with --policy FILE")
            }
            Failure::Refused { .. }
            | Failure::Library(reticent::Error::Refused { .. } | reticent::Error::CannotCheck { .. }) => {
                Some("nothing was published")
            }
            Failure::Ledger(reticent_ledger::Error::Broken { .. }) => {
                Some("nothing was changed; `reticent verify` tells more, and a backup may help")
            }
            _ => None,
        }
    }
}

/// What earlier releases give away by themselves, and what would help.
fn print_relief(relief: &Relief) {
    for failing in &relief.already {
        let releases: Vec<String> =
            failing.releases.iter().map(|release| format!("{} {}", release.number, release.name)).collect();
        let (whose, by) = match releases.len() {
            1 => (format!("release {}", releases[0]), "by itself"),
            _ => (format!("releases {}", releases.join(" and ")), "together"),
        };
        let text = format!(
            "{whose} {by} already give{s} this away, without the new one: {} ({}: {}). Nothing that is done to the new release \
             can help",
            failing.demand,
            witness(&failing.worst.witness),
            failing.worst.explanation,
            s = if releases.len() == 1 { "s" } else { "" },
        );
        eprintln!("\n{}", wrap(&text, WIDTH, "  ").trim_start());
    }
    if relief.offers.is_empty() {
        let text = "Neither another k or confidence for all values, nor one or two columns less, would let it pass.";
        eprintln!("\n{}", wrap(text, WIDTH, "").trim_start());
    } else {
        let what = if relief.audited_besides { "let it pass its models and joins" } else { "let it pass" };
        eprintln!("\nWhat would {what}, the smallest change first:");
        for offer in &relief.offers {
            eprintln!("{}", wrap(&format!("- {offer}"), WIDTH, "    "));
        }
        if relief.audited_besides {
            let text = "The audit of all releases together was not tried with any of these, and may refuse them; --dry-run tells.";
            eprintln!("{}", wrap(text, WIDTH, ""));
        }
    }
    if !relief.already.is_empty() {
        let text = "What went out cannot be taken back. Recipients who never combine what they hold can be declared `separate` in the \
                    policy; with --alone a release is judged by itself, and the ledger says so for ever.";
        eprintln!("\n{}", wrap(text, WIDTH, "").trim_start());
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
