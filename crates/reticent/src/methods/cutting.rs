//! Cutting a bucket into groups of people who are alike: as many times as it can be halved, along the quasi-identifier that leaves
//! the halves narrowest.

use super::Task;
use crate::taxonomy::Code;

/// Groups with at most one person for each value, from people by value. Every group has somebody; a value that has fewer people
/// than the most common one is missing in some.
pub fn cut(task: &Task<'_>, by_value: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let quasi = task.quasi_identifiers();
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
        let width = |column: &usize| (width(task, &mut people.clone(), *column, &quasi), *column);
        let best = quasi.iter().map(width).min_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, column)| column);
        let (left, right) = halves(task, &mut people, best);
        open.push(right);
        open.push(left);
    }
    groups
}

type Halves = (Vec<Vec<u32>>, Vec<Vec<u32>>);

/// The first half of the people of each value by a column, and the others. The largest value has somebody in both.
fn halves(task: &Task<'_>, people: &mut [Vec<u32>], column: Option<usize>) -> Halves {
    let most = people.iter().map(Vec::len).max().unwrap_or(0);
    let middle = most / 2;
    let half = |people: &mut Vec<u32>| {
        let at = middle.min(people.len());
        if at > 0 && at < people.len() {
            let key = |at: &u32| (column.map_or(0, |column| task.code(*at as usize, column)), *at);
            people.select_nth_unstable_by_key(at, key);
        }
        (people[..at].to_vec(), people[at..].to_vec())
    };
    people.iter_mut().map(half).unzip()
}

/// How wide both halves are together, over all columns.
fn width(task: &Task<'_>, people: &mut [Vec<u32>], column: usize, quasi: &[usize]) -> f64 {
    let (left, right) = halves(task, people, Some(column));
    let spread = |half: &[Vec<u32>]| -> f64 {
        let of = |column: &usize| {
            let codes = || half.iter().flatten().map(|at| task.code(*at as usize, *column));
            let (low, high): (Code, Code) = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
            f64::from(high - low) / task.table.columns[*column].tree.len().max(1) as f64
        };
        quasi.iter().map(of).sum()
    };
    spread(&left) + spread(&right)
}
