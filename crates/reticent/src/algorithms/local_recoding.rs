//! Local recoding: people with equal quasi-identifiers are published alike, and similar people form a group with common values.
//!
//! State       a partition of the distinct combinations of quasi-identifiers into groups. A group publishes the lowest common node of
//!             its members in each column, or the set of their values (`values = "sets"`).
//! Loss        the node loss of the purpose, see `objective`. For general use it is the certainty penalty by the weights of the policy.
//! Search      level greedy: groups of combinations with equal values at some levels of the taxonomies, those with the least loss
//!             first; then moves between groups that reduce the loss (see `search`).
//! Soundness   every group is checked exactly when it is formed or changed. A constraint on fewer columns is checked on groups, which is
//!             stronger. The final release is checked as a whole; violating groups are merged until it satisfies the requirement.
//! Anytime     every state of the second step is publishable, so stopping early loses detail but not safety.
//! Result      a function of the quasi-identifiers: the same for any order of the rows and any number of threads.
//! Papers      Xu et al., Utility-based anonymization using local recoding, KDD 2006; Byun et al., Efficient k-anonymization using
//!             clustering techniques, DASFAA 2007 (leftovers).

mod search;

use std::sync::Mutex;

use hashbrown::HashMap;

use super::objective::Objective;
use super::regions::{
    IntervalBounds, PublishedRegion, RegionContext, RegionDimension, RegionSearch, ReleaseCheck, WeightBound,
    search_regions,
};
use super::top_down_specialization::Gain;
use super::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome, ValueForm};
use crate::contract::{Merging, merging_of};
use crate::data::contingency::Weight;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::Result;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::ClassCounter;
use crate::release::recoding::Recoding;
use search::{Budget, Group, GroupVerdict, Input, Tree, TreeNode};

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "local-recoding",
        title: "local recoding",
        summary: "Groups similar people, and publishes for each group the most specific values that all its members share. Usually loses \
                  less information than the other algorithms.",
        paper: "Xu, Wang, Pei, Wang, Shi and Fu, Utility-based anonymization using local recoding, KDD 2006",
        protects_against: "the attacks of the models in the requirement; the level of detail differs between groups",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "vectors",
                domain: Domain::Whole(1),
                default: Some(""),
                meaning: "number of combinations of levels that are tried; 4000 if not given, or 500 for large tables",
            },
            ParameterDef {
                name: "moves",
                domain: Domain::Whole(0),
                default: Some(""),
                meaning: "number of changes between groups that are evaluated; 5 million if not given, or 1 million for large tables",
            },
            ParameterDef {
                name: "seed",
                domain: Domain::Whole(0),
                default: Some("1"),
                meaning: "seed of the order in which groups are improved",
            },
        ],
        evidence: &["laws::algorithms", "algorithms::local_recoding::search::tests"],
    },
    sets: true,
    run,
};

/// Number of combinations from which a table is large.
const LARGE: usize = 100_000;

fn run(task: &RecodingTask<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<SearchOutcome> {
    search_regions(task, (Gain::Distortion, IntervalBounds::Data), control, |regions| {
        let RegionSearch { task, context, .. } = regions;
        let parts = Parts::new(task, context);
        let size = parts.members.len();
        let default = |small: u64, large: u64| if size < LARGE { small } else { large };
        let budget = Budget {
            vectors: arguments.optional_whole("vectors")?.unwrap_or(default(4_000, 500)) as usize,
            moves: arguments.optional_whole("moves")?.unwrap_or(default(5_000_000, 1_000_000)),
        };
        let recoder = LocalRecoder { regions, parts: &parts };
        (control.progress)("grouping", 0, 0);
        let mut groups = recoder.search(&budget, arguments.whole("seed")?)?;
        regions.check_finished()?;
        let steps = groups.len() as u64;
        let (recoding, merged) = recoder.merge_violating(&mut groups)?;
        let mut notes = Vec::new();
        if (control.stop)() {
            notes.push("The search was stopped before it finished; a release with less loss may exist.".to_owned());
        }
        notes.extend(regions.strengthening_note());
        if merged > 0 {
            notes.push(format!(
                "{merged} groups were merged: each satisfies the requirement, but the whole release would not."
            ));
        }
        Ok(SearchOutcome { recoding, guarantee: Guarantee::Safe, steps, notes })
    })
}

/// Distinct combinations of quasi-identifiers, and the combinations of the table that have them.
pub(super) struct Parts {
    /// Index of the quasi-identifier combinations by part. Combinations of different parts differ in a column that is published unchanged.
    pub(super) parts: Vec<Vec<u32>>,
    /// Leaf codes by generalized column, then by quasi-identifier combination.
    pub(super) codes: Vec<Vec<Code>>,
    /// Number of records by quasi-identifier combination.
    pub(super) weights: Vec<Weight>,
    /// Combinations of the table by quasi-identifier combination.
    pub(super) members: Vec<Vec<u32>>,
}

impl Parts {
    pub(super) fn new(task: &RecodingTask<'_>, context: &RegionContext) -> Parts {
        let contingency = &task.table.contingency;
        let columns = context.columns();
        let mut index: HashMap<Vec<Code>, u32> = HashMap::new();
        let mut part_of: HashMap<Vec<Code>, usize> = HashMap::new();
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let mut codes: Vec<Vec<Code>> = vec![Vec::new(); columns.len()];
        let (mut weights, mut members): (Vec<Weight>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        for at in 0..contingency.len() {
            let fixed: Vec<Code> = context.fixed.iter().map(|column| context.published_codes[*column][at]).collect();
            let mut key: Vec<Code> = columns.iter().map(|column| contingency.codes[*column][at]).collect();
            key.extend(&fixed);
            let next = weights.len() as u32;
            let place = *index.entry(key).or_insert(next);
            if place == next {
                columns.iter().zip(&mut codes).for_each(|(column, codes)| codes.push(contingency.codes[*column][at]));
                weights.push(0);
                members.push(Vec::new());
                let part = *part_of.entry(fixed).or_insert(parts.len());
                if part == parts.len() {
                    parts.push(Vec::new());
                }
                parts[part].push(place);
            }
            weights[place as usize] += contingency.weights[at];
            members[place as usize].push(at as u32);
        }
        Parts { parts, codes, weights, members }
    }
}

/// Returns a large subset of combinations with these weights that satisfies the requirement as one group; `None` if none is found.
/// `judge` returns whether a subset satisfies it, and its safety.
pub(super) fn satisfying_subset(
    weights: &[Weight],
    bound: WeightBound,
    judge: &(dyn Fn(&[u32]) -> (bool, f64) + Sync),
) -> Option<Vec<u32>> {
    let judge = |members: &[u32], _: &[u32]| {
        let (holds, safety) = judge(members);
        GroupVerdict { holds, safety }
    };
    search::satisfying_subset(&Input {
        trees: &[],
        codes: &[],
        weights,
        judge: &judge,
        min_weight: bound.min_weight,
        only_weight: bound.only_weight,
        merging_is_safe: false,
        form: ValueForm::Nodes,
        set_detail_loss: &|_, _| 0.0,
    })
}

struct LocalRecoder<'a> {
    regions: RegionSearch<'a>,
    parts: &'a Parts,
}

impl LocalRecoder<'_> {
    /// Returns the groups of all parts. If a part violates the requirement as one group, records of it are suppressed, up to the limit.
    fn search(&self, budget: &Budget, seed: u64) -> Result<Vec<PublishedRegion>> {
        let objective = &self.regions.context.objective;
        let ordered = |(at, dimension): (usize, &RegionDimension)| OrderedTree::new(&dimension.tree, objective, at);
        let set_detail_loss =
            |column: usize, codes: &mut dyn Iterator<Item = Code>| objective.set_detail_loss(column, codes);
        let trees: Vec<OrderedTree> = self.regions.context.dimensions.iter().enumerate().map(ordered).collect();
        let plain: Vec<Tree> = trees.iter().map(|tree| tree.tree.clone()).collect();
        let contingency = &self.regions.task.table.contingency;
        let models = &self.regions.task.requirement.models;
        let WeightBound { min_weight, only_weight } =
            self.regions.context.weight_bound(self.regions.task, self.regions.checks)?;
        let merging_is_safe = self.regions.checks.len() == models.len()
            && models.iter().all(|model| merging_of(model.as_ref(), contingency) == Merging::WithAny);
        let counters = Mutex::new(self.regions.counters());
        let stop = || (self.regions.control.stop)() || (self.regions.control.abort)();
        let limit = self.regions.task.suppression.max_suppressed(contingency.rows());
        let mut regions = Vec::new();
        let mut suppressed = 0;
        for part in &self.parts.parts {
            let mut kept = part.clone();
            let mut is_reduced = false;
            loop {
                let columns = self.parts.codes.iter();
                let codes: Vec<Vec<Code>> =
                    columns.map(|codes| kept.iter().map(|at| codes[*at as usize]).collect()).collect();
                let weights: Vec<Weight> = kept.iter().map(|at| self.parts.weights[*at as usize]).collect();
                let judge = |members: &[u32], nodes: &[u32]| {
                    let nodes: Vec<NodeId> =
                        trees.iter().zip(nodes).map(|(tree, node)| tree.ids[*node as usize]).collect();
                    let of_table = members.iter().flat_map(|at| &self.parts.members[kept[*at as usize] as usize]);
                    match counters.lock() {
                        Ok(mut counters) => self.judge(&mut counters, of_table, &nodes),
                        Err(_) => GroupVerdict { holds: false, safety: f64::NEG_INFINITY },
                    }
                };
                let input = Input {
                    trees: &plain,
                    codes: &codes,
                    weights: &weights,
                    judge: &judge,
                    min_weight,
                    only_weight,
                    merging_is_safe,
                    form: self.regions.task.values,
                    set_detail_loss: &set_detail_loss,
                };
                if let Some(groups) = search::search(&input, seed, budget, &stop) {
                    regions.extend(groups.iter().map(|group| self.region(&kept, group, &trees, false)));
                    break;
                }
                // With all records as one group the requirement is violated, so some records must be suppressed.
                let subset = if limit > 0 && !is_reduced { search::satisfying_subset(&input) } else { None };
                let subset = subset.unwrap_or_default();
                let rest: Vec<u32> = (0..kept.len() as u32).filter(|at| subset.binary_search(at).is_err()).collect();
                suppressed += rest.iter().map(|at| weights[*at as usize]).sum::<Weight>();
                let root = Group { members: rest, nodes: vec![0; trees.len()] };
                regions.push(self.region(&kept, &root, &trees, true));
                if subset.is_empty() {
                    break;
                }
                kept = subset.iter().map(|at| kept[*at as usize]).collect();
                is_reduced = true;
            }
        }
        if suppressed > limit || regions.iter().all(|region| region.suppressed) {
            return Err(self.regions.refusal()?);
        }
        Ok(regions)
    }

    fn region(&self, part: &[u32], group: &Group, trees: &[OrderedTree], suppressed: bool) -> PublishedRegion {
        let nodes = trees.iter().zip(&group.nodes).map(|(tree, node)| tree.ids[*node as usize]).collect();
        let members =
            group.members.iter().flat_map(|at| self.parts.members[part[*at as usize] as usize].iter().copied());
        PublishedRegion { nodes, members: members.collect(), suppressed }
    }

    fn judge<'m>(
        &self,
        counters: &mut [ClassCounter],
        members: impl Iterator<Item = &'m u32> + Clone,
        nodes: &[NodeId],
    ) -> GroupVerdict {
        let contingency = &self.regions.task.table.contingency;
        let mut verdict = GroupVerdict { holds: true, safety: f64::INFINITY };
        for (check, counter) in self.regions.checks.iter().zip(counters) {
            members.clone().for_each(|at| counter.add(contingency, &check.measured, *at as usize));
            let judgement = check.judge(&counter.count(), nodes);
            verdict.holds &= judgement.holds;
            // The search compares the safety of groups that violate the requirement.
            if !judgement.holds {
                verdict.safety = verdict.safety.min(judgement.safety);
            }
        }
        verdict
    }

    /// Merges groups that violate the requirement on the whole release. Returns the recoding and the number of merged groups.
    ///
    /// Groups can satisfy a requirement that the release violates: if a person has records in several groups, for distances from the whole
    /// table, and for sets of records.
    fn merge_violating(&self, regions: &mut Vec<PublishedRegion>) -> Result<(Recoding, u64)> {
        let check = ReleaseCheck::new(self.regions.task, &self.regions.context.columns(), self.regions.control.abort)?;
        let mut merged = 0;
        loop {
            let recoding = self.regions.context.recoding(self.regions.task.table, regions);
            let Some(violating) = check.violating_members(&recoding)? else { return Ok((recoding, merged)) };
            let is_violating =
                |region: &PublishedRegion| !region.suppressed && region.members.iter().any(|at| violating.contains(at));
            let (mut chosen, rest): (Vec<PublishedRegion>, Vec<PublishedRegion>) =
                std::mem::take(regions).into_iter().partition(is_violating);
            *regions = rest;
            // A single violating group is merged with the nearest other group.
            if chosen.len() < 2 {
                let Some(nearest) = self.nearest(chosen.first(), regions) else {
                    return Err(self.regions.refusal()?);
                };
                chosen.push(regions.swap_remove(nearest));
            }
            merged += chosen.len() as u64;
            let members: Vec<u32> = chosen.iter().flat_map(|region| region.members.iter().copied()).collect();
            let nodes = self.common_nodes(&chosen);
            regions.push(PublishedRegion { nodes, members, suppressed: false });
        }
    }

    /// Lowest common nodes of several groups.
    fn common_nodes(&self, regions: &[PublishedRegion]) -> Vec<NodeId> {
        let common = |(at, dimension): (usize, &RegionDimension)| {
            let tree = &dimension.tree;
            let ranges = || regions.iter().map(|region| &tree.node(region.nodes[at]).span);
            let (start, end) = (ranges().map(|codes| codes.start).min(), ranges().map(|codes| codes.end).max());
            let mut node = regions.first().map_or(0, |region| region.nodes[at]);
            while let Some(parent) = tree.node(node).parent {
                let codes = &tree.node(node).span;
                if Some(codes.start) <= start && end <= Some(codes.end) {
                    break;
                }
                node = parent;
            }
            node
        };
        self.regions.context.dimensions.iter().enumerate().map(common).collect()
    }

    /// Position of the group that a merger with another group generalizes least, and that has equal values in the columns that are
    /// published unchanged.
    fn nearest(&self, region: Option<&PublishedRegion>, others: &[PublishedRegion]) -> Option<usize> {
        let region = region?;
        let context = self.regions.context;
        let fixed = |region: &PublishedRegion| -> Option<Vec<Code>> {
            let at = *region.members.first()? as usize;
            Some(context.fixed.iter().map(|column| context.published_codes[*column][at]).collect())
        };
        let own = fixed(region);
        let loss = |other: &PublishedRegion| -> f64 {
            let nodes = self.common_nodes(&[region.clone(), other.clone()]);
            let width = |(dimension, node): (&RegionDimension, &NodeId)| {
                dimension.tree.node(*node).span.len() as f64 / dimension.tree.len().max(1) as f64
            };
            context.dimensions.iter().zip(&nodes).map(width).sum()
        };
        let candidates = others.iter().enumerate().filter(|(_, other)| !other.suppressed && fixed(other) == own);
        candidates.map(|(at, other)| (loss(other), at)).min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, at)| at)
    }
}

/// A taxonomy whose nodes are in the order that the search needs: parents first.
struct OrderedTree {
    tree: Tree,
    /// Node of the taxonomy by node of the tree.
    ids: Vec<NodeId>,
}

impl OrderedTree {
    /// Orders the nodes of the taxonomy of a generalized column, given its index among these columns.
    fn new(taxonomy: &Taxonomy, objective: &Objective, dimension: usize) -> OrderedTree {
        let losses = objective.node_losses(dimension, taxonomy);
        let mut ids: Vec<NodeId> = (0..taxonomy.nodes().len()).collect();
        ids.sort_by_key(|id| (taxonomy.node(*id).depth, *id));
        let mut place = vec![0u32; ids.len()];
        ids.iter().zip(0..).for_each(|(id, at)| place[*id] = at);
        let node = |id: &NodeId| {
            let node = taxonomy.node(*id);
            TreeNode { parent: node.parent.map(|parent| place[parent]), codes: node.span.clone(), loss: losses[*id] }
        };
        let nodes = ids.iter().map(node).collect();
        let tree = Tree {
            nodes,
            ordered: taxonomy.numbers().is_some(),
            missing: taxonomy.missing(),
            weight: objective.column_weight(dimension),
            has_detail: objective.has_detail(dimension),
        };
        OrderedTree { tree, ids }
    }
}
