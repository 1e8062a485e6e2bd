//! Generalized certainty penalty: how many values a published cell could stand for.
//!
//! Definition  mean over the cells of quasi-identifiers of (leaves below the published node - 1) / (leaves - 1). The leaves
//!             are the values of the tree, all of them for a given tree; a column with a single leaf costs nothing.
//! Suppressed  cells, and all cells of suppressed records, count 1.
//! Missing     a missing value is a leaf of its own.
//! Paper       Xu et al., KDD 2006 (NCP); Ghinita et al., VLDB 2007 (GCP). The survey's ILoss (section 4.1) divides by
//!             the number of leaves instead, and so never reaches 1.

use super::cells::{Cells, cells};
use super::{Comparison, Listed, Measure};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "gcp",
        title: "generalized certainty penalty",
        summary: "Mean over the cells of quasi-identifiers of the share of other values that the published one could stand for.",
        paper: "Ghinita, Karras, Kalnis and Mamoulis, Fast data anonymization with low information loss, VLDB 2007",
        thwarts: "how uncertain a published cell leaves its raw value",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::gcp", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let columns = cells(comparison);
    if columns.is_empty() {
        return Ok(None);
    }
    let cells = comparison.table.combos.rows() as f64 * columns.len() as f64;
    let value = columns.iter().map(penalty).sum::<f64>() / cells;
    let reading = format!(
        "mean over the cells of quasi-identifiers: 0 publishes every value, 1 publishes nothing; lower is better{}",
        comparison.left_out("count 1 in every cell"),
    );
    Ok(Some(Measure { value, reading }))
}

fn penalty(cells: &Cells<'_>) -> f64 {
    let tree = &cells.column.tree;
    let others = tree.len().saturating_sub(1);
    if others == 0 {
        return 0.0;
    }
    cells.total(|_, node| (tree.node(node).codes.len() - 1) as f64 / others as f64)
}
