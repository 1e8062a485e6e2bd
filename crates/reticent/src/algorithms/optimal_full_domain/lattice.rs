//! The lattice: one ladder a column, a node is one rung of each, and one byte of memory a node.

use std::sync::Arc;

use crate::error::{Refusal, Result};
use crate::table::Table;
use crate::taxonomy::{NodeId, Taxonomy};

/// Lattices with more nodes than this are refused.
const MOST_NODES: usize = 50_000_000;

/// The levels of one generalized column, most specific first.
#[derive(Debug)]
pub(super) struct Ladder {
    /// The place of the column in the table.
    pub(super) column: usize,
    /// Its taxonomy, with every interval grown.
    pub(super) tree: Arc<Taxonomy>,
    /// From the values themselves to the root.
    pub(super) rungs: Vec<Rung>,
    /// The number of the root's level.
    pub(super) top: usize,
}

/// One level of a ladder.
#[derive(Debug)]
pub(super) struct Rung {
    /// The number of the level in the taxonomy.
    pub(super) level: usize,
    /// By code: the node that is published.
    pub(super) nodes: Vec<NodeId>,
    /// By code: the same, numbered from 0.
    pub(super) places: Vec<u32>,
    /// How many different nodes are published.
    pub(super) width: u32,
}

impl Ladder {
    /// The ladder of a column of a table. Levels that publish exactly what the level below does are left out.
    pub(super) fn new(table: &Table, column: usize) -> Ladder {
        let tree = finished(table, column);
        let levels = tree.ladder();
        let top = levels.len() - 1;
        let mut rungs: Vec<Rung> = Vec::new();
        for (level, nodes) in levels.into_iter().enumerate() {
            if rungs.last().is_none_or(|below| below.nodes != nodes) {
                rungs.push(Rung::new(level, nodes));
            }
        }
        Ladder { column, tree, rungs, top }
    }

    /// Whether values that a level puts together stay together on every level above. A rectangular file that repeats a
    /// value at different places can break this; then a higher level is not always the more general one.
    pub(super) fn nested(&self) -> bool {
        self.rungs.windows(2).all(|pair| {
            let mut above = vec![None; pair[0].width as usize];
            pair[0]
                .places
                .iter()
                .zip(&pair[1].places)
                .all(|(below, place)| *above[*below as usize].get_or_insert(*place) == *place)
        })
    }
}

impl Rung {
    fn new(level: usize, nodes: Vec<NodeId>) -> Rung {
        let mut distinct = nodes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let places = nodes.iter().map(|node| distinct.partition_point(|known| known < node) as u32).collect();
        Rung { level, nodes, places, width: distinct.len() as u32 }
    }
}

/// A column's taxonomy; halves stand in where its intervals are still to be grown.
pub(super) fn finished(table: &Table, column: usize) -> Arc<Taxonomy> {
    let tree = &table.columns[column].tree;
    if (0..tree.nodes().len()).any(|node| tree.can_grow(node)) {
        Arc::new(tree.halved(&table.weights_of(column)))
    } else {
        tree.clone()
    }
}

/// A node of the lattice: its number. Numbers ascend lexicographically in the rungs.
pub(super) type Node = usize;

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
pub(super) const HOPELESS: u8 = 2;
/// No node above it, nor itself, can be the best.
pub(super) const COSTLY: u8 = 4;
/// The node is on a chain that is being searched.
pub(super) const ON_CHAIN: u8 = 8;
/// The node is not hopeless, nor is any above it; whether it is feasible, or the best, is not known.
pub(super) const HOPEFUL: u8 = 16;

impl Lattice {
    /// The lattice of some ladders, given by their numbers of rungs; refused when it is too large.
    pub(super) fn new(heights: Vec<usize>) -> Result<Lattice> {
        let mut len: usize = 1;
        let mut strides = vec![0; heights.len()];
        for (column, height) in heights.iter().enumerate().rev() {
            strides[column] = len;
            len = len.saturating_mul(*height);
        }
        if len > MOST_NODES {
            let nodes = Some(len).filter(|len| *len < usize::MAX);
            return Err(Refusal::LatticeTooLarge { nodes, limit: MOST_NODES }.into());
        }
        Ok(Lattice { heights, strides, marks: vec![0; len], tagged: 0 })
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    /// The node with every column at its root.
    pub(super) fn top(&self) -> Node {
        self.len() - 1
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.heights.len()
    }

    /// How many rungs a node is above the most specific one.
    pub(super) fn steps(&self, node: Node) -> usize {
        (0..self.columns()).map(|column| self.rung(node, column)).sum()
    }

    /// The rung of a column at a node.
    pub(super) fn rung(&self, node: Node, column: usize) -> usize {
        node / self.strides[column] % self.heights[column]
    }

    /// The rung of every column at a node.
    pub(super) fn rungs(&self, node: Node) -> Vec<usize> {
        (0..self.heights.len()).map(|column| self.rung(node, column)).collect()
    }

    /// The nodes that generalize one column by one rung more.
    pub(super) fn above(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let higher = move |column: &usize| self.rung(node, *column) + 1 < self.heights[*column];
        (0..self.heights.len()).filter(higher).map(move |column| node + self.strides[column])
    }

    fn below(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let lower = move |column: &usize| self.rung(node, *column) > 0;
        (0..self.heights.len()).filter(lower).map(move |column| node - self.strides[column])
    }

    /// The nodes in which exactly these columns are not at their roots, the most specific first.
    pub(super) fn only(&self, columns: &[usize]) -> Vec<Node> {
        let start: Node = columns.iter().map(|column| (self.heights[*column] - 1) * self.strides[*column]).sum();
        let mut nodes = vec![self.top() - start];
        for column in columns {
            let rungs = 0..self.heights[*column] - 1;
            let wider = |node: &Node| rungs.clone().map(|rung| node + rung * self.strides[*column]).collect::<Vec<_>>();
            nodes = nodes.iter().flat_map(wider).collect();
        }
        nodes
    }

    /// Whether a node has a mark.
    pub(super) fn has(&self, node: Node, mark: u8) -> bool {
        self.marks[node] & mark != 0
    }

    /// Marks a node.
    pub(super) fn mark(&mut self, node: Node, mark: u8) {
        self.marks[node] |= mark;
    }

    /// Takes a mark away.
    pub(super) fn clear(&mut self, node: Node, mark: u8) {
        self.marks[node] &= !mark;
    }

    /// Marks a node and everything more specific as hopeless.
    pub(super) fn hopeless_from(&mut self, node: Node) {
        self.spread(node, HOPELESS, |lattice, node| lattice.below(node).collect());
    }

    /// Marks a node and everything more general as too costly.
    pub(super) fn costly_from(&mut self, node: Node) {
        self.spread(node, COSTLY, |lattice, node| lattice.above(node).collect());
    }

    /// Marks a node and everything more general as not hopeless.
    pub(super) fn hopeful_from(&mut self, node: Node) {
        self.spread(node, HOPEFUL, |lattice, node| lattice.above(node).collect());
    }

    /// Marks the nodes more specific than this one as too costly, as far as they are by `costly`.
    pub(super) fn costly_below(&mut self, node: Node, costly: impl Fn(&Lattice, Node) -> bool) {
        let next = |lattice: &Lattice, node| lattice.below(node).filter(|node| costly(lattice, *node)).collect();
        for node in next(self, node) {
            self.spread(node, COSTLY, next);
        }
    }

    fn spread(&mut self, node: Node, mark: u8, next: impl Fn(&Lattice, Node) -> Vec<Node>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.has(node, mark) {
                continue;
            }
            let known = JUDGED | HOPELESS | COSTLY;
            self.tagged += u64::from(mark & known != 0 && !self.has(node, known));
            self.mark(node, mark);
            open.extend(next(self, node));
        }
    }
}
