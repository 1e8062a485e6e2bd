//! Transport: how the records of one release can be records of another, counted by groups.
//!
//! Records of a group on the left are each one record of some group on the right that they can be. As many as a group has
//! fit; which they are does not matter, so a group is a node with a capacity and the question is one of maximum flow. One
//! flow that places everything answers all questions: what can be more or less in one place is a flow in what it leaves.

use reticent_inference::max_flow::MaxFlow;

use crate::combos::Weight;

/// One way to place all records of the left.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    /// The groups on the left come first, then those on the right, then the nodes where everything ends and starts.
    network: MaxFlow,
    /// By group on the left: how many records it has.
    supply: Vec<Weight>,
    /// By group on the right: how many records it has, and the arc to the end.
    capacity: Vec<(Weight, u32)>,
    /// By group on the left: the groups on the right that its records can be in, ascending, with the arcs to them.
    to: Vec<Vec<(u32, u32)>>,
}

impl Transport {
    /// None when the records of the left cannot all be records of the right.
    pub(super) fn of(supply: Vec<Weight>, capacity: Vec<Weight>, to: &[Vec<u32>]) -> Option<Transport> {
        let (lefts, end) = (supply.len() as u32, (supply.len() + capacity.len()) as u32);
        let start = end + 1;
        let mut network = MaxFlow::new(start as usize + 1);
        let capacity: Vec<(Weight, u32)> = (lefts..end)
            .zip(capacity)
            .map(|(right, records)| (records, network.add_arc(right, end, records as i64)))
            .collect();
        let mut arcs = Vec::with_capacity(to.len());
        for ((left, records), to) in (0..).zip(&supply).zip(to) {
            network.add_arc(start, left, *records as i64);
            let arc = |right: &u32| (*right, network.add_arc(left, lefts + right, *records as i64));
            arcs.push(to.iter().map(arc).collect());
        }
        let placed = network.push(start, end) as Weight;
        (placed == supply.iter().sum::<Weight>()).then_some(Transport { network, supply, capacity, to: arcs })
    }

    /// The most records of a group on the left that can be in a group on the right, when all have their place.
    pub(super) fn most(&self, left: usize, right: usize) -> Weight {
        let bound = self.supply[left].min(self.capacity[right].0);
        let Ok(at) = self.to[left].binary_search_by_key(&(right as u32), |(right, _)| *right) else { return 0 };
        let arc = self.to[left][at].1;
        let now = self.network.flow(arc) as Weight;
        if now == bound {
            return now;
        }
        // Whatever can go round from the right back to the left can come again by the straight way.
        let mut rest = self.network.clone();
        rest.close(arc);
        now + rest.push((self.supply.len() + right) as u32, left as u32) as Weight
    }

    /// The fewest records of a group on the right that records of the left must be.
    pub(super) fn fewest(&self, right: usize) -> Weight {
        let arc = self.capacity[right].1;
        let used = self.network.flow(arc) as Weight;
        if used == 0 {
            return 0;
        }
        let mut rest = self.network.clone();
        rest.close(arc);
        let end = (self.supply.len() + self.capacity.len()) as u32;
        used - rest.push((self.supply.len() + right) as u32, end) as Weight
    }
}
