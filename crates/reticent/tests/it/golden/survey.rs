//! Examples 2.1 to 2.8 of the survey, with corrections.

use std::collections::BTreeSet;

use reticent::attacks::{AttackConfidence, AttackInput, Finding, KnownPerson, run};
use reticent::registry::Arguments;
use reticent::taxonomy::{IntervalLevel, Type};
use reticent::{History, Ratio, Recoding, Release, Table, TreeSource};

use crate::support::{Col, Data, cut_at, model, other, quasi, quasi_tree, sensitive, witnesses};

/// Table II(b): the external table.
const EXTERNAL: [(&str, &str); 9] = [
    ("Alice", "Writer Female 30"),
    ("Bob", "Engineer Male 35"),
    ("Cathy", "Writer Female 30"),
    ("Doug", "Lawyer Male 38"),
    ("Emily", "Dancer Female 30"),
    ("Fred", "Engineer Male 38"),
    ("Gladys", "Dancer Female 30"),
    ("Henry", "Lawyer Male 39"),
    ("Irene", "Dancer Female 32"),
];

/// Table II(a) with the taxonomies of figure 3.
fn patients() -> Data {
    let job = "ANY\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Writer\n    Dancer";
    let years =
        TreeSource::Intervals { levels: vec![IntervalLevel::Width(5.0), IntervalLevel::Width(10.0)], exact: true };
    let age = Col { values: Type::Number, tree: years, ..quasi("age") };
    Data::new(
        vec![quasi_tree("job", job), quasi("sex"), age, sensitive("disease")],
        &[
            "Engineer Male 35 Hepatitis",
            "Engineer Male 38 Hepatitis",
            "Lawyer Male 38 HIV",
            "Writer Female 30 Flu",
            "Writer Female 30 HIV",
            "Dancer Female 30 HIV",
            "Dancer Female 30 HIV",
        ],
    )
}

/// Table II(c).
fn three_anonymous(table: &Table) -> Recoding {
    cut_at(table, &[("job", &["Professional", "Artist"]), ("age", &["[30,35)", "[35,40)"])])
}

fn published(data: &Data) -> Release {
    let table = data.table();
    three_anonymous(&table).apply(&table).unwrap()
}

/// Classes that violate a model.
fn violating(words: &str, data: &Data, release: Release) -> BTreeSet<String> {
    let model = model(words, &data.schema());
    witnesses(model.as_ref(), release).into_iter().map(|class| class.join(" ")).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Table II(b) as background knowledge.
fn external() -> Vec<KnownPerson> {
    let fact = |(column, text): (&str, &str)| (column.to_owned(), text.to_owned());
    let facts = |qid: &str| ["job", "sex", "age"].into_iter().zip(qid.split(' ')).map(fact).collect();
    EXTERNAL.iter().map(|(name, qid)| KnownPerson { name: (*name).to_owned(), facts: facts(qid) }).collect()
}

/// All findings of an attack on a release, with any confidence.
fn findings(id: &str, release: &Release, people: &[KnownPerson]) -> Vec<Finding> {
    let (history, arguments) = (History::single(release.clone()), Arguments::default());
    let confidence = Ratio::new(0, 1);
    run(id, &AttackInput { history: &history, people, confidence, rows: &[], time_varying: &[], arguments: &arguments })
        .unwrap()
        .all
}

fn exact(finding: &Finding) -> Ratio {
    let AttackConfidence::Exact(confidence) = finding.confidence else { panic!("an estimate") };
    confidence
}

/// Diseases that record linkage finds for a person: every value as often as it occurs, sorted.
fn diseases(release: &Release, person: &KnownPerson) -> Vec<String> {
    let mut texts = Vec::new();
    for finding in findings("record-linkage", release, std::slice::from_ref(person)) {
        let Some(value) = &finding.value else { continue };
        assert_eq!(finding.column.as_deref(), Some("disease"));
        let Ratio { numerator, denominator } = exact(&finding);
        let times = u128::from(finding.records.unwrap()) * numerator / denominator;
        texts.extend(vec![value.label.clone(); times as usize]);
    }
    texts.sort();
    texts
}

const PROFESSIONALS: &str = "Professional Male [35,40)";
const ARTISTS: &str = "Artist Female [30,35)";

/// The quasi-identifier identifies Doug, Bob and Fred. Henry and Irene have no record, although the survey states that
/// every person in II(b) has one.
#[test]
fn example_2_1() {
    let data = patients();
    let unique = violating("k-anonymity k=2", &data, data.raw());
    let identified: BTreeSet<&str> =
        EXTERNAL.iter().filter(|(_, qid)| unique.contains(*qid)).map(|(name, _)| *name).collect();
    assert_eq!(identified, BTreeSet::from(["Bob", "Doug", "Fred"]));
    assert_eq!(violating("k-anonymity k=1", &data, data.raw()), set(&[]));
    let present = violating("k-anonymity k=100", &data, data.raw());
    let absent: BTreeSet<&str> =
        EXTERNAL.iter().filter(|(_, qid)| !present.contains(*qid)).map(|(name, _)| *name).collect();
    assert_eq!(absent, BTreeSet::from(["Henry", "Irene"]));

    let release = data.raw();
    let expected: [(&str, &[&str]); 9] = [
        ("Alice", &["Flu", "HIV"]),
        ("Bob", &["Hepatitis"]),
        ("Cathy", &["Flu", "HIV"]),
        ("Doug", &["HIV"]),
        ("Emily", &["HIV", "HIV"]),
        ("Fred", &["Hepatitis"]),
        ("Gladys", &["HIV", "HIV"]),
        ("Henry", &[]),
        ("Irene", &[]),
    ];
    for (person, (name, values)) in external().iter().zip(expected) {
        assert_eq!(person.name, name);
        assert_eq!(diseases(&release, person), values, "{name}");
        let found = findings("record-linkage", &release, std::slice::from_ref(person));
        let identity: Vec<Ratio> = found.iter().filter(|finding| finding.value.is_none()).map(exact).collect();
        let expected = (!values.is_empty()).then(|| Ratio::new(1, values.len() as u64));
        assert_eq!(identity, Vec::from_iter(expected), "{name}");
    }
}

/// II(c) has two groups, of 3 and of 4: 3-anonymous, not 4-anonymous.
#[test]
fn example_2_2() {
    let data = patients();
    assert_eq!(violating("k-anonymity k=3", &data, published(&data)), set(&[]));
    assert_eq!(violating("k-anonymity k=4", &data, published(&data)), set(&[PROFESSIONALS]));
    assert_eq!(violating("k-anonymity k=5", &data, published(&data)), set(&[PROFESSIONALS, ARTISTS]));
    assert_ne!(violating("k-anonymity k=3", &data, data.raw()), set(&[]));
    // Every person is linked to no record or to at least three.
    let release = published(&data);
    for person in external() {
        let professional = ["Bob", "Doug", "Fred", "Henry"].contains(&person.name.as_str());
        let records = diseases(&release, &person).len();
        assert_eq!(records, if professional { 3 } else { 4 }, "{}", person.name);
    }
}

/// k-anonymity on {A, B} and on {C, D} does not imply it on {A, B, C, D}. The converse holds.
#[test]
fn example_2_3() {
    let cols = vec![quasi("A"), quasi("B"), quasi("C"), quasi("D"), sensitive("S")];
    let data = Data::new(cols.clone(), &["a1 b1 c1 d1 s", "a1 b1 c2 d2 s", "a2 b2 c1 d1 s", "a2 b2 c2 d2 s"]);
    assert_eq!(violating("k-anonymity k=2 on=A,B", &data, data.raw()), set(&[]));
    assert_eq!(violating("k-anonymity k=2 on=C,D", &data, data.raw()), set(&[]));
    assert_eq!(violating("k-anonymity k=2", &data, data.raw()).len(), 4);
    let whole = Data::new(cols, &["a1 b1 c1 d1 s", "a1 b1 c1 d1 s", "a2 b2 c2 d2 s", "a2 b2 c2 d2 s"]);
    for words in ["k-anonymity k=2", "k-anonymity k=2 on=A,B", "k-anonymity k=2 on=C,D", "k-anonymity k=2 on=B"] {
        assert_eq!(violating(words, &whole, whole.raw()), set(&[]), "{words}");
    }
}

/// Two patients with three diseases each.
fn inpatients() -> Data {
    Data::new(
        vec![other("pid"), quasi("job"), quasi("sex"), sensitive("disease")],
        &[
            "1 Nurse Female Flu",
            "1 Nurse Female HIV",
            "1 Nurse Female Fever",
            "2 Nurse Female Flu",
            "2 Nurse Female HIV",
            "2 Nurse Female Cold",
        ],
    )
}

/// A class of 6 records has 6/3 = 2 patients. It is 6-anonymous by records, but 2-anonymous by people.
#[test]
fn example_2_4() {
    let records = inpatients();
    assert_eq!(violating("k-anonymity k=6", &records, records.raw()), set(&[]));
    let people = inpatients().owned(&[0, 0, 0, 1, 1, 1]);
    assert_eq!(violating("k-anonymity k=6", &people, people.raw()), set(&["Nurse Female"]));
    assert_eq!(violating("k-anonymity k=3", &people, people.raw()), set(&["Nurse Female"]));
    assert_eq!(violating("k-anonymity k=2", &people, people.raw()), set(&[]));
}

/// (X, Y)-anonymity with Y = {Pid} counts patients, with or without owners.
#[test]
fn example_2_5() {
    for data in [inpatients(), inpatients().owned(&[0, 0, 0, 1, 1, 1])] {
        assert_eq!(violating("xy-anonymity k=2 x=job,sex y=pid", &data, data.raw()), set(&[]));
        assert_eq!(violating("xy-anonymity k=3 x=job,sex y=pid", &data, data.raw()), set(&["Nurse Female"]));
        // Diseases: Flu, HIV, Fever, Cold.
        assert_eq!(violating("xy-anonymity k=4 x=job,sex y=disease", &data, data.raw()), set(&[]));
        assert_eq!(violating("xy-anonymity k=5 x=job,sex y=disease", &data, data.raw()), set(&["Nurse Female"]));
    }
}

/// All female dancers at age 30 have HIV: confidence 1 in II(a). In II(c) the confidences are 2/3 and 3/4.
#[test]
fn example_2_6() {
    let data = patients();
    let certain = ["Engineer Male 35", "Engineer Male 38", "Lawyer Male 38", "Dancer Female 30"];
    for words in ["confidence-bounding h=0.999", "distinct-l-diversity l=2", "xy-linkability h=0.999 y=disease"] {
        assert_eq!(violating(words, &data, data.raw()), set(&certain), "{words}");
    }
    let hiv = violating("confidence-bounding values=HIV:0.999", &data, data.raw());
    assert_eq!(hiv, set(&["Lawyer Male 38", "Dancer Female 30"]));
    let known: BTreeSet<&str> = EXTERNAL.iter().filter(|(_, qid)| hiv.contains(*qid)).map(|(name, _)| *name).collect();
    assert_eq!(known, BTreeSet::from(["Doug", "Emily", "Gladys"]));

    let found_certain = findings("attribute-linkage", &data.raw(), &[]);
    let found_certain: Vec<u64> =
        found_certain.iter().filter(|finding| finding.certain).map(|finding| finding.people).collect();
    assert_eq!((found_certain.len(), found_certain.iter().sum::<u64>()), (certain.len(), 5));
    let inferred: BTreeSet<String> = findings("attribute-linkage", &published(&data), &[])
        .iter()
        .map(|finding| {
            assert!(!finding.certain && finding.column.as_deref() == Some("disease"));
            let class: Vec<&str> = finding.class.iter().map(|(_, label)| label.as_str()).collect();
            let Ratio { numerator, denominator } = exact(finding);
            let value = &finding.value.as_ref().unwrap().label;
            format!("{} -> {value} {numerator}/{denominator} of {}", class.join(" "), finding.people)
        })
        .collect();
    let expected = [
        format!("{ARTISTS} -> Flu 1/4 of 4"),
        format!("{ARTISTS} -> HIV 3/4 of 4"),
        format!("{PROFESSIONALS} -> HIV 1/3 of 3"),
        format!("{PROFESSIONALS} -> Hepatitis 2/3 of 3"),
    ];
    assert_eq!(inferred, BTreeSet::from(expected));

    for model in ["confidence-bounding", "xy-linkability y=disease"] {
        let at = |h: &str| violating(&format!("{model} h={h}"), &data, published(&data));
        assert_eq!(at("0.75"), set(&[]));
        assert_eq!(at("0.749"), set(&[ARTISTS]));
        assert_eq!(at("0.667"), set(&[ARTISTS]));
        assert_eq!(at("0.666"), set(&[ARTISTS, PROFESSIONALS]));
    }
    // Both classes violate the template <QID -> HIV, 10%> of the survey: 1/3 and 3/4.
    assert_eq!(
        violating("confidence-bounding values=HIV:0.1", &data, published(&data)),
        set(&[ARTISTS, PROFESSIONALS])
    );
    assert_eq!(violating("confidence-bounding values=HIV:0.5", &data, published(&data)), set(&[ARTISTS]));
    assert_eq!(violating("distinct-l-diversity l=2", &data, published(&data)), set(&[]));
    assert_eq!(violating("distinct-l-diversity l=3", &data, published(&data)), set(&[ARTISTS, PROFESSIONALS]));
}

/// exp of the entropies is 1.889882 and 1.754765. The survey rounds the second to 1.8, so l = 1.8 is violated.
#[test]
fn example_2_7() {
    let data = patients();
    let at = |l: &str| violating(&format!("entropy-l-diversity l={l}"), &data, published(&data));
    assert_eq!(at("1.754764"), set(&[]));
    assert_eq!(at("1.754766"), set(&[ARTISTS]));
    assert_eq!(at("1.8"), set(&[ARTISTS]));
    assert_eq!(at("1.889881"), set(&[ARTISTS]));
    assert_eq!(at("1.889883"), set(&[ARTISTS, PROFESSIONALS]));
}

/// Alice is in the table with probability 4/5, Bob with 3/4: number of records by number of people who match the class.
#[test]
fn example_2_8() {
    let data = patients();
    let is_present = |finding: &Finding| !finding.text.contains("not to be");
    let found = findings("table-linkage", &published(&data), &external());
    let mut figures: Vec<(u64, Ratio, bool)> =
        found.iter().map(|finding| (finding.people, exact(finding), is_present(finding))).collect();
    figures.sort();
    assert_eq!(figures, [(4, Ratio::new(3, 4), true), (5, Ratio::new(4, 5), true)]);
    // In the raw table, Henry and Irene are certainly absent, and all others are certainly present.
    let found = findings("table-linkage", &data.raw(), &external());
    assert!(found.iter().all(|finding| finding.certain));
    let of = |present: bool| found.iter().filter(|one| is_present(one) == present).map(|one| one.people).sum::<u64>();
    assert_eq!((of(true), of(false)), (7, 2));
}
