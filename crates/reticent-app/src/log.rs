//! `log`: all entries of the ledger, such as releases with their dates and recipients.

use reticent_ledger::{Amendment, Entry, EntryKind, ReleaseRecord, Withdrawal};

use crate::Workspace;
use crate::answer::{CorrectedRole, LogAnswer, LogEntry, LogLine};
use crate::context::Context;
use crate::error::Result;
use crate::ledger_access::LedgerAccess;

pub(crate) fn log(workspace: &Workspace, context: &Context) -> Result<LogAnswer> {
    let access = LedgerAccess::find(workspace, "reading the log", context)?;
    let ledger = access.open_to_read()?;
    let entries = ledger.entries()?;
    let head = ledger.head()?;
    let log = entries.iter().map(|entry| line(entry, &entries)).collect();
    let signed = ledger.verifier()?.is_some();
    let ledger = access.folder.display().to_string();
    Ok(LogAnswer { ledger, signed, entries: head.entries, head: head.hash.to_string(), log })
}

/// Returns the time when the contents of a release were erased, if they were.
pub(crate) fn erased(number: u64, entries: &[Entry]) -> Option<String> {
    let purge = entries.iter().find(|entry| entry.purge().is_some_and(|purge| purge.release == number));
    purge.map(|entry| entry.at.clone())
}

/// Returns the time when a release was withdrawn, if it is.
pub(crate) fn withdrawn(release: &ReleaseRecord) -> Option<String> {
    release.corrections.withdrawn.as_ref().map(|mark| mark.at.clone())
}

/// Returns the line of an entry. `entries` are all entries, with corrections.
pub(crate) fn line(entry: &Entry, entries: &[Entry]) -> LogLine {
    let kind = match &entry.kind {
        EntryKind::Release(release) | EntryKind::Registration(release) | EntryKind::Population(release) => {
            let columns = release.column_names();
            let ReleaseRecord { name, date, recipients, origin, records, judged, .. } = (**release).clone();
            let erased = erased(entry.number, entries);
            let withdrawn = withdrawn(release);
            LogEntry::Release { name, date, recipients, origin, records, columns, judged, erased, withdrawn }
        }
        EntryKind::Purge(purge) => LogEntry::Purge { release: purge.release, reason: purge.reason.clone() },
        EntryKind::KeyRotation(rotation) => {
            LogEntry::KeyRotation { verifier: rotation.verifier.clone(), reason: rotation.reason.clone() }
        }
        EntryKind::Witness(witness) => {
            let name = witness.witness.split('+').next().unwrap_or_default().to_owned();
            LogEntry::Witness { name, entries: witness.entries }
        }
        EntryKind::Withdrawal(entry) => {
            let Withdrawal { release, reason, file_absent } = entry.clone();
            LogEntry::Withdrawal { release, reason, file_absent }
        }
        EntryKind::Amendment(entry) => {
            let Amendment { release, reason, recipients, roles } = entry.clone();
            let roles = roles.into_iter().map(|(column, role)| CorrectedRole { column, role }).collect();
            LogEntry::Amendment { release, reason, recipients, roles }
        }
        EntryKind::Erasure(entry) => {
            let mut releases: Vec<u64> = entry.replaced.iter().map(|replaced| replaced.release).collect();
            releases.dedup();
            LogEntry::Erasure { people: entry.people, releases, reason: entry.reason.clone() }
        }
    };
    LogLine { number: entry.number, at: entry.at.clone(), steward: entry.steward.clone(), kind }
}
