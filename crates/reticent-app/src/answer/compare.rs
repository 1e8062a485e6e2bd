//! What `compare` answers.

use std::path::PathBuf;

use reticent::Relief;
use reticent::algorithms::Guarantee;
use reticent::risk::Brief;
use serde::Serialize;

/// What `compare` answers.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// One for every choice.
    pub choices: Vec<Choice>,
}

/// One way to publish.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// The policy.
    pub policy: PathBuf,
    /// The algorithm, if it is not the policy's.
    pub algorithm: Option<String>,
    /// `k`, if it is not the policy's.
    pub k: Option<u64>,
    /// `confidence`, if it is not the policy's.
    pub confidence: Option<f64>,
    /// The columns, if not all.
    pub columns: Option<Vec<String>>,
    /// What would be published; none where it would be refused.
    pub would: Option<WouldPublish>,
    /// Why it would be refused.
    pub refused: Option<String>,
    /// What is known about the refusal.
    pub refusal: Option<Relief>,
}

/// What would be published.
#[derive(Debug, Serialize)]
pub struct WouldPublish {
    /// Records in the file.
    pub published: u64,
    /// Records left out because their class violated the requirement.
    pub suppressed: u64,
    /// Classes of records that look alike on the quasi-identifiers.
    pub classes: u64,
    /// The algorithm.
    pub algorithm: String,
    /// What is known about how little was lost.
    pub guarantee: Guarantee,
    /// Its re-identification risk by itself, for an attacker who knows the quasi-identifiers.
    pub risk: Brief,
    /// By metric: its value.
    pub metrics: Vec<MetricValue>,
    /// Seconds of the search.
    pub search: f64,
}

/// The value of a metric.
#[derive(Debug, Serialize)]
pub struct MetricValue {
    /// The metric.
    pub id: &'static str,
    /// Its value.
    pub value: f64,
}
