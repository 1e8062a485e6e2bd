//! Recording a release atomically: first the stored files, then the entry, then the final name of the published file.

use std::path::PathBuf;

use reticent::republication::PersonState;
use reticent::{Links, Presentation, Recipient, ReleaseName, Role};

use crate::blobs::{StagedBlob, relative_path};
use crate::body_format::{Body, BodyTree};
use crate::catalogue::Catalogue;
use crate::chain::{Head, checkpoint};
use crate::corrections::used_paths;
use crate::entry::{
    BlobKind, ColumnRecord, Corrections, Entry, EntryKind, FORMAT, FileRecord, HistoryScope, MethodRecord, Origin,
    Provenance, ReleaseRecord, StoredBlob, StoredLinks, StoredTaxonomy, TableRecord,
};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Key;
use crate::ledger::{Ledger, PATIENCE, Writer};
use crate::recovery::recover_folder;
use crate::seal::{Journal, Naming};
use crate::signature::Verifier;
use crate::{body_format, finalize, links};

/// A release to be recorded.
#[derive(Debug)]
pub struct ReleaseDraft<'a> {
    /// Name, unique in the ledger.
    pub name: ReleaseName,
    /// Name of the dataset.
    pub dataset: String,
    /// Date of publication.
    pub date: String,
    /// Recipients.
    pub recipients: Vec<Recipient>,
    /// Origin of the release.
    pub origin: Origin,
    /// Number of records that are suppressed because their equivalence class violates the requirement.
    pub suppressed: u64,
    /// Number of records that are dropped because a value is missing.
    pub dropped: u64,
    /// How the records are presented, if not one by one.
    pub presentation: Presentation,
    /// Published records.
    pub body: &'a Body,
    /// Further data of a release by a republication method.
    pub method: Option<MethodDraft<'a>>,
    /// Owner links, and the fingerprint of the key of their pseudonyms.
    pub links: Option<(&'a Links, String)>,
    /// Text of the policy.
    pub policy: Option<&'a str>,
    /// Texts of the taxonomies, by column.
    pub taxonomies: &'a [(String, String)],
    /// Published or registered file.
    pub file: Option<FileRecord>,
    /// Rename of the file to its final name, if it does not have it yet.
    pub naming: Option<Naming>,
    /// How the release was computed.
    pub made: Option<Provenance>,
    /// Earlier releases that the release was checked with.
    pub judged: HistoryScope,
}

/// Further data of a release by a republication method.
#[derive(Debug)]
pub struct MethodDraft<'a> {
    /// Tables other than the table of people: name, rows, and true if values are listed once.
    pub tables: Vec<(String, &'a Body, bool)>,
    /// State that the method keeps about owners.
    pub state: &'a [PersonState],
    /// Record of the method. Its `remembered` is filled in when the state is stored.
    pub method: MethodRecord,
}

/// Result of recording a release.
#[derive(Debug)]
pub struct RecordOutcome {
    /// New entry.
    pub entry: Entry,
    /// Hash of the entry.
    pub hash: Hash,
    /// Final path of the file.
    pub file: Option<PathBuf>,
    /// Notes for the steward.
    pub notes: Vec<String>,
}

impl Writer<'_> {
    /// Records a release that was computed against the head `against`, and renames its file.
    pub fn record(mut self, against: Head, draft: &ReleaseDraft<'_>) -> Result<RecordOutcome> {
        if self.head() != against {
            return Err(Error::Stale);
        }
        let named = |entry: &&Entry| entry.release().is_some_and(|release| release.name == draft.name.as_str());
        if let Some(entry) = self.chain.entries.iter().find(named) {
            return Err(Error::NameTaken { name: draft.name.to_string(), number: entry.number });
        }
        check_draft(draft)?;
        self.check_counted(draft)?;
        self.check_key(draft)?;
        let mut journal = Journal::new(&self.ledger.folder, draft.naming.as_ref());
        journal.write(&self.ledger.folder)?;
        match self.append_draft(draft, &mut journal) {
            Ok((entry, head)) => self.finish(entry, head, draft.naming.as_ref()),
            Err(error) => {
                self.roll_back();
                Err(error)
            }
        }
    }

    /// Records a release that does not depend on earlier releases.
    pub fn append(self, draft: &ReleaseDraft<'_>) -> Result<RecordOutcome> {
        let head = self.head();
        self.record(head, draft)
    }

    fn append_draft(&mut self, draft: &ReleaseDraft<'_>, journal: &mut Journal) -> Result<(Entry, Head)> {
        let staged = self.stage(draft)?;
        let recorded = release_record(draft, &staged);
        let entry = self.next_entry(match draft.origin {
            Origin::Published => EntryKind::Release(Box::new(recorded)),
            Origin::Registered => EntryKind::Registration(Box::new(recorded)),
            Origin::Population => EntryKind::Population(Box::new(recorded)),
        });
        let written = self.serialize_entry(&entry)?;
        journal.entry = Some(written.head.hash);
        let used = used_paths(&self.chain.entries);
        let paths = staged.iter().map(|body| relative_path(body.kind, body.stored.sha256));
        journal.bodies = paths.filter(|path| !used.contains(path)).collect();
        journal.write(&self.ledger.folder)?;
        self.ledger.bodies.place(&staged)?;
        self.append_entry(&entry, &written)?;
        Ok((entry, written.head))
    }

    /// Writes an entry to the catalogue.
    pub(crate) fn append_entry(&mut self, entry: &Entry, written: &SerializedEntry) -> Result<()> {
        self.ledger.catalogue.append(entry, written, self.session.wait.max(PATIENCE))?;
        // The entry must be visible to other connections, not only to the one that wrote it.
        if !Ledger::open_unchecked(&self.ledger.folder)?.catalogue.has_entry(written.head.hash)? {
            return Err(Error::broken(&self.ledger.folder, "the entry was written but is missing"));
        }
        self.chain.push(entry.clone(), &written.document, written.signature.clone());
        Ok(())
    }

    /// Records an entry that is not a release.
    pub(crate) fn append_kind(&mut self, kind: EntryKind, verifier: Option<Verifier>) -> Result<Entry> {
        let entry = self.next_entry(kind);
        let written = SerializedEntry { verifier, ..self.serialize_entry(&entry)? };
        let journal = Journal { entry: Some(written.head.hash), ..Journal::new(&self.ledger.folder, None) };
        journal.write(&self.ledger.folder)?;
        if let Err(error) = self.append_entry(&entry, &written) {
            self.roll_back();
            return Err(error);
        }
        Ok(entry)
    }

    /// Serializes and signs an entry.
    pub(crate) fn serialize_entry(&self, entry: &Entry) -> Result<SerializedEntry> {
        let document = serde_json::to_string(entry).map_err(|error| Error::Unfit(error.to_string()))?;
        let head = self.chain.head_with(&document);
        let origin = self.ledger.catalogue.identity()?.origin();
        let key = self.session.key.as_ref();
        let signature = key.map(|key| key.signer().sign(&checkpoint(&origin, head.entries, head.root)));
        Ok(SerializedEntry { document, head, signature, verifier: None })
    }

    /// Checks that the release whose people a marginal table counts was not withdrawn meanwhile.
    fn check_counted(&self, draft: &ReleaseDraft<'_>) -> Result<()> {
        let Some(counted) = draft.presentation.about_release else { return Ok(()) };
        let entries = self.chain.corrected(&self.ledger.folder)?;
        entries.iter().find(|entry| entry.number == counted).map_or(Ok(()), Entry::check_not_withdrawn)
    }

    /// Checks that the owner links use the key of the ledger. With different keys, people could not be matched across
    /// releases.
    fn check_key(&self, draft: &ReleaseDraft<'_>) -> Result<()> {
        let Some((_, given)) = &draft.links else { return Ok(()) };
        let recorded = self.chain.entries.iter().rev().find_map(|entry| entry.release()?.links.as_ref());
        let known = recorded.map(|links| links.key.clone());
        // Another process may have created the ledger meanwhile. Then the pseudonyms belong to an identity that was
        // discarded.
        let known = known.or_else(|| self.session.key.as_ref().map(Key::fingerprint));
        match known {
            Some(known) if *given != known => Err(Error::OtherKey { known, given: given.clone() }),
            _ => Ok(()),
        }
    }

    /// Returns the next entry with this content.
    pub(crate) fn next_entry(&self, kind: EntryKind) -> Entry {
        let head = self.chain.head();
        Entry {
            format: FORMAT,
            number: head.entries + 1,
            previous: head.hash,
            at: self.session.clock.now(),
            steward: self.session.holder.steward.clone(),
            requires: Vec::new(),
            kind,
        }
    }

    fn stage(&self, draft: &ReleaseDraft<'_>) -> Result<Vec<StagedBlob>> {
        let bodies = &self.ledger.bodies;
        let text = |kind, text: &str| {
            bodies.stage(kind, |file| {
                use std::io::Write;
                let path = file.path().to_owned();
                file.write_all(text.as_bytes()).map_err(|error| Error::io("write", path, error))
            })
        };
        let mut staged = vec![bodies.stage(BlobKind::Records, |file| body_format::write(draft.body, file))?];
        if let Some((links, _)) = &draft.links {
            staged.push(bodies.stage(BlobKind::Links, |file| links::write(links, file))?);
        }
        for (_, table, _) in draft.method.iter().flat_map(|method| &method.tables) {
            staged.push(bodies.stage(BlobKind::Records, |file| body_format::write(table, file))?);
        }
        if let Some(method) = &draft.method {
            let kept = links::encode_state(method.state);
            staged.push(bodies.stage(BlobKind::State, |file| links::write(&kept, file))?);
        }
        if let Some(policy) = draft.policy {
            staged.push(text(BlobKind::Policy, policy)?);
        }
        for (_, tree) in draft.taxonomies {
            staged.push(text(BlobKind::Taxonomy, tree)?);
        }
        Ok(staged)
    }

    /// Undoes a failed attempt. If that fails, the next writer undoes it.
    pub(crate) fn roll_back(&mut self) {
        // The state of a connection is uncertain after a failed write. A new connection reads what is on the disk.
        if let Ok(catalogue) = Catalogue::open(&self.ledger.folder) {
            self.ledger.catalogue = catalogue;
        }
        let _ = recover_folder(&self.ledger.folder, PATIENCE, &self.session);
    }

    fn finish(self, entry: Entry, head: Head, naming: Option<&Naming>) -> Result<RecordOutcome> {
        let mut notes = Vec::new();
        let mut file = None;
        if let Some(naming) = naming {
            let name = finalize::rename_file(naming, entry.number, self.ledger)?;
            finalize::discard(naming, self.ledger);
            if name != naming.to {
                notes.push(format!(
                    "another process created {} meanwhile; the file of this release is {}",
                    naming.to.display(),
                    name.display()
                ));
            }
            file = Some(name);
        }
        notes.extend(self.seal());
        Ok(RecordOutcome { entry, hash: head.hash, file, notes })
    }
}

/// A serialized entry.
#[derive(Debug)]
pub(crate) struct SerializedEntry {
    pub document: String,
    /// Head of the ledger after the entry.
    pub head: Head,
    /// Signature of the Merkle tree that includes the entry.
    pub signature: Option<String>,
    /// Public key of the ledger from this entry on, if it changes.
    pub verifier: Option<Verifier>,
}

/// Checks that the parts of a release are consistent. Otherwise it could not be loaded.
fn check_draft(draft: &ReleaseDraft<'_>) -> Result<()> {
    let counts = &draft.body.counts;
    let unfit = |what: &str| Err(Error::Unfit(what.to_owned()));
    let tables = draft.method.iter().flat_map(|method| &method.tables).map(|(_, body, _)| *body);
    let bodies: Vec<&Body> = [draft.body].into_iter().chain(tables).collect();
    let fits = |body: &&Body| {
        body.columns.iter().map(|column| &column.name).eq(&body.counts.names)
            && body.counts.contingency.owners.is_none()
    };
    if !bodies.iter().all(fits) {
        return unfit("the columns of the release differ from those of its records");
    }
    if draft.recipients.is_empty() {
        return unfit("the release has no recipient");
    }
    let is_known = |body: &&Body| body.columns.iter().all(|column| column.role == Role::QuasiIdentifier);
    if draft.origin == Origin::Population && !bodies.iter().all(is_known) {
        return unfit("a column of the population register is not a quasi-identifier");
    }
    for column in bodies.iter().flat_map(|body| &body.columns) {
        let known = |tree: Hash| draft.taxonomies.iter().any(|(_, text)| Hash::digest(text.as_bytes()) == tree);
        if matches!(column.tree, BodyTree::Taxonomy(tree) if !known(tree)) {
            return unfit("a taxonomy of the release is missing");
        }
    }
    if let Some((links, _)) = &draft.links
        && !crate::links::match_records(links, &counts.contingency.weights, &draft.presentation)
    {
        return unfit(
            "the owner links do not add up to the records of the release; the data may have changed while it was read",
        );
    }
    Ok(())
}

fn release_record(draft: &ReleaseDraft<'_>, staged: &[StagedBlob]) -> ReleaseRecord {
    let of_kind =
        |wanted: BlobKind| staged.iter().filter(move |body| body.kind == wanted).map(|body| body.stored.clone());
    let contingency = &draft.body.counts.contingency;
    let nothing = || StoredBlob { sha256: Hash::digest(b""), bytes: 0 };
    let tables = draft.method.iter().flat_map(|method| &method.tables);
    let trees = draft.taxonomies.iter().zip(of_kind(BlobKind::Taxonomy));
    let mut recipients: Vec<String> = draft.recipients.iter().map(Recipient::to_string).collect();
    recipients.sort();
    recipients.dedup();
    ReleaseRecord {
        name: draft.name.to_string(),
        dataset: draft.dataset.clone(),
        date: draft.date.clone(),
        recipients,
        origin: draft.origin,
        records: contingency.rows(),
        suppressed: draft.suppressed,
        dropped: draft.dropped,
        combinations: contingency.len() as u64,
        columns: column_records(draft.body),
        disguise: draft.presentation.clone(),
        body: of_kind(BlobKind::Records).next().unwrap_or_else(nothing),
        links: draft.links.as_ref().zip(of_kind(BlobKind::Links).next()).map(|((links, key), stored)| StoredLinks {
            sha256: stored.sha256,
            bytes: stored.bytes,
            people: links.people(),
            key: key.clone(),
        }),
        policy: of_kind(BlobKind::Policy).next(),
        taxonomies: trees
            .map(|((column, _), stored)| StoredTaxonomy {
                column: column.clone(),
                sha256: stored.sha256,
                bytes: stored.bytes,
            })
            .collect(),
        file: draft.file.clone(),
        made: draft.made.clone(),
        tables: tables
            .zip(of_kind(BlobKind::Records).skip(1))
            .map(|((name, body, set), stored)| TableRecord {
                name: name.clone(),
                records: body.counts.contingency.rows(),
                combinations: body.counts.contingency.len() as u64,
                columns: column_records(body),
                set: *set,
                body: stored,
            })
            .collect(),
        spent: None,
        method: draft
            .method
            .as_ref()
            .zip(of_kind(BlobKind::State).next())
            .map(|(method, remembered)| MethodRecord { remembered, ..method.method.clone() }),
        judged: draft.judged.clone(),
        corrections: Corrections::default(),
    }
}

fn column_records(body: &Body) -> Vec<ColumnRecord> {
    let column = |(column, texts): (&crate::body_format::BodyColumn, &Vec<String>)| ColumnRecord {
        name: column.name.clone(),
        role: column.role,
        values: column.values,
        per: None,
        distinct: texts.len() as u64,
    };
    body.columns.iter().zip(&body.counts.values).map(column).collect()
}
