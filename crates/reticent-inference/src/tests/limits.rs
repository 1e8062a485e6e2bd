//! Problems at the limits of counting, and contradictory problems.

use super::*;

fn class_of(people: u64, possible: &[Value]) -> PersonClass {
    PersonClass { people, possible: possible.to_vec() }
}

/// A count of one value over some classes.
fn count(
    source: u32,
    classes: impl IntoIterator<Item = u32>,
    value: Value,
    people: std::ops::RangeInclusive<u64>,
) -> Count {
    let cells = classes.into_iter().map(|class| (class, value)).collect();
    Count { source, cells, lower: *people.start(), upper: *people.end() }
}

fn solve_problem(classes: Vec<PersonClass>, counts: Vec<Count>, options: &SolveOptions) -> Result<Solution> {
    solve(&Problem { classes, counts, ..Problem::default() }, options)
}

fn is_contradiction(classes: Vec<PersonClass>, counts: Vec<Count>) -> bool {
    matches!(solve_problem(classes, counts, &SolveOptions::default()), Err(Error::Contradiction))
}

/// Many possible values: the number of steps grows with the values, the recursion depth only with the people.
#[test]
fn many_values_are_counted() {
    let possible: Vec<Value> = (0..20_000).collect();
    let solution =
        solve_problem(vec![class_of(1, &possible); 2], Vec::new(), &SolveOptions::default()).expect("solved");
    assert_eq!(solution.worlds, Some(400_000_000));
    assert!(solution.classes.iter().flatten().all(|posterior| posterior.exact() == Some(Fraction::new(1, 20_000))));
    // With as many people as values, the recursion would be too deep. The posterior follows from symmetry.
    let solution =
        solve_problem(vec![class_of(20_000, &possible); 2], Vec::new(), &SolveOptions::default()).expect("solved");
    assert_eq!(solution.worlds, None);
    assert!(solution.classes.iter().flatten().all(|posterior| posterior.exact() == Some(Fraction::new(1, 20_000))));
}

/// Exchangeable values do not imply that a possible world exists.
#[test]
fn exchangeable_values_can_contradict() {
    let people = |many: usize| vec![class_of(1, &[D, F]); many];
    // One of the 51 people would have no value.
    let halves = |many: u32| vec![count(0, 0..many, D, 25..=25), count(0, 0..many, F, 25..=25)];
    assert!(is_contradiction(people(51), halves(51)));
    assert!(!is_contradiction(people(50), halves(50)));
    // Neighbours on a ring have different values, so the length of the ring must be even.
    let ring = |many: u32| -> Vec<Count> {
        let source = |at: u32| if at + 1 == many { 2 } else { at % 2 };
        let pair = |at: u32| [at, (at + 1) % many];
        (0..many).flat_map(|at| [D, F].map(|value| count(source(at), pair(at), value, 1..=1))).collect()
    };
    assert!(is_contradiction(people(51), ring(51)));
    let even = solve_problem(people(52), ring(52), &SolveOptions::default()).expect("solved");
    assert!(even.classes.iter().flatten().all(|posterior| posterior.exact() == Some(Fraction::new(1, 2))));
}

/// Five people with one possible assignment, in a component where exact counting overflows 128 bits.
#[test]
fn certain_values_stay_certain_in_large_problems() {
    let one: &Groups = &[(&[2, 4], &[D, F]), (&[1, 3, 5], &[D, F, F])];
    let two: &Groups = &[(&[1, 2], &[D, F]), (&[3, 4, 5], &[D, F, F])];
    let three: &Groups = &[(&[2, 5], &[D, F]), (&[1, 3, 4], &[D, F, F])];
    let (people, mut problem) = problem_from_releases(&[one, two, three]);
    problem.classes.push(class_of(40, &[D, F]));
    problem.counts.push(count(3, 0..6, D, 0..=44));
    let solution = solve(&problem, &SolveOptions { program_steps: 0, ..SolveOptions::default() }).expect("solved");
    assert!(solution.worlds.is_none() && solution.ln_worlds.is_some(), "{:?}", solution.worlds);
    for (person, value) in [(1, F), (2, D), (3, D), (4, F), (5, F)] {
        assert_eq!(exact_posteriors(&solution, &people, person), [(value, "1".to_owned())]);
    }
}

/// The total number of people exceeds 32 bits, although no class does.
#[test]
fn counts_beyond_32_bits_do_not_contradict() {
    let many = 4_400u32;
    let classes = vec![class_of(1_000_000, &[D, F]); many as usize];
    let mut counts = vec![count(0, 0..many, D, 4_399_999_999..=4_399_999_999), count(0, 0..many, F, 1..=1)];
    // These counts prevent the merging of classes.
    counts.extend((0..many).map(|at| count(1, [at], F, 0..=1)));
    let options = SolveOptions { program_steps: 0, entropy: false, ..SolveOptions::default() };
    assert!(solve_problem(classes, counts, &options).is_ok());
}

/// Time and memory do not grow with the size of classes.
#[test]
fn large_classes_need_no_counting() {
    let options = SolveOptions { entropy: false, samples: 10, ..SolveOptions::default() };
    let all = solve_problem(vec![class_of(4_000_000_000, &[D])], Vec::new(), &options).expect("solved");
    assert_eq!((all.worlds, all.ln_worlds), (Some(1), Some(0.0)));
    let few =
        solve_problem(vec![class_of(2_000_000_000, &[D, F])], vec![count(0, [0], D, 1..=2)], &options).expect("solved");
    assert_eq!(few.worlds, None);
    assert_eq!(few.classes[0][0].lower, Fraction::new(1, 2_000_000_000));
    // ln(2n over n) = 2n ln 2 - ln(pi n) / 2, up to 1 / 8n.
    let n = 1_000_000_000u64;
    let counts = vec![count(0, [0], D, n..=n), count(0, [0], F, n..=n)];
    let half = solve_problem(vec![class_of(2 * n, &[D, F])], counts, &options).expect("solved");
    let expected = 2.0 * n as f64 * 2f64.ln() - (std::f64::consts::PI * n as f64).ln() / 2.0;
    let ln = half.ln_worlds.expect("a number");
    assert!(half.worlds.is_none() && (ln - expected).abs() < 1e-6 * expected, "{ln} and {expected}");
}

/// Two contradictory counts that narrow each other by one person at a time, so that propagation reaches its limit.
#[test]
fn large_classes_can_contradict() {
    let n = 1_000_000_000;
    for source in [0, 1] {
        let counts = vec![count(0, 0..2, F, n..=n), count(source, 0..2, D, n + 1..=n + 1)];
        assert!(is_contradiction(vec![class_of(n, &[D, F]); 2], counts));
    }
}

/// Classes with incomplete constraints have no number of worlds and no entropy.
#[test]
fn incomplete_classes_are_not_counted() {
    let problem = |counts: Vec<Count>| Problem {
        classes: vec![class_of(2, &[D, F])],
        counts,
        incomplete: vec![0],
        ..Problem::default()
    };
    let one_each = vec![count(0, [0], D, 1..=1), count(0, [0], F, 1..=1)];
    let solution = solve(&problem(one_each), &SolveOptions::default()).expect("solved");
    assert_eq!((solution.worlds, solution.ln_worlds), (None, None));
    assert_eq!(solve(&problem(Vec::new()), &SolveOptions::default()).expect("solved").stats.entropy, None);
}

/// The lookup of values requires ascending order, so other orders are refused.
#[test]
fn unsorted_values_are_refused() {
    let refused = |possible: &[Value]| {
        let result = solve_problem(vec![class_of(1, possible)], Vec::new(), &SolveOptions::default());
        matches!(result, Err(Error::ValuesNotAscending))
    };
    assert!(refused(&[F, D]) && refused(&[D, D]) && !refused(&[D, F]));
}
