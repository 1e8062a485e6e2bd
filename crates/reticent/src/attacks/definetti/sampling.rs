//! Estimated posteriors of a bucketized release, by a Metropolis chain that swaps values within groups.

use super::{AnatomyBucket, AnatomyBuckets, BucketPosteriors};
use crate::attacks::AttackConfidence;
use crate::data::contingency::Weight;

/// Possible world: the state of the Markov chain.
struct World<'a> {
    buckets: &'a AnatomyBuckets,
    /// By group, by record: positions of its kind and its value in the group.
    groups: Vec<Vec<(usize, usize)>>,
    /// By kind, by value: number of records in all groups.
    counts: Vec<Vec<Weight>>,
}

/// The posteriors estimated by `sweeps` sweeps; the first fifth is burn-in.
pub(in crate::attacks) fn posterior(buckets: &AnatomyBuckets, sweeps: u64, seed: u64) -> BucketPosteriors {
    let mut random = ChainRng(seed);
    let mut world = World::first(buckets);
    let zero = |bucket: &AnatomyBucket| vec![vec![0u64; bucket.values.len()]; bucket.kinds.len()];
    let mut tallies: Vec<Vec<Vec<u64>>> = buckets.groups.iter().map(zero).collect();
    let burn_in = sweeps / 5;
    for sweep in 0..sweeps {
        for (group, tallies) in tallies.iter_mut().enumerate() {
            world.exchange(group, &mut random);
            if sweep >= burn_in {
                world.groups[group].iter().for_each(|(kind, value)| tallies[*kind][*value] += 1);
            }
        }
    }
    let samples = (sweeps - burn_in).max(1) as f64;
    let share =
        |count: &u64, people: Weight| AttackConfidence::Estimate(*count as f64 / (samples * people.max(1) as f64));
    let of_group = |(tallies, bucket): (&Vec<Vec<u64>>, &AnatomyBucket)| {
        let kinds = tallies.iter().zip(&bucket.kinds);
        kinds.map(|(counts, (_, people))| counts.iter().map(|count| share(count, *people)).collect()).collect()
    };
    tallies.iter().zip(&buckets.groups).map(of_group).collect()
}

impl World<'_> {
    /// Initial world: the values of each group, in ascending order, assigned to its records in ascending order of their kinds.
    fn first(buckets: &AnatomyBuckets) -> World<'_> {
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

    /// One sweep over a group: proposes, for every record, to swap its value with that of a random record of the group.
    fn exchange(&mut self, group: usize, random: &mut ChainRng) {
        let bucket = &self.buckets.groups[group];
        let records = &mut self.groups[group];
        for one in 0..records.len() {
            let other = random.below(records.len() as u64) as usize;
            let ((our_kind, our_value), (their_kind, their_value)) = (records[one], records[other]);
            if our_kind == their_kind || our_value == their_value {
                continue;
            }
            let (kind, value) = (bucket.kinds[our_kind].0, bucket.values[our_value].0);
            let (other_kind, other_value) = (bucket.kinds[their_kind].0, bucket.values[their_value].0);
            // The ratio of the weights of the two worlds: only four factorials differ.
            let current = self.counts[kind][value] as f64 * self.counts[other_kind][other_value] as f64;
            let proposed = (self.counts[kind][other_value] + 1) as f64 * (self.counts[other_kind][value] + 1) as f64;
            if random.unit() * current < proposed {
                self.counts[kind][value] -= 1;
                self.counts[other_kind][other_value] -= 1;
                self.counts[kind][other_value] += 1;
                self.counts[other_kind][value] += 1;
                records[one].1 = their_value;
                records[other].1 = our_value;
            }
        }
    }
}

/// Pseudorandom number generator (splitmix64).
struct ChainRng(u64);

impl ChainRng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound` - 1.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
