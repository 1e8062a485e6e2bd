//! Average class size: how many records share their published quasi-identifiers, on average over the classes.
//!
//! Definition  records published / classes on the quasi-identifiers. The paper's C_AVG also divides by k, which belongs
//!             to one model; here the number stands for itself.
//! Suppressed  records do not count. A hidden cell equals only another hidden cell.
//! Missing     a missing value is a value of its own.
//! Paper       LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.

use super::{Comparison, Listed, Measure};
use crate::classes::sizes;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::schema::Role;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "average-class-size",
        title: "average class size",
        summary: "Published records for each class on the quasi-identifiers.",
        paper: "LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
        thwarts: "how coarse the classes are",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::average_class_size", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let by = comparison.table.with_role(Role::QuasiIdentifier);
    let combos = &comparison.release.combos;
    // Where nothing is published there is no class, and no average.
    if by.is_empty() || combos.is_empty() {
        return Ok(None);
    }
    let classes = sizes(combos, &by).len();
    let reading = format!(
        "records a class, on the quasi-identifiers ({classes} in all); lower is better{}",
        comparison.left_out("do not count"),
    );
    Ok(Some(Measure { value: combos.rows() as f64 / classes as f64, reading }))
}
