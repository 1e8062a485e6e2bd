//! Errors on the terminal: text, hints with commands and flags, exit status.

use std::path::PathBuf;

use anstream::eprintln;
use reticent::{Remedies, SeriesStart};
use reticent_app::Hint;
use reticent_app::error::Class;

use crate::terminal::{BAD, HINT, WIDTH, witness, wrap};

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Error of the application layer.
    #[error(transparent)]
    App(Box<reticent_app::Error>),
    /// Invalid arguments.
    #[error("{0}")]
    Usage(String),
    /// A file operation of the command failed.
    #[error("could not {doing} {}: {source}", .path.display())]
    File {
        /// The operation.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// The exit status for a class of errors.
pub fn class_status(class: Class) -> u8 {
    match class {
        Class::Refused => 1,
        Class::Invalid => 2,
        Class::Io => 3,
        Class::Modified => 4,
        Class::Locked => 5,
        Class::Cancelled => 130,
    }
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
    /// Returns a function that wraps an error of a file operation.
    pub fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { doing, path, source }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            Error::File { .. } => 3,
            Error::App(error) => class_status(error.class()),
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

    fn remedies(&self) -> Option<&Remedies> {
        match self {
            Error::App(error) => match &**error {
                reticent_app::Error::Refused { remedies, .. } => Some(remedies),
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
            if let Some(remedies) = self.remedies() {
                answer["refusal"] = serde_json::json!(remedies);
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
        match self.remedies() {
            // Checked remedies are better than hints.
            Some(remedies) => print_remedies(remedies),
            None => self.hints().into_iter().for_each(|hint| {
                eprintln!("{HINT}{}{HINT:#}", wrap(hint_text(hint), WIDTH, "").trim_start());
            }),
        }
        if refused {
            eprintln!("{HINT}nothing was published{HINT:#}");
        }
    }
}

/// The command or flag for a hint.
fn hint_text(hint: Hint) -> &'static str {
    match hint {
        Hint::JudgeAlone => {
            "to publish without checking earlier releases, add --ignore-history; the ledger records this"
        }
        Hint::ChooseColumns => "choose the columns to publish with --columns",
        Hint::AuditFewerColumns => "audit fewer columns with --column",
        Hint::OtherPolicy => {
            "change the policy, or write a separate policy for this table and pass it with --policy FILE"
        }
        Hint::DraftPolicy => "draft a policy with `reticent init DATA`, or pass one with --policy FILE",
        Hint::ReplacePolicy => {
            "use --force to overwrite the policy (taxonomies are kept), or --policy for another file"
        }
        Hint::ChooseFormat => "choose with --format COLUMN=FORMAT, once for each column",
        Hint::ShowValues => "to see the values, add --show-values",
        Hint::MoreMemory => "allow more memory with --memory SIZE",
        Hint::WaitLonger => "wait longer with --wait SECONDS",
        Hint::StartLedger => {
            "for the first release, create the ledger with --new-ledger; otherwise change to the folder of reticent.toml, or pass --policy FILE"
        }
        Hint::OtherLedger => "pass another ledger with --ledger DIR",
        Hint::OtherKey => "pass the key file with --key FILE",
        Hint::KeyLost => "if the key is lost, see docs/ledger.md",
        Hint::ListReleases => "`reticent log` lists the releases",
        Hint::ListCatalogue => "`reticent catalogue` lists all entries",
        Hint::AuditHistory => "`reticent audit` shows what earlier releases disclose",
        Hint::Verify => "nothing was changed; run `reticent verify` for details, and restore a backup if needed",
        Hint::Authenticate => {
            "if the ledger was signed before, it was replaced: restore a backup. If it is of format 1, compare it with \
             `reticent verify --head`, then sign it with `reticent authenticate`"
        }
        Hint::Confirm => "to confirm, add --yes",
        Hint::HeaderIsRight => "if these are column names, add --force",
        Hint::NameRoles => {
            "name the role of each column: --identifier (not stored), --sensitive or --quasi-identifier; or write a policy for this \
             table (--policy)"
        }
        Hint::OtherOutput => "pass another output with -o OUT",
        Hint::Rehearse => "try it with `reticent publish --dry-run`",
        Hint::NameConfidence => "pass a threshold with --confidence H",
        Hint::DestroyedElsewhere => {
            "if you know that every copy was destroyed, add --destroyed-elsewhere; the ledger records that it was not checked"
        }
        Hint::ContinueSeries => {
            "to continue that series, use a policy with its method (`reticent show NAME` names it): [release] method = \"...\"; see docs/methods.md"
        }
        Hint::Reinstate => {
            "if a recipient holds it after all, `reticent amend NAME --add-recipient WHO` makes it count again"
        }
        Hint::NamePopulation => "pass the population with --population FILE",
        // Hints of newer versions of the library.
        _ => "",
    }
}

/// Prints violations of earlier releases, and remedies.
fn print_remedies(remedies: &Remedies) {
    for violation in &remedies.earlier_violations {
        let releases: Vec<String> =
            violation.releases.iter().map(|release| format!("{} {}", release.number, release.name)).collect();
        let (which, verb) = match releases.len() {
            1 => (format!("release {}", releases[0]), "violates"),
            _ => (format!("releases {} together", releases.join(" and ")), "violate"),
        };
        let text = format!(
            "Without the new release, {which} already {verb} this requirement: {} ({}: {}). Changing the new release cannot help.",
            violation.requirement,
            witness(&violation.worst.witness),
            violation.worst.explanation,
        );
        eprintln!("\n{}", wrap(&text, WIDTH, "  ").trim_start());
    }
    if remedies.remedies.is_empty() {
        let text = "No remedy found. Tried: another k or confidence for all values, one column fewer (or two, in small tables), one recipient fewer.";
        eprintln!("\n{}", wrap(text, WIDTH, "").trim_start());
    } else {
        eprintln!("\nRemedies, smallest change first:");
        for remedy in &remedies.remedies {
            eprintln!("{}", wrap(&format!("- {remedy}"), WIDTH, "    "));
        }
    }
    if let Some(SeriesStart { method, options }) = &remedies.series {
        let text = format!(
            "To publish this table again and again, continue it as a republication series: replace [requirement] and [release] of the \
             policy by [release] method = \"{method}\" and [release.options] {options}. People of earlier releases stay in the \
             classes in which they were published (docs/methods.md). Try it with --dry-run."
        );
        eprintln!("\n{}", wrap(&text, WIDTH, "").trim_start());
    }
    if !remedies.earlier_violations.is_empty() {
        let text = "Published releases cannot be recalled. If recipients never share their releases, declare them `non-colluding` in \
                    the policy. --ignore-history publishes without this check; the ledger records it.";
        eprintln!("\n{}", wrap(text, WIDTH, "").trim_start());
    }
}
