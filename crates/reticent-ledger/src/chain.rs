//! The chain: every entry carries the hash of the one before it, so that none can be changed, left out or moved unseen.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::catalogue::Row;
use crate::entry::{Entry, FORMAT};
use crate::error::{Error, Result};
use crate::hash::Hash;

/// The last entry of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// How many entries there are.
    pub entries: u64,
    /// The hash of the last one; of the ledger's birth when there is none.
    pub hash: Hash,
}

/// Entries that hold together.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// The hash before the first entry.
    birth: Hash,
    pub entries: Vec<Entry>,
    pub hashes: Vec<Hash>,
}

impl Chain {
    /// Checks every link of the chain.
    pub(crate) fn of(folder: &Path, ledger: &str, rows: &[Row]) -> Result<Chain> {
        let birth = birth(ledger);
        let mut chain = Chain { birth, entries: Vec::new(), hashes: Vec::new() };
        for (row, expected) in rows.iter().zip(1u64..) {
            let entry = chain.next(row, expected).map_err(|what| Error::broken(folder, what))?;
            chain.entries.push(entry);
            chain.hashes.push(Hash::of(row.document.as_bytes()));
        }
        Ok(chain)
    }

    fn next(&self, row: &Row, expected: u64) -> Result<Entry, String> {
        let number = row.number;
        if number != expected {
            return Err(format!("entry {expected} is missing"));
        }
        if Hash::of(row.document.as_bytes()).to_string() != row.hash {
            return Err(format!("entry {number} was changed: its hash is not that of its document"));
        }
        let entry: Entry =
            serde_json::from_str(&row.document).map_err(|error| format!("entry {number} cannot be read: {error}"))?;
        if entry.format > FORMAT {
            return Err(format!("entry {number} has format {}, and this program knows {FORMAT}", entry.format));
        }
        let previous = self.head().hash;
        if entry.number != number || entry.previous != previous || row.previous != previous.to_string() {
            return Err(format!("entry {number} does not follow the one before it"));
        }
        Ok(entry)
    }

    /// The last entry.
    pub(crate) fn head(&self) -> Head {
        Head { entries: self.entries.len() as u64, hash: self.hashes.last().copied().unwrap_or(self.birth) }
    }

    /// What the head was after so many entries.
    pub(crate) fn head_after(&self, entries: u64) -> Option<Hash> {
        match entries {
            0 => Some(self.birth),
            some => self.hashes.get(some as usize - 1).copied(),
        }
    }

    /// The entry with this hash.
    pub(crate) fn find(&self, hash: Hash) -> Option<&Entry> {
        self.hashes.iter().position(|known| *known == hash).map(|at| &self.entries[at])
    }
}

/// The hash before the first entry of a ledger.
fn birth(ledger: &str) -> Hash {
    Hash::of(format!("reticent ledger {ledger}").as_bytes())
}
