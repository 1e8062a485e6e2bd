//! The baseline of granularity: no value is published finer than an earlier release published it.
//!
//! What  a value of a column that earlier releases have is published as the finest value of its taxonomy that stands for all
//!       that an earlier published value stands for; of several earlier releases the coarsest decides. Other columns stay as
//!       they are.
//! Why   the second thing that was proposed against joins. Every release is so no finer than the one before it, and later
//!       releases say less and less.
//! Paper KDD 2006, section 1 (after Sweeney, 2002).

use super::joints::judged;
use super::{Control, Guarantee, Listed, Outcome, Task};
use crate::error::Result;
use crate::matching::matches;
use crate::recoding::Recoding;
use crate::registry::{Arguments, Entry, Kind};
use crate::release::PublishedColumn;
use crate::taxonomy::{Code, NodeId, Taxonomy};
use std::ops::Range;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-no-finer",
        title: "baseline: no finer than before",
        summary: "Publishes no value finer than an earlier release did, all else as it is, and refuses if that does not keep the requirement.",
        paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002; Wang and Fung, KDD 2006, section 1",
        thwarts: "a comparison, not a recommendation: what it costs to follow the coarsest release",
        comparison: true,
        parameters: &[],
        evidence: &["laws::algorithms"],
    },
    run,
};

fn run(task: &Task<'_>, _: &Arguments, _: &Control<'_>) -> Result<Outcome> {
    let identity = Recoding::identity(task.table);
    let mut along = Vec::new();
    for (at, column) in task.table.columns.iter().enumerate() {
        let tree = std::sync::Arc::new(column.tree.halved(&task.table.weights_of(at)));
        let mut nodes: Vec<NodeId> = (0..tree.len() as Code).map(|code| tree.leaf_of(code)).collect();
        for held in &task.history.releases {
            for theirs in held.release.columns.iter().filter(|theirs| theirs.name == column.name) {
                let ours = &identity.columns[at];
                coarsen(&tree, &mut nodes, &ours.column, &ours.map, theirs);
            }
        }
        // A cut: what lies below a published value is published as that.
        let tops: Vec<Range<Code>> = nodes.iter().map(|node| tree.node(*node).codes.clone()).collect();
        for (code, node) in nodes.iter_mut().enumerate() {
            let above = tops.iter().filter(|codes| codes.contains(&(code as Code))).max_by_key(|codes| codes.len());
            if let Some(codes) = above {
                *node = lowest_over(&tree, codes);
            }
        }
        along.push((tree, nodes));
    }
    let recoding = Recoding::by_node(task.table, along);
    judged(task, Outcome { recoding, guarantee: Guarantee::Safe, steps: 1, notes: Vec::new() })
}

/// Raises every value to one that stands for all that the finest earlier value with it stands for.
fn coarsen(tree: &Taxonomy, nodes: &mut [NodeId], ours: &PublishedColumn, map: &[u32], theirs: &PublishedColumn) {
    let forward = matches(ours, theirs);
    let mut reach: Vec<Option<Range<Code>>> = vec![None; theirs.nodes.len()];
    for (code, published) in map.iter().enumerate() {
        for there in &forward[*published as usize] {
            let code = code as Code;
            let range = reach[*there as usize].get_or_insert(code..code + 1);
            *range = range.start.min(code)..range.end.max(code + 1);
        }
    }
    for (code, node) in nodes.iter_mut().enumerate() {
        let met = forward[map[code] as usize].iter().filter_map(|there| reach[*there as usize].as_ref());
        let Some(finest) = met.min_by_key(|range| range.len()) else { continue };
        let here = &tree.node(*node).codes;
        *node = lowest_over(tree, &(here.start.min(finest.start)..here.end.max(finest.end)));
    }
}

/// The lowest node that reaches over a range of codes.
fn lowest_over(tree: &Taxonomy, codes: &Range<Code>) -> NodeId {
    let mut node = tree.leaf_of(codes.start);
    loop {
        let over = &tree.node(node).codes;
        match tree.node(node).parent {
            Some(parent) if over.start > codes.start || over.end < codes.end => node = parent,
            _ => return node,
        }
    }
}
