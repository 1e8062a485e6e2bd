//! Strongly connected parts of a graph, by Tarjan's algorithm. Graphs come one after the other, in the same memory. Of small ones it is
//! first asked whether they are one part, which most of them are.

const NONE: u32 = u32::MAX;

/// A graph that is made arc by arc, and its parts.
#[derive(Default)]
pub(super) struct Parts {
    /// By node: its last arc; by arc: the one before of the same node, and where it leads.
    last: Vec<u32>,
    before: Vec<u32>,
    to: Vec<u32>,
    /// By node: its part.
    part: Vec<u32>,
    /// By node: when it was found, and the earliest node still open that it leads to.
    found: Vec<u32>,
    low: Vec<u32>,
    open: Vec<u32>,
    calls: Vec<u32>,
}

impl Parts {
    /// Begins a graph of so many nodes.
    pub(super) fn begin(&mut self, nodes: usize) {
        for (list, value) in
            [(&mut self.last, NONE), (&mut self.part, NONE), (&mut self.found, NONE), (&mut self.low, 0)]
        {
            list.clear();
            list.resize(nodes, value);
        }
        self.before.clear();
        self.to.clear();
    }

    pub(super) fn arc(&mut self, from: u32, to: u32) {
        self.before.push(self.last[from as usize]);
        self.last[from as usize] = self.to.len() as u32;
        self.to.push(to);
    }

    /// Whether two nodes lie in different parts; after [`Parts::find`].
    pub(super) fn apart(&self, one: u32, other: u32) -> bool {
        self.part[one as usize] != self.part[other as usize]
    }

    /// Finds the parts. Uses the arcs up.
    pub(super) fn find(&mut self) {
        let (mut seen, mut parts) = (0, 0);
        for root in 0..self.last.len() as u32 {
            if self.found[root as usize] != NONE {
                continue;
            }
            self.calls.push(root);
            while let Some(node) = self.calls.last().copied() {
                let at = node as usize;
                if self.found[at] == NONE {
                    (self.found[at], self.low[at]) = (seen, seen);
                    seen += 1;
                    self.open.push(node);
                }
                let arc = self.last[at];
                if arc != NONE {
                    self.last[at] = self.before[arc as usize];
                    let to = self.to[arc as usize];
                    if self.found[to as usize] == NONE {
                        self.calls.push(to);
                    } else if self.part[to as usize] == NONE {
                        self.low[at] = self.low[at].min(self.found[to as usize]);
                    }
                    continue;
                }
                self.calls.pop();
                if let Some(caller) = self.calls.last() {
                    self.low[*caller as usize] = self.low[*caller as usize].min(self.low[at]);
                }
                if self.low[at] == self.found[at] {
                    while let Some(member) = self.open.pop() {
                        self.part[member as usize] = parts;
                        if member == node {
                            break;
                        }
                    }
                    parts += 1;
                }
            }
        }
    }
}

/// A graph of few nodes, with a bit for each.
pub(super) struct Few {
    /// By node: where it leads, and what leads to it.
    arcs: [[u64; Few::MOST]; 2],
    /// Nodes with arcs.
    nodes: u64,
}

impl Default for Few {
    fn default() -> Few {
        Few { arcs: [[0; Few::MOST]; 2], nodes: 0 }
    }
}

impl Few {
    /// No more nodes.
    pub(super) const MOST: usize = u64::BITS as usize;

    pub(super) fn arc(&mut self, from: u32, to: u32) {
        self.arcs[0][from as usize] |= 1 << to;
        self.arcs[1][to as usize] |= 1 << from;
        self.nodes |= 1 << from | 1 << to;
    }

    /// Whether all nodes with arcs are one part: this one leads to each of them, and each to it.
    pub(super) fn is_one_part(&self, node: u32) -> bool {
        self.arcs.iter().all(|arcs| {
            let (mut reached, mut looked) = (1u64 << node, 0);
            while reached != looked {
                let next = (reached & !looked).trailing_zeros();
                looked |= 1 << next;
                reached |= arcs[next as usize];
            }
            reached == self.nodes | 1 << node
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Few, Parts};

    /// Every graph of four nodes, beside what can be reached by trying all ways.
    #[test]
    fn as_all_ways_are_tried() {
        const NODES: u32 = 4;
        let pairs: Vec<(u32, u32)> =
            (0..NODES).flat_map(|from| (0..NODES).filter(move |to| *to != from).map(move |to| (from, to))).collect();
        for graph in 0u32..1 << pairs.len() {
            let arcs = || pairs.iter().enumerate().filter(|(at, _)| graph >> at & 1 == 1).map(|(_, arc)| *arc);
            let (mut parts, mut few) = (Parts::default(), Few::default());
            parts.begin(NODES as usize);
            let mut reaches = [[false; NODES as usize]; NODES as usize];
            (0..NODES as usize).for_each(|node| reaches[node][node] = true);
            for (from, to) in arcs() {
                parts.arc(from, to);
                few.arc(from, to);
                reaches[from as usize][to as usize] = true;
            }
            parts.find();
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
                assert_eq!(parts.apart(*one, *other), !both(*one, *other), "{graph:b}: {one} {other}");
            }
            for node in 0..NODES {
                let one_part = arcs().all(|(from, to)| both(node, from) && both(node, to));
                assert_eq!(few.is_one_part(node), one_part, "{graph:b}: {node}");
            }
        }
    }
}
