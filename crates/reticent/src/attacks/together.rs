//! People and lists about them, put together: one table for every list, as attacks look at it.
//!
//! A method publishes its people, with their groups, and apart from them what each group has. Here everybody gets some value that
//! their group lists, whichever: the table marks its groups, so that no attack takes a record's own value for its owner's. What is
//! listed beyond the people is in records of nobody; a list that names every value once is repeated until it is long enough. Either
//! is said ([`super::groups::counts_people`]), so that nothing is concluded from how often a value is listed.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::combos::{Combos, Weight};
use crate::history::{Disguise, Held, History};
use crate::links::{Links, Pseudonym};
use crate::release::{PublishedColumn, Release};
use crate::schema::Role;
use crate::taxonomy::Code;

use super::groups::with_role;

/// The history with every list put together with its people. A list whose people are not held, or do not fit, stays as it is.
pub(super) fn with_values(history: &History) -> Cow<'_, History> {
    with_lists(history, |people, lists, releases| {
        let put: Vec<Option<Held>> = lists.iter().map(|list| put_together(people, list)).collect();
        let all = !put.is_empty() && put.iter().all(Option::is_some);
        if !all || !with_role(&people.release, Role::Sensitive).is_empty() {
            releases.push(people.clone());
        }
        releases.extend(put.into_iter().zip(lists).map(|(put, list)| put.unwrap_or_else(|| (*list).clone())));
    })
}

/// The history with people alone in place of the lists about them. A list whose people are not held, or do not fit, stays as it is.
pub(super) fn people_alone(history: &History) -> Cow<'_, History> {
    with_lists(history, |people, lists, releases| {
        let (fit, others): (Vec<&Held>, Vec<&Held>) =
            lists.iter().partition(|list| put_together(people, list).is_some());
        releases.push(without_marks(people, &fit));
        releases.extend(others.into_iter().cloned());
    })
}

/// What is made of people and the lists about them, in the place of both; as it is where there are no lists.
fn with_lists(history: &History, make: impl Fn(&Held, &[&Held], &mut Vec<Held>)) -> Cow<'_, History> {
    let history = history.in_views();
    if !history.releases.iter().any(|held| held.disguise.of.is_some()) {
        return history;
    }
    let mut lists: HashMap<u64, Vec<&Held>> = HashMap::new();
    for held in &history.releases {
        held.disguise.of.into_iter().for_each(|of| lists.entry(of).or_default().push(held));
    }
    let mut releases = Vec::new();
    for people in history.releases.iter().filter(|held| held.disguise.of.is_none()) {
        make(people, &lists.remove(&people.number).unwrap_or_default(), &mut releases);
    }
    let mut without_people: Vec<&Held> = lists.into_values().flatten().collect();
    without_people.sort_by_key(|held| held.number);
    releases.extend(without_people.into_iter().cloned());
    Cow::Owned(History { releases, lost: history.lost.clone() })
}

/// The people, where the columns by which lists say whom they are about are not theirs.
fn without_marks(people: &Held, lists: &[&Held]) -> Held {
    let mut people = people.clone();
    for list in lists {
        let marks = with_role(&list.release, Role::QuasiIdentifier);
        let is_mark =
            |column: &PublishedColumn| marks.iter().any(|mark| list.release.columns[*mark].name == column.name);
        people.release.columns.iter_mut().filter(|column| is_mark(column)).for_each(|column| column.role = Role::Other);
    }
    people
}

/// Where people and values of a group come together.
#[derive(Default)]
struct Class {
    /// Rows of people: the combination, and whose it is where that is known.
    people: Vec<(u32, Option<Pseudonym>)>,
    /// Rows of the list: the combination.
    values: Vec<u32>,
}

/// The people with a list about them. None unless the list says by at most one column whom it is about, and has something for all.
fn put_together(people: &Held, list: &Held) -> Option<Held> {
    let marks = with_role(&list.release, Role::QuasiIdentifier);
    let sensitive = with_role(&list.release, Role::Sensitive);
    if marks.len() > 1 || sensitive.is_empty() || !people.disguise.is_none() {
        return None;
    }
    let mark = marks.first().map(|mark| list.release.columns[*mark].name.as_str());
    let place = match mark {
        Some(mark) => Some(people.release.columns.iter().position(|column| column.name == mark)?),
        None => None,
    };
    let mut classes: HashMap<&str, Class> = HashMap::new();
    let of_people = |combo: u32| place.map_or("", |column| label(&people.release, column, combo));
    for (combo, who, records) in rows(people) {
        let class = classes.entry(of_people(combo)).or_default();
        class.people.extend((0..records).map(|_| (combo, who)));
    }
    for combo in 0..list.release.combos.len() as u32 {
        let class = classes.get_mut(marks.first().map_or("", |column| label(&list.release, *column, combo)))?;
        class.values.extend((0..list.release.combos.weights[combo as usize]).map(|_| combo));
    }
    // By combination of the people and of the list, how many records; and whose.
    let mut pairs: HashMap<(u32, u32), Weight> = HashMap::new();
    let mut whose: Vec<(Pseudonym, (u32, u32))> = Vec::new();
    let mut set = list.disguise.set;
    for Class { people, mut values } in classes.into_values() {
        if values.is_empty() || !list.disguise.set && values.len() < people.len() {
            return None;
        }
        let times = people.len().div_ceil(values.len()).max(1);
        values = values.repeat(times);
        set |= values.len() > people.len();
        let last = people.last().map(|(combo, _)| (*combo, None))?;
        for (at, value) in values.into_iter().enumerate() {
            let (combo, who) = people.get(at).copied().unwrap_or(last);
            // Without a mark nobody is in one group more than in another.
            let pair = (if place.is_some() { combo } else { 0 }, value);
            *pairs.entry(pair).or_insert(0) += 1;
            whose.extend(who.map(|who| (who, pair)));
        }
    }
    let mut pairs: Vec<((u32, u32), Weight)> = pairs.into_iter().collect();
    pairs.sort_unstable();
    let at = |pair: &(u32, u32)| pairs.binary_search_by_key(pair, |(pair, _)| *pair).unwrap_or(0) as u32;
    let links =
        people.links.as_ref().map(|_| Links::collect(whose.iter().map(|(who, pair)| (*who, at(pair))).collect()));
    let (mut columns, mut codes): (Vec<PublishedColumn>, Vec<Vec<Code>>) = (Vec::new(), Vec::new());
    for (at, column) in people.release.columns.iter().enumerate().filter(|_| place.is_some()) {
        // Numbers of groups say nothing about people, and nothing in another release.
        let role = if Some(at) == place { Role::Other } else { column.role };
        columns.push(PublishedColumn { role, ..column.clone() });
        codes.push(pairs.iter().map(|((combo, _), _)| people.release.combos.codes[at][*combo as usize]).collect());
    }
    for at in sensitive {
        columns.push(list.release.columns[at].clone());
        codes.push(pairs.iter().map(|((_, combo), _)| list.release.combos.codes[at][*combo as usize]).collect());
    }
    let weights = pairs.iter().map(|(_, records)| *records).collect();
    let combos = Combos { codes, weights, owners: None };
    let release = Release { columns, combos, suppressed: people.release.suppressed };
    let disguise = Disguise { groups: mark.map(str::to_owned), set, ..Disguise::default() };
    Some(Held { disguise, release, links, ..people.clone() })
}

/// Rows of people: the combination, whose where that is known, and how many.
fn rows(people: &Held) -> Vec<(u32, Option<Pseudonym>, Weight)> {
    match &people.links {
        Some(links) => {
            let row = |at: usize| (links.combos[at], Some(links.pseudonyms[at]), Weight::from(links.records[at]));
            (0..links.len()).map(row).collect()
        }
        None => (0..).zip(&people.release.combos.weights).map(|(combo, records)| (combo, None, *records)).collect(),
    }
}

fn label(release: &Release, column: usize, combo: u32) -> &str {
    release.columns[column].label(release.combos.codes[column][combo as usize])
}
