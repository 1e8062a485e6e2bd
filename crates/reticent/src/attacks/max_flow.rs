//! Maximum flow between the groups of two releases.
//!
//! Every record of a group on the left is the same as one record of a compatible group on the right. Records of a group are
//! interchangeable, so a group is a node whose capacity is its number of records. Minimum and maximum flows between groups
//! follow from one maximum flow and its residual graph.

use reticent_inference::max_flow::MaxFlow;

use crate::data::contingency::Weight;

/// Maximum flow that assigns all records on the left. Groups without records have no node.
#[derive(Debug, Clone)]
pub(super) struct BipartiteFlow {
    network: MaxFlow,
    /// Sink node.
    sink: u32,
    left: Vec<SourceNode>,
    right: Vec<SinkNode>,
}

/// Group on the left.
#[derive(Debug, Clone, Default)]
struct SourceNode {
    records: Weight,
    node: u32,
    /// Compatible groups on the right, ascending, each with the arc to it.
    arcs: Vec<(u32, u32)>,
}

/// Group on the right.
#[derive(Debug, Clone, Default)]
struct SinkNode {
    records: Weight,
    node: u32,
    /// Arc to the sink.
    arc: u32,
}

impl BipartiteFlow {
    /// Computes the flow from the group sizes on both sides and, by left group, the compatible groups on the right.
    ///
    /// None if not all records on the left can be assigned.
    pub(super) fn new(supply: &[Weight], capacity: &[Weight], to: &[Vec<u32>]) -> Option<BipartiteFlow> {
        let count_nonempty = |records: &[Weight]| records.iter().filter(|records| **records > 0).count();
        let nodes = count_nonempty(supply) + count_nonempty(capacity);
        let (source, sink) = (nodes as u32, nodes as u32 + 1);
        let mut network = MaxFlow::new(nodes + 2);
        let mut nodes = 0..;
        let mut right = vec![SinkNode::default(); capacity.len()];
        for (group, records) in right.iter_mut().zip(capacity).filter(|(_, records)| **records > 0) {
            let node = nodes.next()?;
            *group = SinkNode { records: *records, node, arc: network.add_arc(node, sink, *records as i64) };
        }
        let mut left = vec![SourceNode::default(); supply.len()];
        for ((group, records), to) in left.iter_mut().zip(supply).zip(to).filter(|((_, records), _)| **records > 0) {
            let node = nodes.next()?;
            network.add_arc(source, node, *records as i64);
            let full = to.iter().filter(|to| right[**to as usize].records > 0);
            let arc = |to: &u32| (*to, network.add_arc(node, right[*to as usize].node, *records as i64));
            *group = SourceNode { records: *records, node, arcs: full.map(arc).collect() };
        }
        let placed = network.push(source, sink) as Weight;
        (placed == supply.iter().sum::<Weight>()).then_some(BipartiteFlow { network, sink, left, right })
    }

    /// Maximum number of records of a left group in a right group, over all assignments of all records.
    pub(super) fn max_records(&self, left: usize, right: usize) -> Weight {
        let (from, to) = (&self.left[left], &self.right[right]);
        let Ok(at) = from.arcs.binary_search_by_key(&(right as u32), |(right, _)| *right) else { return 0 };
        let arc = from.arcs[at].1;
        let current = self.network.flow(arc) as Weight;
        if current == from.records.min(to.records) {
            return current;
        }
        // Every unit of flow from right to left in the residual graph allows one more unit on the direct arc.
        let mut residual = self.network.clone();
        residual.close(arc);
        current + residual.push(to.node, from.node) as Weight
    }

    /// Minimum number of records of a right group that left records use, over all assignments of all records.
    pub(super) fn min_records(&self, right: usize) -> Weight {
        let group = &self.right[right];
        let used = if group.records == 0 { 0 } else { self.network.flow(group.arc) as Weight };
        if used == 0 {
            return 0;
        }
        let mut residual = self.network.clone();
        residual.close(group.arc);
        used - residual.push(group.node, self.sink) as Weight
    }
}
