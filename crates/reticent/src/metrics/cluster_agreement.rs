//! Cluster agreement: F-measure of the clusters of the release against the clusters of the raw table.
//!
//! Definition  sum over the raw clusters K of |K| / |D| * max over the published clusters C of 2 |K and C| / (|K| + |C|). Both
//!             clusterings group the records by their quasi-identifiers, with the method and the number of clusters of the
//!             purpose. A published value has the mean position of its leaves; in a column without order it is a separate value.
//! Suppressed  cells are values like any other. A suppressed record is in its raw cluster, and in no published one.
//! Missing     a missing value is a separate value.
//! Paper       Fung, Wang, Wang and Hung, Privacy-preserving data publishing for cluster analysis, DKE 68(6), 2009; Larsen and
//!             Aone, Fast and effective text mining using linear-time document clustering, KDD 1999 (F-measure).

use std::collections::BTreeMap;

use super::cells::leaves;
use super::{Comparison, Measure, MetricDef};
use crate::algorithms::{Axis, Points, Purpose, clusters_of_table, positions};
use crate::data::contingency::{Weight, combine_with_positions};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "cluster-agreement",
        title: "cluster agreement",
        summary: "F-measure of the clusters of the published quasi-identifiers against the clusters of the raw ones, for the number of \
                  clusters of the purpose.",
        paper: "Fung, Wang, Wang and Hung, Privacy-preserving data publishing for cluster analysis, Data and Knowledge Engineering, 2009",
        protects_against: "changes of the result of a cluster analysis",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::queries", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let Purpose::Clusters(count) = comparison.purpose else { return Ok(None) };
    let columns = comparison.table.with_role(Role::QuasiIdentifier);
    if columns.is_empty() {
        return Ok(None);
    }
    let raw = clusters_of_table(comparison.table, &columns, *count);
    let published = published_clusters(comparison, &columns, *count);
    let pairs: Vec<(u32, Option<u32>, Weight)> = raw
        .into_iter()
        .zip(published)
        .zip(&comparison.table.contingency.weights)
        .map(|((raw, published), weight)| (raw, published, *weight))
        .collect();
    let reading = format!(
        "F-measure of {count} published clusters against {count} raw clusters: 1 = the same records; higher is better{}",
        comparison.excluded_text("are in no published cluster"),
    );
    Ok(Some(Measure { value: f_measure(&pairs), reading }))
}

/// F-measure of records with a raw and a published cluster, each with a number of records.
pub(super) fn f_measure(records: &[(u32, Option<u32>, Weight)]) -> f64 {
    let mut of_raw: BTreeMap<u32, Weight> = BTreeMap::new();
    let mut of_published: BTreeMap<u32, Weight> = BTreeMap::new();
    let mut of_both: BTreeMap<(u32, u32), Weight> = BTreeMap::new();
    for (raw, published, weight) in records {
        *of_raw.entry(*raw).or_default() += weight;
        if let Some(published) = published {
            *of_published.entry(*published).or_default() += weight;
            *of_both.entry((*raw, *published)).or_default() += weight;
        }
    }
    let rows: Weight = of_raw.values().sum();
    let best = |(raw, size): (&u32, &Weight)| {
        let agreement = |(published, other): (&u32, &Weight)| {
            let both = of_both.get(&(*raw, *published)).copied().unwrap_or(0);
            2.0 * both as f64 / (size + other) as f64
        };
        *size as f64 / rows as f64 * of_published.iter().map(agreement).fold(0.0, f64::max)
    };
    of_raw.iter().map(best).sum()
}

/// Clusters of the published quasi-identifiers, by combination of the table; `None` for a suppressed record.
fn published_clusters(comparison: &Comparison<'_>, columns: &[usize], count: usize) -> Vec<Option<u32>> {
    let (table, recoding) = (comparison.table, comparison.recoding);
    let mut rows: Vec<usize> = Vec::new();
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
    let mut row = Vec::new();
    for at in 0..table.contingency.len() {
        if recoding.publish(&table.contingency, at, &mut row) {
            rows.push(at);
            columns.iter().zip(&mut codes).for_each(|(column, codes)| codes.push(row[*column]));
        }
    }
    let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
    let weights: Vec<Weight> = rows.iter().map(|at| table.contingency.weights[*at]).collect();
    let mut place_of = vec![0; rows.len()];
    let distinct = combine_with_positions(&views, &weights, None, |at, place| place_of[at] = place as usize);
    let axes: Vec<Axis> =
        columns.iter().zip(&distinct.codes).map(|(column, codes)| axis(comparison, *column, codes)).collect();
    let column_weights: Vec<f64> = columns.iter().map(|column| table.columns[*column].loss_weight).collect();
    let points = Points { axes: &axes, column_weights: &column_weights, records: &distinct.weights };
    let clusters = points.clusters(count);
    let mut published = vec![None; table.contingency.len()];
    rows.iter().zip(place_of).for_each(|(at, place)| published[*at] = clusters.get(place).copied());
    published
}

/// Values of a published column: the mean position of the leaves, or the published values if the column has no order.
fn axis(comparison: &Comparison<'_>, column: usize, codes: &[u32]) -> Axis {
    let published = &comparison.recoding.columns[column].column;
    let Some(positions) = positions(&comparison.table.columns[column].tree) else {
        return Axis::Nominal(codes.to_vec());
    };
    let mean = |node: &usize| {
        let leaves = leaves(&published.tree, *node);
        let places = || leaves.iter().flat_map(|codes| &positions[codes.start as usize..codes.end as usize]);
        places().sum::<f64>() / places().count().max(1) as f64
    };
    let of_code: Vec<f64> = published.nodes.iter().map(mean).collect();
    Axis::Ordered(codes.iter().map(|code| of_code[*code as usize]).collect())
}
