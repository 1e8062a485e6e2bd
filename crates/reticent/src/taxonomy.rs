//! Taxonomies: trees of values or of intervals, and cuts through them.
//!
//! The leaves of a column's taxonomy are its values, numbered from left to right: a leaf's number is its `Code`. So the
//! leaves below any node are one range of codes, and a column needs no other dictionary. A number or date column keeps
//! its values in ascending order, which makes every interval a range of codes too; its tree is given, or *grown* by an
//! algorithm that splits one interval at a time.

mod intervals;
mod parse;
pub(crate) mod published;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::interval::Interval;

pub use crate::scalar::{SUPPRESSED, Type, number_text, parse_date, parse_number, parse_scale, scale_text};
pub(crate) use crate::scalar::{interval_text, is_code};
pub use intervals::Level;

/// The number of a value in its column, in the order of the taxonomy's leaves.
pub type Code = u32;
/// A node of a taxonomy; the root is node 0.
pub type NodeId = usize;

/// One value or interval of a taxonomy.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The text that is published for it.
    pub label: String,
    /// The next more general node; none for the root.
    pub parent: Option<NodeId>,
    /// The next more specific nodes, left to right.
    pub children: Vec<NodeId>,
    /// The values below it.
    pub codes: Range<Code>,
    /// Steps from the root.
    pub depth: u32,
}

/// A tree of values; its leaves are a column's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Taxonomy {
    nodes: Vec<Node>,
    values: Vec<String>,
    scale: Option<Scale>,
    missing: Option<Code>,
    /// For full-domain recoding by a rectangular file: by level, by code.
    ladder: Option<Vec<Vec<NodeId>>>,
    /// By node, what the published numbers or dates say; a missing value, the last node, says nothing.
    intervals: Option<(Type, Vec<Interval>)>,
}

/// The order behind a number or date column.
#[derive(Debug, Clone, PartialEq)]
struct Scale {
    values: Type,
    /// Ascending, by code; dates are days since 1970-01-01.
    numbers: Vec<f64>,
    /// What lies around all values, when declared.
    range: Option<(f64, f64)>,
    grown: bool,
    /// Whether a code is one value, not all values up to the next.
    exact: bool,
}

impl Taxonomy {
    /// A root over values that have no structure.
    pub fn flat(values: Vec<String>) -> Self {
        let count = values.len() as Code;
        let mut tree = Taxonomy::root_over(SUPPRESSED, values, None);
        for code in 0..count {
            let label = tree.values[code as usize].clone();
            tree.add(0, label, code..code + 1);
        }
        tree
    }

    /// A taxonomy whose intervals an algorithm will find. `numbers` ascend and do not repeat.
    pub fn grown(values: Type, numbers: Vec<f64>, range: Option<(f64, f64)>) -> Self {
        let texts = numbers.iter().map(|number| scale_text(values, *number)).collect();
        Taxonomy::root_over(SUPPRESSED, texts, Some(Scale { values, numbers, range, grown: true, exact: true }))
    }

    /// Says that a code stands for all values up to the next.
    pub(crate) fn binned(mut self) -> Self {
        if let Some(scale) = &mut self.scale {
            scale.exact = false;
        }
        self
    }

    fn root_over(label: &str, values: Vec<String>, scale: Option<Scale>) -> Self {
        let codes = 0..values.len() as Code;
        let root = Node { label: label.to_owned(), parent: None, children: Vec::new(), codes, depth: 0 };
        Taxonomy { nodes: vec![root], values, scale, missing: None, ladder: None, intervals: None }
    }

    fn add(&mut self, parent: NodeId, label: String, codes: Range<Code>) -> NodeId {
        let id = self.nodes.len();
        let depth = self.nodes[parent].depth + 1;
        self.nodes.push(Node { label, parent: Some(parent), children: Vec::new(), codes, depth });
        self.nodes[parent].children.push(id);
        id
    }

    /// Adds a leaf for a missing value directly below the root, as the last code.
    pub(crate) fn add_missing(&mut self, label: &str) -> Result<Code> {
        if self.find(label).is_some() {
            return Err(Error::column("", format!("the missing value `{label}` is also a value of the taxonomy")));
        }
        let code = self.values.len() as Code;
        if self.nodes[0].children.is_empty() && self.scale.is_some() {
            // A grown tree keeps its intervals below one node of their own, apart from the missing value.
            let codes = 0..code;
            let label = self.interval_label(&codes);
            self.add(0, label, codes);
        }
        self.values.push(label.to_owned());
        self.nodes[0].codes.end = code + 1;
        self.add(0, label.to_owned(), code..code + 1);
        self.missing = Some(code);
        if let Some(ladder) = &mut self.ladder {
            let leaf = self.nodes.len() - 1;
            let top = ladder.len() - 1;
            for (level, nodes) in ladder.iter_mut().enumerate() {
                nodes.push(if level == top { 0 } else { leaf });
            }
        }
        Ok(code)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True when the column has no value at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// All nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The value with this code, as it was read.
    pub fn value(&self, code: Code) -> &str {
        &self.values[code as usize]
    }

    /// The values by code.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The code that stands for a missing value, if the column has any.
    pub fn missing(&self) -> Option<Code> {
        self.missing
    }

    /// The numbers behind the codes of a number or date column (a missing value has none).
    pub fn numbers(&self) -> Option<&[f64]> {
        self.scale.as_ref().map(|scale| scale.numbers.as_slice())
    }

    /// The declared range around all numbers, or that of the values.
    pub fn extent(&self) -> Option<(f64, f64)> {
        let scale = self.scale.as_ref()?;
        scale.range.or_else(|| Some((*scale.numbers.first()?, *scale.numbers.last()?)))
    }

    /// Whether an algorithm may split this node where it likes.
    pub fn can_grow(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        let grown = self.scale.as_ref().is_some_and(|scale| scale.grown);
        grown && node.children.is_empty() && node.codes.len() > 1
    }

    /// Splits a growing interval in two: the codes before `at`, and the rest.
    pub fn split(&mut self, id: NodeId, at: Code) -> [NodeId; 2] {
        let codes = self.nodes[id].codes.clone();
        [codes.start..at, at..codes.end].map(|half| {
            let label = self.interval_label(&half);
            self.add(id, label, half)
        })
    }

    /// The node that is published under this label.
    pub fn find(&self, label: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| node.label == label)
    }

    /// Whether the leaves are nodes of the tree (they are not, where intervals are still to be grown).
    pub fn leaf_of(&self, code: Code) -> NodeId {
        let mut id = 0;
        loop {
            // Children ascend by their codes.
            let children = &self.nodes[id].children;
            let after = children.partition_point(|child| self.nodes[*child].codes.start <= code);
            match after.checked_sub(1).map(|at| children[at]) {
                Some(child) if self.nodes[child].codes.contains(&code) => id = child,
                _ => return id,
            }
        }
    }

    /// The longest way down from a node.
    pub fn height(&self, id: NodeId) -> u32 {
        self.nodes[id].children.iter().map(|child| 1 + self.height(*child)).max().unwrap_or(0)
    }

    /// The same tree with every value as a node, also where intervals are still to be grown.
    pub fn with_leaves(self: &Arc<Self>) -> Arc<Taxonomy> {
        if (0..self.nodes.len()).all(|id| !self.can_grow(id)) {
            return self.clone();
        }
        let mut tree = (**self).clone();
        for id in 0..tree.nodes.len() {
            if tree.can_grow(id) {
                let exact = tree.scale.as_ref().is_none_or(|scale| scale.exact);
                for code in tree.nodes[id].codes.clone() {
                    let one = code..code + 1;
                    let label = if exact { tree.value(code).to_owned() } else { tree.interval_label(&one) };
                    tree.add(id, label, one);
                }
            }
        }
        Arc::new(tree)
    }

    /// For full-domain recoding: by level, by code, the node published. Level 0 is the most specific, the last level is
    /// the root. A rectangular file says itself what its levels are. In any other tree a level publishes, above each value,
    /// the highest node that is no higher than the level, so that every level is a cut: a short branch waits for the
    /// others instead of being published as the root beside them.
    pub fn ladder(&self) -> Vec<Vec<NodeId>> {
        if let Some(ladder) = &self.ladder {
            return ladder.clone();
        }
        let mut current: Vec<NodeId> = (0..self.len() as Code).map(|code| self.leaf_of(code)).collect();
        let mut levels = vec![current.clone()];
        let heights: Vec<u32> = (0..self.nodes.len()).map(|id| self.height(id)).collect();
        for level in 1..=heights[0] {
            for node in &mut current {
                while let Some(parent) = self.nodes[*node].parent.filter(|parent| heights[*parent] <= level) {
                    *node = parent;
                }
            }
            levels.push(current.clone());
        }
        levels
    }

    /// The same values with a tree of halves in place of an unfinished one, for algorithms that do not grow intervals.
    /// `weights` says how many rows carry each code.
    pub fn halved(&self, weights: &[u64]) -> Taxonomy {
        let mut tree = self.clone();
        let mut open: Vec<NodeId> = (0..tree.nodes.len()).filter(|id| tree.can_grow(*id)).collect();
        while let Some(id) = open.pop() {
            let codes = tree.nodes[id].codes.clone();
            let total: u64 = weights[codes.start as usize..codes.end as usize].iter().sum();
            let mut before = 0;
            let at = (codes.start..codes.end - 1)
                .find(|code| {
                    before += weights[*code as usize];
                    2 * before >= total
                })
                .unwrap_or(codes.start);
            open.extend(tree.split(id, at + 1).into_iter().filter(|half| tree.can_grow(*half)));
        }
        tree
    }

    pub(crate) fn interval_label(&self, codes: &Range<Code>) -> String {
        let Some(scale) = &self.scale else { return SUPPRESSED.to_owned() };
        let end = scale.numbers.len();
        let low = match codes.start as usize {
            0 => scale.range.map(|range| range.0),
            start => Some(scale.numbers[start]),
        };
        let high = match codes.end as usize {
            last if last >= end => scale.range.map(|range| range.1),
            last => Some(scale.numbers[last]),
        };
        interval_text(scale.values, low, high)
    }

    fn check_labels(&self, column: &str) -> Result<()> {
        let mut seen: HashMap<&str, NodeId> = HashMap::new();
        for (id, node) in self.nodes.iter().enumerate() {
            if seen.insert(&node.label, id).is_some() {
                let message = "two of its values are published under the same text; give each its own".to_owned();
                return Err(Error::Taxonomy { column: column.to_owned(), line: None, message });
            }
        }
        Ok(())
    }
}

/// One node on every path from the root to a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    nodes: Vec<NodeId>,
}

impl Cut {
    /// The most general cut: everything is the root.
    pub fn top() -> Self {
        Cut { nodes: vec![0] }
    }

    /// The most specific cut: every value is itself.
    pub fn bottom(tree: &Taxonomy) -> Self {
        let mut nodes: Vec<NodeId> = (0..tree.len() as Code).map(|code| tree.leaf_of(code)).collect();
        nodes.dedup();
        Cut { nodes }
    }

    /// The nodes, in no particular order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Replaces a node by its children.
    pub fn specialize(&mut self, tree: &Taxonomy, node: NodeId) {
        self.nodes.retain(|kept| *kept != node);
        self.nodes.extend(&tree.node(node).children);
    }

    /// By code, the node of the cut above it.
    pub fn above(&self, tree: &Taxonomy) -> Vec<NodeId> {
        let mut above = vec![0; tree.len()];
        for node in &self.nodes {
            let codes = tree.node(*node).codes.clone();
            above[codes.start as usize..codes.end as usize].fill(*node);
        }
        above
    }
}
