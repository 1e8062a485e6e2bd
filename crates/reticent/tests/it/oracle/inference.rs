//! Constraint problems, compared with brute force: enumeration of all possible worlds, and maximum entropy by iterative scaling.

mod entropy;
mod laws;

use std::collections::{BTreeMap, BTreeSet};

use reticent_inference::{Count, Fraction, PersonClass, Posterior, Problem, Solution, SolveOptions, Value, solve};

pub use entropy::Program;

use crate::support::Random;

/// Factor for the number of instances: the environment variable `ORACLE_TIMES`, or 1.
pub fn times() -> usize {
    std::env::var("ORACLE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Counts over all possible worlds of a problem.
#[derive(Debug)]
struct AllWorlds {
    worlds: u128,
    /// Number of people with a value, for each class and value: sum over all worlds, minimum, maximum.
    cells: BTreeMap<(u32, Value), (u128, u64, u64)>,
    /// A possible world.
    example: Option<Vec<(u32, Value, u64)>>,
}

struct WorldEnumeration<'a> {
    problem: &'a Problem,
    /// Class of each person.
    people: Vec<usize>,
    /// Counts that include each value of each class.
    by_value: Vec<Vec<Vec<usize>>>,
    /// Counts that include any value of each class.
    by_class: Vec<Vec<usize>>,
    totals: Vec<u64>,
    /// Number of unassigned people who can contribute to each count.
    remaining: Vec<u64>,
    /// Number of people with each value of each class in the current world.
    current: Vec<Vec<u64>>,
    /// Sum, minimum and maximum for each value of each class.
    cells: Vec<Vec<(u128, u64, u64)>>,
    worlds: u128,
    steps: u64,
    example: Option<Vec<(u32, Value, u64)>>,
}

impl WorldEnumeration<'_> {
    fn assign(&mut self, person: usize) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        if person == self.people.len() {
            self.worlds += 1;
            for (current, cells) in self.current.iter().zip(&mut self.cells) {
                for (current, cell) in current.iter().zip(cells) {
                    *cell = (cell.0 + u128::from(*current), cell.1.min(*current), cell.2.max(*current));
                }
            }
            if self.example.is_none() {
                let mut example = Vec::new();
                for (at, class) in self.problem.classes.iter().enumerate() {
                    let occurring = class.possible.iter().zip(&self.current[at]).filter(|(_, current)| **current > 0);
                    example.extend(occurring.map(|(value, current)| (at as u32, *value, *current)));
                }
                self.example = Some(example);
            }
            return true;
        }
        let class = self.people[person];
        for at in 0..self.by_class[class].len() {
            self.remaining[self.by_class[class][at]] -= 1;
        }
        let mut finished = true;
        for place in 0..self.problem.classes[class].possible.len() {
            for at in 0..self.by_value[class][place].len() {
                self.totals[self.by_value[class][place][at]] += 1;
            }
            self.current[class][place] += 1;
            let is_feasible = |count: &usize| {
                let limits = &self.problem.counts[*count];
                self.totals[*count] <= limits.upper && self.totals[*count] + self.remaining[*count] >= limits.lower
            };
            if self.by_class[class].iter().all(is_feasible) {
                finished &= self.assign(person + 1);
            }
            self.current[class][place] -= 1;
            for at in 0..self.by_value[class][place].len() {
                self.totals[self.by_value[class][place][at]] -= 1;
            }
        }
        for at in 0..self.by_class[class].len() {
            self.remaining[self.by_class[class][at]] += 1;
        }
        finished
    }
}

/// Enumerates all possible worlds. Returns `None` if there are too many.
fn enumerate_worlds(problem: &Problem, steps: u64) -> Option<AllWorlds> {
    let people: Vec<usize> =
        problem.classes.iter().enumerate().flat_map(|(at, class)| vec![at; class.people as usize]).collect();
    let counts_of = |class: usize, value: Value| {
        let has = |count: &Count| count.cells.contains(&(class as u32, value));
        (0..problem.counts.len()).filter(|count| has(&problem.counts[*count])).collect::<Vec<usize>>()
    };
    let by_value: Vec<Vec<Vec<usize>>> = (0..problem.classes.len())
        .map(|class| problem.classes[class].possible.iter().map(|value| counts_of(class, *value)).collect())
        .collect();
    let by_class: Vec<Vec<usize>> = by_value
        .iter()
        .map(|of_class| of_class.iter().flatten().copied().collect::<BTreeSet<usize>>().into_iter().collect())
        .collect();
    let mut remaining = vec![0; problem.counts.len()];
    for person in &people {
        for count in &by_class[*person] {
            remaining[*count] += 1;
        }
    }
    let possible = problem.counts.iter().zip(&remaining).all(|(count, max)| count.lower <= (*max).min(count.upper));
    let mut search = WorldEnumeration {
        problem,
        current: problem.classes.iter().map(|class| vec![0; class.possible.len()]).collect(),
        cells: problem.classes.iter().map(|class| vec![(0, u64::MAX, 0); class.possible.len()]).collect(),
        people,
        by_value,
        by_class,
        totals: vec![0; problem.counts.len()],
        remaining,
        worlds: 0,
        steps,
        example: None,
    };
    if possible && !search.assign(0) {
        return None;
    }
    let mut cells = BTreeMap::new();
    for (class, of_class) in search.cells.iter().enumerate() {
        for (value, cell) in problem.classes[class].possible.iter().zip(of_class) {
            cells.insert((class as u32, *value), *cell);
        }
    }
    Some(AllWorlds { worlds: search.worlds, cells, example: search.example })
}

/// Parameters of random problems.
#[derive(Clone, Copy)]
struct Size {
    people: (usize, usize),
    values: (usize, usize),
    sources: (usize, usize),
    /// Maximum number of people of a class.
    max_class: usize,
    /// Maximum number of classes of a group.
    max_group: usize,
    /// One in this number of groups has inexact counts.
    inexact: usize,
}

const SMALL: Size = Size { people: (3, 9), values: (2, 5), sources: (2, 4), max_class: 4, max_group: 4, inexact: 3 };
/// Problems with more possible worlds.
const WIDE: Size = Size { people: (5, 9), values: (2, 4), sources: (1, 2), max_class: 4, max_group: 8, inexact: 4 };
/// Problems that are too large for brute force, for the laws.
const LARGE: Size = Size { people: (12, 30), values: (3, 6), sources: (2, 3), max_class: 4, max_group: 4, inexact: 8 };

fn small_size(random: &mut Random) -> Size {
    *random.pick(&[SMALL, WIDE])
}

fn between(random: &mut Random, (min, max): (usize, usize)) -> usize {
    min + random.below(max - min + 1)
}

/// A random problem, and the world from which it was derived: the values of the people of each class.
fn random_problem(random: &mut Random, size: Size) -> (Problem, Vec<Vec<Value>>) {
    let people = between(random, size.people);
    let values = between(random, size.values) as Value;
    let mut world: Vec<Vec<Value>> = Vec::new();
    let single = random.below(2) == 0;
    let mut remaining = people;
    while remaining > 0 {
        let limit = if single || random.below(2) == 0 { 1 } else { size.max_class.min(remaining) };
        let class = 1 + random.below(limit);
        world.push((0..class).map(|_| random.below(values as usize) as Value).collect());
        remaining -= class;
    }
    let limited = random.below(3) == 0;
    let possible = |random: &mut Random, has: &Vec<Value>| {
        let open = !limited || random.below(2) == 0;
        (0..values).filter(|value| open || has.contains(value) || random.below(2) == 0).collect()
    };
    let mut classes: Vec<PersonClass> =
        world.iter().map(|has| PersonClass { people: has.len() as u64, possible: possible(random, has) }).collect();
    let mut counts = Vec::new();
    let sources = between(random, size.sources);
    let narrow = random.below(3) == 0;
    for source in 0..sources as u32 {
        let mut present: Vec<usize> = (0..classes.len()).filter(|_| random.below(4) > 0).collect();
        random.shuffle(&mut present);
        let mut rest = present.as_slice();
        while !rest.is_empty() {
            let (group, after) = rest.split_at((1 + random.below(size.max_group)).min(rest.len()));
            rest = after;
            let frequency = |value: Value| {
                let of = group.iter().flat_map(|class| &world[*class]);
                of.filter(|has| **has == value).count() as u64
            };
            // Sets of values with a common count.
            let mut parts: Vec<Vec<Value>> = (0..values).map(|value| vec![value]).collect();
            let loose = random.below(size.inexact) == 0;
            if loose && parts.len() > 1 && random.below(2) == 0 {
                let removed = parts.swap_remove(random.below(parts.len()));
                let into = random.below(parts.len());
                parts[into].extend(removed);
            }
            for part in parts {
                let total: u64 = part.iter().map(|value| frequency(*value)).sum();
                let slack = |random: &mut Random| if loose { random.below(2) as u64 } else { 0 };
                let (lower, upper) = (total.saturating_sub(slack(random)), total + slack(random));
                let silent = loose && random.below(6) == 0;
                if upper == 0 && narrow {
                    // No person of the group has a value that the group does not contain.
                    for class in group {
                        classes[*class].possible.retain(|value| !part.contains(value));
                    }
                } else if !silent {
                    let of = group.iter().flat_map(|class| part.iter().map(|value| (*class as u32, *value)));
                    counts.push(Count { source, cells: of.collect(), lower, upper });
                }
            }
        }
    }
    for extra in 0..random.below(3) as u32 {
        // A count of random people and values.
        let mut of: Vec<(u32, Value)> = (0..classes.len() as u32)
            .flat_map(|class| (0..values).map(move |value| (class, value)))
            .filter(|_| random.below(4) == 0)
            .collect();
        random.shuffle(&mut of);
        let total = of.iter().map(|(class, value)| world[*class as usize].iter().filter(|has| *has == value).count());
        let total = total.sum::<usize>() as u64;
        let (lower, upper) = (total.saturating_sub(random.below(2) as u64), total + random.below(2) as u64);
        counts.push(Count { source: sources as u32 + extra, cells: of, lower, upper });
    }
    (Problem { classes, counts, ..Problem::default() }, world)
}

/// Changes one or two counts by 1, so that the problem often has no possible world.
fn perturbed(random: &mut Random, mut problem: Problem) -> Problem {
    for _ in 0..1 + random.below(2) {
        if problem.counts.is_empty() {
            break;
        }
        let at = random.below(problem.counts.len());
        let count = &mut problem.counts[at];
        if random.below(2) == 0 {
            count.lower += 1;
            count.upper = count.upper.max(count.lower);
        } else {
            count.upper = count.upper.saturating_sub(1);
            count.lower = count.lower.min(count.upper);
        }
    }
    problem
}

/// Compares `a/b` with `c/d`.
pub fn compare(one: Fraction, (c, d): (u128, u128)) -> std::cmp::Ordering {
    let (left, right) = (one.numerator.checked_mul(d), c.checked_mul(one.denominator));
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => one.value().total_cmp(&(c as f64 / d as f64)),
    }
}

/// Solves a problem. A panic is returned as an error text.
fn try_solve(problem: &Problem, options: &SolveOptions) -> Result<Result<Solution, reticent_inference::Error>, String> {
    let caught = std::panic::catch_unwind(|| solve(problem, options));
    caught.map_err(|_| format!("solve panics with {options:?}"))
}

const PRESOLVE_ONLY: SolveOptions =
    SolveOptions { steps: 0, program_steps: 0, entropy: false, samples: 0, seed: 0, bounds_only: false };

/// Compares the solutions of a problem with brute force. Returns the first error.
fn check_problem(problem: &Problem) -> Option<String> {
    let truth = enumerate_worlds(problem, 400_000)?;
    check_solutions(problem, &truth).err()
}

fn check_solutions(problem: &Problem, truth: &AllWorlds) -> Result<(), String> {
    let counted = SolveOptions { entropy: false, ..SolveOptions::default() };
    let variants = [
        ("counted", counted),
        ("not counted", PRESOLVE_ONLY),
        ("bounds", SolveOptions { bounds_only: true, ..counted }),
        ("bounds, not counted", SolveOptions { bounds_only: true, ..PRESOLVE_ONLY }),
        ("few steps", SolveOptions { steps: 7, ..PRESOLVE_ONLY }),
        ("programs", SolveOptions { program_steps: 1_000_000, ..PRESOLVE_ONLY }),
        ("programs, bounds", SolveOptions { program_steps: 1_000_000, bounds_only: true, ..PRESOLVE_ONLY }),
    ];
    for (name, options) in variants {
        let found = try_solve(problem, &options)?;
        let found = match (found, truth.worlds) {
            (Err(_), 0) => continue,
            (Ok(_), 0) if options.steps == 0 || options.bounds_only || options.steps == 7 => continue,
            (Ok(_), 0) => return Err(format!("{name}: no possible world, and no error")),
            (Err(error), worlds) => return Err(format!("{name}: there are {worlds} worlds, but: {error}")),
            (Ok(found), _) => found,
        };
        check_result(problem, truth, &found, &options).map_err(|wrong| format!("{name}: {wrong}"))?;
        let with_solution = Problem { known_solution: truth.example.clone(), ..problem.clone() };
        let again =
            try_solve(&with_solution, &options)?.map_err(|error| format!("{name}: with a known solution: {error}"))?;
        if (&again.classes, again.worlds, again.ln_worlds) != (&found.classes, found.worlds, found.ln_worlds) {
            return Err(format!("{name}: a known solution changes the result: {found:?} {again:?}"));
        }
    }
    Ok(())
}

fn check_result(problem: &Problem, truth: &AllWorlds, found: &Solution, options: &SolveOptions) -> Result<(), String> {
    let counted = options.steps > 1000 && !options.bounds_only;
    if found.worlds.is_some_and(|worlds| worlds != truth.worlds) || (counted && found.worlds.is_none()) {
        return Err(format!("{:?} worlds instead of {}", found.worlds, truth.worlds));
    }
    if let Some(ln) = found.ln_worlds
        && (ln - (truth.worlds as f64).ln()).abs() > 1e-9
    {
        return Err(format!("ln of worlds is {ln} instead of ln {}", truth.worlds));
    }
    if found.classes.len() != problem.classes.len() {
        return Err("wrong number of classes".to_owned());
    }
    for (at, class) in problem.classes.iter().enumerate() {
        let posteriors = &found.classes[at];
        if posteriors.windows(2).any(|pair| pair[0].value >= pair[1].value) {
            return Err(format!("class {at}: values are not sorted: {posteriors:?}"));
        }
        if posteriors.iter().any(|posterior| !class.possible.contains(&posterior.value)) {
            return Err(format!("class {at}: an impossible value"));
        }
        for value in &class.possible {
            let (total, min, max) = truth.cells[&(at as u32, *value)];
            let share = (total, truth.worlds * u128::from(class.people));
            let Some(posterior) = posteriors.iter().find(|posterior| posterior.value == *value) else {
                if total > 0 {
                    return Err(format!("class {at} value {value}: not listed, but {share:?}"));
                }
                continue;
            };
            let wrong = |what: &str| Err(format!("class {at} value {value}: {what}: {posterior:?}, but {share:?}"));
            if total == 0 && counted {
                return wrong("impossible, but listed");
            }
            if compare(posterior.lower, share).is_gt() || compare(posterior.upper, share).is_lt() {
                return wrong("outside the bounds");
            }
            if posterior.exact().is_some_and(|exact| compare(exact, share).is_ne())
                || (counted && posterior.exact().is_none())
            {
                return wrong("not exact");
            }
            let truth = share.0 as f64 / share.1 as f64;
            if posterior.worlds.is_some_and(|worlds| (worlds - truth).abs() > 1e-12)
                || (counted && posterior.worlds.is_none())
            {
                return wrong("not the fraction of worlds");
            }
            if !(posterior.lower.value() - 1e-12..=posterior.upper.value() + 1e-12).contains(&posterior.best()) {
                return wrong("the best figure is out of bounds");
            }
            if posterior.entropy.is_some() && posterior.lower != posterior.upper {
                return wrong("an estimate that was not requested");
            }
            let people = u128::from(class.people);
            let in_each = compare(posterior.lower, (u128::from(min), people)).is_le()
                && compare(posterior.upper, (u128::from(max), people)).is_ge();
            if options.bounds_only && !in_each {
                return wrong(&format!("a bound that does not hold in every world ({min} to {max})"));
            }
            if options.bounds_only && (posterior.exact().is_some() || posterior.worlds.is_some()) && min < max {
                return wrong("exact, although only bounds were requested");
            }
        }
    }
    Ok(())
}

/// The problem without one class.
fn without_class(problem: &Problem, removed: usize) -> Problem {
    let mut reduced = problem.clone();
    reduced.classes.remove(removed);
    for count in &mut reduced.counts {
        count.cells.retain(|(class, _)| *class as usize != removed);
        count.cells.iter_mut().for_each(|(class, _)| *class -= u32::from(*class as usize > removed));
    }
    reduced
}

/// Shrinks a failing problem.
fn shrunk(mut problem: Problem, wrong: &dyn Fn(&Problem) -> bool) -> Problem {
    loop {
        let mut smaller: Vec<Problem> = (0..problem.classes.len()).map(|at| without_class(&problem, at)).collect();
        for at in 0..problem.counts.len() {
            let mut reduced = problem.clone();
            reduced.counts.remove(at);
            smaller.push(reduced);
            for of in 0..problem.counts[at].cells.len() {
                let mut reduced = problem.clone();
                reduced.counts[at].cells.remove(of);
                smaller.push(reduced);
            }
            if problem.counts[at].lower < problem.counts[at].upper {
                let mut reduced = problem.clone();
                reduced.counts[at].upper -= 1;
                smaller.push(reduced);
            }
        }
        for at in 0..problem.classes.len() {
            if problem.classes[at].people > 1 {
                let mut reduced = problem.clone();
                reduced.classes[at].people -= 1;
                smaller.push(reduced);
            }
            for value in 0..problem.classes[at].possible.len() {
                let mut reduced = problem.clone();
                reduced.classes[at].possible.remove(value);
                smaller.push(reduced);
            }
        }
        match smaller.into_iter().find(wrong) {
            Some(reduced) => problem = reduced,
            None => return problem,
        }
    }
}

/// Failures by kind: their number, and the first one, shrunk.
#[derive(Default)]
struct ProblemFailures(BTreeMap<String, (usize, String)>);

impl ProblemFailures {
    fn add(&mut self, problem: &Problem, wrong: &str, fault: &dyn Fn(&Problem) -> Option<String>) {
        let kind = |wrong: &str| wrong.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().to_owned();
        let known = self.0.entry(kind(wrong)).or_insert_with(|| {
            let same = |problem: &Problem| fault(problem).is_some_and(|other| kind(&other) == kind(wrong));
            let least = shrunk(problem.clone(), &same);
            (0, format!("{}\n  {least:?}", fault(&least).unwrap_or_default()))
        });
        known.0 += 1;
    }

    fn finish(self) {
        let messages: Vec<String> = self.0.values().map(|(count, text)| format!("{count} times: {text}")).collect();
        assert!(messages.is_empty(), "{}", messages.join("\n"));
    }
}

#[test]
fn solutions_match_the_enumeration_of_all_worlds() {
    let mut random = Random(11);
    let mut failures = ProblemFailures::default();
    let (mut compared, mut too_many, mut forced, mut open) = (0, 0, 0, 0);
    for _ in 0..3000 * times() {
        let size = small_size(&mut random);
        let (problem, _) = random_problem(&mut random, size);
        let Some(truth) = enumerate_worlds(&problem, 20_000) else {
            too_many += 1;
            continue;
        };
        assert!(truth.worlds > 0, "no possible world: {problem:?}");
        if let Err(wrong) = check_solutions(&problem, &truth) {
            failures.add(&problem, &wrong, &check_problem);
        }
        compared += 1;
        forced += usize::from(truth.worlds == 1);
        open += usize::from(truth.worlds > 100);
    }
    println!("{compared} compared, {too_many} too many worlds, {forced} with one world, {open} with over a hundred");
    assert!(compared > 2500 && forced > 100 && open > 250, "{compared} {forced} {open}");
    failures.finish();
}

#[test]
fn a_problem_without_a_possible_world_is_an_error() {
    let mut random = Random(12);
    let mut failures = ProblemFailures::default();
    let (mut infeasible, mut feasible) = (0, 0);
    for _ in 0..1500 * times() {
        let size = small_size(&mut random);
        let (problem, _) = random_problem(&mut random, size);
        let problem = perturbed(&mut random, problem);
        let Some(truth) = enumerate_worlds(&problem, 20_000) else { continue };
        if let Err(wrong) = check_solutions(&problem, &truth) {
            failures.add(&problem, &wrong, &check_problem);
        }
        infeasible += usize::from(truth.worlds == 0);
        feasible += usize::from(truth.worlds > 0);
    }
    println!("{infeasible} infeasible, {feasible} feasible");
    assert!(infeasible > 300 && feasible > 300);
    failures.finish();
}

/// One of two people has 3, and exactly one of "the first has 3" and "the second has 2" is true. Only fractions satisfy both.
#[test]
fn a_problem_with_only_fractional_solutions_is_an_error() {
    let class = |possible: &[Value]| PersonClass { people: 1, possible: possible.to_vec() };
    let count = |source, of: &[(u32, Value)]| Count { source, cells: of.to_vec(), lower: 1, upper: 1 };
    let problem = Problem {
        classes: vec![class(&[2, 3]), class(&[2, 3])],
        counts: vec![count(0, &[(0, 3), (1, 3)]), count(1, &[(0, 3), (1, 2)])],
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    assert_eq!(enumerate_worlds(&problem, 100).unwrap().worlds, 0);
    let found = solve(&problem, &SolveOptions::default());
    assert!(found.is_err(), "{found:?}");
}

/// Counts of impossible values, of no people, or with an upper bound above the number of people.
#[test]
fn unusual_counts_are_accepted() {
    let mut random = Random(13);
    let mut failures = ProblemFailures::default();
    for _ in 0..600 * times() {
        let (mut problem, _) = random_problem(&mut random, SMALL);
        match random.below(4) {
            0 => {
                let at = random.below(problem.classes.len());
                let possible = &mut problem.classes[at].possible;
                possible.truncate(possible.len() / 2);
            }
            1 => problem.counts.push(Count { source: 90, cells: Vec::new(), lower: random.below(2) as u64, upper: 3 }),
            2 => {
                problem.counts.push(Count { source: 90, cells: vec![(0, 77)], lower: 0, upper: random.below(3) as u64 })
            }
            _ => {
                let of = (0..problem.classes.len() as u32).map(|class| (class, 0)).collect();
                problem.counts.push(Count { source: 90, cells: of, lower: 0, upper: 1000 });
            }
        }
        if random.below(4) == 0 {
            problem.classes.push(PersonClass { people: 1 + random.below(2) as u64, possible: vec![3, 8] });
        }
        if let Some(wrong) = check_problem(&problem) {
            failures.add(&problem, &wrong, &check_problem);
        }
    }
    assert_eq!(solve(&Problem::default(), &SolveOptions::default()).unwrap().worlds, Some(1));
    failures.finish();
}

#[test]
fn a_class_without_people_does_not_change_the_solution() {
    let with = |people| Problem {
        classes: vec![PersonClass { people, possible: vec![0, 1] }, PersonClass { people: 2, possible: vec![0, 1] }],
        counts: vec![Count { source: 0, cells: vec![(0, 0), (1, 0)], lower: 1, upper: 1 }],
        known_solution: None,
        weighted: Vec::new(),
        incomplete: Vec::new(),
    };
    let found = solve(&with(0), &SolveOptions::default()).unwrap();
    assert_eq!(found.worlds, Some(2));
    assert_eq!(found.classes[1].iter().map(|posterior| posterior.best()).collect::<Vec<_>>(), [0.5, 0.5]);
}

/// Sampled posteriors are within five standard errors plus 0.03 of the exact ones.
#[test]
fn sampled_posteriors_are_near_the_exact_posteriors() {
    let mut random = Random(14);
    let (mut solved, mut samples, mut far) = (0, 0, Vec::new());
    let (mut counted, mut not_counted) = (0, 0);
    for _ in 0..120 * times() {
        let (problem, _) = random_problem(&mut random, WIDE);
        let Some(truth) = enumerate_worlds(&problem, 20_000).filter(|truth| truth.worlds > 3) else { continue };
        solved += 1;
        let found = solve(&problem, &SolveOptions { samples: 300, seed: random.next(), ..PRESOLVE_ONLY }).unwrap();
        counted += found.stats.components_counted;
        not_counted += found.stats.components_not_counted;
        for (at, posteriors) in found.classes.iter().enumerate() {
            for posterior in posteriors {
                let Some(sampled) = posterior.sampled else { continue };
                let total = truth.cells[&(at as u32, posterior.value)].0;
                let share = total as f64 / (truth.worlds as f64 * problem.classes[at].people as f64);
                samples += 1;
                if (sampled.estimate - share).abs() > 5.0 * sampled.standard_error + 0.03 {
                    far.push((sampled, share, problem.clone()));
                }
            }
        }
    }
    println!("{solved} problems, {counted} {not_counted} components, {samples} samples, {} far", far.len());
    assert!(samples > 100, "{samples} samples in {solved} problems");
    assert!(far.len() * 200 < samples, "{} of {samples} are far: {:?}", far.len(), far[0]);
}
