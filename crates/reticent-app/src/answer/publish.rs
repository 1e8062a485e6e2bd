//! What `publish` answers for a release by an algorithm.

use std::path::PathBuf;

use reticent::Role;
use reticent::algorithms::Guarantee;
use reticent::audit::Audited;
use reticent::joined::Dangling;
use reticent::metrics::Measure;
use reticent::risk::Brief;
use reticent::verify::Verdict;
use reticent_ledger::Judged;
use serde::Serialize;

use super::grouped::PublishedGroups;

/// What `publish` answers.
#[derive(Debug, Serialize)]
pub struct Published {
    /// The release's name.
    pub name: String,
    /// Who gets it.
    pub recipients: Vec<String>,
    /// The file, unless nothing was published.
    pub file: Option<PathBuf>,
    /// Where it is recorded, unless nothing was published.
    pub recorded: Option<RecordedAs>,
    /// What it was judged together with.
    pub judged: Judged,
    /// The sets of earlier releases that were looked at together with it.
    pub together: Vec<Looked>,
    /// Records that match none of another release: that is about other people.
    pub dangling: Vec<Dangling>,
    /// Whether it was a rehearsal.
    pub dry_run: bool,
    /// Records in the data.
    pub records: u64,
    /// Records in the file.
    pub published: u64,
    /// Records left out because their class violated the requirement.
    pub suppressed: u64,
    /// Records left out because a value was missing.
    pub dropped: u64,
    /// Classes of records that look alike on the quasi-identifiers.
    pub classes: u64,
    /// The algorithm.
    pub algorithm: String,
    /// What is known about how little was lost.
    pub guarantee: Guarantee,
    /// Steps taken or states judged.
    pub steps: u64,
    /// Decides the order of the rows.
    pub seed: u64,
    /// Cells of quasi-identifiers that were hidden class by class.
    pub hidden_cells: u64,
    /// Records with such cells.
    pub hidden_in: u64,
    /// Cells that looked like a formula and were written with an apostrophe.
    pub neutralised: u64,
    /// What the verifier found in the written bytes.
    pub verified: Verdict,
    /// What it gives away together with what was released before; none when it was refused already.
    pub audited: Option<Audited>,
    /// Its re-identification risk by itself, for an attacker who knows the quasi-identifiers.
    pub risk: Brief,
    /// What the release kept or lost.
    pub metrics: Vec<Metric>,
    /// How each column was published.
    pub columns: Vec<ColumnAnswer>,
    /// What a steward should look at before anybody else does.
    pub warnings: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Where the time went.
    pub seconds: Seconds,
}

impl Published {
    /// Whether every statement that was verified holds.
    pub fn holds(&self) -> bool {
        self.verified.holds()
    }
}

/// What `publish` answers: a release by an algorithm or by a republication method.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Publication {
    /// By an algorithm.
    Recoded(Published),
    /// By a republication method.
    Grouped(PublishedGroups),
}

impl Publication {
    /// Whether every statement that was verified holds.
    pub fn holds(&self) -> bool {
        match self {
            Publication::Recoded(release) => release.holds(),
            // A release by a method whose tables differ is an error.
            Publication::Grouped(_) => true,
        }
    }
}

/// Earlier releases that were looked at together with the new one.
#[derive(Debug, Serialize)]
pub struct Looked {
    /// Their numbers.
    pub with: Vec<u64>,
    /// Their names.
    pub names: Vec<String>,
    /// Records of the new table that match some record of each.
    pub matching: u64,
    /// How many demands were judged on their join.
    pub judged: usize,
    /// How many follow from what was judged on fewer of them.
    pub following: usize,
}

/// A measured metric.
#[derive(Debug, Serialize)]
pub struct Metric {
    /// The metric.
    pub id: &'static str,
    /// Its value, and how to read it.
    #[serde(flatten)]
    pub measure: Measure,
}

/// How a column was published.
#[derive(Debug, Serialize)]
pub struct ColumnAnswer {
    /// The column.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// Different values in the data.
    pub values: usize,
    /// Different values in the file.
    pub published: Vec<String>,
}

/// Where the time went, in seconds.
#[derive(Debug, Default, Serialize)]
pub struct Seconds {
    /// Loading earlier releases from the ledger.
    pub recall: f64,
    /// Reading and counting.
    pub read: f64,
    /// Finding the recoding.
    pub search: f64,
    /// Writing.
    pub write: f64,
    /// Reading back and judging.
    pub verify: f64,
    /// Auditing it together with what was released before.
    pub audit: f64,
    /// Measuring what was lost.
    pub measure: f64,
    /// Recording.
    pub record: f64,
}

/// Where a release is recorded.
#[derive(Debug, Serialize)]
pub struct RecordedAs {
    /// The ledger.
    pub ledger: PathBuf,
    /// The release's number.
    pub release: u64,
    /// The hash of its entry.
    pub entry: String,
    /// The hash of the published file.
    pub sha256: String,
    /// People whose records are linked, under pseudonyms.
    pub people: Option<u64>,
}
