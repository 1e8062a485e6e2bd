//! What a method published before, as it needs it again: who was in which group, and what was listed of it.

use std::borrow::Borrow;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::{List, Outcome, Reason, Record, Task};
use crate::history::Held;
use crate::links::{ByOwner, Pseudonym};
use crate::release::Release;
use crate::schema::Role;
use crate::taxonomy::Code;

/// What a method published before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// Its releases, oldest first.
    pub releases: Vec<ShownRelease>,
    /// By owner who was ever published: the mark of their sensitive values.
    pub marks: ByOwner<u32>,
    /// By owner whose record waited at the newest release: for how many releases by then.
    pub waiting: ByOwner<u32>,
}

/// What a method remembers of somebody besides what it published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remembered {
    /// Who.
    pub who: Pseudonym,
    /// The mark of their sensitive values.
    pub mark: u32,
    /// For how many releases their record waited; 0 when it is published.
    pub waited: u32,
}

impl Outcome {
    /// What is to be remembered, ascending by owner.
    pub fn remembered(&self, task: &Task<'_>) -> Vec<Remembered> {
        let published = self.groups.iter().flat_map(|group| &group.members).map(|at| (*at, 0));
        let starved = self.withheld.iter().filter(|(_, reason)| *reason == Reason::Starved);
        let starved = starved.map(|(at, _)| (*at, task.waited(*at as usize)));
        let all = published.chain(self.waiting.iter().copied()).chain(starved);
        let remember = |(at, waited): (u32, u32)| {
            let Record { who, mark, .. } = task.records[at as usize];
            Remembered { who, mark, waited }
        };
        let mut remembered: Vec<Remembered> = all.map(remember).collect();
        remembered.sort_unstable();
        remembered
    }
}

/// A release as the method needs it again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShownRelease {
    /// Its number in the ledger.
    pub number: u64,
    /// Its people, ascending.
    pub who: Vec<Pseudonym>,
    /// The group of each, numbered as they are met.
    pub of: Vec<u32>,
    /// By group: by sensitive column, what is listed.
    pub lists: Vec<Lists>,
}

impl ShownRelease {
    /// Its groups, with their people.
    pub fn groups(&self) -> Vec<ShownGroup> {
        let mut sizes = vec![0; self.lists.len()];
        self.of.iter().for_each(|group| sizes[*group as usize] += 1);
        let group =
            |(lists, size): (&Lists, usize)| ShownGroup { members: Vec::with_capacity(size), lists: lists.clone() };
        let mut groups: Vec<ShownGroup> = self.lists.iter().zip(sizes).map(group).collect();
        self.of.iter().zip(&self.who).for_each(|(group, who)| groups[*group as usize].members.push(*who));
        groups
    }
}

/// A group as it was published.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShownGroup {
    /// Its people, ascending.
    pub members: Vec<Pseudonym>,
    /// By sensitive column: what is listed.
    pub lists: Lists,
}

/// By sensitive column, ascending by name: what is listed. Groups that list the same share it.
pub type Lists = Arc<Vec<(String, List)>>;

impl ShownGroup {
    /// What is listed of a column.
    pub fn list(&self, column: &str) -> Option<&List> {
        list_of(&self.lists, column)
    }
}

/// What is listed of a column.
pub(super) fn list_of<'l>(lists: &'l Lists, column: &str) -> Option<&'l List> {
    lists.iter().find(|(name, _)| name == column).map(|(_, list)| list)
}

impl Past {
    /// From releases as they are held: tables of people, each followed by its lists; and what is remembered, release by release.
    pub fn of<H: Borrow<Held> + Sync>(held: &[H], remembered: &[Vec<Remembered>]) -> Past {
        let mut past = Past::default();
        remembered.iter().for_each(|release| past.remember(release));
        let releases: Vec<&[H]> = held.chunk_by(|_, next| next.borrow().disguise.of.is_some()).collect();
        let read: Vec<Read<'_>> = releases.par_iter().filter_map(|tables| Read::of(tables)).collect();
        let mut known = Known::default();
        past.releases = read.into_iter().map(|read| read.shown(&mut known)).collect();
        past
    }

    /// Adds what is remembered of the next release, ascending by owner.
    pub fn remember(&mut self, release: &[Remembered]) {
        let waits = |one: &&Remembered| one.waited > 0;
        self.waiting = release.iter().filter(waits).map(|one| (one.who, one.waited)).collect();
        let published = release.iter().filter(|one| !waits(one));
        self.marks.add(published.map(|one| (one.who, one.mark)), |_, now| now);
    }
}

/// What groups list, each kind kept once: groups by the thousand list the same.
type Known = HashSet<Lists>;

/// One value of a list: the place of the list among its release's, the code of the value, and how often it is listed.
type Listed = (u32, Code, u64);

/// A release as it was read.
struct Read<'h> {
    people: &'h Held,
    lists: Vec<(&'h Held, usize)>,
    of: Vec<u32>,
    /// By group: the kind of its lists.
    kind: Vec<u32>,
    kinds: Vec<Vec<Listed>>,
}

impl<'h> Read<'h> {
    /// One release, from its table of people and its lists.
    fn of<H: Borrow<Held>>(tables: &'h [H]) -> Option<Read<'h>> {
        let (people, lists) = tables.split_first()?;
        let people: &Held = people.borrow();
        let (column, codes) = (&people.release.columns[0], &people.release.combos.codes[0]);
        // By code of the group column: the place of the group.
        let mut places: Vec<Option<u32>> = vec![None; column.nodes.len()];
        let mut groups = 0;
        let place = |combo: &u32| {
            *places[codes[*combo as usize] as usize].get_or_insert_with(|| {
                groups += 1;
                groups - 1
            })
        };
        let of: Vec<u32> = people.links.iter().flat_map(|links| &links.combos).map(place).collect();
        let called: HashMap<&str, u32> =
            (0..).zip(&places).filter_map(|(code, place)| Some((column.label(code), (*place)?))).collect();
        let mut read = Read { people, lists: Vec::new(), of, kind: Vec::new(), kinds: Vec::new() };
        let mut rows: Vec<(u32, Listed)> = Vec::new();
        for (at, held) in (0..).zip(lists.iter().map(H::borrow)) {
            let Release { columns, combos, .. } = &held.release;
            let mark = columns.iter().position(|column| column.role == Role::QuasiIdentifier);
            let value = columns.iter().position(|column| column.role == Role::Sensitive);
            read.lists.push((held, value.unwrap_or(0)));
            let (Some(mark), Some(value)) = (mark, value) else { continue };
            let of = |code: usize| called.get(columns[mark].label(code as u32)).copied();
            let of: Vec<Option<u32>> = (0..columns[mark].nodes.len()).map(of).collect();
            let row = |combo: usize| {
                let listed = (at, combos.codes[value][combo], combos.weights[combo]);
                Some((of[combos.codes[mark][combo] as usize]?, listed))
            };
            rows.extend((0..combos.len()).filter_map(row));
        }
        read.put(groups as usize, rows);
        Some(read)
    }

    /// What is listed, group by group.
    fn put(&mut self, groups: usize, rows: Vec<(u32, Listed)>) {
        let mut ends: Vec<usize> = vec![0; groups + 1];
        rows.iter().for_each(|(group, _)| ends[*group as usize + 1] += 1);
        (0..groups).for_each(|at| ends[at + 1] += ends[at]);
        let starts = ends.clone();
        let mut ordered: Vec<Listed> = vec![(0, 0, 0); rows.len()];
        for (group, listed) in rows {
            ordered[ends[group as usize]] = listed;
            ends[group as usize] += 1;
        }
        let mut known: HashMap<Vec<Listed>, u32> = HashMap::new();
        for group in 0..groups {
            let listed = &mut ordered[starts[group]..ends[group]];
            listed.sort_unstable();
            let kind = *known.entry_ref(&*listed).or_insert_with(|| {
                self.kinds.push(listed.to_vec());
                self.kinds.len() as u32 - 1
            });
            self.kind.push(kind);
        }
    }

    fn shown(self, known: &mut Known) -> ShownRelease {
        let of_column = |same: &[Listed]| {
            let (held, column) = self.lists[same[0].0 as usize];
            let column = &held.release.columns[column];
            let mut values: Vec<(String, u64)> =
                same.iter().map(|(_, code, times)| (column.label(*code).to_owned(), *times)).collect();
            values.sort_unstable();
            // What is listed twice tells how often it is there, whatever was said of the list.
            let set = held.disguise.set && values.iter().all(|(_, times)| *times == 1);
            (column.name.clone(), List { values, set })
        };
        let lists = |kind: &Vec<Listed>| -> Lists {
            let mut lists: Vec<(String, List)> = kind.chunk_by(|one, next| one.0 == next.0).map(of_column).collect();
            // In an order of their own: that of a policy's columns says nothing.
            lists.sort_by(|one, other| one.0.cmp(&other.0));
            known.get_or_insert(Arc::new(lists)).clone()
        };
        let kinds: Vec<Lists> = self.kinds.iter().map(lists).collect();
        ShownRelease {
            number: self.people.number,
            who: self.people.links.as_ref().map(|links| links.pseudonyms.clone()).unwrap_or_default(),
            of: self.of,
            lists: self.kind.iter().map(|kind| kinds[*kind as usize].clone()).collect(),
        }
    }
}
