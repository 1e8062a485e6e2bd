//! The key: it turns owners into pseudonyms and signs entries. It is stored outside the ledger, readable by its owner
//! only.
//!
//! The key file contains one master key. All other keys are derived from it for one ledger, by HKDF-SHA256 (RFC 5869)
//! with the id of the ledger as salt. With the same key file, a person has different pseudonyms in different ledgers,
//! and every ledger has its own public key. Ledgers that started with format 1 use the master key itself for
//! pseudonyms.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use zeroize::{Zeroize, Zeroizing};

use crate::disk;
use crate::error::{Error, Result};
use crate::hash::{decode, encode};
use crate::key_file;
use crate::signature::{Algorithm, Signer, Verifier};

const PREFIX: &str = "reticent-key-1";

/// A private key of 32 bytes, overwritten on drop.
type KeyBytes = Zeroizing<[u8; 32]>;

/// Identity of a ledger and derivation of its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Id of the ledger, drawn at random.
    pub id: String,
    /// Derivation of the keys from the key file.
    pub derivation: Derivation,
}

/// Derivation of the pseudonym key of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Derivation {
    /// The master key itself, in ledgers that started with format 1.
    Direct,
    /// HKDF-SHA256 with the id of the ledger.
    HkdfSha256,
}

impl Derivation {
    /// Returns the stored name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Derivation::Direct => "direct",
            Derivation::HkdfSha256 => "hkdf-sha256",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Derivation> {
        [Derivation::Direct, Derivation::HkdfSha256].into_iter().find(|known| known.name() == word)
    }
}

impl Identity {
    /// Draws the identity of a new ledger.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no randomness.
    pub fn draw() -> Result<Identity> {
        let mut id = [0; 16];
        draw(&mut id, Path::new("of a new ledger"))?;
        Ok(Identity { id: encode(&id), derivation: Derivation::HkdfSha256 })
    }

    /// Returns the name of the ledger in signed heads.
    pub(crate) fn origin(&self) -> String {
        format!("reticent.ledger/{}", self.id)
    }
}

fn draw(bytes: &mut [u8], path: &Path) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| key_file::unusable(path, format!("random bytes are not available: {error}")))
}

/// Master key of a key file.
#[derive(Clone)]
pub struct KeyFile(KeyBytes);

impl fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyFile")
    }
}

impl KeyFile {
    /// Draws a key and writes it atomically to a file. Uses the existing key if another process created it first.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, or if others than the owner could read or replace it.
    pub fn create(path: &Path, group: Option<&str>) -> Result<KeyFile> {
        let mut key_bytes = KeyBytes::new([0; 32]);
        draw(key_bytes.as_mut_slice(), path)?;
        let folder = disk::parent(path);
        disk::create_folder(&folder)?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".new-{}", std::process::id()));
        let fresh = path.with_file_name(name);
        disk::remove_file(&fresh)?;
        let text = Zeroizing::new(format!("{PREFIX} {}\n", encode(key_bytes.as_slice())));
        disk::create_private_file(&fresh, text.as_bytes())?;
        let linked = std::fs::hard_link(&fresh, path);
        disk::remove_file(&fresh)?;
        match linked {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(Error::io("write", path, error)),
            _ => disk::sync_folder(&folder)?,
        }
        let gone = || key_file::unusable(path, "the file was removed while it was created".to_owned());
        KeyFile::read(path, group)?.ok_or_else(gone)
    }

    /// Draws a key that is not stored, for a dry run.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no randomness.
    pub fn ephemeral() -> Result<KeyFile> {
        let mut key_bytes = KeyBytes::new([0; 32]);
        draw(key_bytes.as_mut_slice(), Path::new("for this dry run"))?;
        Ok(KeyFile(key_bytes))
    }

    /// Reads a key; returns none if the file does not exist. `group` may read the file and write to its parent
    /// folders.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a key, or if others can read or replace it.
    pub fn read(path: &Path, group: Option<&str>) -> Result<Option<KeyFile>> {
        let Some(mut bytes) = disk::read_file(path)? else { return Ok(None) };
        let mut key_bytes = KeyBytes::new([0; 32]);
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let digits = text.trim_end().strip_prefix(PREFIX).map(str::trim_start);
        let read = digits.and_then(|digits| decode(digits, key_bytes.as_mut_slice()));
        bytes.zeroize();
        key_file::check(path, group)?;
        match read {
            Some(()) => Ok(Some(KeyFile(key_bytes))),
            None => Err(key_file::unusable(path, "the file is not a Reticent key, or it is damaged".to_owned())),
        }
    }

    /// Derives the keys of a ledger.
    pub fn ledger_key(&self, identity: &Identity) -> Key {
        let salt = identity.id.as_bytes();
        let pseudonyms = match identity.derivation {
            Derivation::Direct => self.0.clone(),
            Derivation::HkdfSha256 => self.derive(salt, b"reticent pseudonyms"),
        };
        let seed = self.derive(salt, b"reticent signing key");
        Key { pseudonyms, signer: Signer::new(identity.origin(), Algorithm::Ed25519, &seed) }
    }

    /// Derives the private key of the witness with this name.
    pub(crate) fn witness_signer(&self, name: &str) -> Signer {
        let seed = self.derive(name.as_bytes(), b"reticent witness key");
        Signer::new(name.to_owned(), Algorithm::Cosignature, &seed)
    }

    fn derive(&self, salt: &[u8], purpose: &[u8]) -> KeyBytes {
        let mut key_bytes = KeyBytes::new([0; 32]);
        // HKDF can produce far more than 32 bytes, so this cannot fail. A failure would give a key that matches
        // nothing.
        let _ = Hkdf::<Sha256>::new(Some(salt), self.0.as_slice()).expand(purpose, key_bytes.as_mut_slice());
        key_bytes
    }
}

/// Keys of one ledger.
#[derive(Clone)]
pub struct Key {
    pseudonyms: KeyBytes,
    signer: Signer,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.fingerprint())
    }
}

impl Key {
    /// Returns a keyed hash of a person and their values. A different hash shows that the values changed. Without the
    /// key, the hash reveals neither the values nor which people share them.
    pub fn value_hash<'t>(&self, person: u128, values: impl Iterator<Item = &'t str>) -> u32 {
        let mut bytes = person.to_be_bytes().to_vec();
        for value in values {
            bytes.extend((value.len() as u64).to_be_bytes());
            bytes.extend(value.as_bytes());
        }
        let tag = authenticate(&self.pseudonyms, "reticent mark\0", &bytes);
        let [a, b, c, d, ..] = tag;
        u32::from_be_bytes([a, b, c, d])
    }

    /// Returns the key of the pseudonyms.
    pub fn pseudonym_key(&self) -> Zeroizing<[u8; 32]> {
        self.pseudonyms.clone()
    }

    /// Returns a public identifier of the pseudonym key.
    pub fn fingerprint(&self) -> String {
        encode(&authenticate(&self.pseudonyms, "reticent key\0", b"")[..8])
    }

    /// Returns the public key of the ledger's signatures.
    pub fn verifier(&self) -> Verifier {
        self.signer.verifier()
    }

    pub(crate) fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Returns true if this key made the authentication code of format 1. Compares in constant time.
    pub(crate) fn verify_code(&self, purpose: &str, bytes: &[u8], tag: &str) -> bool {
        let mut given = [0; 32];
        let Some(()) = decode(tag, &mut given) else { return false };
        keyed(&self.pseudonyms, purpose, bytes).is_some_and(|mac| mac.verify_slice(&given).is_ok())
    }
}

fn keyed(key_bytes: &KeyBytes, purpose: &str, bytes: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key_bytes.as_slice()).ok()?;
    mac.update(purpose.as_bytes());
    mac.update(bytes);
    Some(mac)
}

fn authenticate(key_bytes: &KeyBytes, purpose: &str, bytes: &[u8]) -> [u8; 32] {
    // HMAC accepts keys of any length, so this cannot fail.
    keyed(key_bytes, purpose, bytes).map(|mac| mac.finalize().into_bytes().into()).unwrap_or_default()
}
