//! The search: nodes in ascending order of what they must cost at least, until that is more than the best node costs.
//!
//! Where a verdict passes on to more specific nodes, each open node starts a chain upwards through open nodes, and the
//! lowest node of the chain that is not hopeless is found by halving (Flash); everything below a hopeless node is tagged.
//! Before that, nodes with only two or three columns below their roots are searched for hopeless ones: they are fast to
//! judge, and each rules out a large part of the lattice (Incognito).
//! Several chains are searched at once. Which nodes are judged does not depend on the number of threads.

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

/// Chains that are searched at once.
const PARALLEL_CHAINS: usize = 4;
/// Sets of at most so many columns are searched by themselves first.
const MAX_SUBSET_COLUMNS: usize = 3;
/// Nodes that are judged at once where nothing is concluded from one for another.
const BATCH: usize = 64;
/// Nodes that are put in order at once; few in tests, so that small lattices have several bands.
const BAND_SIZE: usize = if cfg!(test) { 16 } else { 1 << 20 };
/// Into so many parts the range of bounds is cut, to find bands.
const BINS: u128 = 4096;

/// What makes one node better than another: its cost, then the sum of its rungs, then its number.
type Rank = (Cost, usize, LatticeNode);

/// The best node so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestNode {
    /// Its place in the order of nodes.
    rank: Rank,
    /// Records left out.
    pub(super) suppressed: Weight,
}

impl BestNode {
    /// The node.
    pub(super) fn node(&self) -> LatticeNode {
        self.rank.2
    }

    /// What it costs.
    pub(super) fn cost(&self) -> Cost {
        self.rank.0
    }
}

/// A running search.
pub(super) struct LatticeSearch<'a> {
    evaluator: &'a NodeEvaluator<'a>,
    control: &'a Control<'a>,
    /// What is known of the nodes.
    pub(super) lattice: Lattice,
    /// The best node so far.
    pub(super) best: Option<BestNode>,
    /// Nodes judged.
    pub(super) judged: u64,
    /// Whether the caller asked to stop.
    pub(super) stopped: bool,
    sources: Sources,
}

impl<'a> LatticeSearch<'a> {
    /// A search that has judged nothing yet.
    pub(super) fn new(evaluator: &'a NodeEvaluator<'a>, lattice: Lattice, control: &'a Control<'a>) -> Self {
        let sources = Sources::new(evaluator.all_items(), evaluator.hierarchies());
        LatticeSearch { evaluator, control, lattice, best: None, judged: 0, stopped: false, sources }
    }

    /// Searches until the best node is found, or the caller asks to stop.
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

    /// Finds what is hopeless already when only so many columns are not at their roots. Such nodes are fast to judge.
    fn prune_by_subsets(&mut self, size: usize) -> Result<()> {
        let subsets = subsets(self.lattice.columns(), size);
        for some in subsets.chunks(PARALLEL_CHAINS) {
            let nodes: Vec<Vec<LatticeNode>> =
                some.iter().map(|columns| self.lattice.nodes_generalizing_others(columns)).collect();
            let unknown = |nodes: &&Vec<LatticeNode>| nodes.iter().any(|node| self.is_unknown(*node));
            let nodes: Vec<&Vec<LatticeNode>> = nodes.iter().filter(unknown).collect();
            if self.check_stop() {
                break;
            }
            // The most specific node of each is known to be hopeless most often; the others are judged from it.
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

    /// The best rank the node can have.
    fn rank(&self, node: LatticeNode) -> Rank {
        (self.bound(node), self.lattice.level_sum(node), node)
    }

    /// Whether a node can still be the best.
    fn is_open(&self, node: LatticeNode) -> bool {
        let known = self.lattice.has(node, JUDGED | INFEASIBLE_BELOW | TOO_COSTLY | ON_CHAIN);
        !known && self.best.is_none_or(|best| self.rank(node) < best.rank)
    }

    /// Whether a node may be hopeless.
    fn is_unknown(&self, node: LatticeNode) -> bool {
        !self.lattice.has(node, JUDGED | INFEASIBLE_BELOW | NOT_INFEASIBLE_BELOW | ON_CHAIN)
    }

    fn is_wanted(&self, node: LatticeNode, goal: Goal) -> bool {
        match goal {
            Goal::Best => self.is_open(node),
            Goal::InfeasibleBelow => self.is_unknown(node),
        }
    }

    /// Cuts the range of bounds into bands with not too many nodes each.
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

    /// The open nodes of a band, the one that can be best first.
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

    /// Starts a chain at every node that is still wanted when its turn comes.
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

    /// Starts as many chains as are searched at once. What lies on one of them waits until they are done.
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

    /// The way up from a node through open ones, always to that which must cost least.
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

    /// Judges the middle of every chain and drops one half; false when all chains are done.
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

    /// Judges nodes, and concludes what there is to conclude.
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
            "judging generalization levels",
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

    /// Every record left out here is left out at more specific nodes, where it loses no less: with what that adds to
    /// their bounds, some cannot be the best.
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

/// The sets of so many of so many columns.
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

/// A way up the lattice, and the part of it where the lowest node that is not hopeless lies.
struct Chain {
    nodes: Vec<LatticeNode>,
    from: usize,
    to: usize,
    goal: Goal,
    /// Whether its end was tried, which is hopeless most often where the best node is nearly found.
    tried: bool,
}

/// What chains are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The best node: every node that can be the best is judged, or ruled out.
    Best,
    /// Hopeless nodes, whatever they cost.
    InfeasibleBelow,
}

impl Chain {
    fn new(nodes: Vec<LatticeNode>, goal: Goal) -> Chain {
        Chain { from: 0, to: nodes.len(), nodes, goal, tried: goal == Goal::InfeasibleBelow }
    }

    /// The place to look at next.
    fn next(&self) -> Option<usize> {
        let last = self.to.checked_sub(1).filter(|last| self.from <= *last)?;
        Some(if self.tried { usize::midpoint(self.from, last) } else { last })
    }

    /// Drops what is known already, and answers with the node to judge next.
    fn next_unknown(&mut self, lattice: &Lattice) -> Option<LatticeNode> {
        while let Some(at) = self.next() {
            let node = self.nodes[at];
            // It is the start's turn now, and no other: that it is not hopeless does not make it the best, or not.
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

/// Items of more specific nodes, from which nodes are judged faster than from all records.
struct Sources {
    all: Arc<Items>,
    /// Of judged nodes, oldest first.
    judged: VecDeque<(Vec<usize>, Arc<Items>)>,
    /// By column, whether waypoints generalize it.
    leading: Vec<bool>,
    /// Of nodes that generalize the leading columns only.
    waypoints: BTreeMap<Vec<usize>, Arc<Items>>,
    /// Whether a higher rung is always the more general one.
    nested: bool,
}

/// So many judged nodes are kept.
const MAX_SOURCES: usize = 128;
/// And so many items altogether, of judged nodes and of waypoints each.
const MAX_SOURCE_ITEMS: usize = 8_000_000;

impl Sources {
    fn new(all: Items, hierarchies: &[GeneralizationHierarchy]) -> Sources {
        let nested = hierarchies.iter().all(GeneralizationHierarchy::is_nested);
        let leading = leading(hierarchies, (MAX_SOURCE_ITEMS / all.len().max(1)).min(MAX_SOURCES));
        Sources { all: Arc::new(all), judged: VecDeque::new(), leading, waypoints: BTreeMap::new(), nested }
    }

    /// The fewest items from which a node can be judged.
    fn nearest(&self, levels: &[usize]) -> Arc<Items> {
        let below = |other: &[usize]| other.iter().zip(levels).all(|(other, level)| other <= level);
        let usable = self.judged.iter().filter(|(other, _)| below(other)).map(|(_, items)| items);
        let waypoint = self.waypoints.get(&self.waypoint(levels));
        usable.chain(waypoint).chain([&self.all]).min_by_key(|items| items.len()).unwrap_or(&self.all).clone()
    }

    /// The waypoint below a node.
    fn waypoint(&self, levels: &[usize]) -> Vec<usize> {
        levels.iter().zip(&self.leading).map(|(level, leading)| if *leading { *level } else { 0 }).collect()
    }

    /// The waypoints that would help to judge these nodes and are not there yet.
    fn missing(&self, nodes: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let far = |levels: &&Vec<usize>| self.nested && self.nearest(levels).len() * 8 > self.all.len();
        let mut missing: Vec<Vec<usize>> = nodes.iter().filter(far).map(|levels| self.waypoint(levels)).collect();
        missing.retain(|waypoint| waypoint.iter().any(|level| *level > 0) && !self.waypoints.contains_key(waypoint));
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Keeps the items of a node, if they are few enough to help.
    fn keep(&mut self, levels: Vec<usize>, items: Items) {
        if !self.nested || items.len() * 4 > self.all.len() * 3 {
            return;
        }
        self.judged.push_back((levels, Arc::new(items)));
        let total_items =
            |rolled: &VecDeque<(_, Arc<Items>)>| rolled.iter().map(|(_, items)| items.len()).sum::<usize>();
        while self.judged.len() > MAX_SOURCES || total_items(&self.judged) > MAX_SOURCE_ITEMS {
            self.judged.pop_front();
        }
    }
}

/// The columns with most values, as many as give no more than so many combinations of rungs.
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
