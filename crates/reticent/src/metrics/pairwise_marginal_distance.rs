//! Pairwise marginal distance: how far the two-column marginals of the release are from those of the raw table.
//!
//! Definition  mean over all pairs of quasi-identifiers and sensitive columns of the total variation distance between the raw and the
//!             published distribution of the pair: 1/2 sum over pairs of leaves of |p - q|. A published value is spread evenly over
//!             its leaves. A taxonomy from the policy counts all its leaves. With fewer than two columns there is no value.
//! Computed    as the sum of max(0, p - q), which is equal because p and q both sum to 1, and needs only pairs that occur.
//! Suppressed  cells are spread over all leaves of the column, and suppressed records over all pairs of leaves.
//! Missing     a missing value is a separate leaf.
//! Paper       Zhang, Cormode, Procopiuc, Srivastava and Xiao, PrivBayes, SIGMOD 2014 (total variation distance of marginals).

use hashbrown::HashMap;
use rayon::prelude::*;
use std::ops::Range;

use super::cells::leaves;
use super::{Comparison, Measure, MetricDef};
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::release::PublishedColumn;

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "pairwise-marginal-distance",
        title: "pairwise marginal distance",
        summary: "Mean over all pairs of quasi-identifiers and sensitive columns of the total variation distance between the raw and the \
                  published distribution of the pair, with published values spread evenly over their leaves.",
        paper: "Zhang, Cormode, Procopiuc, Srivastava and Xiao, PrivBayes, SIGMOD 2014",
        protects_against: "changes of the distributions of pairs of columns",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::queries", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let table = comparison.table;
    let mut columns = table.with_role(Role::QuasiIdentifier);
    columns.extend(table.with_role(Role::Sensitive));
    let pairs = columns.iter().enumerate().flat_map(|(at, one)| columns[at + 1..].iter().map(|other| (*one, *other)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    if pairs.is_empty() {
        return Ok(None);
    }
    let distances: Vec<f64> = pairs.par_iter().map(|pair| distance(comparison, *pair)).collect();
    let reading = format!(
        "mean total variation distance of {} pairs of columns: 0 = equal, 1 = disjoint; lower is better{}",
        pairs.len(),
        comparison.excluded_text("count as fully suppressed"),
    );
    Ok(Some(Measure { value: distances.iter().sum::<f64>() / pairs.len() as f64, reading }))
}

/// Total variation distance of one pair of columns.
fn distance(comparison: &Comparison<'_>, (one, other): (usize, usize)) -> f64 {
    let (table, release) = (comparison.table, comparison.release);
    let raw = plain(&table.contingency, one, other);
    let published = plain(&release.contingency, one, other);
    let mut expected = ExpectedPairs::new(&raw);
    expected.add(&published, &release.columns[one], &release.columns[other]);
    let cells = table.columns[one].tree.len() as f64 * table.columns[other].tree.len() as f64;
    let everywhere = release.suppressed as f64 / cells;
    let surplus = |(at, weight): (usize, &Weight)| (*weight as f64 - expected.weights[at] - everywhere).max(0.0);
    raw.weights.iter().enumerate().map(surplus).sum::<f64>() / table.contingency.rows() as f64
}

fn plain(contingency: &ContingencyTable, one: usize, other: usize) -> ContingencyTable {
    let codes = [one, other].map(|column| contingency.codes[column].as_slice());
    crate::data::contingency::combine(&codes, &contingency.weights, None)
}

/// Expected number of records by raw pair, given the published pairs.
struct ExpectedPairs<'a> {
    raw: &'a ContingencyTable,
    weights: Vec<f64>,
}

impl<'a> ExpectedPairs<'a> {
    fn new(raw: &'a ContingencyTable) -> ExpectedPairs<'a> {
        ExpectedPairs { raw, weights: vec![0.0; raw.len()] }
    }

    /// Spreads the published pairs over the pairs of their leaves that occur in the raw table.
    fn add(&mut self, published: &ContingencyTable, one: &PublishedColumn, other: &PublishedColumn) {
        // The pairs are sorted by the first column.
        let mut start = 0;
        while start < published.len() {
            let first = published.codes[0][start];
            let end = start + published.codes[0][start..].partition_point(|code| *code == first);
            self.add_first(published, start..end, (one, first), other);
            start = end;
        }
    }

    /// Spreads the published pairs of one value of the first column.
    fn add_first(
        &mut self,
        published: &ContingencyTable,
        pairs: Range<usize>,
        (one, first): (&PublishedColumn, u32),
        other: &PublishedColumn,
    ) {
        // Positions of the raw pairs below the value, by code of the second column.
        let mut below: HashMap<Code, Vec<usize>> = HashMap::new();
        let firsts = leaves(&one.tree, one.nodes[first as usize]);
        for codes in &firsts {
            let column = &self.raw.codes[0];
            let range =
                column.partition_point(|code| *code < codes.start)..column.partition_point(|code| *code < codes.end);
            range.for_each(|at| below.entry(self.raw.codes[1][at]).or_default().push(at));
        }
        let mut seconds: Vec<Code> = below.keys().copied().collect();
        seconds.sort_unstable();
        let mut by_second = vec![0.0; seconds.len()];
        for at in pairs {
            let ranges = leaves(&other.tree, other.nodes[published.codes[1][at] as usize]);
            let share = published.weights[at] as f64 / size(&ranges);
            for codes in &ranges {
                let from = seconds.partition_point(|code| *code < codes.start);
                let to = seconds.partition_point(|code| *code < codes.end);
                by_second[from..to].iter_mut().for_each(|sum| *sum += share);
            }
        }
        for (second, sum) in seconds.iter().zip(by_second) {
            for at in below.get(second).into_iter().flatten() {
                self.weights[*at] += sum / size(&firsts);
            }
        }
    }
}

fn size(ranges: &[Range<Code>]) -> f64 {
    ranges.iter().map(Range::len).sum::<usize>().max(1) as f64
}
