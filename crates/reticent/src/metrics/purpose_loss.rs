//! Purpose loss: the information loss that the algorithms minimize, with the weights and the purpose of the policy.
//!
//! Definition  sum of the node losses of all quasi-identifier cells / sum if every cell is suppressed. The node loss of a cell is
//!             weight * (penalty + detail / mean detail of a column at the root), see `algorithms::objective`. For general use it is
//!             weight * penalty, where the penalty is that of `gcp`. With equal weights the metric is then equal to `gcp`.
//! Suppressed  cells, and all cells of suppressed records, count as the root.
//! Missing     a missing value is a separate leaf.
//! Source      our own; for general use it is the weighted certainty penalty of Xu et al., KDD 2006.

use std::collections::HashMap;

use super::cells::{PublishedCells, cells, leaves};
use super::{Comparison, Measure, MetricDef};
use crate::algorithms::Objective;
use crate::data::taxonomy::NodeId;
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: super::PURPOSE_LOSS,
        title: "loss for the purpose",
        summary: "Loss of the quasi-identifier cells by the weights and the purpose of the policy, as a share of the loss of a fully \
                  suppressed table. The release of the algorithm with the least value is published.",
        paper: "Xu, Wang, Pei, Wang, Shi and Fu, Utility-based anonymization using local recoding, KDD 2006",
        protects_against: "loss of the detail that the purpose of the release needs",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::purpose_loss", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let columns = cells(comparison);
    if columns.is_empty() {
        return Ok(None);
    }
    let places: Vec<usize> = columns.iter().map(|cells| cells.place).collect();
    let objective = Objective::new(comparison.table, comparison.purpose, &places)?;
    let (mut lost, mut suppressed) = (0.0, 0.0);
    for (dimension, cells) in columns.iter().enumerate() {
        let losses = losses(&objective, dimension, cells);
        lost += cells.total(|_, node| losses.get(&node).copied().unwrap_or(0.0));
        suppressed += cells.total(|_, _| losses.get(&0).copied().unwrap_or(0.0));
    }
    let value = if suppressed > 0.0 { lost / suppressed } else { 0.0 };
    let reading = format!(
        "share of the detail that the purpose needs and the release does not show: 0 = raw values, 1 = fully suppressed; lower is better{}",
        comparison.excluded_text("count as fully suppressed"),
    );
    Ok(Some(Measure { value, reading }))
}

/// Returns the loss of the root, and of every node or set of values that occurs in a column.
fn losses(objective: &Objective, dimension: usize, cells: &PublishedCells<'_>) -> HashMap<NodeId, f64> {
    let tree = &cells.column.tree;
    let others = tree.len().saturating_sub(1).max(1) as f64;
    let weight = objective.column_weight(dimension);
    let mut losses = HashMap::new();
    for node in [0].into_iter().chain(cells.each().filter(|(_, _, weight)| *weight > 0).map(|(_, node, _)| node)) {
        losses.entry(node).or_insert_with(|| {
            let ranges = leaves(tree, node);
            let count: usize = ranges.iter().map(std::ops::Range::len).sum();
            let penalty = count.saturating_sub(1) as f64 / others;
            weight * penalty + objective.set_detail_loss(dimension, &mut ranges.into_iter().flatten())
        });
    }
    losses
}
