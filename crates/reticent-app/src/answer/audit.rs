//! Answer of `audit`.

use reticent::ErasedRelease;
use reticent::audit::{AttackRun, Audit, Disclosure, Timeline, TimelinePoint};
use reticent_report::ReleaseLine;
use serde::Serialize;

/// Answer of `audit`.
#[derive(Debug, Serialize)]
pub struct AuditAnswer {
    /// Folder of the ledger.
    pub ledger: String,
    /// Confidence bound for every sensitive attribute. `None` if there is no bound, or if the bounds of the columns differ.
    pub confidence: Option<f64>,
    /// Bound on the prosecutor risk; `None` if there is none.
    pub reidentification: Option<f64>,
    /// Whether every posterior and every risk is proved to be within its bound, and no value is certain; `None` if there is no bound
    /// and no value is certain.
    pub holds: Option<bool>,
    /// Audit of each coalition of recipients.
    pub coalitions: Vec<CoalitionAudit>,
    /// Path of the HTML report, if one was written.
    pub html: Option<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// What the report shows besides the figures.
    #[serde(skip)]
    pub(crate) facts: ReportFacts,
}

/// Facts of a disclosure risk report.
#[derive(Debug, Default)]
pub(crate) struct ReportFacts {
    /// Name of the data set.
    pub dataset: String,
    /// Date of the report.
    pub date: String,
    /// Releases of the ledger.
    pub releases: Vec<ReleaseLine>,
}

/// Audit of the releases that a coalition of recipients holds.
#[derive(Debug, Serialize)]
pub struct CoalitionAudit {
    /// Members of the coalition.
    pub members: Vec<String>,
    /// Releases whose contents were erased. Their disclosure can no longer be computed.
    pub erased: Vec<ErasedRelease>,
    /// Reasons why the audit is incomplete, besides the counts in `audit`. Empty if it is complete.
    pub not_established: Vec<String>,
    /// Inferences above the bound by an attacker who knows the algorithm.
    pub violations: Vec<Disclosure>,
    /// Audit of all releases that the coalition holds.
    pub audit: Audit,
    /// Audit of the history up to each release, in short.
    pub timeline: Vec<TimelinePoint>,
    /// Audit of the history up to each release, in full, for the report.
    #[serde(skip)]
    pub then: Timeline,
    /// Results of the attacks.
    pub attacks: Vec<AttackRun>,
}
