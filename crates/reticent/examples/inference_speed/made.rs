//! Two releases of nearly the same people, each bucketized by itself.

use reticent::inference::{Count, Crowd, Puzzle, Value};

/// A small generator of numbers that look random (SplitMix64).
pub struct Draw(pub u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Buckets of `size` people with different values, as Anatomy forms them: one each of the values with most people left. Who is
/// left over at the end is not released.
pub fn buckets(people: &[u32], value: &[Value], size: usize, draw: &mut Draw) -> Vec<Vec<u32>> {
    let values = people.iter().map(|person| value[*person as usize]).max().map_or(0, |most| most as usize + 1);
    let mut left: Vec<Vec<u32>> = vec![Vec::new(); values];
    people.iter().for_each(|person| left[value[*person as usize] as usize].push(*person));
    let mut buckets = Vec::new();
    loop {
        let mut order: Vec<usize> = (0..values).filter(|value| !left[*value].is_empty()).collect();
        if order.len() < size {
            return buckets;
        }
        order.sort_by_key(|value| std::cmp::Reverse(left[*value].len()));
        let mut bucket = Vec::with_capacity(size);
        for value in &order[..size] {
            let at = draw.below(left[*value].len());
            bucket.push(left[*value].swap_remove(at));
        }
        buckets.push(bucket);
    }
}

/// Two releases of `records` people each, of whom `shared` are in both, in buckets of `size`.
pub fn two_releases(records: usize, shared: usize, size: usize, values: usize, seed: u64) -> Puzzle {
    let mut draw = Draw(seed);
    let all = 2 * records - shared;
    // Values of falling frequency, none above one in `size`.
    let value: Vec<Value> =
        (0..all).map(|_| draw.below(values).min(draw.below(values + values / 2)) as Value).collect();
    let first: Vec<u32> = (0..records as u32).collect();
    let second: Vec<u32> = ((records - shared) as u32..all as u32).collect();
    let releases = [buckets(&first, &value, size, &mut draw), buckets(&second, &value, size, &mut draw)];
    puzzle(all, &value, &releases)
}

/// What an attacker who knows who is in which bucket has.
pub fn puzzle(people: usize, value: &[Value], releases: &[Vec<Vec<u32>>]) -> Puzzle {
    let mut may: Vec<Option<Vec<Value>>> = vec![None; people];
    let mut counts = Vec::new();
    for (source, buckets) in (0..).zip(releases) {
        for bucket in buckets {
            let mut values: Vec<Value> = bucket.iter().map(|person| value[*person as usize]).collect();
            values.sort_unstable();
            let mut distinct = values.clone();
            distinct.dedup();
            for person in bucket {
                match &mut may[*person as usize] {
                    Some(may) => may.retain(|value| distinct.contains(value)),
                    none => *none = Some(distinct.clone()),
                }
            }
            for value in distinct {
                let number = values.iter().filter(|other| **other == value).count() as u64;
                counts.push(Count {
                    source,
                    of: bucket.iter().map(|person| (*person, value)).collect(),
                    least: number,
                    most: number,
                });
            }
        }
    }
    let crowds = may.into_iter().map(|may| match may {
        Some(may) => Crowd { people: 1, may },
        None => Crowd { people: 0, may: Vec::new() },
    });
    let crowds: Vec<Crowd> = crowds.collect();
    let seen = (0..people as u32)
        .filter(|person| crowds[*person as usize].people > 0)
        .map(|person| (person, value[person as usize], 1))
        .collect();
    Puzzle { crowds, counts, seen: Some(seen) }
}
