//! Law of republication methods: given all releases, no posterior and no record link exceeds the bound that the method promises.
//!
//! People arrive, leave, return, and change their values. Every person is checked after every release: by counting all possible
//! worlds, independent of the library, and by the audit.

use std::collections::{BTreeMap, BTreeSet};

use reticent::audit::{AuditOptions, audit, exchangeability};
use reticent::error::Error;
use reticent::registry::{Argument, Arguments};
use reticent::republication::{
    self, Form, LIST, MethodDef, MethodState, PersonState, PublishedTables, RepublicationTask, SourceRecord,
};
use reticent::{History, Presentation, RecordedRelease, Release};

use super::candidate_records;
use super::worlds::{Listing, posteriors, posteriors_by_cells};
use crate::support::{Col, Data, PLACES, Random, quasi, quasi_tree, sensitive};

const RELEASES: usize = 22;
const ILLS: [&str; 6] = ["asthma", "colic", "flu", "gout", "hiv", "ulcer"];
const PAYS: [&str; 4] = ["fair", "high", "low", "poor"];

/// Monthly changes of a population.
#[derive(Debug, Clone, Copy)]
pub struct Population {
    pub name: &'static str,
    /// Initial number of people.
    pub people: usize,
    /// Maximum number of arrivals per month.
    arrivals: usize,
    /// Maximum number of departures per month.
    departures: usize,
    /// Probability in percent that a person returns.
    returns: usize,
    /// Probability in percent that a value is corrected.
    corrections: usize,
    /// Skew of the values: a value is the minimum of this number of random values.
    skew: usize,
}

pub const POPULATIONS: &[Population] = &[
    Population { name: "constant", people: 8, arrivals: 0, departures: 0, returns: 0, corrections: 0, skew: 1 },
    Population { name: "growing", people: 5, arrivals: 2, departures: 0, returns: 0, corrections: 0, skew: 1 },
    Population { name: "churn", people: 8, arrivals: 2, departures: 2, returns: 0, corrections: 0, skew: 1 },
    Population { name: "skewed", people: 8, arrivals: 2, departures: 2, returns: 20, corrections: 0, skew: 3 },
    Population { name: "returning", people: 7, arrivals: 1, departures: 3, returns: 70, corrections: 0, skew: 1 },
    Population { name: "corrected", people: 8, arrivals: 2, departures: 1, returns: 30, corrections: 30, skew: 1 },
    Population { name: "tiny", people: 2, arrivals: 1, departures: 1, returns: 30, corrections: 0, skew: 1 },
    Population { name: "all replaced", people: 8, arrivals: 8, departures: 8, returns: 0, corrections: 0, skew: 2 },
];

/// Row of a person: place, age, illness, pay.
pub type Row = [String; 4];

pub fn row(random: &mut Random, population: &Population) -> Row {
    let ill = (0..population.skew).map(|_| random.below(ILLS.len())).min().unwrap();
    let place = *random.pick(&["n1", "n2", "s1", "s2", "s3", "sea"]);
    let age = 20 + random.below(60);
    [place.to_owned(), age.to_string(), ILLS[ill].to_owned(), random.pick(&PAYS).to_string()]
}

/// Changes the population by one month.
pub fn next_month(
    random: &mut Random,
    population: &Population,
    present: &mut BTreeMap<u128, Row>,
    absent: &mut BTreeMap<u128, Row>,
    next: &mut u128,
) {
    for _ in 0..random.below(population.departures + 1) {
        let people: Vec<u128> = present.keys().copied().collect();
        if !people.is_empty() {
            let person = *random.pick(&people);
            absent.insert(person, present.remove(&person).unwrap());
        }
    }
    let back: Vec<u128> = absent.keys().copied().collect();
    if !back.is_empty() && random.below(100) < population.returns {
        let person = *random.pick(&back);
        present.insert(person, absent.remove(&person).unwrap());
    }
    for _ in 0..random.below(population.arrivals + 1) {
        present.insert(*next, row(random, population));
        *next += 1;
    }
    for row in present.values_mut() {
        if random.below(100) < population.corrections / 4 {
            row[2] = random.pick(&ILLS).to_string();
        }
    }
}

/// Input of a method in a month.
pub struct Month<'a> {
    pub present: &'a BTreeMap<u128, Row>,
    /// Whether the table has a second sensitive column.
    pub several: bool,
    pub past: &'a MethodState,
    /// Minimum number of people with equal published quasi-identifiers.
    pub k: u64,
    pub seed: u64,
}

pub fn publish(
    listed: &MethodDef,
    arguments: &Arguments,
    month: &Month<'_>,
) -> Result<(Vec<PersonState>, PublishedTables, Vec<reticent::Column>), Error> {
    let mut cols: Vec<Col> = vec![quasi_tree("place", PLACES), quasi("age"), sensitive("ill")];
    cols.extend(month.several.then(|| sensitive("pay")));
    let width = cols.len();
    let rows = month.present.values().map(|row| row[..width].to_vec()).collect();
    let data = Data { cols, rows, owners: None };
    let table = data.table();
    let places = table.places(&data.counts().contingency);
    let records: Vec<SourceRecord> = month
        .present
        .keys()
        .zip(places)
        .map(|(person, place)| {
            // A hash that differs for different values.
            let mark = month.present[person][2..]
                .concat()
                .bytes()
                .fold(7u32, |mark, byte| mark.wrapping_mul(31) ^ u32::from(byte));
            SourceRecord { person: *person, row: place.unwrap(), value_mark: mark }
        })
        .collect();
    let task = RepublicationTask { table: &table, records: &records, past: month.past, k: month.k, seed: month.seed };
    let outcome = republication::run(listed.entry.id, &task, arguments.clone())?;
    let anatomized = month.seed.is_multiple_of(2) && listed.allows_form(Form::Anatomized);
    let form = if anatomized { Form::Anatomized } else { Form::Generalized };
    let tables = PublishedTables::new(&task, &outcome, form);
    if form == Form::Generalized {
        let people = tables.people.contingency.rows();
        let smallest = tables.class_sizes().into_iter().min().unwrap_or(u64::MAX);
        assert!(smallest >= month.k.min(people), "a class of {smallest} of {people} people, k = {}", month.k);
        republication::verify(&task, &tables)?;
    }
    Ok((outcome.person_states(&task), tables, table.columns.clone()))
}

/// Arguments of a method to test, and whether the table has a second sensitive column. Panics for an unknown method.
pub fn arguments(listed: &MethodDef) -> Vec<(Arguments, bool)> {
    let one = |name: &str, number: f64| Arguments::default().set(name, Argument::Number(number));
    match listed.entry.id {
        "anatomy" | "history-guided" => vec![(one("l", 2.0), false), (one("l", 3.0), false)],
        "bcf-anonymity" => {
            let withhold = |k| one("k", k).set("gone", Argument::Word("withhold".to_owned()));
            vec![(one("k", 2.0), false), (withhold(2.0), false), (withhold(3.0), true)]
        }
        "incremental-l-diversity" => {
            let one_part = one("l", 2.0).set("parts", Argument::Number(1.0));
            vec![(one("l", 2.0), false), (one("l", 3.0), false), (one_part, false)]
        }
        "m-invariance" => {
            let without = |m| one("m", m).set("counterfeits", Argument::Flag(false));
            vec![(one("m", 2.0), false), (one("m", 3.0), false), (without(2.0), false)]
        }
        "decomposition" | "decomposition-plus" => {
            let l = |ill: f64, pay: f64| {
                let each = Argument::Thresholds(vec![("ill".to_owned(), ill), ("pay".to_owned(), pay)]);
                Arguments::default().set("primary", Argument::Word("ill".to_owned())).set("l", each)
            };
            let frequency = l(3.0, 2.0).set("diversity", Argument::Word("frequency".to_owned()));
            vec![(l(2.0, 2.0), true), (l(3.0, 2.0), true), (l(2.0, 3.0), true), (frequency, true)]
        }
        other => panic!("no arguments to test {other}"),
    }
}

/// A recorded release without records, for its name and date.
pub fn header(number: u64) -> RecordedRelease {
    RecordedRelease {
        number,
        name: format!("month-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: vec!["public".to_owned()],
        population: false,
        presentation: Presentation::default(),
        release: Release { columns: Vec::new(), contingency: Default::default(), suppressed: 0 },
        links: None,
    }
}

#[derive(Debug, Default)]
struct Score {
    releases: usize,
    people: usize,
    counted: usize,
    not_counted: usize,
    refused: usize,
    exchanged: usize,
}

/// Publishes every month and checks all people after each release.
fn simulate(listed: &MethodDef, given: &(Arguments, bool), population: &Population, seed: u64, score: &mut Score) {
    let (given, several) = given;
    let checked = given.clone().checked(&listed.entry).unwrap();
    let mut random = Random(seed);
    let (mut present, mut absent, mut next) = (BTreeMap::new(), BTreeMap::new(), 1u128);
    while present.len() < population.people {
        present.insert(next, row(&mut random, population));
        next += 1;
    }
    let (mut past, mut history) = (MethodState::default(), History::default());
    let mut states = Vec::new();
    for number in 1..=RELEASES as u64 {
        if present.is_empty() {
            next_month(&mut random, population, &mut present, &mut absent, &mut next);
            continue;
        }
        let now = Month { present: &present, several: *several, past: &past, k: 1 + seed % 6, seed: seed ^ number };
        match publish(listed, given, &now) {
            Err(Error::Refused(_)) => score.refused += 1,
            Err(error) => panic!("{} {}: {error}", listed.entry.id, population.name),
            Ok((one, tables, columns)) => {
                score.releases += 1;
                states.push(one);
                history.releases.extend(republication::recorded_releases(&tables, &columns, &header(number)).unwrap());
                past = MethodState::new(&history.releases, &states);
                check_release(listed, &checked, population, &past, &history, score);
            }
        }
        next_month(&mut random, population, &mut present, &mut absent, &mut next);
    }
}

fn check_release(
    listed: &MethodDef,
    arguments: &Arguments,
    population: &Population,
    past: &MethodState,
    history: &History,
    score: &mut Score,
) {
    let lists = past.releases.iter().flat_map(|release| &release.lists);
    let columns: BTreeSet<&String> = lists.flat_map(|lists| lists.iter().map(|(name, _)| name)).collect();
    let arguments = &arguments.clone().checked(&listed.entry).unwrap();
    for (at, column) in columns.into_iter().enumerate() {
        if let Some(bound) = listed.linkage_bound(arguments).unwrap() {
            check_record_links(bound.to_f64(), column, past, score);
            // If no person leaves, the bound 1/k also implies k candidate records.
            if arguments.word("gone").unwrap() == "refuse" {
                check_candidate_records((1.0 / bound.to_f64()).round() as usize, at, history, score);
            }
        }
        let Some(bound) = (listed.promise)(arguments, column).unwrap() else { continue };
        let listings = listings(past, column);
        match posteriors(&listings) {
            Some(exact) => {
                let counts = listings.iter().all(|listing| !listing.set);
                if let Some(by_cells) = counts.then(|| posteriors_by_cells(&listings)).flatten() {
                    let same = |((person, value), share): (&(u128, String), &f64)| {
                        (by_cells[&(*person, value.clone())] - share).abs() < 1e-9
                    };
                    assert!(exact.iter().all(same), "the two counts of possible worlds differ");
                }
                score.counted += 1;
                for ((person, value), share) in exact {
                    score.people += 1;
                    assert!(
                        share <= bound.to_f64() + 1e-12,
                        "{}, {}: {column} of {person} is {value} with {share}, promised {bound:?}\n{past:#?}",
                        listed.entry.id,
                        population.name
                    );
                }
            }
            None => score.not_counted += 1,
        }
        let question = AuditOptions {
            columns: Some(vec![column.clone()]),
            confidence: Some(bound),
            worst: 0,
            pairs: false,
            ..AuditOptions::default()
        };
        let found = audit(history, &question).unwrap();
        // The posterior by exchangeability lies within the bounds of the audit and equals the count of worlds.
        if let Some(known) = exchangeability(&history.releases.iter().collect::<Vec<_>>(), column) {
            score.exchanged += 1;
            let highest = &found.columns[0].highest;
            let (lower, upper) = (highest.lower.value(), highest.upper.value());
            let share = known.max_posterior.to_f64();
            assert!(lower - 1e-12 <= share && share <= upper + 1e-12, "{share} is not within {lower} to {upper}");
            if let Some(counted) = posteriors(&listings) {
                let truth = counted.values().copied().fold(0.0, f64::max);
                assert!((truth - share).abs() < 1e-9, "{share} by exchangeability, {truth} by counting\n{past:#?}");
            }
        }
        assert_eq!(
            found.above(),
            0,
            "{}, {}: the audit finds {:?}",
            listed.entry.id,
            population.name,
            found.columns[0].highest
        );
    }
}

pub fn listings(past: &MethodState, column: &str) -> Vec<Listing> {
    let groups = past.releases.iter().flat_map(|release| release.groups());
    let listing = |list: &republication::List, members: &[u128]| Listing {
        members: members.to_vec(),
        values: list.values.clone(),
        set: list.is_set,
    };
    groups.filter_map(|group| Some(listing(group.list(column)?, &group.members))).collect()
}

/// Checks the minimum number of candidate records when the newest release is compared with each earlier one.
fn check_candidate_records(least: usize, list: usize, history: &History, score: &mut Score) {
    let releases: Vec<&[RecordedRelease]> =
        history.releases.chunk_by(|_, next| next.presentation.about_release.is_some()).collect();
    let (newest, earlier) = releases.split_last().unwrap();
    let mut fewest = candidate_records::min_group_size(&newest[0], &newest[list + 1]);
    for before in earlier {
        fewest = fewest.min(candidate_records::min_candidate_records(
            (&before[0], &before[list + 1]),
            (&newest[0], &newest[list + 1]),
        ));
        score.counted += 1;
    }
    score.people += newest[0].links.as_ref().unwrap().len();
    assert!(fewest >= least, "{fewest} candidate records, promised {least}\n{history:#?}");
}

/// Checks the bound of record links. Records with the same value in the same group are equally likely to belong to a person, so the
/// posterior of the value is divided by their number.
fn check_record_links(bound: f64, column: &str, past: &MethodState, score: &mut Score) {
    let listings = listings(past, column);
    let mut fewest: BTreeMap<(u128, &str), u64> = BTreeMap::new();
    for listing in &listings {
        for (person, (value, times)) in
            listing.members.iter().flat_map(|person| listing.values.iter().map(move |one| (*person, one)))
        {
            let known = fewest.entry((person, value)).or_insert(*times);
            *known = (*known).min(*times);
        }
    }
    let mut judge = |person: u128, value: &str, share: f64| {
        let link = fewest.get(&(person, value)).map_or(0.0, |records| share / *records as f64);
        assert!(
            link <= bound + 1e-9,
            "a record with {value} is linked to {person} with {link}, promised {bound}\n{past:#?}"
        );
        score.people += 1;
    };
    let exact = posteriors_by_cells(&listings);
    match &exact {
        Some(exact) => exact.iter().for_each(|((person, value), share)| judge(*person, value, *share)),
        None => score.not_counted += 1,
    }
    score.counted += usize::from(exact.is_some());
}

#[test]
fn no_posterior_exceeds_the_promised_bound() {
    for listed in LIST {
        let mut score = Score::default();
        for (at, given) in arguments(listed).iter().enumerate() {
            for (index, population) in POPULATIONS.iter().enumerate() {
                simulate(listed, given, population, (at * 100 + index) as u64 + 7, &mut score);
            }
        }
        println!("{}: {score:?}", listed.entry.id);
        assert!(score.people > 0 && score.counted > 10 * score.not_counted, "{}: {score:?}", listed.entry.id);
        // A method for repeated releases must publish most of them.
        if listed.updates.again {
            assert!(score.releases > POPULATIONS.len() * RELEASES / 2, "{}: {score:?}", listed.entry.id);
        }
    }
}

/// The law detects a violation: independent monthly releases with groups of two.
#[test]
fn independent_releases_violate_the_bound() {
    let anatomy = republication::find_method("anatomy").unwrap();
    let given = Arguments::default().set("l", Argument::Number(2.0));
    let mut random = Random(3);
    let population = &POPULATIONS[2];
    let mut present: BTreeMap<u128, Row> = (1..=8u128).map(|person| (person, row(&mut random, population))).collect();
    let (mut absent, mut next) = (BTreeMap::new(), 9);
    let mut listings = Vec::new();
    let mut highest = 0.0f64;
    for number in 1..=6 {
        let past = MethodState::default();
        let now = Month { present: &present, several: false, past: &past, k: 1, seed: number };
        if let Ok((_, tables, columns)) = publish(anatomy, &given, &now) {
            let state =
                MethodState::new(&republication::recorded_releases(&tables, &columns, &header(number)).unwrap(), &[]);
            for group in state.releases[0].groups() {
                let list = group.list("ill").unwrap();
                listings.push(Listing { members: group.members.clone(), values: list.values.clone(), set: false });
            }
        }
        highest = posteriors(&listings).unwrap().into_values().fold(highest, f64::max);
        next_month(&mut random, population, &mut present, &mut absent, &mut next);
    }
    assert!(highest > 0.99, "{highest}");
}
