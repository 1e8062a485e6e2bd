//! The two releases of the paper: D2 is D1 with some records deleted and as many inserted.

use reticent_inference::Value;

use crate::adult::{Records, column_index};
use crate::made::{Group, Random, buckets};
use crate::{Failure, SEED};

/// People with their values, and the people of both data sets.
pub struct Updated {
    /// Sensitive value of each person.
    pub value: Vec<Value>,
    pub first: Group,
    pub second: Group,
}

/// Two data sets of `size` records with `shared` common records. The second is the same for every value of `shared`.
pub fn updated(records: &Records, column: &str, size: usize, shared: usize) -> Result<Updated, Failure> {
    let value = shuffled(records, column)?;
    let all = (2 * size - shared) as u32;
    let value = value[..all as usize].to_vec();
    Ok(Updated { value, first: (all - size as u32..all).collect(), second: (0..size as u32).collect() })
}

/// The same first data set, and a second one in which the new records have the values of the deleted records.
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
            .ok_or("no remaining record has the value of a deleted record")?;
        made.second.push(made.value.len() as u32);
        made.value.push(spare.swap_remove(at));
    }
    Ok(made)
}

/// The values of all records in a fixed random order.
fn shuffled(records: &Records, column: &str) -> Result<Vec<Value>, Failure> {
    let mut value = records.codes[column_index(column)?].clone();
    Random(SEED).shuffle(&mut value);
    Ok(value)
}

/// Buckets of `l` distinct values, independent of other releases, or `None` if a value is too frequent.
pub fn independent(people: &[u32], value: &[Value], l: usize, seed: u64) -> Option<Vec<Group>> {
    let (buckets, left) = buckets(people, value, l, &mut Random(seed));
    left.is_empty().then_some(buckets)
}

/// History-guided buckets: they keep the buckets of the first release.
pub struct Guided {
    pub buckets: Vec<Group>,
    /// Number of slots of deleted records.
    pub slots: usize,
    /// Number of slots without a new record.
    pub empty: usize,
    /// Number of new records that match no bucket and are withheld.
    pub withheld: usize,
}

/// The second release in the buckets of the first.
///
/// A deleted record leaves a slot. A random new record with the same value fills it. The other new records form new buckets. Records
/// that remain are added to a new bucket without their value, as in Anatomy.
pub fn guided(made: &Updated, first: &[Group], l: usize, seed: u64) -> Guided {
    let mut random = Random(seed);
    let mut stays = vec![false; made.value.len()];
    made.second.iter().for_each(|person| stays[*person as usize] = true);
    let mut new = made.second.clone();
    new.retain(|person| !made.first.contains(person));
    random.shuffle(&mut new);
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
    let (mut own, left) = buckets(&new, &made.value, l, &mut random);
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
