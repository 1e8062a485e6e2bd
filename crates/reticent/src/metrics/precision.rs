//! Precision (Prec): 1 - the mean share of the generalization hierarchy that the cells are generalized by.
//!
//! Definition  Prec = 1 - mean over the quasi-identifier cells of (level of the published value) / (height of the hierarchy). The
//!             level is the number of steps from the raw value. In a taxonomy with leaves at several depths, the height is the
//!             depth of the leaf, so that the root always counts 1. A number column whose intervals the algorithm chooses has no
//!             levels: there, the share is (width of the interval) / (full range).
//! Suppressed  cells, and all cells of suppressed records, count as the root.
//! Missing     a missing value is a child of the root.
//! Paper       Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002.

use super::cells::{PublishedCells, cells};
use super::minimal_distortion::{leaf_depths, width};
use super::{Comparison, Measure, MetricDef};
use crate::data::taxonomy::Taxonomy;
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "precision",
        title: "precision",
        summary: "1 - mean over the quasi-identifier cells of (levels that the value is generalized by) / (height of the hierarchy).",
        paper: "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002",
        protects_against: "distance of the published values from the raw values, relative to the hierarchies",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::loss", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let columns = cells(comparison);
    if columns.is_empty() {
        return Ok(None);
    }
    let lost = |cells: &PublishedCells<'_>| {
        let given = &comparison.table.columns[cells.place].tree;
        if has_chosen_intervals(given) { widths(cells) } else { levels(cells) }
    };
    let count = comparison.table.contingency.rows() as f64 * columns.len() as f64;
    // Rounding must not lower it below 0.
    let value = (1.0 - columns.iter().map(lost).sum::<f64>() / count).max(0.0);
    let reading = format!(
        "1 = raw values, 0 = fully suppressed; higher is better{}",
        comparison.excluded_text("count as fully suppressed"),
    );
    Ok(Some(Measure { value, reading }))
}

fn has_chosen_intervals(tree: &Taxonomy) -> bool {
    (0..tree.nodes().len()).any(|node| tree.can_grow(node))
}

/// Sums the share of the levels over the cells of a column.
fn levels(cells: &PublishedCells<'_>) -> f64 {
    let tree = &cells.column.tree;
    let depths = leaf_depths(tree);
    cells.total(|code, node| {
        let depth = depths[code as usize];
        // Without a level above the values, nothing can be generalized.
        if depth == 0 { 0.0 } else { f64::from(depth - tree.node(node).depth) / f64::from(depth) }
    })
}

/// Sums the relative widths of the intervals over the cells of a column.
fn widths(cells: &PublishedCells<'_>) -> f64 {
    let tree = &cells.column.tree;
    cells.total(|code, node| width(tree, code, node))
}
