//! Tests of sets of values: every subset of the leaves of small trees, against the subset itself.

use std::sync::Arc;

use super::*;
use crate::data::schema::Role;
use crate::release::recognise::{RecognitionInput, recognise};

/// Labels that a naive writer would confuse with the notation of sets.
const AWKWARD: &str = "a,b;{x;*\na;{x;*\nc; d ;*\n\\;*\n{p,q};e;*\n-5;*";

fn trees() -> Vec<Taxonomy> {
    let jobs = "lawyer;professional;*\nengineer;professional;*\ndancer;artist;*\nwriter;artist;*\nnone;*";
    let mut years = Taxonomy::grown(Type::Number, vec![20.0, 21.0, 25.0, 30.5], None).halved(&[1, 1, 1, 1]);
    years.add_missing("?").unwrap();
    let days = Taxonomy::grown(Type::Date, vec![18_993.0, 19_000.0, 19_023.0], None).halved(&[1, 1, 1]);
    let parse = |text: &str| Taxonomy::parse("job", text).unwrap();
    vec![parse(jobs), parse(AWKWARD), years, days, Taxonomy::flat(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()])]
}

fn subsets(tree: &Taxonomy) -> impl Iterator<Item = Vec<Code>> {
    let leaves = tree.len() as u32;
    (1..1u32 << leaves).map(move |bits| (0..leaves).filter(|code| bits >> code & 1 == 1).collect())
}

#[test]
fn a_set_represents_exactly_its_values() {
    for mut tree in trees() {
        let mut ids = Vec::new();
        for codes in subsets(&tree.clone()) {
            let id = tree.add_set(&codes);
            assert_eq!(tree.codes(id).collect::<Vec<Code>>(), codes);
            assert_eq!(tree.width(id), codes.len());
            assert!((0..tree.len() as Code).all(|code| tree.represents(id, code) == codes.contains(&code)));
            let around = tree.node(id).parent.map(|parent| tree.node(parent).span.clone());
            assert!(around.is_none_or(|span| codes.iter().all(|code| span.contains(code))));
            assert_eq!(tree.add_set(&codes), id, "a set is added once");
            ids.push((id, codes));
        }
        let labels: std::collections::HashSet<&str> = ids.iter().map(|(id, _)| tree.node(*id).label.as_str()).collect();
        assert_eq!(labels.len(), ids.len(), "different sets have different texts");
        for (one, here) in &ids {
            for (other, there) in &ids {
                assert_eq!(tree.overlap(*one, *other), here.iter().any(|code| there.contains(code)));
                assert_eq!(tree.covers(*one, *other), there.iter().all(|code| here.contains(code)));
            }
        }
    }
}

#[test]
fn the_text_of_a_set_reads_back_as_the_same_set() {
    for tree in trees() {
        for codes in subsets(&tree) {
            let mut written = tree.clone();
            let id = written.add_set(&codes);
            if id == 0 || written.interval(id).is_some_and(|_| written.node(id).parts.len() > 1) {
                // Intervals are read by the notation of numbers.
                continue;
            }
            let missing: Vec<String> = tree.missing().map(|code| tree.value(code).to_owned()).into_iter().collect();
            let given = Arc::new(tree.clone());
            let input = RecognitionInput {
                name: "job",
                role: Role::QuasiIdentifier,
                values: Some(tree.value_type()),
                tree: Some(&given),
                missing: &missing,
            };
            let text = written.node(id).label.clone();
            let read = recognise(&input, std::slice::from_ref(&text)).unwrap_or_else(|error| panic!("{text}: {error}"));
            let column = read.column;
            assert_eq!(column.tree.codes(column.nodes[0]).collect::<Vec<Code>>(), codes, "{text}");
        }
    }
}

#[test]
fn consecutive_numbers_are_an_interval_that_contains_them_only() {
    let [_, _, mut years, mut days, _]: [Taxonomy; 5] = trees().try_into().unwrap();
    for (tree, count) in [(&mut years, 4), (&mut days, 3)] {
        for (first, last) in (0..count).flat_map(|first| (first..count).map(move |last| (first, last))) {
            let id = tree.add_set(&(first..=last).collect::<Vec<Code>>());
            let interval = tree.interval(id).unwrap();
            let numbers = tree.numbers().unwrap();
            let inside: Vec<Code> = (0..count).filter(|code| interval.contains(numbers[*code as usize])).collect();
            assert_eq!(inside, (first..=last).collect::<Vec<Code>>(), "{}", tree.node(id).label);
            assert_eq!(Interval::parse(tree.value_type(), &tree.node(id).label), Some(interval));
        }
    }
    // A set with a missing value lists its parts, and is no interval.
    let with_missing = years.add_set(&[0, 3, 4]);
    assert!(years.node(with_missing).label.ends_with(",?}"), "{}", years.node(with_missing).label);
    assert_eq!(years.interval(with_missing), None);
    assert_eq!(years.range_over(&[0, 2, 4]), [0, 1, 2, 4]);
}

#[test]
fn the_notation_of_sets() {
    let read = |text: &str| parse_set(text);
    let labels = |labels: &[&str]| Some(labels.iter().map(|label| (*label).to_owned()).collect::<Vec<String>>());
    assert_eq!(read("{a,b}"), labels(&["a", "b"]));
    assert_eq!(read(" { a , b c } "), labels(&["a", "b c"]));
    assert_eq!(read(r"{\ a,b\,c,\{d\}}"), labels(&[" a", "b,c", "{d}"]));
    assert_eq!(read("{,a}"), labels(&["", "a"]));
    for text in ["{a}", "{}", "a,b", "{a,b", "a,b}", "{a,{b}}", "{a,b}c", r"{a,b\}", "[a,b]"] {
        assert_eq!(read(text), None, "{text}");
    }
}
