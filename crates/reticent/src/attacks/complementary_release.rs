//! Complementary release: a rare sensitive value links a record of one release to a record of another.
//!
//! Attack   joins two releases on the sensitive value as well: where few records have it, a record of one is known to be a
//!          record of the other, and what either generalized is read from the other.
//! Assumes  that one release is about everybody of the other, with the same values. That the second came later, with the
//!          table updated in between, makes no difference (temporal attack).
//! Measure  one over the records that the record can be; only where quasi-identifiers alone left a choice on both sides.
//! Paper    Sweeney, k-anonymity: a model for protecting privacy, 2002, sections 4.2 and 4.3.

use super::corresponding::{comparable, meet, pair};
use super::finding::{Confidence, Finding, Findings, Value, called, conclude, people_of};
use super::groups::{SameValues, Tracked, compared_elsewhere, shared_sensitive, tracked_counts};
use super::scene::{Scene, Unchecked, cannot};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::registry::{Entry, Kind};

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "complementary-release",
    title: "complementary release",
    summary: "Links records of two releases that have the same rare sensitive value, so that each tells what the other generalized.",
    paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002, sections 4.2 and 4.3",
    thwarts: "whose quasi-identifiers two releases together give away through a sensitive value",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::rows::complementary_release_of_races_and_years", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::of(scene);
    let all = tracked_counts(scene, &ENTRY, &mut unchecked)?;
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, second) in all.iter().enumerate() {
        for first in &all[..at] {
            let (fewer, more) = if within(first, second) { (first, second) } else { (second, first) };
            if within(fewer, more) {
                compared = true;
                link(scene, &all, fewer, more, &mut unchecked, &mut findings);
            } else if meet(first, second) {
                unchecked.push(format!("{} each have somebody whom the other has not", pair(first, second)));
            }
        }
    }
    if !compared {
        return Err(cannot(&ENTRY, "no release is known to be about everybody of another"));
    }
    conclude(&ENTRY, findings, unchecked)
}

fn within(fewer: &Tracked<'_>, more: &Tracked<'_>) -> bool {
    fewer.members.iter().all(|member| more.has(member.person))
}

fn link(
    scene: &Scene<'_>,
    all: &[Tracked<'_>],
    fewer: &Tracked<'_>,
    more: &Tracked<'_>,
    unchecked: &mut Unchecked,
    findings: &mut Vec<Finding>,
) {
    let pair = pair(fewer, more);
    let columns = shared_sensitive(fewer, more);
    if columns.is_empty() {
        if !compared_elsewhere(all, fewer, more) {
            unchecked.push(format!("{pair} share no sensitive column"));
        }
        return;
    }
    let Some(to) = comparable(&fewer.groups, &more.groups) else {
        unchecked.push(format!("{pair} have too many groups that can be the same"));
        return;
    };
    for (here, there) in columns {
        let name = &fewer.release().columns[here].name;
        let same = SameValues::of([&fewer.release().columns[here], &more.release().columns[there]]);
        let counts = (same.counts(0, &fewer.groups, here), same.counts(1, &more.groups, there));
        let (Some(first), Some(second)) = counts else {
            unchecked.push(format!("`{name}` is not published exactly in {pair}"));
            continue;
        };
        let linking =
            Linking { fewer, more, name, from: reversed(&to, more.groups.len()), to: &to, same, first, second };
        findings.extend(linking.findings(scene));
    }
}

/// By group on the right: the groups on the left that lead to it.
fn reversed(to: &[Vec<u32>], rights: usize) -> Vec<Vec<u32>> {
    let mut from = vec![Vec::new(); rights];
    for (left, rights) in to.iter().enumerate() {
        rights.iter().for_each(|right| from[*right as usize].push(left as u32));
    }
    from
}

/// Two releases, the groups of them that can be the same, and how many records of each have which value.
struct Linking<'a> {
    fewer: &'a Tracked<'a>,
    more: &'a Tracked<'a>,
    name: &'a str,
    to: &'a [Vec<u32>],
    from: Vec<Vec<u32>>,
    same: SameValues,
    first: Vec<Vec<Weight>>,
    second: Vec<Vec<Weight>>,
}

impl Linking<'_> {
    fn findings(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let choice = |left: usize, right: u32| self.to[left].len() > 1 && self.from[right as usize].len() > 1;
        for (left, rights) in self.to.iter().enumerate() {
            for right in rights.iter().copied().filter(|right| choice(left, *right)) {
                for value in 0..self.same.labels.len() {
                    let records = self.first[left][value].min(self.second[right as usize][value]);
                    let confidence = Confidence::one_of(self.choices(left, right, value));
                    if records > 0 && confidence.reaches(scene.confidence) {
                        findings.push(self.finding(left, right, value, records, confidence));
                    }
                }
            }
        }
        findings
    }

    /// Among how many records each of the two must be found.
    fn choices(&self, left: usize, right: u32, value: usize) -> Weight {
        let there: Weight = self.to[left].iter().map(|right| self.second[*right as usize][value]).sum();
        let here: Weight = self.from[right as usize].iter().map(|left| self.first[*left as usize][value]).sum();
        there.max(here)
    }

    fn finding(&self, left: usize, right: u32, value: usize, people: Weight, confidence: Confidence) -> Finding {
        let mut class = self.fewer.groups.cells(left);
        let others = self.more.groups.cells(right as usize);
        let (here, there) = (self.fewer.groups.held, self.more.groups.held);
        // The same number is another group in another release.
        let marks = here.disguise.groups.is_some() || there.disguise.groups.is_some();
        class.extend(others.into_iter().filter(|cell| marks || !class.contains(cell)).collect::<Vec<_>>());
        let words = format!(
            "{} can be linked from {} to {} by a rare value of {}, so that each tells what the other generalized",
            people_of(people, &class),
            called(here),
            called(there),
            self.name
        );
        Finding {
            attack: ENTRY.id,
            releases: vec![here.number.min(there.number), here.number.max(there.number)],
            people,
            records: Some(people),
            confidence,
            certain: confidence == Confidence::CERTAIN,
            class,
            column: Some(self.name.to_owned()),
            value: Some(Value { code: self.same.code(1, value), label: self.same.labels[value].clone() }),
            words,
        }
    }
}
