//! Pseudonyms: keyed hashes of owners. They match the rows of an owner across releases, but do not identify the owner
//! without the key.
//!
//! A hash without a key is not enough: an attacker with a list of names can hash them all.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use reticent::Pseudonym;
use sha2::Sha256;

/// Domain separation, so that the key can also serve other purposes.
const DOMAIN: &[u8] = b"reticent owner\0";

/// Block size of SHA-256 in bytes.
const BLOCK: usize = 64;

/// A key that turns owners' texts into pseudonyms.
#[derive(Clone)]
pub struct OwnerKey {
    /// HMAC state after the key and the domain. Every pseudonym continues from it.
    started: Hmac<Sha256>,
}

impl OwnerKey {
    /// Creates a key from 32 random bytes.
    pub fn new(key: [u8; 32]) -> OwnerKey {
        // HMAC pads a key shorter than a block with zeros (RFC 2104, section 2).
        let mut block = [0; BLOCK];
        block[..key.len()].copy_from_slice(&key);
        let mut started = Hmac::<Sha256>::new(&block.into());
        started.update(DOMAIN);
        OwnerKey { started }
    }

    /// Returns the pseudonym of an owner: the first 16 bytes, big endian, of HMAC-SHA-256 of the domain and the
    /// owner's text.
    pub fn pseudonym(&self, text: &[u8]) -> Pseudonym {
        let mut hmac = self.started.clone();
        hmac.update(text);
        let tag = hmac.finalize().into_bytes();
        Pseudonym::from_be_bytes(std::array::from_fn(|at| tag[at]))
    }
}

/// Does not print the key.
impl fmt::Debug for OwnerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnerKey(..)")
    }
}
