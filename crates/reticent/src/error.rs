//! Errors of the library: a stable code, data, and a text made from the data.
//!
//! No text here shows an identifier or a sensitive value: columns, counts and words of the policy only. No text names a flag
//! or a command: an interface makes its own words from [`Error::hints`].

mod fault;
mod hint;
mod obstacle;
mod refusal;
#[cfg(test)]
mod tests;
mod text;

use serde::ser::SerializeMap;

use crate::kind::Kind;
use text::{at_line, hint_text, of_entry};

pub use fault::{
    ArgumentFault, Basis, CountFault, CounterfeitFault, FileFault, HistoryLimit, KnowledgeFault, SingleFault,
    TableFault,
};
pub use hint::Hint;
pub use obstacle::Obstacle;
pub use refusal::{Failing, Outlook, Refusal};

/// The result type of the library.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can fail in the library.
///
/// ```
/// use reticent::Error;
///
/// let error = Error::column("zip", "is not in the table");
/// assert_eq!(error.code(), "column-unfit");
/// assert_eq!(serde_json::to_string(&error)?, r#"{"column":"zip"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[non_exhaustive]
pub enum Error {
    /// The policy file is wrong at a line.
    #[error("policy{}: {message}{}", at_line(*.line), hint_text(.hint))]
    #[strum(serialize = "policy-invalid")]
    Policy {
        /// Line in the policy file, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
        /// What to write instead, if we can tell.
        hint: Option<String>,
    },
    /// A taxonomy is inconsistent.
    #[error("taxonomy of `{column}`{}: {message}", at_line(*.line))]
    #[strum(serialize = "taxonomy-invalid")]
    Taxonomy {
        /// The column the taxonomy is for, or its file.
        column: String,
        /// Line in the taxonomy file, from 1.
        line: Option<usize>,
        /// What is wrong and how to mend it.
        message: String,
    },
    /// The data does not fit what the policy says about it.
    #[error("column `{column}`: {message}")]
    #[strum(serialize = "column-unfit")]
    Column {
        /// The column at fault.
        column: String,
        /// What is wrong and how to mend it.
        message: String,
    },
    /// The table as a whole cannot be used.
    #[error("{fault}")]
    #[strum(serialize = "table-unfit")]
    Table {
        /// What is wrong.
        fault: TableFault,
    },
    /// A parameter of a registered thing is missing, unknown or out of range.
    #[error("{kind} `{id}`: {message}{}", hint_text(.hint))]
    #[strum(serialize = "parameter-invalid")]
    Parameter {
        /// Which list the entry stands in.
        kind: Kind,
        /// The entry.
        id: String,
        /// What is wrong.
        message: String,
        /// What to write instead, if we can tell.
        hint: Option<String>,
    },
    /// Code asked for an argument that cannot be read: a programming mistake, never a user's.
    #[error("argument `{parameter}`{} cannot be read: {fault}", of_entry(.id))]
    #[strum(serialize = "argument-unreadable")]
    Argument {
        /// The entry that the arguments were checked against, if they were.
        id: Option<String>,
        /// The parameter that was asked for.
        parameter: String,
        /// What is wrong.
        fault: ArgumentFault,
    },
    /// A name that no registry knows.
    #[error("there is no {kind} `{id}`{}", hint_text(.hint))]
    #[strum(serialize = "unknown-entry")]
    Unknown {
        /// Which list was searched.
        kind: Kind,
        /// The name that was asked for.
        id: String,
        /// The nearest name there is.
        hint: Option<String>,
    },
    /// A name or a number that a caller gave breaks its rule.
    #[error("{what} {given:?}: {rule}")]
    #[strum(serialize = "name-invalid")]
    Name {
        /// What it was given for.
        what: &'static str,
        /// The text that was given.
        given: String,
        /// The rule.
        rule: String,
    },
    /// Nothing is published: the requirement is violated, or a method cannot publish.
    #[error("refused: {0}")]
    #[strum(serialize = "refused")]
    Refused(Refusal),
    /// A statement could not be judged. Never a pass.
    #[error("could not check {0}")]
    #[strum(serialize = "cannot-check")]
    CannotCheck(Obstacle),
    /// The caller asked to stop before anything could be published.
    #[error("stopped before the first publishable state")]
    #[strum(serialize = "stopped")]
    Stopped,
}

impl Error {
    /// Makes a policy error at a line.
    pub fn policy(line: Option<usize>, message: impl Into<String>) -> Self {
        Error::Policy { line, message: message.into(), hint: None }
    }

    /// Makes a column error.
    pub fn column(column: impl Into<String>, message: impl Into<String>) -> Self {
        Error::Column { column: column.into(), message: message.into() }
    }

    /// Returns the stable code of the error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Refused(refusal) => refusal.code(),
            Error::CannotCheck(obstacle) => obstacle.code(),
            error => error.into(),
        }
    }

    /// Returns all codes that [`Error::code`] can return.
    pub fn codes() -> Vec<&'static str> {
        let own = <Error as strum::VariantNames>::VARIANTS.iter();
        let own = own.filter(|code| !["refused", "cannot-check"].contains(code));
        own.chain(Refusal::codes()).chain(Obstacle::codes()).copied().collect()
    }

    /// Returns what the user can do, for the interface to put into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Error::Refused(refusal) => refusal.hints(),
            Error::CannotCheck(obstacle) => obstacle.hints(),
            // Their texts say what to write instead.
            _ => Vec::new(),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Refused(refusal)
    }
}

impl From<Obstacle> for Error {
    fn from(obstacle: Obstacle) -> Error {
        Error::CannotCheck(obstacle)
    }
}

impl From<reticent_inference::Error> for Error {
    fn from(error: reticent_inference::Error) -> Error {
        Error::CannotCheck(match error {
            reticent_inference::Error::Contradiction => Obstacle::ReleasesContradict {},
            reticent_inference::Error::ValuesNotAscending => Obstacle::ValuesNotAscending {},
            reticent_inference::Error::TooLarge { people_limit, cells_limit } => {
                Obstacle::InferenceTooLarge { people_limit, cells_limit }
            }
        })
    }
}

/// The data of the error as a map, without texts.
impl serde::Serialize for Error {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Error::Refused(refusal) => return refusal.serialize(serializer),
            Error::CannotCheck(obstacle) => return obstacle.serialize(serializer),
            _ => {}
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Error::Policy { line, .. } => map.serialize_entry("line", line)?,
            Error::Taxonomy { column, line, .. } => {
                map.serialize_entry("column", column)?;
                map.serialize_entry("line", line)?;
            }
            Error::Column { column, .. } => map.serialize_entry("column", column)?,
            Error::Table { fault } => map.serialize_entry("fault", fault)?,
            Error::Parameter { kind, id, .. } | Error::Unknown { kind, id, .. } => {
                map.serialize_entry("kind", kind)?;
                map.serialize_entry("id", id)?;
            }
            Error::Argument { id, parameter, fault } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("parameter", parameter)?;
                map.serialize_entry("fault", fault)?;
            }
            Error::Name { what, rule, .. } => {
                map.serialize_entry("what", what)?;
                map.serialize_entry("rule", rule)?;
            }
            Error::Refused(_) | Error::CannotCheck(_) | Error::Stopped => {}
        }
        map.end()
    }
}

/// The valid word nearest to what somebody typed, when it is near enough to be what they meant.
pub fn nearest<'a>(typed: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    valid
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&typed.to_lowercase(), &word.to_lowercase()), word))
        .filter(|(distance, word)| {
            let longer = word.chars().count().max(typed.chars().count());
            *distance <= 1 + longer / 3 && distance * 2 <= longer
        })
        .min()
        .map(|(_, word)| word)
}

/// `did you mean ...?`, or nothing.
pub fn did_you_mean<'a>(typed: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(typed, valid).map(|word| format!("did you mean `{word}`?"))
}
