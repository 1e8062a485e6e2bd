//! Worked examples of the republication methods.
#![allow(clippy::expect_used, clippy::panic)]

mod around;

use std::collections::{BTreeMap, BTreeSet};

use super::{EarlierRelease, GroupingOutcome, List, MethodState, Reason, RepublicationTask, SourceRecord, run};
use crate::data::contingency::ContingencyTable;
use crate::data::links::Pseudonym;
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::table::{Counts, Table};
use crate::data::taxonomy::{Code, Type};
use crate::error::{Error, Refusal};
use crate::registry::{Argument, Arguments};

/// A person: pseudonym, age and illness.
type Person = (Pseudonym, &'static str, &'static str);

fn attribute(name: &str, role: Role, values: Type, tree: TreeSource) -> Attribute {
    Attribute { name: name.to_owned(), role, values, missing: Missing::Value, tree }
}

fn table(people: &[Person]) -> (Table, Vec<SourceRecord>) {
    let column = |text: fn(&Person) -> &'static str| -> (Vec<String>, Vec<Code>) {
        let values: BTreeSet<&str> = people.iter().map(text).collect();
        let code = |person: &Person| values.iter().position(|value| *value == text(person)).expect("a value") as Code;
        (values.iter().map(|value| (*value).to_owned()).collect(), people.iter().map(code).collect())
    };
    let (values, codes) = [column(|person| person.1), column(|person| person.2)].into_iter().unzip();
    let names = vec!["age".to_owned(), "ill".to_owned()];
    let combos = ContingencyTable { codes, weights: vec![1; people.len()], owners: None };
    let counts = Counts { names, values, contingency: combos, links: None };
    let age = attribute("age", Role::QuasiIdentifier, Type::Number, TreeSource::Grown { range: None });
    let ill = attribute("ill", Role::Sensitive, Type::Text, TreeSource::Flat);
    let schema = Schema { attributes: vec![age, ill], owner: None, missing_values: Vec::new() };
    let table = Table::build(&counts, &schema).expect("a table");
    let places = table.places(&counts.contingency);
    let record = |(person, place): (&Person, Option<u32>)| SourceRecord {
        person: person.0,
        row: place.expect("a place"),
        value_mark: person.2.bytes().fold(7, |mark, byte| mark * 31 + u32::from(byte)),
    };
    let records = people.iter().zip(places).map(record).collect();
    (table, records)
}

/// A release: its groups (members and list) in ascending order, and the postponed and withheld records.
#[derive(Debug, PartialEq)]
struct Published {
    groups: Vec<(Vec<Pseudonym>, String)>,
    postponed: Vec<(Pseudonym, u32)>,
    withheld: Vec<(Pseudonym, Reason)>,
}

/// Publishes a release, and adds it to the state.
fn publish(method: &str, arguments: &Arguments, people: &[Person], past: &mut MethodState) -> Published {
    let (table, records) = table(people);
    let task = RepublicationTask { table: &table, records: &records, past, k: 1, seed: 1 };
    let outcome = run(method, &task, arguments.clone()).expect("a release");
    let states = outcome.person_states(&task);
    let release = earlier_release(&records, &outcome, past.releases.len() as u64 + 1);
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
    let person_at = |at: u32| records[at as usize].person;
    let postponed = outcome.postponed.iter().map(|(at, times)| (person_at(*at), *times)).collect();
    let withheld = outcome.withheld.iter().map(|(at, reason)| (person_at(*at), *reason)).collect();
    past.releases.push(release);
    past.update(&states);
    Published { groups, postponed, withheld }
}

fn earlier_release(records: &[SourceRecord], outcome: &GroupingOutcome, number: u64) -> EarlierRelease {
    let members = |(number, group): (u32, &super::ReleaseGroup)| {
        group.members.iter().map(|at| (records[*at as usize].person, number)).collect::<Vec<_>>()
    };
    let mut people: Vec<(Pseudonym, u32)> = (0..).zip(&outcome.groups).flat_map(members).collect();
    people.sort_unstable();
    let (people, group_of) = people.into_iter().unzip();
    let lists = |group: &super::ReleaseGroup| vec![("ill".to_owned(), group.lists[0].clone())].into();
    EarlierRelease { number, people, group_of, lists: outcome.groups.iter().map(lists).collect() }
}

/// A group: its members, and its list with one letter for each value. Values beyond the number of members are counterfeits.
type Listing = (&'static [Pseudonym], &'static str);

/// Returns the number of possible worlds of the groups, and the number of those in which the target has the value.
fn worlds(listings: &[Listing], target: Pseudonym, value: char) -> (u32, u32) {
    let people: BTreeSet<Pseudonym> = listings.iter().flat_map(|(people, _)| *people).copied().collect();
    let values: BTreeSet<char> = listings.iter().flat_map(|(_, list)| list.chars()).collect();
    let count_of = |list: &str, value: char| list.chars().filter(|listed| *listed == value).count();
    let mut worlds: Vec<BTreeMap<Pseudonym, char>> = vec![BTreeMap::new()];
    for person in people {
        let with = |world: &BTreeMap<Pseudonym, char>, value: char| {
            let mut world = world.clone();
            world.insert(person, value);
            world
        };
        let is_consistent = |world: &BTreeMap<Pseudonym, char>| {
            listings.iter().all(|(people, list)| {
                let actual = |value: char| people.iter().filter(|member| world.get(*member) == Some(&value)).count();
                values.iter().all(|value| actual(*value) <= count_of(list, *value))
            })
        };
        let longer = worlds.iter().flat_map(|world| values.iter().map(|value| with(world, *value)));
        worlds = longer.filter(is_consistent).collect();
    }
    (worlds.len() as u32, worlds.iter().filter(|world| world[&target] == value).count() as u32)
}

/// The tests of the paper for pairs of groups: overlapping groups have l common values, and the difference to a contained group
/// is l-diverse.
fn passes_pairwise_tests(old: &[Listing], new: &[Listing], l: usize) -> bool {
    let set = |people: &[Pseudonym]| -> BTreeSet<Pseudonym> { people.iter().copied().collect() };
    let beyond = |list: &str, less: &str| {
        let mut remaining: Vec<char> = list.chars().collect();
        for value in less.chars() {
            remaining.iter().position(|known| *known == value).map(|at| remaining.remove(at));
        }
        remaining
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
fn pairwise_tests_miss_a_disclosed_newcomer() {
    let (old, new): ([Listing; 2], [Listing; 2]) =
        ([(&[1, 2], "ab"), (&[3, 4], "ab")], [(&[1, 4], "ab"), (&[2, 3, 5], "abc")]);
    assert!(passes_pairwise_tests(&old, &new, 2));
    let (all, with) = worlds(&[old, new].concat(), 5, 'c');
    assert_eq!((all, with), (2, 2), "5 has c in every possible world");
    // The tests detect a single newcomer, and a single value that all groups of a person have in common.
    assert!(!passes_pairwise_tests(&[(&[1, 2], "ab")], &[(&[1, 2, 3], "abc")], 2));
    assert!(!passes_pairwise_tests(&[(&[1, 2], "ab")], &[(&[1, 3], "ac")], 2));
}

#[test]
fn joining_an_incomplete_group_discloses_the_leaver() {
    let left: [Listing; 2] = [(&[1, 2], "xz"), (&[2, 3, 4], "xzxy")];
    assert_eq!(worlds(&left, 1, 'z'), (9, 6));
    // If no person left, the posterior does not change.
    let whole: [Listing; 2] = [(&[1, 2], "xz"), (&[1, 2, 3, 4], "xzxy")];
    assert_eq!(worlds(&whole, 1, 'z'), (4, 2));
    assert_eq!(worlds(&whole, 3, 'y'), (4, 2));
    // Leaving later discloses nothing.
    let later: [Listing; 3] = [whole[0], whole[1], (&[2, 4], "xzxy")];
    assert_eq!(worlds(&later, 1, 'z'), (4, 2));
}

#[test]
fn newcomers_join_the_nearest_complete_group() {
    let two = Arguments::default().set("l", Argument::Number(2.0));
    let mut past = MethodState::default();
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
    // 5 and 6 are similar to 1 and 2.
    let second = month(&all[..6]);
    let four = "flu flu gout hiv";
    assert_eq!(second.groups, [group(&[1, 2, 5, 6], four), old.clone()]);
    // 1 left: the value of 1 stays listed, and no newcomer joins the group.
    let third = month(&all[1..8]);
    assert_eq!(third.groups, [group(&[2, 5, 6], four), old.clone(), group(&[7, 8], "colic gout")]);
    assert_eq!((third.postponed, third.withheld), (Vec::new(), Vec::new()));
    // 1 returns, the value of 2 changed, 5 and 6 are absent, and 9 is a single newcomer.
    let mut changed = all;
    changed[1].2 = "colic";
    let fourth = month(&[&changed[..4], &changed[6..]].concat());
    assert_eq!(fourth.groups, [group(&[1], "flu gout"), old, group(&[7, 8], "colic gout")]);
    assert_eq!((fourth.postponed, fourth.withheld), (vec![(9, 1)], vec![(2, Reason::Changed)]));
}

/// Number of records with one value that are in both groups, by old group and new group.
type RecordMatching = Vec<Vec<usize>>;

/// Returns every assignment of the old records with a value to new groups that share a member with the old group.
fn record_matchings(old: &[Listing], new: &[Listing], value: char) -> Vec<RecordMatching> {
    let count_of = |list: &str| list.chars().filter(|listed| *listed == value).count();
    let mut ways: Vec<RecordMatching> = vec![vec![vec![0; new.len()]; old.len()]];
    for (from, (people, list)) in old.iter().enumerate() {
        for _ in 0..count_of(list) {
            let mut extended = Vec::new();
            for (to, (after, room)) in new.iter().enumerate() {
                let free = |matching: &&RecordMatching| {
                    matching.iter().map(|placed| placed[to]).sum::<usize>() < count_of(room)
                };
                for matching in ways.iter().filter(free).filter(|_| people.iter().any(|person| after.contains(person)))
                {
                    let mut matching = matching.clone();
                    matching[from][to] += 1;
                    extended.push(matching);
                }
            }
            ways = extended;
        }
    }
    ways
}

/// Returns the minimum number of records that remain for a person after the forward or cross attack, and after the backward attack.
fn remaining_records(old: &[Listing], new: &[Listing]) -> (usize, usize) {
    let values: BTreeSet<char> = new.iter().flat_map(|(_, list)| list.chars()).collect();
    let all: Vec<(char, Vec<RecordMatching>)> =
        values.into_iter().map(|value| (value, record_matchings(old, new, value))).collect();
    let common = |from: usize, to: usize| -> usize {
        all.iter().map(|(_, ways)| ways.iter().map(|matching| matching[from][to]).max().expect("a way")).sum()
    };
    let free = |to: usize| -> usize {
        let taken = |matching: &RecordMatching| matching.iter().map(|placed| placed[to]).sum::<usize>();
        let records = |value: char| new[to].1.chars().filter(|listed| *listed == value).count();
        all.iter().map(|(value, ways)| records(*value) - ways.iter().map(taken).min().expect("a way")).sum()
    };
    let meets = |from: usize, to: usize| old[from].0.iter().any(|person| new[to].0.contains(person));
    let is_new = |person: &Pseudonym| old.iter().all(|(people, _)| !people.contains(person));
    let pairs = (0..old.len()).flat_map(|from| (0..new.len()).map(move |to| (from, to)));
    let followed = pairs.filter(|(from, to)| meets(*from, *to)).map(|(from, to)| common(from, to)).min();
    let newcomers = (0..new.len()).filter(|to| new[*to].0.iter().any(is_new)).map(free).min();
    (followed.expect("a pair"), newcomers.expect("a newcomer"))
}

#[test]
fn remaining_records_do_not_bound_the_linkage_probability() {
    let old: [Listing; 1] = [(&[1, 2, 3, 4], "aaab")];
    let new: [Listing; 2] = [(&[1, 2, 3], "aaa"), (&[4, 5, 6], "aab")];
    assert_eq!(remaining_records(&old, &new), (3, 2));
    let (all, with) = worlds(&[&old[..], &new[..]].concat(), 4, 'b');
    assert_eq!((all, with), (1, 1), "the record with b belongs to 4");
}

#[test]
fn cells_keep_k_people_and_newcomers_are_postponed() {
    let two = Arguments::default().set("k", Argument::Number(2.0));
    let mut past = MethodState::default();
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
    // The additional list entry would disclose the value of a single newcomer.
    let second = publish("bcf-anonymity", &two, &all[..5], &mut past);
    assert_eq!((second.groups, second.postponed), (vec![young.clone(), old.clone()], vec![(5, 1)]));
    // Two dissimilar newcomers form one group.
    let third = publish("bcf-anonymity", &two, &all[..6], &mut past);
    assert_eq!(third.groups, [young.clone(), old.clone(), group(&[5, 6], "colic flu")]);
    // Person 4 is missing.
    let missing = [&all[..3], &all[4..]].concat();
    let (table, records) = table(&missing);
    let task = RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: 1 };
    let refused = run("bcf-anonymity", &task, two.clone()).expect_err("a person is missing");
    assert!(matches!(refused, Error::Refused(Refusal::RecordsGone { records: 1, .. })), "{refused}");
    // 3 is withheld with 4: alone, 3 would be distinguishable.
    let without = two.set("gone", Argument::Word("withhold".to_owned()));
    let fourth = publish("bcf-anonymity", &without, &missing, &mut past);
    assert_eq!(fourth.withheld, [(3, Reason::History)]);
    assert!(fourth.groups.iter().any(|(people, _)| people.ends_with(&[7, 8])), "{fourth:?}");
}
