//! Corrections: the effect of withdrawals, amendments and erasures on the releases before them.
//!
//! Entries never change. A correction is an entry of its own, and every reader of the ledger sees the releases as the
//! corrections leave them: [`Ledger::entries`](crate::Ledger::entries) applies them in one place.

use std::collections::{BTreeMap, BTreeSet};

use crate::blobs::relative_path;
use crate::entry::{
    Amendment, BlobKind, Entry, EntryKind, Erasure, ReleaseRecord, Replacement, StoredBlob, StoredLinks, Withdrawal,
    WithdrawnMark,
};
use crate::hash::Hash;

impl Entry {
    /// Returns the release that the entry records, unless it is withdrawn: a release that recipients can hold.
    pub fn held_release(&self) -> Option<&ReleaseRecord> {
        self.release().filter(|release| release.corrections.withdrawn.is_none())
    }

    fn release_mut(&mut self) -> Option<&mut ReleaseRecord> {
        match &mut self.kind {
            EntryKind::Release(recorded) | EntryKind::Registration(recorded) | EntryKind::Population(recorded) => {
                Some(recorded)
            }
            _ => None,
        }
    }
}

impl ReleaseRecord {
    fn amend(&mut self, amendment: &Amendment, entry: u64) -> Result<(), String> {
        if let Some(recipients) = &amendment.recipients {
            let before = std::mem::replace(&mut self.recipients, recipients.clone());
            let corrections = &mut self.corrections;
            corrections.former_recipients.extend(before);
            corrections.former_recipients.retain(|name| !recipients.contains(name));
            // Recipients hold the release.
            corrections.withdrawn = None;
        }
        for (name, role) in &amendment.roles {
            let column = self.columns.iter_mut().find(|column| column.name == *name);
            let column =
                column.ok_or_else(|| format!("entry {entry} amends a column that its release does not have"))?;
            self.corrections.recorded_roles.entry(name.clone()).or_insert(column.role);
            column.role = *role;
        }
        self.corrections.amendments.push(entry);
        Ok(())
    }

    fn replace_body(&mut self, replacement: &Replacement) -> bool {
        let StoredBlob { sha256, bytes } = replacement.new;
        match (replacement.kind(), &mut self.links, &mut self.method) {
            (Some(BlobKind::Links), Some(links), _) if links.sha256 == replacement.old => {
                *links = StoredLinks { sha256, bytes, ..links.clone() };
                true
            }
            (Some(BlobKind::State), _, Some(method)) if method.remembered.sha256 == replacement.old => {
                method.remembered = replacement.new.clone();
                true
            }
            _ => false,
        }
    }
}

impl Replacement {
    /// Returns the kind of the replaced file; `None` if it is not one that an erasure replaces.
    pub(crate) fn kind(&self) -> Option<BlobKind> {
        [BlobKind::Links, BlobKind::State].into_iter().find(|kind| kind.name() == self.body)
    }
}

/// Returns true if the entry corrects a release.
pub(crate) fn is_correction(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::Withdrawal(_) | EntryKind::Amendment(_) | EntryKind::Erasure(_))
}

/// Applies the corrections to the releases. Entries are in the order of their numbers, from 1.
///
/// # Errors
///
/// Returns a description if a correction does not fit the release that it names. To ignore it would be a wrong verdict.
pub(crate) fn apply(entries: &mut [Entry]) -> Result<(), String> {
    for index in 0..entries.len() {
        let (before, rest) = entries.split_at_mut(index);
        let Some(Entry { number, at, kind, .. }) = rest.first() else { continue };
        let release = |release: u64, before: &[Entry]| -> Result<usize, String> {
            let place = usize::try_from(release).ok().and_then(|release| release.checked_sub(1));
            let is_release = |place: &usize| before.get(*place).is_some_and(|entry| entry.release().is_some());
            let place = place.filter(is_release);
            place.ok_or_else(|| format!("entry {number} corrects entry {release}, which is no earlier release"))
        };
        match kind {
            EntryKind::Withdrawal(Withdrawal { release: of, file_absent, .. }) => {
                let place = release(*of, before)?;
                let mark = WithdrawnMark { entry: *number, at: at.clone(), file_absent: *file_absent };
                before[place].release_mut().into_iter().for_each(|it| it.corrections.withdrawn = Some(mark.clone()));
            }
            EntryKind::Amendment(amendment) => {
                let place = release(amendment.release, before)?;
                before[place].release_mut().map_or(Ok(()), |it| it.amend(amendment, *number))?;
            }
            EntryKind::Erasure(Erasure { people, replaced, .. }) => {
                let mut affected: BTreeSet<u64> = BTreeSet::new();
                for replacement in replaced {
                    let place = release(replacement.release, before)?;
                    let Some(recorded) = before[place].release_mut() else { continue };
                    if !recorded.replace_body(replacement) {
                        return Err(format!("entry {number} replaces a file that its release does not have"));
                    }
                    if affected.insert(replacement.release) {
                        recorded.corrections.erased_people += people;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the stored files of each release, as erasures left them and without erased releases.
pub(crate) fn current_bodies<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
) -> BTreeMap<u64, Vec<(BlobKind, StoredBlob)>> {
    let mut bodies: BTreeMap<u64, Vec<(BlobKind, StoredBlob)>> = BTreeMap::new();
    for entry in entries {
        match &entry.kind {
            EntryKind::Purge(purge) => drop(bodies.remove(&purge.release)),
            EntryKind::Erasure(erasure) => {
                for replacement in &erasure.replaced {
                    let of = bodies.get_mut(&replacement.release).into_iter().flatten();
                    of.filter(|(kind, body)| replacement.kind() == Some(*kind) && body.sha256 == replacement.old)
                        .for_each(|(_, body)| *body = replacement.new.clone());
                }
            }
            _ => drop(entry.release().map(|release| bodies.insert(entry.number, release.bodies()))),
        }
    }
    bodies
}

/// Returns the files that purges and erasures removed from their releases. Another release may still use one.
pub(crate) fn removed_bodies(entries: &[Entry]) -> BTreeSet<(BlobKind, Hash)> {
    let mut removed = BTreeSet::new();
    let purged: BTreeSet<u64> = entries.iter().filter_map(Entry::purge).map(|purge| purge.release).collect();
    for entry in entries {
        match &entry.kind {
            EntryKind::Erasure(erasure) => {
                for replacement in &erasure.replaced {
                    let Some(kind) = replacement.kind() else { continue };
                    removed.insert((kind, replacement.old));
                    removed.extend(purged.contains(&replacement.release).then_some((kind, replacement.new.sha256)));
                }
            }
            _ if purged.contains(&entry.number) => {
                let bodies = entry.release().map(ReleaseRecord::bodies).unwrap_or_default();
                removed.extend(bodies.into_iter().map(|(kind, body)| (kind, body.sha256)));
            }
            _ => {}
        }
    }
    removed
}

/// Returns the paths of all stored files that entries use and that are not erased.
pub(crate) fn used_paths<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeSet<String> {
    let bodies = current_bodies(entries).into_values().flatten();
    bodies.map(|(kind, body)| relative_path(kind, body.sha256)).collect()
}
