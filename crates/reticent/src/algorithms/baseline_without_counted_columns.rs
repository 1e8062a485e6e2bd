//! Baseline: suppress the protected columns (Y) of the new release.
//!
//! Definition  every column of the new release whose inference a constraint limits is suppressed. Other columns are unchanged.
//! Purpose     a suppressed column cannot be linked to a person, but it is often the reason for the release.
//! Paper       KDD 2006, section 6.2: RSE.

use super::join_checker::{check_outcome, counted_columns};
use super::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome};
use crate::data::taxonomy::Cut;
use crate::error::Result;
use crate::registry::{Arguments, Entry, Kind};
use crate::release::recoding::Recoding;

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-without-counted-columns",
        title: "baseline: suppress protected columns",
        summary: "Suppresses every column that the requirement protects, and publishes the others unchanged. Refuses if the result \
                  violates the requirement.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6.2: RSE",
        protects_against: "for comparison only: the cost of removing protected columns",
        comparison: true,
        parameters: &[],
        evidence: &["laws::algorithms"],
    },
    sets: false,
    run,
};

fn run(task: &RecodingTask<'_>, _: &Arguments, _: &Control<'_>) -> Result<SearchOutcome> {
    let counted = counted_columns(task)?;
    let along = task.table.columns.iter().enumerate().map(|(at, column)| {
        let tree = column.tree.with_leaves();
        let cut = if counted.contains(&at) { Cut::top() } else { Cut::bottom(&tree) };
        (tree, cut)
    });
    let recoding = Recoding::along(task.table, along.collect());
    check_outcome(task, SearchOutcome { recoding, guarantee: Guarantee::Safe, steps: 1, notes: Vec::new() })
}
