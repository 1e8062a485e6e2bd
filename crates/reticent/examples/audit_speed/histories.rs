//! The release histories that are measured.

use reticent_inference::{Problem, Value};

use crate::made::{Group, Random, buckets, classes_by_groups, constraint_problem, one_class_per_person};

/// Number of complete records of Adult (45,222 in total) with each of the 14 occupations.
const OCCUPATIONS: [usize; 14] =
    [6_020, 6_008, 5_984, 5_540, 5_408, 4_808, 2_970, 2_316, 2_046, 1_480, 1_420, 976, 232, 14];
/// Number of people in an equivalence class of a generalized release.
const CLASS_SIZE: usize = 1_000;
const RELEASES: usize = 10;
/// One of this number of people is replaced by another person before the next release.
const REPLACED_ONE_IN: usize = 20;

/// A random sensitive value, with the frequencies of the occupations.
fn random_value(random: &mut Random) -> Value {
    let mut at = random.below(OCCUPATIONS.iter().sum());
    let mut value = 0;
    while at >= OCCUPATIONS[value] {
        at -= OCCUPATIONS[value];
        value += 1;
    }
    value as Value
}

/// The setting of the paper: two releases of `records` people each with `shared` common people, in independent buckets of `size`.
pub fn two_releases(records: usize, shared: usize, size: usize, seed: u64) -> Problem {
    let mut random = Random(seed);
    let all = (2 * records - shared) as u32;
    let value: Vec<Value> = (0..all).map(|_| random_value(&mut random)).collect();
    let first: Group = (0..records as u32).collect();
    let second: Group = (all - records as u32..all).collect();
    let releases = [first, second].map(|people| buckets(&people, &value, size, &mut random).0);
    constraint_problem(&value, &releases, &one_class_per_person(value.len()))
}

/// Ten generalized releases of `people` people each, in equivalence classes of 1,000 people.
///
/// Between two releases, one of twenty people is replaced. If `guided`, people stay in their class and a new person takes the
/// place of the leaver (history-guided). Otherwise every release has new random classes.
pub fn ten_releases(people: usize, guided: bool, seed: u64) -> Problem {
    let mut random = Random(seed);
    let mut value: Vec<Value> = (0..people).map(|_| random_value(&mut random)).collect();
    let mut members: Group = (0..people as u32).collect();
    let mut releases = Vec::with_capacity(RELEASES);
    for release in 0..RELEASES {
        for member in members.iter_mut().filter(|_| release > 0) {
            if random.below(REPLACED_ONE_IN) == 0 {
                *member = value.len() as u32;
                value.push(random_value(&mut random));
            }
        }
        let mut order = members.clone();
        if !guided {
            random.shuffle(&mut order);
        }
        releases.push(order.chunks(CLASS_SIZE).map(<[u32]>::to_vec).collect());
    }
    let classes = classes_by_groups(value.len(), &releases);
    constraint_problem(&value, &releases, &classes)
}
