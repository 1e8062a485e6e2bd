//! Joins the table of people with each value list of a republication method, for attacks that need one table.
//!
//! A method publishes the people with their groups, and in separate lists the values of each group. The join assigns an arbitrary
//! value of the group to each person. It keeps the group column, so that no attack uses the value of a single record. Values beyond
//! the number of people become counterfeit records. A list that contains every value once is repeated until it is long enough. In both
//! cases value counts are not counts of people ([`super::groups::has_exact_counts`]).

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::links::{Links, Pseudonym};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::release::history::{History, Presentation, RecordedRelease};
use crate::release::{PublishedColumn, Release};

use super::groups::with_role;

/// The history with every value list joined with its people.
///
/// A list stays separate if its people are not in the history or cannot be joined with it.
pub(super) fn with_values(history: &History) -> Cow<'_, History> {
    with_lists(history, |people, lists, releases| {
        let joined: Vec<Option<RecordedRelease>> = lists.iter().map(|list| reconstruct(people, list)).collect();
        let all = !joined.is_empty() && joined.iter().all(Option::is_some);
        if !all || !with_role(&people.release, Role::Sensitive).is_empty() {
            releases.push(people.clone());
        }
        releases.extend(joined.into_iter().zip(lists).map(|(joined, list)| joined.unwrap_or_else(|| (*list).clone())));
    })
}

/// The history without the value lists that can be joined with their people.
pub(super) fn people_only(history: &History) -> Cow<'_, History> {
    with_lists(history, |people, lists, releases| {
        let (matched, others): (Vec<&RecordedRelease>, Vec<&RecordedRelease>) =
            lists.iter().partition(|list| reconstruct(people, list).is_some());
        releases.push(without_group_columns(people, &matched));
        releases.extend(others.into_iter().cloned());
    })
}

/// Replaces each table of people and its value lists by the releases that `make` adds.
///
/// Returns the history unchanged if it has no value lists. Lists without people come last.
fn with_lists(
    history: &History,
    make: impl Fn(&RecordedRelease, &[&RecordedRelease], &mut Vec<RecordedRelease>),
) -> Cow<'_, History> {
    let history = history.in_views();
    if !history.releases.iter().any(|recorded| recorded.presentation.about_release.is_some()) {
        return history;
    }
    let mut lists: HashMap<u64, Vec<&RecordedRelease>> = HashMap::new();
    for recorded in &history.releases {
        recorded.presentation.about_release.into_iter().for_each(|of| lists.entry(of).or_default().push(recorded));
    }
    let mut releases = Vec::new();
    for people in history.releases.iter().filter(|recorded| recorded.presentation.about_release.is_none()) {
        make(people, &lists.remove(&people.number).unwrap_or_default(), &mut releases);
    }
    let mut without_people: Vec<&RecordedRelease> = lists.into_values().flatten().collect();
    without_people.sort_by_key(|recorded| recorded.number);
    releases.extend(without_people.into_iter().cloned());
    Cow::Owned(History { releases, erased: history.erased.clone(), owned: history.owned.clone() })
}

/// The table of people in which group columns are no quasi-identifiers.
fn without_group_columns(people: &RecordedRelease, lists: &[&RecordedRelease]) -> RecordedRelease {
    let mut people = people.clone();
    for list in lists {
        let group_columns = with_role(&list.release, Role::QuasiIdentifier);
        let is_group_column = |column: &PublishedColumn| {
            group_columns.iter().any(|group_column| list.release.columns[*group_column].name == column.name)
        };
        people
            .release
            .columns
            .iter_mut()
            .filter(|column| is_group_column(column))
            .for_each(|column| column.role = Role::Other);
    }
    people
}

/// People and values of one group.
#[derive(Default)]
struct ReconstructedClass {
    /// Records of people: index of the combination, and the owner if known.
    people: Vec<(u32, Option<Pseudonym>)>,
    /// Records of the list: index of the combination.
    values: Vec<u32>,
}

/// Joins a table of people with a value list.
///
/// None if the table of people is itself bucketized, if the list has several group columns or no sensitive column, or if the
/// list and the people do not have the same groups or the list has too few values.
fn reconstruct(people: &RecordedRelease, list: &RecordedRelease) -> Option<RecordedRelease> {
    let group_columns = with_role(&list.release, Role::QuasiIdentifier);
    let sensitive = with_role(&list.release, Role::Sensitive);
    if group_columns.len() > 1 || sensitive.is_empty() || !people.presentation.is_none() {
        return None;
    }
    let group_column = group_columns.first().map(|group_column| list.release.columns[*group_column].name.as_str());
    let index = match group_column {
        Some(group_column) => Some(people.release.columns.iter().position(|column| column.name == group_column)?),
        None => None,
    };
    let mut classes: HashMap<&str, ReconstructedClass> = HashMap::new();
    let of_people = |combo: u32| index.map_or("", |column| label(&people.release, column, combo));
    for (combo, person, records) in rows(people) {
        let class = classes.entry(of_people(combo)).or_default();
        class.people.extend((0..records).map(|_| (combo, person)));
    }
    for combo in 0..list.release.contingency.len() as u32 {
        let class = classes.get_mut(group_columns.first().map_or("", |column| label(&list.release, *column, combo)))?;
        class.values.extend((0..list.release.contingency.weights[combo as usize]).map(|_| combo));
    }
    // Number of records by pair of combinations (people, list), and the pairs of each owner.
    let mut pairs: HashMap<(u32, u32), Weight> = HashMap::new();
    let mut owners: Vec<(Pseudonym, (u32, u32))> = Vec::new();
    let mut is_set = list.presentation.values_listed_once;
    for ReconstructedClass { people, mut values } in classes.into_values() {
        if values.is_empty() || !list.presentation.values_listed_once && values.len() < people.len() {
            return None;
        }
        let times = people.len().div_ceil(values.len()).max(1);
        values = values.repeat(times);
        is_set |= values.len() > people.len();
        let last = people.last().map(|(combo, _)| (*combo, None))?;
        for (at, value) in values.into_iter().enumerate() {
            let (combo, person) = people.get(at).copied().unwrap_or(last);
            // Without a group column, all people are in one group, and their combinations do not matter.
            let pair = (if index.is_some() { combo } else { 0 }, value);
            *pairs.entry(pair).or_insert(0) += 1;
            owners.extend(person.map(|person| (person, pair)));
        }
    }
    let mut pairs: Vec<((u32, u32), Weight)> = pairs.into_iter().collect();
    pairs.sort_unstable();
    let at = |pair: &(u32, u32)| pairs.binary_search_by_key(pair, |(pair, _)| *pair).unwrap_or(0) as u32;
    let links = people
        .links
        .as_ref()
        .map(|_| Links::from_rows(owners.iter().map(|(person, pair)| (*person, at(pair))).collect()));
    let (mut columns, mut codes): (Vec<PublishedColumn>, Vec<Vec<Code>>) = (Vec::new(), Vec::new());
    for (at, column) in people.release.columns.iter().enumerate().filter(|_| index.is_some()) {
        // Group numbers are no attribute of people and have no meaning in another release.
        let role = if Some(at) == index { Role::Other } else { column.role };
        columns.push(PublishedColumn { role, ..column.clone() });
        codes.push(pairs.iter().map(|((combo, _), _)| people.release.contingency.codes[at][*combo as usize]).collect());
    }
    for at in sensitive {
        columns.push(list.release.columns[at].clone());
        codes.push(pairs.iter().map(|((_, combo), _)| list.release.contingency.codes[at][*combo as usize]).collect());
    }
    let weights = pairs.iter().map(|(_, records)| *records).collect();
    let combos = ContingencyTable { codes, weights, owners: None };
    let release = Release { columns, contingency: combos, suppressed: people.release.suppressed };
    let presentation = Presentation {
        group_column: group_column.map(str::to_owned),
        values_listed_once: is_set,
        ..Presentation::default()
    };
    Some(RecordedRelease { presentation, release, links, ..people.clone() })
}

/// Records of people: index of the combination, owner if known, number of records.
fn rows(people: &RecordedRelease) -> Vec<(u32, Option<Pseudonym>, Weight)> {
    match &people.links {
        Some(links) => {
            let row = |at: usize| (links.cells[at], Some(links.pseudonyms[at]), Weight::from(links.records[at]));
            (0..links.len()).map(row).collect()
        }
        None => {
            (0..).zip(&people.release.contingency.weights).map(|(combo, records)| (combo, None, *records)).collect()
        }
    }
}

fn label(release: &Release, column: usize, combo: u32) -> &str {
    release.columns[column].label(release.contingency.codes[column][combo as usize])
}
