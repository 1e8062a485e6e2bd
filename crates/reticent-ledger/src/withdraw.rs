//! Withdrawal: a release that was never handed out no longer counts for what recipients hold. Its entry, its name and
//! its stored files remain.

use std::io::ErrorKind;
use std::path::PathBuf;

use crate::disk;
use crate::entry::{Entry, EntryKind, FileRecord, HistoryScope, Origin, ReleaseRecord, Withdrawal};
use crate::error::{Error, Result};
use crate::finalize::with_number;
use crate::hash::Hash;
use crate::ledger::{Ledger, Writer};
use crate::seal::UnnamedFile;

/// A withdrawal to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct WithdrawalDraft<'a> {
    /// Name or number of the release.
    pub release: &'a str,
    /// Reason.
    pub reason: &'a str,
    /// Whether the steward states that the file was destroyed, if its absence cannot be checked here.
    pub destroyed_elsewhere: bool,
}

impl Writer<'_> {
    /// Withdraws a release.
    ///
    /// # Errors
    ///
    /// Returns an error if the release is withdrawn already, if a later release builds on it, if its file exists, or if
    /// the absence of the file cannot be checked and the draft does not state that it was destroyed.
    pub fn withdraw(mut self, draft: WithdrawalDraft<'_>) -> Result<Entry> {
        let entries = self.chain.corrected(&self.ledger.folder)?;
        let entry = self.ledger.find(draft.release)?;
        let number = entry.number;
        let Some(release) = entry.release() else { return Err(Error::NoSuch { wanted: draft.release.to_owned() }) };
        entry.check_not_withdrawn()?;
        if let Some((by, later)) = entries.iter().find_map(|later| user_of(later, number, release)) {
            let (name, by_name) = (release.name.clone(), later.name.clone());
            return Err(Error::InUse { number, name, by, by_name, series: later.method.is_some() });
        }
        let file_absent = match self.ledger.check_file_absent(number, release, &entries) {
            Ok(()) => true,
            Err(Error::FileUnchecked { .. }) if draft.destroyed_elsewhere => false,
            Err(error) => return Err(error),
        };
        let withdrawal = Withdrawal { release: number, reason: draft.reason.to_owned(), file_absent };
        let entry = self.append_kind(EntryKind::Withdrawal(withdrawal), None)?;
        self.seal();
        Ok(entry)
    }
}

impl Entry {
    /// Returns an error if the release is withdrawn.
    pub fn check_not_withdrawn(&self) -> Result<()> {
        let mark = self.release().and_then(|release| Some((release, release.corrections.withdrawn.as_ref()?)));
        match mark {
            None => Ok(()),
            Some((release, mark)) => {
                Err(Error::Withdrawn { number: self.number, name: release.name.clone(), at: mark.at.clone() })
            }
        }
    }
}

/// Returns a release if it builds on the given one: it continues its republication series, or counts its people.
fn user_of<'e>(later: &'e Entry, number: u64, release: &ReleaseRecord) -> Option<(u64, &'e ReleaseRecord)> {
    let user = later.held_release()?;
    let judged_with =
        |judged: &HistoryScope| matches!(judged, HistoryScope::History { with } if with.contains(&number));
    let continues = release.method.is_some() && user.method.is_some() && judged_with(&user.judged);
    (continues || user.disguise.about_release == Some(number)).then_some((later.number, user))
}

impl Ledger {
    /// Returns an error unless the file of a release is known to be gone: a folder that is not there, for example on a
    /// disk that is not mounted, shows nothing.
    fn check_file_absent(&self, number: u64, release: &ReleaseRecord, entries: &[Entry]) -> Result<()> {
        let name = release.name.clone();
        let unchecked =
            |path: Option<PathBuf>, why: String| Error::FileUnchecked { number, name: name.clone(), path, why };
        let exists = |path: PathBuf| Error::FileExists { number, name: name.clone(), path };
        let unnamed = UnnamedFile::read_all(&self.folder)?;
        if let Some(waiting) = unnamed.iter().find(|waiting| waiting.release == number) {
            return Err(exists(waiting.naming.to_absolute(&self.folder).from));
        }
        if release.origin != Origin::Published {
            let why = "it was not written by Reticent, so a missing copy shows nothing".to_owned();
            return Err(unchecked(None, why));
        }
        let Some(file) = &release.file else {
            return Err(unchecked(None, "the ledger has no path of it".to_owned()));
        };
        let path = self.resolve_path(&file.path);
        let numbered = with_number(&path, number);
        for candidate in [&path, &numbered] {
            let system = |error: std::io::Error| unchecked(Some(candidate.clone()), error.to_string());
            match candidate.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let folder = disk::parent(candidate);
                    // An unreadable folder hides its files.
                    std::fs::read_dir(&folder).map_err(system)?;
                }
                Err(error) => return Err(system(error)),
                // A link shows nothing about its target, which can be on a disk that is not mounted.
                Ok(metadata) if metadata.is_symlink() => {
                    return Err(unchecked(Some(candidate.clone()), "it is a symbolic link".to_owned()));
                }
                Ok(_) => {
                    let (hash, _) = Hash::digest_file(candidate)
                        .map_err(|error| unchecked(Some(candidate.clone()), error.to_string()))?;
                    let is_other = match *candidate == path {
                        true => is_of_another(entries, number, file, hash),
                        // Another file can have this name.
                        false => hash != file.sha256,
                    };
                    if !is_other {
                        return Err(exists(candidate.clone()));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns true if a later release that is held was published to the same path with this hash.
fn is_of_another(entries: &[Entry], number: u64, file: &FileRecord, hash: Hash) -> bool {
    let is_it = |entry: &Entry| {
        let later = entry.held_release().filter(|_| entry.number > number);
        later.is_some_and(|later| {
            let named = later.file.as_ref().filter(|_| later.origin == Origin::Published);
            named.is_some_and(|other| other.path == file.path && other.sha256 == hash)
        })
    };
    entries.iter().any(is_it)
}
