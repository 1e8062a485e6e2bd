//! Laws of every algorithm: its release satisfies the models and the naive definitions, and is deterministic. An algorithm
//! refuses or stops with a typed error and never panics.

use reticent::algorithms::{Control, LIST, Purpose, RecodingTask, SearchOutcome, Suppression, ValueForm, named, run};
use reticent::operations::generalize::generalize;
use reticent::registry::Arguments;
use reticent::requirement::Requirement;
use reticent::taxonomy::Cut;
use reticent::{Error, History, Ratio, Result, Role, Table};

use crate::oracle::definitions::violating;
use crate::support::{
    Col, Data, Random, contents, other, purposes, quasi, random_data, requirement, sensitive, witnesses,
};

/// Requirements with every model, single and combined.
pub const REQUIREMENTS: &[&[&str]] = &[
    &["k-anonymity k=2"],
    &["k-anonymity k=5"],
    &["multir-k-anonymity k=2 records=2 on=place"],
    &["multir-k-anonymity k=2", "distinct-l-diversity l=2"],
    &["k-anonymity k=2 on=place", "k-anonymity k=4 on=sex"],
    &["xy-anonymity k=2 y=ill"],
    &["xy-linkability h=0.6 y=ill"],
    &["confidence-bounding h=0.6"],
    &["confidence-bounding values=flu:0.5"],
    &["distinct-l-diversity l=2"],
    &["entropy-l-diversity l=1.8"],
    &["recursive-cl-diversity c=2 l=2"],
    &["alpha-k-anonymity alpha=0.6 k=2"],
    &["t-closeness t=0.3"],
    &["t-closeness t=0.2 distance=ordered"],
    &["t-closeness t=0.2 distance=hierarchical", "k-anonymity k=2"],
    &["k-anonymity k=3", "distinct-l-diversity l=2 on=place", "confidence-bounding h=0.7"],
];

/// Whether the algorithm is a baseline. A baseline applies a fixed recoding and refuses if it violates the requirement.
fn is_baseline(id: &str) -> bool {
    named(id).unwrap().entry.comparison
}

fn limit(numerator: u64, denominator: u64, cells: bool) -> Suppression {
    Suppression { limit: Ratio::new(numerator, denominator), cells }
}

/// Half of the tables are published with sets of values by the algorithms that can do so.
fn value_form(id: &str, table: &Table) -> ValueForm {
    match named(id).unwrap().sets && table.contingency.len().is_multiple_of(2) {
        true => ValueForm::Sets,
        false => ValueForm::Nodes,
    }
}

fn search(
    id: &str,
    table: &Table,
    requirement: &Requirement,
    suppression: Suppression,
    purpose: &Purpose,
) -> Result<SearchOutcome> {
    let history = History::default();
    let values = value_form(id, table);
    let task = RecodingTask { table, history: &history, requirement, purpose, suppression, values };
    run(id, &task, Arguments::default(), &Control::QUIET)
}

/// Asserts that the release satisfies the requirement, respects the suppression limit and accounts for every record.
fn assert_safe(
    id: &str,
    words: &[&str],
    data: &Data,
    table: &Table,
    suppression: Suppression,
    outcome: &SearchOutcome,
) {
    let release = outcome.recoding.apply(table).unwrap();
    let context = || format!("{id}, {words:?}, {suppression:?} on {:?} by {:?}", data.rows, data.owners);
    assert_eq!(release.contingency.rows() + release.suppressed, table.contingency.rows(), "{}", context());
    assert!(release.contingency.rows() > 0, "all records are suppressed: {}", context());
    let allowed = suppression.limit.numerator * u128::from(table.contingency.rows()) / suppression.limit.denominator;
    assert!(u128::from(release.suppressed) <= allowed, "{} suppressed: {}", release.suppressed, context());
    for model in &requirement(words, &data.schema()).models {
        let found = witnesses(model.as_ref(), release.clone());
        assert!(found.is_empty(), "{}: {found:?}: {}", model.title(), context());
    }
    let published = data.published(&release);
    // A removed column has no values, so the distance of t-closeness is not defined.
    let removed = id == "baseline-without-counted-columns";
    for words in words.iter().filter(|words| !(removed && words.starts_with("t-closeness"))) {
        let found = violating(words, &published).0;
        assert!(found.is_empty(), "{words}: {found:?}: {}", context());
    }
    // Other columns than quasi-identifiers are published unchanged, unless the baseline removes them.
    if removed {
        return;
    }
    for (at, col) in data.cols.iter().enumerate().filter(|(_, col)| col.role != Role::QuasiIdentifier) {
        let texts = |data: &Data| data.rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>();
        let raw = texts(data);
        assert!(texts(&published).iter().all(|text| raw.contains(text)), "{}: {}", col.name, context());
    }
}

/// Whether the release with all quasi-identifiers suppressed satisfies the naive definitions.
fn top_is_safe(words: &[&str], data: &Data, table: &Table) -> bool {
    let cuts = table.columns.iter().map(|column| {
        let quasi = column.role == Role::QuasiIdentifier;
        (column.tree.clone(), if quasi { Cut::top() } else { Cut::bottom(&column.tree) })
    });
    let release = generalize(table, cuts.collect()).apply(table).unwrap();
    let published = data.published(&release);
    words.iter().all(|words| violating(words, &published).0.is_empty() && violating(words, &published).1.is_empty())
}

fn assert_every_release_is_safe(seed: u64, people: usize) {
    assert!(!LIST.is_empty());
    for listed in LIST {
        let id = listed.entry.id;
        let mut random = Random(seed);
        let (mut made, mut refused, mut suppressed) = (0, 0, 0);
        for round in 0..24 {
            let data = random_data(&mut random, [3, 12, 40][round % 3], people);
            let table = data.table();
            let purpose = &purposes("note")[round % 4];
            for words in REQUIREMENTS {
                let limits =
                    [Suppression::NONE, limit(1, 4, false), limit(1, 4, true), limit(1, 1, false), limit(1, 1, true)];
                let suppression = *random.pick(&limits);
                let requirement = requirement(words, &data.schema());
                match search(id, &table, &requirement, suppression, purpose) {
                    Ok(outcome) => {
                        assert_safe(id, words, &data, &table, suppression, &outcome);
                        made += 1;
                        suppressed += usize::from(outcome.recoding.apply(&table).unwrap().suppressed > 0);
                    }
                    Err(Error::Refused(refusal)) => {
                        refused += 1;
                        assert!(!refusal.to_string().is_empty());
                        let rows = (&data.rows, &data.owners);
                        let hopeless = is_baseline(id) || !top_is_safe(words, &data, &table);
                        assert!(hopeless, "{id} refused {words:?} on {rows:?}: {refusal}");
                    }
                    Err(error) => panic!("{id}, {words:?} on {:?}: {error}", data.rows),
                }
            }
        }
        assert!(
            (made > 30 && suppressed > 0 || is_baseline(id) && made > 0) && refused > 0,
            "{id}: {made} made, {refused} refused, {suppressed} with suppressed records"
        );
    }
}

#[test]
fn every_release_is_safe_for_people_with_one_record() {
    assert_every_release_is_safe(51, 0);
}

#[test]
fn every_release_is_safe_for_people_with_several_records() {
    assert_every_release_is_safe(52, 10);
}

/// Numbers with intervals that the search forms, numbers with fixed intervals, missing values, and a constant column.
#[test]
fn every_release_is_safe_for_numbers_and_missing_values() {
    use reticent::TreeSource;
    use reticent::taxonomy::{IntervalLevel, Type};
    let number = |name: &str, tree: TreeSource| Col { values: Type::Number, tree, ..quasi(name) };
    let widths =
        TreeSource::Intervals { levels: vec![IntervalLevel::Width(5.0), IntervalLevel::Width(20.0)], exact: true };
    let cols = vec![
        number("age", TreeSource::Grown { range: None }),
        number("zip", widths),
        quasi("one"),
        sensitive("ill"),
        other("note"),
    ];
    for listed in LIST {
        let id = listed.entry.id;
        let mut random = Random(53);
        for round in 0..12 {
            let rows = (0..10 + random.below(30))
                .map(|_| {
                    let age = if random.below(6) == 0 { String::new() } else { (20 + random.below(12)).to_string() };
                    let zip = random.below(60).to_string();
                    vec![
                        age,
                        zip,
                        "x".to_owned(),
                        random.pick(&["flu", "hiv"]).to_string(),
                        random.pick(&["u", "v"]).to_string(),
                    ]
                })
                .collect();
            let data = Data { cols: cols.clone(), rows, owners: None };
            let table = data.table();
            for words in [
                &["k-anonymity k=3"][..],
                &["confidence-bounding h=0.75", "k-anonymity k=2 on=age"],
                &["t-closeness t=0.25"],
            ] {
                let requirement = requirement(words, &data.schema());
                let suppression = [Suppression::NONE, limit(1, 5, false), limit(1, 5, true)][round % 3];
                match search(id, &table, &requirement, suppression, &purposes("note")[round % 4]) {
                    Ok(outcome) => assert_safe(id, words, &data, &table, suppression, &outcome),
                    Err(Error::Refused(_)) => {
                        assert!(is_baseline(id) || !top_is_safe(words, &data, &table), "{id}, {words:?}");
                    }
                    Err(error) => panic!("{id}, {words:?}: {error}"),
                }
            }
        }
    }
}

#[test]
fn the_release_does_not_depend_on_row_order_or_threads() {
    let pools = [1, 4].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for listed in LIST {
        let id = listed.entry.id;
        let mut random = Random(54);
        let mut compared = 0;
        for round in 0..8 {
            let data = random_data(&mut random, 40, if round % 4 == 3 { 12 } else { 0 });
            let mut order: Vec<usize> = (0..data.rows.len()).collect();
            random.shuffle(&mut order);
            let tables = [data.table(), Table::build(&data.counts_in(&order), &data.schema()).unwrap()];
            for words in REQUIREMENTS.iter().step_by(2) {
                let requirement = requirement(words, &data.schema());
                let suppression = [Suppression::NONE, limit(1, 4, false), limit(1, 4, true)][round % 3];
                let mut answers = Vec::new();
                for pool in &pools {
                    for table in &tables {
                        let made =
                            pool.install(|| search(id, table, &requirement, suppression, &purposes("note")[round % 4]));
                        answers.push(made.map(|outcome| contents(&outcome.recoding.apply(table).unwrap())));
                    }
                }
                compared += usize::from(answers[0].is_ok());
                for other in &answers[1..] {
                    assert_eq!(&answers[0], other, "{id}, {words:?} on {:?}", data.rows);
                }
            }
        }
        assert!(compared > 10, "{id}");
    }
}

/// A search that is stopped at once or after some steps returns a safe release, or an error.
#[test]
fn a_stopped_search_returns_a_safe_release_or_an_error() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for listed in LIST {
        let id = listed.entry.id;
        let mut random = Random(55);
        let mut all_polls = 0;
        for patience in [0, 1, 2, 3, 5, 8, 20] {
            let data = random_data(&mut random, 40, 0);
            let table = data.table();
            for words in REQUIREMENTS {
                let requirement = requirement(words, &data.schema());
                let polls = AtomicUsize::new(0);
                let stop = || polls.fetch_add(1, Ordering::SeqCst) >= patience;
                let control = Control { stop: &stop, ..Control::QUIET };
                let history = History::default();
                let suppression = *random.pick(&[Suppression::NONE, limit(1, 4, false)]);
                let purpose = &Purpose::General;
                let task = RecodingTask { purpose, suppression, ..RecodingTask::new(&table, &history, &requirement) };
                match run(id, &task, Arguments::default(), &control) {
                    Ok(outcome) => assert_safe(id, words, &data, &table, suppression, &outcome),
                    Err(Error::Stopped | Error::Refused(_)) => {}
                    Err(error) => panic!("{id}, {words:?}: {error}"),
                }
                all_polls += polls.load(Ordering::SeqCst);
            }
        }
        assert!(all_polls > 100 || is_baseline(id), "{id} polled the stop signal only {all_polls} times");
    }
}

/// The requirements are violated even with all quasi-identifiers suppressed.
#[test]
fn a_requirement_that_cannot_be_met_is_refused() {
    for listed in LIST {
        let id = listed.entry.id;
        let mut random = Random(56);
        for round in 0..8 {
            let data = random_data(&mut random, 20, if round % 2 == 0 { 0 } else { 5 });
            let table = data.table();
            for words in [
                "k-anonymity k=21",
                "distinct-l-diversity l=6",
                "confidence-bounding h=0.01",
                "entropy-l-diversity l=5.5",
            ] {
                let requirement = requirement(&[words], &data.schema());
                for suppression in [Suppression::NONE, limit(1, 2, false), limit(1, 2, true)] {
                    let made = search(id, &table, &requirement, suppression, &Purpose::General);
                    // This baseline removes the sensitive column, so no confidence exceeds its bound.
                    let removes = id == "baseline-without-counted-columns" && words.starts_with("confidence");
                    let refused = matches!(made, Err(Error::Refused(_))) || removes;
                    assert!(
                        refused,
                        "{id}, {words}, {suppression:?} on {:?}: {:?}",
                        data.rows,
                        made.map(|outcome| outcome.notes)
                    );
                }
            }
        }
    }
}

/// The requirement has no constraint on the join, so the algorithm must not ignore the history.
#[test]
fn a_history_without_join_constraints_is_an_error() {
    for listed in LIST {
        let data = random_data(&mut Random(57), 30, 0);
        let table = data.table();
        let history = data.history();
        let requirement = requirement(&["k-anonymity k=2"], &data.schema());
        let purpose = &Purpose::General;
        let task = RecodingTask { purpose, ..RecodingTask::new(&table, &history, &requirement) };
        let made = run(listed.entry.id, &task, Arguments::default(), &Control::QUIET);
        assert!(made.is_err(), "{} ignored the earlier release", listed.entry.id);
    }
}
