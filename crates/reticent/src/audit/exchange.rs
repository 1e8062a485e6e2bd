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

use hashbrown::HashMap;

use crate::history::Held;
use crate::links::Pseudonym;
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
    let mut groups = Groups::default();
    for held in releases {
        if held.release.columns.iter().any(|shown| shown.name == column) {
            groups.add(people_of(releases, held)?, held, column)?;
        }
    }
    groups.judge()
}

/// The table of the people whom a list is about; none when it is no plain list.
fn people_of<'h>(releases: &[&'h Held], list: &Held) -> Option<&'h Held> {
    let number = list.disguise.of.filter(|_| list.links.is_none() && list.release.columns.len() == 2)?;
    let mut tables = releases.iter().copied().filter(|held| held.number == number && held.disguise.of.is_none());
    let people = tables.next().filter(|held| held.disguise.is_none() && held.links.is_some())?;
    tables.next().is_none().then_some(people)
}

/// What is listed: by value, and how often; and whether each only once, however many have it.
type Listed = (Vec<(u32, u64)>, bool);

/// The groups of all releases.
#[derive(Default)]
struct Groups {
    values: HashMap<String, u32>,
    /// By group: what is listed, by place among the kinds of lists, and how many people it has.
    list: Vec<u32>,
    members: Vec<u64>,
    kinds: HashMap<Listed, u32>,
    /// By group: another one that hangs together with it, or itself.
    with: Vec<u32>,
    /// By person: a group that they are in.
    of: HashMap<Pseudonym, u32>,
}

impl Groups {
    /// Adds the groups of a release.
    fn add(&mut self, people: &Held, list: &Held, column: &str) -> Option<()> {
        let columns = &list.release.columns;
        let value = columns.iter().position(|shown| shown.name == column && shown.role == Role::Sensitive)?;
        let mark = 1 - value;
        let there = people.release.columns.iter().position(|shown| shown.name == columns[mark].name)?;
        let mut lists: HashMap<&str, Vec<(u32, u64)>> = HashMap::new();
        let combos = &list.release.combos;
        let numbers: Vec<u32> = (0..columns[value].nodes.len() as Code)
            .map(|code| {
                let next = self.values.len() as u32;
                *self.values.entry_ref(columns[value].label(code)).or_insert(next)
            })
            .collect();
        for row in 0..combos.len() {
            let group = columns[mark].label(combos.codes[mark][row]);
            lists.entry(group).or_default().push((numbers[combos.codes[value][row] as usize], combos.weights[row]));
        }
        // By code of the group: its place.
        let mut places: HashMap<Code, u32> = HashMap::new();
        let links = people.links.as_ref()?;
        // Links are ascending by owner: somebody with several records is seen twice in a row.
        if !links.pseudonyms.is_sorted_by(|one, next| one < next) || links.records.iter().any(|records| *records != 1) {
            return None;
        }
        self.of.reserve(links.len().saturating_sub(self.of.len()));
        for (who, combo) in links.pseudonyms.iter().zip(&links.combos) {
            let code = people.release.combos.codes[there][*combo as usize];
            let place = match places.get(&code) {
                Some(place) => *place,
                None => {
                    let mut listed = lists.get(people.release.columns[there].label(code))?.clone();
                    listed.sort_unstable();
                    let next = self.kinds.len() as u32;
                    self.list.push(*self.kinds.entry((listed, list.disguise.set)).or_insert(next));
                    self.members.push(0);
                    self.with.push(self.with.len() as u32);
                    places.insert(code, self.with.len() as u32 - 1);
                    self.with.len() as u32 - 1
                }
            };
            self.members[place as usize] += 1;
            let known = *self.of.entry(*who).or_insert(place);
            self.join(known, place);
        }
        Some(())
    }

    fn root(&mut self, mut group: u32) -> u32 {
        while self.with[group as usize] != group {
            self.with[group as usize] = self.with[self.with[group as usize] as usize];
            group = self.with[group as usize];
        }
        group
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.with[other as usize] = one;
    }

    /// What is told of those who hang together, all sets of them.
    fn judge(mut self) -> Option<Exchanged> {
        let mut kinds: Vec<&Listed> = vec![&EMPTY; self.kinds.len()];
        let all = std::mem::take(&mut self.kinds);
        all.iter().for_each(|(listed, at)| kinds[*at as usize] = listed);
        let mut people: HashMap<u32, u64> = HashMap::new();
        for group in std::mem::take(&mut self.of).into_values() {
            let root = self.root(group);
            *people.entry(root).or_default() += 1;
        }
        // By root: the kinds of lists of its groups, and the largest group.
        let mut together: HashMap<u32, (Vec<u32>, u64)> = HashMap::new();
        for group in 0..self.list.len() as u32 {
            let root = self.root(group);
            let (lists, largest) = together.entry(root).or_default();
            if !lists.contains(&self.list[group as usize]) {
                lists.push(self.list[group as usize]);
            }
            *largest = (*largest).max(self.members[group as usize]);
        }
        let mut most = Share::new(0, 1);
        for (root, (lists, largest)) in together {
            let lists: Vec<&Listed> = lists.iter().map(|list| kinds[*list as usize]).collect();
            let told = of_values(&lists).or_else(|| of_people(&lists, largest, people[&root]))?;
            most = most.max(told);
        }
        Some(Exchanged { people: people.values().sum(), most })
    }
}

static EMPTY: Listed = (Vec::new(), false);

/// All groups list the same values, each as often as the others.
fn of_values(lists: &[&Listed]) -> Option<Share> {
    let first = &lists.first()?.0;
    let alike = |(list, _): &&Listed| {
        list.iter().map(|(value, _)| value).eq(first.iter().map(|(value, _)| value))
            && list.iter().all(|(_, times)| *times == list[0].1)
    };
    lists.iter().all(alike).then(|| Share::new(1, first.len() as u64))
}

/// One group has everybody and lists one value for each, and all list the same.
fn of_people(lists: &[&Listed], largest: u64, people: u64) -> Option<Share> {
    let [(list, false)] = lists else { return None };
    let all: u64 = list.iter().map(|(_, times)| times).sum();
    let most = list.iter().map(|(_, times)| *times).max()?;
    (largest == people && all == people).then(|| Share::new(most, all))
}
