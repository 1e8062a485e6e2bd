//! Downcoding: cells that were hidden because they had to be say something about what is behind them.
//!
//! Attack   a cell is hidden only where showing it would leave too few alike. So the values behind a group's hidden cells are
//!          not such that each occurs often enough: of all ways to fill them, these are taken away.
//! Assumes  that no cell was hidden without need, that groups of fewer than `k` records were not allowed, and that every value of
//!          the column's taxonomy is possible. Groups with more than one hidden cell a record are not looked at.
//! Measure  one over the number of ways that are left to fill the hidden cells of a group.
//! Paper    Cohen, Attacks on deidentification's defenses, USENIX Security 2022.

use super::finding::{Confidence, Finding, Findings, called, conclude, people_of};
use super::groups::{Groups, people_by_group, with_role};
use super::scene::{Scene, Unchecked, releases};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::history::Held;
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::schema::Role;
use crate::text::counted;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "downcoding",
    title: "downcoding",
    summary: "Counts the ways to fill hidden cells that made hiding them necessary: few ways are none the less a guess.",
    paper: "Cohen, Attacks on deidentification's defenses, USENIX Security 2022",
    thwarts: "which hidden cells can be filled in again",
    parameters: &[Parameter {
        name: "k",
        domain: Domain::Whole(2),
        default: Some(""),
        meaning: "the fewest records alike that were allowed; those of the smallest group when not given",
    }],
    evidence: &["attacks::tests::hidden::downcoding_of_two", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let arguments = scene.arguments(&ENTRY)?;
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    for held in releases(scene, &ENTRY, 1)? {
        if held.disguise.groups.is_some() {
            unchecked.push(format!("{} marks its groups instead of hiding cells", called(held)));
            continue;
        }
        let groups = Groups::of(held)?;
        let people = people_by_group(&groups)?;
        let smallest = groups.records.iter().copied().min().unwrap_or(0);
        let k = if arguments.get("k").is_some() { arguments.whole("k") } else { smallest };
        for (group, people) in people.iter().enumerate() {
            match hidden(held, &groups, group).as_slice() {
                [] => {}
                [column] => findings.extend(found(scene, &groups, group, *people, *column, k)),
                _ => unchecked.push(format!("{} has groups with several hidden cells a record", called(held))),
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// The quasi-identifiers that this group hides and others show.
fn hidden(held: &Held, groups: &Groups<'_>, group: usize) -> Vec<usize> {
    let release = &held.release;
    let hides =
        |column: usize, at: usize| release.columns[column].nodes[release.combos.codes[column][at] as usize] == 0;
    let shown = |column: usize| (0..release.combos.len()).any(|at| !hides(column, at));
    let columns = with_role(release, Role::QuasiIdentifier).into_iter();
    columns.filter(|column| hides(*column, groups.member(group)) && shown(*column)).collect()
}

fn found(
    scene: &Scene<'_>,
    groups: &Groups<'_>,
    group: usize,
    people: Weight,
    column: usize,
    k: Weight,
) -> Option<Finding> {
    let published = &groups.held.release.columns[column];
    let values = published.tree.values().len() - usize::from(published.tree.missing().is_some());
    let records = groups.records[group];
    let (before, after) = ways(records, values as Weight, k)?;
    let confidence = Confidence::one_of(after);
    if after == 0 || after == before || !confidence.reaches(scene.confidence) {
        return None;
    }
    let class = groups.cells(group);
    let words = format!(
        "the hidden {} of {} in {} can be filled in {} instead of {}, or it would not have been hidden",
        published.name,
        people_of(people, &class),
        called(groups.held),
        counted(after, "way"),
        before
    );
    Some(Finding {
        attack: ENTRY.id,
        releases: vec![groups.held.number],
        people,
        records: Some(records),
        confidence,
        certain: after == 1,
        class,
        column: None,
        value: None,
        words,
    })
}

/// More ways than this are no guess.
const MOST_WAYS: u64 = 1_000_000;

/// In how many ways records can share values, and in how many of them some value occurs too seldom to be shown. None when
/// there are very many.
pub(super) fn ways(records: Weight, values: Weight, k: Weight) -> Option<(u64, u64)> {
    if values < 2 {
        return None;
    }
    let mut all: u64 = 1;
    for step in 1..=records {
        all = all.checked_mul(values.checked_add(step - 1)?)? / step;
        if all > MOST_WAYS {
            return None;
        }
    }
    let records = usize::try_from(records).ok()?;
    let seldom = usize::try_from(k).ok()?;
    let mut shown = vec![0u64; records + 1];
    shown[0] = 1;
    for _ in 0..values {
        // Up to each total: the ways so far, so that taking `k` or more is one look back.
        let mut so_far: u64 = 0;
        let sums: Vec<u64> = shown.iter().map(|ways| (so_far += ways, so_far).1).collect();
        for total in seldom.max(1)..=records {
            shown[total] += sums[total - seldom.max(1)];
        }
    }
    Some((all, all - shown[records]))
}
