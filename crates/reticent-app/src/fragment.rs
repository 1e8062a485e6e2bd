//! Answers as HTML fragments, for notebooks and web pages.

use reticent::metrics::PURPOSE_LOSS;
use reticent::statement::{Outcome, Statement};
use reticent_ledger::HistoryScope;
use reticent_report::{
    CheckView, CheckedColumn, CheckedModel, Comparison, GroupedView, MetricLine, ReasonLine, ReleaseView,
    StatementLine, StatementOutcome, TriedLine, audit_fragment, check_fragment, comparison_fragment, grouped_fragment,
    release_fragment, table_fragment,
};

use crate::answer::{AuditAnswer, CheckAnswer, GroupedAnswer, Publication, RecodedAnswer};

/// Smallest count of people in a public fragment or report.
pub(crate) const MIN_PUBLIC_COUNT: u64 = 10;

/// Renders the result of a check.
pub(crate) fn check(answer: &CheckAnswer, public: bool) -> String {
    let data = answer.data.as_ref();
    let models = data.iter().flat_map(|data| &data.models).map(|model| CheckedModel {
        title: &model.model,
        holds: model.holds,
        classes: model.classes,
        violating_classes: model.violating_classes as u64,
        people_in_violating_classes: model.people_in_violating_classes,
    });
    let unreachable: Vec<String> = data
        .iter()
        .flat_map(|data| &data.unreachable)
        .map(|found| format!("{}: {}", found.model, found.explanation))
        .collect();
    let minimal = data.and_then(|data| data.minimal_quasi_identifier.as_ref());
    check_fragment(&CheckView {
        dataset: &answer.dataset,
        requirements: &answer.requirements,
        columns: answer.columns.iter().map(|column| CheckedColumn { name: &column.name, role: column.role }).collect(),
        risk: data.map(|data| &data.risk),
        class_sizes: data.map_or(&[], |data| &data.class_sizes),
        models: models.collect(),
        minimal_quasi_identifier: minimal.map_or(&[], |minimal| &minimal.columns),
        unreachable: &unreachable,
        warnings: data.map_or(&[], |data| &data.warnings),
        notes: data.map_or(&[], |data| &data.notes),
        public,
        min_count: MIN_PUBLIC_COUNT,
    })
}

/// Renders a planned or published release.
pub(crate) fn publication(answer: &Publication, public: bool) -> String {
    match answer {
        Publication::Recoded(answer) => recoded(answer, public),
        Publication::Grouped(answer) => grouped(answer, public),
    }
}

fn recoded(answer: &RecodedAnswer, public: bool) -> String {
    let texts: Vec<String> = answer.statements.iter().map(Statement::to_string).collect();
    let statements = answer.statements.iter().zip(&texts).map(|(statement, text)| StatementLine {
        text,
        outcome: match &statement.outcome {
            _ if statement.is_violated() => StatementOutcome::Violated,
            Outcome::Judged { .. } => StatementOutcome::Holds,
            Outcome::NotApplicable { .. } => StatementOutcome::NotApplicable,
            _ => StatementOutcome::Skipped,
        },
    });
    let file = answer.file.as_ref().map(|file| file.display().to_string());
    let metrics = answer.metrics.iter().map(|metric| MetricLine {
        id: metric.id,
        value: metric.measure.value,
        reading: &metric.measure.reading,
    });
    let tried = answer.tried.iter().map(|tried| TriedLine {
        algorithm: &tried.algorithm,
        loss: tried.loss,
        refused: tried.refused.as_deref(),
    });
    release_fragment(&ReleaseView {
        name: &answer.name,
        planned: answer.dry_run,
        recipients: &answer.recipients,
        file: file.as_deref(),
        algorithm: &answer.algorithm,
        loss: answer.metric(PURPOSE_LOSS),
        records: answer.records,
        published: answer.published,
        suppressed: answer.suppressed,
        dropped: answer.dropped,
        classes: answer.classes,
        risk: Some(&answer.risk),
        metrics: metrics.collect(),
        statements: statements.collect(),
        distributions: &answer.distributions,
        fully_suppressed: &answer.fully_suppressed,
        warnings: &answer.warnings,
        notes: &answer.notes,
        not_established: &answer.not_established,
        assumptions: &answer.assumptions,
        tried: tried.collect(),
        earlier: &earlier(&answer.judged),
        public,
        min_count: MIN_PUBLIC_COUNT,
    })
}

/// Returns the earlier releases that a release was judged with.
fn earlier(judged: &HistoryScope) -> Vec<String> {
    match judged {
        HistoryScope::History { with } => with.iter().map(|number| format!("release {number}")).collect(),
        _ => Vec::new(),
    }
}

fn grouped(answer: &GroupedAnswer, public: bool) -> String {
    let withheld =
        answer.withheld.iter().map(|withheld| ReasonLine { reason: &withheld.reason, people: withheld.records });
    let reasons: Vec<String> = answer.postponed.iter().map(|postponed| format!("since {}", postponed.since)).collect();
    let postponed = answer.postponed.iter().zip(&reasons);
    let postponed = postponed.map(|(postponed, reason)| ReasonLine { reason, people: postponed.records });
    let bounds =
        answer.promise.columns.iter().map(|bound| format!("posterior of {} at most {}", bound.column, bound.most));
    let guarantees: Vec<String> = [answer.promise.text.to_owned()].into_iter().chain(bounds).collect();
    grouped_fragment(&GroupedView {
        name: &answer.name,
        planned: answer.dry_run,
        method: answer.method,
        recipients: &answer.recipients,
        published: answer.published,
        withheld: withheld.collect(),
        postponed: postponed.collect(),
        groups: answer.groups,
        counterfeits: answer.counterfeits,
        guarantees: &guarantees,
        warnings: &answer.warnings,
        notes: &answer.notes,
        not_established: &answer.not_established,
        public,
        min_count: MIN_PUBLIC_COUNT,
    })
}

/// Renders a comparison.
pub(crate) fn comparison(page: &Comparison, public: bool) -> String {
    comparison_fragment(page, public, MIN_PUBLIC_COUNT)
}

/// Renders a table with a title, such as the log of a ledger.
pub fn table(title: &str, headers: &[&str], rows: &[Vec<String>], note: Option<&str>) -> String {
    table_fragment(title, headers, rows, note)
}

/// Renders the disclosure risk report of an audit.
pub(crate) fn audit(answer: &AuditAnswer, public: bool) -> String {
    audit_fragment(&answer.report(public))
}
