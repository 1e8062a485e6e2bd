//! Query error: the mean relative error of count queries that are answered from the release.
//!
//! Definition  error of a query = |estimate - count| / max(count, s), where `count` is the number of raw records that match, and s is
//!             1/1000 of the records, but at least 1. The estimate assumes that the leaves of a published value are equally
//!             likely, and that the columns of a record are independent: the sum over the published records of the product over
//!             the conditions of |leaves of the value that match| / |leaves of the value|. The metric is the mean over the queries
//!             by their weights.
//! Queries     those of the purpose. Queries on columns that the table does not have are left out. Without such a purpose: 100
//!             queries with a fixed seed, each on a range of 3/10 of the values of two quasi-identifiers and of one sensitive
//!             column, as far as there are any.
//! Suppressed  a suppressed cell can be any value. A suppressed record is in `count`, but not in the estimate.
//! Missing     a missing value is a separate leaf.
//! Paper       LeFevre, DeWitt and Ramakrishnan, Workload-aware anonymization, KDD 2006; Xiao and Tao, Anatomy, VLDB 2006.

use rayon::prelude::*;

use super::cells::leaves;
use super::learning::mix;
use super::{Comparison, Measure, MetricDef};
use crate::algorithms::Purpose;
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::data::workload::{CodeCondition, CodeQuery, MIN_SELECTIVITY};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "query-error",
        title: "query error",
        summary: "Mean relative error of count queries that are answered from the release, if the values below a published one are \
                  equally likely. The queries are those of the purpose, or 100 random ones.",
        paper: "LeFevre, DeWitt and Ramakrishnan, Workload-aware anonymization, KDD 2006",
        protects_against: "errors of counts that are estimated from the release",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::queries", "laws::metrics"],
    },
    measure,
};

/// Number of random queries.
const RANDOM_QUERIES: u64 = 100;
/// Maximum number of quasi-identifiers in a random query.
const MAX_QUASI_IDENTIFIERS: usize = 2;

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let (queries, source, left_out) = match comparison.purpose {
        Purpose::Queries(workload) => {
            let (queries, left_out) = workload.resolve(comparison.table)?;
            (queries, "of the purpose", left_out)
        }
        _ => (random_queries(comparison.table), "on random ranges", 0),
    };
    let weights: f64 = queries.iter().map(|query| query.weight).sum();
    if weights <= 0.0 {
        return Ok(None);
    }
    let errors: Vec<f64> = queries.par_iter().map(|query| query.weight * relative_error(comparison, query)).collect();
    let left_out = match left_out {
        0 => String::new(),
        _ => format!("; {left_out} queries on columns that the table does not have are left out"),
    };
    let reading = format!(
        "mean relative error of {} count queries {source}: 0 = exact; lower is better{left_out}{}",
        queries.len(),
        comparison.excluded_text("are not in the estimates"),
    );
    Ok(Some(Measure { value: errors.iter().sum::<f64>() / weights, reading }))
}

fn relative_error(comparison: &Comparison<'_>, query: &CodeQuery) -> f64 {
    let contingency = &comparison.table.contingency;
    let matching = (0..contingency.len()).filter(|at| query.matches(&contingency.codes, *at));
    let count = matching.map(|at| contingency.weights[at]).sum::<u64>() as f64;
    let least = (MIN_SELECTIVITY * contingency.rows() as f64).max(1.0);
    (estimate(comparison, query) - count).abs() / count.max(least)
}

fn estimate(comparison: &Comparison<'_>, query: &CodeQuery) -> f64 {
    let release = comparison.release;
    // Share of the leaves that match, by condition and published code.
    let share = |condition: &CodeCondition| -> Vec<f64> {
        let column = &release.columns[condition.column];
        column.nodes.iter().map(|node| condition.share(&leaves(&column.tree, *node))).collect()
    };
    let shares: Vec<(usize, Vec<f64>)> =
        query.conditions.iter().map(|condition| (condition.column, share(condition))).collect();
    let contingency = &release.contingency;
    let matching = |at: usize| -> f64 {
        shares.iter().map(|(column, shares)| shares[contingency.codes[*column][at] as usize]).product()
    };
    (0..contingency.len()).map(|at| contingency.weights[at] as f64 * matching(at)).sum()
}

/// Draws queries on ranges of values, the same for every release of the table.
fn random_queries(table: &Table) -> Vec<CodeQuery> {
    let quasi_identifiers = table.with_role(Role::QuasiIdentifier);
    let sensitive = table.with_role(Role::Sensitive);
    let mut state = 0;
    let mut below = |n: usize| {
        state = mix(state);
        ((u128::from(state) * n as u128) >> 64) as usize
    };
    let mut query = |_| {
        let mut rest = quasi_identifiers.clone();
        let mut columns = Vec::new();
        while columns.len() < MAX_QUASI_IDENTIFIERS && !rest.is_empty() {
            columns.push(rest.swap_remove(below(rest.len())));
        }
        if !sensitive.is_empty() {
            columns.push(sensitive[below(sensitive.len())]);
        }
        let condition = |column: usize| CodeCondition::draw(column, table.columns[column].tree.len(), &mut below);
        CodeQuery { conditions: columns.into_iter().map(condition).collect(), weight: 1.0 }
    };
    if quasi_identifiers.is_empty() {
        return Vec::new();
    }
    (0..RANDOM_QUERIES).map(&mut query).collect()
}
