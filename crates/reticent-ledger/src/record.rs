//! Recording a release: bodies first, then the entry, then the file's name. Whole or not at all.

use std::path::PathBuf;

use reticent::methods::Remembered;
use reticent::{Disguise, Links, Recipient, ReleaseName};

use crate::bodies::{Staged, relative};
use crate::catalogue::Catalogue;
use crate::chain::{Head, checkpoint};
use crate::entry::{
    ColumnRecord, Entry, EntryKind, FORMAT, FileRecord, Judged, Kind, Made, MethodRecord, Origin, Recorded, Stored,
    StoredLinks, StoredTaxonomy, TableRecord,
};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Key;
use crate::ledger::{Ledger, PATIENCE, Writer};
use crate::records::{Body, BodyTree};
use crate::recovery::{in_use, settle};
use crate::seal::{Journal, Naming};
use crate::signature::Verifier;
use crate::{finalize, links, records};

/// A release to be recorded.
#[derive(Debug)]
pub struct Draft<'a> {
    /// Its name, which no other release has.
    pub name: ReleaseName,
    /// The data it was made from.
    pub dataset: String,
    /// The day it goes out.
    pub date: String,
    /// Who gets it.
    pub recipients: Vec<Recipient>,
    /// Whether Reticent made it.
    pub origin: Origin,
    /// Records left out because their class violated the requirement.
    pub suppressed: u64,
    /// Records left out because a value was missing.
    pub dropped: u64,
    /// How it shows people's records, where that is not one by one.
    pub disguise: Disguise,
    /// What is published.
    pub body: &'a Body,
    /// The other tables of a release by a method, and how it was published.
    pub by_method: Option<ByMethod<'a>>,
    /// Which record is about whom, and the fingerprint of the key behind the pseudonyms.
    pub links: Option<(&'a Links, String)>,
    /// The policy, as it is written.
    pub policy: Option<&'a str>,
    /// By column: the taxonomies, as they are written.
    pub taxonomies: &'a [(String, String)],
    /// The file.
    pub file: Option<FileRecord>,
    /// How the file takes its name, if it has not yet.
    pub naming: Option<Naming>,
    /// How it was made.
    pub made: Option<Made>,
    /// What it was judged together with.
    pub judged: Judged,
}

/// What is recorded besides of a release by a method.
#[derive(Debug)]
pub struct ByMethod<'a> {
    /// Its tables besides the one of people: name, what is published, and whether values are listed once.
    pub tables: Vec<(String, &'a Body, bool)>,
    /// What the method keeps about owners.
    pub remembered: &'a [Remembered],
    /// How it was published; where that is kept is filled in.
    pub method: MethodRecord,
}

/// What became of a draft.
#[derive(Debug)]
pub struct Outcome {
    /// The entry.
    pub entry: Entry,
    /// Its hash.
    pub hash: Hash,
    /// The name that the file took.
    pub file: Option<PathBuf>,
    /// What a steward should know.
    pub notes: Vec<String>,
}

impl Writer<'_> {
    /// Records a release that was made against this head, and gives its file its name.
    pub fn record(mut self, against: Head, draft: &Draft<'_>) -> Result<Outcome> {
        if self.head() != against {
            return Err(Error::Stale);
        }
        let named = |entry: &&Entry| entry.release().is_some_and(|release| release.name == draft.name.as_str());
        if let Some(entry) = self.chain.entries.iter().find(named) {
            return Err(Error::NameTaken { name: draft.name.to_string(), number: entry.number });
        }
        check_fit(draft)?;
        self.check_key(draft)?;
        let mut journal = Journal::of(&self.ledger.folder, draft.naming.as_ref());
        journal.write(&self.ledger.folder)?;
        match self.append_draft(draft, &mut journal) {
            Ok((entry, head)) => self.name_and_seal(entry, head, draft.naming.as_ref()),
            Err(error) => {
                self.abandon();
                Err(error)
            }
        }
    }

    /// Records a release that does not depend on what was released before.
    pub fn append(self, draft: &Draft<'_>) -> Result<Outcome> {
        let head = self.head();
        self.record(head, draft)
    }

    fn append_draft(&mut self, draft: &Draft<'_>, journal: &mut Journal) -> Result<(Entry, Head)> {
        let staged = self.stage(draft)?;
        let recorded = recorded(draft, &staged);
        let entry = self.entry(match draft.origin {
            Origin::Published => EntryKind::Release(Box::new(recorded)),
            Origin::Registered => EntryKind::Registration(Box::new(recorded)),
        });
        let written = self.written(&entry)?;
        journal.entry = Some(written.head.hash);
        let there = in_use(&self.chain.entries);
        let paths = staged.iter().map(|body| relative(body.kind, body.stored.sha256));
        journal.bodies = paths.filter(|path| !there.contains(path)).collect();
        journal.write(&self.ledger.folder)?;
        self.ledger.bodies.place(&staged)?;
        self.append_entry(&entry, &written)?;
        Ok((entry, written.head))
    }

    /// Writes an entry to the catalogue.
    pub(crate) fn append_entry(&mut self, entry: &Entry, written: &Written) -> Result<()> {
        self.ledger.catalogue.append(entry, written, self.session.wait.max(PATIENCE))?;
        // Seen by others, and not only by the connection that wrote it.
        if !Ledger::plain(&self.ledger.folder)?.catalogue.has(written.head.hash)? {
            return Err(Error::broken(&self.ledger.folder, "the entry was written and is not there"));
        }
        self.chain.push(entry.clone(), &written.document, written.signature.clone());
        Ok(())
    }

    /// Records an entry that is not a release.
    pub(crate) fn append_kind(&mut self, kind: EntryKind, verifier: Option<Verifier>) -> Result<Entry> {
        let entry = self.entry(kind);
        let written = Written { verifier, ..self.written(&entry)? };
        let journal = Journal { entry: Some(written.head.hash), ..Journal::of(&self.ledger.folder, None) };
        journal.write(&self.ledger.folder)?;
        if let Err(error) = self.append_entry(&entry, &written) {
            self.abandon();
            return Err(error);
        }
        Ok(entry)
    }

    /// An entry as it is stored, and signed.
    pub(crate) fn written(&self, entry: &Entry) -> Result<Written> {
        let document = serde_json::to_string(entry).map_err(|error| Error::Unfit(error.to_string()))?;
        let head = self.chain.head_with(&document);
        let origin = self.ledger.catalogue.identity()?.origin();
        let key = self.session.key.as_ref();
        let signature = key.map(|key| key.signer().sign(&checkpoint(&origin, head.entries, head.root)));
        Ok(Written { document, head, signature, verifier: None })
    }

    /// All owner links of a ledger are made with one key, or nobody could be followed through it.
    fn check_key(&self, draft: &Draft<'_>) -> Result<()> {
        let Some((_, given)) = &draft.links else { return Ok(()) };
        let recorded = self.chain.entries.iter().rev().find_map(|entry| entry.release()?.links.as_ref());
        let known = recorded.map(|links| links.key.clone());
        // If another process started the ledger meanwhile, the pseudonyms were made for a ledger that did not come to be.
        let known = known.or_else(|| self.session.key.as_ref().map(Key::fingerprint));
        match known {
            Some(known) if *given != known => Err(Error::OtherKey { known, given: given.clone() }),
            _ => Ok(()),
        }
    }

    /// The entry that comes next.
    pub(crate) fn entry(&self, kind: EntryKind) -> Entry {
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

    fn stage(&self, draft: &Draft<'_>) -> Result<Vec<Staged>> {
        let bodies = &self.ledger.bodies;
        let text = |kind, text: &str| {
            bodies.stage(kind, |file| {
                use std::io::Write;
                let path = file.path().to_owned();
                file.write_all(text.as_bytes()).map_err(|error| Error::io("write", path, error))
            })
        };
        let mut staged = vec![bodies.stage(Kind::Records, |file| records::write(draft.body, file))?];
        if let Some((links, _)) = &draft.links {
            staged.push(bodies.stage(Kind::Links, |file| links::write(links, file))?);
        }
        for (_, table, _) in draft.by_method.iter().flat_map(|by| &by.tables) {
            staged.push(bodies.stage(Kind::Records, |file| records::write(table, file))?);
        }
        if let Some(by) = &draft.by_method {
            let kept = links::of_remembered(by.remembered);
            staged.push(bodies.stage(Kind::Remembered, |file| links::write(&kept, file))?);
        }
        if let Some(policy) = draft.policy {
            staged.push(text(Kind::Policy, policy)?);
        }
        for (_, tree) in draft.taxonomies {
            staged.push(text(Kind::Taxonomy, tree)?);
        }
        Ok(staged)
    }

    /// Undoes what a failed attempt left. What cannot be undone now is undone by whoever comes next.
    pub(crate) fn abandon(&mut self) {
        // A database that failed to write may be of two minds about it; a new connection looks at what is on the disk.
        if let Ok(catalogue) = Catalogue::open(&self.ledger.folder) {
            self.ledger.catalogue = catalogue;
        }
        let _ = settle(&self.ledger.folder, PATIENCE, &self.session);
    }

    fn name_and_seal(self, entry: Entry, head: Head, naming: Option<&Naming>) -> Result<Outcome> {
        let mut notes = Vec::new();
        let mut file = None;
        if let Some(naming) = naming {
            let name = finalize::finish(naming, entry.number, self.ledger)?;
            finalize::discard(naming, self.ledger);
            if name != naming.to {
                notes.push(format!(
                    "{} was taken by somebody else meanwhile; the file is {}",
                    naming.to.display(),
                    name.display()
                ));
            }
            file = Some(name);
        }
        notes.extend(self.seal());
        Ok(Outcome { entry, hash: head.hash, file, notes })
    }
}

/// An entry as it is stored.
#[derive(Debug)]
pub(crate) struct Written {
    pub document: String,
    /// The head of the ledger with it.
    pub head: Head,
    /// Of the tree with it, by the ledger's key.
    pub signature: Option<String>,
    /// The public key of the ledger from this entry on, where it changes.
    pub verifier: Option<Verifier>,
}

/// What is to be recorded must fit together, or it could not be given back.
fn check_fit(draft: &Draft<'_>) -> Result<()> {
    let counts = &draft.body.counts;
    let unfit = |what: &str| Err(Error::Unfit(what.to_owned()));
    let tables = draft.by_method.iter().flat_map(|by| &by.tables).map(|(_, body, _)| *body);
    let bodies: Vec<&Body> = [draft.body].into_iter().chain(tables).collect();
    let fits = |body: &&Body| {
        body.columns.iter().map(|column| &column.name).eq(&body.counts.names) && body.counts.combos.owners.is_none()
    };
    if !bodies.iter().all(fits) {
        return unfit("its columns are not those of its records");
    }
    if draft.recipients.is_empty() {
        return unfit("it has no recipient");
    }
    for column in bodies.iter().flat_map(|body| &body.columns) {
        let known = |tree: Hash| draft.taxonomies.iter().any(|(_, text)| Hash::of(text.as_bytes()) == tree);
        if matches!(column.tree, BodyTree::Taxonomy(tree) if !known(tree)) {
            return unfit("a taxonomy is missing");
        }
    }
    if let Some((links, _)) = &draft.links
        && !crate::links::add_up(links, &counts.combos.weights, &draft.disguise)
    {
        return unfit("its owner links do not add up to its records; did the data change while it was read?");
    }
    Ok(())
}

fn recorded(draft: &Draft<'_>, staged: &[Staged]) -> Recorded {
    let of_kind = |wanted: Kind| staged.iter().filter(move |body| body.kind == wanted).map(|body| body.stored.clone());
    let combos = &draft.body.counts.combos;
    let nothing = || Stored { sha256: Hash::of(b""), bytes: 0 };
    let tables = draft.by_method.iter().flat_map(|by| &by.tables);
    let trees = draft.taxonomies.iter().zip(of_kind(Kind::Taxonomy));
    let mut recipients: Vec<String> = draft.recipients.iter().map(Recipient::to_string).collect();
    recipients.sort();
    recipients.dedup();
    Recorded {
        name: draft.name.to_string(),
        dataset: draft.dataset.clone(),
        date: draft.date.clone(),
        recipients,
        origin: draft.origin,
        records: combos.rows(),
        suppressed: draft.suppressed,
        dropped: draft.dropped,
        combinations: combos.len() as u64,
        columns: columns_of(draft.body),
        disguise: draft.disguise.clone(),
        body: of_kind(Kind::Records).next().unwrap_or_else(nothing),
        links: draft.links.as_ref().zip(of_kind(Kind::Links).next()).map(|((links, key), stored)| StoredLinks {
            sha256: stored.sha256,
            bytes: stored.bytes,
            people: links.people(),
            key: key.clone(),
        }),
        policy: of_kind(Kind::Policy).next(),
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
            .zip(of_kind(Kind::Records).skip(1))
            .map(|((name, body, set), stored)| TableRecord {
                name: name.clone(),
                records: body.counts.combos.rows(),
                combinations: body.counts.combos.len() as u64,
                columns: columns_of(body),
                set: *set,
                body: stored,
            })
            .collect(),
        spent: None,
        method: draft
            .by_method
            .as_ref()
            .zip(of_kind(Kind::Remembered).next())
            .map(|(by, remembered)| MethodRecord { remembered, ..by.method.clone() }),
        judged: draft.judged.clone(),
    }
}

fn columns_of(body: &Body) -> Vec<ColumnRecord> {
    let column = |(column, texts): (&crate::records::BodyColumn, &Vec<String>)| ColumnRecord {
        name: column.name.clone(),
        role: column.role,
        values: column.values,
        per: None,
        distinct: texts.len() as u64,
    };
    body.columns.iter().zip(&body.counts.values).map(column).collect()
}
