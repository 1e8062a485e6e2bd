//! The key: what turns owners into pseudonyms and signs heads. It lives outside the ledger, readable by its owner only.

use std::io::ErrorKind;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::disk;
use crate::error::{Error, Result};
use crate::hash::{decode, encode};

const MARK: &str = "reticent-key-1";

/// A secret of 32 bytes.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({})", self.fingerprint())
    }
}

impl Key {
    /// Draws a key and writes it to a file, whole or not at all. If somebody else was faster, theirs is the key.
    pub fn create(path: &Path) -> Result<Key> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| wrong(path, format!("no randomness to draw one from: {error}")))?;
        let folder = disk::parent(path);
        disk::create_folder(&folder)?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".new-{}", std::process::id()));
        let fresh = path.with_file_name(name);
        disk::remove_file(&fresh)?;
        disk::create_file(&fresh, format!("{MARK} {}\n", encode(&bytes)).as_bytes())?;
        let linked = std::fs::hard_link(&fresh, path);
        disk::remove_file(&fresh)?;
        match linked {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(Error::io("write", path, error)),
            _ => disk::sync_folder(&folder)?,
        }
        Key::read(path)?.ok_or_else(|| wrong(path, "was there a moment ago, and is gone".to_owned()))
    }

    /// Draws a key that is kept nowhere, for a rehearsal.
    pub fn passing() -> Result<Key> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            wrong(Path::new("for this rehearsal"), format!("cannot be drawn, for want of randomness: {error}"))
        })?;
        Ok(Key(bytes))
    }

    /// A mark of somebody's values: another one means that they changed. Neither what they are nor who has the same follows from it.
    pub fn mark<'t>(&self, who: u128, values: impl Iterator<Item = &'t str>) -> u32 {
        let mut bytes = who.to_be_bytes().to_vec();
        for value in values {
            bytes.extend((value.len() as u64).to_be_bytes());
            bytes.extend(value.as_bytes());
        }
        let signed = self.sign("reticent mark\0", &bytes);
        u32::from_be_bytes([signed[0], signed[1], signed[2], signed[3]])
    }

    /// Reads a key; none when there is no such file.
    pub fn read(path: &Path) -> Result<Option<Key>> {
        let Some(bytes) = disk::read_file(path)? else { return Ok(None) };
        if disk::open_to_others(path) {
            return Err(wrong(path, "can be read by others; make it yours alone (chmod 600)".to_owned()));
        }
        let text = String::from_utf8(bytes).unwrap_or_default();
        let mut key = [0; 32];
        let digits = text.trim_end().strip_prefix(MARK).map(str::trim_start);
        match digits.and_then(|digits| decode(digits, &mut key)) {
            Some(()) => Ok(Some(Key(key))),
            None => Err(wrong(path, "is not a key of Reticent, or is damaged".to_owned())),
        }
    }

    /// The secret, for whoever makes pseudonyms.
    pub fn secret(&self) -> [u8; 32] {
        self.0
    }

    /// By which a key is known without being told.
    pub fn fingerprint(&self) -> String {
        encode(&self.sign("reticent key\0", b"")[..8])
    }

    /// A signature that only who has the key can make or check.
    pub(crate) fn sign(&self, purpose: &str, bytes: &[u8]) -> [u8; 32] {
        // Keys of any length are taken, so this cannot fail; an empty signature would match nothing.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        mac.update(purpose.as_bytes());
        mac.update(bytes);
        mac.finalize().into_bytes().into()
    }
}

fn wrong(path: &Path, why: String) -> Error {
    Error::Key { path: path.to_owned(), why }
}
