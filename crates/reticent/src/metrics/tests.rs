//! Hand-computed values of the metrics on small tables. Comments show the arithmetic of each expected number.
#![allow(clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use super::learning::{LabelledRecords, TrainTestSplit};
use super::{Comparison, Measure, measure_all};
use crate::algorithms::Purpose;
use crate::data::contingency::{ContingencyTable, Owner};
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::table::{Counts, Table};
use crate::data::taxonomy::{Code, IntervalLevel, NodeId, Taxonomy, Type};
use crate::data::workload::{Condition, CountQuery, SelectedValues, Workload};
use crate::release::recoding::{Recoding, RecodingRule};

const JOBS: &str = "ANY\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Writer\n    Dancer";

/// Six people. Function `recoded` generalizes them.
const ROWS: &[&[&str]] = &[
    &["Engineer", "25", "yes"],
    &["Engineer", "35", "no"],
    &["Lawyer", "38", "yes"],
    &["Lawyer", "38", "yes"],
    &["Writer", "52", "no"],
    &["Dancer", "52", "no"],
];

fn attribute(name: &str, role: Role, values: Type, tree: TreeSource) -> Attribute {
    Attribute { name: name.to_owned(), role, values, missing: Missing::Value, tree }
}

fn job() -> Attribute {
    let tree = Taxonomy::parse("job", JOBS).expect("a tree");
    attribute("job", Role::QuasiIdentifier, Type::Text, TreeSource::Given(tree))
}

fn age() -> Attribute {
    attribute("age", Role::QuasiIdentifier, Type::Number, TreeSource::Grown { range: Some((20.0, 60.0)) })
}

fn label() -> Attribute {
    attribute("label", Role::Other, Type::Text, TreeSource::Flat)
}

fn table(attributes: Vec<Attribute>, rows: &[&[&str]], owners: Option<Vec<Owner>>) -> Table {
    let mut values: Vec<Vec<String>> = vec![Vec::new(); attributes.len()];
    let mut codes: Vec<Vec<Code>> = vec![Vec::new(); attributes.len()];
    for row in rows {
        for (column, text) in row.iter().enumerate() {
            let known = values[column].iter().position(|value| value == text);
            codes[column].push(known.unwrap_or(values[column].len()) as Code);
            if known.is_none() {
                values[column].push((*text).to_owned());
            }
        }
    }
    let names = attributes.iter().map(|attribute| attribute.name.clone()).collect();
    let counts = Counts {
        names,
        values,
        contingency: ContingencyTable { codes, weights: vec![1; rows.len()], owners },
        links: None,
    };
    let schema = Schema { attributes, owner: None, missing_values: vec!["?".to_owned()] };
    Table::build(&counts, &schema).expect("a table")
}

fn people(owners: Option<Vec<Owner>>) -> Table {
    table(vec![job(), age(), label()], ROWS, owners)
}

/// Generalizes Engineer and Lawyer to Professional, and ages to [20,38) and [38,60). Labels are unchanged.
fn recoded(table: &Table) -> Recoding {
    let job = table.columns[0].tree.clone();
    let professional = job.find("Professional").expect("a node");
    let above = |code: Code| if job.node(professional).span.contains(&code) { professional } else { job.leaf_of(code) };
    let jobs: Vec<NodeId> = (0..4).map(above).collect();
    let mut age = (*table.columns[1].tree).clone();
    let [young, old] = age.split(0, 2);
    let label = table.columns[2].tree.clone();
    let labels = (0..2).map(|code| label.leaf_of(code)).collect();
    Recoding::by_node(table, vec![(job, jobs), (Arc::new(age), vec![young, young, old, old]), (label, labels)])
}

/// Like `recoded`, with the record of the Writer and the job of the Dancer suppressed.
fn suppressed(table: &Table) -> Recoding {
    let mut recoding = recoded(table);
    let class = |recoding: &Recoding, job: &str| -> Box<[u32]> {
        let code = |column: usize, label: &str| {
            let published = &recoding.columns[column].column;
            (0..published.nodes.len() as u32).find(|code| published.label(*code) == label).expect("a label")
        };
        Box::new([code(0, job), code(1, "[38,60)")])
    };
    let (writer, dancer) = (class(&recoding, "Writer"), class(&recoding, "Dancer"));
    recoding.on = vec![0, 1];
    recoding.rules.insert(writer, RecodingRule::Drop);
    recoding.rules.insert(dancer, RecodingRule::Hide(vec![0]));
    recoding
}

fn measures(table: &Table, recoding: &Recoding) -> Vec<(&'static str, Measure)> {
    let release = recoding.apply(table).expect("a release");
    let purpose = match table.position("label") {
        Ok(_) => Purpose::Classification("label".to_owned()),
        Err(_) => Purpose::General,
    };
    measure_all(&Comparison { table, recoding, release: &release, purpose: &purpose }).expect("measures")
}

fn measure(table: &Table, recoding: &Recoding, id: &str) -> Measure {
    let actual = measures(table, recoding).into_iter().find(|(known, _)| *known == id);
    actual.unwrap_or_else(|| panic!("{id} applies")).1
}

/// Checks a metric on the generalized table and on the table with suppression, without and with owners.
fn check(id: &str, generalized: f64, with_suppression: f64) {
    let table = people(None);
    assert_near(measure(&table, &recoded(&table), id).value, generalized);
    assert_near(measure(&table, &suppressed(&table), id).value, with_suppression);
    for owners in [vec![0, 0, 1, 1, 2, 3], vec![5, 4, 3, 2, 1, 0]] {
        let table = people(Some(owners));
        assert_near(measure(&table, &recoded(&table), id).value, generalized);
        assert_near(measure(&table, &suppressed(&table), id).value, with_suppression);
    }
}

fn assert_near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-12, "{actual}, expected {expected}");
}

#[test]
fn purpose_loss() {
    let loss = |table: &Table, recoding: &Recoding, purpose: &Purpose| {
        let release = recoding.apply(table).expect("a release");
        super::purpose_loss(&Comparison { table, recoding, release: &release, purpose }).expect("a loss")
    };
    // Penalties as for `gcp`: four jobs and six ages cover 1 of 3 other leaves.
    let mut table = people(None);
    assert_near(loss(&table, &recoded(&table), &Purpose::General), (4.0 / 3.0 + 6.0 / 3.0) / 12.0);
    // The Writer's record and the Dancer's job are suppressed, and ages count three times as much.
    table.columns[1].loss_weight = 3.0;
    let with_suppression = (4.0 / 3.0 + 2.0 + 3.0 * (5.0 / 3.0 + 1.0)) / (6.0 + 3.0 * 6.0);
    assert_near(loss(&table, &suppressed(&table), &Purpose::General), with_suppression);
    // Labels. An Engineer is yes or no: 2 of 6 people have 1 bit. All jobs lose 1 - 1/3 bits, a Professional H(1/4) - 2/4 bits. Every age
    // has one label: all ages lose 1 bit, and so does each of the two intervals, which have as many yes as no.
    table.columns[1].loss_weight = 1.0;
    let professional = 0.25 * 4f64.log2() + 0.75 * (4.0 / 3.0f64).log2() - 0.5;
    let mean = (2.0 / 3.0 + 1.0) / 2.0;
    let lost = 4.0 * (1.0 / 3.0 + professional / mean) + 6.0 * (1.0 / 3.0 + 1.0 / mean);
    let at_roots = 6.0 * (1.0 + 2.0 / 3.0 / mean) + 6.0 * (1.0 + 1.0 / mean);
    let classification = Purpose::Classification("label".to_owned());
    assert_near(loss(&table, &recoded(&table), &classification), lost / at_roots);
}

#[test]
fn distortion() {
    // Four records (Engineer, Lawyer) are generalized by one step. Two ages span 18 of 40 years, four span 22 of 40.
    let generalized = (4.0 + 2.0 * 18.0 / 40.0 + 4.0 * 22.0 / 40.0) / 6.0;
    // The Writer costs two steps and the full range, the Dancer two steps.
    let with_suppression = (4.0 + 2.0 + 2.0 + 2.0 * 18.0 / 40.0 + 3.0 * 22.0 / 40.0 + 1.0) / 6.0;
    check("minimal-distortion", generalized, with_suppression);
    let table = people(None);
    let reading = measure(&table, &suppressed(&table), "minimal-distortion").reading;
    assert!(reading.contains("1.3333 in categorical columns, 0.5917 in number"), "{reading}");
    assert!(reading.contains("1 suppressed records count as fully generalized"), "{reading}");
}

#[test]
fn distortion_of_missing_and_exact_values() {
    let grown = attribute("age", Role::QuasiIdentifier, Type::Number, TreeSource::Grown { range: None });
    let table_of = |attribute| table(vec![attribute], &[&["10"], &["20"], &["?"]], None);
    // One level below the root: all numbers are one interval (full range), and the missing value is unchanged.
    let missing = table_of(grown);
    let tree = missing.columns[0].tree.clone();
    let nodes = (0..3).map(|code| tree.leaf_of(code)).collect();
    let halfway = Recoding::by_node(&missing, vec![(tree.clone(), nodes)]);
    assert_near(measure(&missing, &halfway, "minimal-distortion").value, 2.0 / 3.0);
    // At the root: all three cost the full range.
    let top = Recoding::by_node(&missing, vec![(tree, vec![0, 0, 0])]);
    assert_near(measure(&missing, &top, "minimal-distortion").value, 1.0);
    // Numbers published unchanged cost 0.
    let exact = TreeSource::Intervals { levels: vec![IntervalLevel::Width(10.0)], exact: true };
    let exact = table_of(attribute("age", Role::QuasiIdentifier, Type::Number, exact));
    assert_near(measure(&exact, &Recoding::identity(&exact), "minimal-distortion").value, 0.0);
}

#[test]
fn gcp() {
    // Both columns have four leaves. Professional covers 1 of 3 other leaves, in four records. Each age interval covers 1 of 3, in six.
    let generalized = (4.0 / 3.0 + 6.0 / 3.0) / 12.0;
    // Jobs: 4/3, plus 1 for the Writer and 1 for the Dancer. Ages: five times 1/3, plus 1 for the Writer.
    let with_suppression = (4.0 / 3.0 + 2.0 + 5.0 / 3.0 + 1.0) / 12.0;
    check("gcp", generalized, with_suppression);
}

/// The survey: Dancer published as Artist costs (2 - 1) / 4.
#[test]
fn loss() {
    let dancer = table(vec![job()], &[&["Dancer"]], None);
    let tree = dancer.columns[0].tree.clone();
    let artist = tree.find("Artist").expect("a node");
    let recoding = Recoding::by_node(&dancer, vec![(tree, vec![artist; 4])]);
    assert_near(measure(&dancer, &recoding, "iloss").value, 1.0 / 4.0);
    assert_near(measure(&dancer, &recoding, "precision").value, 1.0 / 2.0);
    // Four jobs cover 2 of 4 leaves, six ages 2 of 4.
    check("iloss", (4.0 / 4.0 + 6.0 / 4.0) / 6.0, (4.0 / 4.0 + 2.0 * 3.0 / 4.0 + 5.0 / 4.0 + 3.0 / 4.0) / 6.0);
    // Four jobs are generalized by one of two levels. Two ages span 18 of 40 years, the others 22.
    let ages = [2.0 * 18.0 / 40.0 + 4.0 * 22.0 / 40.0, 2.0 * 18.0 / 40.0 + 3.0 * 22.0 / 40.0 + 1.0];
    check("precision", 1.0 - (4.0 / 2.0 + ages[0]) / 12.0, 1.0 - (4.0 / 2.0 + 2.0 + ages[1]) / 12.0);
}

#[test]
fn loss_with_weights() {
    let table = people(None).with_column_weights(&[("job".to_owned(), 3.0), ("age".to_owned(), 0.5)]);
    let measured = measure(&table, &recoded(&table), "iloss");
    assert_near(measured.value, (3.0 * 4.0 / 4.0 + 0.5 * 6.0 / 4.0) / 6.0);
    assert!(measured.reading.contains("3.5 = limit of full suppression"), "{}", measured.reading);
}

#[test]
fn gcp_of_a_single_value() {
    let table =
        table(vec![attribute("sex", Role::QuasiIdentifier, Type::Text, TreeSource::Flat)], &[&["F"], &["F"]], None);
    let tree = table.columns[0].tree.clone();
    let top = Recoding::by_node(&table, vec![(tree, vec![0])]);
    assert_near(measure(&table, &top, "gcp").value, 0.0);
}

#[test]
fn entropy() {
    // Pr(raw) / Pr(published) is 2/4 for Engineer and Lawyer, and 1/2 or 2/4 for every age: 4 + 6 times one bit.
    let generalized = 10.0 / 6.0;
    // Suppressed: Pr(raw) is 1/6 for the jobs Writer and Dancer, and 2/6 for the age of the Writer.
    let with_suppression = (4.0 + 2.0 * 6f64.log2() + 5.0 + 3f64.log2()) / 6.0;
    check("non-uniform-entropy", generalized, with_suppression);
    // Entropy of the raw columns: jobs 2, 2, 1, 1 of six; ages 1, 1, 2, 2 of six.
    let all = (4.0 * 3f64.log2() + 2.0 * 6f64.log2()) * 2.0 / 6.0;
    let table = people(None);
    let reading = measure(&table, &recoded(&table), "non-uniform-entropy").reading;
    assert!(reading.contains(&format!("of {all:.4} bits")), "{reading}");
}

#[test]
fn discernibility() {
    // Classes of 2, 2, 1 and 1 records. With suppression: 2, 2, 1, and one suppressed record that costs 6.
    check("discernibility", 4.0 + 4.0 + 1.0 + 1.0, 4.0 + 4.0 + 1.0 + 6.0);
}

#[test]
fn average_class_size() {
    check("average-class-size", 6.0 / 4.0, 5.0 / 3.0);
}

#[test]
fn average_class_size_of_empty_release() {
    let table = people(None);
    let mut recoding = recoded(&table);
    recoding.rules.insert(Box::new([]), RecodingRule::Drop);
    assert!(measures(&table, &recoding).iter().all(|(id, _)| *id != "average-class-size"));
    assert_near(measure(&table, &recoding, "gcp").value, 1.0);
    assert_near(measure(&table, &recoding, "discernibility").value, 36.0);
    assert_near(measure(&table, &recoding, "classification-metric").value, 1.0);
}

#[test]
fn classification_metric() {
    // One of the two young Professionals has the minority label. With suppression, the Writer counts as wrong too.
    check("classification-metric", 1.0 / 6.0, 2.0 / 6.0);
}

#[test]
fn purpose_decides_what_applies() {
    let table = people(None);
    let recoding = recoded(&table);
    let release = recoding.apply(&table).expect("a release");
    let ids = |purpose: &Purpose| -> Vec<&str> {
        let comparison = Comparison { table: &table, recoding: &recoding, release: &release, purpose };
        measure_all(&comparison).expect("measures").into_iter().map(|(id, _)| id).collect()
    };
    assert_eq!(
        ids(&Purpose::General),
        [
            "purpose-loss",
            "minimal-distortion",
            "gcp",
            "iloss",
            "precision",
            "discernibility",
            "average-class-size",
            "non-uniform-entropy",
            "query-error",
            "pairwise-marginal-distance"
        ]
    );
    let unknown = Purpose::Classification("lable".to_owned());
    let comparison = Comparison { table: &table, recoding: &recoding, release: &release, purpose: &unknown };
    assert!(measure_all(&comparison).expect_err("no such column").to_string().contains("did you mean `label`"));
}

/// Query error of one query, on the generalized table and on the table with suppression.
fn query_errors(conditions: &[(&str, SelectedValues)]) -> [f64; 2] {
    let condition = |(column, values): &(&str, SelectedValues)| Condition {
        column: (*column).to_owned(),
        values: values.clone(),
        line: 1,
    };
    let query = CountQuery { conditions: conditions.iter().map(condition).collect(), weight: 2.0 };
    let purpose = Purpose::Queries(Workload { file: String::new(), queries: vec![query] });
    let table = people(None);
    [recoded(&table), suppressed(&table)].map(|recoding| {
        let release = recoding.apply(&table).expect("a release");
        let comparison = Comparison { table: &table, recoding: &recoding, release: &release, purpose: &purpose };
        let measures = measure_all(&comparison).expect("measures");
        measures.into_iter().find(|(id, _)| *id == "query-error").expect("it applies").1.value
    })
}

#[test]
fn queries() {
    let label = |text: &str| SelectedValues::Label(text.to_owned());
    let ages = |from, to| SelectedValues::Between(from, to);
    // Two engineers; half of four professionals, and a quarter of one suppressed job.
    assert_eq!(query_errors(&[("job", label("Engineer"))]), [0.0, 0.25 / 2.0]);
    // Two lawyers of 38. Two professionals are in [38,60), of which the leaves are 38 and 52: half of the jobs and half of the ages
    // match, so 0.5. The suppressed job of one record in [38,60) adds 1/4 * 1/2.
    assert_eq!(query_errors(&[("job", label("Lawyer")), ("age", ages(38.0, 40.0))]), [1.5 / 2.0, (1.5 - 0.125) / 2.0]);
    // No engineer is 52, but half of two professionals times half of their ages. A count of 0 is divided by 1.
    assert_eq!(query_errors(&[("job", label("Engineer")), ("age", ages(52.0, 52.0))]), [0.5, 0.625]);
    // Both artists. One is suppressed, and the job of the other counts half.
    assert_eq!(query_errors(&[("job", label("Artist"))]), [0.0, 1.5 / 2.0]);
    // Sums over intervals are exact if they cover them; a suppressed record is missing.
    assert_eq!(query_errors(&[("age", ages(38.0, f64::INFINITY))]), [0.0, 1.0 / 4.0]);
    // An age that does not occur has count 0 and estimate 0.
    assert_eq!(query_errors(&[("age", label("39"))]), [0.0, 0.0]);
}

#[test]
fn queries_on_unknown_values_are_errors() {
    let table = people(None);
    let recoding = Recoding::identity(&table);
    let release = recoding.apply(&table).expect("a release");
    let error = |column: &str, values: SelectedValues| {
        let condition = Condition { column: column.to_owned(), values, line: 7 };
        let queries = vec![CountQuery { conditions: vec![condition], weight: 1.0 }];
        let purpose = Purpose::Queries(Workload { file: "q.toml".to_owned(), queries });
        let comparison = Comparison { table: &table, recoding: &recoding, release: &release, purpose: &purpose };
        measure_all(&comparison).expect_err("an error").to_string()
    };
    let unknown = error("job", SelectedValues::Label("Baker".to_owned()));
    assert_eq!(unknown, "queries `q.toml` line 7: the condition on `job` names a value that the column does not have");
    let without_numbers = error("job", SelectedValues::Between(1.0, 2.0));
    assert!(without_numbers.contains("the column has no numbers or dates"), "{without_numbers}");
}

#[test]
fn pairwise_marginals() {
    // Raw pairs and their surplus over the published pairs, each spread over the four pairs of leaves: Engineer 25 and 35 1 - 1/2 each,
    // Lawyer 38 2 - 1/2. Writer 52 and Dancer 52: spread over two ages, 1 - 1/2 each.
    let generalized = (0.5 + 0.5 + 1.5 + 0.5 + 0.5) / 6.0;
    // The Writer is spread over 16 pairs, the Dancer over 4 jobs and 2 ages.
    let (record, cell) = (1.0 / 16.0, 1.0 / 8.0);
    let with_suppression = (2.0 * (0.5 - record) + (1.5 - record - cell) + 2.0 * (1.0 - record - cell)) / 6.0;
    check("pairwise-marginal-distance", generalized, with_suppression);
}

#[test]
fn agreement_of_clusters() {
    // Raw cluster 0 has 3 records in published cluster 0 and 1 in 1: 2 * 3 / (4 + 3). Raw cluster 1 has 2 in 1, and 2 are suppressed:
    // 2 * 2 / (4 + 3).
    let records = [(0, Some(0), 3), (0, Some(1), 1), (1, Some(1), 2), (1, None, 2)];
    assert_near(super::cluster_agreement::f_measure(&records), 0.5 * 6.0 / 7.0 + 0.5 * 4.0 / 7.0);
    assert_near(super::cluster_agreement::f_measure(&[(0, Some(4), 3), (1, Some(2), 5)]), 1.0);
}

fn split(features: &[&[u32]], labels: &[u32], queries: &[&[u32]]) -> TrainTestSplit {
    let columns = |rows: &[&[u32]]| (0..rows[0].len()).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
    let training = LabelledRecords { features: columns(features), labels: labels.to_vec() };
    TrainTestSplit { training, test: LabelledRecords { features: columns(queries), labels: vec![0; queries.len()] } }
}

#[test]
fn decision_tree() {
    // Label 1 is in the middle of a scale, which needs two thresholds. The second feature is constant.
    let rows: &[&[u32]] = &[&[0, 7], &[1, 7], &[2, 7], &[3, 7], &[4, 7], &[5, 7]];
    let middle = split(rows, &[0, 0, 1, 1, 0, 0], rows);
    assert_eq!(super::decision_tree_error::predict(&middle), [0, 0, 1, 1, 0, 0]);
    // Equal values with different labels: the split is between the values, whatever the order of the labels.
    let rows: &[&[u32]] = &[&[0], &[0], &[0], &[1], &[1], &[1]];
    let mixed = split(rows, &[0, 1, 1, 1, 0, 0], &[&[0], &[1], &[9]]);
    assert_eq!(super::decision_tree_error::predict(&mixed), [1, 0, 0]);
    // Given test labels: two of four predictions are wrong. Without test records there is no error.
    let mut known = split(rows, &[0, 1, 1, 1, 0, 0], &[&[0], &[0], &[1], &[1]]);
    known.test.labels = vec![1, 0, 0, 1];
    assert_eq!(super::decision_tree_error(&known), Some(0.5));
    known.test = Default::default();
    assert_eq!(super::decision_tree_error(&known), None);
}

#[test]
fn naive_bayes() {
    // Two features. Priors 3/5 and 2/5; one additional category for unseen values, and add-one smoothing:
    // (0, 0): label 0 3/5 * 4/6 * 3/6 = 0.2,  label 1 2/5 * 1/5 * 2/5 = 0.032.
    // (1, 1): label 0 3/5 * 1/6 * 2/6 = 0.033, label 1 2/5 * 3/5 * 2/5 = 0.096.
    // (9, 0), an unseen value: label 0 3/5 * 1/6 * 3/6 = 0.05, label 1 2/5 * 1/5 * 2/5 = 0.032.
    // (1, 9), an unseen value of the second feature: label 0 3/5 * 1/6 * 1/6 = 0.017, label 1 2/5 * 3/5 * 1/5 = 0.048.
    let rows: &[&[u32]] = &[&[0, 0], &[0, 0], &[0, 1], &[1, 0], &[1, 1]];
    let queries = split(rows, &[0, 0, 0, 1, 1], &[&[0, 0], &[1, 1], &[9, 0], &[1, 9]]);
    assert_eq!(super::naive_bayes_error::predict(&queries), [0, 1, 0, 1]);
    // Labels 1 and 2 have two records each, label 0 has none; three categories, including the one for unseen values.
    // 4: label 0 0/4 = 0, label 1 2/4 * 2/5 = 0.2, label 2 2/4 * 2/5 = 0.2: a tie, so the lower label.
    // 5: label 1 2/4 * 2/5 = 0.2, label 2 2/4 * 2/5 = 0.2. An unseen value: 2/4 * 1/5 = 0.1 for both.
    let tied = split(&[&[4], &[5], &[4], &[5]], &[2, 2, 1, 1], &[&[4], &[5], &[9]]);
    assert_eq!(super::naive_bayes_error::predict(&tied), [1, 1, 1]);
    // The feature is constant, so the prior decides: label 1 has two of three records.
    // 4: label 0 1/3 * 2/3 = 0.22, label 1 2/3 * 3/4 = 0.5. 7: label 0 1/3 * 1/3 = 0.11, label 1 2/3 * 1/4 = 0.17.
    let prior = split(&[&[4], &[4], &[4]], &[0, 1, 1], &[&[4], &[7]]);
    assert_eq!(super::naive_bayes_error::predict(&prior), [1, 1]);
}

/// Repeats four rows. The job determines the label: a quarter of the records (Writer) has the label no.
fn repeated_rows(count: usize, owners: Option<Vec<Owner>>) -> Table {
    let rows: Vec<&[&str]> = (0..count).map(|row| [ROWS[0], ROWS[2], ROWS[4], ROWS[2]][row % 4]).collect();
    table(vec![job(), age(), label()], &rows, owners)
}

#[test]
fn classifiers_on_a_release() {
    let table = repeated_rows(1200, None);
    for id in ["decision-tree-error", "naive-bayes-error"] {
        let unchanged = measure(&table, &Recoding::identity(&table), id);
        assert_near(unchanged.value, 0.0);
        // With all quasi-identifiers suppressed, a classifier predicts the majority label and errs on a quarter of the records.
        let top = |place: usize| (table.columns[place].tree.clone(), vec![0; table.columns[place].tree.len()]);
        let label = table.columns[2].tree.clone();
        let labels = (0..2).map(|code| label.leaf_of(code)).collect();
        let fully_suppressed = measure(&table, &Recoding::by_node(&table, vec![top(0), top(1), (label, labels)]), id);
        assert!((fully_suppressed.value - 0.25).abs() < 0.06, "{}", fully_suppressed.value);
        assert!(fully_suppressed.reading.contains("; 0 on the raw table"), "{}", fully_suppressed.reading);
        // Owners do not change the result.
        let owned = repeated_rows(1200, Some((0..1200).map(|row| 1200 - row / 3).collect()));
        assert_eq!(measure(&owned, &Recoding::identity(&owned), id).reading, unchanged.reading);
    }
}

#[test]
fn large_tables_are_sampled() {
    let table = repeated_rows(60_000, None);
    for id in ["decision-tree-error", "naive-bayes-error"] {
        let measure = measure(&table, &Recoding::identity(&table), id);
        assert!(measure.reading.contains("an estimate on a sample of 50000 of 60000 records"), "{}", measure.reading);
    }
}
