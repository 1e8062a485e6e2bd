//! Bounds compared with the enumeration of all possible worlds.
#![allow(clippy::expect_used)]

use super::*;
use crate::{Count, PersonClass, Problem, SolveOptions, Value, solve};

/// Reproducible random numbers by SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).for_each(|at| items.swap(at, self.below(at + 1)));
    }
}

/// By class and value: number of people.
type World = Vec<Vec<u64>>;

/// A random world with classes of up to `most` people.
fn random_world(classes: usize, most: usize, values: usize, random: &mut Random) -> World {
    let of_class = |_| {
        let mut assigned = vec![0; values];
        (0..=random.below(most)).for_each(|_| assigned[random.below(values)] += 1);
        assigned
    };
    (0..classes).map(of_class).collect()
}

/// The problem of releases with random groups of about `size` classes, consistent with a world.
fn problem_from_world(world: &World, releases: u32, size: usize, random: &mut Random) -> Problem {
    let values = world[0].len();
    let class =
        |assigned: &Vec<u64>| PersonClass { people: assigned.iter().sum(), possible: (0..values as Value).collect() };
    let mut counts = Vec::new();
    for source in 0..releases {
        let mut order: Vec<u32> = (0..world.len() as u32).collect();
        random.shuffle(&mut order);
        for group in order.chunks(size) {
            for value in 0..values as Value {
                let number = group.iter().map(|class| world[*class as usize][value as usize]).sum();
                let cells = group.iter().map(|class| (*class, value)).collect();
                counts.push(Count { source, cells, lower: number, upper: number });
            }
        }
    }
    Problem { classes: world.iter().map(class).collect(), counts, ..Problem::default() }
}

/// A random count over a few cells that holds in the world.
fn true_count(world: &World, source: u32, random: &mut Random) -> Count {
    let mut cells: Vec<(u32, Value)> = (0..world.len() as u32)
        .flat_map(|class| (0..world[0].len() as Value).map(move |value| (class, value)))
        .collect();
    random.shuffle(&mut cells);
    cells.truncate(2 + random.below(4));
    let number: u64 = cells.iter().map(|(class, value)| world[*class as usize][*value as usize]).sum();
    Count {
        source,
        cells,
        lower: number.saturating_sub(random.below(2) as u64),
        upper: number + random.below(2) as u64,
    }
}

fn with_known_solution(mut problem: Problem, world: &World) -> Problem {
    let of_class = |(class, assigned): (u32, &Vec<u64>)| {
        assigned.iter().zip(0..).map(move |(people, value)| (class, value, *people)).collect::<Vec<_>>()
    };
    problem.known_solution = Some((0..).zip(world).flat_map(of_class).collect());
    problem
}

/// Calls `each` with every possible world.
fn for_each_world(problem: &Problem, each: &mut impl FnMut(&World)) {
    fn go(problem: &Problem, world: &mut World, used: &mut [u64], each: &mut impl FnMut(&World)) {
        let Some(class) = problem.classes.get(world.len()) else {
            if problem.counts.iter().zip(used.iter()).all(|(count, used)| *used >= count.lower) {
                each(world);
            }
            return;
        };
        let mut assigned = vec![0; class.possible.len()];
        share(class.people, 0, &mut assigned, &mut |assigned| {
            let at = world.len() as u32;
            let now = |count: &Count| -> u64 {
                count.cells.iter().filter(|(class, _)| *class == at).map(|(_, value)| assigned[*value as usize]).sum()
            };
            let more: Vec<u64> = problem.counts.iter().map(now).collect();
            let mut then: Vec<u64> = used.iter().zip(more).map(|(used, more)| used + more).collect();
            if then.iter().zip(&problem.counts).all(|(used, count)| *used <= count.upper) {
                world.push(assigned.to_vec());
                go(problem, world, &mut then, each);
                world.pop();
            }
        });
    }
    fn share(people: u64, at: usize, assigned: &mut Vec<u64>, each: &mut dyn FnMut(&[u64])) {
        if at + 1 == assigned.len() {
            assigned[at] = people;
            return each(assigned);
        }
        for here in 0..=people {
            assigned[at] = here;
            share(people - here, at + 1, assigned, each);
        }
    }
    go(problem, &mut Vec::new(), &mut vec![0; problem.counts.len()], each);
}

/// By class and value: minimum, maximum and mean over all worlds. The mean weights each table by its number of assignments.
fn exact_ranges(problem: &Problem) -> Vec<Vec<(u64, u64, f64)>> {
    let mut ranges: Vec<Vec<(u64, u64, f64)>> =
        problem.classes.iter().map(|class| vec![(u64::MAX, 0, 0.0); class.possible.len()]).collect();
    let factorial = |number: &u64| (1..=*number).map(|factor| factor as f64).product::<f64>();
    let mut all = 0.0;
    for_each_world(problem, &mut |world| {
        let ways: f64 = world.iter().flatten().map(|people| 1.0 / factorial(people)).product();
        all += ways;
        for (range, people) in ranges.iter_mut().flatten().zip(world.iter().flatten()) {
            *range = (range.0.min(*people), range.1.max(*people), range.2 + ways * *people as f64);
        }
    });
    ranges.iter_mut().flatten().for_each(|range| range.2 /= all);
    ranges
}

/// Options without counting: bounds come from presolve and linear programs only.
const BOUNDS_ONLY: SolveOptions =
    SolveOptions { steps: 0, program_steps: 1_000_000, entropy: false, samples: 0, seed: 0, bounds_only: true };

fn bounds(problem: &Problem, options: &SolveOptions) -> Vec<Vec<(f64, f64)>> {
    let solution = solve(problem, options).expect("solved");
    let of_class = |(posteriors, class): (&[crate::Posterior], &PersonClass)| {
        let of_value = |value: &Value| {
            let posterior = posteriors.iter().find(|posterior| posterior.value == *value);
            posterior.map_or((0.0, 0.0), |posterior| (posterior.lower.value(), posterior.upper.value()))
        };
        class.possible.iter().map(of_value).collect()
    };
    solution.classes.iter().zip(&problem.classes).map(of_class).collect()
}

/// Summary of many checks.
#[derive(Debug, Default)]
struct CheckSummary {
    /// Number of checked cells.
    cells: u32,
    /// Number of cells whose bounds equal the exact range.
    tight: u32,
    /// Number of problems in which linear programs narrow a bound.
    by_programs: u32,
}

/// Checks that all worlds lie within the bounds, and counts the tight ones.
fn check(problem: &Problem, summary: &mut CheckSummary) {
    let ranges = exact_ranges(problem);
    let tight = bounds(problem, &BOUNDS_ONLY);
    let with_symmetry = bounds(problem, &SolveOptions { bounds_only: false, ..BOUNDS_ONLY });
    let small_budget = bounds(problem, &SolveOptions { program_steps: 5_000, ..BOUNDS_ONLY });
    for (class, ranges) in ranges.iter().enumerate() {
        let people = problem.classes[class].people as f64;
        for (value, (least, most, mean)) in ranges.iter().enumerate() {
            let ratio = |number: f64| number / people;
            let (least, most, mean) = (ratio(*least as f64), ratio(*most as f64), ratio(*mean));
            let (low, high) = tight[class][value];
            assert!(low <= least && most <= high, "class {class}, value {value} of {problem:?}");
            summary.cells += 1;
            summary.tight += u32::from((low, high) == (least, most));
            // With symmetry, bounds apply to the mean, so they can be narrower than the range.
            let (low, high) = with_symmetry[class][value];
            assert!(low <= mean + 1e-9 && mean <= high + 1e-9, "{problem:?}");
            let (low, high) = small_budget[class][value];
            assert!(low <= least && most <= high, "{problem:?}");
        }
    }
    summary.by_programs += u32::from(bounds(problem, &SolveOptions { program_steps: 0, ..BOUNDS_ONLY }) != tight);
}

#[test]
fn bounds_are_valid_and_mostly_tight() {
    let mut summary = CheckSummary::default();
    for seed in 0..300 {
        let random = &mut Random(seed);
        let (classes, most) = if seed % 2 == 0 { (7, 1) } else { (5, 3) };
        let world = random_world(classes, most, 2 + seed as usize % 3, random);
        let mut problem = problem_from_world(&world, 1 + random.below(4) as u32, 2 + random.below(2), random);
        for source in 0..random.below(4) as u32 {
            problem.counts.push(true_count(&world, 10 + source, random));
        }
        check(&problem, &mut summary);
        check(&with_known_solution(problem, &world), &mut summary);
    }
    // Otherwise the test would check flows only.
    assert!(summary.by_programs >= 40, "{summary:?}");
    // At most four bounds follow only from integrality, which linear programs do not use.
    assert!(summary.cells - summary.tight <= 4, "{summary:?}");
}

/// Three releases of five people with exactly one possible world: cells by source, with the numbers of values 0 and 1.
const CORE: [&[(&[u32], [u64; 2])]; 3] = [
    &[(&[1, 3], [1, 1]), (&[0, 2, 4], [1, 2])],
    &[(&[0, 1], [1, 1]), (&[2, 3, 4], [1, 2])],
    &[(&[1, 4], [1, 1]), (&[0, 2, 3], [1, 2])],
];
const CORE_VALUES: [Value; 5] = [1, 0, 0, 1, 1];

fn core_counts() -> Vec<Count> {
    let groups = (0..).zip(CORE).flat_map(|(source, groups)| groups.iter().map(move |group| (source, group)));
    let counts = groups.flat_map(|(source, (people, numbers))| {
        (0..).zip(numbers).map(move |(value, number)| Count {
            source,
            cells: people.iter().map(|person| (*person, value)).collect(),
            lower: *number,
            upper: *number,
        })
    });
    counts.collect()
}

#[test]
fn three_releases_with_one_world() {
    let classes = vec![PersonClass { people: 1, possible: vec![0, 1] }; 5];
    let problem = Problem { classes, counts: core_counts(), ..Problem::default() };
    let without = bounds(&problem, &SolveOptions { program_steps: 0, ..BOUNDS_ONLY });
    assert!(without.iter().flatten().all(|bounds| *bounds == (0.0, 1.0)), "{without:?}");
    let with = bounds(&problem, &BOUNDS_ONLY);
    for (person, value) in (0..5).zip(CORE_VALUES) {
        assert_eq!(with[person][value as usize], (1.0, 1.0));
    }
}

/// The five people in a component with many others, connected by further counts.
#[test]
fn fixed_people_in_a_large_component() {
    let random = &mut Random(5);
    let mut world = random_world(400, 1, 2, random);
    for (assigned, value) in world.iter_mut().zip(CORE_VALUES) {
        *assigned = if value == 0 { vec![1, 0] } else { vec![0, 1] };
    }
    let mut problem = problem_from_world(&world[5..].to_vec(), 3, 5, random);
    problem.counts.iter_mut().flat_map(|count| &mut count.cells).for_each(|(class, _)| *class += 5);
    problem.classes = world.iter().map(|_| PersonClass { people: 1, possible: vec![0, 1] }).collect();
    problem.counts.extend(core_counts());
    for person in 0..5 {
        // At most two of three people have value 0.
        let cells = vec![(person, 0), (5 + 2 * person, 0), (6 + 2 * person, 0)];
        problem.counts.push(Count { source: 9 + person, cells, lower: 0, upper: 2 });
    }
    let problem = with_known_solution(problem, &world);
    let options = SolveOptions { bounds_only: false, program_steps: 2_000_000, ..BOUNDS_ONLY };
    let without = bounds(&problem, &SolveOptions { program_steps: 0, ..options });
    assert!(without[..5].iter().flatten().all(|bounds| *bounds == (0.0, 1.0)));
    let with = bounds(&problem, &options);
    for (person, value) in (0..5).zip(CORE_VALUES) {
        assert_eq!(with[person][value as usize], (1.0, 1.0));
    }
}

#[test]
fn no_weights_refute_a_world() {
    for seed in 0..200 {
        let random = &mut Random(seed);
        let world = random_world(6, 2, 3, random);
        let problem = with_known_solution(problem_from_world(&world, 3, 3, random), &world);
        let system = System::new(&problem).expect("a system");
        let presolved = presolve::presolve(&system, true).expect("worlds");
        for component in Decomposition::new(&system, &presolved.bounds).components {
            let rows = ProgramRows::new(&component);
            let known_solution: Vec<i64> =
                component.known_solution.iter().flatten().map(|people| *people as i64).collect();
            assert!(rows.is_world(&known_solution));
            let mut bounds = VariableBounds::new(&rows).expect("worlds");
            for (cell, people) in (0..).zip(&known_solution).filter(|(cell, _)| cell % 2 == 0) {
                bounds.narrow(&rows, (cell, *people, *people)).expect("a world");
            }
            for round in 0..50 {
                let size = [3, 1 << 20, i64::MAX as usize][round % 3];
                let weight = |row: u32| (row, random.below(size) as i64 - (size / 2) as i64);
                let weights: Vec<(u32, i64)> = (0..rows.len() as u32).map(weight).collect();
                assert!(!rows.refutes(&bounds, &weights), "{problem:?}");
            }
        }
    }
}

#[test]
fn parity_contradiction_is_proved() {
    let classes = vec![PersonClass { people: 1, possible: vec![0, 1] }; 3];
    let pair =
        |one: u32, other: u32, source: u32| Count { source, cells: vec![(one, 0), (other, 0)], lower: 1, upper: 1 };
    let problem = Problem { classes, counts: vec![pair(0, 1, 0), pair(1, 2, 1), pair(0, 2, 2)], ..Problem::default() };
    // Fractional solution: one half for each person. There is no integer solution.
    assert!(solve(&problem, &SolveOptions { program_steps: 0, ..BOUNDS_ONLY }).is_ok());
    assert!(solve(&problem, &BOUNDS_ONLY).is_err());
}
