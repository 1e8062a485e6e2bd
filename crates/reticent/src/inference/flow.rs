//! Two sources and one value are a flow: from the counts of one source to those of the other, through the people whom both count.
//!
//! Somebody whom only one of the two counts leads out of it. A cell is forced exactly when, in what is left of a flow that
//! fits, no circle leads through it: its ends lie in different strongly connected parts. So everything that follows from the
//! two sources and the value alone is found, in time linear in the cells once there is a flow.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::presolve::Boxes;
use super::system::System;
use super::{Value, contradiction};
use crate::error::Result;

/// Pairs of sources that count the same people, value by value.
pub(super) struct Pairs {
    pairs: Vec<Pair>,
    /// By row of a count: the one value it speaks of; none when it speaks of several.
    value: Vec<Option<Value>>,
}

struct Pair {
    /// The rows of one source and of the other.
    rows: [Vec<u32>; 2],
    sources: [u32; 2],
}

impl Pairs {
    pub(super) fn of(system: &System) -> Pairs {
        let value: Vec<Option<Value>> = (0..system.counts()).map(|row| one_value(system, row)).collect();
        let mut rows: HashMap<Value, HashMap<u32, Vec<u32>>> = HashMap::new();
        for (row, value) in value.iter().enumerate() {
            let Some(value) = value else { continue };
            rows.entry(*value).or_default().entry(system.source[row]).or_default().push(row as u32);
        }
        let mut pairs = Vec::new();
        let mut by_value: Vec<(Value, HashMap<u32, Vec<u32>>)> = rows.into_iter().collect();
        by_value.sort_unstable_by_key(|(value, _)| *value);
        for (_, by_source) in by_value {
            let mut by_source: Vec<(u32, Vec<u32>)> = by_source.into_iter().collect();
            by_source.sort_unstable_by_key(|(source, _)| *source);
            for (at, (one, of_one)) in by_source.iter().enumerate() {
                for (other, of_other) in &by_source[at + 1..] {
                    pairs.push(Pair { rows: [of_one.clone(), of_other.clone()], sources: [*one, *other] });
                }
            }
        }
        Pairs { pairs, value }
    }

    /// Cells that are forced, each with its number of people.
    pub(super) fn forced(&self, system: &System, boxes: &Boxes) -> Result<Vec<(u32, i64)>> {
        let forced = |pair: &Pair| self.forced_by(system, boxes, pair);
        let found: Result<Vec<Vec<(u32, i64)>>> = self.pairs.par_iter().map(forced).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    fn forced_by(&self, system: &System, boxes: &Boxes, pair: &Pair) -> Result<Vec<(u32, i64)>> {
        let mut network = Network::new();
        let mut shared = false;
        let is_open = |row: u32| system.rows.at(row as usize).iter().any(|cell| boxes.is_open(*cell as usize));
        let mut node: [HashMap<u32, u32>; 2] = [HashMap::new(), HashMap::new()];
        for side in 0..2 {
            for row in pair.rows[side].iter().filter(|row| is_open(**row)) {
                node[side].insert(*row, network.row(system, boxes, *row as usize, side));
            }
        }
        for side in 0..2 {
            for row in &pair.rows[side] {
                let Some(here) = node[side].get(row) else { continue };
                for cell in system.rows.at(*row as usize).iter().filter(|cell| boxes.is_open(**cell as usize)) {
                    let there = self.row_of(system, *cell as usize, pair.sources[1 - side]);
                    let there = there.and_then(|row| node[1 - side].get(&row)).copied();
                    shared |= there.is_some();
                    match (side, there) {
                        (0, there) => network.cell(boxes, *cell, *here, there.unwrap_or(OUTSIDE)),
                        (_, None) => network.cell(boxes, *cell, OUTSIDE, *here),
                        // Seen from the other side already.
                        (_, Some(_)) => {}
                    }
                }
            }
        }
        if !shared {
            return Ok(Vec::new());
        }
        network.fill()?;
        Ok(network.forced(boxes))
    }

    /// The row of a source that a cell is counted in, if that speaks of one value only.
    fn row_of(&self, system: &System, cell: usize, source: u32) -> Option<u32> {
        let fits = |row: &usize| system.source[*row] == source && self.value[*row].is_some();
        system.counts_of(cell).find(fits).map(|row| row as u32)
    }
}

fn one_value(system: &System, row: usize) -> Option<Value> {
    let mut values = system.rows.at(row).iter().map(|cell| system.value[*cell as usize]);
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// What lies outside of both sources.
const OUTSIDE: u32 = 0;
const FROM: u32 = 1;
const TO: u32 = 2;
const NONE: u32 = u32::MAX;

/// A flow network with its residual arcs; arc `2n` and arc `2n + 1` are each other's reverse.
struct Network {
    first: Vec<u32>,
    next: Vec<u32>,
    to: Vec<u32>,
    left: Vec<i64>,
    /// Cells, each with its arc.
    cells: Vec<(u32, u32)>,
    /// What must flow through rows at least, and must therefore come from or go outside.
    outside: i64,
    wanted: i64,
}

impl Network {
    fn new() -> Network {
        Network {
            first: vec![NONE; 3],
            next: Vec::new(),
            to: Vec::new(),
            left: Vec::new(),
            cells: Vec::new(),
            outside: 0,
            wanted: 0,
        }
    }

    fn arc(&mut self, from: u32, to: u32, most: i64) -> u32 {
        let arc = self.to.len() as u32;
        for (from, to, most) in [(from, to, most), (to, from, 0)] {
            self.next.push(self.first[from as usize]);
            self.first[from as usize] = self.to.len() as u32;
            self.to.push(to);
            self.left.push(most);
        }
        arc
    }

    /// A row: what flows through it lies between its bounds, beyond what its cells have at least.
    fn row(&mut self, system: &System, boxes: &Boxes, row: usize, side: usize) -> u32 {
        let node = self.first.len() as u32;
        self.first.push(NONE);
        let low: i64 = system.rows.at(row).iter().map(|cell| boxes.at(*cell as usize).0).sum();
        let least = (system.least[row] - low).max(0);
        let spare = system.most[row] - low - least;
        if side == 0 {
            self.arc(FROM, node, least);
            self.wanted += least;
            self.outside -= least;
            if spare > 0 {
                self.arc(OUTSIDE, node, spare);
            }
        } else {
            self.arc(node, TO, least);
            self.outside += least;
            if spare > 0 {
                self.arc(node, OUTSIDE, spare);
            }
        }
        node
    }

    fn cell(&mut self, boxes: &Boxes, cell: u32, from: u32, to: u32) {
        let (low, high) = boxes.at(cell as usize);
        let arc = self.arc(from, to, high - low);
        self.cells.push((cell, arc));
    }

    /// Finds a flow that fits (Dinic's algorithm).
    fn fill(&mut self) -> Result<()> {
        match self.outside {
            more if more > 0 => {
                self.arc(FROM, OUTSIDE, more);
                self.wanted += more;
            }
            less if less < 0 => {
                self.arc(OUTSIDE, TO, -less);
            }
            _ => {}
        }
        let mut flown = 0;
        while let Some(level) = self.levels() {
            let mut now = self.first.clone();
            loop {
                let pushed = self.push(&level, &mut now);
                if pushed == 0 {
                    break;
                }
                flown += pushed;
            }
        }
        if flown < self.wanted { Err(contradiction()) } else { Ok(()) }
    }

    /// By node: how many arcs it is away from where everything starts; none when the end cannot be reached.
    fn levels(&self) -> Option<Vec<u32>> {
        let mut level = vec![NONE; self.first.len()];
        level[FROM as usize] = 0;
        let mut queue = std::collections::VecDeque::from([FROM]);
        while let Some(node) = queue.pop_front() {
            let mut arc = self.first[node as usize];
            while arc != NONE {
                let to = self.to[arc as usize] as usize;
                if self.left[arc as usize] > 0 && level[to] == NONE {
                    level[to] = level[node as usize] + 1;
                    queue.push_back(to as u32);
                }
                arc = self.next[arc as usize];
            }
        }
        (level[TO as usize] != NONE).then_some(level)
    }

    /// Pushes along one path of growing levels.
    fn push(&mut self, level: &[u32], now: &mut [u32]) -> i64 {
        let mut path: Vec<u32> = Vec::new();
        let mut node = FROM;
        loop {
            if node == TO {
                let most = path.iter().map(|arc| self.left[*arc as usize]).min().unwrap_or(0);
                for arc in path {
                    self.left[arc as usize] -= most;
                    self.left[arc as usize ^ 1] += most;
                }
                return most;
            }
            let arc = now[node as usize];
            if arc == NONE {
                // Nothing leads on from here: back, and not here again.
                let Some(arc) = path.pop() else { return 0 };
                node = self.to[arc as usize ^ 1];
                now[node as usize] = self.next[now[node as usize] as usize];
                continue;
            }
            let to = self.to[arc as usize];
            if self.left[arc as usize] > 0 && level[to as usize] == level[node as usize] + 1 {
                path.push(arc);
                node = to;
            } else {
                now[node as usize] = self.next[arc as usize];
            }
        }
    }

    /// Cells through which no circle leads.
    fn forced(&self, boxes: &Boxes) -> Vec<(u32, i64)> {
        let part = self.parts();
        let forced = |(cell, arc): &(u32, u32)| {
            let (from, to) = (self.to[*arc as usize ^ 1], self.to[*arc as usize]);
            let flows = self.left[*arc as usize ^ 1];
            (part[from as usize] != part[to as usize]).then(|| (*cell, boxes.at(*cell as usize).0 + flows))
        };
        self.cells.iter().filter_map(forced).collect()
    }

    /// By node: its strongly connected part, over arcs with something left (Tarjan's algorithm). Where everything starts and
    /// ends is left out: what flows there is demanded.
    fn parts(&self) -> Vec<u32> {
        let len = self.first.len();
        let (mut part, mut index, mut low) = (vec![NONE; len], vec![NONE; len], vec![0u32; len]);
        let mut now = self.first.clone();
        let (mut stack, mut calls) = (Vec::new(), Vec::new());
        let (mut seen, mut parts) = (0, 0);
        for root in (0..len as u32).filter(|node| *node != FROM && *node != TO) {
            if index[root as usize] != NONE {
                continue;
            }
            calls.push(root);
            while let Some(node) = calls.last().copied() {
                let n = node as usize;
                if index[n] == NONE {
                    (index[n], low[n]) = (seen, seen);
                    seen += 1;
                    stack.push(node);
                }
                let arc = now[n];
                if arc != NONE {
                    now[n] = self.next[arc as usize];
                    let to = self.to[arc as usize];
                    if self.left[arc as usize] == 0 || to == FROM || to == TO {
                        continue;
                    }
                    if index[to as usize] == NONE {
                        calls.push(to);
                    } else if part[to as usize] == NONE {
                        low[n] = low[n].min(index[to as usize]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(caller) = calls.last() {
                    low[*caller as usize] = low[*caller as usize].min(low[n]);
                }
                if low[n] == index[n] {
                    while let Some(member) = stack.pop() {
                        part[member as usize] = parts;
                        if member == node {
                            break;
                        }
                    }
                    parts += 1;
                }
            }
        }
        part
    }
}
