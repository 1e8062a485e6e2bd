//! A map from combinations of codes to numbers. Keys are packed into one word or two while they fit.

use hashbrown::HashMap;
use reticent::contingency::bits;
use reticent::taxonomy::Code;
use rustc_hash::FxBuildHasher;

type Map<K> = HashMap<K, u64, FxBuildHasher>;

/// A number for each combination.
pub(super) struct PackedMap {
    /// Number of bits of the codes of each column.
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

    /// Returns true if the codes fit into the keys.
    #[inline]
    pub(super) fn has_room(&self, codes: &[Code]) -> bool {
        codes.iter().zip(&self.widths).fold(0, |over, (code, width)| over | u64::from(*code) >> width) == 0
    }

    /// Returns the key of a combination, if keys are one word.
    #[inline]
    pub(super) fn word(&self, codes: &[Code]) -> Option<u64> {
        matches!(self.entries, Entries::Word(_)).then(|| word(codes, &self.widths))
    }

    /// Returns the numbers by key, if keys are one word.
    #[inline]
    pub(super) fn words(&mut self) -> Option<&mut Map<u64>> {
        if let Entries::Word(map) = &mut self.entries { Some(map) } else { None }
    }

    /// Returns the number of a combination, which is `first` if it is new. The codes must fit into the keys.
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

    /// Repacks all keys so that these codes and twice as many fit.
    pub(super) fn widen(&mut self, codes: &[Code]) {
        let needed =
            |(code, width): (&Code, &u32)| if u64::from(*code) >> width == 0 { *width } else { bits(*code) + 1 };
        let widths: Vec<u32> = codes.iter().zip(&self.widths).map(needed).map(|width| width.min(u32::BITS)).collect();
        let mut wider = PackedMap { entries: Entries::fitting(&widths, self.len()), widths };
        self.for_each(|codes, number| *wider.number(codes, 0) = number);
        *self = wider;
    }

    /// Returns the number of combinations.
    pub(super) fn len(&self) -> usize {
        match &self.entries {
            Entries::Word(map) => map.len(),
            Entries::Double(map) => map.len(),
            Entries::Codes(map) => map.len(),
        }
    }

    /// Visits every combination with its number, in no particular order.
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

    /// Returns the approximate memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        // Entries and their control bytes; for unpacked keys also the codes and their allocation overhead.
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
