//! Every entry reads only arguments that it declares.

use std::collections::BTreeMap;

use reticent::algorithms::{self, Control, RecodingTask};
use reticent::join::JoinScope;
use reticent::join::Member;
use reticent::metrics::{self, Comparison};
use reticent::registry::{Argument, Arguments, Domain, Entry};
use reticent::republication::{self, MethodState};
use reticent::{Error, History, Recoding, Result, attacks, models};

use super::models::MODELS;
use super::republication::{Month, arguments as method_arguments, publish};
use crate::broken::attacks::planted;
use crate::support::{Random, purposes, random_data, requirement, spec};

/// Fails if an entry reads an argument that it does not declare.
fn assert_known_arguments<T>(entry: &Entry, result: Result<T>) {
    let error = result.err();
    assert!(!matches!(error, Some(Error::Argument { .. })), "{} {}: {error:?}", entry.kind, entry.id);
}

/// Arguments of an entry whose parameters all have defaults: no argument, and each parameter with each of its values.
fn variants(entry: &Entry) -> Vec<Arguments> {
    let mut all = vec![Arguments::default()];
    for parameter in entry.parameters {
        let values: Vec<Argument> = match parameter.domain {
            Domain::Whole(least) => vec![Argument::Number(least as f64)],
            Domain::Number(low, _) => vec![Argument::Number(low)],
            Domain::Word(words) => words.iter().map(|word| Argument::Word((*word).to_owned())).collect(),
            Domain::Flag => vec![Argument::Flag(false), Argument::Flag(true)],
            Domain::Column => vec![Argument::Word("ill".to_owned())],
            Domain::Columns => vec![Argument::Words(vec!["sex".to_owned()])],
            Domain::Thresholds => vec![Argument::Thresholds(vec![("flu".to_owned(), 0.5)])],
            Domain::Each(least) => vec![Argument::Thresholds(vec![("ill".to_owned(), least as f64)])],
        };
        all.extend(values.into_iter().map(|value| Arguments::default().set(parameter.name, value)));
    }
    all
}

#[test]
fn models_read_their_own_arguments() {
    let data = random_data(&mut Random(71), 30, 0);
    let schema = data.schema();
    let columns: Vec<_> = schema.attributes.iter().map(|column| (column.name.clone(), column.role)).collect();
    let member = |name: &str| Member { name: name.to_owned(), columns: columns.clone(), population: false };
    let scope = JoinScope { members: vec![member("new"), member("old")] };
    for words in MODELS {
        let spec = spec(words);
        let entry = &models::LIST.iter().find(|listed| listed.entry.id == spec.model).unwrap().entry;
        let built = models::build(&spec.model, spec.arguments.clone(), &schema);
        assert!(built.is_ok(), "{words}: {:?}", built.err());
        assert_known_arguments(entry, models::lower_to_join(&spec.model, spec.arguments, &scope, &schema));
    }
}

#[test]
fn algorithms_read_their_own_arguments() {
    let data = random_data(&mut Random(72), 30, 0);
    let (table, history) = (data.table(), History::default());
    let requirement = requirement(&["k-anonymity k=2"], &data.schema());
    for listed in algorithms::LIST {
        for arguments in variants(&listed.entry) {
            for purpose in purposes("ill") {
                let task = RecodingTask { purpose: &purpose, ..RecodingTask::new(&table, &history, &requirement) };
                let made = algorithms::run(listed.entry.id, &task, arguments.clone(), &Control::QUIET);
                assert_known_arguments(&listed.entry, made);
            }
        }
    }
}

#[test]
fn methods_read_their_own_arguments() {
    let row = |person: u128| {
        let pick = |from: &[&str]| from[person as usize % from.len()].to_owned();
        let values = [
            pick(&["n1", "n2", "s1"]),
            format!("{}", 20 + person),
            pick(&["flu", "hiv", "gout", "cold"]),
            pick(&["1", "2", "3"]),
        ];
        (person, values)
    };
    let present: BTreeMap<_, _> = (1..=24).map(row).collect();
    for listed in republication::LIST {
        for (arguments, several) in method_arguments(listed) {
            let month = Month { present: &present, several, past: &MethodState::default(), k: 1, seed: 1 };
            assert_known_arguments(&listed.entry, publish(listed, &arguments, &month));
            let checked = arguments.clone().checked(&listed.entry).unwrap();
            assert!((listed.promise)(&checked, "ill").is_ok(), "{}", listed.entry.id);
            assert!(listed.linkage_bound(&checked).is_ok(), "{}", listed.entry.id);
            // Unchecked arguments are an error if the promise reads them.
            let reads = (listed.promise)(&checked, "ill").unwrap().is_some();
            assert!(!reads || (listed.promise)(&arguments, "ill").is_err(), "{}", listed.entry.id);
        }
    }
}

#[test]
fn attacks_read_their_own_arguments() {
    for attack in attacks::LIST {
        let (broken, safe) = planted(attack.entry.id).unwrap();
        for case in [broken, safe] {
            let result = case.run(attack);
            assert!(result.is_ok(), "{}: {:?}", attack.entry.id, result.err());
        }
    }
}

#[test]
fn metrics_read_no_arguments() {
    assert!(metrics::LIST.iter().all(|listed| listed.entry.parameters.is_empty()));
    let data = random_data(&mut Random(73), 30, 0);
    let (table, release) = (data.table(), data.raw());
    let recoding = Recoding::identity(&table);
    for purpose in purposes("ill") {
        let comparison = Comparison { table: &table, recoding: &recoding, release: &release, purpose: &purpose };
        assert!(metrics::measure_all(&comparison).is_ok());
    }
}
