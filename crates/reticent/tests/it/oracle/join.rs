//! Constraints on joins, compared with the naive definition on thousands of small histories: surveys, witnesses, violating rows.

use std::collections::{BTreeMap, BTreeSet};

use reticent::join::{ColumnRef, Constraint, Counted, JoinCheck, JoinRequirement, dangling};
use reticent::models::Violation;
use reticent::requirement::Requirement;
use reticent::verify::{Expected, JoinVerifier, SENSITIVE_NOT_SHOWN, verify};

use reticent::{Error, History, InconsistentRules, PublishedColumn, Recoding, Release, Table};

use super::histories::{Instance, RandomSpec, publish};
use super::lossy::{Limit, NaiveConstraint, NaiveResult, PublishedRows, can_be_computed, join, matching, texts};
use crate::support::{Random, contents, read_back};

/// The constraints of the library for a specification, each with the naive constraint.
pub fn constraints(instance: &Instance, words: &RandomSpec, earlier: &[usize]) -> Vec<(Constraint, NaiveConstraint)> {
    let mut requirement = Requirement::from_specs(&[], &instance.schema).unwrap();
    let sets = [earlier.to_vec()];
    requirement
        .join(&[words.spec()], &instance.schema, instance.member(), &instance.history, &sets, instance.rules.clone())
        .unwrap();
    let made = requirement.joins.remove(0).constraints;
    let sides = |constraint: &Constraint| -> (BTreeSet<ColumnRef>, BTreeSet<Counted>) {
        (constraint.x.iter().copied().collect(), constraint.y.iter().copied().collect())
    };
    let naive = words.constraints(instance, earlier);
    let ours: BTreeSet<_> = naive.iter().map(|naive| (naive.x.clone(), naive.y.clone())).collect();
    let theirs: BTreeSet<_> = made.iter().map(sides).collect();
    assert_eq!(theirs, ours, "{words:?} with {earlier:?}{}", instance.description());
    made.into_iter()
        .map(|constraint| {
            let (x, y) = sides(&constraint);
            let naive = naive.iter().find(|naive| naive.x == x && naive.y == y).unwrap().clone();
            (constraint, naive)
        })
        .collect()
}

pub fn raw_columns(table: &Table) -> Vec<PublishedColumn> {
    Recoding::identity(table).columns.into_iter().map(|recoded| recoded.column).collect()
}

/// Naive results for a release joined with earlier releases.
pub fn naive_results(
    instance: &Instance,
    earlier: &[usize],
    release: &Release,
    naive: &[&NaiveConstraint],
) -> Vec<NaiveResult> {
    let new = PublishedRows::new(release, &instance.columns[0]);
    let releases: Vec<&PublishedRows> =
        [&new].into_iter().chain(earlier.iter().map(|at| &instance.earlier[*at])).collect();
    let tuples = join(&releases, &instance.rules);
    let before = join(&releases[1..], &instance.rules);
    naive.iter().map(|naive| naive.judge(&releases, &tuples, &before)).collect()
}

fn close(one: f64, two: f64) -> bool {
    (one - two).abs() < 1e-9
}

/// A random non-empty set of earlier releases.
pub fn some_earlier(random: &mut Random, instance: &Instance) -> Vec<usize> {
    let all: Vec<usize> = (0..instance.history.releases.len()).collect();
    if random.below(3) > 0 {
        return all;
    }
    let mut some: Vec<usize> = all.iter().copied().filter(|_| random.below(2) == 0).collect();
    if some.is_empty() {
        some.push(*random.pick(&all));
    }
    some
}

/// Whether the join is small enough for the naive computation.
pub fn is_small(instance: &Instance, earlier: &[usize]) -> bool {
    let rows = earlier.iter().map(|at| instance.earlier[*at].rows.len()).chain([instance.data[0].rows.len()]);
    rows.product::<usize>() < 20_000
}

/// Texts of a witness in the order of X. Texts that it does not contain are `SENSITIVE_NOT_SHOWN`.
fn witness(instance: &Instance, earlier: &[usize], naive: &NaiveConstraint, violation: &Violation) -> Vec<String> {
    let texts = naive.x.iter().map(|at| {
        let release = at.release.checked_sub(1).map_or(0, |place| earlier[place] + 1);
        let column = &instance.columns[release][at.column].col.name;
        let name = if release == 0 { column.clone() } else { format!("{}.{column}", instance.names[release]) };
        let found = violation.witness.iter().find(|(known, _)| *known == name);
        found.map_or(SENSITIVE_NOT_SHOWN, |(_, text)| text).to_owned()
    });
    texts.collect()
}

/// Number of people of these combinations of the new release.
fn people(release: &Release, selects: impl Fn(usize) -> bool) -> u64 {
    let selected = (0..release.contingency.len()).filter(|at| selects(*at));
    match &release.contingency.owners {
        Some(owners) => selected.map(|at| owners[at]).collect::<BTreeSet<u32>>().len() as u64,
        None => selected.map(|at| release.contingency.weights[at]).sum(),
    }
}

/// Asserts that the survey and the violating rows of a release match the naive result.
fn assert_survey(
    (instance, earlier, with_witnesses): (&Instance, &[usize], bool),
    check: &JoinCheck<'_>,
    naive: &NaiveConstraint,
    found: &NaiveResult,
    release: &Release,
    context: &dyn Fn() -> String,
) {
    let survey = check.survey(release).unwrap_or_else(|error| panic!("{error}: {}", context()));
    match (&survey.worst, found.worst) {
        (Some(worst), Some(safety)) => {
            let other = found.too_large.unwrap_or(safety);
            let same = close(worst.safety, safety) || close(worst.safety, other);
            assert!(same, "worst {} and not {safety} or {other}: {}", worst.safety, context());
        }
        (None, Some(safety)) => panic!("no worst class instead of {safety}: {}", context()),
        (Some(worst), None) if worst.safety < 0.0 => panic!("worst {} instead of none: {}", worst.safety, context()),
        _ => {}
    }
    let sorted = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let theirs = sorted(survey.violations.iter().map(|violation| violation.safety).collect());
    let same = |classes: &BTreeMap<Vec<String>, f64>| {
        let ours = sorted(classes.values().copied().collect());
        theirs.len() == ours.len() && theirs.iter().zip(&ours).all(|(one, two)| close(*one, *two))
    };
    let right = same(&found.classes) || same(&found.classes_too_large);
    assert!(right, "violations {:?} and not {:?}: {}", survey.violations, found, context());
    for violation in survey.violations.iter().filter(|_| with_witnesses) {
        let x = witness(instance, earlier, naive, violation);
        // A text that the witness does not contain matches any text.
        let matches = |known: &Vec<String>| {
            known.iter().zip(&x).all(|(known, text)| text == SENSITIVE_NOT_SHOWN || text == known)
        };
        assert!(found.violating.iter().any(matches), "{x:?} is not a violating x: {}", context());
    }
    let marks = check.violating(release).unwrap_or_else(|error| panic!("{error}: {}", context()));
    let expected: Vec<bool> = (0..release.contingency.len())
        .map(|at| found.classes.contains_key(&naive.class(&texts(release, at))))
        .collect();
    assert_eq!(marks, expected, "marks of {:?}: {}", contents(release), context());
    let mut theirs: Vec<u64> = survey.violations.iter().map(|violation| violation.people).collect();
    let class = |class: &Vec<String>| people(release, |at| naive.class(&texts(release, at)) == *class);
    let mut ours: Vec<u64> = found.classes.keys().map(class).collect();
    theirs.sort_unstable();
    ours.sort_unstable();
    assert!(theirs == ours, "{theirs:?} and not {ours:?} people in each violating class: {}", context());
    let all = people(release, |at| expected[at]);
    assert_eq!(survey.violating, all, "people in violating classes: {}", context());
}

/// Asserts that verification of the written records matches the naive result. A repeated column is judged by class if the join has more
/// than `max_listed` tuples.
fn assert_verified(
    (instance, earlier, max_listed): (&Instance, &[usize], u64),
    (constraint, naive): (&Constraint, &NaiveConstraint),
    found: &NaiveResult,
    (recoding, release): (&Recoding, &Release),
    context: &dyn Fn() -> String,
) {
    let joined = [JoinRequirement { earlier: earlier.to_vec(), constraints: vec![constraint.clone()], implied: 0 }];
    let (history, rules) = (&instance.history, &instance.rules);
    let joins = JoinVerifier { history, joined: &joined, rules, abort: &|| false, max_listed };
    let expected = Expected { recoding, rows: release.contingency.rows() };
    let verdict = verify(read_back(release), &expected, &[], Some(&joins));
    let verdict = verdict.unwrap_or_else(|error| panic!("{error}: {}", context()));
    let [over] = verdict.joins.as_slice() else { panic!("{verdict:?}: {}", context()) };
    let new = PublishedRows::new(release, &instance.columns[0]);
    let is_from = |at: &usize| {
        let recorded = &instance.history.releases[*at];
        !recorded.population && recorded.links.is_none() && can_be_computed(&new, &instance.earlier[*at])
    };
    let has_owners = release.contingency.owners.is_some();
    let adds_nothing = constraint.excuses_earlier && !has_owners && earlier.iter().any(is_from);
    assert_eq!(over.computable_from.is_some(), adds_nothing, "{over:?}: {}", context());
    if adds_nothing {
        return assert!(over.violations.is_empty(), "{over:?}: {}", context());
    }
    assert_eq!(over.violations.is_empty(), found.violating.is_empty(), "{over:?}: {}", context());
    for found_violation in &over.violations {
        let violation =
            Violation { witness: found_violation.witness.clone(), people: 0, safety: 0.0, explanation: String::new() };
        let x = witness(instance, earlier, naive, &violation);
        let matches = |known: &Vec<String>| {
            known.iter().zip(&x).all(|(known, text)| text == SENSITIVE_NOT_SHOWN || text == known)
        };
        assert!(found.violating.iter().any(matches), "{x:?} is not a violating x: {}", context());
    }
}

/// Whether Y contains a generalized column of the new release.
pub fn counts_generalized_values(naive: &NaiveConstraint, generalized: &[usize]) -> bool {
    naive.y.iter().any(|of| matches!(of, Counted::Column(at) if at.release == 0 && generalized.contains(&at.column)))
}

/// A constructor of [`JoinCheck`].
type MakeCheck<'a> = fn(
    &'a Constraint,
    &[PublishedColumn],
    &[usize],
    &'a History,
    &[usize],
    &'a [InconsistentRules],
) -> Result<JoinCheck<'a>, Error>;

fn check_of<'a>(
    make: MakeCheck<'a>,
    instance: &'a Instance,
    constraint: &'a Constraint,
    earlier: &[usize],
    columns: &[PublishedColumn],
) -> JoinCheck<'a> {
    make(constraint, columns, &instance.generalized(), &instance.history, earlier, &instance.rules)
        .unwrap_or_else(|error| panic!("{error}: {constraint:?}{}", instance.description()))
}

/// Checks surveys and violating rows of random releases, with and without pruning.
fn check_surveys(seed: u64, rounds: usize, max_rows: usize) {
    let mut random = Random(seed);
    let (mut judged, mut violated, mut kinds) = (0, 0, [0; 3]);
    for round in 0..rounds {
        let instance = Instance::random(&mut random, max_rows);
        let table = instance.data[0].table();
        let columns = raw_columns(&table);
        let earlier = some_earlier(&mut random, &instance);
        if !is_small(&instance, &earlier) {
            continue;
        }
        let releases: Vec<(Recoding, Release)> = (0..3)
            .map(|_| {
                let recoding = publish(&table, &mut random, false, true);
                let release = recoding.apply(&table).unwrap();
                (recoding, release)
            })
            .collect();
        for _ in 0..3 {
            let words = RandomSpec::random(&mut random, &instance);
            let made = constraints(&instance, &words, &earlier);
            let naive: Vec<&NaiveConstraint> = made.iter().map(|(_, naive)| naive).collect();
            let found: Vec<Vec<NaiveResult>> =
                releases.iter().map(|(_, release)| naive_results(&instance, &earlier, release, &naive)).collect();
            for (at, (constraint, naive)) in made.iter().enumerate() {
                let context = |what: &str| {
                    format!("{what}, round {round}, {words:?}: {naive:?} with {earlier:?}{}", instance.description())
                };
                let check = || check_of(JoinCheck::new, &instance, constraint, &earlier, &columns);
                let (plain, related) = (check(), check());
                let listing = check_of(JoinCheck::listing, &instance, constraint, &earlier, &columns);
                related.compute_relation(&table, &Recoding::identity(&table));
                for (place, (recoding, release)) in releases.iter().enumerate() {
                    let found = &found[place][at];
                    let published = || format!("published {:?}", contents(release));
                    assert_survey((&instance, &earlier, true), &plain, naive, found, release, &|| {
                        context(&format!("plain, {}", published()))
                    });
                    assert_survey((&instance, &earlier, true), &related, naive, found, release, &|| {
                        context(&format!("related, {}", published()))
                    });
                    assert_survey((&instance, &earlier, true), &listing, naive, found, release, &|| {
                        context(&format!("listing, {}", published()))
                    });
                    assert_verified(
                        (&instance, &earlier, u64::MAX),
                        (constraint, naive),
                        found,
                        (recoding, release),
                        &|| context(&format!("verified, {}", published())),
                    );
                    judged += 1;
                    violated += usize::from(!found.classes.is_empty());
                    kinds[0] += usize::from(matches!(naive.limit, Limit::AtMost(..)));
                    kinds[1] += usize::from(naive.y.len() > 1);
                    kinds[2] += usize::from(earlier.len() > 1);
                }
            }
        }
    }
    println!("{judged} checked, {violated} violated; confidence, several y, several earlier: {kinds:?}");
    assert!(judged > rounds && violated * 4 > judged && violated * 20 < judged * 19, "{violated} of {judged}");
    assert!(kinds.iter().all(|kind| kind * 10 > judged), "{kinds:?} of {judged}");
}

/// Compares the verdicts on a column that all releases repeat with the definition, with all tuples judged, listed and bounded.
fn check_repeated_columns(seed: u64, rounds: usize) {
    let mut random = Random(seed);
    let (mut judged, mut violated, mut excused) = (0, 0, 0);
    for round in 0..rounds {
        let earlier = 2 + random.below(2);
        let instance = Instance::with_releases(&mut random, 6, earlier, &["ill"]);
        let table = instance.data[0].table();
        let columns = raw_columns(&table);
        let earlier: Vec<usize> = (0..earlier).collect();
        if !is_small(&instance, &earlier) {
            continue;
        }
        let releases: Vec<(Recoding, Release)> = (0..2)
            .map(|_| {
                let recoding = publish(&table, &mut random, false, true);
                let release = recoding.apply(&table).unwrap();
                (recoding, release)
            })
            .filter(|(_, release)| release.contingency.rows() > 0)
            .collect();
        let words = RandomSpec { x: None, ..RandomSpec::random(&mut random, &instance) };
        for (constraint, naive) in &constraints(&instance, &words, &earlier) {
            let check = check_of(JoinCheck::new, &instance, constraint, &earlier, &columns);
            let bounded = check_of(JoinCheck::new, &instance, constraint, &earlier, &columns).with_bounds();
            let listing = check_of(JoinCheck::listing, &instance, constraint, &earlier, &columns);
            if !check.repeats_a_column() {
                continue;
            }
            for (recoding, release) in &releases {
                let found = &naive_results(&instance, &earlier, release, &[naive])[0];
                let context = || {
                    let published = contents(release);
                    format!("round {round}, {words:?}: {naive:?}, published {published:?}{}", instance.description())
                };
                assert_survey((&instance, &earlier, true), &check, naive, found, release, &context);
                assert_survey((&instance, &earlier, true), &listing, naive, found, release, &context);
                let (exact, by_bounds) = (check.violating(release).unwrap(), bounded.violating(release).unwrap());
                assert_eq!(exact, by_bounds, "with bounds: {}", context());
                for max_listed in [0, u64::MAX] {
                    let with = (&instance, &earlier[..], max_listed);
                    assert_verified(with, (constraint, naive), found, (recoding, release), &context);
                }
                judged += 1;
                violated += usize::from(!found.classes.is_empty());
                excused += usize::from(found.classes.is_empty() && found.worst.is_some_and(|worst| worst < 0.0));
            }
        }
    }
    println!("{judged} checked, {violated} violated, {excused} held");
    assert!(judged > rounds / 2 && violated * 8 > judged && violated * 8 < judged * 7, "{violated} of {judged}");
}

#[test]
fn repeated_columns_are_judged_as_if_all_tuples_were_listed() {
    repeat(77, 1500, check_repeated_columns);
}

/// Runs a test with `ORACLE_TIMES` different seeds; 1 by default.
pub fn repeat(seed: u64, rounds: usize, run: impl Fn(u64, usize)) {
    let times = std::env::var("ORACLE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    for time in 0..times {
        run(seed + 1000 * time, rounds);
    }
}

/// Records of the raw table and of earlier releases that have no match.
#[test]
fn dangling_records_are_counted() {
    let mut random = Random(76);
    let (mut ours, mut theirs) = (0, 0);
    for _ in 0..500 {
        let instance = Instance::random(&mut random, 6);
        let earlier = some_earlier(&mut random, &instance);
        let table = instance.data[0].table();
        let raw = PublishedRows::new(&Release::raw(&table).unwrap(), &instance.columns[0]);
        let found = dangling(&table, &instance.history, &earlier, &instance.rules);
        for (place, at) in earlier.iter().enumerate() {
            let pairs = matching(&raw, &instance.earlier[*at], &instance.rules);
            let unmatched_new = pairs.iter().filter(|row| !row.contains(&true)).count() as u64;
            let records = instance.earlier[*at].rows.len();
            let unmatched_earlier = (0..records).filter(|column| pairs.iter().all(|row| !row[*column])).count() as u64;
            let result = found.iter().find(|result| result.name == instance.names[at + 1]);
            let result = result.map_or((0, 0), |result| (result.unmatched_new, result.unmatched_earlier));
            assert_eq!(result, (unmatched_new, unmatched_earlier), "{place}: {}", instance.description());
            ours += unmatched_new;
            theirs += unmatched_earlier;
        }
    }
    assert!(ours > 100 && theirs > 100, "{ours} and {theirs}");
}

#[test]
fn surveys_of_small_histories_match_the_definition() {
    repeat(71, 800, |seed, rounds| check_surveys(seed, rounds, 5));
}

#[test]
fn surveys_of_larger_histories_match_the_definition() {
    repeat(72, 80, |seed, rounds| check_surveys(seed, rounds, 25));
}
