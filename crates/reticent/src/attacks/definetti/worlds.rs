//! Exact posteriors of a bucketized release, by counting the possible worlds.

use std::collections::BTreeMap;

use super::{AnatomyBucket, AnatomyBuckets, BucketPosteriors};
use crate::attacks::AttackConfidence;
use crate::attacks::counting::{choose, factorial};
use crate::data::contingency::Weight;
use crate::ratio::Ratio;

/// Contingency table of kinds and values, row by row: number of people of each kind with each value.
type Matrix = Vec<Weight>;
/// By matrix: number of worlds with this matrix.
type WayCounts = BTreeMap<Matrix, u128>;

/// Maximum number of matrices.
const MAX_MATRICES: usize = 20_000;
/// Maximum number of cells of a matrix.
const MAX_MATRIX_CELLS: usize = 200;

/// The exact posteriors; none if there are too many worlds.
pub(in crate::attacks) fn posterior(buckets: &AnatomyBuckets) -> Option<BucketPosteriors> {
    let size = buckets.kinds.checked_mul(buckets.values).filter(|size| *size <= MAX_MATRIX_CELLS)?;
    let by_group = buckets.groups.iter().map(|bucket| matrices(bucket, buckets.kinds, buckets.values));
    let by_group: Vec<WayCounts> = by_group.collect::<Option<_>>()?;
    // Sums of the matrices of all groups before a group, and of all groups after it.
    let zero = || -> WayCounts { BTreeMap::from([(vec![0; size], 1)]) };
    let mut before = vec![zero()];
    for ways in &by_group {
        before.push(sum(before.last()?, ways)?);
    }
    let mut after = zero();
    let mut posterior: BucketPosteriors = Vec::new();
    for at in (0..by_group.len()).rev() {
        posterior.push(group_posterior(
            &buckets.groups[at],
            buckets.values,
            &by_group[at],
            &sum(&before[at], &after)?,
        )?);
        after = sum(&after, &by_group[at])?;
    }
    posterior.reverse();
    Some(posterior)
}

/// The matrices of a group, each with its number of worlds.
fn matrices(bucket: &AnatomyBucket, kinds: usize, values: usize) -> Option<WayCounts> {
    let mut partial = BTreeMap::from([((Matrix::new(), dense(&bucket.values, values)), 1u128)]);
    for people in dense(&bucket.kinds, kinds) {
        let mut next = BTreeMap::new();
        for ((matrix, remaining), ways) in &partial {
            for (row, more) in rows(people, remaining)? {
                let remaining: Vec<Weight> =
                    remaining.iter().zip(&row).map(|(remaining, taken)| remaining - taken).collect();
                let entry = next.entry(([matrix.as_slice(), &row].concat(), remaining)).or_insert(0u128);
                *entry = entry.checked_add(ways.checked_mul(more)?)?;
            }
        }
        if next.len() > MAX_MATRICES {
            return None;
        }
        partial = next;
    }
    let full = partial.into_iter().filter(|((_, remaining), _)| remaining.iter().all(|remaining| *remaining == 0));
    Some(full.map(|((matrix, _), ways)| (matrix, ways)).collect())
}

/// The counts as a dense vector.
fn dense(counts: &[(usize, Weight)], len: usize) -> Vec<Weight> {
    let mut all = vec![0; len];
    counts.iter().for_each(|(at, count)| all[*at] = *count);
    all
}

/// The rows of a matrix for the people of one kind, given the remaining values, each with its number of assignments.
fn rows(people: Weight, remaining: &[Weight]) -> Option<Vec<(Vec<Weight>, u128)>> {
    let mut open = vec![(Vec::new(), people, 1u128)];
    for available in remaining {
        let mut next = Vec::new();
        for (row, unassigned, ways) in &open {
            for taken in 0..=*unassigned.min(available) {
                let row = [row.as_slice(), &[taken]].concat();
                next.push((row, unassigned - taken, ways.checked_mul(choose(*unassigned, taken)?)?));
            }
        }
        if next.len() > MAX_MATRICES {
            return None;
        }
        open = next;
    }
    Some(open.into_iter().filter(|(_, unassigned, _)| *unassigned == 0).map(|(row, _, ways)| (row, ways)).collect())
}

/// The sums of the matrices of two sets of groups; none if there are too many.
fn sum(one: &WayCounts, other: &WayCounts) -> Option<WayCounts> {
    if one.len().saturating_mul(other.len()) > MAX_MATRICES * 50 {
        return None;
    }
    let mut sums = WayCounts::new();
    for (first, ways) in one {
        for (second, more) in other {
            let matrix = first.iter().zip(second).map(|(a, b)| a + b).collect();
            let entry = sums.entry(matrix).or_insert(0);
            *entry = entry.checked_add(ways.checked_mul(*more)?)?;
        }
        if sums.len() > MAX_MATRICES {
            return None;
        }
    }
    Some(sums)
}

/// By kind, by value: posterior in one group, from its matrices and the sums of the matrices of all other groups.
fn group_posterior(
    bucket: &AnatomyBucket,
    values: usize,
    ours: &WayCounts,
    others: &WayCounts,
) -> Option<Vec<Vec<AttackConfidence>>> {
    if ours.len().saturating_mul(others.len()) > MAX_MATRICES * 50 {
        return None;
    }
    let mut all: u128 = 0;
    let mut carrying: BTreeMap<usize, u128> = BTreeMap::new();
    for (matrix, ways) in ours {
        for (rest, more) in others {
            let mut weight = ways.checked_mul(*more)?;
            for (here, there) in matrix.iter().zip(rest) {
                weight = weight.checked_mul(factorial(here + there)?)?;
            }
            all = all.checked_add(weight)?;
            for (place, here) in matrix.iter().enumerate().filter(|(_, here)| **here > 0) {
                let sum = carrying.entry(place).or_insert(0);
                *sum = sum.checked_add(weight.checked_mul(u128::from(*here))?)?;
            }
        }
    }
    let share = |(kind, people): (usize, Weight), value: usize| {
        let numerator = carrying.get(&(kind * values + value)).copied().unwrap_or(0);
        let denominator = all.checked_mul(u128::from(people))?.max(1);
        Some(AttackConfidence::Exact(Ratio { numerator, denominator }))
    };
    let of_kind = |kind: &(usize, Weight)| bucket.values.iter().map(|(value, _)| share(*kind, *value)).collect();
    bucket.kinds.iter().map(of_kind).collect()
}
