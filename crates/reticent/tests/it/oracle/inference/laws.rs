//! Laws of all solutions: invariance, independence of components, monotonicity, determinism.

use super::*;

/// Whether posteriors are equal, with a tolerance for floating-point numbers.
fn same_posteriors(one: &[Posterior], other: &[Posterior]) -> bool {
    let near = |one: Option<f64>, other: Option<f64>, tolerance: f64| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= tolerance,
        (None, None) => true,
        _ => false,
    };
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            (one.value, one.lower, one.upper) == (other.value, other.lower, other.upper)
                && near(one.worlds, other.worlds, 1e-12)
                && near(one.entropy, other.entropy, 1e-6)
        })
}

/// Random problems of small and large size.
fn random_problems(random: &mut Random, times: usize) -> Vec<(Problem, Vec<Vec<Value>>)> {
    (0..times)
        .map(|at| {
            let size = if at % 2 == 0 { LARGE } else { small_size(random) };
            random_problem(random, size)
        })
        .collect()
}

/// Options with different budgets. With small ones, not all components are counted.
fn budgets() -> [SolveOptions; 3] {
    [
        SolveOptions { steps: 200_000, ..SolveOptions::default() },
        SolveOptions { steps: 300, ..SolveOptions::default() },
        SolveOptions { bounds_only: true, ..PRESOLVE_ONLY },
    ]
}

/// The problem with permuted classes, counts and values. Also returns the new class of each class, and the new value of each value.
fn permuted(problem: &Problem, random: &mut Random) -> (Problem, Vec<usize>, Vec<Value>) {
    let mut order: Vec<usize> = (0..problem.classes.len()).collect();
    random.shuffle(&mut order);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    let mut names: Vec<Value> = (0..12).map(|name| name * 5 + 1).collect();
    random.shuffle(&mut names);
    let mut counts = problem.counts.clone();
    for count in &mut counts {
        let new = |(class, value): &(u32, Value)| (place[*class as usize] as u32, names[*value as usize]);
        count.cells = count.cells.iter().map(new).collect();
        random.shuffle(&mut count.cells);
        count.source = 40 - count.source;
    }
    random.shuffle(&mut counts);
    let class = |old: &usize| {
        let mut possible: Vec<Value> =
            problem.classes[*old].possible.iter().map(|value| names[*value as usize]).collect();
        possible.sort_unstable();
        PersonClass { possible, people: problem.classes[*old].people }
    };
    (Problem { classes: order.iter().map(class).collect(), counts, ..Problem::default() }, place, names)
}

fn check_order(problem: &Problem, seeds: u64) -> Option<String> {
    for (seed, (at, options)) in
        (0..seeds).flat_map(|seed| budgets().into_iter().enumerate().map(move |options| (seed, options)))
    {
        let (other, place, names) = permuted(problem, &mut Random(seed));
        let (Ok(before), Ok(after)) = (solve(problem, &options), solve(&other, &options)) else { return None };
        if at < 2 && before.stats.not_converged != after.stats.not_converged {
            return Some("convergence depends on the order".to_owned());
        }
        // The components that are counted within a budget can depend on the order.
        if before.worlds.is_some() != after.worlds.is_some() {
            continue;
        }
        if before.worlds != after.worlds {
            return Some(format!("worlds: {:?} {:?}", before.worlds, after.worlds));
        }
        for (old, posteriors) in before.classes.iter().enumerate() {
            let mut posteriors: Vec<Posterior> = posteriors
                .iter()
                .map(|posterior| Posterior { value: names[posterior.value as usize], ..*posterior })
                .collect();
            posteriors.sort_by_key(|posterior| posterior.value);
            let again = &after.classes[place[old]];
            if !same_posteriors(&posteriors, again) {
                return Some(format!("posteriors with options {at}: {posteriors:?} {again:?}"));
            }
        }
    }
    None
}

#[test]
fn permuted_classes_counts_and_values_do_not_change_the_solution() {
    let mut random = Random(31);
    let mut failures = ProblemFailures::default();
    for (problem, _) in random_problems(&mut random, 200 * times()) {
        if let Some(wrong) = check_order(&problem, 1) {
            failures.add(&problem, &wrong, &|problem| check_order(problem, 4));
        }
    }
    failures.finish();
}

/// Connected component of each class, through counts.
fn components(problem: &Problem) -> Vec<usize> {
    let mut of: Vec<usize> = (0..problem.classes.len()).collect();
    for count in &problem.counts {
        for (class, _) in &count.cells {
            let (one, other) = (of[count.cells[0].0 as usize], of[*class as usize]);
            of.iter_mut().filter(|of| **of == other).for_each(|of| *of = one);
        }
    }
    of
}

/// Compares the solution of a problem with the solutions of its connected components. Returns the first difference.
fn check_components(problem: &Problem) -> Option<String> {
    let of = components(problem);
    for (at, options) in budgets().into_iter().enumerate() {
        let joint = solve(problem, &options).ok()?;
        let (mut worlds, mut entropy) = (Some(1), Some(0.0));
        for component in of.iter().copied().collect::<BTreeSet<usize>>() {
            let mut single = problem.clone();
            for class in (0..of.len()).rev().filter(|class| of[*class] != component) {
                single = without_class(&single, class);
            }
            single.counts.retain(|count| !count.cells.is_empty());
            let found = solve(&single, &options).ok()?;
            let theirs = (0..of.len()).filter(|class| of[*class] == component);
            for (posterior, class) in found.classes.iter().zip(theirs) {
                if !same_posteriors(posterior, &joint.classes[class]) {
                    return Some(format!(
                        "options {at}, component and whole problem: {posterior:?} {:?}",
                        &joint.classes[class]
                    ));
                }
            }
            worlds = worlds.zip(found.worlds).map(|(one, other)| one * other);
            entropy = entropy.zip(found.stats.entropy).map(|(one, other)| one + other);
        }
        if joint.worlds != worlds || entropy.is_some() != joint.stats.entropy.is_some() {
            return Some(format!("worlds {worlds:?} {:?}, entropy {entropy:?}", joint.worlds));
        }
        if entropy.zip(joint.stats.entropy).is_some_and(|(sum, found)| (sum - found).abs() > 1e-6) {
            return Some(format!("entropy {entropy:?} {:?}", joint.stats.entropy));
        }
    }
    None
}

/// Other connected components do not change the posteriors of a person.
#[test]
fn the_solution_consists_of_the_solutions_of_the_components() {
    let mut random = Random(32);
    let mut failures = ProblemFailures::default();
    for (problem, _) in random_problems(&mut random, 200 * times()) {
        let (more, _) = random_problem(&mut random, SMALL);
        let mut both = problem.clone();
        let first = problem.classes.len() as u32;
        both.classes.extend(more.classes.iter().cloned());
        // The added problem has common sources and common values.
        both.counts.extend(more.counts.iter().map(|count| Count {
            cells: count.cells.iter().map(|(class, value)| (class + first, *value)).collect(),
            ..count.clone()
        }));
        for problem in [problem, both] {
            if let Some(wrong) = check_components(&problem) {
                failures.add(&problem, &wrong, &check_components);
            }
        }
    }
    failures.finish();
}

/// A class represents people with the same knowledge.
#[test]
fn a_class_of_several_people_equals_classes_of_one_person() {
    let mut random = Random(33);
    for (problem, _) in random_problems(&mut random, 200 * times()) {
        let mut split = Problem::default();
        let mut whose = Vec::new();
        for (at, class) in problem.classes.iter().enumerate() {
            for _ in 0..class.people {
                split.classes.push(PersonClass { people: 1, possible: class.possible.clone() });
                whose.push(at);
            }
        }
        split.counts = problem.counts.clone();
        for (count, old) in split.counts.iter_mut().zip(&problem.counts) {
            let of = |(class, value): &(u32, Value)| {
                let (class, value) = (*class as usize, *value);
                whose.iter().zip(0..).filter(move |(whose, _)| **whose == class).map(move |(_, person)| (person, value))
            };
            count.cells = old.cells.iter().flat_map(of).collect();
        }
        let options = SolveOptions { steps: 500_000, ..SolveOptions::default() };
        let (before, after) = (solve(&problem, &options).unwrap(), solve(&split, &options).unwrap());
        if let (Some(before), Some(after)) = (before.worlds, after.worlds) {
            assert_eq!(before, after, "{problem:?}");
        }
        for (person, at) in whose.iter().enumerate() {
            for value in &problem.classes[*at].possible {
                let find =
                    |posterior: &[Posterior]| posterior.iter().find(|posterior| posterior.value == *value).copied();
                let (one, other) = (find(&before.classes[*at]), find(&after.classes[person]));
                let worlds = |posterior: Option<Posterior>| posterior.map_or(Some(0.0), |posterior| posterior.worlds);
                if let (Some(one), Some(other)) = (worlds(one), worlds(other)) {
                    assert!((one - other).abs() < 1e-9, "{at} {value} {one} {other} {problem:?}");
                }
                let estimate =
                    |posterior: Option<Posterior>| posterior.map_or(Some(0.0), |posterior| posterior.entropy);
                let (one, other) = (estimate(one), estimate(other));
                if let (Some(one), Some(other)) = (one, other) {
                    assert!((one - other).abs() < 1e-5, "estimate {at} {value} {one} {other} {problem:?}");
                }
            }
        }
    }
}

#[test]
fn certain_and_impossible_values_remain_so_with_more_sources() {
    let mut random = Random(34);
    let (mut kept, mut lost) = (0, 0);
    for (problem, _) in random_problems(&mut random, 300 * times()) {
        let last = problem.counts.iter().map(|count| count.source).max().unwrap_or(0);
        let mut reduced = problem.clone();
        reduced.counts.retain(|count| count.source != last);
        for options in [
            SolveOptions { entropy: false, ..SolveOptions::default() },
            SolveOptions { bounds_only: true, ..PRESOLVE_ONLY },
        ] {
            let (before, after) = (solve(&reduced, &options).unwrap(), solve(&problem, &options).unwrap());
            if !options.bounds_only && (before.worlds.is_none() || after.worlds.is_none()) {
                lost += 1;
                continue;
            }
            for (at, posterior) in before.classes.iter().enumerate() {
                let after = &after.classes[at];
                let is_listed =
                    |value: Value, posterior: &[Posterior]| posterior.iter().any(|posterior| posterior.value == value);
                for value in problem.classes[at].possible.iter().filter(|value| !is_listed(**value, posterior)) {
                    assert!(!is_listed(*value, after), "{options:?} {at} {value}\n{reduced:?}\n{problem:?}");
                    kept += 1;
                }
                for posterior in posterior.iter().filter(|posterior| posterior.lower == Fraction::ONE) {
                    let again = after.iter().find(|again| again.value == posterior.value);
                    assert!(
                        again.is_some_and(|again| again.lower == Fraction::ONE),
                        "{options:?} {at}\n{reduced:?}\n{problem:?}"
                    );
                    kept += 1;
                }
            }
        }
    }
    println!("{kept} kept, {lost} not counted");
    assert!(kept > 500);
}

#[test]
fn the_solution_is_bitwise_equal_for_any_number_of_threads() {
    let mut random = Random(35);
    let pools: Vec<rayon::ThreadPool> = [1, 2, 5]
        .iter()
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(*threads).build().unwrap())
        .collect();
    for at in 0..60 * times() {
        let (mut problem, _) = random_problem(&mut random, LARGE);
        for _ in 0..random.below(3) {
            let (more, _) = random_problem(&mut random, SMALL);
            let first = problem.classes.len() as u32;
            problem.classes.extend(more.classes);
            problem.counts.extend(more.counts.into_iter().map(|mut count| {
                count.cells.iter_mut().for_each(|(class, _)| *class += first);
                count
            }));
        }
        let options =
            SolveOptions { steps: [0, 500, 100_000][at % 3], samples: 40, seed: 3, ..SolveOptions::default() };
        let answers: Vec<String> =
            pools.iter().map(|pool| pool.install(|| format!("{:?}", solve(&problem, &options).unwrap()))).collect();
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
    }
}

#[test]
fn the_entropy_estimate_does_not_change_the_other_results() {
    let mut random = Random(36);
    for (problem, _) in random_problems(&mut random, 100 * times()) {
        let options = SolveOptions { steps: 50_000, ..SolveOptions::default() };
        let with = solve(&problem, &options).unwrap();
        let without = solve(&problem, &SolveOptions { entropy: false, ..options }).unwrap();
        assert_eq!((with.worlds, with.ln_worlds), (without.worlds, without.ln_worlds));
        assert_eq!((without.stats.entropy, without.stats.gap.is_some(), without.stats.not_converged), (None, false, 0));
        for (with, without) in with.classes.iter().flatten().zip(without.classes.iter().flatten()) {
            let forced = with.lower == with.upper && with.entropy == with.worlds;
            assert!(without.entropy.is_none() || forced, "{without:?}");
            assert_eq!(Posterior { entropy: None, ..*with }, Posterior { entropy: None, ..*without });
        }
    }
}

/// One of three people has 1. It is one of the first two, and one of the last two: so it is the second.
#[test]
fn overlapping_counts_of_different_sources_are_combined() {
    let class = PersonClass { people: 1, possible: vec![0, 1] };
    let count =
        |source, of: &[u32]| Count { source, cells: of.iter().map(|at| (*at, 1)).collect(), lower: 1, upper: 1 };
    let problem = Problem {
        classes: vec![class.clone(), class.clone(), class],
        counts: vec![count(0, &[0, 1, 2]), count(1, &[0, 1]), count(2, &[1, 2])],
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    for options in [SolveOptions::default(), PRESOLVE_ONLY] {
        let found = solve(&problem, &options).unwrap();
        assert_eq!(found.classes[1].last().unwrap().value, 1, "{found:?}");
    }
    assert_eq!(solve(&problem, &SolveOptions::default()).unwrap().worlds, Some(1));
}

/// Two overlapping groups of six people with two people per value.
#[test]
fn components_that_are_not_counted_are_sampled() {
    let people = |first: u32| (0..6).map(move |at| at + first);
    let group = |source, first, value| Count {
        source,
        cells: people(first).map(|person| (person, value)).collect(),
        lower: 2,
        upper: 2,
    };
    let mut problem = Problem {
        classes: vec![PersonClass { people: 1, possible: vec![0, 1, 2] }; 8],
        counts: (0..3).flat_map(|value| [group(0, 0, value), group(1, 2, value)]).collect(),
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    problem.classes[2].possible = vec![0, 1];
    for (steps, with_solution) in [(1, false), (40, false), (0, true)] {
        let mut problem = problem.clone();
        problem.known_solution = enumerate_worlds(&problem, 1_000_000).unwrap().example.filter(|_| with_solution);
        let found = solve(&problem, &SolveOptions { samples: 500, seed: 1, steps, ..PRESOLVE_ONLY }).unwrap();
        let sampled = found.classes.iter().flatten().filter(|posterior| posterior.sampled.is_some()).count();
        println!(
            "{steps} steps, known solution {with_solution}: {sampled} sampled, {} components not counted",
            found.stats.components_not_counted
        );
    }
    let found = solve(&problem, &SolveOptions { samples: 500, seed: 1, ..PRESOLVE_ONLY }).unwrap();
    let open = found.classes.iter().flatten().filter(|posterior| posterior.worlds.is_none());
    let (sampled, open): (Vec<&Posterior>, Vec<&Posterior>) = open.partition(|posterior| posterior.sampled.is_some());
    assert!(open.is_empty(), "{} sampled, {} not", sampled.len(), open.len());
}

/// Three of four people have 1, so one has another value. A count of one or two such people is redundant.
#[test]
fn a_redundant_count_does_not_change_the_estimate() {
    let possible = vec![0, 1, 2];
    let problem = Problem {
        classes: vec![PersonClass { people: 3, possible: possible.clone() }, PersonClass { people: 1, possible }],
        counts: vec![
            Count { source: 1, cells: vec![(1, 0), (1, 2), (0, 0), (0, 2)], lower: 1, upper: 2 },
            Count { source: 1, cells: vec![(1, 1), (0, 1)], lower: 3, upper: 3 },
        ],
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    let found = solve(&problem, &SolveOptions::default()).unwrap();
    let nats = 3.0 * (4.0f64 / 3.0).ln() + 8f64.ln();
    assert!(found.stats.entropy.is_some_and(|entropy| (entropy - nats).abs() < 1e-6), "{:?} {nats}", found.stats);
}

/// A value is forced. Bounds without counting must find it, independent of other components.
#[test]
fn forced_values_are_found_with_and_without_other_components() {
    let class = |possible: &[Value]| PersonClass { people: 1, possible: possible.to_vec() };
    let count = |source, of: &[(u32, Value)], lower, upper| Count { source, cells: of.to_vec(), lower, upper };
    let joint = Problem {
        classes: vec![class(&[0, 2, 3]), class(&[1, 2]), class(&[1, 2]), class(&[2]), class(&[1, 2]), class(&[1, 2])],
        counts: vec![
            count(1, &[(1, 1), (2, 1)], 1, 1),
            count(1, &[(1, 2), (0, 2), (2, 2)], 1, 1),
            count(2, &[(0, 3), (2, 1), (0, 0)], 0, 1),
            count(2, &[(3, 2), (5, 1), (4, 2), (5, 2)], 3, 3),
        ],
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    let single = Problem {
        classes: joint.classes[..3].to_vec(),
        counts: joint.counts[..3].to_vec(),
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    assert_eq!(enumerate_worlds(&single, 1000).unwrap().cells[&(1, 1)], (2, 1, 1));
    let options = SolveOptions { bounds_only: true, ..PRESOLVE_ONLY };
    let (joint, single) = (solve(&joint, &options).unwrap(), solve(&single, &options).unwrap());
    assert!(same_posteriors(&joint.classes[1], &single.classes[1]), "{:?} {:?}", &joint.classes[1], &single.classes[1]);
}
