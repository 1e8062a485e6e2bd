//! Maximum entropy by an independent method: the simplex method finds the support, then iterative scaling.

use super::*;

/// Maximizes the sum of some cells (dense linear program). Every constraint is a sum of cells with two bounds. Returns the maximum
/// and a solution, or `None` if the constraints are infeasible.
fn maximize(cells: usize, constraints: &[(Vec<usize>, f64, f64)], objective: &[usize]) -> Option<(f64, Vec<f64>)> {
    let rows: usize = constraints.iter().map(|(_, low, high)| if low == high { 1 } else { 2 }).sum();
    let slacks = constraints.iter().filter(|(_, low, high)| low != high).count() * 2;
    let (width, mut table) = (cells + slacks + rows, Vec::new());
    let mut slack = cells;
    for (of, low, high) in constraints {
        let mut row = vec![0.0; width + 1];
        of.iter().for_each(|cell| row[*cell] = 1.0);
        let (mut above, mut below) = (row.clone(), row);
        (above[width], below[width]) = (*high, *low);
        if low == high {
            table.push(above);
        } else {
            above[slack] = 1.0;
            below[slack + 1] = -1.0;
            slack += 2;
            table.extend([above, below]);
        }
    }
    let mut basis: Vec<usize> = (0..rows).map(|row| cells + slacks + row).collect();
    for (row, line) in table.iter_mut().enumerate() {
        line[cells + slacks + row] = 1.0;
    }
    let mut first = vec![0.0; width];
    first[cells + slacks..].fill(-1.0);
    simplex(&mut table, &mut basis, &first, width);
    let artificial = |basis: &[usize], table: &[Vec<f64>]| -> f64 {
        basis.iter().zip(table).filter(|(at, _)| **at >= cells + slacks).map(|(_, row)| row[width]).sum()
    };
    if artificial(&basis, &table) > 1e-7 {
        return None;
    }
    let mut second = vec![0.0; width];
    objective.iter().for_each(|cell| second[*cell] = 1.0);
    second[cells + slacks..].fill(-1e6);
    simplex(&mut table, &mut basis, &second, width);
    let mut at = vec![0.0; cells];
    for (place, row) in basis.iter().zip(&table) {
        if *place < cells {
            at[*place] = row[width];
        }
    }
    Some((objective.iter().map(|cell| at[*cell]).sum(), at))
}

/// The simplex method with Bland's rule.
fn simplex(table: &mut [Vec<f64>], basis: &mut [usize], gain: &[f64], width: usize) {
    loop {
        let reduced = |place: usize| -> f64 {
            gain[place] - basis.iter().zip(table.iter()).map(|(at, row)| gain[*at] * row[place]).sum::<f64>()
        };
        let Some(enters) = (0..width).find(|place| !basis.contains(place) && reduced(*place) > 1e-9) else { return };
        let ratio = |row: &Vec<f64>| row[width] / row[enters];
        let leaves = (0..table.len()).filter(|row| table[*row][enters] > 1e-9).min_by(|one, other| {
            ratio(&table[*one]).total_cmp(&ratio(&table[*other])).then(basis[*one].cmp(&basis[*other]))
        });
        let leaves = leaves.expect("bounded");
        let by = table[leaves][enters];
        table[leaves].iter_mut().for_each(|entry| *entry /= by);
        let pivot = table[leaves].clone();
        for (row, line) in table.iter_mut().enumerate() {
            let factor = line[enters];
            if row != leaves && factor != 0.0 {
                line.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * pivot);
            }
        }
        basis[leaves] = enters;
    }
}

/// Linear program of a problem.
pub struct Program {
    /// Cells: class, value, number of people of the class.
    pub cells: Vec<(u32, Value, f64)>,
    /// Sums of cells with their bounds.
    sums: Vec<(Vec<usize>, f64, f64)>,
}

impl Program {
    /// Every person has one value, and the counts hold in expectation. `bounds` limits single cells.
    pub fn new(problem: &Problem, bounds: &BTreeMap<(u32, Value), (f64, f64)>) -> Program {
        let of_class = |(at, class): (usize, &PersonClass)| {
            let people = class.people as f64;
            class.possible.iter().map(move |value| (at as u32, *value, people)).collect::<Vec<_>>()
        };
        let cells: Vec<(u32, Value, f64)> = problem.classes.iter().enumerate().flat_map(of_class).collect();
        let mut sums = Vec::new();
        for (at, class) in problem.classes.iter().enumerate() {
            let of = (0..cells.len()).filter(|cell| cells[*cell].0 as usize == at).collect();
            sums.push((of, class.people as f64, class.people as f64));
        }
        for count in &problem.counts {
            let of = |cell: &usize| count.cells.contains(&(cells[*cell].0, cells[*cell].1));
            sums.push(((0..cells.len()).filter(of).collect(), count.lower as f64, count.upper as f64));
        }
        for (cell, (class, value, _)) in cells.iter().enumerate() {
            if let Some((low, high)) = bounds.get(&(*class, *value)) {
                sums.push((vec![cell], *low, *high));
            }
        }
        Program { cells, sums }
    }

    /// Cells that can be positive.
    pub fn support(&self, known: impl Fn(u32, Value) -> bool) -> BTreeSet<usize> {
        let mut support: BTreeSet<usize> =
            (0..self.cells.len()).filter(|cell| known(self.cells[*cell].0, self.cells[*cell].1)).collect();
        loop {
            let rest: Vec<usize> = (0..self.cells.len()).filter(|cell| !support.contains(cell)).collect();
            if rest.is_empty() {
                return support;
            }
            let (sum, at) = maximize(self.cells.len(), &self.sums, &rest).expect("a possible world");
            if sum < 1e-6 {
                return support;
            }
            support.extend(rest.into_iter().filter(|cell| at[*cell] > 1e-6));
        }
    }

    /// Maximum entropy in nats, and the solution, by iterative scaling. Returns `None` if it converges slowly.
    pub fn maximum(&self, support: &BTreeSet<usize>) -> Option<(f64, Vec<f64>)> {
        let mut x: Vec<f64> =
            self.cells.iter().enumerate().map(|(at, cell)| if support.contains(&at) { cell.2 } else { 0.0 }).collect();
        let sums: Vec<(Vec<usize>, f64, f64)> = self
            .sums
            .iter()
            .map(|(of, low, high)| (of.iter().copied().filter(|cell| support.contains(cell)).collect(), *low, *high))
            .filter(|(of, _, _): &(Vec<usize>, f64, f64)| !of.is_empty())
            .collect();
        let mut factors = vec![1.0f64; sums.len()];
        for _ in 0..4000 {
            let mut moved = 0.0f64;
            for ((of, low, high), factor) in sums.iter().zip(&mut factors) {
                let without = if low == high { 1.0 } else { *factor };
                let sum: f64 = of.iter().map(|cell| x[*cell]).sum::<f64>() / without;
                let new = sum.clamp(*low, *high) / sum;
                let by = new / without;
                of.iter().for_each(|cell| x[*cell] *= by);
                *factor = if low == high { 1.0 } else { new };
                moved = moved.max((by - 1.0).abs());
            }
            if moved < 1e-12 {
                let entropy =
                    |(x, cell): (&f64, &(u32, Value, f64))| if *x > 0.0 { -x * (x / cell.2).ln() } else { 0.0 };
                return Some((x.iter().zip(&self.cells).map(entropy).sum(), x));
            }
        }
        None
    }
}

/// Numbers of compared estimates by kind.
#[derive(Debug, Default)]
struct Estimates {
    plain: usize,
    /// Estimates that also use the integrality of people.
    integral: usize,
    slow: usize,
    not_converged: usize,
    not_integral: usize,
}

fn check_entropy(problem: &Problem, truth: &AllWorlds, kinds: &mut Estimates) -> Result<(), String> {
    let found = try_solve(problem, &SolveOptions::default())?.map_err(|error| error.to_string())?;
    let program = Program::new(problem, &BTreeMap::new());
    let possible = |class, value| truth.cells[&(class, value)].2 > 0;
    let support = program.support(possible);
    kinds.not_integral +=
        usize::from(support.iter().any(|cell| !possible(program.cells[*cell].0, program.cells[*cell].1)));
    let work = &found.stats;
    if work.not_converged > 0 {
        kinds.not_converged += 1;
        if work.entropy.is_some() || work.gap.is_some() {
            return Err(format!("not converged, but with numbers: {work:?}"));
        }
    } else if work.entropy.is_none()
        || work.gap.is_none()
        || found.classes.iter().flatten().any(|t| t.entropy.is_none())
    {
        return Err(format!("converged, but without numbers: {found:?}"));
    }
    if let Some(gap) = work.gap
        && !(0.0..1e-7).contains(&gap.residual)
    {
        return Err(format!("residual of the counts: {gap:?}"));
    }
    if let Some(gap) = work.gap
        && !(-1e-9..1e-6).contains(&gap.duality_gap)
    {
        return Err(format!("duality gap: {gap:?}"));
    }
    let compare = |program: &Program, (maximum, x): &(f64, Vec<f64>)| {
        if let Some(entropy) = work.entropy
            && (entropy - maximum).abs() > 1e-6
        {
            return Err(format!("entropy of {entropy} instead of {maximum}"));
        }
        for (cell, x) in program.cells.iter().zip(x) {
            let posterior = found.classes[cell.0 as usize].iter().find(|posterior| posterior.value == cell.1);
            let share = x / cell.2;
            match posterior {
                // The value is impossible, so it needs no estimate.
                None if truth.cells[&(cell.0, cell.1)].0 == 0 => (),
                None if share > 1e-6 => return Err(format!("class and value {cell:?}: nothing instead of {share}")),
                Some(Posterior { entropy: Some(entropy), .. }) if (entropy - share).abs() > 1e-5 => {
                    return Err(format!("class and value {cell:?}: estimate of {entropy} instead of {share}"));
                }
                _ => (),
            }
        }
        Ok(())
    };
    let Some(maximum) = program.maximum(&support) else {
        kinds.slow += 1;
        return Ok(());
    };
    let Err(wrong) = compare(&program, &maximum) else {
        kinds.plain += 1;
        return Ok(());
    };
    // The integrality of people can force more cells than the linear program.
    let bounds =
        try_solve(problem, &SolveOptions { bounds_only: true, ..PRESOLVE_ONLY })?.map_err(|error| error.to_string())?;
    for only_forced in [true, false] {
        let mut forced = BTreeMap::new();
        for (at, class) in problem.classes.iter().enumerate() {
            for value in &class.possible {
                let posterior = bounds.classes[at].iter().find(|posterior| posterior.value == *value);
                let (low, high) =
                    posterior.map_or((0.0, 0.0), |posterior| (posterior.lower.value(), posterior.upper.value()));
                if low == high || !only_forced {
                    forced.insert((at as u32, *value), (low * class.people as f64, high * class.people as f64));
                }
            }
        }
        let program = Program::new(problem, &forced);
        let Some(maximum) = program.maximum(&program.support(possible)) else {
            kinds.slow += 1;
            return Ok(());
        };
        if compare(&program, &maximum).is_ok() {
            kinds.integral += 1;
            return Ok(());
        }
    }
    Err(wrong)
}

/// The cells that the linear program forces to zero are excluded.
#[test]
fn the_estimate_matches_iterative_scaling() {
    let mut random = Random(21);
    let mut failures = ProblemFailures::default();
    let mut kinds = Estimates::default();
    for _ in 0..500 * times() {
        let size = small_size(&mut random);
        let (problem, _) = random_problem(&mut random, size);
        let Some(truth) = enumerate_worlds(&problem, 20_000) else { continue };
        let before = kinds.not_converged;
        let result = check_entropy(&problem, &truth, &mut kinds);
        if kinds.not_converged == 1 && before == 0 {
            let wrong = |problem: &Problem| {
                solve(problem, &SolveOptions::default()).is_ok_and(|found| found.stats.not_converged > 0)
            };
            println!("does not converge: {:?}", shrunk(problem.clone(), &wrong));
        }
        if let Err(wrong) = result {
            let fault = |problem: &Problem| {
                let truth = self::enumerate_worlds(problem, 20_000).filter(|truth| truth.worlds > 0)?;
                check_entropy(problem, &truth, &mut Estimates::default()).err()
            };
            failures.add(&problem, &wrong, &fault);
        }
    }
    println!("{kinds:?}");
    assert!(kinds.plain > 400 && kinds.slow < 60, "{kinds:?}");
    failures.finish();
}

/// In a single group, the posterior of each person is the frequency of the value in the group.
#[test]
fn the_estimate_of_a_single_group_has_its_closed_form() {
    let group = |people: &[u64], frequencies: &[u64]| Problem {
        classes: people
            .iter()
            .map(|people| PersonClass { people: *people, possible: (0..frequencies.len() as Value).collect() })
            .collect(),
        counts: frequencies
            .iter()
            .zip(0..)
            .map(|(frequency, value)| {
                let of = (0..people.len() as u32).map(|class| (class, value)).collect();
                Count { source: 0, cells: of, lower: *frequency, upper: *frequency }
            })
            .collect(),
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    for (people, frequencies) in [(vec![1, 1], vec![1, 1]), (vec![2, 1], vec![1, 2]), (vec![3, 4, 5], vec![6, 2, 3, 1])]
    {
        let found = solve(&group(&people, &frequencies), &SolveOptions::default()).unwrap();
        let all: u64 = people.iter().sum();
        for posterior in found.classes.iter().flatten() {
            let share = frequencies[posterior.value as usize] as f64 / all as f64;
            assert!((posterior.entropy.unwrap() - share).abs() < 1e-9, "{posterior:?}");
            assert!((posterior.worlds.unwrap() - share).abs() < 1e-12, "{posterior:?}");
        }
        let nats: f64 = frequencies.iter().map(|count| -(*count as f64) * (*count as f64 / all as f64).ln()).sum();
        assert!((found.stats.entropy.unwrap() - nats).abs() < 1e-8);
    }
}
