//! Answer of `compare`.

use std::path::PathBuf;

use reticent::Remedies;
use reticent::algorithms::Guarantee;
use reticent::risk::ReleaseRisk;
use reticent_report::Comparison;
use serde::Serialize;

/// Answer of `compare`.
#[derive(Debug, Serialize)]
pub struct CompareAnswer {
    /// Result of each choice.
    pub choices: Vec<Choice>,
    /// Assumptions of the verdicts, as texts: data sets that the policy declares unrelated, and corrections of earlier releases.
    pub assumptions: Vec<String>,
    /// File of the HTML page, if one was requested.
    pub html: Option<PathBuf>,
    /// The comparison for display.
    #[serde(skip)]
    pub page: Comparison,
}

/// One rehearsed choice of settings.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// Path of the policy.
    pub policy: PathBuf,
    /// Algorithm; `None` for the one in the policy.
    pub algorithm: Option<String>,
    /// Value of `k`; `None` for the one in the policy.
    pub k: Option<u64>,
    /// Confidence bound; `None` for the one in the policy.
    pub confidence: Option<f64>,
    /// Limit of suppression; `None` for the one in the policy.
    pub suppression: Option<f64>,
    /// Columns; `None` for all.
    pub columns: Option<Vec<String>>,
    /// The rehearsed release; `None` if it is refused.
    pub result: Option<ChoiceResult>,
    /// Reason of the refusal.
    pub error: Option<String>,
    /// Violations and remedies of the refusal.
    pub refusal: Option<Remedies>,
    /// How the choice compares with the others of the same policy and columns.
    pub state: ChoiceState,
    /// Command that publishes the recommended choice.
    pub command: Option<String>,
}

/// How a choice compares with the others of the same policy and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceState {
    /// The choice with the least loss that keeps to the thresholds of the policy.
    Recommended,
    /// No other choice that keeps to the policy is better in one figure and at least as good in the others.
    Frontier,
    /// Another choice that keeps to the policy is better in one figure and at least as good in the others, or an earlier one has equal
    /// figures.
    Dominated,
    /// A weaker `k` or `confidence` than the policy, or more suppression.
    Outside,
    /// No release satisfies the requirement.
    Refused,
}

impl ChoiceState {
    /// Returns the word for the state.
    pub fn word(self) -> &'static str {
        match self {
            ChoiceState::Recommended => "recommended",
            ChoiceState::Frontier => "frontier",
            ChoiceState::Dominated => "dominated",
            ChoiceState::Outside => "outside",
            ChoiceState::Refused => "refused",
        }
    }
}

/// A rehearsed release.
#[derive(Debug, Serialize)]
pub struct ChoiceResult {
    /// Number of records in the file.
    pub published: u64,
    /// Number of records that are suppressed because their class violates the requirement.
    pub suppressed: u64,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Loss for the purpose of the policy: 0 for the raw table, 1 for a fully suppressed one.
    pub loss: f64,
    /// Highest posterior of a sensitive value given all releases that recipients can hold, if it was audited; otherwise of this release
    /// alone. `None` without a sensitive column.
    pub posterior: Option<f64>,
    /// Highest risk of re-identification given all releases that recipients can hold, if it was audited; otherwise of this release alone.
    pub reidentification: f64,
    /// What the verdict would not cover, as texts.
    pub not_established: Vec<String>,
    /// Quasi-identifiers that have the same value `*` in every record.
    pub fully_suppressed: Vec<String>,
    /// Algorithm.
    pub algorithm: String,
    /// Optimality guarantee of the search.
    pub guarantee: Guarantee,
    /// Re-identification risk of this release alone, for an attacker who knows the quasi-identifiers.
    pub risk: ReleaseRisk,
    /// Value of each metric.
    pub metrics: Vec<MetricValue>,
    /// Duration of the search, in seconds.
    pub search_seconds: f64,
}

impl ChoiceResult {
    /// Returns what choices are compared by: risk of re-identification, posterior of a sensitive value, loss.
    pub fn figures(&self) -> [f64; 3] {
        [self.reidentification, self.posterior.unwrap_or(0.0), self.loss]
    }
}

/// The value of a metric.
#[derive(Debug, Serialize)]
pub struct MetricValue {
    /// Id of the metric.
    pub id: &'static str,
    /// Value of the metric.
    pub value: f64,
}
