//! Errors of the library: a stable code, structured data, and a text built from the data.
//!
//! Texts contain column names, counts and words of the policy, but no identifier and no sensitive value. Texts name no flag and
//! no command; an interface adds these from [`Error::hints`].

mod fault;
mod hint;
mod obstacle;
mod refusal;
#[cfg(test)]
mod tests;
mod text;

use serde::ser::SerializeMap;

use crate::kind::Kind;
use text::{at_line, column_lines, hint_text, of_entry};

pub use fault::{
    ArgumentFault, Basis, CountFault, CounterfeitFault, FileFault, HistoryLimit, KnowledgeFault, SingleFault,
    TableFault,
};
pub use hint::Hint;
pub use obstacle::Obstacle;
pub use refusal::{Outlook, Refusal, ViolatingClass};

/// The result type of the library.
pub type Result<T> = std::result::Result<T, Error>;

/// Error of the library.
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
    /// The policy is invalid.
    #[error("policy{}: {message}{}", at_line(*.line), hint_text(.hint))]
    #[strum(serialize = "policy-invalid")]
    Policy {
        /// Line of the policy, from 1.
        line: Option<usize>,
        /// Problem.
        message: String,
        /// Correction, if one can be suggested.
        hint: Option<String>,
    },
    /// A taxonomy is invalid.
    #[error("taxonomy of `{column}`{}: {message}", at_line(*.line))]
    #[strum(serialize = "taxonomy-invalid")]
    Taxonomy {
        /// Column of the taxonomy, or its file.
        column: String,
        /// Line of the taxonomy file, from 1.
        line: Option<usize>,
        /// Problem and remedy.
        message: String,
    },
    /// A workload of count queries is invalid.
    #[error("queries `{file}`{}: {message}{}", at_line(*.line), hint_text(.hint))]
    #[strum(serialize = "workload-invalid")]
    Workload {
        /// File of the queries.
        file: String,
        /// Line of the file, from 1.
        line: Option<usize>,
        /// Problem.
        message: String,
        /// Correction, if one can be suggested.
        hint: Option<String>,
    },
    /// A column of the data does not match the policy.
    #[error("column `{column}`: {message}")]
    #[strum(serialize = "column-unfit")]
    Column {
        /// Column.
        column: String,
        /// Problem and remedy.
        message: String,
    },
    /// Several columns of the data do not match the policy.
    #[error("{} columns do not match the policy{}", .columns.len(), column_lines(.columns))]
    #[strum(serialize = "columns-unfit")]
    Columns {
        /// Column, and problem with remedy.
        columns: Vec<(String, String)>,
    },
    /// The table cannot be used.
    #[error("{fault}")]
    #[strum(serialize = "table-unfit")]
    Table {
        /// Problem.
        fault: TableFault,
    },
    /// A parameter of a catalogue entry is missing, unknown or out of range.
    #[error("{kind} `{id}`: {message}{}", hint_text(.hint))]
    #[strum(serialize = "parameter-invalid")]
    Parameter {
        /// Kind of the entry.
        kind: Kind,
        /// Id of the entry.
        id: String,
        /// Problem.
        message: String,
        /// Correction, if one can be suggested.
        hint: Option<String>,
    },
    /// Code requested an argument that cannot be read. This is a programming error.
    #[error("argument `{parameter}`{} cannot be read: {fault}", of_entry(.id))]
    #[strum(serialize = "argument-unreadable")]
    Argument {
        /// Id of the entry that the arguments were checked against, if any.
        id: Option<String>,
        /// Requested parameter.
        parameter: String,
        /// Problem.
        fault: ArgumentFault,
    },
    /// The catalogue has no entry with this id.
    #[error("there is no {kind} `{id}`{}", hint_text(.hint))]
    #[strum(serialize = "unknown-entry")]
    Unknown {
        /// Kind of the entry.
        kind: Kind,
        /// Requested id.
        id: String,
        /// Nearest id, if there is one.
        hint: Option<String>,
    },
    /// A name or number from the caller violates its rule.
    #[error("{what} {given:?}: {rule}")]
    #[strum(serialize = "name-invalid")]
    Name {
        /// Subject, such as `recipient`.
        what: &'static str,
        /// Text from the caller.
        given: String,
        /// Violated rule.
        rule: String,
    },
    /// Nothing is published: no release satisfies the requirement, or a method cannot publish.
    #[error("refused: {0}")]
    #[strum(serialize = "refused")]
    Refused(Refusal),
    /// A check could not be completed. This is never a pass.
    #[error("could not check {0}")]
    #[strum(serialize = "cannot-check")]
    CannotCheck(Obstacle),
    /// The caller stopped the search before it found a publishable release.
    #[error("stopped before the search found a publishable release")]
    #[strum(serialize = "stopped")]
    Stopped,
}

impl Error {
    /// Creates a policy error at a line.
    pub fn policy(line: Option<usize>, message: impl Into<String>) -> Self {
        Error::Policy { line, message: message.into(), hint: None }
    }

    /// Creates a column error.
    pub fn column(column: impl Into<String>, message: impl Into<String>) -> Self {
        Error::Column { column: column.into(), message: message.into() }
    }

    /// Returns an error about one or several columns, each with its problem and remedy.
    pub(crate) fn columns(mut columns: Vec<(String, String)>) -> Self {
        match (columns.pop(), columns.is_empty()) {
            (Some((column, message)), true) => Error::Column { column, message },
            (last, _) => Error::Columns { columns: columns.into_iter().chain(last).collect() },
        }
    }

    /// Returns whether the release is refused, or could not be checked. Another release may pass.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Error::Refused(_) | Error::CannotCheck(_))
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

    /// Returns remedies, which the interface puts into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Error::Refused(refusal) => refusal.hints(),
            Error::CannotCheck(obstacle) => obstacle.hints(),
            // Their texts contain the remedy.
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

/// Serializes the data of the error as a map, without texts.
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
            Error::Workload { file, line, .. } => {
                map.serialize_entry("file", file)?;
                map.serialize_entry("line", line)?;
            }
            Error::Column { column, .. } => map.serialize_entry("column", column)?,
            Error::Columns { columns } => {
                map.serialize_entry("columns", &columns.iter().map(|(column, _)| column).collect::<Vec<_>>())?;
            }
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

/// Returns the valid word with the smallest edit distance to the typed one, if it is a plausible correction.
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

/// Returns ``did you mean `word`?`` for the nearest valid word, if there is one.
pub fn did_you_mean<'a>(typed: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(typed, valid).map(|word| format!("did you mean `{word}`?"))
}
