//! Tests for the lossy join against a naive join of records, and the paper's first example.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::{InconsistentRules, LossyJoin, Tuples};
use crate::data::contingency::ContingencyTable;
use crate::data::schema::Role;
use crate::data::table::Counts;
use crate::data::taxonomy::{Code, Taxonomy, Type};
use crate::release::Release;
use crate::release::recognise::{RecognitionInput, release};

/// Taxonomy of these tests, as pairs of child and parent.
const PARENTS: &[(&str, &str)] = &[("d1", "d"), ("d2", "d"), ("d", "*"), ("f", "*"), ("s", "*")];

fn tree() -> Taxonomy {
    Taxonomy::parse("t", "*\n  d\n    d1\n    d2\n  f\n  s").unwrap()
}

/// Builds a release from rows of texts, each with a number of records.
fn table(names: &[&str], rows: &[(Vec<&str>, u64)]) -> Release {
    let mut values: Vec<Vec<String>> = Vec::new();
    let mut codes: Vec<Vec<Code>> = Vec::new();
    for at in 0..names.len() {
        let mut texts: Vec<String> = rows.iter().map(|(row, _)| row[at].to_owned()).collect();
        texts.sort();
        texts.dedup();
        codes.push(rows.iter().map(|(row, _)| texts.binary_search(&row[at].to_owned()).unwrap() as Code).collect());
        values.push(texts);
    }
    let contingency =
        ContingencyTable { codes, weights: rows.iter().map(|(_, weight)| *weight).collect(), owners: None };
    let counts =
        Counts { names: names.iter().map(|name| (*name).to_owned()).collect(), values, contingency, links: None };
    let tree = Arc::new(tree());
    let input = |name: &'static str, tree| RecognitionInput {
        name,
        role: Role::QuasiIdentifier,
        values: Some(Type::Text),
        tree,
        missing: &[],
    };
    let all: Vec<RecognitionInput<'_>> = names
        .iter()
        .map(|name| match *name {
            "A" => input("A", Some(&tree)),
            "B" => input("B", Some(&tree)),
            "C" => input("C", Some(&tree)),
            "Job" => input("Job", None),
            "Name" => input("Name", None),
            _ => input("Disease", None),
        })
        .collect();
    release(counts, &all, 0).unwrap().0
}

/// Number of tuples with both values, and with the value on X, by labels on X and Y.
fn labelled_counts(
    join: &LossyJoin,
    releases: &[&Release],
    x: (usize, usize),
    y: (usize, usize),
) -> BTreeMap<(String, String), (Tuples, Tuples)> {
    let place = |(release, column): (usize, usize)| (release, join.place(release, column).unwrap());
    let label =
        |(release, column): (usize, usize), code: Code| releases[release].columns[column].label(code).to_owned();
    let mut found = BTreeMap::new();
    for (value, tally) in join.tally(&[place(x)], &[place(y)]) {
        for (other, tuples) in &tally.with {
            found.insert((label(x, value[0]), label(y, other[0])), (*tuples, tally.tuples));
        }
    }
    found
}

/// Example 1: names and jobs are released, then jobs and diseases. The join discloses Alice's disease.
#[test]
fn example_1_of_the_paper() {
    let names = table(
        &["Name", "Job"],
        &[
            (vec!["Alice", "Banker"], 2),
            (vec!["Bob", "Clerk"], 1),
            (vec!["Bob", "Driver"], 1),
            (vec!["Cathy", "Engineer"], 1),
        ],
    );
    let diseases = table(
        &["Job", "Disease"],
        &[
            (vec!["Banker", "Cancer"], 2),
            (vec!["Clerk", "HIV"], 1),
            (vec!["Driver", "Cancer"], 1),
            (vec!["Engineer", "HIV"], 1),
        ],
    );
    let releases = [&names, &diseases];
    let join = LossyJoin::new(&releases, &[], &[vec![0], vec![1]]);
    assert_eq!(join.size(), 7);
    let pairs = |list: &[(&str, &str, Tuples, Tuples)]| -> BTreeMap<(String, String), (Tuples, Tuples)> {
        list.iter().map(|(x, y, both, all)| (((*x).to_owned(), (*y).to_owned()), (*both, *all))).collect()
    };
    let expected = [("Alice", "Cancer", 4, 4), ("Bob", "HIV", 1, 2), ("Bob", "Cancer", 1, 2), ("Cathy", "HIV", 1, 1)];
    assert_eq!(labelled_counts(&join, &releases, (0, 0), (1, 1)), pairs(&expected));
    // If the jobs of the first release are suppressed, every pair of records matches.
    let hidden = table(&["Name", "Job"], &[(vec!["Alice", "*"], 2), (vec!["Bob", "*"], 2), (vec!["Cathy", "*"], 1)]);
    let releases = [&hidden, &diseases];
    let join = LossyJoin::new(&releases, &[], &[vec![0], vec![1]]);
    assert_eq!(join.size(), 25);
    assert_eq!(labelled_counts(&join, &releases, (0, 0), (1, 1))[&("Cathy".to_owned(), "Cancer".to_owned())], (3, 5));
}

/// `d1` and `d2` both match `d` but not each other.
#[test]
fn matching_is_not_transitive() {
    let [one, middle, other] = ["d1", "d", "d2"].map(|value| table(&["A"], &[(vec![value], 3)]));
    assert_eq!(LossyJoin::new(&[&one, &middle], &[], &[]).size(), 9);
    assert_eq!(LossyJoin::new(&[&middle, &other], &[], &[]).size(), 9);
    assert_eq!(LossyJoin::new(&[&one, &middle, &other], &[], &[]).size(), 0);
}

#[test]
fn tuples_are_counted_beyond_64_bits() {
    let many = table(&["A"], &[(vec!["d1"], 10_000_000_000)]);
    assert_eq!(LossyJoin::new(&[&many, &many, &many], &[], &[]).size(), 10u128.pow(30));
}

fn on_one_path(a: &str, b: &str) -> bool {
    is_below(a, b) || is_below(b, a)
}

fn is_below(mut value: &str, top: &str) -> bool {
    loop {
        if value == top {
            return true;
        }
        match PARENTS.iter().find(|(child, _)| *child == value) {
            Some((_, parent)) => value = parent,
            None => return false,
        }
    }
}

type Rows = Vec<(Vec<&'static str>, u64)>;

/// Naive join: checks the definition for every tuple of records.
fn naive(
    tables: &[(Vec<&'static str>, Rows)],
    rules: &[InconsistentRules],
) -> BTreeMap<Vec<Vec<&'static str>>, Tuples> {
    let matches = |names: &[&str], row: &[&str], others: &[&str], other: &[&str]| {
        let pairs = || names.iter().zip(row).flat_map(|one| others.iter().zip(other).map(move |two| (one, two)));
        let same = pairs().all(|((a, v), (b, w))| a != b || on_one_path(v, w));
        let against = |rule: &InconsistentRules, a: &str, v: &str, b: &str, w: &str| {
            a == rule.one.0 && b == rule.other.0 && is_below(v, &rule.one.1) && is_below(w, &rule.other.1)
        };
        same && !pairs()
            .any(|((a, v), (b, w))| rules.iter().any(|rule| against(rule, a, v, b, w) || against(rule, b, w, a, v)))
    };
    let mut tuples: Vec<(Vec<Vec<&'static str>>, Tuples)> = vec![(Vec::new(), 1)];
    for (at, (names, rows)) in tables.iter().enumerate() {
        let mut next = Vec::new();
        for (tuple, weight) in &tuples {
            for (row, count) in rows {
                if (0..at).all(|before| matches(&tables[before].0, &tuple[before], names, row)) {
                    let mut longer = tuple.clone();
                    longer.push(row.clone());
                    next.push((longer, weight * Tuples::from(*count)));
                }
            }
        }
        tuples = next;
    }
    let mut found = BTreeMap::new();
    for (tuple, weight) in tuples {
        *found.entry(tuple).or_insert(0) += weight;
    }
    found
}

fn a_table() -> impl Strategy<Value = (Vec<&'static str>, Rows)> {
    let names = prop::sample::select(vec![vec!["A"], vec!["B"], vec!["A", "B"], vec!["A", "C"], vec!["A", "B", "C"]]);
    let value = prop::sample::select(vec!["d1", "d2", "d", "f", "s", "*"]);
    names.prop_flat_map(move |names| {
        let row = (prop::collection::vec(value.clone(), names.len()), 1u64..4);
        (Just(names), prop::collection::vec(row, 1..6))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Every tuple has the same count as in the naive join.
    #[test]
    fn counts_match_naive_join(
        tables in prop::collection::vec(a_table(), 1..5),
        ruled in prop::option::of((prop::sample::select(vec!["d", "f", "d1"]), prop::sample::select(vec!["s", "d2", "d"]))),
    ) {
        let rule = |(one, other): (&str, &str)| InconsistentRules {
            one: ("A".to_owned(), one.to_owned()),
            other: ("B".to_owned(), other.to_owned()),
        };
        let rules: Vec<InconsistentRules> = ruled.into_iter().map(rule).collect();
        let releases: Vec<Release> = tables.iter().map(|(names, rows)| table(names, rows)).collect();
        let views: Vec<&Release> = releases.iter().collect();
        let all: Vec<Vec<usize>> = releases.iter().map(|release| (0..release.columns.len()).collect()).collect();
        let join = LossyJoin::new(&views, &rules, &all);
        let mut found: BTreeMap<Vec<Vec<String>>, Tuples> = BTreeMap::new();
        join.for_each(|tuple, tuples| {
            let row = |(release, at): (usize, &usize)| -> Vec<String> {
                let label = |(column, codes): (&crate::release::PublishedColumn, &Vec<Code>)| column.label(codes[*at]).to_owned();
                views[release].columns.iter().zip(&join.groups(release).codes).map(label).collect()
            };
            *found.entry(tuple.iter().enumerate().map(row).collect()).or_insert(0) += tuples;
        });
        let owned = |tuple: Vec<Vec<&str>>| tuple.into_iter().map(|row| row.into_iter().map(str::to_owned).collect()).collect();
        let expected: BTreeMap<Vec<Vec<String>>, Tuples> =
            naive(&tables, &rules).into_iter().map(|(tuple, count)| (owned(tuple), count)).collect();
        prop_assert_eq!(found, expected);
    }

    /// Grouping by join columns only does not change the size.
    #[test]
    fn size_does_not_depend_on_grouping_columns(tables in prop::collection::vec(a_table(), 2..4)) {
        let releases: Vec<Release> = tables.iter().map(|(names, rows)| table(names, rows)).collect();
        let views: Vec<&Release> = releases.iter().collect();
        let expected: Tuples = naive(&tables, &[]).values().sum();
        prop_assert_eq!(LossyJoin::new(&views, &[], &[]).size(), expected);
    }
}
