//! The generalization lattice. A node has one level per column, and uses one byte of memory.

use std::sync::Arc;

use crate::data::table::Table;
use crate::data::taxonomy::{NodeId, Taxonomy};
use crate::error::{Refusal, Result};

/// Maximum number of nodes of a lattice.
const MAX_NODES: usize = 50_000_000;

/// The generalization levels of one column, most specific first.
#[derive(Debug)]
pub(super) struct GeneralizationHierarchy {
    /// Index of the column in the table.
    pub(super) column: usize,
    /// Taxonomy of the column, with all intervals split.
    pub(super) tree: Arc<Taxonomy>,
    /// Distinct levels, from exact values to the root.
    pub(super) levels: Vec<GeneralizationLevel>,
    /// Number of the level of the root.
    pub(super) root_level: usize,
}

/// One generalization level of a column.
#[derive(Debug)]
pub(super) struct GeneralizationLevel {
    /// Number of the level in the taxonomy.
    pub(super) number: usize,
    /// Published node by code.
    pub(super) nodes: Vec<NodeId>,
    /// Number of the published node by code, from 0.
    pub(super) value_ids: Vec<u32>,
    /// Number of distinct published nodes.
    pub(super) distinct: u32,
}

impl GeneralizationHierarchy {
    /// Returns the hierarchy of a column. A level that is equal to the level below is omitted.
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

    /// Whether values with the same node on a level have the same node on every level above. A rectangular taxonomy file that repeats
    /// a value at different levels can violate this. Then a higher level is not always more general.
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

/// Returns the taxonomy of a column, with undeclared intervals split at medians.
pub(super) fn grown_taxonomy(table: &Table, column: usize) -> Arc<Taxonomy> {
    let tree = &table.columns[column].tree;
    if (0..tree.nodes().len()).any(|node| tree.can_grow(node)) {
        Arc::new(tree.halved(&table.weights_of(column)))
    } else {
        tree.clone()
    }
}

/// Number of a node of the lattice. Numbers are in lexicographic order of the levels.
pub(super) type LatticeNode = usize;

/// All nodes with their marks.
#[derive(Debug)]
pub(super) struct Lattice {
    heights: Vec<usize>,
    strides: Vec<usize>,
    marks: Vec<u8>,
    /// Number of nodes that were pruned by a tag without being judged.
    pub(super) tagged: u64,
}

/// The node was judged.
pub(super) const JUDGED: u8 = 1;
/// The node and all more specific nodes are infeasible.
pub(super) const INFEASIBLE_BELOW: u8 = 2;
/// The node cannot be the best, because of its cost.
pub(super) const TOO_COSTLY: u8 = 4;
/// The node is on a chain of the current search.
pub(super) const ON_CHAIN: u8 = 8;
/// The node and all more general nodes are known not to be `INFEASIBLE_BELOW`. They may still be infeasible or too costly.
pub(super) const NOT_INFEASIBLE_BELOW: u8 = 16;

impl Lattice {
    /// Creates the lattice of hierarchies with these numbers of levels.
    ///
    /// # Errors
    ///
    /// Returns an error if the lattice has more than [`MAX_NODES`] nodes.
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

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    /// Returns the node with every column at its root.
    pub(super) fn root(&self) -> LatticeNode {
        self.len() - 1
    }

    /// Returns the number of columns.
    pub(super) fn columns(&self) -> usize {
        self.heights.len()
    }

    /// Returns the sum of the levels of a node.
    pub(super) fn level_sum(&self, node: LatticeNode) -> usize {
        (0..self.columns()).map(|column| self.level(node, column)).sum()
    }

    /// Returns the level of a column at a node.
    pub(super) fn level(&self, node: LatticeNode, column: usize) -> usize {
        node / self.strides[column] % self.heights[column]
    }

    /// Returns the level of every column at a node.
    pub(super) fn levels(&self, node: LatticeNode) -> Vec<usize> {
        (0..self.heights.len()).map(|column| self.level(node, column)).collect()
    }

    /// Returns the direct generalizations of a node.
    pub(super) fn above(&self, node: LatticeNode) -> impl Iterator<Item = LatticeNode> + '_ {
        let higher = move |column: &usize| self.level(node, *column) + 1 < self.heights[*column];
        (0..self.heights.len()).filter(higher).map(move |column| node + self.strides[column])
    }

    /// Returns the direct specializations of a node.
    fn below(&self, node: LatticeNode) -> impl Iterator<Item = LatticeNode> + '_ {
        let lower = move |column: &usize| self.level(node, *column) > 0;
        (0..self.heights.len()).filter(lower).map(move |column| node - self.strides[column])
    }

    /// Returns the nodes in which exactly these columns are below their roots, the most specific first.
    pub(super) fn nodes_specializing_only(&self, columns: &[usize]) -> Vec<LatticeNode> {
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

    /// Removes a mark from a node.
    pub(super) fn clear(&mut self, node: LatticeNode, mark: u8) {
        self.marks[node] &= !mark;
    }

    /// Tags a node and all more specific nodes as infeasible.
    pub(super) fn tag_infeasible_below(&mut self, node: LatticeNode) {
        self.spread(node, INFEASIBLE_BELOW, |lattice, node| lattice.below(node).collect());
    }

    /// Tags a node and all more general nodes as too costly.
    pub(super) fn tag_too_costly_above(&mut self, node: LatticeNode) {
        self.spread(node, TOO_COSTLY, |lattice, node| lattice.above(node).collect());
    }

    /// Tags a node and all more general nodes as not `INFEASIBLE_BELOW`.
    pub(super) fn tag_not_infeasible_above(&mut self, node: LatticeNode) {
        self.spread(node, NOT_INFEASIBLE_BELOW, |lattice, node| lattice.above(node).collect());
    }

    /// Tags more specific nodes as too costly, along paths on which `costly` holds.
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
