//! Strongly connected components by Tarjan's algorithm, with memory that is reused from graph to graph.
//!
//! [`SmallGraph`] is a faster test for strong connectivity, which most small graphs pass.

const NONE: u32 = u32::MAX;

/// A directed graph and its strongly connected components.
#[derive(Default)]
pub(super) struct Scc {
    /// By node: its last arc.
    last: Vec<u32>,
    /// By arc: the previous arc with the same tail.
    before: Vec<u32>,
    /// By arc: head.
    to: Vec<u32>,
    /// By node: component.
    component: Vec<u32>,
    /// By node: order of discovery.
    index: Vec<u32>,
    /// By node: smallest index on the stack that it reaches (low link).
    low: Vec<u32>,
    /// Nodes whose component is not complete.
    stack: Vec<u32>,
    /// Explicit call stack.
    calls: Vec<u32>,
}

impl Scc {
    /// Starts a graph with the given number of nodes and no arcs.
    pub(super) fn reset(&mut self, nodes: usize) {
        for (list, value) in
            [(&mut self.last, NONE), (&mut self.component, NONE), (&mut self.index, NONE), (&mut self.low, 0)]
        {
            list.clear();
            list.resize(nodes, value);
        }
        self.before.clear();
        self.to.clear();
    }

    pub(super) fn add_arc(&mut self, from: u32, to: u32) {
        self.before.push(self.last[from as usize]);
        self.last[from as usize] = self.to.len() as u32;
        self.to.push(to);
    }

    /// Whether two nodes lie in different components. Call [`Scc::compute`] first.
    pub(super) fn are_separate(&self, one: u32, other: u32) -> bool {
        self.component[one as usize] != self.component[other as usize]
    }

    /// Computes the components. Consumes the arcs.
    pub(super) fn compute(&mut self) {
        let (mut next_index, mut components) = (0, 0);
        for root in 0..self.last.len() as u32 {
            if self.index[root as usize] != NONE {
                continue;
            }
            self.calls.push(root);
            while let Some(node) = self.calls.last().copied() {
                let at = node as usize;
                if self.index[at] == NONE {
                    (self.index[at], self.low[at]) = (next_index, next_index);
                    next_index += 1;
                    self.stack.push(node);
                }
                let arc = self.last[at];
                if arc != NONE {
                    self.last[at] = self.before[arc as usize];
                    let to = self.to[arc as usize];
                    if self.index[to as usize] == NONE {
                        self.calls.push(to);
                    } else if self.component[to as usize] == NONE {
                        self.low[at] = self.low[at].min(self.index[to as usize]);
                    }
                    continue;
                }
                self.calls.pop();
                if let Some(caller) = self.calls.last() {
                    self.low[*caller as usize] = self.low[*caller as usize].min(self.low[at]);
                }
                if self.low[at] == self.index[at] {
                    while let Some(member) = self.stack.pop() {
                        self.component[member as usize] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
    }
}

/// A directed graph with at most 64 nodes, as bit sets.
pub(super) struct SmallGraph {
    /// By node: successors, and predecessors.
    arcs: [[u64; SmallGraph::MAX_NODES]; 2],
    /// Nodes with at least one arc.
    nodes: u64,
}

impl Default for SmallGraph {
    fn default() -> SmallGraph {
        SmallGraph { arcs: [[0; SmallGraph::MAX_NODES]; 2], nodes: 0 }
    }
}

impl SmallGraph {
    /// Maximum number of nodes.
    pub(super) const MAX_NODES: usize = u64::BITS as usize;

    pub(super) fn add_arc(&mut self, from: u32, to: u32) {
        self.arcs[0][from as usize] |= 1 << to;
        self.arcs[1][to as usize] |= 1 << from;
        self.nodes |= 1 << from | 1 << to;
    }

    /// Whether `node` reaches every node with an arc and is reached by each of them.
    pub(super) fn is_strongly_connected(&self, node: u32) -> bool {
        self.arcs.iter().all(|arcs| {
            let (mut reached, mut visited) = (1u64 << node, 0);
            while reached != visited {
                let next = (reached & !visited).trailing_zeros();
                visited |= 1 << next;
                reached |= arcs[next as usize];
            }
            reached == self.nodes | 1 << node
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Scc, SmallGraph};

    /// Every graph with four nodes, compared with its transitive closure.
    #[test]
    fn components_match_transitive_closure() {
        const NODES: u32 = 4;
        let pairs: Vec<(u32, u32)> =
            (0..NODES).flat_map(|from| (0..NODES).filter(move |to| *to != from).map(move |to| (from, to))).collect();
        for graph in 0u32..1 << pairs.len() {
            let arcs = || pairs.iter().enumerate().filter(|(at, _)| graph >> at & 1 == 1).map(|(_, arc)| *arc);
            let (mut scc, mut small_graph) = (Scc::default(), SmallGraph::default());
            scc.reset(NODES as usize);
            let mut reaches = [[false; NODES as usize]; NODES as usize];
            (0..NODES as usize).for_each(|node| reaches[node][node] = true);
            for (from, to) in arcs() {
                scc.add_arc(from, to);
                small_graph.add_arc(from, to);
                reaches[from as usize][to as usize] = true;
            }
            scc.compute();
            for over in 0..NODES as usize {
                for from in 0..NODES as usize {
                    for to in 0..NODES as usize {
                        reaches[from][to] |= reaches[from][over] && reaches[over][to];
                    }
                }
            }
            let both =
                |one: u32, other: u32| reaches[one as usize][other as usize] && reaches[other as usize][one as usize];
            for (one, other) in &pairs {
                assert_eq!(scc.are_separate(*one, *other), !both(*one, *other), "{graph:b}: {one} {other}");
            }
            for node in 0..NODES {
                let expected = arcs().all(|(from, to)| both(node, from) && both(node, to));
                assert_eq!(small_graph.is_strongly_connected(node), expected, "{graph:b}: {node}");
            }
        }
    }
}
