//! The chain: every entry contains the hash of the previous entry, and a signed Merkle tree covers all entries.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::catalogue::Row;
use crate::corrections;
use crate::entry::{Entry, EntryKind, EntryParseError, FORMAT};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::merkle::{self, Frontier};
use crate::signature::Verifier;

/// Head of a ledger: the number of entries and the hashes that identify them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Number of entries.
    pub entries: u64,
    /// Hash of the last entry. For an empty ledger, a hash derived from the id of the ledger.
    pub hash: Hash,
    /// Root of the Merkle tree over all entries.
    pub root: Hash,
}

/// Returns the text that is signed for a tree: the ledger, the number of entries and the root.
pub(crate) fn checkpoint(origin: &str, entries: u64, root: Hash) -> String {
    format!("{origin}\n{entries}\n{}\n", BASE64_STANDARD.encode(root.bytes()))
}

/// Entries, each linked to the previous one by its hash.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// Hash that precedes the first entry.
    start: Hash,
    pub entries: Vec<Entry>,
    pub hashes: Vec<Hash>,
    /// Leaf hash of each entry.
    pub leaves: Vec<Hash>,
    /// Root of the Merkle tree after each entry.
    roots: Vec<Hash>,
    frontier: Frontier,
    signatures: Vec<Option<String>>,
}

impl Chain {
    /// Parses the rows and checks that every entry follows the previous one.
    pub(crate) fn new(folder: &Path, ledger: &str, rows: Vec<Row>) -> Result<Chain> {
        let mut chain = Chain {
            start: Hash::digest(format!("reticent ledger {ledger}").as_bytes()),
            entries: Vec::with_capacity(rows.len()),
            hashes: Vec::with_capacity(rows.len()),
            leaves: Vec::with_capacity(rows.len()),
            roots: Vec::with_capacity(rows.len()),
            frontier: Frontier::default(),
            signatures: Vec::with_capacity(rows.len()),
        };
        let parsed: Vec<Result<Entry, EntryParseError>> =
            rows.par_iter().map(|row| Entry::parse(&row.document)).collect();
        for ((row, entry), expected) in rows.into_iter().zip(parsed).zip(1u64..) {
            let entry = entry.map_err(|why| unreadable(folder, row.number, why));
            let entry = chain.check(folder, &row, entry, expected)?;
            chain.push(entry, &row.document, row.signature);
        }
        Ok(chain)
    }

    fn check(&self, folder: &Path, row: &Row, entry: Result<Entry>, expected: u64) -> Result<Entry> {
        let number = row.number;
        if number != expected {
            return Err(Error::broken(folder, format!("entry {expected} is missing")));
        }
        if Hash::digest(row.document.as_bytes()).to_string() != row.hash {
            let what = format!("entry {number} was changed: its hash differs from that of its document");
            return Err(Error::broken(folder, what));
        }
        let entry = entry?;
        let previous = self.head().hash;
        if entry.number != number || entry.previous != previous || row.previous != previous.to_string() {
            return Err(Error::broken(folder, format!("entry {number} does not follow the previous entry")));
        }
        Ok(entry)
    }

    /// Appends an entry. The caller ensures that it follows the last one.
    pub(crate) fn push(&mut self, entry: Entry, document: &str, signature: Option<String>) {
        let leaf = merkle::leaf(document.as_bytes());
        self.frontier.push(leaf);
        self.entries.push(entry);
        self.hashes.push(Hash::digest(document.as_bytes()));
        self.leaves.push(leaf);
        self.roots.push(self.frontier.root());
        self.signatures.push(signature);
    }

    /// Returns the head of the chain.
    pub(crate) fn head(&self) -> Head {
        Head {
            entries: self.entries.len() as u64,
            hash: self.hashes.last().copied().unwrap_or(self.start),
            root: self.frontier.root(),
        }
    }

    /// Returns the head after the append of a document.
    pub(crate) fn head_with(&self, document: &str) -> Head {
        let mut frontier = self.frontier.clone();
        frontier.push(merkle::leaf(document.as_bytes()));
        let hash = Hash::digest(document.as_bytes());
        Head { entries: self.entries.len() as u64 + 1, hash, root: frontier.root() }
    }

    /// Returns the head after the first `entries` entries.
    pub(crate) fn head_after(&self, entries: u64) -> Option<Head> {
        match entries {
            0 => Some(Head { entries, hash: self.start, root: Frontier::default().root() }),
            some => {
                let at = usize::try_from(some - 1).ok()?;
                Some(Head { entries, hash: *self.hashes.get(at)?, root: *self.roots.get(at)? })
            }
        }
    }

    /// Returns the entry with this hash.
    pub(crate) fn find(&self, hash: Hash) -> Option<&Entry> {
        self.hashes.iter().position(|known| *known == hash).map(|at| &self.entries[at])
    }

    /// Returns the index of the first signed entry. Returns none if no key rotation is recorded: then all entries are
    /// signed, or none is. `current` is the public key of the ledger.
    ///
    /// A replaced key is rejected: the old key would have to sign the new one, and no command writes such an entry
    /// yet.
    fn signed_from(&self, current: Option<&Verifier>) -> Result<Option<usize>, String> {
        let mut from = None;
        for (at, entry) in self.entries.iter().enumerate() {
            let EntryKind::KeyRotation(rotation) = &entry.kind else { continue };
            if rotation.replaces.is_some() || from.is_some() {
                return Err(format!(
                    "entry {} replaces the signing key, which this program does not support",
                    entry.number
                ));
            }
            if current.is_none_or(|current| current.to_string() != rotation.verifier) {
                return Err("the public key of the ledger differs from the one in its entries".to_owned());
            }
            from = Some(at);
        }
        Ok(from)
    }

    /// Checks the signatures of the entries from number `from` on.
    pub(crate) fn check_signatures(&self, origin: &str, current: Option<&Verifier>, from: u64) -> Result<(), String> {
        let signed_from = self.signed_from(current)?.unwrap_or(0);
        let first = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX).min(self.entries.len());
        (first..self.entries.len()).into_par_iter().try_for_each(|at| {
            let number = at as u64 + 1;
            match (current.filter(|_| at >= signed_from), &self.signatures[at]) {
                (None, None) => Ok(()),
                (Some(verifier), Some(signature)) => {
                    match verifier.accepts(&checkpoint(origin, number, self.roots[at]), signature) {
                        true => Ok(()),
                        false => Err(format!("the signature of entry {number} is not valid for the ledger's key")),
                    }
                }
                (Some(_), None) => Err(format!("entry {number} is not signed")),
                (None, Some(_)) => Err(format!("entry {number} is signed, but the ledger had no key at that time")),
            }
        })
    }

    /// Returns true if the last entry introduced signatures.
    pub(crate) fn ends_with_first_signature(&self) -> bool {
        matches!(self.entries.last().map(|entry| &entry.kind), Some(EntryKind::KeyRotation(rotation)) if rotation.replaces.is_none())
    }

    /// Returns true if the rows are exactly the entries of this chain, with their signatures.
    pub(crate) fn matches_rows(&self, rows: &[Row]) -> bool {
        let same = |(at, row): (usize, &Row)| {
            Hash::digest(row.document.as_bytes()) == self.hashes[at]
                && row.hash == self.hashes[at].to_string()
                && row.signature == self.signatures[at]
                && row.number == at as u64 + 1
                && row.previous == self.entries[at].previous.to_string()
        };
        rows.len() == self.entries.len() && rows.iter().enumerate().all(same)
    }

    /// Returns the number of the first signed entry, if any.
    pub(crate) fn signed_since(&self) -> Option<u64> {
        self.signatures.iter().position(Option::is_some).map(|at| at as u64 + 1)
    }

    /// Returns an error if an entry corrects a release that does not exist, or in a way that does not fit.
    pub(crate) fn check_corrections(&self, folder: &Path) -> Result<()> {
        if self.entries.iter().any(corrections::is_correction) { self.corrected(folder).map(drop) } else { Ok(()) }
    }

    /// Returns the entries with the releases as later entries corrected them.
    pub(crate) fn corrected(&self, folder: &Path) -> Result<Vec<Entry>> {
        let mut entries = self.entries.clone();
        corrections::apply(&mut entries).map_err(|what| Error::broken(folder, what))?;
        Ok(entries)
    }
}

fn unreadable(folder: &Path, number: u64, why: EntryParseError) -> Error {
    let unknown = |what: String| Error::UnknownEntry { folder: folder.to_owned(), number, what };
    match why {
        EntryParseError::Newer(format) => {
            Error::Newer { folder: folder.to_owned(), found: format as i64, known: i64::from(FORMAT) }
        }
        EntryParseError::Kind(what) | EntryParseError::Requires(what) => unknown(what),
        EntryParseError::Malformed(why) => Error::broken(folder, format!("entry {number} cannot be read: {why}")),
    }
}
