//! SHA-256, the only hash function of the ledger. It identifies entries, stored files, the catalogue and published
//! files.

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
    /// Returns the hash of bytes in memory.
    pub fn digest(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// Returns the hash of the concatenation of several parts.
    pub(crate) fn digest_parts(parts: &[&[u8]]) -> Hash {
        let mut hasher = Sha256::new();
        parts.iter().for_each(|part| hasher.update(part));
        Hash(hasher.finalize().into())
    }

    /// Returns the 32 bytes of the hash.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the hash and the size of a file or of a folder of files.
    ///
    /// The hash of a folder is the hash of the output of `sha256sum *`, sorted by name.
    pub fn digest_file(path: &Path) -> Result<(Hash, u64)> {
        let failed = |error| Error::io("read", path, error);
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Hash::digest_folder(path);
        }
        if !metadata.is_file() {
            // Opening a pipe would block until a process writes to it.
            return Err(failed(std::io::Error::other("not a regular file")));
        }
        File::open(path).and_then(Hash::digest_open_file).map_err(failed)
    }

    /// Returns the hash and the size of an open file.
    fn digest_open_file(mut file: File) -> io::Result<(Hash, u64)> {
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

    /// Returns the hash of a file, or of a folder of files, in an open folder. Does not follow symbolic links.
    /// Returns none if the name does not exist.
    pub(crate) fn digest_entry(folder: &Dir, name: &OsStr) -> io::Result<Option<Hash>> {
        let metadata = match folder.symlink_metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata?,
        };
        if metadata.is_file() {
            return Ok(Some(Hash::digest_open_file(open_file(folder, name)?)?.0));
        }
        if !metadata.is_dir() {
            return Err(io::Error::other("not a regular file"));
        }
        let folder = folder.open_dir_nofollow(name)?;
        let mut names = Vec::new();
        for entry in folder.entries()? {
            let name = entry?.file_name().into_string();
            names.push(name.map_err(|_| io::Error::other("a file name in the folder is not valid Unicode"))?);
        }
        names.sort_unstable();
        let mut list = String::new();
        for name in names {
            if !folder.symlink_metadata(&name)?.is_file() {
                return Err(io::Error::other("the folder contains something other than files"));
            }
            let (hash, _) = Hash::digest_open_file(open_file(&folder, &name)?)?;
            list += &format!("{hash}  {name}\n");
        }
        Ok(Some(Hash::digest(list.as_bytes())))
    }

    /// Returns the hash of a folder of files and the sum of their sizes.
    fn digest_folder(path: &Path) -> Result<(Hash, u64)> {
        let failed = |error| Error::io("read", path, error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let invalid = || std::io::Error::other("a file name in the folder is not valid Unicode");
            names.push(name.into_string().map_err(|_| failed(invalid()))?);
        }
        names.sort_unstable();
        let (mut list, mut bytes) = (String::new(), 0);
        for name in names {
            let inside = path.join(&name);
            if std::fs::metadata(&inside).map_err(failed)?.is_dir() {
                return Err(failed(std::io::Error::other("the folder contains another folder")));
            }
            let (hash, size) = Hash::digest_file(&inside)?;
            list += &format!("{hash}  {name}\n");
            bytes += size;
        }
        Ok((Hash::digest(list.as_bytes()), bytes))
    }

    /// Creates a hash from its bytes.
    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Hash {
        Hash(bytes)
    }

    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Hash> {
        let mut bytes = [0; 32];
        decode(text, &mut bytes)?;
        Some(Hash(bytes))
    }

    /// Returns the first 12 digits, for display.
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

/// Encodes bytes as lower-case hexadecimal digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes lower-case hexadecimal digits. Returns none unless they fill the buffer exactly.
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
