//! The gate: a release is admitted only if no posterior, given its history, is above the threshold, to the required proof level.

mod grouped;
mod recoded;
mod record_sets;

use super::{Audit, AuditOptions, Identity, audit};
use crate::data::schema::{Role, Unit};
use crate::error::{Basis, Error, Obstacle, Refusal, Result};
use crate::names::Confidence;
use crate::ratio::Ratio;
use crate::release::history::History;
use crate::statement::Level;
use reticent_inference::SolveOptions;

pub use grouped::{AuditedColumn, AuditedGroups, GroupedCandidate, admit_grouped};
pub use recoded::{Audited, admit_recoded};
pub use record_sets::RecordSetBound;

/// Reason of a skipped statement: the policy switches the audit off.
pub(crate) const AUDIT_OFF: &str = "audit-off";
/// Reason of a statement that does not apply: the policy has no threshold.
pub(crate) const NO_BOUND: &str = "no-bound";

/// The required level of proof that no posterior exceeds its threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Every posterior is exact and within the threshold.
    Exact,
    /// The upper bound of every posterior is within the threshold.
    #[default]
    Bounds,
    /// The estimate of every posterior is within the threshold. The estimate may be wrong.
    Estimate,
    /// No audit.
    Off,
}

impl Proof {
    /// The keywords of the policy.
    pub const WORDS: &'static [&'static str] = &["exact", "bounds", "estimate", "off"];

    /// Parses a keyword of the policy.
    pub fn from_word(word: &str) -> Option<Proof> {
        match word {
            "exact" => Some(Proof::Exact),
            "bounds" => Some(Proof::Bounds),
            "estimate" => Some(Proof::Estimate),
            "off" => Some(Proof::Off),
            _ => None,
        }
    }

    /// Level of an established outcome; `None` without an audit.
    pub fn level(self) -> Option<Level> {
        match self {
            Proof::Exact => Some(Level::Exact),
            Proof::Bounds => Some(Level::Bound),
            Proof::Estimate => Some(Level::Estimate),
            Proof::Off => None,
        }
    }

    /// The keyword of the policy.
    pub fn word(self) -> &'static str {
        match self {
            Proof::Exact => "exact",
            Proof::Bounds => "bounds",
            Proof::Estimate => "estimate",
            Proof::Off => "off",
        }
    }
}

/// Settings of the gate.
pub struct Gate<'a> {
    /// Required level of proof.
    pub proof: Proof,
    /// Threshold on the posterior of a sensitive value, if there is one.
    pub confidence: Option<Confidence>,
    /// Bound on the prosecutor risk, if there is one.
    pub reidentification: Option<Confidence>,
    /// Bounds on the sets of records of people over all releases.
    pub record_sets: Vec<RecordSetBound>,
    /// Sensitive columns whose values may change between releases.
    pub time_varying: Vec<String>,
    /// Units of sensitive columns that the policy declares.
    pub units: Vec<(String, Unit)>,
    /// Roles of columns that the policy gives now. Earlier releases are judged by the strictest role.
    pub roles: Vec<(String, Role)>,
    /// Called before every audit. An error stops the gate.
    pub watch: &'a (dyn Fn() -> Result<()> + 'a),
}

/// Audits a history whose newest release is a candidate.
///
/// # Errors
///
/// Returns an error if the candidate raises any person's posterior above the threshold, whether or not the person is in the
/// candidate, or if the required level of proof is not reached.
pub(crate) fn admit(history: &History, options: &AuditOptions, proof: Proof) -> Result<Audit> {
    // Compute the estimate only if it decides.
    let solve_options = SolveOptions { entropy: proof == Proof::Estimate, ..options.solve };
    let options = AuditOptions { only_new: true, pairs: false, solve: solve_options, ..options.clone() };
    let audit = audit(history, &options)?;
    let earlier: Vec<String> =
        audit.releases[..audit.releases.len() - 1].iter().map(|(_, name)| name.clone()).collect();
    admit_identity(&audit.identity, options.reidentification, proof, &earlier)?;
    // Without a threshold, a posterior is only reported.
    for column in audit.columns.iter().filter(|column| options.threshold(&column.name).is_some()) {
        let earlier = earlier.clone();
        let confidence = options.threshold(&column.name).unwrap_or(Ratio::new(1, 1)).fraction();
        if column.above > 0 {
            return Err(Error::from(Refusal::PosteriorAboveConfidence {
                column: column.name.clone(),
                people: column.above,
                confidence,
                earlier,
                several_records: audit.multi_record_people > 0,
            }));
        }
        let (people, basis) = match proof {
            Proof::Exact => (column.people - column.exact, Basis::NotExact),
            Proof::Bounds => (column.may_be_above, Basis::UpperBound),
            Proof::Estimate => (column.estimated_above, Basis::Estimate),
            Proof::Off => continue,
        };
        if people > 0 {
            return Err(Error::from(Obstacle::PosteriorNotEstablished {
                column: column.name.clone(),
                people,
                confidence,
                basis,
                earlier,
                several_records: audit.multi_record_people,
                changed_values: audit.changed_people,
                not_counted: audit.stats.components_not_counted,
            }));
        }
    }
    Ok(audit)
}

/// Returns an error if the prosecutor risk of a person exceeds the bound, or if the required level of proof is not reached.
fn admit_identity(identity: &Identity, bound: Option<Ratio>, proof: Proof, earlier: &[String]) -> Result<()> {
    let Some(bound) = bound else { return Ok(()) };
    let (bound, earlier) = (bound.fraction(), earlier.to_vec());
    if identity.above > 0 {
        let highest = identity.prosecutor.lower.to_string();
        return Err(Error::from(Refusal::ReidentificationAboveBound {
            people: identity.above,
            bound,
            highest,
            earlier,
        }));
    }
    let (people, basis) = match proof {
        Proof::Exact | Proof::Bounds => (identity.may_be_above, Basis::UpperBound),
        Proof::Estimate => (identity.estimated_above, Basis::Estimate),
        Proof::Off => return Ok(()),
    };
    match people {
        0 => Ok(()),
        people => Err(Error::from(Obstacle::ReidentificationNotEstablished { people, bound, basis, earlier })),
    }
}
