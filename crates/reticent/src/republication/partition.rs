//! Partition of a bucket into groups with similar quasi-identifiers.
//!
//! The bucket is halved recursively, along the quasi-identifier that gives the smallest total width of the halves.

use super::RepublicationTask;
use crate::data::taxonomy::Code;

/// Partitions records by value into non-empty groups with at most one record of each value.
///
/// A value with fewer records than the most frequent one does not occur in all groups.
pub(super) fn partition(qi: &[QiColumn], by_value: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut groups = Vec::new();
    let mut open = vec![by_value];
    while let Some(mut people) = open.pop() {
        let largest = people.iter().map(Vec::len).max().unwrap_or(0);
        if largest == 0 {
            continue;
        }
        if largest == 1 {
            groups.push(people.into_iter().flatten().collect());
            continue;
        }
        let width = |column| (width(&mut people.clone(), column, qi), column);
        let best = qi.iter().map(width).min_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, column)| column);
        let (left, right) = halves(&mut people, best);
        open.push(right);
        open.push(left);
    }
    groups
}

/// A quasi-identifier: the code of each record, and the number of values.
pub(super) struct QiColumn {
    codes: Vec<Code>,
    values: f64,
}

impl QiColumn {
    /// Returns all quasi-identifiers of the data.
    pub(super) fn for_task(task: &RepublicationTask<'_>) -> Vec<QiColumn> {
        let column = |column: usize| QiColumn {
            codes: (0..task.records.len()).map(|at| task.code(at, column)).collect(),
            values: task.table.columns[column].tree.len().max(1) as f64,
        };
        task.quasi_identifiers().into_iter().map(column).collect()
    }
}

type Split = (Vec<Vec<u32>>, Vec<Vec<u32>>);

/// Splits the records of each value into two halves, ordered by a column. The most frequent value has records in both halves.
fn halves(people: &mut [Vec<u32>], column: Option<&QiColumn>) -> Split {
    let largest = people.iter().map(Vec::len).max().unwrap_or(0);
    let middle = largest / 2;
    let half = |people: &mut Vec<u32>| {
        let at = middle.min(people.len());
        if at > 0 && at < people.len() {
            let key = |at: &u32| (column.map_or(0, |column| column.codes[*at as usize]), *at);
            people.select_nth_unstable_by_key(at, key);
        }
        (people[..at].to_vec(), people[at..].to_vec())
    };
    people.iter_mut().map(half).unzip()
}

/// Returns the total width of both halves, summed over all quasi-identifiers.
fn width(people: &mut [Vec<u32>], column: &QiColumn, qi: &[QiColumn]) -> f64 {
    let (left, right) = halves(people, Some(column));
    let spread = |half: &[Vec<u32>]| -> f64 {
        let of = |column: &QiColumn| {
            let codes = half.iter().flatten().map(|at| column.codes[*at as usize]);
            let (low, high) = codes.fold((Code::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
            f64::from(high.saturating_sub(low)) / column.values
        };
        qi.iter().map(of).sum()
    };
    spread(&left) + spread(&right)
}
