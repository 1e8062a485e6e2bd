//! Search for an initial state if the fully generalized release violates the requirement.
//!
//! For joins, generalizing can make a violation worse: a suppressed record matches every earlier record, and the matching records
//! can be less diverse than before. So other releases can be valid although the most general one is not. This search examines
//! the unchanged table, the table with only the grouping columns generalized, and the results of greedy specialization by the
//! number of violating records. It gives no guarantee and ends after a limited number of releases.

use super::super::RecodingTask;
use super::super::join_checker::recoding_after_steps;
use crate::algorithms::Control;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::Result;
use crate::join::JoinCheck;
use crate::operations::suppress_records::violating;

/// A step: a value of a dimension that is replaced by its children, or split at a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InitialStep {
    pub(super) dimension: usize,
    pub(super) node: NodeId,
    pub(super) split: Option<Code>,
}

/// Returns the maximum number of releases to examine. It is smaller if each check is more expensive.
fn max_examined(task: &RecodingTask<'_>, join_checks: &[JoinCheck<'_>]) -> usize {
    let entries: u64 = join_checks.iter().map(JoinCheck::stored_entries).sum();
    let work = task.table.contingency.len() * join_checks.len().max(1) + 20 * entries as usize;
    (20_000_000 / work.max(1)).clamp(5, 300)
}

/// Returns the steps to a release that satisfies the requirement, if one is found, and the number of examined releases.
pub(super) fn initial_state(
    task: &RecodingTask<'_>,
    columns: &[usize],
    join_checks: &[JoinCheck<'_>],
    control: &Control<'_>,
) -> Result<(Option<Vec<InitialStep>>, usize)> {
    let search = InitialStateSearch { task, columns, join_checks };
    let (mut examined, limit) = (0, max_examined(task, join_checks));
    let known = |at: &usize| join_checks.iter().any(|join_check| join_check.by().contains(&columns[*at]));
    let unknown: Vec<usize> = (0..columns.len()).filter(|at| !known(at)).collect();
    for fine in [unknown, (0..columns.len()).collect()] {
        let Some(steps) = search.steps_to_leaves(&fine) else { continue };
        examined += 1;
        if search.violating_records(&steps)? == 0 {
            return Ok((Some(steps), examined));
        }
    }
    let mut steps: Vec<InitialStep> = Vec::new();
    loop {
        let mut best: Option<(u64, InitialStep)> = None;
        for step in search.next_steps(&steps) {
            if examined >= limit || (control.stop)() {
                return Ok((None, examined));
            }
            let mut extended = steps.clone();
            extended.push(step.clone());
            examined += 1;
            (control.progress)("searching for an initial state", examined as u64, limit as u64);
            let rows = search.violating_records(&extended)?;
            if rows == 0 {
                return Ok((Some(extended), examined));
            }
            if best.as_ref().is_none_or(|(fewest, _)| rows < *fewest) {
                best = Some((rows, step));
            }
        }
        match best {
            Some((_, step)) => steps.push(step),
            None => return Ok((None, examined)),
        }
    }
}

struct InitialStateSearch<'a> {
    task: &'a RecodingTask<'a>,
    columns: &'a [usize],
    join_checks: &'a [JoinCheck<'a>],
}

impl InitialStateSearch<'_> {
    fn trees(&self, steps: &[InitialStep]) -> Vec<Taxonomy> {
        let mut trees: Vec<Taxonomy> =
            self.columns.iter().map(|column| (*self.task.table.columns[*column].tree).clone()).collect();
        for step in steps {
            if let Some(at) = step.split {
                trees[step.dimension].split(step.node, at);
            }
        }
        trees
    }

    /// Returns the number of records that violate a constraint after these steps.
    fn violating_records(&self, steps: &[InitialStep]) -> Result<u64> {
        let pairs: Vec<(usize, NodeId)> = steps.iter().map(|step| (step.dimension, step.node)).collect();
        let release =
            recoding_after_steps(self.task.table, self.columns, &self.trees(steps), &pairs).apply(self.task.table)?;
        let marks = violating(&release, self.task.requirement, self.join_checks)?;
        Ok(release.contingency.weights.iter().zip(marks).filter(|(_, mark)| *mark).map(|(weight, _)| weight).sum())
    }

    /// Returns the steps that specialize these dimensions to their leaves. Returns `None` if a dimension has undeclared intervals.
    fn steps_to_leaves(&self, dimensions: &[usize]) -> Option<Vec<InitialStep>> {
        let mut steps = Vec::new();
        for dimension in dimensions {
            let tree = &self.task.table.columns[self.columns[*dimension]].tree;
            let nodes = 0..tree.nodes().len();
            if nodes.clone().any(|node| tree.can_grow(node)) {
                return None;
            }
            let inner = nodes.filter(|node| !tree.node(*node).children.is_empty());
            let mut inner: Vec<NodeId> = inner.collect();
            inner.sort_by_key(|node| tree.node(*node).depth);
            steps.extend(inner.into_iter().map(|node| InitialStep { dimension: *dimension, node, split: None }));
        }
        (!steps.is_empty()).then_some(steps)
    }

    /// Returns all possible next steps.
    fn next_steps(&self, steps: &[InitialStep]) -> Vec<InitialStep> {
        let trees = self.trees(steps);
        let mut next = Vec::new();
        for (dimension, tree) in trees.iter().enumerate() {
            let mut open = vec![0];
            while let Some(node) = open.pop() {
                if steps.iter().any(|step| step.dimension == dimension && step.node == node) {
                    open.extend(&tree.node(node).children);
                } else if tree.can_grow(node) {
                    let codes = tree.node(node).span.clone();
                    let middle = codes.start + (codes.end - codes.start) / 2;
                    next.push(InitialStep { dimension, node, split: Some(middle) });
                } else if !tree.node(node).children.is_empty() {
                    next.push(InitialStep { dimension, node, split: None });
                }
            }
        }
        next
    }
}
