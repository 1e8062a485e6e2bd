//! The seal: the hash of the whole catalogue file and of its head, renewed after every entry.
//!
//! The chain protects what entries say; the seal protects every byte of the file they are in, and tells when entries at
//! the end have gone. While somebody writes, a note of what is under way lies beside it, so that whoever comes after a
//! crash can bring it to an end: forward when the entry is in the catalogue, back when it is not.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::catalogue::NAME as CATALOGUE;
use crate::chain::Head;
use crate::disk;
use crate::error::{Error, Result};
use crate::hash::Hash;

const SEAL: &str = "seal.json";
const UNDER_WAY: &str = "under-way.json";

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
    pub(crate) fn of(folder: &Path, ledger: &str, head: Head) -> Result<Seal> {
        let (catalogue, _) = Hash::of_file(&folder.join(CATALOGUE))?;
        Ok(Seal { format: 1, ledger: ledger.to_owned(), head, catalogue })
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

/// What somebody is doing to the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnderWay {
    /// The entry, as soon as it is known.
    pub entry: Option<Hash>,
    /// Bodies that nobody needs if the entry does not come, by their paths from the ledger's folder.
    pub bodies: Vec<String>,
    /// The file that takes its name with the entry.
    pub naming: Option<Naming>,
}

impl UnderWay {
    pub(crate) fn is_there(folder: &Path) -> bool {
        folder.join(UNDER_WAY).exists()
    }

    /// What was under way. A note that cannot be read says that something was, and no more.
    pub(crate) fn read(folder: &Path) -> Result<Option<UnderWay>> {
        let bytes = disk::read_file(&folder.join(UNDER_WAY))?;
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|error| Error::Unfit(error.to_string()))?;
        disk::replace_file(&folder.join(UNDER_WAY), text.as_bytes())
    }

    pub(crate) fn remove(folder: &Path) -> Result<()> {
        disk::remove_file(&folder.join(UNDER_WAY))?;
        disk::sync_folder(folder)
    }
}
