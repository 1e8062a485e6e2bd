//! Baseline: suppress the join columns of the new release.
//!
//! Definition  every column that an earlier release also has, or that a rule relates to one, is suppressed. Others are unchanged.
//! Purpose     without join columns no join is possible, but the release loses the content of these columns.
//! Paper       KDD 2006, section 6: RJE.

use super::join_checker::check_outcome;
use super::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome};
use crate::data::taxonomy::Cut;
use crate::error::Result;
use crate::join::lossy::are_related;
use crate::registry::{Arguments, Entry, Kind};
use crate::release::recoding::Recoding;

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-without-join-columns",
        title: "baseline: suppress join columns",
        summary: "Suppresses every column that an earlier release has, and publishes the others unchanged. Refuses if the result \
                  violates the requirement.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6: RJE",
        protects_against: "for comparison only: the cost of removing join columns",
        comparison: true,
        parameters: &[],
        evidence: &["laws::algorithms"],
    },
    sets: false,
    run,
};

fn run(task: &RecodingTask<'_>, _: &Arguments, _: &Control<'_>) -> Result<SearchOutcome> {
    let joins = |name: &str| {
        let mut columns = task.history.releases.iter().flat_map(|recorded| &recorded.release.columns);
        columns.any(|theirs| are_related(name, &theirs.name, &task.requirement.rules))
    };
    let along = task.table.columns.iter().map(|column| {
        let tree = column.tree.with_leaves();
        let cut = if joins(&column.name) { Cut::top() } else { Cut::bottom(&tree) };
        (tree, cut)
    });
    let recoding = Recoding::along(task.table, along.collect());
    check_outcome(task, SearchOutcome { recoding, guarantee: Guarantee::Safe, steps: 1, notes: Vec::new() })
}
