//! The counts of a piece in whole numbers: what each forces by itself, and what a weighted sum of them refutes.
//!
//! Everything here is exact. What a solver with rounding errors suggests is worth nothing until [`Rows::refutes`] agrees.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use rustc_hash::FxHasher;

use crate::pieces::Piece;
use crate::system::Lists;

/// Rows over the cells of a piece: its counts, and after them one row a crowd, whose people have one value each.
pub(super) struct Rows {
    pub cells: Lists,
    pub of_cell: Lists,
    pub least: Vec<i64>,
    pub most: Vec<i64>,
}

/// A bound narrows cells by what each row forces so many times in all, and so many times each.
const CUTS: usize = 1_000;
const CUTS_EACH: usize = 16;

/// By cell: at least and at most so many people.
#[derive(Debug, Clone)]
pub(super) struct Boxes {
    low: Vec<i64>,
    high: Vec<i64>,
    /// By row: the sums of these.
    sum_low: Vec<i64>,
    sum_high: Vec<i64>,
}

/// A bound on a cell: at least, and at most.
pub(super) type Bound = (u32, i64, i64);

impl Rows {
    pub(super) fn of(piece: &Piece) -> Rows {
        let crowds = piece.crowds.iter();
        let of_cell = crowds.clone().zip(piece.rows.len() as u32..).flat_map(|(crowd, own)| {
            crowd.cells().map(move |cell| piece.rows_of.at(cell).iter().copied().chain(std::iter::once(own)))
        });
        let of_cell = Lists::of(of_cell);
        let people = || crowds.clone().map(|crowd| crowd.people as i64);
        let all: i64 = people().sum();
        let bound = |bound: u64| i64::try_from(bound).unwrap_or(i64::MAX).min(all + 1);
        Rows {
            cells: of_cell.turned(piece.rows.len() + piece.crowds.len()),
            least: piece.rows.iter().map(|row| bound(row.least)).chain(people()).collect(),
            most: piece.rows.iter().map(|row| bound(row.most)).chain(people()).collect(),
            of_cell,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.least.len()
    }

    /// Whether these numbers of people are a world.
    pub(super) fn fit(&self, world: &[i64]) -> bool {
        let fits = |row: usize| {
            let sum: i64 = self.cells.at(row).iter().map(|cell| world[*cell as usize]).sum();
            (self.least[row]..=self.most[row]).contains(&sum)
        };
        world.iter().all(|people| *people >= 0) && (0..self.len()).all(fits)
    }

    /// Whether rows, each so many times, show that nothing within the boxes is a world: what their cells sum up to at least is more
    /// than the rows allow. True only when that is so, whatever the weights.
    pub(super) fn refutes(&self, boxes: &Boxes, weights: &[(u32, i64)]) -> bool {
        self.missing(boxes, weights).is_some_and(|missing| missing > 0)
    }

    /// By how much the cells exceed what the rows allow; none when the numbers grow too large.
    fn missing(&self, boxes: &Boxes, weights: &[(u32, i64)]) -> Option<i128> {
        let mut of_cell: HashMap<u32, i128, BuildHasherDefault<FxHasher>> = HashMap::default();
        let mut missing = 0i128;
        for (row, weight) in weights {
            let weight = i128::from(*weight);
            let allowed = if weight > 0 { self.most[*row as usize] } else { self.least[*row as usize] };
            missing = missing.checked_sub(weight.checked_mul(allowed.into())?)?;
            for cell in self.cells.at(*row as usize) {
                let sum = of_cell.entry(*cell).or_insert(0);
                *sum = sum.checked_add(weight)?;
            }
        }
        for (cell, weight) in of_cell {
            let (low, high) = boxes.at(cell as usize);
            let least = if weight > 0 { low } else { high };
            missing = missing.checked_add(weight.checked_mul(least.into())?)?;
        }
        Some(missing)
    }
}

impl Boxes {
    /// What each row forces by itself; none when nothing fits.
    pub(super) fn of(rows: &Rows) -> Option<Boxes> {
        let most = |cell: usize| rows.of_cell.at(cell).iter().map(|row| rows.most[*row as usize]).min();
        let high: Vec<i64> = (0..rows.of_cell.len()).map(|cell| most(cell).unwrap_or(0)).collect();
        let sum = |row: usize| rows.cells.at(row).iter().map(|cell| high[*cell as usize]).sum();
        let sum_high = (0..rows.len()).map(sum).collect();
        let mut boxes = Boxes { low: vec![0; high.len()], sum_low: vec![0; rows.len()], sum_high, high };
        boxes.settle(rows, (0..rows.len() as u32).collect(), &mut Vec::new()).then_some(boxes)
    }

    pub(super) fn at(&self, cell: usize) -> (i64, i64) {
        (self.low[cell], self.high[cell])
    }

    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    /// Narrows a cell and what follows from it, row by row. The cells that changed; none when nothing fits.
    pub(super) fn narrow(&mut self, rows: &Rows, bound: Bound) -> Option<Vec<u32>> {
        let (mut changed, mut waiting) = (Vec::new(), Vec::new());
        self.cut(rows, bound, &mut waiting, &mut changed)?;
        self.settle(rows, waiting, &mut changed).then_some(changed)
    }

    /// Looks at rows until nothing changes any more, or too much has: between large crowds, two rows may narrow each other by one person
    /// at a time. False when nothing fits.
    fn settle(&mut self, rows: &Rows, mut waiting: Vec<u32>, changed: &mut Vec<u32>) -> bool {
        let most = changed.len() + CUTS + self.len() * CUTS_EACH;
        while let Some(row) = waiting.pop().filter(|_| changed.len() < most) {
            let at = row as usize;
            if self.sum_low[at] > rows.most[at] || self.sum_high[at] < rows.least[at] {
                return false;
            }
            for cell in rows.cells.at(at) {
                let (low, high) = self.at(*cell as usize);
                let least = rows.least[at] - (self.sum_high[at] - high);
                let most = rows.most[at] - (self.sum_low[at] - low);
                if (least > low || most < high) && self.cut(rows, (*cell, least, most), &mut waiting, changed).is_none()
                {
                    return false;
                }
            }
        }
        true
    }

    fn cut(&mut self, rows: &Rows, bound: Bound, waiting: &mut Vec<u32>, changed: &mut Vec<u32>) -> Option<()> {
        let (cell, least, most) = bound;
        let (low, high) = self.at(cell as usize);
        let (new_low, new_high) = (low.max(least), high.min(most));
        if new_low > new_high {
            return None;
        }
        (self.low[cell as usize], self.high[cell as usize]) = (new_low, new_high);
        for row in rows.of_cell.at(cell as usize) {
            self.sum_low[*row as usize] += new_low - low;
            self.sum_high[*row as usize] += new_high - high;
            waiting.push(*row);
        }
        changed.push(cell);
        Some(())
    }
}
