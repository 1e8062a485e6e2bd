//! Cutting a bucket into groups of people who are alike: as many times as it can be halved, along the quasi-identifier that leaves
//! the halves narrowest.

use super::Task;
use crate::taxonomy::Code;

/// Groups with at most one person for each value, from people by value. Every group has somebody; a value that has fewer people
/// than the most common one is missing in some.
pub(super) fn cut(quasi: &[Along], by_value: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut groups = Vec::new();
    let mut open = vec![by_value];
    while let Some(mut people) = open.pop() {
        let most = people.iter().map(Vec::len).max().unwrap_or(0);
        if most == 0 {
            continue;
        }
        if most == 1 {
            groups.push(people.into_iter().flatten().collect());
            continue;
        }
        let width = |along| (width(&mut people.clone(), along, quasi), along);
        let best = quasi.iter().map(width).min_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, along)| along);
        let (left, right) = halves(&mut people, best);
        open.push(right);
        open.push(left);
    }
    groups
}

/// A quasi-identifier: what each record has of it, and how many values there are.
pub(super) struct Along {
    codes: Vec<Code>,
    values: f64,
}

impl Along {
    /// All of them.
    pub(super) fn all(task: &Task<'_>) -> Vec<Along> {
        let along = |column: usize| Along {
            codes: (0..task.records.len()).map(|at| task.code(at, column)).collect(),
            values: task.table.columns[column].tree.len().max(1) as f64,
        };
        task.quasi_identifiers().into_iter().map(along).collect()
    }
}

type Halves = (Vec<Vec<u32>>, Vec<Vec<u32>>);

/// The first half of the people of each value by a column, and the others. The largest value has somebody in both.
fn halves(people: &mut [Vec<u32>], along: Option<&Along>) -> Halves {
    let most = people.iter().map(Vec::len).max().unwrap_or(0);
    let middle = most / 2;
    let half = |people: &mut Vec<u32>| {
        let at = middle.min(people.len());
        if at > 0 && at < people.len() {
            let key = |at: &u32| (along.map_or(0, |along| along.codes[*at as usize]), *at);
            people.select_nth_unstable_by_key(at, key);
        }
        (people[..at].to_vec(), people[at..].to_vec())
    };
    people.iter_mut().map(half).unzip()
}

/// How wide both halves are together, over all columns.
fn width(people: &mut [Vec<u32>], along: &Along, quasi: &[Along]) -> f64 {
    let (left, right) = halves(people, Some(along));
    let spread = |half: &[Vec<u32>]| -> f64 {
        let of = |along: &Along| {
            let codes = half.iter().flatten().map(|at| along.codes[*at as usize]);
            let (low, high) = codes.fold((Code::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
            f64::from(high.saturating_sub(low)) / along.values
        };
        quasi.iter().map(of).sum()
    };
    spread(&left) + spread(&right)
}
