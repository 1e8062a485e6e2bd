//! The key: what turns owners into pseudonyms and signs entries. It lives outside the ledger, readable by its owner only.
//!
//! The file holds one secret. Everything that is used is derived from it for one ledger: HKDF-SHA256 (RFC 5869) with the
//! ledger's id as salt. So one key for two ledgers gives the same person two pseudonyms, and two public keys. Ledgers of
//! format 1 used the secret itself for pseudonyms, and still do.

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

const MARK: &str = "reticent-key-1";

/// A secret of 32 bytes, overwritten when it is dropped.
type Secret = Zeroizing<[u8; 32]>;

/// Which ledger this is, and how its secrets are derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The ledger's id, drawn at random.
    pub id: String,
    /// How its secrets are derived from the key file.
    pub derivation: Derivation,
}

/// How the secret behind the pseudonyms of a ledger is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Derivation {
    /// It is the secret of the key file: ledgers that began with format 1.
    Direct,
    /// HKDF-SHA256 with the ledger's id.
    HkdfSha256,
}

impl Derivation {
    /// As it is stored.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Derivation::Direct => "direct",
            Derivation::HkdfSha256 => "hkdf-sha256",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Derivation> {
        [Derivation::Direct, Derivation::HkdfSha256].into_iter().find(|known| known.word() == word)
    }
}

impl Identity {
    /// Draws the identity of a new ledger.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn draw() -> Result<Identity> {
        let mut id = [0; 16];
        draw(&mut id, Path::new("of a new ledger"))?;
        Ok(Identity { id: encode(&id), derivation: Derivation::HkdfSha256 })
    }

    /// The name of the ledger in signed heads.
    pub(crate) fn origin(&self) -> String {
        format!("reticent.ledger/{}", self.id)
    }
}

fn draw(bytes: &mut [u8], path: &Path) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| key_file::unusable(path, format!("cannot be drawn: {error}")))
}

/// The secret of a key file.
#[derive(Clone)]
pub struct KeyFile(Secret);

impl fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyFile")
    }
}

impl KeyFile {
    /// Draws a key and writes it to a file, whole or not at all. If another process was faster, its key is the key.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or if others than the owner could read or replace it.
    pub fn create(path: &Path, group: Option<&str>) -> Result<KeyFile> {
        let mut secret = Secret::new([0; 32]);
        draw(secret.as_mut_slice(), path)?;
        let folder = disk::parent(path);
        disk::create_folder(&folder)?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".new-{}", std::process::id()));
        let fresh = path.with_file_name(name);
        disk::remove_file(&fresh)?;
        let text = Zeroizing::new(format!("{MARK} {}\n", encode(secret.as_slice())));
        disk::create_file(&fresh, text.as_bytes())?;
        let linked = std::fs::hard_link(&fresh, path);
        disk::remove_file(&fresh)?;
        match linked {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(Error::io("write", path, error)),
            _ => disk::sync_folder(&folder)?,
        }
        let gone = || key_file::unusable(path, "was there a moment ago, and is gone".to_owned());
        KeyFile::read(path, group)?.ok_or_else(gone)
    }

    /// Draws a key that is kept nowhere, for a rehearsal.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn passing() -> Result<KeyFile> {
        let mut secret = Secret::new([0; 32]);
        draw(secret.as_mut_slice(), Path::new("for this rehearsal"))?;
        Ok(KeyFile(secret))
    }

    /// Reads a key; none when there is no such file. `group` may read the file, and write to the folders above it.
    ///
    /// # Errors
    ///
    /// If the file is not a key, or if others can read or replace it.
    pub fn read(path: &Path, group: Option<&str>) -> Result<Option<KeyFile>> {
        let Some(mut bytes) = disk::read_file(path)? else { return Ok(None) };
        let mut secret = Secret::new([0; 32]);
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let digits = text.trim_end().strip_prefix(MARK).map(str::trim_start);
        let read = digits.and_then(|digits| decode(digits, secret.as_mut_slice()));
        bytes.zeroize();
        key_file::check(path, group)?;
        match read {
            Some(()) => Ok(Some(KeyFile(secret))),
            None => Err(key_file::unusable(path, "is not a key of Reticent, or is damaged".to_owned())),
        }
    }

    /// What is derived for one ledger.
    pub fn of_ledger(&self, identity: &Identity) -> Key {
        let salt = identity.id.as_bytes();
        let pseudonyms = match identity.derivation {
            Derivation::Direct => self.0.clone(),
            Derivation::HkdfSha256 => self.derive(salt, b"reticent pseudonyms"),
        };
        let seed = self.derive(salt, b"reticent signing key");
        Key { pseudonyms, signer: Signer::new(identity.origin(), Algorithm::Ed25519, &seed) }
    }

    /// The private key of a witness with this name.
    pub(crate) fn of_witness(&self, name: &str) -> Signer {
        let seed = self.derive(name.as_bytes(), b"reticent witness key");
        Signer::new(name.to_owned(), Algorithm::Cosignature, &seed)
    }

    fn derive(&self, salt: &[u8], purpose: &[u8]) -> Secret {
        let mut secret = Secret::new([0; 32]);
        // 32 bytes are far below what HKDF can give, so this cannot fail; a failure would leave a key that matches nothing.
        let _ = Hkdf::<Sha256>::new(Some(salt), self.0.as_slice()).expand(purpose, secret.as_mut_slice());
        secret
    }
}

/// The secrets of one ledger.
#[derive(Clone)]
pub struct Key {
    pseudonyms: Secret,
    signer: Signer,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.fingerprint())
    }
}

impl Key {
    /// A mark of a person's values: another one means that they changed. Neither what they are nor who has the same follows from it.
    pub fn mark<'t>(&self, who: u128, values: impl Iterator<Item = &'t str>) -> u32 {
        let mut bytes = who.to_be_bytes().to_vec();
        for value in values {
            bytes.extend((value.len() as u64).to_be_bytes());
            bytes.extend(value.as_bytes());
        }
        let tag = authenticate(&self.pseudonyms, "reticent mark\0", &bytes);
        let [a, b, c, d, ..] = tag;
        u32::from_be_bytes([a, b, c, d])
    }

    /// The secret behind the pseudonyms.
    pub fn secret(&self) -> Zeroizing<[u8; 32]> {
        self.pseudonyms.clone()
    }

    /// Names the secret behind the pseudonyms without disclosing it.
    pub fn fingerprint(&self) -> String {
        encode(&authenticate(&self.pseudonyms, "reticent key\0", b"")[..8])
    }

    /// The public key of the ledger's signatures.
    pub fn verifier(&self) -> Verifier {
        self.signer.verifier()
    }

    pub(crate) fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Whether a tag of format 1 was made with this key. Takes the same time wherever they differ.
    pub(crate) fn accepts_tag(&self, purpose: &str, bytes: &[u8], tag: &str) -> bool {
        let mut given = [0; 32];
        let Some(()) = decode(tag, &mut given) else { return false };
        keyed(&self.pseudonyms, purpose, bytes).is_some_and(|mac| mac.verify_slice(&given).is_ok())
    }
}

fn keyed(secret: &Secret, purpose: &str, bytes: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_slice()).ok()?;
    mac.update(purpose.as_bytes());
    mac.update(bytes);
    Some(mac)
}

fn authenticate(secret: &Secret, purpose: &str, bytes: &[u8]) -> [u8; 32] {
    // Keys of any length are taken, so this cannot fail.
    keyed(secret, purpose, bytes).map(|mac| mac.finalize().into_bytes().into()).unwrap_or_default()
}
