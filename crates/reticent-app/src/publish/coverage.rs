//! Coverage of the verdict on a release: the requirements of the policy that were not judged, or only in part.

use reticent::audit::Audited;
use reticent::statement::{Level, Outcome, REIDENTIFICATION, Statement};
use reticent::text::people;
use reticent_ledger::HistoryScope;

/// Returns why the release is not established to be within the policy. Empty: every requirement was judged or does not apply.
///
/// This is what holds for releases by algorithms and by methods; [`open_posteriors`] adds what the audit left open.
pub(super) fn not_established(statements: &[Statement], judged: &HistoryScope) -> Vec<String> {
    let mut open = Vec::new();
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
    open
}

/// Returns what the audit of a release by an algorithm left open; `None` if there was no audit.
pub(super) fn open_posteriors(audited: Option<&Audited>, statements: &[Statement]) -> Vec<String> {
    let Some(audited) = audited else { return vec!["the release was not audited".to_owned()] };
    let mut open = Vec::new();
    if !audited.join_only.is_empty() {
        let bounds_risk = statements.iter().any(|statement| statement.model == REIDENTIFICATION);
        let figures = if bounds_risk { "posteriors and re-identification risks" } else { "posteriors" };
        open.push(format!(
            "{figures} were not judged given {}, whose record owners are unknown; only joins were",
            releases(&audited.join_only)
        ));
    }
    if audited.certain > 0 {
        open.push(format!(
            "a sensitive value is certain for {} given all releases, and the policy sets no `confidence`",
            people(audited.certain)
        ));
    }
    open
}

/// Formats numbers of releases: `release 1` or `releases 1, 2`.
fn releases(numbers: &[u64]) -> String {
    let list: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("release{} {}", if numbers.len() == 1 { "" } else { "s" }, list.join(", "))
}
