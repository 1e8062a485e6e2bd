//! Worked examples.
#![allow(clippy::expect_used)]

mod limits;

use super::*;

/// A puzzle of releases, each a list of groups: people by number, and the values of the group.
fn puzzle(releases: &[&[(&[usize], &[Value])]]) -> (Vec<usize>, Puzzle) {
    let mut people: Vec<usize> =
        releases.iter().flat_map(|groups| groups.iter().flat_map(|(members, _)| members.iter().copied())).collect();
    people.sort_unstable();
    people.dedup();
    let place = |person: usize| people.binary_search(&person).expect("somebody") as u32;
    let mut may: Vec<Option<Vec<Value>>> = vec![None; people.len()];
    let mut counts = Vec::new();
    for (source, groups) in (0..).zip(releases) {
        for (members, values) in *groups {
            let mut distinct = values.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            for person in *members {
                let may = &mut may[place(*person) as usize];
                match may {
                    Some(may) => may.retain(|value| distinct.contains(value)),
                    None => *may = Some(distinct.clone()),
                }
            }
            for value in distinct {
                let number = values.iter().filter(|other| **other == value).count() as u64;
                let of = members.iter().map(|person| (place(*person), value)).collect();
                counts.push(Count { source, of, least: number, most: number });
            }
        }
    }
    let crowds = may.into_iter().map(|may| Crowd { people: 1, may: may.unwrap_or_default() }).collect();
    (people, Puzzle { crowds, counts, ..Puzzle::default() })
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

fn told(answer: &Answer, people: &[usize], person: usize) -> Vec<(Value, String)> {
    let at = people.binary_search(&person).expect("somebody");
    answer.crowds[at].iter().map(|told| (told.value, told.exact().expect("counted").to_string())).collect()
}

#[test]
fn figure_1_of_the_paper() {
    let solve = |releases: &[&Groups]| {
        let (people, puzzle) = puzzle(releases);
        (people, super::solve(&puzzle, &Ask::default()).expect("solved"))
    };
    let (_, first) = solve(&[FIRST]);
    assert_eq!(first.worlds, Some(2592));
    let (_, second) = solve(&[SECOND]);
    assert_eq!(second.worlds, Some(1296));
    let (people, both) = solve(&[FIRST, SECOND]);
    assert_eq!(both.worlds, Some(16));
    let bits = |answer: &Answer| answer.work.entropy.expect("converged") / std::f64::consts::LN_2;
    assert!((bits(&first) - 20.264662506).abs() < 1e-8);
    assert!((bits(&second) - 19.019550009).abs() < 1e-8);
    assert!((bits(&both) - 14.0).abs() < 1e-8);
    let share = |value: Value, share: &str| (value, share.to_owned());
    for person in 1..=4 {
        assert_eq!(told(&both, &people, person), [share(D, "1/4"), share(F, "1/2"), share(P, "1/4")]);
    }
    for (persons, values) in [([5, 6], [F, P]), ([8, 9], [F, H]), ([11, 12], [P, H]), ([14, 15], [D, P])] {
        for person in persons {
            assert_eq!(told(&both, &people, person), values.map(|value| share(value, "1/2")));
        }
    }
    assert_eq!(told(&both, &people, 7), [share(D, "1")]);
    assert_eq!(told(&both, &people, 10), [share(L, "1")]);
    assert_eq!(told(&both, &people, 13), [share(D, "1")]);
}

#[test]
fn maximum_entropy_can_be_below_the_truth() {
    let one: &Groups = &[(&[1, 2], &[D, F]), (&[3, 4, 5], &[D, D, F])];
    let two: &Groups = &[(&[1, 5], &[D, F]), (&[2, 3, 4], &[D, D, F])];
    let (people, puzzle) = puzzle(&[one, two]);
    let answer = solve(&puzzle, &Ask::default()).expect("solved");
    assert_eq!(answer.worlds, Some(3));
    assert_eq!(told(&answer, &people, 1)[1], (F, "2/3".to_owned()));
    assert!((answer.crowds[0][1].entropy.expect("an estimate") - 0.575048544).abs() < 1e-8);
}

#[test]
fn maximum_entropy_can_miss_a_certainty() {
    let one: &Groups = &[(&[2, 4], &[D, F]), (&[1, 3, 5], &[D, F, F])];
    let two: &Groups = &[(&[1, 2], &[D, F]), (&[3, 4, 5], &[D, F, F])];
    let three: &Groups = &[(&[2, 5], &[D, F]), (&[1, 3, 4], &[D, F, F])];
    let (people, puzzle) = puzzle(&[one, two, three]);
    let answer = solve(&puzzle, &Ask::default()).expect("solved");
    assert_eq!(answer.worlds, Some(1));
    for (person, value) in [(1, F), (2, D), (3, D), (4, F), (5, F)] {
        assert_eq!(told(&answer, &people, person), [(value, "1".to_owned())]);
    }
    let at = |person: usize| answer.crowds[person - 1][0].entropy.expect("an estimate");
    assert!((at(2) - 0.629027936).abs() < 1e-8);
    assert!((at(3) - 0.258055872).abs() < 1e-8);
}

/// With the truth of figure 1 to start from.
fn truth(puzzle: &mut Puzzle) {
    let values = [F, P, D, F, F, P, D, H, F, L, P, H, D, D, P];
    puzzle.seen = Some((0..).zip(values).map(|(person, value)| (person, value, 1)).collect());
}

#[test]
fn samples_agree_with_counted_worlds() {
    let (_, mut puzzle) = puzzle(&[FIRST, SECOND]);
    truth(&mut puzzle);
    let counted = solve(&puzzle, &Ask::default()).expect("solved");
    let sampled = solve(&puzzle, &Ask { steps: 0, samples: 400, seed: 7, ..Ask::default() }).expect("solved");
    let mut compared = 0;
    for (told, other) in sampled.crowds.iter().flatten().zip(counted.crowds.iter().flatten()) {
        assert_eq!(told.value, other.value);
        if let Some(sample) = told.sampled {
            let apart = (sample.share - other.worlds.expect("counted")).abs();
            assert!(apart <= 5.0 * sample.error + 0.01, "{sample:?} for {other:?}");
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared}");
}

/// Decomposition's tables 2 to 4: occupations and salaries by group, noise among the salaries, and the marginal table of both. The
/// marginal table leaves one allocation, in which salary 8 occurs twice in group 1.
#[test]
fn the_marginal_table_of_decomposition_undoes_its_noise() {
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
    let may = |group: usize| -> Vec<Value> {
        let fits = |(at, (occupation, salary)): (usize, &(&str, i32))| {
            (occupations[group].contains(occupation) && salaries[group].contains(salary)).then_some(at as Value)
        };
        pairs.iter().enumerate().filter_map(fits).collect()
    };
    let crowds = vec![Crowd { people: 4, may: may(0) }, Crowd { people: 4, may: may(1) }];
    let mut counts = Vec::new();
    for (group, occupations) in (0..).zip(&occupations) {
        for occupation in occupations {
            let of = (0..8).filter(|pair| pairs[*pair as usize].0 == *occupation).map(|pair| (group, pair)).collect();
            counts.push(Count { source: 0, of, least: 1, most: 1 });
        }
    }
    for pair in 0..8 {
        counts.push(Count { source: 1, of: vec![(0, pair), (1, pair)], least: 1, most: 1 });
    }
    let answer = solve(&Puzzle { crowds, counts, ..Puzzle::default() }, &Ask::default()).expect("solved");
    let eight: Fraction = answer.crowds[0]
        .iter()
        .filter(|told| pairs[told.value as usize].1 == 8)
        .filter_map(|told| told.exact())
        .fold(Fraction::new(0, 1), Fraction::plus);
    assert_eq!(eight, Fraction::new(1, 2));
    // Within each group nobody tells who has which of its four pairs.
    assert_eq!(answer.worlds, Some(24 * 24));
}

/// Random numbers below what is asked for, the same every time.
fn draws(mut state: u64) -> impl FnMut(usize) -> usize {
    move |end| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    }
}

/// Groups of crowds with hidden values, in some releases, not everybody in all of them; and some counts that are no more than bounds,
/// speak of two values, or name somebody twice.
fn made(next: &mut impl FnMut(usize) -> usize) -> Puzzle {
    let (crowds, values, sources) = (4 + next(9), 2 + next(3), 2 + next(2));
    let most = 1 + next(3);
    let value = (0..crowds).map(|_| (0..1 + next(most)).map(|_| next(values) as Value).collect());
    let value: Vec<Vec<Value>> = value.collect();
    let mut counts = Vec::new();
    for source in 0..sources {
        let mut groups = vec![Vec::new(); 1 + next(4)];
        for crowd in 0..crowds {
            let group = next(groups.len() + 1);
            if let Some(group) = groups.get_mut(group) {
                group.push(crowd);
            }
        }
        for group in groups {
            let both = next(6) == 0;
            for first in (0..values as Value).step_by(1 + usize::from(both)) {
                let counted = |other: &Value| *other == first || both && *other == first + 1;
                let people = group.iter().flat_map(|crowd: &usize| &value[*crowd]);
                let number = people.filter(|value| counted(value)).count() as u64;
                let of = group.iter().flat_map(|crowd| {
                    (0..values as Value).filter(counted).map(move |value| (*crowd as u32, value)).collect::<Vec<_>>()
                });
                let mut of: Vec<(u32, Value)> = of.collect();
                // Named twice is counted once.
                of.extend(of.first().copied().filter(|_| next(10) == 0));
                let (least, most) = (number.saturating_sub(u64::from(next(5) == 0)), number + u64::from(next(5) == 0));
                counts.push(Count { source: source as u32, of, least, most });
            }
        }
    }
    let seen = (0..).zip(&value).flat_map(|(crowd, people)| people.iter().map(move |value| (crowd, *value, 1)));
    let seen = Some(seen.collect());
    let of_crowd = |people: &Vec<Value>| Crowd { people: people.len() as u64, may: (0..values as Value).collect() };
    Puzzle { crowds: value.iter().map(of_crowd).collect(), counts, seen, loose: Vec::new() }
}

/// The easy way and flows; with a world that is known and without; and with so many sources that their rows are not noted by cell.
#[test]
fn what_is_forced_does_not_depend_on_how_it_is_found() {
    let mut next = draws(1);
    let mut forced = 0;
    for _ in 0..6_000 {
        let puzzle = made(&mut next);
        let find = |puzzle: &Puzzle, many: u32| {
            let system = System::of(puzzle).expect("a system");
            let found = presolve::presolve_with(&system, true, many).expect("no contradiction");
            assert_eq!(presolve::missed(&system, &found), 0, "of {puzzle:?}");
            (0..system.value.len()).map(|cell| found.boxes.at(cell)).collect::<Vec<_>>()
        };
        let (easy, flows) = (find(&puzzle, 0), find(&puzzle, u32::MAX));
        assert_eq!(easy, flows);
        let hidden = System::of(&puzzle).expect("a system").seen.expect("a world");
        assert!(easy.iter().zip(hidden).all(|((low, high), having)| (*low..=*high).contains(&having)));
        assert_eq!(easy, find(&Puzzle { seen: None, ..puzzle.clone() }, u32::MAX));
        let mut more = puzzle;
        more.counts.extend((10..14).map(|source| Count { source, of: Vec::new(), least: 0, most: 0 }));
        assert_eq!(easy, find(&more, u32::MAX));
        forced += easy.iter().filter(|(low, high)| low == high).count();
    }
    assert!(forced > 3_000, "{forced}");
}

#[test]
fn more_people_than_can_be_told_are_an_error() {
    let of = |people: u64| {
        let crowds = vec![Crowd { people, may: vec![D, F] }];
        let counts = vec![Count { source: 0, of: vec![(0, D)], least: 1, most: 1 }];
        solve(&Puzzle { crowds, counts, ..Puzzle::default() }, &Ask { steps: 0, program: 0, ..Ask::default() })
    };
    assert_eq!(of(1_000).expect("solved").crowds[0][0].lower, Fraction::new(1, 1_000));
    let error = of(u64::from(u32::MAX) + 1).expect_err("too many").to_string();
    assert!(error.contains("4294967295"), "{error}");
}

/// Large pieces are cut into parts whose sums are put together; small ones that are cut the same way have the same estimate.
#[test]
fn maximum_entropy_does_not_depend_on_parts() {
    let mut next = draws(2);
    let (mut compared, mut none) = (0, 0);
    for _ in 0..150 {
        let system = System::of(&made(&mut next)).expect("a system");
        let found = presolve::presolve(&system, true).expect("no contradiction");
        for piece in &Split::of(&system, &found.boxes).pieces {
            let whole = entropy::estimate_with(piece, usize::MAX);
            for cells_a_part in [3, 7] {
                let other = entropy::estimate_with(piece, cells_a_part);
                // What only counts of several values force together is not found before, so that a few have none.
                let (Some(whole), Some(other)) = (&whole, &other) else {
                    assert!(whole.is_none() && other.is_none());
                    none += 1;
                    continue;
                };
                for (crowd, merged) in piece.crowds.iter().enumerate() {
                    for cell in 0..merged.cells().len() {
                        let (one, other) = (whole.share(crowd, cell), other.share(crowd, cell));
                        assert!((one - other).abs() < 1e-6, "{one} and {other}");
                        compared += 1;
                    }
                }
                assert!(other.gap.missed <= 1e-8, "{}", other.gap.missed);
            }
        }
    }
    assert!(compared > 2_000 && none < 10, "{compared}, {none}");
}

/// Two people who may have either value, and a count that allows anything: whoever it names twice is still free.
#[test]
fn named_twice_is_counted_once() {
    let crowds = vec![Crowd { people: 1, may: vec![D, F] }; 2];
    let counts = vec![Count { source: 0, of: vec![(0, D), (0, D)], least: 0, most: 2 }];
    let seen = Some(vec![(0, D, 1), (1, D, 1)]);
    let answer = solve(&Puzzle { crowds, counts, seen, ..Puzzle::default() }, &Ask::default()).expect("solved");
    assert_eq!(answer.worlds, Some(4));
    assert!(answer.crowds.iter().flatten().all(|told| told.exact() == Some(Fraction::new(1, 2))));
}
