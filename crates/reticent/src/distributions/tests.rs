//! Hand-computed distributions of small tables. Comments show the arithmetic of each expected number.
#![allow(clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use super::{ColumnDistribution, distributions};
use crate::data::contingency::{ContingencyTable, Owner};
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::table::{Counts, Table};
use crate::data::taxonomy::{Code, Taxonomy, Type};
use crate::release::Release;
use crate::release::recoding::{Recoding, RecodingRule};
use crate::risk::{ClassSizeBin, class_sizes};

/// The leaf Dancer does not occur in the tables.
const JOBS: &str = "ANY\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Writer\n    Dancer";

fn attribute(name: &str, role: Role, values: Type, tree: TreeSource) -> Attribute {
    Attribute { name: name.to_owned(), role, values, missing: Missing::Value, tree }
}

fn jobs() -> Attribute {
    attribute(
        "job",
        Role::QuasiIdentifier,
        Type::Text,
        TreeSource::Given(Taxonomy::parse("job", JOBS).expect("a tree")),
    )
}

fn numbers(name: &str, role: Role) -> Attribute {
    let tree = if role == Role::QuasiIdentifier { TreeSource::Grown { range: None } } else { TreeSource::Flat };
    attribute(name, role, Type::Number, tree)
}

/// A table of these columns. Each row has a text per column and a number of records.
fn table(attributes: Vec<Attribute>, rows: &[(&[&str], u64)], owners: Option<Vec<Owner>>) -> Table {
    let mut values: Vec<Vec<String>> = vec![Vec::new(); attributes.len()];
    let mut codes: Vec<Vec<Code>> = vec![Vec::new(); attributes.len()];
    for (row, _) in rows {
        for (column, text) in row.iter().enumerate() {
            let known = values[column].iter().position(|value| value == text);
            codes[column].push(known.unwrap_or(values[column].len()) as Code);
            if known.is_none() {
                values[column].push((*text).to_owned());
            }
        }
    }
    let names = attributes.iter().map(|attribute| attribute.name.clone()).collect();
    let weights = rows.iter().map(|(_, weight)| *weight).collect();
    let counts = Counts { names, values, contingency: ContingencyTable { codes, weights, owners }, links: None };
    let schema = Schema { attributes, owner: None, missing_values: vec!["?".to_owned()] };
    Table::build(&counts, &schema).expect("a table")
}

/// A table of one column.
fn column(attribute: Attribute, values: &[(&str, u64)]) -> Table {
    let rows: Vec<([&str; 1], u64)> = values.iter().map(|(value, weight)| ([*value], *weight)).collect();
    let rows: Vec<(&[&str], u64)> = rows.iter().map(|(row, weight)| (row.as_slice(), *weight)).collect();
    table(vec![attribute], &rows, None)
}

fn compute(table: &Table, recoding: &Recoding, max_bins: usize) -> Vec<ColumnDistribution> {
    let release = recoding.apply(table).expect("a release");
    let columns = distributions(table, recoding, &release, max_bins).expect("distributions");
    for column in &columns {
        let before: u64 = column.bins.iter().map(|bin| bin.before).sum();
        let after: f64 = column.bins.iter().map(|bin| bin.after).sum();
        assert_eq!(before, table.contingency.rows(), "every record is in a bin of {}", column.column);
        assert_near(after, release.contingency.rows() as f64);
        assert!((1..=max_bins.max(1)).contains(&column.bins.len()), "{} bins", column.bins.len());
    }
    columns
}

/// The labels and numbers of the bins of the first column of the unchanged table.
fn bins(table: &Table, max_bins: usize) -> Vec<(String, u64)> {
    let columns = compute(table, &Recoding::identity(table), max_bins);
    assert_eq!(columns[0].distance, 0.0, "an identity recoding");
    columns[0].bins.iter().map(|bin| (bin.label.clone(), bin.before)).collect()
}

fn assert_near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-9, "{actual}, expected {expected}");
}

fn check(column: &ColumnDistribution, distance: f64, bins: &[(&str, u64, f64)]) {
    let labels: Vec<&str> = column.bins.iter().map(|bin| bin.label.as_str()).collect();
    assert_eq!(labels, bins.iter().map(|(label, ..)| *label).collect::<Vec<&str>>());
    for (bin, (_, before, after)) in column.bins.iter().zip(bins) {
        assert_eq!(bin.before, *before, "{}", bin.label);
        assert_near(bin.after, *after);
    }
    assert_near(column.distance, distance);
}

#[test]
fn a_generalized_value_is_each_of_its_occurring_leaves() {
    let table = column(jobs(), &[("Engineer", 3), ("Lawyer", 1), ("Writer", 2)]);
    let tree = table.columns[0].tree.clone();
    let node = |label: &str| tree.find(label).expect("a node");
    let above = vec![node("Professional"), node("Professional"), node("Artist"), node("Artist")];
    let recoding = Recoding::by_node(&table, vec![(tree.clone(), above)]);
    // Professional: 4 records, 2 occurring leaves, 2 each. Artist: 2 records, only Writer occurs.
    // Distance: (|3-2| + |1-2| + |2-2|) / 6 / 2 = 1/6.
    let columns = compute(&table, &recoding, 10);
    check(&columns[0], 1.0 / 6.0, &[("Engineer", 3, 2.0), ("Lawyer", 1, 2.0), ("Writer", 2, 2.0)]);
    assert!(!columns[0].binned && !columns[0].ordered);
    // The root: 6 records, 3 occurring leaves, 2 each.
    let columns = compute(&table, &Recoding::suppressed(&table), 10);
    check(&columns[0], 1.0 / 6.0, &[("Engineer", 3, 2.0), ("Lawyer", 1, 2.0), ("Writer", 2, 2.0)]);
}

#[test]
fn a_set_of_values_is_each_of_its_occurring_leaves() {
    let table = column(jobs(), &[("Engineer", 3), ("Lawyer", 1), ("Writer", 2), ("Dancer", 1)]);
    let mut tree = (*table.columns[0].tree).clone();
    // {Engineer, Dancer}: 4 records, 2 each. Distance: (|3-2| + |1-2|) / 7 / 2 = 1/7.
    let set = tree.add_set(&[0, 3]);
    let above = vec![set, tree.leaf_of(1), tree.leaf_of(2), set];
    let recoding = Recoding::by_node(&table, vec![(Arc::new(tree), above)]);
    let columns = compute(&table, &recoding, 10);
    let expected = [("Engineer", 3, 2.0), ("Lawyer", 1, 1.0), ("Writer", 2, 2.0), ("Dancer", 1, 2.0)];
    check(&columns[0], 1.0 / 7.0, &expected);
}

#[test]
fn suppressed_records_and_cells() {
    let rows: &[(&[&str], u64)] =
        &[(&["Engineer", "flu"], 4), (&["Lawyer", "flu"], 1), (&["Writer", "gout"], 3), (&["Dancer", "gout"], 2)];
    let illness = attribute("illness", Role::Sensitive, Type::Text, TreeSource::Flat);
    let table = table(vec![jobs(), illness], rows, None);
    let mut recoding = Recoding::identity(&table);
    let code = |label: &str| {
        let column = &recoding.columns[0].column;
        (0..column.nodes.len() as u32).find(|code| column.label(*code) == label).expect("a label")
    };
    let (lawyer, dancer) = (code("Lawyer"), code("Dancer"));
    recoding.on = vec![0];
    recoding.rules.insert(Box::new([lawyer]), RecodingRule::Drop);
    recoding.rules.insert(Box::new([dancer]), RecodingRule::Hide(vec![0]));
    let columns = compute(&table, &recoding, 10);
    // 9 records. The Lawyer is absent. Two cells `*` are each of 4 values with half a record: 4.5, 0.5, 3.5, 0.5.
    // Distance: (|4/10 - 4.5/9| + |1/10 - 0.5/9| + |3/10 - 3.5/9| + |2/10 - 0.5/9|) / 2
    //         = (0.1 + 0.4/9 + 0.8/9 + 1.3/9) / 2 = (0.9 + 2.5) / 18 = 17/90.
    let jobs = [("Engineer", 4, 4.5), ("Lawyer", 1, 0.5), ("Writer", 3, 3.5), ("Dancer", 2, 0.5)];
    check(&columns[0], 17.0 / 90.0, &jobs);
    // flu: 4 of 9 instead of 5 of 10. Distance: (|0.5 - 4/9| + |0.5 - 5/9|) / 2 = 1/18.
    check(&columns[1], 1.0 / 18.0, &[("flu", 5, 4.0), ("gout", 5, 5.0)]);
    assert_eq!(columns[1].role, Role::Sensitive);
}

#[test]
fn a_release_without_records_has_distance_1() {
    let table = column(jobs(), &[("Engineer", 3)]);
    let mut recoding = Recoding::identity(&table);
    recoding.on = vec![0];
    let code = recoding.columns[0].map[0];
    recoding.rules.insert(Box::new([code]), RecodingRule::Drop);
    check(&compute(&table, &recoding, 10)[0], 1.0, &[("Engineer", 3, 0.0)]);
}

#[test]
fn numbers_have_intervals_of_equal_width() {
    let ages = [("21", 1), ("24", 2), ("25", 3), ("38", 4), ("59", 5)];
    let expect = |labels: &[(&str, u64)]| labels.iter().map(|(label, before)| ((*label).to_owned(), *before)).collect();
    // From 21 to 59 in 4 intervals: the smallest round width is 10. An interval without records stays.
    let expected: Vec<(String, u64)> = expect(&[("[20,30)", 6), ("[30,40)", 4), ("[40,50)", 0), ("[50,60)", 5)]);
    assert_eq!(bins(&column(numbers("age", Role::QuasiIdentifier), &ages), 4), expected);
    // A sensitive number has no intervals in its taxonomy, but the same bins.
    assert_eq!(bins(&column(numbers("age", Role::Sensitive), &ages), 4), expected);
    // A missing value has a bin: three are left. The smallest round width is 20.
    let with_missing = [&ages[..], &[("?", 7)]].concat();
    let expected: Vec<(String, u64)> = expect(&[("[20,40)", 10), ("[40,60)", 5), ("?", 7)]);
    assert_eq!(bins(&column(numbers("age", Role::QuasiIdentifier), &with_missing), 4), expected);
    assert_eq!(bins(&column(numbers("age", Role::Sensitive), &with_missing), 4), expected);
    // Every value has a bin.
    assert_eq!(bins(&column(numbers("age", Role::QuasiIdentifier), &ages), 5)[1], ("24".to_owned(), 2));
    // Bounds are exact decimals: 0.3 is not below 0.3.
    let decimals = [("0.1", 1), ("0.15", 1), ("0.2", 2), ("0.25", 2), ("0.3", 3)];
    let expected: Vec<(String, u64)> = expect(&[("[0.1,0.2)", 2), ("[0.2,0.3)", 4), ("[0.3,0.4)", 3)]);
    assert_eq!(bins(&column(numbers("dose", Role::QuasiIdentifier), &decimals), 3), expected);
    // With a multiple of every width inside, one interval is impossible.
    let around_zero = [("-3", 1), ("4", 2)];
    assert_eq!(bins(&column(numbers("change", Role::Other), &around_zero), 1), expect(&[("all values", 3)]));
}

#[test]
fn dates_have_calendar_intervals() {
    let dates = [("2024-01-30", 1), ("2024-02-01", 2), ("2024-02-29", 3), ("2024-05-02", 4)];
    let of = |tree: TreeSource, role: Role| attribute("day", role, Type::Date, tree);
    let expect = |labels: &[(&str, u64)]| labels.iter().map(|(label, before)| ((*label).to_owned(), *before)).collect();
    let quasi = || column(of(TreeSource::Grown { range: None }, Role::QuasiIdentifier), &dates);
    let quarters: Vec<(String, u64)> = expect(&[("2024 Q1", 6), ("2024 Q2", 4)]);
    assert_eq!(bins(&quasi(), 3), quarters);
    assert_eq!(bins(&column(of(TreeSource::Flat, Role::Sensitive), &dates), 3), quarters);
    assert_eq!(bins(&quasi(), 1), expect(&[("2024", 10)]));
    let many = [&dates[..], &[("2024-05-03", 1), ("2024-05-04", 1)]].concat();
    let months = bins(&column(of(TreeSource::Grown { range: None }, Role::QuasiIdentifier), &many), 5);
    let expected: Vec<(String, u64)> =
        expect(&[("2024-01", 1), ("2024-02", 5), ("2024-03", 0), ("2024-04", 0), ("2024-05", 6)]);
    assert_eq!(months, expected);
}

#[test]
fn texts_have_nodes_of_the_taxonomy() {
    let values = [("Engineer", 3), ("Lawyer", 1), ("Writer", 2), ("Dancer", 1)];
    let table = column(jobs(), &values);
    let expect = |labels: &[(&str, u64)]| labels.iter().map(|(label, before)| ((*label).to_owned(), *before)).collect();
    let expected: Vec<(String, u64)> = expect(&[("Professional", 4), ("Artist", 3)]);
    assert_eq!(bins(&table, 2), expected);
    // Professional has more records, so it is refined first.
    let expected: Vec<(String, u64)> = expect(&[("Engineer", 3), ("Lawyer", 1), ("Artist", 3)]);
    assert_eq!(bins(&table, 3), expected);
    // The root has two children, which are too many: the most frequent values, and the others.
    assert_eq!(bins(&table, 1), expect(&[("other values", 7)]));
}

#[test]
fn texts_without_a_taxonomy_have_the_most_frequent_values() {
    let flat = |role: Role| attribute("town", role, Type::Text, TreeSource::Flat);
    let table = column(flat(Role::Other), &[("Aa", 1), ("Bb", 5), ("Cc", 1), ("Dd", 4)]);
    let expected = [("Bb", 5), ("Dd", 4), ("other values", 2)].map(|(label, before)| (label.to_owned(), before));
    assert_eq!(bins(&table, 3), expected);
    // Codes with leading zeros are not numbers.
    let table = column(flat(Role::Other), &[("01", 1), ("02", 5), ("03", 1), ("04", 4)]);
    let expected = [("02", 5), ("04", 4), ("other values", 2)].map(|(label, before)| (label.to_owned(), before));
    assert_eq!(bins(&table, 3), expected);
}

/// For many recodings, all records are in a bin, and an identity recoding has distance 0.
#[test]
fn sums_are_the_numbers_of_records() {
    let rows: Vec<([String; 2], u64)> =
        (0..97).map(|at: u64| ([format!("{}", 18 + at * at % 71), format!("t{}", at % 13)], 1 + at % 5)).collect();
    let rows: Vec<(Vec<&str>, u64)> =
        rows.iter().map(|(row, weight)| (row.iter().map(String::as_str).collect(), *weight)).collect();
    let rows: Vec<(&[&str], u64)> = rows.iter().map(|(row, weight)| (row.as_slice(), *weight)).collect();
    let town = attribute("town", Role::QuasiIdentifier, Type::Text, TreeSource::Flat);
    let table = table(vec![numbers("age", Role::QuasiIdentifier), town], &rows, None);
    for max_bins in 0..40 {
        for recoding in [Recoding::identity(&table), Recoding::suppressed(&table), halves(&table)] {
            compute(&table, &recoding, max_bins);
        }
        let columns = compute(&table, &Recoding::identity(&table), max_bins);
        assert!(columns.iter().all(|column| column.distance == 0.0));
    }
}

/// Publishes ages in two halves, and drops a town.
fn halves(table: &Table) -> Recoding {
    let mut age = (*table.columns[0].tree).clone();
    let middle = age.len() as Code / 2;
    let [young, old] = age.split(0, middle);
    let ages = (0..age.len() as Code).map(|code| if code < middle { young } else { old }).collect();
    let town = table.columns[1].tree.clone();
    let towns = (0..town.len() as Code).map(|code| town.leaf_of(code)).collect();
    let mut recoding = Recoding::by_node(table, vec![(Arc::new(age), ages), (town, towns)]);
    recoding.on = vec![1];
    let code = recoding.columns[1].map[2];
    recoding.rules.insert(Box::new([code]), RecodingRule::Drop);
    recoding
}

#[test]
fn a_release_of_another_recoding_is_an_error() {
    let table = column(jobs(), &[("Engineer", 3), ("Lawyer", 1)]);
    let release = Recoding::identity(&table).apply(&table).expect("a release");
    let tree = table.columns[0].tree.clone();
    let coarser = Recoding::by_node(&table, vec![(tree.clone(), vec![0; tree.len()])]);
    assert!(distributions(&table, &coarser, &release, 5).is_err());
}

#[test]
fn people_by_class_size() {
    let town = |name: &str| attribute(name, Role::QuasiIdentifier, Type::Text, TreeSource::Flat);
    let table = table(vec![town("town")], &[(&["a"], 1), (&["b"], 1), (&["c"], 2), (&["d"], 4), (&["e"], 130)], None);
    let release = Release::raw(&table).expect("a release");
    let bin = |from, to, classes, people| ClassSizeBin { from, to, classes, people };
    let expected = [
        bin(1, Some(1), 2, 2),
        bin(2, Some(2), 1, 2),
        bin(3, Some(4), 1, 4),
        bin(5, Some(9), 0, 0),
        bin(10, Some(19), 0, 0),
        bin(20, Some(49), 0, 0),
        bin(50, Some(99), 0, 0),
        bin(100, None, 1, 130),
    ];
    assert_eq!(class_sizes(&release, &["town".to_owned()]).expect("sizes"), expected);
    assert!(class_sizes(&release, &["city".to_owned()]).is_err());
    // One class of all records, without columns.
    assert_eq!(class_sizes(&release, &[]).expect("sizes")[7], bin(100, None, 1, 138));
}

/// A person with two records in two classes of size 1 counts once.
#[test]
fn people_by_class_size_count_once() {
    let town = attribute("town", Role::QuasiIdentifier, Type::Text, TreeSource::Flat);
    let rows: &[(&[&str], u64)] = &[(&["a"], 1), (&["b"], 1), (&["c"], 1), (&["c"], 1)];
    let table = table(vec![town], rows, Some(vec![0, 0, 0, 1]));
    let release = Release::raw(&table).expect("a release");
    let sizes = class_sizes(&release, &["town".to_owned()]).expect("sizes");
    // a = {0}, b = {0}, c = {0, 1}.
    assert_eq!((sizes[0].classes, sizes[0].people), (2, 1));
    assert_eq!((sizes[1].classes, sizes[1].people), (1, 2));
}
