//! Bounds against every world there is.
#![allow(clippy::expect_used)]

use super::*;
use crate::{Ask, Count, Crowd, Puzzle, Value, solve};

/// Random numbers by SplitMix64, the same on every machine.
struct Draw(u64);

impl Draw {
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

/// By crowd and value: how many people have it.
type World = Vec<Vec<u64>>;

/// Crowds of up to `most` people who have some of these values.
fn truth(crowds: usize, most: usize, values: usize, draw: &mut Draw) -> World {
    let of_crowd = |_| {
        let mut having = vec![0; values];
        (0..=draw.below(most)).for_each(|_| having[draw.below(values)] += 1);
        having
    };
    (0..crowds).map(of_crowd).collect()
}

/// What releases with groups of about `size` crowds tell of a world.
fn released(world: &World, releases: u32, size: usize, draw: &mut Draw) -> Puzzle {
    let values = world[0].len();
    let crowd = |having: &Vec<u64>| Crowd { people: having.iter().sum(), may: (0..values as Value).collect() };
    let mut counts = Vec::new();
    for source in 0..releases {
        let mut order: Vec<u32> = (0..world.len() as u32).collect();
        draw.shuffle(&mut order);
        for group in order.chunks(size) {
            for value in 0..values as Value {
                let number = group.iter().map(|crowd| world[*crowd as usize][value as usize]).sum();
                let of = group.iter().map(|crowd| (*crowd, value)).collect();
                counts.push(Count { source, of, least: number, most: number });
            }
        }
    }
    Puzzle { crowds: world.iter().map(crowd).collect(), counts, ..Puzzle::default() }
}

/// Something that is known of some cells, and true.
fn statement(world: &World, source: u32, draw: &mut Draw) -> Count {
    let mut of: Vec<(u32, Value)> = (0..world.len() as u32)
        .flat_map(|crowd| (0..world[0].len() as Value).map(move |value| (crowd, value)))
        .collect();
    draw.shuffle(&mut of);
    of.truncate(2 + draw.below(4));
    let number: u64 = of.iter().map(|(crowd, value)| world[*crowd as usize][*value as usize]).sum();
    Count { source, of, least: number.saturating_sub(draw.below(2) as u64), most: number + draw.below(2) as u64 }
}

fn with_truth(mut puzzle: Puzzle, world: &World) -> Puzzle {
    let of_crowd = |(crowd, having): (u32, &Vec<u64>)| {
        having.iter().zip(0..).map(move |(people, value)| (crowd, value, *people)).collect::<Vec<_>>()
    };
    puzzle.seen = Some((0..).zip(world).flat_map(of_crowd).collect());
    puzzle
}

/// Calls with every world, crowd by crowd.
fn worlds(puzzle: &Puzzle, each: &mut impl FnMut(&World)) {
    fn go(puzzle: &Puzzle, world: &mut World, used: &mut [u64], each: &mut impl FnMut(&World)) {
        let Some(crowd) = puzzle.crowds.get(world.len()) else {
            if puzzle.counts.iter().zip(used.iter()).all(|(count, used)| *used >= count.least) {
                each(world);
            }
            return;
        };
        let mut having = vec![0; crowd.may.len()];
        share(crowd.people, 0, &mut having, &mut |having| {
            let at = world.len() as u32;
            let now = |count: &Count| -> u64 {
                count.of.iter().filter(|(crowd, _)| *crowd == at).map(|(_, value)| having[*value as usize]).sum()
            };
            let more: Vec<u64> = puzzle.counts.iter().map(now).collect();
            let mut then: Vec<u64> = used.iter().zip(more).map(|(used, more)| used + more).collect();
            if then.iter().zip(&puzzle.counts).all(|(used, count)| *used <= count.most) {
                world.push(having.to_vec());
                go(puzzle, world, &mut then, each);
                world.pop();
            }
        });
    }
    fn share(people: u64, at: usize, having: &mut Vec<u64>, each: &mut dyn FnMut(&[u64])) {
        if at + 1 == having.len() {
            having[at] = people;
            return each(having);
        }
        for here in 0..=people {
            having[at] = here;
            share(people - here, at + 1, having, each);
        }
    }
    go(puzzle, &mut Vec::new(), &mut vec![0; puzzle.counts.len()], each);
}

/// By crowd and value: the least and the most, over all worlds, and the mean weighed by the ways to choose who has what.
fn truths(puzzle: &Puzzle) -> Vec<Vec<(u64, u64, f64)>> {
    let mut found: Vec<Vec<(u64, u64, f64)>> =
        puzzle.crowds.iter().map(|crowd| vec![(u64::MAX, 0, 0.0); crowd.may.len()]).collect();
    let factorial = |number: &u64| (1..=*number).map(|factor| factor as f64).product::<f64>();
    let mut all = 0.0;
    worlds(puzzle, &mut |world| {
        let ways: f64 = world.iter().flatten().map(|people| 1.0 / factorial(people)).product();
        all += ways;
        for (found, people) in found.iter_mut().flatten().zip(world.iter().flatten()) {
            *found = (found.0.min(*people), found.1.max(*people), found.2 + ways * *people as f64);
        }
    });
    found.iter_mut().flatten().for_each(|found| found.2 /= all);
    found
}

/// Nothing is counted: what is found is forced, or proved by programs.
const ONLY: Ask = Ask { steps: 0, program: 1_000_000, entropy: false, samples: 0, seed: 0, bounds_only: true };

fn bounds(puzzle: &Puzzle, ask: &Ask) -> Vec<Vec<(f64, f64)>> {
    let answer = solve(puzzle, ask).expect("solved");
    let of = |(told, crowd): (&[crate::Told], &Crowd)| {
        let of_value = |value: &Value| {
            let told = told.iter().find(|told| told.value == *value);
            told.map_or((0.0, 0.0), |told| (told.lower.value(), told.upper.value()))
        };
        crowd.may.iter().map(of_value).collect()
    };
    answer.crowds.iter().zip(&puzzle.crowds).map(of).collect()
}

/// What came of many checks.
#[derive(Debug, Default)]
struct Checked {
    cells: u32,
    /// Cells whose bounds are those of all worlds, both of them.
    tight: u32,
    /// Puzzles of which programs say more than flows.
    by_programs: u32,
}

/// Bounds hold for every world; with enough work most of them are reached.
fn check(puzzle: &Puzzle, checked: &mut Checked) {
    let truths = truths(puzzle);
    let tight = bounds(puzzle, &ONLY);
    let alike = bounds(puzzle, &Ask { bounds_only: false, ..ONLY });
    let hasty = bounds(puzzle, &Ask { program: 5_000, ..ONLY });
    for (crowd, truths) in truths.iter().enumerate() {
        let people = puzzle.crowds[crowd].people as f64;
        for (value, (least, most, mean)) in truths.iter().enumerate() {
            let share = |number: f64| number / people;
            let (least, most, mean) = (share(*least as f64), share(*most as f64), share(*mean));
            let (low, high) = tight[crowd][value];
            assert!(low <= least && most <= high, "crowd {crowd}, value {value} of {puzzle:?}");
            checked.cells += 1;
            checked.tight += u32::from((low, high) == (least, most));
            // By symmetry, what is known of a mean may be narrower than what all worlds reach.
            let (low, high) = alike[crowd][value];
            assert!(low <= mean + 1e-9 && mean <= high + 1e-9, "{puzzle:?}");
            let (low, high) = hasty[crowd][value];
            assert!(low <= least && most <= high, "{puzzle:?}");
        }
    }
    checked.by_programs += u32::from(bounds(puzzle, &Ask { program: 0, ..ONLY }) != tight);
}

#[test]
fn bounds_are_true_and_mostly_as_tight_as_whole_people_allow() {
    let mut checked = Checked::default();
    for seed in 0..300 {
        let draw = &mut Draw(seed);
        let (crowds, most) = if seed % 2 == 0 { (7, 1) } else { (5, 3) };
        let world = truth(crowds, most, 2 + seed as usize % 3, draw);
        let mut puzzle = released(&world, 1 + draw.below(4) as u32, 2 + draw.below(2), draw);
        for source in 0..draw.below(4) as u32 {
            puzzle.counts.push(statement(&world, 10 + source, draw));
        }
        check(&puzzle, &mut checked);
        check(&with_truth(puzzle, &world), &mut checked);
    }
    // Otherwise this would judge flows only.
    assert!(checked.by_programs >= 40, "{checked:?}");
    // Four cells follow only because people are whole. Fractions of people do not show them.
    assert!(checked.cells - checked.tight <= 4, "{checked:?}");
}

/// Three releases of five people that leave one world, of which programs in fractions of people know less.
const CORE: [&[(&[u32], [u64; 2])]; 3] = [
    &[(&[1, 3], [1, 1]), (&[0, 2, 4], [1, 2])],
    &[(&[0, 1], [1, 1]), (&[2, 3, 4], [1, 2])],
    &[(&[1, 4], [1, 1]), (&[0, 2, 3], [1, 2])],
];
const OF_CORE: [Value; 5] = [1, 0, 0, 1, 1];

fn core() -> Vec<Count> {
    let groups = (0..).zip(CORE).flat_map(|(source, groups)| groups.iter().map(move |group| (source, group)));
    let counts = groups.flat_map(|(source, (people, numbers))| {
        (0..).zip(numbers).map(move |(value, number)| Count {
            source,
            of: people.iter().map(|person| (*person, value)).collect(),
            least: *number,
            most: *number,
        })
    });
    counts.collect()
}

#[test]
fn three_releases_that_leave_one_world() {
    let crowds = vec![Crowd { people: 1, may: vec![0, 1] }; 5];
    let puzzle = Puzzle { crowds, counts: core(), ..Puzzle::default() };
    let without = bounds(&puzzle, &Ask { program: 0, ..ONLY });
    assert!(without.iter().flatten().all(|bounds| *bounds == (0.0, 1.0)), "{without:?}");
    let with = bounds(&puzzle, &ONLY);
    for (person, value) in (0..5).zip(OF_CORE) {
        assert_eq!(with[person][value as usize], (1.0, 1.0));
    }
}

/// The five people beside many others, to whom statements tie them.
#[test]
fn one_world_in_the_midst_of_many() {
    let draw = &mut Draw(5);
    let mut world = truth(400, 1, 2, draw);
    for (having, value) in world.iter_mut().zip(OF_CORE) {
        *having = if value == 0 { vec![1, 0] } else { vec![0, 1] };
    }
    let mut puzzle = released(&world[5..].to_vec(), 3, 5, draw);
    puzzle.counts.iter_mut().flat_map(|count| &mut count.of).for_each(|(crowd, _)| *crowd += 5);
    puzzle.crowds = world.iter().map(|_| Crowd { people: 1, may: vec![0, 1] }).collect();
    puzzle.counts.extend(core());
    for person in 0..5 {
        // Either of them has it, or one of two others, or nobody.
        let of = vec![(person, 0), (5 + 2 * person, 0), (6 + 2 * person, 0)];
        puzzle.counts.push(Count { source: 9 + person, of, least: 0, most: 2 });
    }
    let puzzle = with_truth(puzzle, &world);
    let ask = Ask { bounds_only: false, program: 2_000_000, ..ONLY };
    let without = bounds(&puzzle, &Ask { program: 0, ..ask });
    assert!(without[..5].iter().flatten().all(|bounds| *bounds == (0.0, 1.0)));
    let with = bounds(&puzzle, &ask);
    for (person, value) in (0..5).zip(OF_CORE) {
        assert_eq!(with[person][value as usize], (1.0, 1.0));
    }
}

#[test]
fn whatever_the_weights_no_world_is_refuted() {
    for seed in 0..200 {
        let draw = &mut Draw(seed);
        let world = truth(6, 2, 3, draw);
        let puzzle = with_truth(released(&world, 3, 3, draw), &world);
        let system = System::of(&puzzle).expect("a system");
        let found = presolve::presolve(&system, true).expect("worlds");
        for piece in Split::of(&system, &found.boxes).pieces {
            let rows = Rows::of(&piece);
            let seen: Vec<i64> = piece.seen.iter().flatten().map(|people| *people as i64).collect();
            assert!(rows.fit(&seen));
            let mut boxes = Boxes::of(&rows).expect("worlds");
            for (cell, people) in (0..).zip(&seen).filter(|(cell, _)| cell % 2 == 0) {
                boxes.narrow(&rows, (cell, *people, *people)).expect("a world");
            }
            for round in 0..50 {
                let size = [3, 1 << 20, i64::MAX as usize][round % 3];
                let weight = |row: u32| (row, draw.below(size) as i64 - (size / 2) as i64);
                let weights: Vec<(u32, i64)> = (0..rows.len() as u32).map(weight).collect();
                assert!(!rows.refutes(&boxes, &weights), "{puzzle:?}");
            }
        }
    }
}

#[test]
fn weights_that_refute_are_recognised() {
    let crowds = vec![Crowd { people: 1, may: vec![0, 1] }; 3];
    let pair = |one: u32, other: u32, source: u32| Count { source, of: vec![(one, 0), (other, 0)], least: 1, most: 1 };
    let puzzle = Puzzle { crowds, counts: vec![pair(0, 1, 0), pair(1, 2, 1), pair(0, 2, 2)], ..Puzzle::default() };
    // In fractions of people, each has half of it; in whole people there is no world.
    assert!(solve(&puzzle, &Ask { program: 0, ..ONLY }).is_ok());
    assert!(solve(&puzzle, &ONLY).is_err());
}
