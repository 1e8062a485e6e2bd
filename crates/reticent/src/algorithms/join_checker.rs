//! Checks of joined releases that the algorithms share.

use super::{RecodingTask, SearchOutcome};
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::table::{Column, Table};
use crate::data::taxonomy::{Cut, NodeId, Taxonomy};
use crate::error::{Error, Obstacle, Outlook, Refusal, Result};
use crate::join::{Counted, JoinCheck, RepeatedColumns, join_columns};
use crate::models::Violation;
use crate::operations::suppress_records::suppress_records;
use crate::release::Release;
use crate::release::history::{History, RecordedRelease};
use crate::release::recoding::Recoding;
use std::sync::Arc;

/// Returns an error if an earlier release was erased, or if the requirement has no constraint on joins with earlier releases.
pub(super) fn check_history(task: &RecodingTask<'_>) -> Result<()> {
    if let Some(erased) = task.history.erased.first() {
        return Err(Obstacle::EarlierReleaseErased { release: erased.number, name: erased.name.clone() }.into());
    }
    if !task.history.releases.is_empty() && task.requirement.joins.is_empty() {
        return Err(Obstacle::JoinNotRequired {}.into());
    }
    Ok(())
}

/// Returns the columns to generalize: quasi-identifiers that a constraint groups by or that are join columns, except measured ones.
pub(crate) fn generalized_columns(task: &RecodingTask<'_>) -> Result<Vec<usize>> {
    let (mut grouped, counted) = (Vec::new(), counted_columns(task)?);
    for model in &task.requirement.models {
        grouped.extend(task.table.positions(model.grouped_by())?);
    }
    for join in task.requirement.joins.iter().filter(|join| !join.constraints.is_empty()) {
        let known = join.constraints.iter().flat_map(|constraint| &constraint.x);
        grouped.extend(known.filter(|at| at.release == 0).map(|at| at.column));
        // Join columns are generalized too, because they decide which records match.
        let earlier: Vec<&RecordedRelease> = join.earlier.iter().map(|at| &task.history.releases[*at]).collect();
        let names: Vec<&str> = task.table.columns.iter().map(|column| column.name.as_str()).collect();
        grouped.extend(join_columns(&names, &earlier, &task.requirement.rules));
    }
    let columns = 0..task.table.columns.len();
    let chosen = |at: &usize| {
        task.table.columns[*at].role == Role::QuasiIdentifier && grouped.contains(at) && !counted.contains(at)
    };
    Ok(columns.filter(chosen).collect())
}

/// Returns the columns of the new release that a model or constraint measures.
pub(super) fn counted_columns(task: &RecodingTask<'_>) -> Result<Vec<usize>> {
    let mut counted = Vec::new();
    for model in &task.requirement.models {
        counted.extend(task.table.positions(model.measured())?);
    }
    for constraint in task.requirement.joins.iter().flat_map(|join| &join.constraints) {
        counted.extend(constraint.y.iter().filter_map(|counted| match counted {
            Counted::Column(at) if at.release == 0 => Some(at.column),
            _ => None,
        }));
    }
    Ok(counted)
}

/// Checks an outcome that was computed without checking every constraint. Suppresses violating records if the policy allows it,
/// and refuses the outcome if a constraint is violated.
pub(super) fn check_outcome(task: &RecodingTask<'_>, mut outcome: SearchOutcome) -> Result<SearchOutcome> {
    check_history(task)?;
    let checks = join_checks(task, &generalized_columns(task)?, &|| false)?;
    let limit = task.suppression.max_suppressed(task.table.contingency.rows());
    if limit > 0 && outcome.recoding.rules.is_empty() {
        let mut candidate = outcome.recoding.clone();
        let suppressed = suppress_records(task.table, &mut candidate, task.requirement, &checks)?;
        if suppressed <= limit && suppressed < task.table.contingency.rows() {
            outcome.recoding = candidate;
            return Ok(outcome);
        }
    }
    let release = outcome.recoding.apply(task.table)?;
    let refused = |title: &str, worst: &Violation| {
        let (requirement, explanation) = (title.to_owned(), worst.explanation.clone());
        Error::from(Refusal::BaselineViolates { requirement, explanation })
    };
    for (title, survey) in task.requirement.survey(&History::single(release.clone()))? {
        if let Some(worst) = survey.violations.first() {
            return Err(refused(&title, worst));
        }
    }
    match first_violation(&checks, &release)? {
        Some((check, worst)) => Err(refused(&check.constraint.title, &worst)),
        None => Ok(outcome),
    }
}

/// Returns the refusal for a requirement that is violated with all quasi-identifiers suppressed.
pub(super) fn requirement_unreachable(requirement: String, worst: &Violation, outlook: Outlook) -> Refusal {
    let explanation = worst.explanation.clone();
    Refusal::RequirementUnreachable { requirement, explanation, witness: Vec::new(), outlook, examined: None }
}

/// Returns a schema of the columns of a table, for building models by column name.
pub(super) fn schema_of(table: &Table) -> Schema {
    let attribute = |column: &Column| Attribute {
        name: column.name.clone(),
        role: column.role,
        values: column.tree.value_type(),
        missing: Missing::Value,
        tree: TreeSource::Flat,
    };
    Schema { attributes: table.columns.iter().map(attribute).collect(), owner: None, missing_values: Vec::new() }
}

/// Returns the recoding that generalizes these columns to cuts and publishes the other columns unchanged.
pub(super) fn recoding_from_cuts(table: &Table, mut cuts: Vec<(usize, Arc<Taxonomy>, Cut)>) -> Recoding {
    let unchanged = |tree: &Arc<Taxonomy>| {
        let tree = tree.with_leaves();
        let cut = Cut::bottom(&tree);
        (tree, cut)
    };
    let of_column = |at: usize| match cuts.iter().position(|(column, ..)| *column == at) {
        Some(place) => {
            let (_, tree, cut) = cuts.swap_remove(place);
            (tree, cut)
        }
        None => unchanged(&table.columns[at].tree),
    };
    let all = (0..table.columns.len()).map(of_column).collect();
    Recoding::along(table, all)
}

/// Returns the recoding after specialization steps. A step replaces a node of a dimension (a column and its tree) by its children.
pub(super) fn recoding_after_steps(
    table: &Table,
    columns: &[usize],
    trees: &[Taxonomy],
    steps: &[(usize, NodeId)],
) -> Recoding {
    let mut cuts: Vec<Cut> = trees.iter().map(|_| Cut::top()).collect();
    for (dimension, node) in steps {
        cuts[*dimension].specialize(&trees[*dimension], *node);
    }
    let along = columns.iter().zip(trees).zip(cuts);
    recoding_from_cuts(table, along.map(|((column, tree), cut)| (*column, Arc::new(tree.clone()), cut)).collect())
}

/// Returns the release with every generalized column at its root.
pub(crate) fn root_release(task: &RecodingTask<'_>, columns: &[usize]) -> Result<Release> {
    let root = |at: &usize| (*at, task.table.columns[*at].tree.clone(), Cut::top());
    recoding_from_cuts(task.table, columns.iter().map(root).collect()).apply(task.table)
}

/// Returns the checks of all join constraints, related to the records of the table.
pub(super) fn join_checks<'a>(
    task: &'a RecodingTask<'a>,
    generalized: &[usize],
    abort: &'a (dyn Fn() -> bool + Sync),
) -> Result<Vec<JoinCheck<'a>>> {
    let raw = Recoding::identity(task.table);
    let columns: Vec<_> = raw.columns.iter().map(|recoded| recoded.column.clone()).collect();
    let mut checks: Vec<JoinCheck<'a>> = Vec::new();
    let repeated = &mut RepeatedColumns::new(Some(abort));
    for join in &task.requirement.joins {
        for constraint in &join.constraints {
            let (history, rules) = (task.history, &task.requirement.rules);
            let shared = Some(&mut *repeated);
            let check = JoinCheck::sharing(shared, constraint, &columns, generalized, history, &join.earlier, rules)?;
            let check = check.with_abort(abort);
            if checks.iter().any(|known| known.implies(&check)) {
                continue;
            }
            checks.retain(|known| !check.implies(known));
            check.compute_relation(task.table, &raw);
            checks.push(check);
        }
    }
    Ok(checks)
}

/// Returns the first constraint that a release violates, with the worst violation.
pub(super) fn first_violation<'j, 'a>(
    checks: &'j [JoinCheck<'a>],
    release: &Release,
) -> Result<Option<(&'j JoinCheck<'a>, crate::models::Violation)>> {
    for check in checks {
        if !check.is_violated(release)? {
            continue;
        }
        if let Some(worst) = check.survey(release)?.violations.into_iter().next() {
            return Ok(Some((check, worst)));
        }
    }
    Ok(None)
}

/// Returns the checks whose verdict can change during the search, without duplicates.
pub(super) fn constraints_to_check<'j, 'a>(
    checks: &'j [JoinCheck<'a>],
    generalized: &[usize],
) -> Vec<&'j JoinCheck<'a>> {
    let mut relevant: Vec<&JoinCheck<'a>> = Vec::new();
    for check in checks.iter().filter(|check| !check.is_constant(generalized)) {
        if !relevant.iter().any(|known| known.is_equivalent_to(check)) {
            relevant.push(check);
        }
    }
    relevant
}
