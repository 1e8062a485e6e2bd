//! Bodies: what the catalogue points to, each under the hash of its own bytes.
//!
//! Records and links are Parquet; policies and taxonomies are kept as they were written. A body is staged under a passing
//! name, and takes its address once it is complete, so that nothing half-written is ever found there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::disk;
use crate::entry::{Kind, Stored};
use crate::error::{Error, Result};
use crate::hash::Hash;

/// How the passing names of staged bodies begin.
const STAGED: &str = ".new-";
const FOLDERS: [&str; 2] = ["bodies", "links"];

/// The bodies of one ledger.
#[derive(Debug, Clone)]
pub(crate) struct Bodies {
    ledger: PathBuf,
}

/// A body that has not taken its address yet.
#[derive(Debug)]
pub(crate) struct Staged {
    pub kind: Kind,
    pub stored: Stored,
    from: PathBuf,
}

impl Bodies {
    pub(crate) fn new(ledger: &Path) -> Bodies {
        Bodies { ledger: ledger.to_owned() }
    }

    /// The ledger's folder.
    pub(crate) fn ledger(&self) -> &Path {
        &self.ledger
    }

    pub(crate) fn create_folders(&self) -> Result<()> {
        FOLDERS.iter().try_for_each(|folder| disk::create_folder(&self.ledger.join(folder)))
    }

    /// The address of a body.
    pub(crate) fn path(&self, kind: Kind, hash: Hash) -> PathBuf {
        self.ledger.join(relative(kind, hash))
    }

    /// Writes a body under a passing name.
    pub(crate) fn stage(&self, kind: Kind, write: impl FnOnce(&mut Hashed) -> Result<()>) -> Result<Staged> {
        let mut nonce = [0; 8];
        getrandom::fill(&mut nonce).map_err(|error| Error::io("name", &self.ledger, io::Error::other(error)))?;
        let name = format!("{STAGED}{}", crate::hash::encode(&nonce));
        let path = self.ledger.join(folder(kind)).join(name);
        let file = disk::owner_only(OpenOptions::new().write(true).create_new(true)).open(&path);
        let file = file.map_err(|error| Error::io("write", &path, error))?;
        let mut hashed =
            Hashed { file: BufWriter::with_capacity(1 << 16, file), hasher: Sha256::new(), bytes: 0, path };
        let written = write(&mut hashed).and_then(|()| hashed.finish());
        match written {
            Ok(stored) => Ok(Staged { kind, stored, from: hashed.path }),
            Err(error) => {
                // Nothing points to it; the error that led here is reported.
                let _ = fs::remove_file(&hashed.path);
                Err(error)
            }
        }
    }

    /// Gives staged bodies their addresses.
    pub(crate) fn place(&self, staged: &[Staged]) -> Result<()> {
        for body in staged {
            let path = self.path(body.kind, body.stored.sha256);
            fs::rename(&body.from, &path).map_err(|error| Error::io("write", &path, error))?;
        }
        self.sync()
    }

    /// Makes sure that the names of all bodies are on the disk, and those that went are gone.
    pub(crate) fn sync(&self) -> Result<()> {
        FOLDERS.iter().try_for_each(|folder| disk::sync_folder(&self.ledger.join(folder)))
    }

    /// The bytes of a body, which are those that its address says.
    pub(crate) fn read(&self, kind: Kind, stored: &Stored) -> Result<Vec<u8>> {
        let path = self.path(kind, stored.sha256);
        let missing = || Error::broken(&self.ledger, format!("{} is missing", relative(kind, stored.sha256)));
        let bytes = disk::read_file(&path)?.ok_or_else(missing)?;
        if Hash::of(&bytes) != stored.sha256 {
            let what =
                format!("{} is not what was written: its hash differs from its name", relative(kind, stored.sha256));
            return Err(Error::broken(&self.ledger, what));
        }
        Ok(bytes)
    }

    /// Erases a body, if it is there.
    pub(crate) fn erase(&self, kind: Kind, hash: Hash) -> Result<()> {
        disk::remove_file(&self.path(kind, hash))
    }

    /// Removes what was staged by somebody who did not come to an end. Only for who holds the lock.
    pub(crate) fn sweep(&self) -> Result<()> {
        let files = self.files()?;
        let staged: Vec<PathBuf> =
            files.iter().filter(|path| is_staged(path)).map(|path| self.ledger.join(path)).collect();
        staged.iter().filter(|path| !path.is_dir()).try_for_each(|path| disk::remove_file(path))?;
        if staged.is_empty() { Ok(()) } else { self.sync() }
    }

    /// Everything there is, by its path from the ledger's folder.
    pub(crate) fn files(&self) -> Result<Vec<String>> {
        let mut files = Vec::new();
        for folder in FOLDERS {
            let path = self.ledger.join(folder);
            let entries = match fs::read_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(|error| Error::io("read", &path, error))?,
            };
            for entry in entries {
                let entry = entry.map_err(|error| Error::io("read", &path, error))?;
                files.push(format!("{folder}/{}", entry.file_name().to_string_lossy()));
            }
        }
        files.sort();
        Ok(files)
    }
}

pub(crate) fn is_staged(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(STAGED))
}

/// Whether a path is one that a body can have.
pub(crate) fn is_address(path: &str) -> bool {
    let parts = path.split_once('/').and_then(|(folder, name)| Some((folder, name.split_once('.')?)));
    let Some((folder, (hash, ending))) = parts else { return false };
    FOLDERS.contains(&folder) && ["parquet", "toml", "csv"].contains(&ending) && Hash::parse(hash).is_some()
}

fn folder(kind: Kind) -> &'static str {
    if matches!(kind, Kind::Links | Kind::Remembered) { "links" } else { "bodies" }
}

/// The path of a body from the ledger's folder.
pub(crate) fn relative(kind: Kind, hash: Hash) -> String {
    let ending = match kind {
        Kind::Records | Kind::Links | Kind::Remembered => "parquet",
        Kind::Policy => "toml",
        Kind::Taxonomy => "csv",
    };
    format!("{}/{hash}.{ending}", folder(kind))
}

/// A file whose bytes are hashed as they are written.
pub(crate) struct Hashed {
    file: BufWriter<File>,
    hasher: Sha256,
    bytes: u64,
    path: PathBuf,
}

impl Hashed {
    /// Where it is written.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn finish(&mut self) -> Result<Stored> {
        let done = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        done.map_err(|error| Error::io("write", &self.path, error))?;
        Ok(Stored { sha256: hash_of(&self.hasher), bytes: self.bytes })
    }
}

fn hash_of(hasher: &Sha256) -> Hash {
    Hash::from_bytes(hasher.clone().finalize().into())
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A failure to write or read Parquet, as the system's own where it is one.
pub(crate) fn parquet_error(doing: &'static str, path: &Path, error: parquet::errors::ParquetError) -> Error {
    Error::io(doing, path, io::Error::other(error))
}
