//! What `verify` answers.

use reticent_ledger::Findings;
use serde::Serialize;

/// What `verify` answers.
#[derive(Debug, Serialize)]
pub struct Verification {
    /// Whether everything is as it was written.
    pub intact: bool,
    /// The ledger.
    pub ledger: String,
    /// How many entries there are; null when they could not be read.
    pub entries: Option<u64>,
    /// The hash of the last one.
    pub head: Option<String>,
    /// What was found.
    #[serde(flatten)]
    pub findings: Findings,
    /// What an exported head says; none without one.
    pub compared_with_head: Option<bool>,
}
