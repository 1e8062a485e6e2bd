//! Difference: subtracts the value counts of one release from those of another.
//!
//! Attack   finds groups of one release that contain all people of some groups of another release, and subtracts the value
//!          counts. The remaining values belong to the remaining people: newcomers if the covering release is the later one, people
//!          who left if it is the earlier. Connected components of several groups are subtracted as well.
//! Assumes  that the attacker knows the group of each person, and that the value of a person is the same in both releases. If the
//!          subtraction shows that a value changed, nothing is inferred.
//! Paper    survey section 6.3, example 6.3; Byun et al., Secure anonymization for incremental datasets, SDM 2006.

use std::collections::BTreeMap;

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{Membership, TrackedPeople, ValueIndex, shared_sensitive, tracked_counts};
use super::input::{AttackInput, Unchecked, not_runnable};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::links::Pseudonym;
use crate::ratio::Ratio;
use crate::registry::{Entry, Kind};
use crate::text::counted;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "difference",
    title: "difference",
    summary: "Subtracts the value counts of groups of one release from groups of another that cover them; the difference has the \
              values of the remaining people.",
    paper: "Byun et al., Secure anonymization for incremental datasets, SDM 2006; survey section 6.3",
    protects_against: "attribute linkage of people who are in only one of two releases",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::several::difference_example_6_3",
        "attacks::tests::naive::differences_of_every_choice_of_groups",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::new(input);
    let all = tracked_counts(input, &ENTRY, &mut unchecked)?;
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, cover) in all.iter().enumerate() {
        for covered in all.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, covered)| covered) {
            compared |= subtract(input, cover, covered, &mut unchecked, &mut findings);
        }
    }
    if !compared && !all.iter().any(TrackedPeople::has_incomparable_columns) {
        return Err(not_runnable(&ENTRY, "no two releases with owner links share a sensitive column"));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// Groups of one release that contain all people of some groups of another.
struct GroupCover {
    /// Covering groups.
    groups: Vec<u32>,
    /// Covered groups of the other release.
    covered: Vec<u32>,
    /// Number of people in the covering groups with records that the covered groups do not account for.
    people: Weight,
}

/// Subtracts `covered` from `cover` in every shared sensitive column; false if there is none.
fn subtract(
    input: &AttackInput<'_>,
    cover: &TrackedPeople<'_>,
    covered: &TrackedPeople<'_>,
    unchecked: &mut Unchecked,
    findings: &mut Vec<Finding>,
) -> bool {
    let columns = shared_sensitive(cover, covered);
    if columns.is_empty() {
        return false;
    }
    let covers = covers(cover, covered);
    for (here, there) in columns {
        let name = &cover.release().columns[here].name;
        let values = ValueIndex::new([&cover.release().columns[here], &covered.release().columns[there]]);
        let counts = (values.counts(0, &cover.groups, here), values.counts(1, &covered.groups, there));
        let (Some(more), Some(fewer)) = counts else {
            unchecked.push(format!("`{name}` is generalized or suppressed in a compared release"));
            continue;
        };
        let compared = CoverComparison { cover, covered, name, values, more, fewer };
        for known in &covers {
            match compared.findings(known, input.confidence) {
                Some(disclosed) => findings.extend(disclosed),
                None => unchecked.push(format!(
                    "the `{name}` of some person changed between {} and {}, so that some groups cannot be subtracted",
                    release_text(covered.groups.recorded),
                    release_text(cover.groups.recorded)
                )),
            }
        }
    }
    true
}

/// Two releases with the value counts of one sensitive column.
struct CoverComparison<'a> {
    cover: &'a TrackedPeople<'a>,
    covered: &'a TrackedPeople<'a>,
    /// Name of the sensitive column.
    name: &'a str,
    values: ValueIndex,
    /// By group of `cover`, by value: number of records.
    more: Vec<Vec<Weight>>,
    /// By group of `covered`, by value: number of records.
    fewer: Vec<Vec<Weight>>,
}

impl CoverComparison<'_> {
    /// The values whose share among the remaining records exceeds their share in the groups and reaches the threshold.
    ///
    /// None if a difference of counts is negative, which shows that a value changed.
    fn findings(&self, known: &GroupCover, min_confidence: Ratio) -> Option<Vec<Finding>> {
        let whole = self.sum(&self.more, &known.groups);
        let subtracted = self.sum(&self.fewer, &known.covered);
        let remaining: Vec<Weight> =
            whole.iter().zip(&subtracted).map(|(all, less)| all.checked_sub(*less)).collect::<Option<_>>()?;
        let (all, total) = (whole.iter().sum(), remaining.iter().sum());
        let is_gain = |value: &usize| {
            let share = Ratio::new(remaining[*value], total);
            remaining[*value] > 0 && share >= min_confidence && share > Ratio::new(whole[*value], all)
        };
        Some(
            (0..remaining.len())
                .filter(is_gain)
                .map(|value| self.finding(known, value, remaining[value], total))
                .collect(),
        )
    }

    fn sum(&self, counts: &[Vec<Weight>], groups: &[u32]) -> Vec<Weight> {
        let mut sum = vec![0; self.values.labels.len()];
        for group in groups {
            counts[*group as usize].iter().zip(&mut sum).for_each(|(count, sum)| *sum += count);
        }
        sum
    }

    fn finding(&self, known: &GroupCover, value: usize, carriers: Weight, records: Weight) -> Finding {
        let (here, there) = (self.cover.groups.recorded, self.covered.groups.recorded);
        let class = match known.groups.as_slice() {
            [only] => self.cover.groups.cells(*only as usize),
            _ => Vec::new(),
        };
        let several = match known.groups.len() {
            1 => String::new(),
            count => format!(" of {} combined", counted(count as u64, "group")),
        };
        let posterior = Ratio::new(carriers, records);
        let certain = carriers == records;
        let qualifier = if certain { "with certainty".to_owned() } else { format!("with posterior {posterior}") };
        let text = format!(
            "the {} of {}{several} can be inferred {qualifier} by subtracting {} from {}",
            self.name,
            people_in_class(known.people, &class),
            release_text(there),
            release_text(here)
        );
        Finding {
            attack: ENTRY.id,
            releases: vec![here.number.min(there.number), here.number.max(there.number)],
            people: known.people,
            records: Some(records),
            confidence: AttackConfidence::Exact(posterior),
            certain,
            class,
            column: Some(self.name.to_owned()),
            value: Some(DisclosedValue { code: self.values.code(0, value), label: self.values.labels[value].clone() }),
            text,
        }
    }
}

/// The covers to subtract: single groups that contain groups of the other release, and connected components of several groups.
fn covers(cover: &TrackedPeople<'_>, covered: &TrackedPeople<'_>) -> Vec<GroupCover> {
    let (ours, theirs) = (cover.by_group(), covered.by_group());
    let overlaps = overlaps(cover, covered);
    let mut inside: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for ((group, other), shared) in &overlaps {
        if *shared == theirs[*other as usize].len() {
            inside.entry(*group).or_default().push(*other);
        }
    }
    let single = inside.into_iter().map(|(group, covered)| (vec![group], covered));
    let multiple = components(&overlaps).into_iter().filter(|(groups, _)| groups.len() > 1);
    let all = single.chain(multiple);
    all.filter_map(|(groups, covered)| {
        let people = remaining_people(&ours, &groups, &theirs, &covered)?;
        (people > 0).then_some(GroupCover { groups, covered, people })
    })
    .collect()
}

/// By group of `cover` and group of `covered`: number of people in both, with at least as many records in the first.
fn overlaps(cover: &TrackedPeople<'_>, covered: &TrackedPeople<'_>) -> BTreeMap<(u32, u32), usize> {
    let mut overlaps = BTreeMap::new();
    let mut here = cover.members.chunk_by(|one, next| one.person == next.person).peekable();
    for theirs in covered.members.chunk_by(|one, next| one.person == next.person) {
        let person = theirs[0].person;
        while here.next_if(|ours| ours[0].person < person).is_some() {}
        let Some(ours) = here.peek().filter(|ours| ours[0].person == person) else { continue };
        for (one, other) in ours.iter().flat_map(|one| theirs.iter().map(move |other| (one, other))) {
            *overlaps.entry((one.group, other.group)).or_insert(0) += usize::from(one.records >= other.records);
        }
    }
    overlaps
}

/// Connected components of the groups of both releases; groups with a common person are adjacent.
fn components(overlaps: &BTreeMap<(u32, u32), usize>) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut reached: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut reaching: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (group, other) in overlaps.keys() {
        reached.entry(*group).or_default().push(*other);
        reaching.entry(*other).or_default().push(*group);
    }
    let mut components = Vec::new();
    while let Some(start) = reached.keys().next().copied() {
        let (mut groups, mut others, mut open) = (Vec::new(), Vec::new(), vec![start]);
        while let Some(group) = open.pop() {
            let Some(neighbours) = reached.remove(&group) else { continue };
            groups.push(group);
            for other in neighbours {
                if let Some(back) = reaching.remove(&other) {
                    others.push(other);
                    open.extend(back);
                }
            }
        }
        groups.sort_unstable();
        others.sort_unstable();
        components.push((groups, others));
    }
    components
}

/// Number of people with remaining records after subtracting the covered groups; none if the groups do not cover them.
fn remaining_people(
    ours: &[Vec<Membership>],
    groups: &[u32],
    theirs: &[Vec<Membership>],
    covered: &[u32],
) -> Option<Weight> {
    let mut records: BTreeMap<Pseudonym, Weight> = BTreeMap::new();
    for member in groups.iter().flat_map(|group| &ours[*group as usize]) {
        *records.entry(member.person).or_insert(0) += member.records;
    }
    for member in covered.iter().flat_map(|group| &theirs[*group as usize]) {
        let remaining = records.get_mut(&member.person)?;
        *remaining = remaining.checked_sub(member.records)?;
    }
    Some(records.values().filter(|remaining| **remaining > 0).count() as Weight)
}
