//! What `audit` answers.

use reticent::Lost;
use reticent::audit::{Attacked, Audit, Disclosure, Moment, Timeline};
use serde::Serialize;

/// What `audit` answers.
#[derive(Debug, Serialize)]
pub struct AuditAnswer {
    /// The ledger.
    pub ledger: String,
    /// Nobody's value may be told with more confidence than this; none when nobody said so, or something else of each column.
    pub confidence: Option<f64>,
    /// Whether that holds, for sure, for everybody; none when there is nothing to hold.
    pub holds: Option<bool>,
    /// What each coalition can infer.
    pub coalitions: Vec<CoalitionAudit>,
    /// The report, where one was written.
    pub html: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// What a coalition can infer.
#[derive(Debug, Serialize)]
pub struct CoalitionAudit {
    /// Its members.
    pub members: Vec<String>,
    /// What it holds that was erased: what it gives away can no longer be computed.
    pub lost: Vec<Lost>,
    /// Why it is not established what they can tell, besides what is counted; nothing when it is.
    pub open: Vec<String>,
    /// What an attacker who knows the algorithm can infer beyond the bound.
    pub breaches: Vec<Disclosure>,
    /// What everything it holds gives away together.
    pub audit: Audit,
    /// After each release: what the history up to it gives away.
    pub over_time: Vec<Moment>,
    /// The same in full, for the report.
    #[serde(skip)]
    pub then: Timeline,
    /// What attacks found.
    pub attacks: Vec<Attacked>,
}
