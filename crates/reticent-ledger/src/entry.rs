//! Entries: what the catalogue says about a release, in one document whose hash the next entry carries.
//!
//! A document holds names, counts, hashes and column names; never a cell of any table. Documents are kept as they were
//! written, byte for byte. The names of their fields never change: a Rust field may be renamed, its serde name may not.
//!
//! Format 2: `{"format":2, "number", "previous", "at", "steward", "requires"?, "kind", "content"}`. `requires` lists what a reader must
//! know to act on the entry; a reader that does not know one of them refuses the ledger and names it, and so it does with an unknown kind.
//! Format 1 named the kind by the field that held the content, and some fields otherwise; the aliases below read it.

use std::collections::BTreeMap;

use reticent::statement::Statement;
use reticent::taxonomy::Type;
use reticent::{Disguise, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::Hash;
pub use crate::kinds::{Amendment, EntryKind, Erasure, KeyRotation, Purge, Replaced, Withdrawal, WitnessRecord};

/// The format of documents that this program writes.
pub const FORMAT: u32 = 2;

/// What an entry can require of a reader, and this program knows.
const KNOWN_REQUIREMENTS: &[&str] = &[];

/// One entry of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The format of this document.
    pub format: u32,
    /// Its place, from 1.
    pub number: u64,
    /// The hash of the entry before it; derived from the ledger's id for the first.
    pub previous: Hash,
    /// When it was entered, in UTC.
    pub at: String,
    /// The steward who entered it.
    pub steward: String,
    /// What a reader must know to act on it, beside its kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// What happened.
    #[serde(flatten)]
    pub kind: EntryKind,
}

/// Why a document is no entry that this program can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// Its format is newer than this program.
    Newer(u64),
    /// Its kind is not known.
    Kind(String),
    /// It requires something that is not known.
    Requires(String),
    /// It is no entry.
    Malformed(String),
}

/// The fields that all kinds share.
#[derive(Deserialize)]
struct Envelope {
    number: u64,
    previous: Hash,
    at: String,
    #[serde(alias = "by")]
    steward: String,
    #[serde(default)]
    requires: Vec<String>,
}

impl Entry {
    /// Reads a document.
    pub(crate) fn parse(document: &str) -> Result<Entry, Unreadable> {
        let malformed = |error: serde_json::Error| Unreadable::Malformed(error.to_string());
        let missing = || Unreadable::Malformed("a field is missing".to_owned());
        let mut value: Value = serde_json::from_str(document).map_err(malformed)?;
        let fields = value.as_object_mut().ok_or_else(missing)?;
        let format = fields.get("format").and_then(Value::as_u64).ok_or_else(missing)?;
        if format > u64::from(FORMAT) {
            return Err(Unreadable::Newer(format));
        }
        let (kind, content) = match format {
            0 => return Err(missing()),
            1 => {
                let is_shared = |name: &str| ["format", "number", "previous", "at", "by"].contains(&name);
                let kind = fields.keys().find(|name| !is_shared(name)).cloned().ok_or_else(missing)?;
                let content = fields.remove(&kind).unwrap_or_default();
                (kind, content)
            }
            _ => {
                let kind = fields.get("kind").and_then(Value::as_str).ok_or_else(missing)?.to_owned();
                (kind, fields.remove("content").ok_or_else(missing)?)
            }
        };
        let shared: Envelope = serde_json::from_value(value).map_err(malformed)?;
        let Envelope { number, previous, at, steward, requires } = shared;
        if let Some(unknown) = requires.iter().find(|name| !KNOWN_REQUIREMENTS.contains(&name.as_str())) {
            return Err(Unreadable::Requires(unknown.clone()));
        }
        let kind = EntryKind::parse(format as u32, &kind, content)?;
        Ok(Entry { format: format as u32, number, previous, at, steward, requires, kind })
    }
}

/// A release, as it is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its name, which no other release has.
    pub name: String,
    /// The data it was made from.
    pub dataset: String,
    /// The day it went out.
    pub date: String,
    /// Who got it.
    pub recipients: Vec<String>,
    /// Whether Reticent made it: format 2 says so by the kind of the entry.
    #[serde(default = "Origin::published", skip_serializing)]
    pub origin: Origin,
    /// Records in it.
    pub records: u64,
    /// Records left out because their class violated the requirement.
    pub suppressed: u64,
    /// Records left out because a value was missing.
    pub dropped: u64,
    /// Different records in it.
    pub combinations: u64,
    /// Its columns.
    pub columns: Vec<ColumnRecord>,
    /// How it shows people's records, where that is not one by one.
    #[serde(flatten)]
    pub disguise: Disguise,
    /// What was published: every different record with its count.
    pub body: Stored,
    /// Which record is about whom, under pseudonyms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<StoredLinks>,
    /// The policy it was made by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Stored>,
    /// The taxonomies that were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taxonomies: Vec<StoredTaxonomy>,
    /// The file that was published or registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRecord>,
    /// How it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// The other tables of a release by a method, each about the same people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableRecord>,
    /// How a method published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodRecord>,
    /// What it spends of a privacy budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spent>,
    /// What it was judged together with.
    pub judged: Judged,
}

/// A table of a release besides the one of its people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Its name.
    pub name: String,
    /// Rows in it.
    pub records: u64,
    /// Different rows in it.
    pub combinations: u64,
    /// Its columns.
    pub columns: Vec<ColumnRecord>,
    /// Whether every value is listed once, however many have it.
    #[serde(rename = "values_listed_once", alias = "set", default, skip_serializing_if = "std::ops::Not::not")]
    pub set: bool,
    /// What was published: every different row with its count.
    pub body: Stored,
}

/// How a method published a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodRecord {
    /// The method.
    pub id: String,
    /// How quasi-identifiers are published: `anatomized` or `generalized`.
    pub form: String,
    /// By sensitive column: the bound on every person's posterior.
    #[serde(rename = "bounds", alias = "promise")]
    pub promise: Vec<Promised>,
    /// The bound on the probability that a record is a given person's, where one is promised.
    #[serde(rename = "linkage_bound", alias = "records", default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// Format 1 only, by a method that is retired: so many records can be anybody's, whichever earlier release it is compared with, where that is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Groups of people.
    pub groups: u64,
    /// Counterfeit records, where they are counted.
    pub counterfeits: u64,
    /// Records withheld until a later release.
    #[serde(rename = "postponed", alias = "waiting")]
    pub waiting: u64,
    /// Records that are withheld, by reason.
    pub withheld: Vec<Withheld>,
    /// What the method keeps about owners, under pseudonyms.
    #[serde(rename = "state", alias = "remembered")]
    pub remembered: Stored,
}

/// Records that are withheld.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Why, in a word.
    pub reason: String,
    /// How many.
    pub records: u64,
}

/// What is promised of a sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Promised {
    /// The column.
    pub column: String,
    /// The bound, as a fraction such as `1/3`.
    #[serde(rename = "bound", alias = "most")]
    pub most: String,
}

/// Where a release comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Reticent made, verified and published it.
    Published,
    /// It was made elsewhere, and entered.
    Registered,
}

impl Origin {
    fn published() -> Origin {
        Origin::Published
    }
}

/// What a release spends of a privacy budget, by the parameters of its mechanism.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// The parameters, such as `epsilon` and `delta`.
    pub parameters: BTreeMap<String, f64>,
}

/// A column of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnRecord {
    /// Its name.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// What its values are.
    #[serde(rename = "type")]
    pub values: Type,
    /// Whether its values belong to a person or to a record; not known of older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<Per>,
    /// Different texts in it.
    pub distinct: u64,
}

/// To what a value belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// All records of a person have the same.
    Person,
    /// Every record has its own.
    Record,
}

/// A body in the ledger's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Its address.
    pub sha256: Hash,
    /// Its size.
    pub bytes: u64,
}

/// Owner links in the ledger's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredLinks {
    /// Its address.
    pub sha256: Hash,
    /// Its size.
    pub bytes: u64,
    /// How many people.
    pub people: u64,
    /// The fingerprint of the key behind the pseudonyms.
    pub key: String,
}

/// A taxonomy in the ledger's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTaxonomy {
    /// The column it is for.
    pub column: String,
    /// Its address.
    pub sha256: Hash,
    /// Its size.
    pub bytes: u64,
}

/// A file outside the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Where it was put: from the folder that the ledger is in, or from the root.
    pub path: String,
    /// The hash of its bytes.
    pub sha256: Hash,
    /// Its size.
    pub bytes: u64,
}

/// How a release was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// The version of Reticent.
    pub program: String,
    /// The algorithm.
    pub algorithm: String,
    /// What is known about how little was lost.
    pub guarantee: String,
    /// Steps taken or states judged.
    pub steps: u64,
    /// Decides the order of the rows.
    pub seed: u64,
    /// Classes of records that look alike on the quasi-identifiers.
    pub classes: u64,
    /// The engine that read the data and wrote the release; not known of older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What was judged before it was published.
    #[serde(default)]
    pub statements: Vec<Statement>,
    /// Format 1 only: what was verified, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified: Vec<Verified>,
    /// How well it was established what it gives away together with what was released before: `exact`, `bounds`, `estimate` or
    /// `off`; not known of releases from before audits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// What it kept or lost.
    pub metrics: Vec<Metric>,
}

/// A model that was verified, as format 1 recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The model with its parameters, in words.
    pub model: String,
    /// Classes of the written file that violate it.
    pub violations: u64,
}

/// A metric that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// The metric.
    pub id: String,
    /// Its value.
    pub value: f64,
}

/// What a release was judged together with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "scope")]
pub enum Judged {
    /// With everything that its recipients can hold; these releases.
    History {
        /// By number; empty when there was none before.
        with: Vec<u64>,
    },
    /// By itself, although its recipients can hold these too.
    Alone {
        /// By number.
        apart_from: Vec<u64>,
    },
    /// Not at all: it was made elsewhere.
    Nothing,
}

impl Entry {
    /// The release this entry records, if it does.
    pub fn release(&self) -> Option<&Recorded> {
        match &self.kind {
            EntryKind::Release(recorded) | EntryKind::Registration(recorded) => Some(recorded),
            _ => None,
        }
    }

    /// The purge this entry records, if it does.
    pub fn purge(&self) -> Option<&Purge> {
        if let EntryKind::Purge(purge) = &self.kind { Some(purge) } else { None }
    }
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The different records of a release.
    Records,
    /// Owner links.
    Links,
    /// What a method keeps about owners.
    #[serde(rename = "state")]
    Remembered,
    /// A policy.
    Policy,
    /// A taxonomy.
    Taxonomy,
}

impl Kind {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Records => "records",
            Kind::Links => "links",
            Kind::Remembered => "state",
            Kind::Policy => "policy",
            Kind::Taxonomy => "taxonomy",
        }
    }
}

impl Recorded {
    /// The names of all columns that it shows, in its table and in those about the same people.
    pub fn column_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for column in self.columns.iter().chain(self.tables.iter().flat_map(|table| &table.columns)) {
            if !names.contains(&column.name) {
                names.push(column.name.clone());
            }
        }
        names
    }

    /// Every body of the release.
    pub fn bodies(&self) -> Vec<(Kind, Stored)> {
        let mut bodies = vec![(Kind::Records, self.body.clone())];
        bodies.extend(self.links.iter().map(|links| {
            let StoredLinks { sha256, bytes, .. } = *links;
            (Kind::Links, Stored { sha256, bytes })
        }));
        bodies.extend(self.tables.iter().map(|table| (Kind::Records, table.body.clone())));
        bodies.extend(self.method.iter().map(|method| (Kind::Remembered, method.remembered.clone())));
        bodies.extend(self.policy.iter().map(|policy| (Kind::Policy, policy.clone())));
        bodies.extend(self.taxonomies.iter().map(|tree| {
            let StoredTaxonomy { sha256, bytes, .. } = *tree;
            (Kind::Taxonomy, Stored { sha256, bytes })
        }));
        bodies.sort_by_key(|(kind, body)| (*kind, body.sha256));
        bodies.dedup();
        bodies
    }
}
