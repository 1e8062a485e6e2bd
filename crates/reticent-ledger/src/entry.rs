//! Entries: one document for each event of the ledger. The next entry contains its hash.
//!
//! A document contains names, counts, hashes and column names, but no cell of any table. Documents are stored byte
//! for byte as they were written. The serde names of the fields never change; the Rust names may.
//!
//! Format 2: `{"format":2, "number", "previous", "at", "steward", "requires"?, "kind", "content"}`. `requires` lists
//! features that a reader must support to act on the entry. A reader rejects a ledger with an unknown requirement or
//! an unknown kind, and names it. Format 1 named the kind by the field with the content, and had other names for some
//! fields; the aliases below read it.

use std::collections::{BTreeMap, BTreeSet};

use reticent::statement::Statement;
use reticent::taxonomy::Type;
use reticent::{Presentation, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::Hash;
pub use crate::kinds::{Amendment, EntryKind, Erasure, KeyRotation, Purge, Replacement, Withdrawal, WitnessRecord};

/// Format of the documents that this program writes.
pub const FORMAT: u32 = 2;

/// Requirements of entries that this program supports.
const KNOWN_REQUIREMENTS: &[&str] = &[];

/// An entry of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Format of the document.
    pub format: u32,
    /// Number of the entry, from 1.
    pub number: u64,
    /// Hash of the previous entry. For the first entry, a hash derived from the id of the ledger.
    pub previous: Hash,
    /// Time of the entry, in UTC.
    pub at: String,
    /// Name of the steward.
    pub steward: String,
    /// Features, other than the kind, that a reader must support.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Kind and content.
    #[serde(flatten)]
    pub kind: EntryKind,
}

/// Reason why a document cannot be read as an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryParseError {
    /// The format is newer than this program.
    Newer(u64),
    /// The kind is unknown.
    Kind(String),
    /// The entry has an unknown requirement.
    Requires(String),
    /// The document is malformed.
    Malformed(String),
}

/// Fields that all kinds share.
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
    /// Parses a document.
    pub(crate) fn parse(document: &str) -> Result<Entry, EntryParseError> {
        let malformed = |error: serde_json::Error| EntryParseError::Malformed(error.to_string());
        let missing = || EntryParseError::Malformed("a field is missing".to_owned());
        let mut value: Value = serde_json::from_str(document).map_err(malformed)?;
        let fields = value.as_object_mut().ok_or_else(missing)?;
        let format = fields.get("format").and_then(Value::as_u64).ok_or_else(missing)?;
        if format > u64::from(FORMAT) {
            return Err(EntryParseError::Newer(format));
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
            return Err(EntryParseError::Requires(unknown.clone()));
        }
        let kind = EntryKind::parse(format as u32, &kind, content)?;
        Ok(Entry { format: format as u32, number, previous, at, steward, requires, kind })
    }
}

/// Record of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleaseRecord {
    /// Name, unique in the ledger.
    pub name: String,
    /// Name of the dataset.
    pub dataset: String,
    /// Date of publication.
    pub date: String,
    /// Recipients.
    pub recipients: Vec<String>,
    /// Origin of the release. Format 2 derives it from the kind of the entry.
    #[serde(default = "Origin::published", skip_serializing)]
    pub origin: Origin,
    /// Number of records.
    pub records: u64,
    /// Number of records that are suppressed because their equivalence class violates the requirement.
    pub suppressed: u64,
    /// Number of records that are dropped because a value is missing.
    pub dropped: u64,
    /// Number of distinct records.
    pub combinations: u64,
    /// Columns.
    pub columns: Vec<ColumnRecord>,
    /// How the records are presented, if not one by one.
    #[serde(flatten)]
    pub disguise: Presentation,
    /// Published records: every distinct record with its count.
    pub body: StoredBlob,
    /// Owner links under pseudonyms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<StoredLinks>,
    /// Policy of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<StoredBlob>,
    /// Taxonomies of the release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taxonomies: Vec<StoredTaxonomy>,
    /// Published or registered file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRecord>,
    /// How the release was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Provenance>,
    /// Further tables of a release by a republication method, about the same people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableRecord>,
    /// How a republication method published the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodRecord>,
    /// Privacy budget that the release spends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<BudgetRecord>,
    /// Earlier releases that the release was checked with.
    pub judged: HistoryScope,
    /// What later entries corrected. It is not part of the document: it is applied when entries are read.
    #[serde(skip)]
    pub corrections: Corrections,
}

/// What later entries corrected about a release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Corrections {
    /// Withdrawal that is in effect.
    pub withdrawn: Option<WithdrawnMark>,
    /// Recipients that were recorded once, and that do not hold the release according to an amendment.
    pub former_recipients: BTreeSet<String>,
    /// Role of each amended column before the first amendment.
    pub recorded_roles: BTreeMap<String, Role>,
    /// Numbers of the entries that amended the release.
    pub amendments: Vec<u64>,
    /// Number of people who were erased from its owner links or method state.
    pub erased_people: u64,
}

/// A withdrawal that is in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithdrawnMark {
    /// Number of the entry.
    pub entry: u64,
    /// Time of the entry.
    pub at: String,
    /// Whether the absence of the published file was checked.
    pub file_absent: bool,
}

/// A further table of a release, beside the table of people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Name of the table.
    pub name: String,
    /// Number of rows.
    pub records: u64,
    /// Number of distinct rows.
    pub combinations: u64,
    /// Columns.
    pub columns: Vec<ColumnRecord>,
    /// True if every value is listed once, regardless of the number of people who have it.
    #[serde(rename = "values_listed_once", alias = "set", default, skip_serializing_if = "std::ops::Not::not")]
    pub set: bool,
    /// Published rows: every distinct row with its count.
    pub body: StoredBlob,
}

/// How a republication method published a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodRecord {
    /// Id of the method.
    pub id: String,
    /// Presentation of the quasi-identifiers: `anatomized` or `generalized`.
    pub form: String,
    /// Upper bound on every person's posterior, for each sensitive column.
    #[serde(rename = "bounds", alias = "promise")]
    pub promise: Vec<PosteriorBound>,
    /// Upper bound on the probability that a record belongs to a given person, if the method has one.
    #[serde(rename = "linkage_bound", alias = "records", default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// Format 1 only, written by a method that no longer exists: minimum number of candidate records of every person
    /// after a comparison with any earlier release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Number of groups.
    pub groups: u64,
    /// Number of people in groups that continue a class of an ordinary release, to whom the bounds do not apply.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub continued: u64,
    /// Number of counterfeit records.
    pub counterfeits: u64,
    /// Number of records withheld until a later release.
    #[serde(rename = "postponed", alias = "waiting")]
    pub waiting: u64,
    /// Withheld records by reason.
    pub withheld: Vec<WithheldRecords>,
    /// State that the method keeps about owners, under pseudonyms.
    #[serde(rename = "state", alias = "remembered")]
    pub remembered: StoredBlob,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Withheld records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldRecords {
    /// Reason, in one word.
    pub reason: String,
    /// Number of records.
    pub records: u64,
}

/// Upper bound on the posterior for a sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PosteriorBound {
    /// Name of the column.
    pub column: String,
    /// Bound, as a fraction such as `1/3`.
    #[serde(rename = "bound", alias = "most")]
    pub most: String,
}

/// Origin of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Reticent computed, verified and published the release.
    Published,
    /// The release was computed elsewhere and registered.
    Registered,
    /// The table is no release of our data: it is a population register, which attackers have.
    Population,
}

impl Origin {
    fn published() -> Origin {
        Origin::Published
    }
}

/// Privacy budget that a release spends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetRecord {
    /// Parameters of the mechanism, such as `epsilon` and `delta`.
    pub parameters: BTreeMap<String, f64>,
}

/// A column of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnRecord {
    /// Name of the column.
    pub name: String,
    /// Role of the column.
    pub role: Role,
    /// Type of the values.
    #[serde(rename = "type")]
    pub values: Type,
    /// Whether the values belong to a person or to a record. Unknown for older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<AttributeLevel>,
    /// Number of distinct texts.
    pub distinct: u64,
}

/// Unit that a value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttributeLevel {
    /// All records of a person have the same value.
    Person,
    /// Every record has its own value.
    Record,
}

/// A stored file in the ledger's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBlob {
    /// Hash of the bytes, which is also the name of the file.
    pub sha256: Hash,
    /// Size in bytes.
    pub bytes: u64,
}

/// Stored owner links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredLinks {
    /// Hash of the bytes, which is also the name of the file.
    pub sha256: Hash,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of people.
    pub people: u64,
    /// Fingerprint of the key of the pseudonyms.
    pub key: String,
}

/// A stored taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTaxonomy {
    /// Name of the column.
    pub column: String,
    /// Hash of the bytes, which is also the name of the file.
    pub sha256: Hash,
    /// Size in bytes.
    pub bytes: u64,
}

/// A file outside the ledger's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Path: relative to the parent of the ledger's folder, or absolute.
    pub path: String,
    /// Hash of the bytes.
    pub sha256: Hash,
    /// Size in bytes.
    pub bytes: u64,
}

/// How a release was computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of Reticent.
    pub program: String,
    /// Id of the algorithm.
    pub algorithm: String,
    /// Guarantee of the algorithm about the information loss.
    pub guarantee: String,
    /// Number of search steps or judged states.
    pub steps: u64,
    /// Algorithms that were tried, in this order. Empty for older releases and for republication methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
    /// Maximum number of algorithms that are tried, as long as one of them finds a release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tries: Option<u64>,
    /// Seed of the row order.
    pub seed: u64,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Engine that read the data and wrote the release. Unknown for older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Statements that were checked before publication.
    #[serde(default)]
    pub statements: Vec<Statement>,
    /// Format 1 only: verified models, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified: Vec<VerifiedModel>,
    /// Quality of the audit with the earlier releases: `exact`, `bounds`, `estimate` or `off`. Unknown for releases
    /// from before audits existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// Values of the utility metrics.
    pub metrics: Vec<Metric>,
}

/// An algorithm that was tried for a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Id of the algorithm.
    pub algorithm: String,
    /// Loss of its release for the purpose of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Code of the refusal, if it found no release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// A verified model, as format 1 recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifiedModel {
    /// Model and its parameters, in words.
    pub model: String,
    /// Number of classes in the written file that violate the model.
    pub violations: u64,
}

/// Value of a utility metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Id of the metric.
    pub id: String,
    /// Value.
    pub value: f64,
}

/// Earlier releases that a release was checked with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "scope")]
pub enum HistoryScope {
    /// Checked with all earlier releases that its recipients can hold.
    History {
        /// Numbers of the earlier releases; may be empty.
        with: Vec<u64>,
    },
    /// Checked alone, although its recipients can hold earlier releases.
    Alone {
        /// Numbers of the ignored earlier releases.
        apart_from: Vec<u64>,
    },
    /// Not checked, because the release was computed elsewhere.
    Nothing,
}

impl Entry {
    /// Returns the release that the entry records, if any.
    pub fn release(&self) -> Option<&ReleaseRecord> {
        match &self.kind {
            EntryKind::Release(recorded) | EntryKind::Registration(recorded) | EntryKind::Population(recorded) => {
                Some(recorded)
            }
            _ => None,
        }
    }

    /// Returns the purge that the entry records, if any.
    pub fn purge(&self) -> Option<&Purge> {
        if let EntryKind::Purge(purge) = &self.kind { Some(purge) } else { None }
    }
}

/// Kind of a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlobKind {
    /// Distinct records of a release.
    Records,
    /// Owner links.
    Links,
    /// State that a republication method keeps about owners.
    #[serde(rename = "state")]
    State,
    /// Policy.
    Policy,
    /// Taxonomy.
    Taxonomy,
}

impl BlobKind {
    /// Returns the name of the kind in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            BlobKind::Records => "records",
            BlobKind::Links => "links",
            BlobKind::State => "state",
            BlobKind::Policy => "policy",
            BlobKind::Taxonomy => "taxonomy",
        }
    }
}

impl ReleaseRecord {
    /// Returns the names of all columns of all tables of the release.
    pub fn column_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for column in self.columns.iter().chain(self.tables.iter().flat_map(|table| &table.columns)) {
            if !names.contains(&column.name) {
                names.push(column.name.clone());
            }
        }
        names
    }

    /// Returns all stored files of the release.
    pub fn bodies(&self) -> Vec<(BlobKind, StoredBlob)> {
        let mut bodies = vec![(BlobKind::Records, self.body.clone())];
        bodies.extend(self.links.iter().map(|links| {
            let StoredLinks { sha256, bytes, .. } = *links;
            (BlobKind::Links, StoredBlob { sha256, bytes })
        }));
        bodies.extend(self.tables.iter().map(|table| (BlobKind::Records, table.body.clone())));
        bodies.extend(self.method.iter().map(|method| (BlobKind::State, method.remembered.clone())));
        bodies.extend(self.policy.iter().map(|policy| (BlobKind::Policy, policy.clone())));
        bodies.extend(self.taxonomies.iter().map(|tree| {
            let StoredTaxonomy { sha256, bytes, .. } = *tree;
            (BlobKind::Taxonomy, StoredBlob { sha256, bytes })
        }));
        bodies.sort_by_key(|(kind, body)| (*kind, body.sha256));
        bodies.dedup();
        bodies
    }
}
