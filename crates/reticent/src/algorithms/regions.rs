//! Regions: records that are published with the same generalized values. Fixed data of the searches that divide a table into regions, the
//! checks of regions and of the whole release, and the recoding that publishes them.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::join_checker::{
    check_history, constraints_to_check, first_violation, generalized_columns, join_checks, requirement_unreachable,
    root_release,
};
use super::objective::Objective;
use super::top_down_specialization::Gain;
use super::{Control, RecodingTask, SearchOutcome, ValueForm};
use crate::contract::min_class_size;
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::table::{Column, Table};
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::{Error, Obstacle, Outlook, Refusal, Result};
use crate::join::{ClassCells, ColumnRef, Constraint, Counted, JoinCheck};
use crate::models::{Judge, Judgement};
use crate::operations::suppress_records::{class_of, violating};
use crate::release::PublishedColumn;
use crate::release::classes::{ClassCounter, EquivalenceClass, Measured};
use crate::release::history::History;
use crate::release::recoding::{Recoded, Recoding, RecodingRule};

/// A region of the result: records that are published with these nodes of the generalized columns, or suppressed.
#[derive(Clone)]
pub(super) struct PublishedRegion {
    pub nodes: Vec<NodeId>,
    /// Combinations of the table.
    pub members: Vec<u32>,
    pub suppressed: bool,
}

/// Bounds of the intervals of numbers and dates that a search chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntervalBounds {
    /// Values of the data.
    Data,
    /// Only bounds of declared intervals.
    Declared,
}

/// A generalized column with its taxonomy.
pub(super) struct RegionDimension {
    pub column: usize,
    pub tree: Arc<Taxonomy>,
    /// Codes of the finest declared interval around each value, by code, for a number or date with [`IntervalBounds::Declared`].
    pub declared: Option<Vec<Range<Code>>>,
}

/// Data that does not change during the search.
pub(super) struct RegionContext {
    pub dimensions: Vec<RegionDimension>,
    /// Columns that a constraint groups by and that are published unchanged.
    pub fixed: Vec<usize>,
    /// Whether every constraint groups by all of these columns, so that regions are its equivalence classes.
    pub exact: bool,
    pub gain: Gain,
    pub objective: Objective,
    /// Columns as published without generalization.
    pub published_columns: Vec<PublishedColumn>,
    /// Published code without generalization, by column and combination.
    pub published_codes: Vec<Vec<Code>>,
    /// Form in which the values of a region are published.
    form: ValueForm,
}

/// A check of regions.
pub(super) struct RegionCheck<'a> {
    pub measured: Measured,
    pub owners: bool,
    rule: RegionRule<'a>,
}

/// What the number of records of a region decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightBound {
    /// A region with fewer records violates the requirement; 1 if unknown.
    pub min_weight: Weight,
    /// Whether a region satisfies the requirement exactly if it has at least `min_weight` records.
    pub only_weight: bool,
}

enum RegionRule<'a> {
    Model(Judge<'a>),
    /// A join constraint. `key` has, for each join column, its dimension and the value number of each node.
    Join {
        join_check: &'a JoinCheck<'a>,
        cells: ClassCells,
        key: Vec<(usize, Vec<u32>)>,
    },
}

/// What a search over regions needs to judge them.
#[derive(Clone, Copy)]
pub(super) struct RegionSearch<'a> {
    pub task: &'a RecodingTask<'a>,
    pub context: &'a RegionContext,
    pub checks: &'a [RegionCheck<'a>],
    join_checks: &'a [JoinCheck<'a>],
    pub control: &'a Control<'a>,
}

/// Runs a search over the regions of a table.
///
/// # Errors
///
/// Returns an error if the requirement cannot be checked on regions, or if the search returns one.
pub(super) fn search_regions(
    task: &RecodingTask<'_>,
    (gain, bounds): (Gain, IntervalBounds),
    control: &Control<'_>,
    search: impl FnOnce(RegionSearch<'_>) -> Result<SearchOutcome>,
) -> Result<SearchOutcome> {
    check_history(task)?;
    let context = RegionContext::new(task, &generalized_columns(task)?, gain, bounds)?;
    let constraints = context.strengthened_constraints(task)?;
    let join_checks = context.join_checks(task, &constraints, control.abort)?;
    let checks = context.region_checks(task, &join_checks)?;
    search(RegionSearch { task, context: &context, checks: &checks, join_checks: &join_checks, control })
}

impl RegionSearch<'_> {
    /// Returns an error if a join could not be checked, or if the caller aborted the search.
    pub(super) fn check_finished(&self) -> Result<()> {
        self.join_checks.iter().try_for_each(JoinCheck::check)?;
        if (self.control.abort)() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Returns counters of the values that the checks measure.
    pub(super) fn counters(&self) -> Vec<ClassCounter> {
        self.checks.iter().map(|check| ClassCounter::new(check.measured.len, check.owners)).collect()
    }

    /// Returns the refusal if the requirement is violated at the root.
    pub(super) fn refusal(&self) -> Result<Error> {
        self.context.refusal(self.task, self.control.abort)
    }

    /// Returns the note about constraints with different quasi-identifiers, if there are any.
    pub(super) fn strengthening_note(&self) -> Option<String> {
        let note = "The constraints assume different quasi-identifiers; every group satisfies all of them, which is stronger than needed.";
        (!self.context.exact).then(|| note.to_owned())
    }
}

impl RegionContext {
    fn new(task: &RecodingTask<'_>, columns: &[usize], gain: Gain, bounds: IntervalBounds) -> Result<RegionContext> {
        let table = task.table;
        let (mut known, mut counted) = (Vec::new(), Vec::new());
        for model in &task.requirement.models {
            known.push(sorted(table.positions(model.grouped_by())?));
            counted.extend(table.positions(model.measured())?);
        }
        for constraint in task.requirement.joins.iter().flat_map(|join| &join.constraints) {
            known.push(sorted(constraint.x.iter().filter(|at| at.release == 0).map(|at| at.column).collect()));
            counted.extend(constraint.y.iter().filter_map(counted_column));
        }
        let all = sorted(known.iter().flatten().copied().collect());
        let fixed: Vec<usize> = all.iter().copied().filter(|column| !columns.contains(column)).collect();
        let exact = known.iter().all(|known| *known == all);
        if let Some(column) = fixed.iter().find(|column| counted.contains(column)) {
            return Err(Obstacle::ColumnKnownAndCounted { column: table.columns[*column].name.clone() }.into());
        }
        let identity = Recoding::identity(table);
        let code =
            |(recoded, codes): (&Recoded, &Vec<Code>)| codes.iter().map(|code| recoded.map[*code as usize]).collect();
        let published_codes = identity.columns.iter().zip(&table.contingency.codes).map(code).collect();
        let dimension = |column: &usize| -> Result<RegionDimension> {
            let given = &table.columns[*column].tree;
            let declared = match bounds {
                IntervalBounds::Declared if given.numbers().is_some() => Some(declared_intervals(table, *column)?),
                _ => None,
            };
            let tree = Arc::new(given.halved(&table.weights_of(*column)));
            Ok(RegionDimension { column: *column, tree, declared })
        };
        Ok(RegionContext {
            dimensions: columns.iter().map(dimension).collect::<Result<_>>()?,
            fixed,
            exact,
            gain,
            objective: Objective::new(table, task.purpose, columns)?,
            published_columns: identity.columns.into_iter().map(|recoded| recoded.column).collect(),
            published_codes,
            form: task.values,
        })
    }

    pub(super) fn columns(&self) -> Vec<usize> {
        self.dimensions.iter().map(|dimension| dimension.column).collect()
    }

    /// Returns the join constraints for an attacker who knows every column that distinguishes regions.
    fn strengthened_constraints(&self, task: &RecodingTask<'_>) -> Result<Vec<(Vec<usize>, Constraint)>> {
        let mut constraints = Vec::new();
        for join in &task.requirement.joins {
            for constraint in &join.constraints {
                let mut constraint = constraint.clone();
                let all = self.columns().into_iter().chain(self.fixed.iter().copied());
                constraint.x.extend(all.map(|column| ColumnRef { release: 0, column }));
                constraint.x.sort_unstable();
                constraint.x.dedup();
                constraints.push((join.earlier.clone(), constraint));
            }
        }
        Ok(constraints)
    }

    fn join_checks<'a>(
        &self,
        task: &'a RecodingTask<'a>,
        constraints: &'a [(Vec<usize>, Constraint)],
        abort: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Vec<JoinCheck<'a>>> {
        let (columns, raw) = (self.columns(), Recoding::identity(task.table));
        let mut join_checks = Vec::new();
        for (earlier, constraint) in constraints {
            let rules = &task.requirement.rules;
            let join_check =
                JoinCheck::new(constraint, &self.published_columns, &columns, task.history, earlier, rules)?
                    .with_abort(abort);
            join_check.compute_relation(task.table, &raw);
            join_checks.push(join_check);
        }
        Ok(join_checks)
    }

    fn region_checks<'a>(
        &self,
        task: &'a RecodingTask<'a>,
        join_checks: &'a [JoinCheck<'a>],
    ) -> Result<Vec<RegionCheck<'a>>> {
        let contingency = &ContingencyTable { codes: self.published_codes.clone(), ..task.table.contingency.clone() };
        let mut checks = Vec::new();
        for model in &task.requirement.models {
            let measured_columns = task.table.positions(model.measured())?;
            let column =
                if let [only] = measured_columns.as_slice() { Some(&self.published_columns[*only]) } else { None };
            let measured = Measured::new(contingency, &measured_columns);
            let judge = model.judge(&measured.whole(contingency, column))?;
            checks.push(RegionCheck { measured, owners: contingency.owners.is_some(), rule: RegionRule::Model(judge) });
        }
        for join_check in constraints_to_check(join_checks, &self.columns()) {
            let mut cells = join_check.cells(contingency, &self.published_columns);
            let measured = Measured { codes: std::mem::take(&mut cells.measured.codes), len: cells.measured.len };
            let value_ids = |(place, column): (usize, &usize)| {
                let dimension = self.dimensions.iter().position(|dimension| dimension.column == *column)?;
                let tree = &self.dimensions[dimension].tree;
                Some((dimension, (0..tree.nodes().len()).map(|node| join_check.value(place, tree, node)).collect()))
            };
            let key = join_check.varying().iter().enumerate().filter_map(value_ids).collect();
            checks.push(RegionCheck { measured, owners: false, rule: RegionRule::Join { join_check, cells, key } });
        }
        Ok(checks)
    }

    /// Returns what the number of records of a region decides.
    pub(super) fn weight_bound(&self, task: &RecodingTask<'_>, checks: &[RegionCheck<'_>]) -> Result<WeightBound> {
        let (models, contingency) = (&task.requirement.models, &task.table.contingency);
        let smallest = models.iter().map(|model| min_class_size(model.as_ref(), contingency));
        let smallest: Vec<Option<Weight>> = smallest.collect::<Result<_>>()?;
        let min_weight = smallest.iter().flatten().copied().max().unwrap_or(1);
        let only_weight =
            contingency.owners.is_none() && checks.len() == models.len() && smallest.iter().all(Option::is_some);
        Ok(WeightBound { min_weight, only_weight })
    }

    /// Returns the nodes that combinations of the table are published with as one region: in each column, the lowest common node of
    /// the values that occur.
    pub(super) fn nodes_of(&self, table: &Table, members: &[u32]) -> Vec<NodeId> {
        let common = |dimension: &RegionDimension| {
            let codes = &table.contingency.codes[dimension.column];
            let (first, last) = members.iter().fold((Code::MAX, 0), |(first, last), member| {
                let code = codes[*member as usize];
                (code.min(first), code.max(last))
            });
            if first > last { 0 } else { common_node(&dimension.tree, first, last) }
        };
        self.dimensions.iter().map(common).collect()
    }

    /// Returns the refusal if the requirement is violated at the root.
    fn refusal(&self, task: &RecodingTask<'_>, abort: &(dyn Fn() -> bool + Sync)) -> Result<Error> {
        let columns = self.columns();
        let release = root_release(task, &columns)?;
        let history = History::single(release.clone());
        for model in &task.requirement.models {
            if let Some(worst) = model.survey(&history)?.violations.first() {
                return Ok(requirement_unreachable(model.title(), worst, Outlook::Unknown).into());
            }
        }
        let join_checks = join_checks(task, &columns, abort)?;
        if let Some((join_check, worst)) = first_violation(&join_checks, &release)? {
            let title = join_check.constraint.title.clone();
            return Ok(requirement_unreachable(title, &worst, Outlook::Unknown).into());
        }
        Ok(Refusal::PartUnreachable {}.into())
    }

    /// Returns the recoding that publishes every combination of values with the nodes of its region.
    pub(super) fn recoding(&self, table: &Table, regions: &[PublishedRegion]) -> Recoding {
        let context = self;
        let mut recoding = Recoding::identity(table);
        let mut places: Vec<HashMap<NodeId, u32>> = Vec::new();
        // Published node by column, then by region.
        let mut published_nodes: Vec<Vec<NodeId>> = Vec::new();
        for (at, dimension) in context.dimensions.iter().enumerate() {
            let (tree, of_regions): (Arc<Taxonomy>, Vec<NodeId>) = match self.form {
                ValueForm::Nodes => (dimension.tree.clone(), regions.iter().map(|region| region.nodes[at]).collect()),
                ValueForm::Sets => dimension.sets(table, regions),
            };
            let leaf = |code: Code| tree.published_node(tree.leaf_of(code));
            let leaves: Vec<NodeId> = (0..tree.len() as Code).map(leaf).collect();
            let of_regions: Vec<NodeId> = of_regions.iter().map(|node| tree.published_node(*node)).collect();
            let mut nodes: Vec<NodeId> = leaves.clone();
            nodes.extend(&of_regions);
            nodes.push(0);
            published_nodes.push(of_regions);
            nodes.sort_unstable_by_key(|id| (*id == 0, tree.node(*id).span.start, tree.node(*id).depth, *id));
            nodes.dedup();
            let place: HashMap<NodeId, u32> = nodes.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
            let recoded = &mut recoding.columns[dimension.column];
            recoded.map = leaves.iter().map(|leaf| place[leaf]).collect();
            recoded.column = PublishedColumn { tree, nodes, ..recoded.column.clone() };
            places.push(place);
        }
        let on = sorted(context.columns().into_iter().chain(context.fixed.iter().copied()).collect());
        let class = |at: u32| -> Box<[u32]> {
            let code = |column: &usize| {
                let raw = table.contingency.codes[*column][at as usize];
                recoding.columns[*column].map[raw as usize]
            };
            on.iter().map(code).collect()
        };
        let mut rules: HashMap<Box<[u32]>, RecodingRule> = HashMap::new();
        for (place, region) in regions.iter().enumerate() {
            for member in &region.members {
                let key = class(*member);
                if region.suppressed {
                    rules.insert(key, RecodingRule::Drop);
                    continue;
                }
                let mut published = key.clone();
                for (at, dimension) in context.dimensions.iter().enumerate() {
                    if let Ok(known) = on.binary_search(&dimension.column) {
                        published[known] = places[at][&published_nodes[at][place]];
                    }
                }
                rules.insert(key, RecodingRule::Publish(published));
            }
        }
        recoding.on = on;
        recoding.rules = rules;
        recoding
    }
}

impl RegionDimension {
    /// Adds the sets of values of some regions to the taxonomy, and returns the node of each region. Numbers and dates are published as
    /// the range from the first to the last value.
    fn sets(&self, table: &Table, regions: &[PublishedRegion]) -> (Arc<Taxonomy>, Vec<NodeId>) {
        let mut tree = (*self.tree).clone();
        let codes = &table.contingency.codes[self.column];
        // Many regions publish the same set.
        let mut known: HashMap<Vec<Code>, NodeId> = HashMap::new();
        let mut set = |region: &PublishedRegion| {
            if region.suppressed {
                return 0;
            }
            let mut values: Vec<Code> = region.members.iter().map(|member| codes[*member as usize]).collect();
            values.sort_unstable();
            values.dedup();
            if tree.numbers().is_some() {
                values = tree.range_over(&self.within_declared_bounds(values));
            }
            // A group with all values of the domain, or with a value that is never published, is suppressed.
            let is_suppressed = |code: &Code| tree.published_node(tree.leaf_of(*code)) == 0;
            match values.len() == tree.len() || values.iter().any(is_suppressed) {
                true => 0,
                false => *known.entry(values).or_insert_with_key(|values| tree.add_set(values)),
            }
        };
        let nodes = regions.iter().map(&mut set).collect();
        (Arc::new(tree), nodes)
    }
}

impl RegionDimension {
    /// Adds the codes of the declared intervals around several values. A single value, with or without a missing one, stays exact.
    fn within_declared_bounds(&self, mut codes: Vec<Code>) -> Vec<Code> {
        let Some(declared) = &self.declared else { return codes };
        let is_known = |code: &Code| self.tree.missing() != Some(*code);
        if codes.iter().filter(|code| is_known(code)).count() > 1 {
            codes = codes.iter().flat_map(|code| declared[*code as usize].clone()).collect();
            codes.sort_unstable();
            codes.dedup();
        }
        codes
    }
}

/// Returns the codes of the finest declared interval around each value of a number or date column.
fn declared_intervals(table: &Table, column: usize) -> Result<Vec<Range<Code>>> {
    let Column { name, tree, .. } = &table.columns[column];
    if (0..tree.nodes().len()).any(|node| tree.can_grow(node)) {
        let message = "the option `bounds = \"declared\"` needs `intervals` for this column";
        return Err(Error::column(name, message));
    }
    Ok(tree.declared_intervals())
}

impl RegionCheck<'_> {
    pub(super) fn judge(&self, class: &EquivalenceClass<'_>, nodes: &[NodeId]) -> Judgement {
        match &self.rule {
            RegionRule::Model(judge) => judge(class),
            RegionRule::Join { join_check, cells, key } => {
                let key: Vec<u32> = key.iter().map(|(dimension, value_ids)| value_ids[nodes[*dimension]]).collect();
                join_check.judge(cells, &key, class.counts)
            }
        }
    }
}

/// Check of a whole release: the models as defined, and the join constraints.
pub(super) struct ReleaseCheck<'a> {
    task: &'a RecodingTask<'a>,
    join_checks: Vec<JoinCheck<'a>>,
}

impl<'a> ReleaseCheck<'a> {
    pub(super) fn new(
        task: &'a RecodingTask<'a>,
        columns: &[usize],
        abort: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<ReleaseCheck<'a>> {
        Ok(ReleaseCheck { task, join_checks: join_checks(task, columns, abort)? })
    }

    /// Combinations of the table in violating classes of the release; `None` if there are none.
    pub(super) fn violating_members(&self, recoding: &Recoding) -> Result<Option<HashSet<u32>>> {
        let release = recoding.apply(self.task.table)?;
        let marks = violating(&release, self.task.requirement, &self.join_checks)?;
        if !marks.contains(&true) {
            return Ok(None);
        }
        let marked = (0..marks.len()).filter(|at| marks[*at]);
        let classes: HashSet<Box<[u32]>> = marked.map(|at| class_of(&release.contingency, &recoding.on, at)).collect();
        let contingency = &self.task.table.contingency;
        let mut row = Vec::new();
        let mut is_violating = |at: &u32| {
            if !recoding.publish(contingency, *at as usize, &mut row) {
                return false;
            }
            let class: Box<[u32]> = recoding.on.iter().map(|column| row[*column]).collect();
            classes.contains(&class)
        };
        Ok(Some((0..contingency.len() as u32).filter(|at| is_violating(at)).collect()))
    }
}

/// Returns the lowest node that contains two codes, and so the codes between them.
fn common_node(tree: &Taxonomy, first: Code, last: Code) -> NodeId {
    let mut node = tree.leaf_of(first);
    while let Some(parent) = tree.node(node).parent.filter(|_| tree.node(node).span.end <= last) {
        node = parent;
    }
    node
}

fn sorted(mut columns: Vec<usize>) -> Vec<usize> {
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Returns the measured column, if it belongs to the new release.
fn counted_column(counted: &Counted) -> Option<usize> {
    match counted {
        Counted::Column(ColumnRef { release: 0, column }) => Some(*column),
        _ => None,
    }
}
