//! Exchangeability: exact posteriors without counting worlds, in histories where values or people can be exchanged.
//!
//! Applies to releases that list the values of a column by group, next to a table of people with owner links. People are
//! connected if they share a group. For each connected component:
//!
//! 1. All groups list the same values, each with the same count. Exchanging two values maps the possible worlds onto
//!    themselves. So all values have the same posterior for every person.
//! 2. One group contains all people of the component and lists one value per person, and all other groups have the same list.
//!    Exchanging two people maps the possible worlds onto themselves. So the posterior of a value is its relative frequency.
//!
//! If a component meets neither condition, there is no result, and the solver is needed. Results are exact: a law test of the
//! republication methods compares them with enumerated worlds.
//!
//! A person in groups with different lists therefore prevents a result, except under condition 1. Condition 1 does not need
//! the components.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::sensitive_domain::suppresses;
use crate::data::links::{ByOwner, Pseudonym};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::ratio::Ratio;
use crate::release::history::RecordedRelease;

/// The exact maximum posterior of a column in a history with exchangeable values or people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchangeability {
    /// Number of people in the history.
    pub people: u64,
    /// Maximum posterior over all people and values.
    pub max_posterior: Ratio,
}

/// Computes the maximum posterior of a column over all releases. Returns `None` if exchangeability is not established.
pub fn exchangeability(releases: &[&RecordedRelease], column: &str) -> Option<Exchangeability> {
    let shows = |recorded: &&&RecordedRelease| recorded.release.columns.iter().any(|shown| shown.name == column);
    let lists: Vec<&RecordedRelease> = releases.iter().filter(shows).copied().collect();
    let read = lists.par_iter().map(|list| ExchangeGroups::new(people_of(releases, list)?, list, column));
    let mut components = ExchangeComponents::default();
    read.collect::<Option<Vec<ExchangeGroups<'_>>>>()?.into_iter().try_for_each(|groups| components.add(groups))?;
    components.exchangeability()
}

/// Returns the table of people that a list is about. `None` if it is not a list of groups and values.
fn people_of<'h>(releases: &[&'h RecordedRelease], list: &RecordedRelease) -> Option<&'h RecordedRelease> {
    let number = list.presentation.about_release.filter(|_| list.links.is_none() && list.release.columns.len() == 2)?;
    let mut tables = releases
        .iter()
        .copied()
        .filter(|recorded| recorded.number == number && recorded.presentation.about_release.is_none());
    let people = tables.next().filter(|recorded| recorded.presentation.is_none() && recorded.links.is_some())?;
    tables.next().is_none().then_some(people)
}

/// Values of a list with their counts.
type ValueCounts<'h> = Vec<(&'h str, u64)>;

/// The groups of one release.
struct ExchangeGroups<'h> {
    /// Pseudonyms in ascending order.
    people: &'h [Pseudonym],
    /// Index of the group, by person.
    group_of: Vec<u32>,
    /// Number of people, by group.
    members: Vec<u64>,
    /// Index of the list, by group.
    list_of: Vec<u32>,
    /// Distinct lists.
    lists: Vec<ValueCounts<'h>>,
    /// Whether each value is listed once for the whole group.
    listed_once: bool,
}

impl<'h> ExchangeGroups<'h> {
    /// Reads the groups of a release. Returns `None` if an owner has several records, or if a group has no list.
    fn new(people: &'h RecordedRelease, list: &'h RecordedRelease, column: &str) -> Option<ExchangeGroups<'h>> {
        let columns = &list.release.columns;
        let value = columns.iter().position(|shown| shown.name == column && shown.role == Role::Sensitive)?;
        let mark = 1 - value;
        let there = people.release.columns.iter().position(|shown| shown.name == columns[mark].name)?;
        // Suppressed values are not supported.
        if list.release.contingency.codes[value].iter().any(|code| suppresses(&columns[value], *code)) {
            return None;
        }
        let links = people.links.as_ref()?;
        // Links are sorted by owner: an owner with several records occurs several times in a row.
        if !links.pseudonyms.is_sorted_by(|one, next| one < next) || links.records.iter().any(|records| *records != 1) {
            return None;
        }
        // Index of the group by code of the table of people, and label of the group by index.
        let mut group_ids: Vec<Option<u32>> = vec![None; people.release.columns[there].nodes.len()];
        let mut names: Vec<&str> = Vec::new();
        let mut members: Vec<u64> = Vec::new();
        let group_id = |cell: &u32| {
            let code = people.release.contingency.codes[there][*cell as usize];
            let group_id = *group_ids[code as usize].get_or_insert_with(|| {
                names.push(people.release.columns[there].label(code));
                members.push(0);
                names.len() as u32 - 1
            });
            members[group_id as usize] += 1;
            group_id
        };
        let group_of: Vec<u32> = links.cells.iter().map(group_id).collect();
        let (list_of, lists) = lists_of_groups(list, (mark, value), &names)?;
        Some(ExchangeGroups {
            people: &links.pseudonyms,
            group_of,
            members,
            list_of,
            lists,
            listed_once: list.presentation.values_listed_once,
        })
    }
}

/// Returns the index of the list of each named group, and the distinct lists. `None` if a group has no list of its own.
fn lists_of_groups<'h>(
    list: &'h RecordedRelease,
    (mark, value): (usize, usize),
    names: &[&str],
) -> Option<(Vec<u32>, Vec<ValueCounts<'h>>)> {
    let (columns, contingency) = (&list.release.columns, &list.release.contingency);
    let codes: HashMap<&str, Code> =
        (0..columns[mark].nodes.len() as Code).map(|code| (columns[mark].label(code), code)).collect();
    // Sort the rows by group (counting sort).
    let mut ends: Vec<u32> = vec![0; columns[mark].nodes.len() + 1];
    contingency.codes[mark].iter().for_each(|code| ends[*code as usize + 1] += 1);
    (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
    let starts = ends.clone();
    let mut rows: Vec<(Code, u64)> = vec![(0, 0); contingency.len()];
    for ((group, value), times) in
        contingency.codes[mark].iter().zip(&contingency.codes[value]).zip(&contingency.weights)
    {
        rows[ends[*group as usize] as usize] = (*value, *times);
        ends[*group as usize] += 1;
    }
    // Groups with equal labels are not supported.
    if codes.len() < columns[mark].nodes.len() {
        return None;
    }
    let mut met = vec![false; columns[mark].nodes.len()];
    let mut known: HashMap<Vec<(Code, u64)>, u32> = HashMap::new();
    let mut lists: Vec<ValueCounts<'h>> = Vec::new();
    let list_of_group = |name: &&str| {
        let group = *codes.get(name)? as usize;
        if std::mem::replace(&mut met[group], true) {
            return None;
        }
        let rows = &mut rows[starts[group] as usize..ends[group] as usize];
        rows.sort_unstable();
        Some(*known.entry_ref(&*rows).or_insert_with(|| {
            lists.push(rows.iter().map(|(value_code, times)| (columns[value].label(*value_code), *times)).collect());
            lists.len() as u32 - 1
        }))
    };
    let list_of = names.iter().map(list_of_group).collect::<Option<Vec<u32>>>()?;
    Some((list_of, lists))
}

/// A list: values in ascending order with their counts, and whether each value is listed once for the whole group.
type ListedValues<'h> = (ValueCounts<'h>, bool);

/// The groups of all releases, with the connected components of groups that have the same list (union-find).
#[derive(Default)]
struct ExchangeComponents<'h> {
    /// Index of the person's first group, by person.
    group_of: ByOwner<u32>,
    /// Index of the list, by group.
    list_of: Vec<u32>,
    /// Number of people, by group.
    members: Vec<u64>,
    /// Parent of the group in the union-find forest, by group.
    parent: Vec<u32>,
    /// Index of each distinct list.
    list_ids: HashMap<ListedValues<'h>, u32>,
    /// Index of the value set if all values of the list have the same count, by list.
    uniform: Vec<Option<u32>>,
    /// Index of each distinct value set.
    value_sets: HashMap<Vec<&'h str>, u32>,
}

impl<'h> ExchangeComponents<'h> {
    /// Adds the groups of a release. Returns `None` if a person is in groups that are not exchangeable.
    fn add(&mut self, groups: ExchangeGroups<'h>) -> Option<()> {
        let ExchangeGroups { people, group_of, members, list_of, lists, listed_once } = groups;
        let list_ids: Vec<u32> = lists.into_iter().map(|list| self.list_id(list, listed_once)).collect();
        let first = self.list_of.len() as u32;
        self.list_of.extend(list_of.iter().map(|list| list_ids[*list as usize]));
        self.members.extend(members);
        self.parent.extend(first..self.list_of.len() as u32);
        let mut group_of_owner = std::mem::take(&mut self.group_of);
        let mut joined = Some(());
        group_of_owner.add(people.iter().copied().zip(group_of.iter().map(|group| first + group)), |before, now| {
            joined = joined.and_then(|()| self.join(before, now));
            before
        });
        self.group_of = group_of_owner;
        joined
    }

    /// Returns the index of a list, and adds the list if it is new.
    fn list_id(&mut self, mut list: ValueCounts<'h>, listed_once: bool) -> u32 {
        list.sort_unstable();
        // Equal labels are one value.
        list.dedup_by(|next, one| {
            one.0 == next.0 && {
                one.1 += next.1;
                true
            }
        });
        let uniform = list.iter().all(|(_, times)| *times == list[0].1);
        let values: Vec<&str> = list.iter().map(|(value, _)| *value).collect();
        let next = self.uniform.len() as u32;
        *self.list_ids.entry((list, listed_once)).or_insert_with(|| {
            let number = self.value_sets.len() as u32;
            self.uniform.push(uniform.then(|| *self.value_sets.entry(values).or_insert(number)));
            next
        })
    }

    fn root(&mut self, mut group: u32) -> u32 {
        while self.parent[group as usize] != group {
            self.parent[group as usize] = self.parent[self.parent[group as usize] as usize];
            group = self.parent[group as usize];
        }
        group
    }

    /// Joins two groups that share a person. Returns `None` if they are not exchangeable.
    fn join(&mut self, one: u32, other: u32) -> Option<()> {
        let [list, other_list] = [one, other].map(|group| self.list_of[group as usize] as usize);
        match (self.uniform[list], self.uniform[other_list]) {
            (Some(values), Some(others)) if values == others => {}
            _ if list == other_list => {
                let (one, other) = (self.root(one), self.root(other));
                self.parent[other as usize] = one;
            }
            _ => return None,
        }
        Some(())
    }

    /// Computes the maximum posterior over all components.
    fn exchangeability(mut self) -> Option<Exchangeability> {
        // Number of people and size of the largest group, by root.
        let mut people: Vec<u64> = vec![0; self.list_of.len()];
        let group_of = std::mem::take(&mut self.group_of);
        group_of.values().iter().for_each(|group| people[self.root(*group) as usize] += 1);
        let mut largest = self.members.clone();
        for group in 0..self.list_of.len() as u32 {
            let root = self.root(group) as usize;
            largest[root] = largest[root].max(self.members[group as usize]);
        }
        let mut lists: Vec<&ListedValues<'_>> = vec![&EMPTY; self.list_ids.len()];
        self.list_ids.iter().for_each(|(list, at)| lists[*at as usize] = list);
        let mut max_posterior = Ratio::new(0, 1);
        for group in (0..self.list_of.len()).filter(|group| self.parent[*group] == *group as u32) {
            let list = lists[self.list_of[group] as usize];
            let posterior = match self.uniform[self.list_of[group] as usize].is_some() {
                true => uniform_posterior(list)?,
                false => listed_posterior(list, largest[group], people[group])?,
            };
            max_posterior = max_posterior.max(posterior);
        }
        Some(Exchangeability { people: group_of.len() as u64, max_posterior })
    }
}

static EMPTY: ListedValues<'_> = (Vec::new(), false);

/// Posterior under condition 1: all groups list the same values with the same counts.
fn uniform_posterior((list, _): &ListedValues<'_>) -> Option<Ratio> {
    (!list.is_empty()).then(|| Ratio::new(1, list.len() as u64))
}

/// Maximum posterior under condition 2: one group contains all people and lists one value per person.
fn listed_posterior((list, listed_once): &ListedValues<'_>, largest: u64, people: u64) -> Option<Ratio> {
    let all: u64 = list.iter().map(|(_, times)| times).sum();
    let most_frequent = list.iter().map(|(_, times)| *times).max()?;
    (!listed_once && largest == people && all == people).then(|| Ratio::new(most_frequent, all))
}
