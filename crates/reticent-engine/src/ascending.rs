//! Puts equal combinations together in ascending order, like `reticent::combos::combine`, but from packed keys: sorting
//! and unpacking run through memory in order, which is what makes many millions of combinations fast.

use rayon::prelude::*;
use reticent::combos::{Combos, Weight, ascending, combine};
use reticent::taxonomy::Code;

/// Combinations in any order, possibly repeated.
pub(crate) struct Collected {
    /// By part of a combination: how many bits its codes have.
    widths: Vec<u32>,
    keys: Keys,
}

enum Keys {
    Word(Vec<(u64, Weight)>),
    Double(Vec<(u128, Weight)>),
    /// By part, and the weights.
    Codes(Vec<Vec<Code>>, Vec<Weight>),
}

impl Collected {
    /// For combinations whose codes have at most these numbers of bits.
    pub(crate) fn new(widths: Vec<u32>, capacity: usize) -> Self {
        let keys = match widths.iter().sum::<u32>() {
            0..=64 => Keys::Word(Vec::with_capacity(capacity)),
            65..=128 => Keys::Double(Vec::with_capacity(capacity)),
            _ => Keys::Codes(vec![Vec::with_capacity(capacity); widths.len()], Vec::with_capacity(capacity)),
        };
        Collected { widths, keys }
    }

    #[inline]
    pub(crate) fn push(&mut self, codes: impl Iterator<Item = Code>, weight: Weight) {
        let parts = codes.zip(&self.widths);
        match &mut self.keys {
            Keys::Word(keys) => keys.push((parts.fold(0, |key, (code, width)| key << width | u64::from(code)), weight)),
            Keys::Double(keys) => {
                keys.push((parts.fold(0, |key, (code, width)| key << width | u128::from(code)), weight))
            }
            Keys::Codes(columns, weights) => {
                columns.iter_mut().zip(parts).for_each(|(column, (code, _))| column.push(code));
                weights.push(weight);
            }
        }
    }

    /// All combinations; the last part is the owner, if there are owners.
    pub(crate) fn combined(self, with_owners: bool) -> Combos {
        let (mut codes, weights) = match self.keys {
            Keys::Word(mut keys) => {
                put_together(&mut keys);
                unpack(&self.widths, &keys, |key, shift| (key >> shift) as u32)
            }
            Keys::Double(mut keys) => {
                put_together(&mut keys);
                unpack(&self.widths, &keys, |key, shift| (key >> shift) as u32)
            }
            Keys::Codes(columns, weights) => {
                let views: Vec<&[Code]> = columns.iter().map(Vec::as_slice).collect();
                let combos = combine(&views, &weights, None);
                (combos.codes, combos.weights)
            }
        };
        let owners = if with_owners { codes.pop() } else { None };
        Combos { codes, weights, owners }
    }
}

/// Distinct combinations, ascending, where each that was pushed had a number.
pub(crate) struct Placed {
    /// By column, by place.
    pub(crate) codes: Vec<Vec<Code>>,
    /// How many there are.
    pub(crate) len: usize,
    /// By number: the place of the combination that had it.
    pub(crate) places: Vec<u32>,
}

impl Collected {
    /// All combinations once, where the weight of each is its number: those from 0 on, in any order.
    pub(crate) fn placed(self) -> Placed {
        match self.keys {
            Keys::Word(keys) => place_keys(&self.widths, keys, |key, shift| (key >> shift) as u32),
            Keys::Double(keys) => place_keys(&self.widths, keys, |key, shift| (key >> shift) as u32),
            Keys::Codes(columns, numbers) => place_codes(&columns, &numbers),
        }
    }
}

/// Sorts, and keeps one of equal keys. `low_bits` as for `unpack`.
fn place_keys<K: Ord + Copy + Send + Sync>(
    widths: &[u32],
    mut keys: Vec<(K, u64)>,
    low_bits: impl Fn(K, u32) -> u32 + Sync,
) -> Placed {
    keys.par_sort_unstable_by_key(|(key, _)| *key);
    let mut places = vec![0; keys.len()];
    for (place, equal) in keys.chunk_by(|(one, _), (next, _)| one == next).enumerate() {
        equal.iter().for_each(|(_, number)| places[*number as usize] = place as u32);
    }
    keys.dedup_by_key(|(key, _)| *key);
    let (codes, _) = unpack(widths, &keys, low_bits);
    Placed { codes, len: keys.len(), places }
}

/// The same for combinations that fit no key.
fn place_codes(columns: &[Vec<Code>], numbers: &[u64]) -> Placed {
    let views: Vec<&[Code]> = columns.iter().map(Vec::as_slice).collect();
    let order = ascending(&views, numbers.len());
    let mut places = vec![0; numbers.len()];
    let mut firsts = Vec::new();
    let equal = |one: &u32, next: &u32| views.iter().all(|codes| codes[*one as usize] == codes[*next as usize]);
    for (place, equal) in order.chunk_by(equal).enumerate() {
        equal.iter().for_each(|at| places[numbers[*at as usize] as usize] = place as u32);
        firsts.push(equal[0] as usize);
    }
    let codes = views.iter().map(|codes| firsts.iter().map(|at| codes[*at]).collect()).collect();
    Placed { codes, len: firsts.len(), places }
}

/// Sorts, and adds up the weights of equal keys.
fn put_together<K: Ord + Copy + Send>(keys: &mut Vec<(K, Weight)>) {
    keys.par_sort_unstable_by_key(|(key, _)| *key);
    keys.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

/// The codes by part, and the weights. `low_bits` gives the low 32 bits of a key after a shift.
fn unpack<K: Copy + Sync>(
    widths: &[u32],
    keys: &[(K, Weight)],
    low_bits: impl Fn(K, u32) -> u32 + Sync,
) -> (Vec<Vec<Code>>, Vec<Weight>) {
    let column = |at: usize| -> Vec<Code> {
        let shift: u32 = widths[at + 1..].iter().sum();
        let mask = ((1u64 << widths[at]) - 1) as u32;
        // A part without bits has one code only; its shift may be as wide as the key.
        if mask == 0 { vec![0; keys.len()] } else { keys.iter().map(|(key, _)| low_bits(*key, shift) & mask).collect() }
    };
    let codes = (0..widths.len()).into_par_iter().map(column).collect();
    (codes, keys.iter().map(|(_, weight)| *weight).collect())
}
