//! Tests for coalitions against a naive search over all sets of recipients.

use std::collections::BTreeSet;

use super::{NonColluding, PUBLIC};

fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn separate(groups: &[&str]) -> NonColluding {
    NonColluding { groups: groups.iter().map(|group| names(group)).collect() }
}

/// Naive search for maximal sets without a separate pair.
fn naive(separate: &NonColluding, all: &[String], of: &[String]) -> BTreeSet<BTreeSet<String>> {
    let set = |bits: u32| -> BTreeSet<String> {
        (0..all.len()).filter(|at| bits >> at & 1 == 1).map(|at| all[at].clone()).collect()
    };
    let is_coalition = |set: &BTreeSet<String>| {
        separate.groups.iter().all(|group| group.iter().filter(|name| set.contains(*name)).count() <= 1)
    };
    let sets: Vec<BTreeSet<String>> = (0..1 << all.len()).map(set).filter(is_coalition).collect();
    let maximal = |set: &&BTreeSet<String>| !sets.iter().any(|other| set.len() < other.len() && set.is_subset(other));
    let concerned = |set: &&BTreeSet<String>| of.iter().any(|name| name == PUBLIC || set.contains(name));
    sets.iter().filter(maximal).filter(concerned).cloned().collect()
}

#[track_caller]
fn agrees(groups: &[&str], known: &str, of: &str) {
    let separate = separate(groups);
    let (known, of) = (names(known), names(of));
    let found = separate.coalitions(&known.iter().cloned().collect(), &of).unwrap();
    let mut all: Vec<String> = known.iter().chain(&of).cloned().collect();
    all.sort();
    all.dedup();
    assert_eq!(found.len(), found.iter().cloned().collect::<BTreeSet<_>>().len(), "duplicate coalition");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), naive(&separate, &all, &of), "{groups:?}");
}

#[test]
fn coalitions_are_maximal_sets_without_a_separate_pair() {
    agrees(&[], "a b c", "a");
    agrees(&["a b"], "a b c", "a");
    agrees(&["a b"], "a b c", "c");
    agrees(&["a b c"], "a b c d", "b");
    agrees(&["a b", "b c"], "a b c d e", "b e");
    agrees(&["a b", "c d", "e f"], "a b c d e f g", "g");
    agrees(&["a b", "b c", "c d", "d e", "e a"], "a b c d e", "a");
    agrees(&["a b"], "a b", "public");
    agrees(&["a b"], "", "a");
    agrees(&["a b"], "", "a b");
}

#[test]
fn recipients_collude_unless_declared_separate() {
    let separate = separate(&["press ministry"]);
    assert!(separate.can_combine("press", "clinic") && separate.can_combine("press", "press"));
    assert!(!separate.can_combine("press", "ministry") && !separate.can_combine("ministry", "press"));
}

#[test]
fn too_many_coalitions_are_an_error() {
    let pairs: Vec<String> = (0..12).map(|at| format!("a{at} b{at}")).collect();
    let separate = NonColluding { groups: pairs.iter().map(|pair| names(pair)).collect() };
    let known: BTreeSet<String> = pairs.iter().flat_map(|pair| names(pair)).collect();
    assert!(separate.coalitions(&known, &names("c")).is_err());
    assert_eq!(separate.coalitions(&known.into_iter().take(10).collect(), &names("c")).unwrap().len(), 1);
}

/// One recipient that is separate from each of many others makes two coalitions.
#[test]
fn few_coalitions_of_many_recipients() {
    let groups: Vec<Vec<String>> = (0..200).map(|at| names(&format!("press h{at}"))).collect();
    let known: BTreeSet<String> = groups.iter().flatten().cloned().collect();
    assert_eq!(NonColluding { groups }.coalitions(&known, &names("press h7")).unwrap().len(), 2);
}
