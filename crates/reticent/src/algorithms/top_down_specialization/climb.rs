//! Where to begin when saying nothing violates the requirement.
//!
//! Over a join, saying less can be worse: a record that says nothing matches everything, and what it then meets may be less
//! diverse than what it met before. So a task is not hopeless because its most general release is. Some other releases are
//! looked at: the table as it is, the table with only what is known generalized, and what comes of specializing, step by step,
//! where fewest records violate. This is a search without a guarantee, and ends after a while.

use super::super::Task;
use super::super::joints::recoding_of;
use crate::algorithms::Control;
use crate::error::Result;
use crate::joined::Joint;
use crate::operations::suppress_records::violating;
use crate::taxonomy::{Code, NodeId, Taxonomy};

/// A value of a dimension that is replaced by its children, or split here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) dimension: usize,
    pub(super) node: NodeId,
    pub(super) split: Option<Code>,
}

/// How many releases are looked at: fewer where there is more to judge.
fn most(task: &Task<'_>, joints: &[Joint<'_>]) -> usize {
    let met: u64 = joints.iter().map(Joint::burden).sum();
    let work = task.table.combos.len() * joints.len().max(1) + 20 * met as usize;
    (20_000_000 / work.max(1)).clamp(5, 300)
}

/// Steps to a release that satisfies everything, if one is found; and how many were looked at.
pub(super) fn climb(
    task: &Task<'_>,
    columns: &[usize],
    joints: &[Joint<'_>],
    control: &Control<'_>,
) -> Result<(Option<Vec<Step>>, usize)> {
    let climber = Climber { task, columns, joints };
    let (mut looked, most) = (0, most(task, joints));
    let known = |at: &usize| joints.iter().any(|joint| joint.by().contains(&columns[*at]));
    let unknown: Vec<usize> = (0..columns.len()).filter(|at| !known(at)).collect();
    for fine in [unknown, (0..columns.len()).collect()] {
        let Some(steps) = climber.down(&fine) else { continue };
        looked += 1;
        if climber.violating(&steps)? == 0 {
            return Ok((Some(steps), looked));
        }
    }
    let mut steps: Vec<Step> = Vec::new();
    loop {
        let mut best: Option<(u64, Step)> = None;
        for step in climber.next(&steps) {
            if looked >= most || (control.stop)() {
                return Ok((None, looked));
            }
            let mut further = steps.clone();
            further.push(step.clone());
            looked += 1;
            (control.progress)("looking for a beginning", looked as u64, most as u64);
            let rows = climber.violating(&further)?;
            if rows == 0 {
                return Ok((Some(further), looked));
            }
            if best.as_ref().is_none_or(|(fewest, _)| rows < *fewest) {
                best = Some((rows, step));
            }
        }
        match best {
            Some((_, step)) => steps.push(step),
            None => return Ok((None, looked)),
        }
    }
}

struct Climber<'a> {
    task: &'a Task<'a>,
    columns: &'a [usize],
    joints: &'a [Joint<'a>],
}

impl Climber<'_> {
    fn trees(&self, steps: &[Step]) -> Vec<Taxonomy> {
        let mut trees: Vec<Taxonomy> =
            self.columns.iter().map(|column| (*self.task.table.columns[*column].tree).clone()).collect();
        for step in steps {
            if let Some(at) = step.split {
                trees[step.dimension].split(step.node, at);
            }
        }
        trees
    }

    /// How many records violate some demand after these steps.
    fn violating(&self, steps: &[Step]) -> Result<u64> {
        let pairs: Vec<(usize, NodeId)> = steps.iter().map(|step| (step.dimension, step.node)).collect();
        let release = recoding_of(self.task.table, self.columns, &self.trees(steps), &pairs).apply(self.task.table)?;
        let marks = violating(&release, self.task.requirement, self.joints)?;
        Ok(release.combos.weights.iter().zip(marks).filter(|(_, mark)| *mark).map(|(weight, _)| weight).sum())
    }

    /// The steps that lead to the values of some dimensions as they are; none where intervals would have to be found.
    fn down(&self, dimensions: &[usize]) -> Option<Vec<Step>> {
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
            steps.extend(inner.into_iter().map(|node| Step { dimension: *dimension, node, split: None }));
        }
        (!steps.is_empty()).then_some(steps)
    }

    /// Every single step further.
    fn next(&self, steps: &[Step]) -> Vec<Step> {
        let trees = self.trees(steps);
        let mut next = Vec::new();
        for (dimension, tree) in trees.iter().enumerate() {
            let mut open = vec![0];
            while let Some(node) = open.pop() {
                if steps.iter().any(|step| step.dimension == dimension && step.node == node) {
                    open.extend(&tree.node(node).children);
                } else if tree.can_grow(node) {
                    let codes = tree.node(node).codes.clone();
                    let middle = codes.start + (codes.end - codes.start) / 2;
                    next.push(Step { dimension, node, split: Some(middle) });
                } else if !tree.node(node).children.is_empty() {
                    next.push(Step { dimension, node, split: None });
                }
            }
        }
        next
    }
}
