//! The problem as a sparse linear system.
//!
//! Variables are *cells*, one per class and possible value. *Rows* are the counts, followed by one row per class: the cells of a
//! class sum to its number of people.

use std::ops::Range;

use rayon::prelude::*;

use super::presolve::CellBounds;
use super::{Problem, Value, contradiction};
use crate::error::{Error, Result};

/// Maximum number of people in a class; bounds of cells are stored in 32 bits.
const MAX_PEOPLE: u64 = u32::MAX as u64;
/// Maximum number of cells over all rows, so that 32-bit indices are sufficient.
const MAX_CELLS: usize = 1 << 30;
/// Largest `k <= n / 2` for which the coefficient `n` over `k` is computed exactly. Beyond it, the coefficient exceeds 2^128.
const MAX_EXACT_CHOSEN: u64 = 1 << 16;
/// Number of counts per parallel task.
const COUNTS_PER_CHUNK: usize = 1 << 11;
/// Maximum number of possible values for which a linear search replaces the binary search.
const MAX_LINEAR_SEARCH: usize = 8;

/// A sparse system of counts over cells.
pub(super) struct System {
    /// By class: number of people.
    pub people: Vec<i64>,
    /// By class: index of its first cell; one more entry at the end.
    start: Vec<u32>,
    /// By cell: value.
    pub value: Vec<Value>,
    /// By cell: class.
    pub class: Vec<u32>,
    /// Cells of each row: the counts, then one row per class.
    pub rows: Lists,
    /// By row: lower bound of the sum.
    pub lower: Vec<i64>,
    /// By row: upper bound of the sum.
    pub upper: Vec<i64>,
    /// By row of a count: source.
    pub source: Vec<u32>,
    /// By cell: the rows that contain it.
    pub rows_of: Lists,
    /// By cell: number of people in the known possible world, if there is one.
    pub known_solution: Option<Vec<i64>>,
    /// Classes with incomplete constraints, in ascending order.
    pub incomplete: Vec<u32>,
    /// Counts to which a person can add several records. They are not in `rows`.
    pub weighted: Vec<WeightedRow>,
}

/// A count to which a person can add several records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WeightedRow {
    /// Cells in ascending order, with the number of records per person.
    pub cells: Vec<(u32, i64)>,
    /// Lower bound of the sum.
    pub lower: i64,
    /// Upper bound of the sum.
    pub upper: i64,
}

/// A list of lists in compressed sparse row layout.
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

    pub(super) fn new(lists: impl Iterator<Item = impl IntoIterator<Item = u32>>) -> Lists {
        let mut made = Lists::default();
        for list in lists {
            made.push(list);
        }
        made
    }

    /// Appends all lists of another value.
    fn append(&mut self, more: &Lists) {
        let before = self.items.len() as u32;
        self.items.extend_from_slice(&more.items);
        self.start.extend(more.start[1..].iter().map(|start| before + start));
    }

    /// Appends one list.
    pub(super) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.start.push(self.items.len() as u32);
    }

    /// The transpose: for each number below `len`, the lists that contain it.
    pub(super) fn transposed(&self, len: usize) -> Lists {
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

    /// Keeps the first `lists` lists.
    pub(super) fn truncate(&mut self, lists: usize) {
        self.start.truncate(lists + 1);
        self.items.truncate(self.start[lists] as usize);
    }

    /// Items of a range of lists.
    pub(super) fn items_of(&self, lists: Range<usize>) -> &[u32] {
        &self.items[self.start[lists.start] as usize..self.start[lists.end] as usize]
    }

    pub(super) fn at(&self, list: usize) -> &[u32] {
        &self.items[self.start[list] as usize..self.start[list + 1] as usize]
    }
}

impl System {
    /// Builds the system of a problem. Cells of a count that are not possible are ignored.
    pub(super) fn new(problem: &Problem) -> Result<System> {
        let cells: usize = problem.classes.iter().map(|class| class.possible.len()).sum();
        let counted: usize = problem.counts.iter().map(|count| count.cells.len()).sum();
        if cells + counted > MAX_CELLS || problem.classes.iter().any(|class| class.people > MAX_PEOPLE) {
            return Err(too_large());
        }
        let mut start = vec![0u32];
        let (mut value, mut class) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        for (at, one) in (0..).zip(&problem.classes) {
            if !one.possible.is_sorted_by(|value, next| value < next) {
                return Err(not_ascending());
            }
            value.extend(&one.possible);
            class.extend(one.possible.iter().map(|_| at));
            start.push(value.len() as u32);
        }
        let cell = |(class, wanted): &(u32, Value)| {
            let (first, end) = (start[*class as usize], start[*class as usize + 1]);
            let after = &value[first as usize..];
            let len = (end - first) as usize;
            let place = match after.first_chunk::<MAX_LINEAR_SEARCH>().filter(|_| len <= MAX_LINEAR_SEARCH) {
                Some(few) => position_in_short(few, len, *wanted),
                None => after[..len].binary_search(wanted).ok(),
            };
            place.map(|place| first + place as u32)
        };
        let some = problem.counts.par_chunks(COUNTS_PER_CHUNK).map(|counts| {
            let named = counts.iter().map(|count| count.cells.len()).sum();
            let (mut items, mut len) = (vec![0; named], 0);
            let mut ends = Vec::with_capacity(counts.len() + 1);
            ends.push(0);
            for count in counts {
                let begin = len;
                for named in &count.cells {
                    // Always writes, without a branch: whether a cell exists is hard to predict.
                    let cell = cell(named);
                    items[len] = cell.unwrap_or(0);
                    len += usize::from(cell.is_some());
                }
                // A cell that occurs twice counts once.
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
        let mut rows = Lists::with_capacity(problem.counts.len() + problem.classes.len(), counted + cells);
        some.collect::<Vec<_>>().iter().for_each(|some| rows.append(some));
        start.windows(2).for_each(|ends| rows.push(ends[0]..ends[1]));
        let people: Vec<i64> = problem.classes.iter().map(|class| class.people as i64).collect();
        let all: i64 = people.iter().sum();
        if problem.counts.iter().any(|count| count.lower > count.upper || count.lower > all as u64) {
            return Err(contradiction());
        }
        let lower: Vec<i64> =
            problem.counts.iter().map(|count| count.lower as i64).chain(people.iter().copied()).collect();
        let upper = |count: &super::Count| count.upper.min(all as u64) as i64;
        let upper: Vec<i64> = problem.counts.iter().map(upper).chain(people.iter().copied()).collect();
        let source = problem.counts.iter().map(|count| count.source).collect();
        let rows_of = rows.transposed(value.len());
        let mut weighted = Vec::with_capacity(problem.weighted.len());
        for count in &problem.weighted {
            let with_weight = |(class, value, records): &(u32, Value, u64)| {
                let cell = cell(&(*class, *value))?;
                Some(if *records > MAX_PEOPLE { Err(too_large()) } else { Ok((cell, *records as i64)) })
            };
            let counted = count.cells.iter().filter(|(_, _, records)| *records > 0);
            let mut cells: Vec<(u32, i64)> = counted.filter_map(with_weight).collect::<Result<_>>()?;
            cells.sort_unstable();
            let bound = |bound: u64| i64::try_from(bound).map_err(|_| too_large());
            weighted.push(WeightedRow { cells, lower: bound(count.lower)?, upper: bound(count.upper)? });
        }
        let known_solution = problem.known_solution.as_ref().and_then(|known_solution| {
            let (mut assigned, mut counted) = (vec![0; value.len()], vec![0; rows.len()]);
            for (class, value, people) in known_solution {
                if let Some(cell) = cell(&(*class, *value)) {
                    assigned[cell as usize] += *people as i64;
                    rows_of.at(cell as usize).iter().for_each(|row| counted[*row as usize] += *people as i64);
                }
            }
            let fits = |(row, counted): (usize, &i64)| (lower[row]..=upper[row]).contains(counted);
            let sum =
                |row: &WeightedRow| row.cells.iter().map(|(cell, records)| assigned[*cell as usize] * records).sum();
            let fits_weighted = |row: &WeightedRow| (row.lower..=row.upper).contains(&sum(row));
            let fits = counted.iter().enumerate().all(fits) && weighted.iter().all(fits_weighted);
            fits.then_some(assigned)
        });
        Ok(System {
            people,
            start,
            value,
            class,
            rows,
            lower,
            upper,
            source,
            rows_of,
            known_solution,
            incomplete: problem.incomplete.clone(),
            weighted,
        })
    }

    pub(super) fn classes(&self) -> usize {
        self.people.len()
    }

    /// Cells of a class.
    pub(super) fn cells(&self, class: usize) -> Range<usize> {
        self.start[class] as usize..self.start[class + 1] as usize
    }

    /// Number of rows that are counts. The remaining rows are classes.
    pub(super) fn counts(&self) -> usize {
        self.source.len()
    }

    /// Counts that contain a cell.
    pub(super) fn counts_of(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.rows_of.at(cell).iter().map(|row| *row as usize).filter(|row| *row < self.counts())
    }

    /// Entropy contribution of the fixed cells of a class, in nats. `open` people have none of the fixed values.
    ///
    /// Includes the entropy of which people are open.
    pub(super) fn forced_entropy(&self, class: usize, bounds: &CellBounds, open: u64) -> f64 {
        let people = self.people[class];
        let of = |assigned: i64| {
            if assigned > 0 { -(assigned as f64) * (assigned as f64 / people as f64).ln() } else { 0.0 }
        };
        // A class without fixed people, or with one person, contributes nothing.
        if open == people as u64 || people == 1 {
            return 0.0;
        }
        let forced = self.cells(class).filter(|cell| !bounds.is_open(*cell)).map(|cell| of(bounds.at(cell).0));
        of(open as i64) + forced.sum::<f64>()
    }

    /// Number of ways to choose the people of a class with its fixed values, if below 2^128, and its natural logarithm.
    ///
    /// `open` people have none of the fixed values.
    pub(super) fn arrangements(&self, class: usize, bounds: &CellBounds, open: u64) -> (Option<u128>, f64) {
        let forced = self.cells(class).map(|cell| bounds.at(cell)).filter(|(low, high)| low == high && *low > 0);
        let (mut ways, mut ln) = (Some(1u128), 0.0);
        let mut among = open;
        for (assigned, _) in forced {
            among += assigned as u64;
            let (chosen, ln_chosen) = binomial(among, assigned as u64);
            ways = ways.zip(chosen).and_then(|(ways, chosen)| ways.checked_mul(chosen));
            ln += ln_chosen;
        }
        (ways, ln)
    }
}

/// Binomial coefficient, if its computation fits 128 bits, and its natural logarithm.
fn binomial(all: u64, chosen: u64) -> (Option<u128>, f64) {
    let few = chosen.min(all - chosen);
    if few > MAX_EXACT_CHOSEN {
        // Stirling's series. The truncation error is below 1 / (360 few^3).
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

/// Position of `wanted` among the first `first` values, which are distinct. Scans all values without a branch.
fn position_in_short(some: &[Value; MAX_LINEAR_SEARCH], first: usize, wanted: Value) -> Option<usize> {
    let nth = |(value, nth): (&Value, u32)| if *value == wanted && nth <= first as u32 { nth } else { 0 };
    let position: u32 = some.iter().zip(1..).map(nth).sum();
    (position as usize).checked_sub(1)
}

fn not_ascending() -> Error {
    Error::ValuesNotAscending
}

fn too_large() -> Error {
    Error::TooLarge { people_limit: MAX_PEOPLE, cells_limit: MAX_CELLS as u64 }
}
