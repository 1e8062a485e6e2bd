//! Counting the worlds of a piece: crowd by crowd, remembering only how far each count is used up.
//!
//! Two ways to have got here that used up the same of every count that is still open have the same ways to go on, so the
//! number of worlds is a sum over such states, forwards for how a state is reached and backwards for how it can end. The order
//! of the crowds keeps few counts open at a time. Exact; given up after a number of steps.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use rustc_hash::FxHasher;

use super::contradiction;
use super::number::{Factorials, Fraction, Had, Large, Number};
use super::pieces::{Merged, Piece};
use crate::error::Result;

/// With more counts open at a time, states are too many to try.
const MOST_OPEN: usize = 96;
/// Crowds with more people are not counted: factorials are kept up to as many.
pub(super) const MOST_PEOPLE: u64 = 1 << 20;
/// Nor are those in which more values can be had at a time: each is one step deeper on the stack.
const MOST_DEEP: u64 = 1_000;

/// The worlds of a piece.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub ln_worlds: f64,
    /// The number, where it is below 2^128.
    pub worlds: Option<u128>,
    /// By crowd and cell: the share of the worlds in which somebody of the crowd has the value.
    shares: Vec<Vec<f64>>,
    /// The same exactly.
    exact: Vec<Vec<Option<Fraction>>>,
}

impl Counted {
    pub(super) fn share(&self, crowd: usize, cell: usize) -> f64 {
        self.shares[crowd][cell]
    }

    pub(super) fn exact(&self, crowd: usize, cell: usize) -> Option<Fraction> {
        self.exact[crowd][cell]
    }
}

/// Counts the worlds, within so many steps.
pub(super) fn count(piece: &Piece, steps: u64) -> Result<Option<Counted>> {
    let Some(plan) = (steps > 0).then(|| Plan::of(piece)).flatten() else { return Ok(None) };
    let table = Factorials::up_to(piece.crowds.iter().map(|crowd| crowd.people).max().unwrap_or(0));
    let exactly = Walk::<u128>::new(piece, &plan, &table, steps).count();
    match exactly {
        Stopped::TooLarge => Walk::<Large>::new(piece, &plan, &table, steps).count().answer(),
        stopped => stopped.answer(),
    }
}

/// Draws a world, each as likely as any other: how many people of each crowd have the value of each cell. None when there is
/// none, or finding out takes too many steps.
pub(super) fn draw(
    piece: &Piece,
    steps: u64,
    table: &Factorials,
    chance: &mut impl FnMut() -> f64,
) -> Option<Vec<Vec<u64>>> {
    let plan = Plan::of(piece)?;
    Walk::<Large>::new(piece, &plan, table, steps).draw(chance)
}

enum Stopped {
    Done(Counted),
    /// A number does not fit.
    TooLarge,
    TooLong,
    /// There is no world.
    None,
}

impl Stopped {
    fn answer(self) -> Result<Option<Counted>> {
        match self {
            Stopped::Done(counted) => Ok(Some(counted)),
            Stopped::None => Err(contradiction()),
            Stopped::TooLarge | Stopped::TooLong => Ok(None),
        }
    }
}

/// In which order crowds are looked at.
pub(super) struct Plan {
    pub stages: Vec<Stage>,
}

/// One crowd, and the counts that are open when it is looked at.
pub(super) struct Stage {
    pub crowd: usize,
    /// Rows that are open before, those that it opens behind them.
    rows: Vec<u32>,
    /// By row: how many people who come later it can count.
    later: Vec<u64>,
    /// Of the rows, those that stay open.
    stay: Vec<usize>,
    /// By cell of the crowd: its rows, by place.
    cells: Vec<Vec<usize>>,
    /// By cell of the crowd: those of its rows that count no later cell of the crowd.
    last: Vec<Vec<usize>>,
}

impl Plan {
    /// Crowd by crowd, always one that opens few new counts and closes many. None when too many are open at a time, or people are too
    /// many.
    pub(super) fn of(piece: &Piece) -> Option<Plan> {
        let too_many =
            |crowd: &Merged| crowd.people > MOST_PEOPLE || crowd.people.min(crowd.cells().len() as u64) > MOST_DEEP;
        if piece.crowds.iter().any(too_many) || u32::try_from(piece.people()).is_err() {
            return None;
        }
        let rows_of: Vec<Vec<u32>> = piece.crowds.iter().map(|crowd| rows_of(piece, *crowd)).collect();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); piece.rows.len()];
        for (crowd, rows) in (0..).zip(&rows_of) {
            rows.iter().for_each(|row| members[*row as usize].push(crowd));
        }
        let mut left: Vec<usize> = members.iter().map(Vec::len).collect();
        let people = |row: usize| members[row].iter().map(|crowd| piece.crowds[*crowd as usize].people).sum();
        let mut later: Vec<u64> = (0..piece.rows.len()).map(people).collect();
        let mut done = vec![false; piece.crowds.len()];
        let mut open: Vec<u32> = Vec::new();
        let mut stages = Vec::with_capacity(piece.crowds.len());
        while stages.len() < piece.crowds.len() {
            let crowd = next(&rows_of, &members, &left, &open, &done)?;
            done[crowd] = true;
            let mut rows = open.clone();
            rows.extend(rows_of[crowd].iter().filter(|row| !open.contains(row)));
            for row in &rows_of[crowd] {
                left[*row as usize] -= 1;
                later[*row as usize] -= piece.crowds[crowd].people;
            }
            let stay: Vec<usize> = (0..rows.len()).filter(|at| left[rows[*at] as usize] > 0).collect();
            open = stay.iter().map(|at| rows[*at]).collect();
            if open.len() > MOST_OPEN {
                return None;
            }
            let place = |row: &u32| rows.iter().position(|known| known == row);
            let places = |cell: usize| piece.rows_of.at(cell).iter().filter_map(place).collect();
            let cells: Vec<Vec<usize>> = piece.crowds[crowd].cells().map(places).collect();
            let is_last = |cell: usize, row: &usize| !cells[cell + 1..].iter().any(|rows| rows.contains(row));
            let last = |cell: usize| cells[cell].iter().copied().filter(|row| is_last(cell, row)).collect();
            let last = (0..cells.len()).map(last).collect();
            let later = rows.iter().map(|row| later[*row as usize]).collect();
            stages.push(Stage { crowd, rows, later, stay, cells, last });
        }
        Some(Plan { stages })
    }
}

fn rows_of(piece: &Piece, crowd: Merged) -> Vec<u32> {
    let mut rows = piece.rows_of.items_of(crowd.cells()).to_vec();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The crowd to look at next.
fn next(rows_of: &[Vec<u32>], members: &[Vec<u32>], left: &[usize], open: &[u32], done: &[bool]) -> Option<usize> {
    let cost = |crowd: usize| {
        let rows = &rows_of[crowd];
        let opens = rows.iter().filter(|row| !open.contains(row) && left[**row as usize] > 1).count() as i64;
        let closes = rows.iter().filter(|row| open.contains(row) && left[**row as usize] == 1).count() as i64;
        (opens - closes, crowd)
    };
    let near = open.iter().flat_map(|row| &members[*row as usize]).map(|crowd| *crowd as usize);
    let near = near.filter(|crowd| !done[*crowd]).min_by_key(|crowd| cost(*crowd));
    near.or_else(|| {
        (0..rows_of.len()).filter(|crowd| !done[*crowd]).min_by_key(|crowd| (rows_of[*crowd].len(), *crowd))
    })
}

/// How much of every open count is used up.
pub(super) type State = Box<[u32]>;
pub(super) type States<N> = HashMap<State, N, BuildHasherDefault<FxHasher>>;

/// A walk over all states.
pub(super) struct Walk<'a, N> {
    piece: &'a Piece,
    plan: &'a Plan,
    table: &'a Factorials,
    steps: std::cell::Cell<u64>,
    number: std::marker::PhantomData<N>,
}

/// Why a walk ends early.
enum Ends {
    TooLarge,
    TooLong,
    None,
}

impl<'a, N: Number> Walk<'a, N> {
    pub(super) fn new(piece: &'a Piece, plan: &'a Plan, table: &'a Factorials, steps: u64) -> Walk<'a, N> {
        Walk { piece, plan, table, steps: steps.into(), number: std::marker::PhantomData }
    }

    fn count(self) -> Stopped {
        match self.both_ways() {
            Ok(counted) => Stopped::Done(counted),
            Err(Ends::TooLarge) => Stopped::TooLarge,
            Err(Ends::TooLong) => Stopped::TooLong,
            Err(Ends::None) => Stopped::None,
        }
    }

    fn both_ways(&self) -> std::result::Result<Counted, Ends> {
        let mut layers: Vec<States<N>> = Vec::with_capacity(self.plan.stages.len());
        let mut states: States<N> = std::iter::once((State::default(), N::whole(1))).collect();
        for stage in &self.plan.stages {
            let mut then: States<N> = States::default();
            for (state, ways) in &states {
                self.moves(stage, state, |had, after| {
                    let more = ways.times(&N::arrangements(self.table, had)?)?;
                    let known = then.entry(after).or_insert_with(N::zero);
                    *known = known.plus(&more)?;
                    Some(())
                })?;
            }
            layers.push(std::mem::replace(&mut states, then));
        }
        let worlds = states.remove(&State::default()).ok_or(Ends::None)?;
        let mut shares = vec![Vec::new(); self.piece.crowds.len()];
        let mut exact = vec![Vec::new(); self.piece.crowds.len()];
        let mut ends: States<N> = std::iter::once((State::default(), N::whole(1))).collect();
        for (stage, states) in self.plan.stages.iter().zip(&layers).rev() {
            let mut before: States<N> = States::default();
            let crowd = &self.piece.crowds[stage.crowd];
            let mut sums = vec![N::zero(); crowd.cells().len()];
            for (state, ways) in states {
                let mut onwards = N::zero();
                self.moves(stage, state, |had, after| {
                    let Some(end) = ends.get(&after) else { return Some(()) };
                    let end = end.times(&N::arrangements(self.table, had)?)?;
                    onwards = onwards.plus(&end)?;
                    let through = ways.times(&end)?;
                    for (cell, people) in had {
                        sums[*cell] = sums[*cell].plus(&through.times(&N::whole(*people))?)?;
                    }
                    Some(())
                })?;
                if !onwards.is_zero() {
                    before.insert(state.clone(), onwards);
                }
            }
            let all = worlds.times(&N::whole(crowd.people)).ok_or(Ends::TooLarge)?;
            shares[stage.crowd] = sums.iter().map(|sum| sum.of(&all)).collect();
            // What nobody has in any world is known exactly in any kind of number, and so is what everybody has.
            let had = sums.iter().filter(|sum| !sum.is_zero()).count();
            let fraction = |sum: &N| match sum.exact().zip(all.exact()) {
                Some((sum, all)) => Some(Fraction::new(sum, all)),
                None if sum.is_zero() => Some(Fraction::new(0, 1)),
                None => (had == 1).then_some(Fraction::ONE),
            };
            exact[stage.crowd] = sums.iter().map(fraction).collect();
            ends = before;
        }
        Ok(Counted { ln_worlds: worlds.ln(), worlds: worlds.exact(), shares, exact })
    }

    /// One world, by going through the stages and choosing each move as often as it can end.
    fn draw(&self, chance: &mut impl FnMut() -> f64) -> Option<Vec<Vec<u64>>> {
        let mut layers: Vec<States<N>> = Vec::with_capacity(self.plan.stages.len());
        let mut states: States<N> = std::iter::once((State::default(), N::zero())).collect();
        for stage in &self.plan.stages {
            let mut then: States<N> = States::default();
            for state in states.keys() {
                let reached = self.moves(stage, state, |_, after| {
                    then.entry(after).or_insert_with(N::zero);
                    Some(())
                });
                reached.ok()?;
            }
            layers.push(std::mem::replace(&mut states, then));
        }
        let mut ends: Vec<States<N>> = vec![std::iter::once((State::default(), N::whole(1))).collect()];
        for (stage, states) in self.plan.stages.iter().zip(&layers).rev() {
            let after = &ends[ends.len() - 1];
            let mut before: States<N> = States::default();
            for state in states.keys() {
                let mut ways = N::zero();
                let counted = self.moves(stage, state, |had, next| {
                    if let Some(end) = after.get(&next) {
                        ways = ways.plus(&end.times(&N::arrangements(self.table, had)?)?)?;
                    }
                    Some(())
                });
                counted.ok()?;
                if !ways.is_zero() {
                    before.insert(state.clone(), ways);
                }
            }
            ends.push(before);
        }
        let mut world = vec![Vec::new(); self.piece.crowds.len()];
        let mut state = State::default();
        for (at, stage) in self.plan.stages.iter().enumerate() {
            let after = &ends[ends.len() - 2 - at];
            let all = ends[ends.len() - 1 - at].get(&state)?;
            let mut left = chance();
            let mut chosen = None;
            let moved = self.moves(stage, &state, |had, next| {
                if let Some(end) = after.get(&next).filter(|_| left >= 0.0) {
                    left -= end.times(&N::arrangements(self.table, had)?)?.of(all);
                    chosen = Some((had.to_vec(), next));
                }
                Some(())
            });
            moved.ok()?;
            let (had, next) = chosen?;
            world[stage.crowd] = vec![0; stage.cells.len()];
            had.into_iter().for_each(|(cell, people)| world[stage.crowd][cell] = people);
            state = next;
        }
        Some(world)
    }

    /// Every way in which a crowd can go on from a state: what its people have, and what is used up afterwards.
    fn moves(
        &self,
        stage: &Stage,
        state: &State,
        mut visit: impl FnMut(&[Had], State) -> Option<()>,
    ) -> std::result::Result<(), Ends> {
        let mut used: Vec<u64> = state.iter().map(|used| u64::from(*used)).collect();
        used.resize(stage.rows.len(), 0);
        let people = self.piece.crowds[stage.crowd].people;
        Mover { piece: self.piece, stage, steps: &self.steps, visit: &mut visit }.go(
            0,
            people,
            &mut used,
            &mut Vec::new(),
        )
    }
}

/// Gives a crowd's people their values, cell by cell.
struct Mover<'a, V> {
    piece: &'a Piece,
    stage: &'a Stage,
    steps: &'a std::cell::Cell<u64>,
    visit: &'a mut V,
}

impl<V: FnMut(&[Had], State) -> Option<()>> Mover<'_, V> {
    /// From a cell on: what the next of them is that anybody has, and how many.
    fn go(&mut self, from: usize, people: u64, used: &mut [u64], had: &mut Vec<Had>) -> std::result::Result<(), Ends> {
        if people == 0 {
            return self.arrive(used, had);
        }
        for (cell, rows) in self.stage.cells.iter().enumerate().skip(from) {
            self.steps.set(self.steps.get().checked_sub(1).ok_or(Ends::TooLong)?);
            let row = |at: usize| self.piece.rows[self.stage.rows[at] as usize];
            let most =
                rows.iter().map(|at| row(*at).most.saturating_sub(used[*at])).min().unwrap_or(people).min(people);
            let last = cell + 1 == self.stage.cells.len();
            let needed = |at: &usize| row(*at).least.saturating_sub(used[*at] + self.stage.later[*at]);
            let needed = self.stage.last[cell].iter().map(needed).max().unwrap_or(0);
            let least = if last { people } else { needed };
            for here in least.max(1)..=most {
                rows.iter().for_each(|at| used[*at] += here);
                had.push((cell, here));
                let ended = self.go(cell + 1, people - here, used, had);
                had.pop();
                rows.iter().for_each(|at| used[*at] -= here);
                ended?;
            }
            if least > 0 {
                break;
            }
        }
        Ok(())
    }

    fn arrive(&mut self, used: &[u64], had: &[Had]) -> std::result::Result<(), Ends> {
        let enough = |at: usize| {
            let row = self.piece.rows[self.stage.rows[at] as usize];
            used[at] + self.stage.later[at] >= row.least
        };
        if !(0..used.len()).all(enough) {
            return Ok(());
        }
        let after = self.stage.stay.iter().map(|at| used[*at] as u32).collect();
        (self.visit)(had, after).ok_or(Ends::TooLarge)
    }
}
