//! Distributions of the values of each column, before and after recoding.
//!
//! Before   number of records of the table, by value.
//! After    expected number of records of the release, by value: every published value is one of its leaves that occur in the table,
//!          with equal probability. A suppressed cell (`*`) is any value of the column. Suppressed records are not counted.
//! Distance total variation distance between both distributions of values, before they are merged into bins:
//!          half of the sum of |before(v) / records - after(v) / published records|.

mod bins;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::data::taxonomy::{Code, Taxonomy};
use crate::error::{Error, Result};
use crate::release::recoding::Recoding;
use crate::release::{PublishedColumn, Release};
use bins::Bins;

/// Distribution of the values of one column, before and after recoding.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ColumnDistribution {
    /// Name of the column.
    pub column: String,
    /// Role of the column.
    pub role: Role,
    /// Total variation distance between both distributions, from 0 to 1.
    pub distance: f64,
    /// Values were merged into bins: there are more distinct values than bins.
    pub binned: bool,
    /// The bins follow the scale of numbers or dates. A missing value comes last.
    pub ordered: bool,
    /// Bins, in the order of the taxonomy or the scale.
    pub bins: Vec<DistributionBin>,
}

/// Number of records with one of the values of a bin.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct DistributionBin {
    /// Value, interval, or node of the taxonomy.
    pub label: String,
    /// Number of records of the data.
    pub before: u64,
    /// Expected number of records, if every generalized value is one of its leaves with equal probability.
    pub after: f64,
}

/// Computes the distributions of all published quasi-identifiers, sensitive and insensitive attributes.
///
/// Each has at most `max_bins` bins, and at least one.
///
/// # Errors
///
/// Returns an error if the release was not made from this table by this recoding.
pub fn distributions(
    table: &Table,
    recoding: &Recoding,
    release: &Release,
    max_bins: usize,
) -> Result<Vec<ColumnDistribution>> {
    let is_counted = |role: Role| matches!(role, Role::QuasiIdentifier | Role::Sensitive | Role::Other);
    let columns = (0..release.columns.len()).filter(|at| is_counted(release.columns[*at].role));
    columns.map(|at| distribution(table, recoding, release, at, max_bins.max(1))).collect()
}

fn distribution(
    table: &Table,
    recoding: &Recoding,
    release: &Release,
    at: usize,
    max_bins: usize,
) -> Result<ColumnDistribution> {
    let published = &release.columns[at];
    let place = table.position(&published.name)?;
    let tree = &table.columns[place].tree;
    let recoded = recoding.columns.get(place).map(|recoded| &recoded.column);
    let is_same = |recoded: &PublishedColumn| recoded.name == published.name && recoded.nodes == published.nodes;
    if !recoded.is_some_and(is_same) || published.tree.len() != tree.len() {
        return Err(Error::column(&published.name, "the release was not made from this table by this recoding"));
    }
    let before = table.weights_of(place);
    let after = expected(published, &weights_by_published_code(release, at), &before);
    let bins = Bins::new(tree, &before, max_bins);
    let mut counts = vec![(0, 0.0); bins.labels.len()];
    for (code, bin) in bins.by_code.iter().enumerate() {
        if let Some(bin) = bin {
            counts[*bin].0 += before[code];
            counts[*bin].1 += after[code];
        }
    }
    let bin = |(label, (before, after))| DistributionBin { label, before, after };
    Ok(ColumnDistribution {
        column: published.name.clone(),
        role: published.role,
        distance: distance(&before, &after, release.contingency.rows()),
        binned: bins.merged,
        ordered: bins.ordered,
        bins: bins.labels.into_iter().zip(counts).map(bin).collect(),
    })
}

/// Number of published records, by published code.
fn weights_by_published_code(release: &Release, at: usize) -> Vec<Weight> {
    let mut weights = vec![0; release.columns[at].nodes.len()];
    for (code, weight) in release.contingency.codes[at].iter().zip(&release.contingency.weights) {
        weights[*code as usize] += weight;
    }
    weights
}

/// Expected number of published records by value: each published value spreads its records over its values that occur.
fn expected(published: &PublishedColumn, weights: &[Weight], before: &[Weight]) -> Vec<f64> {
    // Number of occurring values before each code.
    let mut occurring = vec![0usize];
    occurring.extend(before.iter().scan(0, |sum, weight| {
        *sum += usize::from(*weight > 0);
        Some(*sum)
    }));
    let all_codes = 0..before.len() as Code;
    let count_in = |ranges: &[Range<Code>]| -> usize {
        ranges.iter().map(|codes| occurring[codes.end as usize] - occurring[codes.start as usize]).sum()
    };
    let mut after = vec![0.0; before.len()];
    // Change of the expected number per value at each code, so that the work does not grow with the width of a published value.
    let mut steps = vec![0.0; before.len() + 1];
    for (node, weight) in published.nodes.iter().zip(weights).filter(|(_, weight)| **weight > 0) {
        let mut ranges = published.tree.ranges(*node);
        if count_in(&ranges) == 0 {
            // A rule can publish a value that does not occur. It says as much as a suppressed cell.
            ranges = vec![all_codes.clone()];
        }
        let each = *weight as f64 / count_in(&ranges).max(1) as f64;
        for codes in ranges {
            match codes.len() {
                1 => after[codes.start as usize] += each,
                _ => {
                    steps[codes.start as usize] += each;
                    steps[codes.end as usize] -= each;
                }
            }
        }
    }
    let mut each = 0.0;
    for (code, after) in after.iter_mut().enumerate() {
        each += steps[code];
        // Sums of floating-point numbers can end slightly below 0.
        *after = if before[code] > 0 { *after + f64::max(each, 0.0) } else { 0.0 };
    }
    after
}

/// Total variation distance between both distributions; 1 if nothing is published.
fn distance(before: &[Weight], after: &[f64], published: Weight) -> f64 {
    let records = before.iter().sum::<Weight>();
    if records == 0 || published == 0 {
        return if records == published { 0.0 } else { 1.0 };
    }
    let difference = |(before, after): (&Weight, &f64)| *before as f64 / records as f64 - *after / published as f64;
    let sum: f64 = before.iter().zip(after).map(|pair| difference(pair).abs()).sum();
    (sum / 2.0).clamp(0.0, 1.0)
}

/// Text of a single value: the label of its leaf.
fn value_label(tree: &Taxonomy, code: Code) -> &str {
    let leaf = tree.node(tree.leaf_of(code));
    if leaf.span.len() == 1 { &leaf.label } else { tree.value(code) }
}
