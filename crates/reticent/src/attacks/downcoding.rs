//! Downcoding: uses the knowledge that the algorithm suppresses no cell without need.
//!
//! Attack   a minimal algorithm suppresses a cell only if a class would otherwise have fewer than `k` records. It publishes the
//!          cells of a group if every value occurs often enough, together with the published records of the same class. The attack
//!          excludes these completions of the suppressed cells.
//! Assumes  that the algorithm is minimal, that classes have at least `k` records, and that every value of the taxonomy is possible.
//! Limits   groups with several suppressed cells per record, generalized cells and fully suppressed columns are not checked.
//! Measure  1 / (number of remaining completions of the suppressed cells of a group).
//! Paper    Cohen, Attacks on deidentification's defenses, USENIX Security 2022.

use std::collections::BTreeMap;

use super::finding::{AttackConfidence, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{ReleaseGroups, people_by_group, with_role};
use super::input::{AttackInput, Unchecked, releases};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::registry::{Domain, Entry, Kind, ParameterDef};
use crate::release::history::RecordedRelease;
use crate::text::counted;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "downcoding",
    title: "downcoding",
    summary: "Excludes the completions of suppressed cells that a minimal algorithm would have published, and counts the remaining ones.",
    paper: "Cohen, Attacks on deidentification's defenses, USENIX Security 2022",
    protects_against: "reconstruction of suppressed quasi-identifiers by an attacker who knows that the algorithm is minimal",
    comparison: false,
    parameters: &[ParameterDef {
        name: "k",
        domain: Domain::Whole(2),
        default: Some(""),
        meaning: "minimum number of records in a class; default: the size of the smallest class of the release",
    }],
    evidence: &["attacks::tests::minimal_algorithm::downcoding_of_two", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let arguments = input.arguments(&ENTRY)?;
    let given = arguments.optional_whole("k")?;
    let mut unchecked = Unchecked::new(input);
    let mut findings = Vec::new();
    for recorded in releases(input, &ENTRY, 1)? {
        if recorded.presentation.group_column.is_some() {
            unchecked.push(format!("{} is bucketized and suppresses no cells", release_text(recorded)));
            continue;
        }
        let groups = ReleaseGroups::new(recorded)?;
        let people = people_by_group(&groups)?;
        let smallest = groups.records.iter().copied().min().unwrap_or(0);
        let k = given.unwrap_or(smallest);
        for (group, people) in people.iter().enumerate() {
            match suppressed_columns(recorded, &groups, group).as_slice() {
                [] => {}
                [column] => findings.extend(group_finding(input, &groups, group, *people, *column, k)),
                _ => unchecked
                    .push(format!("{} has groups with several suppressed cells per record", release_text(recorded))),
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// The quasi-identifiers that are suppressed in this group and published in another.
fn suppressed_columns(recorded: &RecordedRelease, groups: &ReleaseGroups<'_>, group: usize) -> Vec<usize> {
    let release = &recorded.release;
    let is_suppressed =
        |column: usize, at: usize| release.columns[column].nodes[release.contingency.codes[column][at] as usize] == 0;
    let published = |column: usize| (0..release.contingency.len()).any(|at| !is_suppressed(column, at));
    let columns = with_role(release, Role::QuasiIdentifier).into_iter();
    columns.filter(|column| is_suppressed(*column, groups.member(group)) && published(*column)).collect()
}

/// The finding about a group with one suppressed column, if completions are excluded and the threshold is reached.
fn group_finding(
    input: &AttackInput<'_>,
    groups: &ReleaseGroups<'_>,
    group: usize,
    people: Weight,
    column: usize,
    k: Weight,
) -> Option<Finding> {
    let published = &groups.recorded.release.columns[column];
    let records = groups.records[group];
    let published_counts = published_counts(groups, group, column);
    let missing = published.tree.missing();
    let values = (0..published.tree.values().len() as Code).filter(|code| Some(*code) != missing);
    // Number of records with a value from which on the algorithm publishes it.
    let min_count = |code: Code| k.saturating_sub(published_counts.get(&code).copied().unwrap_or(0)).max(1);
    let (before, after) = ways(records, &values.map(min_count).collect::<Vec<Weight>>())?;
    let confidence = AttackConfidence::one_of(after);
    if after == 0 || after == before || !confidence.reaches(input.confidence) {
        return None;
    }
    let class = groups.cells(group);
    let text = format!(
        "the suppressed {} of {} in {} has {} instead of {}, because a minimal algorithm suppressed it",
        published.name,
        people_in_class(people, &class),
        release_text(groups.recorded),
        counted(after, "possible completion"),
        before
    );
    Some(Finding {
        attack: ENTRY.id,
        releases: vec![groups.recorded.number],
        people,
        records: Some(records),
        confidence,
        certain: after == 1,
        class,
        column: None,
        value: None,
        text,
    })
}

/// By value: number of records that publish it and have the other quasi-identifiers of this group.
fn published_counts(groups: &ReleaseGroups<'_>, group: usize, column: usize) -> BTreeMap<Code, Weight> {
    let release = &groups.recorded.release;
    let others: Vec<usize> =
        with_role(release, Role::QuasiIdentifier).into_iter().filter(|other| *other != column).collect();
    let code = |column: &usize, group: usize| release.contingency.codes[*column][groups.member(group)];
    let mut published = BTreeMap::new();
    for other in (0..groups.len()).filter(|other| others.iter().all(|at| code(at, *other) == code(at, group))) {
        let node = release.columns[column].nodes[code(&column, other) as usize];
        let tree = &release.columns[column].tree;
        if tree.width(node) == 1 {
            *published.entry(tree.node(node).span.start).or_insert(0) += groups.records[other];
        }
    }
    published
}

/// Maximum number of completions that are counted.
const MAX_WAYS: u64 = 1_000_000;

/// Number of multisets of values for the records, and number of those in which some value occurs too rarely to be published.
///
/// `min_counts` has, by value, the number of records from which on it is published, at least 1. None for fewer than two
/// values or more than [`MAX_WAYS`] multisets.
pub(super) fn ways(records: Weight, min_counts: &[Weight]) -> Option<(u64, u64)> {
    let values = min_counts.len() as Weight;
    if values < 2 {
        return None;
    }
    let mut all: u64 = 1;
    for step in 1..=records {
        all = all.checked_mul(values.checked_add(step - 1)?)? / step;
        if all > MAX_WAYS {
            return None;
        }
    }
    let records = usize::try_from(records).ok()?;
    let mut published = vec![0u64; records + 1];
    published[0] = 1;
    for min_count in min_counts {
        let min_count = usize::try_from(*min_count).ok()?;
        // Prefix sums: taking `min_count` or more records of the value is one lookup.
        let mut sum: u64 = 0;
        let sums: Vec<u64> = published.iter().map(|ways| (sum += ways, sum).1).collect();
        for total in min_count..=records {
            published[total] += sums[total - min_count];
        }
    }
    Some((all, all - published[records]))
}
