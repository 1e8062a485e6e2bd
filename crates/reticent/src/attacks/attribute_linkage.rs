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
use crate::classes::{Group, Measured, for_each};
use crate::combos::Weight;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::schema::Role;
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

/// What classes give away of one sensitive column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// The sensitive column.
    pub column: String,
    /// The greatest confidence in any class; 0 for an empty release.
    pub highest: Share,
    /// People in classes where one value is certain; an owner with records in several of them counts in each.
    pub certain: Weight,
    /// Values with the listed confidence or more, class by class.
    pub inferences: Vec<Inference>,
}

/// A sensitive value that a class gives away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inference {
    /// The class: quasi-identifier columns (places in the release) with their published codes.
    pub class: Vec<(usize, Code)>,
    /// The published code of the value.
    pub value: Code,
    /// People in the class.
    pub people: Weight,
    /// The share of them who carry the value.
    pub confidence: Share,
}

/// By sensitive column, what the classes of a release give away with at least this confidence.
pub fn expose(release: &Release, least: Share) -> Vec<Exposure> {
    let of = |role: Role| (0..release.columns.len()).filter(move |column| release.columns[*column].role == role);
    let by: Vec<usize> = of(Role::QuasiIdentifier).collect();
    of(Role::Sensitive).map(|column| exposed(release, &by, column, least)).collect()
}

fn exposed(release: &Release, by: &[usize], column: usize, least: Share) -> Exposure {
    let combos = &release.combos;
    let name = release.columns[column].name.clone();
    let mut exposure = Exposure { column: name, highest: Share::new(0, 1), certain: 0, inferences: Vec::new() };
    for_each(combos, by, &Measured::new(combos, &[column]), |member, group| {
        let class = || by.iter().map(|column| (*column, combos.codes[*column][member])).collect();
        exposure.add(group, least, class);
    });
    exposure
}

impl Exposure {
    fn add(&mut self, group: Group<'_>, least: Share, class: impl Fn() -> Vec<(usize, Code)>) {
        let mut certain = false;
        for (value, carriers) in group.counts {
            let confidence = Share::new(*carriers, group.size);
            self.highest = self.highest.max(confidence);
            certain |= *carriers == group.size;
            if confidence >= least {
                self.inferences.push(Inference { class: class(), value: *value, people: group.size, confidence });
            }
        }
        if certain {
            self.certain += group.size;
        }
    }
}
