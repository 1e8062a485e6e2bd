//! Classification metric: the share of records without the majority label of their equivalence class.
//!
//! Definition  the share of records that are suppressed, or whose label is not the most frequent label in their class on
//!             the published quasi-identifiers. The raw label is used, even if its column is generalized.
//! Suppressed  records count as wrong. A suppressed cell equals only another suppressed cell.
//! Missing     a missing label is a separate label.
//! Paper       Iyengar, Transforming data to satisfy privacy constraints, KDD 2002; survey section 4.2 (CM).

use super::{Comparison, Measure, MetricDef};
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::release::classes::{Measured, for_each};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "classification-metric",
        title: "classification metric",
        summary: "Share of records that are suppressed or do not have the majority label of their equivalence class.",
        paper: "Iyengar, Transforming data to satisfy privacy constraints, KDD 2002",
        protects_against: "separation of the labels by the published quasi-identifiers",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::classification_metric", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let Some(class) = comparison.label_column()? else { return Ok(None) };
    let mut by = comparison.table.with_role(Role::QuasiIdentifier);
    by.retain(|place| *place != class);
    let labelled = labelled(comparison, &by, class);
    let labels = Measured::new(&labelled, &[by.len()]);
    let mut right: Weight = 0;
    for_each(&labelled, &(0..by.len()).collect::<Vec<_>>(), &labels, |_, class| {
        right += class.counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    });
    let rows = comparison.table.contingency.rows();
    let reading = format!(
        "share of records without the majority label of `{}` in their equivalence class; lower is better{}",
        comparison.table.columns[class].name,
        comparison.excluded_text("count as wrong"),
    );
    Ok(Some(Measure { value: (rows - right) as f64 / rows as f64, reading }))
}

/// Returns the published records: their published values on the columns `by`, followed by the raw label.
fn labelled(comparison: &Comparison<'_>, by: &[usize], class: usize) -> ContingencyTable {
    let contingency = &comparison.table.contingency;
    let mut labelled = ContingencyTable { codes: vec![Vec::new(); by.len() + 1], ..ContingencyTable::default() };
    let mut row = Vec::new();
    for at in 0..contingency.len() {
        if !comparison.recoding.publish(contingency, at, &mut row) {
            continue;
        }
        let values = by.iter().map(|place| row[*place]).chain([contingency.codes[class][at]]);
        for (into, value) in labelled.codes.iter_mut().zip(values) {
            into.push(value);
        }
        labelled.weights.push(contingency.weights[at]);
    }
    labelled
}
