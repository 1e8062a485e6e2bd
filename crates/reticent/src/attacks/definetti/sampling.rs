//! Worlds of marked groups, drawn: two records of a group exchange their values as often as the model says.

use super::{Bucket, Buckets, Posterior};
use crate::attacks::Confidence;
use crate::combos::Weight;

/// A world: by record of each group the places, in the group, of its kind and its value; and how often each kind has each value
/// in all.
struct World<'a> {
    buckets: &'a Buckets,
    groups: Vec<Vec<(usize, usize)>>,
    counts: Vec<Vec<Weight>>,
}

/// The estimate after so many sweeps, of which the first fifth does not count.
pub(in crate::attacks) fn posterior(buckets: &Buckets, sweeps: u64, seed: u64) -> Posterior {
    let mut random = Random(seed);
    let mut world = World::first(buckets);
    let nothing = |bucket: &Bucket| vec![vec![0u64; bucket.values.len()]; bucket.kinds.len()];
    let mut seen: Vec<Vec<Vec<u64>>> = buckets.groups.iter().map(nothing).collect();
    let settled = sweeps / 5;
    for sweep in 0..sweeps {
        for (group, seen) in seen.iter_mut().enumerate() {
            world.exchange(group, &mut random);
            if sweep >= settled {
                world.groups[group].iter().for_each(|(kind, value)| seen[*kind][*value] += 1);
            }
        }
    }
    let rounds = (sweeps - settled).max(1) as f64;
    let share = |count: &u64, people: Weight| Confidence::Estimate(*count as f64 / (rounds * people.max(1) as f64));
    let of_group = |(seen, bucket): (&Vec<Vec<u64>>, &Bucket)| {
        let kinds = seen.iter().zip(&bucket.kinds);
        kinds.map(|(counts, (_, people))| counts.iter().map(|count| share(count, *people)).collect()).collect()
    };
    seen.iter().zip(&buckets.groups).map(of_group).collect()
}

impl World<'_> {
    /// Values in the order of the kinds, whichever they are.
    fn first(buckets: &Buckets) -> World<'_> {
        let spread = |counts: &[(usize, Weight)]| -> Vec<usize> {
            counts.iter().enumerate().flat_map(|(place, (_, count))| (0..*count).map(move |_| place)).collect()
        };
        let groups = buckets.groups.iter();
        let groups = groups.map(|bucket| spread(&bucket.kinds).into_iter().zip(spread(&bucket.values)).collect());
        let groups: Vec<Vec<(usize, usize)>> = groups.collect();
        let mut counts = vec![vec![0; buckets.values]; buckets.kinds];
        for (bucket, records) in buckets.groups.iter().zip(&groups) {
            records.iter().for_each(|(kind, value)| counts[bucket.kinds[*kind].0][bucket.values[*value].0] += 1);
        }
        World { buckets, groups, counts }
    }

    /// Offers every record of a group an exchange of values with another.
    fn exchange(&mut self, group: usize, random: &mut Random) {
        let bucket = &self.buckets.groups[group];
        let records = &mut self.groups[group];
        for one in 0..records.len() {
            let other = random.below(records.len() as u64) as usize;
            let ((our_kind, our_value), (their_kind, their_value)) = (records[one], records[other]);
            if our_kind == their_kind || our_value == their_value {
                continue;
            }
            let (kind, value) = (bucket.kinds[our_kind].0, bucket.values[our_value].0);
            let (beside, there) = (bucket.kinds[their_kind].0, bucket.values[their_value].0);
            // The weights of the two worlds differ in four factorials only.
            let now = self.counts[kind][value] as f64 * self.counts[beside][there] as f64;
            let then = (self.counts[kind][there] + 1) as f64 * (self.counts[beside][value] + 1) as f64;
            if random.unit() * now < then {
                self.counts[kind][value] -= 1;
                self.counts[beside][there] -= 1;
                self.counts[kind][there] += 1;
                self.counts[beside][value] += 1;
                records[one].1 = their_value;
                records[other].1 = our_value;
            }
        }
    }
}

/// Numbers that look random and follow from the seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// From 0 up to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
