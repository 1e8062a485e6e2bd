//! Table linkage: infers the membership of known people in the release.
//!
//! Attack   of the people in an external table who match a published class, as many are in the release as the class has
//!          people: P(present) = |class| / |people who match it|. If a person matches several classes (suppressed cells overlap
//!          other values), the result is an estimate. The presence of such a person is at most the sum over the classes.
//! Assumes  that the external table contains all people of the release. A blank cell of the external table is unknown.
//! Paper    survey section 2.3, example 2.8; Nergiz, Atzori and Clifton, SIGMOD 2007 (delta-presence).

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{AttackConfidence, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::cells;
use super::input::{AttackInput, Unchecked, not_runnable, releases};
use super::knowledge::{AttackerProfile, known_columns, known_in, profiles};
use super::{AttackDef, AttackTarget};
use crate::data::contingency::Weight;
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::release::classes::{Measured, for_each};
use crate::release::history::RecordedRelease;
use crate::text::format_count;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "table-linkage",
    title: "table linkage",
    summary: "Computes, for each person of an external table that covers the release, the probability that the person is in the release.",
    paper: "Nergiz, Atzori and Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007; survey section 2.3",
    protects_against: "table linkage (membership disclosure)",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::table_linkage_example_2_8", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::People, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    if input.people.is_empty() {
        return Err(not_runnable(&ENTRY, "the attack needs an external table of people that covers the release"));
    }
    let (mut findings, mut unchecked) = (Vec::new(), Unchecked::new(input));
    for recorded in releases(input, &ENTRY, 1)? {
        let release = recorded.with_owners();
        let (size, known) = (release.contingency.people(), input.people.len() as Weight);
        if known < size {
            let reason = format!(
                "{} has {} people and the external table has {}: it must cover the release",
                release_text(recorded),
                format_count(size),
                format_count(known)
            );
            return Err(not_runnable(&ENTRY, reason));
        }
        let known = known_in(recorded, input.people, input.history)?;
        let profiles = profiles(&release, &known)?;
        let classes = classes(&release, &profiles);
        if let Some(class) = classes.iter().find(|class| class.present > class.matching.len() as Weight) {
            let reason = format!(
                "{} has {}, and the external table has {} who match: it must cover the release",
                release_text(recorded),
                people_in_class(class.present, &cells(&release, &known_columns(&profiles), class.member)),
                class.matching.len()
            );
            return Err(not_runnable(&ENTRY, reason));
        }
        let (all, overlap) = presence_findings(input, recorded, &release, &profiles, &classes);
        findings.extend(all);
        if overlap {
            let place = release_text(recorded);
            unchecked.push(format!("some person matches several groups of {place}: presence is an estimate there"));
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// The findings about people who match the same classes, and whether some person matches several classes.
fn presence_findings(
    input: &AttackInput<'_>,
    recorded: &RecordedRelease,
    release: &Release,
    profiles: &[AttackerProfile],
    classes: &[PresenceClass],
) -> (Vec<Finding>, bool) {
    let columns = known_columns(profiles);
    let mut matched: Vec<Vec<usize>> = vec![Vec::new(); profiles.len()];
    for (at, class) in classes.iter().enumerate() {
        class.matching.iter().for_each(|person| matched[*person].push(at));
    }
    let several = matched.iter().filter(|matched| matched.len() > 1);
    let overlapping: BTreeSet<usize> = several.flatten().copied().collect();
    let mut people_by_classes: BTreeMap<Vec<usize>, Weight> = BTreeMap::new();
    matched.into_iter().for_each(|matched| *people_by_classes.entry(matched).or_insert(0) += 1);
    let finding = |matched: &[usize], people: Weight| -> Option<Finding> {
        let share = |class: &usize| classes[*class].presence();
        let (confidence, is_present) = match matched {
            [] => (AttackConfidence::CERTAIN, false),
            [class] if overlapping.contains(class) => (AttackConfidence::Estimate(share(class).to_f64()), true),
            [class] => (AttackConfidence::Exact(share(class)), true),
            several => (
                AttackConfidence::Estimate(several.iter().map(|class| share(class).to_f64()).sum::<f64>().min(1.0)),
                true,
            ),
        };
        let class = if let [class] = matched { cells(release, &columns, classes[*class].member) } else { Vec::new() };
        let verb = match (is_present, people) {
            (true, 1) => "can be inferred to be",
            (true, _) => "can each be inferred to be",
            (false, _) => "can be inferred not to be",
        };
        confidence.reaches(input.confidence).then(|| Finding {
            attack: ENTRY.id,
            releases: vec![recorded.number],
            people,
            records: None,
            confidence,
            certain: confidence == AttackConfidence::CERTAIN,
            text: format!(
                "{} of the external table {verb} in {}",
                people_in_class(people, &class),
                release_text(recorded)
            ),
            class,
            column: None,
            value: None,
        })
    };
    let findings = people_by_classes.iter().filter_map(|(matched, people)| finding(matched, *people)).collect();
    (findings, !overlapping.is_empty())
}

/// Class of the release on the known columns, with the known people who match it.
struct PresenceClass {
    /// Index of one combination of the class.
    member: usize,
    /// Number of people in the class.
    present: Weight,
    /// Indices of the known people who match the class.
    matching: Vec<usize>,
}

impl PresenceClass {
    /// Probability that a matching person is in the release, at most 1.
    fn presence(&self) -> Ratio {
        Ratio::new(self.present, self.matching.len() as Weight).min(Ratio::new(1, 1))
    }
}

/// The classes of the release on the known columns.
fn classes(release: &Release, profiles: &[AttackerProfile]) -> Vec<PresenceClass> {
    let mut classes = Vec::new();
    let measured = Measured::new(&release.contingency, &[]);
    for_each(&release.contingency, &known_columns(profiles), &measured, |member, group| {
        classes.push(PresenceClass {
            member,
            present: group.size,
            matching: matching_people(profiles, release, member),
        });
    });
    classes
}

/// Indices of the known people who match the class of a combination.
fn matching_people(profiles: &[AttackerProfile], release: &Release, member: usize) -> Vec<usize> {
    (0..profiles.len()).filter(|person| profiles[*person].fits(&release.contingency, member)).collect()
}
