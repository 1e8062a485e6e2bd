//! Critical absence: a value of somebody's group that nobody in another release has cannot be theirs.
//!
//! Attack   for people who are in both releases, values of their group in one that occur nowhere in the other are ruled out,
//!          however the other is grouped.
//! Assumes  that it is known who is in which group of the first and who is in the second, and that a person's value is the
//!          same in both; who has several records is left out, and where somebody's value changed nothing is concluded. Sensitive
//!          columns are looked at one by one.
//! Measure  one over the number of values left.
//! Paper    Xiao and Tao, m-invariance, SIGMOD 2007, section 1; survey section 6.3.

use std::collections::BTreeSet;

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Tracked, shared_sensitive, tracked};
use super::scene::{Scene, Unchecked, cannot};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::matching::matches;
use crate::registry::{Entry, Kind};
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "critical-absence",
    title: "critical absence",
    summary: "Rules out, for people who are in two releases, the values of their group that the other release does not have at all.",
    paper: "Xiao and Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007; survey section 6.3",
    thwarts: "whose value is given away by a value that is gone, whatever the groups",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::several::critical_absence_of_bronchitis",
        "attacks::tests::naive::absences_person_by_person",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::of(scene);
    let all = tracked(scene, &ENTRY, &mut unchecked)?;
    all.iter().for_each(|tracked| tracked.leave_out_several(&mut unchecked));
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, one) in all.iter().enumerate() {
        for other in all.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, other)| other) {
            let columns = shared_sensitive(one, other);
            compared |= !columns.is_empty();
            for columns in columns {
                findings.extend(absences(scene, one, other, columns, &mut unchecked));
            }
        }
    }
    if !compared && !all.iter().any(Tracked::leaves_out) {
        return Err(cannot(&ENTRY, "no two releases with known people share a sensitive column"));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// What the values of the other release leave of each group's values.
fn absences(
    scene: &Scene<'_>,
    one: &Tracked<'_>,
    other: &Tracked<'_>,
    (here, there): (usize, usize),
    unchecked: &mut Unchecked,
) -> Vec<Finding> {
    let matching = matches(&one.release().columns[here], &other.release().columns[there]);
    let mut occurs = vec![false; other.release().columns[there].nodes.len()];
    other.release().combos.codes[there].iter().for_each(|code| occurs[*code as usize] = true);
    let possible = |code: &Code| matching[*code as usize].iter().any(|code| occurs[*code as usize]);
    let staying = staying(one, other);
    let mut findings = Vec::new();
    for (group, counts) in one.groups.counts(here).iter().enumerate().filter(|(group, _)| staying[*group] > 0) {
        let left: Vec<Code> = counts.iter().map(|(code, _)| *code).filter(possible).collect();
        if left.is_empty() {
            let name = &one.release().columns[here].name;
            let (here, there) = (called(one.groups.held), called(other.groups.held));
            unchecked.push(format!("`{name}` of somebody in {here} is nobody's in {there}: it changed"));
            continue;
        }
        let confidence = Confidence::one_of(left.len() as Weight);
        if left.len() < counts.len() && confidence.reaches(scene.confidence) {
            findings.push(finding(one, other, here, group, staying[group], &left));
        }
    }
    findings
}

/// By group: how many of its people are also in the other release.
fn staying(one: &Tracked<'_>, other: &Tracked<'_>) -> Vec<Weight> {
    let mut staying = vec![0; one.groups.len()];
    // Whoever has several records there need not have this one's value in any of them.
    let there: BTreeSet<_> = other.single().map(|(person, _)| person).collect();
    for (_, group) in one.single().filter(|(person, _)| there.contains(person)) {
        staying[group as usize] += 1;
    }
    staying
}

fn finding(
    one: &Tracked<'_>,
    other: &Tracked<'_>,
    column: usize,
    group: usize,
    people: Weight,
    left: &[Code],
) -> Finding {
    let (here, there) = (one.groups.held, other.groups.held);
    let published = &one.release().columns[column];
    let class = one.groups.cells(group);
    let value = |code: &Code| Value { code: Some(*code), label: published.label(*code).to_owned() };
    let (whose, have, many) = (people_of(people, &class), have(people), left.len());
    let what = if many == 1 { "one possible".to_owned() } else { format!("{many} possible values of") };
    let words = format!(
        "{whose} in {} {have} {what} {} left, because other values of their group occur nowhere in {}",
        called(here),
        published.name,
        called(there)
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![here.number.min(there.number), here.number.max(there.number)],
        people,
        records: None,
        confidence: Confidence::one_of(many as Weight),
        certain: many == 1,
        class,
        column: Some(published.name.clone()),
        value: left.first().filter(|_| many == 1).map(value),
        words,
    }
}
