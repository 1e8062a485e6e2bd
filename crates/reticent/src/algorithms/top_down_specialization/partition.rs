//! The equivalence classes of the cuts for one set of columns, and the effect of a specialization on them.
//!
//! Combinations are sorted by class, so a class is a range, and evaluating it reads memory sequentially. A candidate stores its
//! effect on each class; when classes are split, only the new ones are evaluated.

use hashbrown::HashMap;

use super::dimension::SplitDimension;
use super::judging::{ClassCheck, ClassRule, SplitTarget, group_by_fixed_columns, with_published_codes};
use super::loss::{ClassContent, Loss, LossMeasure};
use super::scratch::SplitScratch;
use crate::algorithms::RecodingTask;
use crate::data::contingency::{ContingencyTable, Weight, combine};
use crate::data::taxonomy::{Code, NodeId};
use crate::error::Result;
use crate::join::{ClassCells, JoinCheck};
use crate::release::classes::{ClassCounter, Measured};
use std::ops::Range;

type ClassId = usize;

/// An equivalence class.
struct PartitionClass {
    /// Its combinations in the contingency table.
    range: Range<usize>,
    /// Value in the cut, by dimension (0 if the grouping does not use the dimension).
    values: Box<[NodeId]>,
    /// Number of its records if the class violates a check, otherwise 0.
    violating: Weight,
    /// Safety by check, if tracked. `None` for violating classes and for classes that were split.
    safety: Option<Box<[f64]>>,
    /// Sum of the penalties of its values.
    penalty: Loss,
}

/// The equivalence classes on one set of columns, with the checks that group by it.
pub(super) struct Grouping<'a> {
    pub(super) index: usize,
    contingency: ContingencyTable,
    /// Column in `contingency` by dimension, if the grouping uses the dimension.
    local_columns: Vec<Option<usize>>,
    checks: Vec<ClassCheck<'a>>,
    classes: Vec<PartitionClass>,
    /// Classes by dimension and value.
    classes_by_value: Vec<HashMap<NodeId, Vec<ClassId>>>,
    /// Lowest safety of a satisfying class, by check.
    safety: Vec<f64>,
    /// Number of records in violating classes.
    pub(super) violating: Weight,
    /// Whether results are stored by class (needed for suppression and discernibility).
    tracks_classes: bool,
    no_violation: bool,
    /// Classes at the start of the search, until they are judged.
    initial_ranges: Vec<Range<usize>>,
    loss_measure: &'a LossMeasure,
    /// Column of class labels in `contingency`, if the loss needs it.
    labels: Option<usize>,
}

/// What the groupings store about classes.
#[derive(Clone, Copy)]
pub(super) struct Tracking<'a> {
    pub(super) loss_measure: &'a LossMeasure,
    /// Whether results are stored by class.
    pub(super) classes: bool,
    /// Whether gains are reductions of the loss, so that a grouping on all columns is needed.
    pub(super) gains: bool,
    /// Whether a candidate is invalid as soon as one class violates a check.
    pub(super) no_violation: bool,
}

/// Effect of a candidate on a grouping, as far as it was evaluated.
#[derive(Default)]
pub(super) struct Effect {
    /// Classes that are not evaluated yet.
    pending: Vec<ClassId>,
    /// Whether all evaluated classes stay satisfying.
    pub(super) holds: bool,
    safety: Vec<f64>,
    by_class: HashMap<ClassId, SplitEffect>,
}

/// Effect of a candidate on one class.
struct SplitEffect {
    /// Change of the number of records in violating classes.
    violating_change: i64,
    /// Reduction of the loss.
    gain: Loss,
    /// Lowest safety of the satisfying child classes, by check.
    safety: Box<[f64]>,
}

impl Effect {
    pub(super) fn violating_change(&self) -> i64 {
        self.by_class.values().map(|effect| effect.violating_change).sum()
    }

    /// Returns the reduction of the loss.
    pub(super) fn gain(&self) -> Loss {
        self.by_class.values().map(|effect| effect.gain).sum()
    }

    /// Replaces split classes by their child classes, if they have the value of the candidate.
    pub(super) fn replace_classes(
        &mut self,
        new_classes: &[(ClassId, Vec<ClassId>)],
        value: impl Fn(ClassId) -> NodeId,
        node: NodeId,
    ) {
        for (parent, children) in new_classes {
            if children.first().is_some_and(|child| value(*child) == node) {
                self.by_class.remove(parent);
                self.pending.extend(children);
            }
        }
    }
}

impl<'a> Grouping<'a> {
    /// Returns one grouping for every set of columns that a model or a join constraint groups by.
    pub(super) fn all(
        task: &'a RecodingTask<'a>,
        dimensions: &[usize],
        join_checks: &[&'a JoinCheck<'a>],
        tracking: Tracking<'a>,
    ) -> Result<Vec<Grouping<'a>>> {
        let mut sets: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (index, model) in task.requirement.models.iter().enumerate() {
            let mut by = task.table.positions(model.grouped_by())?;
            by.sort_unstable();
            match sets.iter_mut().find(|(known, _)| *known == by) {
                Some((_, models)) => models.push(index),
                None => sets.push((by, vec![index])),
            }
        }
        let make = |(place, (by, models)): (usize, (Vec<usize>, Vec<usize>))| {
            Grouping::new(task, dimensions, place, by, models, tracking)
        };
        let mut groupings: Vec<Grouping<'a>> = sets.into_iter().enumerate().map(make).collect::<Result<_>>()?;
        let mut sets: Vec<(Vec<usize>, Vec<&JoinCheck<'a>>)> = Vec::new();
        for join_check in join_checks {
            let mut by = join_check.by().to_vec();
            by.sort_unstable();
            match sets.iter_mut().find(|(known, _)| *known == by) {
                Some((_, join_checks)) => join_checks.push(join_check),
                None => sets.push((by, vec![join_check])),
            }
        }
        for (by, join_checks) in sets {
            groupings.push(Grouping::from_joins(task, dimensions, groupings.len(), &by, &join_checks, tracking));
        }
        if tracking.gains && !groupings.iter().any(Grouping::has_all_dimensions) {
            let index = groupings.len();
            groupings.push(Grouping::new(task, dimensions, index, dimensions.to_vec(), Vec::new(), tracking)?);
        }
        Ok(groupings)
    }

    /// Returns the grouping of join constraints: the classes of the new release on its columns in X.
    fn from_joins(
        task: &RecodingTask<'_>,
        dimensions: &[usize],
        index: usize,
        by: &[usize],
        join_checks: &[&'a JoinCheck<'a>],
        tracking: Tracking<'a>,
    ) -> Grouping<'a> {
        let raw = crate::release::recoding::Recoding::identity(task.table);
        let columns: Vec<_> = raw.columns.iter().map(|recoded| recoded.column.clone()).collect();
        let cells: Vec<ClassCells> = join_checks
            .iter()
            .map(|join_check| join_check.cells(&with_published_codes(task.table, &[]), &columns))
            .collect();
        let contingency = &with_published_codes(task.table, dimensions);
        let mut parts: Vec<&[Code]> = by.iter().map(|column| contingency.codes[*column].as_slice()).collect();
        parts.extend(cells.iter().map(|cells| cells.measured.codes.as_slice()));
        let labels = tracking.loss_measure.label_column().map(|column| {
            parts.push(&task.table.contingency.codes[column]);
            parts.len() - 1
        });
        let combined = combine(&parts, &contingency.weights, None);
        let local_of = |column: &usize| by.iter().position(|known| known == column);
        let local_columns: Vec<Option<usize>> = dimensions.iter().map(local_of).collect();
        let fixed: Vec<usize> = by.iter().filter(|column| !dimensions.contains(column)).filter_map(local_of).collect();
        let (contingency, initial_ranges) = group_by_fixed_columns(combined, &fixed);
        let mut checks = Vec::new();
        for (at, (join_check, mut cells)) in join_checks.iter().zip(cells).enumerate() {
            let len = cells.measured.len;
            let measured = Measured { codes: contingency.codes[by.len() + at].clone(), len };
            cells.measured.codes = Vec::new();
            let dimension = |column: &usize| dimensions.iter().position(|known| known == column);
            let key =
                join_check.varying().iter().filter_map(dimension).map(|dimension| (dimension, Vec::new())).collect();
            checks.push(ClassCheck { measured, rule: ClassRule::Join { join_check, cells, key } });
        }
        let safety = vec![f64::INFINITY; checks.len()];
        let classes_by_value = dimensions.iter().map(|_| HashMap::new()).collect();
        Grouping {
            index,
            contingency,
            local_columns,
            checks,
            classes: Vec::new(),
            classes_by_value,
            safety,
            violating: 0,
            tracks_classes: tracking.classes,
            no_violation: tracking.no_violation,
            initial_ranges,
            loss_measure: tracking.loss_measure,
            labels,
        }
    }

    /// Adds the value numbers of new nodes of a dimension to the join constraints.
    pub(super) fn extend_value_ids(&mut self, dimension: usize, split_dimension: &SplitDimension) {
        for check in &mut self.checks {
            let ClassRule::Join { join_check, key, .. } = &mut check.rule else { continue };
            for (place, (_, value_ids)) in key.iter_mut().enumerate().filter(|(_, (known, _))| *known == dimension) {
                let new = value_ids.len()..split_dimension.tree.nodes().len();
                value_ids.extend(new.map(|node| join_check.value(place, &split_dimension.tree, node)));
            }
        }
    }

    /// Judges the classes at the start of the search.
    pub(super) fn judge_initial_classes(&mut self, dimensions: &[SplitDimension]) {
        let used = dimensions.iter().zip(&self.local_columns).filter(|(_, local_column)| local_column.is_some());
        let penalty: Loss = used.map(|(dimension, _)| dimension.penalty(0)).sum();
        for range in std::mem::take(&mut self.initial_ranges) {
            self.add_class(range, vec![0; self.local_columns.len()].into(), penalty);
        }
    }

    /// Whether the classes have a value in every dimension.
    pub(super) fn has_all_dimensions(&self) -> bool {
        self.local_columns.iter().all(Option::is_some)
    }

    /// Returns the number of classes, including those that were split.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Returns the number of checks of each class.
    pub(super) fn checks(&self) -> usize {
        self.checks.len()
    }

    /// Returns the loss of the current classes.
    pub(super) fn loss(&self) -> Loss {
        let of_class = |id: ClassId| {
            let class = &self.classes[id];
            let mut labels = vec![0; self.loss_measure.labels()];
            if let Some(column) = self.labels {
                for at in class.range.clone() {
                    labels[self.contingency.codes[column][at] as usize] += self.contingency.weights[at];
                }
            }
            let rows = self.contingency.weights[class.range.clone()].iter().sum();
            let content =
                ClassContent { rows, penalty: class.penalty, labels: &labels, suppressed: class.violating > 0 };
            self.loss_measure.of_class(&content)
        };
        self.current_classes().into_iter().map(of_class).sum()
    }

    /// Returns the classes that were not split, in ascending order.
    fn current_classes(&self) -> Vec<ClassId> {
        let first =
            self.classes_by_value.iter().zip(&self.local_columns).find(|(_, local_columns)| local_columns.is_some());
        let mut current: Vec<ClassId> = match first {
            Some((classes_by_value, _)) => classes_by_value.values().flatten().copied().collect(),
            None => (0..self.classes.len()).collect(),
        };
        current.sort_unstable();
        current
    }

    fn new(
        task: &'a RecodingTask<'a>,
        dimensions: &[usize],
        index: usize,
        by: Vec<usize>,
        models: Vec<usize>,
        tracking: Tracking<'a>,
    ) -> Result<Grouping<'a>> {
        let table = task.table;
        let mut columns = by.clone();
        for model in &models {
            columns.extend(table.positions(task.requirement.models[*model].measured())?);
        }
        columns.extend(tracking.loss_measure.label_column());
        columns.sort_unstable();
        columns.dedup();
        let contingency = with_published_codes(table, dimensions).project(&columns);
        let local_of = |column: &usize| columns.iter().position(|known| known == column);
        let local_columns: Vec<Option<usize>> =
            dimensions.iter().map(|column| if by.contains(column) { local_of(column) } else { None }).collect();
        let fixed: Vec<usize> = by.iter().filter(|column| !dimensions.contains(column)).filter_map(local_of).collect();
        let (contingency, initial_ranges) = group_by_fixed_columns(contingency, &fixed);
        let raw = crate::release::recoding::Recoding::identity(table);
        let mut checks = Vec::new();
        for model in models {
            let model = &task.requirement.models[model];
            let measured_columns = table.positions(model.measured())?;
            let column = if let [only] = measured_columns.as_slice() { Some(&raw.columns[*only].column) } else { None };
            let measured =
                Measured::new(&contingency, &measured_columns.iter().filter_map(local_of).collect::<Vec<_>>());
            let judge = model.judge(&measured.whole(&contingency, column))?;
            checks.push(ClassCheck { measured, rule: ClassRule::Model(judge) });
        }
        let safety = vec![f64::INFINITY; checks.len()];
        let labels = tracking.loss_measure.label_column().as_ref().and_then(local_of);
        let classes_by_value = dimensions.iter().map(|_| HashMap::new()).collect();
        Ok(Grouping {
            index,
            contingency,
            local_columns,
            checks,
            classes: Vec::new(),
            classes_by_value,
            safety,
            violating: 0,
            tracks_classes: tracking.classes,
            no_violation: tracking.no_violation,
            initial_ranges,
            loss_measure: tracking.loss_measure,
            labels,
        })
    }

    /// Judges all current classes again, after steps that were taken without checks.
    pub(super) fn rejudge_classes(&mut self) {
        self.safety.fill(f64::INFINITY);
        self.violating = 0;
        for id in self.current_classes() {
            let (range, values) = (self.classes[id].range.clone(), self.classes[id].values.clone());
            let (violating, safety) = self.judge_now(range, &values);
            self.violating += violating;
            self.classes[id].violating = violating;
            self.classes[id].safety = safety;
        }
    }

    fn add_class(&mut self, range: Range<usize>, values: Box<[NodeId]>, penalty: Loss) -> ClassId {
        let id = self.classes.len();
        let (violating, safety) = self.judge_class(range.clone(), &values);
        for (dimension, classes_by_value) in self.classes_by_value.iter_mut().enumerate() {
            if self.local_columns[dimension].is_some() {
                classes_by_value.entry(values[dimension]).or_default().push(id);
            }
        }
        self.violating += violating;
        self.classes.push(PartitionClass { range, values, violating, safety, penalty });
        id
    }

    /// Returns the number of records if the class violates a check, otherwise 0 and its safety if tracked.
    fn judge_class(&mut self, range: Range<usize>, values: &[NodeId]) -> (Weight, Option<Box<[f64]>>) {
        if !self.tracks_classes && !self.classes.is_empty() && self.safety.iter().all(|safety| safety.is_finite()) {
            // Without suppression no class violates, and the effect of the candidate has the safety.
            return (0, None);
        }
        self.judge_now(range, values)
    }

    fn judge_now(&mut self, range: Range<usize>, values: &[NodeId]) -> (Weight, Option<Box<[f64]>>) {
        let mut safety = Vec::with_capacity(self.checks.len());
        let mut holds = true;
        let mut key = Vec::new();
        for check in &self.checks {
            let mut counter = ClassCounter::new(check.measured.len, self.contingency.owners.is_some());
            range.clone().for_each(|at| counter.add(&self.contingency, &check.measured, at));
            let judgement = check.judge(&counter.count(), values, None, &mut key);
            holds &= judgement.holds;
            safety.push(judgement.safety);
        }
        if !holds {
            return (self.contingency.weights[range].iter().sum(), None);
        }
        take_minimum(&mut self.safety, &safety);
        (0, self.tracks_classes.then(|| safety.into()))
    }

    /// Returns the effect of specializing a value before any class is evaluated.
    pub(super) fn pending_effect(&self, dimension: usize, node: NodeId) -> Effect {
        let pending = self.classes_by_value[dimension].get(&node).cloned().unwrap_or_default();
        Effect { pending, holds: true, safety: vec![f64::INFINITY; self.checks.len()], by_class: HashMap::new() }
    }

    /// Returns the function from a class to its value in a dimension.
    pub(super) fn value_in(&self, dimension: usize) -> impl Fn(ClassId) -> NodeId {
        let local_columns = self.local_columns[dimension].is_some();
        move |class| if local_columns { self.classes[class].values[dimension] } else { NodeId::MAX }
    }

    /// Returns the decrease of the lowest safety among satisfying classes, by check.
    pub(super) fn losses(&self, effect: &Effect) -> Vec<f64> {
        let mut then = effect.safety.clone();
        effect.by_class.values().for_each(|class_effect| take_minimum(&mut then, &class_effect.safety));
        let fall =
            |(now, then): (&f64, &f64)| if now.is_finite() && then.is_finite() { (now - then).max(0.0) } else { 0.0 };
        self.safety.iter().zip(&then).map(fall).collect()
    }

    /// Evaluates the pending classes of a candidate.
    pub(super) fn update_effect(
        &self,
        dimension: usize,
        split_dimension: &SplitDimension,
        target: SplitTarget,
        effect: &mut Effect,
    ) {
        let Some(column) = self.local_columns[dimension] else {
            effect.pending.clear();
            return;
        };
        let mut scratch =
            SplitScratch::new(&self.checks, self.contingency.owners.is_some(), self.loss_measure.labels());
        scratch.value_ids =
            self.checks.iter().map(|check| check.child_value_ids(dimension, split_dimension, target)).collect();
        scratch.penalties = split_dimension.child_penalties(target);
        for id in std::mem::take(&mut effect.pending) {
            let class_effect =
                self.split_effect(&self.classes[id], (dimension, column), split_dimension, effect, &mut scratch);
            if self.tracks_classes {
                effect.by_class.insert(id, class_effect);
            }
            if !effect.holds && self.no_violation {
                return;
            }
        }
    }

    fn split_effect(
        &self,
        class: &PartitionClass,
        (dimension, column): (usize, usize),
        split_dimension: &SplitDimension,
        effect: &mut Effect,
        scratch: &mut SplitScratch,
    ) -> SplitEffect {
        let range = class.range.clone();
        let children = scratch.sort_by_child(&self.contingency.codes[column], split_dimension, range.clone());
        let nothing_yet = vec![f64::INFINITY; self.checks.len()].into();
        let mut class_effect =
            SplitEffect { violating_change: -(class.violating as i64), gain: 0, safety: nothing_yet };
        scratch.parent_labels.fill(0);
        for child in children {
            let members = &scratch.members[child];
            let mut holds = true;
            for (model, check) in self.checks.iter().enumerate() {
                let counter = &mut scratch.counters[model];
                members.iter().for_each(|at| counter.add(&self.contingency, &check.measured, *at as usize));
                let value_id = scratch.value_ids[model].as_ref().and_then(|value_ids| value_ids.get(child).copied());
                let replaced = value_id.map(|value_id| (dimension, value_id));
                let judgement = check.judge(&counter.count(), &class.values, replaced, &mut scratch.key);
                holds &= judgement.holds;
                scratch.safety[model] = judgement.safety;
            }
            if holds {
                take_minimum(
                    if self.tracks_classes { &mut class_effect.safety } else { &mut effect.safety },
                    &scratch.safety,
                );
            }
            effect.holds &= holds;
            if self.tracks_classes {
                let rows: Weight = members.iter().map(|at| self.contingency.weights[*at as usize]).sum();
                class_effect.violating_change += if holds { 0 } else { rows as i64 };
                class_effect.gain -= self.child_loss(class.penalty, (child, rows, !holds), scratch);
            } else if !holds {
                break;
            }
        }
        if self.tracks_classes {
            let rows = self.contingency.weights[range].iter().sum();
            let (penalty, suppressed) = (class.penalty, class.violating > 0);
            let whole = ClassContent { rows, penalty, labels: &scratch.parent_labels, suppressed };
            class_effect.gain += self.loss_measure.of_class(&whole);
        }
        class_effect
    }

    /// Returns the loss of a child class with this number of records, and adds its labels to those of the split class.
    fn child_loss(&self, whole: Loss, child: (usize, Weight, bool), scratch: &mut SplitScratch) -> Loss {
        let (child, rows, suppressed) = child;
        scratch.labels.fill(0);
        if let Some(column) = self.labels {
            for at in &scratch.members[child] {
                let label = self.contingency.codes[column][*at as usize] as usize;
                scratch.labels[label] += self.contingency.weights[*at as usize];
            }
            scratch.parent_labels.iter_mut().zip(&scratch.labels).for_each(|(sum, count)| *sum += count);
        }
        let penalty = whole + scratch.penalties.get(child).copied().unwrap_or(0);
        self.loss_measure.of_class(&ClassContent { rows, penalty, labels: &scratch.labels, suppressed })
    }

    /// Splits every class with the value. Returns each split class with its child classes.
    pub(super) fn specialize(
        &mut self,
        dimension: usize,
        split_dimension: &SplitDimension,
        node: NodeId,
        effect: &Effect,
    ) -> Vec<(ClassId, Vec<ClassId>)> {
        let Some(column) = self.local_columns[dimension] else { return Vec::new() };
        let parents = self.classes_by_value[dimension].remove(&node).unwrap_or_default();
        let children = split_dimension.tree.node(node).children.clone();
        take_minimum(&mut self.safety, &effect.safety);
        let mut scratch =
            SplitScratch::new(&self.checks, self.contingency.owners.is_some(), self.loss_measure.labels());
        let mut new_classes = Vec::with_capacity(parents.len());
        for parent in &parents {
            let range = self.classes[*parent].range.clone();
            let present = scratch.sort_by_child(&self.contingency.codes[column], split_dimension, range.clone());
            self.reorder(&scratch, range.clone(), present.clone());
            self.violating -= self.classes[*parent].violating;
            self.classes[*parent].safety = None;
            let mut start = range.start;
            let mut ids = Vec::new();
            for child in present {
                let end = start + scratch.members[child].len();
                let mut values = self.classes[*parent].values.clone();
                values[dimension] = children[child];
                let penalty = self.classes[*parent].penalty + split_dimension.penalty(children[child])
                    - split_dimension.penalty(node);
                ids.push(self.add_class(start..end, values, penalty));
                start = end;
            }
            new_classes.push((*parent, ids));
        }
        self.unlink(&parents, dimension);
        if self.tracks_classes {
            // Classes that were satisfying may be suppressed now, and no longer count.
            self.safety.fill(f64::INFINITY);
            self.classes
                .iter()
                .flat_map(|class| &class.safety)
                .for_each(|safety| take_minimum(&mut self.safety, safety));
        }
        new_classes
    }

    /// Removes split classes from the index of the other dimensions.
    fn unlink(&mut self, parents: &[ClassId], split: usize) {
        let mut touched: Vec<(usize, NodeId)> = Vec::new();
        for parent in parents {
            let values = &self.classes[*parent].values;
            touched.extend(
                (0..self.local_columns.len())
                    .filter(|at| *at != split && self.local_columns[*at].is_some())
                    .map(|at| (at, values[at])),
            );
        }
        touched.sort_unstable();
        touched.dedup();
        for (dimension, value) in touched {
            if let Some(classes) = self.classes_by_value[dimension].get_mut(&value) {
                classes.retain(|class| parents.binary_search(class).is_err());
            }
        }
    }

    /// Sorts the combinations of a class by child class.
    fn reorder(&mut self, scratch: &SplitScratch, range: Range<usize>, present: Vec<usize>) {
        let order: Vec<u32> = present.iter().flat_map(|child| scratch.members[*child].iter().copied()).collect();
        for codes in
            self.contingency.codes.iter_mut().chain(self.checks.iter_mut().map(|check| &mut check.measured.codes))
        {
            permute(codes, &order, range.clone());
        }
        permute(&mut self.contingency.weights, &order, range.clone());
        if let Some(owners) = &mut self.contingency.owners {
            permute(owners, &order, range);
        }
    }
}

/// Replaces each element by the minimum of both.
fn take_minimum(lowest: &mut [f64], other: &[f64]) {
    for (lowest, other) in lowest.iter_mut().zip(other) {
        *lowest = lowest.min(*other);
    }
}

fn permute<T: Copy>(values: &mut [T], order: &[u32], range: Range<usize>) {
    let moved: Vec<T> = order.iter().map(|at| values[*at as usize]).collect();
    values[range].copy_from_slice(&moved);
}
