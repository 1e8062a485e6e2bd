//! Answer of `history`.

use reticent_ledger::Origin;
use serde::Serialize;

/// Answer of `history`.
#[derive(Debug, Serialize)]
pub struct HistoryAnswer {
    /// Requested recipients.
    pub recipients: Vec<String>,
    /// Requested recipients without a release.
    pub unknown_recipients: Vec<String>,
    /// Maximal coalitions that contain all requested recipients.
    pub coalitions: Vec<CoalitionHoldings>,
    /// Assumptions that follow from withdrawals, amendments and erasures.
    pub assumptions: Vec<String>,
}

/// Releases that a coalition of recipients holds.
#[derive(Debug, Serialize)]
pub struct CoalitionHoldings {
    /// Members of the coalition.
    pub members: Vec<String>,
    /// Releases that a member received, and public releases.
    pub releases: Vec<HeldRelease>,
}

/// A release that a coalition holds.
#[derive(Debug, Serialize)]
pub struct HeldRelease {
    /// Number of the release.
    pub number: u64,
    /// Name of the release.
    pub name: String,
    /// Date of publication.
    pub date: String,
    /// Recipients of the release.
    pub recipients: Vec<String>,
    /// Whether Reticent published the release, it was registered, or it is a population register.
    pub origin: Origin,
    /// Columns of the release.
    pub columns: Vec<String>,
    /// Time when its contents were erased, if they were.
    pub erased: Option<String>,
}
