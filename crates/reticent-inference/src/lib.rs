//! Inference: what counts of values among people give away about each of them.
//!
//! A *puzzle* is people, the values that each may have, and counts: so many of these people have this value. A *world* gives
//! everybody a value such that all counts hold; whoever knows nothing more has no reason to prefer a world to another, so the
//! probability of a value is the share of the worlds in which the person has it (random worlds).
//!
//! [`solve`] answers, for everybody and every value: bounds that are true, the random-worlds probability where it can be
//! counted, and the maximum-entropy estimate. The crate `reticent` makes such puzzles of releases, people and knowledge.
//!
//! Three people may have value 0 or 1, and one of them has value 1. Each has it in one of three worlds:
//!
//! ```
//! use reticent_inference::{Ask, Count, Crowd, Fraction, Puzzle, solve};
//!
//! let people = Crowd { people: 3, may: vec![0, 1] };
//! let one = Count { source: 0, of: vec![(0, 1)], least: 1, most: 1 };
//! let puzzle = Puzzle { crowds: vec![people], counts: vec![one], ..Puzzle::default() };
//! let answer = solve(&puzzle, &Ask::default())?;
//! assert_eq!(answer.worlds, Some(3));
//! assert_eq!(answer.crowds[0][1].exact(), Some(Fraction::new(1, 3)));
//! # Ok::<(), reticent_inference::Error>(())
//! ```
//!
//! Paper    Wang, Zhu, Du and Teng, Inference Analysis in Privacy-Preserving Data Re-publishing: unknowns, counts and
//!          maximum entropy. That estimate can be below the truth, also where the truth is certain; so it bounds nothing here.

mod entropy;
mod error;
mod flow;
pub mod max_flow;
mod number;
mod pieces;
mod presolve;
mod program;
mod sample;
mod symmetry;
mod system;
mod telling;
#[cfg(test)]
mod tests;
mod worlds;

use rayon::prelude::*;

pub use entropy::Gap;
pub use error::{Error, Result};
pub use number::Fraction;
pub use sample::Sampled;
pub use telling::{Tellings, Told};

use pieces::{Piece, Split};
use symmetry::Alike;
use system::System;

/// A value that somebody may have.
pub type Value = u32;

/// People whom nothing tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crowd {
    /// How many they are.
    pub people: u64,
    /// The values that each of them may have, ascending.
    pub may: Vec<Value>,
}

/// So many of some people have one of some values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Where it comes from, such as a release. No two counts of one source speak of the same people and value.
    pub source: u32,
    /// The crowds (by place) and values that are counted together.
    pub of: Vec<(u32, Value)>,
    /// They are at least so many,
    pub least: u64,
    /// and at most so many.
    pub most: u64,
}

/// People, the values they may have, and how many of them have which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Puzzle {
    /// The people.
    pub crowds: Vec<Crowd>,
    /// The counts.
    pub counts: Vec<Count>,
    /// A world, if one is known: crowds, values, and how many of the crowd have it. It saves the search for one and changes
    /// nothing in the answer, unless programs give up: which bounds they had narrowed by then depends on where they began.
    pub seen: Option<Vec<(u32, Value, u64)>>,
    /// Crowds of whom more is known than the puzzle says, ascending: with them nothing can be counted, and only what is forced is
    /// true.
    pub loose: Vec<u32>,
}

/// What is asked of a puzzle, and how much work it may take.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// Steps of counting worlds, for one set of people who depend on each other.
    pub steps: u64,
    /// Steps of proving bounds by programs, for one such set whose worlds were not counted; none are proved when 0.
    pub program: u64,
    /// Whether to make the maximum-entropy estimate.
    pub entropy: bool,
    /// Samples of worlds where they cannot be counted; none when 0.
    pub samples: u32,
    /// What samples are drawn from.
    pub seed: u64,
    /// Use only what is forced: true also where the puzzle leaves something out that is known.
    pub bounds_only: bool,
}

impl Default for Ask {
    fn default() -> Ask {
        Ask { steps: 2_000_000, program: 2_000_000, entropy: true, samples: 0, seed: 0, bounds_only: false }
    }
}

/// What a puzzle gives away.
#[derive(Debug, Clone)]
pub struct Answer {
    /// By crowd: what each of its people can be told to have. Values that they cannot have are not listed.
    pub crowds: Tellings,
    /// The natural logarithm of the number of worlds; none when they could not be counted.
    pub ln_worlds: Option<f64>,
    /// The number of worlds, where it is below 2^128.
    pub worlds: Option<u128>,
    /// How the answer was found.
    pub work: Work,
}

/// How an answer was found.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Work {
    /// People and values that were open after looking at each count by itself.
    pub open: u64,
    /// Of these, how many turned out to be forced.
    pub forced: u64,
    /// Sets of people who depend on each other, of whom something is open.
    pub pieces: u64,
    /// The largest of them: people.
    pub largest: u64,
    /// Pieces whose worlds were counted, and the people in them.
    pub counted: u64,
    /// People in pieces that have too many worlds to count, whose values can be exchanged for each other.
    pub by_symmetry: u64,
    /// Pieces whose worlds were too many to count, and
    pub not_counted: u64,
    /// the people in them.
    pub people_not_counted: u64,
    /// Of these, pieces whose bounds were looked for by programs, and
    pub bounded: u64,
    /// pieces that were too large for that.
    pub not_bounded: u64,
    /// Crowds and their values in pieces that were bounded,
    pub bounds: u64,
    /// of these, how many were asked about before the work was used up,
    pub bounds_asked: u64,
    /// and how many have bounds that no proof can narrow, because worlds reach them.
    pub bounds_reached: u64,
    /// The maximum entropy in nats; none when it was not asked for or did not converge, or more is known of somebody than the puzzle
    /// says.
    pub entropy: Option<f64>,
    /// By how much the counts are missed at most, and the duality gap in nats.
    pub gap: Option<Gap>,
    /// Pieces for which maximum entropy did not converge: they have no estimate.
    pub not_converged: u64,
}

impl Work {
    /// This and more.
    pub fn and(self, more: &Work) -> Work {
        Work {
            open: self.open + more.open,
            forced: self.forced + more.forced,
            pieces: self.pieces + more.pieces,
            largest: self.largest.max(more.largest),
            counted: self.counted + more.counted,
            by_symmetry: self.by_symmetry + more.by_symmetry,
            not_counted: self.not_counted + more.not_counted,
            people_not_counted: self.people_not_counted.max(more.people_not_counted),
            bounded: self.bounded + more.bounded,
            not_bounded: self.not_bounded + more.not_bounded,
            bounds: self.bounds + more.bounds,
            bounds_asked: self.bounds_asked + more.bounds_asked,
            bounds_reached: self.bounds_reached + more.bounds_reached,
            entropy: self.entropy.zip(more.entropy).map(|(one, other)| one + other),
            gap: self.gap.zip(more.gap).map(|(one, other)| one.worst(other)),
            not_converged: self.not_converged + more.not_converged,
        }
    }

    /// Takes note of a piece that was not counted.
    fn count_bounds(&mut self, bounded: Option<&program::Bounded>) {
        match bounded {
            Some(bounded) => {
                self.bounded += 1;
                self.bounds += bounded.bounds.iter().map(|cells| cells.len() as u64).sum::<u64>();
                self.bounds_asked += bounded.asked;
                self.bounds_reached += bounded.reached;
            }
            None => self.not_bounded += 1,
        }
    }
}

/// Solves a puzzle. Counts that contradict each other are an error.
pub fn solve(puzzle: &Puzzle, ask: &Ask) -> Result<Answer> {
    // On one of the threads that share the work, so that what is handed out does not wait for another one to wake up.
    rayon::scope(|_| solve_here(puzzle, ask))
}

fn solve_here(puzzle: &Puzzle, ask: &Ask) -> Result<Answer> {
    let system = System::of(puzzle)?;
    let mut found = presolve::presolve(&system, !ask.bounds_only)?;
    let mut split = Split::of(&system, &found.boxes);
    let mut proved = prove(&split, ask, vec![None; split.pieces.len()])?;
    let mut ask = *ask;
    loop {
        let bounded: Vec<_> = proved.iter().map(|proved| proved.bounded.as_ref()).collect();
        let news = program::news(&system, &found.boxes, &split, &bounded);
        let before = found.forced;
        if !news.is_empty() {
            presolve::narrow(&system, &mut found, &news)?;
        }
        if found.forced == before {
            break;
        }
        // Without what programs force, pieces are smaller: some can be counted now. Half the work each time, so that it ends.
        ask.program /= 2;
        let next = Split::of(&system, &found.boxes);
        let known = next.same_as(&split).into_iter().map(|known| known.map(|known| proved[known].clone()));
        proved = prove(&next, &ask, known.collect())?;
        split = next;
    }
    let solved = split.pieces.par_iter().zip(proved).map(|(piece, proved)| solve_piece(piece, proved, &ask));
    let solved: Vec<Solved> = solved.collect();
    Ok(put_together(&system, &found, &split, &solved, &ask))
}

/// Steps of looking whether there is a world.
const A_LITTLE: u64 = 20_000;

/// What is certain about one piece.
#[derive(Clone)]
struct Proved {
    counted: Option<worlds::Counted>,
    /// Bounds by programs, where worlds were not counted.
    bounded: Option<program::Bounded>,
    alike: Alike,
}

impl Proved {
    fn of(piece: &Piece, ask: &Ask) -> Result<Proved> {
        let bounds_only = ask.bounds_only || piece.loose;
        let alike = if bounds_only { Alike::default() } else { Alike::of(piece) };
        // Where all values can be exchanged, everything but the number of worlds is known without counting, and without a program.
        let settled = alike.everywhere(piece);
        // How many worlds there are is worth counting in small ones only. Whether there is one, where none is known, is looked at a little:
        // beyond that, a history is taken to be one that somebody had.
        let large = settled && piece.people() > presolve::EXCHANGED;
        let steps = match (bounds_only, large, &piece.seen) {
            (true, ..) | (_, true, Some(_)) => 0,
            (_, true, None) => ask.steps.min(A_LITTLE),
            _ => ask.steps,
        };
        let counted = worlds::count(piece, steps)?;
        let known = counted.is_some() || settled;
        let bounded = if known { None } else { program::bound(piece, ask.program)? };
        Ok(Proved { counted, bounded, alike })
    }
}

/// Counts pieces, or bounds them, but for those of which it is known what comes of it.
fn prove(split: &Split, ask: &Ask, known: Vec<Option<Proved>>) -> Result<Vec<Proved>> {
    let prove = |(piece, known): (&Piece, Option<Proved>)| match known {
        Some(known) => Ok(known),
        None => Proved::of(piece, ask),
    };
    split.pieces.par_iter().zip(known).map(prove).collect()
}

/// What was found about one piece.
struct Solved {
    proved: Proved,
    sampled: Option<sample::Samples>,
    entropy: Option<entropy::Estimate>,
    /// Whether only what is forced is true.
    bounds_only: bool,
}

fn solve_piece(piece: &Piece, proved: Proved, ask: &Ask) -> Solved {
    let bounds_only = ask.bounds_only || piece.loose;
    let sampled = match &proved.counted {
        None if ask.samples > 0 && !bounds_only => sample::sample(piece, ask.samples, ask.seed),
        _ => None,
    };
    let entropy = ask.entropy.then(|| entropy::estimate(piece)).flatten();
    Solved { entropy, proved, sampled, bounds_only }
}

fn put_together(system: &System, found: &presolve::Found, split: &Split, solved: &[Solved], ask: &Ask) -> Answer {
    let boxes = &found.boxes;
    let mut work =
        Work { open: found.open, forced: found.forced, pieces: split.pieces.len() as u64, ..Work::default() };
    let mut ln_worlds = Some(0.0);
    let mut worlds = Some(1u128);
    let mut gap = Gap::default();
    let mut entropy = 0.0;
    for (piece, solved) in split.pieces.iter().zip(solved) {
        work.largest = work.largest.max(piece.people());
        match &solved.proved.counted {
            Some(counted) => {
                work.counted += 1;
                ln_worlds = ln_worlds.map(|ln| ln + counted.ln_worlds);
                worlds = worlds.zip(counted.worlds).and_then(|(all, these)| all.checked_mul(these));
            }
            None => {
                work.not_counted += 1;
                work.people_not_counted += piece.people();
                (ln_worlds, worlds) = (None, None);
                let settled = piece.crowds.iter().filter(|crowd| solved.proved.alike.all_of(piece, **crowd));
                let settled: u64 = settled.map(|crowd| crowd.people).sum();
                work.by_symmetry += settled;
                if settled < piece.people() {
                    work.count_bounds(solved.proved.bounded.as_ref());
                }
            }
        }
        match &solved.entropy {
            Some(estimate) => (entropy, gap) = (entropy + estimate.nats, gap.worst(estimate.gap)),
            None => work.not_converged += 1,
        }
    }
    let crowds = Tellings::of(system, boxes, split, solved);
    for crowd in 0..system.crowds() {
        let Some(all) = ln_worlds else { break };
        let (arrangements, ln) = system.arrangements(crowd, boxes, split.open[crowd]);
        ln_worlds = Some(all + ln);
        worlds = worlds.zip(arrangements).and_then(|(all, these)| all.checked_mul(these));
    }
    let loose = system.loose.iter().any(|crowd| system.people[*crowd as usize] > 0);
    if ask.bounds_only || loose {
        (ln_worlds, worlds) = (None, None);
    }
    if ask.entropy && work.not_converged == 0 && !loose {
        let forced = (0..system.crowds()).map(|crowd| system.forced_entropy(crowd, boxes, split.open[crowd]));
        work.entropy = Some(entropy + forced.sum::<f64>());
        work.gap = Some(gap);
    }
    if !ask.entropy {
        work.not_converged = 0;
    }
    Answer { crowds, ln_worlds, worlds, work }
}

/// The error for counts that contradict each other.
fn contradiction() -> Error {
    Error::Contradiction
}
