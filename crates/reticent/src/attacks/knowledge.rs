//! Background knowledge about people, matched with published values.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::data::contingency::ContingencyTable;
use crate::data::interval::{Interval, is_masked, masks_match};
use crate::data::taxonomy::NodeId;
use crate::error::Result;
use crate::release::history::{History, RecordedRelease};
use crate::release::{PublishedColumn, Release};

/// Person of an external table (a row) whose attributes the attacker knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPerson {
    /// Name of the person in the external table.
    pub name: String,
    /// Known raw values, as (column, value). Other columns are unknown.
    pub facts: Vec<(String, String)>,
}

/// Known person in terms of one release: by column, the published codes that are compatible with the known value.
#[derive(Debug)]
pub(super) struct AttackerProfile {
    allowed: Vec<(usize, Vec<u32>)>,
}

impl AttackerProfile {
    /// Whether a published combination is compatible with all known values of the person.
    pub(super) fn fits(&self, combos: &ContingencyTable, at: usize) -> bool {
        self.allowed.iter().all(|(column, codes)| codes.contains(&combos.codes[*column][at]))
    }
}

/// The profiles of all known people.
///
/// # Errors
///
/// Returns an error if a fact names a column that the release does not have: ignoring it would understate the attack.
pub(super) fn profiles(release: &Release, people: &[KnownPerson]) -> Result<Vec<AttackerProfile>> {
    let mut cache: HashMap<(usize, &str), Vec<u32>> = HashMap::new();
    let mut profiles = Vec::with_capacity(people.len());
    for person in people {
        let mut allowed = Vec::with_capacity(person.facts.len());
        for (column, text) in &person.facts {
            let place = release.position(column)?;
            let codes = cache.entry((place, text)).or_insert_with(|| compatible(&release.columns[place], text));
            allowed.push((place, codes.clone()));
        }
        profiles.push(AttackerProfile { allowed });
    }
    Ok(profiles)
}

/// The known people, with facts about the columns of this release only.
///
/// # Errors
///
/// Returns an error if a fact names a column that no release of the history has.
pub(super) fn known_in(
    recorded: &RecordedRelease,
    people: &[KnownPerson],
    history: &History,
) -> Result<Vec<KnownPerson>> {
    let has = |release: &Release, column: &str| release.columns.iter().any(|published| published.name == column);
    let names: BTreeSet<&str> =
        people.iter().flat_map(|person| person.facts.iter().map(|(column, _)| column.as_str())).collect();
    for column in &names {
        if !history.releases.iter().any(|recorded| has(&recorded.release, column)) {
            recorded.release.position(column)?;
        }
    }
    let facts = |person: &KnownPerson| {
        person.facts.iter().filter(|(column, _)| has(&recorded.release, column)).cloned().collect::<Vec<_>>()
    };
    Ok(people.iter().map(|person| KnownPerson { name: person.name.clone(), facts: facts(person) }).collect())
}

/// The columns that occur in a profile, ascending.
pub(super) fn known_columns(profiles: &[AttackerProfile]) -> Vec<usize> {
    let mut columns: Vec<usize> =
        profiles.iter().flat_map(|profile| profile.allowed.iter().map(|(column, _)| *column)).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The published codes that a record of a person with this raw value can have.
fn compatible(column: &PublishedColumn, text: &str) -> Vec<u32> {
    let tree = &column.tree;
    let parsed = Interval::parse(tree.value_type(), text);
    let known = tree.find(text).or_else(|| tree.find(text.trim()));
    let fits = |node: NodeId| match (parsed, known) {
        _ if node == 0 => true,
        (Some(parsed), _) => tree.interval(node).is_some_and(|published| published.overlaps(&parsed)),
        (None, Some(known)) => tree.overlap(node, known),
        (None, None) => is_masked(&tree.node(node).label) && masks_match(&tree.node(node).label, text),
    };
    // A set of values is compatible if one of its parts is.
    let is_compatible = |node: NodeId| fits(node) || tree.nodes_of(node).any(fits);
    column.nodes.iter().zip(0..).filter(|(node, _)| is_compatible(**node)).map(|(_, code)| code).collect()
}
