//! What `history` answers.

use serde::Serialize;

/// What `history` answers.
#[derive(Debug, Serialize)]
pub struct HistoryOf {
    /// Who was asked about.
    pub who: Vec<String>,
    /// Those of them to whom nothing was released.
    pub unknown: Vec<String>,
    /// Every largest set of recipients that can combine what they hold, and has them in it.
    pub coalitions: Vec<CoalitionHoldings>,
}

/// What a coalition can hold.
#[derive(Debug, Serialize)]
pub struct CoalitionHoldings {
    /// Its members.
    pub members: Vec<String>,
    /// The releases that it can hold.
    pub releases: Vec<HeldRelease>,
}

/// A release that a coalition can hold.
#[derive(Debug, Serialize)]
pub struct HeldRelease {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// When it went out.
    pub date: String,
    /// To whom.
    pub recipients: Vec<String>,
    /// Its columns.
    pub columns: Vec<String>,
    /// When its contents were erased, if they were.
    pub erased: Option<String>,
}
