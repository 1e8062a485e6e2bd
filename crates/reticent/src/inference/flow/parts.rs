//! Strongly connected parts of a graph, by Tarjan's algorithm. Graphs come one after the other, in the same memory.

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
