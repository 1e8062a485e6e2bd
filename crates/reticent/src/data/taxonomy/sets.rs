//! Sets of values: published values that are not nodes of the tree.
//!
//! Definition  a set is the union of pairwise disjoint nodes of the tree below the root, its parts. The parts are as large as possible.
//! Text        consecutive values of a number or date column: an interval. Otherwise the labels of the parts, `{a,b}`. A backslash
//!             precedes a comma, a brace or a backslash of a label, and a space at its start or end.
//! Law         a text of a set reads back as the same set.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{Code, Node, NodeId, Taxonomy, Type};
use crate::data::interval::Interval;
use crate::scalar::scale_text;

impl Taxonomy {
    /// Returns the node that represents exactly these values: a node of the tree, or a set of values, which is added if it is new.
    ///
    /// `codes` must be ascending. Values that the tree does not separate are included together. Without codes, returns the root.
    pub fn add_set(&mut self, codes: &[Code]) -> NodeId {
        let parts = self.parts_of(codes);
        match parts.as_slice() {
            [] => 0,
            [only] => *only,
            _ => self.add_parts(parts),
        }
    }

    /// Codes from the first to the last of ascending codes of a number or date column. Only if the codes include that of missing values,
    /// the result does.
    pub(crate) fn range_over(&self, codes: &[Code]) -> Vec<Code> {
        let mut known = codes.iter().copied().filter(|code| Some(*code) != self.missing);
        let first = known.next();
        let last = known.next_back().or(first);
        let range = first.zip(last).map_or(0..0, |(first, last)| first..last + 1);
        let missing = self.missing.filter(|missing| codes.contains(missing));
        range.chain(missing).collect()
    }

    /// Returns the node that represents the union of these nodes. Adds a set of values if it is new.
    pub(crate) fn add_union(&mut self, nodes: &[NodeId]) -> NodeId {
        let mut codes: Vec<Code> = nodes.iter().flat_map(|id| self.codes(*id)).collect();
        codes.sort_unstable();
        codes.dedup();
        self.add_set(&codes)
    }

    fn add_parts(&mut self, parts: Vec<NodeId>) -> NodeId {
        if let Some(known) = self.sets.get(parts.as_slice()) {
            return *known;
        }
        let span = self.nodes[parts[0]].span.start..parts.last().map_or(0, |last| self.nodes[*last].span.end);
        let label = self.set_label(&parts, &span);
        let mut parent = parts[0];
        while let Some(above) = self.nodes[parent].parent.filter(|_| self.nodes[parent].span.end < span.end) {
            parent = above;
        }
        let id = self.nodes.len();
        let depth = self.nodes[parent].depth + 1;
        self.sets.insert(parts.clone(), id);
        self.nodes.push(Node { label, parent: Some(parent), children: Vec::new(), span, depth, parts });
        id
    }

    /// Nodes of the tree, without sets of values.
    fn tree_nodes(&self) -> &[Node] {
        &self.nodes[..self.nodes.len() - self.sets.len()]
    }

    /// Returns the largest nodes whose union is a set of values, from left to right.
    fn parts_of(&self, codes: &[Code]) -> Vec<NodeId> {
        let mut leaves: Vec<NodeId> = codes.iter().map(|code| self.leaf_of(*code)).collect();
        leaves.dedup();
        let ranges = merged(leaves.iter().map(|leaf| self.nodes[*leaf].span.clone()));
        let is_inside = |span: &Range<Code>| {
            let after = ranges.partition_point(|range| range.start <= span.start);
            after > 0 && span.end <= ranges[after - 1].end
        };
        let mut parts: Vec<NodeId> = Vec::new();
        let mut end = 0;
        for leaf in leaves.into_iter().filter(|leaf| !self.nodes[*leaf].span.is_empty()) {
            if self.nodes[leaf].span.end <= end {
                continue;
            }
            let mut part = leaf;
            // The root also represents values that the tree does not have.
            while let Some(parent) = self.nodes[part].parent.filter(|id| *id != 0 && is_inside(&self.nodes[*id].span)) {
                part = parent;
            }
            end = self.nodes[part].span.end;
            parts.push(part);
        }
        parts
    }

    /// Ranges of the codes that a node or a set of values represents, ascending and not adjacent.
    pub fn ranges(&self, id: NodeId) -> Vec<Range<Code>> {
        let node = &self.nodes[id];
        match node.parts.is_empty() {
            true => vec![node.span.clone()],
            false => merged(node.parts.iter().map(|part| self.nodes[*part].span.clone())),
        }
    }

    /// Sets of values whose text lists values, with these values.
    pub fn sets(&self) -> impl Iterator<Item = (&str, Vec<String>)> {
        let listed =
            (0..self.nodes.len()).filter(|id| !self.nodes[*id].parts.is_empty() && self.interval(*id).is_none());
        listed.map(|id| {
            let values = self.codes(id).map(|code| self.value(code).to_owned()).collect();
            (self.nodes[id].label.as_str(), values)
        })
    }

    /// Codes that a node or a set of values represents, ascending.
    pub fn codes(&self, id: NodeId) -> impl Iterator<Item = Code> + '_ {
        self.nodes_of(id).flat_map(|part| self.nodes[part].span.clone())
    }

    /// Nodes of the tree whose union a node or a set of values is, from left to right: the node, or the parts of the set.
    pub fn nodes_of(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let parts = &self.nodes[id].parts;
        parts.is_empty().then_some(id).into_iter().chain(parts.iter().copied())
    }

    /// Number of values that a node or a set of values represents.
    pub fn width(&self, id: NodeId) -> usize {
        self.nodes_of(id).map(|part| self.nodes[part].span.len()).sum()
    }

    /// Returns true if a node or a set of values represents this code.
    pub fn represents(&self, id: NodeId, code: Code) -> bool {
        self.nodes_of(id).any(|part| self.nodes[part].span.contains(&code))
    }

    /// Returns true if `outer` represents every value that `inner` represents.
    pub fn covers(&self, outer: NodeId, inner: NodeId) -> bool {
        let around = self.ranges(outer);
        let is_covered =
            |range: &Range<Code>| around.iter().any(|outer| outer.start <= range.start && range.end <= outer.end);
        self.ranges(inner).iter().all(is_covered)
    }

    /// Returns true if two nodes or sets represent a common value.
    pub fn overlap(&self, one: NodeId, other: NodeId) -> bool {
        let others = self.ranges(other);
        let meets = |range: &Range<Code>| others.iter().any(|other| range.start < other.end && other.start < range.end);
        self.ranges(one).iter().any(meets)
    }

    /// Returns true if all nodes except the root are values below the root.
    pub fn is_flat(&self) -> bool {
        self.nodes
            .iter()
            .all(|node| !node.parts.is_empty() || node.depth == 0 || (node.depth == 1 && node.children.is_empty()))
    }

    /// Text of a set: an interval for consecutive values of a number or date column, otherwise the labels of its parts.
    fn set_label(&self, parts: &[NodeId], span: &Range<Code>) -> String {
        let is_consecutive =
            parts.windows(2).all(|pair| self.nodes[pair[0]].span.end == self.nodes[pair[1]].span.start);
        let has_missing = self.missing.is_some_and(|code| span.contains(&code));
        if is_consecutive
            && !has_missing
            && let Some(text) = self.hull_text(parts)
        {
            return text;
        }
        let labels: Vec<&str> = parts.iter().map(|part| self.nodes[*part].label.as_str()).collect();
        let mut text = set_text(&labels);
        // A label of the tree can look like a set. Spaces around a label do not change the meaning of a set.
        while self.tree_nodes().iter().any(|node| node.label == text) {
            text.insert(1, ' ');
        }
        text
    }

    /// Text of the interval from the first to the last node, in a number or date column.
    fn hull_text(&self, parts: &[NodeId]) -> Option<String> {
        let values = self.value_type();
        if values == Type::Text {
            return None;
        }
        let (first, last) = (self.interval(*parts.first()?)?, self.interval(*parts.last()?)?);
        let hull = Interval { high: last.high, high_in: last.high_in, ..first };
        let text = |number: f64| scale_text(values, number);
        Some(match (hull.low, hull.high) {
            (Some(low), Some(high)) => {
                let (open, close) = (if hull.low_in { '[' } else { '(' }, if hull.high_in { ']' } else { ')' });
                format!("{open}{},{}{close}", text(low), text(high))
            }
            (Some(low), None) => format!("{}{}", if hull.low_in { ">=" } else { ">" }, text(low)),
            (None, Some(high)) => format!("{}{}", if hull.high_in { "<=" } else { "<" }, text(high)),
            (None, None) => "any".to_owned(),
        })
    }
}

/// Merges adjacent ranges; `ranges` must be ascending.
fn merged(ranges: impl Iterator<Item = Range<Code>>) -> Vec<Range<Code>> {
    let mut merged: Vec<Range<Code>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Text of a set of labels.
pub(crate) fn set_text(labels: &[&str]) -> String {
    let mut text = String::from("{");
    for (place, label) in labels.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let inner = label.trim();
        // The spaces around the label, and the characters with a meaning in a set.
        let start = label.len() - label.trim_start().len();
        let end = if inner.is_empty() { 0 } else { start + inner.len() };
        for (at, character) in label.char_indices() {
            if at < start || at >= end || matches!(character, ',' | '{' | '}' | '\\') {
                text.push('\\');
            }
            text.push(character);
        }
    }
    text.push('}');
    text
}

/// Labels of the text of a set; `None` for other texts. Spaces around a label are ignored unless a backslash precedes them.
pub(crate) fn parse_set(text: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix('{')?;
    let mut labels = Vec::new();
    let mut label = String::new();
    // Length of the label without spaces at its end that no backslash precedes.
    let mut kept = 0;
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                label.push(characters.next()?);
                kept = label.len();
            }
            ',' | '}' => {
                label.truncate(kept);
                labels.push(std::mem::take(&mut label));
                kept = 0;
                if character == '}' {
                    return (characters.next().is_none() && labels.len() > 1).then_some(labels);
                }
            }
            '{' => return None,
            space if space.is_whitespace() => {
                if kept > 0 {
                    label.push(space);
                }
            }
            other => {
                label.push(other);
                kept = label.len();
            }
        }
    }
    None
}
