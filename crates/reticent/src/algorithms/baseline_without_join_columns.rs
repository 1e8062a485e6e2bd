//! The baseline of removed join columns: whatever an earlier release has too says nothing in the new one.
//!
//! What  every column that earlier releases have is published as its root, and all others as they are.
//! Why   without join columns nothing can be joined; but what the columns say is lost for the release's own purpose.
//! Paper KDD 2006, section 6: RJE.

use super::joints::judged;
use super::{Control, Guarantee, Listed, Outcome, Task};
use crate::error::Result;
use crate::join::relate;
use crate::recoding::Recoding;
use crate::registry::{Arguments, Entry, Kind};
use crate::taxonomy::Cut;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-without-join-columns",
        title: "baseline: without join columns",
        summary: "Lets every column that an earlier release has say nothing, publishes the others as they are, and refuses if that does not keep the requirement.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6: RJE",
        thwarts: "a comparison, not a recommendation: what it costs to remove what could be joined",
        comparison: true,
        parameters: &[],
        evidence: &["laws::algorithms"],
    },
    run,
};

fn run(task: &Task<'_>, _: &Arguments, _: &Control<'_>) -> Result<Outcome> {
    let joins = |name: &str| {
        let mut columns = task.history.releases.iter().flat_map(|held| &held.release.columns);
        columns.any(|theirs| relate(name, &theirs.name, &task.requirement.rules))
    };
    let along = task.table.columns.iter().map(|column| {
        let tree = column.tree.with_leaves();
        let cut = if joins(&column.name) { Cut::top() } else { Cut::bottom(&tree) };
        (tree, cut)
    });
    let recoding = Recoding::along(task.table, along.collect());
    judged(task, Outcome { recoding, guarantee: Guarantee::Safe, steps: 1, notes: Vec::new() })
}
