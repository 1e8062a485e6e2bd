//! The kinds of entries, and what each holds.

use std::collections::BTreeMap;

use reticent::Role;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::{Origin, Recorded, Stored, Unreadable};
use crate::hash::Hash;

/// What an entry records.
#[derive(Debug, Clone, PartialEq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "content")]
#[strum(serialize_all = "kebab-case")]
pub enum EntryKind {
    /// A release that Reticent made, verified and published.
    Release(Box<Recorded>),
    /// A release that was made elsewhere.
    Registration(Box<Recorded>),
    /// A release that never left the house no longer counts.
    Withdrawal(Withdrawal),
    /// The roles or recipients of a release are known better.
    Amendment(Amendment),
    /// People were removed from owner links and method state.
    Erasure(Erasure),
    /// The contents of a release were erased.
    Purge(Purge),
    /// Entries are signed with another key from here on.
    KeyRotation(KeyRotation),
    /// A witness countersigned a head.
    Witness(WitnessRecord),
}

/// A withdrawal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawal {
    /// The release.
    pub release: u64,
    /// Why it never left the house.
    pub reason: String,
    /// Whether it was checked that the published file is gone.
    pub file_absent: bool,
}

/// An amendment. What is not given stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amendment {
    /// The release.
    pub release: u64,
    /// Why.
    pub reason: String,
    /// All recipients, as they are known now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipients: Option<Vec<String>>,
    /// By column: its role, as it is known now.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, Role>,
}

/// An erasure of people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// How many people.
    pub people: u64,
    /// Why.
    pub reason: String,
    /// The stored files that were replaced by others without them.
    pub replaced: Vec<Replaced>,
}

/// A stored file that another one replaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// The release.
    pub release: u64,
    /// What the file is: `links` or `state`.
    pub body: String,
    /// The address of the file that is gone.
    pub old: Hash,
    /// The file in its place.
    pub new: Stored,
}

/// A purge: the contents of a release were erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purge {
    /// The release whose contents were erased.
    pub release: u64,
    /// Why.
    pub reason: String,
    /// The addresses of the bodies that no other release uses, and that are gone.
    pub erased: Vec<Hash>,
    /// The addresses of bodies that stay, because another release has the same.
    pub shared: Vec<Hash>,
}

/// A change of the key that signs. The entry is signed with the new key if there was none before, else with the old one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRotation {
    /// The public key that checks the entries from here on.
    pub verifier: String,
    /// The public key before; none if entries were not signed.
    pub replaces: Option<String>,
    /// Why.
    pub reason: String,
}

/// A head that a witness countersigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessRecord {
    /// How many entries the head covers.
    pub entries: u64,
    /// The root of their tree.
    pub root: Hash,
    /// The public key of the witness.
    pub witness: String,
    /// The signed head with the countersignature.
    pub head: String,
}

impl EntryKind {
    /// The name of the kind, as it is stored.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Reads the content of an entry of a kind.
    pub(crate) fn parse(format: u32, kind: &str, content: Value) -> Result<EntryKind, Unreadable> {
        fn read<T: serde::de::DeserializeOwned>(content: Value) -> Result<T, Unreadable> {
            serde_json::from_value(content).map_err(|error| Unreadable::Malformed(error.to_string()))
        }
        let release = |content: Value| {
            let recorded: Box<Recorded> = read(content)?;
            Ok(match recorded.origin {
                Origin::Published => EntryKind::Release(recorded),
                Origin::Registered => EntryKind::Registration(recorded),
            })
        };
        match (format, kind) {
            (_, "purge") => read(content).map(EntryKind::Purge),
            (1, "release") => release(content),
            (1, _) => Err(Unreadable::Kind(kind.to_owned())),
            (_, "release") => read(content).map(EntryKind::Release),
            (_, "registration") => {
                let mut recorded: Box<Recorded> = read(content)?;
                recorded.origin = Origin::Registered;
                Ok(EntryKind::Registration(recorded))
            }
            (_, "withdrawal") => read(content).map(EntryKind::Withdrawal),
            (_, "amendment") => read(content).map(EntryKind::Amendment),
            (_, "erasure") => read(content).map(EntryKind::Erasure),
            (_, "key-rotation") => read(content).map(EntryKind::KeyRotation),
            (_, "witness") => read(content).map(EntryKind::Witness),
            _ => Err(Unreadable::Kind(kind.to_owned())),
        }
    }

    /// The kind, if this program cannot act on it yet: what it says about releases would be ignored.
    pub(crate) fn unsupported(&self) -> Option<&'static str> {
        match self {
            EntryKind::Withdrawal(_) | EntryKind::Amendment(_) | EntryKind::Erasure(_) => Some(self.name()),
            _ => None,
        }
    }
}
