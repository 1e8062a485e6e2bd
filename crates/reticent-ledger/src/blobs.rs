//! Stored files: the contents that the catalogue refers to. Every file is named by the hash of its bytes.
//!
//! Records and links are Parquet. Policies and taxonomies are stored unchanged. A file is written under a temporary
//! name and renamed when it is complete, so no partial file ever has a final name.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::disk;
use crate::entry::{BlobKind, StoredBlob};
use crate::error::{Error, Result};
use crate::hash::Hash;

/// Prefix of the temporary names.
const TEMPORARY_PREFIX: &str = ".new-";
const FOLDERS: [&str; 2] = ["bodies", "links"];

/// Stored files of one ledger.
#[derive(Debug, Clone)]
pub(crate) struct Blobs {
    ledger: PathBuf,
}

/// A file that still has its temporary name.
#[derive(Debug)]
pub(crate) struct StagedBlob {
    pub kind: BlobKind,
    pub stored: StoredBlob,
    from: PathBuf,
}

impl Blobs {
    pub(crate) fn new(ledger: &Path) -> Blobs {
        Blobs { ledger: ledger.to_owned() }
    }

    /// Returns the folder of the ledger.
    pub(crate) fn ledger(&self) -> &Path {
        &self.ledger
    }

    pub(crate) fn create_folders(&self) -> Result<()> {
        FOLDERS.iter().try_for_each(|folder| disk::create_ledger_folder(&self.ledger.join(folder)))
    }

    /// Returns the path of a stored file.
    pub(crate) fn path(&self, kind: BlobKind, hash: Hash) -> PathBuf {
        self.ledger.join(relative_path(kind, hash))
    }

    /// Writes a file under a temporary name.
    pub(crate) fn stage(
        &self,
        kind: BlobKind,
        write: impl FnOnce(&mut HashingWriter) -> Result<()>,
    ) -> Result<StagedBlob> {
        let mut nonce = [0; 8];
        getrandom::fill(&mut nonce).map_err(|error| Error::io("name", &self.ledger, io::Error::other(error)))?;
        let name = format!("{TEMPORARY_PREFIX}{}", crate::hash::encode(&nonce));
        let path = self.ledger.join(folder(kind)).join(name);
        let file = disk::create_new(&path).map_err(|error| Error::io("write", &path, error))?;
        let mut hashed =
            HashingWriter { file: BufWriter::with_capacity(1 << 16, file), hasher: Sha256::new(), bytes: 0, path };
        let written = write(&mut hashed).and_then(|()| hashed.finish());
        match written {
            Ok(stored) => Ok(StagedBlob { kind, stored, from: hashed.path }),
            Err(error) => {
                // Nothing refers to the file. The original error is reported.
                let _ = fs::remove_file(&hashed.path);
                Err(error)
            }
        }
    }

    /// Renames staged files to their final names.
    pub(crate) fn place(&self, staged: &[StagedBlob]) -> Result<()> {
        for body in staged {
            let path = self.path(body.kind, body.stored.sha256);
            fs::rename(&body.from, &path).map_err(|error| Error::io("write", &path, error))?;
        }
        self.sync()
    }

    /// Syncs the folders, so that added and removed files survive a power cut.
    pub(crate) fn sync(&self) -> Result<()> {
        FOLDERS.iter().try_for_each(|folder| disk::sync_folder(&self.ledger.join(folder)))
    }

    /// Reads a stored file and checks its hash.
    pub(crate) fn read(&self, kind: BlobKind, stored: &StoredBlob) -> Result<Vec<u8>> {
        let path = self.path(kind, stored.sha256);
        let missing = || Error::broken(&self.ledger, format!("{} is missing", relative_path(kind, stored.sha256)));
        let bytes = disk::read_file(&path)?.ok_or_else(missing)?;
        if Hash::digest(&bytes) != stored.sha256 {
            let what = format!("{} was changed: its hash differs from its name", relative_path(kind, stored.sha256));
            return Err(Error::broken(&self.ledger, what));
        }
        Ok(bytes)
    }

    /// Removes a stored file, if it exists.
    pub(crate) fn erase(&self, kind: BlobKind, hash: Hash) -> Result<()> {
        disk::remove_file(&self.path(kind, hash))
    }

    /// Removes the temporary files of interrupted writes. The caller holds the lock.
    pub(crate) fn sweep(&self) -> Result<()> {
        let files = self.files()?;
        let staged: Vec<PathBuf> =
            files.iter().filter(|path| is_temporary(path)).map(|path| self.ledger.join(path)).collect();
        staged.iter().filter(|path| !path.is_dir()).try_for_each(|path| disk::remove_file(path))?;
        if staged.is_empty() { Ok(()) } else { self.sync() }
    }

    /// Returns the paths of all files, relative to the ledger's folder.
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

pub(crate) fn is_temporary(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(TEMPORARY_PREFIX))
}

/// Returns true if a stored file can have this path.
pub(crate) fn is_blob_path(path: &str) -> bool {
    let parts = path.split_once('/').and_then(|(folder, name)| Some((folder, name.split_once('.')?)));
    let Some((folder, (hash, ending))) = parts else { return false };
    FOLDERS.contains(&folder) && ["parquet", "toml", "csv"].contains(&ending) && Hash::parse(hash).is_some()
}

fn folder(kind: BlobKind) -> &'static str {
    if matches!(kind, BlobKind::Links | BlobKind::State) { "links" } else { "bodies" }
}

/// Returns the path of a stored file, relative to the ledger's folder.
pub(crate) fn relative_path(kind: BlobKind, hash: Hash) -> String {
    let ending = match kind {
        BlobKind::Records | BlobKind::Links | BlobKind::State => "parquet",
        BlobKind::Policy => "toml",
        BlobKind::Taxonomy => "csv",
    };
    format!("{}/{hash}.{ending}", folder(kind))
}

/// Writer that hashes the bytes of a file.
pub(crate) struct HashingWriter {
    file: BufWriter<File>,
    hasher: Sha256,
    bytes: u64,
    path: PathBuf,
}

impl HashingWriter {
    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn finish(&mut self) -> Result<StoredBlob> {
        let done = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        done.map_err(|error| Error::io("write", &self.path, error))?;
        Ok(StoredBlob { sha256: hash_of(&self.hasher), bytes: self.bytes })
    }
}

fn hash_of(hasher: &Sha256) -> Hash {
    Hash::from_bytes(hasher.clone().finalize().into())
}

impl Write for HashingWriter {
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

/// Converts an error of the Parquet library.
pub(crate) fn parquet_error(doing: &'static str, path: &Path, error: parquet::errors::ParquetError) -> Error {
    Error::io(doing, path, io::Error::other(error))
}
