//! Minimal distortion: the number of generalization steps per record.
//!
//! Definition  a categorical value costs 1 for every level that it is generalized. A number published as [a, b) costs
//!             (b - a) / (full range); the full range is the declared one, or that of the values. The metric is the sum over
//!             the quasi-identifiers, divided by the number of records. Interval bounds are numbers that occur in the table.
//!             A number published unchanged costs 0.
//! Suppressed  cells, and all cells of suppressed records, cost as much as the root.
//! Missing     a missing value is a child of the root: generalizing it costs 1 in a categorical column, and the full range
//!             in a number column.
//! Paper       Samarati 2001, Sweeney 2002; Wang and Fung, KDD 2006, section 6; survey section 4.1 (MD).

use super::cells::{PublishedCells, cells};
use super::{Comparison, Measure, MetricDef, rounded_text};
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "minimal-distortion",
        title: "minimal distortion",
        summary: "Mean per record of the generalization steps of its categorical values, plus the widths of its published intervals \
                  divided by the full range.",
        paper: "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002; Wang and Fung, \
                KDD 2006, section 6",
        protects_against: "distance of the published values from the raw values",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::distortion", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let columns = cells(comparison);
    if columns.is_empty() {
        return Ok(None);
    }
    let rows = comparison.table.contingency.rows() as f64;
    let (numeric, categorical): (Vec<_>, Vec<_>) =
        columns.iter().partition(|cells| cells.column.tree.numbers().is_some());
    let numeric = numeric.into_iter().map(widths).sum::<f64>() / rows;
    let categorical = categorical.into_iter().map(steps).sum::<f64>() / rows;
    let reading = format!(
        "distortion per record: {} in categorical columns, {} in number and date columns; 0 = raw table, lower is better{}",
        rounded_text(categorical),
        rounded_text(numeric),
        comparison.excluded_text("count as fully generalized"),
    );
    Ok(Some(Measure { value: categorical + numeric, reading }))
}

/// Sums the generalization steps of a categorical column over all records.
fn steps(cells: &PublishedCells<'_>) -> f64 {
    let tree = &cells.column.tree;
    let depths = leaf_depths(tree);
    cells.total(|code, node| f64::from(depths[code as usize] - tree.node(node).depth))
}

/// Returns the depth of each leaf, by code.
pub(super) fn leaf_depths(tree: &Taxonomy) -> Vec<u32> {
    let mut depths = vec![0; tree.len()];
    for leaf in tree.nodes().iter().filter(|node| node.is_leaf()) {
        depths[leaf.span.start as usize..leaf.span.end as usize].fill(leaf.depth);
    }
    depths
}

/// Sums the relative widths of the published intervals of a number or date column over all records.
fn widths(cells: &PublishedCells<'_>) -> f64 {
    let tree = &cells.column.tree;
    cells.total(|code, node| width(tree, code, node))
}

pub(super) fn width(tree: &Taxonomy, code: Code, id: NodeId) -> f64 {
    let node = tree.node(id);
    if id == 0 {
        return 1.0;
    }
    if node.label == tree.value(code) {
        return 0.0;
    }
    let (Some(numbers), Some((low, high))) = (tree.numbers(), tree.extent()) else { return 1.0 };
    let start = if node.span.start == 0 { low } else { numbers[node.span.start as usize] };
    let end = numbers.get(node.span.end as usize).copied().unwrap_or(high);
    if high > low { (end - start) / (high - low) } else { 0.0 }
}
