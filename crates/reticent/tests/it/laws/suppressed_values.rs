//! Laws of values that are never published: no algorithm publishes them, and its release satisfies the requirement.

use reticent::algorithms::{Control, LIST, Purpose, RecodingTask, Suppression, run};
use reticent::operations::suppress_values::suppress_values_of_table;
use reticent::registry::Arguments;
use reticent::taxonomy::SUPPRESSED;
use reticent::{Error, History, Ratio, Recoding, Role};

use super::algorithms::REQUIREMENTS;
use crate::oracle::definitions::violating;
use crate::support::{Random, random_data, requirement, witnesses};

/// Values of a column that occur in the data, without missing ones.
fn some_values(random: &mut Random, rows: &[Vec<String>], column: usize) -> Vec<String> {
    let mut values: Vec<String> = rows.iter().map(|row| row[column].clone()).filter(|text| !text.is_empty()).collect();
    values.sort();
    values.dedup();
    values.retain(|_| random.below(2) == 0);
    values
}

#[test]
fn no_algorithm_publishes_a_suppressed_value() {
    for listed in LIST {
        let (id, mut random) = (listed.entry.id, Random(81));
        let (mut made, mut hidden) = (0, 0);
        for round in 0..20 {
            let data = random_data(&mut random, 40, if round % 4 == 3 { 12 } else { 0 });
            let mut table = data.table();
            let column = round % 2;
            assert_eq!(table.columns[column].role, Role::QuasiIdentifier);
            let values = some_values(&mut random, &data.rows, column);
            suppress_values_of_table(&mut table, &data.cols[column].name, &values).unwrap();
            for words in REQUIREMENTS {
                let requirement = requirement(words, &data.schema());
                let (history, purpose) = (History::default(), Purpose::General);
                let limit = Ratio::new(u64::from(round % 3 == 0), 5);
                let suppression = Suppression { limit, cells: round % 2 == 0 };
                let task = RecodingTask {
                    purpose: &purpose,
                    suppression,
                    ..RecodingTask::new(&table, &history, &requirement)
                };
                let outcome = match run(id, &task, Arguments::default(), &Control::QUIET) {
                    Ok(outcome) => outcome,
                    Err(Error::Refused(_)) => continue,
                    Err(error) => panic!("{id}, {words:?}: {error}"),
                };
                let release = outcome.recoding.apply(&table).unwrap();
                let published = data.published(&release);
                let shows = published.rows.iter().any(|row| values.contains(&row[column]));
                assert!(!shows, "{id}, {words:?}: {values:?} in {:?}", published.rows);
                for model in &requirement.models {
                    let found = witnesses(model.as_ref(), release.clone());
                    assert!(found.is_empty(), "{id}, {}: {found:?}", model.title());
                }
                if id != "baseline-without-counted-columns" {
                    for words in *words {
                        assert!(violating(words, &published).0.is_empty(), "{id}, {words}: {:?}", published.rows);
                    }
                }
                made += 1;
                hidden += usize::from(!values.is_empty());
            }
        }
        assert!(made > 20 && hidden > 10, "{id}: {made} releases, {hidden} with suppressed values");
    }
}

/// The other values are published as without suppression, and the suppressed ones as the root.
#[test]
fn only_the_listed_values_are_suppressed() {
    let mut random = Random(82);
    for _ in 0..40 {
        let data = random_data(&mut random, 30, 0);
        let mut table = data.table();
        let root = table.columns[0].tree.node(0).label.clone();
        let values = some_values(&mut random, &data.rows, 0);
        suppress_values_of_table(&mut table, &data.cols[0].name, &values).unwrap();
        let mut found = data.published(&Recoding::identity(&table).apply(&table).unwrap()).rows;
        let mut expected = data.rows.clone();
        expected.iter_mut().filter(|row| values.contains(&row[0])).for_each(|row| row[0].clone_from(&root));
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{values:?}");
        assert!([SUPPRESSED, "any"].contains(&root.as_str()), "{root}");
    }
}

#[test]
fn an_unknown_value_is_an_error() {
    let data = random_data(&mut Random(83), 30, 0);
    let mut table = data.table();
    let error = suppress_values_of_table(&mut table, &data.cols[0].name, &["nowhere".to_owned()]).unwrap_err();
    assert!(matches!(error, Error::Column { .. }), "{error}");
}
