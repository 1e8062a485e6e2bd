//! Puzzles at the edge of what is counted, and puzzles that nothing fits.

use super::*;

fn crowd(people: u64, may: &[Value]) -> Crowd {
    Crowd { people, may: may.to_vec() }
}

/// So many of these crowds have a value, in a source of its own.
fn count(
    source: u32,
    crowds: impl IntoIterator<Item = u32>,
    value: Value,
    people: std::ops::RangeInclusive<u64>,
) -> Count {
    let of = crowds.into_iter().map(|crowd| (crowd, value)).collect();
    Count { source, of, least: *people.start(), most: *people.end() }
}

fn answer(crowds: Vec<Crowd>, counts: Vec<Count>, ask: &Ask) -> Result<Answer> {
    solve(&Puzzle { crowds, counts, ..Puzzle::default() }, ask)
}

fn contradicts(crowds: Vec<Crowd>, counts: Vec<Count>) -> bool {
    matches!(answer(crowds, counts, &Ask::default()), Err(Error::Contradiction))
}

/// Two people who may have any of many values: as many steps as values, and none deeper on the stack than people.
#[test]
fn many_values_are_counted() {
    let may: Vec<Value> = (0..20_000).collect();
    let told = answer(vec![crowd(1, &may); 2], Vec::new(), &Ask::default()).expect("solved");
    assert_eq!(told.worlds, Some(400_000_000));
    assert!(told.crowds.iter().flatten().all(|told| told.exact() == Some(Fraction::new(1, 20_000))));
    // Among as many people as values, somebody may have each: too deep to count, and still what each is likely to have is known.
    let told = answer(vec![crowd(20_000, &may); 2], Vec::new(), &Ask::default()).expect("solved");
    assert_eq!(told.worlds, None);
    assert!(told.crowds.iter().flatten().all(|told| told.exact() == Some(Fraction::new(1, 20_000))));
}

/// Values that can be exchanged for each other are as likely as each other only if there is a world.
#[test]
fn values_that_can_be_exchanged_may_contradict_each_other() {
    let people = |many: usize| vec![crowd(1, &[D, F]); many];
    // One of the fifty-one has neither.
    let halves = |many: u32| vec![count(0, 0..many, D, 25..=25), count(0, 0..many, F, 25..=25)];
    assert!(contradicts(people(51), halves(51)));
    assert!(!contradicts(people(50), halves(50)));
    // Around a ring neighbours have different values, so that as many must be in it twice over.
    let ring = |many: u32| -> Vec<Count> {
        let source = |at: u32| if at + 1 == many { 2 } else { at % 2 };
        let pair = |at: u32| [at, (at + 1) % many];
        (0..many).flat_map(|at| [D, F].map(|value| count(source(at), pair(at), value, 1..=1))).collect()
    };
    assert!(contradicts(people(51), ring(51)));
    let even = answer(people(52), ring(52), &Ask::default()).expect("solved");
    assert!(even.crowds.iter().flatten().all(|told| told.exact() == Some(Fraction::new(1, 2))));
}

/// The five people of whom everything is certain, counted together with so many others that numbers of worlds do not fit.
#[test]
fn what_is_certain_stays_so_among_many() {
    let one: &Groups = &[(&[2, 4], &[D, F]), (&[1, 3, 5], &[D, F, F])];
    let two: &Groups = &[(&[1, 2], &[D, F]), (&[3, 4, 5], &[D, F, F])];
    let three: &Groups = &[(&[2, 5], &[D, F]), (&[1, 3, 4], &[D, F, F])];
    let (people, mut puzzle) = puzzle(&[one, two, three]);
    puzzle.crowds.push(crowd(40, &[D, F]));
    puzzle.counts.push(count(3, 0..6, D, 0..=44));
    let answer = solve(&puzzle, &Ask { program: 0, ..Ask::default() }).expect("solved");
    assert!(answer.worlds.is_none() && answer.ln_worlds.is_some(), "{:?}", answer.worlds);
    for (person, value) in [(1, F), (2, D), (3, D), (4, F), (5, F)] {
        assert_eq!(told(&answer, &people, person), [(value, "1".to_owned())]);
    }
}

/// More people in all than 32 bits number, though no crowd has.
#[test]
fn counts_beyond_32_bits_do_not_contradict() {
    let many = 4_400u32;
    let crowds = vec![crowd(1_000_000, &[D, F]); many as usize];
    let mut counts = vec![count(0, 0..many, D, 4_399_999_999..=4_399_999_999), count(0, 0..many, F, 1..=1)];
    // So that nobody is merged with anybody.
    counts.extend((0..many).map(|at| count(1, [at], F, 0..=1)));
    let ask = Ask { program: 0, entropy: false, ..Ask::default() };
    assert!(answer(crowds, counts, &ask).is_ok());
}

/// Crowds of billions take no longer, and no more memory, than small ones.
#[test]
fn large_crowds_are_told_without_counting() {
    let ask = Ask { entropy: false, samples: 10, ..Ask::default() };
    let all = answer(vec![crowd(4_000_000_000, &[D])], Vec::new(), &ask).expect("solved");
    assert_eq!((all.worlds, all.ln_worlds), (Some(1), Some(0.0)));
    let few = answer(vec![crowd(2_000_000_000, &[D, F])], vec![count(0, [0], D, 1..=2)], &ask).expect("solved");
    assert_eq!(few.worlds, None);
    assert_eq!(few.crowds[0][0].lower, Fraction::new(1, 2_000_000_000));
    // Half of them, whichever: the logarithm of 2n over n is 2n ln 2 - ln(pi n) / 2, but for 1 / 8n.
    let n = 1_000_000_000u64;
    let counts = vec![count(0, [0], D, n..=n), count(0, [0], F, n..=n)];
    let half = answer(vec![crowd(2 * n, &[D, F])], counts, &ask).expect("solved");
    let expected = 2.0 * n as f64 * 2f64.ln() - (std::f64::consts::PI * n as f64).ln() / 2.0;
    let ln = half.ln_worlds.expect("a number");
    assert!(half.worlds.is_none() && (ln - expected).abs() < 1e-6 * expected, "{ln} and {expected}");
}

/// Two counts that narrow each other by one person at a time, in a billion steps: one does not fit the other.
#[test]
fn large_crowds_that_contradict_each_other() {
    let n = 1_000_000_000;
    for source in [0, 1] {
        let counts = vec![count(0, 0..2, F, n..=n), count(source, 0..2, D, n + 1..=n + 1)];
        assert!(contradicts(vec![crowd(n, &[D, F]); 2], counts));
    }
}

/// Of whom more is known than the puzzle says, nothing can be counted.
#[test]
fn who_is_loose_is_not_counted() {
    let puzzle =
        |counts: Vec<Count>| Puzzle { crowds: vec![crowd(2, &[D, F])], counts, loose: vec![0], ..Puzzle::default() };
    let one_each = vec![count(0, [0], D, 1..=1), count(0, [0], F, 1..=1)];
    let answer = solve(&puzzle(one_each), &Ask::default()).expect("solved");
    assert_eq!((answer.worlds, answer.ln_worlds), (None, None));
    assert_eq!(solve(&puzzle(Vec::new()), &Ask::default()).expect("solved").work.entropy, None);
}

/// Values are looked up by their order, so that another order is refused rather than misread.
#[test]
fn values_in_another_order_are_refused() {
    let refused = |may: &[Value]| {
        let told = answer(vec![crowd(1, may)], Vec::new(), &Ask::default());
        matches!(told, Err(Error::ValuesNotAscending))
    };
    assert!(refused(&[F, D]) && refused(&[D, D]) && !refused(&[D, F]));
}
