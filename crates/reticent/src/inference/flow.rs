//! Two kinds of rows that share cells are a flow: from the rows of one kind to those of the other, through the cells in both.
//!
//! There are two such views of a puzzle. Two sources and one value: so many in the groups of one, so many in those of the
//! other. And one source and the people: its groups have so many of each value, and everybody has one.
//!
//! A cell that only one of the two counts leads out of it. A cell is forced exactly when, in what is left of a flow that
//! fits, no circle leads through it: its ends lie in different strongly connected parts. So everything that follows from one
//! view alone is found, in time linear in the cells once there is a flow.

use std::collections::BTreeMap;
use std::hash::BuildHasherDefault;
use std::ops::Bound;

use hashbrown::HashMap;
use rayon::prelude::*;
use rustc_hash::FxHasher;

use super::presolve::Boxes;
use super::system::System;
use super::{Value, contradiction};
use crate::error::Result;

/// The views of a system.
pub(super) struct Views {
    views: Vec<View>,
    /// By row of a count: the one value it speaks of; none when it speaks of several.
    value: Vec<Option<Value>>,
}

/// Two kinds of rows.
struct View {
    /// The rows of one source.
    rows: Vec<u32>,
    with: With,
}

/// What a source is looked at together with.
enum With {
    /// The rows of another source, of one value.
    Source(u32, Vec<u32>),
    /// Everybody whom it counts.
    People,
}

impl Views {
    pub(super) fn of(system: &System) -> Views {
        let value: Vec<Option<Value>> = (0..system.counts()).map(|row| one_value(system, row)).collect();
        let mut by_source: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut by_value: BTreeMap<Value, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
        for (row, value) in (0..).zip(&value) {
            let source = system.source[row as usize];
            by_source.entry(source).or_default().push(row);
            if let Some(value) = value {
                by_value.entry(*value).or_default().entry(source).or_default().push(row);
            }
        }
        let mut views: Vec<View> = by_source.into_values().map(|rows| View { rows, with: With::People }).collect();
        for by_source in by_value.into_values() {
            for (source, rows) in &by_source {
                let others = by_source.range((Bound::Excluded(*source), Bound::Unbounded));
                let with = others.map(|(other, of_other)| With::Source(*other, of_other.clone()));
                views.extend(with.map(|with| View { rows: rows.clone(), with }));
            }
        }
        Views { views, value }
    }

    /// Cells that are forced, each with its number of people. Views of which no row has changed are left out.
    pub(super) fn forced(&self, system: &System, boxes: &Boxes, changed: &[bool]) -> Result<Vec<(u32, i64)>> {
        let any = |rows: &[u32]| rows.iter().any(|row| changed[*row as usize]);
        let whose = |cell: &u32| changed[system.counts() + system.crowd[*cell as usize] as usize];
        let anew = |view: &&View| match &view.with {
            With::People => {
                view.rows.iter().any(|row| system.rows.at(*row as usize).iter().any(whose)) || any(&view.rows)
            }
            With::Source(_, others) => any(&view.rows) || any(others),
        };
        let forced = |view: &View| self.forced_by(system, boxes, view);
        let found: Result<Vec<Vec<(u32, i64)>>> = self.views.par_iter().filter(anew).map(forced).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    fn forced_by(&self, system: &System, boxes: &Boxes, view: &View) -> Result<Vec<(u32, i64)>> {
        let mut network = Network::new();
        let open =
            |row: usize| system.rows.at(row).iter().map(|cell| *cell as usize).filter(|cell| boxes.is_open(*cell));
        let mut nodes: HashMap<u32, u32, BuildHasherDefault<FxHasher>> = HashMap::default();
        let mut shared = false;
        for row in &view.rows {
            let mut here = None;
            for cell in open(*row as usize) {
                let here = *here.get_or_insert_with(|| network.row(system, boxes, *row as usize, 0));
                let there = self.other(system, cell, &view.with);
                shared |= there.is_some();
                let mut node =
                    |row: u32| *nodes.entry(row).or_insert_with(|| network.row(system, boxes, row as usize, 1));
                let there = there.map_or(OUTSIDE, &mut node);
                network.cell(system, boxes, cell, here, there);
            }
        }
        if !shared {
            return Ok(Vec::new());
        }
        // What only the other kind counts comes from outside.
        let others: Vec<(u32, u32)> = nodes.iter().map(|(row, node)| (*row, *node)).collect();
        for (row, node) in others {
            for cell in open(row as usize).filter(|cell| !self.is_in(system, *cell, view)) {
                network.cell(system, boxes, cell, OUTSIDE, node);
            }
        }
        if !network.take(system, boxes) {
            network.fill()?;
        }
        Ok(network.forced(boxes))
    }

    /// The row of the other kind that a cell is in.
    fn other(&self, system: &System, cell: usize, with: &With) -> Option<u32> {
        match with {
            With::People => Some(system.counts() as u32 + system.crowd[cell]),
            With::Source(source, _) => {
                let fits = |row: &usize| system.source[*row] == *source && self.value[*row].is_some();
                system.counts_of(cell).find(fits).map(|row| row as u32)
            }
        }
    }

    /// Whether a cell is in a row of the first kind.
    fn is_in(&self, system: &System, cell: usize, view: &View) -> bool {
        let Some(source) = view.rows.first().map(|row| system.source[*row as usize]) else { return false };
        let one_value = matches!(view.with, With::Source(..));
        system.counts_of(cell).any(|row| system.source[row] == source && (!one_value || self.value[row].is_some()))
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
    /// By node: what flows through it in the world that is known, and what must at least.
    through: Vec<(i64, i64)>,
    /// By node: the arc for what may flow through it beyond that.
    beyond: Vec<u32>,
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
            through: vec![(0, 0); 3],
            beyond: vec![NONE; 3],
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
        let beyond = if side == 0 {
            self.arc(FROM, node, least);
            self.wanted += least;
            self.outside -= least;
            (spare > 0).then(|| self.arc(OUTSIDE, node, spare))
        } else {
            self.arc(node, TO, least);
            self.outside += least;
            (spare > 0).then(|| self.arc(node, OUTSIDE, spare))
        };
        self.through.push((0, least));
        self.beyond.push(beyond.unwrap_or(NONE));
        node
    }

    fn cell(&mut self, system: &System, boxes: &Boxes, cell: usize, from: u32, to: u32) {
        let (low, high) = boxes.at(cell);
        let arc = self.arc(from, to, high - low);
        self.cells.push((cell as u32, arc));
        if let Some(seen) = &system.seen {
            let flows = seen[cell] - low;
            self.through[from as usize].0 += flows;
            self.through[to as usize].0 += flows;
        }
    }

    /// Takes the flow of the world that is known. False when none is, or it does not fit.
    fn take(&mut self, system: &System, boxes: &Boxes) -> bool {
        let Some(seen) = &system.seen else { return false };
        let rows = 3..self.through.len();
        let fits = |node: usize| {
            let (flows, least) = self.through[node];
            let beyond = self.beyond[node];
            flows >= least && (flows == least || beyond != NONE && flows - least <= self.left[beyond as usize])
        };
        let within = |(cell, _): &(u32, u32)| {
            let (low, high) = boxes.at(*cell as usize);
            (low..=high).contains(&seen[*cell as usize])
        };
        if !rows.clone().all(fits) || !self.cells.iter().all(within) {
            return false;
        }
        let beyond = rows.filter(|node| self.beyond[*node] != NONE);
        let beyond = beyond.map(|node| (self.beyond[node], self.through[node].0 - self.through[node].1));
        let of_cells = self.cells.iter().map(|(cell, arc)| (*arc, seen[*cell as usize] - boxes.at(*cell as usize).0));
        for (arc, flows) in beyond.chain(of_cells).collect::<Vec<_>>() {
            self.left[arc as usize] -= flows;
            self.left[arc as usize ^ 1] += flows;
        }
        true
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
