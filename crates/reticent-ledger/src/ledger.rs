//! Opening a ledger, and the right to write to it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bodies::Bodies;
use crate::catalogue::{Catalogue, NAME as CATALOGUE};
use crate::chain::{Chain, Head};
use crate::disk;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Identity;
use crate::lock::Lock;
use crate::recovery::{is_unfinished, settle};
use crate::schema::FORMATS;
use crate::seal::{Journal, Seal};
use crate::session::{Session, Writing};
use crate::signature::Verifier;

/// How long a reader may be in the way of sealing before it is left for later.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) folder: PathBuf,
    pub(crate) catalogue: Catalogue,
    pub(crate) bodies: Bodies,
}

impl Ledger {
    /// Whether there is a ledger in a folder, or what cannot be looked at.
    pub fn is_there(folder: &Path) -> bool {
        let nothing = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
        !folder.join(CATALOGUE).metadata().is_err_and(nothing)
            || Bodies::new(folder).files().is_ok_and(|files| !files.is_empty())
    }

    /// Whether somebody's writing did not come to an end, or has not yet.
    pub fn is_unsettled(folder: &Path) -> bool {
        Journal::is_there(folder)
    }

    /// Whether files may still take their names: somebody's writing did not come to an end, or a name was not to be had.
    pub fn awaits_names(folder: &Path) -> bool {
        is_unfinished(folder)
    }

    /// Opens a ledger. One of an older format is brought to this one, and the catalogue as it was is kept in `backups`; where nothing
    /// can be written, it is migrated in memory.
    ///
    /// A writer that was killed leaves a journal. Opening does not act on it: [`Ledger::recover`] and [`Ledger::write`] do.
    pub fn open(folder: &Path, session: &Session) -> Result<Ledger> {
        if !Ledger::is_there(folder) {
            return Err(Error::None(folder.to_owned()));
        }
        Ledger::open_as(folder, session, FORMATS)
    }

    /// Makes an empty ledger, signed with the session's key if it has one. If another process was faster, opens its ledger.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to.
    pub fn create(folder: &Path, identity: &Identity, session: &Session) -> Result<Ledger> {
        if !Ledger::is_there(folder) {
            create(folder, identity, session)?;
        }
        Ledger::open(folder, session)
    }

    /// Which ledger this is, and how its secrets are derived.
    pub fn identity(&self) -> Result<Identity> {
        self.catalogue.identity()
    }

    /// The public key of the ledger's signatures; none if it is not signed.
    pub fn verifier(&self) -> Result<Option<Verifier>> {
        self.catalogue.verifier()
    }

    /// Completes or undoes what a writer that is gone left behind, unless somebody else writes. For commands that write.
    pub fn recover(&self, session: &Session) -> Result<()> {
        if !is_unfinished(&self.folder) {
            return Ok(());
        }
        let Ok(_lock) = Lock::take(&self.folder, &session.impatient()) else { return Ok(()) };
        match settle(&self.folder, PATIENCE, session) {
            Err(error @ (Error::Broken { .. } | Error::Newer { .. } | Error::KeyNeeded(_))) => Err(error),
            // Other obstacles are met again when the command writes, and do not keep it from reading.
            _ => Ok(()),
        }
    }

    pub(crate) fn open_as(folder: &Path, session: &Session, formats: &[&str]) -> Result<Ledger> {
        // A newer ledger is left alone before anything else.
        if folder.join(CATALOGUE).exists() {
            Ledger::plain(folder)?.refuse_newer(formats)?;
        }
        let mut ledger = Ledger::plain(folder)?;
        let found = ledger.refuse_newer(formats)?;
        if found < formats.len() as i64 && ledger.catalogue.is_copy() {
            ledger.catalogue.migrate(formats)?;
        } else if found < formats.len() as i64 || is_migrating(folder) {
            // An open connection would keep another process from migrating.
            drop(ledger);
            let _lock = Lock::take(folder, session)?;
            // A catalogue that was written and not sealed cannot be migrated.
            settle(folder, PATIENCE, session)?;
            ledger = Ledger::plain(folder)?;
            ledger.migrate(formats, session)?;
        }
        Ok(ledger)
    }

    /// Opens without a look at the format or at what was under way.
    pub(crate) fn plain(folder: &Path) -> Result<Ledger> {
        let path = folder.join(CATALOGUE);
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(Error::broken(folder, format!("{CATALOGUE} is missing"))),
            Err(error) => return Err(Error::io("read", path, error)),
        }
        Ok(Ledger { folder: folder.to_owned(), catalogue: Catalogue::open(folder)?, bodies: Bodies::new(folder) })
    }

    /// The format, unless it is one that only a newer program knows.
    fn refuse_newer(&self, formats: &[&str]) -> Result<i64> {
        let (found, known) = (self.catalogue.format()?, formats.len() as i64);
        if found > known { Err(Error::Newer { folder: self.folder.clone(), found, known }) } else { Ok(found) }
    }

    /// Brings the catalogue to the newest of these formats, and seals it. Only for who holds the lock.
    pub(crate) fn migrate(&mut self, formats: &[&str], session: &Session) -> Result<()> {
        // Somebody else may have been faster.
        let from = self.catalogue.format()?;
        if from == formats.len() as i64 {
            return Ok(());
        }
        self.check_seal(session)?;
        let backups = self.folder.join("backups");
        disk::create_folder(&backups)?;
        let stamp = session.clock.now().replace(':', "");
        let name = format!("catalogue-format-{from}-{stamp}.sqlite");
        let backup = backups.join(&name);
        // One of the same second, from an attempt that did not finish, holds the same.
        disk::remove_file(&backup)?;
        self.catalogue.bytes(|bytes| disk::create_file(&backup, bytes))??;
        disk::sync_folder(&backups)?;
        let journal = Journal { backup: Some(format!("backups/{name}")), ..Journal::of(&self.folder, None) };
        journal.write(&self.folder)?;
        self.catalogue.migrate(formats)?;
        // A new connection: what is sealed is what is on the disk.
        let migrated = Ledger::plain(&self.folder)?;
        migrated.seal(&migrated.chain()?, None, session)?;
        Journal::remove(&self.folder)?;
        *self = migrated;
        Ok(())
    }

    /// The ledger's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All entries, after a check that they hold together.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        Ok(self.chain()?.entries)
    }

    /// All entries and the last one's hash, of one moment.
    pub fn read(&self) -> Result<(Head, Vec<Entry>)> {
        let chain = self.chain()?;
        Ok((chain.head(), chain.entries))
    }

    /// The last entry.
    pub fn head(&self) -> Result<Head> {
        Ok(self.chain()?.head())
    }

    pub(crate) fn chain(&self) -> Result<Chain> {
        Chain::of(&self.folder, &self.catalogue.id()?, self.catalogue.rows()?)
    }

    /// An entry that records a release, by its number or its name.
    pub fn find(&self, wanted: &str) -> Result<Entry> {
        let entries = self.entries()?;
        let number: Option<u64> = wanted.parse().ok();
        let is_it = |entry: &&Entry| {
            entry.release().is_some_and(|release| release.name == wanted) || number == Some(entry.number)
        };
        // A name is what it says, also when it is a number.
        let by_name = entries.iter().find(|entry| entry.release().is_some_and(|release| release.name == wanted));
        let found = by_name.or_else(|| entries.iter().find(is_it)).filter(|entry| entry.release().is_some());
        found.cloned().ok_or_else(|| Error::NoSuch { wanted: wanted.to_owned() })
    }

    /// The hash of an entry.
    pub fn hash_of(&self, entry: &Entry) -> Result<Hash> {
        let head = self.chain()?.head_after(entry.number);
        head.map(|head| head.hash).ok_or_else(|| Error::NoSuch { wanted: entry.number.to_string() })
    }

    /// Waits for the right to write, at most as long as the session does. A ledger that was modified is not written to, nor one that
    /// is signed without its key, nor one that is not signed with a key.
    pub fn write(&mut self, session: &Session) -> Result<Writer<'_>> {
        self.write_as(session, false)
    }

    /// The same; with `unsigned`, also a ledger that is not signed yet, to sign it.
    pub(crate) fn write_as(&mut self, session: &Session, unsigned: bool) -> Result<Writer<'_>> {
        let lock = Lock::take(&self.folder, session)?;
        // A copy may have come without folders that are empty.
        self.bodies.create_folders()?;
        let trusting = if unsigned { session.with_key(None) } else { session.clone() };
        settle(&self.folder, session.wait.max(PATIENCE), &trusting)?;
        self.bodies.sweep()?;
        let seal = self.check_seal(&trusting)?;
        if self.catalogue.verifier()?.is_some() && session.key.is_none() {
            return Err(Error::KeyNeeded(self.folder.clone()));
        }
        let chain = self.chain()?;
        chain.check_supported(&self.folder)?;
        self.finish_purges(&chain)?;
        if !seal.head.is(chain.head()) {
            return Err(Error::broken(&self.folder, "the last entry is not the one that was sealed"));
        }
        // The signature of the last entry covers all entries.
        let (origin, verifier) = (self.identity()?.origin(), self.catalogue.verifier()?);
        let checked = chain.check_signatures(&origin, verifier.as_ref(), seal.head.entries);
        checked.map_err(|what| Error::broken(&self.folder, what))?;
        let _writing = Writing::new(session);
        let (about, session) = (seal.about, session.clone());
        Ok(Writer { ledger: self, chain, about, session, _lock: lock, _writing })
    }
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Writer<'a> {
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) chain: Chain,
    /// What the seal says about the ledger.
    about: Option<Hash>,
    pub(crate) session: Session,
    _lock: Lock,
    _writing: Writing,
}

impl Writer<'_> {
    /// Seals what was written. The entry is safe without it; the next one to write seals, too.
    pub(crate) fn seal(&self) -> Option<String> {
        let sealed = self.ledger.seal(&self.chain, self.about, &self.session);
        let sealed = sealed.and_then(|()| Journal::remove(&self.ledger.folder));
        sealed.err().map(|error| format!("the entry is recorded, and will be sealed later: {error}"))
    }

    /// The last entry.
    pub fn head(&self) -> Head {
        self.chain.head()
    }

    /// The ledger that is written to.
    pub fn ledger(&self) -> &Ledger {
        self.ledger
    }
}

/// Makes an empty ledger; does nothing when somebody else was faster.
fn create(folder: &Path, identity: &Identity, session: &Session) -> Result<()> {
    disk::create_folder(folder)?;
    let _lock = Lock::take(folder, session)?;
    if Ledger::is_there(folder) {
        return Ok(());
    }
    Bodies::new(folder).create_folders()?;
    Journal::of(folder, None).write(folder)?;
    let key = session.key.as_ref();
    Catalogue::create(folder, identity, key, &session.clock.now(), |catalogue| {
        let head = Chain::of(folder, &identity.id, Vec::new())?.head();
        Seal::of(catalogue, head, key)?.write(folder)
    })?;
    settle(folder, PATIENCE, session)
}

/// Whether a migration did not finish.
fn is_migrating(folder: &Path) -> bool {
    Journal::read(folder).is_ok_and(|journal| journal.is_some_and(|journal| journal.backup.is_some()))
}
