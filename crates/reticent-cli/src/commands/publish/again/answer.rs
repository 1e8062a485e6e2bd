//! What `publish` answers of a release by a method.

use std::collections::BTreeMap;
use std::path::PathBuf;

use reticent::methods::{Leaving, Reason, Utility};
use reticent_ledger::{Judged, Promised, Withheld};
use serde::Serialize;

use super::Job;
use super::before::Before;
use super::folder::PEOPLE;
use super::judge::Audited;
use super::make::Made;
use super::record::{promised, withheld};
use crate::commands::publish::answer::RecordedAs;
use crate::commands::publish::record::Recorded;

/// What `publish` answers of a release by a method.
#[derive(Debug, Serialize)]
pub struct Answer {
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
    pub audited: Audited,
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
    pub seconds: Seconds,
}

/// What is promised.
#[derive(Debug, Serialize)]
pub struct Promise {
    /// In words.
    pub words: &'static str,
    /// By sensitive column: nobody's value is told with more confidence than this fraction.
    pub columns: Vec<Promised>,
    /// No record is linked to anybody with more confidence than this fraction.
    pub records: Option<String>,
    /// So many records can be anybody's, whichever earlier release it is compared with by who knows nobody else's quasi-identifiers.
    pub left: Option<u64>,
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
pub struct Seconds {
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

impl Job<'_> {
    /// Tells what was made, and where it is recorded.
    pub fn answer(&self, made: Made, before: &Before, recorded: Option<Recorded>) -> Answer {
        let Job { options, method, prepared, .. } = self;
        let mut notes = prepared.notes.clone();
        notes.extend(made.outcome.notes.iter().cloned());
        let mut warnings: Vec<String> = prepared.doubtful().into_iter().map(|(_, warning)| warning).collect();
        warnings.extend(marginal_warning(&made));
        if made.audited.proof == reticent::audit::Proof::Off {
            warnings.push("what all releases together tell was not looked at (audit = \"off\")".to_owned());
        }
        if made.outcome.withheld.iter().any(|(_, reason)| *reason == Reason::History) {
            warnings.extend(before.promised_less(self));
        }
        let mut seconds = made.seconds;
        let mut folder = None;
        let recorded = recorded.map(|recorded| {
            notes.extend(recorded.notes);
            seconds.record = recorded.seconds;
            folder = Some(recorded.file.unwrap_or_else(|| options.output.clone()));
            RecordedAs {
                ledger: self.books.folder.clone(),
                release: recorded.number,
                entry: recorded.entry.to_string(),
                sha256: made.file.0.to_string(),
                people: recorded.people,
            }
        });
        let table = |name: &str, rows: u64| TableAnswer { file: format!("{name}.csv"), rows };
        let shown = &made.shown;
        let mut tables = vec![table(PEOPLE, shown.people.combos.rows())];
        for (list, name) in shown.lists.iter().zip(&made.files.lists) {
            tables.push(table(name, list.counts.combos.len() as u64));
        }
        for (counts, name) in shown.marginals.iter().zip(&made.files.marginals) {
            tables.push(table(name, counts.combos.len() as u64));
        }
        Answer {
            name: options.name.clone(),
            recipients: options.to.clone(),
            folder,
            recorded,
            judged: made.judged,
            dry_run: options.dry_run,
            method: method.listed.entry.id,
            form: method.form.word(),
            promise: Promise {
                words: method.listed.entry.thwarts,
                columns: promised(self),
                records: method.listed.linked(&self.arguments).map(|most| most.fraction()),
                left: method.listed.left(&self.arguments),
            },
            records: self.records.len() as u64 + prepared.table.dropped,
            published: shown.people.combos.rows(),
            waiting: waiting(&made.outcome.waiting, before, &options.name),
            withheld: withheld(&made.outcome.withheld),
            dropped: prepared.table.dropped,
            groups: made.outcome.groups.len() as u64,
            counterfeits: shown.counterfeits(),
            alone: made.outcome.groups.iter().filter(|group| group.members.len() == 1).count() as u64,
            tables,
            leaving: made.leaving,
            instead: method.listed.gone,
            audited: made.audited,
            utility: made.utility,
            seed: made.seed,
            neutralised: made.neutralised,
            warnings,
            notes,
            seconds,
        }
    }
}

/// Records that wait, the longest first.
fn waiting(records: &[(u32, u32)], before: &Before, name: &str) -> Vec<Waiting> {
    let mut by_releases: BTreeMap<u32, u64> = BTreeMap::new();
    records.iter().for_each(|(_, releases)| *by_releases.entry(*releases).or_default() += 1);
    let since = |releases: u32| match before.series.len().checked_sub(releases as usize - 1) {
        Some(at) if at < before.series.len() => before.name(before.series[at]).to_owned(),
        _ => name.to_owned(),
    };
    let one = |(releases, records): (u32, u64)| Waiting { releases, since: since(releases), records };
    by_releases.into_iter().rev().map(one).collect()
}

fn marginal_warning(made: &Made) -> Option<String> {
    use reticent::methods::Marginals;
    match made.outcome.marginals {
        Marginals::Off => None,
        Marginals::Each => Some(
            "it is told how often each value is, column by column: with later releases this tells how often the values of newcomers are"
                .to_owned(),
        ),
        Marginals::Joint => Some(
            "it is told how often values of all sensitive columns are together: false values that occur with no other are undone. \
             `marginals = \"each\"` tells less"
                .to_owned(),
        ),
    }
}
