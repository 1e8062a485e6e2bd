//! The verdict of an audit: whether it is established that nothing above the bounds is disclosed, and if not, why.

use serde::Serialize;

use super::adversaries::{Attacked, looked_at_all};
use super::{Audit, Question};
use crate::history::Lost;

/// Something that is disclosed and exceeds a bound, besides what an audit counts. It names nobody.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Disclosure {
    /// What.
    pub words: String,
    /// Whether for certain.
    pub certain: bool,
}

/// Whether what a coalition can infer is established to be within the bounds.
pub fn is_within(audit: &Audit, open: &[String], disclosures: &[Disclosure]) -> bool {
    open.is_empty() && disclosures.is_empty() && audit.is_established()
}

/// Why it is not established what a coalition can infer, besides what is counted; nothing when it is.
pub fn not_established(audit: &Audit, lost: &[Lost], attacks: &[Attacked], question: &Question) -> Vec<String> {
    let erased = |lost: &Lost| {
        format!(
            "{} {} was erased: what it gives away can no longer be computed, and is missing",
            lost.number, lost.name
        )
    };
    let mut open: Vec<String> = lost.iter().map(erased).collect();
    if !audit.not_followed.is_empty() {
        let numbers: Vec<String> = audit.not_followed.iter().map(u64::to_string).collect();
        let whose = match (numbers.as_slice(), question.everybody) {
            (_, false) => "the attacker does not know who is in which release".to_owned(),
            ([one], true) => format!("it is not known whose the records of release {one} are"),
            (many, true) => format!("it is not known whose the records of releases {} are", many.join(", ")),
        };
        let others = if numbers.len() < audit.releases.len() { " with the others" } else { "" };
        open.push(format!(
            "{whose}, and what these tell together{others} could not be judged{}",
            if audit.pairs.is_empty() { "" } else { " but for who knows the groups of one person only" }
        ));
    }
    for pair in &audit.pairs {
        let [one, other] = pair.releases;
        if pair.not_judged.is_some() {
            open.push(format!("what releases {one} and {other} tell together could not be judged"));
            continue;
        }
        // What they tell for sure is part of the verdict.
        if pair.above == 0 && pair.may_be_above > 0 {
            let whom = "somebody who is known to be in a group of each";
            open.push(format!("releases {one} and {other} together may tell more than is allowed of {whom}"));
        }
    }
    if question.algorithm && !looked_at_all(attacks) {
        open.push("what somebody who knows the algorithm can tell could not be looked at in full".to_owned());
    }
    open
}
