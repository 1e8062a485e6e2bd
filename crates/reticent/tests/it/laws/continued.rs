//! Law of a republication series after ordinary releases: the posteriors of their people stay as they are, and the bound of the method
//! holds for all other people.
//!
//! The ordinary releases have random classes, which no algorithm of the library made. After every release of the series, all possible
//! worlds of all releases are counted.

use std::collections::BTreeMap;

use reticent::History;
use reticent::error::Error;
use reticent::republication::{self, EarlierRelease, LIST, List, MethodDef, MethodState, OrdinaryClasses};

use super::republication::{
    Month, POPULATIONS, Population, Row, arguments, header, listings, next_month, publish, row,
};
use super::worlds::{Listing, posteriors};
use crate::support::Random;

/// Number of releases of the series.
const RELEASES: u64 = 8;

/// Number of compared posteriors.
#[derive(Debug, Default)]
struct Compared {
    continued: usize,
    /// Posteriors of continued people above the bound of the method.
    above_bound: usize,
    others: usize,
    releases: usize,
    not_counted: usize,
}

/// Publishes the people in classes of 2 to 4, in random order, with all values of each class.
fn ordinary(random: &mut Random, number: u64, present: &BTreeMap<u128, Row>, several: bool) -> EarlierRelease {
    let mut people: Vec<u128> = present.keys().copied().collect();
    for at in (1..people.len()).rev() {
        people.swap(at, random.below(at + 1));
    }
    let mut release = EarlierRelease { number, ..EarlierRelease::default() };
    let mut placed: Vec<(u128, u32)> = Vec::new();
    while !people.is_empty() {
        let class = people.split_off(people.len().saturating_sub(2 + random.below(3)));
        let list =
            |name: &str, at: usize| (name.to_owned(), List::new(class.iter().map(|one| present[one][at].as_str())));
        let lists = [list("ill", 2)].into_iter().chain(several.then(|| list("pay", 3)));
        placed.extend(class.iter().map(|person| (*person, release.lists.len() as u32)));
        release.lists.push(std::sync::Arc::new(lists.collect()));
    }
    placed.sort_unstable();
    (release.people, release.group_of) = placed.into_iter().unzip();
    release
}

fn listings_of(releases: &[EarlierRelease], column: &str) -> Vec<Listing> {
    listings(&MethodState { releases: releases.to_vec(), ..MethodState::default() }, column)
}

fn simulate(
    method: &MethodDef,
    (given, several): &(reticent::registry::Arguments, bool),
    population: &Population,
    seed: u64,
    compared: &mut Compared,
) {
    let checked = given.clone().checked(&method.entry).unwrap();
    let mut random = Random(seed);
    let (mut present, mut absent) = (BTreeMap::new(), BTreeMap::new());
    let mut next = 1u128 + population.people as u128;
    (1..next).for_each(|person| drop(present.insert(person, row(&mut random, population))));
    let mut classes = Vec::new();
    for number in 1..=1 + random.below(2) as u64 {
        classes.push(ordinary(&mut random, number, &present, *several));
        next_month(&mut random, population, &mut present, &mut absent, &mut next);
    }
    let continued = |release: &EarlierRelease| OrdinaryClasses { release: release.clone(), is_held_by_all: true };
    let continued: Vec<OrdinaryClasses> = classes.iter().map(continued).collect();
    let mut past = MethodState { classes: continued.clone(), ..MethodState::default() };
    let (mut history, mut states) = (History::default(), Vec::new());
    for number in (classes.len() as u64 + 1..).take(RELEASES as usize) {
        let now = Month { present: &present, several: *several, past: &past, k: 1 + seed % 4, seed: seed ^ number };
        if present.is_empty() {
            next_month(&mut random, population, &mut present, &mut absent, &mut next);
            continue;
        }
        match publish(method, given, &now) {
            Err(Error::Refused(_)) => {}
            Err(error) => panic!("{} {}: {error}", method.entry.id, population.name),
            Ok((one, tables, columns)) => {
                states.push(one);
                history.releases.extend(republication::recorded_releases(&tables, &columns, &header(number)).unwrap());
                past = MethodState { classes: continued.clone(), ..MethodState::new(&history.releases, &states) };
                compared.releases += 1;
                for column in ["ill", "pay"].into_iter().take(1 + usize::from(*several)) {
                    let Some(bound) = (method.promise)(&checked, column).unwrap() else { continue };
                    compare(&classes, &past, (column, bound.to_f64()), method, compared);
                }
            }
        }
        next_month(&mut random, population, &mut present, &mut absent, &mut next);
    }
}

/// Compares all posteriors given the ordinary releases with those given all releases.
fn compare(
    classes: &[EarlierRelease],
    past: &MethodState,
    (column, bound): (&str, f64),
    method: &MethodDef,
    compared: &mut Compared,
) {
    let before = listings_of(classes, column);
    let all: Vec<EarlierRelease> = classes.iter().chain(&past.releases).cloned().collect();
    let (Some(before), Some(after)) = (posteriors(&before), posteriors(&listings_of(&all, column))) else {
        compared.not_counted += 1;
        return;
    };
    let is_continued = |person: u128| classes.iter().any(|release| release.people.contains(&person));
    for ((person, value), share) in &after {
        let who = format!("{}: {column} of {person} is {value} with {share}", method.entry.id);
        if is_continued(*person) {
            let was = before.get(&(*person, value.clone())).copied().unwrap_or(0.0);
            assert!((was - share).abs() < 1e-9, "{who}, before {was}\n{past:#?}");
            compared.continued += 1;
            compared.above_bound += usize::from(*share > bound + 1e-9);
        } else {
            assert!(*share <= bound + 1e-12, "{who}, promised {bound}\n{past:#?}");
            compared.others += 1;
        }
    }
}

#[test]
fn a_series_adds_nothing_about_people_of_ordinary_releases() {
    for method in LIST.iter().filter(|method| method.continues_classes()) {
        let mut compared = Compared::default();
        for (at, given) in arguments(method).iter().enumerate() {
            // A changed value that no release shows makes the releases inconsistent, so no possible world remains.
            for (index, population) in
                POPULATIONS.iter().filter(|population| population.name != "corrected").enumerate()
            {
                for round in 0..3 {
                    simulate(method, given, population, (at * 1000 + index * 10 + round) as u64 + 3, &mut compared);
                }
            }
        }
        println!("{}: {compared:?}", method.entry.id);
        let enough =
            compared.continued > 1000 && compared.above_bound > 100 && compared.not_counted * 10 < compared.releases;
        assert!(enough, "{}: {compared:?}", method.entry.id);
        assert!(compared.others > 100 || !method.updates.again, "{}: {compared:?}", method.entry.id);
    }
}

/// The law detects a violation: without the classes, the same people are grouped anew.
#[test]
fn a_series_that_ignores_ordinary_releases_raises_posteriors() {
    let method = republication::find_method("m-invariance").unwrap();
    let (given, several) = &arguments(method)[0];
    let mut raised = 0;
    for seed in 0..20 {
        let mut random = Random(seed);
        let present: BTreeMap<u128, Row> =
            (1..9u128).map(|person| (person, row(&mut random, &POPULATIONS[0]))).collect();
        let classes = vec![ordinary(&mut random, 1, &present, *several)];
        let past = MethodState::default();
        let now = Month { present: &present, several: *several, past: &past, k: 1, seed };
        let Ok((_, tables, columns)) = publish(method, given, &now) else { continue };
        let releases = republication::recorded_releases(&tables, &columns, &header(2)).unwrap();
        let all = [classes.clone(), MethodState::new(&releases, &[]).releases].concat();
        let before = posteriors(&listings_of(&classes, "ill")).unwrap().into_values().fold(0.0, f64::max);
        let after = posteriors(&listings_of(&all, "ill")).unwrap().into_values().fold(0.0, f64::max);
        raised += usize::from(after > before + 1e-9);
    }
    assert!(raised > 5, "{raised}");
}
