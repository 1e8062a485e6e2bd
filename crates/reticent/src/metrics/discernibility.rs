//! Discernibility: from how many records a record cannot be told apart.
//!
//! Definition  every record costs the size of its class on the quasi-identifiers: the sum of |class|^2.
//! Suppressed  records cost the size of the table each. A hidden cell equals only another hidden cell.
//! Missing     a missing value is a value of its own.
//! Paper       Skowron and Rauszer 1992; Bayardo and Agrawal, ICDE 2005; survey section 4.1 (DM).

use super::{Comparison, Listed, Measure, short};
use crate::classes::sizes;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::schema::Role;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "discernibility",
        title: "discernibility",
        summary: "The sum over all records of how many records share their published quasi-identifiers; a suppressed record costs the whole table.",
        paper: "Bayardo and Agrawal, Data privacy through optimal k-anonymization, ICDE 2005",
        thwarts: "how many records became indistinguishable",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::discernibility", "laws::metrics"],
    },
    measure,
};

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    let by = comparison.table.with_role(Role::QuasiIdentifier);
    if by.is_empty() {
        return Ok(None);
    }
    let rows = u128::from(comparison.table.combos.rows());
    let squares = sizes(&comparison.release.combos, &by).into_iter().map(|size| u128::from(size).pow(2));
    let cost = squares.sum::<u128>() + u128::from(comparison.release.suppressed) * rows;
    let reading = format!(
        "sum of squared class sizes, {} records for each record; lower is better{}",
        short(cost as f64 / rows as f64),
        comparison.left_out("cost the size of the table each"),
    );
    Ok(Some(Measure { value: cost as f64, reading }))
}
