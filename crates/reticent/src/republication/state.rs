//! State of a method: its earlier releases, with the groups of the people and the lists of the groups.

use std::borrow::Borrow;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::{GroupingOutcome, List, OrdinaryClasses, Reason, RepublicationTask, SourceRecord};
use crate::data::links::{ByOwner, Pseudonym};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::release::Release;
use crate::release::history::RecordedRelease;

/// State of a method: its earlier releases, and what it recorded about people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MethodState {
    /// Earlier releases, oldest first.
    pub releases: Vec<EarlierRelease>,
    /// Classes of ordinary releases, whose people the series continues, oldest first.
    pub classes: Vec<OrdinaryClasses>,
    /// Keyed hash of the sensitive values, by owner who was ever published.
    pub marks: ByOwner<u32>,
    /// Number of releases for which a record is postponed, by owner. Only records postponed at the newest release.
    pub postponed: ByOwner<u32>,
}

/// State of one person, which is stored in addition to the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PersonState {
    /// Pseudonym of the person.
    pub person: Pseudonym,
    /// Keyed hash of the sensitive values.
    pub value_mark: u32,
    /// Number of releases for which the record is postponed; 0 if it is published.
    pub times_postponed: u32,
}

impl GroupingOutcome {
    /// Returns the states to store, in ascending order of owners.
    pub fn person_states(&self, task: &RepublicationTask<'_>) -> Vec<PersonState> {
        let published = self.groups.iter().flat_map(|group| &group.members).map(|at| (*at, 0));
        let starved = self.withheld.iter().filter(|(_, reason)| *reason == Reason::Starved);
        let starved = starved.map(|(at, _)| (*at, task.times_postponed(*at as usize)));
        let all = published.chain(self.postponed.iter().copied()).chain(starved);
        let state_of = |(at, times_postponed): (u32, u32)| {
            let SourceRecord { person, value_mark, .. } = task.records[at as usize];
            PersonState { person, value_mark, times_postponed }
        };
        let mut states: Vec<PersonState> = all.map(state_of).collect();
        states.sort_unstable();
        states
    }
}

/// An earlier release of the method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EarlierRelease {
    /// Number in the ledger.
    pub number: u64,
    /// Published people in ascending order.
    pub people: Vec<Pseudonym>,
    /// Index of the group, by person, in the order of `people`.
    pub group_of: Vec<u32>,
    /// Lists of sensitive values, by group.
    pub lists: Vec<Lists>,
}

impl EarlierRelease {
    /// Returns the groups with their members.
    pub fn groups(&self) -> Vec<EarlierGroup> {
        let mut sizes = vec![0; self.lists.len()];
        self.group_of.iter().for_each(|group| sizes[*group as usize] += 1);
        let group =
            |(lists, size): (&Lists, usize)| EarlierGroup { members: Vec::with_capacity(size), lists: lists.clone() };
        let mut groups: Vec<EarlierGroup> = self.lists.iter().zip(sizes).map(group).collect();
        self.group_of
            .iter()
            .zip(&self.people)
            .for_each(|(group, person)| groups[*group as usize].members.push(*person));
        groups
    }
}

/// A group of an earlier release.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EarlierGroup {
    /// Members in ascending order.
    pub members: Vec<Pseudonym>,
    /// Lists of sensitive values.
    pub lists: Lists,
}

/// Lists by name of the sensitive column, in ascending order. Groups with equal lists share them.
pub type Lists = Arc<Vec<(String, List)>>;

impl EarlierGroup {
    /// Returns the list of a column.
    pub fn list(&self, column: &str) -> Option<&List> {
        list_for_column(&self.lists, column)
    }
}

/// Returns the list of a column.
pub(super) fn list_for_column<'l>(lists: &'l Lists, column: &str) -> Option<&'l List> {
    lists.iter().find(|(name, _)| name == column).map(|(_, list)| list)
}

impl MethodState {
    /// Builds the state from recorded releases and the stored person states by release.
    ///
    /// `recorded` has, for each release, the table of people followed by its lists.
    pub fn new<H: Borrow<RecordedRelease> + Sync>(recorded: &[H], states: &[Vec<PersonState>]) -> MethodState {
        let mut past = MethodState::default();
        states.iter().for_each(|release| past.update(release));
        let releases: Vec<&[H]> =
            recorded.chunk_by(|_, next| next.borrow().presentation.about_release.is_some()).collect();
        let reader: Vec<HistoryReader<'_>> =
            releases.par_iter().filter_map(|tables| HistoryReader::new(tables)).collect();
        let mut pool = ListPool::default();
        past.releases = reader.into_iter().map(|reader| reader.into_release(&mut pool)).collect();
        past
    }

    /// Adds the person states of the next release, in ascending order of owners.
    pub fn update(&mut self, release: &[PersonState]) {
        let is_postponed = |one: &&PersonState| one.times_postponed > 0;
        self.postponed = release.iter().filter(is_postponed).map(|one| (one.person, one.times_postponed)).collect();
        let published = release.iter().filter(|one| !is_postponed(one));
        self.marks.add(published.map(|one| (one.person, one.value_mark)), |_, now| now);
    }
}

/// Pool of distinct lists. Many groups have equal lists.
type ListPool = HashSet<Lists>;

/// An element of a list: (index of the list in the release, code of the value, count).
type ListedCount = (u32, Code, u64);

/// Reader of one recorded release.
struct HistoryReader<'h> {
    people: &'h RecordedRelease,
    lists: Vec<(&'h RecordedRelease, usize)>,
    group_of: Vec<u32>,
    /// Index into `list_kinds`, by group.
    list_kind: Vec<u32>,
    /// Distinct lists of the release.
    list_kinds: Vec<Vec<ListedCount>>,
}

impl<'h> HistoryReader<'h> {
    /// Reads a release from its table of people and its lists. Returns `None` if there is no table.
    fn new<H: Borrow<RecordedRelease>>(tables: &'h [H]) -> Option<HistoryReader<'h>> {
        let (people, lists) = tables.split_first()?;
        let people: &RecordedRelease = people.borrow();
        let (column, codes) = (&people.release.columns[0], &people.release.contingency.codes[0]);
        // Index of the group, by code of the group column.
        let mut places: Vec<Option<u32>> = vec![None; column.nodes.len()];
        let mut groups = 0;
        let place = |combo: &u32| {
            *places[codes[*combo as usize] as usize].get_or_insert_with(|| {
                groups += 1;
                groups - 1
            })
        };
        let of: Vec<u32> = people.links.iter().flat_map(|links| &links.cells).map(place).collect();
        let groups_by_label: HashMap<&str, u32> =
            (0..).zip(&places).filter_map(|(code, place)| Some((column.label(code), (*place)?))).collect();
        let mut reader =
            HistoryReader { people, lists: Vec::new(), group_of: of, list_kind: Vec::new(), list_kinds: Vec::new() };
        let mut rows: Vec<(u32, ListedCount)> = Vec::new();
        for (at, recorded) in (0..).zip(lists.iter().map(H::borrow)) {
            let Release { columns, contingency, .. } = &recorded.release;
            let group_column = columns.iter().position(|column| column.role == Role::QuasiIdentifier);
            let value = columns.iter().position(|column| column.role == Role::Sensitive);
            reader.lists.push((recorded, value.unwrap_or(0)));
            let (Some(group_column), Some(value)) = (group_column, value) else { continue };
            let of = |code: usize| groups_by_label.get(columns[group_column].label(code as u32)).copied();
            let of: Vec<Option<u32>> = (0..columns[group_column].nodes.len()).map(of).collect();
            let row = |combo: usize| {
                let listed = (at, contingency.codes[value][combo], contingency.weights[combo]);
                Some((of[contingency.codes[group_column][combo] as usize]?, listed))
            };
            rows.extend((0..contingency.len()).filter_map(row));
        }
        reader.set_lists(groups as usize, rows);
        Some(reader)
    }

    /// Sets the lists of all groups from rows of (group, element).
    fn set_lists(&mut self, groups: usize, rows: Vec<(u32, ListedCount)>) {
        let mut ends: Vec<usize> = vec![0; groups + 1];
        rows.iter().for_each(|(group, _)| ends[*group as usize + 1] += 1);
        (0..groups).for_each(|at| ends[at + 1] += ends[at]);
        let starts = ends.clone();
        let mut ordered: Vec<ListedCount> = vec![(0, 0, 0); rows.len()];
        for (group, listed) in rows {
            ordered[ends[group as usize]] = listed;
            ends[group as usize] += 1;
        }
        let mut pool: HashMap<Vec<ListedCount>, u32> = HashMap::new();
        for group in 0..groups {
            let listed = &mut ordered[starts[group]..ends[group]];
            listed.sort_unstable();
            let kind = *pool.entry_ref(&*listed).or_insert_with(|| {
                self.list_kinds.push(listed.to_vec());
                self.list_kinds.len() as u32 - 1
            });
            self.list_kind.push(kind);
        }
    }

    fn into_release(self, pool: &mut ListPool) -> EarlierRelease {
        let of_column = |same: &[ListedCount]| {
            let (recorded, column) = self.lists[same[0].0 as usize];
            let column = &recorded.release.columns[column];
            let mut values: Vec<(String, u64)> =
                same.iter().map(|(_, code, times)| (column.label(*code).to_owned(), *times)).collect();
            values.sort_unstable();
            // A count above 1 makes the list a multiset, whatever its presentation.
            let set = recorded.presentation.values_listed_once && values.iter().all(|(_, times)| *times == 1);
            (column.name.clone(), List { values, is_set: set })
        };
        let lists = |kind: &Vec<ListedCount>| -> Lists {
            let mut lists: Vec<(String, List)> = kind.chunk_by(|one, next| one.0 == next.0).map(of_column).collect();
            // Sorted by name, because the order of the columns in a policy may change.
            lists.sort_by(|one, other| one.0.cmp(&other.0));
            pool.get_or_insert(Arc::new(lists)).clone()
        };
        let kinds: Vec<Lists> = self.list_kinds.iter().map(lists).collect();
        EarlierRelease {
            number: self.people.number,
            people: self.people.links.as_ref().map(|links| links.pseudonyms.clone()).unwrap_or_default(),
            group_of: self.group_of,
            lists: self.list_kind.iter().map(|kind| kinds[*kind as usize].clone()).collect(),
        }
    }
}
