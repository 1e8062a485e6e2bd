//! Combinations of codes as the keys of a map, packed into one word as long as they fit.

use hashbrown::HashMap;
use reticent::combos::{Weight, bits};
use reticent::taxonomy::Code;
use rustc_hash::FxBuildHasher;

type Map<K> = HashMap<K, Weight, FxBuildHasher>;

/// How often each combination was met.
pub(crate) struct Keys {
    /// By column: how many bits its codes have.
    widths: Vec<u32>,
    packed: Packed,
}

enum Packed {
    Word(Map<u64>),
    Double(Map<u128>),
    Codes(Map<Vec<Code>>),
}

impl Packed {
    fn fitting(widths: &[u32], capacity: usize) -> Self {
        match widths.iter().sum::<u32>() {
            0..=64 => Packed::Word(Map::with_capacity_and_hasher(capacity, FxBuildHasher)),
            65..=128 => Packed::Double(Map::with_capacity_and_hasher(capacity, FxBuildHasher)),
            _ => Packed::Codes(Map::with_capacity_and_hasher(capacity, FxBuildHasher)),
        }
    }
}

impl Keys {
    pub(crate) fn new(columns: usize) -> Self {
        let widths = vec![4; columns];
        Keys { packed: Packed::fitting(&widths, 0), widths }
    }

    /// Counts a combination.
    #[inline]
    pub(crate) fn add(&mut self, codes: &[Code], weight: Weight) {
        let outgrown = codes.iter().zip(&self.widths).fold(0, |over, (code, width)| over | u64::from(*code) >> width);
        if outgrown != 0 {
            self.widen(codes);
        }
        self.insert(codes, weight);
    }

    #[inline]
    fn insert(&mut self, codes: &[Code], weight: Weight) {
        let Keys { widths, packed } = self;
        match packed {
            Packed::Word(map) => {
                let key = codes.iter().zip(widths).fold(0u64, |key, (code, width)| key << *width | u64::from(*code));
                *map.entry(key).or_insert(0) += weight;
            }
            Packed::Double(map) => {
                let key = codes.iter().zip(widths).fold(0u128, |key, (code, width)| key << *width | u128::from(*code));
                *map.entry(key).or_insert(0) += weight;
            }
            Packed::Codes(map) => *map.entry_ref(codes).or_insert(0) += weight,
        }
    }

    /// Packs all keys anew, with room for these codes and twice as many.
    fn widen(&mut self, codes: &[Code]) {
        let needed =
            |(code, width): (&Code, &u32)| if u64::from(*code) >> width == 0 { *width } else { bits(*code) + 1 };
        let widths: Vec<u32> = codes.iter().zip(&self.widths).map(needed).map(|width| width.min(u32::BITS)).collect();
        let packed = Packed::fitting(&widths, self.len());
        let mut wider = Keys { widths, packed };
        self.for_each(|codes, weight| wider.insert(codes, weight));
        *self = wider;
    }

    /// How many distinct combinations.
    pub(crate) fn len(&self) -> usize {
        match &self.packed {
            Packed::Word(map) => map.len(),
            Packed::Double(map) => map.len(),
            Packed::Codes(map) => map.len(),
        }
    }

    /// Every combination with its weight, in no order.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&[Code], Weight)) {
        let mut codes = vec![0; self.widths.len()];
        match &self.packed {
            Packed::Word(map) => {
                for (key, weight) in map {
                    unpack(u128::from(*key), &self.widths, &mut codes);
                    visit(&codes, *weight);
                }
            }
            Packed::Double(map) => {
                for (key, weight) in map {
                    unpack(*key, &self.widths, &mut codes);
                    visit(&codes, *weight);
                }
            }
            Packed::Codes(map) => map.iter().for_each(|(codes, weight)| visit(codes, *weight)),
        }
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> u64 {
        // Entries and their control bytes; beside them the codes and what their allocation costs.
        let bytes = match &self.packed {
            Packed::Word(map) => map.capacity() * 17 * 8 / 7,
            Packed::Double(map) => map.capacity() * 33 * 8 / 7,
            Packed::Codes(map) => map.capacity() * 33 * 8 / 7 + map.len() * (4 * self.widths.len() + 16),
        };
        bytes as u64
    }
}

fn unpack(mut key: u128, widths: &[u32], codes: &mut [Code]) {
    for (code, width) in codes.iter_mut().zip(widths).rev() {
        *code = (key & ((1 << width) - 1)) as Code;
        key >>= width;
    }
}
