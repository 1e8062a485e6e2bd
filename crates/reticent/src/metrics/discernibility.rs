//! Discernibility metric: the sum of squared equivalence class sizes.
//!
//! Definition  sum over classes x of |x|^2, plus |T| for each suppressed record: every record costs the size of its class.
//! Suppressed  a suppressed record costs |T|, the size of the table. A suppressed cell equals only a suppressed cell.
//! Missing     a missing value is a separate value.
//! Paper       Skowron and Rauszer 1992; Bayardo and Agrawal, ICDE 2005; survey section 4.1 (DM).

use super::{Comparison, Measure, MetricDef, rounded_text};
use crate::data::schema::Role;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::release::classes::sizes;

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "discernibility",
        title: "discernibility",
        summary: "Sum over all equivalence classes x of |x|^2, plus the table size |T| for each suppressed record.",
        paper: "Bayardo and Agrawal, Data privacy through optimal k-anonymization, ICDE 2005",
        protects_against: "number of indistinguishable records",
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
    let rows = u128::from(comparison.table.contingency.rows());
    let squares = sizes(&comparison.release.contingency, &by).into_iter().map(|size| u128::from(size).pow(2));
    let cost = squares.sum::<u128>() + u128::from(comparison.release.suppressed) * rows;
    let reading = format!(
        "sum of squared class sizes, mean {} per record; lower is better{}",
        rounded_text(cost as f64 / rows as f64),
        comparison.excluded_text("count with the size of the table each"),
    );
    Ok(Some(Measure { value: cost as f64, reading }))
}
