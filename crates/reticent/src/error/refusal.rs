//! Refusals: the requirement cannot be met, or a method cannot publish.

use super::Hint;
use super::text::{because, joined, people_text, percent_of, records_text, together};

/// Why nothing is published.
#[derive(
    Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[serde(untagged)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// The posterior of some people is above the confidence bound.
    #[error(
        "this release{} tells the {column} of {} with more confidence than {} %. Fewer columns or other recipients may \
         help, or to ask for more: a lower `confidence` of an algorithm, a greater m, l or k of a method{}",
        together(.earlier), people_text(*.people), percent_of(.confidence),
        if *.several_records { "; or fewer records of people who have several" } else { "" }
    )]
    PosteriorAboveConfidence {
        /// The sensitive attribute.
        column: String,
        /// How many people have a posterior above the bound.
        people: u64,
        /// The confidence bound, as an exact fraction.
        confidence: String,
        /// The names of the earlier releases.
        earlier: Vec<String>,
        /// Whether some people have several records in a release.
        several_records: bool,
    },
    /// The requirement is violated even with all quasi-identifiers suppressed.
    #[error(
        "{requirement} does not hold even when every quasi-identifier says nothing: {explanation}{}{outlook}{}",
        with(.witness), examined_text(*.examined)
    )]
    RequirementUnreachable {
        /// The requirement that is violated.
        requirement: String,
        /// By how much it is violated, in words.
        #[serde(skip)]
        explanation: String,
        /// The class that violates it: columns and published values.
        #[serde(skip)]
        witness: Vec<(String, String)>,
        /// Whether anything else can help.
        outlook: Outlook,
        /// How many more specific releases were examined in vain.
        examined: Option<usize>,
    },
    /// Some part of the table violates the requirement with all quasi-identifiers suppressed.
    #[error("some part of the table violates the requirement even when every quasi-identifier says nothing")]
    PartUnreachable {},
    /// No choice of generalization levels satisfies the requirement.
    #[error(
        "no choice of generalization levels satisfies the requirement with at most {limit} of {rows} records left out. Even \
         with every generalized column at its root these fail: {}. What helps: {}.",
        joined(.failing, "; "), levels_help(*.needed, *.rows)
    )]
    LevelsUnreachable {
        /// How many records may be suppressed.
        limit: u64,
        /// How many records there are.
        rows: u64,
        /// How many records would have to be suppressed; none if that does not help.
        needed: Option<u64>,
        /// What is violated with every column at its root.
        failing: Vec<Failing>,
    },
    /// More records would have to be suppressed than the policy allows.
    #[error("more records would have to be left out than the policy allows ({left_out} of at most {limit})")]
    SuppressionAboveLimit {
        /// How many records would be suppressed.
        left_out: u64,
        /// How many may be.
        limit: u64,
    },
    /// The lattice of generalization levels is too large to search.
    #[error(
        "the lattice of generalization levels has {} nodes, and at most {limit} can be searched; give the columns fewer \
         levels, let the requirement group by fewer columns, or use the algorithm `top-down-specialization`",
        .nodes.map_or_else(|| "too many".to_owned(), |nodes| nodes.to_string())
    )]
    LatticeTooLarge {
        /// How many nodes it has; none if that cannot be represented.
        nodes: Option<usize>,
        /// How many nodes can be searched.
        limit: usize,
    },
    /// The release of a baseline violates the requirement.
    #[error("{requirement} does not hold for this baseline: {explanation}")]
    BaselineViolates {
        /// The requirement that is violated.
        requirement: String,
        /// By how much, in words.
        #[serde(skip)]
        explanation: String,
    },
    /// The method covers a single release, and one was published before.
    #[error("{method} covers one release, and one was published{advice}")]
    MethodCoversOneRelease {
        /// The method.
        method: &'static str,
        /// Which method to choose instead, in words.
        #[serde(skip)]
        advice: &'static str,
    },
    /// A value is too frequent for groups with l different values.
    #[error(
        "some value of {column} has more than 1/{l} of the records, so that no groups can hide it; choose a smaller l, or \
         publish without the column"
    )]
    ValueTooFrequent {
        /// The sensitive attribute.
        column: String,
        /// How many different values a group needs.
        l: u64,
    },
    /// The method needs a sensitive attribute.
    #[error("{method} needs a sensitive column, and the table has none{advice}")]
    SensitiveColumnMissing {
        /// The method.
        method: &'static str,
        /// What to do, in words.
        #[serde(skip)]
        advice: &'static str,
    },
    /// The method handles one sensitive attribute.
    #[error(
        "{method} is for one sensitive column, and the table has {}; publish one of them, or choose decomposition",
        .columns.join(", ")
    )]
    SeveralSensitiveColumns {
        /// The method.
        method: &'static str,
        /// The sensitive attributes of the table.
        columns: Vec<String>,
    },
    /// Sensitive values differ from those that were published.
    #[error(
        "{} {} another sensitive value than their owners were published with, which the releases together would tell; to \
         publish without them, set `changed = \"withhold\"`",
        records_text(*.records), if *.records == 1 { "holds" } else { "hold" }
    )]
    ValuesChanged {
        /// How many records changed.
        records: u64,
    },
    /// Records of people who were published before are missing or changed.
    #[error(
        "{method} publishes everybody so far, and this release lacks {} of people who were published before, or holds another \
         sensitive value for them; add them as they were, or {advice}",
        records_text(*.records)
    )]
    RecordsGone {
        /// The method.
        method: &'static str,
        /// How many records are missing or changed.
        records: u64,
        /// The alternative, in words.
        #[serde(skip)]
        advice: &'static str,
    },
    /// All releases together link a record to a person with a probability above the bound.
    #[error(
        "all releases together leave somebody whose record is linked to them with more confidence than {bound}: only {} in the \
         same groups of all",
        people_text(*.people)
    )]
    RecordsLinked {
        /// The bound, as an exact fraction.
        bound: String,
        /// The fewest people who share all their groups.
        people: u64,
    },
    /// The policy names a method that is no longer offered.
    #[error(
        "{method} is no longer offered for new releases. Use {instead} (method = \"{instead}\" under [release]), which starts a new \
         series; releases that were recorded can still be read and audited"
    )]
    MethodRetired {
        /// The method.
        method: &'static str,
        /// The method to use in its place.
        instead: &'static str,
    },
    /// No group could be formed.
    #[error(
        "no group could be formed{}. Fewer values for a group (l, m or k under [release.options]) or more records may help",
        .why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default()
    )]
    NoGroup {
        /// How many records are withheld.
        withheld: u64,
        /// How many records wait for others.
        waiting: u64,
        /// Why, in words.
        #[serde(skip)]
        why: Option<String>,
    },
}

/// What can still help where a requirement is unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outlook {
    /// It is not known.
    Unknown,
    /// No generalization helps.
    NoGeneralizationHelps,
    /// This search ends here; another algorithm may find a release.
    SearchEnds,
    /// No change to this release helps.
    NothingHelps,
}

impl std::fmt::Display for Outlook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Outlook::Unknown => "",
            Outlook::NoGeneralizationHelps => {
                ". No generalization can help; ask for less (a smaller k or l, a larger confidence or distance)"
            }
            Outlook::SearchEnds => {
                ". Specializing can go nowhere from there; ask for less, or try the algorithm optimal-full-domain"
            }
            Outlook::NothingHelps => ". Nothing that is done to this release can help",
        })
    }
}

/// A requirement that is violated with every column at its root.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Failing {
    /// The requirement.
    pub requirement: String,
    /// By how much it is violated, in words.
    #[serde(skip)]
    pub explanation: String,
    /// How many people are in violating classes.
    pub people: u64,
}

impl std::fmt::Display for Failing {
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

    /// Returns what the user can do, for the interface to put into words.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Refusal::PosteriorAboveConfidence { .. } => {
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
            | Refusal::RecordsGone { .. }
            | Refusal::MethodRetired { .. } => vec![Hint::OtherPolicy],
            Refusal::RecordsLinked { .. } | Refusal::NoGroup { .. } => {
                vec![Hint::OtherPolicy]
            }
        }
    }
}

fn with(witness: &[(String, String)]) -> String {
    let cells: Vec<String> = witness.iter().map(|(column, value)| format!("{column} = {value}")).collect();
    if cells.is_empty() { String::new() } else { format!(" (with {})", cells.join(", ")) }
}

fn examined_text(examined: Option<usize>) -> String {
    because(examined, |examined| {
        format!("; {examined} releases that say more were looked at, and none of them holds either")
    })
}

fn levels_help(needed: Option<u64>, rows: u64) -> String {
    match needed {
        Some(needed) => format!("raise the suppression limit to at least {needed} of {rows} records, or ask for less"),
        None => {
            "leaving out records does not help there; ask for less (a smaller k or l, a larger confidence or distance)"
                .to_owned()
        }
    }
}
