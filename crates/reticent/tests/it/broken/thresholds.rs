//! For every model, a release exactly at the threshold passes, and a release just beyond it is refused. These tests detect
//! reversed comparisons, rounding and off-by-one errors.

use std::collections::BTreeSet;

use reticent::taxonomy::{Taxonomy, Type};
use reticent::verify::{Expected, verify};
use reticent::{Recoding, TreeSource};

use crate::support::{Col, Data, quasi, read_back, requirement, sensitive, spec};

/// Sensitive values of classes at the threshold of a model.
struct Edge {
    words: &'static str,
    /// A class exactly at the threshold.
    at: &'static [&'static str],
    /// A class just beyond the threshold.
    beyond: &'static [&'static str],
    /// The rest of the release.
    other: &'static [&'static str],
}

const EDGES: &[Edge] = &[
    Edge { words: "k-anonymity k=3", at: &["flu"; 3], beyond: &["flu"; 2], other: &["flu"; 3] },
    Edge { words: "multir-k-anonymity k=3", at: &["flu"; 3], beyond: &["flu"; 2], other: &["flu"; 3] },
    Edge { words: "k-anonymity k=1", at: &["flu"], beyond: &[], other: &["flu"] },
    Edge {
        words: "xy-anonymity k=3 y=ill",
        at: &["flu", "hiv", "gout"],
        beyond: &["flu", "hiv", "hiv"],
        other: &["flu", "hiv", "gout"],
    },
    Edge {
        words: "xy-linkability h=0.75 y=ill",
        at: &["flu", "flu", "flu", "hiv"],
        beyond: &["flu", "flu", "flu", "flu", "hiv"],
        other: &["flu", "hiv"],
    },
    Edge {
        words: "xy-linkability y=ill values=hiv:0.25",
        at: &["hiv", "flu", "flu", "flu"],
        beyond: &["hiv", "flu", "flu"],
        other: &["flu"],
    },
    Edge {
        words: "confidence-bounding h=0.6",
        at: &["flu", "flu", "flu", "hiv", "gout"],
        beyond: &["flu", "flu", "hiv"],
        other: &["flu", "hiv"],
    },
    Edge {
        words: "confidence-bounding h=0.3 values=flu:1",
        at: &["flu", "flu", "flu", "flu", "flu", "flu", "flu", "hiv", "hiv", "hiv"],
        beyond: &["flu", "flu", "flu", "flu", "flu", "flu", "hiv", "hiv", "hiv"],
        other: &["flu"],
    },
    Edge {
        words: "distinct-l-diversity l=3",
        at: &["flu", "hiv", "gout"],
        beyond: &["flu", "flu", "gout", "gout"],
        other: &["flu", "hiv", "gout"],
    },
    Edge {
        words: "entropy-l-diversity l=3",
        at: &["flu", "hiv", "gout"],
        beyond: &["flu", "flu", "hiv", "gout"],
        other: &["flu", "hiv", "gout"],
    },
    Edge {
        words: "recursive-cl-diversity c=2 l=2",
        at: &["flu", "flu", "flu", "hiv", "gout"],
        beyond: &["flu", "flu", "hiv"],
        other: &["flu", "hiv"],
    },
    Edge {
        words: "recursive-cl-diversity c=3 l=3",
        at: &["flu", "flu", "hiv", "gout"],
        beyond: &["flu", "flu", "flu", "hiv", "gout"],
        other: &["flu", "hiv", "gout"],
    },
    Edge {
        words: "alpha-k-anonymity alpha=0.5 k=2",
        at: &["flu", "hiv"],
        beyond: &["flu", "flu", "hiv"],
        other: &["flu", "hiv"],
    },
    Edge { words: "alpha-k-anonymity alpha=1 k=2", at: &["flu", "flu"], beyond: &["flu"], other: &["flu", "hiv"] },
    // A class with only flu has the distance of the frequency of the other values in the release: 1/4 and 1/3.
    Edge { words: "t-closeness t=0.25", at: &["flu", "flu"], beyond: &["flu"], other: &["flu", "hiv"] },
    Edge {
        words: "t-closeness t=0.25 distance=ordered",
        at: &["flu", "flu"],
        beyond: &["flu"],
        other: &["flu", "hiv"],
    },
    Edge {
        words: "t-closeness t=0.25 distance=hierarchical",
        at: &["flu", "flu"],
        beyond: &["flu"],
        other: &["flu", "hiv"],
    },
];

/// In the taxonomy, gout and flu are siblings and hiv is a child of the root; the order is gout, flu, hiv.
fn data(class: &[&str], other: &[&str]) -> Data {
    let tree = "ill\n  mild\n    gout\n    flu\n  hiv";
    let ill = Col { tree: TreeSource::Given(Taxonomy::parse_indented("ill", tree).unwrap()), ..sensitive("ill") };
    let row = |qid: &str, ill: &str| vec![qid.to_owned(), ill.to_owned()];
    let rows = class.iter().map(|ill| row("class", ill)).chain(other.iter().map(|ill| row("other", ill)));
    Data { cols: vec![quasi("qid"), ill], rows: rows.collect(), owners: None }
}

/// Whether the class is refused. The judgement by counts and the verification of the written records must agree.
fn refused(words: &str, data: &Data) -> bool {
    let table = data.table();
    let recoding = Recoding::identity(&table);
    let release = recoding.apply(&table).unwrap();
    let requirement = requirement(&[words], &data.schema());
    let expected = Expected { recoding: &recoding, rows: data.rows.len() as u64 };
    let verdict = verify(read_back(&release), &expected, &requirement.models, None).unwrap();
    let class = [("qid".to_owned(), "class".to_owned())];
    let written =
        verdict.models.iter().any(|(_, violations)| violations.iter().any(|violation| violation.witness == class));
    let violations = requirement.models[0].violations(&data.history()).unwrap();
    let counted = violations.iter().any(|violation| violation.witness == class);
    assert_eq!(written, counted, "{words} on {:?}", data.rows);
    counted
}

#[test]
fn a_class_at_the_threshold_passes_and_a_class_just_beyond_is_refused() {
    for edge in EDGES {
        assert!(!refused(edge.words, &data(edge.at, edge.other)), "{} refuses a class at the threshold", edge.words);
        // An empty class does not exist.
        if !edge.beyond.is_empty() {
            assert!(
                refused(edge.words, &data(edge.beyond, edge.other)),
                "{} passes a class beyond the threshold",
                edge.words
            );
        }
    }
}

#[test]
fn every_model_has_a_threshold_test() {
    let tried: BTreeSet<String> = EDGES.iter().map(|edge| spec(edge.words).model).collect();
    let listed = reticent::models::LIST.iter().map(|listed| listed.entry.id.to_owned());
    assert_eq!(tried, listed.collect());
}

/// Thresholds are exact decimals, not binary floating-point numbers: 0.3 of ten is three, 0.1 of ten is one.
#[test]
fn decimal_thresholds_are_exact() {
    for tenths in 1..=9usize {
        for size in [10usize, 30, 70, 110, 1_000] {
            let carriers = size / 10 * tenths;
            let words = format!("confidence-bounding values=hiv:0.{tenths}");
            let class = |carriers: usize| [vec!["hiv"; carriers], vec!["flu"; size - carriers]].concat();
            assert!(!refused(&words, &data(&class(carriers), &["flu"])), "{carriers} of {size}: {words}");
            assert!(refused(&words, &data(&class(carriers + 1), &["flu"])), "{} of {size}: {words}", carriers + 1);
        }
    }
}

#[test]
fn a_difference_of_one_in_ten_thousand_people_is_detected() {
    let salary = Col { values: Type::Number, ..sensitive("salary") };
    let rows = |low: usize| {
        let row = |salary: &str| vec!["class".to_owned(), salary.to_owned()];
        (0..10_000).map(|at| row(if at < low { "1" } else { "2" })).collect::<Vec<_>>()
    };
    let make = |low: usize| Data { cols: vec![quasi("qid"), salary.clone()], rows: rows(low), owners: None };
    assert!(!refused("confidence-bounding h=0.6", &make(6_000)));
    assert!(refused("confidence-bounding h=0.6", &make(6_001)));
    assert!(!refused("k-anonymity k=10000", &make(1)));
    assert!(refused("k-anonymity k=10001", &make(1)));
}
