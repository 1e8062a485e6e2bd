//! Made histories: people with a hidden value each, and releases that tell for groups of them which values occur how often.

use std::cmp::Reverse;
use std::collections::HashMap;

use reticent_inference::{Count, PersonClass, Problem, Value};

/// Random numbers by SplitMix64, the same on every machine.
pub struct Draw(pub u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// Any number below this, all as likely.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Any order, all as likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// A group of people in a release.
pub type Group = Vec<u32>;

/// Buckets of `size` people with different values, as Anatomy (Xiao and Tao, 2006) forms them: one each of the values with most
/// people left. Also those who are left over, fewer than `size` when no value is more frequent than one in `size`.
pub fn buckets(people: &[u32], value: &[Value], size: usize, draw: &mut Draw) -> (Vec<Group>, Group) {
    let values = people.iter().map(|person| value[*person as usize] as usize + 1).max().unwrap_or(0);
    let mut left: Vec<Group> = vec![Vec::new(); values];
    people.iter().for_each(|person| left[value[*person as usize] as usize].push(*person));
    let mut buckets = Vec::new();
    loop {
        let mut order: Vec<usize> = (0..values).filter(|value| !left[*value].is_empty()).collect();
        if order.len() < size {
            return (buckets, left.concat());
        }
        // Of values with as many people, any; otherwise the same ones would always be together.
        draw.shuffle(&mut order);
        order.sort_by_key(|value| Reverse(left[*value].len()));
        let mut bucket = Vec::with_capacity(size);
        for value in &order[..size] {
            let at = draw.below(left[*value].len());
            bucket.push(left[*value].swap_remove(at));
        }
        buckets.push(bucket);
    }
}

/// Everybody is a crowd of their own.
pub fn each(people: usize) -> Vec<u32> {
    (0..people as u32).collect()
}

/// By person: their crowd, where those are one whom all releases put into the same groups.
pub fn alike(people: usize, releases: &[Vec<Group>]) -> Vec<u32> {
    let mut groups_of: Vec<u32> = vec![u32::MAX; people * releases.len()];
    for (release, groups) in releases.iter().enumerate() {
        for (group, people) in (0..).zip(groups) {
            people.iter().for_each(|person| groups_of[*person as usize * releases.len() + release] = group);
        }
    }
    let mut known: HashMap<&[u32], u32> = HashMap::new();
    let crowd = |groups| {
        let next = known.len() as u32;
        *known.entry(groups).or_insert(next)
    };
    groups_of.chunks(releases.len()).map(crowd).collect()
}

/// What an attacker has who knows of everybody in which group of which release they are; `crowd_of` says who is one crowd. Whoever
/// is in no group has no value.
pub fn puzzle(value: &[Value], releases: &[Vec<Group>], crowd_of: &[u32]) -> Problem {
    let crowds = crowd_of.iter().max().map_or(0, |most| *most as usize + 1);
    let mut may: Vec<Option<Vec<Value>>> = vec![None; crowds];
    let mut released = vec![false; value.len()];
    let mut counts = Vec::new();
    for (source, groups) in (0..).zip(releases) {
        for people in groups {
            people.iter().for_each(|person| released[*person as usize] = true);
            let values = tally(people.iter().map(|person| value[*person as usize]));
            let distinct: Vec<Value> = values.iter().map(|(value, _)| *value).collect();
            let mut crowds: Vec<u32> = people.iter().map(|person| crowd_of[*person as usize]).collect();
            crowds.sort_unstable();
            crowds.dedup();
            for crowd in &crowds {
                match &mut may[*crowd as usize] {
                    Some(may) => may.retain(|value| distinct.binary_search(value).is_ok()),
                    none => *none = Some(distinct.clone()),
                }
            }
            counts.extend(values.into_iter().map(|(value, number)| Count {
                source,
                cells: crowds.iter().map(|crowd| (*crowd, value)).collect(),
                lower: number,
                upper: number,
            }));
        }
    }
    let crowds = may.into_iter().map(|may| PersonClass { people: 0, possible: may.unwrap_or_default() });
    let mut puzzle = Problem { classes: crowds.collect(), counts, known_solution: None, incomplete: Vec::new() };
    let mut having: HashMap<(u32, Value), u64> = HashMap::new();
    for person in (0..value.len()).filter(|person| released[*person]) {
        puzzle.classes[crowd_of[person] as usize].people += 1;
        *having.entry((crowd_of[person], value[person])).or_default() += 1;
    }
    let mut seen: Vec<(u32, Value, u64)> = having.into_iter().map(|((crowd, value), of)| (crowd, value, of)).collect();
    seen.sort_unstable();
    puzzle.known_solution = Some(seen);
    puzzle
}

/// Values, ascending, and how often each occurs.
fn tally(values: impl Iterator<Item = Value>) -> Vec<(Value, u64)> {
    let mut values: Vec<Value> = values.collect();
    values.sort_unstable();
    values.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u64)).collect()
}
