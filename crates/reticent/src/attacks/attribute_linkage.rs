//! Attribute linkage: infers a sensitive value from the equivalence class of a person, without linking the person to a record.
//!
//! Attack   in every equivalence class on the published quasi-identifiers, the confidence in a sensitive value is the share of
//!          the people in the class with this value. Confidence 1 is the homogeneity attack.
//! Assumes  that the attacker knows the quasi-identifiers of all people, and that the person is in the release.
//! Paper    survey section 2.2, example 2.6; Machanavajjhala et al., l-diversity, ICDE 2006 (homogeneity).

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{GroupView, is_unsuppressed, visit_groups};
use super::input::{AttackInput, Unchecked};
use super::{AttackDef, AttackTarget, Result};
use crate::data::taxonomy::Code;
use crate::ratio::Ratio;
use crate::registry::{Entry, Kind};

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "attribute-linkage",
    title: "attribute linkage",
    summary: "Infers a sensitive value of the people in an equivalence class; the confidence is the share of the class with the value.",
    paper: "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ICDE 2006; survey section 2.2",
    protects_against: "attribute linkage (attribute disclosure)",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::attribute_linkage_example_2_6", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::new(input);
    let mut findings = Vec::new();
    visit_groups(input, &ENTRY, &mut unchecked, |view| {
        for (value, carriers) in view.counts {
            let confidence = Ratio::new(*carriers, view.total);
            if confidence >= input.confidence && is_unsuppressed(view.published(), *value) {
                findings.push(finding(&view, *value, confidence));
            }
        }
    })?;
    conclude(&ENTRY, findings, unchecked)
}

fn finding(view: &GroupView<'_>, value: Code, confidence: Ratio) -> Finding {
    let column = view.published();
    let certain = confidence == Ratio::new(1, 1);
    let subject = people_in_class(view.people, &view.class);
    let qualifier = if certain { "with certainty".to_owned() } else { format!("with posterior {confidence}") };
    let place = release_text(view.recorded);
    let text = format!("the {} of {subject} can be inferred {qualifier} from {place}", column.name);
    Finding {
        attack: ENTRY.id,
        releases: vec![view.recorded.number],
        people: view.people,
        records: None,
        confidence: AttackConfidence::Exact(confidence),
        certain,
        class: view.class.clone(),
        column: Some(column.name.clone()),
        value: Some(DisclosedValue { code: Some(value), label: column.label(value).to_owned() }),
        text,
    }
}
