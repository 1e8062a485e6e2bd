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
    /// By group on the left: how many records it has, its node, and the groups on the right that its records can be in, ascending,
    /// with the arcs to them.
    left: Vec<(Weight, u32, Vec<(u32, u32)>)>,
    /// By group on the right: how many records it has, its node, and the arc to the end.
    right: Vec<(Weight, u32, u32)>,
}

impl Transport {
    /// None when the records of the left cannot all be records of the right.
    pub(super) fn of(supply: &[Weight], capacity: &[Weight], to: &[Vec<u32>]) -> Option<Transport> {
        let many = |records: &[Weight]| records.iter().filter(|records| **records > 0).count();
        let nodes = many(supply) + many(capacity);
        let (start, end) = (nodes as u32, nodes as u32 + 1);
        let mut network = MaxFlow::new(nodes + 2);
        let mut nodes = 0..;
        let mut right = Vec::with_capacity(capacity.len());
        for records in capacity {
            right.push(match records {
                0 => (0, start, 0),
                records => {
                    let node = nodes.next()?;
                    (*records, node, network.add_arc(node, end, *records as i64))
                }
            });
        }
        let mut left = Vec::with_capacity(supply.len());
        for (records, to) in supply.iter().zip(to) {
            left.push(match records {
                0 => (0, start, Vec::new()),
                records => {
                    let node = nodes.next()?;
                    network.add_arc(start, node, *records as i64);
                    let full = to.iter().filter(|to| right[**to as usize].0 > 0);
                    let arc = |to: &u32| (*to, network.add_arc(node, right[*to as usize].1, *records as i64));
                    (*records, node, full.map(arc).collect())
                }
            });
        }
        let placed = network.push(start, end) as Weight;
        (placed == supply.iter().sum::<Weight>()).then_some(Transport { network, end, left, right })
    }

    /// The most records of a group on the left that can be in a group on the right, when all have their place.
    pub(super) fn most(&self, left: usize, right: usize) -> Weight {
        let (supply, from, arcs) = &self.left[left];
        let (capacity, to, _) = self.right[right];
        let Ok(at) = arcs.binary_search_by_key(&(right as u32), |(right, _)| *right) else { return 0 };
        let arc = arcs[at].1;
        let now = self.network.flow(arc) as Weight;
        if now == capacity.min(*supply) {
            return now;
        }
        // Whatever can go round from the right back to the left can come again by the straight way.
        let mut rest = self.network.clone();
        rest.close(arc);
        now + rest.push(to, *from) as Weight
    }

    /// The fewest records of a group on the right that records of the left must be.
    pub(super) fn fewest(&self, right: usize) -> Weight {
        let (capacity, node, arc) = self.right[right];
        if capacity == 0 {
            return 0;
        }
        let used = self.network.flow(arc) as Weight;
        if used == 0 {
            return 0;
        }
        let mut rest = self.network.clone();
        rest.close(arc);
        used - rest.push(node, self.end) as Weight
    }
}
