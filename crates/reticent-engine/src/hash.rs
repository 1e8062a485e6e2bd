//! Hashes of texts that are equal on every machine and in every run.
//!
//! Folded multiplication as in wyhash: each step multiplies two words to 128 bits and combines the halves with XOR.

const KEYS: [u64; 3] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3];

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Returns a well-mixed hash of a number.
#[inline]
pub(crate) fn hash_number(number: u64) -> u64 {
    fold(fold(number ^ KEYS[0], KEYS[1]) ^ number, KEYS[2])
}

/// Returns a well-mixed hash of a text.
#[inline]
pub(crate) fn hash_text(text: &[u8], seed: u64) -> u64 {
    let mut state = seed ^ KEYS[0];
    let (words, rest) = text.as_chunks::<8>();
    for word in words {
        state = fold(state ^ u64::from_le_bytes(*word), KEYS[1]);
    }
    fold(state ^ short_word(rest), KEYS[2] ^ text.len() as u64)
}

/// Returns up to seven bytes as one word.
#[inline]
pub(crate) fn short_word(text: &[u8]) -> u64 {
    match (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << (8 * (text.len() - 4))
        }
        _ => text.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Returns a hash that identifies a text: among 2^40 texts, the probability of a collision is below 2^-48.
pub(crate) fn hash_wide(text: &[u8]) -> u128 {
    use std::hash::{DefaultHasher, Hasher};
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(text);
        hasher.finish()
    };
    u128::from(half(0)) << 64 | u128::from(half(1))
}
