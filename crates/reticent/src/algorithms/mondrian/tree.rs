//! Binary tree of cuts: leaves are the parts of the table.

use crate::data::taxonomy::NodeId;

/// A part of the table: combinations of quasi-identifiers that are published alike, or suppressed.
pub(super) struct Part {
    pub combinations: Vec<u32>,
    /// Published nodes; `None` for the lowest common nodes of the combinations.
    pub nodes: Option<Vec<NodeId>>,
    pub suppressed: bool,
}

struct CutNode {
    /// Without combinations if the part was cut.
    part: Part,
    parent: Option<usize>,
    sides: Option<[usize; 2]>,
    /// Whether a cut above was undone, so that the node is not in the tree any more.
    removed: bool,
}

/// Parts at the start of the search with their cuts. A node has a higher number than its parent.
#[derive(Default)]
pub(super) struct CutTree {
    nodes: Vec<CutNode>,
}

impl CutTree {
    pub(super) fn add_root(&mut self, part: Part) {
        self.nodes.push(CutNode { part, parent: None, sides: None, removed: false });
    }

    pub(super) fn part(&self, at: usize) -> &Part {
        &self.nodes[at].part
    }

    /// Parts that are not cut, with their numbers.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (usize, &Part)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.sides.is_none() && !node.removed).map(|(at, node)| (at, &node.part))
    }

    /// Cuts a part into two sides, and returns their numbers.
    pub(super) fn cut(&mut self, at: usize, sides: [Vec<u32>; 2]) -> [usize; 2] {
        let numbers = [self.nodes.len(), self.nodes.len() + 1];
        for combinations in sides {
            let part = Part { combinations, nodes: None, suppressed: false };
            self.nodes.push(CutNode { part, parent: Some(at), sides: None, removed: false });
        }
        self.nodes[at].part.combinations = Vec::new();
        self.nodes[at].sides = Some(numbers);
        numbers
    }

    /// Undoes the given number of cuts above each chosen part, with all cuts below them. Returns the number of undone cuts.
    pub(super) fn undo(&mut self, chosen: impl Fn(&Part) -> bool, cuts: usize) -> usize {
        let leaves: Vec<usize> = self.leaves().filter(|(_, part)| chosen(part)).map(|(at, _)| at).collect();
        let mut tops: Vec<usize> = Vec::new();
        for leaf in leaves {
            let mut at = leaf;
            for _ in 0..cuts {
                let Some(parent) = self.nodes[at].parent else { break };
                at = parent;
            }
            if at != leaf {
                tops.push(at);
            }
        }
        tops.sort_unstable();
        tops.dedup();
        // A parent has a lower number, so the cuts below it are undone when their turn comes, and then count as none.
        tops.into_iter().map(|at| self.join(at)).sum()
    }

    /// Makes a node a part again, and returns the number of cuts that this undoes.
    fn join(&mut self, at: usize) -> usize {
        let mut open: Vec<usize> = self.nodes[at].sides.take().into_iter().flatten().collect();
        let mut undone = usize::from(!open.is_empty());
        let mut combinations = Vec::new();
        while let Some(below) = open.pop() {
            let node = &mut self.nodes[below];
            node.removed = true;
            combinations.append(&mut node.part.combinations);
            if let Some(sides) = node.sides.take() {
                undone += 1;
                open.extend(sides);
            }
        }
        if undone > 0 {
            combinations.sort_unstable();
            self.nodes[at].part.combinations = combinations;
        }
        undone
    }

    /// Publishes the root of every taxonomy in all parts. Returns false if all parts do so already.
    pub(super) fn generalize_fully(&mut self, columns: usize) -> bool {
        let mut changed = false;
        for node in self.nodes.iter_mut().filter(|node| node.sides.is_none() && !node.removed && !node.part.suppressed)
        {
            changed |= node.part.nodes.is_none();
            node.part.nodes = Some(vec![0; columns]);
        }
        changed
    }
}
