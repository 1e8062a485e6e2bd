//! Answer of `compare`.

use std::path::PathBuf;

use reticent::Remedies;
use reticent::algorithms::Guarantee;
use reticent::risk::ReleaseRisk;
use serde::Serialize;

/// Answer of `compare`.
#[derive(Debug, Serialize)]
pub struct CompareAnswer {
    /// Result of each choice.
    pub choices: Vec<Choice>,
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
    /// Columns; `None` for all.
    pub columns: Option<Vec<String>>,
    /// The rehearsed release; `None` if it is refused.
    pub result: Option<ChoiceResult>,
    /// Reason of the refusal.
    pub error: Option<String>,
    /// Violations and remedies of the refusal.
    pub refusal: Option<Remedies>,
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

/// The value of a metric.
#[derive(Debug, Serialize)]
pub struct MetricValue {
    /// Id of the metric.
    pub id: &'static str,
    /// Value of the metric.
    pub value: f64,
}
