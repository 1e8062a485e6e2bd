//! Taxonomies: trees of values or intervals, and cuts through them.
//!
//! The leaves of a column's taxonomy are its values, numbered from left to right. The number of a leaf is its `Code`. So
//! the leaves below a node are one range of codes, and the taxonomy is also the column's dictionary. Number and date
//! columns have ascending values, so every interval is a range of codes. Their tree is given, or *grown* by an algorithm
//! that splits one interval at a time.

mod extend;
mod intervals;
mod masks;
mod parse;
pub(crate) mod published;
pub(crate) mod sets;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::data::interval::Interval;
use crate::error::{Error, Result};

pub use crate::scalar::{SUPPRESSED, Type, number_text, parse_date, parse_number, parse_scale, scale_text};
pub(crate) use crate::scalar::{interval_text, is_code};
pub use extend::ExtendedTaxonomy;
pub use intervals::IntervalLevel;

/// Index of a value in its column, in the order of the taxonomy's leaves.
pub type Code = u32;
/// Index of a node of a taxonomy; the root is node 0.
pub type NodeId = usize;

/// One value or interval of a taxonomy.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Published text.
    pub label: String,
    /// Parent node; `None` for the root.
    pub parent: Option<NodeId>,
    /// Child nodes, from left to right.
    pub children: Vec<NodeId>,
    /// Codes from the first to the last value below the node. A set of values need not represent all of them:
    /// [`Taxonomy::ranges`] gives those that it represents.
    pub span: Range<Code>,
    /// Number of edges to the root.
    pub depth: u32,
    /// Nodes whose union a set of values is, from left to right; empty for a node of the tree.
    pub parts: Vec<NodeId>,
}

impl Node {
    /// Returns true for a single value of the tree: it has no child, and is not a set of values.
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty() && self.parts.is_empty()
    }
}

/// A tree whose leaves are the values of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Taxonomy {
    /// Nodes of the tree, then sets of values that are published although they are not nodes of the tree.
    nodes: Vec<Node>,
    /// Node of each set of values, by its parts.
    sets: BTreeMap<Vec<NodeId>, NodeId>,
    values: Vec<String>,
    scale: Option<NumericScale>,
    missing: Option<Code>,
    /// Leaf of the values that are never published.
    suppressed: Option<NodeId>,
    /// Levels of a rectangular file for full-domain recoding: node by level, then by code.
    full_domain_levels: Option<Vec<Vec<NodeId>>>,
    /// Type of the published values and interval by node. A missing value, the last node, has no interval.
    intervals: Option<(Type, Vec<Interval>)>,
}

/// Numeric values of a number or date column.
#[derive(Debug, Clone, PartialEq)]
struct NumericScale {
    values: Type,
    /// Values by code, ascending; dates are days since 1970-01-01.
    numbers: Vec<f64>,
    /// Declared range of all values: lower bound (included) and upper bound (excluded).
    range: Option<(f64, f64)>,
    grown: bool,
    /// Whether a code represents a single value; otherwise the range up to the next value.
    exact: bool,
}

impl Taxonomy {
    /// Taxonomy with all values directly below the root.
    pub fn flat(values: Vec<String>) -> Self {
        let count = values.len() as Code;
        let mut tree = Taxonomy::root_over(SUPPRESSED, values, None);
        for code in 0..count {
            let label = tree.values[code as usize].clone();
            tree.add(0, label, code..code + 1);
        }
        tree
    }

    /// Taxonomy whose intervals an algorithm grows. `numbers` must be strictly ascending.
    pub fn grown(values: Type, numbers: Vec<f64>, range: Option<(f64, f64)>) -> Self {
        let texts = numbers.iter().map(|number| scale_text(values, *number)).collect();
        Taxonomy::root_over(SUPPRESSED, texts, Some(NumericScale { values, numbers, range, grown: true, exact: true }))
    }

    /// Declares that a code represents the range up to the next value.
    pub(crate) fn binned(mut self) -> Self {
        if let Some(scale) = &mut self.scale {
            scale.exact = false;
        }
        self
    }

    fn root_over(label: &str, values: Vec<String>, scale: Option<NumericScale>) -> Self {
        let span = 0..values.len() as Code;
        let root =
            Node { label: label.to_owned(), parent: None, children: Vec::new(), span, depth: 0, parts: Vec::new() };
        Taxonomy {
            nodes: vec![root],
            sets: BTreeMap::new(),
            values,
            scale,
            missing: None,
            suppressed: None,
            full_domain_levels: None,
            intervals: None,
        }
    }

    fn add(&mut self, parent: NodeId, label: String, span: Range<Code>) -> NodeId {
        let id = self.nodes.len();
        let depth = self.nodes[parent].depth + 1;
        self.nodes.push(Node { label, parent: Some(parent), children: Vec::new(), span, depth, parts: Vec::new() });
        self.nodes[parent].children.push(id);
        id
    }

    /// Adds a leaf for missing values directly below the root, as the last code.
    pub(crate) fn add_missing(&mut self, label: &str) -> Result<Code> {
        if self.find(label).is_some() {
            return Err(Error::column("", format!("the missing value `{label}` is also a value of the taxonomy")));
        }
        let (code, _) = self.add_last_leaf(label);
        self.missing = Some(code);
        Ok(code)
    }

    /// Returns true if the tree has a leaf for cells that are suppressed before a search.
    pub(crate) fn has_suppressed(&self) -> bool {
        self.suppressed.is_some()
    }

    /// Adds a leaf for values that are never published directly below the root, as the last code. A release publishes it as the root.
    pub(crate) fn add_suppressed(&mut self) -> Code {
        let (code, leaf) = self.add_last_leaf(SUPPRESSED);
        self.suppressed = Some(leaf);
        code
    }

    fn add_last_leaf(&mut self, label: &str) -> (Code, NodeId) {
        let code = self.values.len() as Code;
        if self.nodes[0].children.is_empty() && self.scale.is_some() {
            // In a grown tree, one node contains all intervals and excludes the missing value.
            let codes = 0..code;
            let label = self.interval_label(&codes);
            self.add(0, label, codes);
        }
        self.values.push(label.to_owned());
        self.nodes[0].span.end = code + 1;
        let leaf = self.add(0, label.to_owned(), code..code + 1);
        if let Some(ladder) = &mut self.full_domain_levels {
            let top = ladder.len() - 1;
            for (level, nodes) in ladder.iter_mut().enumerate() {
                nodes.push(if level == top { 0 } else { leaf });
            }
        }
        (code, leaf)
    }

    /// Returns the node that is published for a node: the root for the leaf of values that are never published.
    pub(crate) fn published_node(&self, id: NodeId) -> NodeId {
        if self.suppressed == Some(id) { 0 } else { id }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if the column has no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Node with this index.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// All nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Value with this code, as read.
    pub fn value(&self, code: Code) -> &str {
        &self.values[code as usize]
    }

    /// Values by code.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Code of the missing value, if the column has one.
    pub fn missing(&self) -> Option<Code> {
        self.missing
    }

    /// Numbers by code for a number or date column. A missing value has no number.
    pub fn numbers(&self) -> Option<&[f64]> {
        self.scale.as_ref().map(|scale| scale.numbers.as_slice())
    }

    /// Declared range of the numbers, or their minimum and maximum.
    pub fn extent(&self) -> Option<(f64, f64)> {
        let scale = self.scale.as_ref()?;
        scale.range.or_else(|| Some((*scale.numbers.first()?, *scale.numbers.last()?)))
    }

    /// Returns true if an algorithm can split this node at any value.
    pub fn can_grow(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        let grown = self.scale.as_ref().is_some_and(|scale| scale.grown);
        grown && node.is_leaf() && node.span.len() > 1
    }

    /// Splits a growing interval into the codes before `at` and the codes from `at` on.
    pub fn split(&mut self, id: NodeId, at: Code) -> [NodeId; 2] {
        let codes = self.nodes[id].span.clone();
        [codes.start..at, at..codes.end].map(|half| {
            let label = self.interval_label(&half);
            self.add(id, label, half)
        })
    }

    /// Node with this label.
    pub fn find(&self, label: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| node.label == label)
    }

    /// Deepest node that contains a code. In a grown tree this can be an interval instead of a leaf.
    pub fn leaf_of(&self, code: Code) -> NodeId {
        let mut id = 0;
        loop {
            // Children are sorted by code.
            let children = &self.nodes[id].children;
            let after = children.partition_point(|child| self.nodes[*child].span.start <= code);
            match after.checked_sub(1).map(|at| children[at]) {
                Some(child) if self.nodes[child].span.contains(&code) => id = child,
                _ => return id,
            }
        }
    }

    /// Height of a node: number of edges on the longest path to a leaf.
    pub fn height(&self, id: NodeId) -> u32 {
        self.nodes[id].children.iter().map(|child| 1 + self.height(*child)).max().unwrap_or(0)
    }

    /// Adds a leaf node for every value of a grown tree. Other trees are returned unchanged.
    pub fn with_leaves(self: &Arc<Self>) -> Arc<Taxonomy> {
        if (0..self.nodes.len()).all(|id| !self.can_grow(id)) {
            return self.clone();
        }
        let mut tree = (**self).clone();
        for id in 0..tree.nodes.len() {
            if tree.can_grow(id) {
                let exact = tree.scale.as_ref().is_none_or(|scale| scale.exact);
                for code in tree.nodes[id].span.clone() {
                    let one = code..code + 1;
                    let label = if exact { tree.value(code).to_owned() } else { tree.interval_label(&one) };
                    tree.add(id, label, one);
                }
            }
        }
        Arc::new(tree)
    }

    /// Levels for full-domain recoding: published node by level, then by code.
    ///
    /// Level 0 is the most specific, the last level is the root. A rectangular file defines its levels explicitly. In other
    /// trees, level `l` publishes for each value its highest ancestor with height at most `l`. So every level is a cut,
    /// and values on short branches reach the root only at the last level.
    pub fn full_domain_levels(&self) -> Vec<Vec<NodeId>> {
        if let Some(ladder) = &self.full_domain_levels {
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

    /// Codes of the finest declared interval around each value of a number or date column, by code. A missing value is alone.
    pub(crate) fn declared_intervals(&self) -> Vec<Range<Code>> {
        let around = |code: Code| {
            let leaf = self.leaf_of(code);
            let is_value =
                Some(code) != self.missing && self.interval(leaf).is_some_and(|interval| interval.is_point());
            let node = self.nodes[leaf].parent.filter(|_| is_value).unwrap_or(leaf);
            self.nodes[node].span.clone()
        };
        (0..self.len() as Code).map(around).collect()
    }

    /// Completes a grown tree by splitting intervals at the median, for algorithms that do not grow intervals.
    /// `weights` is the number of rows by code.
    pub fn halved(&self, weights: &[u64]) -> Taxonomy {
        let mut tree = self.clone();
        let mut open: Vec<NodeId> = (0..tree.nodes.len()).filter(|id| tree.can_grow(*id)).collect();
        while let Some(id) = open.pop() {
            let codes = tree.nodes[id].span.clone();
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
                let message = "two of its nodes have the same label; labels must be unique".to_owned();
                return Err(Error::Taxonomy { column: column.to_owned(), line: None, message });
            }
        }
        Ok(())
    }
}

/// A cut: exactly one node on every path from the root to a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    nodes: Vec<NodeId>,
}

impl Cut {
    /// The most general cut: the root.
    pub fn top() -> Self {
        Cut { nodes: vec![0] }
    }

    /// The most specific cut: the leaves.
    pub fn bottom(tree: &Taxonomy) -> Self {
        let mut nodes: Vec<NodeId> = (0..tree.len() as Code).map(|code| tree.leaf_of(code)).collect();
        nodes.dedup();
        Cut { nodes }
    }

    /// Cut of these nodes, exactly one of which must be on every path from the root to a leaf.
    pub(crate) fn from_nodes(nodes: Vec<NodeId>) -> Self {
        Cut { nodes }
    }

    /// Nodes of the cut, in unspecified order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Replaces a node by its children.
    pub fn specialize(&mut self, tree: &Taxonomy, node: NodeId) {
        self.nodes.retain(|kept| *kept != node);
        self.nodes.extend(&tree.node(node).children);
    }

    /// Node of the cut by code.
    pub fn above(&self, tree: &Taxonomy) -> Vec<NodeId> {
        let mut above = vec![0; tree.len()];
        for node in &self.nodes {
            let codes = tree.node(*node).span.clone();
            above[codes.start as usize..codes.end as usize].fill(*node);
        }
        above
    }
}
