//! The maximum-entropy problem of a puzzle as plain text, for other solvers: a line `c PEOPLE ROWS|ROWS|...` for every crowd, with
//! the rows that count each of its values, and after them a line `r COUNT` for every row.

use std::collections::HashMap;
use std::fmt::Write;

use reticent_inference::{Problem, Solution, Value};

use crate::Failure;

/// What is not forced: crowds and values that are open, rows of them, each with what is left of its count.
pub struct Open {
    /// How many people, and the rows of each value.
    crowds: Vec<(u64, Vec<Vec<usize>>)>,
    rows: Vec<u64>,
}

impl Open {
    /// The whole puzzle.
    pub fn whole(puzzle: &Problem) -> Result<Open, Failure> {
        Open::of(puzzle, |_, _| None)
    }

    /// Without what was found to be forced, of bounds that are those of presolving alone. Rows of the same people and values
    /// are one row, and people with the same rows one crowd, as when Reticent solves it.
    pub fn presolved(puzzle: &Problem, bounds: &Solution) -> Result<Open, Failure> {
        let forced = |crowd: u32, value: Value| {
            let told = bounds.classes[crowd as usize].iter().find(|told| told.value == value);
            match told {
                Some(told) if told.lower < told.upper => None,
                Some(told) => Some(told.lower.value() * puzzle.classes[crowd as usize].people as f64),
                None => Some(0.0),
            }
        };
        let mut open = Open::of(puzzle, forced)?;
        let mut together: HashMap<Vec<Vec<usize>>, u64> = HashMap::new();
        for (people, cells) in open.crowds.drain(..) {
            *together.entry(cells).or_default() += people;
        }
        open.crowds = together.into_iter().map(|(cells, people)| (people, cells)).collect();
        open.crowds.sort_unstable();
        Ok(open)
    }

    fn of(puzzle: &Problem, forced: impl Fn(u32, Value) -> Option<f64>) -> Result<Open, Failure> {
        if puzzle.counts.iter().any(|count| count.lower != count.upper) {
            return Err("only exact counts are written".into());
        }
        let mut rows = Vec::new();
        let mut rows_of: HashMap<(u32, Value), Vec<usize>> = HashMap::new();
        let mut known: HashMap<Vec<(u32, Value)>, usize> = HashMap::new();
        for count in &puzzle.counts {
            let mut left = count.lower as f64;
            let mut cells = Vec::new();
            let may =
                |(crowd, value): &&(u32, Value)| puzzle.classes[*crowd as usize].possible.binary_search(value).is_ok();
            for cell in count.cells.iter().filter(may) {
                match forced(cell.0, cell.1) {
                    Some(people) => left -= people,
                    None => cells.push(*cell),
                }
            }
            if cells.is_empty() || known.insert(cells.clone(), rows.len()).is_some() {
                continue;
            }
            cells.iter().for_each(|cell| rows_of.entry(*cell).or_default().push(rows.len()));
            rows.push(left.round() as u64);
        }
        let mut crowds = Vec::new();
        for (at, crowd) in (0..).zip(&puzzle.classes) {
            let open: Vec<Value> =
                crowd.possible.iter().copied().filter(|value| forced(at, *value).is_none()).collect();
            if open.is_empty() {
                continue;
            }
            if open.len() < crowd.possible.len()
                && crowd.people > 1
                && bound_to_some(crowd.possible.iter(), &forced, at)
            {
                return Err("a crowd of which some have a forced value is not written".into());
            }
            crowds.push((
                crowd.people,
                open.iter().map(|value| rows_of.remove(&(at, *value)).unwrap_or_default()).collect(),
            ));
        }
        Ok(Open { crowds, rows })
    }

    /// Unknowns.
    pub fn cells(&self) -> usize {
        self.crowds.iter().map(|(_, cells)| cells.len()).sum()
    }

    /// Equations: the rows, and one a crowd.
    pub fn equations(&self) -> usize {
        self.rows.len() + self.crowds.len()
    }

    pub fn text(&self) -> Result<String, Failure> {
        let mut text = String::new();
        for (people, cells) in &self.crowds {
            let words = |rows: &Vec<usize>| rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
            writeln!(text, "c {people} {}", cells.iter().map(words).collect::<Vec<_>>().join("|"))?;
        }
        for count in &self.rows {
            writeln!(text, "r {count}")?;
        }
        Ok(text)
    }
}

/// Whether a value is forced to some of a crowd.
fn bound_to_some<'a>(
    mut may: impl Iterator<Item = &'a Value>,
    forced: impl Fn(u32, Value) -> Option<f64>,
    crowd: u32,
) -> bool {
    may.any(|value| forced(crowd, *value).is_some_and(|people| people > 0.0))
}
