//! Sorts and merges equal combinations, like `reticent::contingency::combine`, but with packed keys. Sorting and
//! unpacking access memory sequentially, which is fast for many millions of combinations.

use rayon::prelude::*;
use reticent::contingency::{ContingencyTable, Weight, ascending, combine};
use reticent::taxonomy::Code;

/// Combinations in any order, possibly repeated.
pub(crate) struct CombinationBuffer {
    /// Number of bits of the codes of each part.
    widths: Vec<u32>,
    keys: PackedKeys,
    /// Number of combinations at which equal ones are merged next.
    merge_at: usize,
}

/// Number of combinations below which equal ones are not merged before all are collected.
const MIN_MERGED: usize = 1 << 16;

enum PackedKeys {
    Word(Vec<(u64, Weight)>),
    Double(Vec<(u128, Weight)>),
    /// Codes by part, and the weights.
    Codes(Vec<Vec<Code>>, Vec<Weight>),
}

impl CombinationBuffer {
    /// Creates a buffer for combinations whose codes fit into these numbers of bits.
    pub(crate) fn new(widths: Vec<u32>, capacity: usize) -> Self {
        let keys = match widths.iter().sum::<u32>() {
            0..=64 => PackedKeys::Word(Vec::with_capacity(capacity)),
            65..=128 => PackedKeys::Double(Vec::with_capacity(capacity)),
            _ => PackedKeys::Codes(vec![Vec::with_capacity(capacity); widths.len()], Vec::with_capacity(capacity)),
        };
        CombinationBuffer { widths, keys, merge_at: capacity.max(MIN_MERGED) }
    }

    /// Merges equal combinations if there are many more than at the last time.
    ///
    /// # Errors
    ///
    /// Returns the number of distinct combinations if they, and the table made of them, exceed a number of bytes.
    #[inline]
    pub(crate) fn keep_within(&mut self, bytes: u64) -> Result<(), usize> {
        if self.len() < self.merge_at { Ok(()) } else { self.merge(bytes) }
    }

    #[cold]
    fn merge(&mut self, bytes: u64) -> Result<(), usize> {
        let parts = self.widths.len();
        let key_bytes = match &mut self.keys {
            PackedKeys::Word(keys) => {
                merge_equal(keys);
                16
            }
            PackedKeys::Double(keys) => {
                merge_equal(keys);
                32
            }
            PackedKeys::Codes(columns, weights) => {
                let views: Vec<&[Code]> = columns.iter().map(Vec::as_slice).collect();
                let merged = combine(&views, weights, None);
                (*columns, *weights) = (merged.codes, merged.weights);
                4 * parts + 8
            }
        };
        let distinct = self.len();
        self.merge_at = 2 * distinct.max(MIN_MERGED);
        // Until the next merge, there can be twice as many.
        let needed = distinct * (2 * key_bytes + 4 * parts + 8);
        if needed as u64 > bytes { Err(distinct) } else { Ok(()) }
    }

    fn len(&self) -> usize {
        match &self.keys {
            PackedKeys::Word(keys) => keys.len(),
            PackedKeys::Double(keys) => keys.len(),
            PackedKeys::Codes(_, weights) => weights.len(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, codes: impl Iterator<Item = Code>, weight: Weight) {
        let parts = codes.zip(&self.widths);
        match &mut self.keys {
            PackedKeys::Word(keys) => {
                keys.push((parts.fold(0, |key, (code, width)| key << width | u64::from(code)), weight))
            }
            PackedKeys::Double(keys) => {
                keys.push((parts.fold(0, |key, (code, width)| key << width | u128::from(code)), weight))
            }
            PackedKeys::Codes(columns, weights) => {
                columns.iter_mut().zip(parts).for_each(|(column, (code, _))| column.push(code));
                weights.push(weight);
            }
        }
    }

    /// Returns the merged combinations. If there are owners, the owner is the last part.
    pub(crate) fn into_table(self, with_owners: bool) -> ContingencyTable {
        let (mut codes, weights) = match self.keys {
            PackedKeys::Word(mut keys) => {
                merge_equal(&mut keys);
                unpack(&self.widths, &keys, |key, shift| (key >> shift) as u32)
            }
            PackedKeys::Double(mut keys) => {
                merge_equal(&mut keys);
                unpack(&self.widths, &keys, |key, shift| (key >> shift) as u32)
            }
            PackedKeys::Codes(columns, weights) => {
                let views: Vec<&[Code]> = columns.iter().map(Vec::as_slice).collect();
                let contingency = combine(&views, &weights, None);
                (contingency.codes, contingency.weights)
            }
        };
        let owners = if with_owners { codes.pop() } else { None };
        ContingencyTable { codes, weights, owners }
    }
}

/// Distinct combinations in ascending order, and the index of each numbered combination.
pub(crate) struct IndexedCombinations {
    /// Codes by column, then by index.
    pub(crate) codes: Vec<Vec<Code>>,
    /// Number of combinations.
    pub(crate) len: usize,
    /// Index of the combination with each number.
    pub(crate) indices: Vec<u32>,
}

impl CombinationBuffer {
    /// Returns the distinct combinations. The weights are numbers from 0 on, in any order.
    pub(crate) fn into_indexed(self) -> IndexedCombinations {
        match self.keys {
            PackedKeys::Word(keys) => index_keys(&self.widths, keys, |key, shift| (key >> shift) as u32),
            PackedKeys::Double(keys) => index_keys(&self.widths, keys, |key, shift| (key >> shift) as u32),
            PackedKeys::Codes(columns, numbers) => index_codes(&columns, &numbers),
        }
    }
}

/// Sorts the keys and keeps one of equal keys. `low_bits` is that of `unpack`.
fn index_keys<K: Ord + Copy + Send + Sync>(
    widths: &[u32],
    mut keys: Vec<(K, u64)>,
    low_bits: impl Fn(K, u32) -> u32 + Sync,
) -> IndexedCombinations {
    keys.par_sort_unstable_by_key(|(key, _)| *key);
    let mut indices = vec![0; keys.len()];
    for (index, equal) in keys.chunk_by(|(one, _), (next, _)| one == next).enumerate() {
        equal.iter().for_each(|(_, number)| indices[*number as usize] = index as u32);
    }
    keys.dedup_by_key(|(key, _)| *key);
    let (codes, _) = unpack(widths, &keys, low_bits);
    IndexedCombinations { codes, len: keys.len(), indices }
}

/// Does the same for combinations that do not fit into a key.
fn index_codes(columns: &[Vec<Code>], numbers: &[u64]) -> IndexedCombinations {
    let views: Vec<&[Code]> = columns.iter().map(Vec::as_slice).collect();
    let order = ascending(&views, numbers.len());
    let mut indices = vec![0; numbers.len()];
    let mut firsts = Vec::new();
    let equal = |one: &u32, next: &u32| views.iter().all(|codes| codes[*one as usize] == codes[*next as usize]);
    for (index, equal) in order.chunk_by(equal).enumerate() {
        equal.iter().for_each(|at| indices[numbers[*at as usize] as usize] = index as u32);
        firsts.push(equal[0] as usize);
    }
    let codes = views.iter().map(|codes| firsts.iter().map(|at| codes[*at]).collect()).collect();
    IndexedCombinations { codes, len: firsts.len(), indices }
}

/// Sorts the keys and adds the weights of equal keys.
fn merge_equal<K: Ord + Copy + Send>(keys: &mut Vec<(K, Weight)>) {
    keys.par_sort_unstable_by_key(|(key, _)| *key);
    keys.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

/// Returns the codes by part, and the weights. `low_bits` returns the low 32 bits of a shifted key.
fn unpack<K: Copy + Sync>(
    widths: &[u32],
    keys: &[(K, Weight)],
    low_bits: impl Fn(K, u32) -> u32 + Sync,
) -> (Vec<Vec<Code>>, Vec<Weight>) {
    let column = |at: usize| -> Vec<Code> {
        let shift: u32 = widths[at + 1..].iter().sum();
        let mask = ((1u64 << widths[at]) - 1) as u32;
        // A part without bits has only the code 0. Its shift may be as wide as the key.
        if mask == 0 { vec![0; keys.len()] } else { keys.iter().map(|(key, _)| low_bits(*key, shift) & mask).collect() }
    };
    let codes = (0..widths.len()).into_par_iter().map(column).collect();
    (codes, keys.iter().map(|(_, weight)| *weight).collect())
}
