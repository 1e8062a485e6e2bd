//! The seal: the hash of the whole catalogue file and of its head, signed and renewed after every entry.
//!
//! The chain protects what entries say; the seal protects every byte of the file they are in, and reveals that entries at
//! the end are missing. While a process writes, a journal of what it does lies beside it, so that the next one can complete it
//! after a crash: forward when the entry is in the catalogue, back when it is not.

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

/// What the catalogue looked like when it was last written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    pub format: u32,
    pub ledger: String,
    pub head: SealedHead,
    pub catalogue: Hash,
    /// The hash of what the catalogue says about the ledger: its id, its public key, how secrets are derived. Format 1 has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Hash>,
    /// By the ledger's key, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// The head as it is sealed. Format 1 had no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SealedHead {
    pub entries: u64,
    pub hash: Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Hash>,
}

impl SealedHead {
    /// Whether this is that head.
    pub(crate) fn is(&self, head: Head) -> bool {
        (self.entries, self.hash) == (head.entries, head.hash) && self.root.is_none_or(|root| root == head.root)
    }
}

impl Seal {
    /// Of the catalogue as it stands, with nothing in its log. Signed if there is a key, and the format has signatures.
    pub(crate) fn of(catalogue: &Catalogue, head: Head, key: Option<&Key>) -> Result<Seal> {
        let format = catalogue.format()?.clamp(1, i64::from(FORMAT)) as u32;
        let root = (format > 1).then_some(head.root);
        let about = if format > 1 { Some(catalogue.about(catalogue.verifier()?.as_ref())?) } else { None };
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

    /// The same, signed.
    pub(crate) fn signed(mut self, key: &Key) -> Seal {
        self.signature = Some(key.signer().sign(&self.signed_text()));
        self
    }

    /// Whether it was signed with this key.
    pub(crate) fn is_signed_by(&self, verifier: &Verifier) -> bool {
        self.signature.as_ref().is_some_and(|signature| verifier.accepts(&self.signed_text(), signature))
    }

    fn signed_text(&self) -> String {
        let Seal { format, ledger, head: SealedHead { entries, hash, root }, catalogue, about, .. } = self;
        let text = |hash: &Option<Hash>| hash.map(|hash| hash.to_string()).unwrap_or_default();
        let (root, about) = (text(root), text(about));
        format!("reticent seal {format}\n{ledger}\n{entries}\n{hash}\n{root}\n{catalogue}\n{about}\n")
    }

    /// The seal that is there.
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

/// A file that takes its name once its release is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// Where the verified file is: in a folder of its own, which goes when the file has its name.
    pub from: PathBuf,
    /// What it will be called.
    pub to: PathBuf,
}

impl Naming {
    /// With paths from the folder that the ledger is in, where they lie below it: a project can be moved.
    pub(crate) fn inside(&self, ledger: &Path) -> Naming {
        let beside = disk::parent(&disk::real(ledger));
        let below = |path: &Path| path.strip_prefix(&beside).unwrap_or(path).to_owned();
        Naming { from: below(&self.from), to: below(&self.to) }
    }

    /// With paths from the root.
    pub(crate) fn whole(&self, ledger: &Path) -> Naming {
        let beside = disk::parent(&disk::real(ledger));
        Naming { from: beside.join(&self.from), to: beside.join(&self.to) }
    }
}

/// Which folder this is, so that a copy of a ledger is not taken for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place(String);

impl Place {
    pub(crate) fn of(folder: &Path) -> Place {
        Place::known(folder).unwrap_or_default()
    }

    /// The place of a folder; none if there is no such folder.
    pub(crate) fn known(folder: &Path) -> Option<Place> {
        let about = std::fs::metadata(folder).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Place(format!("{}:{}", about.dev(), about.ino())))
        }
        #[cfg(not(unix))]
        about.is_dir().then(|| Place(disk::real(folder).display().to_string()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_text(text: &str) -> Place {
        Place(text.to_owned())
    }
}

/// Whether a file is there, or cannot be looked for.
fn may_be_there(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}

/// What a process is doing to the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub format: u32,
    /// The folder that this was written in.
    pub place: Place,
    /// The entry, as soon as it is known.
    pub entry: Option<Hash>,
    /// Bodies that nobody needs if the entry does not come, by their paths from the ledger's folder.
    pub bodies: Vec<String>,
    /// The file that takes its name with the entry.
    pub naming: Option<Naming>,
    /// A migration: the copy of the catalogue as it was, by its path from the ledger's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}

impl Journal {
    /// Something that begins.
    pub(crate) fn of(folder: &Path, naming: Option<&Naming>) -> Journal {
        let naming = naming.map(|naming| naming.inside(folder));
        Journal { format: FORMAT, place: Place::of(folder), entry: None, bodies: Vec::new(), naming, backup: None }
    }

    pub(crate) fn is_there(folder: &Path) -> bool {
        may_be_there(&folder.join(JOURNAL))
    }

    /// What was under way. A note that cannot be read says that something was, and no more.
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

/// A recorded release whose file could not be given its name yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unnamed {
    pub release: u64,
    pub place: Place,
    pub naming: Naming,
}

impl Unnamed {
    pub(crate) fn is_there(folder: &Path) -> bool {
        may_be_there(&folder.join(UNNAMED))
    }

    /// All that wait. A list that cannot be read is no list: entries do not depend on it.
    pub(crate) fn read(folder: &Path) -> Result<Vec<Unnamed>> {
        let bytes = disk::read_file(&folder.join(UNNAMED))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    pub(crate) fn write(folder: &Path, all: &[Unnamed]) -> Result<()> {
        if all.is_empty() { disk::remove_file(&folder.join(UNNAMED)) } else { write_json(&folder.join(UNNAMED), &all) }
    }

    /// Adds one to those that wait.
    pub(crate) fn add(folder: &Path, release: u64, naming: &Naming) -> Result<()> {
        let mut all = Unnamed::read(folder)?;
        all.retain(|unnamed| unnamed.release != release);
        all.push(Unnamed { release, place: Place::of(folder), naming: naming.clone() });
        Unnamed::write(folder, &all)
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value).map_err(|error| Error::Unfit(error.to_string()))?;
    disk::replace_file(path, text.as_bytes())
}
