//! The distances of t-closeness: the survey's skewness attack, and the salaries of Li, Li and Venkatasubramanian.

use std::collections::BTreeSet;

use reticent::TreeSource;
use reticent::taxonomy::{Taxonomy, Type};

use crate::support::{Col, Data, class_violation_witnesses, model, quasi, sensitive, witnesses};

/// Judges by both of the library's ways, which must agree.
fn far(words: &str, data: &Data) -> BTreeSet<String> {
    let model = model(words, &data.schema());
    let join = |classes: BTreeSet<Vec<String>>| classes.into_iter().map(|class| class.join(" ")).collect();
    let found: BTreeSet<String> = join(witnesses(model.as_ref(), data.raw()));
    assert_eq!(found, join(class_violation_witnesses(model.naive(&data.reading()).unwrap())));
    found
}

/// The class is farther than `below` and not farther than `at`.
fn lies_at(data: &Data, distance: &str, class: &str, below: &str, at: &str) {
    let holds = |t: &str| !far(&format!("t-closeness t={t} distance={distance}"), data).contains(class);
    assert!(holds(at), "{class} is farther than {at} ({distance})");
    assert!(!holds(below), "{class} is within {below} ({distance})");
}

/// A class of half Flu, half HIV in a table of 95% Flu and 5% HIV: 9/20.
#[test]
fn skewness() {
    let mut rows = vec!["g Flu", "g HIV"];
    rows.extend(["h Flu"; 18]);
    let data = Data::new(vec![quasi("qid"), sensitive("disease")], &rows);
    lies_at(&data, "equal", "g", "0.449", "0.45");
    // The other class is all Flu: 1/20 away.
    lies_at(&data, "equal", "h", "0.049", "0.05");
}

/// Salaries 3k to 11k: {3, 4, 5} is 3/8 from the whole, {6, 8, 11} is 1/6.
#[test]
fn similarity() {
    let salary = Col { values: Type::Number, ..sensitive("salary") };
    let rows = ["a 3", "a 4", "a 5", "b 6", "b 8", "b 11", "c 7", "c 9", "c 10"];
    let data = Data::new(vec![quasi("qid"), salary], &rows);
    lies_at(&data, "ordered", "a", "0.374", "0.375");
    lies_at(&data, "ordered", "b", "0.166", "0.167");
    // With every distance alike nothing tells them apart: each class misses six of nine values.
    for class in ["a", "b", "c"] {
        lies_at(&data, "equal", class, "0.666", "0.667");
    }
}

/// Numbers are ordered as numbers: 10 and 11 come after 9, not before 3.
#[test]
fn numbers_are_not_ordered_as_texts() {
    let salary = Col { values: Type::Number, ..sensitive("salary") };
    let data = Data::new(vec![quasi("qid"), salary], &["a 9", "a 10", "b 2", "b 100"]);
    // In the order 2, 9, 10, 100: a is the middle, b the ends; half of each must move one of three places.
    for class in ["a", "b"] {
        lies_at(&data, "ordered", class, "0.166", "0.167");
    }
}

/// Worked by hand: a tree of height 2, two values below each of two inner nodes.
#[test]
fn hierarchy() {
    let tree = "ill\n  lung\n    flu\n    asthma\n  gut\n    ulcer\n    colic";
    let ill = Col { tree: TreeSource::Given(Taxonomy::parse_indented("ill", tree).unwrap()), ..sensitive("ill") };
    let data = Data::new(
        vec![quasi("qid"), ill],
        &["a flu", "a flu", "b asthma", "b asthma", "c ulcer", "c colic", "d ulcer", "d colic"],
    );
    // The whole is 1/4 each. Class a is all flu: 1/4 goes to asthma at 1/2, 1/2 goes to the gut at 1: 5/8.
    lies_at(&data, "hierarchical", "a", "0.624", "0.625");
    // Class c is half and half of the gut: 1/4 of each goes to the lung at 1: 1/2.
    lies_at(&data, "hierarchical", "c", "0.499", "0.5");
    // With every distance alike: a must move 3/4, c 1/2.
    lies_at(&data, "equal", "a", "0.749", "0.75");
    lies_at(&data, "equal", "c", "0.499", "0.5");
}
