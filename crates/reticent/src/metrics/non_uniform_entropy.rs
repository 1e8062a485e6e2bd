//! Non-uniform entropy: how many bits about a record its published values leave out.
//!
//! Definition  sum over the cells of quasi-identifiers of -log2(Pr(raw value) / Pr(published value)), per record. Pr of a
//!             published value is the share of the table's records whose raw value lies below it.
//! Suppressed  records count as if every cell were the root; so do hidden cells.
//! Missing     a missing value is a value of its own.
//! Paper       De Waal and Willenborg 1999; Gionis and Tassa, TKDE 21(2), 2009.

use super::cells::{Cells, cells};
use super::{Comparison, Listed, Measure, short};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "non-uniform-entropy",
        title: "non-uniform entropy",
        summary: "Bits per record that the published quasi-identifiers leave open about the raw ones.",
        paper: "Gionis and Tassa, k-Anonymization with minimal loss of information, TKDE 21(2), 2009",
        thwarts: "how many bits are needed to get the raw values back",
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
    let rows = comparison.table.combos.rows() as f64;
    let value = columns.iter().map(bits).sum::<f64>() / rows;
    let most = columns.iter().map(all_bits).sum::<f64>() / rows;
    let reading = format!(
        "bits lost per record, of {} that the quasi-identifiers hold; lower is better{}",
        short(most),
        comparison.left_out("count as fully generalized"),
    );
    Ok(Some(Measure { value, reading }))
}

/// Bits that the published cells of a column leave open.
fn bits(cells: &Cells<'_>) -> f64 {
    let raw = cells.raw();
    // How many records lie before each code: a node's records are then one subtraction away.
    let mut before = vec![0];
    before.extend(raw.iter().scan(0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    }));
    cells.total(|code, node| {
        let codes = &cells.column.tree.node(node).codes;
        let below = before[codes.end as usize] - before[codes.start as usize];
        (below as f64 / raw[code as usize] as f64).log2()
    })
}

/// Bits that would be left open if every cell were the root.
fn all_bits(cells: &Cells<'_>) -> f64 {
    let raw = cells.raw();
    let rows = raw.iter().sum::<u64>() as f64;
    raw.iter().filter(|weight| **weight > 0).map(|weight| *weight as f64 * (rows / *weight as f64).log2()).sum()
}
