//! Refusals: no release satisfies the requirement, or a method cannot publish.

use super::Hint;
use super::text::{joined, optional, people_text, percent_of, records_text, with_earlier};

/// Reason why nothing is published.
#[derive(
    Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[serde(untagged)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// The posterior of some people is above the confidence bound.
    #[error(
        "the posterior of {column} exceeds {} % for {}, given this release{}. Publish fewer columns, publish to other recipients, or \
         publish less detail: set a lower `confidence` for an algorithm, a greater m, l or k for a method{}",
        percent_of(.confidence), people_text(*.people), with_earlier(.earlier),
        if *.several_records { "; or publish fewer records of people who have several" } else { "" }
    )]
    PosteriorAboveConfidence {
        /// Sensitive attribute.
        column: String,
        /// Number of people with a posterior above the bound.
        people: u64,
        /// Confidence bound, as an exact fraction.
        confidence: String,
        /// Names of the earlier releases.
        earlier: Vec<String>,
        /// Whether some people have several records in a release.
        several_records: bool,
    },
    /// The prosecutor risk of some people is above the bound.
    #[error(
        "the re-identification risk exceeds {} % for {}, given this release{}: a record can be attributed to them with a higher \
         probability (highest: {} %). Publish fewer columns, publish to other recipients, or publish less detail",
        percent_of(.bound), people_text(*.people), with_earlier(.earlier), percent_of(.highest)
    )]
    ReidentificationAboveBound {
        /// Number of people with a risk above the bound.
        people: u64,
        /// Bound, as an exact fraction.
        bound: String,
        /// Highest risk, as an exact fraction.
        highest: String,
        /// Names of the earlier releases.
        earlier: Vec<String>,
    },
    /// Too few people share the records of some people in all releases.
    #[error(
        "fewer than {k} people share {} of {}, given this release{}. Publish fewer columns or less detail, publish to other recipients, \
         or let the attacker know fewer `records`",
        records.map_or_else(|| "all records".to_owned(), |records| format!("some set of {records} records")),
        people_text(*.people), with_earlier(.earlier)
    )]
    RecordSetsTooRare {
        /// Number of people with such a set.
        people: u64,
        /// Required number of people who share a set.
        k: u64,
        /// Number of records that the attacker knows; `None` if all.
        records: Option<u64>,
        /// Names of the earlier releases.
        earlier: Vec<String>,
    },
    /// The requirement is violated even with all quasi-identifiers suppressed.
    #[error(
        "{requirement} cannot be met, even with all quasi-identifiers suppressed: {explanation}{}{outlook}{}",
        witness_text(.witness), examined_text(*.examined)
    )]
    RequirementUnreachable {
        /// Violated requirement.
        requirement: String,
        /// Measured value and limit, in words.
        #[serde(skip)]
        explanation: String,
        /// Violating class: columns and published values.
        #[serde(skip)]
        witness: Vec<(String, String)>,
        /// Remaining options.
        outlook: Outlook,
        /// Number of more specific releases that were examined without success.
        examined: Option<usize>,
    },
    /// A part of the table violates the requirement with all quasi-identifiers suppressed.
    #[error(
        "a part of the table violates the requirement, even with all quasi-identifiers suppressed; lower the requirement, or allow \
         suppression"
    )]
    PartUnreachable {},
    /// No choice of generalization levels satisfies the requirement.
    #[error(
        "no choice of generalization levels satisfies the requirement with at most {limit} of {rows} records suppressed. Violated even \
         with every generalized column at its root: {}. Remedy: {}.",
        joined(.failing, "; "), levels_remedy(*.needed, *.rows)
    )]
    LevelsUnreachable {
        /// Maximum number of suppressed records.
        limit: u64,
        /// Number of records.
        rows: u64,
        /// Number of records that would have to be suppressed; `None` if that does not help.
        needed: Option<u64>,
        /// Requirements that are violated with every column at its root.
        failing: Vec<ViolatingClass>,
    },
    /// More records would have to be suppressed than the policy allows.
    #[error(
        "{} would have to be suppressed, and the limit is {limit}; raise `suppression`, or lower the requirement",
        records_text(*.left_out)
    )]
    SuppressionAboveLimit {
        /// Number of records that would be suppressed.
        left_out: u64,
        /// Maximum number of suppressed records.
        limit: u64,
    },
    /// The lattice of generalization levels is too large to search.
    #[error(
        "the lattice of generalization levels has {} nodes, and the limit is {limit}; declare fewer levels, group by fewer \
         columns, or use the algorithm `top-down-specialization`",
        .nodes.map_or_else(|| "too many".to_owned(), |nodes| nodes.to_string())
    )]
    LatticeTooLarge {
        /// Number of nodes; `None` if it cannot be represented.
        nodes: Option<usize>,
        /// Maximum number of nodes.
        limit: usize,
    },
    /// The release of a baseline violates the requirement.
    #[error("the baseline violates {requirement}: {explanation}")]
    BaselineViolates {
        /// Violated requirement.
        requirement: String,
        /// Measured value and limit, in words.
        #[serde(skip)]
        explanation: String,
    },
    /// The method covers a single release, and one was published before.
    #[error("{method} covers a single release, and one was already published{advice}")]
    MethodCoversOneRelease {
        /// Method.
        method: &'static str,
        /// Method to choose instead, in words.
        #[serde(skip)]
        advice: &'static str,
    },
    /// A value is too frequent for groups with l different values.
    #[error(
        "a value of {column} has more than 1/{l} of the records, so no groups with l = {l} different values exist; choose a smaller l, \
         or publish without the column"
    )]
    ValueTooFrequent {
        /// Sensitive attribute.
        column: String,
        /// Number of different values that a group needs.
        l: u64,
    },
    /// The method needs a sensitive attribute.
    #[error("{method} needs a sensitive column, and the table has none{advice}")]
    SensitiveColumnMissing {
        /// Method.
        method: &'static str,
        /// Remedy, in words.
        #[serde(skip)]
        advice: &'static str,
    },
    /// The method handles one sensitive attribute.
    #[error(
        "{method} supports one sensitive column, and the table has {} ({}); publish one of them, or choose decomposition-plus",
        .columns.len(), .columns.join(", ")
    )]
    SeveralSensitiveColumns {
        /// Method.
        method: &'static str,
        /// Sensitive attributes of the table.
        columns: Vec<String>,
    },
    /// Sensitive values differ from the published ones.
    #[error(
        "{} {} another sensitive value than an earlier release of the same person, and comparing the releases would disclose it; to \
         withhold changed records, set `changed = \"withhold\"`",
        records_text(*.records), if *.records == 1 { "has" } else { "have" }
    )]
    ValuesChanged {
        /// Number of changed records.
        records: u64,
    },
    /// Marginal tables would disclose values of people whose classes the release continues.
    #[error(
        "marginal tables would show how often the values of {} of earlier ordinary releases still occur; remove `marginals` from the \
         options",
        people_text(*.people)
    )]
    MarginalsOfContinued {
        /// Number of continued people.
        people: u64,
    },
    /// Records of people who were published before are missing or changed.
    #[error(
        "{method} republishes every person of earlier releases, and {} of them {} missing or changed; add them unchanged, or {advice}",
        records_text(*.records), if *.records == 1 { "is" } else { "are" }
    )]
    RecordsGone {
        /// Method.
        method: &'static str,
        /// Number of missing or changed records.
        records: u64,
        /// Alternative, in words.
        #[serde(skip)]
        advice: &'static str,
    },
    /// The releases together link a record to a person with a probability above the bound.
    #[error(
        "the releases together link a record to a person with a probability above {bound}: the smallest set of people with the same \
         groups in all releases has {}",
        people_text(*.people)
    )]
    RecordsLinked {
        /// Linkage bound, as an exact fraction.
        bound: String,
        /// Size of the smallest set of people with the same groups in all releases.
        people: u64,
    },
    /// The policy names a method that is no longer offered.
    #[error(
        "{method} is no longer offered for new releases. Use {instead} (method = \"{instead}\" under [release]), which starts a new \
         series. Recorded releases can still be read and audited"
    )]
    MethodRetired {
        /// Method.
        method: &'static str,
        /// Replacement.
        instead: &'static str,
    },
    /// Fewer people can be published than an equivalence class needs.
    #[error("only {} can be published, and an equivalence class needs {k} people; lower `k`, or add records", people_text(*.people))]
    TooFewForClass {
        /// Number of people in groups.
        people: u64,
        /// Required number of people in a class.
        k: u64,
    },
    /// No group could be formed.
    #[error(
        "no group could be formed{}. Require smaller groups (a smaller l, m or k under [release.options]), or add records",
        .why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default()
    )]
    NoGroup {
        /// Number of withheld records.
        withheld: u64,
        /// Number of records that wait for a later release.
        postponed: u64,
        /// Reason, in words.
        #[serde(skip)]
        why: Option<String>,
    },
}

/// Remaining options if a requirement is unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outlook {
    /// Unknown.
    Unknown,
    /// No generalization satisfies the requirement.
    NoGeneralizationHelps,
    /// The search cannot continue; another algorithm may find a release.
    SearchEnds,
    /// No change to this release satisfies the requirement.
    NothingHelps,
}

impl std::fmt::Display for Outlook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Outlook::Unknown => "",
            Outlook::NoGeneralizationHelps => {
                ". No generalization satisfies it; lower the requirement (a smaller k or l, a larger confidence or distance)"
            }
            Outlook::SearchEnds => {
                ". Specialization cannot start there; lower the requirement, or try the algorithm optimal-full-domain"
            }
            Outlook::NothingHelps => ". No change to this release can satisfy it",
        })
    }
}

/// A requirement that is violated with every column at its root.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ViolatingClass {
    /// Violated requirement.
    pub requirement: String,
    /// Measured value and limit, in words.
    #[serde(skip)]
    pub explanation: String,
    /// Number of people in violating classes.
    pub people: u64,
}

impl std::fmt::Display for ViolatingClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}; {} people in violating classes)", self.requirement, self.explanation, self.people)
    }
}

impl Refusal {
    /// Returns the stable code of the refusal.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// Returns all codes of refusals.
    pub fn codes() -> &'static [&'static str] {
        <Refusal as strum::VariantNames>::VARIANTS
    }

    /// Returns remedies, which the interface puts into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Refusal::PosteriorAboveConfidence { .. }
            | Refusal::ReidentificationAboveBound { .. }
            | Refusal::RecordSetsTooRare { .. } => {
                vec![Hint::AuditHistory, Hint::ChooseColumns, Hint::OtherPolicy]
            }
            Refusal::SeveralSensitiveColumns { .. } | Refusal::ValueTooFrequent { .. } => vec![Hint::ChooseColumns],
            Refusal::RequirementUnreachable { .. }
            | Refusal::PartUnreachable {}
            | Refusal::LevelsUnreachable { .. }
            | Refusal::SuppressionAboveLimit { .. }
            | Refusal::LatticeTooLarge { .. }
            | Refusal::BaselineViolates { .. }
            | Refusal::MethodCoversOneRelease { .. }
            | Refusal::SensitiveColumnMissing { .. }
            | Refusal::ValuesChanged { .. }
            | Refusal::MarginalsOfContinued { .. }
            | Refusal::RecordsGone { .. }
            | Refusal::MethodRetired { .. } => vec![Hint::OtherPolicy],
            Refusal::RecordsLinked { .. } | Refusal::NoGroup { .. } | Refusal::TooFewForClass { .. } => {
                vec![Hint::OtherPolicy]
            }
        }
    }
}

fn witness_text(witness: &[(String, String)]) -> String {
    let cells: Vec<String> = witness.iter().map(|(column, value)| format!("{column} = {value}")).collect();
    if cells.is_empty() { String::new() } else { format!(" (class with {})", cells.join(", ")) }
}

fn examined_text(examined: Option<usize>) -> String {
    optional(examined, |examined| format!("; {examined} more specific releases were examined, and none satisfies it"))
}

fn levels_remedy(needed: Option<u64>, rows: u64) -> String {
    match needed {
        Some(needed) => format!("raise the suppression limit to at least {needed} of {rows} records, or lower the requirement"),
        None => {
            "lower the requirement (a smaller k or l, a larger confidence or distance); suppressing records does not help"
                .to_owned()
        }
    }
}
