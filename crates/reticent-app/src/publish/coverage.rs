//! Coverage of the verdict on a release: the requirements of the policy that were not judged, or only in part.

use reticent::statement::{Level, Outcome, Statement};
use reticent_ledger::HistoryScope;

/// Returns why the release is not established to be within the policy. Empty: every requirement was judged or does not apply.
///
/// `join_only` are the earlier releases whose records could not be linked to people.
pub(super) fn not_established(
    statements: &[Statement],
    judged: &HistoryScope,
    join_only: &[u64],
    is_audited: bool,
) -> Vec<String> {
    let mut open = Vec::new();
    if !is_audited {
        open.push("the release was not audited".to_owned());
    }
    if let HistoryScope::Alone { apart_from } = judged
        && !apart_from.is_empty()
    {
        open.push(format!("the release was judged without {}, which recipients can hold", releases(apart_from)));
    }
    for statement in statements {
        let model = &statement.model;
        match &statement.outcome {
            Outcome::Skipped { reason } => open.push(format!("{model} was not judged ({reason})")),
            Outcome::Judged { level: Level::Estimate, .. } => {
                open.push(format!("{model} was judged by estimates, which can be wrong"));
            }
            Outcome::Judged { violations: 1.., .. } => open.push(format!("{model} is violated")),
            Outcome::Judged { .. } | Outcome::NotApplicable { .. } => {}
        }
    }
    if !join_only.is_empty() {
        open.push(format!(
            "posteriors were not judged given {}, whose record owners are unknown; only joins were",
            releases(join_only)
        ));
    }
    open
}

/// Formats numbers of releases: `release 1` or `releases 1, 2`.
fn releases(numbers: &[u64]) -> String {
    let list: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("release{} {}", if numbers.len() == 1 { "" } else { "s" }, list.join(", "))
}
