//! Opening a ledger, and the right to write to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::bodies::{Bodies, relative};
use crate::catalogue::{Catalogue, FORMATS, NAME as CATALOGUE};
use crate::chain::{Chain, Head};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::lock::{Holder, Lock};
use crate::seal::{Seal, UnderWay};
use crate::{disk, naming};

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) folder: PathBuf,
    pub(crate) catalogue: Catalogue,
    pub(crate) bodies: Bodies,
}

impl Ledger {
    /// Whether there is a ledger in a folder.
    pub fn is_there(folder: &Path) -> bool {
        folder.join(CATALOGUE).exists() || Bodies::new(folder).files().is_ok_and(|files| !files.is_empty())
    }

    /// Whether somebody's writing did not come to an end, or has not yet.
    pub fn is_unsettled(folder: &Path) -> bool {
        UnderWay::is_there(folder)
    }

    /// Opens a ledger. If its last writer did not come to an end and is gone, what it left is put in order first; if it is
    /// of an older format, it is brought to this one, and the catalogue as it was is kept in `backups`.
    pub fn open(folder: &Path, holder: &Holder, wait: Duration) -> Result<Ledger> {
        if !Ledger::is_there(folder) {
            return Err(Error::None(folder.to_owned()));
        }
        Ledger::open_as(folder, holder, wait, FORMATS)
    }

    /// Opens a ledger, or makes one.
    pub fn open_or_create(folder: &Path, holder: &Holder, wait: Duration) -> Result<Ledger> {
        if !Ledger::is_there(folder) {
            create(folder, holder, wait)?;
        }
        Ledger::open(folder, holder, wait)
    }

    pub(crate) fn open_as(folder: &Path, holder: &Holder, wait: Duration, formats: &[&str]) -> Result<Ledger> {
        if UnderWay::is_there(folder)
            && let Some(_lock) = Lock::try_take(folder)?
        {
            match settle(folder) {
                // A reader is in the way of sealing, not of reading.
                Ok(()) | Err(Error::Held { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let mut ledger = Ledger::plain(folder)?;
        let known = formats.len() as i64;
        match ledger.catalogue.format()? {
            found if found > known => return Err(Error::Newer { folder: folder.to_owned(), found, known }),
            found if found < known => {
                let _lock = Lock::take(folder, holder, wait)?;
                ledger.migrate(formats)?;
            }
            _ => {}
        }
        Ok(ledger)
    }

    /// Opens without a look at the format or at what was under way.
    pub(crate) fn plain(folder: &Path) -> Result<Ledger> {
        if !folder.join(CATALOGUE).exists() {
            return Err(Error::broken(folder, format!("{CATALOGUE} is missing")));
        }
        Ok(Ledger { folder: folder.to_owned(), catalogue: Catalogue::open(folder)?, bodies: Bodies::new(folder) })
    }

    fn migrate(&mut self, formats: &[&str]) -> Result<()> {
        // Somebody else may have been faster.
        let from = self.catalogue.format()?;
        if from == formats.len() as i64 {
            return Ok(());
        }
        check_seal(&self.folder)?;
        let backups = self.folder.join("backups");
        disk::create_folder(&backups)?;
        let stamp = now().replace(':', "");
        let backup = backups.join(format!("catalogue-format-{from}-{stamp}.sqlite"));
        let bytes = fs::read(self.folder.join(CATALOGUE)).map_err(|error| Error::io("read", &self.folder, error))?;
        disk::create_file(&backup, &bytes)?;
        disk::sync_folder(&backups)?;
        UnderWay::default().write(&self.folder)?;
        self.catalogue.migrate(formats)?;
        settle(&self.folder)
    }

    /// The ledger's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All entries, after a check that they hold together.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        Ok(self.chain()?.entries)
    }

    /// The last entry.
    pub fn head(&self) -> Result<Head> {
        Ok(self.chain()?.head())
    }

    pub(crate) fn chain(&self) -> Result<Chain> {
        Chain::of(&self.folder, &self.catalogue.id()?, &self.catalogue.rows()?)
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
        let hash = self.chain()?.head_after(entry.number);
        hash.ok_or_else(|| Error::NoSuch { wanted: entry.number.to_string() })
    }

    /// Waits for the right to write, at most so long. A ledger that does not hold together is not written to.
    pub fn write(&mut self, holder: &Holder, wait: Duration) -> Result<Writer<'_>> {
        let lock = Lock::take(&self.folder, holder, wait)?;
        if UnderWay::is_there(&self.folder) {
            settle(&self.folder)?;
        }
        self.bodies.sweep()?;
        let seal = check_seal(&self.folder)?;
        let chain = self.chain()?;
        if chain.head() != seal.head {
            return Err(Error::broken(&self.folder, "the last entry is not the one that was sealed"));
        }
        Ok(Writer { ledger: self, chain, holder: holder.clone(), _lock: lock })
    }
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Writer<'a> {
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) chain: Chain,
    pub(crate) holder: Holder,
    _lock: Lock,
}

impl Writer<'_> {
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
fn create(folder: &Path, holder: &Holder, wait: Duration) -> Result<()> {
    disk::create_folder(folder)?;
    let _lock = Lock::take(folder, holder, wait)?;
    if Ledger::is_there(folder) {
        return Ok(());
    }
    Bodies::new(folder).create_folders()?;
    UnderWay::default().write(folder)?;
    Catalogue::create(folder, &now())?;
    settle(folder)
}

/// The seal, which is that of the catalogue as it stands.
pub(crate) fn check_seal(folder: &Path) -> Result<Seal> {
    let seal = Seal::read(folder)?.ok_or_else(|| Error::broken(folder, "its seal is missing"))?;
    if Catalogue::has_log(folder) {
        return Err(Error::broken(folder, "something was written to the catalogue that was not sealed"));
    }
    let (catalogue, _) = Hash::of_file(&folder.join(CATALOGUE))?;
    if catalogue != seal.catalogue {
        return Err(Error::broken(folder, "the catalogue was changed after it was sealed"));
    }
    Ok(seal)
}

/// Brings to an end what was under way: forward when its entry is in the catalogue, back when it is not. Only for who holds
/// the lock.
pub(crate) fn settle(folder: &Path) -> Result<()> {
    let Some(under_way) = UnderWay::read(folder)? else { return Ok(()) };
    if !folder.join(CATALOGUE).exists() && Bodies::new(folder).files()?.is_empty() {
        // It was being made, and did not come to be.
        return UnderWay::remove(folder);
    }
    let ledger = Ledger::plain(folder)?;
    let damage = ledger.catalogue.damage()?;
    if let Some(first) = damage.first() {
        return Err(Error::broken(folder, format!("the catalogue is damaged: {first}")));
    }
    let chain = ledger.chain()?;
    if let Some(seal) = Seal::read(folder)?
        && chain.head_after(seal.head.entries) != Some(seal.head.hash)
    {
        return Err(Error::broken(folder, "an entry that was sealed is no longer there"));
    }
    let recorded = under_way.entry.and_then(|hash| chain.find(hash));
    if let (Some(naming), Some(entry)) = (&under_way.naming, recorded) {
        naming::finish_late(naming, entry)?;
    }
    if !ledger.catalogue.fold()? {
        // Whoever comes next goes on here.
        let holder = Holder::unknown("reading");
        return Err(Error::Held { holder, waited: crate::catalogue::BUSY });
    }
    if recorded.is_none() {
        under_way.naming.iter().for_each(naming::discard);
        ledger.remove_unused(&under_way.bodies, &chain)?;
    }
    ledger.finish_purges(&chain)?;
    ledger.bodies.sweep()?;
    Seal::of(folder, &ledger.catalogue.id()?, chain.head())?.write(folder)?;
    UnderWay::remove(folder)
}

impl Ledger {
    /// Removes bodies that were placed for an entry that did not come.
    fn remove_unused(&self, placed: &[String], chain: &Chain) -> Result<()> {
        let used: Vec<String> = in_use(&chain.entries);
        for path in placed.iter().filter(|path| !used.contains(path)) {
            disk::remove_file(&self.folder.join(path))?;
        }
        Ok(())
    }
}

/// The paths of all bodies that entries name and that were not erased.
pub(crate) fn in_use(entries: &[Entry]) -> Vec<String> {
    let erased: Vec<u64> = entries.iter().filter_map(Entry::purge).map(|purge| purge.release).collect();
    let kept = entries.iter().filter(|entry| !erased.contains(&entry.number)).filter_map(Entry::release);
    let mut paths: Vec<String> =
        kept.flat_map(|release| release.bodies()).map(|(kind, body)| relative(kind, body.sha256)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The time, in UTC, to the second.
pub fn now() -> String {
    let now = Timestamp::now();
    let second = Timestamp::from_second(now.as_second()).unwrap_or(now);
    second.to_string()
}

/// The day, in UTC.
pub fn today() -> String {
    now()[..10].to_owned()
}
