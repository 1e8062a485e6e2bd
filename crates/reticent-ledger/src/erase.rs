//! Erasure of a person: nobody, not even the holder of the key, can find the person's records in the ledger any more.
//!
//! In owner links, a random stand-in replaces the pseudonym. It is the same in every release, because recipients, who
//! keep what they have, still know that these records are of one person: without it, an audit would promise too much.
//! It is drawn for this erasure and derived from nothing. In the state of republication methods, which can be tested
//! against guessed values with the key, the person is removed.

use reticent::{Links, NO_OWNER, Pseudonym};

use crate::blobs::{StagedBlob, relative_path};
use crate::corrections::used_paths;
use crate::entry::{BlobKind, Entry, EntryKind, Erasure, ReleaseRecord, Replacement, StoredBlob};
use crate::error::{Error, Result};
use crate::ledger::{Ledger, Writer};
use crate::links;
use crate::seal::Journal;

impl Writer<'_> {
    /// Erases a person from the owner links and the method state of every release whose contents are stored.
    ///
    /// # Errors
    ///
    /// Returns an error if no release has the person, or if a stored file is missing or was changed.
    pub fn erase(mut self, person: Pseudonym, reason: &str) -> Result<Entry> {
        let mut journal = Journal::new(&self.ledger.folder, None);
        journal.write(&self.ledger.folder)?;
        match self.append_erasure(person, reason, &mut journal) {
            Ok(entry) => {
                // From here on the erasure is recorded. The next writer completes an interrupted one.
                let removed = self.ledger.remove_erased_files(&self.chain);
                removed.map_err(|error| Error::ErasedFilesRemain { entry: entry.number, why: error.to_string() })?;
                self.seal();
                Ok(entry)
            }
            Err(error) => {
                self.roll_back();
                Err(error)
            }
        }
    }

    fn append_erasure(&mut self, person: Pseudonym, reason: &str, journal: &mut Journal) -> Result<Entry> {
        let (staged, replaced) = self.ledger.stage_without(person)?;
        if replaced.is_empty() {
            return Err(Error::NoSuchOwner);
        }
        let entry = self.next_entry(EntryKind::Erasure(Erasure { people: 1, reason: reason.to_owned(), replaced }));
        let written = self.serialize_entry(&entry)?;
        journal.entry = Some(written.head.hash);
        let used = used_paths(&self.chain.entries);
        let paths = staged.iter().map(|body| relative_path(body.kind, body.stored.sha256));
        journal.bodies = paths.filter(|path| !used.contains(path)).collect();
        journal.write(&self.ledger.folder)?;
        self.ledger.bodies.place(&staged)?;
        self.append_entry(&entry, &written)?;
        Ok(entry)
    }
}

impl Ledger {
    /// Stages the files of all releases that have the person, without the person.
    fn stage_without(&self, person: Pseudonym) -> Result<(Vec<StagedBlob>, Vec<Replacement>)> {
        let entries = self.entries()?;
        let purged: Vec<u64> = entries.iter().filter_map(Entry::purge).map(|purge| purge.release).collect();
        let recorded = entries.iter().filter(|entry| !purged.contains(&entry.number));
        let recorded = recorded.filter_map(|entry| Some((entry.number, entry.release()?)));
        let stand_in = self.draw_stand_in()?;
        let (mut staged, mut replaced) = (Vec::new(), Vec::new());
        let mut stage = |release: u64, kind: BlobKind, old: &StoredBlob, links: &Links| -> Result<()> {
            let blob = self.bodies.stage(kind, |file| links::write(links, file))?;
            let (body, new) = (kind.name().to_owned(), blob.stored.clone());
            replaced.push(Replacement { release, body, old: old.sha256, new });
            staged.push(blob);
            Ok(())
        };
        for (number, release) in recorded {
            if let Some(links) = self.links_with(release, person)? {
                let old = release.links.as_ref().map(|links| StoredBlob { sha256: links.sha256, bytes: links.bytes });
                old.map_or(Ok(()), |old| {
                    stage(number, BlobKind::Links, &old, &replace_owner(&links, person, stand_in))
                })?;
            }
            if let Some(method) = &release.method {
                let mut state = self.bodies.read_method_state(&method.remembered)?;
                let before = state.len();
                state.retain(|known| known.person != person);
                if state.len() < before {
                    stage(number, BlobKind::State, &method.remembered, &links::encode_state(&state))?;
                }
            }
        }
        Ok((staged, replaced))
    }

    /// Returns the owner links of a release if they contain the person.
    fn links_with(&self, release: &ReleaseRecord, person: Pseudonym) -> Result<Option<Links>> {
        if release.links.is_none() {
            return Ok(None);
        }
        let body = self.bodies.read_body(release)?;
        let links = self.bodies.read_links(release, &body.counts.contingency.weights)?;
        Ok(links.filter(|links| links.pseudonyms.binary_search(&person).is_ok()))
    }

    /// Draws the stand-in of a person. 128 random bits equal no other pseudonym.
    fn draw_stand_in(&self) -> Result<Pseudonym> {
        let mut bytes = [0; 16];
        let failed = |error| Error::io("draw random bytes for", &self.folder, std::io::Error::other(error));
        getrandom::fill(&mut bytes).map_err(failed)?;
        Ok(Pseudonym::from_be_bytes(bytes).min(NO_OWNER - 1))
    }
}

/// Replaces an owner, and sorts the links again.
fn replace_owner(links: &Links, person: Pseudonym, stand_in: Pseudonym) -> Links {
    let owner = |pseudonym: Pseudonym| if pseudonym == person { stand_in } else { pseudonym };
    let mut all: Vec<(Pseudonym, u32, u32)> =
        (0..links.len()).map(|at| (owner(links.pseudonyms[at]), links.cells[at], links.records[at])).collect();
    all.sort_unstable();
    Links {
        pseudonyms: all.iter().map(|(owner, ..)| *owner).collect(),
        cells: all.iter().map(|(_, cell, _)| *cell).collect(),
        records: all.iter().map(|(.., records)| *records).collect(),
    }
}
