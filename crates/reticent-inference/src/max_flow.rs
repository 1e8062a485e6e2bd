//! Maximum flow through a network with capacities, by Dinic's algorithm.
//!
//! The residual network stays available after a flow is found: an arc can be closed, and more flow can be pushed between any two
//! nodes. A clone shares the nodes and arcs and copies only the residual capacities.

use std::collections::VecDeque;
use std::sync::Arc;

const NONE: u32 = u32::MAX;

/// A flow network with capacities, and a flow through it.
#[derive(Debug, Clone)]
pub struct MaxFlow {
    network: Arc<Network>,
    /// By arc: residual capacity.
    residual: Vec<i64>,
}

/// Nodes and arcs. Arcs `2n` and `2n + 1` are each other's reverse.
#[derive(Debug, Clone)]
struct Network {
    /// By node: its last arc.
    last: Vec<u32>,
    /// By arc: the previous arc with the same tail.
    before: Vec<u32>,
    /// By arc: head.
    to: Vec<u32>,
}

impl MaxFlow {
    /// Creates a network with the given number of nodes and no arcs.
    pub fn new(nodes: usize) -> MaxFlow {
        let network = Network { last: vec![NONE; nodes], before: Vec::new(), to: Vec::new() };
        MaxFlow { network: Arc::new(network), residual: Vec::new() }
    }

    /// Adds an arc and returns its index.
    pub fn add_arc(&mut self, from: u32, to: u32, capacity: i64) -> u32 {
        let network = Arc::make_mut(&mut self.network);
        let arc = network.to.len() as u32;
        for (from, to, capacity) in [(from, to, capacity), (to, from, 0)] {
            network.before.push(network.last[from as usize]);
            network.last[from as usize] = network.to.len() as u32;
            network.to.push(to);
            self.residual.push(capacity);
        }
        arc
    }

    /// Flow through an arc.
    pub fn flow(&self, arc: u32) -> i64 {
        self.residual[arc as usize ^ 1]
    }

    /// Fixes the flow through an arc: sets its residual capacities to 0. [`MaxFlow::flow`] then returns 0 for it.
    pub fn close(&mut self, arc: u32) {
        (self.residual[arc as usize], self.residual[arc as usize ^ 1]) = (0, 0);
    }

    /// Pushes as much additional flow as possible from `source` to `sink`. Returns the amount.
    pub fn push(&mut self, source: u32, sink: u32) -> i64 {
        let mut pushed = 0;
        while let Some(level) = self.levels(source, sink) {
            let mut open = self.network.last.clone();
            loop {
                let more = self.push_path(source, sink, &level, &mut open);
                if more == 0 {
                    break;
                }
                pushed += more;
            }
        }
        pushed
    }

    /// By node: distance from the source in residual arcs; `None` if the sink is unreachable.
    fn levels(&self, source: u32, sink: u32) -> Option<Vec<u32>> {
        let network = &self.network;
        let mut level = vec![NONE; network.last.len()];
        level[source as usize] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let mut arc = network.last[node as usize];
            while arc != NONE {
                let to = network.to[arc as usize];
                if self.residual[arc as usize] > 0 && level[to as usize] == NONE {
                    level[to as usize] = level[node as usize] + 1;
                    if to == sink {
                        return Some(level);
                    }
                    queue.push_back(to);
                }
                arc = network.before[arc as usize];
            }
        }
        None
    }

    /// Pushes flow along one path of increasing levels. `open` has the next arc to try, by node.
    fn push_path(&mut self, source: u32, sink: u32, level: &[u32], open: &mut [u32]) -> i64 {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        while node != sink {
            let arc = open[node as usize];
            if arc == NONE {
                // Dead end: backtrack and skip this arc from now on.
                let Some(arc) = path.pop() else { return 0 };
                node = self.network.to[arc as usize ^ 1];
                open[node as usize] = self.network.before[arc as usize];
                continue;
            }
            let to = self.network.to[arc as usize];
            if self.residual[arc as usize] > 0 && level[to as usize] == level[node as usize] + 1 {
                path.push(arc);
                node = to;
            } else {
                open[node as usize] = self.network.before[arc as usize];
            }
        }
        let amount = path.iter().map(|arc| self.residual[*arc as usize]).min().unwrap_or(0);
        for arc in path {
            self.residual[arc as usize] -= amount;
            self.residual[arc as usize ^ 1] += amount;
        }
        amount
    }
}

#[cfg(test)]
mod tests {
    use super::MaxFlow;

    /// Augmenting paths that share arcs.
    #[test]
    fn flow_uses_both_paths() {
        let mut network = MaxFlow::new(4);
        let arcs = [(0, 1, 3), (0, 2, 2), (1, 2, 5), (1, 3, 2), (2, 3, 3)];
        let arcs = arcs.map(|(from, to, capacity)| network.add_arc(from, to, capacity));
        assert_eq!(network.push(0, 3), 5);
        assert_eq!((network.flow(arcs[3]), network.flow(arcs[4])), (2, 3));
        assert_eq!(network.push(0, 3), 0);
        // The flow through a closed arc is fixed; only the path over node 2 leads from 3 to 1.
        network.close(arcs[3]);
        assert_eq!(network.push(3, 1), 1);
    }

    /// The maximum flow equals the minimum cut in random networks with five nodes.
    #[test]
    fn maximum_flow_equals_minimum_cut() {
        let mut state = 1u64;
        for _ in 0..2_000 {
            let mut capacity = [[0i64; 5]; 5];
            let mut network = MaxFlow::new(5);
            for (from, to) in (0..25).map(|at| (at / 5, at % 5)).filter(|(from, to)| from != to) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                capacity[from][to] = (state >> 33) as i64 % 3;
                network.add_arc(from as u32, to as u32, capacity[from][to]);
            }
            let cut = |side: u32| -> i64 {
                let on = |node: usize| side >> node & 1 == 1;
                let arcs = (0..25).map(|at| (at / 5, at % 5)).filter(|(from, to)| on(*from) && !on(*to));
                arcs.map(|(from, to)| capacity[from][to]).sum()
            };
            let least = (0..32u32).filter(|side| side & 1 == 1 && side >> 4 & 1 == 0).map(cut).min();
            assert_eq!(Some(network.push(0, 4)), least);
        }
    }
}
