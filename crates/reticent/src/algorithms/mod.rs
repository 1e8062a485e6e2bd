//! Algorithms, one file each: table + history + requirement -> recoding.
//!
//! An algorithm never reads a file and never sees what is written. It composes operations, is guided by a metric and
//! checked by models; its answer is judged again on the written bytes by `verify`, which knows no algorithm.

use crate::error::Result;
use crate::history::History;
use crate::recoding::Recoding;
use crate::registry::{Arguments, Entry, Kind, unknown};
use crate::requirement::Requirement;
use crate::share::Share;
use crate::table::Table;

mod baseline_k_anonymity;
mod baseline_no_finer;
mod baseline_without_counted_columns;
mod baseline_without_join_columns;
mod joints;
mod multidimensional;
mod optimal_full_domain;
mod top_down_specialization;

pub(crate) use joints::{generalized_columns, top};

/// Every algorithm there is.
pub const LIST: &[Listed] = &[
    top_down_specialization::LISTED,
    multidimensional::LISTED,
    optimal_full_domain::LISTED,
    baseline_k_anonymity::LISTED,
    baseline_without_join_columns::LISTED,
    baseline_without_counted_columns::LISTED,
    baseline_no_finer::LISTED,
];

/// An algorithm in the list: what it says about itself, and how to run it.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// What it says about itself.
    pub entry: Entry,
    /// Runs it, with arguments that were checked against the entry.
    pub run: fn(&Task<'_>, &Arguments, &Control<'_>) -> Result<Outcome>,
}

/// Runs an algorithm by name.
pub fn run(id: &str, task: &Task<'_>, arguments: Arguments, control: &Control<'_>) -> Result<Outcome> {
    let listed = named(id)?;
    (listed.run)(task, &arguments.checked(&listed.entry)?, control)
}

/// The algorithm of that name. A name that does not exist is an error that suggests one that is not for comparison only.
pub fn named(id: &str) -> Result<&'static Listed> {
    let offered = LIST.iter().map(|listed| &listed.entry).filter(|entry| !entry.comparison);
    LIST.iter().find(|listed| listed.entry.id == id).ok_or_else(|| unknown(Kind::Algorithm, id, offered))
}

/// What is to be published, and under which conditions.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The raw data.
    pub table: &'a Table,
    /// What was released before.
    pub history: &'a History,
    /// What must hold.
    pub requirement: &'a Requirement,
    /// What the release is for.
    pub purpose: &'a Purpose,
    /// How many records may be left out, and how.
    pub suppression: Suppression,
}

/// What a release is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Purpose {
    /// Nothing in particular: lose little everywhere.
    #[default]
    General,
    /// Predicting this column.
    Classification(String),
}

/// How many records may be left out, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suppression {
    /// The greatest share of records.
    pub limit: Share,
    /// Whether cells are hidden first, and records left out only where that does not help.
    pub cells: bool,
}

impl Suppression {
    /// No record may be left out.
    pub const NONE: Suppression = Suppression { limit: Share { numerator: 0, denominator: 1 }, cells: false };

    /// How many of so many records may be left out.
    pub fn of(&self, rows: u64) -> u64 {
        (u128::from(rows) * self.limit.numerator / self.limit.denominator) as u64
    }
}

/// How the caller steers a running algorithm.
pub struct Control<'a> {
    /// Asked often; once true, the algorithm answers with the best publishable state it has.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Asked often, and within long judgements too; once true, there is no answer but [`crate::Error::Stopped`].
    pub abort: &'a (dyn Fn() -> bool + Sync),
    /// Told what is being done, and how far it is: (what, done, of how many; 0 when not known).
    pub progress: &'a (dyn Fn(&str, u64, u64) + Sync),
}

impl Control<'_> {
    /// Never stops and tells nobody.
    pub const QUIET: Control<'static> = Control { stop: &|| false, abort: &|| false, progress: &|_, _, _| {} };
}

/// What an algorithm answers.
#[derive(Debug)]
pub struct Outcome {
    /// The recoding.
    pub recoding: Recoding,
    /// What is known about how good it is.
    pub guarantee: Guarantee,
    /// Steps taken or states judged.
    pub steps: u64,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// What is known about how little a release lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// No release of its kind is better by the metric that guided the search.
    Optimal,
    /// No single further step keeps the requirement.
    LocallyMaximal,
    /// It satisfies the requirement; nothing is known about what else would.
    Safe,
}
