//! Worked examples of the methods.
#![allow(clippy::expect_used, clippy::panic)]

mod around;

use std::collections::{BTreeMap, BTreeSet};

use super::{List, Outcome, Past, Reason, Record, ShownRelease, Task, run};
use crate::combos::Combos;
use crate::links::Pseudonym;
use crate::registry::{Argument, Arguments};
use crate::schema::{Attribute, Missing, Role, Schema, Tree};
use crate::table::{Counts, Table};
use crate::taxonomy::{Code, Type};

/// Somebody, their age, and what they have.
type Person = (Pseudonym, &'static str, &'static str);

fn attribute(name: &str, role: Role, values: Type, tree: Tree) -> Attribute {
    Attribute { name: name.to_owned(), role, values, missing: Missing::Value, tree }
}

fn table(people: &[Person]) -> (Table, Vec<Record>) {
    let column = |text: fn(&Person) -> &'static str| -> (Vec<String>, Vec<Code>) {
        let values: BTreeSet<&str> = people.iter().map(text).collect();
        let code = |person: &Person| values.iter().position(|value| *value == text(person)).expect("a value") as Code;
        (values.iter().map(|value| (*value).to_owned()).collect(), people.iter().map(code).collect())
    };
    let (values, codes) = [column(|person| person.1), column(|person| person.2)].into_iter().unzip();
    let names = vec!["age".to_owned(), "ill".to_owned()];
    let combos = Combos { codes, weights: vec![1; people.len()], owners: None };
    let counts = Counts { names, values, combos, links: None };
    let age = attribute("age", Role::QuasiIdentifier, Type::Number, Tree::Grown { range: None });
    let ill = attribute("ill", Role::Sensitive, Type::Text, Tree::Flat);
    let schema = Schema { attributes: vec![age, ill], owner: None, missing_values: Vec::new() };
    let table = Table::build(&counts, &schema).expect("a table");
    let places = table.places(&counts.combos);
    let record = |(person, place): (&Person, Option<u32>)| Record {
        who: person.0,
        combo: place.expect("a place"),
        mark: person.2.bytes().fold(7, |mark, byte| mark * 31 + u32::from(byte)),
    };
    let records = people.iter().zip(places).map(record).collect();
    (table, records)
}

/// A release after others: its groups as people and what is listed, ascending; what waits and what is withheld.
#[derive(Debug, PartialEq)]
struct Published {
    groups: Vec<(Vec<Pseudonym>, String)>,
    waiting: Vec<(Pseudonym, u32)>,
    withheld: Vec<(Pseudonym, Reason)>,
}

/// Publishes, and adds it to the past.
fn publish(method: &str, arguments: &Arguments, people: &[Person], past: &mut Past) -> Published {
    let (table, records) = table(people);
    let task = Task { table: &table, records: &records, past, seed: 1 };
    let outcome = run(method, &task, arguments.clone()).expect("a release");
    let remembered = outcome.remembered(&task);
    let release = shown(&records, &outcome, past.releases.len() as u64 + 1);
    let words = |list: &List| {
        list.values
            .iter()
            .flat_map(|(value, times)| (0..*times).map(move |_| value.as_str()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut groups: Vec<(Vec<Pseudonym>, String)> =
        release.groups().into_iter().map(|group| (group.members, words(&group.lists[0].1))).collect();
    groups.sort_unstable();
    let who = |at: u32| records[at as usize].who;
    let waiting = outcome.waiting.iter().map(|(at, waited)| (who(*at), *waited)).collect();
    let withheld = outcome.withheld.iter().map(|(at, reason)| (who(*at), *reason)).collect();
    past.releases.push(release);
    past.remember(&remembered);
    Published { groups, waiting, withheld }
}

fn shown(records: &[Record], outcome: &Outcome, number: u64) -> ShownRelease {
    let members = |(number, group): (u32, &super::Group)| {
        group.members.iter().map(|at| (records[*at as usize].who, number)).collect::<Vec<_>>()
    };
    let mut people: Vec<(Pseudonym, u32)> = (0..).zip(&outcome.groups).flat_map(members).collect();
    people.sort_unstable();
    let (who, of) = people.into_iter().unzip();
    let lists = |group: &super::Group| vec![("ill".to_owned(), group.lists[0].clone())].into();
    ShownRelease { number, who, of, lists: outcome.groups.iter().map(lists).collect() }
}

/// People and what is listed for them, value by letter. What is listed beyond them is nobody's.
type Listing = (&'static [Pseudonym], &'static str);

/// Of all worlds that fit the listings, how many there are and in how many somebody has a value.
fn worlds(listings: &[Listing], who: Pseudonym, value: char) -> (u32, u32) {
    let people: BTreeSet<Pseudonym> = listings.iter().flat_map(|(people, _)| *people).copied().collect();
    let values: BTreeSet<char> = listings.iter().flat_map(|(_, list)| list.chars()).collect();
    let often = |list: &str, value: char| list.chars().filter(|listed| *listed == value).count();
    let mut worlds: Vec<BTreeMap<Pseudonym, char>> = vec![BTreeMap::new()];
    for person in people {
        let with = |world: &BTreeMap<Pseudonym, char>, value: char| {
            let mut world = world.clone();
            world.insert(person, value);
            world
        };
        let fits = |world: &BTreeMap<Pseudonym, char>| {
            listings.iter().all(|(people, list)| {
                let have = |value: char| people.iter().filter(|who| world.get(*who) == Some(&value)).count();
                values.iter().all(|value| have(*value) <= often(list, *value))
            })
        };
        let longer = worlds.iter().flat_map(|world| values.iter().map(|value| with(world, *value)));
        worlds = longer.filter(fits).collect();
    }
    (worlds.len() as u32, worlds.iter().filter(|world| world[&who] == value).count() as u32)
}

/// The paper's tests for l values, group by group: the values that an old and a new group that overlap have in common, and what
/// a group has beyond one that lies in it.
fn two_by_two(old: &[Listing], new: &[Listing], l: usize) -> bool {
    let set = |people: &[Pseudonym]| -> BTreeSet<Pseudonym> { people.iter().copied().collect() };
    let beyond = |list: &str, less: &str| {
        let mut rest: Vec<char> = list.chars().collect();
        for value in less.chars() {
            rest.iter().position(|known| *known == value).map(|at| rest.remove(at));
        }
        rest
    };
    let diverse = |values: &[char]| values.is_empty() || values.iter().collect::<BTreeSet<_>>().len() >= l;
    let pass = |(before, first): &Listing, (after, second): &Listing| {
        let (before, after) = (set(before), set(after));
        let common: Vec<char> = first.chars().filter(|value| second.contains(*value)).collect();
        (before.is_disjoint(&after) || diverse(&common) && !common.is_empty())
            && (!before.is_subset(&after) || diverse(&beyond(second, first)))
            && (!after.is_subset(&before) || diverse(&beyond(first, second)))
    };
    old.iter().all(|old| new.iter().all(|new| pass(old, new)))
}

#[test]
fn tests_of_two_groups_do_not_see_who_is_new() {
    let (old, new): ([Listing; 2], [Listing; 2]) =
        ([(&[1, 2], "ab"), (&[3, 4], "ab")], [(&[1, 4], "ab"), (&[2, 3, 5], "abc")]);
    assert!(two_by_two(&old, &new, 2));
    let (all, with) = worlds(&[old, new].concat(), 5, 'c');
    assert_eq!((all, with), (2, 2), "5 has c in every world");
    // What the tests are for, they see: one newcomer, and a value that all groups of somebody have in common.
    assert!(!two_by_two(&[(&[1, 2], "ab")], &[(&[1, 2, 3], "abc")], 2));
    assert!(!two_by_two(&[(&[1, 2], "ab")], &[(&[1, 3], "ac")], 2));
}

#[test]
fn who_joins_a_group_that_somebody_left_tells_about_who_left() {
    let left: [Listing; 2] = [(&[1, 2], "xz"), (&[2, 3, 4], "xzxy")];
    assert_eq!(worlds(&left, 1, 'z'), (9, 6));
    // When nobody left, each keeps their own.
    let whole: [Listing; 2] = [(&[1, 2], "xz"), (&[1, 2, 3, 4], "xzxy")];
    assert_eq!(worlds(&whole, 1, 'z'), (4, 2));
    assert_eq!(worlds(&whole, 3, 'y'), (4, 2));
    // And leaving later tells nothing.
    let later: [Listing; 3] = [whole[0], whole[1], (&[2, 4], "xzxy")];
    assert_eq!(worlds(&later, 1, 'z'), (4, 2));
}

#[test]
fn newcomers_join_the_group_near_them_when_everybody_of_it_is_there() {
    let two = Arguments::default().set("l", Argument::Number(2.0));
    let mut past = Past::default();
    let mut month = |people: &[Person]| publish("incremental-l-diversity", &two, people, &mut past);
    let all: [Person; 9] = [
        (1, "30", "flu"),
        (2, "39", "gout"),
        (3, "70", "flu"),
        (4, "79", "hiv"),
        (5, "31", "flu"),
        (6, "38", "hiv"),
        (7, "32", "gout"),
        (8, "37", "colic"),
        (9, "75", "flu"),
    ];
    let group = |people: &[Pseudonym], list: &str| (people.to_vec(), list.to_owned());
    let old = group(&[3, 4], "flu hiv");
    let first = month(&all[..4]);
    assert_eq!(first.groups, [group(&[1, 2], "flu gout"), old.clone()]);
    // 5 and 6 are near 1 and 2.
    let second = month(&all[..6]);
    let four = "flu flu gout hiv";
    assert_eq!(second.groups, [group(&[1, 2, 5, 6], four), old.clone()]);
    // 1 left: their value stays listed, and nobody joins.
    let third = month(&all[1..8]);
    assert_eq!(third.groups, [group(&[2, 5, 6], four), old.clone(), group(&[7, 8], "colic gout")]);
    assert_eq!((third.waiting, third.withheld), (Vec::new(), Vec::new()));
    // 1 is back, 2 has another value now, nobody of 5 and 6 is there, and 9 has nobody to come with.
    let mut changed = all;
    changed[1].2 = "colic";
    let fourth = month(&[&changed[..4], &changed[6..]].concat());
    assert_eq!(fourth.groups, [group(&[1], "flu gout"), old, group(&[7, 8], "colic gout")]);
    assert_eq!((fourth.waiting, fourth.withheld), (vec![(9, 1)], vec![(2, Reason::Changed)]));
}

/// By group of the old and of the new: how many records with one value are in both.
type Way = Vec<Vec<usize>>;

/// Every way in which the old records with a value can be records of new groups that somebody of theirs is in.
fn ways(old: &[Listing], new: &[Listing], value: char) -> Vec<Way> {
    let often = |list: &str| list.chars().filter(|listed| *listed == value).count();
    let mut ways: Vec<Way> = vec![vec![vec![0; new.len()]; old.len()]];
    for (from, (people, list)) in old.iter().enumerate() {
        for _ in 0..often(list) {
            let mut more = Vec::new();
            for (to, (after, room)) in new.iter().enumerate() {
                let free = |way: &&Way| way.iter().map(|placed| placed[to]).sum::<usize>() < often(room);
                for way in ways.iter().filter(free).filter(|_| people.iter().any(|who| after.contains(who))) {
                    let mut way = way.clone();
                    way[from][to] += 1;
                    more.push(way);
                }
            }
            ways = more;
        }
    }
    ways
}

/// The fewest records that are left for anybody, forward or cross, and backward.
fn left(old: &[Listing], new: &[Listing]) -> (usize, usize) {
    let values: BTreeSet<char> = new.iter().flat_map(|(_, list)| list.chars()).collect();
    let all: Vec<(char, Vec<Way>)> = values.into_iter().map(|value| (value, ways(old, new, value))).collect();
    let common = |from: usize, to: usize| -> usize {
        all.iter().map(|(_, ways)| ways.iter().map(|way| way[from][to]).max().expect("a way")).sum()
    };
    let free = |to: usize| -> usize {
        let taken = |way: &Way| way.iter().map(|placed| placed[to]).sum::<usize>();
        let records = |value: char| new[to].1.chars().filter(|listed| *listed == value).count();
        all.iter().map(|(value, ways)| records(*value) - ways.iter().map(taken).min().expect("a way")).sum()
    };
    let meets = |from: usize, to: usize| old[from].0.iter().any(|who| new[to].0.contains(who));
    let is_new = |who: &Pseudonym| old.iter().all(|(people, _)| !people.contains(who));
    let pairs = (0..old.len()).flat_map(|from| (0..new.len()).map(move |to| (from, to)));
    let followed = pairs.filter(|(from, to)| meets(*from, *to)).map(|(from, to)| common(from, to)).min();
    let newcomers = (0..new.len()).filter(|to| new[*to].0.iter().any(is_new)).map(free).min();
    (followed.expect("a pair"), newcomers.expect("a newcomer"))
}

#[test]
fn records_left_by_two_releases_do_not_bound_how_surely_one_is_linked() {
    let old: [Listing; 1] = [(&[1, 2, 3, 4], "aaab")];
    let new: [Listing; 2] = [(&[1, 2, 3], "aaa"), (&[4, 5, 6], "aab")];
    assert_eq!(left(&old, &new), (3, 2));
    let (all, with) = worlds(&[&old[..], &new[..]].concat(), 4, 'b');
    assert_eq!((all, with), (1, 1), "the one record with b is that of 4");
}

#[test]
fn cells_keep_k_people_and_newcomers_wait_for_each_other() {
    let two = Arguments::default().set("k", Argument::Number(2.0));
    let mut past = Past::default();
    let all: [Person; 8] = [
        (1, "30", "flu"),
        (2, "31", "flu"),
        (3, "70", "gout"),
        (4, "71", "hiv"),
        (5, "32", "colic"),
        (6, "72", "flu"),
        (7, "33", "hiv"),
        (8, "34", "gout"),
    ];
    let group = |people: &[Pseudonym], list: &str| (people.to_vec(), list.to_owned());
    let [young, old] = [group(&[1, 2], "flu flu"), group(&[3, 4], "gout hiv")];
    assert_eq!(publish("bcf-anonymity", &two, &all[..4], &mut past).groups, [young.clone(), old.clone()]);
    // One newcomer would be known by what is listed beyond the others.
    let second = publish("bcf-anonymity", &two, &all[..5], &mut past);
    assert_eq!((second.groups, second.waiting), (vec![young.clone(), old.clone()], vec![(5, 1)]));
    // Two who are far from each other stay together.
    let third = publish("bcf-anonymity", &two, &all[..6], &mut past);
    assert_eq!(third.groups, [young.clone(), old.clone(), group(&[5, 6], "colic flu")]);
    // Somebody is missing.
    let missing = [&all[..3], &all[4..]].concat();
    let (table, records) = table(&missing);
    let task = Task { table: &table, records: &records, past: &past, seed: 1 };
    let refused = run("bcf-anonymity", &task, two.clone()).expect_err("somebody is missing").to_string();
    assert!(refused.contains("lacks 1 record of"), "{refused}");
    // 3 is left out with 4: alone they would be known by it.
    let without = two.set("gone", Argument::Word("withhold".to_owned()));
    let fourth = publish("bcf-anonymity", &without, &missing, &mut past);
    assert_eq!(fourth.withheld, [(3, Reason::History)]);
    assert!(fourth.groups.iter().any(|(people, _)| people.ends_with(&[7, 8])), "{fourth:?}");
}
