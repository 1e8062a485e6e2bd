//! Worlds of marked groups, counted: exact as long as there are few.

use std::collections::BTreeMap;

use super::{Bucket, Buckets, Posterior};
use crate::attacks::Confidence;
use crate::attacks::counting::{choose, factorial};
use crate::combos::Weight;
use crate::share::Share;

/// Who has what, by kind and then value: kinds times values numbers.
type Matrix = Vec<Weight>;
/// By matrix: in how many ways people can have it.
type Ways = BTreeMap<Matrix, u128>;

/// More matrices are not counted.
const MOST: usize = 20_000;
/// Larger matrices are not counted.
const LARGEST: usize = 200;

/// None when there are too many worlds.
pub(in crate::attacks) fn posterior(buckets: &Buckets) -> Option<Posterior> {
    let size = buckets.kinds.checked_mul(buckets.values).filter(|size| *size <= LARGEST)?;
    let each = buckets.groups.iter().map(|bucket| matrices(bucket, buckets.kinds, buckets.values));
    let each: Vec<Ways> = each.collect::<Option<_>>()?;
    // What all groups before one can add up to, and all after it.
    let nothing = || -> Ways { BTreeMap::from([(vec![0; size], 1)]) };
    let mut before = vec![nothing()];
    for ways in &each {
        before.push(sum(before.last()?, ways)?);
    }
    let mut after = nothing();
    let mut posterior: Posterior = Vec::new();
    for at in (0..each.len()).rev() {
        posterior.push(of_group(&buckets.groups[at], buckets.values, &each[at], &sum(&before[at], &after)?)?);
        after = sum(&after, &each[at])?;
    }
    posterior.reverse();
    Some(posterior)
}

/// Every matrix of a group, with in how many ways its people can have the values.
fn matrices(bucket: &Bucket, kinds: usize, values: usize) -> Option<Ways> {
    let mut found = BTreeMap::from([((Matrix::new(), spelled_out(&bucket.values, values)), 1u128)]);
    for people in spelled_out(&bucket.kinds, kinds) {
        let mut next = BTreeMap::new();
        for ((matrix, left), ways) in &found {
            for (row, more) in rows(people, left)? {
                let left: Vec<Weight> = left.iter().zip(&row).map(|(left, taken)| left - taken).collect();
                let entry = next.entry(([matrix.as_slice(), &row].concat(), left)).or_insert(0u128);
                *entry = entry.checked_add(ways.checked_mul(more)?)?;
            }
        }
        if next.len() > MOST {
            return None;
        }
        found = next;
    }
    let full = found.into_iter().filter(|((_, left), _)| left.iter().all(|left| *left == 0));
    Some(full.map(|((matrix, _), ways)| (matrix, ways)).collect())
}

/// By place, with zeros where there is nothing.
fn spelled_out(counts: &[(usize, Weight)], len: usize) -> Vec<Weight> {
    let mut all = vec![0; len];
    counts.iter().for_each(|(at, count)| all[*at] = *count);
    all
}

/// How the people of one kind can share the values that are left, and in how many ways.
fn rows(people: Weight, left: &[Weight]) -> Option<Vec<(Vec<Weight>, u128)>> {
    let mut open = vec![(Vec::new(), people, 1u128)];
    for most in left {
        let mut next = Vec::new();
        for (row, waiting, ways) in &open {
            for taken in 0..=*waiting.min(most) {
                let row = [row.as_slice(), &[taken]].concat();
                next.push((row, waiting - taken, ways.checked_mul(choose(*waiting, taken)?)?));
            }
        }
        if next.len() > MOST {
            return None;
        }
        open = next;
    }
    Some(open.into_iter().filter(|(_, waiting, _)| *waiting == 0).map(|(row, _, ways)| (row, ways)).collect())
}

fn sum(one: &Ways, other: &Ways) -> Option<Ways> {
    if one.len().saturating_mul(other.len()) > MOST * 50 {
        return None;
    }
    let mut sums = Ways::new();
    for (first, ways) in one {
        for (second, more) in other {
            let matrix = first.iter().zip(second).map(|(a, b)| a + b).collect();
            let entry = sums.entry(matrix).or_insert(0);
            *entry = entry.checked_add(ways.checked_mul(*more)?)?;
        }
        if sums.len() > MOST {
            return None;
        }
    }
    Some(sums)
}

/// A group's matrices against all that the others can add up to.
fn of_group(bucket: &Bucket, values: usize, ours: &Ways, others: &Ways) -> Option<Vec<Vec<Confidence>>> {
    if ours.len().saturating_mul(others.len()) > MOST * 50 {
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
        Some(Confidence::Exact(Share { numerator, denominator }))
    };
    let of_kind = |kind: &(usize, Weight)| bucket.values.iter().map(|(value, _)| share(*kind, *value)).collect();
    bucket.kinds.iter().map(of_kind).collect()
}
