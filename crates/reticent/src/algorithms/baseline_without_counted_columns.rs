//! The baseline of removed Y: what must not be told from the new release says nothing in it.
//!
//! What  every column of the new release that some demand counts is published as its root, and all others as they are.
//! Why   what is not there cannot be linked to anybody; but it is often what the release is for.
//! Paper KDD 2006, section 6.2: RSE.

use super::joints::{counted_columns, judged};
use super::{Control, Guarantee, Listed, Outcome, Task};
use crate::error::Result;
use crate::recoding::Recoding;
use crate::registry::{Arguments, Entry, Kind};
use crate::taxonomy::Cut;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-without-counted-columns",
        title: "baseline: without the columns that are protected",
        summary: "Lets every column that the requirement protects say nothing, publishes the others as they are, and refuses if that does not keep the requirement.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6.2: RSE",
        thwarts: "a comparison, not a recommendation: what it costs to remove what must not be inferred",
        comparison: true,
        parameters: &[],
        evidence: &["laws::algorithms"],
    },
    run,
};

fn run(task: &Task<'_>, _: &Arguments, _: &Control<'_>) -> Result<Outcome> {
    let counted = counted_columns(task)?;
    let along = task.table.columns.iter().enumerate().map(|(at, column)| {
        let tree = column.tree.with_leaves();
        let cut = if counted.contains(&at) { Cut::top() } else { Cut::bottom(&tree) };
        (tree, cut)
    });
    let recoding = Recoding::along(task.table, along.collect());
    judged(task, Outcome { recoding, guarantee: Guarantee::Safe, steps: 1, notes: Vec::new() })
}
