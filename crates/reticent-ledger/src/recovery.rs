//! Recovery: completes what a process left behind, forward when its entry is in the catalogue, back when it is not.

use std::path::Path;
use std::time::Duration;

use crate::bodies::{Bodies, is_address, relative};
use crate::catalogue::{Catalogue, NAME as CATALOGUE};
use crate::chain::Chain;
use crate::disk;
use crate::entry::{Entry, FORMAT};
use crate::error::{Error, Result};
use crate::finalize;
use crate::hash::Hash;
use crate::ledger::{Ledger, PATIENCE};
use crate::lock::Holder;
use crate::schema::{Beside, FORMATS};
use crate::seal::{Journal, Seal, Unnamed};
use crate::session::Session;

/// Whether a process left something to be completed.
pub(crate) fn is_unfinished(folder: &Path) -> bool {
    Journal::is_there(folder) || Unnamed::is_there(folder)
}

/// Completes what a process left. Only for who holds the lock. `patience` is for readers that are in the way.
pub(crate) fn settle(folder: &Path, patience: Duration, session: &Session) -> Result<()> {
    if let Some(journal) = Journal::read(folder)? {
        settle_entry(folder, &journal, patience, session)?;
    }
    if Unnamed::is_there(folder) {
        name_what_waits(folder, session)?;
    }
    Ok(())
}

fn settle_entry(folder: &Path, journal: &Journal, patience: Duration, session: &Session) -> Result<()> {
    if journal.format > FORMAT {
        let (found, known) = (i64::from(journal.format), i64::from(FORMAT));
        return Err(Error::Newer { folder: folder.to_owned(), found, known });
    }
    if !folder.join(CATALOGUE).exists() && Bodies::new(folder).files()?.is_empty() {
        // It was being made, and did not come to be.
        return Journal::remove(folder);
    }
    if let Some(backup) = &journal.backup {
        return restart_migration(folder, backup, session);
    }
    let ledger = Ledger::plain(folder)?;
    if !ledger.catalogue.fold(patience)? {
        // The next command that writes goes on here.
        return Err(Error::Held { holder: Holder::unknown("reading"), waited: patience });
    }
    let (chain, seal) = ledger.unsealed_chain(journal, session)?;
    let recorded = journal.entry.and_then(|hash| chain.find(hash));
    // Whether the file outside is this ledger's, and not that of the one it is a copy of, its staging folder says.
    let naming = journal.naming.as_ref().map(|naming| naming.whole(folder));
    if let (Some(naming), Some(entry)) = (&naming, recorded)
        && finalize::finish_late(naming, entry, &ledger).is_err()
    {
        Unnamed::add(folder, entry.number, &naming.inside(folder))?;
    }
    if recorded.is_none() {
        naming.iter().for_each(|naming| finalize::discard(naming, &ledger));
        ledger.remove_unused(&journal.bodies, &chain)?;
    }
    ledger.finish_purges(&chain)?;
    ledger.bodies.sweep()?;
    // Also what was removed by a process that was killed before the disk knew of it.
    ledger.bodies.sync()?;
    ledger.seal(&chain, seal.about, session)?;
    Journal::remove(folder)
}

/// Begins a migration again, from the catalogue as it was before.
fn restart_migration(folder: &Path, backup: &str, session: &Session) -> Result<()> {
    let seal = Seal::read(folder)?;
    let sealed = seal.ok_or_else(|| Error::broken(folder, "its seal is missing"))?;
    if sealed.format == FORMAT {
        // All but the journal was done.
        Ledger::plain(folder)?.check_seal(session)?;
        return Journal::remove(folder);
    }
    // The journal may name only what a migration writes.
    let is_backup = backup.starts_with("backups/catalogue-format-") && !backup.contains("..");
    let bytes = if is_backup { disk::read_file(&folder.join(backup))? } else { None };
    let bytes = bytes.filter(|bytes| Hash::of(bytes) == sealed.catalogue);
    let bytes = bytes.ok_or_else(|| Error::broken(folder, "a migration did not finish, and its backup is missing"))?;
    for ending in ["-wal", "-shm", "-journal"] {
        disk::remove_file(&folder.join(format!("{CATALOGUE}{ending}")))?;
    }
    disk::replace_file(&folder.join(CATALOGUE), &bytes)?;
    Journal::remove(folder)?;
    Ledger::plain(folder)?.migrate(FORMATS, session)
}

/// Gives files their names whose folders were away, or whose names were taken, when their releases were recorded.
fn name_what_waits(folder: &Path, session: &Session) -> Result<()> {
    let ledger = Ledger::plain(folder)?;
    // Nothing is named because of an entry that was forged.
    ledger.check_seal(session)?;
    let entries = ledger.entries()?;
    let waits = |unnamed: &Unnamed| {
        let entry = entries.iter().find(|entry| entry.number == unnamed.release);
        entry.is_some_and(|entry| finalize::finish_late(&unnamed.naming.whole(folder), entry, &ledger).is_err())
    };
    let all = Unnamed::read(folder)?;
    let left: Vec<Unnamed> = all.iter().filter(|unnamed| waits(unnamed)).cloned().collect();
    if left.len() < all.len() { Unnamed::write(folder, &left) } else { Ok(()) }
}

impl Ledger {
    /// Seals the catalogue, if it holds this chain and nothing else, and says of the ledger what the last seal said (`about`). What is
    /// compared is what is sealed: a copy in memory.
    pub(crate) fn seal(&self, chain: &Chain, about: Option<Hash>, session: &Session) -> Result<()> {
        let snapshot = self.catalogue.snapshot()?;
        let verifier = snapshot.verifier()?;
        let key = session.key.as_ref().filter(|key| Some(key.verifier()) == verifier);
        if verifier.is_some() && key.is_none() {
            return Err(Error::KeyNeeded(self.folder.clone()));
        }
        if !chain.is_of(&snapshot.rows()?) || snapshot.beside()? != Beside::of(&chain.entries) {
            return Err(Error::broken(&self.folder, "the catalogue was changed while it was written"));
        }
        snapshot.check_schema()?;
        // What the catalogue says about the ledger stays, but for the key with the first signature.
        let before = verifier.as_ref().filter(|_| !chain.ends_with_first_signature());
        let expected = [snapshot.about(before)?, snapshot.about(verifier.as_ref())?];
        if about.is_some_and(|about| !expected.contains(&about)) {
            return Err(Error::broken(&self.folder, "the catalogue was changed while it was written"));
        }
        Seal::of(&snapshot, chain.head(), key)?.write(&self.folder)
    }

    /// The entries of a catalogue whose writer did not finish: those that were sealed, and at most the one that its journal names,
    /// signed with the ledger's key. Nothing else of the catalogue may have changed.
    pub(crate) fn unsealed_chain(&self, journal: &Journal, session: &Session) -> Result<(Chain, Seal)> {
        let broken = |what: &str| Error::broken(&self.folder, what);
        if let Some(first) = self.catalogue.damage()?.first() {
            return Err(broken(&format!("the catalogue is damaged: {first}")));
        }
        let chain = self.chain()?;
        let seal = Seal::read(&self.folder)?.ok_or_else(|| broken("its seal is missing"))?;
        if !chain.head_after(seal.head.entries).is_some_and(|head| seal.head.is(head)) {
            return Err(broken("an entry that was sealed is no longer there"));
        }
        let new = chain.entries.len() as u64 - seal.head.entries;
        if new == 0 {
            self.check_seal(session)?;
        } else if new > 1 || journal.entry != Some(chain.head().hash) {
            return Err(broken("it has entries that were never sealed"));
        } else {
            self.check_unsealed(&seal, &chain, session)?;
        }
        Ok((chain, seal))
    }

    /// One entry is newer than the seal: the seal and that entry are signed, and the tables beside the entries agree with them.
    fn check_unsealed(&self, seal: &Seal, chain: &Chain, session: &Session) -> Result<()> {
        let broken = |what: &str| Error::broken(&self.folder, what);
        let identity = self.catalogue.identity()?;
        if seal.ledger != identity.id {
            return Err(broken("its seal is that of another ledger"));
        }
        let verifier = self.trusted_verifier(session)?;
        let checked = chain.check_signatures(&identity.origin(), verifier.as_ref(), 1);
        checked.map_err(|what| broken(&what))?;
        if verifier.as_ref().is_some_and(|verifier| !seal.is_signed_by(verifier)) {
            return Err(broken("its seal is not signed with the ledger's key"));
        }
        // With the first signature the catalogue names the key, and before it did not.
        let named = verifier.as_ref().filter(|_| !chain.ends_with_first_signature());
        let about = if self.catalogue.format()? > 1 { Some(self.catalogue.about(named)?) } else { None };
        if seal.about != about {
            return Err(broken("the catalogue was changed after it was sealed"));
        }
        if self.catalogue.beside()? != Beside::of(&chain.entries) {
            return Err(broken("the tables beside the entries do not say what the entries say"));
        }
        self.catalogue.check_schema()
    }

    /// The seal, which is that of the catalogue as it stands, and signed if the ledger has a key. Only for who holds the lock.
    pub(crate) fn check_seal(&self, session: &Session) -> Result<Seal> {
        let broken = |what: &str| Error::broken(&self.folder, what);
        let seal = Seal::read(&self.folder)?.ok_or_else(|| broken("its seal is missing"))?;
        if Catalogue::has_log(&self.folder) && !self.catalogue.fold(PATIENCE)? {
            return Err(Error::Held { holder: Holder::unknown("reading"), waited: PATIENCE });
        }
        if self.catalogue.hash()? != seal.catalogue {
            return Err(broken("the catalogue was changed after it was sealed"));
        }
        if seal.ledger != self.catalogue.id()? {
            return Err(broken("its seal is that of another ledger"));
        }
        if self.trusted_verifier(session)?.is_some_and(|verifier| !seal.is_signed_by(&verifier)) {
            return Err(broken("its seal is not signed with the ledger's key"));
        }
        Ok(seal)
    }

    /// The public key that signatures are checked with: the one that the caller trusts, which must be the ledger's.
    pub(crate) fn trusted_verifier(&self, session: &Session) -> Result<Option<crate::signature::Verifier>> {
        if let (Some(key), Some(given)) = (&session.key, &session.verifier)
            && key.verifier() != *given
        {
            return Err(Error::broken(&self.folder, "its key is not the one that was given"));
        }
        match (self.catalogue.verifier()?, session.trusted()) {
            (None, Some(_)) => Err(Error::Unauthenticated(self.folder.clone())),
            (Some(own), Some(trusted)) if own != trusted => {
                Err(Error::broken(&self.folder, "it is signed with another key than the one given"))
            }
            (own, _) => Ok(own),
        }
    }

    /// Removes bodies that were placed for an entry that did not come.
    fn remove_unused(&self, placed: &[String], chain: &Chain) -> Result<()> {
        let used = in_use(&chain.entries);
        for path in placed.iter().filter(|path| is_address(path) && !used.contains(*path)) {
            disk::remove_file(&self.folder.join(path))?;
        }
        Ok(())
    }
}

/// The paths of all bodies that entries name and that were not erased.
pub(crate) fn in_use<'a>(entries: impl IntoIterator<Item = &'a Entry> + Clone) -> std::collections::BTreeSet<String> {
    let erased: std::collections::BTreeSet<u64> =
        entries.clone().into_iter().filter_map(Entry::purge).map(|purge| purge.release).collect();
    let kept = entries.into_iter().filter(|entry| !erased.contains(&entry.number)).filter_map(Entry::release);
    kept.flat_map(|release| release.bodies()).map(|(kind, body)| relative(kind, body.sha256)).collect()
}
