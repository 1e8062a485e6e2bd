//! Input of the search in the layout that the search reads: combinations by row, nodes of all trees in one list.
//!
//! Combinations are sorted, so that the result does not depend on the order of the input.

use super::{Group, GroupVerdict, Input, Tree, ValueForm};

/// Node of a taxonomy; nodes of all columns are in one list.
#[derive(Clone, Copy)]
pub(super) struct IndexedNode {
    /// Codes of the leaves below the node: first, and one after the last.
    pub start: u32,
    pub end: u32,
    /// Parent; the root is its own parent.
    pub parent: u32,
    pub loss: f64,
}

/// Maximum number of leaves of a column for which the losses of all pairs are kept.
const MAX_PAIR_LEAVES: u32 = 256;

/// Sorted combinations and taxonomies.
pub(super) struct Problem<'a> {
    input: &'a Input<'a>,
    stop: &'a (dyn Fn() -> bool + Sync),
    pub form: ValueForm,
    pub columns: usize,
    /// Leaf codes by combination, then by column.
    rows: Vec<u32>,
    weights: Vec<u64>,
    /// Index of a combination in the input.
    original: Vec<u32>,
    nodes: Vec<IndexedNode>,
    /// Number of the root of each column; last: number of nodes.
    roots: Vec<u32>,
    /// Number of the leaf node by column, then by code.
    leaves: Vec<Vec<u32>>,
    /// Loss of each additional leaf of a set, by column, without the detail of a purpose.
    pub leaf_loss: Vec<f64>,
    /// Whether a set of a column is a range of leaves, by column.
    ordered: Vec<bool>,
    /// Code of missing values, which belong to no range, by column.
    missing: Vec<Option<u32>>,
    /// Loss of a set of two leaves, by column, for small columns that lose detail of the purpose; empty for others.
    pair_losses: Vec<Vec<f64>>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(input: &'a Input<'a>, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        let columns = input.codes.len();
        let row = |at: &u32| {
            let at = *at as usize;
            input.codes.iter().map(move |codes| codes[at])
        };
        let mut original: Vec<u32> = (0..input.weights.len() as u32).collect();
        original.sort_unstable_by(|one, other| row(one).cmp(row(other)));
        let (mut nodes, mut roots, mut leaves, mut leaf_loss) = (Vec::new(), vec![0], Vec::new(), Vec::new());
        for tree in input.trees {
            let root = nodes.len() as u32;
            let leaf_count = tree.nodes.first().map_or(0, |node| node.codes.end);
            let mut leaf_of = vec![root; leaf_count as usize];
            for (node, at) in tree.nodes.iter().zip(root..) {
                let parent = root + node.parent.unwrap_or(0);
                nodes.push(IndexedNode { start: node.codes.start, end: node.codes.end, parent, loss: node.loss });
                // The deepest node of a code is its leaf; a parent precedes its children.
                leaf_of[node.codes.start as usize..node.codes.end as usize].fill(at);
            }
            roots.push(nodes.len() as u32);
            leaves.push(leaf_of);
            leaf_loss.push(if leaf_count > 1 { tree.weight / f64::from(leaf_count - 1) } else { 0.0 });
        }
        // The search for sets names a leaf that represents several codes by its first code.
        let named = |(code, (leaves, tree)): (u32, (&Vec<u32>, &Tree))| match input.form {
            ValueForm::Nodes => code,
            ValueForm::Sets if tree.ordered => nodes[leaves[code as usize] as usize].start,
            ValueForm::Sets => code,
        };
        let rows = original.iter().flat_map(|at| row(at).zip(leaves.iter().zip(input.trees)).map(named)).collect();
        let mut problem = Problem {
            input,
            stop,
            form: input.form,
            columns,
            rows,
            weights: original.iter().map(|at| input.weights[*at as usize]).collect(),
            original,
            nodes,
            roots,
            leaves,
            leaf_loss,
            ordered: input.trees.iter().map(|tree| tree.ordered).collect(),
            missing: input.trees.iter().map(|tree| tree.missing).collect(),
            pair_losses: vec![Vec::new(); columns],
        };
        if input.form == ValueForm::Sets {
            problem.pair_losses = (0..columns).map(|column| problem.all_pair_losses(column)).collect();
        }
        problem
    }

    fn all_pair_losses(&self, column: usize) -> Vec<f64> {
        let leaves = self.leaves[column].len() as u32;
        if !self.input.trees[column].has_detail || leaves > MAX_PAIR_LEAVES {
            return Vec::new();
        }
        let pairs = (0..leaves).flat_map(|one| (0..leaves).map(move |other| [one.min(other), one.max(other)]));
        pairs.map(|pair| self.codes_loss(column, pair.into_iter())).collect()
    }

    /// Loss of publishing two different leaves of a column as a set.
    pub(super) fn pair_loss(&self, column: usize, one: u32, other: u32) -> f64 {
        let known = self.pair_losses[column].get(one as usize * self.leaves[column].len() + other as usize);
        known.copied().unwrap_or_else(|| self.codes_loss(column, [one, other].into_iter()))
    }

    /// First and last leaf of the range that some ascending codes span, and the code of missing values if it is one of them. `None` if
    /// the column has no order.
    pub(super) fn ends(&self, column: usize, codes: impl Iterator<Item = u32>) -> Option<[Option<u32>; 3]> {
        if !self.ordered[column] {
            return None;
        }
        let mut ends = [None; 3];
        for code in codes {
            if Some(code) == self.missing[column] {
                ends[2] = Some(code);
                continue;
            }
            ends[0] = Some(ends[0].map_or(code, |first: u32| first.min(code)));
            ends[1] = Some(ends[1].map_or(code, |last: u32| last.max(code)));
        }
        Some(ends)
    }

    /// Whether the loss of a set of a column grows by the same amount with every leaf.
    #[inline]
    pub(super) fn is_additive(&self, column: usize) -> bool {
        !self.ordered[column] && !self.input.trees[column].has_detail
    }

    /// Loss of publishing some leaves of a column as a set.
    pub(super) fn codes_loss(&self, column: usize, codes: impl Iterator<Item = u32> + Clone) -> f64 {
        let published = self.ends(column, codes.clone()).map(|[first, last, missing]| {
            let end = |code: u32| self.node(self.leaves[column][code as usize]).end;
            (first.zip(last).map_or(0..0, |(first, last)| first..end(last)), missing)
        });
        let width = match &published {
            None => codes.clone().count() as u32,
            Some((range, missing)) => range.len() as u32 + u32::from(missing.is_some()),
        };
        let penalty = self.leaf_loss[column] * f64::from(width.saturating_sub(1));
        if width < 2 || !self.input.trees[column].has_detail {
            return penalty;
        }
        let detail = self.input.set_detail_loss;
        penalty
            + match published {
                None => detail(column, &mut codes.clone()),
                Some((range, missing)) => detail(column, &mut range.chain(missing)),
            }
    }

    /// Number of combinations.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn stopped(&self) -> bool {
        (self.stop)()
    }

    /// Leaf codes of a combination.
    pub(super) fn row(&self, combination: u32) -> &[u32] {
        let start = combination as usize * self.columns;
        &self.rows[start..start + self.columns]
    }

    /// Number of records of a combination.
    pub(super) fn weight(&self, combination: u32) -> u64 {
        self.weights[combination as usize]
    }

    /// Number of records of a group.
    pub(super) fn total_weight(&self, members: &[u32]) -> u64 {
        members.iter().map(|member| self.weight(*member)).sum()
    }

    pub(super) fn node(&self, node: u32) -> &IndexedNode {
        &self.nodes[node as usize]
    }

    /// Numbers of the nodes of a column.
    pub(super) fn nodes_of(&self, column: usize) -> std::ops::Range<u32> {
        self.roots[column]..self.roots[column + 1]
    }

    /// Leaf nodes of a column, by code.
    pub(super) fn leaves_of(&self, column: usize) -> &[u32] {
        &self.leaves[column]
    }

    /// Returns the lowest node at or above `node` that contains the codes from `start` to before `end`.
    #[inline]
    pub(super) fn lift(&self, mut node: u32, start: u32, end: u32) -> u32 {
        loop {
            let here = &self.nodes[node as usize];
            if (here.start <= start && end <= here.end) || here.parent == node {
                return node;
            }
            node = here.parent;
        }
    }

    /// Lowest common node of a group, by column.
    pub(super) fn common_nodes(&self, members: &[u32]) -> Vec<u32> {
        let Some((first, others)) = members.split_first() else { return self.roots[..self.columns].to_vec() };
        let mut nodes: Vec<u32> =
            self.row(*first).iter().zip(&self.leaves).map(|(code, leaves)| leaves[*code as usize]).collect();
        for member in others {
            for (node, code) in nodes.iter_mut().zip(self.row(*member)) {
                *node = self.lift(*node, *code, *code + 1);
            }
        }
        nodes
    }

    /// Smallest number of records of a satisfying group.
    pub(super) fn min_weight(&self) -> u64 {
        self.input.min_weight
    }

    /// Whether the number of records decides the requirement.
    pub(super) fn only_weight(&self) -> bool {
        self.input.only_weight
    }

    /// Whether the union of a satisfying group and any group satisfies the requirement.
    pub(super) fn merging_is_safe(&self) -> bool {
        self.input.merging_is_safe || self.input.only_weight
    }

    /// Judges a group.
    pub(super) fn judge(&self, members: &[u32]) -> GroupVerdict {
        let weight = self.total_weight(members);
        if self.input.only_weight || weight < self.input.min_weight {
            return GroupVerdict { holds: weight >= self.input.min_weight, safety: weight as f64 };
        }
        let group = self.group(members);
        (self.input.judge)(&group.members, &group.nodes)
    }

    /// Whether a group satisfies the requirement.
    pub(super) fn satisfies(&self, members: &[u32]) -> bool {
        self.judge(members).holds
    }

    /// Group in the numbering of the input.
    pub(super) fn group(&self, members: &[u32]) -> Group {
        let roots = self.roots.iter().copied();
        let nodes = self.common_nodes(members).into_iter().zip(roots).map(|(node, root)| node - root).collect();
        Group { members: members.iter().map(|member| self.original[*member as usize]).collect(), nodes }
    }
}
