//! Puzzles by brute force: every world of a small puzzle, one person at a time, and maximum entropy by iterative scaling.

mod entropy;
mod laws;

use std::collections::{BTreeMap, BTreeSet};

use reticent_inference::{Count, Fraction, PersonClass, Posterior, Problem, Solution, SolveOptions, Value, solve};

pub use entropy::Program;

use crate::support::Random;

/// So many times as many instances, when asked for.
pub fn times() -> usize {
    std::env::var("ORACLE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// What all worlds of a puzzle say.
#[derive(Debug)]
struct Truth {
    worlds: u128,
    /// By crowd and value: how many people have it, over all worlds; and the fewest and the most in any.
    cells: BTreeMap<(u32, Value), (u128, u64, u64)>,
    /// A world.
    seen: Option<Vec<(u32, Value, u64)>>,
}

struct Search<'a> {
    puzzle: &'a Problem,
    /// By person: the crowd.
    people: Vec<usize>,
    /// By crowd, by place among its values: the counts that it is in.
    within: Vec<Vec<Vec<usize>>>,
    /// By crowd: the counts that any of its values is in.
    around: Vec<Vec<usize>>,
    having: Vec<u64>,
    /// By count: people to come who may be in it.
    to_come: Vec<u64>,
    /// By crowd, by place among its values: how many have it in the world at hand.
    now: Vec<Vec<u64>>,
    /// By crowd and place: sum, fewest, most.
    cells: Vec<Vec<(u128, u64, u64)>>,
    worlds: u128,
    steps: u64,
    seen: Option<Vec<(u32, Value, u64)>>,
}

impl Search<'_> {
    fn go(&mut self, person: usize) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        if person == self.people.len() {
            self.worlds += 1;
            for (now, cells) in self.now.iter().zip(&mut self.cells) {
                for (now, cell) in now.iter().zip(cells) {
                    *cell = (cell.0 + u128::from(*now), cell.1.min(*now), cell.2.max(*now));
                }
            }
            if self.seen.is_none() {
                let mut seen = Vec::new();
                for (at, crowd) in self.puzzle.classes.iter().enumerate() {
                    let having = crowd.possible.iter().zip(&self.now[at]).filter(|(_, now)| **now > 0);
                    seen.extend(having.map(|(value, now)| (at as u32, *value, *now)));
                }
                self.seen = Some(seen);
            }
            return true;
        }
        let crowd = self.people[person];
        for at in 0..self.around[crowd].len() {
            self.to_come[self.around[crowd][at]] -= 1;
        }
        let mut finished = true;
        for place in 0..self.puzzle.classes[crowd].possible.len() {
            for at in 0..self.within[crowd][place].len() {
                self.having[self.within[crowd][place][at]] += 1;
            }
            self.now[crowd][place] += 1;
            let fits = |count: &usize| {
                let limits = &self.puzzle.counts[*count];
                self.having[*count] <= limits.upper && self.having[*count] + self.to_come[*count] >= limits.lower
            };
            if self.around[crowd].iter().all(fits) {
                finished &= self.go(person + 1);
            }
            self.now[crowd][place] -= 1;
            for at in 0..self.within[crowd][place].len() {
                self.having[self.within[crowd][place][at]] -= 1;
            }
        }
        for at in 0..self.around[crowd].len() {
            self.to_come[self.around[crowd][at]] += 1;
        }
        finished
    }
}

/// All worlds, one person at a time; none when there are too many.
fn truth(puzzle: &Problem, steps: u64) -> Option<Truth> {
    let people: Vec<usize> =
        puzzle.classes.iter().enumerate().flat_map(|(at, crowd)| vec![at; crowd.people as usize]).collect();
    let counts_of = |crowd: usize, value: Value| {
        let has = |count: &Count| count.cells.contains(&(crowd as u32, value));
        (0..puzzle.counts.len()).filter(|count| has(&puzzle.counts[*count])).collect::<Vec<usize>>()
    };
    let within: Vec<Vec<Vec<usize>>> = (0..puzzle.classes.len())
        .map(|crowd| puzzle.classes[crowd].possible.iter().map(|value| counts_of(crowd, *value)).collect())
        .collect();
    let around: Vec<Vec<usize>> = within
        .iter()
        .map(|of_crowd| of_crowd.iter().flatten().copied().collect::<BTreeSet<usize>>().into_iter().collect())
        .collect();
    let mut to_come = vec![0; puzzle.counts.len()];
    for person in &people {
        for count in &around[*person] {
            to_come[*count] += 1;
        }
    }
    let possible = puzzle.counts.iter().zip(&to_come).all(|(count, people)| count.lower <= (*people).min(count.upper));
    let mut search = Search {
        puzzle,
        now: puzzle.classes.iter().map(|crowd| vec![0; crowd.possible.len()]).collect(),
        cells: puzzle.classes.iter().map(|crowd| vec![(0, u64::MAX, 0); crowd.possible.len()]).collect(),
        people,
        within,
        around,
        having: vec![0; puzzle.counts.len()],
        to_come,
        worlds: 0,
        steps,
        seen: None,
    };
    if possible && !search.go(0) {
        return None;
    }
    let mut cells = BTreeMap::new();
    for (crowd, of_crowd) in search.cells.iter().enumerate() {
        for (value, cell) in puzzle.classes[crowd].possible.iter().zip(of_crowd) {
            cells.insert((crowd as u32, *value), *cell);
        }
    }
    Some(Truth { worlds: search.worlds, cells, seen: search.seen })
}

/// How random puzzles look.
#[derive(Clone, Copy)]
struct Size {
    people: (usize, usize),
    values: (usize, usize),
    sources: (usize, usize),
    /// Crowds are of so many people at most.
    crowd: usize,
    /// Groups are of so many crowds at most.
    group: usize,
    /// One group in so many says less than it could.
    loose: usize,
}

const SMALL: Size = Size { people: (3, 9), values: (2, 5), sources: (2, 4), crowd: 4, group: 4, loose: 3 };
/// With more worlds.
const WIDE: Size = Size { people: (5, 9), values: (2, 4), sources: (1, 2), crowd: 4, group: 8, loose: 4 };
/// Too large for brute force; for laws.
const LARGE: Size = Size { people: (12, 30), values: (3, 6), sources: (2, 3), crowd: 4, group: 4, loose: 8 };

fn small(random: &mut Random) -> Size {
    *random.pick(&[SMALL, WIDE])
}

fn between(random: &mut Random, (least, most): (usize, usize)) -> usize {
    least + random.below(most - least + 1)
}

/// A puzzle and the world it was made from: by crowd, everybody's value.
fn made(random: &mut Random, size: Size) -> (Problem, Vec<Vec<Value>>) {
    let people = between(random, size.people);
    let values = between(random, size.values) as Value;
    let mut world: Vec<Vec<Value>> = Vec::new();
    let alone = random.below(2) == 0;
    let mut left = people;
    while left > 0 {
        let most = if alone || random.below(2) == 0 { 1 } else { size.crowd.min(left) };
        let crowd = 1 + random.below(most);
        world.push((0..crowd).map(|_| random.below(values as usize) as Value).collect());
        left -= crowd;
    }
    let limited = random.below(3) == 0;
    let may = |random: &mut Random, has: &Vec<Value>| {
        let open = !limited || random.below(2) == 0;
        (0..values).filter(|value| open || has.contains(value) || random.below(2) == 0).collect()
    };
    let mut crowds: Vec<PersonClass> =
        world.iter().map(|has| PersonClass { people: has.len() as u64, possible: may(random, has) }).collect();
    let mut counts = Vec::new();
    let sources = between(random, size.sources);
    let narrow = random.below(3) == 0;
    for source in 0..sources as u32 {
        let mut present: Vec<usize> = (0..crowds.len()).filter(|_| random.below(4) > 0).collect();
        random.shuffle(&mut present);
        let mut rest = present.as_slice();
        while !rest.is_empty() {
            let (group, after) = rest.split_at((1 + random.below(size.group)).min(rest.len()));
            rest = after;
            let having = |value: Value| {
                let of = group.iter().flat_map(|crowd| &world[*crowd]);
                of.filter(|has| **has == value).count() as u64
            };
            // Groups of values that are counted together.
            let mut parts: Vec<Vec<Value>> = (0..values).map(|value| vec![value]).collect();
            let loose = random.below(size.loose) == 0;
            if loose && parts.len() > 1 && random.below(2) == 0 {
                let gone = parts.swap_remove(random.below(parts.len()));
                let into = random.below(parts.len());
                parts[into].extend(gone);
            }
            for part in parts {
                let shown: u64 = part.iter().map(|value| having(*value)).sum();
                let slack = |random: &mut Random| if loose { random.below(2) as u64 } else { 0 };
                let (least, most) = (shown.saturating_sub(slack(random)), shown + slack(random));
                let silent = loose && random.below(6) == 0;
                if most == 0 && narrow {
                    // What a group does not show, nobody in it has.
                    for crowd in group {
                        crowds[*crowd].possible.retain(|value| !part.contains(value));
                    }
                } else if !silent {
                    let of = group.iter().flat_map(|crowd| part.iter().map(|value| (*crowd as u32, *value)));
                    counts.push(Count { source, cells: of.collect(), lower: least, upper: most });
                }
            }
        }
    }
    for extra in 0..random.below(3) as u32 {
        // A statement about any people and values.
        let mut of: Vec<(u32, Value)> = (0..crowds.len() as u32)
            .flat_map(|crowd| (0..values).map(move |value| (crowd, value)))
            .filter(|_| random.below(4) == 0)
            .collect();
        random.shuffle(&mut of);
        let shown = of.iter().map(|(crowd, value)| world[*crowd as usize].iter().filter(|has| *has == value).count());
        let shown = shown.sum::<usize>() as u64;
        let (least, most) = (shown.saturating_sub(random.below(2) as u64), shown + random.below(2) as u64);
        counts.push(Count { source: sources as u32 + extra, cells: of, lower: least, upper: most });
    }
    (Problem { classes: crowds, counts, ..Problem::default() }, world)
}

/// Counts that are a little off, so that often nothing fits.
fn spoilt(random: &mut Random, mut puzzle: Problem) -> Problem {
    for _ in 0..1 + random.below(2) {
        if puzzle.counts.is_empty() {
            break;
        }
        let at = random.below(puzzle.counts.len());
        let count = &mut puzzle.counts[at];
        if random.below(2) == 0 {
            count.lower += 1;
            count.upper = count.upper.max(count.lower);
        } else {
            count.upper = count.upper.saturating_sub(1);
            count.lower = count.lower.min(count.upper);
        }
    }
    puzzle
}

/// How `a/b` compares with `c/d`.
pub fn compare(one: Fraction, (c, d): (u128, u128)) -> std::cmp::Ordering {
    let (left, right) = (one.numerator.checked_mul(d), c.checked_mul(one.denominator));
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => one.value().total_cmp(&(c as f64 / d as f64)),
    }
}

/// The answer, or what went wrong, also where it is a panic.
fn answer(puzzle: &Problem, ask: &SolveOptions) -> Result<Result<Solution, reticent_inference::Error>, String> {
    let caught = std::panic::catch_unwind(|| solve(puzzle, ask));
    caught.map_err(|_| format!("solve panics with {ask:?}"))
}

const NOTHING: SolveOptions =
    SolveOptions { steps: 0, program_steps: 0, entropy: false, samples: 0, seed: 0, bounds_only: false };

/// What is wrong with the answers to a puzzle, if anything.
fn fault(puzzle: &Problem) -> Option<String> {
    let truth = truth(puzzle, 400_000)?;
    fault_given(puzzle, &truth).err()
}

fn fault_given(puzzle: &Problem, truth: &Truth) -> Result<(), String> {
    let counted = SolveOptions { entropy: false, ..SolveOptions::default() };
    let asks = [
        ("counted", counted),
        ("not counted", NOTHING),
        ("bounds", SolveOptions { bounds_only: true, ..counted }),
        ("bounds, not counted", SolveOptions { bounds_only: true, ..NOTHING }),
        ("few steps", SolveOptions { steps: 7, ..NOTHING }),
        ("programs", SolveOptions { program_steps: 1_000_000, ..NOTHING }),
        ("programs, bounds", SolveOptions { program_steps: 1_000_000, bounds_only: true, ..NOTHING }),
    ];
    for (name, ask) in asks {
        let found = answer(puzzle, &ask)?;
        let found = match (found, truth.worlds) {
            (Err(_), 0) => continue,
            (Ok(_), 0) if ask.steps == 0 || ask.bounds_only || ask.steps == 7 => continue,
            (Ok(_), 0) => return Err(format!("{name}: there is no world, and no error")),
            (Err(error), worlds) => return Err(format!("{name}: there are {worlds} worlds, but: {error}")),
            (Ok(found), _) => found,
        };
        agrees(puzzle, truth, &found, &ask).map_err(|wrong| format!("{name}: {wrong}"))?;
        let seen = Problem { known_solution: truth.seen.clone(), ..puzzle.clone() };
        let again = answer(&seen, &ask)?.map_err(|error| format!("{name}: with a world that is seen: {error}"))?;
        if (&again.classes, again.worlds, again.ln_worlds) != (&found.classes, found.worlds, found.ln_worlds) {
            return Err(format!("{name}: a world that is seen changes the answer: {found:?} {again:?}"));
        }
    }
    Ok(())
}

fn agrees(puzzle: &Problem, truth: &Truth, found: &Solution, ask: &SolveOptions) -> Result<(), String> {
    let counted = ask.steps > 1000 && !ask.bounds_only;
    if found.worlds.is_some_and(|worlds| worlds != truth.worlds) || (counted && found.worlds.is_none()) {
        return Err(format!("{:?} worlds instead of {}", found.worlds, truth.worlds));
    }
    if let Some(ln) = found.ln_worlds
        && (ln - (truth.worlds as f64).ln()).abs() > 1e-9
    {
        return Err(format!("ln of worlds is {ln} instead of ln {}", truth.worlds));
    }
    if found.classes.len() != puzzle.classes.len() {
        return Err("not as many crowds".to_owned());
    }
    for (at, crowd) in puzzle.classes.iter().enumerate() {
        let told = &found.classes[at];
        if told.windows(2).any(|pair| pair[0].value >= pair[1].value) {
            return Err(format!("crowd {at}: values do not ascend: {told:?}"));
        }
        if told.iter().any(|told| !crowd.possible.contains(&told.value)) {
            return Err(format!("crowd {at}: a value that they may not have"));
        }
        for value in &crowd.possible {
            let (having, least, most) = truth.cells[&(at as u32, *value)];
            let share = (having, truth.worlds * u128::from(crowd.people));
            let Some(told) = told.iter().find(|told| told.value == *value) else {
                if having > 0 {
                    return Err(format!("crowd {at} value {value}: not listed, but {share:?}"));
                }
                continue;
            };
            let wrong = |what: &str| Err(format!("crowd {at} value {value}: {what}: {told:?}, but {share:?}"));
            if having == 0 && counted {
                return wrong("impossible, but listed");
            }
            if compare(told.lower, share).is_gt() || compare(told.upper, share).is_lt() {
                return wrong("bounds do not hold");
            }
            if told.exact().is_some_and(|exact| compare(exact, share).is_ne()) || (counted && told.exact().is_none()) {
                return wrong("not exact");
            }
            let truth = share.0 as f64 / share.1 as f64;
            if told.worlds.is_some_and(|worlds| (worlds - truth).abs() > 1e-12) || (counted && told.worlds.is_none()) {
                return wrong("not the share of worlds");
            }
            if !(told.lower.value() - 1e-12..=told.upper.value() + 1e-12).contains(&told.best()) {
                return wrong("the best figure is out of bounds");
            }
            if told.entropy.is_some() && told.lower != told.upper {
                return wrong("an estimate that was not asked for");
            }
            let people = u128::from(crowd.people);
            let in_each = compare(told.lower, (u128::from(least), people)).is_le()
                && compare(told.upper, (u128::from(most), people)).is_ge();
            if ask.bounds_only && !in_each {
                return wrong(&format!("a bound that is not true of every world ({least} to {most})"));
            }
            if ask.bounds_only && (told.exact().is_some() || told.worlds.is_some()) && least < most {
                return wrong("exact, where only bounds were asked for");
            }
        }
    }
    Ok(())
}

/// The same puzzle without a crowd.
fn without(puzzle: &Problem, gone: usize) -> Problem {
    let mut less = puzzle.clone();
    less.classes.remove(gone);
    for count in &mut less.counts {
        count.cells.retain(|(crowd, _)| *crowd as usize != gone);
        count.cells.iter_mut().for_each(|(crowd, _)| *crowd -= u32::from(*crowd as usize > gone));
    }
    less
}

/// A puzzle as small as can be that is still wrong.
fn shrunk(mut puzzle: Problem, wrong: &dyn Fn(&Problem) -> bool) -> Problem {
    loop {
        let mut smaller: Vec<Problem> = (0..puzzle.classes.len()).map(|crowd| without(&puzzle, crowd)).collect();
        for at in 0..puzzle.counts.len() {
            let mut less = puzzle.clone();
            less.counts.remove(at);
            smaller.push(less);
            for of in 0..puzzle.counts[at].cells.len() {
                let mut less = puzzle.clone();
                less.counts[at].cells.remove(of);
                smaller.push(less);
            }
            if puzzle.counts[at].lower < puzzle.counts[at].upper {
                let mut less = puzzle.clone();
                less.counts[at].upper -= 1;
                smaller.push(less);
            }
        }
        for at in 0..puzzle.classes.len() {
            if puzzle.classes[at].people > 1 {
                let mut less = puzzle.clone();
                less.classes[at].people -= 1;
                smaller.push(less);
            }
            for value in 0..puzzle.classes[at].possible.len() {
                let mut less = puzzle.clone();
                less.classes[at].possible.remove(value);
                smaller.push(less);
            }
        }
        match smaller.into_iter().find(wrong) {
            Some(less) => puzzle = less,
            None => return puzzle,
        }
    }
}

/// What went wrong, by kind; one puzzle of each, as small as can be.
#[derive(Default)]
struct Faults(BTreeMap<String, (usize, String)>);

impl Faults {
    fn add(&mut self, puzzle: &Problem, wrong: &str, fault: &dyn Fn(&Problem) -> Option<String>) {
        let kind = |wrong: &str| wrong.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().to_owned();
        let known = self.0.entry(kind(wrong)).or_insert_with(|| {
            let same = |puzzle: &Problem| fault(puzzle).is_some_and(|other| kind(&other) == kind(wrong));
            let least = shrunk(puzzle.clone(), &same);
            (0, format!("{}\n  {least:?}", fault(&least).unwrap_or_default()))
        });
        known.0 += 1;
    }

    fn end(self) {
        let shown: Vec<String> = self.0.values().map(|(often, text)| format!("{often} times: {text}")).collect();
        assert!(shown.is_empty(), "{}", shown.join("\n"));
    }
}

/// Random puzzles against all their worlds.
#[test]
fn answers_are_those_of_all_worlds() {
    let mut random = Random(11);
    let mut faults = Faults::default();
    let (mut compared, mut too_many, mut forced, mut open) = (0, 0, 0, 0);
    for _ in 0..3000 * times() {
        let size = small(&mut random);
        let (puzzle, _) = made(&mut random, size);
        let Some(truth) = truth(&puzzle, 20_000) else {
            too_many += 1;
            continue;
        };
        assert!(truth.worlds > 0, "made from a world: {puzzle:?}");
        if let Err(wrong) = fault_given(&puzzle, &truth) {
            faults.add(&puzzle, &wrong, &fault);
        }
        compared += 1;
        forced += usize::from(truth.worlds == 1);
        open += usize::from(truth.worlds > 100);
    }
    println!("{compared} compared, {too_many} too many worlds, {forced} with one world, {open} with over a hundred");
    assert!(compared > 2500 && forced > 100 && open > 250, "{compared} {forced} {open}");
    faults.end();
}

/// Counts that may contradict each other: an error where they do, and none where they do not.
#[test]
fn contradictions_are_errors() {
    let mut random = Random(12);
    let mut faults = Faults::default();
    let (mut contradict, mut fit) = (0, 0);
    for _ in 0..1500 * times() {
        let size = small(&mut random);
        let (puzzle, _) = made(&mut random, size);
        let puzzle = spoilt(&mut random, puzzle);
        let Some(truth) = truth(&puzzle, 20_000) else { continue };
        if let Err(wrong) = fault_given(&puzzle, &truth) {
            faults.add(&puzzle, &wrong, &fault);
        }
        contradict += usize::from(truth.worlds == 0);
        fit += usize::from(truth.worlds > 0);
    }
    println!("{contradict} contradict each other, {fit} do not");
    assert!(contradict > 300 && fit > 300);
    faults.end();
}

/// One of the two has 3, and one of "the first has 3" and "the second has 2" holds: half of each would do, nobody whole does.
#[test]
fn contradictions_that_halves_would_satisfy_are_errors() {
    let crowd = |may: &[Value]| PersonClass { people: 1, possible: may.to_vec() };
    let count = |source, of: &[(u32, Value)]| Count { source, cells: of.to_vec(), lower: 1, upper: 1 };
    let puzzle = Problem {
        classes: vec![crowd(&[2, 3]), crowd(&[2, 3])],
        counts: vec![count(0, &[(0, 3), (1, 3)]), count(1, &[(0, 3), (1, 2)])],
        known_solution: None,
        incomplete: Vec::new(),
    };
    assert_eq!(truth(&puzzle, 100).unwrap().worlds, 0);
    let found = solve(&puzzle, &SolveOptions::default());
    assert!(found.is_err(), "{found:?}");
}

/// Counts that speak of values nobody may have, of nobody, or that allow more people than there are.
#[test]
fn counts_may_be_odd() {
    let mut random = Random(13);
    let mut faults = Faults::default();
    for _ in 0..600 * times() {
        let (mut puzzle, _) = made(&mut random, SMALL);
        match random.below(4) {
            0 => {
                let at = random.below(puzzle.classes.len());
                let may = &mut puzzle.classes[at].possible;
                may.truncate(may.len() / 2);
            }
            1 => puzzle.counts.push(Count { source: 90, cells: Vec::new(), lower: random.below(2) as u64, upper: 3 }),
            2 => {
                puzzle.counts.push(Count { source: 90, cells: vec![(0, 77)], lower: 0, upper: random.below(3) as u64 })
            }
            _ => {
                let of = (0..puzzle.classes.len() as u32).map(|crowd| (crowd, 0)).collect();
                puzzle.counts.push(Count { source: 90, cells: of, lower: 0, upper: 1000 });
            }
        }
        if random.below(4) == 0 {
            puzzle.classes.push(PersonClass { people: 1 + random.below(2) as u64, possible: vec![3, 8] });
        }
        if let Some(wrong) = fault(&puzzle) {
            faults.add(&puzzle, &wrong, &fault);
        }
    }
    assert_eq!(solve(&Problem::default(), &SolveOptions::default()).unwrap().worlds, Some(1));
    faults.end();
}

/// A crowd of nobody is in nobody's way.
#[test]
fn a_crowd_of_nobody_says_nothing() {
    let with = |people| Problem {
        classes: vec![PersonClass { people, possible: vec![0, 1] }, PersonClass { people: 2, possible: vec![0, 1] }],
        counts: vec![Count { source: 0, cells: vec![(0, 0), (1, 0)], lower: 1, upper: 1 }],
        known_solution: None,
        incomplete: Vec::new(),
    };
    let found = solve(&with(0), &SolveOptions::default()).unwrap();
    assert_eq!(found.worlds, Some(2));
    assert_eq!(found.classes[1].iter().map(|told| told.best()).collect::<Vec<_>>(), [0.5, 0.5]);
}

/// Samples of worlds are near the truth: within five standard errors and a little, where nothing was counted.
#[test]
fn samples_are_near_the_truth() {
    let mut random = Random(14);
    let (mut asked, mut near, mut far) = (0, 0, Vec::new());
    let (mut counted, mut not_counted) = (0, 0);
    for _ in 0..120 * times() {
        let (puzzle, _) = made(&mut random, WIDE);
        let Some(truth) = truth(&puzzle, 20_000).filter(|truth| truth.worlds > 3) else { continue };
        asked += 1;
        let found = solve(&puzzle, &SolveOptions { samples: 300, seed: random.next(), ..NOTHING }).unwrap();
        counted += found.stats.components_counted;
        not_counted += found.stats.components_not_counted;
        for (at, told) in found.classes.iter().enumerate() {
            for told in told {
                let Some(sampled) = told.sampled else { continue };
                let having = truth.cells[&(at as u32, told.value)].0;
                let share = having as f64 / (truth.worlds as f64 * puzzle.classes[at].people as f64);
                near += 1;
                if (sampled.estimate - share).abs() > 5.0 * sampled.standard_error + 0.03 {
                    far.push((sampled, share, puzzle.clone()));
                }
            }
        }
    }
    println!("{asked} puzzles, {counted} {not_counted} pieces, {near} samples, {} far", far.len());
    assert!(near > 100, "{near} samples in {asked} puzzles");
    assert!(far.len() * 200 < near, "{} of {near} are far: {:?}", far.len(), far[0]);
}
