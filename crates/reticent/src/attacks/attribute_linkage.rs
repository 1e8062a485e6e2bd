//! Attribute linkage: what a class has in common tells about everybody in it, without linking anybody to a record.
//!
//! Attack   in every class on the published quasi-identifiers, the confidence of a sensitive value is the share of its
//!          people who carry it. Confidence 1 is the homogeneity attack.
//! Assumes  that the attacker knows everybody's quasi-identifiers, and that the person is in the release.
//! Paper    survey section 2.2, example 2.6; Machanavajjhala et al., l-diversity, ICDE 2006 (homogeneity).

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Seen, tells, visit_groups};
use super::scene::{Scene, Unchecked};
use super::{Listed, LooksAt, Result};
use crate::registry::{Entry, Kind};
use crate::share::Share;
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "attribute-linkage",
    title: "attribute linkage",
    summary: "Finds the classes in which a sensitive value is certain, or held by a given share of the people.",
    paper: "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ICDE 2006; survey section 2.2",
    thwarts: "whose sensitive value can be inferred, and with what confidence",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::attribute_linkage_example_2_6", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    visit_groups(scene, &ENTRY, &mut unchecked, |seen| {
        for (value, carriers) in seen.counts {
            let confidence = Share::new(*carriers, seen.shown);
            if confidence >= scene.confidence && tells(seen.published(), *value) {
                findings.push(found(&seen, *value, confidence));
            }
        }
    })?;
    conclude(&ENTRY, findings, unchecked)
}

fn found(seen: &Seen<'_>, value: Code, confidence: Share) -> Finding {
    let column = seen.published();
    let certain = confidence == Share::new(1, 1);
    let whose = people_of(seen.people, &seen.class);
    let (have, place) = (have(seen.people), called(seen.held));
    let words = match certain {
        true => format!("{whose} {have} one and the same {} for certain in {place}", column.name),
        false => format!("the {} of {whose} can be told with confidence {confidence} in {place}", column.name),
    };
    Finding {
        attack: ENTRY.id,
        releases: vec![seen.held.number],
        people: seen.people,
        records: None,
        confidence: Confidence::Exact(confidence),
        certain,
        class: seen.class.clone(),
        column: Some(column.name.clone()),
        value: Some(Value { code: Some(value), label: column.label(value).to_owned() }),
        words,
    }
}
