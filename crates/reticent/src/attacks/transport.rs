//! Transport: how the records of one release can be records of another, counted by groups.
//!
//! Records of a group on the left are each one record of some group on the right that they can be. As many as a group has
//! fit; which they are does not matter, so a group is a node with a capacity and the question is one of maximum flow. One
//! flow that places everything answers all questions: what can be more or less in one place is a flow in what it leaves.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::combos::Weight;

/// One way to place all records of the left.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    /// By group on the right: how many records it has.
    capacity: Vec<Weight>,
    /// By group on the left: the groups on the right that its records can be in, ascending.
    to: Arc<Vec<Vec<u32>>>,
    /// By group on the left: how many records it has.
    supply: Vec<Weight>,
    /// By group on the right: the groups on the left that records come from, with how many.
    flow: Vec<BTreeMap<u32, Weight>>,
    /// By group on the right: how many come in all.
    used: Vec<Weight>,
}

/// Groups on the left come first, then those on the right, then the one place where all records on the right end.
type Place = usize;

impl Transport {
    /// None when the records of the left cannot all be records of the right.
    pub fn of(supply: Vec<Weight>, capacity: Vec<Weight>, to: Arc<Vec<Vec<u32>>>) -> Option<Transport> {
        let flow = vec![BTreeMap::new(); capacity.len()];
        let used = vec![0; capacity.len()];
        let mut transport = Transport { capacity, to, supply, flow, used };
        for left in 0..transport.supply.len() {
            let mut waiting = transport.place_directly(left, transport.supply[left]);
            while waiting > 0 {
                let path = transport.path(left, transport.end(), None)?;
                waiting -= transport.push(&path, waiting);
            }
        }
        Some(transport)
    }

    /// The most records of a group on the left that can be in a group on the right, when all have their place.
    pub fn most(&self, left: usize, right: usize) -> Weight {
        let bound = self.supply[left].min(self.capacity[right]);
        if bound == 0 || self.to[left].binary_search(&(right as u32)).is_err() {
            return 0;
        }
        let right = self.to.len() + right;
        let now = self.amount(left, right);
        if now == bound {
            return now;
        }
        let mut rest = self.clone();
        // Whatever can go round from the right back to the left can come again by the straight way.
        let mut more = 0;
        while let Some(path) = rest.path(right, left, Some((right, left))) {
            let moved = rest.push(&path, Weight::MAX);
            rest.shift(left, right, moved);
            more += moved;
        }
        now + more
    }

    /// The fewest records of a group on the right that records of the left must be.
    pub fn fewest(&self, right: usize) -> Weight {
        if self.used[right] == 0 {
            return 0;
        }
        let mut rest = self.clone();
        let place = self.to.len() + right;
        let mut elsewhere = 0;
        while let Some(path) = rest.path(place, self.end(), Some((place, self.end()))) {
            elsewhere += rest.push(&path, Weight::MAX);
        }
        self.used[right] - elsewhere
    }

    fn end(&self) -> Place {
        self.to.len() + self.capacity.len()
    }

    fn amount(&self, left: usize, right: Place) -> Weight {
        self.flow[right - self.to.len()].get(&(left as u32)).copied().unwrap_or(0)
    }

    /// Puts records where there is room; the number that found none.
    fn place_directly(&mut self, left: usize, records: Weight) -> Weight {
        let mut waiting = records;
        for at in 0..self.to[left].len() {
            let right = self.to[left][at] as usize;
            let placed = waiting.min(self.capacity[right] - self.used[right]);
            if placed > 0 {
                self.shift(left, self.to.len() + right, placed);
                waiting -= placed;
            }
        }
        waiting
    }

    /// A shortest way along which something can be moved, not by the banned step.
    fn path(&self, from: Place, to: Place, banned: Option<(Place, Place)>) -> Option<Vec<Place>> {
        let mut before: Vec<Option<Place>> = vec![None; self.end() + 1];
        let mut open = VecDeque::from([from]);
        while let Some(place) = open.pop_front() {
            for next in self.next(place) {
                if before[next].is_some() || next == from || banned == Some((place, next)) {
                    continue;
                }
                before[next] = Some(place);
                if next == to {
                    let mut path = vec![to];
                    while let Some(place) = path.last().and_then(|last| before[*last]) {
                        path.push(place);
                    }
                    path.reverse();
                    return Some(path);
                }
                open.push_back(next);
            }
        }
        None
    }

    /// Where something can be moved to: records on the left to any group they can be in, records on the right back to
    /// where they came from or to the end, and from the end back to any group that has some.
    fn next(&self, place: Place) -> Vec<Place> {
        let lefts = self.to.len();
        if place < lefts {
            return self.to[place].iter().map(|right| lefts + *right as usize).collect();
        }
        if place == self.end() {
            return (0..self.capacity.len()).filter(|right| self.used[*right] > 0).map(|right| lefts + right).collect();
        }
        let right = place - lefts;
        let back = self.flow[right].keys().map(|left| *left as Place);
        back.chain((self.used[right] < self.capacity[right]).then_some(self.end())).collect()
    }

    /// Moves as much as the way allows, at most so much.
    fn push(&mut self, path: &[Place], most: Weight) -> Weight {
        let steps: Vec<(Place, Place)> = path.windows(2).map(|step| (step[0], step[1])).collect();
        let amount = steps.iter().map(|(from, to)| self.room(*from, *to)).fold(most, Weight::min);
        for (from, to) in steps {
            self.shift(from, to, amount);
        }
        amount
    }

    fn room(&self, from: Place, to: Place) -> Weight {
        let lefts = self.to.len();
        match (from, to) {
            (from, _) if from < lefts => Weight::MAX,
            (right, left) if left < lefts => self.amount(left, right),
            (right, end) if end == self.end() => self.capacity[right - lefts] - self.used[right - lefts],
            (_, right) => self.used[right - lefts],
        }
    }

    /// Steps from and to the end change nothing by themselves: what a group holds is the sum of what came to it.
    fn shift(&mut self, from: Place, to: Place, amount: Weight) {
        let lefts = self.to.len();
        if from < lefts {
            *self.flow[to - lefts].entry(from as u32).or_insert(0) += amount;
            self.used[to - lefts] += amount;
        } else if to < lefts {
            let flow = &mut self.flow[from - lefts];
            if let Some(records) = flow.get_mut(&(to as u32)) {
                *records -= amount;
            }
            flow.retain(|_, records| *records > 0);
            self.used[from - lefts] -= amount;
        }
    }
}
