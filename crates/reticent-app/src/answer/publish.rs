//! Answer of `publish` for a release by an algorithm.

use std::path::PathBuf;

use reticent::algorithms::Guarantee;
use reticent::audit::Audited;
use reticent::distributions::ColumnDistribution;
use reticent::join::Dangling;
use reticent::metrics::Measure;
use reticent::risk::ReleaseRisk;
use reticent::statement::Statement;
use reticent::verify::Verdict;
use reticent::{Role, SeriesStart};
use reticent_ledger::{HistoryScope, Tried};
use serde::Serialize;

use super::confidential::Confidential;
use super::grouped::GroupedAnswer;

/// Answer of `publish` for a release by an algorithm.
#[derive(Debug, Serialize)]
pub struct RecodedAnswer {
    /// Name of the release.
    pub name: String,
    /// Recipients of the release.
    pub recipients: Vec<String>,
    /// File of the release, or receipt of its table; `None` if nothing was published.
    pub file: Option<PathBuf>,
    /// Table of the release; `None` for a file.
    pub table: Option<String>,
    /// Ledger entry of the release; `None` if nothing was published.
    pub recorded: Option<RecordedAnswer>,
    /// Earlier releases that the release was judged with.
    pub judged: HistoryScope,
    /// Sets of earlier releases whose join with this release was judged.
    pub joins: Vec<JoinAnswer>,
    /// Numbers of records without a match in an earlier release, by earlier release.
    pub dangling: Vec<Dangling>,
    /// Whether the release was only rehearsed.
    pub dry_run: bool,
    /// Number of records in the data.
    pub records: u64,
    /// Number of records in the file.
    pub published: u64,
    /// Number of records that are suppressed because their class violates the requirement.
    pub suppressed: u64,
    /// Number of records that are dropped because a value is missing.
    pub dropped: u64,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Algorithm.
    pub algorithm: String,
    /// Algorithms that were tried, in this order. Of those with a release within the policy, the one with the least loss was used.
    pub tried: Vec<TriedAnswer>,
    /// Maximum number of algorithms that are tried, as long as one of them finds a release.
    pub max_tries: u64,
    /// Quasi-identifiers that have the same value `*` in every record.
    pub fully_suppressed: Vec<String>,
    /// Republication method that can continue the earlier releases, if quasi-identifiers are fully suppressed or people are singled
    /// out. It was not tried.
    pub series: Option<SeriesStart>,
    /// Other settings that keep more, if quasi-identifiers are fully suppressed.
    pub alternative: Option<AlternativeAnswer>,
    /// Optimality guarantee of the search.
    pub guarantee: Guarantee,
    /// Number of search steps or judged states.
    pub steps: u64,
    /// Seed of the row order.
    pub seed: u64,
    /// Number of quasi-identifier cells that are suppressed by local recoding.
    pub suppressed_cells: u64,
    /// Number of records with such cells.
    pub records_with_suppressed_cells: u64,
    /// Number of cells that look like a formula and were escaped with an apostrophe.
    pub escaped_formulas: u64,
    /// Verdict on the written file.
    pub verified: Verdict,
    /// Audit of the release with its history; `None` if verification found a violation.
    pub audited: Option<Audited>,
    /// Every requirement of the policy with its outcome: judged, not applicable or skipped.
    pub statements: Vec<Statement>,
    /// What the verdict does not cover, as texts. If empty, the release is established to be within the policy.
    pub not_established: Vec<String>,
    /// Assumptions of the verdict, as texts: data sets that the policy declares unrelated, and what follows from withdrawals,
    /// amendments and erasures of earlier releases.
    pub assumptions: Vec<String>,
    /// Re-identification risk of this release alone, for an attacker who knows the quasi-identifiers.
    pub risk: ReleaseRisk,
    /// Metrics of information loss and utility.
    pub metrics: Vec<MetricAnswer>,
    /// Columns of the release.
    pub columns: Vec<ColumnAnswer>,
    /// Warnings for the steward.
    pub warnings: Vec<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Duration of each step, in seconds.
    pub seconds: Seconds,
    /// Distributions of the columns in the data and in the release, for displays.
    #[serde(skip)]
    pub distributions: Confidential<Vec<ColumnDistribution>>,
}

impl RecodedAnswer {
    /// Returns whether every verified requirement holds.
    pub fn holds(&self) -> bool {
        self.verified.holds()
    }

    /// Returns the value of the metric with this id, if it was measured.
    pub fn metric(&self, id: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.id == id).map(|metric| metric.measure.value)
    }
}

/// An algorithm that was tried.
#[derive(Debug, Clone, Serialize)]
pub struct TriedAnswer {
    /// Id of the algorithm.
    pub algorithm: String,
    /// Loss of its release for the purpose of the policy; `None` if it found none.
    pub loss: Option<f64>,
    /// Code of the refusal, if it found no release.
    pub refused: Option<String>,
}

impl TriedAnswer {
    /// Returns the form that the ledger records.
    pub(crate) fn recorded(&self) -> Tried {
        Tried { algorithm: self.algorithm.clone(), loss: self.loss, refused: self.refused.clone() }
    }
}

/// Settings with which a release would keep more. The release was searched and audited, but not written.
#[derive(Debug, Serialize)]
pub struct AlternativeAnswer {
    /// Id of the algorithm.
    pub algorithm: String,
    /// Limit of suppression, as a share of the records.
    pub suppression: f64,
    /// Loss for the purpose of the policy.
    pub loss: f64,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Number of suppressed records.
    pub suppressed: u64,
    /// Quasi-identifiers that are still fully suppressed.
    pub fully_suppressed: Vec<String>,
}

/// Answer of `publish`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Publication {
    /// A release by an algorithm.
    Recoded(Box<RecodedAnswer>),
    /// A release by a republication method.
    Grouped(Box<GroupedAnswer>),
}

impl Publication {
    /// Returns whether every verified requirement holds.
    pub fn holds(&self) -> bool {
        match self {
            Publication::Recoded(release) => release.holds(),
            // A violation by a republication method is an error, not an answer.
            Publication::Grouped(_) => true,
        }
    }
}

/// An equivalence class of a release by an algorithm, as a region of the data.
#[derive(Clone, Serialize)]
pub struct PublishedClass {
    /// Number of records.
    pub records: u64,
    /// Published value of each quasi-identifier.
    pub cells: Vec<ClassCell>,
}

/// A published value, with the values of the data that it stands for.
#[derive(Clone, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ClassCell {
    /// Interval of numbers or dates.
    Interval {
        /// Published text.
        label: String,
        /// Lower bound, included; none if unbounded.
        from: Option<f64>,
        /// Upper bound; none if unbounded.
        to: Option<f64>,
        /// Whether the upper bound is included.
        to_included: bool,
    },
    /// Set of texts.
    Values {
        /// Published text.
        label: String,
        /// The texts.
        values: Vec<String>,
    },
}

/// A set of earlier releases whose join with the new release was judged.
#[derive(Debug, Serialize)]
pub struct JoinAnswer {
    /// Numbers of the earlier releases.
    pub with: Vec<u64>,
    /// Names of the earlier releases.
    pub names: Vec<String>,
    /// Number of records of the new table with a match in each earlier release.
    pub matching: u64,
    /// Number of requirements judged on the join.
    pub judged: usize,
    /// Number of requirements implied by joins with fewer releases.
    pub implied: usize,
}

/// The value of a metric with its description.
#[derive(Debug, Clone, Serialize)]
pub struct MetricAnswer {
    /// Id of the metric.
    pub id: &'static str,
    /// Value of the metric with its description.
    #[serde(flatten)]
    pub measure: Measure,
}

/// A column of the release.
#[derive(Debug, Serialize)]
pub struct ColumnAnswer {
    /// Name of the column.
    pub name: String,
    /// Role of the column.
    pub role: Role,
    /// Number of distinct values in the data.
    pub values: usize,
    /// Distinct published values of a quasi-identifier. Empty for other columns, unless they are fully suppressed.
    pub published: Vec<String>,
}

/// Duration of each step, in seconds.
#[derive(Debug, Default, Serialize)]
pub struct Seconds {
    /// Loading earlier releases from the ledger.
    pub load_history: f64,
    /// Reading and counting the data.
    pub read: f64,
    /// Searching for the recoding.
    pub search: f64,
    /// Writing the file.
    pub write: f64,
    /// Reading the file back and verifying it.
    pub verify: f64,
    /// Auditing the release with its history.
    pub audit: f64,
    /// Computing metrics.
    pub measure: f64,
    /// Recording the release in the ledger.
    pub record: f64,
}

/// Ledger entry of a release.
#[derive(Debug, Serialize)]
pub struct RecordedAnswer {
    /// Folder of the ledger.
    pub ledger: PathBuf,
    /// Number of the release.
    pub release: u64,
    /// Hash of the entry.
    pub entry: String,
    /// Hash of the published file.
    pub sha256: String,
    /// Number of people with owner links; `None` without owner links.
    pub people: Option<u64>,
}
