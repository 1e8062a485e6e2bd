//! Judging one node: which records would have to be left out, and what the release would cost.
//!
//! A node is judged on *items*: records of the table that show the same at some more specific node (or at none), with how
//! many they are. Classes are counted from the items, every model judges its classes, the records of violating ones are
//! left out, and again, until nothing violates: exactly what `suppress_records` will do with the chosen node.

use super::cost::{ClassSums, Cost, Costs, Metric};
use super::keys::{Bundles, Scratch, Shown};
use super::lattice::Ladder;
use crate::classes::{Group, Measured, Tally, Whole};
use crate::combos::{Combos, Weight, combine};
use crate::error::Result;
use crate::models::{Judge, Merging, Model, merging_of};
use crate::recoding::Recoding;
use crate::release::PublishedColumn;
use crate::requirement::Requirement;
use crate::table::Table;
use crate::taxonomy::Code;

/// What is said of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Too many records would be left out, here and at every more specific node.
    Hopeless,
    /// Too many records would be left out here.
    Infeasible,
    /// So many records are left out, at this cost.
    Feasible(Weight, Cost),
}

/// A judged node.
#[derive(Debug)]
pub(super) struct Judged {
    /// What is said of it.
    pub(super) verdict: Verdict,
    /// Neither the node nor any more general one costs less.
    pub(super) floor: Cost,
    /// What shows different values at the node.
    pub(super) items: Items,
}

/// Records that show the same at some node, put together.
#[derive(Debug)]
pub(super) struct Items {
    /// By item: one of its records.
    records: Vec<u32>,
    /// Weights and owners by item; no codes.
    counted: Combos,
}

impl Items {
    /// How many.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }
}

/// Everything that judging needs and no node changes.
pub(super) struct Judging<'a> {
    ladders: &'a [Ladder],
    costs: Costs,
    /// The generalized columns in the order of the ladders, other columns that make classes, measured columns, owners.
    records: Combos,
    widths: Vec<u32>,
    bundles: Bundles,
    /// The first is that of all columns that make classes.
    groupings: Vec<Vec<usize>>,
    measures: Vec<Measured>,
    questions: Vec<Question<'a>>,
    limit: Weight,
}

/// One model, ready to judge.
struct Question<'a> {
    model: &'a dyn Model,
    grouping: usize,
    measure: usize,
    /// The measured column, when it is one.
    column: Option<&'a PublishedColumn>,
    /// Judges while no record is left out; whenever, if the model looks at nothing outside a class.
    judge: Judge<'a>,
    /// Where only the number of records counts: the least that holds.
    least: Option<Weight>,
    /// Whether too many violating records here mean too many at every more specific node.
    tags: bool,
}

/// What a search is given to judge by.
pub(super) struct Given<'a> {
    /// The raw data.
    pub(super) table: &'a Table,
    /// What must hold.
    pub(super) requirement: &'a Requirement,
    /// The generalized columns.
    pub(super) ladders: &'a [Ladder],
    /// How the others are published.
    pub(super) plain: &'a Recoding,
    /// What is to be lost least.
    pub(super) metric: Metric,
    /// How many records may be left out.
    pub(super) limit: Weight,
}

impl<'a> Judging<'a> {
    /// Prepares to judge.
    pub(super) fn new(given: &Given<'a>) -> Result<Judging<'a>> {
        let layout = Layout::new(given)?;
        let records = layout.records(given);
        let generalized = given.ladders.len();
        let widths: Vec<u32> = records.codes.iter().map(|codes| 1 + codes.iter().copied().max().unwrap_or(0)).collect();
        let fixed = widths[generalized..layout.grouped].iter().fold(1, |all: u128, w| all.saturating_mul((*w).into()));
        let costs = Costs::new(given.metric, given.table, given.ladders, fixed, records.len() as u128);
        let mut judging = Judging {
            ladders: given.ladders,
            costs,
            bundles: Bundles::new(&records),
            widths,
            groupings: vec![(0..layout.grouped).collect()],
            measures: Vec::new(),
            questions: Vec::new(),
            limit: given.limit,
            records,
        };
        judging.ask(given, &layout)?;
        Ok(judging)
    }

    fn ask(&mut self, given: &Given<'a>, layout: &Layout) -> Result<()> {
        let mut measured: Vec<Vec<usize>> = Vec::new();
        let nested = given.ladders.iter().all(Ladder::nested);
        for model in &given.requirement.models {
            let by = layout.places(&given.table.positions(model.by())?);
            let of = given.table.positions(model.of())?;
            let column = if let [only] = of.as_slice() { Some(&given.plain.columns[*only].column) } else { None };
            let grouping = place_of(&mut self.groupings, by);
            let measure = place_of(&mut measured, layout.places(&of));
            if measure == self.measures.len() {
                self.measures.push(Measured::new(&self.records, &measured[measure]));
            }
            let judge = model.judge(&self.measures[measure].whole(&self.records, column))?;
            let least = self.least(model.as_ref(), &judge);
            let tags = nested && self.tags(merging_of(model.as_ref(), &self.records));
            self.questions.push(Question { model: model.as_ref(), grouping, measure, column, judge, least, tags });
        }
        // The fastest first.
        self.questions.sort_by_key(|question| question.least.is_none());
        Ok(())
    }

    /// Whether "too many violate" passes on to more specific nodes, by what merging does to a model (the argument is in
    /// the algorithm's file). People with several records can make the confidence in a union exceed that in both parts,
    /// so then nothing is concluded from classes that only merge well with satisfying ones.
    fn tags(&self, merging: Merging) -> bool {
        match merging {
            Merging::WithAny => true,
            Merging::WithSatisfying => self.limit == 0,
            Merging::Never => false,
        }
    }

    /// The least number of records that holds, for a model that counts nothing else: merging with any class never
    /// hurts it, so it has one.
    fn least(&self, model: &dyn Model, judge: &Judge<'_>) -> Option<Weight> {
        if !model.of().is_empty() || model.merging() != Merging::WithAny || self.records.owners.is_some() {
            return None;
        }
        let holds = |size| judge(&Group { size, counts: &[(0, size)] }).holds;
        let (mut fails, mut most) = (0, self.records.rows() + 1);
        while fails + 1 < most {
            let middle = fails + (most - fails) / 2;
            if holds(middle) { most = middle } else { fails = middle }
        }
        Some(most)
    }

    /// The generalized columns.
    pub(super) fn ladders(&self) -> &[Ladder] {
        self.ladders
    }

    /// What the nodes cost.
    pub(super) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Whether some verdict passes on to more specific nodes.
    pub(super) fn any_tags(&self) -> bool {
        self.questions.iter().any(|question| question.tags)
    }

    /// Whether every verdict does.
    pub(super) fn all_tag(&self) -> bool {
        self.questions.iter().all(|question| question.tags)
    }

    /// The records of the table, each by itself.
    pub(super) fn all(&self) -> Items {
        let counted =
            Combos { codes: Vec::new(), weights: self.records.weights.clone(), owners: self.records.owners.clone() };
        Items { records: (0..self.records.len() as u32).collect(), counted }
    }

    /// Judges the node with these rungs, from the items of a node that is nowhere more general.
    pub(super) fn judge(&self, rungs: &[usize], from: &Items, scratch: &mut Scratch) -> Result<Judged> {
        let shown = self.shown(rungs);
        let items = self.roll_up(&shown, from, scratch);
        let classes = self.group(&shown, &items, scratch);
        let floor = self.floor(&items, &classes);
        let verdict = self.verdict(rungs, &items, &classes)?;
        Ok(Judged { verdict, floor, items })
    }

    /// The items of the node with these rungs, whatever is to be said of it.
    pub(super) fn items(&self, rungs: &[usize], from: &Items, scratch: &mut Scratch) -> Items {
        self.roll_up(&self.shown(rungs), from, scratch)
    }

    fn shown(&self, rungs: &[usize]) -> Vec<Shown<'_>> {
        let mut shown: Vec<Shown<'_>> = self.widths.iter().map(|width| Shown { places: None, width: *width }).collect();
        for ((shown, ladder), rung) in shown.iter_mut().zip(self.ladders).zip(rungs) {
            let rung = &ladder.rungs[*rung];
            *shown = Shown { places: Some(&rung.places), width: rung.width };
        }
        shown
    }

    /// Puts items together that show the same.
    fn roll_up(&self, shown: &[Shown<'_>], from: &Items, scratch: &mut Scratch) -> Items {
        let columns: Vec<usize> = (0..self.records.codes.len()).collect();
        self.bundles.number(&self.records, &columns, shown, &from.records, scratch);
        let mut records = vec![0; scratch.count];
        let mut weights = vec![0; scratch.count];
        for ((id, record), weight) in scratch.ids.iter().zip(&from.records).zip(&from.counted.weights) {
            records[*id as usize] = *record;
            weights[*id as usize] += weight;
        }
        let owners = self.records.owners.as_ref();
        let owners = owners.map(|owners| records.iter().map(|record| owners[*record as usize]).collect());
        Items { records, counted: Combos { codes: Vec::new(), weights, owners } }
    }

    /// The classes of every grouping.
    fn group(&self, shown: &[Shown<'_>], items: &Items, scratch: &mut Scratch) -> Vec<Classes> {
        let all = self.records.codes.len();
        let classes = self.groupings.iter().map(|columns| {
            if columns.len() == all {
                return Classes { of: None, count: items.len() };
            }
            self.bundles.number(&self.records, columns, shown, &items.records, scratch);
            Classes { of: Some(scratch.ids.clone()), count: scratch.count }
        });
        classes.collect()
    }

    fn floor(&self, items: &Items, classes: &[Classes]) -> Cost {
        if self.costs.metric().is_separable() {
            return 0;
        }
        self.costs.floor(sums(&classes[0], items, None))
    }

    fn verdict(&self, rungs: &[usize], items: &Items, classes: &[Classes]) -> Result<Verdict> {
        let tagging: Vec<&Question<'_>> = self.questions.iter().filter(|question| question.tags).collect();
        let mut kept = None;
        if !tagging.is_empty() {
            kept = self.settle(&tagging, items, classes)?;
            if kept.is_none() {
                return Ok(Verdict::Hopeless);
            }
        }
        if tagging.len() < self.questions.len() || kept.is_none() {
            kept = self.settle(&self.questions.iter().collect::<Vec<_>>(), items, classes)?;
        }
        Ok(match kept {
            None => Verdict::Infeasible,
            Some(kept) => Verdict::Feasible(kept.suppressed, self.cost(rungs, items, classes, &kept)),
        })
    }

    /// Leaves out what violates until nothing does; nothing when that would be too many.
    fn settle(&self, questions: &[&Question<'_>], items: &Items, classes: &[Classes]) -> Result<Option<Kept>> {
        let mut kept = Kept { items: vec![true; items.len()], suppressed: 0 };
        let mut violating = vec![false; items.len()];
        let once = self.settles_at_once(questions);
        loop {
            for question in questions {
                self.mark(question, items, &classes[question.grouping], &kept, &mut violating)?;
                // More models only add to what violates.
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

    /// With one grouping whole classes are left out; a model that looks at nothing else says the same of the others.
    fn settles_at_once(&self, questions: &[&Question<'_>]) -> bool {
        let local = questions.iter().all(|question| question.model.merging() == Merging::WithAny);
        local && questions.windows(2).all(|pair| pair[0].grouping == pair[1].grouping)
    }

    /// Marks the items whose class violates a model.
    fn mark(&self, ask: &Question<'_>, items: &Items, classes: &Classes, kept: &Kept, into: &mut [bool]) -> Result<()> {
        let bad = match ask.least {
            Some(least) => too_small(least, items, classes, kept),
            None => self.judged_bad(ask, items, classes, kept)?,
        };
        for (item, mark) in into.iter_mut().enumerate() {
            *mark |= bad[classes.of(item)];
        }
        Ok(())
    }

    /// By class, whether it violates a model.
    fn judged_bad(&self, ask: &Question<'_>, items: &Items, classes: &Classes, kept: &Kept) -> Result<Vec<bool>> {
        let by_record = &self.measures[ask.measure];
        let codes: Vec<Code> = items.records.iter().map(|record| by_record.codes[*record as usize]).collect();
        let measured = Measured { codes, len: by_record.len };
        let mut tally = Tally::new(measured.len, items.counted.owners.is_some());
        let local = kept.suppressed == 0 || ask.model.merging() == Merging::WithAny;
        let again = if local { None } else { Some(ask.again(items, &measured, kept, &mut tally)?) };
        let judge = again.as_ref().unwrap_or(&ask.judge);
        let mut bad = vec![false; classes.count];
        let mut violating = kept.suppressed;
        for (class, members) in classes.members().iter().enumerate() {
            let mut rows = 0;
            for item in members.iter().map(|item| *item as usize).filter(|item| kept.items[*item]) {
                tally.add(&items.counted, &measured, item);
                rows += items.counted.weights[item];
            }
            bad[class] = rows > 0 && !judge(&tally.count()).holds;
            violating += if bad[class] { rows } else { 0 };
            // The rest does not matter any more.
            if violating > self.limit {
                break;
            }
        }
        Ok(bad)
    }

    fn cost(&self, rungs: &[usize], items: &Items, classes: &[Classes], kept: &Kept) -> Cost {
        if !self.costs.metric().is_separable() {
            return self.costs.of_classes(sums(&classes[0], items, Some(kept)), kept.suppressed);
        }
        let mut cost = self.costs.bound(rungs.iter().copied());
        for item in (0..items.len()).filter(|item| !kept.items[*item]) {
            let record = items.records[item] as usize;
            let extra = self.costs.extra(rungs, |column| self.records.codes[column][record]);
            cost += extra * u128::from(items.counted.weights[item]);
        }
        cost
    }
}

impl<'a> Question<'a> {
    /// The judge of what is kept.
    fn again(&self, items: &Items, measured: &Measured, kept: &Kept, tally: &mut Tally) -> Result<Judge<'a>> {
        for item in (0..items.len()).filter(|item| kept.items[*item]) {
            tally.add(&items.counted, measured, item);
        }
        let whole = tally.count();
        self.model.judge(&Whole { size: whole.size, counts: whole.counts.to_vec(), column: self.column })
    }
}

/// What is not left out.
struct Kept {
    items: Vec<bool>,
    suppressed: Weight,
}

impl Kept {
    /// How many kept records are marked.
    fn weight_of(&self, marked: &[bool], items: &Items) -> Weight {
        let marked = self.items.iter().zip(marked).zip(&items.counted.weights);
        marked.map(|((kept, marked), weight)| if *kept && *marked { *weight } else { 0 }).sum()
    }

    /// Leaves out what is marked, and answers with how many records that is.
    fn remove(&mut self, marked: &[bool], items: &Items) -> Weight {
        let removed = self.weight_of(marked, items);
        for (kept, marked) in self.items.iter_mut().zip(marked) {
            *kept &= !*marked;
        }
        self.suppressed += removed;
        removed
    }
}

/// The classes of one grouping.
struct Classes {
    /// By item; where absent, every item is a class.
    of: Option<Vec<u32>>,
    count: usize,
}

impl Classes {
    fn of(&self, item: usize) -> usize {
        self.of.as_ref().map_or(item, |of| of[item] as usize)
    }

    /// By class: its items.
    fn members(&self) -> Members {
        let items = self.of.as_ref().map_or(self.count, Vec::len);
        let mut ends = vec![0u32; self.count];
        for item in 0..items {
            ends[self.of(item)] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum - *end;
        }
        let mut order = vec![0; items];
        for item in 0..items {
            let end = &mut ends[self.of(item)];
            order[*end as usize] = item as u32;
            *end += 1;
        }
        Members { ends, order }
    }
}

/// The items of every class, class after class.
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

/// By class, whether fewer records than this are kept in it.
fn too_small(least: Weight, items: &Items, classes: &Classes, kept: &Kept) -> Vec<bool> {
    if classes.of.is_none() {
        return items.counted.weights.iter().map(|weight| *weight < least).collect();
    }
    let mut sizes = vec![0; classes.count];
    for item in (0..items.len()).filter(|item| kept.items[*item]) {
        sizes[classes.of(item)] += items.counted.weights[item];
    }
    sizes.into_iter().map(|size| size < least).collect()
}

/// The number and the sizes of the classes, or of those that are kept.
fn sums(classes: &Classes, items: &Items, kept: Option<&Kept>) -> ClassSums {
    let mut sizes = vec![0; classes.count];
    for item in (0..items.len()).filter(|item| kept.is_none_or(|kept| kept.items[*item])) {
        sizes[classes.of(item)] += items.counted.weights[item];
    }
    let mut sums = ClassSums::default();
    for size in sizes.into_iter().filter(|size| *size > 0) {
        sums.add(size);
    }
    sums
}

fn place_of(list: &mut Vec<Vec<usize>>, mut columns: Vec<usize>) -> usize {
    columns.sort_unstable();
    columns.dedup();
    list.iter().position(|known| *known == columns).unwrap_or_else(|| {
        list.push(columns);
        list.len() - 1
    })
}

/// Which columns of the table the records have, and in which order.
struct Layout {
    columns: Vec<usize>,
    /// So many of them make classes.
    grouped: usize,
}

impl Layout {
    fn new(given: &Given<'_>) -> Result<Layout> {
        let mut columns: Vec<usize> = given.ladders.iter().map(|ladder| ladder.column).collect();
        let models = &given.requirement.models;
        for model in models {
            add_new(&mut columns, given.table.positions(model.by())?);
        }
        let grouped = columns.len();
        for model in models {
            add_new(&mut columns, given.table.positions(model.of())?);
        }
        Ok(Layout { columns, grouped })
    }

    /// Where columns of the table stand in the records.
    fn places(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().filter_map(|column| self.columns.iter().position(|known| known == column)).collect()
    }

    /// The distinct combinations of these columns: raw where a ladder will generalize them, published where none does.
    fn records(&self, given: &Given<'_>) -> Combos {
        let combos = &given.table.combos;
        let code = |at: usize, column: usize| -> Vec<Code> {
            let codes = &combos.codes[column];
            if at < given.ladders.len() {
                return codes.clone();
            }
            codes.iter().map(|code| given.plain.columns[column].map[*code as usize]).collect()
        };
        let codes: Vec<Vec<Code>> = self.columns.iter().enumerate().map(|(at, column)| code(at, *column)).collect();
        let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
        let mut records = combine(&views, &combos.weights, combos.owners.as_deref());
        // An owner is one more value that keeps items apart.
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
