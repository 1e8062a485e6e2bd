//! The histories that are measured.

use reticent_inference::{Problem, Value};

use crate::made::{Draw, Group, alike, buckets, each, puzzle};

/// How many of the 45,222 complete records of Adult have each of the 14 occupations.
const OCCUPATIONS: [usize; 14] =
    [6_020, 6_008, 5_984, 5_540, 5_408, 4_808, 2_970, 2_316, 2_046, 1_480, 1_420, 976, 232, 14];
/// People in a class of a generalized release.
const CLASS: usize = 1_000;
const RELEASES: usize = 10;
/// One in so many has left by the next release, and somebody else has come.
const LEAVES: usize = 20;

/// A hidden value, as likely as the occupation is frequent.
fn any_value(draw: &mut Draw) -> Value {
    let mut at = draw.below(OCCUPATIONS.iter().sum());
    let mut value = 0;
    while at >= OCCUPATIONS[value] {
        at -= OCCUPATIONS[value];
        value += 1;
    }
    value as Value
}

/// The paper's: two releases of `records` people each, of whom `shared` are in both, each in buckets of `size` by itself.
pub fn two_releases(records: usize, shared: usize, size: usize, seed: u64) -> Problem {
    let mut draw = Draw(seed);
    let all = (2 * records - shared) as u32;
    let value: Vec<Value> = (0..all).map(|_| any_value(&mut draw)).collect();
    let first: Group = (0..records as u32).collect();
    let second: Group = (all - records as u32..all).collect();
    let releases = [first, second].map(|people| buckets(&people, &value, size, &mut draw).0);
    puzzle(&value, &releases, &each(value.len()))
}

/// Ten generalized releases of `people` people each, in classes of a thousand. One in twenty leaves between a release and the
/// next, and somebody comes. History-guided: everybody stays in their class, and who comes takes the place of who left.
/// Otherwise classes are drawn anew.
pub fn ten_releases(people: usize, guided: bool, seed: u64) -> Problem {
    let mut draw = Draw(seed);
    let mut value: Vec<Value> = (0..people).map(|_| any_value(&mut draw)).collect();
    let mut places: Group = (0..people as u32).collect();
    let mut releases = Vec::with_capacity(RELEASES);
    for release in 0..RELEASES {
        for place in places.iter_mut().filter(|_| release > 0) {
            if draw.below(LEAVES) == 0 {
                *place = value.len() as u32;
                value.push(any_value(&mut draw));
            }
        }
        let mut order = places.clone();
        if !guided {
            draw.shuffle(&mut order);
        }
        releases.push(order.chunks(CLASS).map(<[u32]>::to_vec).collect());
    }
    let crowds = alike(value.len(), &releases);
    puzzle(&value, &releases, &crowds)
}
