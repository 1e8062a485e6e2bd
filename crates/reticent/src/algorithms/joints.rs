//! What a task demands of joined releases, ready to judge candidates.

use super::{Outcome, Task};
use crate::error::{Error, Obstacle, Outlook, Refusal, Result};
use crate::history::{Held, History};
use crate::joined::{Joint, Of, join_columns};
use crate::models::Violation;
use crate::operations::suppress_records::suppress_records;
use crate::recoding::Recoding;
use crate::release::Release;
use crate::schema::{Attribute, Missing, Role, Schema, Tree};
use crate::table::{Column, Table};
use crate::taxonomy::{Cut, NodeId, Taxonomy};
use std::sync::Arc;

/// An error where a task cannot be judged: some earlier release is lost, or nothing is demanded of the join with it.
pub(super) fn check_history(task: &Task<'_>) -> Result<()> {
    if let Some(lost) = task.history.lost.first() {
        return Err(Obstacle::EarlierReleaseErased { release: lost.number, name: lost.name.clone() }.into());
    }
    if !task.history.releases.is_empty() && task.requirement.joined.is_empty() {
        return Err(Obstacle::JoinNotRequired {}.into());
    }
    Ok(())
}

/// The columns that are generalized: quasi-identifiers that some demand knows, or that join, and none counts.
pub(crate) fn generalized_columns(task: &Task<'_>) -> Result<Vec<usize>> {
    let (mut by, of) = (Vec::new(), counted_columns(task)?);
    for model in &task.requirement.models {
        by.extend(task.table.positions(model.by())?);
    }
    for together in task.requirement.joined.iter().filter(|together| !together.statements.is_empty()) {
        let known = together.statements.iter().flat_map(|statement| &statement.x);
        by.extend(known.filter(|at| at.release == 0).map(|at| at.column));
        // What joins is generalized too: it decides what is met.
        let earlier: Vec<&Held> = together.earlier.iter().map(|at| &task.history.releases[*at]).collect();
        let names: Vec<&str> = task.table.columns.iter().map(|column| column.name.as_str()).collect();
        by.extend(join_columns(&names, &earlier, &task.requirement.rules));
    }
    let columns = 0..task.table.columns.len();
    let chosen =
        |at: &usize| task.table.columns[*at].role == Role::QuasiIdentifier && by.contains(at) && !of.contains(at);
    Ok(columns.filter(chosen).collect())
}

/// The columns of the new release that some demand counts.
pub(super) fn counted_columns(task: &Task<'_>) -> Result<Vec<usize>> {
    let mut of = Vec::new();
    for model in &task.requirement.models {
        of.extend(task.table.positions(model.of())?);
    }
    for statement in task.requirement.joined.iter().flat_map(|together| &together.statements) {
        of.extend(statement.y.iter().filter_map(|of| match of {
            Of::Column(at) if at.release == 0 => Some(at.column),
            _ => None,
        }));
    }
    Ok(of)
}

/// An answer that was made without looking at every demand: refused where one is violated. Records are left out where the
/// policy allows it.
pub(super) fn judged(task: &Task<'_>, mut outcome: Outcome) -> Result<Outcome> {
    check_history(task)?;
    let joints = all(task, &generalized_columns(task)?, &|| false)?;
    let limit = task.suppression.of(task.table.combos.rows());
    if limit > 0 && outcome.recoding.rules.is_empty() {
        let mut tried = outcome.recoding.clone();
        let left_out = suppress_records(task.table, &mut tried, task.requirement, &joints)?;
        if left_out <= limit && left_out < task.table.combos.rows() {
            outcome.recoding = tried;
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
    match first_violated(&joints, &release)? {
        Some((joint, worst)) => Err(refused(&joint.statement.title, &worst)),
        None => Ok(outcome),
    }
}

/// The refusal for a requirement that is violated with all quasi-identifiers suppressed.
pub(super) fn unreachable(requirement: String, worst: &Violation, outlook: Outlook) -> Refusal {
    let explanation = worst.explanation.clone();
    Refusal::RequirementUnreachable { requirement, explanation, witness: Vec::new(), outlook, examined: None }
}

/// The columns of a table as a schema, for words that name them.
pub(super) fn schema_of(table: &Table) -> Schema {
    let attribute = |column: &Column| Attribute {
        name: column.name.clone(),
        role: column.role,
        values: column.tree.value_type(),
        missing: Missing::Value,
        tree: Tree::Flat,
    };
    Schema { attributes: table.columns.iter().map(attribute).collect(), owner: None, missing_values: Vec::new() }
}

/// The recoding that generalizes these columns along cuts and leaves every other as it is.
pub(super) fn recoding_along(table: &Table, mut cuts: Vec<(usize, Arc<Taxonomy>, Cut)>) -> Recoding {
    let as_is = |tree: &Arc<Taxonomy>| {
        let tree = tree.with_leaves();
        let cut = Cut::bottom(&tree);
        (tree, cut)
    };
    let of_column = |at: usize| match cuts.iter().position(|(column, ..)| *column == at) {
        Some(place) => {
            let (_, tree, cut) = cuts.swap_remove(place);
            (tree, cut)
        }
        None => as_is(&table.columns[at].tree),
    };
    let all = (0..table.columns.len()).map(of_column).collect();
    Recoding::along(table, all)
}

/// The recoding after some steps: of a dimension, which is a column with its tree, a node is replaced by its children.
pub(super) fn recoding_of(table: &Table, columns: &[usize], trees: &[Taxonomy], steps: &[(usize, NodeId)]) -> Recoding {
    let mut cuts: Vec<Cut> = trees.iter().map(|_| Cut::top()).collect();
    for (dimension, node) in steps {
        cuts[*dimension].specialize(&trees[*dimension], *node);
    }
    let along = columns.iter().zip(trees).zip(cuts);
    recoding_along(table, along.map(|((column, tree), cut)| (*column, Arc::new(tree.clone()), cut)).collect())
}

/// The release with every generalized column at its root.
pub(crate) fn top(task: &Task<'_>, columns: &[usize]) -> Result<Release> {
    let root = |at: &usize| (*at, task.table.columns[*at].tree.clone(), Cut::top());
    recoding_along(task.table, columns.iter().map(root).collect()).apply(task.table)
}

/// Every demand on joined releases, with how the table is related to them.
pub(super) fn all<'a>(
    task: &'a Task<'a>,
    generalized: &[usize],
    abort: &'a (dyn Fn() -> bool + Sync),
) -> Result<Vec<Joint<'a>>> {
    let raw = Recoding::identity(task.table);
    let columns: Vec<_> = raw.columns.iter().map(|recoded| recoded.column.clone()).collect();
    let mut joints = Vec::new();
    for together in &task.requirement.joined {
        for statement in &together.statements {
            let rules = &task.requirement.rules;
            let joint = Joint::new(statement, &columns, generalized, task.history, &together.earlier, rules)?;
            let joint = joint.heeding(abort);
            joint.relate(task.table, &raw);
            joints.push(joint);
        }
    }
    Ok(joints)
}

/// The first demand that a release violates, with what is wrong.
pub(super) fn first_violated<'j, 'a>(
    joints: &'j [Joint<'a>],
    release: &Release,
) -> Result<Option<(&'j Joint<'a>, crate::models::Violation)>> {
    for joint in joints {
        if !joint.violating(release)?.contains(&true) {
            continue;
        }
        if let Some(worst) = joint.survey(release)?.violations.into_iter().next() {
            return Ok(Some((joint, worst)));
        }
    }
    Ok(None)
}

/// The demands that a search must look at: those whose verdict can change, and each only once.
pub(super) fn to_watch<'j, 'a>(joints: &'j [Joint<'a>], generalized: &[usize]) -> Vec<&'j Joint<'a>> {
    let mut watched: Vec<&Joint<'a>> = Vec::new();
    for joint in joints.iter().filter(|joint| !joint.is_constant(generalized)) {
        if !watched.iter().any(|known| known.says_the_same(joint)) {
            watched.push(joint);
        }
    }
    watched
}
