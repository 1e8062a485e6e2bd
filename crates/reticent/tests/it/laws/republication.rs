//! The law of methods: whatever comes, goes, comes back or changes, nobody's value is told, or no record linked to them, with more
//! than the method promises, by all its releases together. Judged for every person after every release by counting all worlds, apart from the library's code,
//! and by the audit.

use std::collections::{BTreeMap, BTreeSet};

use reticent::audit::{AuditOptions, audit, exchangeability};
use reticent::error::Error;
use reticent::registry::{Argument, Arguments};
use reticent::republication::{
    self, Form, LIST, MethodDef, MethodState, PersonState, PublishedTables, RepublicationTask, SourceRecord,
};
use reticent::{History, Presentation, RecordedRelease, Release};

use super::candidate_records;
use super::worlds::{Listing, told, told_by_cells};
use crate::support::{Col, Data, PLACES, Random, quasi, quasi_tree, sensitive};

const RELEASES: usize = 22;
const ILLS: [&str; 6] = ["asthma", "colic", "flu", "gout", "hiv", "ulcer"];
const PAYS: [&str; 4] = ["fair", "high", "low", "poor"];

/// How a population behaves from month to month.
#[derive(Debug, Clone, Copy)]
struct Habit {
    name: &'static str,
    /// People at first, and how many come and go a month, at most.
    people: usize,
    come: usize,
    go: usize,
    /// In a hundred: how often somebody who went comes back, and how often a value is corrected.
    back: usize,
    correct: usize,
    /// How uneven values are: the first of so many draws that is smallest.
    skew: usize,
}

const HABITS: &[Habit] = &[
    Habit { name: "nobody new", people: 8, come: 0, go: 0, back: 0, correct: 0, skew: 1 },
    Habit { name: "growing", people: 5, come: 2, go: 0, back: 0, correct: 0, skew: 1 },
    Habit { name: "churn", people: 8, come: 2, go: 2, back: 0, correct: 0, skew: 1 },
    Habit { name: "skewed", people: 8, come: 2, go: 2, back: 20, correct: 0, skew: 3 },
    Habit { name: "coming back", people: 7, come: 1, go: 3, back: 70, correct: 0, skew: 1 },
    Habit { name: "corrected", people: 8, come: 2, go: 1, back: 30, correct: 30, skew: 1 },
    Habit { name: "tiny", people: 2, come: 1, go: 1, back: 30, correct: 0, skew: 1 },
    Habit { name: "everybody new", people: 8, come: 8, go: 8, back: 0, correct: 0, skew: 2 },
];

/// Somebody's row: place, age, illness, pay.
type Row = [String; 4];

fn row(random: &mut Random, habit: &Habit) -> Row {
    let ill = (0..habit.skew).map(|_| random.below(ILLS.len())).min().unwrap();
    let place = *random.pick(&["n1", "n2", "s1", "s2", "s3", "sea"]);
    let age = 20 + random.below(60);
    [place.to_owned(), age.to_string(), ILLS[ill].to_owned(), random.pick(&PAYS).to_string()]
}

/// One month later.
fn month(
    random: &mut Random,
    habit: &Habit,
    here: &mut BTreeMap<u128, Row>,
    gone: &mut BTreeMap<u128, Row>,
    next: &mut u128,
) {
    for _ in 0..random.below(habit.go + 1) {
        let people: Vec<u128> = here.keys().copied().collect();
        if !people.is_empty() {
            let who = *random.pick(&people);
            gone.insert(who, here.remove(&who).unwrap());
        }
    }
    let back: Vec<u128> = gone.keys().copied().collect();
    if !back.is_empty() && random.below(100) < habit.back {
        let who = *random.pick(&back);
        here.insert(who, gone.remove(&who).unwrap());
    }
    for _ in 0..random.below(habit.come + 1) {
        here.insert(*next, row(random, habit));
        *next += 1;
    }
    for row in here.values_mut() {
        if random.below(100) < habit.correct / 4 {
            row[2] = random.pick(&ILLS).to_string();
        }
    }
}

/// What the method is asked to do.
pub struct Month<'a> {
    pub here: &'a BTreeMap<u128, Row>,
    pub several: bool,
    pub past: &'a MethodState,
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
    let rows = month.here.values().map(|row| row[..width].to_vec()).collect();
    let data = Data { cols, rows, owners: None };
    let table = data.table();
    let places = table.places(&data.counts().contingency);
    let records: Vec<SourceRecord> = month
        .here
        .keys()
        .zip(places)
        .map(|(who, combo)| {
            // A mark that tells different values apart.
            let mark =
                month.here[who][2..].concat().bytes().fold(7u32, |mark, byte| mark.wrapping_mul(31) ^ u32::from(byte));
            SourceRecord { person: *who, row: combo.unwrap(), value_mark: mark }
        })
        .collect();
    let task = RepublicationTask { table: &table, records: &records, past: month.past, seed: month.seed };
    let outcome = republication::run(listed.entry.id, &task, arguments.clone())?;
    let as_they_are = month.seed.is_multiple_of(2) && listed.allows_form(Form::Anatomized);
    let form = if as_they_are { Form::Anatomized } else { Form::Generalized };
    let shown = PublishedTables::new(&task, &outcome, form);
    Ok((outcome.person_states(&task), shown, table.columns.clone()))
}

/// Arguments of a method to try; a method whose parameters this does not know fails here.
pub fn arguments(listed: &MethodDef) -> Vec<(Arguments, bool)> {
    let one = |name: &str, number: f64| Arguments::default().set(name, Argument::Number(number));
    match listed.entry.id {
        "anatomy" | "history-guided" => vec![(one("l", 2.0), false), (one("l", 3.0), false)],
        "bcf-anonymity" => {
            let withhold = |k| one("k", k).set("gone", Argument::Word("withhold".to_owned()));
            vec![(one("k", 2.0), false), (withhold(2.0), false), (withhold(3.0), true)]
        }
        "incremental-l-diversity" => {
            let alone = one("l", 2.0).set("parts", Argument::Number(1.0));
            vec![(one("l", 2.0), false), (one("l", 3.0), false), (alone, false)]
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
        other => panic!("say how {other} is tried"),
    }
}

fn held(number: u64) -> RecordedRelease {
    RecordedRelease {
        number,
        name: format!("month-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: vec!["public".to_owned()],
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

/// Publishes month after month, and judges after each.
fn live(listed: &MethodDef, given: &(Arguments, bool), habit: &Habit, seed: u64, score: &mut Score) {
    let (given, several) = given;
    let checked = given.clone().checked(&listed.entry).unwrap();
    let mut random = Random(seed);
    let (mut here, mut gone, mut next) = (BTreeMap::new(), BTreeMap::new(), 1u128);
    while here.len() < habit.people {
        here.insert(next, row(&mut random, habit));
        next += 1;
    }
    let (mut past, mut history) = (MethodState::default(), History::default());
    let mut remembered = Vec::new();
    for number in 1..=RELEASES as u64 {
        if here.is_empty() {
            month(&mut random, habit, &mut here, &mut gone, &mut next);
            continue;
        }
        let now = Month { here: &here, several: *several, past: &past, seed: seed ^ number };
        match publish(listed, given, &now) {
            Err(Error::Refused(_)) => score.refused += 1,
            Err(error) => panic!("{} {}: {error}", listed.entry.id, habit.name),
            Ok((one, shown, columns)) => {
                score.releases += 1;
                remembered.push(one);
                history.releases.extend(republication::recorded_releases(&shown, &columns, &held(number)).unwrap());
                past = MethodState::new(&history.releases, &remembered);
                judge(listed, &checked, habit, &past, &history, score);
            }
        }
        month(&mut random, habit, &mut here, &mut gone, &mut next);
    }
}

fn judge(
    listed: &MethodDef,
    arguments: &Arguments,
    habit: &Habit,
    past: &MethodState,
    history: &History,
    score: &mut Score,
) {
    let lists = past.releases.iter().flat_map(|release| &release.lists);
    let columns: BTreeSet<&String> = lists.flat_map(|lists| lists.iter().map(|(name, _)| name)).collect();
    let arguments = &arguments.clone().checked(&listed.entry).unwrap();
    for (at, column) in columns.into_iter().enumerate() {
        if let Some(most) = listed.linkage_bound(arguments).unwrap() {
            judge_records(most.to_f64(), column, past, score);
            // Where nobody is missing, 1/k also means that k records are left.
            if arguments.word("gone").unwrap() == "refuse" {
                judge_left((1.0 / most.to_f64()).round() as usize, at, history, score);
            }
        }
        let Some(most) = (listed.promise)(arguments, column).unwrap() else { continue };
        let listings = listings(past, column);
        match told(&listings) {
            Some(told) => {
                let counts = listings.iter().all(|listing| !listing.set);
                if let Some(by_cells) = counts.then(|| told_by_cells(&listings)).flatten() {
                    let same = |((who, value), share): (&(u128, String), &f64)| {
                        (by_cells[&(*who, value.clone())] - share).abs() < 1e-9
                    };
                    assert!(told.iter().all(same), "worlds counted one by one and by cells differ");
                }
                score.counted += 1;
                for ((who, value), share) in told {
                    score.people += 1;
                    assert!(
                        share <= most.to_f64() + 1e-12,
                        "{}, {}: {column} of {who} is {value} with {share}, promised {most:?}\n{past:#?}",
                        listed.entry.id,
                        habit.name
                    );
                }
            }
            None => score.not_counted += 1,
        }
        let question = AuditOptions {
            columns: Some(vec![column.clone()]),
            confidence: Some(most),
            worst: 0,
            pairs: false,
            ..AuditOptions::default()
        };
        let found = audit(history, &question).unwrap();
        // What is known by exchange is what the audit finds, wherever it finds everything.
        if let Some(known) = exchangeability(&history.releases.iter().collect::<Vec<_>>(), column) {
            score.exchanged += 1;
            let highest = &found.columns[0].highest;
            let (lower, upper) = (highest.lower.value(), highest.upper.value());
            let share = known.max_posterior.to_f64();
            assert!(lower - 1e-12 <= share && share <= upper + 1e-12, "{share} is not in {lower} to {upper}");
            if let Some(counted) = told(&listings) {
                let truth = counted.values().copied().fold(0.0, f64::max);
                assert!((truth - share).abs() < 1e-9, "{share} by exchange, {truth} counted\n{past:#?}");
            }
        }
        assert_eq!(
            found.above(),
            0,
            "{}, {}: the audit finds {:?}",
            listed.entry.id,
            habit.name,
            found.columns[0].highest
        );
    }
}

fn listings(past: &MethodState, column: &str) -> Vec<Listing> {
    let groups = past.releases.iter().flat_map(|release| release.groups());
    let listing = |list: &republication::List, members: &[u128]| Listing {
        members: members.to_vec(),
        values: list.values.clone(),
        set: list.is_set,
    };
    groups.filter_map(|group| Some(listing(group.list(column)?, &group.members))).collect()
}

/// So many records are left to anybody by comparing the newest release with any before it, of the list at this place.
fn judge_left(least: usize, list: usize, history: &History, score: &mut Score) {
    let releases: Vec<&[RecordedRelease]> =
        history.releases.chunk_by(|_, next| next.presentation.about_release.is_some()).collect();
    let (newest, earlier) = releases.split_last().unwrap();
    let mut fewest = candidate_records::fewest_alone(&newest[0], &newest[list + 1]);
    for before in earlier {
        fewest =
            fewest.min(candidate_records::fewest((&before[0], &before[list + 1]), (&newest[0], &newest[list + 1])));
        score.counted += 1;
    }
    score.people += newest[0].links.as_ref().unwrap().len();
    assert!(fewest >= least, "{fewest} records are left, promised {least}\n{history:#?}");
}

/// No record is linked to anybody with more than this. Records with one value in one group are as likely somebody's, each as the
/// other: so each has its share of how likely they have the value.
fn judge_records(most: f64, column: &str, past: &MethodState, score: &mut Score) {
    let listings = listings(past, column);
    let mut fewest: BTreeMap<(u128, &str), u64> = BTreeMap::new();
    for listing in &listings {
        for (who, (value, times)) in
            listing.members.iter().flat_map(|who| listing.values.iter().map(move |one| (*who, one)))
        {
            let known = fewest.entry((who, value)).or_insert(*times);
            *known = (*known).min(*times);
        }
    }
    let mut judge = |who: u128, value: &str, share: f64| {
        let link = fewest.get(&(who, value)).map_or(0.0, |records| share / *records as f64);
        assert!(
            link <= most + 1e-9,
            "a record with {value} is linked to {who} with {link}, promised {most}\n{past:#?}"
        );
        score.people += 1;
    };
    let told = told_by_cells(&listings);
    match &told {
        Some(told) => told.iter().for_each(|((who, value), share)| judge(*who, value, *share)),
        None => score.not_counted += 1,
    }
    score.counted += usize::from(told.is_some());
}

#[test]
fn no_posterior_exceeds_the_promised_bound() {
    for listed in LIST {
        let mut score = Score::default();
        for (at, given) in arguments(listed).iter().enumerate() {
            for (habit_at, habit) in HABITS.iter().enumerate() {
                live(listed, given, habit, (at * 100 + habit_at) as u64 + 7, &mut score);
            }
        }
        println!("{}: {score:?}", listed.entry.id);
        assert!(score.people > 0 && score.counted > 10 * score.not_counted, "{}: {score:?}", listed.entry.id);
        // Who promises several releases publishes them.
        if listed.updates.again {
            assert!(score.releases > HABITS.len() * RELEASES / 2, "{}: {score:?}", listed.entry.id);
        }
    }
}

/// The law catches what breaks it: each month by itself, with groups of two.
#[test]
fn each_month_by_itself_breaks_the_law() {
    let anatomy = republication::find_method("anatomy").unwrap();
    let given = Arguments::default().set("l", Argument::Number(2.0));
    let mut random = Random(3);
    let habit = &HABITS[2];
    let mut here: BTreeMap<u128, Row> = (1..=8u128).map(|who| (who, row(&mut random, habit))).collect();
    let (mut gone, mut next) = (BTreeMap::new(), 9);
    let mut listings = Vec::new();
    let mut highest = 0.0f64;
    for number in 1..=6 {
        let past = MethodState::default();
        let now = Month { here: &here, several: false, past: &past, seed: number };
        if let Ok((_, shown, columns)) = publish(anatomy, &given, &now) {
            let alone =
                MethodState::new(&republication::recorded_releases(&shown, &columns, &held(number)).unwrap(), &[]);
            for group in alone.releases[0].groups() {
                let list = group.list("ill").unwrap();
                listings.push(Listing { members: group.members.clone(), values: list.values.clone(), set: false });
            }
        }
        highest = told(&listings).unwrap().into_values().fold(highest, f64::max);
        month(&mut random, habit, &mut here, &mut gone, &mut next);
    }
    assert!(highest > 0.99, "{highest}");
}
