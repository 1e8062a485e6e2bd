//! The verdict of an audit: whether every posterior is proved to be within its threshold, and if not, why.

use serde::Serialize;

use super::adversaries::{AttackRun, all_checked};
use super::{Audit, AuditOptions};
use crate::release::history::ErasedRelease;

/// A violation of a threshold that an attack proves. Its text identifies no person.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Disclosure {
    /// Description of the violation.
    pub text: String,
    /// Whether a value is certain.
    pub certain: bool,
}

/// Returns whether all inferences of a coalition are proved to be within the thresholds.
pub fn is_within(audit: &Audit, open: &[String], disclosures: &[Disclosure]) -> bool {
    open.is_empty() && disclosures.is_empty() && audit.is_established()
}

/// Returns whether a value is certain for a person, or a release identifies people. This is a disclosure whatever threshold the
/// policy sets.
pub fn is_certain(audit: &Audit) -> bool {
    let value = audit.columns.iter().any(|column| column.certain > 0);
    value || !audit.identified.is_empty() || audit.pairs.iter().any(super::PairAudit::is_certain)
}

/// Lists the reasons why the verdict is not established, besides the counts of the audit. Empty if it is established.
pub fn not_established(
    audit: &Audit,
    erased: &[ErasedRelease],
    attacks: &[AttackRun],
    options: &AuditOptions,
) -> Vec<String> {
    let erased_text = |erased: &ErasedRelease| {
        format!(
            "release {} {} was erased: its disclosures can no longer be computed and are missing from this audit",
            erased.number, erased.name
        )
    };
    let mut open: Vec<String> = erased.iter().map(erased_text).collect();
    if !audit.unresolved.is_empty() {
        let numbers: Vec<String> = audit.unresolved.iter().map(u64::to_string).collect();
        let whose = match (numbers.as_slice(), options.knows_everyone) {
            (_, false) => "the attacker does not know which people are in which release".to_owned(),
            ([one], true) => format!("the owners of the records of release {one} are unknown"),
            (many, true) => format!("the owners of the records of releases {} are unknown", many.join(", ")),
        };
        let which = if numbers.len() < audit.releases.len() { "with the other releases" } else { "of the releases" };
        open.push(format!(
            "{whose}, so combinations {which} could not be judged{}",
            if audit.pairs.is_empty() {
                ""
            } else {
                ", except for an attacker who knows the groups of one person only"
            }
        ));
    }
    for pair in &audit.pairs {
        let [one, other] = pair.releases;
        if pair.not_judged.is_some() {
            open.push(format!("the combination of releases {one} and {other} could not be judged"));
            continue;
        }
        // Certain violations are part of the verdict already.
        if pair.above == 0 && pair.may_be_above > 0 {
            open.push(format!(
                "for a person known to be in a group of each of releases {one} and {other}, a posterior may exceed its threshold"
            ));
        }
    }
    if options.algorithm && !all_checked(attacks) {
        open.push("the attacks of an attacker who knows the algorithm could not be checked in full".to_owned());
    }
    open
}
