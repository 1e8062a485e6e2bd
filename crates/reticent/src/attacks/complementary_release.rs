//! Complementary release: links records of two releases by a rare sensitive value.
//!
//! Attack   joins two releases on the quasi-identifiers and a sensitive column. A rare sensitive value links a record of one
//!          release to a record of the other. Each record then discloses values that the other generalizes.
//! Assumes  that one release contains all people of the other, with the same values. The table may be updated between the
//!          releases (temporal attack).
//! Measure  1 / (number of records that the record can be linked to); reported if the quasi-identifiers alone are ambiguous on
//!          both sides.
//! Paper    Sweeney, k-anonymity: a model for protecting privacy, 2002, sections 4.2 and 4.3.

use super::correspondence::{MAX_PAIRS, compatible_groups, pair_text, share_people};
use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{TrackedPeople, ValueIndex, compared_elsewhere, shared_sensitive, tracked_counts};
use super::input::{AttackInput, Unchecked, not_runnable};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::registry::{Entry, Kind};

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "complementary-release",
    title: "complementary release",
    summary: "Links records of two releases by a rare sensitive value; each record then discloses values that the other generalizes.",
    paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002, sections 4.2 and 4.3",
    protects_against: "record linkage between two releases by a sensitive value",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::rows::complementary_release_of_races_and_years", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::new(input);
    let all = tracked_counts(input, &ENTRY, &mut unchecked)?;
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, second) in all.iter().enumerate() {
        for first in &all[..at] {
            let (fewer, more) = if within(first, second) { (first, second) } else { (second, first) };
            if within(fewer, more) {
                compared = true;
                link_pair(input, &all, fewer, more, &mut unchecked, &mut findings);
            } else if share_people(first, second) {
                unchecked.push(format!("neither of {} contains all people of the other", pair_text(first, second)));
            }
        }
    }
    if !compared {
        return Err(not_runnable(&ENTRY, "no release contains all people of another release"));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// Whether `more` contains all people of `fewer`.
fn within(fewer: &TrackedPeople<'_>, more: &TrackedPeople<'_>) -> bool {
    fewer.members.iter().all(|member| more.has(member.person))
}

/// Adds the findings about two releases, for each shared sensitive column.
fn link_pair(
    input: &AttackInput<'_>,
    all: &[TrackedPeople<'_>],
    fewer: &TrackedPeople<'_>,
    more: &TrackedPeople<'_>,
    unchecked: &mut Unchecked,
    findings: &mut Vec<Finding>,
) {
    let pair = pair_text(fewer, more);
    let columns = shared_sensitive(fewer, more);
    if columns.is_empty() {
        if !compared_elsewhere(all, fewer, more) {
            unchecked.push(format!("{pair} share no sensitive column"));
        }
        return;
    }
    let Some(to) = compatible_groups(&fewer.groups, &more.groups) else {
        unchecked.push(format!("{pair} have more than {MAX_PAIRS} pairs of compatible groups"));
        return;
    };
    for (here, there) in columns {
        let name = &fewer.release().columns[here].name;
        let values = ValueIndex::new([&fewer.release().columns[here], &more.release().columns[there]]);
        let counts = (values.counts(0, &fewer.groups, here), values.counts(1, &more.groups, there));
        let (Some(first), Some(second)) = counts else {
            unchecked.push(format!("`{name}` is generalized or suppressed in {pair}"));
            continue;
        };
        let linking =
            Linking { fewer, more, name, from: reversed(&to, more.groups.len()), to: &to, values, first, second };
        findings.extend(linking.findings(input));
    }
}

/// By group on the right: the compatible groups on the left.
fn reversed(to: &[Vec<u32>], rights: usize) -> Vec<Vec<u32>> {
    let mut from = vec![Vec::new(); rights];
    for (left, rights) in to.iter().enumerate() {
        rights.iter().for_each(|right| from[*right as usize].push(left as u32));
    }
    from
}

/// Two releases with their compatible groups and the value counts of one sensitive column.
struct Linking<'a> {
    /// Release whose people are all in `more` (the left side).
    fewer: &'a TrackedPeople<'a>,
    /// Release on the right side.
    more: &'a TrackedPeople<'a>,
    /// Name of the sensitive column.
    name: &'a str,
    /// By group on the left: compatible groups on the right.
    to: &'a [Vec<u32>],
    /// By group on the right: compatible groups on the left.
    from: Vec<Vec<u32>>,
    values: ValueIndex,
    /// By group on the left, by value: number of records.
    first: Vec<Vec<Weight>>,
    /// By group on the right, by value: number of records.
    second: Vec<Vec<Weight>>,
}

impl Linking<'_> {
    /// The links that reach the threshold, between groups that are ambiguous by their quasi-identifiers.
    fn findings(&self, input: &AttackInput<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let is_ambiguous = |left: usize, right: u32| self.to[left].len() > 1 && self.from[right as usize].len() > 1;
        for (left, rights) in self.to.iter().enumerate() {
            for right in rights.iter().copied().filter(|right| is_ambiguous(left, *right)) {
                for value in 0..self.values.labels.len() {
                    let records = self.first[left][value].min(self.second[right as usize][value]);
                    let confidence = AttackConfidence::one_of(self.choices(left, right, value));
                    if records > 0 && confidence.reaches(input.confidence) {
                        findings.push(self.finding(left, right, value, records, confidence));
                    }
                }
            }
        }
        findings
    }

    /// Number of records with the value that a record of either group can be linked to; the larger of the two directions.
    fn choices(&self, left: usize, right: u32, value: usize) -> Weight {
        let there: Weight = self.to[left].iter().map(|right| self.second[*right as usize][value]).sum();
        let here: Weight = self.from[right as usize].iter().map(|left| self.first[*left as usize][value]).sum();
        there.max(here)
    }

    fn finding(&self, left: usize, right: u32, value: usize, people: Weight, confidence: AttackConfidence) -> Finding {
        let mut class = self.fewer.groups.cells(left);
        let others = self.more.groups.cells(right as usize);
        let (here, there) = (self.fewer.groups.recorded, self.more.groups.recorded);
        // Equal group numbers of two bucketized releases are different groups.
        let is_bucketized = here.presentation.group_column.is_some() || there.presentation.group_column.is_some();
        class.extend(others.into_iter().filter(|cell| is_bucketized || !class.contains(cell)).collect::<Vec<_>>());
        let text = format!(
            "{} can be linked from {} to {} by a rare value of {}; each release discloses values that the other generalizes",
            people_in_class(people, &class),
            release_text(here),
            release_text(there),
            self.name
        );
        Finding {
            attack: ENTRY.id,
            releases: vec![here.number.min(there.number), here.number.max(there.number)],
            people,
            records: Some(people),
            confidence,
            certain: confidence == AttackConfidence::CERTAIN,
            class,
            column: Some(self.name.to_owned()),
            value: Some(DisclosedValue { code: self.values.code(1, value), label: self.values.labels[value].clone() }),
            text,
        }
    }
}
