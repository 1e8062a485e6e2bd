//! Objective of a search: what a purpose means for a table.
//!
//! Weights     by generalized column, with mean 1. They multiply the loss of the column.
//!             general: the weights of the policy. classification, clusters: times the mutual information of the column and the
//!             label. queries: times the weight of the queries that constrain the column. A column always keeps a part of its
//!             weight, so that no detail is lost without need.
//! Labels      classification: the value of the class column. clusters: the cluster of the raw quasi-identifiers. They are known
//!             for every combination of the table, and the searches keep what predicts them.
//! Node loss   for searches that choose a node for each cell: weight of the policy * (penalty + detail / mean detail of a column
//!             at the root). The penalty is (leaves - 1) / (all leaves - 1), the detail is that of `detail`. So the purpose counts
//!             as much as general use. With general use, the node loss is the weight * penalty.
//! Set loss    the same for a set of values, with the penalty (values - 1) / (all leaves - 1) and the detail of exactly these values.
//! Source      Wang, Yu and Chakraborty, Bottom-up generalization, ICDM 2004 (classification); Fung, Wang, Wang and Hung,
//!             Privacy-preserving data publishing for cluster analysis, DKE 68(6), 2009; LeFevre, DeWitt and Ramakrishnan,
//!             Workload-aware anonymization, KDD 2006 (queries). The node loss is our own.

mod detail;
#[cfg(test)]
mod tests;

use super::Purpose;
use super::clusters::clusters_of_table;
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::data::taxonomy::{Code, Taxonomy};
use crate::data::workload::CodeQuery;
use crate::error::Result;
use detail::Detail;

/// Share of the mean weight that a column keeps if the purpose does not need it.
const MIN_SHARE: f64 = 0.05;

/// Objective of a search over a table.
#[derive(Debug, Clone)]
pub(crate) struct Objective {
    /// Weight by generalized column, in the order of the columns.
    pub weights: Vec<f64>,
    /// Labels that the release should predict, if the purpose has any.
    pub labels: Option<Labels>,
    /// Weight of the policy and detail, by generalized column.
    columns: Vec<(f64, Detail)>,
    /// Mean over the columns of the detail at the root.
    mean_detail: f64,
}

/// Label of every combination of a table.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    /// Label by combination, from 0.
    pub by_combination: Vec<u32>,
    /// Number of labels.
    pub count: usize,
}

impl Objective {
    /// Returns the objective of a purpose, for a search that generalizes these columns.
    pub(crate) fn new(table: &Table, purpose: &Purpose, columns: &[usize]) -> Result<Objective> {
        let labels = Labels::new(table, purpose)?;
        let queries = match purpose {
            Purpose::Queries(workload) => workload.resolve(table)?.0,
            _ => Vec::new(),
        };
        let detail = |column: &usize| match (&labels, queries.is_empty()) {
            (Some(labels), _) => Detail::of_labels(table, *column, labels),
            (None, false) => Detail::of_queries(&queries, *column),
            (None, true) => Detail::Uniform,
        };
        let details: Vec<Detail> = columns.iter().map(detail).collect();
        let all = |column: &usize| 0..table.columns[*column].tree.len() as Code;
        let at_root: Vec<f64> = details.iter().zip(columns).map(|(detail, column)| detail.lost(all(column))).collect();
        let shares = match queries.is_empty() {
            true => at_root.clone(),
            false => columns.iter().map(|column| constrained(&queries, *column)).collect(),
        };
        let given: Vec<f64> = columns.iter().map(|column| table.columns[*column].loss_weight).collect();
        let weights = given.iter().zip(with_minimum(shares)).map(|(given, share)| given * share).collect();
        Ok(Objective {
            weights: with_mean_one(weights),
            labels,
            mean_detail: at_root.iter().sum::<f64>() / at_root.len().max(1) as f64,
            columns: given.into_iter().zip(details).collect(),
        })
    }

    /// Returns the loss of publishing each node of a tree of a generalized column, given its index among these columns.
    pub(super) fn node_losses(&self, dimension: usize, tree: &Taxonomy) -> Vec<f64> {
        let others = tree.len().saturating_sub(1).max(1) as f64;
        let (weight, detail) = &self.columns[dimension];
        let loss = |(node, lost): (&crate::data::taxonomy::Node, f64)| {
            let penalty = node.span.len().saturating_sub(1) as f64 / others;
            let lost = if self.mean_detail > 0.0 { lost / self.mean_detail } else { 0.0 };
            weight * (penalty + lost)
        };
        tree.nodes().iter().zip(detail.lost_by_node(tree)).map(loss).collect()
    }
}

impl Objective {
    /// Weight of the policy of a generalized column, given its index among these columns: the loss of suppressing a cell in general use.
    pub(crate) fn column_weight(&self, dimension: usize) -> f64 {
        self.columns[dimension].0
    }

    /// Whether sets of values of a generalized column lose detail that the purpose needs.
    pub(super) fn has_detail(&self, dimension: usize) -> bool {
        !self.columns[dimension].1.is_uniform() && self.mean_detail > 0.0
    }

    /// Returns the loss of the detail that a purpose needs if a set of values is published.
    pub(crate) fn set_detail_loss(&self, dimension: usize, codes: &mut dyn Iterator<Item = Code>) -> f64 {
        let (weight, detail) = &self.columns[dimension];
        if self.mean_detail > 0.0 { weight * detail.lost(codes) / self.mean_detail } else { 0.0 }
    }
}

impl Labels {
    /// Returns the labels of a purpose; `None` if it has no labels.
    fn new(table: &Table, purpose: &Purpose) -> Result<Option<Labels>> {
        match purpose {
            Purpose::General | Purpose::Queries(_) => Ok(None),
            Purpose::Classification(column) => {
                let class = table.position(column)?;
                let by_combination = table.contingency.codes[class].clone();
                Ok(Some(Labels { by_combination, count: table.columns[class].tree.len() }))
            }
            Purpose::Clusters(count) => {
                let by_combination = clusters_of_table(table, &table.with_role(Role::QuasiIdentifier), *count);
                Ok(Some(Labels { by_combination, count: (*count).max(1) }))
            }
        }
    }
}

/// Weight of the queries that constrain a column.
fn constrained(queries: &[CodeQuery], column: usize) -> f64 {
    let constrains = |query: &&CodeQuery| query.conditions.iter().any(|condition| condition.column == column);
    queries.iter().filter(constrains).map(|query| query.weight).sum()
}

/// Raises small shares to a part of the mean; equal shares if all are 0.
fn with_minimum(shares: Vec<f64>) -> Vec<f64> {
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    if mean <= 0.0 {
        return vec![1.0; shares.len()];
    }
    shares.into_iter().map(|share| share.max(MIN_SHARE * mean)).collect()
}

/// Scales weights to mean 1.
fn with_mean_one(weights: Vec<f64>) -> Vec<f64> {
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    // Equal weights stay exactly 1. Weights that are all 0 have no order.
    if mean <= 0.0 || weights.windows(2).all(|pair| pair[0] == pair[1]) {
        return vec![1.0; weights.len()];
    }
    weights.into_iter().map(|weight| weight / mean).collect()
}
