//! What an attacker knows about people, and which published values their known values can stand behind.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::combos::Combos;
use crate::error::Result;
use crate::history::{Held, History};
use crate::interval::{Interval, is_masked, masks_meet};
use crate::release::{PublishedColumn, Release};
use crate::taxonomy::NodeId;

/// Somebody the attacker knows something about: a row of an external table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What the attacker calls them.
    pub name: String,
    /// Columns with the raw value that is known. What is not listed is not known.
    pub facts: Vec<(String, String)>,
}

/// A person in the words of a release: by column, the published codes that do not contradict what is known.
#[derive(Debug)]
pub(super) struct Profile {
    allowed: Vec<(usize, Vec<u32>)>,
}

impl Profile {
    /// Whether a published combination may be about the person.
    pub(super) fn fits(&self, combos: &Combos, at: usize) -> bool {
        self.allowed.iter().all(|(column, codes)| codes.contains(&combos.codes[*column][at]))
    }
}

/// Everybody in the words of a release. Knowledge of a column that the release does not have is an error: leaving it
/// out would make the attack look weaker than it is.
pub(super) fn profiles(release: &Release, people: &[Person]) -> Result<Vec<Profile>> {
    let mut read: HashMap<(usize, &str), Vec<u32>> = HashMap::new();
    let mut profiles = Vec::with_capacity(people.len());
    for person in people {
        let mut allowed = Vec::with_capacity(person.facts.len());
        for (column, text) in &person.facts {
            let place = release.position(column)?;
            let codes = read.entry((place, text)).or_insert_with(|| compatible(&release.columns[place], text));
            allowed.push((place, codes.clone()));
        }
        profiles.push(Profile { allowed });
    }
    Ok(profiles)
}

/// What is known about people as far as a release has the columns: what it does not publish cannot contradict it. A column
/// that no release has is an error, as it is in [`profiles`].
pub(super) fn known_in(held: &Held, people: &[Person], history: &History) -> Result<Vec<Person>> {
    let has = |release: &Release, column: &str| release.columns.iter().any(|published| published.name == column);
    let names: BTreeSet<&str> =
        people.iter().flat_map(|person| person.facts.iter().map(|(column, _)| column.as_str())).collect();
    for column in &names {
        if !history.releases.iter().any(|held| has(&held.release, column)) {
            held.release.position(column)?;
        }
    }
    let facts = |person: &Person| {
        person.facts.iter().filter(|(column, _)| has(&held.release, column)).cloned().collect::<Vec<_>>()
    };
    Ok(people.iter().map(|person| Person { name: person.name.clone(), facts: facts(person) }).collect())
}

/// The columns that somebody knows something about, ascending.
pub(super) fn known_columns(profiles: &[Profile]) -> Vec<usize> {
    let mut columns: Vec<usize> =
        profiles.iter().flat_map(|profile| profile.allowed.iter().map(|(column, _)| *column)).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The published codes that may stand in the record of somebody with this value.
fn compatible(column: &PublishedColumn, text: &str) -> Vec<u32> {
    let tree = &column.tree;
    let read = Interval::parse(tree.value_type(), text);
    let known = tree.find(text).or_else(|| tree.find(text.trim()));
    let may_stand = |node: NodeId| match (read, known) {
        _ if node == 0 => true,
        (Some(read), _) => tree.interval(node).is_some_and(|published| published.overlaps(&read)),
        (None, Some(known)) => on_one_path(column, node, known),
        (None, None) => is_masked(&tree.node(node).label) && masks_meet(&tree.node(node).label, text),
    };
    column.nodes.iter().zip(0..).filter(|(node, _)| may_stand(**node)).map(|(_, code)| code).collect()
}

/// Whether one node is the other, or lies above it.
fn on_one_path(column: &PublishedColumn, a: NodeId, b: NodeId) -> bool {
    let (a, b) = (&column.tree.node(a).codes, &column.tree.node(b).codes);
    let covers = |outer: &std::ops::Range<u32>, inner: &std::ops::Range<u32>| {
        outer.start <= inner.start && inner.end <= outer.end
    };
    covers(a, b) || covers(b, a)
}
