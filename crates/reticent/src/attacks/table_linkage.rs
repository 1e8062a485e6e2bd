//! Table linkage: whether a known person is in the release at all.
//!
//! Attack   of the people in an external table who match a published class, as many are in the release as the class has
//!          people: P(present) = |class| / |known people who match it|. Where somebody matches several classes (hidden
//!          cells overlap others), that is an estimate, and who matches several is present with at most the sum.
//! Assumes  that everybody in the release is in the external table; of what a table leaves blank nothing is known.
//! Paper    survey section 2.3, example 2.8; Nergiz, Atzori and Clifton, SIGMOD 2007 (delta-presence).

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Confidence, Finding, Findings, called, conclude, people_of};
use super::groups::cells;
use super::knowledge::{Profile, known_columns, known_in, profiles};
use super::scene::{Scene, Unchecked, cannot, releases};
use super::{Listed, LooksAt};
use crate::classes::{Measured, for_each};
use crate::combos::Weight;
use crate::error::Result;
use crate::history::Held;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::share::Share;
use crate::text::grouped;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "table-linkage",
    title: "table linkage",
    summary: "Infers from a population that covers the release how likely each known person is in it.",
    paper: "Nergiz, Atzori and Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007; survey section 2.3",
    thwarts: "who can be told to be in the release, or not to be",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::table_linkage_example_2_8", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::People, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    if scene.people.is_empty() {
        return Err(cannot(
            &ENTRY,
            "nothing is known about anybody: it needs a list of people that covers the release",
        ));
    }
    let (mut findings, mut unchecked) = (Vec::new(), Unchecked::of(scene));
    for held in releases(scene, &ENTRY, 1)? {
        let release = held.with_people();
        let (inside, known) = (release.combos.people(), scene.people.len() as Weight);
        if known < inside {
            let why = format!(
                "{} is about {} people and the external list has {}: it must cover the release",
                called(held),
                grouped(inside),
                grouped(known)
            );
            return Err(cannot(&ENTRY, why));
        }
        let known = known_in(held, scene.people, scene.history)?;
        let profiles = profiles(&release, &known)?;
        let classes = classes(&release, &profiles);
        if let Some(class) = classes.iter().find(|class| class.inside > class.known.len() as Weight) {
            let why = format!(
                "{} shows {}, and the external list has {} who can be they: it must cover the release",
                called(held),
                people_of(class.inside, &cells(&release, &known_columns(&profiles), class.member)),
                class.known.len()
            );
            return Err(cannot(&ENTRY, why));
        }
        let (all, overlap) = found(scene, held, &release, &profiles, &classes);
        findings.extend(all);
        if overlap {
            unchecked
                .push(format!("somebody can be in several groups of {}: presence is estimated there", called(held)));
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// What can be told about the presence of people who match the same classes, and whether anybody matches several.
fn found(
    scene: &Scene<'_>,
    held: &Held,
    release: &Release,
    profiles: &[Profile],
    classes: &[Class],
) -> (Vec<Finding>, bool) {
    let columns = known_columns(profiles);
    let mut matched: Vec<Vec<usize>> = vec![Vec::new(); profiles.len()];
    for (at, class) in classes.iter().enumerate() {
        class.known.iter().for_each(|person| matched[*person].push(at));
    }
    let several = matched.iter().filter(|matched| matched.len() > 1);
    let overlapping: BTreeSet<usize> = several.flatten().copied().collect();
    let mut alike: BTreeMap<Vec<usize>, Weight> = BTreeMap::new();
    matched.into_iter().for_each(|matched| *alike.entry(matched).or_insert(0) += 1);
    let finding = |matched: &[usize], people: Weight| -> Option<Finding> {
        let share = |class: &usize| classes[*class].share();
        let (confidence, there) = match matched {
            [] => (Confidence::CERTAIN, false),
            [class] if overlapping.contains(class) => (Confidence::Estimate(share(class).to_f64()), true),
            [class] => (Confidence::Exact(share(class)), true),
            several => {
                (Confidence::Estimate(several.iter().map(|class| share(class).to_f64()).sum::<f64>().min(1.0)), true)
            }
        };
        let class = if let [class] = matched { cells(release, &columns, classes[*class].member) } else { Vec::new() };
        let verb = match (there, people) {
            (true, 1) => "can be told to be",
            (true, _) => "can each be told to be",
            (false, _) => "can be told not to be",
        };
        confidence.reaches(scene.confidence).then(|| Finding {
            attack: ENTRY.id,
            releases: vec![held.number],
            people,
            records: None,
            confidence,
            certain: confidence == Confidence::CERTAIN,
            words: format!("{} known from elsewhere {verb} in {}", people_of(people, &class), called(held)),
            class,
            column: None,
            value: None,
        })
    };
    let findings = alike.iter().filter_map(|(matched, people)| finding(matched, *people)).collect();
    (findings, !overlapping.is_empty())
}

/// A class of the release on what is known, and the known people who match it.
struct Class {
    member: usize,
    inside: Weight,
    known: Vec<usize>,
}

impl Class {
    /// The share of those who match it that is in the release.
    fn share(&self) -> Share {
        Share::new(self.inside, self.known.len() as Weight).min(Share::new(1, 1))
    }
}

fn classes(release: &Release, profiles: &[Profile]) -> Vec<Class> {
    let mut classes = Vec::new();
    let everybody = Measured::new(&release.combos, &[]);
    for_each(&release.combos, &known_columns(profiles), &everybody, |member, group| {
        classes.push(Class { member, inside: group.size, known: matching(profiles, release, member) });
    });
    classes
}

/// The people who match the class of this member.
fn matching(profiles: &[Profile], release: &Release, member: usize) -> Vec<usize> {
    (0..profiles.len()).filter(|person| profiles[*person].fits(&release.combos, member)).collect()
}
