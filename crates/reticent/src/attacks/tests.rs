//! The survey's worked examples 2.1, 2.2, 2.6 and 2.8, on its table II. Expected values are the paper's.
#![allow(clippy::expect_used, clippy::panic)]

mod apart;
mod correspondence;
mod definetti;
mod hidden;
mod naive;
mod rows;
mod several;
mod single;
mod small;

use std::sync::Arc;

use super::Person;
use super::attribute_linkage::expose;
use super::record_linkage::link;
use super::table_linkage::presence;
use crate::combos::{Combos, Owner};
use crate::recoding::{Recoding, Rule};
use crate::release::Release;
use crate::schema::{Attribute, Missing, Role, Schema, Tree};
use crate::share::Share;
use crate::table::{Counts, Table};
use crate::taxonomy::{Code, Level, NodeId, Taxonomy, Type};

const JOBS: &str = "ANY\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Dancer\n    Writer";

/// Table II(a).
const PATIENTS: [[&str; 4]; 7] = [
    ["Engineer", "Male", "35", "Hepatitis"],
    ["Engineer", "Male", "38", "Hepatitis"],
    ["Lawyer", "Male", "38", "HIV"],
    ["Writer", "Female", "30", "Flu"],
    ["Writer", "Female", "30", "HIV"],
    ["Dancer", "Female", "30", "HIV"],
    ["Dancer", "Female", "30", "HIV"],
];

/// Table II(b).
const EXTERNAL: [[&str; 4]; 9] = [
    ["Alice", "Writer", "Female", "30"],
    ["Bob", "Engineer", "Male", "35"],
    ["Cathy", "Writer", "Female", "30"],
    ["Doug", "Lawyer", "Male", "38"],
    ["Emily", "Dancer", "Female", "30"],
    ["Fred", "Engineer", "Male", "38"],
    ["Gladys", "Dancer", "Female", "30"],
    ["Henry", "Lawyer", "Male", "39"],
    ["Irene", "Dancer", "Female", "32"],
];

fn patients(owners: Option<Vec<Owner>>) -> Table {
    let attribute = |name: &str, role, values, tree| Attribute {
        name: name.to_owned(),
        role,
        values,
        missing: Missing::Value,
        tree,
    };
    let jobs = Tree::Given(Taxonomy::parse("Job", JOBS).expect("a tree"));
    let ages = Tree::Intervals { levels: vec![Level::Width(5.0)], exact: true };
    let attributes = vec![
        attribute("Job", Role::QuasiIdentifier, Type::Text, jobs),
        attribute("Sex", Role::QuasiIdentifier, Type::Text, Tree::Flat),
        attribute("Age", Role::QuasiIdentifier, Type::Number, ages),
        attribute("Disease", Role::Sensitive, Type::Text, Tree::Flat),
    ];
    let (values, codes) = (0..4).map(|at| dictionary(PATIENTS.map(|row| row[at]))).unzip();
    let names = attributes.iter().map(|attribute| attribute.name.clone()).collect();
    let counts = Counts { names, values, combos: Combos { codes, weights: vec![1; 7], owners }, links: None };
    let schema = Schema { attributes, owner: None, missing_values: Vec::new() };
    Table::build(&counts, &schema).expect("a table")
}

/// The distinct texts, and the code of each text.
fn dictionary(texts: [&str; 7]) -> (Vec<String>, Vec<Code>) {
    let mut values: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    values.sort_unstable();
    values.dedup();
    let code = |text: &str| values.iter().position(|value| value == text).expect("a value") as Code;
    let codes = texts.iter().map(|text| code(text)).collect();
    (values, codes)
}

fn external() -> Vec<Person> {
    let facts = |row: &[&str; 4]| -> Vec<(String, String)> {
        ["Job", "Sex", "Age"].iter().zip(&row[1..]).map(|(c, t)| ((*c).to_owned(), (*t).to_owned())).collect()
    };
    EXTERNAL.iter().map(|row| Person { name: row[0].to_owned(), facts: facts(row) }).collect()
}

/// Table II(c): jobs one level up, ages in fives.
fn three_anonymous(table: &Table) -> Recoding {
    let nodes = table.columns.iter().map(|column| {
        let tree = column.tree.clone();
        let leaves = (0..tree.len() as Code).map(|code| tree.leaf_of(code));
        let up = column.name == "Job" || column.name == "Age";
        let nodes: Vec<NodeId> =
            leaves.map(|leaf| if up { tree.node(leaf).parent.expect("a parent") } else { leaf }).collect();
        (tree, nodes)
    });
    Recoding::by_node(table, nodes.collect())
}

fn release_of(recode: impl Fn(&Table) -> Recoding) -> Release {
    let table = patients(None);
    recode(&table).apply(&table).expect("a release")
}

fn texts(release: &Release, values: &[(u32, u64)]) -> Vec<(String, u64)> {
    values.iter().map(|(code, records)| (release.columns[3].label(*code).to_owned(), *records)).collect()
}

/// A person, how many records can be theirs, and the diseases these carry.
type Link = (&'static str, u64, &'static [(&'static str, u64)]);

fn check_links(release: &Release, expected: &[Link]) {
    let found = link(release, &external()).expect("links");
    for (linked, (person, records, diseases)) in found.iter().zip(expected) {
        assert_eq!((linked.person.as_str(), linked.records), (*person, *records));
        let carried = texts(release, &linked.sensitive[0].values);
        let diseases: Vec<(String, u64)> = diseases.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
        assert_eq!(carried, diseases, "{person}");
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn record_linkage_example_2_1() {
    let writer: &'static [(&str, u64)] = &[("Flu", 1), ("HIV", 1)];
    let expected: &[Link] = &[
        ("Alice", 2, writer),
        ("Bob", 1, &[("Hepatitis", 1)]),
        ("Cathy", 2, writer),
        ("Doug", 1, &[("HIV", 1)]),
        ("Emily", 2, &[("HIV", 2)]),
        ("Fred", 1, &[("Hepatitis", 1)]),
        ("Gladys", 2, &[("HIV", 2)]),
        ("Henry", 0, &[]),
        ("Irene", 0, &[]),
    ];
    check_links(&release_of(Recoding::identity), expected);
}

#[test]
fn record_linkage_example_2_2() {
    // Ages 39 and 32 are not in the release; an attacker reads them into the intervals.
    let artist: &'static [(&str, u64)] = &[("Flu", 1), ("HIV", 3)];
    let professional: &'static [(&str, u64)] = &[("HIV", 1), ("Hepatitis", 2)];
    let women = ["Alice", "Cathy", "Emily", "Gladys", "Irene"];
    let expected: Vec<Link> = EXTERNAL
        .iter()
        .map(|row| if women.contains(&row[0]) { (row[0], 4, artist) } else { (row[0], 3, professional) })
        .collect();
    check_links(&release_of(three_anonymous), &expected);
}

#[test]
fn record_linkage_counts_people() {
    // Both female dancers' records belong to one owner: two records, one person.
    let table = patients(Some(vec![0, 1, 2, 3, 4, 5, 5]));
    let release = Recoding::identity(&table).apply(&table).expect("a release");
    let emily = &link(&release, &external()).expect("links")[4];
    assert_eq!((emily.records, emily.people), (2, 1));
}

#[test]
fn record_linkage_through_hidden_cells() {
    // The lawyer's job and age are hidden: every man may be him.
    let table = patients(None);
    let mut recoding = Recoding::identity(&table);
    let lawyer = (0..table.combos.len()).find(|at| table.columns[0].tree.value(table.combos.codes[0][*at]) == "Lawyer");
    let mut row = Vec::new();
    recoding.publish(&table.combos, lawyer.expect("a lawyer"), &mut row);
    recoding.on = vec![0, 1, 2];
    recoding.rules.insert(row[..3].into(), Rule::Hide(vec![0, 2]));
    let release = recoding.apply(&table).expect("a release");
    let found = link(&release, &external()).expect("links");
    let records: Vec<u64> = found.iter().map(|linked| linked.records).collect();
    assert_eq!(records, [2, 2, 2, 1, 2, 2, 2, 1, 0]);
}

#[test]
fn knowledge_must_fit_the_release() {
    let release = release_of(Recoding::identity);
    let stranger = |column: &str, text: &str| {
        vec![Person { name: "Zoe".to_owned(), facts: vec![(column.to_owned(), text.to_owned())] }]
    };
    // A value that the taxonomy does not have stands behind nothing but the root.
    assert_eq!(link(&release, &stranger("Job", "Pilot")).expect("links")[0].records, 0);
    // What is known only roughly excludes what contradicts it.
    assert_eq!(link(&release, &stranger("Job", "Artist")).expect("links")[0].records, 4);
    assert_eq!(link(&release, &stranger("Age", " 38.0 ")).expect("links")[0].records, 2);
    let error = link(&release, &stranger("Jop", "Writer")).expect_err("no such column");
    assert!(error.to_string().contains("did you mean `Job`"), "{error}");
}

#[test]
fn attribute_linkage_example_2_6() {
    // Table II(a): everybody but the two writers is certain, the female dancers among them.
    let raw = &expose(&release_of(Recoding::identity), Share::new(1, 1))[0];
    assert_eq!((raw.column.as_str(), raw.highest, raw.certain), ("Disease", Share::new(1, 1), 5));
    assert_eq!(raw.inferences.len(), 4);
    // Table II(c): HIV with 3/4 among the artists, hepatitis with 2/3 among the professionals.
    let release = release_of(three_anonymous);
    let found = &expose(&release, Share::new(1, 2))[0];
    assert_eq!((found.highest, found.certain), (Share::new(3, 4), 0));
    let mut listed: Vec<(&str, &str, u64, Share)> = found
        .inferences
        .iter()
        .map(|i| (release.columns[0].label(i.class[0].1), release.columns[3].label(i.value), i.people, i.confidence))
        .collect();
    listed.sort_unstable();
    let expected = [("Artist", "HIV", 4, Share::new(3, 4)), ("Professional", "Hepatitis", 3, Share::new(2, 3))];
    assert_eq!(listed, expected);
    assert!(expose(&release, Share::new(4, 5))[0].inferences.is_empty());
}

#[test]
fn attribute_linkage_counts_people() {
    // One dancer has both records: of three artists, one writer has flu, the other writer and the dancer have HIV.
    let table = patients(Some(vec![0, 1, 2, 3, 4, 5, 5]));
    let release = three_anonymous(&table).apply(&table).expect("a release");
    let found = &expose(&release, Share::new(1, 2))[0];
    assert!(found.inferences.iter().all(|inference| inference.people == 3));
    assert_eq!(found.highest, Share::new(2, 3));
}

#[test]
fn table_linkage_example_2_8() {
    let found = presence(&release_of(three_anonymous), &external()).expect("presence");
    let of = |name: &str| found.iter().find(|presence| presence.person == name).expect("known").clone();
    assert_eq!((of("Alice").classes, of("Alice").probability), (vec![(4, 5)], 4.0 / 5.0));
    assert_eq!((of("Bob").classes, of("Bob").probability), (vec![(3, 4)], 3.0 / 4.0));
    // On the raw table Henry and Irene match nothing: they are not in it. The others are, with certainty.
    let raw = presence(&release_of(Recoding::identity), &external()).expect("presence");
    let probabilities: Vec<f64> = raw.iter().map(|presence| presence.probability).collect();
    assert_eq!(probabilities, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn table_linkage_never_exceeds_certainty() {
    // Knowing two of the seven only: more records than known people in a class.
    let known: Vec<Person> = external().into_iter().take(2).collect();
    let found = presence(&release_of(three_anonymous), &known).expect("presence");
    assert!(found.iter().all(|presence| presence.probability == 1.0));
}

#[test]
fn numbers_are_read_into_grown_intervals() {
    let mut tree = Taxonomy::grown(Type::Number, vec![20.0, 30.0, 40.0], None);
    let [young, old] = tree.split(0, 1);
    let [middle, oldest] = tree.split(old, 2);
    let (nodes, role) = (vec![young, middle, oldest], Role::QuasiIdentifier);
    let column = crate::release::PublishedColumn { name: "Age".to_owned(), role, tree: Arc::new(tree), nodes };
    let combos = Combos { codes: vec![vec![0, 1, 2]], weights: vec![1, 10, 100], owners: None };
    let release = Release { columns: vec![column], combos, suppressed: 0 };
    let records = |age: &str| {
        let person = Person { name: "Zoe".to_owned(), facts: vec![("Age".to_owned(), age.to_owned())] };
        link(&release, &[person]).expect("links")[0].records
    };
    assert_eq!(
        [records("-5"), records("29"), records("30"), records("39.9"), records("40"), records("x")],
        [1, 1, 10, 10, 100, 0]
    );
}

/// A release that was made elsewhere, or comes back from the ledger, is known by its texts only: intervals overlap, and masks
/// stand for every text that begins like them.
#[test]
fn releases_known_by_their_texts_are_attacked_no_less() {
    use crate::recognise::{Told, release};
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let values = vec![texts(&["*", "20-29", "<20", "[25;35)"]), texts(&["47677", "476**", "48***"])];
    let rows: [(Code, Code); 5] = [(0, 0), (1, 1), (2, 1), (3, 2), (3, 0)];
    let codes = vec![rows.map(|row| row.0).to_vec(), rows.map(|row| row.1).to_vec()];
    let combos = Combos { codes, weights: vec![1, 2, 4, 8, 16], owners: None };
    let counts = Counts { names: texts(&["age", "zip"]), values, combos, links: None };
    let told =
        |name, values| Told { name, role: Role::QuasiIdentifier, values: Some(values), tree: None, missing: &[] };
    let (release, _) = release(counts, &[told("age", Type::Number), told("zip", Type::Text)], 0).expect("a release");
    let records = |facts: &[(&str, &str)]| {
        let facts = facts.iter().map(|(column, value)| ((*column).to_owned(), (*value).to_owned())).collect();
        link(&release, &[Person { name: "Ada".to_owned(), facts }]).expect("links")[0].records
    };
    // 27 lies in 20-29 and in [25;35), which overlap and do not nest; `*` says nothing.
    assert_eq!(records(&[("age", "27")]), 1 + 2 + 8 + 16);
    assert_eq!(records(&[("age", "19")]), 1 + 4);
    assert_eq!(records(&[("age", "29")]), 1 + 2 + 8 + 16);
    assert_eq!(records(&[("age", "31")]), 1 + 8 + 16);
    // 47699 stands in no cell, and 476** may be it.
    assert_eq!(records(&[("zip", "47699")]), 2 + 4);
    assert_eq!(records(&[("zip", "47677")]), 1 + 2 + 4 + 16);
    assert_eq!(records(&[("age", "27"), ("zip", "48123")]), 8);
}
