//! Answer of `publish` for a release by a republication method.

use std::path::PathBuf;

use reticent::audit::AuditedGroups;
use reticent::republication::{Departures, Underrepresented, Utility};
use reticent::statement::Statement;
use reticent_ledger::{HistoryScope, PosteriorBound, WithheldRecords};
use serde::Serialize;

use super::publish::RecordedAnswer;

/// Answer of `publish` for a release by a republication method.
#[derive(Debug, Serialize)]
pub struct GroupedAnswer {
    /// Name of the release.
    pub name: String,
    /// Recipients of the release.
    pub recipients: Vec<String>,
    /// Folder of the release; `None` if nothing was published.
    pub folder: Option<PathBuf>,
    /// Ledger entry of the release; `None` if nothing was published.
    pub recorded: Option<RecordedAnswer>,
    /// Earlier releases that the release was judged with.
    pub judged: HistoryScope,
    /// Whether the release was only rehearsed.
    pub dry_run: bool,
    /// Id of the republication method.
    pub method: &'static str,
    /// Form in which quasi-identifiers are published.
    pub form: &'static str,
    /// Guarantee of the method.
    pub promise: Promise,
    /// Number of records in the data.
    pub records: u64,
    /// Number of published records.
    pub published: u64,
    /// Numbers of postponed records, by waiting time.
    pub postponed: Vec<Postponed>,
    /// Numbers of withheld records, by reason.
    pub withheld: Vec<WithheldRecords>,
    /// Number of records that are dropped because a value is missing.
    pub dropped: u64,
    /// Number of people in groups that continue a class of an ordinary release. The bounds of the method do not cover them: their
    /// posteriors stay those of the ordinary releases.
    pub continued: u64,
    /// Number of groups.
    pub groups: u64,
    /// Number of counterfeit values in lists with counts.
    pub counterfeits: u64,
    /// Number of people who are alone in their group, so that their quasi-identifiers are published unchanged.
    pub singletons: u64,
    /// Number of people who are sample unique on the published quasi-identifiers.
    pub sample_unique: u64,
    /// Parts of the data that are withheld or postponed much more often than the rest.
    pub underrepresented: Vec<Underrepresented>,
    /// Tables of the release.
    pub tables: Vec<TableAnswer>,
    /// What deleting the people who left would disclose.
    pub departures: Departures,
    /// What the method does with the groups of people who left.
    pub alternative: &'static str,
    /// Audit of the release with all earlier releases.
    pub audited: AuditedGroups,
    /// Every requirement with its outcome: judged, not applicable or skipped.
    pub statements: Vec<Statement>,
    /// What the verdict does not cover, as texts. If empty, the release is established to be within the policy.
    pub not_established: Vec<String>,
    /// Assumptions of the verdict, as texts: data sets that the policy declares unrelated, and what follows from withdrawals,
    /// amendments and erasures of earlier releases.
    pub assumptions: Vec<String>,
    /// Utility of the release.
    pub utility: Utility,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of cells that look like a formula and were escaped with an apostrophe.
    pub escaped_formulas: u64,
    /// Warnings for the steward.
    pub warnings: Vec<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Duration of each step, in seconds.
    pub seconds: GroupSeconds,
}

/// Guarantee of a republication method.
#[derive(Debug, Serialize)]
pub struct Promise {
    /// Guarantee in words.
    pub text: &'static str,
    /// Bound on the posterior of each sensitive attribute, as a fraction.
    pub columns: Vec<PosteriorBound>,
    /// Bound on the probability of linking a record to a person, as a fraction.
    pub records: Option<String>,
}

/// Records that are postponed until a group can be formed for them.
#[derive(Debug, Serialize)]
pub struct Postponed {
    /// Number of releases without these records, including this one.
    pub releases: u32,
    /// Name of the first release without these records.
    pub since: String,
    /// Number of records.
    pub records: u64,
}

/// A table of the release.
#[derive(Debug, Serialize)]
pub struct TableAnswer {
    /// File name of the table.
    pub file: String,
    /// Number of rows.
    pub rows: u64,
}

/// Duration of each step, in seconds.
#[derive(Debug, Default, Serialize)]
pub struct GroupSeconds {
    /// Loading earlier releases from the ledger.
    pub load_history: f64,
    /// Reading and counting the data.
    pub read: f64,
    /// Forming groups.
    pub group: f64,
    /// Writing the tables.
    pub write: f64,
    /// Reading the tables back and comparing them.
    pub verify: f64,
    /// Auditing the release with its history.
    pub audit: f64,
    /// Measuring utility.
    pub measure: f64,
    /// Recording the release in the ledger.
    pub record: f64,
}
