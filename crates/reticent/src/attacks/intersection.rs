//! Intersection: intersects the values of a person's groups in several releases.
//!
//! Attack   the value of a person is among the values of their group in every release. Only values in the intersection are
//!          possible. The releases may come from independent publishers (composition attack).
//! Assumes  that the attacker knows the group of each person in each release, and that the value of a person is the same in all
//!          releases. People with several records in a release are not checked there. Nothing is inferred if a value changed.
//! Limits   values are compared as published, one sensitive column at a time. The audit combines columns and resolves
//!          generalized values, and may infer more.
//! Measure  1 / (number of remaining values); reported if it is smaller for every single release.
//! Paper    survey section 6.3, example 6.4; Ganta, Kasiviswanathan and Smith, Composition attacks, KDD 2008.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{
    AttackConfidence, DisclosedValue, Finding, Findings, conclude, have, people_in_class, release_text,
};
use super::groups::{TrackedPeople, tracked, with_role};
use super::input::{AttackInput, Unchecked, not_runnable};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::join::matching::matches;
use crate::registry::{Entry, Kind};

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "intersection",
    title: "intersection",
    summary: "Intersects the sensitive values of a person's groups in several releases; each sensitive column is intersected separately.",
    paper: "Ganta, Kasiviswanathan and Smith, Composition attacks and auxiliary information in data privacy, KDD 2008; survey section 6.3",
    protects_against: "attribute linkage by composition of several releases",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::several::intersection_example_6_4",
        "attacks::tests::several::intersection_of_two_hospitals",
        "attacks::tests::naive::intersections_person_by_person",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

/// Groups of a person, as (index of the release, group).
type PersonGroups = Vec<(usize, u32)>;

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::new(input);
    let all = tracked(input, &ENTRY, &mut unchecked)?;
    all.iter().for_each(|tracked| tracked.note_multi_record_people(&mut unchecked));
    let people = people_by_groups(&all);
    let columns = SharedColumn::find_all(&all);
    if columns.is_empty() {
        return Err(not_runnable(&ENTRY, "no two releases with owner links share a sensitive column"));
    }
    let mut findings = Vec::new();
    for column in &columns {
        for (groups, people) in &people {
            match column.remaining(&all, groups) {
                Some(RemainingValues { values: 0, known, .. }) => {
                    let names: Vec<String> =
                        known.iter().map(|(at, _)| release_text(all[*at].groups.recorded)).collect();
                    let column = &column.name;
                    unchecked.push(format!("the `{column}` of some person changed between {}", names.join(" and ")));
                }
                Some(remaining) => findings.extend(remaining.finding(input, &all, column, *people)),
                None => {}
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// Number of people with the same groups, for people with one record in each of two or more releases.
fn people_by_groups(all: &[TrackedPeople<'_>]) -> BTreeMap<PersonGroups, Weight> {
    let singles = all
        .iter()
        .enumerate()
        .flat_map(|(at, tracked)| tracked.single_record_people().map(move |(person, group)| (person, at, group)));
    let mut singles: Vec<_> = singles.collect();
    singles.sort_unstable();
    let mut people = BTreeMap::new();
    for person in singles.chunk_by(|one, next| one.0 == next.0).filter(|groups| groups.len() > 1) {
        let groups: PersonGroups = person.iter().map(|(_, at, group)| (*at, *group)).collect();
        *people.entry(groups).or_insert(0) += 1;
    }
    people
}

/// By index of the release: index of a column, and by group the codes that occur, ascending.
type OccurringCodes = BTreeMap<usize, (usize, Vec<Vec<Code>>)>;

/// Sensitive column that several releases publish.
struct SharedColumn {
    name: String,
    codes: OccurringCodes,
    /// By pair of releases, by code of the first: the occurring codes of the second that can stand for the same value.
    matches: BTreeMap<(usize, usize), Vec<Vec<Code>>>,
}

impl SharedColumn {
    fn find_all(all: &[TrackedPeople<'_>]) -> Vec<SharedColumn> {
        let mut columns: BTreeMap<String, OccurringCodes> = BTreeMap::new();
        for (at, tracked) in all.iter().enumerate() {
            for place in with_role(tracked.release(), Role::Sensitive) {
                let codes = tracked.groups.counts(place).into_iter();
                let codes = codes.map(|counts| counts.into_iter().map(|(code, _)| code).collect()).collect();
                let name = tracked.release().columns[place].name.clone();
                columns.entry(name).or_default().insert(at, (place, codes));
            }
        }
        let shared = columns.into_iter().filter(|(_, codes)| codes.len() > 1);
        shared.map(|(name, codes)| SharedColumn { matches: compatible_codes(all, &codes), name, codes }).collect()
    }

    /// The values that remain possible in all groups of a person. Zero values show that a value changed.
    ///
    /// None if the releases cannot be compared, or if one group alone leaves as few values.
    fn remaining(&self, all: &[TrackedPeople<'_>], groups: &PersonGroups) -> Option<RemainingValues> {
        let known: Vec<(usize, u32)> = groups.iter().filter(|(at, _)| self.codes.contains_key(at)).copied().collect();
        let compared =
            |(one, _): &(usize, u32)| known.iter().all(|(other, _)| all[*one].is_comparable(&all[*other], &self.name));
        if !known.iter().all(compared) {
            return None;
        }
        let sets: Vec<&[Code]> = known.iter().map(|(at, group)| self.codes[at].1[*group as usize].as_slice()).collect();
        if sets.len() < 2 {
            return None;
        }
        let stays = |one: usize, code: &Code| {
            (0..known.len()).filter(|other| *other != one).all(|other| {
                let matching = &self.matches[&(known[one].0, known[other].0)][*code as usize];
                matching.iter().any(|code| sets[other].binary_search(code).is_ok())
            })
        };
        let remaining_codes = (0..known.len())
            .map(|one| -> Vec<Code> { sets[one].iter().filter(|code| stays(one, code)).copied().collect() });
        let remaining_codes: Vec<Vec<Code>> = remaining_codes.collect();
        // If a release generalizes values, the release with the most codes determines the number of values.
        let (finest, values) = remaining_codes.iter().map(Vec::len).enumerate().max_by_key(|(_, values)| *values)?;
        // A value that is the same in all releases remains in each of them.
        let values = if remaining_codes.iter().any(Vec::is_empty) { 0 } else { values };
        let min_single =
            (0..known.len()).map(|one| sets[one].len().max(self.breadth(known[one], known[finest].0))).min()?;
        let (at, _) = *known.last()?;
        let value = |code: Code| {
            let label = all[at].release().columns[self.codes[&at].0].label(code).to_owned();
            DisclosedValue { code: Some(code), label }
        };
        let only = remaining_codes.last()?.first().copied().filter(|_| values == 1).map(value);
        (values < min_single).then_some(RemainingValues { known, values: values as Weight, only })
    }
}

/// By pair of releases, by code of the first: the occurring codes of the second that can stand for the same value.
fn compatible_codes(all: &[TrackedPeople<'_>], codes: &OccurringCodes) -> BTreeMap<(usize, usize), Vec<Vec<Code>>> {
    let column = |at: &usize| &all[*at].release().columns[codes[at].0];
    let pairs =
        codes.keys().flat_map(|one| codes.keys().filter(move |other| *other != one).map(move |other| (one, other)));
    let occur = |at: &usize| codes[at].1.iter().flatten().copied().collect::<BTreeSet<Code>>();
    let occurring: BTreeMap<usize, BTreeSet<Code>> = codes.keys().map(|at| (*at, occur(at))).collect();
    let matching = |one: &usize, other: &usize| -> Vec<Vec<Code>> {
        let mut matching = matches(column(one), column(other));
        matching.iter_mut().for_each(|codes| codes.retain(|code| occurring[other].contains(code)));
        matching
    };
    pairs.map(|(one, other)| ((*one, *other), matching(one, other))).collect()
}

impl SharedColumn {
    /// Number of codes of another release that are compatible with a group.
    fn breadth(&self, (at, group): (usize, u32), other: usize) -> usize {
        let Some(matching) = self.matches.get(&(at, other)) else { return 0 };
        let codes = self.codes[&at].1[group as usize].iter().flat_map(|code| &matching[*code as usize]);
        codes.collect::<BTreeSet<_>>().len()
    }
}

/// Values that remain possible in all groups of a person.
struct RemainingValues {
    /// Groups of the releases that have the column.
    known: PersonGroups,
    /// Number of remaining values.
    values: Weight,
    /// The remaining value, if it is the only one.
    only: Option<DisclosedValue>,
}

impl RemainingValues {
    fn finding(
        self,
        input: &AttackInput<'_>,
        all: &[TrackedPeople<'_>],
        column: &SharedColumn,
        people: Weight,
    ) -> Option<Finding> {
        let confidence = AttackConfidence::one_of(self.values);
        let (last, group) = *self.known.last().filter(|_| confidence.reaches(input.confidence))?;
        let class = all[last].groups.cells(group as usize);
        let names: Vec<String> = self.known.iter().map(|(at, _)| release_text(all[*at].groups.recorded)).collect();
        let (subject, have) = (people_in_class(people, &class), have(people));
        let values_text = match self.values {
            1 => format!("one possible {}", column.name),
            many => format!("{many} possible values of {}", column.name),
        };
        Some(Finding {
            attack: ENTRY.id,
            releases: self.known.iter().map(|(at, _)| all[*at].groups.recorded.number).collect(),
            people,
            records: None,
            confidence,
            certain: self.values == 1,
            class,
            column: Some(column.name.clone()),
            value: self.only,
            text: format!(
                "{subject} {have} {values_text} in the intersection of their groups in {}",
                names.join(" and ")
            ),
        })
    }
}
