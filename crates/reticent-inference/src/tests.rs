//! Worked examples, and comparisons of the methods on random problems.
#![allow(clippy::expect_used)]

mod limits;
mod weighted;

use super::*;

/// The problem of some releases. A release is a list of groups: person numbers, and the values of the group.
fn problem_from_releases(releases: &[&[(&[usize], &[Value])]]) -> (Vec<usize>, Problem) {
    let mut people: Vec<usize> =
        releases.iter().flat_map(|groups| groups.iter().flat_map(|(members, _)| members.iter().copied())).collect();
    people.sort_unstable();
    people.dedup();
    let place = |person: usize| people.binary_search(&person).expect("a person") as u32;
    let mut possible: Vec<Option<Vec<Value>>> = vec![None; people.len()];
    let mut counts = Vec::new();
    for (source, groups) in (0..).zip(releases) {
        for (members, values) in *groups {
            let mut distinct = values.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            for person in *members {
                let possible = &mut possible[place(*person) as usize];
                match possible {
                    Some(possible) => possible.retain(|value| distinct.contains(value)),
                    None => *possible = Some(distinct.clone()),
                }
            }
            for value in distinct {
                let number = values.iter().filter(|other| **other == value).count() as u64;
                let cells = members.iter().map(|person| (place(*person), value)).collect();
                counts.push(Count { source, cells, lower: number, upper: number });
            }
        }
    }
    let classes = possible
        .into_iter()
        .map(|possible| PersonClass { people: 1, possible: possible.unwrap_or_default() })
        .collect();
    (people, Problem { classes, counts, ..Problem::default() })
}

const D: Value = 0;
const F: Value = 1;
const P: Value = 2;
const H: Value = 3;
const L: Value = 4;
type Groups = [(&'static [usize], &'static [Value])];
const FIRST: &Groups =
    &[(&[1, 2, 3, 4], &[D, F, F, P]), (&[5, 6, 7], &[D, F, P]), (&[8, 9, 10], &[F, H, L]), (&[11, 12, 13], &[P, D, H])];
const SECOND: &Groups =
    &[(&[1, 2, 14], &[D, F, P]), (&[3, 4, 15], &[D, F, P]), (&[5, 8, 11], &[F, H, P]), (&[6, 9, 12], &[F, H, P])];

fn exact_posteriors(solution: &Solution, people: &[usize], person: usize) -> Vec<(Value, String)> {
    let at = people.binary_search(&person).expect("a person");
    solution.classes[at]
        .iter()
        .map(|posterior| (posterior.value, posterior.exact().expect("counted").to_string()))
        .collect()
}

#[test]
fn figure_1_of_the_paper() {
    let solve = |releases: &[&Groups]| {
        let (people, problem) = problem_from_releases(releases);
        (people, super::solve(&problem, &SolveOptions::default()).expect("solved"))
    };
    let (_, first) = solve(&[FIRST]);
    assert_eq!(first.worlds, Some(2592));
    let (_, second) = solve(&[SECOND]);
    assert_eq!(second.worlds, Some(1296));
    let (people, both) = solve(&[FIRST, SECOND]);
    assert_eq!(both.worlds, Some(16));
    let bits = |solution: &Solution| solution.stats.entropy.expect("converged") / std::f64::consts::LN_2;
    assert!((bits(&first) - 20.264662506).abs() < 1e-8);
    assert!((bits(&second) - 19.019550009).abs() < 1e-8);
    assert!((bits(&both) - 14.0).abs() < 1e-8);
    let exact = |value: Value, probability: &str| (value, probability.to_owned());
    for person in 1..=4 {
        assert_eq!(exact_posteriors(&both, &people, person), [exact(D, "1/4"), exact(F, "1/2"), exact(P, "1/4")]);
    }
    for (persons, values) in [([5, 6], [F, P]), ([8, 9], [F, H]), ([11, 12], [P, H]), ([14, 15], [D, P])] {
        for person in persons {
            assert_eq!(exact_posteriors(&both, &people, person), values.map(|value| exact(value, "1/2")));
        }
    }
    assert_eq!(exact_posteriors(&both, &people, 7), [exact(D, "1")]);
    assert_eq!(exact_posteriors(&both, &people, 10), [exact(L, "1")]);
    assert_eq!(exact_posteriors(&both, &people, 13), [exact(D, "1")]);
}

#[test]
fn maximum_entropy_can_be_below_the_posterior() {
    let one: &Groups = &[(&[1, 2], &[D, F]), (&[3, 4, 5], &[D, D, F])];
    let two: &Groups = &[(&[1, 5], &[D, F]), (&[2, 3, 4], &[D, D, F])];
    let (people, problem) = problem_from_releases(&[one, two]);
    let solution = solve(&problem, &SolveOptions::default()).expect("solved");
    assert_eq!(solution.worlds, Some(3));
    assert_eq!(exact_posteriors(&solution, &people, 1)[1], (F, "2/3".to_owned()));
    assert!((solution.classes[0][1].entropy.expect("an estimate") - 0.575048544).abs() < 1e-8);
}

#[test]
fn maximum_entropy_can_miss_a_certainty() {
    let one: &Groups = &[(&[2, 4], &[D, F]), (&[1, 3, 5], &[D, F, F])];
    let two: &Groups = &[(&[1, 2], &[D, F]), (&[3, 4, 5], &[D, F, F])];
    let three: &Groups = &[(&[2, 5], &[D, F]), (&[1, 3, 4], &[D, F, F])];
    let (people, problem) = problem_from_releases(&[one, two, three]);
    let solution = solve(&problem, &SolveOptions::default()).expect("solved");
    assert_eq!(solution.worlds, Some(1));
    for (person, value) in [(1, F), (2, D), (3, D), (4, F), (5, F)] {
        assert_eq!(exact_posteriors(&solution, &people, person), [(value, "1".to_owned())]);
    }
    let at = |person: usize| solution.classes[person - 1][0].entropy.expect("an estimate");
    assert!((at(2) - 0.629027936).abs() < 1e-8);
    assert!((at(3) - 0.258055872).abs() < 1e-8);
}

/// Sets the true values of figure 1 as the known solution.
fn set_known_solution(problem: &mut Problem) {
    let values = [F, P, D, F, F, P, D, H, F, L, P, H, D, D, P];
    problem.known_solution = Some((0..).zip(values).map(|(person, value)| (person, value, 1)).collect());
}

#[test]
fn samples_agree_with_counted_worlds() {
    let (_, mut problem) = problem_from_releases(&[FIRST, SECOND]);
    set_known_solution(&mut problem);
    let counted = solve(&problem, &SolveOptions::default()).expect("solved");
    let (mut compared, mut within_one, mut within_two) = (0u32, 0, 0);
    for seed in 0..10 {
        let options = SolveOptions { steps: 0, samples: 2_000, seed, ..SolveOptions::default() };
        let sampled = solve(&problem, &options).expect("solved");
        for (posterior, other) in sampled.classes.iter().flatten().zip(counted.classes.iter().flatten()) {
            assert_eq!(posterior.value, other.value);
            let Some(sample) = posterior.sampled else { continue };
            let error = (sample.estimate - other.worlds.expect("counted")).abs();
            compared += 1;
            within_one += u32::from(error <= sample.standard_error);
            within_two += u32::from(error <= 2.0 * sample.standard_error);
        }
    }
    assert!(compared >= 100, "{compared}");
    // A normal distribution has 68 % and 95 %; the figures of one sample are dependent.
    let share = |part: u32| f64::from(part) / f64::from(compared);
    assert!(share(within_one) > 0.6 && share(within_two) > 0.85, "{} {}", share(within_one), share(within_two));
}

/// Two possible worlds far apart: no step that redraws a few connected classes leads from one to the other. A chain that stays
/// in its first world has no estimate.
#[test]
fn chains_that_do_not_mix_have_no_estimate() {
    // A cycle of classes of one person. Each count joins two neighbours, who have different values.
    let people = 40u32;
    let classes = (0..people).map(|_| PersonClass { people: 1, possible: vec![0, 1] }).collect();
    let count = |at: u32| Count { source: at, cells: vec![(at, 0), ((at + 1) % people, 0)], lower: 1, upper: 1 };
    let known_solution = Some((0..people).map(|at| (at, at % 2, 1)).collect());
    let problem = Problem { classes, counts: (0..people).map(count).collect(), known_solution, ..Problem::default() };
    let counted = solve(&problem, &SolveOptions::default()).expect("two worlds");
    assert_eq!(counted.worlds, Some(2));
    let options = SolveOptions { steps: 0, program_steps: 0, samples: 200, ..SolveOptions::default() };
    let sampled = solve(&problem, &options).expect("two worlds");
    assert!(sampled.classes.iter().flatten().all(|posterior| posterior.sampled.is_none()));
}

/// Tables 2 to 4 of the Decomposition paper: occupations and salaries by group with noise, and the marginal table of both.
///
/// The marginal table leaves one allocation, in which salary 8 occurs twice in group 1.
#[test]
fn marginal_table_removes_decomposition_noise() {
    let pairs = [
        ("Nurse", 1),
        ("Nurse", 4),
        ("Police", 8),
        ("Cook", 9),
        ("Actor", 2),
        ("Actor", 7),
        ("Clerk", 8),
        ("Clerk", 2),
    ];
    let occupations = [["Police", "Nurse", "Actor", "Clerk"], ["Nurse", "Actor", "Cook", "Clerk"]];
    let salaries = [[1, 2, 4, 8], [2, 4, 7, 9]];
    let possible = |group: usize| -> Vec<Value> {
        let fits = |(at, (occupation, salary)): (usize, &(&str, i32))| {
            (occupations[group].contains(occupation) && salaries[group].contains(salary)).then_some(at as Value)
        };
        pairs.iter().enumerate().filter_map(fits).collect()
    };
    let classes =
        vec![PersonClass { people: 4, possible: possible(0) }, PersonClass { people: 4, possible: possible(1) }];
    let mut counts = Vec::new();
    for (group, occupations) in (0..).zip(&occupations) {
        for occupation in occupations {
            let cells =
                (0..8).filter(|pair| pairs[*pair as usize].0 == *occupation).map(|pair| (group, pair)).collect();
            counts.push(Count { source: 0, cells, lower: 1, upper: 1 });
        }
    }
    for pair in 0..8 {
        counts.push(Count { source: 1, cells: vec![(0, pair), (1, pair)], lower: 1, upper: 1 });
    }
    let solution = solve(&Problem { classes, counts, ..Problem::default() }, &SolveOptions::default()).expect("solved");
    let eight: Fraction = solution.classes[0]
        .iter()
        .filter(|posterior| pairs[posterior.value as usize].1 == 8)
        .filter_map(|posterior| posterior.exact())
        .fold(Fraction::new(0, 1), Fraction::plus);
    assert_eq!(eight, Fraction::new(1, 2));
    // Within each group, the four pairs are assigned to the four people in any order.
    assert_eq!(solution.worlds, Some(24 * 24));
}

/// Reproducible random numbers below a limit.
fn random_below(mut state: u64) -> impl FnMut(usize) -> usize {
    move |end| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    }
}

/// A random problem with a known solution: releases with random groups of classes, each with some of the classes.
///
/// Some counts have different bounds, cover two values, or repeat a cell.
fn random_problem(next: &mut impl FnMut(usize) -> usize) -> Problem {
    let (classes, values, sources) = (4 + next(9), 2 + next(3), 2 + next(2));
    let most = 1 + next(3);
    let value = (0..classes).map(|_| (0..1 + next(most)).map(|_| next(values) as Value).collect());
    let value: Vec<Vec<Value>> = value.collect();
    let mut counts = Vec::new();
    for source in 0..sources {
        let mut groups = vec![Vec::new(); 1 + next(4)];
        for class in 0..classes {
            let group = next(groups.len() + 1);
            if let Some(group) = groups.get_mut(group) {
                group.push(class);
            }
        }
        for group in groups {
            let both = next(6) == 0;
            for first in (0..values as Value).step_by(1 + usize::from(both)) {
                let counted = |other: &Value| *other == first || both && *other == first + 1;
                let people = group.iter().flat_map(|class: &usize| &value[*class]);
                let number = people.filter(|value| counted(value)).count() as u64;
                let cells = group.iter().flat_map(|class| {
                    (0..values as Value).filter(counted).map(move |value| (*class as u32, value)).collect::<Vec<_>>()
                });
                let mut cells: Vec<(u32, Value)> = cells.collect();
                // A repeated cell counts once.
                cells.extend(cells.first().copied().filter(|_| next(10) == 0));
                let (least, most) = (number.saturating_sub(u64::from(next(5) == 0)), number + u64::from(next(5) == 0));
                counts.push(Count { source: source as u32, cells, lower: least, upper: most });
            }
        }
    }
    let known_solution =
        (0..).zip(&value).flat_map(|(class, people)| people.iter().map(move |value| (class, *value, 1)));
    let known_solution = Some(known_solution.collect());
    let of_class =
        |people: &Vec<Value>| PersonClass { people: people.len() as u64, possible: (0..values as Value).collect() };
    Problem { classes: value.iter().map(of_class).collect(), counts, known_solution, ..Problem::default() }
}

/// Compares the quick check with the full search, with and without a known world, and with too many sources for the row index.
#[test]
fn forced_cells_do_not_depend_on_the_search() {
    let mut next = random_below(1);
    let mut forced = 0;
    for _ in 0..6_000 {
        let problem = random_problem(&mut next);
        let find = |problem: &Problem, quick_check_min: u32| {
            let system = System::new(problem).expect("a system");
            let presolved = presolve::presolve_with(&system, true, quick_check_min).expect("no contradiction");
            assert_eq!(presolve::shortfall(&system, &presolved), 0, "of {problem:?}");
            (0..system.value.len()).map(|cell| presolved.bounds.at(cell)).collect::<Vec<_>>()
        };
        let (quick, flows) = (find(&problem, 0), find(&problem, u32::MAX));
        assert_eq!(quick, flows);
        let hidden = System::new(&problem).expect("a system").known_solution.expect("a world");
        assert!(quick.iter().zip(hidden).all(|((low, high), assigned)| (*low..=*high).contains(&assigned)));
        assert_eq!(quick, find(&Problem { known_solution: None, ..problem.clone() }, u32::MAX));
        let mut more = problem;
        more.counts.extend((10..14).map(|source| Count { source, cells: Vec::new(), lower: 0, upper: 0 }));
        assert_eq!(quick, find(&more, u32::MAX));
        forced += quick.iter().filter(|(low, high)| low == high).count();
    }
    assert!(forced > 3_000, "{forced}");
}

#[test]
fn too_many_people_are_an_error() {
    let solve_with = |people: u64| {
        let classes = vec![PersonClass { people, possible: vec![D, F] }];
        let counts = vec![Count { source: 0, cells: vec![(0, D)], lower: 1, upper: 1 }];
        solve(
            &Problem { classes, counts, ..Problem::default() },
            &SolveOptions { steps: 0, program_steps: 0, ..SolveOptions::default() },
        )
    };
    assert_eq!(solve_with(1_000).expect("solved").classes[0][0].lower, Fraction::new(1, 1_000));
    let error = solve_with(u64::from(u32::MAX) + 1).expect_err("too many").to_string();
    assert!(error.contains("4294967295"), "{error}");
}

/// The estimate does not depend on the number of parallel parts.
#[test]
fn maximum_entropy_does_not_depend_on_partition() {
    let mut next = random_below(2);
    let (mut compared, mut none) = (0, 0);
    for _ in 0..150 {
        let system = System::new(&random_problem(&mut next)).expect("a system");
        let presolved = presolve::presolve(&system, true).expect("no contradiction");
        for component in &Decomposition::new(&system, &presolved.bounds).components {
            let whole = entropy::estimate_with(component, usize::MAX);
            for cells_a_part in [3, 7] {
                let other = entropy::estimate_with(component, cells_a_part);
                // Presolve does not find cells that only counts of several values force, so a few have no estimate.
                let (Some(whole), Some(other)) = (&whole, &other) else {
                    assert!(whole.is_none() && other.is_none());
                    none += 1;
                    continue;
                };
                for (class, merged) in component.classes.iter().enumerate() {
                    for cell in 0..merged.cells().len() {
                        let (one, other) = (whole.probability(class, cell), other.probability(class, cell));
                        assert!((one - other).abs() < 1e-6, "{one} and {other}");
                        compared += 1;
                    }
                }
                assert!(other.gap.residual <= 1e-8, "{}", other.gap.residual);
            }
        }
    }
    assert!(compared > 2_000 && none < 10, "{compared}, {none}");
}

/// Two people with two possible values, and a count without effect that repeats a cell: all four worlds are possible.
#[test]
fn repeated_cells_count_once() {
    let classes = vec![PersonClass { people: 1, possible: vec![D, F] }; 2];
    let counts = vec![Count { source: 0, cells: vec![(0, D), (0, D)], lower: 0, upper: 2 }];
    let known_solution = Some(vec![(0, D, 1), (1, D, 1)]);
    let solution = solve(&Problem { classes, counts, known_solution, ..Problem::default() }, &SolveOptions::default())
        .expect("solved");
    assert_eq!(solution.worlds, Some(4));
    assert!(solution.classes.iter().flatten().all(|posterior| posterior.exact() == Some(Fraction::new(1, 2))));
}
