//! Details of errors that have several causes.

/// Reason why an argument cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentFault {
    /// The arguments were not checked against an entry.
    #[error("the arguments were not checked")]
    Unchecked,
    /// The entry has no parameter of this name.
    #[error("there is no such parameter")]
    UnknownParameter,
    /// The parameter has another type.
    #[error("it has another type")]
    OtherKind,
    /// The parameter is optional and has no value.
    #[error("it has no value")]
    NotGiven,
}

/// Reason why a table cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFault {
    /// The table has no rows.
    #[error("the table has no rows, so there is nothing to publish")]
    NoRows,
    /// Every row is dropped.
    #[error(
        "every row has a missing value in a column with `missing = \"drop\"`; set `missing = \"value\"` for some of them"
    )]
    EveryRowDropped,
    /// Two columns have the same name.
    #[error("two columns of the published table have the same name; rename one of them")]
    SameName,
    /// The parts of the counts have different lengths, or a code has no text.
    #[error("the counts of the published table are inconsistent: parts differ in length, or a code has no text")]
    CountsInconsistent,
}

/// Reason why background knowledge cannot be used. No text contains a value of the background knowledge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KnowledgeFault {
    /// A line cannot be parsed.
    #[error(
        "line {line} cannot be parsed; write `\"NAME\" has COLUMN = VALUE`, `\"NAME\" has not COLUMN = VALUE`, \
         `1 of \"NAME\", \"NAME\" have COLUMN = VALUE` (or `at least 1 of`, `at most 1 of`; each name once, and a number up to the \
         number of names), or `P(COLUMN = VALUE | COLUMN = VALUE) <= 0.3` (or `>=`, `=`)"
    )]
    NotUnderstood {
        /// Line number, from 1.
        line: usize,
    },
    /// It contradicts the releases or itself.
    #[error("it contradicts the releases or itself: no assignment of the published values to people satisfies it")]
    Contradiction,
    /// A person has two values, or both has and lacks a value.
    #[error("it contradicts the releases or itself: a person has two values, or both has and lacks a value")]
    TwoValues,
    /// A person has several records or a changed value.
    #[error("it mentions a person with several records or a changed value")]
    SeveralRecords,
    /// Several statements mention a person whose value appears in no release.
    #[error(
        "only one statement may mention a person whose `{column}` appears in no release; state the value of the person by name, or \
         mention the person in one statement only"
    )]
    SeveralStatements {
        /// Sensitive attribute.
        column: String,
    },
    /// A person is in no release.
    #[error("it mentions a person who is in none of the releases")]
    PersonUnknown,
    /// No person is known to satisfy the condition of a probability statement.
    #[error("no person in the releases is known to satisfy the condition of its probability statement")]
    NobodyMeant,
    /// No whole number of people gives the stated probability.
    #[error("no whole number of the people that satisfy the condition gives the stated probability")]
    ShareImpossible,
    /// More people are known to have the value than stated.
    #[error("more people are known to have a value than it states")]
    ShareExceeded,
    /// The value appears in no release.
    #[error("it mentions a value of `{column}` that appears in no release")]
    ValueNotShown {
        /// Sensitive attribute.
        column: String,
    },
    /// No sensitive attribute is named.
    #[error("it names no sensitive column of the releases; sensitive columns: {}", .columns.join(", "))]
    ColumnUnknown {
        /// Sensitive attributes.
        columns: Vec<String>,
    },
    /// The releases do not show for every person whether a condition on a quasi-identifier is satisfied.
    #[error("for some people, the releases do not show whether `{column}` satisfies the condition")]
    NotShownForAll {
        /// Quasi-identifier.
        column: String,
    },
    /// The releases show different values of a quasi-identifier.
    #[error("the releases disagree for which people `{column}` satisfies the condition")]
    ReleasesDiffer {
        /// Quasi-identifier.
        column: String,
    },
}

/// What is known about posteriors that are not proven to be within the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The posteriors are not known exactly.
    #[error("it is not known exactly, and the limit is")]
    NotExact,
    /// The upper bounds are above the limit.
    #[error("its upper bound exceeds")]
    UpperBound,
    /// The estimates are above the limit.
    #[error("its estimate exceeds")]
    Estimate,
}

/// Inconsistency of the published numbers of counterfeit records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CounterfeitFault {
    /// A group has different numbers.
    #[error("has different numbers of counterfeit records within a group")]
    Different,
    /// A value is not a number.
    #[error("has a value that is not a number of counterfeit records")]
    NoNumber,
    /// The number exceeds the number of records.
    #[error("states more counterfeit records than a group has records")]
    TooMany,
}

/// Reason why the cells of a table of counts cannot be linked to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CountFault {
    /// People of one group are counted in several cells.
    #[error("it is unknown which people of a group {name} counts in which cell; register {name} with its owners")]
    GroupSplit {
        /// Name of the table of counts.
        name: String,
    },
    /// The table counts by a column that the other release does not contain.
    #[error("{name} counts by {column}, which {other} does not contain; register {name} with its owners")]
    ColumnNotShown {
        /// Name of the table of counts.
        name: String,
        /// Column.
        column: String,
        /// Name of the release that contains the people.
        other: String,
    },
    /// The other release is coarser, or uses other values.
    #[error(
        "it is unknown which people {name} counts in which cell, because {other} publishes the quasi-identifiers coarser or in other \
         values; register {name} with its owners"
    )]
    Coarser {
        /// Name of the table of counts.
        name: String,
        /// Name of the release that contains the people.
        other: String,
    },
}

/// Difference between a written file and the release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FileFault {
    /// The file has other columns.
    #[error("the written file: its columns differ from the release")]
    Columns,
    /// Two column names differ by an apostrophe.
    #[error("the written file: two column names differ only by an apostrophe; rename one of them")]
    SimilarNames,
    /// The file has another number of records.
    #[error("the written file: it has {found} records, and the release has {expected}")]
    Rows {
        /// Number of records in the file.
        found: u64,
        /// Number of records of the release.
        expected: u64,
    },
    /// A column has a value with and without an apostrophe.
    #[error("the written file: column `{column}` has the same value with and without a leading apostrophe")]
    SimilarValues {
        /// Column.
        column: String,
    },
    /// A column has values that the release does not have.
    #[error("the written file: column `{column}` has {values} values that the release does not have")]
    ForeignValues {
        /// Column.
        column: String,
        /// Number of values.
        values: usize,
    },
    /// A column has a value that the release does not have.
    #[error("the written file: column `{column}` has a value that the release does not have")]
    ForeignValue {
        /// Column.
        column: String,
    },
    /// A column is missing.
    #[error("the written file: column `{column}` is missing")]
    ColumnMissing {
        /// Column.
        column: String,
    },
    /// The records differ from the release.
    #[error("the written file: its records differ from the release")]
    Records,
}

/// Reason why a history is not a single release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SingleFault {
    /// The history is empty.
    #[error("the history is empty")]
    Empty,
    /// The history has several releases.
    #[error("it applies to a single release, and the history has {releases}")]
    Several {
        /// Number of releases.
        releases: usize,
    },
}

/// Limit that a history exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum HistoryLimit {
    /// Number of subsets of releases.
    #[error("there are too many releases to check every subset; set `judge = \"each\"` under [history]")]
    Subsets,
    /// Number of combinations of earlier releases in which people can be.
    #[error("there are too many combinations of earlier releases in which its people can be")]
    Ways,
    /// Number of sets of releases in which people are.
    #[error("its people are in more than {limit} different sets of earlier releases")]
    Patterns {
        /// Maximum number of sets.
        limit: usize,
    },
}
