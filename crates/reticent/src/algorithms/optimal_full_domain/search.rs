//! Search of the lattice: nodes in ascending order of their lower bounds, until the bound exceeds the cost of the best node.
//!
//! With monotone models, each open node starts a chain upwards through open nodes. Binary search finds the lowest node of the
//! chain that is not `INFEASIBLE_BELOW` (Flash); nodes below an infeasible node are tagged. Before that, nodes with only two or
//! three columns below their roots are searched for infeasible ones. They are fast to judge, and each prunes a large part of the
//! lattice (Incognito). Several chains are searched in parallel. The set of judged nodes does not depend on the number of threads.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rayon::prelude::*;

use super::cost::Cost;
use super::evaluator::{Items, NodeEvaluator, NodeResult, NodeVerdict};
use super::keys::KeyScratch;
use super::lattice::{
    GeneralizationHierarchy, INFEASIBLE_BELOW, JUDGED, Lattice, LatticeNode, NOT_INFEASIBLE_BELOW, ON_CHAIN, TOO_COSTLY,
};
use crate::algorithms::Control;
use crate::data::contingency::Weight;
use crate::error::Result;

/// Number of chains that are searched in parallel.
const PARALLEL_CHAINS: usize = 4;
/// Maximum size of the column subsets that are searched first.
const MAX_SUBSET_COLUMNS: usize = 3;
/// Number of nodes that are judged in parallel without monotone models.
const BATCH: usize = 64;
/// Number of nodes that are sorted at a time; small in tests, so that small lattices have several bands.
const BAND_SIZE: usize = if cfg!(test) { 16 } else { 1 << 20 };
/// Number of bins for the range of bounds, from which bands are formed.
const BINS: u128 = 4096;

/// Order of nodes: by cost, then by the sum of levels, then by number.
type Rank = (Cost, usize, LatticeNode);

/// The best node so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestNode {
    /// Rank of the node.
    rank: Rank,
    /// Number of suppressed records.
    pub(super) suppressed: Weight,
}

impl BestNode {
    /// Returns the node.
    pub(super) fn node(&self) -> LatticeNode {
        self.rank.2
    }

    /// Returns the cost.
    pub(super) fn cost(&self) -> Cost {
        self.rank.0
    }
}

/// State of the search.
pub(super) struct LatticeSearch<'a> {
    evaluator: &'a NodeEvaluator<'a>,
    control: &'a Control<'a>,
    /// Lattice with the marks of nodes.
    pub(super) lattice: Lattice,
    /// Best node so far.
    pub(super) best: Option<BestNode>,
    /// Number of judged nodes.
    pub(super) judged: u64,
    /// Whether the caller stopped the search.
    pub(super) stopped: bool,
    sources: Sources,
}

impl<'a> LatticeSearch<'a> {
    /// Creates the search.
    pub(super) fn new(evaluator: &'a NodeEvaluator<'a>, lattice: Lattice, control: &'a Control<'a>) -> Self {
        let sources = Sources::new(evaluator.all_items(), evaluator.hierarchies());
        LatticeSearch { evaluator, control, lattice, best: None, judged: 0, stopped: false, sources }
    }

    /// Searches until the best node is found, or the caller stops the search.
    pub(super) fn run(&mut self) -> Result<()> {
        self.judge(&[self.lattice.root()])?;
        if self.lattice.has(self.lattice.root(), INFEASIBLE_BELOW) {
            return Ok(());
        }
        if self.evaluator.has_monotone_model() {
            self.chains(&[0], Goal::Best)?;
            for size in 2..=MAX_SUBSET_COLUMNS.min(self.lattice.columns().saturating_sub(1)) {
                self.prune_by_subsets(size)?;
            }
        }
        for band in self.bands() {
            if self.stopped || self.best.is_some_and(|best| band.lowest > best.cost()) {
                break;
            }
            let nodes = self.open_in_band(&band);
            if self.evaluator.has_monotone_model() {
                self.chains(&nodes, Goal::Best)?
            } else {
                self.judge_open(&nodes)?
            }
        }
        Ok(())
    }

    /// Tags infeasible nodes among those with exactly `size` columns below their roots. Such nodes are fast to judge.
    fn prune_by_subsets(&mut self, size: usize) -> Result<()> {
        let subsets = subsets(self.lattice.columns(), size);
        for some in subsets.chunks(PARALLEL_CHAINS) {
            let nodes: Vec<Vec<LatticeNode>> =
                some.iter().map(|columns| self.lattice.nodes_specializing_only(columns)).collect();
            let unknown = |nodes: &&Vec<LatticeNode>| nodes.iter().any(|node| self.is_unknown(*node));
            let nodes: Vec<&Vec<LatticeNode>> = nodes.iter().filter(unknown).collect();
            if self.check_stop() {
                break;
            }
            // Judge the most specific node of each subset first: it is usually infeasible, and the others are judged from its items.
            let sources: Vec<LatticeNode> = nodes.iter().filter_map(|nodes| nodes.first().copied()).collect();
            self.judge(&sources)?;
            self.chains(&nodes.into_iter().flatten().copied().collect::<Vec<_>>(), Goal::InfeasibleBelow)?;
        }
        Ok(())
    }

    fn bound(&self, node: LatticeNode) -> Cost {
        let columns = 0..self.lattice.columns();
        self.evaluator.costs().bound(columns.map(|column| self.lattice.level(node, column)))
    }

    /// Returns the best rank that the node can have.
    fn rank(&self, node: LatticeNode) -> Rank {
        (self.bound(node), self.lattice.level_sum(node), node)
    }

    /// Whether a node can still be the best.
    fn is_open(&self, node: LatticeNode) -> bool {
        let known = self.lattice.has(node, JUDGED | INFEASIBLE_BELOW | TOO_COSTLY | ON_CHAIN);
        !known && self.best.is_none_or(|best| self.rank(node) < best.rank)
    }

    /// Whether it is unknown if a node is `INFEASIBLE_BELOW`.
    fn is_unknown(&self, node: LatticeNode) -> bool {
        !self.lattice.has(node, JUDGED | INFEASIBLE_BELOW | NOT_INFEASIBLE_BELOW | ON_CHAIN)
    }

    fn is_wanted(&self, node: LatticeNode, goal: Goal) -> bool {
        match goal {
            Goal::Best => self.is_open(node),
            Goal::InfeasibleBelow => self.is_unknown(node),
        }
    }

    /// Divides the range of bounds into bands of limited numbers of nodes.
    fn bands(&self) -> Vec<Band> {
        let (lowest, highest) = (self.bound(0), self.bound(self.lattice.root()));
        if self.lattice.len() <= BAND_SIZE {
            return vec![Band { lowest, below: highest + 1 }];
        }
        let step = (highest - lowest) / BINS + 1;
        let bin = |node: LatticeNode| ((self.bound(node) - lowest) / step) as usize;
        let none = || vec![0usize; BINS as usize];
        let count = |mut bins: Vec<usize>, node| {
            bins[bin(node)] += 1;
            bins
        };
        let add = |a: Vec<usize>, b: Vec<usize>| a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let bins: Vec<usize> = (0..self.lattice.len()).into_par_iter().fold(none, count).reduce(none, add);
        let mut bands = Vec::new();
        let (mut from, mut nodes) = (0, 0);
        for (at, count) in bins.iter().enumerate() {
            nodes += count;
            if nodes >= BAND_SIZE || at + 1 == bins.len() {
                bands.push(Band { lowest: lowest + from * step, below: lowest + (at as u128 + 1) * step });
                (from, nodes) = (at as u128 + 1, 0);
            }
        }
        bands
    }

    /// Returns the open nodes of a band, sorted by rank.
    fn open_in_band(&self, band: &Band) -> Vec<LatticeNode> {
        let within = |node: &LatticeNode| {
            let bound = self.bound(*node);
            band.lowest <= bound && bound < band.below && self.is_open(*node)
        };
        let nodes = (0..self.lattice.len()).into_par_iter().filter(within);
        let mut ranks: Vec<Rank> = nodes.map(|node| self.rank(node)).collect();
        ranks.par_sort_unstable();
        ranks.into_iter().map(|rank| rank.2).collect()
    }

    /// Judges every node that can still be the best.
    fn judge_open(&mut self, nodes: &[LatticeNode]) -> Result<()> {
        for batch in nodes.chunks(BATCH) {
            let open: Vec<LatticeNode> = batch.iter().copied().filter(|node| self.is_open(*node)).collect();
            if !open.is_empty() {
                if self.check_stop() {
                    break;
                }
                self.judge(&open)?;
            }
        }
        Ok(())
    }

    /// Starts a chain at every node that is still relevant to the goal.
    fn chains(&mut self, starts: &[LatticeNode], goal: Goal) -> Result<()> {
        let mut starts: VecDeque<LatticeNode> = starts.iter().copied().collect();
        while !starts.is_empty() && !self.stopped {
            let mut chains = self.start_chains(&mut starts, goal);
            while self.halve(&mut chains)? {}
            for node in chains.iter().flat_map(|chain| &chain.nodes) {
                self.lattice.clear(*node, ON_CHAIN);
            }
        }
        Ok(())
    }

    /// Starts up to `PARALLEL_CHAINS` chains. Nodes on one of them are postponed until these chains are finished.
    fn start_chains(&mut self, starts: &mut VecDeque<LatticeNode>, goal: Goal) -> Vec<Chain> {
        let mut chains = Vec::new();
        let mut waiting = Vec::new();
        while chains.len() < PARALLEL_CHAINS
            && let Some(start) = starts.pop_front()
        {
            if self.lattice.has(start, ON_CHAIN) {
                waiting.push(start);
            } else if self.is_wanted(start, goal) {
                chains.push(self.chain(start, goal));
            }
        }
        for start in waiting.into_iter().rev() {
            starts.push_front(start);
        }
        chains
    }

    /// Returns the chain upwards from a node, always through the relevant node with the best rank.
    fn chain(&mut self, start: LatticeNode, goal: Goal) -> Chain {
        let mut nodes = vec![start];
        let mut next = Some(start);
        while let Some(node) = next {
            self.lattice.mark(node, ON_CHAIN);
            let usable = |node: &LatticeNode| self.is_wanted(*node, goal) && self.is_unknown(*node);
            next = self.lattice.above(node).filter(usable).min_by_key(|node| self.rank(*node));
            nodes.extend(next);
        }
        Chain::new(nodes, goal)
    }

    /// Judges the middle of every chain and discards one half. Returns false if all chains are finished.
    fn halve(&mut self, chains: &mut [Chain]) -> Result<bool> {
        let nodes: Vec<LatticeNode> = chains.iter_mut().filter_map(|chain| chain.next_unknown(&self.lattice)).collect();
        if nodes.is_empty() || self.check_stop() {
            return Ok(false);
        }
        self.judge(&nodes)?;
        Ok(true)
    }

    fn check_stop(&mut self) -> bool {
        self.stopped |= (self.control.stop)();
        self.stopped
    }

    /// Judges nodes and updates the marks.
    fn judge(&mut self, nodes: &[LatticeNode]) -> Result<()> {
        let levels: Vec<Vec<usize>> = nodes.iter().map(|node| self.lattice.levels(*node)).collect();
        self.add_waypoints(&levels);
        let sources: Vec<Arc<Items>> = levels.iter().map(|levels| self.sources.nearest(levels)).collect();
        let evaluator = self.evaluator;
        let judged: Vec<Result<NodeResult>> = (&levels, &sources)
            .into_par_iter()
            .map_init(KeyScratch::default, |scratch, (levels, source)| evaluator.judge(levels, source, scratch))
            .collect();
        for ((node, levels), judged) in nodes.iter().zip(levels).zip(judged) {
            self.conclude(*node, levels, judged?);
        }
        (self.control.progress)(
            "checking generalization levels",
            self.judged + self.lattice.tagged,
            self.lattice.len() as u64,
        );
        Ok(())
    }

    fn add_waypoints(&mut self, nodes: &[Vec<usize>]) {
        let missing = self.sources.missing(nodes);
        let (evaluator, all) = (self.evaluator, &self.sources.all);
        let items: Vec<Items> = missing
            .par_iter()
            .map_init(KeyScratch::default, |scratch, levels| evaluator.items(levels, all, scratch))
            .collect();
        self.sources.waypoints.extend(missing.into_iter().zip(items.into_iter().map(Arc::new)));
    }

    fn conclude(&mut self, node: LatticeNode, levels: Vec<usize>, judged: NodeResult) {
        self.lattice.mark(node, JUDGED);
        self.judged += 1;
        match judged.verdict {
            NodeVerdict::InfeasibleBelow => self.lattice.tag_infeasible_below(node),
            NodeVerdict::Infeasible => {}
            NodeVerdict::Feasible(suppressed, cost) => {
                let rank = (cost, self.lattice.level_sum(node), node);
                if self.best.is_none_or(|best| rank < best.rank) {
                    self.best = Some(BestNode { rank, suppressed });
                }
                if self.evaluator.all_models_monotone() {
                    self.rule_out_below(node, cost);
                }
            }
        }
        if self.evaluator.has_monotone_model() && judged.verdict != NodeVerdict::InfeasibleBelow {
            self.lattice.tag_not_infeasible_above(node);
        }
        if self.sources.nested && self.best.is_some_and(|best| judged.floor > best.cost()) {
            self.lattice.tag_too_costly_above(node);
        }
        self.sources.keep(levels, judged.items);
    }

    /// Tags more specific nodes as too costly. Every record suppressed here is suppressed there too, with at least the same loss, which
    /// increases their lower bounds.
    fn rule_out_below(&mut self, node: LatticeNode, cost: Cost) {
        let Some(best) = self.best else { return };
        let costs = self.evaluator.costs();
        if !costs.metric().is_separable() {
            return;
        }
        let bound =
            |lattice: &Lattice, node| costs.bound((0..lattice.columns()).map(|column| lattice.level(node, column)));
        let added = cost - bound(&self.lattice, node);
        self.lattice.tag_too_costly_below(node, |lattice, node| bound(lattice, node) + added > best.cost());
    }
}

/// Returns all subsets of the columns with this size.
fn subsets(columns: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let wider = |set: &Vec<usize>| {
            let first = set.last().map_or(0, |last| last + 1);
            (first..columns).map(|column| [set.as_slice(), &[column]].concat()).collect::<Vec<_>>()
        };
        sets = sets.iter().flat_map(wider).collect();
    }
    sets
}

/// Nodes whose bounds lie in a range.
struct Band {
    lowest: Cost,
    below: Cost,
}

/// A chain of nodes upwards, and the section in which the lowest node that is not `INFEASIBLE_BELOW` lies.
struct Chain {
    nodes: Vec<LatticeNode>,
    from: usize,
    to: usize,
    goal: Goal,
    /// Whether the end of the chain was tried. It is usually infeasible when the best node is nearly found.
    tried: bool,
}

/// Goal of searching chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The best node: every node that can be the best is judged or pruned.
    Best,
    /// Infeasible nodes, regardless of their cost.
    InfeasibleBelow,
}

impl Chain {
    fn new(nodes: Vec<LatticeNode>, goal: Goal) -> Chain {
        Chain { from: 0, to: nodes.len(), nodes, goal, tried: goal == Goal::InfeasibleBelow }
    }

    /// Returns the index to judge next.
    fn next(&self) -> Option<usize> {
        let last = self.to.checked_sub(1).filter(|last| self.from <= *last)?;
        Some(if self.tried { usize::midpoint(self.from, last) } else { last })
    }

    /// Skips nodes with known results, and returns the node to judge next.
    fn next_unknown(&mut self, lattice: &Lattice) -> Option<LatticeNode> {
        while let Some(at) = self.next() {
            let node = self.nodes[at];
            // The start node must be judged even if it is known not to be INFEASIBLE_BELOW, because it can be the best.
            let known = if self.goal == Goal::Best && at == 0 {
                JUDGED | TOO_COSTLY
            } else {
                JUDGED | TOO_COSTLY | NOT_INFEASIBLE_BELOW
            };
            if lattice.has(node, INFEASIBLE_BELOW) {
                self.from = at + 1;
            } else if lattice.has(node, known) {
                self.to = at;
            } else {
                self.tried = true;
                return Some(node);
            }
        }
        None
    }
}

/// Items of more specific nodes. Judging from them is faster than from all records.
struct Sources {
    all: Arc<Items>,
    /// Items of judged nodes, oldest first.
    judged: VecDeque<(Vec<usize>, Arc<Items>)>,
    /// Whether waypoints generalize a column, by column.
    leading: Vec<bool>,
    /// Items of waypoints: nodes that generalize the leading columns only.
    waypoints: BTreeMap<Vec<usize>, Arc<Items>>,
    /// Whether a higher level is always more general.
    nested: bool,
}

/// Maximum number of judged nodes whose items are kept.
const MAX_SOURCES: usize = 128;
/// Maximum number of kept items, for judged nodes and for waypoints each.
const MAX_SOURCE_ITEMS: usize = 8_000_000;

impl Sources {
    fn new(all: Items, hierarchies: &[GeneralizationHierarchy]) -> Sources {
        let nested = hierarchies.iter().all(GeneralizationHierarchy::is_nested);
        let leading = leading(hierarchies, (MAX_SOURCE_ITEMS / all.len().max(1)).min(MAX_SOURCES));
        Sources { all: Arc::new(all), judged: VecDeque::new(), leading, waypoints: BTreeMap::new(), nested }
    }

    /// Returns the smallest set of items from which a node can be judged.
    fn nearest(&self, levels: &[usize]) -> Arc<Items> {
        let below = |other: &[usize]| other.iter().zip(levels).all(|(other, level)| other <= level);
        let usable = self.judged.iter().filter(|(other, _)| below(other)).map(|(_, items)| items);
        let waypoint = self.waypoints.get(&self.waypoint(levels));
        usable.chain(waypoint).chain([&self.all]).min_by_key(|items| items.len()).unwrap_or(&self.all).clone()
    }

    /// Returns the waypoint below a node.
    fn waypoint(&self, levels: &[usize]) -> Vec<usize> {
        levels.iter().zip(&self.leading).map(|(level, leading)| if *leading { *level } else { 0 }).collect()
    }

    /// Returns the missing waypoints that would speed up judging these nodes.
    fn missing(&self, nodes: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let far = |levels: &&Vec<usize>| self.nested && self.nearest(levels).len() * 8 > self.all.len();
        let mut missing: Vec<Vec<usize>> = nodes.iter().filter(far).map(|levels| self.waypoint(levels)).collect();
        missing.retain(|waypoint| waypoint.iter().any(|level| *level > 0) && !self.waypoints.contains_key(waypoint));
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Keeps the items of a node if they are few enough to be useful.
    fn keep(&mut self, levels: Vec<usize>, items: Items) {
        if !self.nested || items.len() * 4 > self.all.len() * 3 {
            return;
        }
        self.judged.push_back((levels, Arc::new(items)));
        let total_items = |kept: &VecDeque<(_, Arc<Items>)>| kept.iter().map(|(_, items)| items.len()).sum::<usize>();
        while self.judged.len() > MAX_SOURCES || total_items(&self.judged) > MAX_SOURCE_ITEMS {
            self.judged.pop_front();
        }
    }
}

/// Selects the columns with most values, as long as their levels have at most `max_waypoints` combinations.
fn leading(hierarchies: &[GeneralizationHierarchy], max_waypoints: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..hierarchies.len()).collect();
    order.sort_by_key(|column| Reverse(hierarchies[*column].levels[0].distinct));
    let mut leading = vec![false; hierarchies.len()];
    let mut waypoints = 1;
    for column in order {
        waypoints *= hierarchies[column].levels.len();
        if waypoints > max_waypoints {
            break;
        }
        leading[column] = true;
    }
    leading
}
