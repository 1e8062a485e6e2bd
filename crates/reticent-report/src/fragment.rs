//! Fragments: results as small pieces of HTML for notebooks and web pages.
//!
//! A fragment is one `div` with its own style sheet, whose rules apply only inside a fragment. It has no script, no id attribute, and
//! loads no resource, so that several fragments can be on one page.
//!
//! A fragment has a public and an internal variant. The public variant shows no count of people below a smallest count, not even as
//! the difference of two counts. It shows no rare value. The internal variant has a notice.

mod audience;
mod audit;
mod charts;
mod check;
mod comparison;
mod distribution;
mod grouped;
mod parts;
mod release;
#[cfg(test)]
mod tests;

pub use audit::audit_fragment;
pub use check::{CheckView, CheckedColumn, CheckedModel, check_fragment};
pub use comparison::comparison_fragment;
pub use grouped::{GroupedView, ReasonLine, grouped_fragment};
pub use parts::table_fragment;
pub use release::{MetricLine, ReleaseView, StatementLine, StatementOutcome, TriedLine, release_fragment};
