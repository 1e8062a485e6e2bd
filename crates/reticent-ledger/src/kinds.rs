//! The kinds of entries and their contents.

use std::collections::BTreeMap;

use reticent::Role;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::{EntryParseError, Origin, ReleaseRecord, StoredBlob};
use crate::hash::Hash;

/// Kind and content of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "content")]
#[strum(serialize_all = "kebab-case")]
pub enum EntryKind {
    /// A release that Reticent computed, verified and published.
    Release(Box<ReleaseRecord>),
    /// A release that was computed elsewhere.
    Registration(Box<ReleaseRecord>),
    /// A population register: a table that attackers have, and no release of our data.
    Population(Box<ReleaseRecord>),
    /// A release that was never handed out is withdrawn.
    Withdrawal(Withdrawal),
    /// The roles or recipients of a release are corrected.
    Amendment(Amendment),
    /// People are removed from owner links and method state.
    Erasure(Erasure),
    /// The contents of a release are erased.
    Purge(Purge),
    /// The signing key changes.
    KeyRotation(KeyRotation),
    /// A witness countersigned a head.
    Witness(WitnessRecord),
}

/// Withdrawal of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawal {
    /// Number of the release.
    pub release: u64,
    /// Reason.
    pub reason: String,
    /// True if the absence of the published file was checked.
    pub file_absent: bool,
}

/// Correction of a release. Omitted fields stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amendment {
    /// Number of the release.
    pub release: u64,
    /// Reason.
    pub reason: String,
    /// Corrected list of all recipients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipients: Option<Vec<String>>,
    /// Corrected roles by column.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, Role>,
}

/// Erasure of people from owner links and method state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// Number of people.
    pub people: u64,
    /// Reason.
    pub reason: String,
    /// Stored files that were replaced by files in which these people cannot be recognized.
    pub replaced: Vec<Replacement>,
}

/// Replacement of a stored file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Number of the release.
    pub release: u64,
    /// Kind of the file: `links` or `state`.
    pub body: String,
    /// Hash of the old file.
    pub old: Hash,
    /// New file.
    pub new: StoredBlob,
}

/// Erasure of the contents of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purge {
    /// Number of the release.
    pub release: u64,
    /// Reason.
    pub reason: String,
    /// Hashes of the erased files, which no other release uses.
    pub erased: Vec<Hash>,
    /// Hashes of the files that remain because another release uses them.
    pub shared: Vec<Hash>,
}

/// Change of the signing key. The old key signs this entry; without an old key, the new key does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRotation {
    /// Public key that verifies the entries from this one on.
    pub verifier: String,
    /// Previous public key; none if entries were unsigned.
    pub replaces: Option<String>,
    /// Reason.
    pub reason: String,
}

/// A countersigned head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessRecord {
    /// Number of entries that the head covers.
    pub entries: u64,
    /// Root of their Merkle tree.
    pub root: Hash,
    /// Public key of the witness.
    pub witness: String,
    /// Signed head with the countersignature.
    pub head: String,
}

impl EntryKind {
    /// Returns the stored name of the kind.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Parses the content of an entry.
    pub(crate) fn parse(format: u32, kind: &str, content: Value) -> Result<EntryKind, EntryParseError> {
        fn read<T: serde::de::DeserializeOwned>(content: Value) -> Result<T, EntryParseError> {
            serde_json::from_value(content).map_err(|error| EntryParseError::Malformed(error.to_string()))
        }
        let recorded = |content: Value, origin: Origin| -> Result<Box<ReleaseRecord>, EntryParseError> {
            Ok(Box::new(ReleaseRecord { origin, ..read(content)? }))
        };
        let release = |content: Value| {
            let recorded: Box<ReleaseRecord> = read(content)?;
            match recorded.origin {
                Origin::Published => Ok(EntryKind::Release(recorded)),
                Origin::Registered => Ok(EntryKind::Registration(recorded)),
                // Format 1 had no population registers.
                Origin::Population => Err(EntryParseError::Kind(kind.to_owned())),
            }
        };
        match (format, kind) {
            (_, "purge") => read(content).map(EntryKind::Purge),
            (1, "release") => release(content),
            (1, _) => Err(EntryParseError::Kind(kind.to_owned())),
            (_, "release") => read(content).map(EntryKind::Release),
            (_, "registration") => recorded(content, Origin::Registered).map(EntryKind::Registration),
            (_, "population") => recorded(content, Origin::Population).map(EntryKind::Population),
            (_, "withdrawal") => read(content).map(EntryKind::Withdrawal),
            (_, "amendment") => read(content).map(EntryKind::Amendment),
            (_, "erasure") => read(content).map(EntryKind::Erasure),
            (_, "key-rotation") => read(content).map(EntryKind::KeyRotation),
            (_, "witness") => read(content).map(EntryKind::Witness),
            _ => Err(EntryParseError::Kind(kind.to_owned())),
        }
    }
}
