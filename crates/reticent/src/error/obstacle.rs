//! Obstacles: reasons why a check could not be completed. An incomplete check is never a pass.

use super::Hint;
use super::fault::{Basis, CountFault, CounterfeitFault, FileFault, HistoryLimit, KnowledgeFault, SingleFault};
use super::text::{people_text, percent_of, with_earlier};

/// Reason why a check could not be completed. The text names the subject of the check, then the obstacle.
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
        /// Detail.
        fault: KnowledgeFault,
    },
    /// It is not established that every posterior is within the confidence bound.
    #[error(
        "the posterior of {column} for {}, given this release{}: {basis} {} %{}. Publish without {column}, or to recipients who lack \
         the earlier releases; or accept estimates with `audit = \"estimate\"` under [requirement]. A table that is published repeatedly \
         needs a republication method from its first release on",
        people_text(*.people), with_earlier(.earlier), percent_of(.confidence),
        unlinked_text(*.several_records, *.changed_values, *.not_counted)
    )]
    PosteriorNotEstablished {
        /// Sensitive attribute.
        column: String,
        /// Number of people with an unestablished posterior.
        people: u64,
        /// Confidence bound, as an exact fraction.
        confidence: String,
        /// What is known about the posteriors.
        basis: Basis,
        /// Names of the earlier releases.
        earlier: Vec<String>,
        /// Number of people with several records in a release.
        several_records: u64,
        /// Number of values that changed between releases.
        changed_values: u64,
        /// Number of components of dependent people whose possible worlds could not be counted.
        not_counted: u64,
    },
    /// It is not established that every prosecutor risk is within the bound.
    #[error(
        "the re-identification risk of {}, given this release{}: {basis} {} %. Publish fewer columns, or accept estimates with \
         `audit = \"estimate\"` under [requirement]",
        people_text(*.people), with_earlier(.earlier), percent_of(.bound)
    )]
    ReidentificationNotEstablished {
        /// Number of people with an unestablished risk.
        people: u64,
        /// Bound, as an exact fraction.
        bound: String,
        /// What is known about the risks.
        basis: Basis,
        /// Names of the earlier releases.
        earlier: Vec<String>,
    },
    /// The counts of the releases contradict each other.
    #[error(
        "the release history: the counts of the releases contradict each other, and no assignment of values to people satisfies all \
         of them. A person's value may have changed between releases, or a release may contain undeclared counterfeit records"
    )]
    ReleasesContradict {},
    /// The possible values of a person are not sorted.
    #[error("the release history: the possible values of a person are not in ascending order, or contain a duplicate")]
    ValuesNotAscending {},
    /// The inference problem is too large.
    #[error(
        "the release history: the inference problem is too large. It has more than {people_limit} indistinguishable people, or more \
         than {cells_limit} pairs of people and values in all counts"
    )]
    InferenceTooLarge {
        /// Maximum number of indistinguishable people.
        people_limit: u64,
        /// Maximum number of pairs of people and values.
        cells_limit: u64,
    },
    /// The numbers of counterfeit records of a release cannot be read.
    #[error("the release history: the column {column} of release {release} {name} {fault}")]
    CounterfeitsUnclear {
        /// Number of the release.
        release: u64,
        /// Name of the release.
        name: String,
        /// Column with the numbers.
        column: String,
        /// Detail.
        fault: CounterfeitFault,
    },
    /// It is not known which people a table of counts is about.
    #[error("the release history: {fault}")]
    CountsNotLinked {
        /// Release and reason.
        fault: CountFault,
    },
    /// A release has nothing to audit.
    #[error("the release history: release {release} {name} has neither quasi-identifiers nor sensitive columns")]
    NothingToAudit {
        /// Number of the release.
        release: u64,
        /// Name of the release.
        name: String,
    },
    /// The sensitive attributes have too many combinations of values.
    #[error(
        "the release history: the sensitive columns {} have more than {limit} combinations of values; audit them one at a time",
        .columns.join(", ")
    )]
    TooManyCombinations {
        /// Sensitive attributes.
        columns: Vec<String>,
        /// Maximum number of combinations.
        limit: usize,
    },
    /// There are too many sensitive attributes.
    #[error("the release history: there are more than {limit} sensitive columns; audit fewer at a time")]
    TooManySensitiveColumns {
        /// Maximum number of sensitive attributes.
        limit: u32,
    },
    /// No release has a sensitive attribute of this name.
    #[error("the release history: no release has a sensitive column `{column}`; {suggestion}")]
    SensitiveColumnUnknown {
        /// Requested name.
        column: String,
        /// Sensitive attributes of the releases.
        columns: Vec<String>,
        /// Nearest name, or all names, in words.
        #[serde(skip)]
        suggestion: String,
    },
    /// Two releases have too many pairs of matching groups.
    #[error("two releases: too many pairs of their groups match")]
    PairsTooMany {},
    /// The written file differs from the release.
    #[error("{fault}")]
    WrittenFileDiffers {
        /// Difference.
        fault: FileFault,
    },
    /// The written tables of a method differ from the release.
    #[error("the written tables: {reason}")]
    WrittenTablesDiffer {
        /// Difference, in words.
        #[serde(skip)]
        reason: &'static str,
    },
    /// The groups of a method are inconsistent.
    #[error("the groups: {reason}")]
    GroupsInconsistent {
        /// Inconsistency, in words.
        #[serde(skip)]
        reason: &'static str,
    },
    /// The taxonomy of a column is unknown.
    #[error("column `{column}`: its taxonomy is unknown")]
    TaxonomyUnknown {
        /// Column.
        column: String,
    },
    /// A constraint on single values was measured on several columns.
    #[error("{statement}: it needs a single measured column")]
    NoSingleColumn {
        /// Constraint.
        statement: String,
    },
    /// A file has a value that the table does not have.
    #[error("{statement}: the file has a value of {column} that the table does not have")]
    ValueNotInTable {
        /// Constraint.
        statement: String,
        /// Column.
        column: String,
    },
    /// The constraint applies to a single release.
    #[error("{statement}: {fault}")]
    NotSingleRelease {
        /// Constraint.
        statement: String,
        /// Number of releases.
        fault: SingleFault,
    },
    /// The model has no definition for joined releases.
    #[error(
        "{model} of joined releases: the model is defined for single releases only; require one of these models instead ({}), or \
         check the release alone",
        .alternatives.join(", ")
    )]
    UndefinedForJoins {
        /// Model.
        model: String,
        /// Models that are defined for joins.
        alternatives: Vec<String>,
    },
    /// The algorithm supports single releases only.
    #[error(
        "the join with earlier releases: the algorithm optimal-full-domain supports single releases only; choose \
         top-down-specialization or multidimensional-specialization, or check the release alone"
    )]
    SearchIgnoresHistory {},
    /// A join has too many combinations.
    #[error(
        "the join with {}: it has too many combinations of values; publish fewer of the columns that earlier releases have, or publish \
         to fewer recipients",
        .releases.join(", ")
    )]
    JoinTooLarge {
        /// Names of the earlier releases.
        releases: Vec<String>,
    },
    /// A join has too many distinct values.
    #[error("{statement}: the join has too many distinct values to count")]
    JoinNotCountable {
        /// Constraint.
        statement: String,
    },
    /// People have too many sets of records.
    #[error(
        "the sets of records of people: there are more than {limit}; let the attacker know fewer records (`records`), or all of them"
    )]
    TooManyRecordSets {
        /// Maximum number of sets.
        limit: u64,
    },
    /// The history has too many sets of releases.
    #[error("the join with earlier releases: {limit}")]
    HistoryTooLarge {
        /// Exceeded limit.
        limit: HistoryLimit,
    },
    /// A column has numbers in one release and dates in another.
    #[error(
        "the join with earlier releases: `{column}` has numbers in one of {one} and {other} and dates in the other, which cannot be \
         compared; give it one `type`, also when registering releases made elsewhere, or list it in `time-varying` under [history]"
    )]
    ColumnsNotComparable {
        /// Column.
        column: String,
        /// First release.
        one: String,
        /// Second release.
        other: String,
    },
    /// The contents of an earlier release were erased.
    #[error(
        "the join with earlier releases: the contents of release {release} {name} were erased, so disclosure by a join with them can no \
         longer be computed"
    )]
    EarlierReleaseErased {
        /// Number of the release.
        release: u64,
        /// Name of the release.
        name: String,
    },
    /// The requirement has no constraint on the join with earlier releases.
    #[error("the join with earlier releases: the requirement has no constraint on it")]
    JoinNotRequired {},
    /// An attack could not be run.
    #[error("{attack}: {reason}")]
    AttackNotRunnable {
        /// Attack.
        attack: &'static str,
        /// Missing input, in words. May contain published values.
        #[serde(skip)]
        reason: String,
    },
    /// The recipients form too many coalitions.
    #[error("the coalitions of recipients: there are more than {limit}; declare fewer recipients `non-colluding`")]
    TooManyCoalitions {
        /// Maximum number of coalitions.
        limit: usize,
    },
    /// One constraint assumes a column as background knowledge, another limits its inference.
    #[error(
        "single regions of the table: one constraint assumes column `{column}` as background knowledge, and another limits its inference; \
         use top-down-specialization"
    )]
    ColumnKnownAndCounted {
        /// Column.
        column: String,
    },
    /// The search and the release disagree on the number of suppressed records.
    #[error("the release that the search chose: it suppresses {suppressed} records, and the search counted {expected}")]
    SuppressionMiscounted {
        /// Number of records that the release suppresses.
        suppressed: u64,
        /// Number of suppressed records that the search counted.
        expected: u64,
    },
    /// Marginal tables were not audited.
    #[error("the disclosure by marginal tables: the policy sets `audit = \"off\"`; remove it, or remove `marginals`")]
    MarginalsUnaudited {},
    /// An earlier release without owner links shows the same sensitive attribute.
    #[error(
        "the posteriors of {column}: release {release} {name}, which the recipients can have, also contains {column}, and its records are \
         not linked to owners"
    )]
    SharedColumnUnlinked {
        /// Number of the release.
        release: u64,
        /// Name of the release.
        name: String,
        /// Sensitive attribute.
        column: String,
    },
    /// A release has no owner links.
    #[error(
        "the linkage of records over all releases: the records of release {release} {name} are not linked to owners"
    )]
    ReleaseUnlinked {
        /// Number of the release.
        release: u64,
        /// Name of the release.
        name: String,
    },
    /// An earlier release does not contain single records.
    #[error(
        "the join with earlier releases: release {release} {name} does not contain single records, and joins with such releases are not \
         supported yet"
    )]
    NotRecordwise {
        /// Number of the release.
        release: u64,
        /// Name of the release.
        name: String,
    },
    /// The written file has a record that the release does not have.
    #[error("the owner links of the release: the written file has a record that the release does not have")]
    PersonNotInFile {},
    /// A release that was not verified and audited cannot be recorded.
    #[error("the release: it was not verified and audited, so it cannot be recorded")]
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

    /// Returns remedies, which the interface puts into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Obstacle::UndefinedForJoins { .. } | Obstacle::SearchIgnoresHistory {} => {
                vec![Hint::JudgeAlone, Hint::OtherPolicy]
            }
            Obstacle::TooManyCombinations { .. } | Obstacle::TooManySensitiveColumns { .. } => {
                vec![Hint::AuditFewerColumns]
            }
            Obstacle::SharedColumnUnlinked { .. } => vec![Hint::JudgeAlone],
            Obstacle::NotRecordwise { .. } => vec![Hint::ContinueSeries, Hint::JudgeAlone],
            Obstacle::EarlierReleaseErased { .. } => vec![Hint::JudgeAlone, Hint::ListReleases],
            Obstacle::PosteriorNotEstablished { .. } | Obstacle::ReidentificationNotEstablished { .. } => {
                vec![Hint::ChooseColumns, Hint::OtherPolicy]
            }
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

/// Describes the people and values that could not be linked across releases.
fn unlinked_text(several_records: u64, changed_values: u64, not_counted: u64) -> String {
    let mut words = Vec::new();
    if several_records > 0 {
        words.push("people with several records in one release are not linked to other releases".to_owned());
    }
    if changed_values > 0 {
        words.push("changed or differently written values are not linked".to_owned());
    }
    if not_counted > 0 {
        let components = crate::text::counted(not_counted, "component");
        words.push(format!("the possible worlds of {components} could not be counted"));
    }
    if words.is_empty() { String::new() } else { format!(" ({})", words.join("; ")) }
}
