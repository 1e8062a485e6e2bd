//! Benchmark of republication methods: one release by Decomposition+, or twelve monthly releases by m-invariance or another method.
//!
//! `methods_speed decomposition-plus 1000000`, `methods_speed year m-invariance 1000000 5`.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Instant;

use reticent::contingency::ContingencyTable;
use reticent::registry::{Argument, Arguments};
use reticent::republication::{self, Form, MethodState, PublishedTables, RepublicationTask, SourceRecord};
use reticent::taxonomy::Type;
use reticent::{Attribute, Counts, Missing, Presentation, RecordedRelease, Release, Role, Schema, Table, TreeSource};

/// Pseudo-random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// A column: name, role, number of values.
type Column = (&'static str, Role, u64);

const QUASI: [Column; 3] =
    [("age", Role::QuasiIdentifier, 80), ("zip", Role::QuasiIdentifier, 500), ("sex", Role::QuasiIdentifier, 2)];

/// A person: pseudonym, and a value for each column.
type Person = (u128, Vec<u32>);

fn person(pseudonym: u128, columns: &[Column], random: &mut Random) -> Person {
    let value = |(_, role, values): &Column| match role {
        // The smaller of two random values, for a skewed distribution.
        Role::Sensitive => random.below(*values).min(random.below(*values)) as u32,
        _ => random.below(*values) as u32,
    };
    (pseudonym, columns.iter().map(value).collect())
}

fn table(people: &[Person], columns: &[Column]) -> (Table, Vec<SourceRecord>) {
    let values = |count: u64| (0..count).map(|value| format!("v{value:03}")).collect::<Vec<_>>();
    let counts = Counts {
        names: columns.iter().map(|(name, _, _)| (*name).to_owned()).collect(),
        values: columns.iter().map(|(_, _, count)| values(*count)).collect(),
        contingency: ContingencyTable {
            codes: (0..columns.len()).map(|at| people.iter().map(|(_, row)| row[at]).collect()).collect(),
            weights: vec![1; people.len()],
            owners: None,
        },
        links: None,
    };
    let attribute = |(name, role, _): &Column| Attribute {
        name: (*name).to_owned(),
        role: *role,
        values: Type::Text,
        missing: Missing::Value,
        tree: TreeSource::Flat,
    };
    let schema = Schema {
        attributes: columns.iter().map(attribute).collect(),
        owner: None,
        missing_values: vec![String::new()],
    };
    let table = Table::build(&counts, &schema).unwrap();
    let sensitive: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].1 == Role::Sensitive).collect();
    let mark = |row: &[u32]| sensitive.iter().fold(7u32, |mark, at| mark.wrapping_mul(1_000_003) ^ row[*at]);
    let places = table.places(&counts.contingency);
    let record = |((pseudonym, row), place): (&Person, Option<u32>)| SourceRecord {
        person: *pseudonym,
        row: place.unwrap(),
        value_mark: mark(row),
    };
    let records = people.iter().zip(places).map(record).collect();
    (table, records)
}

/// Peak memory of this process in MiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

fn decomposition(people: usize) {
    let mut columns = QUASI.to_vec();
    columns.extend([
        ("work", Role::Sensitive, 14),
        ("education", Role::Sensitive, 16),
        ("hours", Role::Sensitive, 90),
        ("relationship", Role::Sensitive, 6),
    ]);
    let mut random = Random(1);
    let all: Vec<Person> = (0..people as u128).map(|at| person(at, &columns, &mut random)).collect();
    let (table, records) = table(&all, &columns);
    // Also with l = 1 for the other columns. The difference is the time for the diversity penalty and the counterfeit values.
    for (l, plain) in (2..=7).rev().flat_map(|l| [(l, false), (l, true)]) {
        let other = |l: f64| if plain { 1.0 } else { l };
        let each =
            [("work", f64::from(l)), ("education", other(3.0)), ("hours", other(2.0)), ("relationship", other(3.0))];
        let arguments = Arguments::default()
            .set("primary", Argument::Word("work".to_owned()))
            .set("l", Argument::Thresholds(each.iter().map(|(name, l)| ((*name).to_owned(), *l)).collect()));
        let past = MethodState::default();
        let task = RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: 1 };
        let clock = Instant::now();
        let outcome = republication::run("decomposition-plus", &task, arguments).unwrap();
        println!(
            "decomposition-plus {people} l {l}{}: {:.3} s, {} groups, {} postponed, {} withheld, {} MiB",
            if plain { ", l 1 for the other columns" } else { "" },
            clock.elapsed().as_secs_f64(),
            outcome.groups.len(),
            outcome.postponed.len(),
            outcome.withheld.len(),
            memory()
        );
    }
}

fn year(id: &str, people: usize, churn: usize) {
    let mut columns = QUASI.to_vec();
    columns.push(("ill", Role::Sensitive, 50));
    let mut random = Random(1);
    let mut all: Vec<Person> = (0..people as u128).map(|at| person(at, &columns, &mut random)).collect();
    let mut next = people as u128;
    let name = republication::find_method(id).unwrap().entry.parameters[0].name;
    let arguments = Arguments::default().set(name, Argument::Number(4.0));
    let (mut history, mut states): (Vec<RecordedRelease>, Vec<_>) = (Vec::new(), Vec::new());
    let clock = Instant::now();
    for number in 1..=12 {
        let month = Instant::now();
        let (table, records) = table(&all, &columns);
        let past = MethodState::new(&history, &states);
        let task = RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: number };
        let outcome = republication::run(id, &task, arguments.clone()).unwrap();
        let grouping = month.elapsed().as_secs_f64();
        let tables = PublishedTables::new(&task, &outcome, Form::Generalized);
        let meta = RecordedRelease {
            number,
            name: format!("month-{number}"),
            date: String::new(),
            recipients: Vec::new(),
            population: false,
            presentation: Presentation::default(),
            release: Release { columns: Vec::new(), contingency: ContingencyTable::default(), suppressed: 0 },
            links: None,
        };
        history.extend(republication::recorded_releases(&tables, &table.columns, &meta).unwrap());
        states.push(outcome.person_states(&task));
        let listed: u64 = outcome.groups.iter().map(|group| group.lists[0].len()).sum();
        let published: u64 = outcome.groups.iter().map(|group| group.members.len() as u64).sum();
        println!(
            "{id} month {number}: {grouping:.2} s to group, {:.2} s with tables; {published} published, {} counterfeit, {} postponed, \
             {} withheld, {} MiB",
            month.elapsed().as_secs_f64(),
            listed - published,
            outcome.postponed.len(),
            outcome.withheld.len(),
            memory()
        );
        for _ in 0..people * churn / 100 {
            let at = random.below(all.len() as u64) as usize;
            all[at] = person(next, &columns, &mut random);
            next += 1;
        }
        all.sort_unstable();
    }
    println!(
        "{id} {people} people, {churn} % churn, twelve releases: {:.1} s, {} MiB",
        clock.elapsed().as_secs_f64(),
        memory()
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["decomposition-plus", people] => decomposition(people.parse().unwrap()),
        ["year", id, people, churn] => year(id, people.parse().unwrap(), churn.parse().unwrap()),
        _ => panic!("methods_speed decomposition-plus PEOPLE | year METHOD PEOPLE CHURN"),
    }
}
