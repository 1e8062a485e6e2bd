//! Transport: how the records of one release can be records of another, counted by groups.
//!
//! Records of a group on the left are each one record of some group on the right that they can be. As many as a group has
//! fit; which they are does not matter, so a group is a node with a capacity and the question is one of maximum flow. One
//! flow that places everything answers all questions: what can be more or less in one place is a flow in the residual network.

use reticent_inference::max_flow::MaxFlow;

use crate::combos::Weight;

/// One way to place all records of the left. Groups without records are no part of the network.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    network: MaxFlow,
    /// The node where all records end.
    end: u32,
    left: Vec<Left>,
    right: Vec<Right>,
}

/// A group on the left.
#[derive(Debug, Clone, Default)]
struct Left {
    records: Weight,
    node: u32,
    /// The groups on the right that its records can be in, ascending, with the arcs to them.
    arcs: Vec<(u32, u32)>,
}

/// A group on the right.
#[derive(Debug, Clone, Default)]
struct Right {
    records: Weight,
    node: u32,
    /// The arc to the end.
    arc: u32,
}

impl Transport {
    /// None when the records of the left cannot all be records of the right.
    pub(super) fn of(supply: &[Weight], capacity: &[Weight], to: &[Vec<u32>]) -> Option<Transport> {
        let many = |records: &[Weight]| records.iter().filter(|records| **records > 0).count();
        let nodes = many(supply) + many(capacity);
        let (start, end) = (nodes as u32, nodes as u32 + 1);
        let mut network = MaxFlow::new(nodes + 2);
        let mut nodes = 0..;
        let mut right = vec![Right::default(); capacity.len()];
        for (group, records) in right.iter_mut().zip(capacity).filter(|(_, records)| **records > 0) {
            let node = nodes.next()?;
            *group = Right { records: *records, node, arc: network.add_arc(node, end, *records as i64) };
        }
        let mut left = vec![Left::default(); supply.len()];
        for ((group, records), to) in left.iter_mut().zip(supply).zip(to).filter(|((_, records), _)| **records > 0) {
            let node = nodes.next()?;
            network.add_arc(start, node, *records as i64);
            let full = to.iter().filter(|to| right[**to as usize].records > 0);
            let arc = |to: &u32| (*to, network.add_arc(node, right[*to as usize].node, *records as i64));
            *group = Left { records: *records, node, arcs: full.map(arc).collect() };
        }
        let placed = network.push(start, end) as Weight;
        (placed == supply.iter().sum::<Weight>()).then_some(Transport { network, end, left, right })
    }

    /// The most records of a group on the left that can be in a group on the right, when all have their place.
    pub(super) fn most(&self, left: usize, right: usize) -> Weight {
        let (from, to) = (&self.left[left], &self.right[right]);
        let Ok(at) = from.arcs.binary_search_by_key(&(right as u32), |(right, _)| *right) else { return 0 };
        let arc = from.arcs[at].1;
        let now = self.network.flow(arc) as Weight;
        if now == from.records.min(to.records) {
            return now;
        }
        // Whatever can go round from the right back to the left can come again by the straight way.
        let mut rest = self.network.clone();
        rest.close(arc);
        now + rest.push(to.node, from.node) as Weight
    }

    /// The fewest records of a group on the right that records of the left must be.
    pub(super) fn fewest(&self, right: usize) -> Weight {
        let group = &self.right[right];
        let used = if group.records == 0 { 0 } else { self.network.flow(group.arc) as Weight };
        if used == 0 {
            return 0;
        }
        let mut rest = self.network.clone();
        rest.close(group.arc);
        used - rest.push(group.node, self.end) as Weight
    }
}
