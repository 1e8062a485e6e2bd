//! Opening a ledger and locking it for writing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::blobs::Blobs;
use crate::catalogue::{Catalogue, NAME as CATALOGUE};
use crate::chain::{Chain, Head};
use crate::disk;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Identity;
use crate::lock::Lock;
use crate::recovery::{needs_recovery, recover_folder};
use crate::schema::FORMATS;
use crate::seal::{Journal, Seal};
use crate::session::{ActiveWriter, Session};
use crate::sharing;
use crate::signature::Verifier;

/// Maximum time that a reader can delay a seal before the seal is postponed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) folder: PathBuf,
    pub(crate) catalogue: Catalogue,
    pub(crate) bodies: Blobs,
}

impl Ledger {
    /// Returns true if the folder contains a ledger, or if that cannot be determined.
    pub fn exists(folder: &Path) -> bool {
        let nothing = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
        !folder.join(CATALOGUE).metadata().is_err_and(nothing)
            || Blobs::new(folder).files().is_ok_and(|files| !files.is_empty())
    }

    /// Returns true if a write is in progress or was interrupted.
    pub fn has_journal(folder: &Path) -> bool {
        Journal::exists(folder)
    }

    /// Returns true if recovery may still rename files: a write was interrupted, or a final name was not available.
    pub fn needs_recovery(folder: &Path) -> bool {
        needs_recovery(folder)
    }

    /// Opens a ledger. Migrates an older format and keeps the old catalogue in `backups`. In a read-only folder, the
    /// migration happens in memory.
    ///
    /// A killed writer leaves a journal. Opening does not act on it; [`Ledger::recover`] and [`Ledger::write`] do.
    pub fn open(folder: &Path, session: &Session) -> Result<Ledger> {
        if !Ledger::exists(folder) {
            return Err(Error::None(folder.to_owned()));
        }
        Ledger::open_with_formats(folder, session, FORMATS)
    }

    /// Creates an empty ledger, signed with the session's key if it has one. Opens the existing ledger if another
    /// process created it first.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be written to.
    pub fn create(folder: &Path, identity: &Identity, session: &Session) -> Result<Ledger> {
        if !Ledger::exists(folder) {
            create(folder, identity, session)?;
        }
        Ledger::open(folder, session)
    }

    /// Returns the identity of the ledger and the derivation of its keys.
    pub fn identity(&self) -> Result<Identity> {
        self.catalogue.identity()
    }

    /// Returns the public key of the ledger's signatures; none if the ledger is unsigned.
    pub fn verifier(&self) -> Result<Option<Verifier>> {
        self.catalogue.verifier()
    }

    /// Completes or undoes an interrupted write, unless another process is writing. For commands that write.
    pub fn recover(&self, session: &Session) -> Result<()> {
        if !needs_recovery(&self.folder) {
            return Ok(());
        }
        let Ok(_lock) = Lock::take(&self.folder, &session.without_waiting()) else { return Ok(()) };
        match recover_folder(&self.folder, PATIENCE, session) {
            Err(error @ (Error::Broken { .. } | Error::Newer { .. } | Error::KeyNeeded(_))) => Err(error),
            // Other errors occur again when the command writes, and do not prevent reading.
            _ => Ok(()),
        }
    }

    pub(crate) fn open_with_formats(folder: &Path, session: &Session, formats: &[&str]) -> Result<Ledger> {
        // A newer ledger is rejected before anything else happens.
        if folder.join(CATALOGUE).exists() {
            Ledger::open_unchecked(folder)?.check_format(formats)?;
        }
        let mut ledger = Ledger::open_unchecked(folder)?;
        let found = ledger.check_format(formats)?;
        if found < formats.len() as i64 && ledger.catalogue.is_copy() {
            ledger.catalogue.migrate(formats)?;
        } else if found < formats.len() as i64 || is_migrating(folder) {
            // An open connection would prevent another process from migrating.
            drop(ledger);
            let _lock = Lock::take(folder, session)?;
            // An unsealed catalogue cannot be migrated.
            recover_folder(folder, PATIENCE, session)?;
            ledger = Ledger::open_unchecked(folder)?;
            ledger.migrate(formats, session)?;
        }
        Ok(ledger)
    }

    /// Opens a ledger without checking its format or its journal.
    pub(crate) fn open_unchecked(folder: &Path) -> Result<Ledger> {
        let path = folder.join(CATALOGUE);
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(Error::broken(folder, format!("{CATALOGUE} is missing"))),
            Err(error) => return Err(Error::io("read", path, error)),
        }
        Ok(Ledger { folder: folder.to_owned(), catalogue: Catalogue::open(folder)?, bodies: Blobs::new(folder) })
    }

    /// Returns the format, or an error if it is newer than this program.
    fn check_format(&self, formats: &[&str]) -> Result<i64> {
        let (found, known) = (self.catalogue.format()?, formats.len() as i64);
        if found > known { Err(Error::Newer { folder: self.folder.clone(), found, known }) } else { Ok(found) }
    }

    /// Migrates the catalogue to the newest of these formats and seals it. The caller holds the lock.
    pub(crate) fn migrate(&mut self, formats: &[&str], session: &Session) -> Result<()> {
        // Another process may have migrated the ledger meanwhile.
        let from = self.catalogue.format()?;
        if from == formats.len() as i64 {
            return Ok(());
        }
        self.check_seal(session)?;
        let backups = self.folder.join("backups");
        disk::create_ledger_folder(&backups)?;
        let stamp = session.clock.now().replace(':', "");
        let name = format!("catalogue-format-{from}-{stamp}.sqlite");
        let backup = backups.join(&name);
        // A backup of the same second, from an interrupted attempt, has the same content.
        disk::remove_file(&backup)?;
        self.catalogue.with_bytes(|bytes| disk::create_file(&backup, bytes))??;
        disk::sync_folder(&backups)?;
        let journal = Journal { backup: Some(format!("backups/{name}")), ..Journal::new(&self.folder, None) };
        journal.write(&self.folder)?;
        self.catalogue.migrate(formats)?;
        // A new connection reads what is on the disk, and that is sealed.
        let migrated = Ledger::open_unchecked(&self.folder)?;
        migrated.seal(&migrated.chain()?, None, session)?;
        Journal::remove(&self.folder)?;
        *self = migrated;
        Ok(())
    }

    /// Returns the folder of the ledger.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns all entries, after checking the chain. Releases are as later entries corrected them.
    ///
    /// # Errors
    ///
    /// Returns an error if the chain is broken, or if an entry corrects a release that does not exist.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        Ok(self.read()?.1)
    }

    /// Returns the head and all entries, from one snapshot. Releases are as later entries corrected them.
    ///
    /// # Errors
    ///
    /// Returns an error if the chain is broken, or if an entry corrects a release that does not exist.
    pub fn read(&self) -> Result<(Head, Vec<Entry>)> {
        let chain = self.chain()?;
        Ok((chain.head(), chain.corrected(&self.folder)?))
    }

    /// Returns all entries as they were recorded, without corrections.
    pub fn recorded_entries(&self) -> Result<Vec<Entry>> {
        Ok(self.chain()?.entries)
    }

    /// Returns whether the entries extend those of a head.
    pub fn extends(&self, head: &Head) -> Result<bool> {
        Ok(self.chain()?.head_after(head.entries).is_some_and(|then| then == *head))
    }

    /// Returns the head.
    pub fn head(&self) -> Result<Head> {
        Ok(self.chain()?.head())
    }

    pub(crate) fn chain(&self) -> Result<Chain> {
        Chain::new(&self.folder, &self.catalogue.id()?, self.catalogue.rows()?)
    }

    /// Returns the entry of a release by its name or number.
    pub fn find(&self, wanted: &str) -> Result<Entry> {
        let entries = self.entries()?;
        let number: Option<u64> = wanted.parse().ok();
        let is_it = |entry: &&Entry| {
            entry.release().is_some_and(|release| release.name == wanted) || number == Some(entry.number)
        };
        // A name takes precedence over a number.
        let by_name = entries.iter().find(|entry| entry.release().is_some_and(|release| release.name == wanted));
        let found = by_name.or_else(|| entries.iter().find(is_it)).filter(|entry| entry.release().is_some());
        found.cloned().ok_or_else(|| Error::NoSuch { wanted: wanted.to_owned() })
    }

    /// Returns the hash of an entry.
    pub fn hash_of(&self, entry: &Entry) -> Result<Hash> {
        let head = self.chain()?.head_after(entry.number);
        head.map(|head| head.hash).ok_or_else(|| Error::NoSuch { wanted: entry.number.to_string() })
    }

    /// Locks the ledger for writing; waits at most as long as the session allows. Refuses a modified ledger, a signed
    /// ledger without its key, and an unsigned ledger if there is a key.
    pub fn write(&mut self, session: &Session) -> Result<Writer<'_>> {
        self.write_with(session, false)
    }

    /// Locks the ledger for writing. With `unsigned`, accepts an unsigned ledger in order to sign it.
    pub(crate) fn write_with(&mut self, session: &Session, unsigned: bool) -> Result<Writer<'_>> {
        session.group.as_deref().map_or(Ok(()), |group| sharing::share(&self.folder, group))?;
        let lock = Lock::take(&self.folder, session)?;
        // A copy of a ledger may lack empty folders.
        self.bodies.create_folders()?;
        let trusting = if unsigned { session.with_key(None) } else { session.clone() };
        recover_folder(&self.folder, session.wait.max(PATIENCE), &trusting)?;
        self.bodies.sweep()?;
        let seal = self.check_seal(&trusting)?;
        if self.catalogue.verifier()?.is_some() && session.key.is_none() {
            return Err(Error::KeyNeeded(self.folder.clone()));
        }
        let chain = self.chain()?;
        chain.check_corrections(&self.folder)?;
        self.remove_erased_files(&chain)?;
        if !seal.head.matches(chain.head()) {
            return Err(Error::broken(&self.folder, "the last entry differs from the sealed one"));
        }
        // The signature of the last entry covers all entries.
        let (origin, verifier) = (self.identity()?.origin(), self.catalogue.verifier()?);
        let checked = chain.check_signatures(&origin, verifier.as_ref(), seal.head.entries);
        checked.map_err(|what| Error::broken(&self.folder, what))?;
        let _writing = ActiveWriter::new(session);
        let (metadata, session) = (seal.about, session.clone());
        Ok(Writer { ledger: self, chain, metadata, session, _lock: lock, _writing })
    }
}

/// Permission to write to a ledger, until it is dropped.
#[derive(Debug)]
pub struct Writer<'a> {
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) chain: Chain,
    /// Metadata hash of the seal.
    metadata: Option<Hash>,
    pub(crate) session: Session,
    _lock: Lock,
    _writing: ActiveWriter,
}

impl Writer<'_> {
    /// Seals the ledger. Returns a note if that fails: the entry is safe, and the next writer seals it.
    pub(crate) fn seal(&self) -> Option<String> {
        let sealed = self.ledger.seal(&self.chain, self.metadata, &self.session);
        let sealed = sealed.and_then(|()| Journal::remove(&self.ledger.folder));
        sealed.err().map(|error| format!("the entry is recorded, but the seal is postponed to the next write: {error}"))
    }

    /// Returns the head.
    pub fn head(&self) -> Head {
        self.chain.head()
    }

    /// Returns the ledger.
    pub fn ledger(&self) -> &Ledger {
        self.ledger
    }
}

/// Creates an empty ledger, unless another process created it meanwhile.
fn create(folder: &Path, identity: &Identity, session: &Session) -> Result<()> {
    disk::create_folder(folder)?;
    session.group.as_deref().map_or(Ok(()), |group| sharing::share(folder, group))?;
    let _lock = Lock::take(folder, session)?;
    if Ledger::exists(folder) {
        return Ok(());
    }
    Blobs::new(folder).create_folders()?;
    Journal::new(folder, None).write(folder)?;
    let key = session.key.as_ref();
    Catalogue::create(folder, identity, key, &session.clock.now(), |catalogue| {
        let head = Chain::new(folder, &identity.id, Vec::new())?.head();
        Seal::new(catalogue, head, key)?.write(folder)
    })?;
    recover_folder(folder, PATIENCE, session)
}

/// Returns true if a migration was interrupted.
fn is_migrating(folder: &Path) -> bool {
    Journal::read(folder).is_ok_and(|journal| journal.is_some_and(|journal| journal.backup.is_some()))
}
