//! A flow through rows, where no world is known that would be one.

use crate::contradiction;
use crate::error::Result;
use crate::presolve::Boxes;
use crate::system::System;

/// What lies outside of both kinds of rows.
pub(super) const OUTSIDE: u32 = 0;
/// The first row is this node, the next one the next.
pub(super) const ROWS: u32 = 1;

const NONE: u32 = u32::MAX;

/// A flow network with its residual arcs; arc `2n` and arc `2n + 1` are each other's reverse. Behind its rows lie two more nodes, where
/// everything starts and ends.
#[derive(Default)]
pub(super) struct Network {
    first: Vec<u32>,
    next: Vec<u32>,
    to: Vec<u32>,
    left: Vec<i64>,
    start: u32,
    end: u32,
    /// What must flow through rows at least, and must therefore come from or go outside.
    outside: i64,
    wanted: i64,
}

impl Network {
    /// So many rows, and nothing that leads from one to another.
    pub(super) fn of(rows: usize) -> Network {
        let start = ROWS + rows as u32;
        let first = vec![NONE; start as usize + 2];
        Network { first, start, end: start + 1, ..Network::default() }
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
    pub(super) fn row(&mut self, system: &System, boxes: &Boxes, row: usize, node: u32, first: bool) {
        let low: i64 = system.rows.at(row).iter().map(|cell| boxes.at(*cell as usize).0).sum();
        let least = (system.least[row] - low).max(0);
        let spare = system.most[row] - low - least;
        let (must, may) = match first {
            true => ((self.start, node), (OUTSIDE, node)),
            false => ((node, self.end), (node, OUTSIDE)),
        };
        self.arc(must.0, must.1, least);
        self.wanted += if first { least } else { 0 };
        self.outside += if first { -least } else { least };
        if spare > 0 {
            self.arc(may.0, may.1, spare);
        }
    }

    /// A cell from one row to another, or from or to outside, through which so much may flow. Answers with its arc.
    pub(super) fn cell(&mut self, from: u32, to: u32, most: i64) -> u32 {
        self.arc(from, to, most)
    }

    /// How much flows along an arc.
    pub(super) fn flows(&self, arc: u32) -> i64 {
        self.left[arc as usize ^ 1]
    }

    /// Finds a flow that fits (Dinic's algorithm).
    pub(super) fn fill(&mut self) -> Result<()> {
        match self.outside {
            more if more > 0 => {
                self.arc(self.start, OUTSIDE, more);
                self.wanted += more;
            }
            less if less < 0 => {
                self.arc(OUTSIDE, self.end, -less);
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
        level[self.start as usize] = 0;
        let mut queue = std::collections::VecDeque::from([self.start]);
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
        (level[self.end as usize] != NONE).then_some(level)
    }

    /// Pushes along one path of growing levels.
    fn push(&mut self, level: &[u32], now: &mut [u32]) -> i64 {
        let mut path: Vec<u32> = Vec::new();
        let mut node = self.start;
        loop {
            if node == self.end {
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
}
