//! Distances of t-closeness: the skewness attack of the survey, and the salaries of Li, Li and Venkatasubramanian (2007).

use std::collections::BTreeSet;

use reticent::TreeSource;
use reticent::taxonomy::{Taxonomy, Type};

use crate::support::{Col, Data, class_violation_witnesses, model, quasi, sensitive, witnesses};

/// Classes that violate the model. The judgement by counts and the naive definition must agree.
fn violating_classes(words: &str, data: &Data) -> BTreeSet<String> {
    let model = model(words, &data.schema());
    let join = |classes: BTreeSet<Vec<String>>| classes.into_iter().map(|class| class.join(" ")).collect();
    let found: BTreeSet<String> = join(witnesses(model.as_ref(), data.raw()));
    assert_eq!(found, join(class_violation_witnesses(model.naive(&data.reading()).unwrap())));
    found
}

/// Asserts that the distance of the class is above `below` and at most `at`.
fn assert_distance(data: &Data, distance: &str, class: &str, below: &str, at: &str) {
    let holds = |t: &str| !violating_classes(&format!("t-closeness t={t} distance={distance}"), data).contains(class);
    assert!(holds(at), "the distance of {class} is above {at} ({distance})");
    assert!(!holds(below), "the distance of {class} is at most {below} ({distance})");
}

/// The class has 50 % Flu and 50 % HIV, the table 95 % Flu and 5 % HIV: distance 9/20.
#[test]
fn equal_distance_of_the_skewness_attack() {
    let mut rows = vec!["g Flu", "g HIV"];
    rows.extend(["h Flu"; 18]);
    let data = Data::new(vec![quasi("qid"), sensitive("disease")], &rows);
    assert_distance(&data, "equal", "g", "0.449", "0.45");
    // The other class has only Flu: distance 1/20.
    assert_distance(&data, "equal", "h", "0.049", "0.05");
}

/// Salaries 3k to 11k: the distance of {3, 4, 5} is 3/8, the distance of {6, 8, 11} is 1/6.
#[test]
fn ordered_distance_of_the_salaries() {
    let salary = Col { values: Type::Number, ..sensitive("salary") };
    let rows = ["a 3", "a 4", "a 5", "b 6", "b 8", "b 11", "c 7", "c 9", "c 10"];
    let data = Data::new(vec![quasi("qid"), salary], &rows);
    assert_distance(&data, "ordered", "a", "0.374", "0.375");
    assert_distance(&data, "ordered", "b", "0.166", "0.167");
    // The equal distance is the same for all classes: each class lacks six of nine values.
    for class in ["a", "b", "c"] {
        assert_distance(&data, "equal", class, "0.666", "0.667");
    }
}

#[test]
fn numbers_are_ordered_by_value_not_as_texts() {
    let salary = Col { values: Type::Number, ..sensitive("salary") };
    let data = Data::new(vec![quasi("qid"), salary], &["a 9", "a 10", "b 2", "b 100"]);
    // In the order 2, 9, 10, 100, a has the middle values and b the outer ones. Half of each moves by one of three steps.
    for class in ["a", "b"] {
        assert_distance(&data, "ordered", class, "0.166", "0.167");
    }
}

/// Computed by hand: a taxonomy of height 2 with two values below each of two inner nodes.
#[test]
fn hierarchical_distance_of_a_small_taxonomy() {
    let tree = "ill\n  lung\n    flu\n    asthma\n  gut\n    ulcer\n    colic";
    let ill = Col { tree: TreeSource::Given(Taxonomy::parse_indented("ill", tree).unwrap()), ..sensitive("ill") };
    let data = Data::new(
        vec![quasi("qid"), ill],
        &["a flu", "a flu", "b asthma", "b asthma", "c ulcer", "c colic", "d ulcer", "d colic"],
    );
    // In the table, each value has 1/4. Class a has only flu: 1/4 moves to asthma at cost 1/2, 1/2 to gut at cost 1: 5/8.
    assert_distance(&data, "hierarchical", "a", "0.624", "0.625");
    // Class c has 1/2 ulcer and 1/2 colic: 1/4 of each moves to lung at cost 1: 1/2.
    assert_distance(&data, "hierarchical", "c", "0.499", "0.5");
    // With the equal distance, a moves 3/4 and c moves 1/2.
    assert_distance(&data, "equal", "a", "0.749", "0.75");
    assert_distance(&data, "equal", "c", "0.499", "0.5");
}
