//! Exact counting of the possible worlds of a component by dynamic programming over its classes.
//!
//! A state is the sum so far of every open count: a count with cells in earlier and in later classes. Partial assignments with
//! the same state have the same completions. A forward pass counts the ways to reach a state, a backward pass the ways to complete it.
//! The order of the classes keeps the number of open counts small. The computation stops at a step limit.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use rustc_hash::FxHasher;

use super::components::{Component, MergedClass, Row};
use super::contradiction;
use super::number::{CellCount, Factorials, Fraction, Large, Number};
use crate::error::Result;

/// Maximum number of open counts at a time. With more, there are too many states.
const MAX_OPEN_COUNTS: usize = 96;
/// Maximum number of people in a class, because a table of factorials is stored.
pub(super) const MAX_PEOPLE: u64 = 1 << 20;
/// Maximum number of values that occur in a class at a time. Each is one level of recursion.
const MAX_DEPTH: u64 = 1_000;

/// Number of possible worlds of a component, and exact posteriors.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    /// Natural logarithm of the number of worlds.
    pub ln_worlds: f64,
    /// Number of worlds, if counted without an overflow of 128 bits.
    pub worlds: Option<u128>,
    /// By class and cell: posterior probability.
    probabilities: Vec<Vec<f64>>,
    /// By class and cell: posterior probability as an exact fraction, if the numbers fit 128 bits.
    exact: Vec<Vec<Option<Fraction>>>,
}

impl Counted {
    pub(super) fn probability(&self, class: usize, cell: usize) -> f64 {
        self.probabilities[class][cell]
    }

    pub(super) fn exact(&self, class: usize, cell: usize) -> Option<Fraction> {
        self.exact[class][cell]
    }
}

/// Counts the possible worlds; `None` if that exceeds a limit.
///
/// # Errors
///
/// Returns an error if there is no possible world.
pub(super) fn count(component: &Component, steps: u64) -> Result<Option<Counted>> {
    let Some(plan) = (steps > 0).then(|| Plan::new(component)).flatten() else { return Ok(None) };
    let table = Factorials::up_to(component.classes.iter().map(|class| class.people).max().unwrap_or(0));
    let exactly = WorldCounter::<u128>::new(component, &plan, &table, steps).count();
    match exactly {
        CountOutcome::Overflow => WorldCounter::<Large>::new(component, &plan, &table, steps).count().into_result(),
        stopped => stopped.into_result(),
    }
}

/// Draws a possible world uniformly: number of people by class and cell.
///
/// Returns `None` if there is no possible world, or if counting exceeds a limit.
pub(super) fn draw(
    component: &Component,
    steps: u64,
    table: &Factorials,
    uniform: &mut impl FnMut() -> f64,
) -> Option<Vec<Vec<u64>>> {
    let plan = Plan::new(component)?;
    WorldCounter::<Large>::new(component, &plan, table, steps).draw(uniform)
}

/// How a count ended.
enum CountOutcome {
    Done(Counted),
    /// A number does not fit 128 bits.
    Overflow,
    /// The step limit was reached.
    OutOfSteps,
    /// There is no possible world.
    NoWorld,
}

impl CountOutcome {
    fn into_result(self) -> Result<Option<Counted>> {
        match self {
            CountOutcome::Done(counted) => Ok(Some(counted)),
            CountOutcome::NoWorld => Err(contradiction()),
            CountOutcome::Overflow | CountOutcome::OutOfSteps => Ok(None),
        }
    }
}

/// Elimination order of the classes.
pub(super) struct Plan {
    pub stages: Vec<Stage>,
}

/// One class, and the counts that are open when it is processed.
pub(super) struct Stage {
    pub class: usize,
    /// Rows that are open before the class, then rows that it opens.
    rows: Vec<u32>,
    /// By row: maximum sum over the later classes with a cell in the row.
    later: Vec<u64>,
    /// Positions in `rows` of the rows that stay open.
    stay: Vec<usize>,
    /// By cell of the class: positions in `rows` of its rows, with the number of records per person.
    cells: Vec<Vec<(usize, u64)>>,
    /// By cell of the class: positions of the rows that contain no later cell of the class.
    last: Vec<Vec<usize>>,
}

impl Plan {
    /// Greedy order: always the class that opens the fewest and closes the most counts. `None` if a limit is exceeded.
    pub(super) fn new(component: &Component) -> Option<Plan> {
        let too_many =
            |class: &MergedClass| class.people > MAX_PEOPLE || class.people.min(class.cells().len() as u64) > MAX_DEPTH;
        if component.classes.iter().any(too_many) || u32::try_from(component.people()).is_err() {
            return None;
        }
        let of_cell = rows_of_cells(component);
        let of_class = |class: &MergedClass| -> Vec<u32> {
            let mut rows: Vec<u32> = of_cell[class.cells()].iter().flatten().map(|(row, _)| *row).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        };
        let rows_of: Vec<Vec<u32>> = component.classes.iter().map(of_class).collect();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); component.rows.len() + component.weighted.len()];
        for (class, rows) in (0..).zip(&rows_of) {
            rows.iter().for_each(|row| members[*row as usize].push(class));
        }
        let mut left: Vec<usize> = members.iter().map(Vec::len).collect();
        // The most that a class can add to a row.
        let most = |class: usize, row: u32| -> u64 {
            let entries = of_cell[component.classes[class].cells()].iter().flatten();
            let records = entries.filter(|(of, _)| *of == row).map(|(_, records)| *records).max().unwrap_or(0);
            component.classes[class].people * records
        };
        let sum = |row: usize| members[row].iter().map(|class| most(*class as usize, row as u32)).sum();
        let mut later: Vec<u64> = (0..members.len()).map(sum).collect();
        if later.iter().any(|sum| u32::try_from(*sum).is_err()) {
            return None;
        }
        let mut done = vec![false; component.classes.len()];
        let mut open: Vec<u32> = Vec::new();
        let mut stages = Vec::with_capacity(component.classes.len());
        while stages.len() < component.classes.len() {
            let class = next_class(&rows_of, &members, &left, &open, &done)?;
            done[class] = true;
            let mut rows = open.clone();
            rows.extend(rows_of[class].iter().filter(|row| !open.contains(row)));
            for row in &rows_of[class] {
                left[*row as usize] -= 1;
                later[*row as usize] -= most(class, *row);
            }
            let stay: Vec<usize> = (0..rows.len()).filter(|at| left[rows[*at] as usize] > 0).collect();
            open = stay.iter().map(|at| rows[*at]).collect();
            if open.len() > MAX_OPEN_COUNTS {
                return None;
            }
            let place = |row: &u32| rows.iter().position(|known| known == row);
            let entry = |(row, records): &(u32, u64)| Some((place(row)?, *records));
            let places = |cell: usize| of_cell[cell].iter().filter_map(entry).collect();
            let cells: Vec<Vec<(usize, u64)>> = component.classes[class].cells().map(places).collect();
            let has = |rows: &Vec<(usize, u64)>, row: usize| rows.iter().any(|(other, _)| *other == row);
            let is_last = |cell: usize, row: usize| !cells[cell + 1..].iter().any(|rows| has(rows, row));
            let last =
                |cell: usize| cells[cell].iter().map(|(row, _)| *row).filter(|row| is_last(cell, *row)).collect();
            let last = (0..cells.len()).map(last).collect();
            let later = rows.iter().map(|row| later[*row as usize]).collect();
            stages.push(Stage { class, rows, later, stay, cells, last });
        }
        Some(Plan { stages })
    }
}

/// By cell: its rows with the number of records per person. Weighted counts follow the other rows.
fn rows_of_cells(component: &Component) -> Vec<Vec<(u32, u64)>> {
    let plain = |cell: usize| component.rows_of.at(cell).iter().map(|row| (*row, 1)).collect();
    let mut of_cell: Vec<Vec<(u32, u64)>> = (0..component.value.len()).map(plain).collect();
    for (row, weighted) in (component.rows.len() as u32..).zip(&component.weighted) {
        for (cell, records) in &weighted.cells {
            of_cell[*cell as usize].push((row, *records as u64));
        }
    }
    of_cell
}

/// Bounds of a row. Weighted counts follow the other rows.
fn row_bounds(component: &Component, row: u32) -> Row {
    match component.rows.get(row as usize) {
        Some(row) => *row,
        None => {
            let weighted = &component.weighted[row as usize - component.rows.len()];
            Row { lower: weighted.lower as u64, upper: weighted.upper as u64 }
        }
    }
}

/// The next class in the greedy order.
fn next_class(
    rows_of: &[Vec<u32>],
    members: &[Vec<u32>],
    left: &[usize],
    open: &[u32],
    done: &[bool],
) -> Option<usize> {
    let cost = |class: usize| {
        let rows = &rows_of[class];
        let opens = rows.iter().filter(|row| !open.contains(row) && left[**row as usize] > 1).count() as i64;
        let closes = rows.iter().filter(|row| open.contains(row) && left[**row as usize] == 1).count() as i64;
        (opens - closes, class)
    };
    let near = open.iter().flat_map(|row| &members[*row as usize]).map(|class| *class as usize);
    let near = near.filter(|class| !done[*class]).min_by_key(|class| cost(*class));
    near.or_else(|| {
        (0..rows_of.len()).filter(|class| !done[*class]).min_by_key(|class| (rows_of[*class].len(), *class))
    })
}

/// Sum so far of every open count.
pub(super) type State = Box<[u32]>;
/// States with a number of ways each.
pub(super) type States<N> = HashMap<State, N, BuildHasherDefault<FxHasher>>;

/// Dynamic program over the states of all stages.
pub(super) struct WorldCounter<'a, N> {
    component: &'a Component,
    plan: &'a Plan,
    table: &'a Factorials,
    steps: std::cell::Cell<u64>,
    number: std::marker::PhantomData<N>,
}

/// Reason why counting stops early.
enum StopReason {
    Overflow,
    OutOfSteps,
    NoWorld,
}

impl<'a, N: Number> WorldCounter<'a, N> {
    pub(super) fn new(
        component: &'a Component,
        plan: &'a Plan,
        table: &'a Factorials,
        steps: u64,
    ) -> WorldCounter<'a, N> {
        WorldCounter { component, plan, table, steps: steps.into(), number: std::marker::PhantomData }
    }

    fn count(self) -> CountOutcome {
        match self.forward_backward() {
            Ok(counted) => CountOutcome::Done(counted),
            Err(StopReason::Overflow) => CountOutcome::Overflow,
            Err(StopReason::OutOfSteps) => CountOutcome::OutOfSteps,
            Err(StopReason::NoWorld) => CountOutcome::NoWorld,
        }
    }

    fn forward_backward(&self) -> std::result::Result<Counted, StopReason> {
        let mut layers: Vec<States<N>> = Vec::with_capacity(self.plan.stages.len());
        let mut states: States<N> = std::iter::once((State::default(), N::from_count(1))).collect();
        for stage in &self.plan.stages {
            let mut next_states: States<N> = States::default();
            for (state, ways) in &states {
                self.for_each_assignment(stage, state, |assignment, after| {
                    let more = ways.times(&N::multinomial(self.table, assignment)?)?;
                    let known = next_states.entry(after).or_insert_with(N::zero);
                    *known = known.plus(&more)?;
                    Some(())
                })?;
            }
            layers.push(std::mem::replace(&mut states, next_states));
        }
        let worlds = states.remove(&State::default()).ok_or(StopReason::NoWorld)?;
        let mut probabilities = vec![Vec::new(); self.component.classes.len()];
        let mut exact = vec![Vec::new(); self.component.classes.len()];
        let mut suffix_counts: States<N> = std::iter::once((State::default(), N::from_count(1))).collect();
        for (stage, states) in self.plan.stages.iter().zip(&layers).rev() {
            let mut before: States<N> = States::default();
            let class = &self.component.classes[stage.class];
            let mut sums = vec![N::zero(); class.cells().len()];
            for (state, ways) in states {
                let mut onwards = N::zero();
                self.for_each_assignment(stage, state, |assignment, after| {
                    let Some(end) = suffix_counts.get(&after) else { return Some(()) };
                    let end = end.times(&N::multinomial(self.table, assignment)?)?;
                    onwards = onwards.plus(&end)?;
                    let through = ways.times(&end)?;
                    for (cell, people) in assignment {
                        sums[*cell] = sums[*cell].plus(&through.times(&N::from_count(*people))?)?;
                    }
                    Some(())
                })?;
                if !onwards.is_zero() {
                    before.insert(state.clone(), onwards);
                }
            }
            let all = worlds.times(&N::from_count(class.people)).ok_or(StopReason::Overflow)?;
            probabilities[stage.class] = sums.iter().map(|sum| sum.ratio(&all)).collect();
            // Probabilities 0 and 1 are exact in either number type.
            let nonzero = sums.iter().filter(|sum| !sum.is_zero()).count();
            let fraction = |sum: &N| match sum.exact().zip(all.exact()) {
                Some((sum, all)) => Some(Fraction::new(sum, all)),
                None if sum.is_zero() => Some(Fraction::new(0, 1)),
                None => (nonzero == 1).then_some(Fraction::ONE),
            };
            exact[stage.class] = sums.iter().map(fraction).collect();
            suffix_counts = before;
        }
        Ok(Counted { ln_worlds: worlds.ln(), worlds: worlds.exact(), probabilities, exact })
    }

    /// Draws a world stage by stage, with probabilities proportional to the number of completions.
    fn draw(&self, uniform: &mut impl FnMut() -> f64) -> Option<Vec<Vec<u64>>> {
        let mut layers: Vec<States<N>> = Vec::with_capacity(self.plan.stages.len());
        let mut states: States<N> = std::iter::once((State::default(), N::zero())).collect();
        for stage in &self.plan.stages {
            let mut next_states: States<N> = States::default();
            for state in states.keys() {
                let reached = self.for_each_assignment(stage, state, |_, after| {
                    next_states.entry(after).or_insert_with(N::zero);
                    Some(())
                });
                reached.ok()?;
            }
            layers.push(std::mem::replace(&mut states, next_states));
        }
        let mut suffix_counts: Vec<States<N>> = vec![std::iter::once((State::default(), N::from_count(1))).collect()];
        for (stage, states) in self.plan.stages.iter().zip(&layers).rev() {
            let after = &suffix_counts[suffix_counts.len() - 1];
            let mut before: States<N> = States::default();
            for state in states.keys() {
                let mut ways = N::zero();
                let counted = self.for_each_assignment(stage, state, |assignment, next| {
                    if let Some(end) = after.get(&next) {
                        ways = ways.plus(&end.times(&N::multinomial(self.table, assignment)?)?)?;
                    }
                    Some(())
                });
                counted.ok()?;
                if !ways.is_zero() {
                    before.insert(state.clone(), ways);
                }
            }
            suffix_counts.push(before);
        }
        let mut world = vec![Vec::new(); self.component.classes.len()];
        let mut state = State::default();
        for (at, stage) in self.plan.stages.iter().enumerate() {
            let after = &suffix_counts[suffix_counts.len() - 2 - at];
            let all = suffix_counts[suffix_counts.len() - 1 - at].get(&state)?;
            let mut left = uniform();
            let mut chosen = None;
            let moved = self.for_each_assignment(stage, &state, |assignment, next| {
                if let Some(end) = after.get(&next).filter(|_| left >= 0.0) {
                    left -= end.times(&N::multinomial(self.table, assignment)?)?.ratio(all);
                    chosen = Some((assignment.to_vec(), next));
                }
                Some(())
            });
            moved.ok()?;
            let (assignment, next) = chosen?;
            world[stage.class] = vec![0; stage.cells.len()];
            assignment.into_iter().for_each(|(cell, people)| world[stage.class][cell] = people);
            state = next;
        }
        Some(world)
    }

    /// Calls `visit` with every assignment of a class that is consistent with a state, and with the next state.
    fn for_each_assignment(
        &self,
        stage: &Stage,
        state: &State,
        mut visit: impl FnMut(&[CellCount], State) -> Option<()>,
    ) -> std::result::Result<(), StopReason> {
        let mut used: Vec<u64> = state.iter().map(|used| u64::from(*used)).collect();
        used.resize(stage.rows.len(), 0);
        let people = self.component.classes[stage.class].people;
        AssignmentSearch { component: self.component, stage, steps: &self.steps, visit: &mut visit }.assign_from(
            0,
            people,
            &mut used,
            &mut Vec::new(),
        )
    }
}

/// Enumerates the assignments of a class, cell by cell.
struct AssignmentSearch<'a, V> {
    component: &'a Component,
    stage: &'a Stage,
    steps: &'a std::cell::Cell<u64>,
    visit: &'a mut V,
}

impl<V: FnMut(&[CellCount], State) -> Option<()>> AssignmentSearch<'_, V> {
    /// Assigns the remaining people to the cells from `from` on. Each call chooses the next nonempty cell and its number of people.
    fn assign_from(
        &mut self,
        from: usize,
        people: u64,
        used: &mut [u64],
        assignment: &mut Vec<CellCount>,
    ) -> std::result::Result<(), StopReason> {
        if people == 0 {
            return self.visit_complete(used, assignment);
        }
        for (cell, rows) in self.stage.cells.iter().enumerate().skip(from) {
            self.steps.set(self.steps.get().checked_sub(1).ok_or(StopReason::OutOfSteps)?);
            let row = |at: usize| row_bounds(self.component, self.stage.rows[at]);
            let room = |(at, records): &(usize, u64)| row(*at).upper.saturating_sub(used[*at]) / records;
            let most = rows.iter().map(room).min().unwrap_or(people).min(people);
            let last = cell + 1 == self.stage.cells.len();
            let needed = |at: &usize| {
                let records = rows.iter().find(|(row, _)| row == at).map_or(1, |(_, records)| *records);
                row(*at).lower.saturating_sub(used[*at] + self.stage.later[*at]).div_ceil(records)
            };
            let needed = self.stage.last[cell].iter().map(needed).max().unwrap_or(0);
            let least = if last { people } else { needed };
            for here in least.max(1)..=most {
                rows.iter().for_each(|(at, records)| used[*at] += here * records);
                assignment.push((cell, here));
                let ended = self.assign_from(cell + 1, people - here, used, assignment);
                assignment.pop();
                rows.iter().for_each(|(at, records)| used[*at] -= here * records);
                ended?;
            }
            if least > 0 {
                break;
            }
        }
        Ok(())
    }

    fn visit_complete(&mut self, used: &[u64], assignment: &[CellCount]) -> std::result::Result<(), StopReason> {
        let enough = |at: usize| {
            let row = row_bounds(self.component, self.stage.rows[at]);
            used[at] + self.stage.later[at] >= row.lower
        };
        if !(0..used.len()).all(enough) {
            return Ok(());
        }
        let after = self.stage.stay.iter().map(|at| used[*at] as u32).collect();
        (self.visit)(assignment, after).ok_or(StopReason::Overflow)
    }
}
