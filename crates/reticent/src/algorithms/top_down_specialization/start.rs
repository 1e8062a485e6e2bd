//! Start of the search: every column at its root, or steps to another state if the root violates the requirement.

use super::super::join_checker;
use super::initial_state::{InitialStep, initial_state};
use crate::algorithms::{Control, RecodingTask};
use crate::data::taxonomy::Cut;
use crate::error::{Error, Outlook, Refusal, Result};
use crate::join::JoinCheck;
use crate::models::{Merging, merging_of};
use crate::operations::suppress_records::suppress_records;
use crate::release::history::History;

/// Returns the steps to the first state of the search; no steps if the root satisfies the requirement.
///
/// # Errors
///
/// Returns a refusal if no state that satisfies the requirement is found.
pub(super) fn initial_steps(
    task: &RecodingTask<'_>,
    columns: &[usize],
    join_checks: &[JoinCheck<'_>],
    control: &Control<'_>,
) -> Result<Vec<InitialStep>> {
    match root_violation(task, columns, join_checks)? {
        None => Ok(Vec::new()),
        Some((error, true)) => Err(error),
        Some((error, false)) => match initial_state(task, columns, join_checks, control)? {
            (Some(steps), _) => Ok(steps),
            (None, releases) => Err(with_examined(error, releases)),
        },
    }
}

fn with_examined(error: Error, releases: usize) -> Error {
    match error {
        Error::Refused(Refusal::RequirementUnreachable { requirement, explanation, witness, outlook, .. }) => {
            let examined = Some(releases);
            Refusal::RequirementUnreachable { requirement, explanation, witness, outlook, examined }.into()
        }
        error => error,
    }
}

/// Returns the violation with every column at its root and the allowed suppression, if there is one. The flag says whether it is
/// proven that no release can satisfy the requirement.
fn root_violation(
    task: &RecodingTask<'_>,
    columns: &[usize],
    join_checks: &[JoinCheck<'_>],
) -> Result<Option<(Error, bool)>> {
    let top = |at: &usize| (*at, task.table.columns[*at].tree.clone(), Cut::top());
    let mut recoding = join_checker::recoding_from_cuts(task.table, columns.iter().map(top).collect());
    let release = recoding.apply(task.table)?;
    let history = History::single(release.clone());
    for model in &task.requirement.models {
        let survey = model.survey(&history)?;
        let Some(worst) = survey.violations.first() else { continue };
        let limit = task.suppression.max_suppressed(task.table.contingency.rows());
        let suppressed = suppress_records(task.table, &mut recoding, task.requirement, join_checks)?;
        if suppressed <= limit && suppressed < task.table.contingency.rows() {
            return Ok(None);
        }
        let outlook = if limit == 0 && merging_of(model.as_ref(), &task.table.contingency) != Merging::Never {
            Outlook::NoGeneralizationHelps
        } else {
            Outlook::SearchEnds
        };
        // Suppression of a person's classes removes records of others, so a more specific release can need less of it.
        let is_proved = limit == 0 || model.record_sets().is_none();
        return Ok(Some((join_checker::requirement_unreachable(model.title(), worst, outlook).into(), is_proved)));
    }
    if let Some((join_check, worst)) = join_checker::first_violation(join_checks, &release)? {
        let limit = task.suppression.max_suppressed(task.table.contingency.rows());
        let suppressed = suppress_records(task.table, &mut recoding, task.requirement, join_checks)?;
        if suppressed <= limit && suppressed < task.table.contingency.rows() {
            return Ok(None);
        }
        // With suppression, more specific classes can satisfy a constraint that the root violates.
        let proved = limit == 0 && join_check.keeps_violating(columns);
        let refusal = Refusal::RequirementUnreachable {
            requirement: join_check.constraint.title.clone(),
            explanation: worst.explanation,
            witness: worst.witness,
            outlook: if proved { Outlook::NothingHelps } else { Outlook::Unknown },
            examined: None,
        };
        return Ok(Some((refusal.into(), proved)));
    }
    Ok(None)
}
