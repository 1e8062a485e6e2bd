//! Erasure: the stored records and owner links of a release are removed; its entry and the chain remain.

use crate::blobs::relative_path;
use crate::chain::Chain;
use crate::corrections::{removed_bodies, used_paths};
use crate::entry::{BlobKind, Entry, EntryKind, Purge};
use crate::error::{Error, Result};
use crate::ledger::{Ledger, Writer};

impl Writer<'_> {
    /// Erases the contents of a release. Files that another release also uses remain, and the entry lists them.
    pub fn purge(mut self, wanted: &str, reason: &str) -> Result<Entry> {
        let entry = self.ledger.find(wanted)?;
        let Some(release) = entry.release() else { return Err(Error::NoSuch { wanted: wanted.to_owned() }) };
        let earlier = |other: &&Entry| other.purge().is_some_and(|purge| purge.release == entry.number);
        if let Some(earlier) = self.chain.entries.iter().find(earlier) {
            return Err(Error::Erased { number: entry.number, name: release.name.clone(), at: earlier.at.clone() });
        }
        let others = self.chain.entries.iter().filter(|other| other.number != entry.number);
        let used = used_paths(others);
        let (shared, erased): (Vec<_>, Vec<_>) =
            release.bodies().into_iter().partition(|(kind, body)| used.contains(&relative_path(*kind, body.sha256)));
        let purge = Purge {
            release: entry.number,
            reason: reason.to_owned(),
            erased: erased.iter().map(|(_, body)| body.sha256).collect(),
            shared: shared.iter().map(|(_, body)| body.sha256).collect(),
        };
        let entry = self.append_kind(EntryKind::Purge(purge), None)?;
        // From here on the erasure is recorded. The next writer completes an interrupted one.
        let removed = self.ledger.remove_erased_files(&self.chain);
        removed.map_err(|error| Error::ErasedFilesRemain { entry: entry.number, why: error.to_string() })?;
        self.seal();
        Ok(entry)
    }
}

impl Ledger {
    /// Returns the releases that still use contents that an erasure could not remove.
    pub fn releases_sharing(&self, purge: &Entry) -> Result<Vec<u64>> {
        let entries = self.entries()?;
        let gone: Vec<u64> = entries.iter().filter_map(Entry::purge).map(|purge| purge.release).collect();
        let shared = purge.purge().map(|purge| purge.shared.as_slice()).unwrap_or_default();
        let has = |entry: &&Entry| {
            let bodies = entry.release().map(|release| release.bodies()).unwrap_or_default();
            let contents =
                bodies.iter().filter(|(kind, _)| matches!(kind, BlobKind::Records | BlobKind::Links | BlobKind::State));
            !gone.contains(&entry.number) && contents.into_iter().any(|(_, body)| shared.contains(&body.sha256))
        };
        Ok(entries.iter().filter(has).map(|entry| entry.number).collect())
    }

    /// Removes every file that a purge or an erasure removed from its release, and that no other release uses.
    pub(crate) fn remove_erased_files(&self, chain: &Chain) -> Result<()> {
        let removed = removed_bodies(&chain.entries);
        if removed.is_empty() {
            return Ok(());
        }
        let used = used_paths(&chain.entries);
        let mut gone = false;
        for (kind, hash) in removed {
            if !used.contains(&relative_path(kind, hash)) && self.bodies.path(kind, hash).exists() {
                self.bodies.erase(kind, hash)?;
                gone = true;
            }
        }
        // An erased file must not reappear after a crash.
        if gone { self.bodies.sync() } else { Ok(()) }
    }
}
