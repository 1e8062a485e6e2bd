//! Trees of published values, built from their labels without the original values.

use super::parse::MAX_DEPTH;
use super::{Code, NodeId, SUPPRESSED, Taxonomy, Type};
use crate::data::interval::Interval;
use crate::error::{Error, Result};

/// A published value that is not yet a node of a tree.
#[derive(Debug)]
pub(crate) struct DraftNode {
    /// Published text.
    pub label: String,
    /// Index of the parent draft; `None` for a child of the root.
    pub parent: Option<usize>,
}

impl Taxonomy {
    /// Builds the tree of `drafts` with siblings in the given order. Also returns the node of each draft.
    ///
    /// # Errors
    ///
    /// Returns an error if the tree is too deep.
    pub(crate) fn published(column: &str, drafts: Vec<DraftNode>) -> Result<(Taxonomy, Vec<NodeId>)> {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); drafts.len()];
        // A stack: children are pushed from right to left.
        let mut open: Vec<usize> = Vec::new();
        for (place, draft) in drafts.iter().enumerate().rev() {
            match draft.parent {
                Some(parent) => below[parent].push(place),
                None => open.push(place),
            }
        }
        let mut tree = Taxonomy::root_over(SUPPRESSED, Vec::new(), None);
        let mut ids = vec![0; drafts.len()];
        let mut drafts: Vec<DraftNode> = drafts;
        while let Some(place) = open.pop() {
            let draft = &mut drafts[place];
            let parent = draft.parent.map_or(0, |parent| ids[parent]);
            let start = tree.values.len() as Code;
            let is_leaf = below[place].is_empty();
            let label = std::mem::take(&mut draft.label);
            if is_leaf {
                tree.values.push(label.clone());
            }
            ids[place] = tree.add(parent, label, start..start + Code::from(is_leaf));
            if tree.nodes[ids[place]].depth as usize >= MAX_DEPTH {
                let message =
                    format!("its published values nest more than {MAX_DEPTH} levels deep; remove some of them");
                return Err(Error::column(column, message));
            }
            open.append(&mut below[place]);
        }
        tree.extend_ranges_to_leaves();
        Ok((tree, ids))
    }

    /// Extends the code range of every node to its last leaf. Parents precede their children.
    fn extend_ranges_to_leaves(&mut self) {
        for id in (1..self.nodes.len()).rev() {
            if let Some(parent) = self.nodes[id].parent {
                let end = self.nodes[id].span.end;
                let codes = &mut self.nodes[parent].span;
                codes.end = codes.end.max(end);
            }
        }
    }

    /// Sets the type of the published values and the interval of each node.
    pub(crate) fn with_intervals(mut self, values: Type, intervals: Vec<Interval>) -> Self {
        self.intervals = Some((values, intervals));
        self
    }

    /// Type of the values; `Text` if the tree has no numeric scale.
    pub fn value_type(&self) -> Type {
        let published = self.intervals.as_ref().map(|(values, _)| *values);
        published.or(self.scale.as_ref().map(|scale| scale.values)).unwrap_or(Type::Text)
    }

    /// Interval that is published for a range of codes of a grown tree.
    pub(crate) fn interval_over(&self, codes: &std::ops::Range<Code>) -> Option<Interval> {
        Interval::parse(self.scale.as_ref()?.values, &self.interval_label(codes))
    }

    /// Interval of a node; `None` for a missing value and in trees of texts.
    pub fn interval(&self, id: NodeId) -> Option<Interval> {
        if let Some((_, intervals)) = &self.intervals {
            return intervals.get(id).copied();
        }
        let scale = self.scale.as_ref()?;
        let node = &self.nodes[id];
        let is_missing = self.missing.is_some_and(|code| node.span == (code..code + 1));
        match id {
            0 => Some(Interval::ANY),
            _ if is_missing => None,
            _ => Interval::parse(scale.values, &node.label),
        }
    }
}
