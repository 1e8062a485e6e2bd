//! Exported heads: a small text to keep elsewhere, which reveals later whether entries were removed, changed or rolled back.
//!
//! A head is a signed note in the format of transparency logs (<https://c2sp.org/tlog-checkpoint>): the ledger, how many entries it
//! has, the root of their Merkle tree, when it was exported, and the public key that signs it.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize, Serializer};

use crate::chain::{Chain, checkpoint};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Key;
use crate::ledger::{Ledger, Writer};
use crate::signature::{Note, Verifier};

const ORIGIN: &str = "reticent.ledger/";
const EXPORTED: &str = "exported ";
const VERIFIER: &str = "verifier ";
/// The purpose of the tag in heads of format 1.
const PURPOSE: &str = "reticent head\0";

/// The head of a ledger at some time, to be kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedHead {
    /// The ledger's id.
    pub ledger: String,
    /// How many entries it had.
    pub entries: u64,
    /// What no other entries have: the root of their tree, or the hash of the last one.
    pub covers: Covers,
    /// When it was exported, in UTC.
    pub at: String,
    /// The public key of the ledger, if it had one.
    pub verifier: Option<Verifier>,
    source: Source,
}

/// What a head says of all entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covers {
    /// The root of their Merkle tree.
    Root(Hash),
    /// The hash of the last one: a head of format 1.
    Last(Hash),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Note(Note),
    /// A head of format 1.
    First(FirstHead),
}

/// A head as format 1 exported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FirstHead {
    format: u32,
    id: String,
    entries: u64,
    head: Hash,
    at: String,
    #[serde(default)]
    signature: Option<String>,
}

impl Ledger {
    /// The head at some time, to be kept elsewhere; signed if there is a key.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be read.
    pub fn export_head(&self, key: Option<&Key>, at: &str) -> Result<ExportedHead> {
        self.head_of(&self.chain()?, key, at)
    }

    /// The head of these entries.
    pub(crate) fn head_of(&self, chain: &Chain, key: Option<&Key>, at: &str) -> Result<ExportedHead> {
        let head = chain.head();
        let identity = self.identity()?;
        let key = key.filter(|key| self.verifier().is_ok_and(|known| known == Some(key.verifier())));
        let mut text = checkpoint(&identity.origin(), head.entries, head.root);
        text += &format!("{EXPORTED}{at}\n");
        if let Some(key) = key {
            text += &format!("{VERIFIER}{}\n", key.verifier());
        }
        let mut note = Note::new(text);
        if let Some(key) = key {
            note.sign(key.signer(), 0);
        }
        ExportedHead::parse(&note.to_string())
    }

    /// What an exported head says against the ledger as it stands; nothing when the ledger extends it.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be read.
    pub fn compare_head(&self, head: &ExportedHead, key: Option<&Key>) -> Result<Option<String>> {
        self.compare_with(&self.chain()?, head, key)
    }

    /// The same of these entries.
    pub(crate) fn compare_with(&self, chain: &Chain, head: &ExportedHead, key: Option<&Key>) -> Result<Option<String>> {
        if head.ledger != self.catalogue.id()? {
            return Ok(Some("the exported head is of another ledger".to_owned()));
        }
        let own = self.verifier()?;
        let trusted = key.map(Key::verifier).or(own);
        if let Some(wrong) = head.unauthentic(trusted.as_ref(), key) {
            return Ok(Some(wrong));
        }
        Ok(chain.contradicts(head))
    }
}

impl Writer<'_> {
    /// The head of the entries that were checked, while nobody else writes.
    ///
    /// # Errors
    ///
    /// If the catalogue cannot be read.
    pub fn export_head(&self, at: &str) -> Result<ExportedHead> {
        self.ledger.head_of(&self.chain, self.session.key.as_ref(), at)
    }

    /// What an exported head says against these entries; nothing when they extend it.
    ///
    /// # Errors
    ///
    /// If the catalogue cannot be read.
    pub fn compare_head(&self, head: &ExportedHead) -> Result<Option<String>> {
        self.ledger.compare_with(&self.chain, head, self.session.key.as_ref())
    }
}

impl Chain {
    /// What a head says against these entries; nothing when they extend it.
    pub(crate) fn contradicts(&self, head: &ExportedHead) -> Option<String> {
        let now = self.head().entries;
        if now < head.entries {
            return Some(format!(
                "the ledger had {} entries on {} and now has {now}: entries are missing at its end, or it was rolled back",
                head.entries, head.at
            ));
        }
        let then = self.head_after(head.entries);
        let extends = then.is_some_and(|then| match head.covers {
            Covers::Root(root) => then.root == root,
            Covers::Last(hash) => then.hash == hash,
        });
        let rewritten = || {
            format!(
                "entries up to {} are not those that were there on {}: the ledger was rewritten",
                head.entries, head.at
            )
        };
        (!extends).then(rewritten)
    }
}

impl ExportedHead {
    /// Reads an exported head of any format.
    ///
    /// # Errors
    ///
    /// If the text is not one.
    pub fn parse(text: &str) -> Result<ExportedHead> {
        let wrong = |why: &str| Error::NoHead(why.to_owned());
        if text.trim_start().starts_with('{') {
            let first: FirstHead = serde_json::from_str(text).map_err(|_| wrong("it is not what Reticent exports"))?;
            if first.format != 1 {
                return Err(Error::NoHead(format!("it has format {}", first.format)));
            }
            return Ok(ExportedHead {
                ledger: first.id.clone(),
                entries: first.entries,
                covers: Covers::Last(first.head),
                at: first.at.clone(),
                verifier: None,
                source: Source::First(first),
            });
        }
        let note = Note::parse(text).ok_or_else(|| wrong("it is no signed note"))?;
        ExportedHead::of_note(note).ok_or_else(|| wrong("it is not the head of a ledger"))
    }

    fn of_note(note: Note) -> Option<ExportedHead> {
        let mut lines = note.text.lines();
        let ledger = lines.next()?.strip_prefix(ORIGIN)?.to_owned();
        let size = lines.next()?;
        let entries: u64 = size.parse().ok()?;
        let root: [u8; 32] = BASE64_STANDARD.decode(lines.next()?).ok()?.try_into().ok()?;
        let rest: Vec<&str> = lines.collect();
        let find = |prefix: &str| rest.iter().find_map(|line| line.strip_prefix(prefix));
        let at = find(EXPORTED)?.to_owned();
        let verifier = match find(VERIFIER) {
            Some(text) => Some(Verifier::parse(text)?),
            None => None,
        };
        // One spelling of a number only: what is signed is what is read.
        (entries.to_string() == size).then(|| ExportedHead {
            ledger,
            entries,
            covers: Covers::Root(Hash::from_bytes(root)),
            at,
            verifier,
            source: Source::Note(note),
        })
    }

    /// The root of the tree; none of a head of format 1.
    pub fn root(&self) -> Option<Hash> {
        if let Covers::Root(root) = self.covers { Some(root) } else { None }
    }

    /// Whether the ledger's key signed it. Whether the signature is valid, [`ExportedHead::unauthentic`] says.
    pub fn is_signed(&self) -> bool {
        match &self.source {
            Source::Note(note) => self.verifier.is_some() && note.is_signed(),
            Source::First(first) => first.signature.is_some(),
        }
    }

    /// The names of the witnesses that countersigned it.
    pub fn witnesses(&self) -> Vec<String> {
        let Source::Note(note) = &self.source else { return Vec::new() };
        let own = self.verifier.as_ref().map(Verifier::name);
        note.names().filter(|name| Some(*name) != own).map(str::to_owned).collect()
    }

    /// When a witness countersigned it, in seconds since 1970; none if it did not.
    pub fn countersigned_by(&self, witness: &Verifier) -> Option<u64> {
        self.note().filter(|_| witness.is_witness()).and_then(|note| note.signed_by(witness))
    }

    pub(crate) fn note(&self) -> Option<&Note> {
        if let Source::Note(note) = &self.source { Some(note) } else { None }
    }

    /// Why the head is not authentic, given the public key that is trusted; nothing if it is, or if the ledger has no key.
    pub fn unauthentic(&self, trusted: Option<&Verifier>, key: Option<&Key>) -> Option<String> {
        const STRIPPED: &str =
            "the exported head is not signed, and this ledger has a key: the signature may have been removed";
        const CHANGED: &str = "the exported head was changed, or signed with another key";
        let valid = match (&self.source, trusted) {
            (Source::Note(note), Some(trusted)) if self.is_signed() => {
                self.verifier.as_ref() == Some(trusted) && note.signed_by(trusted).is_some()
            }
            (Source::Note(note), None) if self.is_signed() => {
                self.verifier.as_ref().is_some_and(|own| note.signed_by(own).is_some())
            }
            (Source::First(first), _) => match (&first.signature, key) {
                (Some(signature), Some(key)) => key.accepts_tag(PURPOSE, first.tagged().as_bytes(), signature),
                // Only the key checks a head of format 1.
                (Some(_), None) => true,
                (None, Some(_)) => return Some(STRIPPED.to_owned()),
                (None, None) => true,
            },
            (Source::Note(_), Some(_)) => return Some(STRIPPED.to_owned()),
            (Source::Note(_), None) => true,
        };
        (!valid).then(|| CHANGED.to_owned())
    }
}

impl FirstHead {
    fn tagged(&self) -> String {
        let FirstHead { format, id, entries, head, at, .. } = self;
        format!("{format} {id} {entries} {head} {at}")
    }
}

impl fmt::Display for ExportedHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Note(note) => note.fmt(f),
            Source::First(first) => f.write_str(&serde_json::to_string_pretty(first).unwrap_or_default()),
        }
    }
}

/// As fields, with the text that is to be kept.
impl Serialize for ExportedHead {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            ledger: &'a str,
            entries: u64,
            root: Option<Hash>,
            at: &'a str,
            signed: bool,
            verifier: Option<String>,
            witnesses: Vec<String>,
            text: String,
        }
        Fields {
            ledger: &self.ledger,
            entries: self.entries,
            root: self.root(),
            at: &self.at,
            signed: self.is_signed(),
            verifier: self.verifier.as_ref().map(Verifier::to_string),
            witnesses: self.witnesses(),
            text: self.to_string(),
        }
        .serialize(serializer)
    }
}
