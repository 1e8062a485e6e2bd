//! Puzzles by brute force: every world of a small puzzle, one person at a time, and maximum entropy by iterative scaling.

use std::collections::{BTreeMap, BTreeSet};

use reticent::inference::{Answer, Ask, Count, Crowd, Fraction, Puzzle, Told, Value, solve};

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
    puzzle: &'a Puzzle,
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
                for (at, crowd) in self.puzzle.crowds.iter().enumerate() {
                    let having = crowd.may.iter().zip(&self.now[at]).filter(|(_, now)| **now > 0);
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
        for place in 0..self.puzzle.crowds[crowd].may.len() {
            for at in 0..self.within[crowd][place].len() {
                self.having[self.within[crowd][place][at]] += 1;
            }
            self.now[crowd][place] += 1;
            let fits = |count: &usize| {
                let limits = &self.puzzle.counts[*count];
                self.having[*count] <= limits.most && self.having[*count] + self.to_come[*count] >= limits.least
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
fn truth(puzzle: &Puzzle, steps: u64) -> Option<Truth> {
    let people: Vec<usize> =
        puzzle.crowds.iter().enumerate().flat_map(|(at, crowd)| vec![at; crowd.people as usize]).collect();
    let counts_of = |crowd: usize, value: Value| {
        let has = |count: &Count| count.of.contains(&(crowd as u32, value));
        (0..puzzle.counts.len()).filter(|count| has(&puzzle.counts[*count])).collect::<Vec<usize>>()
    };
    let within: Vec<Vec<Vec<usize>>> = (0..puzzle.crowds.len())
        .map(|crowd| puzzle.crowds[crowd].may.iter().map(|value| counts_of(crowd, *value)).collect())
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
    let possible = puzzle.counts.iter().zip(&to_come).all(|(count, people)| count.least <= (*people).min(count.most));
    let mut search = Search {
        puzzle,
        now: puzzle.crowds.iter().map(|crowd| vec![0; crowd.may.len()]).collect(),
        cells: puzzle.crowds.iter().map(|crowd| vec![(0, u64::MAX, 0); crowd.may.len()]).collect(),
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
        for (value, cell) in puzzle.crowds[crowd].may.iter().zip(of_crowd) {
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
fn made(random: &mut Random, size: Size) -> (Puzzle, Vec<Vec<Value>>) {
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
    let mut crowds: Vec<Crowd> =
        world.iter().map(|has| Crowd { people: has.len() as u64, may: may(random, has) }).collect();
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
                        crowds[*crowd].may.retain(|value| !part.contains(value));
                    }
                } else if !silent {
                    let of = group.iter().flat_map(|crowd| part.iter().map(|value| (*crowd as u32, *value)));
                    counts.push(Count { source, of: of.collect(), least, most });
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
        counts.push(Count { source: sources as u32 + extra, of, least, most });
    }
    (Puzzle { crowds, counts, seen: None }, world)
}

/// Counts that are a little off, so that often nothing fits.
fn spoilt(random: &mut Random, mut puzzle: Puzzle) -> Puzzle {
    for _ in 0..1 + random.below(2) {
        if puzzle.counts.is_empty() {
            break;
        }
        let at = random.below(puzzle.counts.len());
        let count = &mut puzzle.counts[at];
        if random.below(2) == 0 {
            count.least += 1;
            count.most = count.most.max(count.least);
        } else {
            count.most = count.most.saturating_sub(1);
            count.least = count.least.min(count.most);
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
fn answer(puzzle: &Puzzle, ask: &Ask) -> Result<Result<Answer, reticent::Error>, String> {
    let caught = std::panic::catch_unwind(|| solve(puzzle, ask));
    caught.map_err(|_| format!("solve panics with {ask:?}"))
}

const NOTHING: Ask = Ask { steps: 0, entropy: false, samples: 0, seed: 0, bounds_only: false };

/// What is wrong with the answers to a puzzle, if anything.
fn fault(puzzle: &Puzzle) -> Option<String> {
    let truth = truth(puzzle, 400_000)?;
    fault_given(puzzle, &truth).err()
}

fn fault_given(puzzle: &Puzzle, truth: &Truth) -> Result<(), String> {
    let counted = Ask { entropy: false, ..Ask::default() };
    let asks = [
        ("counted", counted),
        ("not counted", NOTHING),
        ("bounds", Ask { bounds_only: true, ..counted }),
        ("bounds, not counted", Ask { bounds_only: true, ..NOTHING }),
        ("few steps", Ask { steps: 7, ..NOTHING }),
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
        let seen = Puzzle { seen: truth.seen.clone(), ..puzzle.clone() };
        let again = answer(&seen, &ask)?.map_err(|error| format!("{name}: with a world that is seen: {error}"))?;
        if (&again.crowds, again.worlds, again.ln_worlds) != (&found.crowds, found.worlds, found.ln_worlds) {
            return Err(format!("{name}: a world that is seen changes the answer: {found:?} {again:?}"));
        }
    }
    Ok(())
}

fn agrees(puzzle: &Puzzle, truth: &Truth, found: &Answer, ask: &Ask) -> Result<(), String> {
    let counted = ask.steps > 1000 && !ask.bounds_only;
    if found.worlds.is_some_and(|worlds| worlds != truth.worlds) || (counted && found.worlds.is_none()) {
        return Err(format!("{:?} worlds instead of {}", found.worlds, truth.worlds));
    }
    if let Some(ln) = found.ln_worlds
        && (ln - (truth.worlds as f64).ln()).abs() > 1e-9
    {
        return Err(format!("ln of worlds is {ln} instead of ln {}", truth.worlds));
    }
    if found.crowds.len() != puzzle.crowds.len() {
        return Err("not as many crowds".to_owned());
    }
    for (at, crowd) in puzzle.crowds.iter().enumerate() {
        let told = &found.crowds[at];
        if told.windows(2).any(|pair| pair[0].value >= pair[1].value) {
            return Err(format!("crowd {at}: values do not ascend: {told:?}"));
        }
        if told.iter().any(|told| !crowd.may.contains(&told.value)) {
            return Err(format!("crowd {at}: a value that they may not have"));
        }
        for value in &crowd.may {
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
            if told.exact.is_some_and(|exact| compare(exact, share).is_ne()) || (counted && told.exact.is_none()) {
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
            if ask.bounds_only && (told.exact.is_some() || told.worlds.is_some()) && least < most {
                return wrong("exact, where only bounds were asked for");
            }
        }
    }
    Ok(())
}

/// The same puzzle without a crowd.
fn without(puzzle: &Puzzle, gone: usize) -> Puzzle {
    let mut less = puzzle.clone();
    less.crowds.remove(gone);
    for count in &mut less.counts {
        count.of.retain(|(crowd, _)| *crowd as usize != gone);
        count.of.iter_mut().for_each(|(crowd, _)| *crowd -= u32::from(*crowd as usize > gone));
    }
    less
}

/// A puzzle as small as can be that is still wrong.
fn shrunk(mut puzzle: Puzzle, wrong: &dyn Fn(&Puzzle) -> bool) -> Puzzle {
    loop {
        let mut smaller: Vec<Puzzle> = (0..puzzle.crowds.len()).map(|crowd| without(&puzzle, crowd)).collect();
        for at in 0..puzzle.counts.len() {
            let mut less = puzzle.clone();
            less.counts.remove(at);
            smaller.push(less);
            for of in 0..puzzle.counts[at].of.len() {
                let mut less = puzzle.clone();
                less.counts[at].of.remove(of);
                smaller.push(less);
            }
            if puzzle.counts[at].least < puzzle.counts[at].most {
                let mut less = puzzle.clone();
                less.counts[at].most -= 1;
                smaller.push(less);
            }
        }
        for at in 0..puzzle.crowds.len() {
            if puzzle.crowds[at].people > 1 {
                let mut less = puzzle.clone();
                less.crowds[at].people -= 1;
                smaller.push(less);
            }
            for value in 0..puzzle.crowds[at].may.len() {
                let mut less = puzzle.clone();
                less.crowds[at].may.remove(value);
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
    fn add(&mut self, puzzle: &Puzzle, wrong: &str, fault: &dyn Fn(&Puzzle) -> Option<String>) {
        let kind = |wrong: &str| wrong.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().to_owned();
        let known = self.0.entry(kind(wrong)).or_insert_with(|| {
            let same = |puzzle: &Puzzle| fault(puzzle).is_some_and(|other| kind(&other) == kind(wrong));
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
    let crowd = |may: &[Value]| Crowd { people: 1, may: may.to_vec() };
    let count = |source, of: &[(u32, Value)]| Count { source, of: of.to_vec(), least: 1, most: 1 };
    let puzzle = Puzzle {
        crowds: vec![crowd(&[2, 3]), crowd(&[2, 3])],
        counts: vec![count(0, &[(0, 3), (1, 3)]), count(1, &[(0, 3), (1, 2)])],
        seen: None,
    };
    assert_eq!(truth(&puzzle, 100).unwrap().worlds, 0);
    let found = solve(&puzzle, &Ask::default());
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
                let at = random.below(puzzle.crowds.len());
                let may = &mut puzzle.crowds[at].may;
                may.truncate(may.len() / 2);
            }
            1 => puzzle.counts.push(Count { source: 90, of: Vec::new(), least: random.below(2) as u64, most: 3 }),
            2 => puzzle.counts.push(Count { source: 90, of: vec![(0, 77)], least: 0, most: random.below(3) as u64 }),
            _ => {
                let of = (0..puzzle.crowds.len() as u32).map(|crowd| (crowd, 0)).collect();
                puzzle.counts.push(Count { source: 90, of, least: 0, most: 1000 });
            }
        }
        if random.below(4) == 0 {
            puzzle.crowds.push(Crowd { people: 1 + random.below(2) as u64, may: vec![3, 8] });
        }
        if let Some(wrong) = fault(&puzzle) {
            faults.add(&puzzle, &wrong, &fault);
        }
    }
    assert_eq!(solve(&Puzzle::default(), &Ask::default()).unwrap().worlds, Some(1));
    faults.end();
}

/// A crowd of nobody is in nobody's way.
#[test]
fn a_crowd_of_nobody_says_nothing() {
    let with = |people| Puzzle {
        crowds: vec![Crowd { people, may: vec![0, 1] }, Crowd { people: 2, may: vec![0, 1] }],
        counts: vec![Count { source: 0, of: vec![(0, 0), (1, 0)], least: 1, most: 1 }],
        seen: None,
    };
    let found = solve(&with(0), &Ask::default()).unwrap();
    assert_eq!(found.worlds, Some(2));
    assert_eq!(found.crowds[1].iter().map(|told| told.best()).collect::<Vec<_>>(), [0.5, 0.5]);
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
        let found = solve(&puzzle, &Ask { samples: 300, seed: random.next(), ..NOTHING }).unwrap();
        counted += found.work.counted;
        not_counted += found.work.not_counted;
        for (at, told) in found.crowds.iter().enumerate() {
            for told in told {
                let Some(sampled) = told.sampled else { continue };
                let having = truth.cells[&(at as u32, told.value)].0;
                let share = having as f64 / (truth.worlds as f64 * puzzle.crowds[at].people as f64);
                near += 1;
                if (sampled.share - share).abs() > 5.0 * sampled.error + 0.03 {
                    far.push((sampled, share, puzzle.clone()));
                }
            }
        }
    }
    println!("{asked} puzzles, {counted} {not_counted} pieces, {near} samples, {} far", far.len());
    assert!(near > 100, "{near} samples in {asked} puzzles");
    assert!(far.len() * 200 < near, "{} of {near} are far: {:?}", far.len(), far[0]);
}

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
    pub fn of(puzzle: &Puzzle, bounds: &BTreeMap<(u32, Value), (f64, f64)>) -> Program {
        let of_crowd = |(at, crowd): (usize, &Crowd)| {
            let people = crowd.people as f64;
            crowd.may.iter().map(move |value| (at as u32, *value, people)).collect::<Vec<_>>()
        };
        let cells: Vec<(u32, Value, f64)> = puzzle.crowds.iter().enumerate().flat_map(of_crowd).collect();
        let mut sums = Vec::new();
        for (at, crowd) in puzzle.crowds.iter().enumerate() {
            let of = (0..cells.len()).filter(|cell| cells[*cell].0 as usize == at).collect();
            sums.push((of, crowd.people as f64, crowd.people as f64));
        }
        for count in &puzzle.counts {
            let of = |cell: &usize| count.of.contains(&(cells[*cell].0, cells[*cell].1));
            sums.push(((0..cells.len()).filter(of).collect(), count.least as f64, count.most as f64));
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

fn entropy_fault(puzzle: &Puzzle, truth: &Truth, kinds: &mut Estimates) -> Result<(), String> {
    let found = answer(puzzle, &Ask::default())?.map_err(|error| error.to_string())?;
    let program = Program::of(puzzle, &BTreeMap::new());
    let possible = |crowd, value| truth.cells[&(crowd, value)].2 > 0;
    let support = program.support(possible);
    kinds.not_whole +=
        usize::from(support.iter().any(|cell| !possible(program.cells[*cell].0, program.cells[*cell].1)));
    let work = &found.work;
    if work.not_converged > 0 {
        kinds.not_converged += 1;
        if work.entropy.is_some() || work.gap.is_some() {
            return Err(format!("not converged, but with numbers: {work:?}"));
        }
    } else if work.entropy.is_none() || work.gap.is_none() || found.crowds.iter().flatten().any(|t| t.entropy.is_none())
    {
        return Err(format!("converged, but without numbers: {found:?}"));
    }
    if let Some(gap) = work.gap
        && !(0.0..1e-7).contains(&gap.missed)
    {
        return Err(format!("counts are missed: {gap:?}"));
    }
    if let Some(gap) = work.gap
        && !(-1e-9..1e-6).contains(&gap.nats)
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
            let told = found.crowds[cell.0 as usize].iter().find(|told| told.value == cell.1);
            let share = x / cell.2;
            match told {
                // Nobody can have it, whatever the estimate.
                None if truth.cells[&(cell.0, cell.1)].0 == 0 => (),
                None if share > 1e-6 => return Err(format!("crowd and value {cell:?}: nothing instead of {share}")),
                Some(Told { entropy: Some(entropy), .. }) if (entropy - share).abs() > 1e-5 => {
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
    let bounds = answer(puzzle, &Ask { bounds_only: true, ..NOTHING })?.map_err(|error| error.to_string())?;
    for only_forced in [true, false] {
        let mut forced = BTreeMap::new();
        for (at, crowd) in puzzle.crowds.iter().enumerate() {
            for value in &crowd.may {
                let told = bounds.crowds[at].iter().find(|told| told.value == *value);
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
            let wrong =
                |puzzle: &Puzzle| solve(puzzle, &Ask::default()).is_ok_and(|found| found.work.not_converged > 0);
            println!("does not converge: {:?}", shrunk(puzzle.clone(), &wrong));
        }
        if let Err(wrong) = result {
            let fault = |puzzle: &Puzzle| {
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
    let group = |people: &[u64], shown: &[u64]| Puzzle {
        crowds: people
            .iter()
            .map(|people| Crowd { people: *people, may: (0..shown.len() as Value).collect() })
            .collect(),
        counts: shown
            .iter()
            .zip(0..)
            .map(|(shown, value)| {
                let of = (0..people.len() as u32).map(|crowd| (crowd, value)).collect();
                Count { source: 0, of, least: *shown, most: *shown }
            })
            .collect(),
        seen: None,
    };
    for (people, shown) in [(vec![1, 1], vec![1, 1]), (vec![2, 1], vec![1, 2]), (vec![3, 4, 5], vec![6, 2, 3, 1])] {
        let found = solve(&group(&people, &shown), &Ask::default()).unwrap();
        let all: u64 = people.iter().sum();
        for told in found.crowds.iter().flatten() {
            let share = shown[told.value as usize] as f64 / all as f64;
            assert!((told.entropy.unwrap() - share).abs() < 1e-9, "{told:?}");
            assert!((told.worlds.unwrap() - share).abs() < 1e-12, "{told:?}");
        }
        let nats: f64 = shown.iter().map(|shown| -(*shown as f64) * (*shown as f64 / all as f64).ln()).sum();
        assert!((found.work.entropy.unwrap() - nats).abs() < 1e-8);
    }
}

/// Whether two figures are the same, with a little room for estimates only.
fn same(one: &[Told], other: &[Told]) -> bool {
    let near = |one: Option<f64>, other: Option<f64>, room: f64| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= room,
        (None, None) => true,
        _ => false,
    };
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            (one.value, one.lower, one.upper, one.exact) == (other.value, other.lower, other.upper, other.exact)
                && near(one.worlds, other.worlds, 1e-12)
                && near(one.entropy, other.entropy, 1e-6)
        })
}

/// Puzzles of both sizes for laws.
fn for_a_law(random: &mut Random, times: usize) -> Vec<(Puzzle, Vec<Vec<Value>>)> {
    (0..times)
        .map(|at| {
            let size = if at % 2 == 0 { LARGE } else { small(random) };
            made(random, size)
        })
        .collect()
}

/// Small budgets, so that not everything is counted.
fn budgets() -> [Ask; 3] {
    [
        Ask { steps: 200_000, ..Ask::default() },
        Ask { steps: 300, ..Ask::default() },
        Ask { bounds_only: true, ..NOTHING },
    ]
}

/// The same puzzle in another order and in other words; by old crowd the new one, and by old value the new one.
fn reworded(puzzle: &Puzzle, random: &mut Random) -> (Puzzle, Vec<usize>, Vec<Value>) {
    let mut order: Vec<usize> = (0..puzzle.crowds.len()).collect();
    random.shuffle(&mut order);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    let mut names: Vec<Value> = (0..12).map(|name| name * 5 + 1).collect();
    random.shuffle(&mut names);
    let mut counts = puzzle.counts.clone();
    for count in &mut counts {
        let new = |(crowd, value): &(u32, Value)| (place[*crowd as usize] as u32, names[*value as usize]);
        count.of = count.of.iter().map(new).collect();
        random.shuffle(&mut count.of);
        count.source = 40 - count.source;
    }
    random.shuffle(&mut counts);
    let crowd = |old: &usize| {
        let mut may: Vec<Value> = puzzle.crowds[*old].may.iter().map(|value| names[*value as usize]).collect();
        may.sort_unstable();
        Crowd { may, people: puzzle.crowds[*old].people }
    };
    (Puzzle { crowds: order.iter().map(crowd).collect(), counts, seen: None }, place, names)
}

fn order_fault(puzzle: &Puzzle, seeds: u64) -> Option<String> {
    for (seed, (at, ask)) in (0..seeds).flat_map(|seed| budgets().into_iter().enumerate().map(move |ask| (seed, ask))) {
        let (other, place, names) = reworded(puzzle, &mut Random(seed));
        let (Ok(before), Ok(after)) = (solve(puzzle, &ask), solve(&other, &ask)) else { return None };
        if at < 2 && before.work.not_converged != after.work.not_converged {
            return Some("in some order the estimate does not converge".to_owned());
        }
        // How much is counted within a budget may depend on the order.
        if before.worlds.is_some() != after.worlds.is_some() {
            continue;
        }
        if before.worlds != after.worlds {
            return Some(format!("worlds: {:?} {:?}", before.worlds, after.worlds));
        }
        for (old, told) in before.crowds.iter().enumerate() {
            let mut told: Vec<Told> =
                told.iter().map(|told| Told { value: names[told.value as usize], ..*told }).collect();
            told.sort_by_key(|told| told.value);
            let again = &after.crowds[place[old]];
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
fn components(puzzle: &Puzzle) -> Vec<usize> {
    let mut of: Vec<usize> = (0..puzzle.crowds.len()).collect();
    for count in &puzzle.counts {
        for (crowd, _) in &count.of {
            let (one, other) = (of[count.of[0].0 as usize], of[*crowd as usize]);
            of.iter_mut().filter(|of| **of == other).for_each(|of| *of = one);
        }
    }
    of
}

/// What people are told together, against what each of them is told with those they are tied to.
fn apart_fault(puzzle: &Puzzle) -> Option<String> {
    let of = components(puzzle);
    for (at, ask) in budgets().into_iter().enumerate() {
        let together = solve(puzzle, &ask).ok()?;
        let (mut worlds, mut entropy) = (Some(1), Some(0.0));
        for component in of.iter().copied().collect::<BTreeSet<usize>>() {
            let mut alone = puzzle.clone();
            for crowd in (0..of.len()).rev().filter(|crowd| of[*crowd] != component) {
                alone = without(&alone, crowd);
            }
            alone.counts.retain(|count| !count.of.is_empty());
            let found = solve(&alone, &ask).ok()?;
            let theirs = (0..of.len()).filter(|crowd| of[*crowd] == component);
            for (told, crowd) in found.crowds.iter().zip(theirs) {
                if !same(told, &together.crowds[crowd]) {
                    return Some(format!("question {at}, apart and together: {told:?} {:?}", together.crowds[crowd]));
                }
            }
            worlds = worlds.zip(found.worlds).map(|(one, other)| one * other);
            entropy = entropy.zip(found.work.entropy).map(|(one, other)| one + other);
        }
        if together.worlds != worlds || entropy.is_some() != together.work.entropy.is_some() {
            return Some(format!("worlds {worlds:?} {:?}, entropy {entropy:?}", together.worlds));
        }
        if entropy.zip(together.work.entropy).is_some_and(|(sum, found)| (sum - found).abs() > 1e-6) {
            return Some(format!("entropy {entropy:?} {:?}", together.work.entropy));
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
        let first = puzzle.crowds.len() as u32;
        both.crowds.extend(more.crowds.iter().cloned());
        // The same sources and other ones, the same values.
        both.counts.extend(more.counts.iter().map(|count| Count {
            of: count.of.iter().map(|(crowd, value)| (crowd + first, *value)).collect(),
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
        let mut split = Puzzle::default();
        let mut whose = Vec::new();
        for (at, crowd) in puzzle.crowds.iter().enumerate() {
            for _ in 0..crowd.people {
                split.crowds.push(Crowd { people: 1, may: crowd.may.clone() });
                whose.push(at);
            }
        }
        split.counts = puzzle.counts.clone();
        for (count, old) in split.counts.iter_mut().zip(&puzzle.counts) {
            let of = |(crowd, value): &(u32, Value)| {
                let (crowd, value) = (*crowd as usize, *value);
                whose.iter().zip(0..).filter(move |(whose, _)| **whose == crowd).map(move |(_, person)| (person, value))
            };
            count.of = old.of.iter().flat_map(of).collect();
        }
        let ask = Ask { steps: 500_000, ..Ask::default() };
        let (before, after) = (solve(&puzzle, &ask).unwrap(), solve(&split, &ask).unwrap());
        if let (Some(before), Some(after)) = (before.worlds, after.worlds) {
            assert_eq!(before, after, "{puzzle:?}");
        }
        for (person, at) in whose.iter().enumerate() {
            for value in &puzzle.crowds[*at].may {
                let find = |told: &[Told]| told.iter().find(|told| told.value == *value).copied();
                let (one, other) = (find(&before.crowds[*at]), find(&after.crowds[person]));
                let worlds = |told: Option<Told>| told.map_or(Some(0.0), |told| told.worlds);
                if let (Some(one), Some(other)) = (worlds(one), worlds(other)) {
                    assert!((one - other).abs() < 1e-9, "{at} {value} {one} {other} {puzzle:?}");
                }
                let estimate = |told: Option<Told>| told.map_or(Some(0.0), |told| told.entropy);
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
        for ask in [Ask { entropy: false, ..Ask::default() }, Ask { bounds_only: true, ..NOTHING }] {
            let (before, after) = (solve(&less, &ask).unwrap(), solve(&puzzle, &ask).unwrap());
            if !ask.bounds_only && (before.worlds.is_none() || after.worlds.is_none()) {
                lost += 1;
                continue;
            }
            for (at, told) in before.crowds.iter().enumerate() {
                let after = &after.crowds[at];
                let is_listed = |value: Value, told: &[Told]| told.iter().any(|told| told.value == value);
                for value in puzzle.crowds[at].may.iter().filter(|value| !is_listed(**value, told)) {
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
            let first = puzzle.crowds.len() as u32;
            puzzle.crowds.extend(more.crowds);
            puzzle.counts.extend(more.counts.into_iter().map(|mut count| {
                count.of.iter_mut().for_each(|(crowd, _)| *crowd += first);
                count
            }));
        }
        let ask = Ask { steps: [0, 500, 100_000][at % 3], samples: 40, seed: 3, ..Ask::default() };
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
        let ask = Ask { steps: 50_000, ..Ask::default() };
        let with = solve(&puzzle, &ask).unwrap();
        let without = solve(&puzzle, &Ask { entropy: false, ..ask }).unwrap();
        assert_eq!((with.worlds, with.ln_worlds), (without.worlds, without.ln_worlds));
        assert_eq!((without.work.entropy, without.work.gap.is_some(), without.work.not_converged), (None, false, 0));
        for (with, without) in with.crowds.iter().flatten().zip(without.crowds.iter().flatten()) {
            let forced = with.lower == with.upper && with.entropy == with.worlds;
            assert!(without.entropy.is_none() || forced, "{without:?}");
            assert_eq!(Told { entropy: None, ..*with }, Told { entropy: None, ..*without });
        }
    }
}

/// Three people, one of whom has 1; one of the first two has it, and one of the last two.
#[test]
fn overlapping_counts_of_different_sources() {
    let crowd = Crowd { people: 1, may: vec![0, 1] };
    let count = |source, of: &[u32]| Count { source, of: of.iter().map(|at| (*at, 1)).collect(), least: 1, most: 1 };
    let puzzle = Puzzle {
        crowds: vec![crowd.clone(), crowd.clone(), crowd],
        counts: vec![count(0, &[0, 1, 2]), count(1, &[0, 1]), count(2, &[1, 2])],
        seen: None,
    };
    for ask in [Ask::default(), NOTHING] {
        let found = solve(&puzzle, &ask).unwrap();
        assert_eq!(found.crowds[1].last().unwrap().value, 1, "{found:?}");
    }
    assert_eq!(solve(&puzzle, &Ask::default()).unwrap().worlds, Some(1));
}

/// Six people in a group, of whom three have each value: samples are drawn where nothing is counted.
#[test]
fn samples_are_drawn_where_nothing_is_counted() {
    let people = |first: u32| (0..6).map(move |at| at + first);
    let group = |source, first, value| Count {
        source,
        of: people(first).map(|person| (person, value)).collect(),
        least: 2,
        most: 2,
    };
    let mut puzzle = Puzzle {
        crowds: vec![Crowd { people: 1, may: vec![0, 1, 2] }; 8],
        counts: (0..3).flat_map(|value| [group(0, 0, value), group(1, 2, value)]).collect(),
        seen: None,
    };
    puzzle.crowds[2].may = vec![0, 1];
    for (steps, seen) in [(1, false), (40, false), (0, true)] {
        let mut puzzle = puzzle.clone();
        puzzle.seen = truth(&puzzle, 1_000_000).unwrap().seen.filter(|_| seen);
        let found = solve(&puzzle, &Ask { samples: 500, seed: 1, steps, ..NOTHING }).unwrap();
        let sampled = found.crowds.iter().flatten().filter(|told| told.sampled.is_some()).count();
        println!("{steps} steps, seen {seen}: {sampled} sampled, {} pieces not counted", found.work.not_counted);
    }
    let found = solve(&puzzle, &Ask { samples: 500, seed: 1, ..NOTHING }).unwrap();
    let open = found.crowds.iter().flatten().filter(|told| told.worlds.is_none());
    let (sampled, open): (Vec<&Told>, Vec<&Told>) = open.partition(|told| told.sampled.is_some());
    assert!(open.is_empty(), "{} sampled, {} not", sampled.len(), open.len());
}

/// Three of four have 1, so one has another value: that there are one or two of these says nothing more.
#[test]
fn a_count_that_says_nothing_more_does_not_spoil_the_estimate() {
    let may = vec![0, 1, 2];
    let puzzle = Puzzle {
        crowds: vec![Crowd { people: 3, may: may.clone() }, Crowd { people: 1, may }],
        counts: vec![
            Count { source: 1, of: vec![(1, 0), (1, 2), (0, 0), (0, 2)], least: 1, most: 2 },
            Count { source: 1, of: vec![(1, 1), (0, 1)], least: 3, most: 3 },
        ],
        seen: None,
    };
    let found = solve(&puzzle, &Ask::default()).unwrap();
    let nats = 3.0 * (4.0f64 / 3.0).ln() + 8f64.ln();
    assert!(found.work.entropy.is_some_and(|entropy| (entropy - nats).abs() < 1e-6), "{:?} {nats}", found.work);
}

/// Somebody's value is forced; whether that is found without counting must not depend on people who have nothing to do with it.
#[test]
fn what_is_forced_is_found_with_and_without_others() {
    let crowd = |may: &[Value]| Crowd { people: 1, may: may.to_vec() };
    let count = |source, of: &[(u32, Value)], least, most| Count { source, of: of.to_vec(), least, most };
    let together = Puzzle {
        crowds: vec![crowd(&[0, 2, 3]), crowd(&[1, 2]), crowd(&[1, 2]), crowd(&[2]), crowd(&[1, 2]), crowd(&[1, 2])],
        counts: vec![
            count(1, &[(1, 1), (2, 1)], 1, 1),
            count(1, &[(1, 2), (0, 2), (2, 2)], 1, 1),
            count(2, &[(0, 3), (2, 1), (0, 0)], 0, 1),
            count(2, &[(3, 2), (5, 1), (4, 2), (5, 2)], 3, 3),
        ],
        seen: None,
    };
    let alone = Puzzle { crowds: together.crowds[..3].to_vec(), counts: together.counts[..3].to_vec(), seen: None };
    assert_eq!(truth(&alone, 1000).unwrap().cells[&(1, 1)], (2, 1, 1));
    let ask = Ask { bounds_only: true, ..NOTHING };
    let (together, alone) = (solve(&together, &ask).unwrap(), solve(&alone, &ask).unwrap());
    assert!(same(&together.crowds[1], &alone.crowds[1]), "{:?} {:?}", together.crowds[1], alone.crowds[1]);
}
