//! A flow through rows, and which of its cells are forced. It begins with the world that is known, if one is.

use crate::error::Result;
use crate::inference::contradiction;
use crate::inference::presolve::Boxes;
use crate::inference::system::System;

/// What lies outside of both kinds of rows.
pub(super) const OUTSIDE: u32 = 0;
const FROM: u32 = 1;
const TO: u32 = 2;
const NONE: u32 = u32::MAX;

/// The first row is this node, the next one the next.
pub(super) const ROWS: u32 = 3;

/// A flow network with its residual arcs; arc `2n` and arc `2n + 1` are each other's reverse.
#[derive(Default)]
pub(super) struct Network {
    first: Vec<u32>,
    next: Vec<u32>,
    to: Vec<u32>,
    left: Vec<i64>,
    /// Cells, each with its arc.
    cells: Vec<(u32, u32)>,
    /// What must flow through rows at least, and must therefore come from or go outside.
    outside: i64,
    wanted: i64,
    search: Search,
}

/// What is used while looking for strongly connected parts, by node.
#[derive(Default)]
struct Search {
    part: Vec<u32>,
    index: Vec<u32>,
    low: Vec<u32>,
    now: Vec<u32>,
    stack: Vec<u32>,
    calls: Vec<u32>,
}

impl Network {
    /// Takes everything away, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.first.resize(ROWS as usize, NONE);
        self.next.clear();
        self.to.clear();
        self.left.clear();
        self.cells.clear();
        (self.outside, self.wanted) = (0, 0);
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

    /// A row, of the first kind or the other: what flows through it lies between its bounds, beyond what its cells have at least.
    pub(super) fn row(&mut self, system: &System, boxes: &Boxes, row: usize, first: bool) {
        let node = self.first.len() as u32;
        self.first.push(NONE);
        let cells = system.rows.at(row).iter().map(|cell| *cell as usize);
        let low: i64 = cells.clone().map(|cell| boxes.at(cell).0).sum();
        let least = (system.least[row] - low).max(0);
        let spare = system.most[row] - low - least;
        let (ends, outside) = if first { ((FROM, node), (OUTSIDE, node)) } else { ((node, TO), (node, OUTSIDE)) };
        let must = self.arc(ends.0, ends.1, least);
        self.wanted += if first { least } else { 0 };
        self.outside += if first { -least } else { least };
        let seen = system.seen.as_ref().map(|seen| cells.map(|cell| seen[cell]).sum::<i64>() - low - least);
        if seen.is_some() {
            self.flow(must, least);
        }
        if spare > 0 {
            let beyond = self.arc(outside.0, outside.1, spare);
            self.flow(beyond, seen.unwrap_or(0));
        }
    }

    /// A cell from one row to another, or from or to outside.
    pub(super) fn cell(&mut self, system: &System, boxes: &Boxes, cell: usize, from: u32, to: u32) {
        let (low, high) = boxes.at(cell);
        let arc = self.arc(from, to, high - low);
        self.cells.push((cell as u32, arc));
        self.flow(arc, system.seen.as_ref().map_or(0, |seen| seen[cell] - low));
    }

    fn flow(&mut self, arc: u32, people: i64) {
        self.left[arc as usize] -= people;
        self.left[arc as usize ^ 1] += people;
    }

    /// Finds a flow that fits (Dinic's algorithm).
    pub(super) fn fill(&mut self) -> Result<()> {
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
                path.into_iter().for_each(|arc| self.flow(arc, most));
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

    /// Finds the cells through which no circle leads, each with its number of people.
    pub(super) fn forced(&mut self, boxes: &Boxes, found: &mut Vec<(u32, i64)>) {
        let mut search = std::mem::take(&mut self.search);
        self.parts(&mut search);
        let forced = |(cell, arc): &(u32, u32)| {
            let (from, to) = (self.to[*arc as usize ^ 1], self.to[*arc as usize]);
            let flows = self.left[*arc as usize ^ 1];
            let apart = search.part[from as usize] != search.part[to as usize];
            apart.then(|| (*cell, boxes.at(*cell as usize).0 + flows))
        };
        found.extend(self.cells.iter().filter_map(forced));
        self.search = search;
    }

    /// By node: its strongly connected part, over arcs with something left (Tarjan's algorithm). Where everything starts and
    /// ends is left out: what flows there is demanded.
    fn parts(&self, search: &mut Search) {
        let len = self.first.len();
        let Search { part, index, low, now, stack, calls } = search;
        for (list, value) in [(&mut *part, NONE), (&mut *index, NONE), (&mut *low, 0)] {
            list.clear();
            list.resize(len, value);
        }
        now.clone_from(&self.first);
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
    }
}
