//! Classification metric: how many records are not like the majority of their class.
//!
//! Definition  the share of records that are suppressed, or whose label is not the most frequent label among the records
//!             with the same published quasi-identifiers. The label is the raw one, also where its column is generalized.
//! Suppressed  records count as wrong. A hidden cell equals only another hidden cell.
//! Missing     a missing label is a label of its own.
//! Paper       Iyengar, Transforming data to satisfy privacy constraints, KDD 2002; survey section 4.2 (CM).

use super::{Comparison, Listed, Measure};
use crate::classes::{Measured, for_each};
use crate::combos::{Combos, Weight};
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::schema::Role;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "classification-metric",
        title: "classification metric",
        summary: "The share of records that are suppressed or do not carry the majority label of their class.",
        paper: "Iyengar, Transforming data to satisfy privacy constraints, KDD 2002",
        thwarts: "how well the published quasi-identifiers still separate the labels",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::classification_metric", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let Some(class) = comparison.class()? else { return Ok(None) };
    let mut by = comparison.table.with_role(Role::QuasiIdentifier);
    by.retain(|place| *place != class);
    let labelled = labelled(comparison, &by, class);
    let labels = Measured::new(&labelled, &[by.len()]);
    let mut right: Weight = 0;
    for_each(&labelled, &(0..by.len()).collect::<Vec<_>>(), &labels, |_, group| {
        right += group.counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    });
    let rows = comparison.table.combos.rows();
    let reading = format!(
        "share of records without the majority label of `{}` in their class; lower is better{}",
        comparison.table.columns[class].name,
        comparison.left_out("count as wrong"),
    );
    Ok(Some(Measure { value: (rows - right) as f64 / rows as f64, reading }))
}

/// The published values on these columns, then the raw label, of every record that is published.
fn labelled(comparison: &Comparison<'_>, by: &[usize], class: usize) -> Combos {
    let combos = &comparison.table.combos;
    let mut labelled = Combos { codes: vec![Vec::new(); by.len() + 1], ..Combos::default() };
    let mut row = Vec::new();
    for at in 0..combos.len() {
        if !comparison.recoding.publish(combos, at, &mut row) {
            continue;
        }
        let values = by.iter().map(|place| row[*place]).chain([combos.codes[class][at]]);
        for (into, value) in labelled.codes.iter_mut().zip(values) {
            into.push(value);
        }
        labelled.weights.push(combos.weights[at]);
    }
    labelled
}
