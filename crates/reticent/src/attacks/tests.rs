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

use super::{Confidence, Findings, Person, Scene, run};
use crate::combos::{Combos, Owner};
use crate::error::Result;
use crate::history::History;
use crate::recoding::{Recoding, Rule};
use crate::registry::Arguments;
use crate::release::Release;
use crate::schema::{Attribute, Missing, Role, Schema, Tree};
use crate::share::Share;
use crate::table::{Counts, Table};
use crate::taxonomy::{Code, Level, NodeId, Taxonomy, Type};
use small::{brief, quasi, sensitive};

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

/// Everything that an attack finds in a release, however unlikely.
fn attacked(id: &str, history: &History, people: &[Person]) -> Result<Findings> {
    let (confidence, arguments) = (Share::new(0, 1), Arguments::default());
    run(id, &Scene { history, people, confidence, rows: &[], varies: &[], arguments: &arguments })
}

/// Records, people, and how many of the records carry which value.
type Linked = (u64, u64, Vec<(String, u64)>);

/// How many records can be somebody's, how many people's these are, and the values they carry.
fn linked(history: &History, person: &Person) -> Result<Linked> {
    let found = attacked("record-linkage", history, std::slice::from_ref(person))?;
    let (mut records, mut people, mut values) = (0, 0, Vec::new());
    for finding in &found.all {
        let Confidence::Exact(share) = finding.confidence else { panic!("an estimate") };
        records = finding.records.expect("records");
        match &finding.value {
            None => people = (share.denominator / share.numerator) as u64,
            Some(value) => {
                values.push((value.label.clone(), (u128::from(records) * share.numerator / share.denominator) as u64));
            }
        }
    }
    values.sort();
    Ok((records, people, values))
}

fn records(release: &Release, person: &Person) -> u64 {
    linked(&History::single(release.clone()), person).expect("links").0
}

/// A person, how many records can be theirs, and the diseases these carry.
type Link = (&'static str, u64, &'static [(&'static str, u64)]);

fn check_links(release: &Release, expected: &[Link]) {
    let (history, people) = (History::single(release.clone()), external());
    for (person, (name, records, diseases)) in people.iter().zip(expected) {
        let found = linked(&history, person).expect("links");
        let diseases: Vec<(String, u64)> = diseases.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
        assert_eq!((person.name.as_str(), found.0, found.2), (*name, *records, diseases));
    }
    assert_eq!(people.len(), expected.len());
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
    // Both dancers' records belong to one owner: two records, one person.
    let cols = [quasi("Job"), sensitive("Disease")];
    let small = small::linked(1, &cols, &[(1, "Writer, Flu"), (5, "Dancer, HIV"), (5, "Dancer, HIV")]);
    let emily = Person { name: "Emily".to_owned(), facts: vec![("Job".to_owned(), "Dancer".to_owned())] };
    let found = linked(&small::history(&[&small]), &emily).expect("links");
    assert_eq!((found.0, found.1), (2, 1));
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
    let records: Vec<u64> = external().iter().map(|person| records(&release, person)).collect();
    assert_eq!(records, [2, 2, 2, 1, 2, 2, 2, 1, 0]);
}

#[test]
fn knowledge_must_fit_the_release() {
    let release = release_of(Recoding::identity);
    let stranger =
        |column: &str, text: &str| Person { name: "Zoe".to_owned(), facts: vec![(column.to_owned(), text.to_owned())] };
    // A value that the taxonomy does not have stands behind nothing but the root.
    assert_eq!(records(&release, &stranger("Job", "Pilot")), 0);
    // What is known only roughly excludes what contradicts it.
    assert_eq!(records(&release, &stranger("Job", "Artist")), 4);
    assert_eq!(records(&release, &stranger("Age", " 38.0 ")), 2);
    let error = linked(&History::single(release), &stranger("Jop", "Writer")).expect_err("no such column");
    assert!(error.to_string().contains("did you mean `Job`"), "{error}");
}

/// By class and value: people, and the confidence.
fn exposed(release: Release) -> Vec<(String, String, u64, Share)> {
    let found = attacked("attribute-linkage", &History::single(release), &[]).expect("findings");
    let told = found.all.iter().map(|finding| {
        let Confidence::Exact(share) = finding.confidence else { panic!("an estimate") };
        assert_eq!(finding.certain, share == Share::new(1, 1));
        let (class, people, value) = brief(finding);
        (class, value, people, share)
    });
    let mut told: Vec<(String, String, u64, Share)> = told.collect();
    told.sort();
    told
}

#[test]
fn attribute_linkage_example_2_6() {
    // Table II(a): everybody but the two writers is certain, the female dancers among them.
    let raw = exposed(release_of(Recoding::identity));
    let certain: Vec<u64> = raw.iter().filter(|told| told.3 == Share::new(1, 1)).map(|told| told.2).collect();
    assert_eq!((certain.len(), certain.iter().sum::<u64>()), (4, 5));
    // Table II(c): HIV with 3/4 among the artists, hepatitis with 2/3 among the professionals.
    let found = exposed(release_of(three_anonymous));
    let told = |class: &str, value: &str, people, share| (class.to_owned(), value.to_owned(), people, share);
    let expected = [
        told("Artist/Female/[30,35)", "Flu", 4, Share::new(1, 4)),
        told("Artist/Female/[30,35)", "HIV", 4, Share::new(3, 4)),
        told("Professional/Male/[35,40)", "HIV", 3, Share::new(1, 3)),
        told("Professional/Male/[35,40)", "Hepatitis", 3, Share::new(2, 3)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn attribute_linkage_counts_people() {
    // One dancer has both records: of three artists, one writer has flu, the other writer and the dancer have HIV.
    let cols = [quasi("Job"), sensitive("Disease")];
    let rows = [(1, "Artist, Flu"), (2, "Artist, HIV"), (3, "Artist, HIV"), (3, "Artist, HIV")];
    let history = small::history(&[&small::linked(1, &cols, &rows)]);
    let found = attacked("attribute-linkage", &history, &[]).expect("findings");
    assert!(found.all.iter().all(|finding| finding.people == 3));
    let highest = found.all.iter().map(|finding| finding.confidence.to_f64()).fold(0.0, f64::max);
    assert_eq!(highest, 2.0 / 3.0);
}

/// By how many people: with which confidence they are there, or for certain not.
fn present(release: Release, people: &[Person]) -> Vec<(u64, f64, bool)> {
    let found = attacked("table-linkage", &History::single(release), people).expect("findings");
    let told =
        |finding: &super::Finding| (finding.people, finding.confidence.to_f64(), !finding.words.contains("not to be"));
    let mut told: Vec<(u64, f64, bool)> = found.all.iter().map(told).collect();
    told.sort_by(|one, other| one.0.cmp(&other.0).then(one.2.cmp(&other.2)));
    told
}

#[test]
fn table_linkage_example_2_8() {
    // Alice and four others are five who can be the four artists; Bob and three others are four who can be the three professionals.
    assert_eq!(present(release_of(three_anonymous), &external()), [(4, 3.0 / 4.0, true), (5, 4.0 / 5.0, true)]);
    // On the raw table Henry and Irene match nothing: they are not in it. The others are, with certainty.
    let raw = present(release_of(Recoding::identity), &external());
    let there: u64 = raw.iter().filter(|told| told.2).map(|told| told.0).sum();
    let not: u64 = raw.iter().filter(|told| !told.2).map(|told| told.0).sum();
    assert_eq!((there, not), (7, 2));
    assert!(raw.iter().all(|told| told.1 == 1.0));
}

#[test]
fn table_linkage_needs_a_list_that_covers_the_release() {
    let known: Vec<Person> = external().into_iter().take(2).collect();
    let why = small::obstacle(attacked("table-linkage", &History::single(release_of(three_anonymous)), &known));
    assert!(why.contains("must cover the release"), "{why}");
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
        super::tests::records(&release, &person)
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
        super::tests::records(&release, &Person { name: "Ada".to_owned(), facts })
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
