//! The seal: the hash of the whole catalogue file and of its head, renewed after every entry.
//!
//! The chain protects what entries say; the seal protects every byte of the file they are in, and tells when entries at
//! the end have gone. While somebody writes, a note of what is under way lies beside it, so that whoever comes after a
//! crash can bring it to an end: forward when the entry is in the catalogue, back when it is not.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::chain::Head;
use crate::disk;
use crate::entry::FORMAT;
use crate::error::{Error, Result};
use crate::hash::Hash;

const SEAL: &str = "seal.json";
const UNDER_WAY: &str = "under-way.json";
const UNNAMED: &str = "unnamed.json";

/// What the catalogue looked like when it was last written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    pub format: u32,
    pub ledger: String,
    pub head: Head,
    pub catalogue: Hash,
}

impl Seal {
    /// Of the catalogue as it stands, with nothing in its log.
    pub(crate) fn of(catalogue: &Catalogue, head: Head) -> Result<Seal> {
        Ok(Seal { format: 1, ledger: catalogue.id()?, head, catalogue: catalogue.hash()? })
    }

    /// The seal as it lies there.
    pub(crate) fn read(folder: &Path) -> Result<Option<Seal>> {
        let Some(bytes) = disk::read_file(&folder.join(SEAL))? else { return Ok(None) };
        let whole = |seal: &Seal| seal.format == 1 && seal.text().as_bytes() == bytes;
        let seal = serde_json::from_slice::<Seal>(&bytes).ok().filter(whole);
        seal.map(Some).ok_or_else(|| Error::broken(folder, format!("{SEAL} was changed")))
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

/// What somebody is doing to the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnderWay {
    pub format: u32,
    /// The folder that this was written in.
    pub place: Place,
    /// The entry, as soon as it is known.
    pub entry: Option<Hash>,
    /// Bodies that nobody needs if the entry does not come, by their paths from the ledger's folder.
    pub bodies: Vec<String>,
    /// The file that takes its name with the entry.
    pub naming: Option<Naming>,
}

impl UnderWay {
    /// Something that begins.
    pub(crate) fn of(folder: &Path, naming: Option<&Naming>) -> UnderWay {
        let naming = naming.map(|naming| naming.inside(folder));
        UnderWay { format: FORMAT, place: Place::of(folder), entry: None, bodies: Vec::new(), naming }
    }

    pub(crate) fn is_there(folder: &Path) -> bool {
        may_be_there(&folder.join(UNDER_WAY))
    }

    /// What was under way. A note that cannot be read says that something was, and no more.
    pub(crate) fn read(folder: &Path) -> Result<Option<UnderWay>> {
        let bytes = disk::read_file(&folder.join(UNDER_WAY))?;
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(UNDER_WAY), self)
    }

    pub(crate) fn remove(folder: &Path) -> Result<()> {
        disk::remove_file(&folder.join(UNDER_WAY))?;
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
