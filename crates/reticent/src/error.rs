//! What can go wrong in the library, with what the reader needs to act.
//!
//! No text here shows a raw identifier or a raw sensitive value: columns, counts and policy words only.

use crate::kind::Kind;

/// The library's one result type.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything the library can refuse to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The policy file is wrong at a line.
    #[error("policy{}: {message}{}", at_line(*.line), hint_text(.hint))]
    Policy {
        /// Line in the policy file, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
        /// What to write instead, if we can tell.
        hint: Option<String>,
    },
    /// A taxonomy does not hold together.
    #[error("taxonomy of `{column}`{}: {message}", at_line(*.line))]
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
    Column {
        /// The column at fault.
        column: String,
        /// What is wrong and how to mend it.
        message: String,
    },
    /// The table as a whole cannot be used.
    #[error("{0}")]
    Table(String),
    /// A parameter of a registered thing is missing, unknown or out of range.
    #[error("{kind} `{id}`: {message}{}", hint_text(.hint))]
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
    /// A name that no registry knows.
    #[error("there is no {kind} `{id}`{}", hint_text(.hint))]
    Unknown {
        /// Which list was searched.
        kind: Kind,
        /// The name that was asked for.
        id: String,
        /// The nearest name there is.
        hint: Option<String>,
    },
    /// No release this algorithm can make satisfies the requirement.
    #[error("refused: {message}")]
    Refused {
        /// Which requirement, why, and the smallest change that would help.
        message: String,
    },
    /// A statement could not be judged. Never a pass.
    #[error("could not check {what}: {why}")]
    CannotCheck {
        /// The statement.
        what: String,
        /// The obstacle.
        why: String,
    },
    /// The caller asked to stop before anything could be published.
    #[error("stopped before the first publishable state")]
    Stopped,
}

impl Error {
    /// A policy error at a line.
    pub fn policy(line: Option<usize>, message: impl Into<String>) -> Self {
        Error::Policy { line, message: message.into(), hint: None }
    }

    /// A column error.
    pub fn column(column: impl Into<String>, message: impl Into<String>) -> Self {
        Error::Column { column: column.into(), message: message.into() }
    }
}

fn at_line(line: Option<usize>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

fn hint_text(hint: &Option<String>) -> String {
    hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default()
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
