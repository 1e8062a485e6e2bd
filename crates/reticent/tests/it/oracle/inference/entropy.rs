//! Maximum entropy by another way: a simplex for what is possible, then iterative scaling.

use super::*;

/// A linear program in a table: the most of the sum of some cells, and where it is attained. Every constraint is a sum of
/// cells between two bounds. None when nothing satisfies them.
fn most(cells: usize, constraints: &[(Vec<usize>, f64, f64)], wanted: &[usize]) -> Option<(f64, Vec<f64>)> {
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
    climb(&mut table, &mut basis, &first, width);
    let artificial = |basis: &[usize], table: &[Vec<f64>]| -> f64 {
        basis.iter().zip(table).filter(|(at, _)| **at >= cells + slacks).map(|(_, row)| row[width]).sum()
    };
    if artificial(&basis, &table) > 1e-7 {
        return None;
    }
    let mut second = vec![0.0; width];
    wanted.iter().for_each(|cell| second[*cell] = 1.0);
    second[cells + slacks..].fill(-1e6);
    climb(&mut table, &mut basis, &second, width);
    let mut at = vec![0.0; cells];
    for (place, row) in basis.iter().zip(&table) {
        if *place < cells {
            at[*place] = row[width];
        }
    }
    Some((wanted.iter().map(|cell| at[*cell]).sum(), at))
}

/// The simplex method, by the rule of the least place.
fn climb(table: &mut [Vec<f64>], basis: &mut [usize], gain: &[f64], width: usize) {
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

/// Cells of a puzzle: crowd, value, people in the crowd; and sums of cells between bounds.
pub struct Program {
    pub cells: Vec<(u32, Value, f64)>,
    sums: Vec<(Vec<usize>, f64, f64)>,
}

impl Program {
    /// Everybody has one value, and counts hold on average. Some cells may have bounds of their own.
    pub fn of(puzzle: &Problem, bounds: &BTreeMap<(u32, Value), (f64, f64)>) -> Program {
        let of_crowd = |(at, crowd): (usize, &PersonClass)| {
            let people = crowd.people as f64;
            crowd.possible.iter().map(move |value| (at as u32, *value, people)).collect::<Vec<_>>()
        };
        let cells: Vec<(u32, Value, f64)> = puzzle.classes.iter().enumerate().flat_map(of_crowd).collect();
        let mut sums = Vec::new();
        for (at, crowd) in puzzle.classes.iter().enumerate() {
            let of = (0..cells.len()).filter(|cell| cells[*cell].0 as usize == at).collect();
            sums.push((of, crowd.people as f64, crowd.people as f64));
        }
        for count in &puzzle.counts {
            let of = |cell: &usize| count.cells.contains(&(cells[*cell].0, cells[*cell].1));
            sums.push(((0..cells.len()).filter(of).collect(), count.lower as f64, count.upper as f64));
        }
        for (cell, (crowd, value, _)) in cells.iter().enumerate() {
            if let Some((low, high)) = bounds.get(&(*crowd, *value)) {
                sums.push((vec![cell], *low, *high));
            }
        }
        Program { cells, sums }
    }

    /// The cells that can be above nothing.
    pub fn support(&self, known: impl Fn(u32, Value) -> bool) -> BTreeSet<usize> {
        let mut support: BTreeSet<usize> =
            (0..self.cells.len()).filter(|cell| known(self.cells[*cell].0, self.cells[*cell].1)).collect();
        loop {
            let rest: Vec<usize> = (0..self.cells.len()).filter(|cell| !support.contains(cell)).collect();
            if rest.is_empty() {
                return support;
            }
            let (sum, at) = most(self.cells.len(), &self.sums, &rest).expect("there is a world");
            if sum < 1e-6 {
                return support;
            }
            support.extend(rest.into_iter().filter(|cell| at[*cell] > 1e-6));
        }
    }

    /// The maximum of entropy, in nats, and where it is; by scaling one sum after the other. None when that is slow.
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

/// How many estimates were compared, and of which kind.
#[derive(Debug, Default)]
struct Estimates {
    plain: usize,
    /// Those that also use what whole people force.
    whole: usize,
    slow: usize,
    not_converged: usize,
    not_whole: usize,
}

fn entropy_fault(puzzle: &Problem, truth: &Truth, kinds: &mut Estimates) -> Result<(), String> {
    let found = answer(puzzle, &SolveOptions::default())?.map_err(|error| error.to_string())?;
    let program = Program::of(puzzle, &BTreeMap::new());
    let possible = |crowd, value| truth.cells[&(crowd, value)].2 > 0;
    let support = program.support(possible);
    kinds.not_whole +=
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
        return Err(format!("counts are missed: {gap:?}"));
    }
    if let Some(gap) = work.gap
        && !(-1e-9..1e-6).contains(&gap.duality_gap)
    {
        return Err(format!("a gap: {gap:?}"));
    }
    let compare = |program: &Program, (most, x): &(f64, Vec<f64>)| {
        if let Some(entropy) = work.entropy
            && (entropy - most).abs() > 1e-6
        {
            return Err(format!("entropy of {entropy} instead of {most}"));
        }
        for (cell, x) in program.cells.iter().zip(x) {
            let told = found.classes[cell.0 as usize].iter().find(|told| told.value == cell.1);
            let share = x / cell.2;
            match told {
                // Nobody can have it, whatever the estimate.
                None if truth.cells[&(cell.0, cell.1)].0 == 0 => (),
                None if share > 1e-6 => return Err(format!("crowd and value {cell:?}: nothing instead of {share}")),
                Some(Posterior { entropy: Some(entropy), .. }) if (entropy - share).abs() > 1e-5 => {
                    return Err(format!("crowd and value {cell:?}: estimate of {entropy} instead of {share}"));
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
    // Whole people may force more than averages do.
    let bounds = answer(puzzle, &SolveOptions { bounds_only: true, ..NOTHING })?.map_err(|error| error.to_string())?;
    for only_forced in [true, false] {
        let mut forced = BTreeMap::new();
        for (at, crowd) in puzzle.classes.iter().enumerate() {
            for value in &crowd.possible {
                let told = bounds.classes[at].iter().find(|told| told.value == *value);
                let (low, high) = told.map_or((0.0, 0.0), |told| (told.lower.value(), told.upper.value()));
                if low == high || !only_forced {
                    forced.insert((at as u32, *value), (low * crowd.people as f64, high * crowd.people as f64));
                }
            }
        }
        let program = Program::of(puzzle, &forced);
        let Some(maximum) = program.maximum(&program.support(possible)) else {
            kinds.slow += 1;
            return Ok(());
        };
        if compare(&program, &maximum).is_ok() {
            kinds.whole += 1;
            return Ok(());
        }
    }
    Err(wrong)
}

/// The estimate against iterative scaling, on what a linear program does not show to be nothing.
#[test]
fn the_estimate_is_that_of_maximum_entropy() {
    let mut random = Random(21);
    let mut faults = Faults::default();
    let mut kinds = Estimates::default();
    for _ in 0..500 * times() {
        let size = small(&mut random);
        let (puzzle, _) = made(&mut random, size);
        let Some(truth) = truth(&puzzle, 20_000) else { continue };
        let before = kinds.not_converged;
        let result = entropy_fault(&puzzle, &truth, &mut kinds);
        if kinds.not_converged == 1 && before == 0 {
            let wrong = |puzzle: &Problem| {
                solve(puzzle, &SolveOptions::default()).is_ok_and(|found| found.stats.not_converged > 0)
            };
            println!("does not converge: {:?}", shrunk(puzzle.clone(), &wrong));
        }
        if let Err(wrong) = result {
            let fault = |puzzle: &Problem| {
                let truth = self::truth(puzzle, 20_000).filter(|truth| truth.worlds > 0)?;
                entropy_fault(puzzle, &truth, &mut Estimates::default()).err()
            };
            faults.add(&puzzle, &wrong, &fault);
        }
    }
    println!("{kinds:?}");
    assert!(kinds.plain > 400 && kinds.slow < 60, "{kinds:?}");
    faults.end();
}

/// Two crowds of one person, one of whom has the value: a half each. Crowds of two and one: the same, as a third each.
#[test]
fn closed_forms_of_the_estimate() {
    let group = |people: &[u64], shown: &[u64]| Problem {
        classes: people
            .iter()
            .map(|people| PersonClass { people: *people, possible: (0..shown.len() as Value).collect() })
            .collect(),
        counts: shown
            .iter()
            .zip(0..)
            .map(|(shown, value)| {
                let of = (0..people.len() as u32).map(|crowd| (crowd, value)).collect();
                Count { source: 0, cells: of, lower: *shown, upper: *shown }
            })
            .collect(),
        known_solution: None,
        incomplete: Vec::new(),
    };
    for (people, shown) in [(vec![1, 1], vec![1, 1]), (vec![2, 1], vec![1, 2]), (vec![3, 4, 5], vec![6, 2, 3, 1])] {
        let found = solve(&group(&people, &shown), &SolveOptions::default()).unwrap();
        let all: u64 = people.iter().sum();
        for told in found.classes.iter().flatten() {
            let share = shown[told.value as usize] as f64 / all as f64;
            assert!((told.entropy.unwrap() - share).abs() < 1e-9, "{told:?}");
            assert!((told.worlds.unwrap() - share).abs() < 1e-12, "{told:?}");
        }
        let nats: f64 = shown.iter().map(|shown| -(*shown as f64) * (*shown as f64 / all as f64).ln()).sum();
        assert!((found.stats.entropy.unwrap() - nats).abs() < 1e-8);
    }
}
