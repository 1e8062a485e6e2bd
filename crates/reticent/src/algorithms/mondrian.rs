//! Strict Mondrian: divides the table by cuts through one column at a time, while both sides satisfy the requirement.
//!
//! State       a binary tree of cuts. A part is a box: one range of codes in every column (the codes are the leaves of the taxonomy from
//!             left to right). It publishes the lowest common node of the values that occur in it.
//! Cut         general purpose: the column with the widest normalized range, at the median of the records. Classification: the cut
//!             that leaves the least weighted entropy of a categorical column, or the least weighted squared error of a number or
//!             date (see `impurity`). A cut is valid if both sides satisfy every constraint. The first valid cut is made.
//! Bounds      with `bounds = "declared"`, a cut through a number or date is at a bound of a declared interval, so no published interval
//!             has a value of the data, such as the median, as a bound. Single values are published if the policy allows them.
//! Strict      records with equal codes are on the same side. Both sides of the median are tried, then the other columns.
//! Relaxed     see `mondrian_relaxed`.
//! Soundness   every part is checked exactly with the values that it publishes. A constraint on fewer columns is checked on parts,
//!             which is stronger. Parts that publish equal values are one equivalence class, so the release is checked as a whole;
//!             cuts that lead to violating classes are undone until it satisfies the requirement.
//! Anytime     every state is publishable, so stopping early loses detail but not safety. Parts are independent, so the order of
//!             processing does not change the result.
//! Papers      LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; LeFevre et al., Workload-aware
//!             anonymization, KDD 2006 (InfoGain Mondrian and LSD Mondrian).

mod cuts;
mod impurity;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashSet;
use rayon::prelude::*;

use super::local_recoding::{Parts, satisfying_subset};
use super::regions::{IntervalBounds, PublishedRegion, RegionSearch, ReleaseCheck, WeightBound, search_regions};
use super::top_down_specialization::Gain;
use super::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome};
use crate::data::contingency::Weight;
use crate::data::taxonomy::NodeId;
use crate::error::{Error, Result};
use crate::registry::{Domain, Entry, Kind, ParameterDef};
use crate::release::classes::ClassCounter;
use cuts::CutFinder;
use tree::{CutTree, Part};

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "mondrian",
        title: "strict Mondrian",
        summary: "Cuts the table at the median of the column with the widest range, then each side again, while both sides satisfy the \
                  requirement. For classification, the cut leaves the least entropy or squared error of the classified column.",
        paper: "LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; Workload-aware anonymization, KDD 2006",
        protects_against: "the attacks of the models in the requirement; the level of detail differs between parts of the table",
        comparison: false,
        parameters: &[ParameterDef {
            name: "bounds",
            domain: Domain::Word(&["data", "declared"]),
            default: Some("data"),
            meaning: "bounds of cuts through numbers and dates, and of their published intervals: values of the data, for example medians; \
                      or declared, only bounds of the finest declared intervals, which disclose no value",
        }],
        evidence: &["laws::algorithms", "oracle::mondrian", "golden::mondrian", "algorithms::mondrian::tests"],
    },
    sets: true,
    run: |task, arguments, control| {
        let bounds = match arguments.word("bounds")? {
            "declared" => IntervalBounds::Declared,
            _ => IntervalBounds::Data,
        };
        run(task, CutForm::Strict, bounds, control)
    },
};

/// Whether records with equal codes are on the same side of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutForm {
    Strict,
    Relaxed,
}

/// Runs strict or relaxed Mondrian.
pub(super) fn run(
    task: &RecodingTask<'_>,
    form: CutForm,
    bounds: IntervalBounds,
    control: &Control<'_>,
) -> Result<SearchOutcome> {
    search_regions(task, (Gain::Distortion, bounds), control, |regions| {
        let RegionSearch { task, context, checks, .. } = regions;
        let parts = Parts::new(task, context);
        let bound = context.weight_bound(task, checks)?;
        let finder = CutFinder::new(task, context, &parts, bound, form)?;
        let mondrian = Mondrian { regions, parts: &parts, bound, finder, stopped: AtomicBool::new(false) };
        let mut tree = mondrian.roots()?;
        let steps = mondrian.cut(&mut tree);
        regions.check_finished()?;
        let undone = mondrian.undo_violating(&mut tree)?;
        let recoding = context.recoding(task.table, &mondrian.published(&tree));
        Ok(SearchOutcome { recoding, guarantee: Guarantee::Safe, steps, notes: mondrian.notes(undone) })
    })
}

struct Mondrian<'a> {
    regions: RegionSearch<'a>,
    parts: &'a Parts,
    bound: WeightBound,
    finder: CutFinder<'a>,
    stopped: AtomicBool,
}

impl Mondrian<'_> {
    /// Returns the parts at the start of the search: one for each combination of the columns that are not generalized. If one violates
    /// the requirement, records of it are suppressed, up to the limit.
    fn roots(&self) -> Result<CutTree> {
        let limit = self.regions.task.suppression.max_suppressed(self.regions.task.table.contingency.rows());
        let mut tree = CutTree::default();
        let mut suppressed: Weight = 0;
        for all in &self.parts.parts {
            let mut counters = self.regions.counters();
            if let Some(root) = self.root(&mut counters, all) {
                tree.add_root(root);
                continue;
            }
            let kept = if limit > 0 { self.satisfying_subset(all) } else { Vec::new() };
            let is_dropped = |combination: &u32| kept.binary_search(combination).is_err();
            let dropped: Vec<u32> = all.iter().copied().filter(is_dropped).collect();
            suppressed += self.weight(&dropped);
            tree.add_root(Part { combinations: dropped, nodes: None, suppressed: true });
            if let Some(root) = self.root(&mut counters, &kept) {
                tree.add_root(root);
            } else if !kept.is_empty() {
                return Err(self.regions.refusal()?);
            }
        }
        if suppressed > limit || tree.leaves().all(|(_, part)| part.suppressed) {
            return Err(self.regions.refusal()?);
        }
        Ok(tree)
    }

    /// Returns combinations as a part, if they satisfy the requirement with their lowest common nodes, or else with every value
    /// suppressed. Against joins, a less specific value can be safer.
    fn root(&self, counters: &mut [ClassCounter], combinations: &[u32]) -> Option<Part> {
        let combinations = combinations.to_vec();
        if !combinations.is_empty() && self.judge(counters, &combinations, None).0 {
            return Some(Part { combinations, nodes: None, suppressed: false });
        }
        let nodes = vec![0; self.regions.context.dimensions.len()];
        let holds = !combinations.is_empty() && self.judge(counters, &combinations, Some(&nodes)).0;
        holds.then_some(Part { combinations, nodes: Some(nodes), suppressed: false })
    }

    /// Returns a large subset of combinations that satisfies the requirement, ascending; an empty one if none is found.
    fn satisfying_subset(&self, all: &[u32]) -> Vec<u32> {
        let weights: Vec<Weight> = all.iter().map(|at| self.parts.weights[*at as usize]).collect();
        let judge = |members: &[u32]| {
            let members: Vec<u32> = members.iter().map(|at| all[*at as usize]).collect();
            self.judge(&mut self.regions.counters(), &members, None)
        };
        let subset = satisfying_subset(&weights, self.bound, &judge).unwrap_or_default();
        let mut subset: Vec<u32> = subset.iter().map(|at| all[*at as usize]).collect();
        subset.sort_unstable();
        subset
    }

    /// Makes valid cuts until none is left, and returns their number.
    ///
    /// Works level by level instead of recursively, because cuts for a purpose can be uneven and the tree deep.
    fn cut(&self, tree: &mut CutTree) -> u64 {
        let mut open: Vec<usize> = tree.leaves().filter(|(_, part)| !part.suppressed).map(|(at, _)| at).collect();
        let mut steps = 0;
        while !open.is_empty() {
            let sides = |counters: &mut Vec<ClassCounter>, at: &usize| self.sides(counters, tree.part(*at));
            let sides: Vec<Option<[Vec<u32>; 2]>> =
                open.par_iter().map_init(|| self.regions.counters(), sides).collect();
            let made = open.iter().zip(sides).filter_map(|(at, sides)| Some((*at, sides?)));
            let next: Vec<usize> = made.flat_map(|(at, sides)| tree.cut(at, sides)).collect();
            steps += next.len() as u64 / 2;
            (self.regions.control.progress)("cutting", steps, 0);
            open = next;
        }
        steps
    }

    /// Returns both sides of the first valid cut of a part.
    fn sides(&self, counters: &mut [ClassCounter], part: &Part) -> Option<[Vec<u32>; 2]> {
        if self.stopped.load(Ordering::Relaxed) || (self.regions.control.stop)() || (self.regions.control.abort)() {
            self.stopped.store(true, Ordering::Relaxed);
            return None;
        }
        let mut holds = |side: &[u32]| self.judge(counters, side, None).0;
        self.finder.first_valid(&part.combinations, &mut |[before, after]| holds(before) && holds(after))
    }

    /// Undoes the cuts above parts in violating classes of the release, until it has none. Returns the number of undone cuts.
    ///
    /// Parts can satisfy a requirement that the release violates: if a person has records in several parts, for distances from the
    /// whole table, for sets of records, and if parts that publish equal values violate it together.
    fn undo_violating(&self, tree: &mut CutTree) -> Result<u64> {
        let check = ReleaseCheck::new(self.regions.task, &self.regions.context.columns(), self.regions.control.abort)?;
        let mut undone = 0;
        for round in 0u32.. {
            let recoding = self.regions.context.recoding(self.regions.task.table, &self.published(tree));
            let Some(violating) = check.violating_members(&recoding)? else { break };
            if (self.regions.control.abort)() {
                return Err(Error::Stopped);
            }
            // Later rounds undo more cuts at once, because every round checks the whole release.
            let cuts = 1 << (round / 8).min(16);
            let made = match tree.undo(|part| !part.suppressed && self.is_in(part, &violating), cuts) {
                0 => tree.undo(|_| true, usize::MAX),
                made => made,
            };
            // Without a cut, only values that are less specific than the lowest common nodes are left to try.
            if made == 0 && !tree.generalize_fully(self.regions.context.dimensions.len()) {
                return Err(self.regions.refusal()?);
            }
            undone += made as u64;
        }
        Ok(undone)
    }

    fn is_in(&self, part: &Part, violating: &HashSet<u32>) -> bool {
        self.members(&part.combinations).any(|at| violating.contains(at))
    }

    /// Combinations of the table with these combinations of quasi-identifiers.
    fn members<'s>(&'s self, combinations: &'s [u32]) -> impl Iterator<Item = &'s u32> {
        combinations.iter().flat_map(|at| &self.parts.members[*at as usize])
    }

    fn weight(&self, combinations: &[u32]) -> Weight {
        combinations.iter().map(|at| self.parts.weights[*at as usize]).sum()
    }

    /// Whether combinations satisfy the requirement as one part that publishes these nodes, or else their lowest common nodes; and
    /// the least safety of the violated checks.
    fn judge(&self, counters: &mut [ClassCounter], combinations: &[u32], nodes: Option<&[NodeId]>) -> (bool, f64) {
        let weight = self.weight(combinations);
        if self.bound.only_weight || weight < self.bound.min_weight {
            return (weight >= self.bound.min_weight, weight as f64);
        }
        let table = self.regions.task.table;
        let members: Vec<u32> = self.members(combinations).copied().collect();
        let has_joins = self.regions.checks.len() > self.regions.task.requirement.models.len();
        let common =
            if has_joins && nodes.is_none() { self.regions.context.nodes_of(table, &members) } else { Vec::new() };
        let nodes = nodes.unwrap_or(&common);
        let (mut all_hold, mut safety) = (true, f64::INFINITY);
        for (check, counter) in self.regions.checks.iter().zip(counters) {
            members.iter().for_each(|at| counter.add(&table.contingency, &check.measured, *at as usize));
            let judgement = check.judge(&counter.count(), nodes);
            if !judgement.holds {
                (all_hold, safety) = (false, safety.min(judgement.safety));
            }
        }
        (all_hold, safety)
    }

    fn published(&self, tree: &CutTree) -> Vec<PublishedRegion> {
        let region = |(_, part): (usize, &Part)| {
            let members: Vec<u32> = self.members(&part.combinations).copied().collect();
            let common = || self.regions.context.nodes_of(self.regions.task.table, &members);
            let nodes = part.nodes.clone().unwrap_or_else(common);
            PublishedRegion { nodes, members, suppressed: part.suppressed }
        };
        tree.leaves().map(region).collect()
    }

    fn notes(&self, undone: u64) -> Vec<String> {
        let mut notes = Vec::new();
        if self.stopped.load(Ordering::Relaxed) {
            notes.push("The search was stopped before it finished; a more specific release may exist.".to_owned());
        }
        notes.extend(self.regions.strengthening_note());
        if undone > 0 {
            notes.push(format!(
                "{undone} cuts were undone: every part satisfies the requirement, but the whole release would not."
            ));
        }
        notes
    }
}
