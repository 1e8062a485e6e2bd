//! Non-uniform entropy: the information in bits per record that generalization removes.
//!
//! Definition  sum over the quasi-identifier cells of -log2(Pr(raw value) / Pr(published value)), divided by the number of
//!             records. Pr(published value) is the share of records whose raw value is a leaf below the published value.
//! Suppressed  cells, and all cells of suppressed records, count as the root.
//! Missing     a missing value is a separate value.
//! Paper       De Waal and Willenborg 1999; Gionis and Tassa, TKDE 21(2), 2009.

use super::cells::{PublishedCells, cells};
use super::{Comparison, Measure, MetricDef, rounded_text};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "non-uniform-entropy",
        title: "non-uniform entropy",
        summary: "Mean per record of the sum over its quasi-identifier cells of -log2(Pr(raw value) / Pr(published value)), in bits.",
        paper: "Gionis and Tassa, k-Anonymization with minimal loss of information, TKDE 21(2), 2009",
        protects_against: "information loss in bits",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::entropy", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let columns = cells(comparison);
    if columns.is_empty() {
        return Ok(None);
    }
    let rows = comparison.table.contingency.rows() as f64;
    let value = columns.iter().map(bits).sum::<f64>() / rows;
    let highest = columns.iter().map(all_bits).sum::<f64>() / rows;
    let reading = format!(
        "bits lost per record, of {} bits in the raw quasi-identifiers; lower is better{}",
        rounded_text(highest),
        comparison.excluded_text("count as fully generalized"),
    );
    Ok(Some(Measure { value, reading }))
}

/// Sums the lost bits of a column over all records.
fn bits(cells: &PublishedCells<'_>) -> f64 {
    let raw = cells.raw();
    // Prefix sums of the records by code, for the number of records below a node.
    let mut before = vec![0];
    before.extend(raw.iter().scan(0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    }));
    cells.total(|code, node| {
        let ranges = cells.column.tree.ranges(node).into_iter();
        let below: u64 = ranges.map(|codes| before[codes.end as usize] - before[codes.start as usize]).sum();
        (below as f64 / raw[code as usize] as f64).log2()
    })
}

/// Sums the bits of a column that are lost if every cell is the root.
fn all_bits(cells: &PublishedCells<'_>) -> f64 {
    let raw = cells.raw();
    let rows = raw.iter().sum::<u64>() as f64;
    raw.iter().filter(|weight| **weight > 0).map(|weight| *weight as f64 * (rows / *weight as f64).log2()).sum()
}
