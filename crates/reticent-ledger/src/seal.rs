//! The seal: a signed hash of the catalogue file and of its head, renewed after every entry.
//!
//! The chain protects the content of entries. The seal protects every byte of the catalogue file and reveals missing
//! entries at the end. While a process writes, it keeps a journal in the folder. After a crash, the next process
//! completes the operation if the entry is in the catalogue, and undoes it otherwise.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::chain::Head;
use crate::disk;
use crate::entry::FORMAT;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Key;
use crate::signature::Verifier;

const SEAL: &str = "seal.json";
const JOURNAL: &str = "under-way.json";
const UNNAMED: &str = "unnamed.json";

/// Hashes of the catalogue after its last write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    pub format: u32,
    pub ledger: String,
    pub head: SealedHead,
    pub catalogue: Hash,
    /// Hash of the ledger's metadata: id, creation time, key derivation, public key. Format 1 has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Hash>,
    /// Signature with the key of the ledger, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// Sealed head. Format 1 has no root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SealedHead {
    pub entries: u64,
    pub hash: Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Hash>,
}

impl SealedHead {
    /// Returns true if this is the given head.
    pub(crate) fn matches(&self, head: Head) -> bool {
        (self.entries, self.hash) == (head.entries, head.hash) && self.root.is_none_or(|root| root == head.root)
    }
}

impl Seal {
    /// Seals the current catalogue, whose write-ahead log must be empty. Signs the seal if there is a key and the
    /// format has signatures.
    pub(crate) fn new(catalogue: &Catalogue, head: Head, key: Option<&Key>) -> Result<Seal> {
        let format = catalogue.format()?.clamp(1, i64::from(FORMAT)) as u32;
        let root = (format > 1).then_some(head.root);
        let about = if format > 1 { Some(catalogue.metadata_hash(catalogue.verifier()?.as_ref())?) } else { None };
        let seal = Seal {
            format,
            ledger: catalogue.id()?,
            head: SealedHead { entries: head.entries, hash: head.hash, root },
            catalogue: catalogue.hash()?,
            about,
            signature: None,
        };
        match key.filter(|_| format > 1) {
            Some(key) => Ok(seal.signed(key)),
            None => Ok(seal),
        }
    }

    /// Returns the seal with a signature.
    pub(crate) fn signed(mut self, key: &Key) -> Seal {
        self.signature = Some(key.signer().sign(&self.signed_text()));
        self
    }

    /// Returns true if this key signed the seal.
    pub(crate) fn is_signed_by(&self, verifier: &Verifier) -> bool {
        self.signature.as_ref().is_some_and(|signature| verifier.accepts(&self.signed_text(), signature))
    }

    fn signed_text(&self) -> String {
        let Seal { format, ledger, head: SealedHead { entries, hash, root }, catalogue, about, .. } = self;
        let text = |hash: &Option<Hash>| hash.map(|hash| hash.to_string()).unwrap_or_default();
        let (root, about) = (text(root), text(about));
        format!("reticent seal {format}\n{ledger}\n{entries}\n{hash}\n{root}\n{catalogue}\n{about}\n")
    }

    /// Reads the seal, if there is one.
    pub(crate) fn read(folder: &Path) -> Result<Option<Seal>> {
        let Some(bytes) = disk::read_file(&folder.join(SEAL))? else { return Ok(None) };
        let whole = |seal: &Seal| seal.text().as_bytes() == bytes;
        let seal = serde_json::from_slice::<Seal>(&bytes).ok().filter(whole);
        let seal = seal.ok_or_else(|| Error::broken(folder, format!("{SEAL} was changed")))?;
        match seal.format {
            1 if seal.head.root.is_none() && seal.about.is_none() && seal.signature.is_none() => Ok(Some(seal)),
            2 if seal.head.root.is_some() && seal.about.is_some() => Ok(Some(seal)),
            _ => Err(Error::broken(folder, format!("{SEAL} was changed"))),
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        disk::replace_file(&folder.join(SEAL), self.text().as_bytes())
    }

    fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// Rename of a staged file to its final name, after its release is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// Path of the verified file, in a staging folder that is removed after the rename.
    pub from: PathBuf,
    /// Final path.
    pub to: PathBuf,
}

impl Naming {
    /// Returns the naming with paths relative to the parent of the ledger's folder, where they lie below it. A
    /// project can then be moved.
    pub(crate) fn to_relative(&self, ledger: &Path) -> Naming {
        let parent = disk::parent(&disk::resolve(ledger));
        let below = |path: &Path| path.strip_prefix(&parent).unwrap_or(path).to_owned();
        Naming { from: below(&self.from), to: below(&self.to) }
    }

    /// Returns the naming with absolute paths.
    pub(crate) fn to_absolute(&self, ledger: &Path) -> Naming {
        let parent = disk::parent(&disk::resolve(ledger));
        Naming { from: parent.join(&self.from), to: parent.join(&self.to) }
    }
}

/// Identity of a folder on the disk. It distinguishes a ledger from its copies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FolderId(String);

impl FolderId {
    pub(crate) fn new(folder: &Path) -> FolderId {
        FolderId::of_existing(folder).unwrap_or_default()
    }

    /// Returns the identity of a folder, or none if it does not exist.
    pub(crate) fn of_existing(folder: &Path) -> Option<FolderId> {
        let metadata = std::fs::metadata(folder).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(FolderId(format!("{}:{}", metadata.dev(), metadata.ino())))
        }
        #[cfg(not(unix))]
        metadata.is_dir().then(|| FolderId(disk::resolve(folder).display().to_string()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_text(text: &str) -> FolderId {
        FolderId(text.to_owned())
    }
}

/// Returns true if the file exists or if its existence cannot be determined.
fn may_exist(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}

/// Operation in progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub format: u32,
    /// Identity of the folder that the journal was written in.
    pub place: FolderId,
    /// Hash of the new entry, once it is known.
    pub entry: Option<Hash>,
    /// Files that are removed if the entry is not written. Paths are relative to the ledger's folder.
    pub bodies: Vec<String>,
    /// File that is renamed after the entry is written.
    pub naming: Option<Naming>,
    /// Backup of the catalogue, if the operation is a migration. The path is relative to the ledger's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}

impl Journal {
    /// Creates the journal of a new operation.
    pub(crate) fn new(folder: &Path, naming: Option<&Naming>) -> Journal {
        let naming = naming.map(|naming| naming.to_relative(folder));
        Journal { format: FORMAT, place: FolderId::new(folder), entry: None, bodies: Vec::new(), naming, backup: None }
    }

    pub(crate) fn exists(folder: &Path) -> bool {
        may_exist(&folder.join(JOURNAL))
    }

    /// Reads the journal. An unreadable journal gives the default: an operation was in progress, and nothing else is
    /// known.
    pub(crate) fn read(folder: &Path) -> Result<Option<Journal>> {
        let bytes = disk::read_file(&folder.join(JOURNAL))?;
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(JOURNAL), self)
    }

    pub(crate) fn remove(folder: &Path) -> Result<()> {
        disk::remove_file(&folder.join(JOURNAL))?;
        disk::sync_folder(folder)
    }
}

/// A recorded release whose file does not have its final name yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnnamedFile {
    pub release: u64,
    pub place: FolderId,
    pub naming: Naming,
}

impl UnnamedFile {
    pub(crate) fn any_exist(folder: &Path) -> bool {
        may_exist(&folder.join(UNNAMED))
    }

    /// Reads the list of such files. An unreadable list counts as empty, because entries do not depend on it.
    pub(crate) fn read_all(folder: &Path) -> Result<Vec<UnnamedFile>> {
        let bytes = disk::read_file(&folder.join(UNNAMED))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    pub(crate) fn write_all(folder: &Path, all: &[UnnamedFile]) -> Result<()> {
        if all.is_empty() { disk::remove_file(&folder.join(UNNAMED)) } else { write_json(&folder.join(UNNAMED), &all) }
    }

    /// Adds a release to the list.
    pub(crate) fn add(folder: &Path, release: u64, naming: &Naming) -> Result<()> {
        let mut all = UnnamedFile::read_all(folder)?;
        all.retain(|unnamed| unnamed.release != release);
        all.push(UnnamedFile { release, place: FolderId::new(folder), naming: naming.clone() });
        UnnamedFile::write_all(folder, &all)
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value).map_err(|error| Error::Unfit(error.to_string()))?;
    disk::replace_file(path, text.as_bytes())
}
