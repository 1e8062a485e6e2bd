//! The chain: every entry carries the hash of the one before it, and a signed tree covers them all.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::catalogue::Row;
use crate::entry::{Entry, EntryKind, FORMAT, Unreadable};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::merkle::{self, Frontier};
use crate::signature::Verifier;

/// The end of a ledger: how many entries there are, and hashes that no other entries have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// How many entries there are.
    pub entries: u64,
    /// The hash of the last one; derived from the ledger's id when there is none.
    pub hash: Hash,
    /// The root of the Merkle tree over all of them.
    pub root: Hash,
}

/// The text that is signed for a tree: the ledger, how many entries, and their root.
pub(crate) fn checkpoint(origin: &str, entries: u64, root: Hash) -> String {
    format!("{origin}\n{entries}\n{}\n", BASE64_STANDARD.encode(root.bytes()))
}

/// Entries of which each follows the one before.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// The hash before the first entry.
    start: Hash,
    pub entries: Vec<Entry>,
    pub hashes: Vec<Hash>,
    /// By entry: its document as a leaf of the tree.
    pub leaves: Vec<Hash>,
    /// By entry: the root of the tree up to it.
    roots: Vec<Hash>,
    frontier: Frontier,
    signatures: Vec<Option<String>>,
}

impl Chain {
    /// Checks that every entry follows the one before it.
    pub(crate) fn of(folder: &Path, ledger: &str, rows: Vec<Row>) -> Result<Chain> {
        let mut chain = Chain {
            start: Hash::of(format!("reticent ledger {ledger}").as_bytes()),
            entries: Vec::with_capacity(rows.len()),
            hashes: Vec::with_capacity(rows.len()),
            leaves: Vec::with_capacity(rows.len()),
            roots: Vec::with_capacity(rows.len()),
            frontier: Frontier::default(),
            signatures: Vec::with_capacity(rows.len()),
        };
        let parsed: Vec<Result<Entry, Unreadable>> = rows.par_iter().map(|row| Entry::parse(&row.document)).collect();
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
        if Hash::of(row.document.as_bytes()).to_string() != row.hash {
            let what = format!("entry {number} was changed: its hash is not that of its document");
            return Err(Error::broken(folder, what));
        }
        let entry = entry?;
        let previous = self.head().hash;
        if entry.number != number || entry.previous != previous || row.previous != previous.to_string() {
            return Err(Error::broken(folder, format!("entry {number} does not follow the one before it")));
        }
        Ok(entry)
    }

    /// Adds an entry that follows the last one.
    pub(crate) fn push(&mut self, entry: Entry, document: &str, signature: Option<String>) {
        let leaf = merkle::leaf(document.as_bytes());
        self.frontier.push(leaf);
        self.entries.push(entry);
        self.hashes.push(Hash::of(document.as_bytes()));
        self.leaves.push(leaf);
        self.roots.push(self.frontier.root());
        self.signatures.push(signature);
    }

    /// The end of the chain.
    pub(crate) fn head(&self) -> Head {
        Head {
            entries: self.entries.len() as u64,
            hash: self.hashes.last().copied().unwrap_or(self.start),
            root: self.frontier.root(),
        }
    }

    /// What the head will be with one document more.
    pub(crate) fn head_with(&self, document: &str) -> Head {
        let mut frontier = self.frontier.clone();
        frontier.push(merkle::leaf(document.as_bytes()));
        let hash = Hash::of(document.as_bytes());
        Head { entries: self.entries.len() as u64 + 1, hash, root: frontier.root() }
    }

    /// What the head was after so many entries.
    pub(crate) fn head_after(&self, entries: u64) -> Option<Head> {
        match entries {
            0 => Some(Head { entries, hash: self.start, root: Frontier::default().root() }),
            some => {
                let at = usize::try_from(some - 1).ok()?;
                Some(Head { entries, hash: *self.hashes.get(at)?, root: *self.roots.get(at)? })
            }
        }
    }

    /// The entry with this hash.
    pub(crate) fn find(&self, hash: Hash) -> Option<&Entry> {
        self.hashes.iter().position(|known| *known == hash).map(|at| &self.entries[at])
    }

    /// The entry from which on entries are signed; none if that is the first one, or if none is signed. `current` is the ledger's key.
    ///
    /// A key that replaces another is not accepted: the old one would have to vouch for the new one, and no command writes that yet.
    fn signed_from(&self, current: Option<&Verifier>) -> Result<Option<usize>, String> {
        let mut from = None;
        for (at, entry) in self.entries.iter().enumerate() {
            let EntryKind::KeyRotation(rotation) = &entry.kind else { continue };
            if rotation.replaces.is_some() || from.is_some() {
                return Err(format!("entry {} replaces the key, which this program does not accept", entry.number));
            }
            if current.is_none_or(|current| current.to_string() != rotation.verifier) {
                return Err("the key of the ledger is not the one that its entries name".to_owned());
            }
            from = Some(at);
        }
        Ok(from)
    }

    /// Checks the signatures of the entries from this one on.
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
                        false => Err(format!("the signature of entry {number} is not by the ledger's key")),
                    }
                }
                (Some(_), None) => Err(format!("entry {number} is not signed")),
                (None, Some(_)) => Err(format!("entry {number} is signed, and the ledger had no key then")),
            }
        })
    }

    /// Whether the last entry is the one from which on entries are signed.
    pub(crate) fn ends_with_first_signature(&self) -> bool {
        matches!(self.entries.last().map(|entry| &entry.kind), Some(EntryKind::KeyRotation(rotation)) if rotation.replaces.is_none())
    }

    /// Whether these rows are the entries of this chain, with their signatures.
    pub(crate) fn is_of(&self, rows: &[Row]) -> bool {
        let same = |(at, row): (usize, &Row)| {
            Hash::of(row.document.as_bytes()) == self.hashes[at]
                && row.hash == self.hashes[at].to_string()
                && row.signature == self.signatures[at]
                && row.number == at as u64 + 1
                && row.previous == self.entries[at].previous.to_string()
        };
        rows.len() == self.entries.len() && rows.iter().enumerate().all(same)
    }

    /// The first entry that is signed; none if no entry is.
    pub(crate) fn signed_since(&self) -> Option<u64> {
        self.signatures.iter().position(Option::is_some).map(|at| at as u64 + 1)
    }

    /// An error if the ledger holds an entry that this program cannot act on.
    pub(crate) fn check_supported(&self, folder: &Path) -> Result<()> {
        let found = self.entries.iter().find_map(|entry| Some((entry.number, entry.kind.unsupported()?)));
        match found {
            None => Ok(()),
            Some((number, kind)) => {
                Err(Error::UnknownEntry { folder: folder.to_owned(), number, what: kind.to_owned() })
            }
        }
    }
}

fn unreadable(folder: &Path, number: u64, why: Unreadable) -> Error {
    let unknown = |what: String| Error::UnknownEntry { folder: folder.to_owned(), number, what };
    match why {
        Unreadable::Newer(format) => {
            Error::Newer { folder: folder.to_owned(), found: format as i64, known: i64::from(FORMAT) }
        }
        Unreadable::Kind(what) | Unreadable::Requires(what) => unknown(what),
        Unreadable::Malformed(why) => Error::broken(folder, format!("entry {number} cannot be read: {why}")),
    }
}
