//! Attacks, one file each: what somebody who holds a release, and declared knowledge, can infer.
//!
//! An attack sees published releases and declared knowledge only; never the table, no algorithm and no model. All are run
//! alike: a [`Scene`] in, [`Finding`]s out, worst first. What could not be looked at is an error, never "nothing found".

pub mod attribute_linkage;
pub mod backward_correspondence;
pub mod complementary_release;
mod corresponding;
mod counting;
pub mod critical_absence;
pub mod cross_correspondence;
pub mod definetti;
pub mod difference;
pub mod downcoding;
mod finding;
pub mod forward_correspondence;
mod groups;
pub mod homogeneity;
pub mod intersection;
pub mod join;
mod knowledge;
pub mod minimality;
pub mod record_linkage;
mod scene;
pub mod similarity;
pub mod skewness;
pub mod table_linkage;
#[cfg(test)]
mod tests;
mod together;
mod transport;
pub mod unsorted_matching;

use hashbrown::HashSet;

use crate::error::Result;
use crate::history::History;
use crate::registry::{Entry, Kind, unknown};
use together::{people_alone, with_values};

pub use finding::{Confidence, Finding, Findings, Value};
pub use knowledge::Person;
pub use scene::Scene;

/// An attack in the list: what it says about itself, and how it is run.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// What it says about itself.
    pub entry: Entry,
    /// What it looks at.
    pub looks_at: LooksAt,
    /// Runs it.
    pub run: fn(&Scene<'_>) -> Result<Findings>,
}

/// What an attack looks at where people and lists about them are published apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksAt {
    /// The values of lists, beside everybody whom they can be of.
    Values,
    /// The people, each once, and not the records that lists need to be put beside them.
    People,
    /// The files of people as they were published, row by row, and no list.
    Files,
}

/// Every attack there is.
pub const LIST: &[Listed] = &[
    record_linkage::LISTED,
    attribute_linkage::LISTED,
    homogeneity::LISTED,
    skewness::LISTED,
    similarity::LISTED,
    table_linkage::LISTED,
    join::LISTED,
    intersection::LISTED,
    difference::LISTED,
    critical_absence::LISTED,
    forward_correspondence::LISTED,
    cross_correspondence::LISTED,
    backward_correspondence::LISTED,
    unsorted_matching::LISTED,
    complementary_release::LISTED,
    minimality::LISTED,
    downcoding::LISTED,
    definetti::LISTED,
];

/// Runs the attack with this id.
pub fn run(id: &str, scene: &Scene<'_>) -> Result<Findings> {
    let listed = LIST.iter().find(|listed| listed.entry.id == id);
    let listed = listed.ok_or_else(|| unknown(Kind::Attack, id, LIST.iter().map(|listed| &listed.entry)))?;
    match listed.looks_at {
        LooksAt::Values => (listed.run)(&Scene { history: &with_values(scene.history), ..*scene }),
        LooksAt::People => on_people(listed, scene),
        LooksAt::Files => on_files(listed, scene),
    }
}

fn on_people(listed: &Listed, scene: &Scene<'_>) -> Result<Findings> {
    let history = people_alone(scene.history);
    // What only lists show of people is not in their records.
    let listed_only = |name: &str| !is_shown(&history, name) && is_shown(scene.history, name);
    let columns = scene.people.iter().flat_map(|person| &person.facts).map(|(name, _)| name.as_str());
    let mut unlisted: HashSet<&str> = columns.collect();
    unlisted.retain(|name| listed_only(name));
    if unlisted.is_empty() {
        return (listed.run)(&Scene { history: &history, ..*scene });
    }
    let mut people = scene.people.to_vec();
    people.iter_mut().for_each(|person| person.facts.retain(|(name, _)| !unlisted.contains(name.as_str())));
    (listed.run)(&Scene { history: &history, people: &people, ..*scene })
}

fn on_files(listed: &Listed, scene: &Scene<'_>) -> Result<Findings> {
    let (mut releases, mut rows) = (Vec::new(), Vec::new());
    for (at, held) in scene.history.releases.iter().enumerate().filter(|(_, held)| held.disguise.of.is_none()) {
        for view in held.views() {
            releases.push(view);
            rows.push(scene.rows.get(at).cloned().flatten());
        }
    }
    let history = History { releases, lost: scene.history.lost.clone() };
    (listed.run)(&Scene { history: &history, rows: &rows, ..*scene })
}

/// Whether any release shows a column.
fn is_shown(history: &History, name: &str) -> bool {
    history.releases.iter().flat_map(|held| &held.release.columns).any(|column| column.name == name)
}
