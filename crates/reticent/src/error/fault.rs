//! The details of errors that have several causes.

/// Why an argument cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentFault {
    /// The arguments were not checked against an entry.
    #[error("the arguments were not checked")]
    Unchecked,
    /// The entry has no parameter of this name.
    #[error("there is no such parameter")]
    UnknownParameter,
    /// The parameter takes values of another kind.
    #[error("it has a value of another kind")]
    OtherKind,
    /// The parameter may be left out, and has no value.
    #[error("it has no value")]
    NotGiven,
}

/// Why a table cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFault {
    /// It has no rows.
    #[error("the table has no rows: there is nothing to publish")]
    NoRows,
    /// Every row is dropped.
    #[error("every row has a missing value that the policy drops; set `missing = \"value\"` for some column")]
    EveryRowDropped,
    /// Two columns have the same name.
    #[error("two columns of the published table have the same name; rename one")]
    SameName,
    /// The parts of the counts have different lengths.
    #[error("the counts of the published table do not fit together")]
    CountsInconsistent,
}

/// Why background knowledge cannot be used. No text shows a value that it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KnowledgeFault {
    /// A line has no known form.
    #[error(
        "line {line} is not understood; a line is like `\"NAME\" has COLUMN = VALUE`, `\"NAME\" has not COLUMN = VALUE`, \
         `1 of \"NAME\", \"NAME\" have COLUMN = VALUE` (or `at least 1 of`, `at most 1 of`; everybody once, and no more than \
         are named), or `P(COLUMN = VALUE | COLUMN = VALUE) <= 0.3` (or `>=`, `=`)"
    )]
    NotUnderstood {
        /// The line, from 1.
        line: usize,
    },
    /// It contradicts the releases or itself.
    #[error("it contradicts the releases, or itself: no assignment of the published values to people fits it")]
    Contradiction,
    /// A person has two values, or has one and does not have it.
    #[error("it contradicts the releases, or itself: somebody has two values, or has one and has it not")]
    TwoValues,
    /// A person has several records or a changed value.
    #[error("somebody it speaks of has several records, or a value that changed")]
    SeveralRecords,
    /// A person whose value no release shows is in several statements.
    #[error(
        "somebody whose `{column}` no release shows is spoken of in several statements, which cannot be judged; say by name \
         what they have, or leave them out of all statements but one"
    )]
    SeveralStatements {
        /// The sensitive attribute.
        column: String,
    },
    /// A person is in no release.
    #[error("somebody it speaks of is in none of the releases")]
    PersonUnknown,
    /// No person is known to belong to those of a share.
    #[error("nobody in the releases is known to be one of those it speaks of")]
    NobodyMeant,
    /// No whole number of people has the share.
    #[error("no number of the people it speaks of has the share that it says")]
    ShareImpossible,
    /// More people are known to have the value.
    #[error("more people are known to have a value than it says there are")]
    ShareExceeded,
    /// No release shows the value.
    #[error("no release shows the value it speaks of in `{column}`")]
    ValueNotShown {
        /// The sensitive attribute.
        column: String,
    },
    /// No sensitive attribute is named.
    #[error("it names no sensitive column of any release; there are: {}", .columns.join(", "))]
    ColumnUnknown {
        /// The sensitive attributes.
        columns: Vec<String>,
    },
    /// The releases do not show who has a value of a quasi-identifier.
    #[error("of some people the releases do not show whether `{column}` is what it speaks of")]
    NotShownForAll {
        /// The quasi-identifier.
        column: String,
    },
    /// The releases show different values of a quasi-identifier.
    #[error("the releases differ in whose `{column}` is what it speaks of")]
    ReleasesDiffer {
        /// The quasi-identifier.
        column: String,
    },
}

/// What is known of posteriors that are not established to be within the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// They are not known exactly.
    #[error("is told with a confidence that is not known exactly; allowed are")]
    NotExact,
    /// Their upper bounds are above.
    #[error("may be told with more confidence than")]
    UpperBound,
    /// Their estimates are above.
    #[error("is by the best estimate told with more confidence than")]
    Estimate,
}

/// What is wrong with the numbers of counterfeit records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CounterfeitFault {
    /// A group has different numbers.
    #[error("tells different numbers of counterfeits within a group")]
    Different,
    /// It is not a number.
    #[error("does not tell a number of counterfeits")]
    NoNumber,
    /// There are more than records.
    #[error("tells more counterfeits than a group has records")]
    TooMany,
}

/// Why it is not known which people a table of counts is about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CountFault {
    /// People of one group are counted in several places.
    #[error("it is not known whom of a group {name} counts where. Register it with its owners")]
    GroupSplit {
        /// The name of the release.
        name: String,
    },
    /// It counts by a column that the other release does not show.
    #[error("{name} counts by {column}, which {other} does not show: register it with its owners")]
    ColumnNotShown {
        /// The name of the release.
        name: String,
        /// The column.
        column: String,
        /// The name of the release of the people.
        other: String,
    },
    /// The other release is coarser.
    #[error(
        "it is not known whom {name} counts where: {other} shows its quasi-identifiers coarser, or otherwise. Register it with \
         its owners"
    )]
    Coarser {
        /// The name of the release.
        name: String,
        /// The name of the release of the people.
        other: String,
    },
}

/// How a written file differs from the release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FileFault {
    /// It has other columns.
    #[error("the written file: its columns are not those that were to be written")]
    Columns,
    /// Two column names differ by an apostrophe.
    #[error("the written file: two of its columns differ by an apostrophe only; rename one")]
    SimilarNames,
    /// It has another number of records.
    #[error("the written file: it has {found} records, {expected} were to be written")]
    Rows {
        /// Records in the file.
        found: u64,
        /// Records of the release.
        expected: u64,
    },
    /// A column has a value with and without an apostrophe.
    #[error("the written file: column `{column}` has a value with and without an apostrophe before it")]
    SimilarValues {
        /// The column.
        column: String,
    },
    /// A column has values that were not to be published.
    #[error("the written file: column `{column}` has {values} values that were not to be published")]
    ForeignValues {
        /// The column.
        column: String,
        /// How many values.
        values: usize,
    },
    /// A column has a value that was not to be published.
    #[error("column `{column}` of the written file: it has a value that was not to be published")]
    ForeignValue {
        /// The column.
        column: String,
    },
    /// A column is missing.
    #[error("column `{column}`: it is not in the written file")]
    ColumnMissing {
        /// The column.
        column: String,
    },
    /// Its records are not those of the release.
    #[error("whose the published records are: the written file does not hold what was to be published")]
    Records,
}

/// Why a history is not a single release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SingleFault {
    /// It is empty.
    #[error("the history is empty")]
    Empty,
    /// It has several releases.
    #[error("it has {releases} releases, and this judges a single one")]
    Several {
        /// How many.
        releases: usize,
    },
}

/// What a history has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum HistoryLimit {
    /// Subsets of releases.
    #[error("they are too many to judge every subset; set `judge` under [history] to \"each\"")]
    Subsets,
    /// Ways in which people are in several releases.
    #[error("there are too many ways in which its people can be in earlier releases together")]
    Ways,
    /// Sets of releases that people are in.
    #[error("its people are in more than {limit} different sets of earlier releases")]
    Patterns {
        /// The most sets.
        limit: usize,
    },
}
