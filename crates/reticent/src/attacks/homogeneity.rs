//! Homogeneity: all people of a group have the same sensitive value.
//!
//! Attack   finds groups with one value, or with at most `ruled-out` + 1 values: an attacker who rules out the others knows the value.
//! Assumes  that the person is in the release, and that the attacker knows the quasi-identifiers of the person.
//! Paper    Machanavajjhala et al., l-diversity, ICDE 2006, sections 2.1 and 2.2; survey section 2.2.

use super::finding::{
    AttackConfidence, DisclosedValue, Finding, Findings, conclude, have, people_in_class, release_text,
};
use super::groups::{GroupView, is_unsuppressed, visit_groups};
use super::input::{AttackInput, Unchecked};
use super::{AttackDef, AttackTarget, Result};
use crate::registry::{Domain, Entry, Kind, ParameterDef};
use crate::text::counted;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "homogeneity",
    title: "homogeneity",
    summary: "Finds groups with one sensitive value, or with few values of which background knowledge rules out all but one.",
    paper: "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ICDE 2006; survey section 2.2",
    protects_against: "attribute linkage with certainty in a group of any size",
    comparison: false,
    parameters: &[ParameterDef {
        name: "ruled-out",
        domain: Domain::Whole(0),
        default: Some("0"),
        meaning: "number of values of a group that the attacker can rule out by background knowledge",
    }],
    evidence: &["attacks::tests::single::homogeneity_of_table_2", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let ruled_out = input.arguments(&ENTRY)?.whole("ruled-out")?;
    let mut unchecked = Unchecked::new(input);
    let mut findings = Vec::new();
    visit_groups(input, &ENTRY, &mut unchecked, |view| {
        let unsuppressed = view.counts.iter().all(|(code, _)| is_unsuppressed(view.published(), *code));
        if unsuppressed && view.counts.len() as u64 <= ruled_out.saturating_add(1) {
            findings.push(finding(&view));
        }
    })?;
    conclude(&ENTRY, findings, unchecked)
}

fn finding(view: &GroupView<'_>) -> Finding {
    let column = view.published();
    let (subject, have) = (people_in_class(view.people, &view.class), have(view.people));
    let (place, name) = (release_text(view.recorded), &column.name);
    let only = if let [(code, _)] = view.counts { Some(*code) } else { None };
    let text = match only {
        Some(_) if view.people == 1 => format!("{subject} is singled out, so that {place} discloses their {name}"),
        Some(_) => format!("{subject} {have} the same {name} in {place}"),
        None => {
            let values = counted(view.counts.len() as u64, "value");
            format!("{subject} {have} only {values} of {name} in {place}: ruling out all but one discloses it")
        }
    };
    Finding {
        attack: ENTRY.id,
        releases: vec![view.recorded.number],
        people: view.people,
        records: None,
        confidence: AttackConfidence::CERTAIN,
        certain: only.is_some(),
        class: view.class.clone(),
        column: Some(name.clone()),
        value: only.map(|code| DisclosedValue { code: Some(code), label: column.label(code).to_owned() }),
        text,
    }
}
