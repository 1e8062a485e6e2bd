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

/// Losses of the root and of both leaves of `job`, and of `sex`.
fn losses(table: &Table, purpose: &Purpose) -> Vec<Vec<f64>> {
    let objective = Objective::new(table, purpose, &[0, 1]).unwrap();
    (0..2).map(|at| objective.node_losses(at, &table.columns[at].tree)).collect()
}

#[test]
fn node_losses_of_general_use_are_weighted_penalties() {
    let weighted = table().with_column_weights(&[("sex".to_owned(), 3.0)]);
    assert_eq!(losses(&weighted, &Purpose::General), [[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
}

/// `job` loses 1 bit and `sex` none, which is a mean of .5 bits: job 1 + 1 / .5.
#[test]
fn node_losses_of_a_classification_add_the_lost_information() {
    let purpose = Purpose::Classification("class".to_owned());
    let losses = losses(&table(), &purpose);
    assert_near(&losses[0], &[3.0, 0.0, 0.0]);
    assert_near(&losses[1], &[1.0, 0.0, 0.0]);
}

/// Half of the leaves of `job` match a query with weight 3 of 4: 3/4 * 2 * 1/2 * 1/2 = 3/8. Half of `sex` match one of 1 of 4: 1/8. The
/// mean is 1/4.
#[test]
fn node_losses_of_queries_add_the_spread_of_the_estimates() {
    let query = |column: &str, label: &str, weight| CountQuery {
        conditions: vec![Condition {
            column: column.to_owned(),
            values: SelectedValues::Label(label.to_owned()),
            line: 1,
        }],
        weight,
    };
    let queries = vec![query("job", "a", 3.0), query("sex", "m", 1.0)];
    let losses = losses(&table(), &Purpose::Queries(Workload { file: String::new(), queries }));
    assert_near(&losses[0], &[1.0 + 1.5, 0.0, 0.0]);
    assert_near(&losses[1], &[1.0 + 0.5, 0.0, 0.0]);
}

/// A child with mixed labels loses 1 bit. Its parent loses less on average, but counts as much.
#[test]
fn a_node_loses_at_least_as_much_as_its_children() {
    let tree = Taxonomy::parse("job", "*\n  x\n    a\n    b\n  y\n    c").unwrap();
    let detail = Detail::from_joint(vec![4, 0, 0, 4, 4, 4], 2);
    let x = tree.find("x").unwrap();
    // Of 16 records, 8 have each label: 1 bit. The leaf c has 1 bit for 8 records.
    assert!((detail.lost(tree.node(0).span.clone()) - 0.5).abs() < 1e-12);
    let lost = detail.lost_by_node(&tree);
    assert_near(&[lost[x], lost[0], lost[tree.find("c").unwrap()]], &[1.0, 1.0, 0.0]);
}

/// The records of the test above. `{a,b}` has both labels equally often: 1 bit. `{a,c}` has 8 and 4 of them, Ent = .9183 bits, and `c`
/// alone keeps 1 bit for 8 of 12 records.
#[test]
fn a_set_loses_the_information_of_exactly_its_values() {
    let detail = Detail::from_joint(vec![4, 0, 0, 4, 4, 4], 2);
    let lost = [vec![0], vec![0, 1], vec![0, 2]].map(|codes| detail.lost(codes.into_iter()));
    assert_near(&lost, &[0.0, 1.0, 0.918_295_834_054_489_6 - 8.0 / 12.0]);
    let purpose = Purpose::Classification("class".to_owned());
    let objective = Objective::new(&table(), &purpose, &[0, 1]).unwrap();
    assert_near(&[0, 1].map(|column| objective.set_detail_loss(column, &mut (0..2))), &[2.0, 0.0]);
    assert_eq!([0, 1].map(|column| objective.column_weight(column)), [1.0, 1.0]);
    assert!(!Objective::new(&table(), &Purpose::General, &[0, 1]).unwrap().has_detail(0));
}
