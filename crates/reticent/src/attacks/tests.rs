//! Worked examples 2.1, 2.2, 2.6 and 2.8 of the survey, on its table II. Expected values are those of the paper.
#![allow(clippy::expect_used, clippy::panic)]

mod bucketized;
mod correspondence;
mod definetti;
mod minimal_algorithm;
mod naive;
mod rows;
mod several;
mod single;
mod small;

use std::sync::Arc;

use super::{AttackConfidence, AttackInput, Findings, KnownPerson, run};
use crate::data::contingency::{ContingencyTable, Owner};
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::table::{Counts, Table};
use crate::data::taxonomy::{Code, IntervalLevel, NodeId, Taxonomy, Type};
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::Arguments;
use crate::release::Release;
use crate::release::history::History;
use crate::release::recoding::{Recoding, RecodingRule};
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
    let jobs = TreeSource::Given(Taxonomy::parse("Job", JOBS).expect("a tree"));
    let ages = TreeSource::Intervals { levels: vec![IntervalLevel::Width(5.0)], exact: true };
    let attributes = vec![
        attribute("Job", Role::QuasiIdentifier, Type::Text, jobs),
        attribute("Sex", Role::QuasiIdentifier, Type::Text, TreeSource::Flat),
        attribute("Age", Role::QuasiIdentifier, Type::Number, ages),
        attribute("Disease", Role::Sensitive, Type::Text, TreeSource::Flat),
    ];
    let (values, codes) = (0..4).map(|at| dictionary(PATIENTS.map(|row| row[at]))).unzip();
    let names = attributes.iter().map(|attribute| attribute.name.clone()).collect();
    let counts =
        Counts { names, values, contingency: ContingencyTable { codes, weights: vec![1; 7], owners }, links: None };
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

fn external() -> Vec<KnownPerson> {
    let facts = |row: &[&str; 4]| -> Vec<(String, String)> {
        ["Job", "Sex", "Age"].iter().zip(&row[1..]).map(|(c, t)| ((*c).to_owned(), (*t).to_owned())).collect()
    };
    EXTERNAL.iter().map(|row| KnownPerson { name: row[0].to_owned(), facts: facts(row) }).collect()
}

/// Recoding of table II(c): jobs generalized by one level, ages in intervals of five years.
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

/// All findings of an attack, with minimum confidence 0.
fn run_attack(id: &str, history: &History, people: &[KnownPerson]) -> Result<Findings> {
    let (confidence, arguments) = (Ratio::new(0, 1), Arguments::default());
    run(id, &AttackInput { history, people, confidence, rows: &[], time_varying: &[], arguments: &arguments })
}

/// Number of records, number of people, and the values of the records with their counts.
type Linked = (u64, u64, Vec<(String, u64)>);

/// The records that match a known person.
fn linked(history: &History, person: &KnownPerson) -> Result<Linked> {
    let findings = run_attack("record-linkage", history, std::slice::from_ref(person))?;
    let (mut records, mut people, mut values) = (0, 0, Vec::new());
    for finding in &findings.all {
        let AttackConfidence::Exact(share) = finding.confidence else { panic!("an estimate") };
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

fn records(release: &Release, person: &KnownPerson) -> u64 {
    linked(&History::single(release.clone()), person).expect("links").0
}

/// Name of a person, number of matching records, and the diseases of these records with their counts.
type Link = (&'static str, u64, &'static [(&'static str, u64)]);

fn assert_links(release: &Release, expected: &[Link]) {
    let (history, people) = (History::single(release.clone()), external());
    for (person, (name, records, diseases)) in people.iter().zip(expected) {
        let findings = linked(&history, person).expect("links");
        let diseases: Vec<(String, u64)> = diseases.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
        assert_eq!((person.name.as_str(), findings.0, findings.2), (*name, *records, diseases));
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
    assert_links(&release_of(Recoding::identity), expected);
}

#[test]
fn record_linkage_example_2_2() {
    // Ages 39 and 32 are not in the source table; they match the published intervals.
    let artist: &'static [(&str, u64)] = &[("Flu", 1), ("HIV", 3)];
    let professional: &'static [(&str, u64)] = &[("HIV", 1), ("Hepatitis", 2)];
    let women = ["Alice", "Cathy", "Emily", "Gladys", "Irene"];
    let expected: Vec<Link> = EXTERNAL
        .iter()
        .map(|row| if women.contains(&row[0]) { (row[0], 4, artist) } else { (row[0], 3, professional) })
        .collect();
    assert_links(&release_of(three_anonymous), &expected);
}

#[test]
fn record_linkage_counts_people() {
    // Both records of dancers belong to one owner: two records, one person.
    let cols = [quasi("Job"), sensitive("Disease")];
    let small = small::linked(1, &cols, &[(1, "Writer, Flu"), (5, "Dancer, HIV"), (5, "Dancer, HIV")]);
    let emily = KnownPerson { name: "Emily".to_owned(), facts: vec![("Job".to_owned(), "Dancer".to_owned())] };
    let findings = linked(&small::history(&[&small]), &emily).expect("links");
    assert_eq!((findings.0, findings.1), (2, 1));
}

#[test]
fn record_linkage_with_suppressed_cells() {
    // The job and age of the lawyer are suppressed: his record matches every man.
    let table = patients(None);
    let mut recoding = Recoding::identity(&table);
    let lawyer = (0..table.contingency.len())
        .find(|at| table.columns[0].tree.value(table.contingency.codes[0][*at]) == "Lawyer");
    let mut row = Vec::new();
    recoding.publish(&table.contingency, lawyer.expect("a lawyer"), &mut row);
    recoding.on = vec![0, 1, 2];
    recoding.rules.insert(row[..3].into(), RecodingRule::Hide(vec![0, 2]));
    let release = recoding.apply(&table).expect("a release");
    let records: Vec<u64> = external().iter().map(|person| records(&release, person)).collect();
    assert_eq!(records, [2, 2, 2, 1, 2, 2, 2, 1, 0]);
}

#[test]
fn known_values_are_matched_with_published_values() {
    let release = release_of(Recoding::identity);
    let stranger = |column: &str, text: &str| KnownPerson {
        name: "Zoe".to_owned(),
        facts: vec![(column.to_owned(), text.to_owned())],
    };
    // A value that is not in the taxonomy matches only the root.
    assert_eq!(records(&release, &stranger("Job", "Pilot")), 0);
    // A generalized known value excludes the published values that contradict it.
    assert_eq!(records(&release, &stranger("Job", "Artist")), 4);
    assert_eq!(records(&release, &stranger("Age", " 38.0 ")), 2);
    let error = linked(&History::single(release), &stranger("Jop", "Writer")).expect_err("no such column");
    assert!(error.to_string().contains("did you mean `Job`"), "{error}");
}

/// Findings of attribute linkage, as (class, value, people, confidence), sorted.
fn attribute_findings(release: Release) -> Vec<(String, String, u64, Ratio)> {
    let findings = run_attack("attribute-linkage", &History::single(release), &[]).expect("findings");
    let rows = findings.all.iter().map(|finding| {
        let AttackConfidence::Exact(share) = finding.confidence else { panic!("an estimate") };
        assert_eq!(finding.certain, share == Ratio::new(1, 1));
        let (class, people, value) = brief(finding);
        (class, value, people, share)
    });
    let mut rows: Vec<(String, String, u64, Ratio)> = rows.collect();
    rows.sort();
    rows
}

#[test]
fn attribute_linkage_example_2_6() {
    // Table II(a): the values of all people except the two writers are certain, among them the female dancers.
    let raw = attribute_findings(release_of(Recoding::identity));
    let certain: Vec<u64> = raw.iter().filter(|row| row.3 == Ratio::new(1, 1)).map(|row| row.2).collect();
    assert_eq!((certain.len(), certain.iter().sum::<u64>()), (4, 5));
    // Table II(c): HIV with confidence 3/4 for the artists, hepatitis with confidence 2/3 for the professionals.
    let findings = attribute_findings(release_of(three_anonymous));
    let row = |class: &str, value: &str, people, share| (class.to_owned(), value.to_owned(), people, share);
    let expected = [
        row("Artist/Female/[30,35)", "Flu", 4, Ratio::new(1, 4)),
        row("Artist/Female/[30,35)", "HIV", 4, Ratio::new(3, 4)),
        row("Professional/Male/[35,40)", "HIV", 3, Ratio::new(1, 3)),
        row("Professional/Male/[35,40)", "Hepatitis", 3, Ratio::new(2, 3)),
    ];
    assert_eq!(findings, expected);
}

#[test]
fn attribute_linkage_counts_people() {
    // Person 3 has two records: of three artists, one has flu and two have HIV.
    let cols = [quasi("Job"), sensitive("Disease")];
    let rows = [(1, "Artist, Flu"), (2, "Artist, HIV"), (3, "Artist, HIV"), (3, "Artist, HIV")];
    let history = small::history(&[&small::linked(1, &cols, &rows)]);
    let findings = run_attack("attribute-linkage", &history, &[]).expect("findings");
    assert!(findings.all.iter().all(|finding| finding.people == 3));
    let highest = findings.all.iter().map(|finding| finding.confidence.to_f64()).fold(0.0, f64::max);
    assert_eq!(highest, 2.0 / 3.0);
}

/// Findings of table linkage, as (people, confidence, whether they are present), sorted.
fn presence_findings(release: Release, people: &[KnownPerson]) -> Vec<(u64, f64, bool)> {
    let findings = run_attack("table-linkage", &History::single(release), people).expect("findings");
    let row =
        |finding: &super::Finding| (finding.people, finding.confidence.to_f64(), !finding.text.contains("not to be"));
    let mut rows: Vec<(u64, f64, bool)> = findings.all.iter().map(row).collect();
    rows.sort_by(|one, other| one.0.cmp(&other.0).then(one.2.cmp(&other.2)));
    rows
}

#[test]
fn table_linkage_example_2_8() {
    // Alice and four others match the four artists; Bob and three others match the three professionals.
    assert_eq!(
        presence_findings(release_of(three_anonymous), &external()),
        [(4, 3.0 / 4.0, true), (5, 4.0 / 5.0, true)]
    );
    // In the raw table, Henry and Irene match no record: they are absent. The others are present with certainty.
    let raw = presence_findings(release_of(Recoding::identity), &external());
    let present: u64 = raw.iter().filter(|row| row.2).map(|row| row.0).sum();
    let absent: u64 = raw.iter().filter(|row| !row.2).map(|row| row.0).sum();
    assert_eq!((present, absent), (7, 2));
    assert!(raw.iter().all(|row| row.1 == 1.0));
}

#[test]
fn table_linkage_needs_a_covering_external_table() {
    let known: Vec<KnownPerson> = external().into_iter().take(2).collect();
    let reason = small::obstacle(run_attack("table-linkage", &History::single(release_of(three_anonymous)), &known));
    assert!(reason.contains("must cover the release"), "{reason}");
}

#[test]
fn numbers_match_grown_intervals() {
    let mut tree = Taxonomy::grown(Type::Number, vec![20.0, 30.0, 40.0], None);
    let [young, old] = tree.split(0, 1);
    let [middle, oldest] = tree.split(old, 2);
    let (nodes, role) = (vec![young, middle, oldest], Role::QuasiIdentifier);
    let column = crate::release::PublishedColumn { name: "Age".to_owned(), role, tree: Arc::new(tree), nodes };
    let combos = ContingencyTable { codes: vec![vec![0, 1, 2]], weights: vec![1, 10, 100], owners: None };
    let release = Release { columns: vec![column], contingency: combos, suppressed: 0 };
    let records = |age: &str| {
        let person = KnownPerson { name: "Zoe".to_owned(), facts: vec![("Age".to_owned(), age.to_owned())] };
        super::tests::records(&release, &person)
    };
    assert_eq!(
        [records("-5"), records("29"), records("30"), records("39.9"), records("40"), records("x")],
        [1, 1, 10, 10, 100, 0]
    );
}

/// Published texts of a release are recognized: intervals may overlap, and a mask matches every text with its prefix.
#[test]
fn recognized_releases_match_known_values() {
    use crate::release::recognise::{RecognitionInput, release};
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let values = vec![texts(&["*", "20-29", "<20", "[25;35)"]), texts(&["47677", "476**", "48***"])];
    let rows: [(Code, Code); 5] = [(0, 0), (1, 1), (2, 1), (3, 2), (3, 0)];
    let codes = vec![rows.map(|row| row.0).to_vec(), rows.map(|row| row.1).to_vec()];
    let combos = ContingencyTable { codes, weights: vec![1, 2, 4, 8, 16], owners: None };
    let counts = Counts { names: texts(&["age", "zip"]), values, contingency: combos, links: None };
    let column = |name, values| RecognitionInput {
        name,
        role: Role::QuasiIdentifier,
        values: Some(values),
        tree: None,
        missing: &[],
    };
    let (release, _) =
        release(counts, &[column("age", Type::Number), column("zip", Type::Text)], 0).expect("a release");
    let records = |facts: &[(&str, &str)]| {
        let facts = facts.iter().map(|(column, value)| ((*column).to_owned(), (*value).to_owned())).collect();
        super::tests::records(&release, &KnownPerson { name: "Ada".to_owned(), facts })
    };
    // 27 matches `*` and both 20-29 and [25;35), which overlap without nesting.
    assert_eq!(records(&[("age", "27")]), 1 + 2 + 8 + 16);
    assert_eq!(records(&[("age", "19")]), 1 + 4);
    assert_eq!(records(&[("age", "29")]), 1 + 2 + 8 + 16);
    assert_eq!(records(&[("age", "31")]), 1 + 8 + 16);
    // 47699 is in no cell and matches 476**.
    assert_eq!(records(&[("zip", "47699")]), 2 + 4);
    assert_eq!(records(&[("zip", "47677")]), 1 + 2 + 4 + 16);
    assert_eq!(records(&[("age", "27"), ("zip", "48123")]), 8);
}
