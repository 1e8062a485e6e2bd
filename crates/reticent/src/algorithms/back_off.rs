//! Back-off: a coarser release when the audit refuses the release of an algorithm.
//!
//! States      a *floor* for each quasi-identifier: a cut of its taxonomy. A state publishes the recoding of the algorithm, with every
//!             value generalized to its floor. Without a recoding (the algorithm refused) a state publishes its floors.
//! Judged      a state by the models and join constraints of the requirement, then by the caller (the audit). A state that can be
//!             computed from an earlier release satisfies the constraints over joins with it.
//! Few states  all of them, in ascending order of their loss. The first that passes has the least loss of all.
//! Otherwise   floors are the full-domain levels. States on a path from the finest to the coarsest, each with the least additional
//!             loss, are judged in steps that double, then by bisection. From the first that passes, the level of each column is
//!             lowered while the state passes. The result is the best of the judged states, not of all.
//! Budget      number of judged states. By default it falls with the number of records, and it never depends on time.
//! Source      our own. Full-domain levels as in Samarati, TKDE 13(6), 2001.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::join_checker::{counted_columns, join_checks};
use super::{Control, RecodingTask};
use crate::data::schema::Role;
use crate::data::taxonomy::{Cut, NodeId, Taxonomy};
use crate::error::{Error, Result};
use crate::join::{JoinCheck, is_computable_from};
use crate::operations::suppress_records::is_violating;
use crate::release::Release;
use crate::release::recoding::Recoding;

/// Maximum number of cuts of one column that are floors; beyond, its full-domain levels are.
const MAX_CUTS: usize = 64;
/// Number of records to judge by default, over all states.
const JUDGED_RECORDS: u64 = 3_000_000;
/// Limits of the default number of states.
const STATES: (u64, u64) = (24, 4096);

/// Settings of the back-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackOff {
    /// Maximum number of judged states, 0 to switch the back-off off; `None` for a number that depends on the records of the table.
    pub states: Option<u64>,
}

/// A release that the back-off found.
#[derive(Debug)]
pub struct BackedOff {
    /// Recoding of the state with the least loss that passes.
    pub recoding: Recoding,
    /// Number of judged states.
    pub judged: u64,
    /// Maximum number of judged states.
    pub budget: u64,
}

impl BackOff {
    /// Returns the state with the least loss that satisfies the requirement and that `admits` accepts; `None` if no judged state does.
    ///
    /// `base` is the recoding of an algorithm. `admits` returns an error for which [`Error::is_refusal`] is true for a refused recoding.
    ///
    /// # Errors
    ///
    /// Returns any other error of `admits`, and an error if the requirement cannot be checked or the search is cancelled.
    pub fn search(
        &self,
        task: &RecodingTask<'_>,
        base: Option<&Recoding>,
        admits: &dyn Fn(&Recoding) -> Result<()>,
        control: &Control<'_>,
    ) -> Result<Option<BackedOff>> {
        let finest;
        let base = match base {
            Some(base) => base,
            None => {
                finest = finest_recoding(task);
                &finest
            }
        };
        let columns = quasi_identifiers(task)?;
        let checks = join_checks(task, &columns, control.abort)?;
        let records = task.table.contingency.rows().max(1);
        let budget = self.states.unwrap_or_else(|| (JUDGED_RECORDS / records).clamp(STATES.0, STATES.1));
        let floors: Vec<Vec<Floor>> = columns.iter().map(|column| floors(task, base, *column)).collect();
        let judged = std::cell::Cell::new(0);
        let passes = |state: &[usize]| -> Result<Option<Recoding>> {
            if (control.abort)() {
                return Err(Error::Stopped);
            }
            judged.set(judged.get() + 1);
            (control.progress)("coarsening", judged.get(), budget);
            let chosen: Vec<(usize, &[NodeId])> = columns
                .iter()
                .zip(state)
                .zip(&floors)
                .filter(|((_, at), _)| **at > 0)
                .map(|((column, at), floors)| (*column, floors[*at].above.as_slice()))
                .collect();
            let recoding = base.coarsened(task.table, &chosen);
            let release = recoding.apply(task.table)?;
            let is_empty = release.contingency.rows() == 0;
            if is_empty || is_violating(&release, task.requirement, &[])? || violates_joins(&release, &checks, task)? {
                return Ok(None);
            }
            match admits(&recoding) {
                Ok(()) => Ok(Some(recoding)),
                Err(error) if error.is_refusal() => Ok(None),
                Err(error) => Err(error),
            }
        };
        let states = floors.iter().try_fold(1u64, |states, floors| states.checked_mul(floors.len() as u64));
        let search = FloorSearch { floors: &floors, passes: &passes, judged: &judged, budget };
        let found = if states.is_some_and(|states| states <= budget) { search.all()? } else { search.path()? };
        Ok(found.map(|recoding| BackedOff { recoding, judged: judged.get(), budget }))
    }
}

/// Returns true if a release violates a join constraint. A release that can be computed from an earlier one adds nothing to the sets of
/// releases that contain it.
fn violates_joins(release: &Release, checks: &[JoinCheck<'_>], task: &RecodingTask<'_>) -> Result<bool> {
    let mut computable: HashMap<&str, bool> = HashMap::new();
    for check in checks {
        if !check.is_violated(release)? {
            continue;
        }
        let mut adds_nothing = false;
        for earlier in check.earlier() {
            let from = || is_computable_from(release, earlier, task.history, &task.requirement.rules);
            adds_nothing |= *computable.entry(earlier.name.as_str()).or_insert_with(from);
        }
        if !adds_nothing || !check.constraint.excuses_earlier {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Cut of a taxonomy to which values are generalized at least.
#[derive(Debug, Clone)]
struct Floor {
    /// Node by code.
    above: Vec<NodeId>,
    /// Loss of the column: sum over the records of the normalized number of other leaves.
    loss: f64,
    /// Whether the floor is a full-domain level.
    is_level: bool,
}

/// Search over states: one floor for each column, by index.
struct FloorSearch<'a> {
    /// Floors by column, in ascending order of their loss; the first changes nothing.
    floors: &'a [Vec<Floor>],
    passes: &'a dyn Fn(&[usize]) -> Result<Option<Recoding>>,
    judged: &'a std::cell::Cell<u64>,
    budget: u64,
}

impl FloorSearch<'_> {
    fn loss(&self, state: &[usize]) -> f64 {
        self.floors.iter().zip(state).map(|(floors, at)| floors[*at].loss).sum()
    }

    /// Judges all states in ascending order of their loss.
    fn all(&self) -> Result<Option<Recoding>> {
        let mut states: Vec<Vec<usize>> = vec![Vec::new()];
        for floors in self.floors {
            let longer = |state: &Vec<usize>, at: usize| state.iter().copied().chain([at]).collect();
            states = states.iter().flat_map(|state| (0..floors.len()).map(move |at| longer(state, at))).collect();
        }
        states.sort_by(|one, other| self.loss(one).total_cmp(&self.loss(other)).then_with(|| one.cmp(other)));
        for state in &states {
            if let Some(recoding) = (self.passes)(state)? {
                return Ok(Some(recoding));
            }
        }
        Ok(None)
    }

    /// Judges states on a path to the coarsest state, and states around the first that passes.
    fn path(&self) -> Result<Option<Recoding>> {
        let path = self.greedy_path();
        let (mut refused, mut step) = (0, 1);
        let mut found = None;
        while found.is_none() && refused + 1 < path.len() {
            let next = (refused + step).min(path.len() - 1);
            match (self.passes)(&path[next])? {
                Some(recoding) => found = Some((next, recoding)),
                None => (refused, step) = (next, step * 2),
            }
        }
        let Some((mut at, mut recoding)) = found else { return Ok(None) };
        while refused + 1 < at && self.judged.get() < self.budget {
            let middle = refused + (at - refused) / 2;
            match (self.passes)(&path[middle])? {
                Some(finer) => (at, recoding) = (middle, finer),
                None => refused = middle,
            }
        }
        let mut state = path[at].clone();
        // Columns whose floor costs most come first.
        let mut order: Vec<usize> = (0..state.len()).collect();
        let cost = |column: &usize| self.floors[*column][state[*column]].loss - self.floors[*column][0].loss;
        order.sort_by(|one, other| cost(other).total_cmp(&cost(one)).then(one.cmp(other)));
        let mut is_open = true;
        while std::mem::take(&mut is_open) {
            for column in &order {
                while self.judged.get() < self.budget
                    && let Some(lower) = self.next_level(*column, state[*column], true)
                {
                    let mut finer = state.clone();
                    finer[*column] = lower;
                    let Some(passed) = (self.passes)(&finer)? else { break };
                    (state, recoding, is_open) = (finer, passed, true);
                }
            }
        }
        Ok(Some(recoding))
    }

    /// States from the finest to the coarsest. Each step raises the level of the column that adds the least loss.
    fn greedy_path(&self) -> Vec<Vec<usize>> {
        let mut path = vec![vec![0; self.floors.len()]];
        loop {
            let state = &path[path.len() - 1];
            let raised = (0..state.len()).filter_map(|column| {
                let next = self.next_level(column, state[column], false)?;
                Some((self.floors[column][next].loss - self.floors[column][state[column]].loss, column, next))
            });
            let best =
                raised.min_by(|one, other| one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2))));
            let Some((_, column, next)) = best else { return path };
            let mut state = state.clone();
            state[column] = next;
            path.push(state);
        }
    }

    /// Next coarser or finer full-domain level of a column.
    fn next_level(&self, column: usize, at: usize, finer: bool) -> Option<usize> {
        let is_level = |at: &usize| self.floors[column][*at].is_level;
        if finer { (0..at).rev().find(is_level) } else { (at + 1..self.floors[column].len()).find(is_level) }
    }
}

/// Returns the quasi-identifiers of a table that no constraint measures.
fn quasi_identifiers(task: &RecodingTask<'_>) -> Result<Vec<usize>> {
    let counted = counted_columns(task)?;
    let columns = task.table.columns.iter().enumerate();
    let chosen = columns.filter(|(at, column)| column.role == Role::QuasiIdentifier && !counted.contains(at));
    Ok(chosen.map(|(at, _)| at).collect())
}

/// Returns the recoding that publishes every value unchanged. Numbers get intervals by halving.
fn finest_recoding(task: &RecodingTask<'_>) -> Recoding {
    let tree = |(at, column): (usize, &crate::data::table::Column)| {
        let grows = column.role == Role::QuasiIdentifier;
        let tree =
            if grows { Arc::new(column.tree.halved(&task.table.weights_of(at))) } else { column.tree.with_leaves() };
        let cut = Cut::bottom(&tree);
        (tree, cut)
    };
    Recoding::along(task.table, task.table.columns.iter().enumerate().map(tree).collect())
}

/// Returns the floors of a column in ascending order of their loss. The first does not change the recoding.
fn floors(task: &RecodingTask<'_>, base: &Recoding, column: usize) -> Vec<Floor> {
    let tree = &base.columns[column].column.tree;
    let levels = tree.full_domain_levels();
    let cuts = cuts(tree, 0).unwrap_or_default();
    let all = cuts.iter().map(|cut| Cut::from_nodes(cut.clone()).above(tree)).filter(|above| !levels.contains(above));
    let by_cut: Vec<Vec<NodeId>> = all.collect();
    // A floor without nodes changes nothing.
    let levels = std::iter::once(Vec::new()).chain(levels).map(|above| (above, true));
    let candidates = levels.chain(by_cut.into_iter().map(|above| (above, false)));
    let mut seen: HashSet<Vec<NodeId>> = HashSet::new();
    let mut floors: Vec<Floor> = Vec::new();
    for (above, is_level) in candidates {
        let (published, loss) = published_nodes(task, base, column, &above);
        if seen.insert(published) {
            floors.push(Floor { above, loss, is_level });
        }
    }
    floors.sort_by(|one, other| one.loss.total_cmp(&other.loss));
    floors
}

/// Returns the node of every combination of the table above a floor, and the loss of the column.
fn published_nodes(task: &RecodingTask<'_>, base: &Recoding, column: usize, above: &[NodeId]) -> (Vec<NodeId>, f64) {
    let contingency = &task.table.contingency;
    let coarser = base.coarsened(task.table, &[(column, above)]);
    let of = &coarser.columns[column].column;
    let others = of.tree.len().saturating_sub(1).max(1) as f64;
    let (mut nodes, mut row, mut loss) = (Vec::with_capacity(contingency.len()), Vec::new(), 0.0);
    for at in 0..contingency.len() {
        let published = coarser.publish(contingency, at, &mut row);
        let node = if published { of.nodes[row[column] as usize] } else { 0 };
        nodes.push(node);
        loss += contingency.weights[at] as f64 * (of.tree.width(node).saturating_sub(1)) as f64 / others;
    }
    (nodes, loss * task.table.columns[column].loss_weight)
}

/// Returns the cuts below a node, the node itself first; `None` if there are too many.
fn cuts(tree: &Taxonomy, node: NodeId) -> Option<Vec<Vec<NodeId>>> {
    let mut below: Vec<Vec<NodeId>> = vec![Vec::new()];
    for child in &tree.node(node).children {
        let of_child = cuts(tree, *child)?;
        if below.len() * of_child.len() > MAX_CUTS {
            return None;
        }
        let join = |cut: &Vec<NodeId>, more: &Vec<NodeId>| cut.iter().chain(more).copied().collect();
        below = below.iter().flat_map(|cut| of_child.iter().map(move |more| join(cut, more))).collect();
    }
    let own = std::iter::once(vec![node]);
    Some(if tree.node(node).children.is_empty() { own.collect() } else { own.chain(below).collect() })
}
