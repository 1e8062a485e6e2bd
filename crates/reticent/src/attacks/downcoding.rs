//! Downcoding: cells that were hidden because they had to be say something about what is behind them.
//!
//! Attack   a cell is hidden only where showing it would leave too few alike. So the values behind a group's hidden cells are
//!          not such that each occurs often enough, with the records that show it and are otherwise alike: of all ways to fill them,
//!          these are taken away.
//! Assumes  that no cell was hidden without need, that groups of fewer than `k` records were not allowed, and that every value of
//!          the column's taxonomy is possible. Groups with more than one hidden cell a record are not looked at, nor are cells that are
//!          generalized, or columns that are hidden throughout.
//! Measure  one over the number of ways that are left to fill the hidden cells of a group.
//! Paper    Cohen, Attacks on deidentification's defenses, USENIX Security 2022.

use std::collections::BTreeMap;

use super::finding::{Confidence, Finding, Findings, called, conclude, people_of};
use super::groups::{Groups, people_by_group, with_role};
use super::scene::{Scene, Unchecked, releases};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::history::Held;
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::schema::Role;
use crate::taxonomy::Code;
use crate::text::counted;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "downcoding",
    title: "downcoding",
    summary: "Counts the ways to fill hidden cells, not generalized ones, that made hiding them necessary: few ways are none the less a guess.",
    paper: "Cohen, Attacks on deidentification's defenses, USENIX Security 2022",
    thwarts: "which hidden cells can be filled in again",
    comparison: false,
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
    let given = arguments.optional_whole("k")?;
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
        let k = given.unwrap_or(smallest);
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
    let records = groups.records[group];
    let shown = shown(groups, group, column);
    let missing = published.tree.missing();
    let values = (0..published.tree.values().len() as Code).filter(|code| Some(*code) != missing);
    // So many of a value are enough to show it.
    let enough = |code: Code| k.saturating_sub(shown.get(&code).copied().unwrap_or(0)).max(1);
    let (before, after) = ways(records, &values.map(enough).collect::<Vec<Weight>>())?;
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

/// By value: the records that show it and are like this group in everything else.
fn shown(groups: &Groups<'_>, group: usize, column: usize) -> BTreeMap<Code, Weight> {
    let release = &groups.held.release;
    let others: Vec<usize> =
        with_role(release, Role::QuasiIdentifier).into_iter().filter(|other| *other != column).collect();
    let code = |column: &usize, group: usize| release.combos.codes[*column][groups.member(group)];
    let mut shown = BTreeMap::new();
    for other in (0..groups.len()).filter(|other| others.iter().all(|at| code(at, *other) == code(at, group))) {
        let node = release.columns[column].nodes[code(&column, other) as usize];
        let codes = &release.columns[column].tree.node(node).codes;
        if codes.len() == 1 {
            *shown.entry(codes.start).or_insert(0) += groups.records[other];
        }
    }
    shown
}

/// More ways than this are no guess.
const MOST_WAYS: u64 = 1_000_000;

/// In how many ways records can share values, and in how many of them some value occurs too seldom to be shown, where by value so many
/// are enough, at least one. None when there are very many.
pub(super) fn ways(records: Weight, enough: &[Weight]) -> Option<(u64, u64)> {
    let values = enough.len() as Weight;
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
    let mut shown = vec![0u64; records + 1];
    shown[0] = 1;
    for enough in enough {
        let enough = usize::try_from(*enough).ok()?;
        // Up to each total: the ways so far, so that taking enough or more is one look back.
        let mut so_far: u64 = 0;
        let sums: Vec<u64> = shown.iter().map(|ways| (so_far += ways, so_far).1).collect();
        for total in enough..=records {
            shown[total] += sums[total - enough];
        }
    }
    Some((all, all - shown[records]))
}
