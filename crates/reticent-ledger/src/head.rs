//! Exported heads: a small text that is kept outside the ledger and later reveals removed, changed or rolled-back
//! entries.
//!
//! A head is a signed note in the format of transparency logs (<https://c2sp.org/tlog-checkpoint>). It contains the
//! id of the ledger, the number of entries, the root of their Merkle tree, the time of the export and the public key
//! that signs it.

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
/// Domain separation of the message authentication code in heads of format 1.
const PURPOSE: &str = "reticent head\0";

/// Head of a ledger at the time of its export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedHead {
    /// Id of the ledger.
    pub ledger: String,
    /// Number of entries.
    pub entries: u64,
    /// Hash that identifies the entries.
    pub identified_by: HeadHash,
    /// Time of the export, in UTC.
    pub at: String,
    /// Public key of the ledger, if it has one.
    pub verifier: Option<Verifier>,
    source: HeadSource,
}

/// Hash that identifies all entries of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadHash {
    /// Root of the Merkle tree.
    Root(Hash),
    /// Hash of the last entry, in a head of format 1.
    Last(Hash),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HeadSource {
    Note(Note),
    /// A head of format 1.
    Format1(HeadFormat1),
}

/// JSON of a head of format 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct HeadFormat1 {
    format: u32,
    id: String,
    entries: u64,
    head: Hash,
    at: String,
    #[serde(default)]
    signature: Option<String>,
}

impl Ledger {
    /// Exports the current head. The key, if given, signs it.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger cannot be read.
    pub fn export_head(&self, key: Option<&Key>, at: &str) -> Result<ExportedHead> {
        self.head_of_chain(&self.chain()?, key, at)
    }

    /// Returns the head of a chain.
    pub(crate) fn head_of_chain(&self, chain: &Chain, key: Option<&Key>, at: &str) -> Result<ExportedHead> {
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

    /// Compares the ledger with an exported head. Returns the contradiction, or none if the ledger extends the head.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger cannot be read.
    pub fn compare_head(&self, head: &ExportedHead, key: Option<&Key>) -> Result<Option<String>> {
        self.compare_chain(&self.chain()?, head, key)
    }

    /// Compares a chain with an exported head, as [`Ledger::compare_head`] does.
    pub(crate) fn compare_chain(
        &self,
        chain: &Chain,
        head: &ExportedHead,
        key: Option<&Key>,
    ) -> Result<Option<String>> {
        if head.ledger != self.catalogue.id()? {
            return Ok(Some("the exported head belongs to another ledger".to_owned()));
        }
        let own = self.verifier()?;
        let trusted = key.map(Key::verifier).or(own);
        if let Some(wrong) = head.authenticity_problem(trusted.as_ref(), key) {
            return Ok(Some(wrong));
        }
        Ok(chain.contradiction(head))
    }
}

impl Writer<'_> {
    /// Exports the head of the checked entries. No other process can write meanwhile.
    ///
    /// # Errors
    ///
    /// Returns an error if the catalogue cannot be read.
    pub fn export_head(&self, at: &str) -> Result<ExportedHead> {
        self.ledger.head_of_chain(&self.chain, self.session.key.as_ref(), at)
    }

    /// Compares the checked entries with an exported head. Returns the contradiction, or none if they extend the
    /// head.
    ///
    /// # Errors
    ///
    /// Returns an error if the catalogue cannot be read.
    pub fn compare_head(&self, head: &ExportedHead) -> Result<Option<String>> {
        self.ledger.compare_chain(&self.chain, head, self.session.key.as_ref())
    }
}

impl Chain {
    /// Returns the contradiction between the entries and a head, or none if the entries extend the head.
    pub(crate) fn contradiction(&self, head: &ExportedHead) -> Option<String> {
        let now = self.head().entries;
        if now < head.entries {
            return Some(format!(
                "the ledger had {} entries on {} and now has {now}: entries are missing at the end, or the ledger was rolled back",
                head.entries, head.at
            ));
        }
        let then = self.head_after(head.entries);
        let extends = then.is_some_and(|then| match head.identified_by {
            HeadHash::Root(root) => then.root == root,
            HeadHash::Last(hash) => then.hash == hash,
        });
        let rewritten =
            || format!("the entries up to {} differ from those of {}: the ledger was rewritten", head.entries, head.at);
        (!extends).then(rewritten)
    }
}

impl ExportedHead {
    /// Parses an exported head of any format.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not an exported head.
    pub fn parse(text: &str) -> Result<ExportedHead> {
        let wrong = |why: &str| Error::NoHead(why.to_owned());
        if text.trim_start().starts_with('{') {
            let first: HeadFormat1 =
                serde_json::from_str(text).map_err(|_| wrong("the text is not an exported head"))?;
            if first.format != 1 {
                return Err(Error::NoHead(format!("format {} is not supported", first.format)));
            }
            return Ok(ExportedHead {
                ledger: first.id.clone(),
                entries: first.entries,
                identified_by: HeadHash::Last(first.head),
                at: first.at.clone(),
                verifier: None,
                source: HeadSource::Format1(first),
            });
        }
        let note = Note::parse(text).ok_or_else(|| wrong("the text is not a signed note"))?;
        ExportedHead::from_note(note).ok_or_else(|| wrong("the note is not the head of a ledger"))
    }

    fn from_note(note: Note) -> Option<ExportedHead> {
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
        // Only the canonical spelling of a number is accepted, so that the signed text has one reading.
        (entries.to_string() == size).then(|| ExportedHead {
            ledger,
            entries,
            identified_by: HeadHash::Root(Hash::from_bytes(root)),
            at,
            verifier,
            source: HeadSource::Note(note),
        })
    }

    /// Returns the root of the Merkle tree, or none for a head of format 1.
    pub fn root(&self) -> Option<Hash> {
        if let HeadHash::Root(root) = self.identified_by { Some(root) } else { None }
    }

    /// Returns true if the head has a signature of the ledger. [`ExportedHead::authenticity_problem`] verifies it.
    pub fn is_signed(&self) -> bool {
        match &self.source {
            HeadSource::Note(note) => self.verifier.is_some() && note.is_signed(),
            HeadSource::Format1(first) => first.signature.is_some(),
        }
    }

    /// Returns the names of the witnesses in the countersignatures. The countersignatures are not verified.
    pub fn witnesses(&self) -> Vec<String> {
        let HeadSource::Note(note) = &self.source else { return Vec::new() };
        let own = self.verifier.as_ref().map(Verifier::name);
        note.names().filter(|name| Some(*name) != own).map(str::to_owned).collect()
    }

    /// Returns the time of a valid countersignature, in seconds since 1970-01-01T00:00:00Z; none if there is none.
    pub fn countersigned_by(&self, witness: &Verifier) -> Option<u64> {
        self.note().filter(|_| witness.is_witness()).and_then(|note| note.signed_by(witness))
    }

    pub(crate) fn note(&self) -> Option<&Note> {
        if let HeadSource::Note(note) = &self.source { Some(note) } else { None }
    }

    /// Returns the reason why the head is not authentic. Returns none if it is authentic, or if no key is known.
    pub fn authenticity_problem(&self, trusted: Option<&Verifier>, key: Option<&Key>) -> Option<String> {
        const STRIPPED: &str =
            "the exported head is not signed, although this ledger has a key: the signature may have been removed";
        const CHANGED: &str = "the exported head was changed, or was signed with another key";
        let valid = match (&self.source, trusted) {
            (HeadSource::Note(note), Some(trusted)) if self.is_signed() => {
                self.verifier.as_ref() == Some(trusted) && note.signed_by(trusted).is_some()
            }
            (HeadSource::Note(note), None) if self.is_signed() => {
                self.verifier.as_ref().is_some_and(|own| note.signed_by(own).is_some())
            }
            (HeadSource::Format1(first), _) => match (&first.signature, key) {
                (Some(signature), Some(key)) => key.verify_code(PURPOSE, first.tagged().as_bytes(), signature),
                // Only the private key verifies a head of format 1.
                (Some(_), None) => true,
                (None, Some(_)) => return Some(STRIPPED.to_owned()),
                (None, None) => true,
            },
            (HeadSource::Note(_), Some(_)) => return Some(STRIPPED.to_owned()),
            (HeadSource::Note(_), None) => true,
        };
        (!valid).then(|| CHANGED.to_owned())
    }
}

impl HeadFormat1 {
    fn tagged(&self) -> String {
        let HeadFormat1 { format, id, entries, head, at, .. } = self;
        format!("{format} {id} {entries} {head} {at}")
    }
}

impl fmt::Display for ExportedHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            HeadSource::Note(note) => note.fmt(f),
            HeadSource::Format1(first) => f.write_str(&serde_json::to_string_pretty(first).unwrap_or_default()),
        }
    }
}

/// Serializes the fields and the exported text.
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
