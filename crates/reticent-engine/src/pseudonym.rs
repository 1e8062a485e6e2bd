//! Pseudonyms: owners under a key, so that rows of one owner are known for one owner's in every release, and nobody without
//! the key can tell whose they are.
//!
//! The hash of a name without a key hides nothing: whoever has a list of names hashes them all.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use reticent::Pseudonym;
use sha2::Sha256;

/// Comes before the owner's text, so that the same key may be used for other things as well.
const DOMAIN: &[u8] = b"reticent owner\0";

/// The block of SHA-256, in bytes.
const BLOCK: usize = 64;

/// A secret key that makes pseudonyms of owners' texts.
#[derive(Clone)]
pub struct OwnerKey {
    /// Has taken the key and the domain; each pseudonym goes on from here.
    started: Hmac<Sha256>,
}

impl OwnerKey {
    /// Takes a key of 32 random bytes.
    pub fn new(key: [u8; 32]) -> OwnerKey {
        // A key shorter than a block is filled up with zeros (RFC 2104, section 2).
        let mut block = [0; BLOCK];
        block[..key.len()].copy_from_slice(&key);
        let mut started = Hmac::<Sha256>::new(&block.into());
        started.update(DOMAIN);
        OwnerKey { started }
    }

    /// The pseudonym of an owner: the first 16 bytes, big endian, of HMAC-SHA-256 of the domain and the owner's text.
    pub fn pseudonym(&self, text: &[u8]) -> Pseudonym {
        let mut hmac = self.started.clone();
        hmac.update(text);
        let tag = hmac.finalize().into_bytes();
        Pseudonym::from_be_bytes(std::array::from_fn(|at| tag[at]))
    }
}

/// Shows nothing of the key.
impl fmt::Debug for OwnerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnerKey(..)")
    }
}
