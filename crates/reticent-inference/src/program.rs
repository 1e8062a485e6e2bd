//! Bounds by linear programs, where worlds are too many to count.
//!
//! For every crowd and value it is asked whether a world has more people with it than any world known so far. Either such a world
//! is found, or it is shown that there is none and the bound is lowered, or it is given up. Worlds that are found answer for many
//! cells at once; the first is the truth, where the puzzle brings it.
//!
//! A question is closed only by what is exact: rows that by themselves leave nothing, or weights of rows that refute it in whole numbers
//! ([`rows`]). The weights come from a linear program ([`simplex`]), which may err: then a bound stays as it was. What only whole people
//! rule out, and fractions of people do not, stays open.

mod rows;
mod simplex;
#[cfg(test)]
mod tests;

use super::contradiction;
use super::pieces::{Piece, Split};
use super::presolve;
use super::system::System;
use crate::error::Result;
use rows::{Bound, Boxes, Rows};
use simplex::{End, Simplex};

/// A piece is looked at when it has at most one cell for so many steps of the budget.
const STEPS_A_CELL: u64 = 100;
/// Numbers that a step of the budget lets the program touch.
const NUMBERS_A_STEP: u64 = 250;
/// No question takes more than one of so many parts of the budget.
const QUESTIONS: u64 = 50;
/// What was found about the cells of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bounded {
    /// By crowd and cell: in every world so many people have it at least, and at most.
    pub bounds: Vec<Vec<(u64, u64)>>,
    /// Cells of which a program was asked, or which needed none, before the budget was used up.
    pub asked: u64,
    /// Cells whose bounds are reached by worlds, both of them.
    pub reached: u64,
}

/// Bounds for a piece, within so many steps; none when it is too large for them.
pub(super) fn bound(piece: &Piece, steps: u64) -> Result<Option<Bounded>> {
    let cells = piece.value.len();
    if cells as u64 > steps / STEPS_A_CELL {
        return Ok(None);
    }
    let rows = Rows::of(piece);
    let boxes = Boxes::of(&rows).ok_or_else(contradiction)?;
    let mut search = Search::new(&rows, boxes, steps.saturating_mul(NUMBERS_A_STEP));
    search.begin(piece)?;
    let mut asked = 0;
    for cell in 0..cells as u32 {
        search.ask(cell, Search::probe)?;
    }
    for cell in 0..cells as u32 {
        search.ask(cell, Search::glance)?;
        asked += u64::from(search.work > 0);
    }
    let reached = (0..cells).filter(|cell| search.met[*cell] == search.boxes.at(*cell)).count() as u64;
    let bounds = |cell: usize| {
        let (low, high) = search.boxes.at(cell);
        (low as u64, high as u64)
    };
    let bounds = piece.crowds.iter().map(|crowd| crowd.cells().map(bounds).collect()).collect();
    Ok(Some(Bounded { bounds, asked, reached }))
}

/// What bounds of pieces say of the cells of the system, where that is news.
pub(super) fn news(
    system: &System,
    boxes: &presolve::Boxes,
    split: &Split,
    bounded: &[Option<&Bounded>],
) -> Vec<(u32, i64, i64)> {
    let mut news = Vec::new();
    for crowd in 0..system.crowds() {
        let Some((piece, merged)) = split.place[crowd] else { continue };
        let Some(bounded) = bounded[piece as usize] else { continue };
        let others = split.pieces[piece as usize].crowds[merged as usize].people - split.open[crowd];
        let open = system.cells(crowd).filter(|cell| boxes.is_open(*cell));
        for (cell, (low, high)) in open.zip(&bounded.bounds[merged as usize]) {
            // Of what all who are merged have at least, the others may have as much as they are.
            let proved = (low.saturating_sub(others) as i64, *high as i64);
            let known = boxes.at(cell);
            if proved.0 > known.0 || proved.1 < known.1 {
                news.push((cell as u32, proved.0, proved.1));
            }
        }
    }
    news
}

/// How a question ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Found,
    Never,
    Unknown,
}

/// A search for worlds in which somebody has more, or less.
struct Search<'a> {
    rows: &'a Rows,
    /// What is proved.
    boxes: Boxes,
    /// By cell: the least and the most in a world that is known.
    met: Vec<(i64, i64)>,
    /// A program, as the last question left it.
    program: Simplex<'a>,
    /// The first world that was met: what is near it is asked for.
    world: Option<Vec<i64>>,
    /// Numbers that may still be touched, and how many one question may touch.
    work: u64,
    slice: u64,
}

/// A way to find out whether a world lies within a bound.
type Question<'a> = fn(&mut Search<'a>, Bound) -> Answer;

impl<'a> Search<'a> {
    fn new(rows: &'a Rows, boxes: Boxes, work: u64) -> Search<'a> {
        let program = Simplex::new(rows, &boxes, None);
        Search {
            rows,
            met: vec![(i64::MAX, i64::MIN); boxes.len()],
            boxes,
            program,
            world: None,
            work,
            slice: work / QUESTIONS,
        }
    }

    /// Starts from the world that is known, or asks the program for one.
    fn begin(&mut self, piece: &Piece) -> Result<()> {
        let seen = piece.seen.as_ref().map(|seen| seen.iter().map(|people| *people as i64).collect());
        let seen: Option<Vec<i64>> =
            seen.filter(|seen: &Vec<i64>| seen.len() == self.boxes.len() && self.rows.fit(seen));
        match seen {
            Some(seen) => self.meet(&seen),
            None => {
                let end = self.solve();
                if self.judge(&end, &self.boxes.clone()) == Answer::Never {
                    return Err(contradiction());
                }
            }
        }
        self.start_anew();
        Ok(())
    }

    /// The program from which questions start: as near the first world as cells at their bounds allow.
    fn start_anew(&mut self) {
        self.program = Simplex::new(self.rows, &self.boxes, self.world.as_deref());
    }

    /// Takes note of a world.
    fn meet(&mut self, world: &[i64]) {
        self.world.get_or_insert_with(|| world.to_vec());
        for ((low, high), people) in self.met.iter_mut().zip(world) {
            (*low, *high) = ((*low).min(*people), (*high).max(*people));
        }
    }

    /// Finds out the least and the most of a cell.
    fn ask(&mut self, cell: u32, question: Question<'a>) -> Result<()> {
        let at = cell as usize;
        // From what is met, or could not be excluded, to the bound: nearer by half each time.
        let mut open = self.met[at].1.max(self.boxes.at(at).0);
        while open < self.boxes.at(at).1 {
            let high = self.boxes.at(at).1;
            let more = open + (high - open + 1) / 2;
            match question(self, (cell, more, high)) {
                Answer::Found => open = self.met[at].1.max(more),
                Answer::Never => self.prove((cell, i64::MIN, more - 1))?,
                Answer::Unknown => open = more,
            }
        }
        let mut open = self.met[at].0.min(self.boxes.at(at).1);
        while open > self.boxes.at(at).0 {
            let low = self.boxes.at(at).0;
            let less = open - (open - low + 1) / 2;
            match question(self, (cell, low, less)) {
                Answer::Found => open = self.met[at].0.min(less),
                Answer::Never => self.prove((cell, less + 1, i64::MAX))?,
                Answer::Unknown => open = less,
            }
        }
        Ok(())
    }

    /// Takes note of a bound that is proved.
    fn prove(&mut self, bound: Bound) -> Result<()> {
        let changed = self.boxes.narrow(self.rows, bound).ok_or_else(contradiction)?;
        self.program.take(&self.boxes, &changed);
        Ok(())
    }

    /// Whether a world lies within a bound, by what each row forces by itself.
    fn probe(&mut self, bound: Bound) -> Answer {
        if self.work == 0 {
            return Answer::Unknown;
        }
        self.work = self.work.saturating_sub(self.boxes.len() as u64);
        let fits = self.boxes.clone().narrow(self.rows, bound).is_some();
        if fits { Answer::Unknown } else { Answer::Never }
    }

    /// The same by one program, which goes on from where the last question left it.
    fn glance(&mut self, bound: Bound) -> Answer {
        if self.work == 0 {
            return Answer::Unknown;
        }
        let mut boxes = self.boxes.clone();
        let Some(changed) = boxes.narrow(self.rows, bound) else { return Answer::Never };
        self.program.take(&boxes, &changed);
        let end = self.solve();
        let answer = self.judge(&end, &boxes);
        match end {
            End::GaveUp => self.start_anew(),
            _ => self.program.take(&self.boxes, &changed),
        }
        answer
    }

    /// Solves the program within the budget of one question. Only that ends it where it goes round in circles.
    fn solve(&mut self) -> End {
        let given = self.slice.min(self.work);
        let mut left = given;
        let end = self.program.solve(&mut left);
        self.work -= given - left;
        end
    }

    /// What follows from how the program ended, in whole people.
    fn judge(&mut self, end: &End, boxes: &Boxes) -> Answer {
        match end {
            End::Refuted(weights) if self.refuted(boxes, weights) => Answer::Never,
            End::Fits => self.whole(&rounded(&self.program.value[..boxes.len()])),
            _ => Answer::Unknown,
        }
    }

    /// Takes note of a world that the program found, if it is one.
    fn whole(&mut self, world: &[i64]) -> Answer {
        if !self.rows.fit(world) {
            return Answer::Unknown;
        }
        self.meet(world);
        Answer::Found
    }

    /// Whether weights, made whole, refute boxes.
    fn refuted(&self, boxes: &Boxes, weights: &[f64]) -> bool {
        const GRAINS: f64 = (1u64 << 30) as f64;
        let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
        let grains = |sign: f64| -> Vec<(u32, i64)> {
            let whole =
                (0..).zip(weights).map(|(row, weight)| (row, (sign * weight / largest * GRAINS).round() as i64));
            whole.filter(|(_, weight)| *weight != 0).collect()
        };
        self.rows.refutes(boxes, &grains(1.0)) || self.rows.refutes(boxes, &grains(-1.0))
    }
}

/// What the program has of cells, in whole people.
fn rounded(values: &[f64]) -> Vec<i64> {
    values.iter().map(|people| people.round() as i64).collect()
}
