//! Obstacles: a statement that could not be judged. Never a pass.

use super::Hint;
use super::fault::{Basis, CountFault, CounterfeitFault, FileFault, HistoryLimit, KnowledgeFault, SingleFault};
use super::text::{people_text, percent_of, together};

/// Why a statement could not be judged. The text names the statement, then the obstacle.
#[derive(
    Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[serde(untagged)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Obstacle {
    /// The background knowledge cannot be used.
    #[error("the background knowledge: {fault}")]
    BackgroundKnowledgeInvalid {
        /// What is wrong with it.
        fault: KnowledgeFault,
    },
    /// It is not established that every posterior is within the confidence bound.
    #[error(
        "what all releases together give away: the {column} of {} {basis} {} %{}{}. To publish a table again, let a method \
         keep people in the groups they were in ([release] method, such as \"m-invariance\"); or publish fewer columns, or let \
         an estimate decide with `audit = \"estimate\"` under [requirement]",
        people_text(*.people), percent_of(.confidence), together(.earlier),
        not_followed(*.several_records, *.changed_values, *.not_counted)
    )]
    PosteriorNotEstablished {
        /// The sensitive attribute.
        column: String,
        /// For how many people it is not established.
        people: u64,
        /// The confidence bound, as an exact fraction.
        confidence: String,
        /// What is known instead.
        basis: Basis,
        /// The names of the earlier releases.
        earlier: Vec<String>,
        /// How many people have several records in a release.
        several_records: u64,
        /// How many values changed between releases.
        changed_values: u64,
        /// How many sets of dependent people could not be counted.
        not_counted: u64,
    },
    /// The counts of the releases contradict each other.
    #[error(
        "what the releases give away together: their counts contradict each other: no assignment of values to people fits all \
         of them. A person's value may have changed between releases, or a release may hold records that are not real"
    )]
    ReleasesContradict {},
    /// The values that a person may have are not sorted.
    #[error(
        "what the releases give away together: the values that somebody may have are not in ascending order, or one is there \
         twice"
    )]
    ValuesNotAscending {},
    /// The inference problem is too large.
    #[error(
        "what the releases give away together: it is too large: more than {people_limit} people whom nothing tells apart, or \
         more than {cells_limit} pairs of people and values in all counts"
    )]
    InferenceTooLarge {
        /// The most people of one class.
        people_limit: u64,
        /// The most pairs of people and values.
        cells_limit: u64,
    },
    /// The numbers of counterfeit records of a release cannot be read.
    #[error("what the releases give away together: the column {column} of release {release} {name} {fault}")]
    CounterfeitsUnclear {
        /// The number of the release.
        release: u64,
        /// Its name.
        name: String,
        /// The column with the numbers.
        column: String,
        /// What is wrong with it.
        fault: CounterfeitFault,
    },
    /// It is not known which people a table of counts is about.
    #[error("what the releases give away together: {fault}")]
    CountsNotLinked {
        /// Which release, and why.
        fault: CountFault,
    },
    /// A release has nothing to audit.
    #[error(
        "what the releases give away together: release {release} {name} has neither quasi-identifiers nor sensitive columns"
    )]
    NothingToAudit {
        /// The number of the release.
        release: u64,
        /// Its name.
        name: String,
    },
    /// The sensitive attributes have too many combinations of values.
    #[error(
        "what the releases give away together: the sensitive columns {} together have more than {limit} combinations of values; \
         audit them one at a time",
        .columns.join(", ")
    )]
    TooManyCombinations {
        /// The sensitive attributes.
        columns: Vec<String>,
        /// The most combinations.
        limit: usize,
    },
    /// There are too many sensitive attributes.
    #[error("what the releases give away together: there are more than {limit} sensitive columns; audit some of them")]
    TooManySensitiveColumns {
        /// The most sensitive attributes.
        limit: u32,
    },
    /// No release has a sensitive attribute of this name.
    #[error("what the releases give away together: no release has a sensitive column `{column}`; {suggestion}")]
    SensitiveColumnUnknown {
        /// The name that was asked for.
        column: String,
        /// The sensitive attributes that there are.
        columns: Vec<String>,
        /// The nearest name, or all of them, in words.
        #[serde(skip)]
        suggestion: String,
    },
    /// Too many groups of two releases match.
    #[error("the two releases together: too many pairs of groups match each other")]
    PairsTooMany {},
    /// The written file is not the release.
    #[error("{fault}")]
    WrittenFileDiffers {
        /// What differs.
        fault: FileFault,
    },
    /// The written tables of a method are not those that were made.
    #[error("the written tables: {reason}")]
    WrittenTablesDiffer {
        /// What differs.
        #[serde(skip)]
        reason: &'static str,
    },
    /// The groups of a method are inconsistent.
    #[error("the groups: {reason}")]
    GroupsInconsistent {
        /// What is wrong.
        #[serde(skip)]
        reason: &'static str,
    },
    /// The taxonomy of a column is not known.
    #[error("column `{column}`: its taxonomy is not known")]
    TaxonomyUnknown {
        /// The column.
        column: String,
    },
    /// A statement about single values was measured on several columns.
    #[error("{statement}: no single column was measured")]
    NoSingleColumn {
        /// The statement.
        statement: String,
    },
    /// A file has a value that the table does not have.
    #[error("{statement}: the file has a value of {column} that the table does not")]
    ValueNotInTable {
        /// The statement.
        statement: String,
        /// The column.
        column: String,
    },
    /// The statement is about a single release.
    #[error("{statement}: {fault}")]
    NotSingleRelease {
        /// The statement.
        statement: String,
        /// How many releases there are.
        fault: SingleFault,
    },
    /// The model has no definition for joined releases.
    #[error(
        "{model} of joined releases: it is defined for single releases only; require one of these instead ({}), or judge the \
         release by itself",
        .alternatives.join(", ")
    )]
    UndefinedForJoins {
        /// The model.
        model: String,
        /// The models that have a definition.
        alternatives: Vec<String>,
    },
    /// The algorithm searches single releases.
    #[error(
        "a release together with earlier ones: the optimal full-domain search judges single releases; choose \
         top-down-specialization or multidimensional-specialization, or judge the release by itself"
    )]
    SearchIgnoresHistory {},
    /// A join has too many combinations.
    #[error(
        "the join with {}: it has too many combinations of values to look at; publish fewer of the columns that earlier \
         releases have, or to fewer recipients",
        .releases.join(", ")
    )]
    JoinTooLarge {
        /// The names of the earlier releases.
        releases: Vec<String>,
    },
    /// A join has too many values to count.
    #[error("{statement}: the join has too many different values to count")]
    JoinNotCountable {
        /// The statement.
        statement: String,
    },
    /// The history has too many sets of releases.
    #[error("the release together with its history: {limit}")]
    HistoryTooLarge {
        /// What there is too much of.
        limit: HistoryLimit,
    },
    /// A column has numbers in one release and dates in another.
    #[error(
        "the release together with its history: `{column}` holds numbers in one of {one} and {other} and dates in the other, \
         which cannot be compared; give it one `type`, and register what was made elsewhere with it, or say that it `varies` \
         under [history]"
    )]
    ColumnsNotComparable {
        /// The column.
        column: String,
        /// One release.
        one: String,
        /// The other release.
        other: String,
    },
    /// The contents of an earlier release were erased.
    #[error(
        "the release together with its history: the contents of release {release} {name} were erased, and what they give away \
         with this one can no longer be computed"
    )]
    EarlierReleaseErased {
        /// The number of the release.
        release: u64,
        /// Its name.
        name: String,
    },
    /// Nothing is required of the join with earlier releases.
    #[error("the release together with its history: nothing is demanded of the join with earlier releases")]
    JoinNotRequired {},
    /// An attack could not be run.
    #[error("{attack}: {reason}")]
    AttackNotRunnable {
        /// The attack.
        attack: &'static str,
        /// What is missing, in words; may show published values.
        #[serde(skip)]
        reason: String,
    },
    /// The recipients form too many coalitions.
    #[error(
        "what recipients can combine: they make too many coalitions (at most {limit}); declare fewer of them separate"
    )]
    TooManyCoalitions {
        /// The most coalitions.
        limit: usize,
    },
    /// A column is known to one requirement and counted by another.
    #[error(
        "parts of the table one at a time: column `{column}` is known to one demand and counted by another; use \
         top-down-specialization"
    )]
    ColumnKnownAndCounted {
        /// The column.
        column: String,
    },
    /// The search and the release disagree on the number of suppressed records.
    #[error("the release that the search chose: it leaves out {suppressed} records, the search counted {expected}")]
    SuppressionMiscounted {
        /// How many records the release suppresses.
        suppressed: u64,
        /// How many the search counted.
        expected: u64,
    },
    /// Marginal tables were not audited.
    #[error("what marginal tables give away: the policy says `audit = \"off\"`; take that out, or `marginals`")]
    MarginalsUnaudited {},
    /// An earlier release without owner links shows the same sensitive attribute.
    #[error(
        "what all releases together give away: release {release} {name}, which its recipients can hold, shows {column} too, and \
         it is not known whose its records are"
    )]
    SharedColumnUnlinked {
        /// The number of the release.
        release: u64,
        /// Its name.
        name: String,
        /// The sensitive attribute.
        column: String,
    },
    /// A release has no owner links.
    #[error("who is in the same groups of all releases: the owners of release {release} {name} are not known")]
    ReleaseUnlinked {
        /// The number of the release.
        release: u64,
        /// Its name.
        name: String,
    },
    /// An earlier release does not show its records one by one.
    #[error(
        "the release together with its history: release {release} {name} does not show its records one by one, and what such a \
         release gives away with others cannot be judged yet"
    )]
    NotRecordwise {
        /// The number of the release.
        release: u64,
        /// Its name.
        name: String,
    },
    /// A person of the data is not found in the written file.
    #[error("the release together with its history: the written file does not hold what was to be published")]
    PersonNotInFile {},
    /// A release was to be recorded that was not verified and audited.
    #[error("the release: it was to be recorded although it was not established that it holds")]
    NotEstablished {},
}

impl Obstacle {
    /// Returns the stable code of the obstacle.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// Returns all codes of obstacles.
    pub fn codes() -> &'static [&'static str] {
        <Obstacle as strum::VariantNames>::VARIANTS
    }

    /// Returns what the user can do, for the interface to put into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Obstacle::UndefinedForJoins { .. } | Obstacle::SearchIgnoresHistory {} => {
                vec![Hint::JudgeAlone, Hint::OtherPolicy]
            }
            Obstacle::TooManyCombinations { .. } | Obstacle::TooManySensitiveColumns { .. } => {
                vec![Hint::AuditFewerColumns]
            }
            Obstacle::SharedColumnUnlinked { .. } | Obstacle::NotRecordwise { .. } => {
                vec![Hint::JudgeAlone]
            }
            Obstacle::EarlierReleaseErased { .. } => vec![Hint::JudgeAlone, Hint::ListReleases],
            Obstacle::PosteriorNotEstablished { .. } => vec![Hint::ChooseColumns, Hint::OtherPolicy],
            Obstacle::JoinTooLarge { .. } => vec![Hint::ChooseColumns],
            Obstacle::CountsNotLinked { .. } => vec![Hint::ListReleases],
            Obstacle::ColumnsNotComparable { .. }
            | Obstacle::HistoryTooLarge { .. }
            | Obstacle::TooManyCoalitions { .. }
            | Obstacle::ColumnKnownAndCounted { .. } => vec![Hint::OtherPolicy],
            _ => Vec::new(),
        }
    }
}

/// What was not followed through the releases, in words.
fn not_followed(several_records: u64, changed_values: u64, not_counted: u64) -> String {
    let mut words = Vec::new();
    if several_records > 0 {
        words.push("people with several records in one release are not followed to others".to_owned());
    }
    if changed_values > 0 {
        words.push("values that changed, or are written differently, are not followed".to_owned());
    }
    if not_counted > 0 {
        let sets = crate::text::counted(not_counted, "set");
        words.push(format!("{sets} of people who depend on each other could not be counted"));
    }
    if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) }
}
