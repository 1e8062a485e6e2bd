//! Attacks of the literature, one file each.
//!
//! An attack uses the published releases and the declared background knowledge. It never sees the source table, an algorithm
//! or a model. Every attack takes an [`AttackInput`] and returns [`Findings`], worst first. An attack that cannot run returns an
//! error, never an empty list of findings.

pub mod attribute_linkage;
pub mod backward_correspondence;
pub mod complementary_release;
mod correspondence;
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
mod input;
pub mod intersection;
pub mod join;
mod knowledge;
mod max_flow;
pub mod minimality;
mod reconstruct;
pub mod record_linkage;
pub mod similarity;
pub mod skewness;
pub mod table_linkage;
#[cfg(test)]
mod tests;
pub mod unsorted_matching;

use hashbrown::HashSet;

use crate::error::Result;
use crate::registry::{Entry, Kind, unknown};
use crate::release::history::History;
use reconstruct::{people_only, with_values};

pub use finding::{AttackConfidence, DisclosedValue, Finding, Findings};
pub use input::AttackInput;
pub use knowledge::KnownPerson;

/// Definition of an attack: catalogue entry, target and function.
#[derive(Debug, Clone, Copy)]
pub struct AttackDef {
    /// Catalogue entry.
    pub entry: Entry,
    /// Form in which the attack reads a bucketized release.
    pub target: AttackTarget,
    /// Function that runs the attack.
    pub run: fn(&AttackInput<'_>) -> Result<Findings>,
}

/// Form in which an attack reads a release that publishes people and value lists in separate tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttackTarget {
    /// One table per value list: the people of each group with the values of the group.
    Values,
    /// The table of people only, without records added for counterfeit values.
    People,
    /// The published files of people, row by row, without value lists.
    Files,
}

/// All attacks.
pub const LIST: &[AttackDef] = &[
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
///
/// # Errors
///
/// Returns an error if no attack has the id, if a parameter is invalid, or if the attack cannot run on the input.
pub fn run(id: &str, input: &AttackInput<'_>) -> Result<Findings> {
    let attack = LIST.iter().find(|attack| attack.entry.id == id);
    let attack = attack.ok_or_else(|| unknown(Kind::Attack, id, LIST.iter().map(|attack| &attack.entry)))?;
    match attack.target {
        AttackTarget::Values => (attack.run)(&AttackInput { history: &with_values(input.history), ..*input }),
        AttackTarget::People => run_on_people(attack, input),
        AttackTarget::Files => run_on_files(attack, input),
    }
}

fn run_on_people(attack: &AttackDef, input: &AttackInput<'_>) -> Result<Findings> {
    let history = people_only(input.history);
    // Facts about columns that only value lists publish cannot be matched with records of people.
    let is_list_only = |name: &str| !has_column(&history, name) && has_column(input.history, name);
    let columns = input.people.iter().flat_map(|person| &person.facts).map(|(name, _)| name.as_str());
    let mut list_only_columns: HashSet<&str> = columns.collect();
    list_only_columns.retain(|name| is_list_only(name));
    if list_only_columns.is_empty() {
        return (attack.run)(&AttackInput { history: &history, ..*input });
    }
    let mut people = input.people.to_vec();
    people.iter_mut().for_each(|person| person.facts.retain(|(name, _)| !list_only_columns.contains(name.as_str())));
    (attack.run)(&AttackInput { history: &history, people: &people, ..*input })
}

fn run_on_files(attack: &AttackDef, input: &AttackInput<'_>) -> Result<Findings> {
    let (mut releases, mut rows) = (Vec::new(), Vec::new());
    for (index, recorded) in
        input.history.releases.iter().enumerate().filter(|(_, recorded)| recorded.presentation.about_release.is_none())
    {
        for view in recorded.views() {
            releases.push(view);
            rows.push(input.rows.get(index).cloned().flatten());
        }
    }
    let history = History { releases, erased: input.history.erased.clone(), owned: input.history.owned.clone() };
    (attack.run)(&AttackInput { history: &history, rows: &rows, ..*input })
}

/// Whether any release publishes the column.
fn has_column(history: &History, name: &str) -> bool {
    history.releases.iter().flat_map(|recorded| &recorded.release.columns).any(|column| column.name == name)
}
