//! A map from combinations of codes to numbers; its keys are packed into one word as long as they fit.

use hashbrown::HashMap;
use reticent::combos::bits;
use reticent::taxonomy::Code;
use rustc_hash::FxBuildHasher;

type Map<K> = HashMap<K, u64, FxBuildHasher>;

/// A number for each combination.
pub(super) struct PackedMap {
    /// By column: how many bits its codes have.
    widths: Vec<u32>,
    entries: Entries,
}

enum Entries {
    Word(Map<u64>),
    Double(Map<u128>),
    Codes(Map<Vec<Code>>),
}

impl Entries {
    fn fitting(widths: &[u32], capacity: usize) -> Self {
        match widths.iter().sum::<u32>() {
            0..=64 => Entries::Word(Map::with_capacity_and_hasher(capacity, FxBuildHasher)),
            65..=128 => Entries::Double(Map::with_capacity_and_hasher(capacity, FxBuildHasher)),
            _ => Entries::Codes(Map::with_capacity_and_hasher(capacity, FxBuildHasher)),
        }
    }
}

impl PackedMap {
    pub(super) fn new(columns: usize) -> Self {
        let widths = vec![4; columns];
        PackedMap { entries: Entries::fitting(&widths, 0), widths }
    }

    /// Whether the keys have room for these codes.
    #[inline]
    pub(super) fn has_room(&self, codes: &[Code]) -> bool {
        codes.iter().zip(&self.widths).fold(0, |over, (code, width)| over | u64::from(*code) >> width) == 0
    }

    /// The key of a combination, where a word is enough.
    #[inline]
    pub(super) fn word(&self, codes: &[Code]) -> Option<u64> {
        matches!(self.entries, Entries::Word(_)).then(|| word(codes, &self.widths))
    }

    /// The numbers by key, where a word is enough.
    #[inline]
    pub(super) fn words(&mut self) -> Option<&mut Map<u64>> {
        if let Entries::Word(map) = &mut self.entries { Some(map) } else { None }
    }

    /// The number of a combination, which is `first` when there was none. The keys must have room for it.
    pub(super) fn number(&mut self, codes: &[Code], first: u64) -> &mut u64 {
        let PackedMap { widths, entries } = self;
        match entries {
            Entries::Word(map) => map.entry(word(codes, widths)).or_insert(first),
            Entries::Double(map) => {
                let key = codes.iter().zip(widths).fold(0u128, |key, (code, width)| key << *width | u128::from(*code));
                map.entry(key).or_insert(first)
            }
            Entries::Codes(map) => map.entry_ref(codes).or_insert(first),
        }
    }

    /// Packs all keys anew, with room for these codes and twice as many.
    pub(super) fn widen(&mut self, codes: &[Code]) {
        let needed =
            |(code, width): (&Code, &u32)| if u64::from(*code) >> width == 0 { *width } else { bits(*code) + 1 };
        let widths: Vec<u32> = codes.iter().zip(&self.widths).map(needed).map(|width| width.min(u32::BITS)).collect();
        let mut wider = PackedMap { entries: Entries::fitting(&widths, self.len()), widths };
        self.for_each(|codes, number| *wider.number(codes, 0) = number);
        *self = wider;
    }

    /// How many combinations.
    pub(super) fn len(&self) -> usize {
        match &self.entries {
            Entries::Word(map) => map.len(),
            Entries::Double(map) => map.len(),
            Entries::Codes(map) => map.len(),
        }
    }

    /// Every combination with its number, in no order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&[Code], u64)) {
        let mut codes = vec![0; self.widths.len()];
        match &self.entries {
            Entries::Word(map) => {
                for (key, number) in map {
                    unpack(u128::from(*key), &self.widths, &mut codes);
                    visit(&codes, *number);
                }
            }
            Entries::Double(map) => {
                for (key, number) in map {
                    unpack(*key, &self.widths, &mut codes);
                    visit(&codes, *number);
                }
            }
            Entries::Codes(map) => map.iter().for_each(|(codes, number)| visit(codes, *number)),
        }
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> u64 {
        // Entries and their control bytes; beside them the codes and what their allocation costs.
        let bytes = match &self.entries {
            Entries::Word(map) => map.capacity() * 17 * 8 / 7,
            Entries::Double(map) => map.capacity() * 33 * 8 / 7,
            Entries::Codes(map) => map.capacity() * 33 * 8 / 7 + map.len() * (4 * self.widths.len() + 16),
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
