//! Generalized certainty penalty (GCP): the mean normalized number of leaves below a published value.
//!
//! Definition  mean over the quasi-identifier cells of (leaves that the published value represents - 1) / (leaves - 1). A taxonomy from
//!             the policy counts all its leaves, also those that do not occur. A column with a single leaf has penalty 0.
//! Suppressed  cells, and all cells of suppressed records, have penalty 1.
//! Missing     a missing value is a separate leaf.
//! Paper       Xu et al., KDD 2006 (NCP); Ghinita et al., VLDB 2007 (GCP). The ILoss of the survey (section 4.1) divides
//!             by the number of leaves instead, and is therefore less than 1.

use super::cells::{PublishedCells, cells};
use super::{Comparison, Measure, MetricDef};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "gcp",
        title: "generalized certainty penalty",
        summary: "Mean over the quasi-identifier cells of (leaves below the published node - 1) / (leaves of the taxonomy - 1).",
        paper: "Ghinita, Karras, Kalnis and Mamoulis, Fast data anonymization with low information loss, VLDB 2007",
        protects_against: "uncertainty of the raw value given the published value",
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
    let cells = comparison.table.contingency.rows() as f64 * columns.len() as f64;
    let value = columns.iter().map(penalty).sum::<f64>() / cells;
    let reading = format!(
        "mean over the quasi-identifier cells: 0 = raw values, 1 = fully suppressed; lower is better{}",
        comparison.excluded_text("count as fully suppressed"),
    );
    Ok(Some(Measure { value, reading }))
}

fn penalty(cells: &PublishedCells<'_>) -> f64 {
    let tree = &cells.column.tree;
    let others = tree.len().saturating_sub(1);
    if others == 0 {
        return 0.0;
    }
    cells.total(|_, node| (tree.width(node) - 1) as f64 / others as f64)
}
