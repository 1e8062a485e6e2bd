//! Statements over joined releases against their definition, on thousands of small histories: verdicts, witnesses and marks.

use std::collections::{BTreeMap, BTreeSet};

use reticent::join::{ColumnRef, Constraint, Counted, JoinCheck, JoinRequirement, dangling};
use reticent::models::Violation;
use reticent::requirement::Requirement;
use reticent::verify::{Expected, JoinVerifier, SENSITIVE_NOT_SHOWN, verify};
use reticent::{PublishedColumn, Recoding, Release, Table};

use super::histories::{Instance, RandomSpec, publish};
use super::lossy::{Limit, NaiveConstraint, NaiveResult, PublishedRows, join, matching, texts};
use crate::support::{Random, contents, read_back};

/// The statements that the library makes of a wording, each beside our own.
pub fn statements(instance: &Instance, words: &RandomSpec, earlier: &[usize]) -> Vec<(Constraint, NaiveConstraint)> {
    let mut requirement = Requirement::from_specs(&[], &instance.schema).unwrap();
    let sets = [earlier.to_vec()];
    requirement
        .join(&[words.spec()], &instance.schema, instance.member(), &instance.history, &sets, instance.rules.clone())
        .unwrap();
    let made = requirement.joins.remove(0).constraints;
    let sides = |statement: &Constraint| -> (BTreeSet<ColumnRef>, BTreeSet<Counted>) {
        (statement.x.iter().copied().collect(), statement.y.iter().copied().collect())
    };
    let demands = words.constraints(instance, earlier);
    let ours: BTreeSet<_> = demands.iter().map(|demand| (demand.x.clone(), demand.y.clone())).collect();
    let theirs: BTreeSet<_> = made.iter().map(sides).collect();
    assert_eq!(theirs, ours, "{words:?} with {earlier:?}{}", instance.description());
    made.into_iter()
        .map(|statement| {
            let (x, y) = sides(&statement);
            let demand = demands.iter().find(|demand| demand.x == x && demand.y == y).unwrap().clone();
            (statement, demand)
        })
        .collect()
}

pub fn raw_columns(table: &Table) -> Vec<PublishedColumn> {
    Recoding::identity(table).columns.into_iter().map(|recoded| recoded.column).collect()
}

/// What the definition finds when a table is published like this beside earlier releases.
pub fn find(
    instance: &Instance,
    earlier: &[usize],
    release: &Release,
    demands: &[&NaiveConstraint],
) -> Vec<NaiveResult> {
    let new = PublishedRows::new(release, &instance.columns[0]);
    let shown: Vec<&PublishedRows> =
        [&new].into_iter().chain(earlier.iter().map(|at| &instance.earlier[*at])).collect();
    let tuples = join(&shown, &instance.rules);
    demands.iter().map(|demand| demand.judge(&shown, &tuples)).collect()
}

fn close(one: f64, two: f64) -> bool {
    (one - two).abs() < 1e-9
}

/// Some of the earlier releases, at least one.
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

/// Whether the join can be made row by row without waiting long.
pub fn is_small(instance: &Instance, earlier: &[usize]) -> bool {
    let rows = earlier.iter().map(|at| instance.earlier[*at].rows.len()).chain([instance.data[0].rows.len()]);
    rows.product::<usize>() < 20_000
}

/// The texts of a witness in the order of x, as far as it shows them.
fn witness(instance: &Instance, earlier: &[usize], demand: &NaiveConstraint, violation: &Violation) -> Vec<String> {
    let texts = demand.x.iter().map(|at| {
        let release = at.release.checked_sub(1).map_or(0, |place| earlier[place] + 1);
        let column = &instance.columns[release][at.column].col.name;
        let name = if release == 0 { column.clone() } else { format!("{}.{column}", instance.names[release]) };
        let found = violation.witness.iter().find(|(known, _)| *known == name);
        found.map_or(SENSITIVE_NOT_SHOWN, |(_, text)| text).to_owned()
    });
    texts.collect()
}

/// People of the new release behind these combinations.
fn people(release: &Release, which: impl Fn(usize) -> bool) -> u64 {
    let places = (0..release.contingency.len()).filter(|at| which(*at));
    match &release.contingency.owners {
        Some(owners) => places.map(|at| owners[at]).collect::<BTreeSet<u32>>().len() as u64,
        None => places.map(|at| release.contingency.weights[at]).sum(),
    }
}

/// The library says what the definition says of one release.
fn agrees(
    (instance, earlier, shown): (&Instance, &[usize], bool),
    joint: &JoinCheck<'_>,
    demand: &NaiveConstraint,
    found: &NaiveResult,
    release: &Release,
    about: &dyn Fn() -> String,
) {
    let survey = joint.survey(release).unwrap_or_else(|error| panic!("{error}: {}", about()));
    match (&survey.worst, found.worst) {
        (Some(worst), Some(safety)) => {
            let other = found.too_large.unwrap_or(safety);
            let same = close(worst.safety, safety) || close(worst.safety, other);
            assert!(same, "worst {} and not {safety} or {other}: {}", worst.safety, about());
        }
        (None, Some(safety)) => panic!("nothing is worst, and {safety} is: {}", about()),
        (Some(worst), None) if worst.safety < 0.0 => panic!("{} is worst, and nothing is: {}", worst.safety, about()),
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
    assert!(right, "violations {:?} and not {:?}: {}", survey.violations, found, about());
    for violation in survey.violations.iter().filter(|_| shown) {
        let x = witness(instance, earlier, demand, violation);
        // What is not shown could be anything.
        let fits = |known: &Vec<String>| {
            known.iter().zip(&x).all(|(known, text)| text == SENSITIVE_NOT_SHOWN || text == known)
        };
        assert!(found.violating.iter().any(fits), "{x:?} is no witness: {}", about());
    }
    let marks = joint.violating(release).unwrap_or_else(|error| panic!("{error}: {}", about()));
    let expected: Vec<bool> = (0..release.contingency.len())
        .map(|at| found.classes.contains_key(&demand.class(&texts(release, at))))
        .collect();
    assert_eq!(marks, expected, "marks of {:?}: {}", contents(release), about());
    let mut theirs: Vec<u64> = survey.violations.iter().map(|violation| violation.people).collect();
    let class = |class: &Vec<String>| people(release, |at| demand.class(&texts(release, at)) == *class);
    let mut ours: Vec<u64> = found.classes.keys().map(class).collect();
    theirs.sort_unstable();
    ours.sort_unstable();
    assert!(theirs == ours, "{theirs:?} and not {ours:?} people in each violating class: {}", about());
    let all = people(release, |at| expected[at]);
    assert_eq!(survey.violating, all, "people in violating classes: {}", about());
}

/// What verification finds in a written file is what the definition finds.
fn is_verified(
    (instance, earlier): (&Instance, &[usize]),
    (statement, demand): (&Constraint, &NaiveConstraint),
    found: &NaiveResult,
    (recoding, release): (&Recoding, &Release),
    about: &dyn Fn() -> String,
) {
    let joined = [JoinRequirement { earlier: earlier.to_vec(), constraints: vec![statement.clone()], implied: 0 }];
    let joins = JoinVerifier { history: &instance.history, joined: &joined, rules: &instance.rules, abort: &|| false };
    let expected = Expected { recoding, rows: release.contingency.rows() };
    let verdict = verify(read_back(release), &expected, &[], Some(&joins));
    let verdict = verdict.unwrap_or_else(|error| panic!("{error}: {}", about()));
    let [over] = verdict.joins.as_slice() else { panic!("{verdict:?}: {}", about()) };
    assert_eq!(over.violations.is_empty(), found.violating.is_empty(), "{over:?}: {}", about());
    for breach in &over.violations {
        let violation =
            Violation { witness: breach.witness.clone(), people: 0, safety: 0.0, explanation: String::new() };
        let x = witness(instance, earlier, demand, &violation);
        let fits = |known: &Vec<String>| {
            known.iter().zip(&x).all(|(known, text)| text == SENSITIVE_NOT_SHOWN || text == known)
        };
        assert!(found.violating.iter().any(fits), "{x:?} is no breach: {}", about());
    }
}

/// Whether some y is a column of the new release that is generalized.
pub fn counts_generalized_values(demand: &NaiveConstraint, generalized: &[usize]) -> bool {
    demand.y.iter().any(|of| matches!(of, Counted::Column(at) if at.release == 0 && generalized.contains(&at.column)))
}

/// Surveys and marks of random publications, with and without the shortcuts.
fn surveys(seed: u64, rounds: usize, most: usize) {
    let mut random = Random(seed);
    let (mut judged, mut violated, mut kinds) = (0, 0, [0; 3]);
    for round in 0..rounds {
        let instance = Instance::random(&mut random, most);
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
            let made = statements(&instance, &words, &earlier);
            let demands: Vec<&NaiveConstraint> = made.iter().map(|(_, demand)| demand).collect();
            let found: Vec<Vec<NaiveResult>> =
                releases.iter().map(|(_, release)| find(&instance, &earlier, release, &demands)).collect();
            for (at, (statement, demand)) in made.iter().enumerate() {
                let about = |what: &str| {
                    format!("{what}, round {round}, {words:?}: {demand:?} with {earlier:?}{}", instance.description())
                };
                let joint = || {
                    JoinCheck::new(
                        statement,
                        &columns,
                        &instance.generalized(),
                        &instance.history,
                        &earlier,
                        &instance.rules,
                    )
                };
                let joint = || joint().unwrap_or_else(|error| panic!("{error}: {}", about("no judge")));
                let (plain, related, listing) = (joint(), joint(), joint().with_listing());
                related.compute_relation(&table, &Recoding::identity(&table));
                for (place, (recoding, release)) in releases.iter().enumerate() {
                    let found = &found[place][at];
                    let published = || format!("published {:?}", contents(release));
                    agrees((&instance, &earlier, true), &plain, demand, found, release, &|| {
                        about(&format!("plain, {}", published()))
                    });
                    agrees((&instance, &earlier, true), &related, demand, found, release, &|| {
                        about(&format!("related, {}", published()))
                    });
                    agrees((&instance, &earlier, true), &listing, demand, found, release, &|| {
                        about(&format!("listing, {}", published()))
                    });
                    is_verified((&instance, &earlier), (statement, demand), found, (recoding, release), &|| {
                        about(&format!("verified, {}", published()))
                    });
                    judged += 1;
                    violated += usize::from(!found.classes.is_empty());
                    kinds[0] += usize::from(matches!(demand.limit, Limit::AtMost(..)));
                    kinds[1] += usize::from(demand.y.len() > 1);
                    kinds[2] += usize::from(earlier.len() > 1);
                }
            }
        }
    }
    println!("{judged} judged, {violated} violated; shares, several y, several earlier: {kinds:?}");
    assert!(judged > rounds && violated * 4 > judged && violated * 20 < judged * 19, "{violated} of {judged}");
    assert!(kinds.iter().all(|kind| kind * 10 > judged), "{kinds:?} of {judged}");
}

/// More rounds and other seeds, for whoever wants to look longer.
pub fn longer(seed: u64, rounds: usize, run: impl Fn(u64, usize)) {
    let times = std::env::var("ORACLE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    for time in 0..times {
        run(seed + 1000 * time, rounds);
    }
}

/// Records that match nothing, however finely the new table is published.
#[test]
fn records_that_match_nothing() {
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
            let alone = pairs.iter().filter(|row| !row.contains(&true)).count() as u64;
            let records = instance.earlier[*at].rows.len();
            let left = (0..records).filter(|column| pairs.iter().all(|row| !row[*column])).count() as u64;
            let told = found.iter().find(|told| told.name == instance.names[at + 1]);
            let told = told.map_or((0, 0), |told| (told.unmatched_new, told.unmatched_earlier));
            assert_eq!(told, (alone, left), "{place}: {}", instance.description());
            ours += alone;
            theirs += left;
        }
    }
    assert!(ours > 100 && theirs > 100, "{ours} and {theirs}");
}

#[test]
fn surveys_and_marks_of_small_histories() {
    longer(71, 800, |seed, rounds| surveys(seed, rounds, 5));
}

#[test]
fn surveys_and_marks_of_larger_histories() {
    longer(72, 80, |seed, rounds| surveys(seed, rounds, 25));
}
