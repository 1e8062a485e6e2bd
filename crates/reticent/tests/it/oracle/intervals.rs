//! Published intervals of numbers: every interval covers its raw value. Intervals and classes are read from the labels, not
//! from the taxonomy.

use reticent::algorithms::{Control, LIST, Purpose, RecodingTask, named, run};
use reticent::contingency::ContingencyTable;
use reticent::registry::{Argument, Arguments, Domain};
use reticent::taxonomy::{IntervalLevel, Type};
use reticent::{History, Missing, Role, Schema, Table, TreeSource};
use std::collections::BTreeMap;

use crate::support::{Data, Random, other, quasi, requirement, sensitive};

/// Whether a published text covers a raw number.
fn covers(label: &str, raw: &str, missing: bool) -> bool {
    if label == "*" || label == raw {
        return true;
    }
    if missing {
        return false;
    }
    let raw: f64 = raw.parse().unwrap();
    if let Some(bound) = label.strip_prefix(">=") {
        return raw >= bound.parse::<f64>().unwrap();
    }
    if let Some(bound) = label.strip_prefix('<') {
        return raw < bound.parse::<f64>().unwrap();
    }
    if label == "any" {
        return true;
    }
    let inside =
        label.strip_prefix('[').and_then(|rest| rest.strip_suffix(')')).unwrap_or_else(|| panic!("label {label}"));
    let (low, high) = inside.split_once(',').unwrap();
    low.parse::<f64>().unwrap() <= raw && raw < high.parse::<f64>().unwrap()
}

fn schema(data: &Data, tree: &TreeSource) -> Schema {
    let mut schema = data.schema();
    for attribute in &mut schema.attributes {
        if attribute.name == "age" {
            attribute.values = Type::Number;
            attribute.tree = tree.clone();
            attribute.missing = Missing::Value;
        }
    }
    schema.missing_values = vec!["none".to_owned()];
    schema
}

/// All values of the word and flag parameters of an algorithm, one parameter at a time.
fn choices(id: &str) -> Vec<Arguments> {
    let mut all = vec![Arguments::default()];
    for parameter in LIST.iter().find(|listed| listed.entry.id == id).unwrap().entry.parameters {
        match parameter.domain {
            Domain::Word(words) => {
                all.extend(
                    words
                        .iter()
                        .map(|word| Arguments::default().set(parameter.name, Argument::Word((*word).to_owned()))),
                );
            }
            Domain::Flag => {
                all.extend([true, false].map(|flag| Arguments::default().set(parameter.name, Argument::Flag(flag))))
            }
            _ => {}
        }
    }
    all
}

#[test]
fn published_intervals_cover_their_values_and_classes_have_k_people() {
    let mut random = Random(77);
    let trees = [
        TreeSource::Grown { range: None },
        TreeSource::Grown { range: Some((0.0, 120.0)) },
        TreeSource::Intervals { levels: vec![IntervalLevel::Width(5.0), IntervalLevel::Width(20.0)], exact: true },
        TreeSource::Intervals {
            levels: vec![IntervalLevel::Width(5.0), IntervalLevel::Bounds(vec![30.0, 60.0])],
            exact: false,
        },
    ];
    let mut split = 0;
    for _ in 0..40 {
        let rows: Vec<String> = (0..12 + random.below(30))
            .map(|_| {
                let age = if random.below(12) == 0 { "none".to_owned() } else { random.below(90).to_string() };
                format!(
                    "{age} {} {} {}",
                    random.pick(&["f", "m"]),
                    random.pick(&["flu", "hiv", "cough"]),
                    random.pick(&["u", "v"])
                )
            })
            .collect();
        let views: Vec<&str> = rows.iter().map(String::as_str).collect();
        let data = Data::new(vec![quasi("age"), quasi("sex"), sensitive("ill"), other("note")], &views);
        for tree in &trees {
            let schema = schema(&data, tree);
            let table = Table::build(&data.counts(), &schema).unwrap();
            for listed in LIST {
                for arguments in choices(listed.entry.id) {
                    split += check(listed.entry.id, arguments, &data, &schema, &table);
                }
            }
        }
    }
    assert!(split > 100, "ages were published in more than one interval only {split} times");
}

/// Runs an algorithm and checks its release. Returns 1 if ages are published in more than one interval, else 0.
fn check(id: &str, arguments: Arguments, data: &Data, schema: &Schema, table: &Table) -> usize {
    const K: usize = 4;
    let requirement = requirement(&["k-anonymity k=4"], schema);
    let purpose = Purpose::Classification("note".to_owned());
    let history = History::default();
    let is_grown = matches!(schema.attributes[0].tree, TreeSource::Grown { .. });
    let task = RecodingTask { purpose: &purpose, ..RecodingTask::new(table, &history, &requirement) };
    let outcome = match run(id, &task, arguments.clone(), &Control::QUIET) {
        Ok(outcome) => outcome,
        Err(reticent::Error::Refused(_)) if named(id).is_ok_and(|listed| listed.entry.comparison) => return 0,
        // Bounds of declared intervals need declared intervals.
        Err(reticent::Error::Column { .. }) if id == "mondrian" && is_grown => return 0,
        Err(error) => panic!("{id} {arguments:?}: {error}"),
    };
    let published = &outcome.recoding.columns[0];
    assert_eq!(published.column.role, Role::QuasiIdentifier);
    let mut classes: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in &data.rows {
        let code = |column: usize| {
            table.columns[column].texts.iter().find(|(text, _)| *text == row[column]).unwrap().1.unwrap()
        };
        let codes = (0..row.len()).map(|column| vec![code(column)]).collect();
        let mut published = Vec::new();
        assert!(outcome.recoding.publish(
            &ContingencyTable { codes, weights: vec![1], owners: None },
            0,
            &mut published
        ));
        let label = |column: usize| outcome.recoding.columns[column].column.label(published[column]).to_owned();
        let age = label(0);
        assert!(covers(&age, &row[0], row[0] == "none"), "{id} {arguments:?}: {} was published as {age}", row[0]);
        *classes.entry((age, label(1))).or_default() += 1;
    }
    let small = classes.iter().find(|(_, people)| **people < K);
    assert!(small.is_none(), "{id} {arguments:?}: {small:?} of {:?}", data.rows);
    let ages: std::collections::BTreeSet<&String> = classes.keys().map(|(age, _)| age).collect();
    usize::from(ages.len() > 1)
}
