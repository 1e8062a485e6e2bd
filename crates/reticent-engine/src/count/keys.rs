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
    /// Words met but not yet counted: counted many at a time, the waits for memory overlap.
    pending: Vec<u64>,
}

const MOST_PENDING: usize = 256;

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
        Keys { packed: Packed::fitting(&widths, 0), widths, pending: Vec::with_capacity(MOST_PENDING) }
    }

    /// Counts a row with this combination.
    #[inline]
    pub(crate) fn add(&mut self, codes: &[Code]) {
        let outgrown = codes.iter().zip(&self.widths).fold(0, |over, (code, width)| over | u64::from(*code) >> width);
        if outgrown != 0 {
            self.widen(codes);
        }
        if !matches!(self.packed, Packed::Word(_)) {
            return self.insert(codes, 1);
        }
        self.pending.push(word(codes, &self.widths));
        if self.pending.len() == MOST_PENDING {
            self.settle();
        }
    }

    fn settle(&mut self) {
        if let Packed::Word(map) = &mut self.packed {
            for key in self.pending.drain(..) {
                *map.entry(key).or_insert(0) += 1;
            }
        }
    }

    fn insert(&mut self, codes: &[Code], weight: Weight) {
        let Keys { widths, packed, .. } = self;
        match packed {
            Packed::Word(map) => *map.entry(word(codes, widths)).or_insert(0) += weight,
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
        let mut wider = Keys { widths, packed, pending: Vec::with_capacity(MOST_PENDING) };
        self.for_each(|codes, weight| wider.insert(codes, weight));
        *self = wider;
    }

    /// About how many distinct combinations; never fewer than there are.
    pub(crate) fn len(&self) -> usize {
        match &self.packed {
            Packed::Word(map) => map.len() + self.pending.len(),
            Packed::Double(map) => map.len(),
            Packed::Codes(map) => map.len(),
        }
    }

    /// Every combination with its weight, in no order; some come several times, with a part of their weight each.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&[Code], Weight)) {
        let mut codes = vec![0; self.widths.len()];
        match &self.packed {
            Packed::Word(map) => {
                for (key, weight) in map {
                    unpack(u128::from(*key), &self.widths, &mut codes);
                    visit(&codes, *weight);
                }
                for key in &self.pending {
                    unpack(u128::from(*key), &self.widths, &mut codes);
                    visit(&codes, 1);
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

#[inline]
fn word(codes: &[Code], widths: &[u32]) -> u64 {
    codes.iter().zip(widths).fold(0, |key, (code, width)| key << width | u64::from(*code))
}

fn unpack(mut key: u128, widths: &[u32], codes: &mut [Code]) {
    for (code, width) in codes.iter_mut().zip(widths).rev() {
        *code = (key & ((1 << width) - 1)) as Code;
        key >>= width;
    }
}
