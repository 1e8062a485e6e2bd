//! Impurities compared with their definitions, and undone cuts.

use super::impurity::{Impurity, LabelHistograms};
use super::tree::{CutTree, Part};

/// Numbers below 7, the same in every run.
fn numbers(seed: u64, count: usize) -> Vec<u32> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % 7
    };
    (0..count).map(next).collect()
}

/// Sum over the labels of -count log2(count / total).
fn entropy(labels: &[u32]) -> f64 {
    let count = |label: u32| labels.iter().filter(|other| **other == label).count() as f64;
    (0..7).map(count).filter(|count| *count > 0.0).map(|count| -count * (count / labels.len() as f64).log2()).sum()
}

fn squared_error(labels: &[u32]) -> f64 {
    let mean = labels.iter().sum::<u32>() as f64 / labels.len() as f64;
    labels.iter().map(|label| (f64::from(*label) - mean).powi(2)).sum()
}

#[test]
fn the_remaining_impurity_is_that_of_both_sides() {
    for seed in 0..30 {
        let labels = numbers(seed, 12);
        let counts: Vec<Vec<(u32, u64)>> = labels.iter().map(|label| vec![(*label, 1)]).collect();
        let part: Vec<u32> = (0..12).collect();
        let values = (0..7).map(f64::from).collect();
        for (numbers, of_side) in [(None, entropy as fn(&[u32]) -> f64), (Some(values), squared_error)] {
            let given = LabelHistograms { counts: counts.clone(), numbers };
            let mut impurity = Impurity::of_part(&given, &part);
            for _ in 0..2 {
                impurity.restart();
                for at in 0..11 {
                    impurity.move_before(&given, at as u32);
                    let (before, after) = labels.split_at(at + 1);
                    let expected = (of_side(before) + of_side(after)) / of_side(&labels) * 1e9;
                    assert!((impurity.remaining() as f64 - expected).abs() < 2.0, "{labels:?} at {at}: {expected}");
                }
            }
        }
    }
}

#[test]
fn nothing_remains_of_a_pure_part() {
    let given = LabelHistograms { counts: vec![vec![(3, 2)], vec![(3, 5)]], numbers: None };
    let mut impurity = Impurity::of_part(&given, &[0, 1]);
    impurity.move_before(&given, 0);
    assert_eq!(impurity.remaining(), 0);
}

/// A label without a number counts for no side.
#[test]
fn a_missing_number_has_no_squared_error() {
    let given = LabelHistograms { counts: vec![vec![(0, 1), (9, 4)], vec![(1, 1)]], numbers: Some(vec![5.0, 7.0]) };
    let mut impurity = Impurity::of_part(&given, &[0, 1]);
    assert_eq!(impurity.remaining(), 1_000_000_000);
    impurity.move_before(&given, 0);
    assert_eq!(impurity.remaining(), 0);
}

#[test]
fn an_undone_cut_joins_all_parts_below_it() {
    let mut tree = CutTree::default();
    tree.add_root(Part { combinations: vec![0, 1, 2, 3, 4], nodes: None, suppressed: false });
    let [first, second] = tree.cut(0, [vec![0, 3], vec![1, 2, 4]]);
    let [third, _] = tree.cut(second, [vec![4], vec![1, 2]]);
    tree.cut(third + 1, [vec![1], vec![2]]);
    let parts =
        |tree: &CutTree| -> Vec<Vec<u32>> { tree.leaves().map(|(_, part)| part.combinations.clone()).collect() };
    assert_eq!(parts(&tree), [vec![0, 3], vec![4], vec![1], vec![2]]);
    assert_eq!(tree.undo(|part| part.combinations.iter().any(|at| *at == 1 || *at == 4), 1), 2);
    assert_eq!(parts(&tree), [vec![0, 3], vec![1, 2, 4]]);
    assert_eq!(tree.undo(|part| part.combinations == [0, 3], 1), 1);
    assert_eq!(parts(&tree), [vec![0, 1, 2, 3, 4]]);
    assert_eq!(tree.undo(|_| true, 5), 0);
    assert!(tree.generalize_fully(2) && !tree.generalize_fully(2));
    assert_eq!(first, 1);
}
