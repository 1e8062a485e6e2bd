//! Homogeneity: everybody in a group has the same sensitive value, so nobody needs to be told apart.
//!
//! Attack   looks for groups with one value; or with so few that an attacker who can rule some out is left with one.
//! Assumes  that the person is in the release, and that their quasi-identifiers are known.
//! Paper    Machanavajjhala et al., l-diversity, ICDE 2006, sections 2.1 and 2.2; survey section 2.2.

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Seen, tells, visit_groups};
use super::scene::{Scene, Unchecked};
use super::{Listed, LooksAt, Result};
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::text::counted;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "homogeneity",
    title: "homogeneity",
    summary: "Finds the groups whose people all have one sensitive value, or so few that ruling out some leaves one.",
    paper: "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ICDE 2006; survey section 2.2",
    thwarts: "whose sensitive value is certain though nobody is singled out",
    comparison: false,
    parameters: &[Parameter {
        name: "ruled-out",
        domain: Domain::Whole(0),
        default: Some("0"),
        meaning: "how many values of a group the attacker can rule out from what they know",
    }],
    evidence: &["attacks::tests::single::homogeneity_of_table_2", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let ruled_out = scene.arguments(&ENTRY)?.whole("ruled-out")?;
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    visit_groups(scene, &ENTRY, &mut unchecked, |seen| {
        let shown = seen.counts.iter().all(|(code, _)| tells(seen.published(), *code));
        if shown && seen.counts.len() as u64 <= ruled_out.saturating_add(1) {
            findings.push(found(&seen));
        }
    })?;
    conclude(&ENTRY, findings, unchecked)
}

fn found(seen: &Seen<'_>) -> Finding {
    let column = seen.published();
    let (whose, have) = (people_of(seen.people, &seen.class), have(seen.people));
    let (place, name) = (called(seen.held), &column.name);
    let only = if let [(code, _)] = seen.counts { Some(*code) } else { None };
    let words = match only {
        Some(_) if seen.people == 1 => format!("{whose} is alone, so that {place} tells their {name}"),
        Some(_) => format!("{whose} {have} one and the same {name} in {place}"),
        None => {
            let values = counted(seen.counts.len() as u64, "value");
            format!("{whose} {have} only {values} of {name} in {place}: ruling out all but one gives it away")
        }
    };
    Finding {
        attack: ENTRY.id,
        releases: vec![seen.held.number],
        people: seen.people,
        records: None,
        confidence: Confidence::CERTAIN,
        certain: only.is_some(),
        class: seen.class.clone(),
        column: Some(name.clone()),
        value: only.map(|code| Value { code: Some(code), label: column.label(code).to_owned() }),
        words,
    }
}
