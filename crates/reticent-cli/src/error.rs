//! Errors on the terminal: the text of the verb, what to do in the words of the command line, and the exit status.

use std::path::PathBuf;

use anstream::eprintln;
use reticent::Relief;
use reticent_app::Hint;
use reticent_app::error::Class;

use crate::terminal::{BAD, HINT, WIDTH, witness, wrap};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The verb says so.
    #[error(transparent)]
    App(Box<reticent_app::Error>),
    /// The words of the command line are wrong.
    #[error("{0}")]
    Usage(String),
    /// A file of the command itself could not be read or written.
    #[error("could not {doing} {}: {source}", .path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl From<reticent_app::Error> for Error {
    fn from(error: reticent_app::Error) -> Error {
        Error::App(Box::new(error))
    }
}

impl From<reticent::Error> for Error {
    fn from(error: reticent::Error) -> Error {
        reticent_app::Error::from(error).into()
    }
}

impl Error {
    /// A failed file operation.
    pub fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { doing, path, source }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            Error::File { .. } => 3,
            Error::App(error) => match error.class() {
                Class::Refused => 1,
                Class::Invalid => 2,
                Class::Io => 3,
                Class::Modified => 4,
                Class::Locked => 5,
                Class::Cancelled => 130,
            },
        }
    }

    /// The stable code.
    fn code(&self) -> &'static str {
        match self {
            Error::App(error) => error.code(),
            Error::Usage(_) => "usage",
            Error::File { .. } => "file-failed",
        }
    }

    fn data(&self) -> serde_json::Value {
        match self {
            Error::App(error) => error.data(),
            Error::Usage(_) => serde_json::Value::Null,
            Error::File { doing, path, source } => {
                serde_json::json!({ "doing": doing, "path": path, "system": source.to_string() })
            }
        }
    }

    fn hints(&self) -> Vec<Hint> {
        if let Error::App(error) = self { error.hints() } else { Vec::new() }
    }

    fn relief(&self) -> Option<&Relief> {
        match self {
            Error::App(error) => match &**error {
                reticent_app::Error::Refused { relief, .. } => Some(relief),
                _ => None,
            },
            _ => None,
        }
    }

    /// Prints the error on standard error.
    pub fn print(&self, json: bool) {
        if json {
            let mut answer = serde_json::json!({
                "code": self.code(),
                "error": self.to_string(),
                "data": self.data(),
                "hints": self.hints(),
                "status": self.status(),
            });
            if let Some(relief) = self.relief() {
                answer["refusal"] = serde_json::json!(relief);
            }
            eprintln!("{answer}");
            return;
        }
        let not_audited = |error: &reticent_app::Error| matches!(error, reticent_app::Error::NotAudited(_));
        let refused = self.status() == 1 && !matches!(self, Error::App(error) if not_audited(error));
        let what = if refused { "refused" } else { "error" };
        let text = self.to_string();
        let text = format!("{what}: {}", text.strip_prefix("refused: ").unwrap_or(&text));
        let text = if refused { wrap(&text, WIDTH, "  ").trim_start().to_owned() } else { text };
        eprintln!("{BAD}{what}{BAD:#}{}", text.strip_prefix(what).unwrap_or(&text));
        match self.relief() {
            // Remedies that were tried are better than hints.
            Some(relief) => print_relief(relief),
            None => self.hints().into_iter().for_each(|hint| {
                eprintln!("{HINT}{}{HINT:#}", wrap(in_words(hint), WIDTH, "").trim_start());
            }),
        }
        if refused {
            eprintln!("{HINT}nothing was published{HINT:#}");
        }
    }
}

/// What to do, in the words of the command line.
fn in_words(hint: Hint) -> &'static str {
    match hint {
        Hint::JudgeAlone => {
            "to publish all the same, judge the release by itself with --alone; the ledger records that"
        }
        Hint::ChooseColumns => "choose the columns to publish with --columns",
        Hint::AuditFewerColumns => "audit some of the columns with --column",
        Hint::OtherPolicy => {
            "change the policy, or describe this table in a policy of its own and name it with --policy FILE"
        }
        Hint::DraftPolicy => "draft a policy with `reticent init DATA`, or name one with --policy FILE",
        Hint::ReplacePolicy => "--force drafts the policy again and keeps taxonomies; --policy names another",
        Hint::MoreMemory => "allow more memory with --memory SIZE",
        Hint::WaitLonger => "wait longer with --wait SECONDS",
        Hint::StartLedger => "if this is the first release, start a ledger with --new-ledger",
        Hint::OtherLedger => "name another place with --ledger DIR",
        Hint::OtherKey => "name the key with --key FILE",
        Hint::KeyLost => "if it is lost for good, docs/ledger.md says how to go on",
        Hint::ListReleases => "`reticent log` lists the releases",
        Hint::ListCatalogue => "`reticent catalogue` lists all entries",
        Hint::AuditHistory => "`reticent audit` tells what earlier releases give away already",
        Hint::Verify => "nothing was changed; `reticent verify` tells more, and a backup may help",
        Hint::Authenticate => {
            "if it was ever signed, it was replaced: bring a backup back. If it is of an older format, compare it with \
             `reticent verify --head`, then sign it with `reticent authenticate`"
        }
        Hint::Confirm => "if that is what you want, add --yes",
        Hint::HeaderIsRight => "if these are the names of the columns, add --force",
        Hint::NameRoles => {
            "say what the columns are: --identifier leaves a column out, --sensitive and --quasi-identifier store it as that; or \
             describe the table in a policy of its own (--policy)"
        }
        Hint::OtherOutput => "name the output with -o OUT",
        Hint::Rehearse => "rehearse it with `reticent publish --dry-run`",
        Hint::NameConfidence => "give a confidence with --confidence H",
        Hint::NamePopulation => "give the population with --population FILE",
        // A hint of a newer library has no words here yet.
        _ => "",
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
