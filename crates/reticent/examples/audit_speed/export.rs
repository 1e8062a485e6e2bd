//! Text format of a maximum-entropy problem, for other solvers.
//!
//! Each class of people is a line `c PEOPLE ROWS|ROWS|...` with the rows that count each of its values. A line `r COUNT` for each row
//! follows.

use std::collections::HashMap;
use std::fmt::Write;

use reticent_inference::{Problem, Solution, Value};

use crate::Failure;

/// The part of a problem that is not forced: open classes and values, and rows with their remaining counts.
pub struct Open {
    /// Number of people of a class, and the rows of each value.
    classes: Vec<(u64, Vec<Vec<usize>>)>,
    /// Count of each row.
    rows: Vec<u64>,
}

impl Open {
    /// The whole problem.
    pub fn whole(problem: &Problem) -> Result<Open, Failure> {
        Open::new(problem, |_, _| None)
    }

    /// The problem without the cells that presolving forces. The bounds must come from presolving only.
    ///
    /// Rows with the same cells are merged, and so are classes with the same rows. Reticent does the same when it solves the problem.
    pub fn presolved(problem: &Problem, bounds: &Solution) -> Result<Open, Failure> {
        let forced = |class: u32, value: Value| {
            let posterior = bounds.classes[class as usize].iter().find(|posterior| posterior.value == value);
            match posterior {
                Some(posterior) if posterior.lower < posterior.upper => None,
                Some(posterior) => Some(posterior.lower.value() * problem.classes[class as usize].people as f64),
                None => Some(0.0),
            }
        };
        let mut open = Open::new(problem, forced)?;
        let mut merged: HashMap<Vec<Vec<usize>>, u64> = HashMap::new();
        for (people, cells) in open.classes.drain(..) {
            *merged.entry(cells).or_default() += people;
        }
        open.classes = merged.into_iter().map(|(cells, people)| (people, cells)).collect();
        open.classes.sort_unstable();
        Ok(open)
    }

    fn new(problem: &Problem, forced: impl Fn(u32, Value) -> Option<f64>) -> Result<Open, Failure> {
        if problem.counts.iter().any(|count| count.lower != count.upper) {
            return Err("only exact counts can be exported".into());
        }
        let mut rows = Vec::new();
        let mut rows_of: HashMap<(u32, Value), Vec<usize>> = HashMap::new();
        let mut known: HashMap<Vec<(u32, Value)>, usize> = HashMap::new();
        for count in &problem.counts {
            let mut remaining = count.lower as f64;
            let mut cells = Vec::new();
            let possible =
                |(class, value): &&(u32, Value)| problem.classes[*class as usize].possible.binary_search(value).is_ok();
            for cell in count.cells.iter().filter(possible) {
                match forced(cell.0, cell.1) {
                    Some(people) => remaining -= people,
                    None => cells.push(*cell),
                }
            }
            if cells.is_empty() || known.insert(cells.clone(), rows.len()).is_some() {
                continue;
            }
            cells.iter().for_each(|cell| rows_of.entry(*cell).or_default().push(rows.len()));
            rows.push(remaining.round() as u64);
        }
        let mut classes = Vec::new();
        for (at, class) in (0..).zip(&problem.classes) {
            let open: Vec<Value> =
                class.possible.iter().copied().filter(|value| forced(at, *value).is_none()).collect();
            if open.is_empty() {
                continue;
            }
            if open.len() < class.possible.len()
                && class.people > 1
                && has_forced_people(class.possible.iter(), &forced, at)
            {
                return Err("a class with forced values for some of its people cannot be exported".into());
            }
            classes.push((
                class.people,
                open.iter().map(|value| rows_of.remove(&(at, *value)).unwrap_or_default()).collect(),
            ));
        }
        Ok(Open { classes, rows })
    }

    /// Number of unknowns.
    pub fn cells(&self) -> usize {
        self.classes.iter().map(|(_, cells)| cells.len()).sum()
    }

    /// Number of equations: one per row and one per class.
    pub fn equations(&self) -> usize {
        self.rows.len() + self.classes.len()
    }

    pub fn text(&self) -> Result<String, Failure> {
        let mut text = String::new();
        for (people, cells) in &self.classes {
            let words = |rows: &Vec<usize>| rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
            writeln!(text, "c {people} {}", cells.iter().map(words).collect::<Vec<_>>().join("|"))?;
        }
        for count in &self.rows {
            writeln!(text, "r {count}")?;
        }
        Ok(text)
    }
}

/// Whether a value is forced for some people of a class.
fn has_forced_people<'a>(
    mut possible: impl Iterator<Item = &'a Value>,
    forced: impl Fn(u32, Value) -> Option<f64>,
    class: u32,
) -> bool {
    possible.any(|value| forced(class, *value).is_some_and(|people| people > 0.0))
}
