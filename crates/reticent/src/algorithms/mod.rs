//! Anonymization algorithms, one file each. Input: table, release history and requirement. Output: a [`Recoding`].
//!
//! An algorithm combines operations, optimizes a metric, and checks candidates with the models of the requirement. It performs
//! no I/O. The module `verify` checks the written file independently.

use crate::data::table::Table;
use crate::data::workload::Workload;
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::{Arguments, Entry, Kind, unknown};
use crate::release::history::History;
use crate::release::recoding::Recoding;
use crate::requirement::Requirement;

mod back_off;
mod baseline_k_anonymity;
mod baseline_no_finer;
mod baseline_without_counted_columns;
mod baseline_without_join_columns;
mod clusters;
mod join_checker;
mod local_recoding;
mod mondrian;
mod mondrian_relaxed;
mod multidimensional;
mod objective;
mod optimal_full_domain;
mod regions;
mod top_down_specialization;

pub use back_off::{BackOff, BackedOff};
pub(crate) use clusters::{Axis, Points, clusters_of_table, positions};
pub(crate) use join_checker::{generalized_columns, root_release};
pub(crate) use objective::Objective;

/// All algorithms.
pub const LIST: &[AlgorithmDef] = &[
    local_recoding::LISTED,
    top_down_specialization::LISTED,
    multidimensional::LISTED,
    mondrian::LISTED,
    mondrian_relaxed::LISTED,
    optimal_full_domain::LISTED,
    baseline_k_anonymity::LISTED,
    baseline_without_join_columns::LISTED,
    baseline_without_counted_columns::LISTED,
    baseline_no_finer::LISTED,
];

/// Definition of an algorithm in the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct AlgorithmDef {
    /// Catalogue entry.
    pub entry: Entry,
    /// Whether the algorithm can publish sets of values.
    pub sets: bool,
    /// Runs the algorithm. The arguments must have been checked against the entry.
    pub run: fn(&RecodingTask<'_>, &Arguments, &Control<'_>) -> Result<SearchOutcome>,
}

/// Runs the algorithm with this id.
///
/// # Errors
///
/// Returns an error if the id or an argument is invalid, or if the algorithm finds no release that satisfies the requirement.
pub fn run(id: &str, task: &RecodingTask<'_>, arguments: Arguments, control: &Control<'_>) -> Result<SearchOutcome> {
    let listed = named(id)?;
    (listed.run)(task, &arguments.checked(&listed.entry)?, control)
}

/// Returns the algorithm with this id.
///
/// # Errors
///
/// Returns an error if there is no such algorithm. It suggests a similar id, but no baseline.
pub fn named(id: &str) -> Result<&'static AlgorithmDef> {
    let offered = LIST.iter().map(|listed| &listed.entry).filter(|entry| !entry.comparison);
    LIST.iter().find(|listed| listed.entry.id == id).ok_or_else(|| unknown(Kind::Algorithm, id, offered))
}

/// Input of an algorithm.
#[derive(Debug, Clone, Copy)]
pub struct RecodingTask<'a> {
    /// Raw data.
    pub table: &'a Table,
    /// Earlier releases.
    pub history: &'a History,
    /// Privacy requirement.
    pub requirement: &'a Requirement,
    /// Purpose of the release.
    pub purpose: &'a Purpose,
    /// Limit and kind of suppression.
    pub suppression: Suppression,
    /// Form of generalized values, for algorithms that can publish sets of values.
    pub values: ValueForm,
}

impl<'a> RecodingTask<'a> {
    /// Creates a task for general use: without suppression, and with nodes of the taxonomies as values.
    pub fn new(table: &'a Table, history: &'a History, requirement: &'a Requirement) -> RecodingTask<'a> {
        let purpose = &Purpose::General;
        RecodingTask { table, history, requirement, purpose, suppression: Suppression::NONE, values: ValueForm::Nodes }
    }
}

/// Form of generalized values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ValueForm {
    /// Nodes of the taxonomy: the most specific node that all people of a group share.
    #[default]
    Nodes,
    /// Sets of values: the values of the people of a group, and intervals for numbers and dates.
    Sets,
}

impl ValueForm {
    /// Words of the policy.
    pub(crate) const WORDS: &'static [&'static str] = &["nodes", "sets"];
}

/// Purpose of a release, for which an algorithm optimizes.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Purpose {
    /// General use: minimize the information loss over all columns.
    #[default]
    General,
    /// Classification: keep the detail that predicts this column.
    Classification(String),
    /// Cluster analysis: keep the detail that distinguishes this number of clusters of the raw quasi-identifiers.
    Clusters(usize),
    /// Count queries: keep the detail that these queries need.
    Queries(Workload),
}

/// Limit and kind of suppression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suppression {
    /// Maximum share of suppressed records.
    pub limit: Ratio,
    /// Whether to suppress cells first, and records only if that is not enough.
    pub cells: bool,
}

impl Suppression {
    /// No suppression.
    pub const NONE: Suppression = Suppression { limit: Ratio { numerator: 0, denominator: 1 }, cells: false };

    /// Returns the maximum number of suppressed records for a table with this many records.
    pub fn max_suppressed(&self, rows: u64) -> u64 {
        (u128::from(rows) * self.limit.numerator / self.limit.denominator) as u64
    }
}

/// Callbacks with which the caller controls a running algorithm.
pub struct Control<'a> {
    /// Polled often. Once it returns true, the algorithm returns the best publishable state so far.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Polled often, also during long checks. Once it returns true, the algorithm returns [`crate::Error::Stopped`].
    pub abort: &'a (dyn Fn() -> bool + Sync),
    /// Receives progress: activity, completed units, and total units (0 if unknown).
    pub progress: &'a (dyn Fn(&str, u64, u64) + Sync),
}

impl Control<'_> {
    /// Never stops, and ignores progress.
    pub const QUIET: Control<'static> = Control { stop: &|| false, abort: &|| false, progress: &|_, _, _| {} };
}

/// Result of an algorithm.
#[derive(Debug, Clone)]
pub struct SearchOutcome {
    /// Recoding of the table.
    pub recoding: Recoding,
    /// Guarantee on the information loss.
    pub guarantee: Guarantee,
    /// Number of steps taken or states judged.
    pub steps: u64,
    /// Notes for the user, as sentences.
    pub notes: Vec<String>,
}

/// Guarantee on the information loss of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// Optimal: no release of the same kind is better by the metric of the search.
    Optimal,
    /// Locally maximal: every single further step violates the requirement.
    LocallyMaximal,
    /// The release satisfies the requirement; a better one may exist.
    Safe,
}
