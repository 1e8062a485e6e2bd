//! Hand-computed weights and labels of the purposes.

use super::*;
use crate::data::schema::{Attribute, Missing, Schema, TreeSource};
use crate::data::table::Counts;
use crate::data::taxonomy::Type;
use crate::data::workload::{Condition, CountQuery, SelectedValues, Workload};

/// Two quasi-identifiers: `job` determines the class, `sex` is independent of it.
fn table() -> Table {
    let rows = [["a", "f", "yes"], ["a", "m", "yes"], ["b", "f", "no"], ["b", "m", "no"]];
    let counts = Counts::from_rows(["job", "sex", "class"], &rows);
    let attribute = |(name, role): (&str, Role)| Attribute {
        name: name.to_owned(),
        role,
        values: Type::Text,
        missing: Missing::Value,
        tree: TreeSource::Flat,
    };
    let roles = [("job", Role::QuasiIdentifier), ("sex", Role::QuasiIdentifier), ("class", Role::Other)];
    let schema = Schema { attributes: roles.map(attribute).to_vec(), owner: None, missing_values: Vec::new() };
    Table::build(&counts, &schema).unwrap()
}

fn weights(table: &Table, purpose: &Purpose) -> Vec<f64> {
    Objective::new(table, purpose, &[0, 1]).unwrap().weights
}

fn assert_near(actual: &[f64], expected: &[f64]) {
    let near = actual.iter().zip(expected).all(|(actual, expected)| (actual - expected).abs() < 1e-12);
    assert!(near && actual.len() == expected.len(), "{actual:?}, expected {expected:?}");
}

fn query(columns: &[&str], weight: f64) -> CountQuery {
    let condition = |column: &&str| Condition {
        column: (*column).to_owned(),
        values: SelectedValues::Label("*".to_owned()),
        line: 1,
    };
    CountQuery { conditions: columns.iter().map(condition).collect(), weight }
}

#[test]
fn general_use_has_the_weights_of_the_policy() {
    assert_eq!(weights(&table(), &Purpose::General), [1.0, 1.0]);
    let weighted = table().with_column_weights(&[("sex".to_owned(), 3.0), ("absent".to_owned(), 9.0)]);
    assert_eq!(weights(&weighted, &Purpose::General), [0.5, 1.5]);
    let unimportant = table().with_column_weights(&[("sex".to_owned(), 0.0), ("job".to_owned(), 0.0)]);
    assert_eq!(weights(&unimportant, &Purpose::General), [1.0, 1.0]);
}

/// The mutual information with the class is 1 bit for `job` and 0 for `sex`, which keeps .05 of the mean of .5 bits.
#[test]
fn classification_weighs_by_mutual_information() {
    let purpose = Purpose::Classification("class".to_owned());
    let mean = (1.0 + 0.025) / 2.0;
    assert_near(&weights(&table(), &purpose), &[1.0 / mean, 0.025 / mean]);
    let labels = Labels::new(&table(), &purpose).unwrap().unwrap();
    // Codes of the class in ascending order of the texts: no, yes.
    assert_eq!((labels.by_combination, labels.count), (vec![1, 1, 0, 0], 2));
    assert!(Objective::new(&table(), &Purpose::Classification("clas".to_owned()), &[0]).is_err());
}

/// `job` is in queries of weight 1 + 3, `sex` in one of weight 1.
#[test]
fn queries_weigh_the_columns_that_they_constrain() {
    let queries = vec![query(&["job", "sex"], 1.0), query(&["job"], 3.0), query(&["absent"], 9.0)];
    let purpose = Purpose::Queries(Workload { file: String::new(), queries });
    assert_near(&weights(&table(), &purpose), &[1.6, 0.4]);
    let none = Purpose::Queries(Workload { file: String::new(), queries: vec![query(&["class"], 1.0)] });
    assert_eq!(weights(&table(), &none), [1.0, 1.0]);
}

#[test]
fn clusters_are_labels() {
    let labels = Labels::new(&table(), &Purpose::Clusters(2)).unwrap().unwrap();
    assert_eq!((labels.by_combination.len(), labels.count), (4, 2));
}
