//! Histories in which values can be exchanged: what they tell is known without counting a world.
//!
//! For releases that list, group by group, the values of a column beside a table of people whose owners are known. People hang
//! together when they share a group. Of those who do,
//!
//! 1. if all their groups list the same values, each of these as often as the others: exchanging two of the values in all worlds
//!    leads to all worlds again, so everybody has each with the same probability;
//! 2. if one group has all of them and lists one value for each, and the others list the same: exchanging two people leads to all worlds again,
//!    so everybody has a value as likely as it is listed.
//!
//! Else nothing is said here, and the audit is asked. What is said is exact; the law of methods compares it with worlds that are
//! counted one by one.
//!
//! So whoever is in groups that list different things, unless it is the same values evenly, leaves nothing to be said; and for 1 it is
//! not needed to know who hangs together.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::secrets::hides;
use crate::history::Held;
use crate::links::{ByOwner, Pseudonym};
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::Code;

/// What a history tells of a column, exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchanged {
    /// People in it.
    pub people: u64,
    /// The greatest probability of a value of anybody.
    pub most: Share,
}

/// What releases tell together of a column, where values or people can be exchanged; none where that is not seen.
pub fn exchanged(releases: &[&Held], column: &str) -> Option<Exchanged> {
    let shows = |held: &&&Held| held.release.columns.iter().any(|shown| shown.name == column);
    let lists: Vec<&Held> = releases.iter().filter(shows).copied().collect();
    let read = lists.par_iter().map(|list| Groups::of(people_of(releases, list)?, list, column));
    let mut together = Together::default();
    read.collect::<Option<Vec<Groups<'_>>>>()?.into_iter().try_for_each(|groups| together.add(groups))?;
    together.judge()
}

/// The table of the people whom a list is about; none when it is no plain list.
fn people_of<'h>(releases: &[&'h Held], list: &Held) -> Option<&'h Held> {
    let number = list.disguise.of.filter(|_| list.links.is_none() && list.release.columns.len() == 2)?;
    let mut tables = releases.iter().copied().filter(|held| held.number == number && held.disguise.of.is_none());
    let people = tables.next().filter(|held| held.disguise.is_none() && held.links.is_some())?;
    tables.next().is_none().then_some(people)
}

/// By value, how often it is listed.
type Values<'h> = Vec<(&'h str, u64)>;

/// The groups of a release.
struct Groups<'h> {
    /// The people, ascending, and the group of each.
    who: &'h [Pseudonym],
    of: Vec<u32>,
    /// By group: how many people it has, and what it lists, by place among the kinds of lists.
    members: Vec<u64>,
    list: Vec<u32>,
    kinds: Vec<Values<'h>>,
    /// Whether values are listed once, however many have them.
    set: bool,
}

impl<'h> Groups<'h> {
    /// None where owners have several records, or a group is not listed.
    fn of(people: &'h Held, list: &'h Held, column: &str) -> Option<Groups<'h>> {
        let columns = &list.release.columns;
        let value = columns.iter().position(|shown| shown.name == column && shown.role == Role::Sensitive)?;
        let mark = 1 - value;
        let there = people.release.columns.iter().position(|shown| shown.name == columns[mark].name)?;
        // What a hidden cell hides is not seen here.
        if list.release.combos.codes[value].iter().any(|code| hides(&columns[value], *code)) {
            return None;
        }
        let links = people.links.as_ref()?;
        // Links are ascending by owner: somebody with several records is seen twice in a row.
        if !links.pseudonyms.is_sorted_by(|one, next| one < next) || links.records.iter().any(|records| *records != 1) {
            return None;
        }
        // By code of the people's table: the place of the group; and by place its name.
        let mut places: Vec<Option<u32>> = vec![None; people.release.columns[there].nodes.len()];
        let mut names: Vec<&str> = Vec::new();
        let mut members: Vec<u64> = Vec::new();
        let place = |combo: &u32| {
            let code = people.release.combos.codes[there][*combo as usize];
            let place = *places[code as usize].get_or_insert_with(|| {
                names.push(people.release.columns[there].label(code));
                members.push(0);
                names.len() as u32 - 1
            });
            members[place as usize] += 1;
            place
        };
        let of: Vec<u32> = links.combos.iter().map(place).collect();
        let (list_of, kinds) = listed(list, (mark, value), &names)?;
        Some(Groups { who: &links.pseudonyms, of, members, list: list_of, kinds, set: list.disguise.set })
    }
}

/// By group, given by name: what a list has of it, as a place among the kinds of lists; and these kinds.
fn listed<'h>(list: &'h Held, (mark, value): (usize, usize), names: &[&str]) -> Option<(Vec<u32>, Vec<Values<'h>>)> {
    let (columns, combos) = (&list.release.columns, &list.release.combos);
    let codes: HashMap<&str, Code> =
        (0..columns[mark].nodes.len() as Code).map(|code| (columns[mark].label(code), code)).collect();
    // Rows by group, one after the other.
    let mut ends: Vec<u32> = vec![0; columns[mark].nodes.len() + 1];
    combos.codes[mark].iter().for_each(|code| ends[*code as usize + 1] += 1);
    (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
    let starts = ends.clone();
    let mut rows: Vec<(Code, u64)> = vec![(0, 0); combos.len()];
    for ((group, value), times) in combos.codes[mark].iter().zip(&combos.codes[value]).zip(&combos.weights) {
        rows[ends[*group as usize] as usize] = (*value, *times);
        ends[*group as usize] += 1;
    }
    // Where groups that say the same in other words are one is not seen here.
    if codes.len() < columns[mark].nodes.len() {
        return None;
    }
    let mut met = vec![false; columns[mark].nodes.len()];
    let mut known: HashMap<Vec<(Code, u64)>, u32> = HashMap::new();
    let mut kinds: Vec<Values<'h>> = Vec::new();
    let kind = |name: &&str| {
        let group = *codes.get(name)? as usize;
        if std::mem::replace(&mut met[group], true) {
            return None;
        }
        let rows = &mut rows[starts[group] as usize..ends[group] as usize];
        rows.sort_unstable();
        Some(*known.entry_ref(&*rows).or_insert_with(|| {
            kinds.push(rows.iter().map(|(value_code, times)| (columns[value].label(*value_code), *times)).collect());
            kinds.len() as u32 - 1
        }))
    };
    let list_of = names.iter().map(kind).collect::<Option<Vec<u32>>>()?;
    Some((list_of, kinds))
}

/// What is listed: by value, ascending, and how often; and whether each only once, however many have it.
type Listed<'h> = (Values<'h>, bool);

/// The groups of all releases.
#[derive(Default)]
struct Together<'h> {
    /// By person: the first group that they are in.
    of: ByOwner<u32>,
    /// By group: what is listed, by place among the kinds of lists, and how many people it has.
    list: Vec<u32>,
    members: Vec<u64>,
    /// By group: another one that hangs together with it and lists the same, or itself.
    with: Vec<u32>,
    kinds: HashMap<Listed<'h>, u32>,
    /// By kind of list: the number of its values, where each is listed as often as the others.
    even: Vec<Option<u32>>,
    values: HashMap<Vec<&'h str>, u32>,
}

impl<'h> Together<'h> {
    /// Adds the groups of a release; none when somebody is in groups of which nothing can be said.
    fn add(&mut self, groups: Groups<'h>) -> Option<()> {
        let Groups { who, of, members, list, kinds, set } = groups;
        let kinds: Vec<u32> = kinds.into_iter().map(|kind| self.kind(kind, set)).collect();
        let first = self.list.len() as u32;
        self.list.extend(list.iter().map(|kind| kinds[*kind as usize]));
        self.members.extend(members);
        self.with.extend(first..self.list.len() as u32);
        let mut people = std::mem::take(&mut self.of);
        let mut said = Some(());
        people.add(who.iter().copied().zip(of.iter().map(|group| first + group)), |before, now| {
            said = said.and_then(|()| self.join(before, now));
            before
        });
        self.of = people;
        said
    }

    /// The number of a kind of list.
    fn kind(&mut self, mut kind: Values<'h>, set: bool) -> u32 {
        kind.sort_unstable();
        // Texts that say the same are one value.
        kind.dedup_by(|next, one| {
            one.0 == next.0 && {
                one.1 += next.1;
                true
            }
        });
        let even = kind.iter().all(|(_, times)| *times == kind[0].1);
        let values: Vec<&str> = kind.iter().map(|(value, _)| *value).collect();
        let next = self.even.len() as u32;
        *self.kinds.entry((kind, set)).or_insert_with(|| {
            let number = self.values.len() as u32;
            self.even.push(even.then(|| *self.values.entry(values).or_insert(number)));
            next
        })
    }

    fn root(&mut self, mut group: u32) -> u32 {
        while self.with[group as usize] != group {
            self.with[group as usize] = self.with[self.with[group as usize] as usize];
            group = self.with[group as usize];
        }
        group
    }

    /// Two groups hang together; none when nothing can be said of that.
    fn join(&mut self, one: u32, other: u32) -> Option<()> {
        let [list, other_list] = [one, other].map(|group| self.list[group as usize] as usize);
        match (self.even[list], self.even[other_list]) {
            (Some(values), Some(others)) if values == others => {}
            _ if list == other_list => {
                let (one, other) = (self.root(one), self.root(other));
                self.with[other as usize] = one;
            }
            _ => return None,
        }
        Some(())
    }

    /// What is told of those who hang together, all sets of them.
    fn judge(mut self) -> Option<Exchanged> {
        // By root: how many people, and the largest group.
        let mut people: Vec<u64> = vec![0; self.list.len()];
        let of = std::mem::take(&mut self.of);
        of.values().iter().for_each(|group| people[self.root(*group) as usize] += 1);
        let mut largest = self.members.clone();
        for group in 0..self.list.len() as u32 {
            let root = self.root(group) as usize;
            largest[root] = largest[root].max(self.members[group as usize]);
        }
        let mut kinds: Vec<&Listed<'_>> = vec![&EMPTY; self.kinds.len()];
        self.kinds.iter().for_each(|(listed, at)| kinds[*at as usize] = listed);
        let mut most = Share::new(0, 1);
        for group in (0..self.list.len()).filter(|group| self.with[*group] == *group as u32) {
            let list = kinds[self.list[group] as usize];
            let even = self.even[self.list[group] as usize].is_some();
            most = most.max(if even { of_values(list)? } else { of_people(list, largest[group], people[group])? });
        }
        Some(Exchanged { people: of.len() as u64, most })
    }
}

static EMPTY: Listed<'_> = (Vec::new(), false);

/// All groups list the same values, each as often as the others.
fn of_values((list, _): &Listed<'_>) -> Option<Share> {
    (!list.is_empty()).then(|| Share::new(1, list.len() as u64))
}

/// One group has everybody and lists one value for each, and all list the same.
fn of_people((list, set): &Listed<'_>, largest: u64, people: u64) -> Option<Share> {
    let all: u64 = list.iter().map(|(_, times)| times).sum();
    let most = list.iter().map(|(_, times)| *times).max()?;
    (!set && largest == people && all == people).then(|| Share::new(most, all))
}
