//! Multidimensional specialization (Mondrian along taxonomies): each region of the table is specialized separately.
//!
//! State       a partition of the table into regions. A region has one taxonomy node per generalized column. The search starts with
//!             the root of every column.
//! Step        replaces one node of one region by its children. It chooses the column with the highest
//!             Score(v) = InfoGain(v) / (PrivLoss(v) + 1) among the valid ones. Children that violate a constraint stay together
//!             at their parent node, as the remainder. If the remainder violates one too, the smallest other children join it. A
//!             step is valid if a child is left apart from the remainder. Only if no step is possible so are records suppressed.
//!             Undeclared intervals are split at the median of the records. A value can be published finely for some
//!             people and coarsely for others.
//! Soundness   every region is checked exactly. Regions are the equivalence classes on all generalized columns. A constraint on
//!             fewer columns is checked on regions, which is stronger: for models, a union of satisfying regions is satisfying;
//!             for join constraints, an attacker who knows more columns is stronger. The final release is checked as a whole.
//! Anytime     every state is publishable, so stopping early loses detail but not safety. Regions are independent, so the order of
//!             processing does not change the result.
//! Paper       LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006, along taxonomies and, for
//!             joined releases, under the requirement of Wang and Fung, KDD 2006.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hashbrown::HashMap;
use rayon::prelude::*;

use super::objective::Labels;
use super::regions::{IntervalBounds, PublishedRegion, RegionDimension, RegionSearch, ReleaseCheck, search_regions};
use super::top_down_specialization::Gain;
use super::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome};
use crate::data::contingency::Weight;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::Result;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::ClassCounter;
use crate::release::recoding::Recoding;

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "multidimensional-specialization",
        title: "multidimensional specialization",
        summary: "Specializes each region of the table separately, along the column with the best ratio of information gain to privacy \
                  loss, while the requirement is satisfied. Records of rare values stay at the parent node together.",
        paper: "LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
        protects_against: "the attacks of the models in the requirement; the level of detail differs between regions",
        comparison: false,
        parameters: &[ParameterDef {
            name: "gain",
            domain: Domain::Word(&["auto", "entropy", "distortion", "discernibility"]),
            default: Some("auto"),
            meaning: "gain of a step: reduction of label entropy, of distortion, or of discernibility; auto: entropy for the purposes \
                      classify and cluster, otherwise distortion",
        }],
        evidence: &["laws::algorithms", "oracle::mondrian", "golden::mondrian"],
    },
    sets: true,
    run,
};

fn run(task: &RecodingTask<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<SearchOutcome> {
    let gain = Gain::from_arguments(arguments, task.purpose)?;
    search_regions(task, (gain, IntervalBounds::Data), control, |regions| {
        MultidimensionalSearch { regions, stopped: AtomicBool::new(false), steps: AtomicU64::new(0) }.run()
    })
}

/// A region of the table: records that are published with the same generalized values, or suppressed.
#[derive(Clone)]
struct Region {
    nodes: Vec<NodeId>,
    members: Vec<u32>,
    /// Safety by check.
    safety: Vec<f64>,
    /// Number of steps that led to this region.
    depth: usize,
    /// Number of its records that may still be suppressed.
    budget: Weight,
    suppressed: bool,
}

impl Region {
    fn published(&self) -> PublishedRegion {
        PublishedRegion { nodes: self.nodes.clone(), members: self.members.clone(), suppressed: self.suppressed }
    }
}

struct MultidimensionalSearch<'a> {
    regions: RegionSearch<'a>,
    stopped: AtomicBool,
    steps: AtomicU64,
}

impl MultidimensionalSearch<'_> {
    /// Refines all regions until the release satisfies the requirement.
    ///
    /// Usually, if every region satisfies the requirement, so does the release. Exceptions are confidences of people with several
    /// records and distances from the whole table (t-closeness). Then the search is repeated with a smaller maximum depth.
    fn run(&self) -> Result<SearchOutcome> {
        let initial = self.initial_regions()?;
        let RegionSearch { task, context, control, .. } = self.regions;
        let release_check = ReleaseCheck::new(task, &context.columns(), control.abort)?;
        let mut depth = usize::MAX;
        loop {
            let regions: Vec<Region> =
                initial.par_iter().flat_map(|region| self.refine(region.clone(), depth)).collect();
            self.regions.check_finished()?;
            let published: Vec<PublishedRegion> = regions.iter().map(Region::published).collect();
            let recoding = context.recoding(task.table, &published);
            if release_check.violating_members(&recoding)?.is_none() {
                return self.outcome(recoding, depth);
            }
            let max_depth = regions.iter().map(|region| region.depth).max().unwrap_or(0);
            depth = max_depth.checked_sub(1).ok_or_else(|| self.regions.refusal().unwrap_or_else(|error| error))?;
            self.steps.store(0, Ordering::Relaxed);
        }
    }

    /// Returns the regions at the start of the search: one per combination of the columns that are not generalized.
    fn initial_regions(&self) -> Result<Vec<Region>> {
        let contingency = &self.regions.task.table.contingency;
        let mut first: HashMap<Vec<Code>, Vec<u32>> = HashMap::new();
        for at in 0..contingency.len() {
            let key = self
                .regions
                .context
                .fixed
                .iter()
                .map(|column| self.regions.context.published_codes[*column][at])
                .collect();
            first.entry(key).or_default().push(at as u32);
        }
        let mut first: Vec<(Vec<Code>, Vec<u32>)> = first.into_iter().collect();
        first.sort_unstable();
        let mut initial: Vec<Region> = Vec::new();
        for (_, members) in first {
            let nodes = vec![0; self.regions.context.dimensions.len()];
            let (safety, holds) = self.judge(&members, &nodes);
            initial.push(Region { nodes, members, safety, depth: 0, budget: 0, suppressed: !holds });
        }
        let suppressed: Weight =
            initial.iter().filter(|region| region.suppressed).map(|region| self.weight(&region.members)).sum();
        let budget = self.regions.task.suppression.max_suppressed(contingency.rows()).checked_sub(suppressed);
        let Some(budget) = budget.filter(|_| initial.iter().any(|region| !region.suppressed)) else {
            return Err(self.regions.refusal()?);
        };
        if self.has_constant_violation()? {
            return Err(self.regions.refusal()?);
        }
        self.distribute_budget(&mut initial, budget);
        Ok(initial)
    }

    /// Distributes the suppression budget over the published regions in proportion to their records.
    fn distribute_budget(&self, regions: &mut [Region], budget: Weight) {
        let rows: Weight =
            regions.iter().filter(|region| !region.suppressed).map(|region| self.weight(&region.members)).sum();
        for region in regions.iter_mut().filter(|region| !region.suppressed) {
            let share = u128::from(self.weight(&region.members)) * u128::from(budget) / u128::from(rows.max(1));
            region.budget = share as Weight;
        }
    }

    fn weight(&self, members: &[u32]) -> Weight {
        members.iter().map(|at| self.regions.task.table.contingency.weights[*at as usize]).sum()
    }

    /// Whether a constraint whose verdict no generalization can change is violated.
    fn has_constant_violation(&self) -> Result<bool> {
        let columns = self.regions.context.columns();
        let release = super::join_checker::root_release(self.regions.task, &columns)?;
        if self.regions.task.suppression.max_suppressed(self.regions.task.table.contingency.rows()) > 0 {
            return Ok(false);
        }
        for join_check in super::join_checker::join_checks(self.regions.task, &columns, self.regions.control.abort)? {
            if join_check.is_constant(&columns) && join_check.is_violated(&release)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn judge(&self, members: &[u32], nodes: &[NodeId]) -> (Vec<f64>, bool) {
        let contingency = &self.regions.task.table.contingency;
        let mut safety = Vec::with_capacity(self.regions.checks.len());
        let mut holds = true;
        for check in self.regions.checks {
            let mut counter = ClassCounter::new(check.measured.len, check.owners);
            members.iter().for_each(|at| counter.add(contingency, &check.measured, *at as usize));
            let judgement = check.judge(&counter.count(), nodes);
            holds &= judgement.holds;
            safety.push(judgement.safety);
        }
        (safety, holds)
    }

    /// Specializes a region recursively, up to a maximum depth.
    fn refine(&self, region: Region, max_depth: usize) -> Vec<Region> {
        if region.suppressed || region.depth >= max_depth {
            return vec![region];
        }
        if self.stopped.load(Ordering::Relaxed) || (self.regions.control.stop)() {
            self.stopped.store(true, Ordering::Relaxed);
            return vec![region];
        }
        let best = |budget: Weight| {
            let candidates =
                (0..self.regions.context.dimensions.len()).filter_map(|at| self.split(&region, at, budget));
            candidates.fold(None, |best: Option<(f64, Vec<Region>)>, (score, regions)| match best {
                Some((other, _)) if other >= score => best,
                _ => Some((score, regions)),
            })
        };
        // Suppress records only if no step is possible without suppression.
        let best = best(0).or_else(|| if region.budget > 0 { best(region.budget) } else { None });
        let Some((_, regions)) = best else { return vec![region] };
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        (self.regions.control.progress)("specializing", steps, 0);
        regions.into_par_iter().flat_map(|region| self.refine(region, max_depth)).collect()
    }

    /// Splits a region along a dimension and returns the new regions with the score of the step. Without a budget, the records of
    /// violating children stay at the node of the region. Returns `None` if more records than the budget are in violating children.
    fn split(&self, region: &Region, at: usize, budget: Weight) -> Option<(f64, Vec<Region>)> {
        let mut regions = self.children(region, at);
        if budget == 0 {
            regions = self.with_remainder(region, regions)?;
        }
        let suppressed: Weight =
            regions.iter().filter(|region| region.suppressed).map(|region| self.weight(&region.members)).sum();
        if suppressed > budget {
            return None;
        }
        let kept = || regions.iter().filter(|region| !region.suppressed);
        kept().next()?;
        let safety_loss = |judge: usize| {
            let then = kept().map(|region| region.safety[judge]).fold(f64::INFINITY, f64::min);
            let now = region.safety[judge];
            if now.is_finite() && then.is_finite() { (now - then).max(0.0) } else { 0.0 }
        };
        let loss =
            (0..self.regions.checks.len()).map(safety_loss).sum::<f64>() / self.regions.checks.len().max(1) as f64;
        // A suppressed record loses every step that led to this region, and does not gain this one.
        let gain = self.gain(region, &regions, at) - suppressed as f64 * (region.depth + 1) as f64;
        let score = gain / (loss + 1.0);
        if suppressed > 0 && score <= 0.0 {
            return None;
        }
        self.distribute_budget(&mut regions, region.budget - suppressed);
        Some((score, regions))
    }

    /// Regions of the children of a node that have records. A child that violates the requirement is suppressed.
    fn children(&self, region: &Region, at: usize) -> Vec<Region> {
        let dimension = &self.regions.context.dimensions[at];
        let tree = &dimension.tree;
        let children = &tree.node(region.nodes[at]).children;
        let codes = &self.regions.task.table.contingency.codes[dimension.column];
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); children.len()];
        for member in region.members.iter().filter(|_| !children.is_empty()) {
            let code = codes[*member as usize];
            let place = children.partition_point(|child| tree.node(*child).span.end <= code);
            members[place].push(*member);
        }
        let judged = |(child, members): (&NodeId, Vec<u32>)| {
            let mut nodes = region.nodes.clone();
            nodes[at] = *child;
            self.region(nodes, members, region.depth + 1)
        };
        children.iter().zip(members).filter(|(_, members)| !members.is_empty()).map(judged).collect()
    }

    /// Judges a new region. It is suppressed if it violates the requirement.
    fn region(&self, nodes: Vec<NodeId>, members: Vec<u32>, depth: usize) -> Region {
        let (safety, holds) = self.judge(&members, &nodes);
        Region { nodes, members, safety, depth, budget: 0, suppressed: !holds }
    }

    /// Pools the records of violating children in a region with the nodes of their parent. Adds the smallest other children until
    /// this remainder satisfies the requirement. Returns `None` if no child is left apart from it.
    fn with_remainder(&self, parent: &Region, children: Vec<Region>) -> Option<Vec<Region>> {
        let (pooled, mut kept): (Vec<Region>, Vec<Region>) = children.into_iter().partition(|child| child.suppressed);
        if pooled.is_empty() {
            return (!kept.is_empty()).then_some(kept);
        }
        kept.sort_by_cached_key(|child| std::cmp::Reverse(self.weight(&child.members)));
        let mut members: Vec<u32> = pooled.into_iter().flat_map(|child| child.members).collect();
        // The number of added children doubles, so that a column with many values is judged a few times only.
        let mut added = 1;
        while !kept.is_empty() {
            members.sort_unstable();
            let remainder = self.region(parent.nodes.clone(), members, parent.depth + 1);
            if !remainder.suppressed {
                kept.push(remainder);
                return Some(kept);
            }
            members = remainder.members;
            members.extend(kept.drain(kept.len().saturating_sub(added)..).flat_map(|child| child.members));
            added *= 2;
        }
        None
    }

    fn rows(&self, members: &[u32]) -> f64 {
        members.iter().map(|at| self.regions.task.table.contingency.weights[*at as usize] as f64).sum()
    }

    fn gain(&self, whole: &Region, regions: &[Region], at: usize) -> f64 {
        let rows = self.rows(&whole.members);
        match (self.regions.context.gain, &self.regions.context.objective.labels) {
            (Gain::Entropy, Some(labels)) => {
                let after: f64 = regions.iter().map(|region| self.entropy(&region.members, labels)).sum();
                // Entropies are weighted by the number of records.
                (self.entropy(&whole.members, labels) - after).max(0.0)
            }
            (Gain::Discernibility, _) => {
                rows * rows - regions.iter().map(|region| self.rows(&region.members).powi(2)).sum::<f64>()
            }
            _ => {
                let tree = &self.regions.context.dimensions[at].tree;
                let undone = |region: &Region| {
                    self.rows(&region.members) * distortion_undone(tree, whole.nodes[at], region.nodes[at])
                };
                self.regions.context.objective.weights[at] * regions.iter().map(undone).sum::<f64>()
            }
        }
    }

    /// Returns the entropy of the labels times the number of records.
    fn entropy(&self, members: &[u32], labels: &Labels) -> f64 {
        let contingency = &self.regions.task.table.contingency;
        let mut counts: HashMap<u32, f64> = HashMap::new();
        for at in members {
            *counts.entry(labels.by_combination[*at as usize]).or_default() += contingency.weights[*at as usize] as f64;
        }
        let total: f64 = counts.values().sum();
        let mut counts: Vec<f64> = counts.into_values().collect();
        counts.sort_unstable_by(f64::total_cmp);
        counts.iter().map(|count| -count * (count / total).log2()).sum()
    }

    fn outcome(&self, recoding: Recoding, depth: usize) -> Result<SearchOutcome> {
        let finished = !self.stopped.load(Ordering::Relaxed);
        let grown = |dimension: &RegionDimension| {
            let given = &self.regions.task.table.columns[dimension.column].tree;
            (0..given.nodes().len()).any(|node| given.can_grow(node))
        };
        let mut notes = Vec::new();
        if !finished {
            notes.push("The search was stopped before it finished; a more specific release may exist.".to_owned());
        }
        if self.regions.context.dimensions.iter().any(grown) {
            notes.push("Intervals were split at medians; other bounds might allow further splits.".to_owned());
        }
        notes.extend(self.regions.strengthening_note());
        if depth < usize::MAX {
            notes.push(format!(
                "The depth was limited to {depth} steps: with more, every region satisfies the requirement, but not the whole release."
            ));
        }
        let maximal = finished && notes.is_empty() && self.regions.task.suppression.limit.numerator == 0;
        let guarantee = if maximal { Guarantee::LocallyMaximal } else { Guarantee::Safe };
        Ok(SearchOutcome { recoding, guarantee, steps: self.steps.load(Ordering::Relaxed), notes })
    }
}

/// Returns the distortion that a step undoes for one record: 1, or for an interval the reduction of its relative width. A record of
/// the remainder keeps its node, so nothing is undone.
fn distortion_undone(tree: &Taxonomy, from: NodeId, to: NodeId) -> f64 {
    if from == to {
        return 0.0;
    }
    let (Some(numbers), Some((low, high))) = (tree.numbers(), tree.extent()) else { return 1.0 };
    if high <= low {
        return 0.0;
    }
    let width = |node: NodeId| {
        let codes = &tree.node(node).span;
        let start = if codes.start == 0 { low } else { numbers.get(codes.start as usize).copied().unwrap_or(high) };
        let end = numbers.get(codes.end as usize).copied().unwrap_or(high);
        (end - start) / (high - low)
    };
    (width(from) - width(to)).max(0.0)
}
