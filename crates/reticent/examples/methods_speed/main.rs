//! How long methods take: one release of Decomposition+, and a year of monthly releases by m-invariance or another method.
//!
//! `methods_speed decomposition-plus 1000000`, `methods_speed year m-invariance 1000000 5`.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Instant;

use reticent::contingency::ContingencyTable;
use reticent::registry::{Argument, Arguments};
use reticent::republication::{self, Form, MethodState, PublishedTables, RepublicationTask, SourceRecord};
use reticent::taxonomy::Type;
use reticent::{Attribute, Counts, Missing, Presentation, RecordedRelease, Release, Role, Schema, Table, TreeSource};

/// Numbers that look drawn (SplitMix64).
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// A column: its name, role, and how many values it has.
type Column = (&'static str, Role, u64);

const QUASI: [Column; 3] =
    [("age", Role::QuasiIdentifier, 80), ("zip", Role::QuasiIdentifier, 500), ("sex", Role::QuasiIdentifier, 2)];

/// Somebody: who, and a value for each column.
type Person = (u128, Vec<u32>);

fn person(who: u128, columns: &[Column], drawn: &mut Drawn) -> Person {
    let value = |(_, role, values): &Column| match role {
        // The smaller of two draws: uneven, as illnesses are.
        Role::Sensitive => drawn.below(*values).min(drawn.below(*values)) as u32,
        _ => drawn.below(*values) as u32,
    };
    (who, columns.iter().map(value).collect())
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
    let hidden: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].1 == Role::Sensitive).collect();
    let mark = |row: &[u32]| hidden.iter().fold(7u32, |mark, at| mark.wrapping_mul(1_000_003) ^ row[*at]);
    let places = table.places(&counts.contingency);
    let record = |((who, row), combo): (&Person, Option<u32>)| SourceRecord {
        person: *who,
        row: combo.unwrap(),
        value_mark: mark(row),
    };
    let records = people.iter().zip(places).map(record).collect();
    (table, records)
}

/// The most memory that this process took so far, in MiB.
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
    let mut drawn = Drawn(1);
    let all: Vec<Person> = (0..people as u128).map(|who| person(who, &columns, &mut drawn)).collect();
    let (table, records) = table(&all, &columns);
    // Once with nothing asked of the other columns: what is left of the time is that of choosing by the diversity penalty, and of
    // listing false values.
    for (l, plain) in (2..=7).rev().flat_map(|l| [(l, false), (l, true)]) {
        let other = |l: f64| if plain { 1.0 } else { l };
        let each =
            [("work", f64::from(l)), ("education", other(3.0)), ("hours", other(2.0)), ("relationship", other(3.0))];
        let arguments = Arguments::default()
            .set("primary", Argument::Word("work".to_owned()))
            .set("l", Argument::Thresholds(each.iter().map(|(name, l)| ((*name).to_owned(), *l)).collect()));
        let past = MethodState::default();
        let task = RepublicationTask { table: &table, records: &records, past: &past, seed: 1 };
        let clock = Instant::now();
        let outcome = republication::run("decomposition-plus", &task, arguments).unwrap();
        println!(
            "decomposition-plus {people} l {l}{}: {:.3} s, {} groups, {} wait, {} withheld, {} MiB",
            if plain { ", of the others 1" } else { "" },
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
    let mut drawn = Drawn(1);
    let mut all: Vec<Person> = (0..people as u128).map(|who| person(who, &columns, &mut drawn)).collect();
    let mut next = people as u128;
    let name = republication::find_method(id).unwrap().entry.parameters[0].name;
    let arguments = Arguments::default().set(name, Argument::Number(4.0));
    let (mut held, mut remembered): (Vec<RecordedRelease>, Vec<_>) = (Vec::new(), Vec::new());
    let clock = Instant::now();
    for number in 1..=12 {
        let month = Instant::now();
        let (table, records) = table(&all, &columns);
        let past = MethodState::new(&held, &remembered);
        let task = RepublicationTask { table: &table, records: &records, past: &past, seed: number };
        let outcome = republication::run(id, &task, arguments.clone()).unwrap();
        let found = month.elapsed().as_secs_f64();
        let shown = PublishedTables::new(&task, &outcome, Form::Generalized);
        let meta = RecordedRelease {
            number,
            name: format!("month-{number}"),
            date: String::new(),
            recipients: Vec::new(),
            presentation: Presentation::default(),
            release: Release { columns: Vec::new(), contingency: ContingencyTable::default(), suppressed: 0 },
            links: None,
        };
        held.extend(republication::recorded_releases(&shown, &table.columns, &meta).unwrap());
        remembered.push(outcome.person_states(&task));
        let listed: u64 = outcome.groups.iter().map(|group| group.lists[0].len()).sum();
        let published: u64 = outcome.groups.iter().map(|group| group.members.len() as u64).sum();
        println!(
            "{id} month {number}: {found:.2} s to group, {:.2} s with tables; {published} published, {} nobody's, {} wait, {} withheld, {} MiB",
            month.elapsed().as_secs_f64(),
            listed - published,
            outcome.postponed.len(),
            outcome.withheld.len(),
            memory()
        );
        for _ in 0..people * churn / 100 {
            let at = drawn.below(all.len() as u64) as usize;
            all[at] = person(next, &columns, &mut drawn);
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
