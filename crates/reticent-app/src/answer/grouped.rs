//! What `publish` answers for a release by a republication method.

use std::path::PathBuf;

use reticent::audit::AuditedGroups;
use reticent::methods::{Leaving, Utility};
use reticent_ledger::{Judged, Promised, Withheld};
use serde::Serialize;

use super::publish::RecordedAs;

/// What `publish` answers of a release by a method.
#[derive(Debug, Serialize)]
pub struct PublishedGroups {
    /// The release's name.
    pub name: String,
    /// Who gets it.
    pub recipients: Vec<String>,
    /// The folder, unless nothing was published.
    pub folder: Option<PathBuf>,
    /// Where it is recorded, unless nothing was published.
    pub recorded: Option<RecordedAs>,
    /// What it was judged together with.
    pub judged: Judged,
    /// Whether it was a rehearsal.
    pub dry_run: bool,
    /// The method.
    pub method: &'static str,
    /// How quasi-identifiers are published.
    pub form: &'static str,
    /// What is promised.
    pub promise: Promise,
    /// Records in the data.
    pub records: u64,
    /// Records that are published.
    pub published: u64,
    /// Records that wait, by for how many releases.
    pub waiting: Vec<Waiting>,
    /// Records that are withheld, by why.
    pub withheld: Vec<Withheld>,
    /// Records left out because a value was missing.
    pub dropped: u64,
    /// Groups of people.
    pub groups: u64,
    /// Listed values that are nobody's, in lists that count.
    pub counterfeits: u64,
    /// People who are the only ones in their group: what covers everybody of it is what they have.
    pub alone: u64,
    /// The tables.
    pub tables: Vec<TableAnswer>,
    /// What the removal of people would tell by itself.
    pub leaving: Leaving,
    /// What becomes of their groups instead.
    pub instead: &'static str,
    /// What all releases together tell.
    pub audited: AuditedGroups,
    /// What the release is worth.
    pub utility: Utility,
    /// Decides all chance.
    pub seed: u64,
    /// Cells that looked like a formula and were written with an apostrophe.
    pub neutralised: u64,
    /// What a steward should look at before anybody else does.
    pub warnings: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Where the time went.
    pub seconds: GroupSeconds,
}

/// What is promised.
#[derive(Debug, Serialize)]
pub struct Promise {
    /// In words.
    pub words: &'static str,
    /// By sensitive column: the bound on the posterior of a value, as a fraction.
    pub columns: Vec<Promised>,
    /// No record is linked to anybody with more confidence than this fraction.
    pub records: Option<String>,
}

/// Records that wait.
#[derive(Debug, Serialize)]
pub struct Waiting {
    /// For how many releases, with this one.
    pub releases: u32,
    /// The first release that they waited at.
    pub since: String,
    /// How many.
    pub records: u64,
}

/// A table of the release.
#[derive(Debug, Serialize)]
pub struct TableAnswer {
    /// Its file.
    pub file: String,
    /// Its rows.
    pub rows: u64,
}

/// Where the time went, in seconds.
#[derive(Debug, Default, Serialize)]
pub struct GroupSeconds {
    /// Loading earlier releases from the ledger.
    pub recall: f64,
    /// Reading and counting.
    pub read: f64,
    /// Forming groups.
    pub group: f64,
    /// Writing.
    pub write: f64,
    /// Reading back and comparing.
    pub verify: f64,
    /// Auditing it together with what was released before.
    pub audit: f64,
    /// Measuring what it is worth.
    pub measure: f64,
    /// Recording.
    pub record: f64,
}
