//! Recovery: completes an interrupted operation if its entry is in the catalogue, and undoes it otherwise.

use std::path::Path;
use std::time::Duration;

use crate::blobs::{Blobs, is_blob_path};
use crate::catalogue::{Catalogue, NAME as CATALOGUE};
use crate::chain::Chain;
use crate::corrections::used_paths;
use crate::disk;
use crate::entry::FORMAT;
use crate::error::{Error, Result};
use crate::finalize;
use crate::hash::Hash;
use crate::ledger::{Ledger, PATIENCE};
use crate::lock::Holder;
use crate::schema::{FORMATS, IndexRows};
use crate::seal::{Journal, Seal, UnnamedFile};
use crate::session::Session;

/// Returns true if an operation was interrupted or a file lacks its final name.
pub(crate) fn needs_recovery(folder: &Path) -> bool {
    Journal::exists(folder) || UnnamedFile::any_exist(folder)
}

/// Completes or undoes interrupted operations. The caller holds the lock. Waits at most `patience` for readers.
pub(crate) fn recover_folder(folder: &Path, patience: Duration, session: &Session) -> Result<()> {
    if let Some(journal) = Journal::read(folder)? {
        recover_entry(folder, &journal, patience, session)?;
    }
    if UnnamedFile::any_exist(folder) {
        rename_unnamed_files(folder, session)?;
    }
    Ok(())
}

fn recover_entry(folder: &Path, journal: &Journal, patience: Duration, session: &Session) -> Result<()> {
    if journal.format > FORMAT {
        let (found, known) = (i64::from(journal.format), i64::from(FORMAT));
        return Err(Error::Newer { folder: folder.to_owned(), found, known });
    }
    if !folder.join(CATALOGUE).exists() && Blobs::new(folder).files()?.is_empty() {
        // The creation of the ledger was interrupted.
        return Journal::remove(folder);
    }
    if let Some(backup) = &journal.backup {
        return restart_migration(folder, backup, session);
    }
    let ledger = Ledger::open_unchecked(folder)?;
    if !ledger.catalogue.merge_log(patience)? {
        // The next command that writes continues here.
        return Err(Error::Held { holder: Holder::unknown("reading"), waited: patience });
    }
    let (chain, seal) = ledger.unsealed_chain(journal, session)?;
    let recorded = journal.entry.and_then(|hash| chain.find(hash));
    // The staging folder shows whether the file belongs to this ledger, and not to a copy of it.
    let naming = journal.naming.as_ref().map(|naming| naming.to_absolute(folder));
    if let (Some(naming), Some(entry)) = (&naming, recorded)
        && finalize::rename_after_crash(naming, entry, &ledger).is_err()
    {
        UnnamedFile::add(folder, entry.number, &naming.to_relative(folder))?;
    }
    if recorded.is_none() {
        naming.iter().for_each(|naming| finalize::discard(naming, &ledger));
        ledger.remove_unused(&journal.bodies, &chain)?;
    }
    ledger.remove_erased_files(&chain)?;
    ledger.bodies.sweep()?;
    // Also syncs removals of a process that was killed before its sync.
    ledger.bodies.sync()?;
    ledger.seal(&chain, seal.about, session)?;
    Journal::remove(folder)
}

/// Restarts a migration from the backup of the catalogue.
fn restart_migration(folder: &Path, backup: &str, session: &Session) -> Result<()> {
    let seal = Seal::read(folder)?;
    let sealed = seal.ok_or_else(|| Error::broken(folder, "the seal is missing"))?;
    if sealed.format == FORMAT {
        // Only the removal of the journal was missing.
        Ledger::open_unchecked(folder)?.check_seal(session)?;
        return Journal::remove(folder);
    }
    // Only the path of a backup is accepted from the journal.
    let is_backup = backup.starts_with("backups/catalogue-format-") && !backup.contains("..");
    let bytes = if is_backup { disk::read_file(&folder.join(backup))? } else { None };
    let bytes = bytes.filter(|bytes| Hash::digest(bytes) == sealed.catalogue);
    let bytes = bytes
        .ok_or_else(|| Error::broken(folder, "a migration did not finish, and its backup is missing or changed"))?;
    for ending in ["-wal", "-shm", "-journal"] {
        disk::remove_file(&folder.join(format!("{CATALOGUE}{ending}")))?;
    }
    disk::replace_file(&folder.join(CATALOGUE), &bytes)?;
    Journal::remove(folder)?;
    Ledger::open_unchecked(folder)?.migrate(FORMATS, session)
}

/// Renames files whose folder was missing, or whose name was taken, when their release was recorded.
fn rename_unnamed_files(folder: &Path, session: &Session) -> Result<()> {
    let ledger = Ledger::open_unchecked(folder)?;
    // A forged entry must not cause a rename.
    ledger.check_seal(session)?;
    let entries = ledger.entries()?;
    let waits = |unnamed: &UnnamedFile| {
        let entry = entries.iter().find(|entry| entry.number == unnamed.release);
        entry.is_some_and(|entry| {
            finalize::rename_after_crash(&unnamed.naming.to_absolute(folder), entry, &ledger).is_err()
        })
    };
    let all = UnnamedFile::read_all(folder)?;
    let left: Vec<UnnamedFile> = all.iter().filter(|unnamed| waits(unnamed)).cloned().collect();
    if left.len() < all.len() { UnnamedFile::write_all(folder, &left) } else { Ok(()) }
}

impl Ledger {
    /// Seals the catalogue if it contains exactly this chain and if its metadata matches the previous seal (`metadata`).
    /// The comparison and the seal use the same copy in memory.
    pub(crate) fn seal(&self, chain: &Chain, metadata: Option<Hash>, session: &Session) -> Result<()> {
        let snapshot = self.catalogue.snapshot()?;
        let verifier = snapshot.verifier()?;
        let key = session.key.as_ref().filter(|key| Some(key.verifier()) == verifier);
        if verifier.is_some() && key.is_none() {
            return Err(Error::KeyNeeded(self.folder.clone()));
        }
        if !chain.matches_rows(&snapshot.rows()?) || snapshot.index_rows()? != IndexRows::from_entries(&chain.entries) {
            return Err(Error::broken(&self.folder, "the catalogue was changed while it was written"));
        }
        snapshot.check_schema()?;
        // The metadata must not change, except for the public key with the first signature.
        let before = verifier.as_ref().filter(|_| !chain.ends_with_first_signature());
        let expected = [snapshot.metadata_hash(before)?, snapshot.metadata_hash(verifier.as_ref())?];
        if metadata.is_some_and(|metadata| !expected.contains(&metadata)) {
            return Err(Error::broken(&self.folder, "the catalogue was changed while it was written"));
        }
        Seal::new(&snapshot, chain.head(), key)?.write(&self.folder)
    }

    /// Returns the chain and the seal of a catalogue whose writer was interrupted. The chain has the sealed entries
    /// and at most one more, which the journal names and the ledger's key signed. Nothing else may have changed.
    pub(crate) fn unsealed_chain(&self, journal: &Journal, session: &Session) -> Result<(Chain, Seal)> {
        let broken = |what: &str| Error::broken(&self.folder, what);
        if let Some(first) = self.catalogue.damage()?.first() {
            return Err(broken(&format!("the catalogue is damaged: {first}")));
        }
        let chain = self.chain()?;
        let seal = Seal::read(&self.folder)?.ok_or_else(|| broken("the seal is missing"))?;
        if !chain.head_after(seal.head.entries).is_some_and(|head| seal.head.matches(head)) {
            return Err(broken("a sealed entry is missing or was changed"));
        }
        let new = chain.entries.len() as u64 - seal.head.entries;
        if new == 0 {
            self.check_seal(session)?;
        } else if new > 1 || journal.entry != Some(chain.head().hash) {
            return Err(broken("the catalogue has entries that were never sealed"));
        } else {
            self.check_unsealed(&seal, &chain, session)?;
        }
        Ok((chain, seal))
    }

    /// Checks a catalogue with one entry after the seal: signatures, metadata, index tables and schema.
    fn check_unsealed(&self, seal: &Seal, chain: &Chain, session: &Session) -> Result<()> {
        let broken = |what: &str| Error::broken(&self.folder, what);
        let identity = self.catalogue.identity()?;
        if seal.ledger != identity.id {
            return Err(broken("the seal belongs to another ledger"));
        }
        let verifier = self.trusted_verifier(session)?;
        let checked = chain.check_signatures(&identity.origin(), verifier.as_ref(), 1);
        checked.map_err(|what| broken(&what))?;
        if verifier.as_ref().is_some_and(|verifier| !seal.is_signed_by(verifier)) {
            return Err(broken("the seal is not signed with the ledger's key"));
        }
        // The first signature adds the public key to the metadata.
        let named = verifier.as_ref().filter(|_| !chain.ends_with_first_signature());
        let metadata = if self.catalogue.format()? > 1 { Some(self.catalogue.metadata_hash(named)?) } else { None };
        if seal.about != metadata {
            return Err(broken("the catalogue was changed after it was sealed"));
        }
        if self.catalogue.index_rows()? != IndexRows::from_entries(&chain.entries) {
            return Err(broken("the index tables of the catalogue do not match its entries"));
        }
        self.catalogue.check_schema()
    }

    /// Returns the seal, after checking that it matches the catalogue and has a valid signature. The caller holds the
    /// lock.
    pub(crate) fn check_seal(&self, session: &Session) -> Result<Seal> {
        let broken = |what: &str| Error::broken(&self.folder, what);
        let seal = Seal::read(&self.folder)?.ok_or_else(|| broken("the seal is missing"))?;
        if Catalogue::has_log(&self.folder) && !self.catalogue.merge_log(PATIENCE)? {
            return Err(Error::Held { holder: Holder::unknown("reading"), waited: PATIENCE });
        }
        if self.catalogue.hash()? != seal.catalogue {
            return Err(broken("the catalogue was changed after it was sealed"));
        }
        if seal.ledger != self.catalogue.id()? {
            return Err(broken("the seal belongs to another ledger"));
        }
        if self.trusted_verifier(session)?.is_some_and(|verifier| !seal.is_signed_by(&verifier)) {
            return Err(broken("the seal is not signed with the ledger's key"));
        }
        Ok(seal)
    }

    /// Returns the public key that verifies signatures: the ledger's own, which must equal the trusted one.
    pub(crate) fn trusted_verifier(&self, session: &Session) -> Result<Option<crate::signature::Verifier>> {
        if let (Some(key), Some(given)) = (&session.key, &session.verifier)
            && key.verifier() != *given
        {
            return Err(Error::broken(&self.folder, "the key does not match the given public key"));
        }
        match (self.catalogue.verifier()?, session.trusted()) {
            (None, Some(_)) => Err(Error::Unauthenticated(self.folder.clone())),
            (Some(own), Some(trusted)) if own != trusted => {
                Err(Error::broken(&self.folder, "the ledger is signed with another key than the given one"))
            }
            (own, _) => Ok(own),
        }
    }

    /// Removes stored files of an entry that was not written.
    fn remove_unused(&self, placed: &[String], chain: &Chain) -> Result<()> {
        let used = used_paths(&chain.entries);
        for path in placed.iter().filter(|path| is_blob_path(path) && !used.contains(*path)) {
            disk::remove_file(&self.folder.join(path))?;
        }
        Ok(())
    }
}
