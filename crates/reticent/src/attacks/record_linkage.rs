//! Record linkage: which records can be those of a known person, and what they say about them.
//!
//! Attack   joins an external table with the release: a record may be a person's when no published value contradicts what
//!          is known, that is, when each is the known value or a node above it.
//! Assumes  that the person is in the release.
//! Paper    survey section 2.1, example 2.1.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use rayon::prelude::*;

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, people_of};
use super::groups::{cells, tells, with_role};
use super::knowledge::{Profile, known_columns, known_in, profiles};
use super::scene::{Scene, Unchecked, cannot, releases};
use super::{Listed, LooksAt};
use crate::combos::Weight;
use crate::error::Result;
use crate::history::Held;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "record-linkage",
    title: "record linkage",
    summary: "Joins what is known about people with the release: how many records can be theirs, and which sensitive values those carry.",
    paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002; survey section 2.1",
    thwarts: "who can be linked to a record, and what that record says",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::record_linkage_example_2_1",
        "attacks::tests::record_linkage_example_2_2",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::People, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    if scene.people.is_empty() {
        return Err(cannot(&ENTRY, "nothing is known about anybody: it needs an external list of people"));
    }
    let mut findings = Vec::new();
    for held in releases(scene, &ENTRY, 1)? {
        let known = known_in(held, scene.people, scene.history)?;
        let release = held.with_people();
        let profiles = profiles(&release, &known)?;
        // Whatever the role of a column, who knows it of people finds them by it.
        let mut columns = known_columns(&profiles);
        columns.extend(with_role(&release, Role::QuasiIdentifier));
        columns.sort_unstable();
        columns.dedup();
        let fitting: Vec<Vec<usize>> = profiles.par_iter().map(|profile| fitting(&release, profile)).collect();
        let mut alike: BTreeMap<Vec<usize>, Weight> = BTreeMap::new();
        fitting.into_iter().filter(|fitting| !fitting.is_empty()).for_each(|fitting| {
            *alike.entry(fitting).or_insert(0) += 1;
        });
        for (fitting, known) in alike {
            findings.extend(found(scene, held, (&release, &columns), &fitting, known));
        }
    }
    conclude(&ENTRY, findings, Unchecked::of(scene))
}

/// What the records say that so many known people can be behind: whose they are, and which values they carry.
fn found(
    scene: &Scene<'_>,
    held: &Held,
    (release, columns): (&Release, &[usize]),
    fitting: &[usize],
    known: Weight,
) -> Vec<Finding> {
    let (records, people) = sizes(release, fitting);
    let class = in_common(release, columns, fitting);
    let (place, whose) = (called(held), people_of(known, &class));
    let finding = |confidence: Share, words: String| Finding {
        attack: ENTRY.id,
        releases: vec![held.number],
        people: known,
        records: Some(records),
        confidence: Confidence::Exact(confidence),
        certain: confidence == Share::new(1, 1),
        class: class.clone(),
        column: None,
        value: None,
        words,
    };
    let mut findings = Vec::new();
    let alone = Share::new(1, people);
    if alone >= scene.confidence {
        let words = match people {
            1 => format!("{whose} known from elsewhere can be linked to the records of one person in {place}"),
            many => format!("{whose} known from elsewhere can be linked to the records of {many} people in {place}"),
        };
        findings.push(finding(alone, words));
    }
    // Where a column marks groups, a record's own values mean nothing.
    let columns = if held.disguise.groups.is_some() { Vec::new() } else { with_role(release, Role::Sensitive) };
    for column in columns {
        let name = &release.columns[column].name;
        for (code, carriers) in carried(release, fitting, column) {
            let share = Share::new(carriers, records);
            if share >= scene.confidence && tells(&release.columns[column], code) {
                let certain = if carriers == records { "tell" } else { "mostly tell" };
                let words = format!(
                    "the records that can be linked to {whose} known from elsewhere {certain} their {name} in {place}"
                );
                let label = release.columns[column].label(code).to_owned();
                let (column, value) = (Some(name.clone()), Some(Value { code: Some(code), label }));
                findings.push(Finding { column, value, ..finding(share, words) });
            }
        }
    }
    findings
}

/// In which of these columns the records agree, and how.
fn in_common(release: &Release, columns: &[usize], fitting: &[usize]) -> Vec<(String, String)> {
    let codes = |column: usize| fitting.iter().map(move |at| release.combos.codes[column][*at]);
    let agree = |column: &usize| codes(*column).all(|code| Some(code) == codes(*column).next());
    let columns: Vec<usize> = columns.iter().copied().filter(agree).collect();
    fitting.first().map(|at| cells(release, &columns, *at)).unwrap_or_default()
}

/// The combinations that can be about a person.
fn fitting(release: &Release, profile: &Profile) -> Vec<usize> {
    (0..release.combos.len()).filter(|at| profile.fits(&release.combos, *at)).collect()
}

/// How many records these are, and how many people's.
fn sizes(release: &Release, fitting: &[usize]) -> (Weight, Weight) {
    let records = fitting.iter().map(|at| release.combos.weights[*at]).sum();
    let people = match &release.combos.owners {
        None => records,
        Some(owners) => fitting.iter().map(|at| owners[*at]).collect::<HashSet<_>>().len() as Weight,
    };
    (records, people)
}

/// What these records carry: published codes, ascending, with the number of records.
fn carried(release: &Release, fitting: &[usize], column: usize) -> Vec<(Code, Weight)> {
    let mut by_code = vec![0; release.columns[column].nodes.len()];
    for at in fitting {
        by_code[release.combos.codes[column][*at] as usize] += release.combos.weights[*at];
    }
    (0..).zip(by_code).filter(|(_, records)| *records > 0).collect()
}
