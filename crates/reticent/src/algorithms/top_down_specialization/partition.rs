//! The classes that the cuts induce, for one grouping of columns, and what a specialization would do to them.
//!
//! Combinations are kept in the order of their classes, so a class is a range and looking at one reads memory in a line.
//! A candidate remembers what it has seen of each class; when classes split, only the new ones are looked at again.

use hashbrown::HashMap;

use super::judging::{Aim, By, Judging, published_as_is};
use crate::algorithms::Task;
use crate::classes::{Measured, Tally};
use crate::combos::{Combos, Weight, ascending, combine};
use crate::error::Result;
use crate::joined::{Cells, Joint};
use crate::table::Table;
use crate::taxonomy::{Code, NodeId, Taxonomy};
use std::ops::Range;

/// A generalized column.
pub(super) struct Dimension {
    /// Its place in the table.
    pub(super) column: usize,
    pub(super) tree: Taxonomy,
    /// By code: which child of the code's value in the cut it belongs to.
    child: Vec<u32>,
}

impl Dimension {
    pub(super) fn new(table: &Table, column: usize) -> Dimension {
        let tree = (*table.columns[column].tree).clone();
        Dimension { column, child: vec![0; tree.len()], tree }
    }

    /// Prepares to replace a value by its children.
    pub(super) fn aim_at_children(&mut self, node: NodeId) {
        for (place, child) in self.tree.node(node).children.iter().enumerate() {
            let codes = self.tree.node(*child).codes.clone();
            self.child[codes.start as usize..codes.end as usize].fill(place as u32);
        }
    }

    /// Prepares to split an interval.
    pub(super) fn aim(&mut self, node: NodeId, at: Code) {
        let codes = self.tree.node(node).codes.clone();
        self.child[codes.start as usize..at as usize].fill(0);
        self.child[at as usize..codes.end as usize].fill(1);
    }

    /// How wide a range of numbers is, in units of the whole.
    pub(super) fn width(&self, codes: &Range<Code>) -> f64 {
        let (Some(numbers), Some((low, high))) = (self.tree.numbers(), self.tree.extent()) else { return 0.0 };
        if high <= low || codes.is_empty() {
            return 0.0;
        }
        let start = if codes.start == 0 { low } else { numbers.get(codes.start as usize).copied().unwrap_or(high) };
        let end = numbers.get(codes.end as usize).copied().unwrap_or(high);
        (end - start) / (high - low)
    }
}

type ClassId = usize;

struct Class {
    range: Range<usize>,
    /// By dimension, the value in the cut (0 where the dimension is not of this grouping).
    values: Box<[NodeId]>,
    violating: Weight,
    /// By model, where it is kept track of and the class holds and still exists.
    safety: Option<Box<[f64]>>,
}

/// The classes on the columns of one or more models.
pub(super) struct Grouping<'a> {
    pub(super) place: usize,
    combos: Combos,
    /// By dimension: its column in `combos`, when it is one of this grouping's.
    local: Vec<Option<usize>>,
    models: Vec<Judging<'a>>,
    classes: Vec<Class>,
    /// By dimension and value: the classes that carry it.
    links: Vec<HashMap<NodeId, Vec<ClassId>>>,
    /// By model: the lowest safety of any class that holds.
    safety: Vec<f64>,
    /// Records in classes that some model here finds violating.
    pub(super) violating: Weight,
    /// Whether single classes' contributions are kept (for suppression and discernibility).
    tracks: bool,
    /// The classes with which the search begins, until they are judged.
    starts: Vec<Range<usize>>,
}

/// What specializing a candidate does to a grouping, as far as it was looked at.
#[derive(Default)]
pub(super) struct Effect {
    pending: Vec<ClassId>,
    pub(super) holds: bool,
    safety: Vec<f64>,
    parts: HashMap<ClassId, Part>,
}

/// What specializing does to one class.
struct Part {
    more_violating: i64,
    squares_undone: f64,
    /// By model, the lowest safety of the parts that hold.
    safety: Box<[f64]>,
}

impl Effect {
    pub(super) fn more_violating(&self) -> i64 {
        self.parts.values().map(|part| part.more_violating).sum()
    }

    pub(super) fn squares_undone(&self) -> f64 {
        self.parts.values().map(|part| part.squares_undone).sum()
    }

    /// Classes were split: forget the old ones, and look at the new ones that carry the candidate's value.
    pub(super) fn follow(&mut self, born: &[(ClassId, Vec<ClassId>)], value: impl Fn(ClassId) -> NodeId, node: NodeId) {
        for (parent, children) in born {
            if children.first().is_some_and(|child| value(*child) == node) {
                self.parts.remove(parent);
                self.pending.extend(children);
            }
        }
    }
}

impl<'a> Grouping<'a> {
    /// One grouping for every set of columns that some model groups by.
    pub(super) fn all(
        task: &'a Task<'a>,
        dimensions: &[usize],
        joints: &[&'a Joint<'a>],
        tracks: bool,
    ) -> Result<Vec<Grouping<'a>>> {
        let mut sets: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (index, model) in task.requirement.models.iter().enumerate() {
            let mut by = task.table.positions(model.by())?;
            by.sort_unstable();
            match sets.iter_mut().find(|(known, _)| *known == by) {
                Some((_, models)) => models.push(index),
                None => sets.push((by, vec![index])),
            }
        }
        let make = |(place, (by, models)): (usize, (Vec<usize>, Vec<usize>))| {
            Grouping::new(task, dimensions, place, by, models, tracks)
        };
        let mut groupings: Vec<Grouping<'a>> = sets.into_iter().enumerate().map(make).collect::<Result<_>>()?;
        let mut sets: Vec<(Vec<usize>, Vec<&Joint<'a>>)> = Vec::new();
        for joint in joints {
            let mut by = joint.by().to_vec();
            by.sort_unstable();
            match sets.iter_mut().find(|(known, _)| *known == by) {
                Some((_, joints)) => joints.push(joint),
                None => sets.push((by, vec![joint])),
            }
        }
        for (by, joints) in sets {
            groupings.push(Grouping::joined(task, dimensions, groupings.len(), &by, &joints, tracks));
        }
        Ok(groupings)
    }

    /// The classes that statements over joined releases look at: those of the new release on its columns in X.
    fn joined(
        task: &Task<'_>,
        dimensions: &[usize],
        place: usize,
        by: &[usize],
        joints: &[&'a Joint<'a>],
        tracks: bool,
    ) -> Grouping<'a> {
        let raw = crate::recoding::Recoding::identity(task.table);
        let columns: Vec<_> = raw.columns.iter().map(|recoded| recoded.column.clone()).collect();
        let cells: Vec<Cells> =
            joints.iter().map(|joint| joint.cells(&published_as_is(task.table, &[]), &columns)).collect();
        let combos = &published_as_is(task.table, dimensions);
        let mut parts: Vec<&[Code]> = by.iter().map(|column| combos.codes[*column].as_slice()).collect();
        parts.extend(cells.iter().map(|cells| cells.measured.codes.as_slice()));
        let combined = combine(&parts, &combos.weights, None);
        let local_of = |column: &usize| by.iter().position(|known| known == column);
        let local: Vec<Option<usize>> = dimensions.iter().map(local_of).collect();
        let fixed: Vec<usize> = by.iter().filter(|column| !dimensions.contains(column)).filter_map(local_of).collect();
        let (combos, starts) = by_fixed_columns(combined, &fixed);
        let mut models = Vec::new();
        for (at, (joint, mut cells)) in joints.iter().zip(cells).enumerate() {
            let len = cells.measured.len;
            let measured = Measured { codes: combos.codes[by.len() + at].clone(), len };
            cells.measured.codes = Vec::new();
            let dimension = |column: &usize| dimensions.iter().position(|known| known == column);
            let key = joint.turning().iter().filter_map(dimension).map(|dimension| (dimension, Vec::new())).collect();
            models.push(Judging { measured, by: By::Statement { joint, cells, key } });
        }
        let safety = vec![f64::INFINITY; models.len()];
        let links = dimensions.iter().map(|_| HashMap::new()).collect();
        Grouping { place, combos, local, models, classes: Vec::new(), links, safety, violating: 0, tracks, starts }
    }

    /// Learns the values of a dimension that it has not seen yet.
    pub(super) fn know(&mut self, dimension: usize, of: &Dimension) {
        for judging in &mut self.models {
            let By::Statement { joint, key, .. } = &mut judging.by else { continue };
            for (place, (_, numbers)) in key.iter_mut().enumerate().filter(|(_, (known, _))| *known == dimension) {
                let new = numbers.len()..of.tree.nodes().len();
                numbers.extend(new.map(|node| joint.value(place, &of.tree, node)));
            }
        }
    }

    /// Judges the classes with which the search begins.
    pub(super) fn judge_first(&mut self) {
        for range in std::mem::take(&mut self.starts) {
            self.add_class(range, vec![0; self.local.len()].into());
        }
    }

    fn new(
        task: &'a Task<'a>,
        dimensions: &[usize],
        place: usize,
        by: Vec<usize>,
        models: Vec<usize>,
        tracks: bool,
    ) -> Result<Grouping<'a>> {
        let table = task.table;
        let mut columns = by.clone();
        for model in &models {
            columns.extend(table.positions(task.requirement.models[*model].of())?);
        }
        columns.sort_unstable();
        columns.dedup();
        let combos = published_as_is(table, dimensions).project(&columns);
        let local_of = |column: &usize| columns.iter().position(|known| known == column);
        let local: Vec<Option<usize>> =
            dimensions.iter().map(|column| if by.contains(column) { local_of(column) } else { None }).collect();
        let fixed: Vec<usize> = by.iter().filter(|column| !dimensions.contains(column)).filter_map(local_of).collect();
        let (combos, starts) = by_fixed_columns(combos, &fixed);
        let raw = crate::recoding::Recoding::identity(table);
        let mut judges = Vec::new();
        for model in models {
            let model = &task.requirement.models[model];
            let of = table.positions(model.of())?;
            let column = if let [only] = of.as_slice() { Some(&raw.columns[*only].column) } else { None };
            let measured = Measured::new(&combos, &of.iter().filter_map(local_of).collect::<Vec<_>>());
            let judge = model.judge(&measured.whole(&combos, column))?;
            judges.push(Judging { measured, by: By::Model(judge) });
        }
        let safety = vec![f64::INFINITY; judges.len()];
        let links = dimensions.iter().map(|_| HashMap::new()).collect();
        let (models, classes) = (judges, Vec::new());
        Ok(Grouping { place, combos, local, models, classes, links, safety, violating: 0, tracks, starts })
    }

    /// Judges the classes that there are, after steps that nobody judged.
    pub(super) fn judge_again(&mut self) {
        self.safety.fill(f64::INFINITY);
        self.violating = 0;
        let first = self.links.iter().zip(&self.local).find(|(_, local)| local.is_some());
        let mut living: Vec<ClassId> = match first {
            Some((links, _)) => links.values().flatten().copied().collect(),
            None => (0..self.classes.len()).collect(),
        };
        living.sort_unstable();
        for id in living {
            let (range, values) = (self.classes[id].range.clone(), self.classes[id].values.clone());
            let (violating, safety) = self.judge_now(range, &values);
            self.violating += violating;
            self.classes[id].violating = violating;
            self.classes[id].safety = safety;
        }
    }

    fn add_class(&mut self, range: Range<usize>, values: Box<[NodeId]>) -> ClassId {
        let id = self.classes.len();
        let (violating, safety) = self.judge_class(range.clone(), &values);
        for (dimension, links) in self.links.iter_mut().enumerate() {
            if self.local[dimension].is_some() {
                links.entry(values[dimension]).or_default().push(id);
            }
        }
        self.violating += violating;
        self.classes.push(Class { range, values, violating, safety });
        id
    }

    /// Records of a class if some model finds it violating; else, where it is kept track of, how safe it is.
    fn judge_class(&mut self, range: Range<usize>, values: &[NodeId]) -> (Weight, Option<Box<[f64]>>) {
        if !self.tracks && !self.classes.is_empty() && self.safety.iter().all(|safety| safety.is_finite()) {
            // Without suppression nothing violates, and the candidate that made the class knows the safety.
            return (0, None);
        }
        self.judge_now(range, values)
    }

    fn judge_now(&mut self, range: Range<usize>, values: &[NodeId]) -> (Weight, Option<Box<[f64]>>) {
        let mut safety = Vec::with_capacity(self.models.len());
        let mut holds = true;
        let mut key = Vec::new();
        for judging in &self.models {
            let mut tally = Tally::new(judging.measured.len, self.combos.owners.is_some());
            range.clone().for_each(|at| tally.add(&self.combos, &judging.measured, at));
            let judgement = judging.judge(&tally.count(), values, None, &mut key);
            holds &= judgement.holds;
            safety.push(judgement.safety);
        }
        if !holds {
            return (self.combos.weights[range].iter().sum(), None);
        }
        lower(&mut self.safety, &safety);
        (0, self.tracks.then(|| safety.into()))
    }

    /// Nothing is known yet of what specializing this value does.
    pub(super) fn unseen(&self, dimension: usize, node: NodeId) -> Effect {
        let pending = self.links[dimension].get(&node).cloned().unwrap_or_default();
        Effect { pending, holds: true, safety: vec![f64::INFINITY; self.models.len()], parts: HashMap::new() }
    }

    /// The value of a class in a dimension's cut.
    pub(super) fn values(&self, dimension: usize) -> impl Fn(ClassId) -> NodeId {
        let local = self.local[dimension].is_some();
        move |class| if local { self.classes[class].values[dimension] } else { NodeId::MAX }
    }

    /// How much each model's lowest safety falls, among the classes that hold.
    pub(super) fn losses(&self, effect: &Effect) -> Vec<f64> {
        let mut then = effect.safety.clone();
        effect.parts.values().for_each(|part| lower(&mut then, &part.safety));
        let fall =
            |(now, then): (&f64, &f64)| if now.is_finite() && then.is_finite() { (now - then).max(0.0) } else { 0.0 };
        self.safety.iter().zip(&then).map(fall).collect()
    }

    /// Looks at the classes that the candidate has not seen yet.
    pub(super) fn look(&self, dimension: usize, of: &Dimension, aim: Aim, effect: &mut Effect) {
        let Some(column) = self.local[dimension] else {
            effect.pending.clear();
            return;
        };
        let mut scratch = Scratch::new(self);
        scratch.numbers = self.models.iter().map(|judging| judging.numbers_of(dimension, of, aim)).collect();
        for id in std::mem::take(&mut effect.pending) {
            let part = self.look_at(&self.classes[id], (dimension, column), of, effect, &mut scratch);
            if self.tracks {
                effect.parts.insert(id, part);
            } else if !effect.holds {
                return;
            }
        }
    }

    fn look_at(
        &self,
        class: &Class,
        (dimension, column): (usize, usize),
        of: &Dimension,
        effect: &mut Effect,
        scratch: &mut Scratch,
    ) -> Part {
        let range = class.range.clone();
        let children = scratch.sort_by_child(&self.combos.codes[column], of, range.clone());
        let nothing_yet = vec![f64::INFINITY; self.models.len()].into();
        let mut part = Part { more_violating: -(class.violating as i64), squares_undone: 0.0, safety: nothing_yet };
        if self.tracks {
            let rows: Weight = self.combos.weights[range].iter().sum();
            part.squares_undone = (rows as f64).powi(2);
        }
        for child in children {
            let members = &scratch.members[child];
            let mut holds = true;
            for (model, judging) in self.models.iter().enumerate() {
                let tally = &mut scratch.tallies[model];
                members.iter().for_each(|at| tally.add(&self.combos, &judging.measured, *at as usize));
                let number = scratch.numbers[model].as_ref().and_then(|numbers| numbers.get(child).copied());
                let instead = number.map(|number| (dimension, number));
                let judgement = judging.judge(&tally.count(), &class.values, instead, &mut scratch.key);
                holds &= judgement.holds;
                scratch.safety[model] = judgement.safety;
            }
            if holds {
                lower(if self.tracks { &mut part.safety } else { &mut effect.safety }, &scratch.safety);
            }
            effect.holds &= holds;
            if self.tracks {
                let rows: Weight = members.iter().map(|at| self.combos.weights[*at as usize]).sum();
                part.squares_undone -= (rows as f64).powi(2);
                part.more_violating += if holds { 0 } else { rows as i64 };
            } else if !holds {
                break;
            }
        }
        part
    }

    /// Splits every class that carries the value, and answers with which class became which.
    pub(super) fn specialize(
        &mut self,
        dimension: usize,
        of: &Dimension,
        node: NodeId,
        effect: &Effect,
    ) -> Vec<(ClassId, Vec<ClassId>)> {
        let Some(column) = self.local[dimension] else { return Vec::new() };
        let parents = self.links[dimension].remove(&node).unwrap_or_default();
        let children = of.tree.node(node).children.clone();
        lower(&mut self.safety, &effect.safety);
        let mut scratch = Scratch::new(self);
        let mut born = Vec::with_capacity(parents.len());
        for parent in &parents {
            let range = self.classes[*parent].range.clone();
            let present = scratch.sort_by_child(&self.combos.codes[column], of, range.clone());
            self.reorder(&scratch, range.clone(), present.clone());
            self.violating -= self.classes[*parent].violating;
            self.classes[*parent].safety = None;
            let mut start = range.start;
            let mut ids = Vec::new();
            for child in present {
                let end = start + scratch.members[child].len();
                let mut values = self.classes[*parent].values.clone();
                values[dimension] = children[child];
                ids.push(self.add_class(start..end, values));
                start = end;
            }
            born.push((*parent, ids));
        }
        self.unlink(&parents, dimension);
        if self.tracks {
            // Classes that held may be left out now, and say nothing any more.
            self.safety.fill(f64::INFINITY);
            self.classes.iter().flat_map(|class| &class.safety).for_each(|safety| lower(&mut self.safety, safety));
        }
        born
    }

    /// Takes classes that no longer exist out of the other dimensions' links.
    fn unlink(&mut self, parents: &[ClassId], split: usize) {
        let mut touched: Vec<(usize, NodeId)> = Vec::new();
        for parent in parents {
            let values = &self.classes[*parent].values;
            touched.extend(
                (0..self.local.len()).filter(|at| *at != split && self.local[*at].is_some()).map(|at| (at, values[at])),
            );
        }
        touched.sort_unstable();
        touched.dedup();
        for (dimension, value) in touched {
            if let Some(classes) = self.links[dimension].get_mut(&value) {
                classes.retain(|class| parents.binary_search(class).is_err());
            }
        }
    }

    /// Puts the members of a class in the order of its children.
    fn reorder(&mut self, scratch: &Scratch, range: Range<usize>, present: Vec<usize>) {
        let order: Vec<u32> = present.iter().flat_map(|child| scratch.members[*child].iter().copied()).collect();
        for codes in
            self.combos.codes.iter_mut().chain(self.models.iter_mut().map(|judging| &mut judging.measured.codes))
        {
            permute(codes, &order, range.clone());
        }
        permute(&mut self.combos.weights, &order, range.clone());
        if let Some(owners) = &mut self.combos.owners {
            permute(owners, &order, range);
        }
    }
}

/// Keeps the lower of each pair.
fn lower(lowest: &mut [f64], other: &[f64]) {
    for (lowest, other) in lowest.iter_mut().zip(other) {
        *lowest = lowest.min(*other);
    }
}

fn permute<T: Copy>(values: &mut [T], order: &[u32], range: Range<usize>) {
    let moved: Vec<T> = order.iter().map(|at| values[*at as usize]).collect();
    values[range].copy_from_slice(&moved);
}

/// Puts combinations that agree on the columns that are never generalized next to each other.
fn by_fixed_columns(combos: Combos, fixed: &[usize]) -> (Combos, Vec<Range<usize>>) {
    if fixed.is_empty() {
        let all = 0..combos.len();
        return (combos, vec![all]);
    }
    let parts: Vec<&[Code]> = fixed.iter().map(|column| combos.codes[*column].as_slice()).collect();
    let order = ascending(&parts, combos.len());
    let mut starts = Vec::new();
    let mut start = 0;
    for at in 1..=order.len() {
        let ends =
            at == order.len() || parts.iter().any(|part| part[order[at] as usize] != part[order[at - 1] as usize]);
        if ends {
            starts.push(start..at);
            start = at;
        }
    }
    let take = |values: &Vec<u32>| order.iter().map(|at| values[*at as usize]).collect();
    let sorted = Combos {
        codes: combos.codes.iter().map(take).collect(),
        weights: order.iter().map(|at| combos.weights[*at as usize]).collect(),
        owners: combos.owners.as_ref().map(take),
    };
    (sorted, starts)
}

/// Memory that is used again for every class.
struct Scratch {
    members: Vec<Vec<u32>>,
    tallies: Vec<Tally>,
    safety: Vec<f64>,
    /// By model, by child: the number of its value, where it is looked at.
    numbers: Vec<Option<Vec<u32>>>,
    key: Vec<u32>,
}

impl Scratch {
    fn new(grouping: &Grouping<'_>) -> Scratch {
        let owners = grouping.combos.owners.is_some();
        let tallies = grouping.models.iter().map(|judging| Tally::new(judging.measured.len, owners)).collect();
        let (numbers, key) = (Vec::new(), Vec::new());
        Scratch { members: Vec::new(), tallies, safety: vec![0.0; grouping.models.len()], numbers, key }
    }

    /// Sorts the members of a class by child, and answers with the children that have any.
    fn sort_by_child(&mut self, codes: &[Code], of: &Dimension, range: Range<usize>) -> Vec<usize> {
        self.members.iter_mut().for_each(Vec::clear);
        for at in range {
            let child = of.child[codes[at] as usize] as usize;
            if child >= self.members.len() {
                self.members.resize_with(child + 1, Vec::new);
            }
            self.members[child].push(at as u32);
        }
        (0..self.members.len()).filter(|child| !self.members[*child].is_empty()).collect()
    }
}
