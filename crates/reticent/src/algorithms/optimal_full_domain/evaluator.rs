//! Evaluation of one node: the records to suppress, and the cost of the release.
//!
//! A node is evaluated on *items*: records with equal published values at a more specific node, with their number. Classes are
//! counted from items. Every model judges its classes, and records of violating classes are suppressed, until no class violates.
//! This is the same procedure as `suppress_records`, which is applied to the chosen node.

use super::cost::{ClassSums, Cost, Costs, Metric};
use super::keys::{Bundles, KeyScratch, PublishedLevel};
use super::lattice::GeneralizationHierarchy;
use crate::contract::min_class_size;
use crate::data::contingency::{ContingencyTable, Weight, combine};
use crate::data::table::Table;
use crate::data::taxonomy::Code;
use crate::error::{Error, Obstacle, Result};
use crate::models::{Judge, Merging, Model, merging_of};
use crate::release::PublishedColumn;
use crate::release::classes::{ClassCounter, Measured, Whole};
use crate::release::recoding::Recoding;
use crate::release::record_sets::RecordSets;
use crate::requirement::Requirement;

/// Verdict on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeVerdict {
    /// Too many records would be suppressed at the node and at every more specific node.
    InfeasibleBelow,
    /// Too many records would be suppressed at the node.
    Infeasible,
    /// The number of suppressed records is within the limit. Fields: number of suppressed records, and cost.
    Feasible(Weight, Cost),
}

/// Result of the evaluation of a node.
#[derive(Debug)]
pub(super) struct NodeResult {
    /// Verdict.
    pub(super) verdict: NodeVerdict,
    /// Lower bound of the cost of the node and of every more general node.
    pub(super) floor: Cost,
    /// Items at the node.
    pub(super) items: Items,
}

/// Groups of records with equal published values at a node.
#[derive(Debug)]
pub(super) struct Items {
    /// One record of each item.
    records: Vec<u32>,
    /// Weights and owners by item, without codes.
    counted: ContingencyTable,
}

impl Items {
    /// Returns the number of items.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }
}

/// Evaluates nodes. Contains everything that is the same for all nodes.
pub(super) struct NodeEvaluator<'a> {
    hierarchies: &'a [GeneralizationHierarchy],
    costs: Costs,
    /// Columns: generalized columns in the order of the hierarchies, other grouping columns, measured columns, owners.
    records: ContingencyTable,
    widths: Vec<u32>,
    bundles: Bundles,
    /// Sets of grouping columns. The first set has all grouping columns.
    groupings: Vec<Vec<usize>>,
    measures: Vec<Measured>,
    checks: Vec<ModelCheck<'a>>,
    limit: Weight,
}

/// Check of one model.
struct ModelCheck<'a> {
    model: &'a dyn Model,
    grouping: usize,
    measure: usize,
    /// Measured column, if there is exactly one.
    column: Option<&'a PublishedColumn>,
    /// Judge of classes without suppression. Also valid with suppression if the model depends on nothing outside a class.
    judge: Judge<'a>,
    /// Minimum number of records of a satisfying class, if the model depends on the number of records only.
    min_size: Option<Weight>,
    /// Whether too many violating records at a node imply too many at every more specific node.
    monotone: bool,
}

/// Input of the evaluation.
pub(super) struct EvaluatorInput<'a> {
    /// Raw data.
    pub(super) table: &'a Table,
    /// Privacy requirement.
    pub(super) requirement: &'a Requirement,
    /// Hierarchies of the generalized columns.
    pub(super) hierarchies: &'a [GeneralizationHierarchy],
    /// Recoding without generalization, for the other columns.
    pub(super) ungeneralized: &'a Recoding,
    /// Metric to minimize.
    pub(super) metric: Metric,
    /// Maximum number of suppressed records.
    pub(super) limit: Weight,
}

impl<'a> NodeEvaluator<'a> {
    /// Creates the evaluator.
    pub(super) fn new(input: &EvaluatorInput<'a>) -> Result<NodeEvaluator<'a>> {
        let layout = Layout::new(input)?;
        let records = layout.records(input);
        let generalized = input.hierarchies.len();
        let widths: Vec<u32> = records.codes.iter().map(|codes| 1 + codes.iter().copied().max().unwrap_or(0)).collect();
        let fixed = widths[generalized..layout.grouped].iter().fold(1, |all: u128, w| all.saturating_mul((*w).into()));
        let costs = Costs::new(input.metric, input.table, input.hierarchies, fixed, records.len() as u128);
        let mut evaluator = NodeEvaluator {
            hierarchies: input.hierarchies,
            costs,
            bundles: Bundles::new(&records),
            widths,
            groupings: vec![(0..layout.grouped).collect()],
            measures: Vec::new(),
            checks: Vec::new(),
            limit: input.limit,
            records,
        };
        evaluator.add_checks(input, &layout)?;
        Ok(evaluator)
    }

    fn add_checks(&mut self, input: &EvaluatorInput<'a>, layout: &Layout) -> Result<()> {
        let mut measured: Vec<Vec<usize>> = Vec::new();
        let nested = input.hierarchies.iter().all(GeneralizationHierarchy::is_nested);
        for model in &input.requirement.models {
            let by = layout.places(&input.table.positions(model.grouped_by())?);
            let measured_columns = input.table.positions(model.measured())?;
            let column = if let [only] = measured_columns.as_slice() {
                Some(&input.ungeneralized.columns[*only].column)
            } else {
                None
            };
            let grouping = index_of(&mut self.groupings, by);
            let measure = index_of(&mut measured, layout.places(&measured_columns));
            if measure == self.measures.len() {
                self.measures.push(Measured::new(&self.records, &measured[measure]));
            }
            let judge = model.judge(&self.measures[measure].whole(&self.records, column))?;
            let min_size =
                if self.records.owners.is_some() { None } else { min_class_size(model.as_ref(), &self.records)? };
            let monotone = nested && self.is_monotone(merging_of(model.as_ref(), &self.records));
            self.checks.push(ModelCheck {
                model: model.as_ref(),
                grouping,
                measure,
                column,
                judge,
                min_size,
                monotone,
            });
        }
        // Fast checks first.
        self.checks.sort_by_key(|check| check.min_size.is_none());
        Ok(())
    }

    /// Whether infeasibility carries over to more specific nodes, by the effect of merging on a model. The proof is in
    /// `optimal_full_domain.rs`. If people have several records, the confidence in a union can exceed that in both parts;
    /// `merging_of` accounts for this.
    fn is_monotone(&self, merging: Merging) -> bool {
        match merging {
            Merging::WithAny => true,
            Merging::WithSatisfying => self.limit == 0,
            Merging::Never => false,
        }
    }

    /// Returns the hierarchies of the generalized columns.
    pub(super) fn hierarchies(&self) -> &[GeneralizationHierarchy] {
        self.hierarchies
    }

    /// Returns the costs of nodes.
    pub(super) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Whether at least one model is monotone.
    pub(super) fn has_monotone_model(&self) -> bool {
        self.checks.iter().any(|check| check.monotone)
    }

    /// Whether all models are monotone.
    pub(super) fn all_models_monotone(&self) -> bool {
        self.checks.iter().all(|check| check.monotone)
    }

    /// Returns the items of the table without grouping.
    pub(super) fn all_items(&self) -> Items {
        let counted = ContingencyTable {
            codes: Vec::new(),
            weights: self.records.weights.clone(),
            owners: self.records.owners.clone(),
        };
        Items { records: (0..self.records.len() as u32).collect(), counted }
    }

    /// Judges the node with these levels, from the items of a node that is more specific or equal in every column.
    pub(super) fn judge(&self, levels: &[usize], from: &Items, scratch: &mut KeyScratch) -> Result<NodeResult> {
        let published = self.published_levels(levels);
        let items = self.roll_up(&published, from, scratch);
        let classes = self.group(&published, &items, scratch);
        let floor = self.floor(&items, &classes);
        let verdict = match self.verdict(levels, &items, &classes) {
            // A node whose sets of records cannot be counted is not published.
            Err(Error::CannotCheck(Obstacle::TooManyRecordSets { .. })) => NodeVerdict::Infeasible,
            verdict => verdict?,
        };
        Ok(NodeResult { verdict, floor, items })
    }

    /// Returns the items of the node with these levels.
    pub(super) fn items(&self, levels: &[usize], from: &Items, scratch: &mut KeyScratch) -> Items {
        self.roll_up(&self.published_levels(levels), from, scratch)
    }

    fn published_levels(&self, levels: &[usize]) -> Vec<PublishedLevel<'_>> {
        let mut published: Vec<PublishedLevel<'_>> =
            self.widths.iter().map(|width| PublishedLevel { value_ids: None, distinct: *width }).collect();
        for ((published, hierarchy), level) in published.iter_mut().zip(self.hierarchies).zip(levels) {
            let level = &hierarchy.levels[*level];
            *published = PublishedLevel { value_ids: Some(&level.value_ids), distinct: level.distinct };
        }
        published
    }

    /// Merges items with equal published values.
    fn roll_up(&self, published: &[PublishedLevel<'_>], from: &Items, scratch: &mut KeyScratch) -> Items {
        let columns: Vec<usize> = (0..self.records.codes.len()).collect();
        self.bundles.number(&self.records, &columns, published, &from.records, scratch);
        let mut records = vec![0; scratch.count];
        let mut weights = vec![0; scratch.count];
        for ((id, record), weight) in scratch.ids.iter().zip(&from.records).zip(&from.counted.weights) {
            records[*id as usize] = *record;
            weights[*id as usize] += weight;
        }
        let owners = self.records.owners.as_ref();
        let owners = owners.map(|owners| records.iter().map(|record| owners[*record as usize]).collect());
        Items { records, counted: ContingencyTable { codes: Vec::new(), weights, owners } }
    }

    /// Returns the classes of every grouping.
    fn group(&self, published: &[PublishedLevel<'_>], items: &Items, scratch: &mut KeyScratch) -> Vec<Classes> {
        let all = self.records.codes.len();
        let classes = self.groupings.iter().map(|columns| {
            if columns.len() == all {
                return Classes { of: None, count: items.len() };
            }
            self.bundles.number(&self.records, columns, published, &items.records, scratch);
            Classes { of: Some(scratch.ids.clone()), count: scratch.count }
        });
        classes.collect()
    }

    fn floor(&self, items: &Items, classes: &[Classes]) -> Cost {
        if self.costs.metric().is_separable() {
            return 0;
        }
        self.costs.floor(class_sums(&classes[0], items, None))
    }

    fn verdict(&self, levels: &[usize], items: &Items, classes: &[Classes]) -> Result<NodeVerdict> {
        let monotone_checks: Vec<&ModelCheck<'_>> = self.checks.iter().filter(|check| check.monotone).collect();
        let mut kept = None;
        if !monotone_checks.is_empty() {
            kept = self.suppress_violating(&monotone_checks, items, classes)?;
            if kept.is_none() {
                return Ok(NodeVerdict::InfeasibleBelow);
            }
        }
        if monotone_checks.len() < self.checks.len() || kept.is_none() {
            kept = self.suppress_violating(&self.checks.iter().collect::<Vec<_>>(), items, classes)?;
        }
        Ok(match kept {
            None => NodeVerdict::Infeasible,
            Some(kept) => NodeVerdict::Feasible(kept.suppressed, self.cost(levels, items, classes, &kept)),
        })
    }

    /// Suppresses violating classes until none is left. Returns `None` if that exceeds the limit.
    fn suppress_violating(
        &self,
        checks: &[&ModelCheck<'_>],
        items: &Items,
        classes: &[Classes],
    ) -> Result<Option<KeptItems>> {
        let mut kept = KeptItems { items: vec![true; items.len()], suppressed: 0 };
        let mut violating = vec![false; items.len()];
        let once = self.needs_one_pass(checks);
        loop {
            for check in checks {
                self.mark(check, items, &classes[check.grouping], &kept, &mut violating)?;
                // Further models can only add violations.
                if kept.suppressed + kept.weight_of(&violating, items) > self.limit {
                    return Ok(None);
                }
            }
            let removed = kept.remove(&violating, items);
            if removed == 0 || once {
                return Ok(Some(kept));
            }
        }
    }

    /// Whether one pass suffices: with one grouping, whole classes are suppressed, and models that depend on single classes give the
    /// same verdict on the others.
    fn needs_one_pass(&self, checks: &[&ModelCheck<'_>]) -> bool {
        let local = |check: &&ModelCheck<'_>| {
            check.model.merging() == Merging::WithAny
                && !(self.records.owners.is_some() && check.model.record_sets().is_some())
        };
        checks.iter().all(local) && checks.windows(2).all(|pair| pair[0].grouping == pair[1].grouping)
    }

    /// Marks the items of classes that violate a model.
    fn mark(
        &self,
        check: &ModelCheck<'_>,
        items: &Items,
        classes: &Classes,
        kept: &KeptItems,
        into: &mut [bool],
    ) -> Result<()> {
        let violates = match check.min_size {
            Some(min_size) => undersized_classes(min_size, items, classes, kept),
            None => self.violating_classes(check, items, classes, kept)?,
        };
        for (item, mark) in into.iter_mut().enumerate() {
            *mark |= violates[classes.class_of(item)];
        }
        Ok(())
    }

    /// Returns by class whether it violates a model.
    fn violating_classes(
        &self,
        check: &ModelCheck<'_>,
        items: &Items,
        classes: &Classes,
        kept: &KeptItems,
    ) -> Result<Vec<bool>> {
        let by_record = &self.measures[check.measure];
        let codes: Vec<Code> = items.records.iter().map(|record| by_record.codes[*record as usize]).collect();
        let measured = Measured { codes, len: by_record.len };
        let mut counter = ClassCounter::new(measured.len, items.counted.owners.is_some());
        let local = kept.suppressed == 0 || check.model.merging() == Merging::WithAny;
        let new_judge = if local { None } else { Some(check.judge_of_kept(items, &measured, kept, &mut counter)?) };
        let judge = new_judge.as_ref().unwrap_or(&check.judge);
        let sets = check.model.record_sets();
        let least = sets.map(|sets| least_supports(sets, items, classes, kept)).transpose()?.flatten();
        let mut violates = vec![false; classes.count];
        let mut violating = kept.suppressed;
        for (class, members) in classes.members().iter().enumerate() {
            let mut rows = 0;
            for item in members.iter().map(|item| *item as usize).filter(|item| kept.items[*item]) {
                counter.add(&items.counted, &measured, item);
                rows += items.counted.weights[item];
            }
            let holds = judge(&counter.count()).holds && least.as_ref().is_none_or(|(k, least)| least[class] >= *k);
            violates[class] = rows > 0 && !holds;
            violating += if violates[class] { rows } else { 0 };
            // The limit is exceeded, so the other classes do not matter.
            if violating > self.limit {
                break;
            }
        }
        Ok(violates)
    }

    fn cost(&self, levels: &[usize], items: &Items, classes: &[Classes], kept: &KeptItems) -> Cost {
        if !self.costs.metric().is_separable() {
            return self.costs.of_classes(class_sums(&classes[0], items, Some(kept)), kept.suppressed);
        }
        let mut cost = self.costs.bound(levels.iter().copied());
        for item in (0..items.len()).filter(|item| !kept.items[*item]) {
            let record = items.records[item] as usize;
            let extra = self.costs.suppression_loss(levels, |column| self.records.codes[column][record]);
            cost += extra * u128::from(items.counted.weights[item]);
        }
        cost
    }
}

impl<'a> ModelCheck<'a> {
    /// Returns the judge for the kept items.
    fn judge_of_kept(
        &self,
        items: &Items,
        measured: &Measured,
        kept: &KeptItems,
        counter: &mut ClassCounter,
    ) -> Result<Judge<'a>> {
        for item in (0..items.len()).filter(|item| kept.items[*item]) {
            counter.add(&items.counted, measured, item);
        }
        let whole = counter.count();
        self.model.judge(&Whole { size: whole.size, counts: whole.counts.to_vec(), column: self.column })
    }
}

/// Items that are not suppressed.
struct KeptItems {
    items: Vec<bool>,
    suppressed: Weight,
}

impl KeptItems {
    /// Returns the number of marked records that are kept.
    fn weight_of(&self, marked: &[bool], items: &Items) -> Weight {
        let marked = self.items.iter().zip(marked).zip(&items.counted.weights);
        marked.map(|((kept, marked), weight)| if *kept && *marked { *weight } else { 0 }).sum()
    }

    /// Suppresses marked items. Returns their number of records.
    fn remove(&mut self, marked: &[bool], items: &Items) -> Weight {
        let removed = self.weight_of(marked, items);
        for (kept, marked) in self.items.iter_mut().zip(marked) {
            *kept &= !*marked;
        }
        self.suppressed += removed;
        removed
    }
}

/// Returns the minimum support, and by class the smallest support of a set of kept records of one person with a record of the class.
fn least_supports(
    sets: RecordSets,
    items: &Items,
    classes: &Classes,
    kept: &KeptItems,
) -> Result<Option<(u64, Vec<u64>)>> {
    let Some(owners) = &items.counted.owners else { return Ok(None) };
    let kept: Vec<usize> = (0..items.len()).filter(|item| kept.items[*item]).collect();
    let owners: Vec<u32> = kept.iter().map(|item| owners[*item]).collect();
    let of: Vec<u32> = kept.iter().map(|item| classes.class_of(*item) as u32).collect();
    let weights: Vec<Weight> = kept.iter().map(|item| items.counted.weights[*item]).collect();
    let mut least = sets.least_by_class(&owners, &of, &weights)?;
    least.resize(classes.count, u64::MAX);
    Ok(Some((sets.k, least)))
}

/// The classes of one grouping.
struct Classes {
    /// Class by item; if `None`, every item is a class.
    of: Option<Vec<u32>>,
    count: usize,
}

impl Classes {
    fn class_of(&self, item: usize) -> usize {
        self.of.as_ref().map_or(item, |of| of[item] as usize)
    }

    /// Returns the items of every class.
    fn members(&self) -> Members {
        let items = self.of.as_ref().map_or(self.count, Vec::len);
        let mut ends = vec![0u32; self.count];
        for item in 0..items {
            ends[self.class_of(item)] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum - *end;
        }
        let mut order = vec![0; items];
        for item in 0..items {
            let end = &mut ends[self.class_of(item)];
            order[*end as usize] = item as u32;
            *end += 1;
        }
        Members { ends, order }
    }
}

/// Items sorted by class.
struct Members {
    ends: Vec<u32>,
    order: Vec<u32>,
}

impl Members {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|class| {
            let start = if class == 0 { 0 } else { self.ends[class - 1] };
            &self.order[start as usize..self.ends[class] as usize]
        })
    }
}

/// Returns by class whether it has fewer kept records than the minimum.
fn undersized_classes(min_size: Weight, items: &Items, classes: &Classes, kept: &KeptItems) -> Vec<bool> {
    if classes.of.is_none() {
        return items.counted.weights.iter().map(|weight| *weight < min_size).collect();
    }
    let mut sizes = vec![0; classes.count];
    for item in (0..items.len()).filter(|item| kept.items[*item]) {
        sizes[classes.class_of(item)] += items.counted.weights[item];
    }
    sizes.into_iter().map(|size| size < min_size).collect()
}

/// Returns the number and sizes of the classes, counting only kept items if given.
fn class_sums(classes: &Classes, items: &Items, kept: Option<&KeptItems>) -> ClassSums {
    let mut sizes = vec![0; classes.count];
    for item in (0..items.len()).filter(|item| kept.is_none_or(|kept| kept.items[*item])) {
        sizes[classes.class_of(item)] += items.counted.weights[item];
    }
    let mut class_sums = ClassSums::default();
    for size in sizes.into_iter().filter(|size| *size > 0) {
        class_sums.add(size);
    }
    class_sums
}

fn index_of(list: &mut Vec<Vec<usize>>, mut columns: Vec<usize>) -> usize {
    columns.sort_unstable();
    columns.dedup();
    list.iter().position(|known| *known == columns).unwrap_or_else(|| {
        list.push(columns);
        list.len() - 1
    })
}

/// Columns of the records, in order.
struct Layout {
    columns: Vec<usize>,
    /// Number of leading columns that are grouping columns.
    grouped: usize,
}

impl Layout {
    fn new(input: &EvaluatorInput<'_>) -> Result<Layout> {
        let mut columns: Vec<usize> = input.hierarchies.iter().map(|hierarchy| hierarchy.column).collect();
        let models = &input.requirement.models;
        for model in models {
            add_new(&mut columns, input.table.positions(model.grouped_by())?);
        }
        let grouped = columns.len();
        for model in models {
            add_new(&mut columns, input.table.positions(model.measured())?);
        }
        Ok(Layout { columns, grouped })
    }

    /// Returns the positions of table columns in the records.
    fn places(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().filter_map(|column| self.columns.iter().position(|known| known == column)).collect()
    }

    /// Returns the distinct combinations of these columns, with raw codes for generalized columns and published codes for others.
    fn records(&self, input: &EvaluatorInput<'_>) -> ContingencyTable {
        let contingency = &input.table.contingency;
        let code = |at: usize, column: usize| -> Vec<Code> {
            let codes = &contingency.codes[column];
            if at < input.hierarchies.len() {
                return codes.clone();
            }
            codes.iter().map(|code| input.ungeneralized.columns[column].map[*code as usize]).collect()
        };
        let codes: Vec<Vec<Code>> = self.columns.iter().enumerate().map(|(at, column)| code(at, *column)).collect();
        let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
        let mut records = combine(&views, &contingency.weights, contingency.owners.as_deref());
        // The owner is an additional column that distinguishes items.
        records.codes.extend(records.owners.clone());
        records
    }
}

fn add_new(into: &mut Vec<usize>, columns: Vec<usize>) {
    for column in columns {
        if !into.contains(&column) {
            into.push(column);
        }
    }
}
