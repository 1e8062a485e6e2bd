//! Row order of releases in databases: by a hash of the seed, the row and its occurrence, which every engine can compute.
//!
//! The key of a row is the SHA-256 hash of `SEED:ROW:OCCURRENCE`: the seed in decimal, the digest of the row in hexadecimal, and the
//! number of the occurrence among equal rows, from 1. The digest of a row is the SHA-256 hash of its texts, each as its length in
//! bytes in decimal, a colon and the text. Two different rows have different encodings. Rows are in ascending order of their keys.

use std::collections::BTreeMap;
use std::fmt::Write;

use rayon::prelude::*;
use reticent::Counts;
use reticent::contingency::{ContingencyTable, Weight};
use sha2::{Digest, Sha256};

/// Maximum number of rows that are ordered in memory at a time, approximately.
const BUCKET_ROWS: Weight = 4 << 20;

/// Returns the digest of every combination, in hexadecimal.
pub(crate) fn row_digests(rows: &Counts) -> Vec<String> {
    let digest = |at: usize| {
        let mut hash = Sha256::new();
        for (texts, codes) in rows.values.iter().zip(&rows.contingency.codes) {
            let text = texts[codes[at] as usize].as_str();
            hash.update(format!("{}:", text.len()));
            hash.update(text);
        }
        hex(&hash.finalize())
    };
    (0..rows.contingency.len()).into_par_iter().map(digest).collect()
}

/// Returns a hash of the column names and of the rows, which does not depend on their order. Owners are not part of it.
pub fn content_digest(rows: &Counts) -> String {
    let mut counted: BTreeMap<String, Weight> = BTreeMap::new();
    for (digest, weight) in row_digests(rows).into_iter().zip(&rows.contingency.weights) {
        *counted.entry(digest).or_insert(0) += weight;
    }
    let mut hash = Sha256::new();
    for name in &rows.names {
        hash.update(format!("{}:{name}\n", name.len()));
    }
    for (digest, weight) in counted {
        hash.update(format!("{digest}:{weight}\n"));
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Leading bits of the key of an occurrence.
fn key(seed: u64, digest: &str, occurrence: Weight) -> u128 {
    let hash = Sha256::digest(format!("{seed}:{digest}:{occurrence}"));
    hash.iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte))
}

/// Rows in the order of their keys, in parts. A row is the index of its combination.
///
/// Keys are compared by 128 of their 256 bits: among 2^40 rows, the probability that two of them are equal is below 2^-48.
pub(crate) struct HashOrder {
    digests: Vec<String>,
    /// First combination and occurrence of each combination, for combinations with owners: equal rows of several owners are numbered
    /// as one row.
    before: Vec<Weight>,
    weights: Vec<Weight>,
    seed: u64,
    buckets: u128,
    next: u128,
}

impl HashOrder {
    /// Creates the iterator. The combinations must be in ascending order of published values, then of owner.
    pub(crate) fn new(rows: &Counts, seed: u64) -> HashOrder {
        let buckets = rows.contingency.rows().div_ceil(BUCKET_ROWS).max(1);
        HashOrder::with_buckets(rows, seed, buckets)
    }

    fn with_buckets(rows: &Counts, seed: u64, buckets: u64) -> HashOrder {
        HashOrder {
            digests: row_digests(rows),
            before: occurrences_before(&rows.contingency),
            weights: rows.contingency.weights.clone(),
            seed,
            buckets: buckets.into(),
            next: 0,
        }
    }

    /// Returns the part of the keys that a key belongs to. Parts are ranges of keys in ascending order.
    fn bucket(&self, key: u128) -> u128 {
        ((key >> 64) * self.buckets) >> 64
    }
}

/// Returns, for each combination, the number of earlier rows that are equal to it.
fn occurrences_before(contingency: &ContingencyTable) -> Vec<Weight> {
    let mut before = vec![0; contingency.len()];
    for at in 1..contingency.len() {
        let is_equal = contingency.codes.iter().all(|codes| codes[at] == codes[at - 1]);
        before[at] = if is_equal { before[at - 1] + contingency.weights[at - 1] } else { 0 };
    }
    before
}

impl Iterator for HashOrder {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        if self.next >= self.buckets {
            return None;
        }
        let this = &*self;
        let occurrences = |at: usize| {
            let numbers = this.before[at] + 1..=this.before[at] + this.weights[at];
            let keys = numbers.map(move |occurrence| (key(this.seed, &this.digests[at], occurrence), at as u32));
            keys.filter(move |(key, _)| this.bucket(*key) == this.next)
        };
        let mut keyed: Vec<(u128, u32)> = (0..self.weights.len()).into_par_iter().flat_map_iter(occurrences).collect();
        keyed.par_sort_unstable();
        self.next += 1;
        Some(keyed.into_iter().map(|(_, at)| at).collect())
    }
}

#[cfg(test)]
mod tests {
    use reticent::Counts;
    use reticent::contingency::ContingencyTable;

    use super::HashOrder;

    fn rows(weights: Vec<u64>, owners: Option<Vec<u32>>, codes: Vec<u32>) -> Counts {
        let contingency = ContingencyTable { codes: vec![codes], weights, owners };
        Counts {
            names: vec!["a".to_owned()],
            values: vec![vec!["x".to_owned(), "y".to_owned()]],
            contingency,
            links: None,
        }
    }

    /// The keys were computed with the module `hashlib` of Python. The digests are those of `1:x` and `1:y`.
    #[test]
    fn the_order_is_that_of_the_hashes() {
        let order: Vec<u32> = HashOrder::new(&rows(vec![2, 2], None, vec![0, 1]), 7).flatten().collect();
        assert_eq!(order, [1, 0, 1, 0]);
    }

    #[test]
    fn parts_do_not_change_the_order() {
        let rows = rows(vec![40, 60], None, vec![0, 1]);
        let whole: Vec<u32> = HashOrder::new(&rows, 3).flatten().collect();
        let parts: Vec<u32> = HashOrder::with_buckets(&rows, 3, 7).flatten().collect();
        assert_eq!((whole.len(), whole), (100, parts));
    }

    /// Who owns a row has no influence on where it stands.
    #[test]
    fn owners_do_not_change_the_order() {
        let one = rows(vec![5], None, vec![0]);
        let several = rows(vec![2, 3], Some(vec![4, 9]), vec![0, 0]);
        let order: Vec<u32> = HashOrder::new(&several, 3).flatten().collect();
        assert_eq!(order.len(), HashOrder::new(&one, 3).flatten().count());
        assert_eq!(order.iter().filter(|at| **at == 0).count(), 2);
    }
}
