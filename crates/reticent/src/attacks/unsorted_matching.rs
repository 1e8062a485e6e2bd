//! Unsorted matching: joins the rows of two files by their position.
//!
//! Attack   takes the n-th rows of two releases for records of the same person. This combines a column that one release
//!          generalizes with its values in the other.
//! Assumes  that the rows are in the same order. With owner links, this holds if the rows at each position belong to the same
//!          person. Without, it holds if all pairs of rows match on the common columns and at most half of all possible pairs do.
//! Paper    Sweeney, k-anonymity: a model for protecting privacy, 2002, section 4.1.

use std::collections::BTreeMap;

use super::finding::{AttackConfidence, Finding, Findings, conclude, people_text, release_text};
use super::groups::{TrackedPeople, with_role};
use super::input::{AttackInput, Unchecked, not_runnable, releases};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::join::lossy::{LossyJoin, Tuples};
use crate::join::matching::matches;
use crate::ratio::Ratio;
use crate::registry::{Entry, Kind};
use crate::release::history::RecordedRelease;
use crate::release::{PublishedColumn, Release};
use crate::text::counted;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "unsorted-matching",
    title: "unsorted matching",
    summary: "Joins the rows of two releases by their position, if both files have the same row order.",
    paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002, section 4.1",
    protects_against: "record linkage by row order",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::rows::unsorted_matching_of_races_and_zips", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Files, run };

/// Release with the index of the combination of each row, in file order.
struct OrderedRelease<'a> {
    recorded: &'a RecordedRelease,
    rows: &'a [u32],
}

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let all = releases(input, &ENTRY, 2)?;
    let mut unchecked = Unchecked::new(input);
    let mut ordered = Vec::new();
    for (at, recorded) in all.iter().enumerate() {
        match input.rows.get(at).and_then(Option::as_deref) {
            Some(rows) if rows.iter().all(|row| (*row as usize) < recorded.release.contingency.len()) => {
                ordered.push(OrderedRelease { recorded, rows });
            }
            _ => unchecked.push(format!("the order of the rows of {} is unknown", release_text(recorded))),
        }
    }
    if ordered.len() < 2 {
        return Err(not_runnable(&ENTRY, unchecked.reason()));
    }
    let mut findings = Vec::new();
    for (at, second) in ordered.iter().enumerate() {
        for first in &ordered[..at] {
            match in_same_order(first, second)? {
                Some(true) => findings.extend(row_join_finding(first, second, input.confidence)),
                Some(false) => {}
                None => unchecked.push(format!(
                    "the common columns of {} and {} do not show whether their rows are in the same order",
                    release_text(first.recorded),
                    release_text(second.recorded)
                )),
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// Whether two releases have the same row order; none if the data do not show it.
fn in_same_order(first: &OrderedRelease<'_>, second: &OrderedRelease<'_>) -> Result<Option<bool>> {
    if let Some(people) = pairs_by_person(first.recorded, second.recorded)? {
        let pairs = pairs_by_row(first, second);
        return Ok(Some(pairs.iter().all(|(pair, rows)| people.get(pair).is_some_and(|people| people >= rows))));
    }
    if first.rows.len() != second.rows.len() {
        return Ok(None);
    }
    match all_match(first, second) {
        Some(true) => {}
        other => return Ok(other),
    }
    let (one, other) = (&first.recorded.release, &second.recorded.release);
    let matching_pairs = LossyJoin::new(&[one, other], &[], &[]).size();
    let pairs = (first.rows.len() as Tuples) * (second.rows.len() as Tuples);
    Ok((matching_pairs.saturating_mul(2) <= pairs).then_some(true))
}

/// By pair of combinations: number of positions with this pair.
fn pairs_by_row(first: &OrderedRelease<'_>, second: &OrderedRelease<'_>) -> BTreeMap<(u32, u32), Weight> {
    let mut pairs = BTreeMap::new();
    first.rows.iter().zip(second.rows).for_each(|(one, other)| *pairs.entry((*one, *other)).or_insert(0) += 1);
    pairs
}

/// By pair of combinations: number of people with this pair. None without owner links, or if a person has several records.
fn pairs_by_person(first: &RecordedRelease, second: &RecordedRelease) -> Result<Option<BTreeMap<(u32, u32), Weight>>> {
    let mut pairs = BTreeMap::new();
    let (Some(one), Some(other)) = (TrackedPeople::new(first)?, TrackedPeople::new(second)?) else { return Ok(None) };
    if [&one, &other].iter().any(|tracked| tracked.single_record_people().count() < tracked.members.len()) {
        return Ok(None);
    }
    let combos = |recorded: &RecordedRelease, person| {
        let links = recorded.links.as_ref()?;
        links.pseudonyms.binary_search(&person).ok().map(|at| links.cells[at])
    };
    let theirs: BTreeMap<_, _> = other.single_record_people().collect();
    for (person, _) in one.single_record_people().filter(|(person, _)| theirs.contains_key(person)) {
        if let (Some(one), Some(other)) = (combos(first, person), combos(second, person)) {
            *pairs.entry((one, other)).or_insert(0) += 1;
        }
    }
    Ok(Some(pairs))
}

/// Whether the rows at every position match on all common columns. `None` if a column without a taxonomy has other values in
/// each release: one could be a generalization of the other.
fn all_match(first: &OrderedRelease<'_>, second: &OrderedRelease<'_>) -> Option<bool> {
    let (one, other) = (&first.recorded.release, &second.recorded.release);
    let mut known = Some(true);
    for (here, column) in one.columns.iter().enumerate() {
        let Some(there) = other.columns.iter().position(|shared| shared.name == column.name) else { continue };
        let matching = matches(column, &other.columns[there]);
        let codes = |row: &u32, release: &Release, column: usize| release.contingency.codes[column][*row as usize];
        for (row, other_row) in first.rows.iter().zip(second.rows) {
            let (code, other_code) = (codes(row, one, here), codes(other_row, other, there));
            if matching[code as usize].binary_search(&other_code).is_ok() {
                continue;
            }
            match is_comparable(column, code, &other.columns[there], other_code) {
                true => return Some(false),
                false => known = None,
            }
        }
    }
    known
}

/// Whether the releases show that two values differ: one of them occurs in both, or a taxonomy has both.
fn is_comparable(column: &PublishedColumn, code: u32, other: &PublishedColumn, other_code: u32) -> bool {
    let has_levels =
        |column: &PublishedColumn| column.tree.nodes().iter().any(|node| !node.is_leaf() && node.parent.is_some());
    let (label, other_label) = (column.label(code), other.label(other_code));
    let shows = |column: &PublishedColumn, label: &str| column.tree.find(label).is_some();
    let has_interval = column.tree.interval(column.nodes[code as usize]).is_some();
    has_interval || has_levels(column) || has_levels(other) || shows(other, label) || shows(column, other_label)
}

/// The finding about people whose class on the quasi-identifiers of both releases is smaller than in either release.
fn row_join_finding(first: &OrderedRelease<'_>, second: &OrderedRelease<'_>, min_confidence: Ratio) -> Option<Finding> {
    let keys = |ordered: &OrderedRelease<'_>| -> Vec<Vec<Code>> {
        let columns = with_role(&ordered.recorded.release, Role::QuasiIdentifier);
        let codes = &ordered.recorded.release.contingency.codes;
        ordered.rows.iter().map(|row| columns.iter().map(|column| codes[*column][*row as usize]).collect()).collect()
    };
    let (ours, theirs) = (keys(first), keys(second));
    let (sizes_in_first, sizes_in_second) = (sizes(ours.iter()), sizes(theirs.iter()));
    let sizes_in_both = sizes(ours.iter().zip(&theirs));
    let is_smaller = |(one, other): &(&Vec<Code>, &Vec<Code>), size: Weight| {
        let fewest =
            sizes_in_first.get(one).copied().unwrap_or(0).min(sizes_in_second.get(other).copied().unwrap_or(0));
        size < fewest && Ratio::new(1, size) >= min_confidence
    };
    let reduced: Vec<Weight> =
        sizes_in_both.iter().filter(|(pair, size)| is_smaller(pair, **size)).map(|(_, size)| *size).collect();
    let (people, largest): (Weight, Weight) = (reduced.iter().sum(), reduced.iter().copied().max()?);
    let rows = ours.len().min(theirs.len()) as Weight;
    let extent = match largest {
        1 => "singled out".to_owned(),
        _ => format!("narrowed down to classes of at most {largest} people"),
    };
    let text = format!(
        "{} can be {extent}: {} of {} are in the same order as in {}",
        people_text(people),
        counted(rows, "row"),
        release_text(first.recorded),
        release_text(second.recorded)
    );
    Some(Finding {
        attack: ENTRY.id,
        releases: vec![first.recorded.number, second.recorded.number],
        people,
        records: Some(rows),
        confidence: AttackConfidence::one_of(largest),
        certain: largest == 1,
        class: Vec::new(),
        column: None,
        value: None,
        text,
    })
}

/// By key: number of its occurrences.
fn sizes<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, Weight> {
    let mut sizes = BTreeMap::new();
    keys.for_each(|key| *sizes.entry(key).or_insert(0) += 1);
    sizes
}
