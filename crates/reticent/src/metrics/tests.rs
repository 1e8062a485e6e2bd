//! Hand-computed values on tiny tables; the arithmetic stands next to the expected number.
#![allow(clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use super::learning::{Lesson, Records};
use super::{Comparison, Measure, measure_all};
use crate::algorithms::Purpose;
use crate::combos::{Combos, Owner};
use crate::recoding::{Recoding, Rule};
use crate::schema::{Attribute, Missing, Role, Schema, Tree};
use crate::table::{Counts, Table};
use crate::taxonomy::{Code, Level, NodeId, Taxonomy, Type};

const JOBS: &str = "ANY\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Writer\n    Dancer";

/// Six people; see `recoded` for what is published of them.
const ROWS: &[&[&str]] = &[
    &["Engineer", "25", "yes"],
    &["Engineer", "35", "no"],
    &["Lawyer", "38", "yes"],
    &["Lawyer", "38", "yes"],
    &["Writer", "52", "no"],
    &["Dancer", "52", "no"],
];

fn attribute(name: &str, role: Role, values: Type, tree: Tree) -> Attribute {
    Attribute { name: name.to_owned(), role, values, missing: Missing::Value, tree }
}

fn job() -> Attribute {
    let tree = Taxonomy::parse("job", JOBS).expect("a tree");
    attribute("job", Role::QuasiIdentifier, Type::Text, Tree::Given(tree))
}

fn age() -> Attribute {
    attribute("age", Role::QuasiIdentifier, Type::Number, Tree::Grown { range: Some((20.0, 60.0)) })
}

fn label() -> Attribute {
    attribute("label", Role::Other, Type::Text, Tree::Flat)
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
    let counts = Counts { names, values, combos: Combos { codes, weights: vec![1; rows.len()], owners }, links: None };
    let schema = Schema { attributes, owner: None, missing_values: vec!["?".to_owned()] };
    Table::build(&counts, &schema).expect("a table")
}

fn people(owners: Option<Vec<Owner>>) -> Table {
    table(vec![job(), age(), label()], ROWS, owners)
}

/// Engineer and Lawyer become Professional; ages become [20,38) and [38,60); labels stay.
fn recoded(table: &Table) -> Recoding {
    let job = table.columns[0].tree.clone();
    let professional = job.find("Professional").expect("a node");
    let above =
        |code: Code| if job.node(professional).codes.contains(&code) { professional } else { job.leaf_of(code) };
    let jobs: Vec<NodeId> = (0..4).map(above).collect();
    let mut age = (*table.columns[1].tree).clone();
    let [young, old] = age.split(0, 2);
    let label = table.columns[2].tree.clone();
    let labels = (0..2).map(|code| label.leaf_of(code)).collect();
    Recoding::by_node(table, vec![(job, jobs), (Arc::new(age), vec![young, young, old, old]), (label, labels)])
}

/// The same, with the Writer left out and the Dancer's job hidden.
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
    recoding.rules.insert(writer, Rule::Drop);
    recoding.rules.insert(dancer, Rule::Hide(vec![0]));
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
    let found = measures(table, recoding).into_iter().find(|(known, _)| *known == id);
    found.unwrap_or_else(|| panic!("{id} applies")).1
}

/// Checks a metric on the generalized six, on the same counted with owners, and with suppression.
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

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
}

#[test]
fn distortion() {
    // Four records go one step up from Engineer or Lawyer. Two ages span 18 of 40 years, four span 22 of 40.
    let generalized = (4.0 + 2.0 * 18.0 / 40.0 + 4.0 * 22.0 / 40.0) / 6.0;
    // The Writer loses two steps and the whole range, the Dancer two steps.
    let with_suppression = (4.0 + 2.0 + 2.0 + 2.0 * 18.0 / 40.0 + 3.0 * 22.0 / 40.0 + 1.0) / 6.0;
    check("minimal-distortion", generalized, with_suppression);
    let table = people(None);
    let reading = measure(&table, &suppressed(&table), "minimal-distortion").reading;
    assert!(reading.contains("1.3333 in categorical columns, 0.5917 in number"), "{reading}");
    assert!(reading.contains("1 suppressed records count as fully generalized"), "{reading}");
}

#[test]
fn distortion_of_missing_and_exact_values() {
    let grown = attribute("age", Role::QuasiIdentifier, Type::Number, Tree::Grown { range: None });
    let table_of = |attribute| table(vec![attribute], &[&["10"], &["20"], &["?"]], None);
    // Below the root: all numbers as one interval (each spans the full range), and the missing value as itself.
    let missing = table_of(grown);
    let tree = missing.columns[0].tree.clone();
    let nodes = (0..3).map(|code| tree.leaf_of(code)).collect();
    let halfway = Recoding::by_node(&missing, vec![(tree.clone(), nodes)]);
    assert_near(measure(&missing, &halfway, "minimal-distortion").value, 2.0 / 3.0);
    // As the root: all three span everything.
    let top = Recoding::by_node(&missing, vec![(tree, vec![0, 0, 0])]);
    assert_near(measure(&missing, &top, "minimal-distortion").value, 1.0);
    // Numbers published as themselves cost nothing.
    let exact = Tree::Intervals { levels: vec![Level::Width(10.0)], exact: true };
    let exact = table_of(attribute("age", Role::QuasiIdentifier, Type::Number, exact));
    assert_near(measure(&exact, &Recoding::identity(&exact), "minimal-distortion").value, 0.0);
}

#[test]
fn gcp() {
    // Four leaves each. Professional covers one other of three: four times; each age interval covers one other: six times.
    let generalized = (4.0 / 3.0 + 6.0 / 3.0) / 12.0;
    // Jobs: 4/3, and 1 each for the Writer and the Dancer. Ages: five times 1/3, and 1 for the Writer.
    let with_suppression = (4.0 / 3.0 + 2.0 + 5.0 / 3.0 + 1.0) / 12.0;
    check("gcp", generalized, with_suppression);
}

#[test]
fn gcp_of_a_single_value() {
    let table = table(vec![attribute("sex", Role::QuasiIdentifier, Type::Text, Tree::Flat)], &[&["F"], &["F"]], None);
    let tree = table.columns[0].tree.clone();
    let top = Recoding::by_node(&table, vec![(tree, vec![0])]);
    assert_near(measure(&table, &top, "gcp").value, 0.0);
}

#[test]
fn entropy() {
    // Every Engineer or Lawyer is two of four, every age one of two or two of four: one bit each, 4 + 6 of them.
    let generalized = 10.0 / 6.0;
    // Writer and Dancer are one of six each; the Writer's age is two of six.
    let with_suppression = (4.0 + 2.0 * 6f64.log2() + 5.0 + 3f64.log2()) / 6.0;
    check("non-uniform-entropy", generalized, with_suppression);
    // In all: jobs 2, 2, 1, 1 of six; ages 1, 1, 2, 2 of six.
    let all = (4.0 * 3f64.log2() + 2.0 * 6f64.log2()) * 2.0 / 6.0;
    let table = people(None);
    let reading = measure(&table, &recoded(&table), "non-uniform-entropy").reading;
    assert!(reading.contains(&format!("of {all:.4} that")), "{reading}");
}

#[test]
fn discernibility() {
    // Classes of 2, 2, 1 and 1; then 2, 2, 1, and one suppressed record that costs six.
    check("discernibility", 4.0 + 4.0 + 1.0 + 1.0, 4.0 + 4.0 + 1.0 + 6.0);
}

#[test]
fn average_class_size() {
    check("average-class-size", 6.0 / 4.0, 5.0 / 3.0);
}

#[test]
fn average_class_size_of_nothing() {
    let table = people(None);
    let mut recoding = recoded(&table);
    recoding.rules.insert(Box::new([]), Rule::Drop);
    assert!(measures(&table, &recoding).iter().all(|(id, _)| *id != "average-class-size"));
    assert_near(measure(&table, &recoding, "gcp").value, 1.0);
    assert_near(measure(&table, &recoding, "discernibility").value, 36.0);
    assert_near(measure(&table, &recoding, "classification-metric").value, 1.0);
}

#[test]
fn classification_metric() {
    // One of the two young Professionals is in the minority; then the Writer is suppressed too.
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
        ["minimal-distortion", "gcp", "discernibility", "average-class-size", "non-uniform-entropy"]
    );
    let unknown = Purpose::Classification("lable".to_owned());
    let comparison = Comparison { table: &table, recoding: &recoding, release: &release, purpose: &unknown };
    assert!(measure_all(&comparison).expect_err("no such column").to_string().contains("did you mean `label`"));
}

fn lesson(features: &[&[u32]], labels: &[u32], asked: &[&[u32]]) -> Lesson {
    let columns = |rows: &[&[u32]]| (0..rows[0].len()).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
    let training = Records { features: columns(features), labels: labels.to_vec() };
    Lesson { training, test: Records { features: columns(asked), labels: vec![0; asked.len()] } }
}

#[test]
fn decision_tree() {
    // Label 1 in the middle of a scale: two thresholds. The second feature says nothing.
    let rows: &[&[u32]] = &[&[0, 7], &[1, 7], &[2, 7], &[3, 7], &[4, 7], &[5, 7]];
    let middle = lesson(rows, &[0, 0, 1, 1, 0, 0], rows);
    assert_eq!(super::decision_tree_error::predict(&middle), [0, 0, 1, 1, 0, 0]);
    // Equal values with different labels: a split lies between values, whatever the order of the labels.
    let rows: &[&[u32]] = &[&[0], &[0], &[0], &[1], &[1], &[1]];
    let mixed = lesson(rows, &[0, 1, 1, 1, 0, 0], &[&[0], &[1], &[9]]);
    assert_eq!(super::decision_tree_error::predict(&mixed), [1, 0, 0]);
    // With its own test records: two of the four are wrong, and where there are none there is no error.
    let mut known = lesson(rows, &[0, 1, 1, 1, 0, 0], &[&[0], &[0], &[1], &[1]]);
    known.test.labels = vec![1, 0, 0, 1];
    assert_eq!(super::decision_tree_error(&known), Some(0.5));
    known.test = Default::default();
    assert_eq!(super::decision_tree_error(&known), None);
}

#[test]
fn naive_bayes() {
    // Two features. Priors 3/5 and 2/5; with one more category each for unseen values and add-one smoothing:
    // (0, 0): label 0 3/5 * 4/6 * 3/6 = 0.2,  label 1 2/5 * 1/5 * 2/5 = 0.032.
    // (1, 1): label 0 3/5 * 1/6 * 2/6 = 0.033, label 1 2/5 * 3/5 * 2/5 = 0.096.
    // (9, 0), an unseen value: label 0 3/5 * 1/6 * 3/6 = 0.05, label 1 2/5 * 1/5 * 2/5 = 0.032.
    // (1, 9), the other way: label 0 3/5 * 1/6 * 1/6 = 0.017, label 1 2/5 * 3/5 * 1/5 = 0.048.
    let rows: &[&[u32]] = &[&[0, 0], &[0, 0], &[0, 1], &[1, 0], &[1, 1]];
    let asked = lesson(rows, &[0, 0, 0, 1, 1], &[&[0, 0], &[1, 1], &[9, 0], &[1, 9]]);
    assert_eq!(super::naive_bayes_error::predict(&asked), [0, 1, 0, 1]);
    // Labels 1 and 2, two records each, no record of label 0; three categories with the one for unseen values.
    // 4: label 0 0/4 = 0, label 1 2/4 * 2/5 = 0.2, label 2 2/4 * 2/5 = 0.2: the lower of two equal labels.
    // 5: label 1 2/4 * 2/5 = 0.2, label 2 2/4 * 2/5 = 0.2. An unseen value: 2/4 * 1/5 = 0.1 for both.
    let tied = lesson(&[&[4], &[5], &[4], &[5]], &[2, 2, 1, 1], &[&[4], &[5], &[9]]);
    assert_eq!(super::naive_bayes_error::predict(&tied), [1, 1, 1]);
    // The prior decides where the feature does not: label 1 has two records of three.
    // 4: label 0 1/3 * 2/3 = 0.22, label 1 2/3 * 3/4 = 0.5. 7: label 0 1/3 * 1/3 = 0.11, label 1 2/3 * 1/4 = 0.17.
    let prior = lesson(&[&[4], &[4], &[4]], &[0, 1, 1], &[&[4], &[7]]);
    assert_eq!(super::naive_bayes_error::predict(&prior), [1, 1]);
}

/// Many people of four jobs, in which the label follows from the job: one Dancer in four says no.
fn many(count: usize, owners: Option<Vec<Owner>>) -> Table {
    let rows: Vec<&[&str]> = (0..count).map(|row| [ROWS[0], ROWS[2], ROWS[4], ROWS[2]][row % 4]).collect();
    table(vec![job(), age(), label()], &rows, owners)
}

#[test]
fn learners_on_a_release() {
    let table = many(1200, None);
    for id in ["decision-tree-error", "naive-bayes-error"] {
        let kept = measure(&table, &Recoding::identity(&table), id);
        assert_near(kept.value, 0.0);
        // With everything hidden a learner can only name the majority, and errs on the quarter that says no.
        let top = |place: usize| (table.columns[place].tree.clone(), vec![0; table.columns[place].tree.len()]);
        let label = table.columns[2].tree.clone();
        let labels = (0..2).map(|code| label.leaf_of(code)).collect();
        let nothing = measure(&table, &Recoding::by_node(&table, vec![top(0), top(1), (label, labels)]), id);
        assert!((nothing.value - 0.25).abs() < 0.06, "{}", nothing.value);
        assert!(nothing.reading.contains("; 0 on the raw table"), "{}", nothing.reading);
        // Whose records they are changes nothing.
        let owned = many(1200, Some((0..1200).map(|row| 1200 - row / 3).collect()));
        assert_eq!(measure(&owned, &Recoding::identity(&owned), id).reading, kept.reading);
    }
}

#[test]
fn large_tables_are_sampled() {
    let table = many(60_000, None);
    for id in ["decision-tree-error", "naive-bayes-error"] {
        let measure = measure(&table, &Recoding::identity(&table), id);
        assert!(measure.reading.contains("an estimate on a sample of 50000 of 60000 records"), "{}", measure.reading);
    }
}
