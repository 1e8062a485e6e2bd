//! The lattice: one ladder a column, a node is one rung of each, and one byte of memory a node.

use std::sync::Arc;

use crate::data::table::Table;
use crate::data::taxonomy::{NodeId, Taxonomy};
use crate::error::{Refusal, Result};

/// Lattices with more nodes than this are refused.
const MAX_NODES: usize = 50_000_000;

/// The levels of one generalized column, most specific first.
#[derive(Debug)]
pub(super) struct GeneralizationHierarchy {
    /// The place of the column in the table.
    pub(super) column: usize,
    /// Its taxonomy, with every interval grown.
    pub(super) tree: Arc<Taxonomy>,
    /// From the values themselves to the root.
    pub(super) levels: Vec<GeneralizationLevel>,
    /// The number of the root's level.
    pub(super) root_level: usize,
}

/// One level of a ladder.
#[derive(Debug)]
pub(super) struct GeneralizationLevel {
    /// The number of the level in the taxonomy.
    pub(super) number: usize,
    /// By code: the node that is published.
    pub(super) nodes: Vec<NodeId>,
    /// By code: the same, numbered from 0.
    pub(super) value_ids: Vec<u32>,
    /// How many different nodes are published.
    pub(super) distinct: u32,
}

impl GeneralizationHierarchy {
    /// The ladder of a column of a table. Levels that publish exactly what the level below does are left out.
    pub(super) fn new(table: &Table, column: usize) -> GeneralizationHierarchy {
        let tree = grown_taxonomy(table, column);
        let declared = tree.full_domain_levels();
        let root_level = declared.len() - 1;
        let mut levels: Vec<GeneralizationLevel> = Vec::new();
        for (number, nodes) in declared.into_iter().enumerate() {
            if levels.last().is_none_or(|below| below.nodes != nodes) {
                levels.push(GeneralizationLevel::new(number, nodes));
            }
        }
        GeneralizationHierarchy { column, tree, levels, root_level }
    }

    /// Whether values that a level puts together stay together on every level above. A rectangular file that repeats a
    /// value at different places can break this; then a higher level is not always the more general one.
    pub(super) fn is_nested(&self) -> bool {
        self.levels.windows(2).all(|pair| {
            let mut above = vec![None; pair[0].distinct as usize];
            pair[0]
                .value_ids
                .iter()
                .zip(&pair[1].value_ids)
                .all(|(below, place)| *above[*below as usize].get_or_insert(*place) == *place)
        })
    }
}

impl GeneralizationLevel {
    fn new(number: usize, nodes: Vec<NodeId>) -> GeneralizationLevel {
        let mut distinct = nodes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let value_ids = nodes.iter().map(|node| distinct.partition_point(|known| known < node) as u32).collect();
        GeneralizationLevel { number, nodes, value_ids, distinct: distinct.len() as u32 }
    }
}

/// A column's taxonomy; halves stand in where its intervals are still to be grown.
pub(super) fn grown_taxonomy(table: &Table, column: usize) -> Arc<Taxonomy> {
    let tree = &table.columns[column].tree;
    if (0..tree.nodes().len()).any(|node| tree.can_grow(node)) {
        Arc::new(tree.halved(&table.weights_of(column)))
    } else {
        tree.clone()
    }
}

/// A node of the lattice: its number. Numbers ascend lexicographically in the rungs.
pub(super) type LatticeNode = usize;

/// All nodes, and what is known of each.
#[derive(Debug)]
pub(super) struct Lattice {
    heights: Vec<usize>,
    strides: Vec<usize>,
    marks: Vec<u8>,
    /// Nodes that were marked without being judged.
    pub(super) tagged: u64,
}

/// The node was judged.
pub(super) const JUDGED: u8 = 1;
/// No node below it, nor itself, can be published.
pub(super) const INFEASIBLE_BELOW: u8 = 2;
/// No node above it, nor itself, can be the best.
pub(super) const TOO_COSTLY: u8 = 4;
/// The node is on a chain that is being searched.
pub(super) const ON_CHAIN: u8 = 8;
/// The node is not hopeless, nor is any above it; whether it is feasible, or the best, is not known.
pub(super) const NOT_INFEASIBLE_BELOW: u8 = 16;

impl Lattice {
    /// The lattice of some ladders, given by their numbers of rungs; refused when it is too large.
    pub(super) fn new(heights: Vec<usize>) -> Result<Lattice> {
        let mut len: usize = 1;
        let mut strides = vec![0; heights.len()];
        for (column, height) in heights.iter().enumerate().rev() {
            strides[column] = len;
            len = len.saturating_mul(*height);
        }
        if len > MAX_NODES {
            let nodes = Some(len).filter(|len| *len < usize::MAX);
            return Err(Refusal::LatticeTooLarge { nodes, limit: MAX_NODES }.into());
        }
        Ok(Lattice { heights, strides, marks: vec![0; len], tagged: 0 })
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    /// The node with every column at its root.
    pub(super) fn root(&self) -> LatticeNode {
        self.len() - 1
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.heights.len()
    }

    /// How many rungs a node is above the most specific one.
    pub(super) fn level_sum(&self, node: LatticeNode) -> usize {
        (0..self.columns()).map(|column| self.level(node, column)).sum()
    }

    /// The rung of a column at a node.
    pub(super) fn level(&self, node: LatticeNode, column: usize) -> usize {
        node / self.strides[column] % self.heights[column]
    }

    /// The rung of every column at a node.
    pub(super) fn levels(&self, node: LatticeNode) -> Vec<usize> {
        (0..self.heights.len()).map(|column| self.level(node, column)).collect()
    }

    /// The nodes that generalize one column by one rung more.
    pub(super) fn above(&self, node: LatticeNode) -> impl Iterator<Item = LatticeNode> + '_ {
        let higher = move |column: &usize| self.level(node, *column) + 1 < self.heights[*column];
        (0..self.heights.len()).filter(higher).map(move |column| node + self.strides[column])
    }

    fn below(&self, node: LatticeNode) -> impl Iterator<Item = LatticeNode> + '_ {
        let lower = move |column: &usize| self.level(node, *column) > 0;
        (0..self.heights.len()).filter(lower).map(move |column| node - self.strides[column])
    }

    /// The nodes in which exactly these columns are not at their roots, the most specific first.
    pub(super) fn nodes_generalizing_others(&self, columns: &[usize]) -> Vec<LatticeNode> {
        let start: LatticeNode = columns.iter().map(|column| (self.heights[*column] - 1) * self.strides[*column]).sum();
        let mut nodes = vec![self.root() - start];
        for column in columns {
            let levels = 0..self.heights[*column] - 1;
            let wider = |node: &LatticeNode| {
                levels.clone().map(|level| node + level * self.strides[*column]).collect::<Vec<_>>()
            };
            nodes = nodes.iter().flat_map(wider).collect();
        }
        nodes
    }

    /// Whether a node has a mark.
    pub(super) fn has(&self, node: LatticeNode, mark: u8) -> bool {
        self.marks[node] & mark != 0
    }

    /// Marks a node.
    pub(super) fn mark(&mut self, node: LatticeNode, mark: u8) {
        self.marks[node] |= mark;
    }

    /// Takes a mark away.
    pub(super) fn clear(&mut self, node: LatticeNode, mark: u8) {
        self.marks[node] &= !mark;
    }

    /// Marks a node and everything more specific as hopeless.
    pub(super) fn tag_infeasible_below(&mut self, node: LatticeNode) {
        self.spread(node, INFEASIBLE_BELOW, |lattice, node| lattice.below(node).collect());
    }

    /// Marks a node and everything more general as too costly.
    pub(super) fn tag_too_costly_above(&mut self, node: LatticeNode) {
        self.spread(node, TOO_COSTLY, |lattice, node| lattice.above(node).collect());
    }

    /// Marks a node and everything more general as not hopeless.
    pub(super) fn tag_not_infeasible_above(&mut self, node: LatticeNode) {
        self.spread(node, NOT_INFEASIBLE_BELOW, |lattice, node| lattice.above(node).collect());
    }

    /// Marks the nodes more specific than this one as too costly, as far as they are by `costly`.
    pub(super) fn tag_too_costly_below(&mut self, node: LatticeNode, costly: impl Fn(&Lattice, LatticeNode) -> bool) {
        let next = |lattice: &Lattice, node| lattice.below(node).filter(|node| costly(lattice, *node)).collect();
        for node in next(self, node) {
            self.spread(node, TOO_COSTLY, next);
        }
    }

    fn spread(&mut self, node: LatticeNode, mark: u8, next: impl Fn(&Lattice, LatticeNode) -> Vec<LatticeNode>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.has(node, mark) {
                continue;
            }
            let known = JUDGED | INFEASIBLE_BELOW | TOO_COSTLY;
            self.tagged += u64::from(mark & known != 0 && !self.has(node, known));
            self.mark(node, mark);
            open.extend(next(self, node));
        }
    }
}
