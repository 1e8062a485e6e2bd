//! Entries: what the catalogue says about a release, in one document whose hash the next entry carries.
//!
//! A document holds names, counts, hashes and column names; never a cell of any table. Documents are kept as they were
//! written, byte for byte, so their fields can grow with the format and old ones stay verifiable.

use reticent::taxonomy::Type;
use reticent::{Disguise, Role};
use serde::{Deserialize, Serialize};

use crate::hash::Hash;

/// The format of documents that this program writes.
pub const FORMAT: u32 = 1;

/// One entry of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The format of this document.
    pub format: u32,
    /// Its place, from 1.
    pub number: u64,
    /// The hash of the entry before it; of the ledger's birth for the first.
    pub previous: Hash,
    /// When it was entered, in UTC.
    pub at: String,
    /// The steward who entered it.
    pub by: String,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What an entry tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A release went out.
    Release(Box<Recorded>),
    /// The contents of a release were erased.
    Purge(Purge),
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
    /// Whether Reticent made it.
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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
    /// By sensitive column: nobody's value is told with more confidence than this.
    pub promise: Vec<Promised>,
    /// No record is linked to anybody with more confidence than this fraction, where that is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// So many records can be anybody's, whichever earlier release it is compared with, where that is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Groups of people.
    pub groups: u64,
    /// Listed values that are nobody's, where they are counted.
    pub counterfeits: u64,
    /// Records that wait.
    pub waiting: u64,
    /// Records that are withheld, by reason.
    pub withheld: Vec<Withheld>,
    /// What the method keeps about owners, under pseudonyms.
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
    /// The greatest confidence, as a fraction such as `1/3`.
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
    /// Different texts in it.
    pub distinct: u64,
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
    /// What was verified on the written bytes.
    pub verified: Vec<Verified>,
    /// How well it was established what it gives away together with what was released before: `exact`, `bounds`, `estimate` or
    /// `off`; not known of releases from before audits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// What it kept or lost.
    pub metrics: Vec<Metric>,
}

/// A model that was verified.
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

/// An erasure.
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

impl Entry {
    /// The release this entry records, if it does.
    pub fn release(&self) -> Option<&Recorded> {
        match &self.what {
            What::Release(recorded) => Some(recorded),
            What::Purge(_) => None,
        }
    }

    /// The erasure this entry records, if it does.
    pub fn purge(&self) -> Option<&Purge> {
        match &self.what {
            What::Release(_) => None,
            What::Purge(purge) => Some(purge),
        }
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
            Kind::Remembered => "remembered",
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
