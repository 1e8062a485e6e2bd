//! Unsorted matching: rows of two files that stand in the same order are joined by their place.
//!
//! Attack   takes the n-th rows of two releases for the same person's, which undoes generalizing one column here and another
//!          there.
//! Assumes  that rows are in the same order. Where it is known whose the records are, they are when the pairs of rows are
//!          exactly those of the people; else when all pairs match on what both releases show, and few pairs do by chance.
//! Paper    Sweeney, k-anonymity: a model for protecting privacy, 2002, section 4.1.

use std::collections::BTreeMap;

use super::finding::{Confidence, Finding, Findings, called, conclude, people_text};
use super::groups::{Tracked, with_role};
use super::scene::{Scene, Unchecked, cannot, releases};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::history::Held;
use crate::join::{Join, Tuples};
use crate::matching::matches;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::Code;
use crate::text::counted;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "unsorted-matching",
    title: "unsorted matching",
    summary: "Joins the rows of two releases by their place in the files, when both are in the same order.",
    paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002, section 4.1",
    thwarts: "who is singled out because files were not shuffled",
    comparison: false,
    parameters: &[],
    evidence: &["attacks::tests::rows::unsorted_matching_of_races_and_zips", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Files, run };

/// A release, and the combination of each of its rows.
struct Ordered<'a> {
    held: &'a Held,
    rows: &'a [u32],
}

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let all = releases(scene, &ENTRY, 2)?;
    let mut unchecked = Unchecked::of(scene);
    let mut ordered = Vec::new();
    for (at, held) in all.iter().enumerate() {
        match scene.rows.get(at).and_then(Option::as_deref) {
            Some(rows) if rows.iter().all(|row| (*row as usize) < held.release.combos.len()) => {
                ordered.push(Ordered { held, rows });
            }
            _ => unchecked.push(format!("the order of the rows of {} is not known", called(held))),
        }
    }
    if ordered.len() < 2 {
        return Err(cannot(&ENTRY, unchecked.why()));
    }
    let mut findings = Vec::new();
    for (at, second) in ordered.iter().enumerate() {
        for first in &ordered[..at] {
            match in_same_order(first, second)? {
                Some(true) => findings.extend(joined(first, second, scene.confidence)),
                Some(false) => {}
                None => unchecked.push(format!(
                    "nothing that {} and {} share tells whether their rows are in the same order",
                    called(first.held),
                    called(second.held)
                )),
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// None when it cannot be told.
fn in_same_order(first: &Ordered<'_>, second: &Ordered<'_>) -> Result<Option<bool>> {
    if let Some(people) = by_person(first.held, second.held)? {
        let pairs = by_place(first, second);
        return Ok(Some(pairs.iter().all(|(pair, rows)| people.get(pair).is_some_and(|people| people >= rows))));
    }
    if first.rows.len() != second.rows.len() {
        return Ok(None);
    }
    if !all_match(first, second) {
        return Ok(Some(false));
    }
    let (one, other) = (&first.held.release, &second.held.release);
    let by_chance = Join::of(&[one, other], &[], &[]).size();
    let pairs = (first.rows.len() as Tuples) * (second.rows.len() as Tuples);
    Ok((by_chance.saturating_mul(2) <= pairs).then_some(true))
}

/// How many places have a combination of the one and a combination of the other.
fn by_place(first: &Ordered<'_>, second: &Ordered<'_>) -> BTreeMap<(u32, u32), Weight> {
    let mut pairs = BTreeMap::new();
    first.rows.iter().zip(second.rows).for_each(|(one, other)| *pairs.entry((*one, *other)).or_insert(0) += 1);
    pairs
}

/// How many people have them. None where that is not known, or somebody has several records.
fn by_person(first: &Held, second: &Held) -> Result<Option<BTreeMap<(u32, u32), Weight>>> {
    let mut pairs = BTreeMap::new();
    let (Some(one), Some(other)) = (Tracked::of(first)?, Tracked::of(second)?) else { return Ok(None) };
    if [&one, &other].iter().any(|tracked| tracked.single().count() < tracked.members.len()) {
        return Ok(None);
    }
    let combos = |held: &Held, person| {
        let links = held.links.as_ref()?;
        links.pseudonyms.binary_search(&person).ok().map(|at| links.combos[at])
    };
    let theirs: BTreeMap<_, _> = other.single().collect();
    for (person, _) in one.single().filter(|(person, _)| theirs.contains_key(person)) {
        if let (Some(one), Some(other)) = (combos(first, person), combos(second, person)) {
            *pairs.entry((one, other)).or_insert(0) += 1;
        }
    }
    Ok(Some(pairs))
}

/// Whether rows at the same place never contradict each other.
fn all_match(first: &Ordered<'_>, second: &Ordered<'_>) -> bool {
    let (one, other) = (&first.held.release, &second.held.release);
    one.columns.iter().enumerate().all(|(here, column)| {
        let Some(there) = other.columns.iter().position(|shared| shared.name == column.name) else { return true };
        let matching = matches(column, &other.columns[there]);
        let codes = |row: &u32, release: &Release, column: usize| release.combos.codes[column][*row as usize];
        first.rows.iter().zip(second.rows).all(|(row, beside)| {
            matching[codes(row, one, here) as usize].binary_search(&codes(beside, other, there)).is_ok()
        })
    })
}

/// Who is easier to find by the quasi-identifiers of both releases together than by those of either.
fn joined(first: &Ordered<'_>, second: &Ordered<'_>, least: Share) -> Option<Finding> {
    let keys = |ordered: &Ordered<'_>| -> Vec<Vec<Code>> {
        let columns = with_role(&ordered.held.release, Role::QuasiIdentifier);
        let codes = &ordered.held.release.combos.codes;
        ordered.rows.iter().map(|row| columns.iter().map(|column| codes[*column][*row as usize]).collect()).collect()
    };
    let (ours, theirs) = (keys(first), keys(second));
    let (alone, alone_there) = (sizes(ours.iter()), sizes(theirs.iter()));
    let together = sizes(ours.iter().zip(&theirs));
    let is_news = |(one, other): &(&Vec<Code>, &Vec<Code>), size: Weight| {
        let fewest = alone.get(one).copied().unwrap_or(0).min(alone_there.get(other).copied().unwrap_or(0));
        size < fewest && Share::new(1, size) >= least
    };
    let found: Vec<Weight> =
        together.iter().filter(|(pair, size)| is_news(pair, **size)).map(|(_, size)| *size).collect();
    let (people, largest): (Weight, Weight) = (found.iter().sum(), found.iter().copied().max()?);
    let rows = ours.len().min(theirs.len()) as Weight;
    let group = if largest == 1 { "singled out".to_owned() } else { format!("found among {largest} or fewer") };
    let words = format!(
        "{} can be {group}: {} of {} stand in the same order as in {}",
        people_text(people),
        counted(rows, "row"),
        called(first.held),
        called(second.held)
    );
    Some(Finding {
        attack: ENTRY.id,
        releases: vec![first.held.number, second.held.number],
        people,
        records: Some(rows),
        confidence: Confidence::one_of(largest),
        certain: largest == 1,
        class: Vec::new(),
        column: None,
        value: None,
        words,
    })
}

fn sizes<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, Weight> {
    let mut sizes = BTreeMap::new();
    keys.for_each(|key| *sizes.entry(key).or_insert(0) += 1);
    sizes
}
