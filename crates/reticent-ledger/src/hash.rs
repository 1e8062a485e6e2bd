//! SHA-256, the one hash of the ledger: entries, bodies, the catalogue and published files are all known by it.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::staging::open_file;

/// A SHA-256 hash, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Hash([u8; 32]);

impl Hash {
    /// Of bytes in memory.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// Of several parts, one after the other.
    pub(crate) fn of_parts(parts: &[&[u8]]) -> Hash {
        let mut hasher = Sha256::new();
        parts.iter().for_each(|part| hasher.update(part));
        Hash(hasher.finalize().into())
    }

    /// The 32 bytes.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Of a file, and how many bytes it has; of a folder of files, of what `sha256sum *` prints there, names ascending.
    pub fn of_file(path: &Path) -> Result<(Hash, u64)> {
        let failed = |error| Error::io("read", path, error);
        let about = std::fs::metadata(path).map_err(failed)?;
        if about.is_dir() {
            return Hash::of_folder(path);
        }
        if !about.is_file() {
            // To open a pipe would be to wait for whoever writes to it.
            return Err(failed(std::io::Error::other("it is no file")));
        }
        File::open(path).and_then(Hash::of_open).map_err(failed)
    }

    /// Of an open file, and how many bytes it has.
    fn of_open(mut file: File) -> io::Result<(Hash, u64)> {
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 1 << 18];
        let mut bytes = 0;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                return Ok((Hash(hasher.finalize().into()), bytes));
            }
            hasher.update(&buffer[..read]);
            bytes += read as u64;
        }
    }

    /// Of a file or a folder of files by its name in an open folder, without following a symbolic link; none if there is
    /// nothing of that name.
    pub(crate) fn of_entry(folder: &Dir, name: &OsStr) -> io::Result<Option<Hash>> {
        let about = match folder.symlink_metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about => about?,
        };
        if about.is_file() {
            return Ok(Some(Hash::of_open(open_file(folder, name)?)?.0));
        }
        if !about.is_dir() {
            return Err(io::Error::other("it is no file"));
        }
        let folder = folder.open_dir_nofollow(name)?;
        let mut names = Vec::new();
        for entry in folder.entries()? {
            let name = entry?.file_name().into_string();
            names.push(name.map_err(|_| io::Error::other("a name in it is no text"))?);
        }
        names.sort_unstable();
        let mut list = String::new();
        for name in names {
            if !folder.symlink_metadata(&name)?.is_file() {
                return Err(io::Error::other("it holds something else than files"));
            }
            let (hash, _) = Hash::of_open(open_file(&folder, &name)?)?;
            list += &format!("{hash}  {name}\n");
        }
        Ok(Some(Hash::of(list.as_bytes())))
    }

    /// Of a folder of files, and how many bytes all have.
    fn of_folder(path: &Path) -> Result<(Hash, u64)> {
        let failed = |error| Error::io("read", path, error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            names.push(name.into_string().map_err(|_| failed(std::io::Error::other("a name in it is no text")))?);
        }
        names.sort_unstable();
        let (mut list, mut bytes) = (String::new(), 0);
        for name in names {
            let inside = path.join(&name);
            if std::fs::metadata(&inside).map_err(failed)?.is_dir() {
                return Err(failed(std::io::Error::other("it has a folder in it")));
            }
            let (hash, size) = Hash::of_file(&inside)?;
            list += &format!("{hash}  {name}\n");
            bytes += size;
        }
        Ok((Hash::of(list.as_bytes()), bytes))
    }

    /// A hash that was made elsewhere.
    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Hash {
        Hash(bytes)
    }

    /// From 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Hash> {
        let mut bytes = [0; 32];
        decode(text, &mut bytes)?;
        Some(Hash(bytes))
    }

    /// The first digits, which are enough for people.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> String {
        hash.to_string()
    }
}

impl TryFrom<String> for Hash {
    type Error = &'static str;

    fn try_from(text: String) -> std::result::Result<Hash, &'static str> {
        Hash::parse(&text).ok_or("not 64 hexadecimal digits")
    }
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lower-case hexadecimal digits as exactly so many bytes.
pub(crate) fn decode(text: &str, into: &mut [u8]) -> Option<()> {
    let digits = text.as_bytes();
    if digits.len() != 2 * into.len() {
        return None;
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    for (byte, pair) in into.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(())
}
