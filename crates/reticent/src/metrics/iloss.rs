//! ILoss: the weighted fraction of the values that a published value covers.
//!
//! Definition  ILoss(v) = (leaves below v - 1) / (leaves of the taxonomy). ILoss of a record: sum over the quasi-identifiers of
//!             weight * ILoss(v). The metric is the mean over the records. The weights are those of the policy, 1 by default.
//!             A taxonomy from the policy counts all its leaves, also those that do not occur.
//! Suppressed  cells, and all cells of suppressed records, count as the root.
//! Missing     a missing value is a separate leaf.
//! Paper       Xiao and Tao, Personalized privacy preservation, SIGMOD 2006; survey section 4.1. Unlike `gcp`, it divides by
//!             the number of leaves, and adds the columns instead of averaging them.

use super::cells::{PublishedCells, cells, leaf_count};
use super::{Comparison, Measure, MetricDef};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "iloss",
        title: "ILoss",
        summary: "Mean per record of the sum over the quasi-identifiers of weight * (leaves below the published node - 1) / (leaves of the \
                  taxonomy). The policy sets the weights.",
        paper: "Xiao and Tao, Personalized privacy preservation, SIGMOD 2006",
        protects_against: "uncertainty of the raw value given the published value, by importance of the column",
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
    let weight = |cells: &PublishedCells<'_>| comparison.table.columns[cells.place].loss_weight;
    let total: f64 = columns.iter().map(|cells| weight(cells) * loss(cells)).sum();
    let greatest: f64 = columns.iter().map(weight).sum();
    let reading = format!(
        "sum over the quasi-identifiers, mean per record: 0 = raw values, {greatest} = limit of full suppression; lower is better{}",
        comparison.excluded_text("count as fully suppressed"),
    );
    Ok(Some(Measure { value: total / comparison.table.contingency.rows() as f64, reading }))
}

/// Sums the ILoss of a column over all records.
fn loss(cells: &PublishedCells<'_>) -> f64 {
    let tree = &cells.column.tree;
    cells.total(|_, node| (leaf_count(tree, node) - 1) as f64 / tree.len() as f64)
}
