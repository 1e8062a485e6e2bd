//! Difference: what is left when the values of one release are taken from those of another.
//!
//! Attack   groups of one release whose people are all in a group of another are taken away from it: what is left are the
//!          values of the others in that group, of newcomers when the covering release is the later one, of those who left
//!          when it is the earlier. The same for groups that only cover each other several at a time.
//! Assumes  that it is known who is in which group, and that a person's value is the same in both releases; where the
//!          subtraction shows that it is not, it is said that nothing could be concluded.
//! Paper    survey section 6.3, example 6.3; Byun et al., Secure anonymization for incremental datasets, SDM 2006.

use std::collections::BTreeMap;

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Membership, SameValues, Tracked, shared_sensitive, tracked_counts};
use super::scene::{Scene, Unchecked, cannot};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::links::Pseudonym;
use crate::registry::{Entry, Kind};
use crate::share::Share;
use crate::text::counted;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "difference",
    title: "difference",
    summary: "Subtracts the groups of one release from the group of another that covers them, which leaves the values of the others.",
    paper: "Byun et al., Secure anonymization for incremental datasets, SDM 2006; survey section 6.3",
    thwarts: "what newcomers, and people who left, can be told to have",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::several::difference_example_6_3",
        "attacks::tests::naive::differences_of_every_choice_of_groups",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::of(scene);
    let all = tracked_counts(scene, &ENTRY, &mut unchecked)?;
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, cover) in all.iter().enumerate() {
        for covered in all.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, covered)| covered) {
            compared |= subtract(scene, cover, covered, &mut unchecked, &mut findings);
        }
    }
    if !compared && !all.iter().any(Tracked::leaves_out) {
        return Err(cannot(&ENTRY, "no two releases with known people share a sensitive column"));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// Groups of one release whose people include all those of some groups of another.
struct Cover {
    groups: Vec<u32>,
    covered: Vec<u32>,
    /// The people who are left when the covered ones are taken away.
    people: Weight,
}

/// Subtracts the one from the other in every sensitive column they share; false when they share none.
fn subtract(
    scene: &Scene<'_>,
    cover: &Tracked<'_>,
    covered: &Tracked<'_>,
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
        let same = SameValues::of([&cover.release().columns[here], &covered.release().columns[there]]);
        let counts = (same.counts(0, &cover.groups, here), same.counts(1, &covered.groups, there));
        let (Some(more), Some(fewer)) = counts else {
            unchecked.push(format!("`{name}` is not published exactly in both releases"));
            continue;
        };
        let compared = Compared { cover, covered, name, same, more, fewer };
        for known in &covers {
            match compared.told(known, scene.confidence) {
                Some(told) => findings.extend(told),
                None => unchecked.push(format!(
                    "`{name}` of somebody changed between {} and {}, so that some groups cannot be subtracted",
                    called(covered.groups.held),
                    called(cover.groups.held)
                )),
            }
        }
    }
    true
}

/// Two releases, and how often each value of a column occurs in their groups.
struct Compared<'a> {
    cover: &'a Tracked<'a>,
    covered: &'a Tracked<'a>,
    name: &'a str,
    same: SameValues,
    more: Vec<Vec<Weight>>,
    fewer: Vec<Vec<Weight>>,
}

impl Compared<'_> {
    /// What those who are left have, where that says more than their groups said. None where less would be left than nothing: somebody's
    /// value changed.
    fn told(&self, known: &Cover, least: Share) -> Option<Vec<Finding>> {
        let whole = self.sum(&self.more, &known.groups);
        let taken = self.sum(&self.fewer, &known.covered);
        let rest: Vec<Weight> =
            whole.iter().zip(&taken).map(|(all, less)| all.checked_sub(*less)).collect::<Option<_>>()?;
        let (all, left) = (whole.iter().sum(), rest.iter().sum());
        let says_more = |value: &usize| {
            let share = Share::new(rest[*value], left);
            rest[*value] > 0 && share >= least && share > Share::new(whole[*value], all)
        };
        Some((0..rest.len()).filter(says_more).map(|value| self.finding(known, value, rest[value], left)).collect())
    }

    fn sum(&self, counts: &[Vec<Weight>], groups: &[u32]) -> Vec<Weight> {
        let mut sum = vec![0; self.same.labels.len()];
        for group in groups {
            counts[*group as usize].iter().zip(&mut sum).for_each(|(count, sum)| *sum += count);
        }
        sum
    }

    fn finding(&self, known: &Cover, value: usize, carriers: Weight, records: Weight) -> Finding {
        let (here, there) = (self.cover.groups.held, self.covered.groups.held);
        let class = match known.groups.as_slice() {
            [only] => self.cover.groups.cells(*only as usize),
            _ => Vec::new(),
        };
        let several = match known.groups.len() {
            1 => String::new(),
            many => format!(" of {} together", counted(many as u64, "group")),
        };
        let certain = carriers == records;
        let what = if certain { "one and the same" } else { "mostly one and the same" };
        let words = format!(
            "{}{several} {} {what} {}: they are left when {} is subtracted from {}",
            people_of(known.people, &class),
            have(known.people),
            self.name,
            called(there),
            called(here)
        );
        Finding {
            attack: ENTRY.id,
            releases: vec![here.number.min(there.number), here.number.max(there.number)],
            people: known.people,
            records: Some(records),
            confidence: Confidence::Exact(Share::new(carriers, records)),
            certain,
            class,
            column: Some(self.name.to_owned()),
            value: Some(Value { code: self.same.code(0, value), label: self.same.labels[value].clone() }),
            words,
        }
    }
}

/// Every group that covers groups of the other release, and every set of groups that only do so together.
fn covers(cover: &Tracked<'_>, covered: &Tracked<'_>) -> Vec<Cover> {
    let (ours, theirs) = (cover.by_group(), covered.by_group());
    let overlaps = overlaps(cover, covered);
    let mut inside: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for ((group, other), shared) in &overlaps {
        if *shared == theirs[*other as usize].len() {
            inside.entry(*group).or_default().push(*other);
        }
    }
    let alone = inside.into_iter().map(|(group, covered)| (vec![group], covered));
    let together = components(&overlaps).into_iter().filter(|(groups, _)| groups.len() > 1);
    let all = alone.chain(together);
    all.filter_map(|(groups, covered)| {
        let people = left(&ours, &groups, &theirs, &covered)?;
        (people > 0).then_some(Cover { groups, covered, people })
    })
    .collect()
}

/// By group here and group there: how many people of the one there are also here, with no fewer records.
fn overlaps(cover: &Tracked<'_>, covered: &Tracked<'_>) -> BTreeMap<(u32, u32), usize> {
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

/// Groups of both releases that hang together by the people they share.
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
            let Some(found) = reached.remove(&group) else { continue };
            groups.push(group);
            for other in found {
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

/// How many people are left when the covered groups are taken away; none when the groups do not cover them.
fn left(ours: &[Vec<Membership>], groups: &[u32], theirs: &[Vec<Membership>], covered: &[u32]) -> Option<Weight> {
    let mut records: BTreeMap<Pseudonym, Weight> = BTreeMap::new();
    for member in groups.iter().flat_map(|group| &ours[*group as usize]) {
        *records.entry(member.person).or_insert(0) += member.records;
    }
    for member in covered.iter().flat_map(|group| &theirs[*group as usize]) {
        let left = records.get_mut(&member.person)?;
        *left = left.checked_sub(member.records)?;
    }
    Some(records.values().filter(|left| **left > 0).count() as Weight)
}
