//! A puzzle as a sparse system: a *cell* for every crowd and value it may have, a *row* for every count, and one more row for
//! every crowd, whose people have one value each.

use std::ops::Range;

use rayon::prelude::*;

use super::presolve::Boxes;
use super::{Puzzle, Value, contradiction};
use crate::error::{Error, Result};

/// No more people whom nothing tells apart,
const MOST_PEOPLE: u64 = u32::MAX as u64;
/// and no more cells in rows, so that their numbers fit wherever rows and cells are numbered.
const MOST_CELLS: usize = 1 << 30;
/// More are not chosen one by one. Of as many others, there are more than 2^128 ways to choose as many.
const MOST_CHOSEN: u64 = 1 << 16;
/// Counts that become rows together.
const ROWS: usize = 1 << 11;
/// Among no more values, one is found as fast by looking at each.
const SHORT: usize = 8;

/// A sparse system of counts over cells.
pub(super) struct System {
    /// By crowd: its people.
    pub people: Vec<i64>,
    /// By crowd: its first cell; one more at the end.
    start: Vec<u32>,
    /// By cell: its value.
    pub value: Vec<Value>,
    /// By cell: its crowd.
    pub crowd: Vec<u32>,
    /// The rows of counts, and after them one row a crowd.
    pub rows: Lists,
    /// By row.
    pub least: Vec<i64>,
    /// By row.
    pub most: Vec<i64>,
    /// By row of a count: its source.
    pub source: Vec<u32>,
    /// By cell: its rows.
    pub of_cell: Lists,
    /// By cell: how many have it in a world that is known, and fits.
    pub seen: Option<Vec<i64>>,
    /// Crowds of whom more is known, ascending.
    pub loose: Vec<u32>,
}

/// Lists of numbers, one behind the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Lists {
        Lists { start: vec![0], items: Vec::new() }
    }
}

impl Lists {
    fn with_capacity(lists: usize, items: usize) -> Lists {
        let mut start = Vec::with_capacity(lists + 1);
        start.push(0);
        Lists { start, items: Vec::with_capacity(items) }
    }

    pub(super) fn of(lists: impl Iterator<Item = impl IntoIterator<Item = u32>>) -> Lists {
        let mut made = Lists::default();
        for list in lists {
            made.push(list);
        }
        made
    }

    /// More lists.
    fn append(&mut self, more: &Lists) {
        let before = self.items.len() as u32;
        self.items.extend_from_slice(&more.items);
        self.start.extend(more.start[1..].iter().map(|start| before + start));
    }

    /// One more list.
    pub(super) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.start.push(self.items.len() as u32);
    }

    /// The other way round: for each of `len` numbers, the lists it is in.
    pub(super) fn turned(&self, len: usize) -> Lists {
        let mut start = vec![0u32; len + 1];
        for item in &self.items {
            start[*item as usize + 1] += 1;
        }
        for at in 0..len {
            start[at + 1] += start[at];
        }
        let mut next = start.clone();
        let mut items = vec![0; self.items.len()];
        for list in 0..self.len() {
            for item in self.at(list) {
                let place = &mut next[*item as usize];
                items[*place as usize] = list as u32;
                *place += 1;
            }
        }
        Lists { start, items }
    }

    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Keeps so many.
    pub(super) fn truncate(&mut self, lists: usize) {
        self.start.truncate(lists + 1);
        self.items.truncate(self.start[lists] as usize);
    }

    /// What is in some that follow each other.
    pub(super) fn items_of(&self, lists: Range<usize>) -> &[u32] {
        &self.items[self.start[lists.start] as usize..self.start[lists.end] as usize]
    }

    pub(super) fn at(&self, list: usize) -> &[u32] {
        &self.items[self.start[list] as usize..self.start[list + 1] as usize]
    }
}

impl System {
    /// The system of a puzzle. A count of a value that somebody cannot have counts nobody there.
    pub(super) fn of(puzzle: &Puzzle) -> Result<System> {
        let cells: usize = puzzle.crowds.iter().map(|crowd| crowd.may.len()).sum();
        let counted: usize = puzzle.counts.iter().map(|count| count.of.len()).sum();
        if cells + counted > MOST_CELLS || puzzle.crowds.iter().any(|crowd| crowd.people > MOST_PEOPLE) {
            return Err(too_large());
        }
        let mut start = vec![0u32];
        let (mut value, mut crowd) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        for (at, one) in (0..).zip(&puzzle.crowds) {
            if !one.may.is_sorted_by(|value, next| value < next) {
                return Err(not_ascending());
            }
            value.extend(&one.may);
            crowd.extend(one.may.iter().map(|_| at));
            start.push(value.len() as u32);
        }
        let cell = |(crowd, wanted): &(u32, Value)| {
            let (first, end) = (start[*crowd as usize], start[*crowd as usize + 1]);
            let after = &value[first as usize..];
            let len = (end - first) as usize;
            let place = match after.first_chunk::<SHORT>().filter(|_| len <= SHORT) {
                Some(few) => among(few, len, *wanted),
                None => after[..len].binary_search(wanted).ok(),
            };
            place.map(|place| first + place as u32)
        };
        let some = puzzle.counts.par_chunks(ROWS).map(|counts| {
            let named = counts.iter().map(|count| count.of.len()).sum();
            let (mut items, mut len) = (vec![0; named], 0);
            let mut ends = Vec::with_capacity(counts.len() + 1);
            ends.push(0);
            for count in counts {
                let begin = len;
                for named in &count.of {
                    // Written in any case: whether somebody may have a value is not foreseen.
                    let cell = cell(named);
                    items[len] = cell.unwrap_or(0);
                    len += usize::from(cell.is_some());
                }
                // Whoever is named twice is counted once.
                if !items[begin..len].is_sorted_by(|one, other| one < other) {
                    let mut once = items[begin..len].to_vec();
                    once.sort_unstable();
                    once.dedup();
                    len = begin + once.len();
                    items[begin..len].copy_from_slice(&once);
                }
                ends.push(len as u32);
            }
            items.truncate(len);
            Lists { start: ends, items }
        });
        let mut rows = Lists::with_capacity(puzzle.counts.len() + puzzle.crowds.len(), counted + cells);
        some.collect::<Vec<_>>().iter().for_each(|some| rows.append(some));
        start.windows(2).for_each(|ends| rows.push(ends[0]..ends[1]));
        let people: Vec<i64> = puzzle.crowds.iter().map(|crowd| crowd.people as i64).collect();
        let all: i64 = people.iter().sum();
        if puzzle.counts.iter().any(|count| count.least > count.most || count.least > all as u64) {
            return Err(contradiction());
        }
        let least: Vec<i64> =
            puzzle.counts.iter().map(|count| count.least as i64).chain(people.iter().copied()).collect();
        let most = |count: &super::Count| count.most.min(all as u64) as i64;
        let most: Vec<i64> = puzzle.counts.iter().map(most).chain(people.iter().copied()).collect();
        let source = puzzle.counts.iter().map(|count| count.source).collect();
        let of_cell = rows.turned(value.len());
        let seen = puzzle.seen.as_ref().and_then(|seen| {
            let (mut having, mut counted) = (vec![0; value.len()], vec![0; rows.len()]);
            for (crowd, value, people) in seen {
                if let Some(cell) = cell(&(*crowd, *value)) {
                    having[cell as usize] += *people as i64;
                    of_cell.at(cell as usize).iter().for_each(|row| counted[*row as usize] += *people as i64);
                }
            }
            let fits = |(row, counted): (usize, &i64)| (least[row]..=most[row]).contains(counted);
            counted.iter().enumerate().all(fits).then_some(having)
        });
        Ok(System {
            people,
            start,
            value,
            crowd,
            rows,
            least,
            most,
            source,
            of_cell,
            seen,
            loose: puzzle.loose.clone(),
        })
    }

    pub(super) fn crowds(&self) -> usize {
        self.people.len()
    }

    /// The cells of a crowd.
    pub(super) fn cells(&self, crowd: usize) -> Range<usize> {
        self.start[crowd] as usize..self.start[crowd + 1] as usize
    }

    /// How many rows are counts; those after them are crowds.
    pub(super) fn counts(&self) -> usize {
        self.source.len()
    }

    /// The rows of counts that a cell is in.
    pub(super) fn counts_of(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.of_cell.at(cell).iter().map(|row| *row as usize).filter(|row| *row < self.counts())
    }

    /// What a crowd adds to the entropy of those of its people, `open` of them, who have none of its forced values, in nats: what the forced
    /// values add by themselves, and that it is not known who has none of them.
    pub(super) fn forced_entropy(&self, crowd: usize, boxes: &Boxes, open: u64) -> f64 {
        let people = self.people[crowd];
        let of = |having: i64| if having > 0 { -(having as f64) * (having as f64 / people as f64).ln() } else { 0.0 };
        // Nobody, or everybody, is told apart by nothing.
        if open == people as u64 || people == 1 {
            return 0.0;
        }
        let forced = self.cells(crowd).filter(|cell| !boxes.is_open(*cell)).map(|cell| of(boxes.at(cell).0));
        of(open as i64) + forced.sum::<f64>()
    }

    /// In how many ways the people of a crowd can be chosen who have its forced values, and the logarithm of that; `open`
    /// people have none of them.
    pub(super) fn arrangements(&self, crowd: usize, boxes: &Boxes, open: u64) -> (Option<u128>, f64) {
        let forced = self.cells(crowd).map(|cell| boxes.at(cell)).filter(|(low, high)| low == high && *low > 0);
        let (mut ways, mut ln) = (Some(1u128), 0.0);
        let mut among = open;
        for (having, _) in forced {
            among += having as u64;
            let (chosen, ln_chosen) = choices(among, having as u64);
            ways = ways.zip(chosen).and_then(|(ways, chosen)| ways.checked_mul(chosen));
            ln += ln_chosen;
        }
        (ways, ln)
    }
}

/// In how many ways some can be chosen among all, where that can be written, and the logarithm of that.
fn choices(all: u64, chosen: u64) -> (Option<u128>, f64) {
    let few = chosen.min(all - chosen);
    if few > MOST_CHOSEN {
        // Stirling's series: what is left out is below 1 / (360 few^3).
        let ln_orders = |n: u64| {
            let n = n as f64;
            n * n.ln() - n + (std::f64::consts::TAU * n).ln() / 2.0 + 1.0 / (12.0 * n)
        };
        return (None, ln_orders(all) - ln_orders(few) - ln_orders(all - few));
    }
    let (mut ways, mut ln) = (Some(1u128), 0.0);
    for nth in 1..=few {
        let among = all - few + nth;
        ways = ways.and_then(|ways| Some(ways.checked_mul(among.into())? / u128::from(nth)));
        ln += (among as f64 / nth as f64).ln();
    }
    (ways, ln)
}

/// The place of a value among the first of some, which are all different. Looks at all of them, which is faster than to stop.
fn among(some: &[Value; SHORT], first: usize, wanted: Value) -> Option<usize> {
    let nth = |(value, nth): (&Value, u32)| if *value == wanted && nth <= first as u32 { nth } else { 0 };
    let found: u32 = some.iter().zip(1..).map(nth).sum();
    (found as usize).checked_sub(1)
}

fn not_ascending() -> Error {
    Error::ValuesNotAscending
}

fn too_large() -> Error {
    Error::TooLarge { people_limit: MOST_PEOPLE, cells_limit: MOST_CELLS as u64 }
}
