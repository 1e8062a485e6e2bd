//! Baseline: no value is published finer than in an earlier release.
//!
//! Definition  a value is published as the lowest node of its taxonomy that covers the earlier published value. If several earlier
//!             releases have the column, the coarsest one decides. Other columns are published unchanged.
//! Purpose     an early proposal against joins. No release is finer than an earlier one, so later releases lose more and more detail.
//! Paper       KDD 2006, section 1 (after Sweeney, 2002).

use super::join_checker::check_outcome;
use super::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome};
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::Result;
use crate::join::matching::matches;
use crate::registry::{Arguments, Entry, Kind};
use crate::release::PublishedColumn;
use crate::release::recoding::Recoding;
use std::ops::Range;

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-no-finer",
        title: "baseline: no finer than before",
        summary: "Publishes no value finer than an earlier release, and other columns unchanged. Refuses if the result violates the \
                  requirement.",
        paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002; Wang and Fung, KDD 2006, section 1",
        protects_against: "for comparison only: the cost of following the coarsest earlier release",
        comparison: true,
        parameters: &[],
        evidence: &["laws::algorithms"],
    },
    sets: false,
    run,
};

fn run(task: &RecodingTask<'_>, _: &Arguments, _: &Control<'_>) -> Result<SearchOutcome> {
    let identity = Recoding::identity(task.table);
    let mut nodes_by_column = Vec::new();
    for (at, column) in task.table.columns.iter().enumerate() {
        let tree = std::sync::Arc::new(column.tree.halved(&task.table.weights_of(at)));
        let mut nodes: Vec<NodeId> = (0..tree.len() as Code).map(|code| tree.leaf_of(code)).collect();
        for recorded in &task.history.releases {
            for theirs in recorded.release.columns.iter().filter(|theirs| theirs.name == column.name) {
                let ours = &identity.columns[at];
                coarsen(&tree, &mut nodes, &ours.column, &ours.map, theirs);
            }
        }
        // Make the nodes a cut: a value below a published node is published as that node.
        let tops: Vec<Range<Code>> = nodes.iter().map(|node| tree.node(*node).span.clone()).collect();
        for (code, node) in nodes.iter_mut().enumerate() {
            let above = tops.iter().filter(|codes| codes.contains(&(code as Code))).max_by_key(|codes| codes.len());
            if let Some(codes) = above {
                *node = lowest_over(&tree, codes);
            }
        }
        nodes_by_column.push((tree, nodes));
    }
    let recoding = Recoding::by_node(task.table, nodes_by_column);
    check_outcome(task, SearchOutcome { recoding, guarantee: Guarantee::Safe, steps: 1, notes: Vec::new() })
}

/// Raises the node of every code until it covers the finest earlier published value that matches the code.
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
        let here = &tree.node(*node).span;
        *node = lowest_over(tree, &(here.start.min(finest.start)..here.end.max(finest.end)));
    }
}

/// Returns the lowest node that covers a range of codes.
fn lowest_over(tree: &Taxonomy, codes: &Range<Code>) -> NodeId {
    let mut node = tree.leaf_of(codes.start);
    loop {
        let over = &tree.node(node).span;
        match tree.node(node).parent {
            Some(parent) if over.start > codes.start || over.end < codes.end => node = parent,
            _ => return node,
        }
    }
}
