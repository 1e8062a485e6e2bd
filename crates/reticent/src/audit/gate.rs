//! The gate: a release goes out only when what it tells together with its history is established to be allowed.

mod grouped;
mod recoded;

use super::{Audit, Question, audit};
use crate::error::{Basis, Error, Obstacle, Refusal, Result};
use crate::history::History;
use crate::names::Confidence;
use crate::share::Share;
use crate::statement::Level;
use reticent_inference::Ask;

pub use grouped::{AuditedColumn, AuditedGroups, GroupedCandidate, admit_grouped};
pub use recoded::{Audited, admit_recoded};

/// Why a statement was skipped: the policy switches the audit off.
pub(crate) const AUDIT_OFF: &str = "audit-off";
/// Why a statement does not apply: the policy has no bound.
pub(crate) const NO_BOUND: &str = "no-bound";

/// How well it must be established that nobody's value is told with more confidence than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Every probability is known exactly.
    Exact,
    /// Bounds that are true do not reach above.
    #[default]
    Bounds,
    /// The best estimate is not above; it may be wrong.
    Estimate,
    /// Not looked at.
    Off,
}

impl Proof {
    /// The words of the policy.
    pub const WORDS: &'static [&'static str] = &["exact", "bounds", "estimate", "off"];

    /// From the word of the policy.
    pub fn of(word: &str) -> Option<Proof> {
        match word {
            "exact" => Some(Proof::Exact),
            "bounds" => Some(Proof::Bounds),
            "estimate" => Some(Proof::Estimate),
            "off" => Some(Proof::Off),
            _ => None,
        }
    }

    /// How well an outcome is established; none if nothing is looked at.
    pub fn level(self) -> Option<Level> {
        match self {
            Proof::Exact => Some(Level::Exact),
            Proof::Bounds => Some(Level::Bound),
            Proof::Estimate => Some(Level::Estimate),
            Proof::Off => None,
        }
    }

    /// The word of the policy.
    pub fn word(self) -> &'static str {
        match self {
            Proof::Exact => "exact",
            Proof::Bounds => "bounds",
            Proof::Estimate => "estimate",
            Proof::Off => "off",
        }
    }
}

/// What a candidate is held to, and how.
pub struct Gate<'a> {
    /// How well it must be established.
    pub proof: Proof,
    /// The bound on the posterior of a sensitive value, if there is one.
    pub confidence: Option<Confidence>,
    /// Sensitive columns that may change from release to release.
    pub varies: Vec<String>,
    /// Asked before every audit; an error stops.
    pub watch: &'a (dyn Fn() -> Result<()> + 'a),
}

/// Audits a history whose newest release is a candidate. Refuses when it brings that more is told about anybody than allowed, be
/// they in it or not, or when that could not be established.
pub(crate) fn admit(history: &History, question: &Question, proof: Proof) -> Result<Audit> {
    // The estimate is made where it decides.
    let ask = Ask { entropy: proof == Proof::Estimate, ..question.ask };
    let question = Question { newly: true, pairs: false, ask, ..question.clone() };
    let audit = audit(history, &question)?;
    for column in &audit.columns {
        let earlier: Vec<String> =
            audit.releases[..audit.releases.len() - 1].iter().map(|(_, name)| name.clone()).collect();
        let confidence = question.allowed(&column.name).unwrap_or(Share::new(1, 1)).fraction();
        if column.above > 0 {
            return Err(Error::from(Refusal::PosteriorAboveConfidence {
                column: column.name.clone(),
                people: column.above,
                confidence,
                earlier,
                several_records: audit.several > 0,
            }));
        }
        let (people, basis) = match proof {
            Proof::Exact => (column.people - column.exact, Basis::NotExact),
            Proof::Bounds => (column.may_be_above, Basis::UpperBound),
            Proof::Estimate => (column.likely_above, Basis::Estimate),
            Proof::Off => continue,
        };
        if people > 0 {
            return Err(Error::from(Obstacle::PosteriorNotEstablished {
                column: column.name.clone(),
                people,
                confidence,
                basis,
                earlier,
                several_records: audit.several,
                changed_values: audit.changed,
                not_counted: audit.work.not_counted,
            }));
        }
    }
    Ok(audit)
}
