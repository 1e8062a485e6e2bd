//! Objective of a search: what a purpose means for a table.
//!
//! Weights     by generalized column, with mean 1. They multiply the loss of the column.
//!             general: the weights of the policy. classification, clusters: times the mutual information of the column and the
//!             label. queries: times the weight of the queries that constrain the column. A column always keeps a part of its
//!             weight, so that no detail is lost without need.
//! Labels      classification: the value of the class column. clusters: the cluster of the raw quasi-identifiers. They are known
//!             for every combination of the table, and the searches keep what predicts them.
//! Source      Wang, Yu and Chakraborty, Bottom-up generalization, ICDM 2004 (classification); Fung, Wang, Wang and Hung,
//!             Privacy-preserving data publishing for cluster analysis, DKE 68(6), 2009; LeFevre, DeWitt and Ramakrishnan,
//!             Workload-aware anonymization, KDD 2006 (queries).

#[cfg(test)]
mod tests;

use super::Purpose;
use super::clusters::clusters_of_table;
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::data::workload::CodeQuery;
use crate::error::Result;

/// Share of the mean weight that a column keeps if the purpose does not need it.
const MIN_SHARE: f64 = 0.05;

/// Objective of a search over a table.
#[derive(Debug, Clone)]
pub(super) struct Objective {
    /// Weight by generalized column, in the order of the columns.
    pub weights: Vec<f64>,
    /// Labels that the release should predict, if the purpose has any.
    pub labels: Option<Labels>,
}

/// Label of every combination of a table.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    /// Label by combination, from 0.
    pub by_combination: Vec<u32>,
    /// Number of labels.
    pub count: usize,
}

impl Objective {
    /// Returns the objective of a purpose, for a search that generalizes these columns.
    pub(super) fn new(table: &Table, purpose: &Purpose, columns: &[usize]) -> Result<Objective> {
        let labels = Labels::new(table, purpose)?;
        let shares = match purpose {
            Purpose::General => vec![1.0; columns.len()],
            Purpose::Classification(_) | Purpose::Clusters(_) => {
                let information =
                    |column: &usize| labels.as_ref().map_or(0.0, |labels| labels.information(table, *column));
                columns.iter().map(information).collect()
            }
            Purpose::Queries(workload) => constrained(&workload.resolve(table)?.0, columns),
        };
        let shares = with_minimum(shares);
        let given: Vec<f64> = columns.iter().map(|column| table.columns[*column].loss_weight).collect();
        let weights = given.iter().zip(&shares).map(|(given, share)| given * share).collect();
        Ok(Objective { weights: with_mean_one(weights), labels })
    }
}

impl Labels {
    /// Returns the labels of a purpose; `None` if it has no labels.
    pub(super) fn new(table: &Table, purpose: &Purpose) -> Result<Option<Labels>> {
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

    /// Mutual information of a column and the labels, in bits.
    fn information(&self, table: &Table, column: usize) -> f64 {
        let contingency: &ContingencyTable = &table.contingency;
        let values = table.columns[column].tree.len();
        let mut joint = vec![0; values * self.count];
        let (mut of_value, mut of_label) = (vec![0; values], vec![0; self.count]);
        let mut rows: Weight = 0;
        for (at, weight) in contingency.weights.iter().enumerate() {
            let (value, label) = (contingency.codes[column][at] as usize, self.by_combination[at] as usize);
            joint[value * self.count + label] += weight;
            of_value[value] += weight;
            of_label[label] += weight;
            rows += weight;
        }
        // I(X; L) = H(X) + H(L) - H(X, L)
        let information = entropy(&of_value, rows) + entropy(&of_label, rows) - entropy(&joint, rows);
        information.max(0.0)
    }
}

/// Entropy of counts with this sum, in bits.
fn entropy(counts: &[Weight], rows: Weight) -> f64 {
    let part = |count: &Weight| {
        let share = *count as f64 / rows as f64;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(part).sum()
}

/// Weight of the queries that constrain each column.
fn constrained(queries: &[CodeQuery], columns: &[usize]) -> Vec<f64> {
    let constrains =
        |query: &&CodeQuery, column: usize| query.conditions.iter().any(|condition| condition.column == column);
    let weight =
        |column: &usize| queries.iter().filter(|query| constrains(query, *column)).map(|query| query.weight).sum();
    columns.iter().map(weight).collect()
}

/// Raises small shares to a part of the mean; equal shares if all are 0.
fn with_minimum(shares: Vec<f64>) -> Vec<f64> {
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    if mean <= 0.0 {
        return vec![1.0; shares.len()];
    }
    shares.into_iter().map(|share| share.max(MIN_SHARE * mean)).collect()
}

/// Scales weights to mean 1; weights that are all 0 become 1.
fn with_mean_one(weights: Vec<f64>) -> Vec<f64> {
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    if mean <= 0.0 {
        return vec![1.0; weights.len()];
    }
    // Equal weights stay exactly 1.
    if weights.windows(2).all(|pair| pair[0] == pair[1]) {
        return vec![1.0; weights.len()];
    }
    weights.into_iter().map(|weight| weight / mean).collect()
}
