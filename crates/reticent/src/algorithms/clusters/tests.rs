//! Clusters of small tables, against the best assignment over all choices of centres.

use super::*;

fn points<'a>(axes: &'a [Axis], records: &'a [Weight]) -> Points<'a> {
    Points { axes, column_weights: &[1.0, 1.0, 1.0][..axes.len()], records }
}

#[test]
fn separated_groups_are_clusters() {
    let axes = [Axis::Ordered(vec![0.0, 0.05, 0.1, 0.5, 0.55, 0.95, 1.0])];
    let clusters = points(&axes, &[1, 9, 1, 4, 4, 2, 2]).clusters(3);
    let same = |one: usize, other: usize| clusters[one] == clusters[other];
    assert!(same(0, 1) && same(1, 2) && same(3, 4) && same(5, 6), "{clusters:?}");
    assert!(!same(2, 3) && !same(4, 5) && !same(0, 6), "{clusters:?}");
}

#[test]
fn values_without_order_are_equal_or_different() {
    // Three columns. The first four points agree in two columns, the others in two other values.
    let axes = [
        Axis::Nominal(vec![0, 0, 0, 7, 1, 1, 1]),
        Axis::Nominal(vec![0, 0, 0, 0, 1, 1, 1]),
        Axis::Nominal(vec![0, 1, 2, 0, 1, 2, 0]),
    ];
    let clusters = points(&axes, &[3, 1, 1, 1, 3, 1, 1]).clusters(2);
    assert!(clusters[..4].iter().all(|cluster| *cluster == clusters[0]), "{clusters:?}");
    assert!(clusters[4..].iter().all(|cluster| *cluster == 1 - clusters[0]), "{clusters:?}");
}

/// A record counts as often as it occurs: equal points with weights are the same as repeated points.
#[test]
fn weights_count_as_repeated_points() {
    let positions = [0.0, 0.2, 0.3, 0.7, 0.9];
    let records = [2, 1, 3, 1, 2];
    let axes = [Axis::Ordered(positions.to_vec())];
    let repeated: Vec<f64> =
        positions.iter().zip(records).flat_map(|(position, times)| vec![*position; times as usize]).collect();
    let single = vec![1; repeated.len()];
    let repeated_axes = [Axis::Ordered(repeated)];
    // The centres are medians, so the sum of distances is minimal for them: compare with all pairs of centres.
    let best = positions.iter().flat_map(|one| positions.iter().map(move |other| (one, other))).map(|(one, other)| {
        let distance = |position: &f64| (position - one).abs().min((position - other).abs());
        positions.iter().zip(records).map(|(position, times)| distance(position) * times as f64).sum::<f64>()
    });
    let best = best.fold(f64::INFINITY, f64::min);
    let cost = |points: &Points<'_>| (0..STARTS).map(|start| points.run_from(2, start).0).fold(f64::INFINITY, f64::min);
    assert!((cost(&points(&axes, &records)) - best).abs() < 1e-12);
    assert!((cost(&points(&repeated_axes, &single)) - best).abs() < 1e-12);
}

#[test]
fn more_clusters_than_points_leave_clusters_empty() {
    let axes = [Axis::Ordered(vec![0.0, 1.0])];
    let clusters = points(&axes, &[5, 5]).clusters(4);
    assert!(clusters[0] != clusters[1]);
    assert!(points(&[Axis::Nominal(Vec::new())], &[]).clusters(3).is_empty());
}

#[test]
fn positions_follow_the_order_of_the_values() {
    let numbers = Taxonomy::grown(crate::data::taxonomy::Type::Number, vec![10.0, 20.0, 50.0], None);
    assert_eq!(positions(&numbers), Some(vec![0.0, 0.25, 1.0]));
    let jobs = Taxonomy::parse("job", "*\n  x\n    a\n    b\n  y\n    c").unwrap();
    assert_eq!(positions(&jobs), Some(vec![0.0, 0.5, 1.0]));
    assert_eq!(positions(&Taxonomy::flat(vec!["f".to_owned(), "m".to_owned()])), None);
}
