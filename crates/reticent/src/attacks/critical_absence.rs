//! Critical absence: rules out values that do not occur in another release.
//!
//! Attack   for people in both releases, rules out the values of their group in one release that occur nowhere in the other.
//!          The groups of the other release do not matter.
//! Assumes  that the attacker knows the group of each person in one release and the people of the other, and that the value of a
//!          person is the same in both. People with several records are not checked. Nothing is inferred if a value changed. Each
//!          sensitive column is checked separately.
//! Measure  1 / (number of remaining values).
//! Paper    Xiao and Tao, m-invariance, SIGMOD 2007, section 1; survey section 6.3.

use std::collections::BTreeSet;

use super::finding::{
    AttackConfidence, DisclosedValue, Finding, Findings, conclude, have, people_in_class, release_text,
};
use super::groups::{TrackedPeople, shared_sensitive, tracked};
use super::input::{AttackInput, Unchecked, not_runnable};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::taxonomy::Code;
use crate::join::matching::matches;
use crate::registry::{Entry, Kind};

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "critical-absence",
    title: "critical absence",
    summary: "Rules out, for people in two releases, the values of their group in one release that do not occur in the other.",
    paper: "Xiao and Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007; survey section 6.3",
    protects_against: "attribute linkage by sensitive values that are absent from another release",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::several::critical_absence_of_bronchitis",
        "attacks::tests::naive::absences_person_by_person",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::new(input);
    let all = tracked(input, &ENTRY, &mut unchecked)?;
    all.iter().for_each(|tracked| tracked.note_multi_record_people(&mut unchecked));
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, one) in all.iter().enumerate() {
        for other in all.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, other)| other) {
            let columns = shared_sensitive(one, other);
            compared |= !columns.is_empty();
            for columns in columns {
                findings.extend(absences(input, one, other, columns, &mut unchecked));
            }
        }
    }
    if !compared && !all.iter().any(TrackedPeople::has_incomparable_columns) {
        return Err(not_runnable(&ENTRY, "no two releases with owner links share a sensitive column"));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// The findings about the groups of `one`: values that do not occur in `other` are impossible.
fn absences(
    input: &AttackInput<'_>,
    one: &TrackedPeople<'_>,
    other: &TrackedPeople<'_>,
    (here, there): (usize, usize),
    unchecked: &mut Unchecked,
) -> Vec<Finding> {
    let matching = matches(&one.release().columns[here], &other.release().columns[there]);
    let mut occurs = vec![false; other.release().columns[there].nodes.len()];
    other.release().contingency.codes[there].iter().for_each(|code| occurs[*code as usize] = true);
    let possible = |code: &Code| matching[*code as usize].iter().any(|code| occurs[*code as usize]);
    let people_in_both = people_in_both(one, other);
    let mut findings = Vec::new();
    for (group, counts) in one.groups.counts(here).iter().enumerate().filter(|(group, _)| people_in_both[*group] > 0) {
        let remaining: Vec<Code> = counts.iter().map(|(code, _)| *code).filter(possible).collect();
        if remaining.is_empty() {
            let name = &one.release().columns[here].name;
            let (here, there) = (release_text(one.groups.recorded), release_text(other.groups.recorded));
            unchecked.push(format!("the `{name}` of some person in {here} does not occur in {there}: it changed"));
            continue;
        }
        let confidence = AttackConfidence::one_of(remaining.len() as Weight);
        if remaining.len() < counts.len() && confidence.reaches(input.confidence) {
            findings.push(finding(one, other, here, group, people_in_both[group], &remaining));
        }
    }
    findings
}

/// By group: number of its people with one record in each release.
fn people_in_both(one: &TrackedPeople<'_>, other: &TrackedPeople<'_>) -> Vec<Weight> {
    let mut people_in_both = vec![0; one.groups.len()];
    // A person with several records in the other release need not have the same value in any of them.
    let there: BTreeSet<_> = other.single_record_people().map(|(person, _)| person).collect();
    for (_, group) in one.single_record_people().filter(|(person, _)| there.contains(person)) {
        people_in_both[group as usize] += 1;
    }
    people_in_both
}

fn finding(
    one: &TrackedPeople<'_>,
    other: &TrackedPeople<'_>,
    column: usize,
    group: usize,
    people: Weight,
    remaining: &[Code],
) -> Finding {
    let (here, there) = (one.groups.recorded, other.groups.recorded);
    let published = &one.release().columns[column];
    let class = one.groups.cells(group);
    let value = |code: &Code| DisclosedValue { code: Some(*code), label: published.label(*code).to_owned() };
    let (subject, have, count) = (people_in_class(people, &class), have(people), remaining.len());
    let values_text = if count == 1 { "one possible".to_owned() } else { format!("{count} possible values of") };
    let text = format!(
        "{subject} in {} {have} {values_text} {}: the other values of their group do not occur in {}",
        release_text(here),
        published.name,
        release_text(there)
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![here.number.min(there.number), here.number.max(there.number)],
        people,
        records: None,
        confidence: AttackConfidence::one_of(count as Weight),
        certain: count == 1,
        class,
        column: Some(published.name.clone()),
        value: remaining.first().filter(|_| count == 1).map(value),
        text,
    }
}
