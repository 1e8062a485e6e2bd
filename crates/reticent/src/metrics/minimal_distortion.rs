//! Minimal distortion: how many steps values were generalized.
//!
//! Definition  a categorical value costs one unit for every step up its tree; a number published as [a, b) costs
//!             (b - a) / (full range), the range being the declared one or that of the values. Summed over the
//!             quasi-identifiers, divided by the number of records. The bounds of an interval are the numbers of the table
//!             at its ends, and a number published as itself costs nothing.
//! Suppressed  records count as if every cell were the root; so do hidden cells.
//! Missing     a missing value is a value below the root: one step for a categorical column, the full range for a number.
//! Paper       Samarati 2001, Sweeney 2002; Wang and Fung, KDD 2006, section 6; survey section 4.1 (MD).

use super::cells::{Cells, cells};
use super::{Comparison, Listed, Measure, short};
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::taxonomy::{Code, NodeId, Taxonomy};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "minimal-distortion",
        title: "minimal distortion",
        summary: "Steps that a record's categorical values were generalized, plus the share of the full range that its published intervals span.",
        paper: "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002; Wang and Fung, KDD 2006, section 6",
        thwarts: "how far the published values are from the raw ones",
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
    let rows = comparison.table.combos.rows() as f64;
    let (numeric, categorical): (Vec<_>, Vec<_>) =
        columns.iter().partition(|cells| cells.column.tree.numbers().is_some());
    let numeric = numeric.into_iter().map(widths).sum::<f64>() / rows;
    let categorical = categorical.into_iter().map(steps).sum::<f64>() / rows;
    let reading = format!(
        "units of distortion per record: {} in categorical columns, {} in number and date columns; 0 is the raw table, lower is better{}",
        short(categorical),
        short(numeric),
        comparison.left_out("count as fully generalized"),
    );
    Ok(Some(Measure { value: categorical + numeric, reading }))
}

/// Steps between the raw values of a categorical column and what is published for them.
fn steps(cells: &Cells<'_>) -> f64 {
    let tree = &cells.column.tree;
    let depths = leaf_depths(tree);
    cells.total(|code, node| f64::from(depths[code as usize] - tree.node(node).depth))
}

/// By code, how deep the value lies.
fn leaf_depths(tree: &Taxonomy) -> Vec<u32> {
    let mut depths = vec![0; tree.len()];
    for leaf in tree.nodes().iter().filter(|node| node.children.is_empty()) {
        depths[leaf.codes.start as usize..leaf.codes.end as usize].fill(leaf.depth);
    }
    depths
}

/// Shares of the full range that the published intervals of a number or date column span.
fn widths(cells: &Cells<'_>) -> f64 {
    let tree = &cells.column.tree;
    cells.total(|code, node| width(tree, code, node))
}

fn width(tree: &Taxonomy, code: Code, id: NodeId) -> f64 {
    let node = tree.node(id);
    if id == 0 {
        return 1.0;
    }
    if node.label == tree.value(code) {
        return 0.0;
    }
    let (Some(numbers), Some((low, high))) = (tree.numbers(), tree.extent()) else { return 1.0 };
    let start = if node.codes.start == 0 { low } else { numbers[node.codes.start as usize] };
    let end = numbers.get(node.codes.end as usize).copied().unwrap_or(high);
    if high > low { (end - start) / (high - low) } else { 0.0 }
}
