//! Average class size: mean number of records in an equivalence class.
//!
//! Definition  (published records) / (equivalence classes on the quasi-identifiers). The C_AVG of the paper also divides
//!             by k; this metric does not, because k is a parameter of one model only.
//! Suppressed  records are not counted. A suppressed cell equals only another suppressed cell.
//! Missing     a missing value is a separate value.
//! Paper       LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.

use super::{Comparison, Measure, MetricDef};
use crate::data::schema::Role;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::release::classes::sizes;

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "average-class-size",
        title: "average class size",
        summary: "Mean size of the equivalence classes: (published records) / (equivalence classes on the quasi-identifiers).",
        paper: "LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
        protects_against: "size of the equivalence classes",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::average_class_size", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let by = comparison.table.with_role(Role::QuasiIdentifier);
    let contingency = &comparison.release.contingency;
    // Without published records there is no class, and no mean.
    if by.is_empty() || contingency.is_empty() {
        return Ok(None);
    }
    let classes = sizes(contingency, &by).len();
    let reading = format!(
        "mean number of records in an equivalence class ({classes} classes); lower is better{}",
        comparison.excluded_text("are not counted"),
    );
    Ok(Some(Measure { value: contingency.rows() as f64 / classes as f64, reading }))
}
