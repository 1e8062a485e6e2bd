//! Synthetic histories: people with one sensitive value each, and releases that publish the counts of values per group.

use std::cmp::Reverse;
use std::collections::HashMap;

use reticent_inference::{Count, PersonClass, Problem, Value};

/// Pseudo-random numbers by SplitMix64, equal on every machine.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// A uniform number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Shuffles the items uniformly.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// A group of people in a release.
pub type Group = Vec<u32>;

/// Buckets of `size` people with distinct values, as Anatomy (Xiao and Tao, 2006) forms them, and the remaining people.
///
/// Each bucket takes one person of each of the `size` values with most remaining people. Fewer than `size` people remain if no
/// value has a frequency above 1 / `size`.
pub fn buckets(people: &[u32], value: &[Value], size: usize, random: &mut Random) -> (Vec<Group>, Group) {
    let values = people.iter().map(|person| value[*person as usize] as usize + 1).max().unwrap_or(0);
    let mut remaining: Vec<Group> = vec![Vec::new(); values];
    people.iter().for_each(|person| remaining[value[*person as usize] as usize].push(*person));
    let mut buckets = Vec::new();
    loop {
        let mut order: Vec<usize> = (0..values).filter(|value| !remaining[*value].is_empty()).collect();
        if order.len() < size {
            return (buckets, remaining.concat());
        }
        // Values with equal numbers of people are in random order. Otherwise the same values would share a bucket every time.
        random.shuffle(&mut order);
        order.sort_by_key(|value| Reverse(remaining[*value].len()));
        let mut bucket = Vec::with_capacity(size);
        for value in &order[..size] {
            let at = random.below(remaining[*value].len());
            bucket.push(remaining[*value].swap_remove(at));
        }
        buckets.push(bucket);
    }
}

/// Class of each person, if every person is a separate class.
pub fn one_class_per_person(people: usize) -> Vec<u32> {
    (0..people as u32).collect()
}

/// Class of each person. People in the same groups of all releases are in the same class.
pub fn classes_by_groups(people: usize, releases: &[Vec<Group>]) -> Vec<u32> {
    let mut groups_of: Vec<u32> = vec![u32::MAX; people * releases.len()];
    for (release, groups) in releases.iter().enumerate() {
        for (group, people) in (0..).zip(groups) {
            people.iter().for_each(|person| groups_of[*person as usize * releases.len() + release] = group);
        }
    }
    let mut known: HashMap<&[u32], u32> = HashMap::new();
    let class = |groups| {
        let next = known.len() as u32;
        *known.entry(groups).or_insert(next)
    };
    groups_of.chunks(releases.len()).map(class).collect()
}

/// Constraint problem of an attacker who knows the group of every person in every release.
///
/// `class_of` is the class of each person. A person without a group has no value.
pub fn constraint_problem(value: &[Value], releases: &[Vec<Group>], class_of: &[u32]) -> Problem {
    let classes = class_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut possible: Vec<Option<Vec<Value>>> = vec![None; classes];
    let mut released = vec![false; value.len()];
    let mut counts = Vec::new();
    for (source, groups) in (0..).zip(releases) {
        for people in groups {
            people.iter().for_each(|person| released[*person as usize] = true);
            let values = tally(people.iter().map(|person| value[*person as usize]));
            let distinct: Vec<Value> = values.iter().map(|(value, _)| *value).collect();
            let mut classes: Vec<u32> = people.iter().map(|person| class_of[*person as usize]).collect();
            classes.sort_unstable();
            classes.dedup();
            for class in &classes {
                match &mut possible[*class as usize] {
                    Some(possible) => possible.retain(|value| distinct.binary_search(value).is_ok()),
                    none => *none = Some(distinct.clone()),
                }
            }
            counts.extend(values.into_iter().map(|(value, number)| Count {
                source,
                cells: classes.iter().map(|class| (*class, value)).collect(),
                lower: number,
                upper: number,
            }));
        }
    }
    let classes =
        possible.into_iter().map(|possible| PersonClass { people: 0, possible: possible.unwrap_or_default() });
    let mut problem = Problem { classes: classes.collect(), counts, ..Problem::default() };
    let mut solution: HashMap<(u32, Value), u64> = HashMap::new();
    for person in (0..value.len()).filter(|person| released[*person]) {
        problem.classes[class_of[person] as usize].people += 1;
        *solution.entry((class_of[person], value[person])).or_default() += 1;
    }
    let mut solution: Vec<(u32, Value, u64)> =
        solution.into_iter().map(|((class, value), people)| (class, value, people)).collect();
    solution.sort_unstable();
    problem.known_solution = Some(solution);
    problem
}

/// Values in ascending order with their frequencies.
fn tally(values: impl Iterator<Item = Value>) -> Vec<(Value, u64)> {
    let mut values: Vec<Value> = values.collect();
    values.sort_unstable();
    values.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u64)).collect()
}
