//! Trees of values that were published: drawn from their labels alone, without the values behind them.

use super::parse::DEEPEST;
use super::{Code, NodeId, SUPPRESSED, Taxonomy, Type};
use crate::error::{Error, Result};
use crate::interval::Interval;

/// A published value on its way into a tree.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The text that was published.
    pub label: String,
    /// The place, among the drafts, of the next more general one; none for what stands below the root.
    pub parent: Option<usize>,
}

impl Taxonomy {
    /// The tree of these values, siblings in the order given; and by place among them, the node.
    pub(crate) fn published(column: &str, drafts: Vec<Draft>) -> Result<(Taxonomy, Vec<NodeId>)> {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); drafts.len()];
        // The last in is the first out, so all go in from right to left.
        let mut open: Vec<usize> = Vec::new();
        for (place, draft) in drafts.iter().enumerate().rev() {
            match draft.parent {
                Some(parent) => below[parent].push(place),
                None => open.push(place),
            }
        }
        let mut tree = Taxonomy::root_over(SUPPRESSED, Vec::new(), None);
        let mut ids = vec![0; drafts.len()];
        let mut drafts: Vec<Draft> = drafts;
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
            if tree.nodes[ids[place]].depth as usize >= DEEPEST {
                let message = format!("its published values nest more than {DEEPEST} deep; leave some of them out");
                return Err(Error::column(column, message));
            }
            open.append(&mut below[place]);
        }
        tree.reach_over_leaves();
        Ok((tree, ids))
    }

    /// Lets every node end where the last leaf below it ends. Parents come before their children.
    fn reach_over_leaves(&mut self) {
        for id in (1..self.nodes.len()).rev() {
            if let Some(parent) = self.nodes[id].parent {
                let end = self.nodes[id].codes.end;
                let codes = &mut self.nodes[parent].codes;
                codes.end = codes.end.max(end);
            }
        }
    }

    /// Says, by node, what the published numbers or dates mean.
    pub(crate) fn with_intervals(mut self, values: Type, intervals: Vec<Interval>) -> Self {
        self.intervals = Some((values, intervals));
        self
    }

    /// What the values are: text, also where no order is known behind numbers.
    pub fn value_type(&self) -> Type {
        let published = self.intervals.as_ref().map(|(values, _)| *values);
        published.or(self.scale.as_ref().map(|scale| scale.values)).unwrap_or(Type::Text)
    }

    /// The numbers or days that a range of codes of a growing tree would be published as.
    pub(crate) fn interval_over(&self, codes: &std::ops::Range<Code>) -> Option<Interval> {
        Interval::parse(self.scale.as_ref()?.values, &self.interval_label(codes))
    }

    /// The numbers or days that a node stands for; none for a missing value, and in trees of texts.
    pub fn interval(&self, id: NodeId) -> Option<Interval> {
        if let Some((_, intervals)) = &self.intervals {
            return intervals.get(id).copied();
        }
        let scale = self.scale.as_ref()?;
        let node = &self.nodes[id];
        let is_missing = self.missing.is_some_and(|code| node.codes == (code..code + 1));
        match id {
            0 => Some(Interval::ANY),
            _ if is_missing => None,
            _ => Interval::parse(scale.values, &node.label),
        }
    }
}
