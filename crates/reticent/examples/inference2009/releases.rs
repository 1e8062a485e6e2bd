//! The two releases of the paper: D2 is D1 with some records gone and as many new ones.

use reticent_inference::Value;

use crate::adult::{Records, place};
use crate::made::{Draw, Group, buckets};
use crate::{Failure, SEED};

/// People, and who of them is in which release.
pub struct Updated {
    /// By person.
    pub value: Vec<Value>,
    pub first: Group,
    pub second: Group,
}

/// Records that make two data sets of `size` each, of which `shared` are in both. Whatever is shared, the second is the same.
pub fn updated(records: &Records, column: &str, size: usize, shared: usize) -> Result<Updated, Failure> {
    let value = shuffled(records, column)?;
    let all = (2 * size - shared) as u32;
    let value = value[..all as usize].to_vec();
    Ok(Updated { value, first: (all - size as u32..all).collect(), second: (0..size as u32).collect() })
}

/// The same first data set, and a second one whose new records have the values of those that are gone.
pub fn replaced(records: &Records, column: &str, size: usize, shared: usize) -> Result<Updated, Failure> {
    let all = shuffled(records, column)?;
    let mut made = updated(records, column, size, shared)?;
    let mut spare: Vec<Value> = all[made.value.len()..].to_vec();
    let gone = made.first.iter().filter(|person| !made.second.contains(person));
    let gone: Vec<Value> = gone.map(|person| made.value[*person as usize]).collect();
    made.second.retain(|person| made.first.contains(person));
    for value in gone {
        let at = spare
            .iter()
            .position(|spare| *spare == value)
            .ok_or("no record left with the value of one that is gone")?;
        made.second.push(made.value.len() as u32);
        made.value.push(spare.swap_remove(at));
    }
    Ok(made)
}

/// The values of all records in an order that is the same every time.
fn shuffled(records: &Records, column: &str) -> Result<Vec<Value>, Failure> {
    let mut value = records.codes[place(column)?].clone();
    Draw(SEED).shuffle(&mut value);
    Ok(value)
}

/// Buckets of so many different values, without regard to any other release. None when a value is too frequent for that.
pub fn independent(people: &[u32], value: &[Value], l: usize, seed: u64) -> Option<Vec<Group>> {
    let (buckets, left) = buckets(people, value, l, &mut Draw(seed));
    left.is_empty().then_some(buckets)
}

/// Buckets that keep those of the first release.
pub struct Guided {
    pub buckets: Vec<Group>,
    /// Places of records that are gone, and how many of them got no new record.
    pub slots: usize,
    pub empty: usize,
    /// New records that fit nowhere and are not released.
    pub withheld: usize,
}

/// The second release in the buckets of the first: whoever is gone leaves a slot, which a new record with the same value fills, any
/// of those as likely. The other new records get buckets of their own; of these, Anatomy puts one that is left over into a bucket
/// without its value.
pub fn guided(made: &Updated, first: &[Group], l: usize, seed: u64) -> Guided {
    let mut draw = Draw(seed);
    let mut stays = vec![false; made.value.len()];
    made.second.iter().for_each(|person| stays[*person as usize] = true);
    let mut new = made.second.clone();
    new.retain(|person| !made.first.contains(person));
    draw.shuffle(&mut new);
    let mut guided = Guided { buckets: Vec::new(), slots: 0, empty: 0, withheld: 0 };
    for bucket in first {
        let mut kept: Group = bucket.iter().copied().filter(|person| stays[*person as usize]).collect();
        for gone in bucket.iter().filter(|person| !stays[**person as usize]) {
            guided.slots += 1;
            let same = |person: &u32| made.value[*person as usize] == made.value[*gone as usize];
            match new.iter().position(same) {
                Some(at) => kept.push(new.swap_remove(at)),
                None => guided.empty += 1,
            }
        }
        guided.buckets.push(kept);
    }
    guided.buckets.retain(|bucket| !bucket.is_empty());
    let (mut own, left) = buckets(&new, &made.value, l, &mut draw);
    for person in left {
        let same = |other: &u32| made.value[*other as usize] == made.value[person as usize];
        match own.iter_mut().find(|bucket| !bucket.iter().any(same)) {
            Some(bucket) => bucket.push(person),
            None => guided.withheld += 1,
        }
    }
    guided.buckets.extend(own);
    guided
}
