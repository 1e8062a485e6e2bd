//! The answer of `demo`.

use reticent::Remedies;
use serde::Serialize;

use super::audit::AuditAnswer;
use super::publish::{Publication, RecodedAnswer};

/// The answer of `demo`.
#[derive(Debug, Serialize)]
pub struct DemoAnswer {
    /// Two months, each protected as if it were the only release.
    pub separate: DemoSeries,
    /// The same two months, the second one protected given the first.
    pub protected: DemoSeries,
    /// A table for another recipient that was refused. Null if it was not refused.
    pub other: Option<DemoRefusal>,
}

/// Two monthly releases and their audit.
#[derive(Debug, Serialize)]
pub struct DemoSeries {
    /// The releases, in the order of publication.
    pub releases: Vec<Publication>,
    /// The audit of both releases together.
    pub audit: AuditAnswer,
}

/// A release that was refused because of an earlier one.
#[derive(Debug, Serialize)]
pub struct DemoRefusal {
    /// The earlier release.
    pub earlier: RecodedAnswer,
    /// Code of the error.
    pub code: &'static str,
    /// Text of the error.
    pub error: String,
    /// Data of the error.
    pub data: serde_json::Value,
    /// The remedies.
    pub remedies: Remedies,
    /// The first remedy with which a dry run meets all requirements, as a text. Null if there is none.
    pub checked_remedy: Option<String>,
}

impl DemoAnswer {
    /// Returns true if the protected series meets its threshold and the table for the other recipient was refused.
    pub fn holds(&self) -> bool {
        self.protected.audit.holds == Some(true) && self.other.is_some()
    }
}
