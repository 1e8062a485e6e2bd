//! Bringing to an end what somebody left: forward when its entry is in the catalogue, back when it is not.

use std::path::Path;
use std::time::Duration;

use crate::bodies::{Bodies, is_address, relative};
use crate::catalogue::{Catalogue, NAME as CATALOGUE};
use crate::chain::Chain;
use crate::disk;
use crate::entry::{Entry, FORMAT};
use crate::error::{Error, Result};
use crate::finalize;
use crate::ledger::Ledger;
use crate::lock::Holder;
use crate::seal::{Seal, UnderWay, Unnamed};

/// Whether somebody left something to be brought to an end.
pub(crate) fn is_unfinished(folder: &Path) -> bool {
    UnderWay::is_there(folder) || Unnamed::is_there(folder)
}

/// Brings to an end what was under way. Only for who holds the lock. `patience` is for readers that are in the way.
pub(crate) fn settle(folder: &Path, patience: Duration) -> Result<()> {
    if let Some(under_way) = UnderWay::read(folder)? {
        settle_entry(folder, &under_way, patience)?;
    }
    if Unnamed::is_there(folder) {
        name_what_waits(folder)?;
    }
    Ok(())
}

fn settle_entry(folder: &Path, under_way: &UnderWay, patience: Duration) -> Result<()> {
    if under_way.format > FORMAT {
        let (found, known) = (i64::from(under_way.format), i64::from(FORMAT));
        return Err(Error::Newer { folder: folder.to_owned(), found, known });
    }
    if !folder.join(CATALOGUE).exists() && Bodies::new(folder).files()?.is_empty() {
        // It was being made, and did not come to be.
        return UnderWay::remove(folder);
    }
    let ledger = Ledger::plain(folder)?;
    let chain = ledger.sound_chain()?;
    let recorded = under_way.entry.and_then(|hash| chain.find(hash));
    // Whether the file outside is this ledger's, and not that of the one it is a copy of, its staging folder says.
    let naming = under_way.naming.as_ref().map(|naming| naming.whole(folder));
    if let (Some(naming), Some(entry)) = (&naming, recorded)
        && finalize::finish_late(naming, entry, &ledger).is_err()
    {
        Unnamed::add(folder, entry.number, &naming.inside(folder))?;
    }
    if !ledger.catalogue.fold(patience)? {
        // Whoever comes next goes on here.
        return Err(Error::Held { holder: Holder::unknown("reading"), waited: patience });
    }
    if recorded.is_none() {
        naming.iter().for_each(|naming| finalize::discard(naming, &ledger));
        ledger.remove_unused(&under_way.bodies, &chain)?;
    }
    ledger.finish_purges(&chain)?;
    ledger.bodies.sweep()?;
    // Also what was removed by somebody who was killed before the disk knew of it.
    ledger.bodies.sync()?;
    Seal::of(&ledger.catalogue, chain.head())?.write(folder)?;
    UnderWay::remove(folder)
}

/// Gives files their names whose folders were away, or whose names were taken, when their releases were recorded.
fn name_what_waits(folder: &Path) -> Result<()> {
    let ledger = Ledger::plain(folder)?;
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
    /// The entries, of a catalogue that is sound and has all that was ever sealed.
    pub(crate) fn sound_chain(&self) -> Result<Chain> {
        if let Some(first) = self.catalogue.damage()?.first() {
            return Err(Error::broken(&self.folder, format!("the catalogue is damaged: {first}")));
        }
        let chain = self.chain()?;
        match Seal::read(&self.folder)? {
            Some(seal) if chain.head_after(seal.head.entries) != Some(seal.head.hash) => {
                Err(Error::broken(&self.folder, "an entry that was sealed is no longer there"))
            }
            // A ledger is sealed before its first entry is written.
            None if !chain.entries.is_empty() => Err(Error::broken(&self.folder, "its seal is missing")),
            _ => Ok(chain),
        }
    }

    /// The seal, which is that of the catalogue as it stands. Only for who holds the lock.
    pub(crate) fn check_seal(&self) -> Result<Seal> {
        let broken = |what: &str| Error::broken(&self.folder, what);
        let seal = Seal::read(&self.folder)?.ok_or_else(|| broken("its seal is missing"))?;
        if Catalogue::has_log(&self.folder) && !self.catalogue.fold(crate::ledger::PATIENCE)? {
            return Err(Error::Held { holder: Holder::unknown("reading"), waited: crate::ledger::PATIENCE });
        }
        if self.catalogue.hash()? != seal.catalogue {
            return Err(broken("the catalogue was changed after it was sealed"));
        }
        Ok(seal)
    }

    /// Removes bodies that were placed for an entry that did not come.
    fn remove_unused(&self, placed: &[String], chain: &Chain) -> Result<()> {
        let used: Vec<String> = in_use(&chain.entries);
        for path in placed.iter().filter(|path| is_address(path) && !used.contains(path)) {
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
