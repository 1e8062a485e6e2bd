//! Laws that no answer may break.

use super::*;

/// Whether two figures are the same, with a little room for estimates only.
fn same(one: &[Posterior], other: &[Posterior]) -> bool {
    let near = |one: Option<f64>, other: Option<f64>, room: f64| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= room,
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

/// Puzzles of both sizes for laws.
fn for_a_law(random: &mut Random, times: usize) -> Vec<(Problem, Vec<Vec<Value>>)> {
    (0..times)
        .map(|at| {
            let size = if at % 2 == 0 { LARGE } else { small(random) };
            made(random, size)
        })
        .collect()
}

/// Small budgets, so that not everything is counted.
fn budgets() -> [SolveOptions; 3] {
    [
        SolveOptions { steps: 200_000, ..SolveOptions::default() },
        SolveOptions { steps: 300, ..SolveOptions::default() },
        SolveOptions { bounds_only: true, ..NOTHING },
    ]
}

/// The same puzzle in another order and in other words; by old crowd the new one, and by old value the new one.
fn reworded(puzzle: &Problem, random: &mut Random) -> (Problem, Vec<usize>, Vec<Value>) {
    let mut order: Vec<usize> = (0..puzzle.classes.len()).collect();
    random.shuffle(&mut order);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    let mut names: Vec<Value> = (0..12).map(|name| name * 5 + 1).collect();
    random.shuffle(&mut names);
    let mut counts = puzzle.counts.clone();
    for count in &mut counts {
        let new = |(crowd, value): &(u32, Value)| (place[*crowd as usize] as u32, names[*value as usize]);
        count.cells = count.cells.iter().map(new).collect();
        random.shuffle(&mut count.cells);
        count.source = 40 - count.source;
    }
    random.shuffle(&mut counts);
    let crowd = |old: &usize| {
        let mut may: Vec<Value> = puzzle.classes[*old].possible.iter().map(|value| names[*value as usize]).collect();
        may.sort_unstable();
        PersonClass { possible: may, people: puzzle.classes[*old].people }
    };
    (
        Problem { classes: order.iter().map(crowd).collect(), counts, known_solution: None, incomplete: Vec::new() },
        place,
        names,
    )
}

fn order_fault(puzzle: &Problem, seeds: u64) -> Option<String> {
    for (seed, (at, ask)) in (0..seeds).flat_map(|seed| budgets().into_iter().enumerate().map(move |ask| (seed, ask))) {
        let (other, place, names) = reworded(puzzle, &mut Random(seed));
        let (Ok(before), Ok(after)) = (solve(puzzle, &ask), solve(&other, &ask)) else { return None };
        if at < 2 && before.stats.not_converged != after.stats.not_converged {
            return Some("in some order the estimate does not converge".to_owned());
        }
        // How much is counted within a budget may depend on the order.
        if before.worlds.is_some() != after.worlds.is_some() {
            continue;
        }
        if before.worlds != after.worlds {
            return Some(format!("worlds: {:?} {:?}", before.worlds, after.worlds));
        }
        for (old, told) in before.classes.iter().enumerate() {
            let mut told: Vec<Posterior> =
                told.iter().map(|told| Posterior { value: names[told.value as usize], ..*told }).collect();
            told.sort_by_key(|told| told.value);
            let again = &after.classes[place[old]];
            if !same(&told, again) {
                return Some(format!("told with question {at}: {told:?} {again:?}"));
            }
        }
    }
    None
}

/// The order of crowds and counts, and what values are called, change nothing.
#[test]
fn order_and_names_change_nothing() {
    let mut random = Random(31);
    let mut faults = Faults::default();
    for (puzzle, _) in for_a_law(&mut random, 200 * times()) {
        if let Some(wrong) = order_fault(&puzzle, 1) {
            faults.add(&puzzle, &wrong, &|puzzle| order_fault(puzzle, 4));
        }
    }
    faults.end();
}

/// By crowd: a number for those it is tied to by counts.
fn components(puzzle: &Problem) -> Vec<usize> {
    let mut of: Vec<usize> = (0..puzzle.classes.len()).collect();
    for count in &puzzle.counts {
        for (crowd, _) in &count.cells {
            let (one, other) = (of[count.cells[0].0 as usize], of[*crowd as usize]);
            of.iter_mut().filter(|of| **of == other).for_each(|of| *of = one);
        }
    }
    of
}

/// What people are told together, against what each of them is told with those they are tied to.
fn apart_fault(puzzle: &Problem) -> Option<String> {
    let of = components(puzzle);
    for (at, ask) in budgets().into_iter().enumerate() {
        let together = solve(puzzle, &ask).ok()?;
        let (mut worlds, mut entropy) = (Some(1), Some(0.0));
        for component in of.iter().copied().collect::<BTreeSet<usize>>() {
            let mut alone = puzzle.clone();
            for crowd in (0..of.len()).rev().filter(|crowd| of[*crowd] != component) {
                alone = without(&alone, crowd);
            }
            alone.counts.retain(|count| !count.cells.is_empty());
            let found = solve(&alone, &ask).ok()?;
            let theirs = (0..of.len()).filter(|crowd| of[*crowd] == component);
            for (told, crowd) in found.classes.iter().zip(theirs) {
                if !same(told, &together.classes[crowd]) {
                    return Some(format!("question {at}, apart and together: {told:?} {:?}", &together.classes[crowd]));
                }
            }
            worlds = worlds.zip(found.worlds).map(|(one, other)| one * other);
            entropy = entropy.zip(found.stats.entropy).map(|(one, other)| one + other);
        }
        if together.worlds != worlds || entropy.is_some() != together.stats.entropy.is_some() {
            return Some(format!("worlds {worlds:?} {:?}, entropy {entropy:?}", together.worlds));
        }
        if entropy.zip(together.stats.entropy).is_some_and(|(sum, found)| (sum - found).abs() > 1e-6) {
            return Some(format!("entropy {entropy:?} {:?}", together.stats.entropy));
        }
    }
    None
}

/// People and counts that have nothing to do with somebody change nothing about them.
#[test]
fn unrelated_people_change_nothing() {
    let mut random = Random(32);
    let mut faults = Faults::default();
    for (puzzle, _) in for_a_law(&mut random, 200 * times()) {
        let (more, _) = made(&mut random, SMALL);
        let mut both = puzzle.clone();
        let first = puzzle.classes.len() as u32;
        both.classes.extend(more.classes.iter().cloned());
        // The same sources and other ones, the same values.
        both.counts.extend(more.counts.iter().map(|count| Count {
            cells: count.cells.iter().map(|(crowd, value)| (crowd + first, *value)).collect(),
            ..count.clone()
        }));
        for puzzle in [puzzle, both] {
            if let Some(wrong) = apart_fault(&puzzle) {
                faults.add(&puzzle, &wrong, &apart_fault);
            }
        }
    }
    faults.end();
}

/// A crowd is so many people of whom the same is known.
#[test]
fn a_crowd_is_its_people() {
    let mut random = Random(33);
    for (puzzle, _) in for_a_law(&mut random, 200 * times()) {
        let mut split = Problem::default();
        let mut whose = Vec::new();
        for (at, crowd) in puzzle.classes.iter().enumerate() {
            for _ in 0..crowd.people {
                split.classes.push(PersonClass { people: 1, possible: crowd.possible.clone() });
                whose.push(at);
            }
        }
        split.counts = puzzle.counts.clone();
        for (count, old) in split.counts.iter_mut().zip(&puzzle.counts) {
            let of = |(crowd, value): &(u32, Value)| {
                let (crowd, value) = (*crowd as usize, *value);
                whose.iter().zip(0..).filter(move |(whose, _)| **whose == crowd).map(move |(_, person)| (person, value))
            };
            count.cells = old.cells.iter().flat_map(of).collect();
        }
        let ask = SolveOptions { steps: 500_000, ..SolveOptions::default() };
        let (before, after) = (solve(&puzzle, &ask).unwrap(), solve(&split, &ask).unwrap());
        if let (Some(before), Some(after)) = (before.worlds, after.worlds) {
            assert_eq!(before, after, "{puzzle:?}");
        }
        for (person, at) in whose.iter().enumerate() {
            for value in &puzzle.classes[*at].possible {
                let find = |told: &[Posterior]| told.iter().find(|told| told.value == *value).copied();
                let (one, other) = (find(&before.classes[*at]), find(&after.classes[person]));
                let worlds = |told: Option<Posterior>| told.map_or(Some(0.0), |told| told.worlds);
                if let (Some(one), Some(other)) = (worlds(one), worlds(other)) {
                    assert!((one - other).abs() < 1e-9, "{at} {value} {one} {other} {puzzle:?}");
                }
                let estimate = |told: Option<Posterior>| told.map_or(Some(0.0), |told| told.entropy);
                let (one, other) = (estimate(one), estimate(other));
                if let (Some(one), Some(other)) = (one, other) {
                    assert!((one - other).abs() < 1e-5, "estimate {at} {value} {one} {other} {puzzle:?}");
                }
            }
        }
    }
}

/// What is certain or impossible stays so, whatever else is published.
#[test]
fn more_sources_take_nothing_back() {
    let mut random = Random(34);
    let (mut kept, mut lost) = (0, 0);
    for (puzzle, _) in for_a_law(&mut random, 300 * times()) {
        let last = puzzle.counts.iter().map(|count| count.source).max().unwrap_or(0);
        let mut less = puzzle.clone();
        less.counts.retain(|count| count.source != last);
        for ask in
            [SolveOptions { entropy: false, ..SolveOptions::default() }, SolveOptions { bounds_only: true, ..NOTHING }]
        {
            let (before, after) = (solve(&less, &ask).unwrap(), solve(&puzzle, &ask).unwrap());
            if !ask.bounds_only && (before.worlds.is_none() || after.worlds.is_none()) {
                lost += 1;
                continue;
            }
            for (at, told) in before.classes.iter().enumerate() {
                let after = &after.classes[at];
                let is_listed = |value: Value, told: &[Posterior]| told.iter().any(|told| told.value == value);
                for value in puzzle.classes[at].possible.iter().filter(|value| !is_listed(**value, told)) {
                    assert!(!is_listed(*value, after), "{ask:?} {at} {value}\n{less:?}\n{puzzle:?}");
                    kept += 1;
                }
                for told in told.iter().filter(|told| told.lower == Fraction::ONE) {
                    let again = after.iter().find(|again| again.value == told.value);
                    assert!(
                        again.is_some_and(|again| again.lower == Fraction::ONE),
                        "{ask:?} {at}\n{less:?}\n{puzzle:?}"
                    );
                    kept += 1;
                }
            }
        }
    }
    println!("{kept} kept, {lost} not counted");
    assert!(kept > 500);
}

/// However many threads there are, the answer is the same to the last bit.
#[test]
fn threads_change_nothing() {
    let mut random = Random(35);
    let pools: Vec<rayon::ThreadPool> = [1, 2, 5]
        .iter()
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(*threads).build().unwrap())
        .collect();
    for at in 0..60 * times() {
        let (mut puzzle, _) = made(&mut random, LARGE);
        for _ in 0..random.below(3) {
            let (more, _) = made(&mut random, SMALL);
            let first = puzzle.classes.len() as u32;
            puzzle.classes.extend(more.classes);
            puzzle.counts.extend(more.counts.into_iter().map(|mut count| {
                count.cells.iter_mut().for_each(|(crowd, _)| *crowd += first);
                count
            }));
        }
        let ask = SolveOptions { steps: [0, 500, 100_000][at % 3], samples: 40, seed: 3, ..SolveOptions::default() };
        let answers: Vec<String> =
            pools.iter().map(|pool| pool.install(|| format!("{:?}", solve(&puzzle, &ask).unwrap()))).collect();
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
    }
}

/// The rest of an answer is the same whether an estimate is made or not.
#[test]
fn the_estimate_changes_nothing_else() {
    let mut random = Random(36);
    for (puzzle, _) in for_a_law(&mut random, 100 * times()) {
        let ask = SolveOptions { steps: 50_000, ..SolveOptions::default() };
        let with = solve(&puzzle, &ask).unwrap();
        let without = solve(&puzzle, &SolveOptions { entropy: false, ..ask }).unwrap();
        assert_eq!((with.worlds, with.ln_worlds), (without.worlds, without.ln_worlds));
        assert_eq!((without.stats.entropy, without.stats.gap.is_some(), without.stats.not_converged), (None, false, 0));
        for (with, without) in with.classes.iter().flatten().zip(without.classes.iter().flatten()) {
            let forced = with.lower == with.upper && with.entropy == with.worlds;
            assert!(without.entropy.is_none() || forced, "{without:?}");
            assert_eq!(Posterior { entropy: None, ..*with }, Posterior { entropy: None, ..*without });
        }
    }
}

/// Three people, one of whom has 1; one of the first two has it, and one of the last two.
#[test]
fn overlapping_counts_of_different_sources() {
    let crowd = PersonClass { people: 1, possible: vec![0, 1] };
    let count =
        |source, of: &[u32]| Count { source, cells: of.iter().map(|at| (*at, 1)).collect(), lower: 1, upper: 1 };
    let puzzle = Problem {
        classes: vec![crowd.clone(), crowd.clone(), crowd],
        counts: vec![count(0, &[0, 1, 2]), count(1, &[0, 1]), count(2, &[1, 2])],
        known_solution: None,
        incomplete: Vec::new(),
    };
    for ask in [SolveOptions::default(), NOTHING] {
        let found = solve(&puzzle, &ask).unwrap();
        assert_eq!(found.classes[1].last().unwrap().value, 1, "{found:?}");
    }
    assert_eq!(solve(&puzzle, &SolveOptions::default()).unwrap().worlds, Some(1));
}

/// Six people in a group, of whom three have each value: samples are drawn where nothing is counted.
#[test]
fn samples_are_drawn_where_nothing_is_counted() {
    let people = |first: u32| (0..6).map(move |at| at + first);
    let group = |source, first, value| Count {
        source,
        cells: people(first).map(|person| (person, value)).collect(),
        lower: 2,
        upper: 2,
    };
    let mut puzzle = Problem {
        classes: vec![PersonClass { people: 1, possible: vec![0, 1, 2] }; 8],
        counts: (0..3).flat_map(|value| [group(0, 0, value), group(1, 2, value)]).collect(),
        known_solution: None,
        incomplete: Vec::new(),
    };
    puzzle.classes[2].possible = vec![0, 1];
    for (steps, seen) in [(1, false), (40, false), (0, true)] {
        let mut puzzle = puzzle.clone();
        puzzle.known_solution = truth(&puzzle, 1_000_000).unwrap().seen.filter(|_| seen);
        let found = solve(&puzzle, &SolveOptions { samples: 500, seed: 1, steps, ..NOTHING }).unwrap();
        let sampled = found.classes.iter().flatten().filter(|told| told.sampled.is_some()).count();
        println!(
            "{steps} steps, seen {seen}: {sampled} sampled, {} pieces not counted",
            found.stats.components_not_counted
        );
    }
    let found = solve(&puzzle, &SolveOptions { samples: 500, seed: 1, ..NOTHING }).unwrap();
    let open = found.classes.iter().flatten().filter(|told| told.worlds.is_none());
    let (sampled, open): (Vec<&Posterior>, Vec<&Posterior>) = open.partition(|told| told.sampled.is_some());
    assert!(open.is_empty(), "{} sampled, {} not", sampled.len(), open.len());
}

/// Three of four have 1, so one has another value: that there are one or two of these says nothing more.
#[test]
fn a_count_that_says_nothing_more_does_not_spoil_the_estimate() {
    let may = vec![0, 1, 2];
    let puzzle = Problem {
        classes: vec![PersonClass { people: 3, possible: may.clone() }, PersonClass { people: 1, possible: may }],
        counts: vec![
            Count { source: 1, cells: vec![(1, 0), (1, 2), (0, 0), (0, 2)], lower: 1, upper: 2 },
            Count { source: 1, cells: vec![(1, 1), (0, 1)], lower: 3, upper: 3 },
        ],
        known_solution: None,
        incomplete: Vec::new(),
    };
    let found = solve(&puzzle, &SolveOptions::default()).unwrap();
    let nats = 3.0 * (4.0f64 / 3.0).ln() + 8f64.ln();
    assert!(found.stats.entropy.is_some_and(|entropy| (entropy - nats).abs() < 1e-6), "{:?} {nats}", found.stats);
}

/// Somebody's value is forced; whether that is found without counting must not depend on people who have nothing to do with it.
#[test]
fn what_is_forced_is_found_with_and_without_others() {
    let crowd = |may: &[Value]| PersonClass { people: 1, possible: may.to_vec() };
    let count =
        |source, of: &[(u32, Value)], least, most| Count { source, cells: of.to_vec(), lower: least, upper: most };
    let together = Problem {
        classes: vec![crowd(&[0, 2, 3]), crowd(&[1, 2]), crowd(&[1, 2]), crowd(&[2]), crowd(&[1, 2]), crowd(&[1, 2])],
        counts: vec![
            count(1, &[(1, 1), (2, 1)], 1, 1),
            count(1, &[(1, 2), (0, 2), (2, 2)], 1, 1),
            count(2, &[(0, 3), (2, 1), (0, 0)], 0, 1),
            count(2, &[(3, 2), (5, 1), (4, 2), (5, 2)], 3, 3),
        ],
        known_solution: None,
        incomplete: Vec::new(),
    };
    let alone = Problem {
        classes: together.classes[..3].to_vec(),
        counts: together.counts[..3].to_vec(),
        known_solution: None,
        incomplete: Vec::new(),
    };
    assert_eq!(truth(&alone, 1000).unwrap().cells[&(1, 1)], (2, 1, 1));
    let ask = SolveOptions { bounds_only: true, ..NOTHING };
    let (together, alone) = (solve(&together, &ask).unwrap(), solve(&alone, &ask).unwrap());
    assert!(same(&together.classes[1], &alone.classes[1]), "{:?} {:?}", &together.classes[1], &alone.classes[1]);
}
