//! Weighted counts: people with several records, compared with an enumeration of all assignments.

use crate::{Fraction, PersonClass, Problem, SolveOptions, Value, WeightedCount, solve};

/// A small linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// People with records in groups, and the value of each person. `records[person][group]` is a number of records.
struct People {
    records: Vec<Vec<u64>>,
    value: Vec<Value>,
}

impl People {
    fn random(random: &mut Random) -> People {
        let groups = 1 + random.below(3) as usize;
        let values = 2 + random.below(2);
        let people = 2 + random.below(4) as usize;
        let mut record_counts = || (0..groups).map(|_| random.below(3)).collect::<Vec<u64>>();
        let records: Vec<Vec<u64>> = (0..people).map(|_| record_counts()).collect();
        let value = (0..people).map(|_| random.below(values) as Value).collect();
        People { records, value }
    }

    /// Number of records of a group with a value, if the people have the values `value`.
    fn counted(&self, group: usize, of: Value, value: &[Value]) -> u64 {
        let with = self.records.iter().zip(value).filter(|(_, value)| **value == of);
        with.map(|(records, _)| records[group]).sum()
    }

    fn problem(&self) -> Problem {
        let class = |_: &Vec<u64>| PersonClass { people: 1, possible: vec![0, 1, 2] };
        let mut weighted = Vec::new();
        for group in 0..self.records[0].len() {
            for value in 0..3 {
                let counted = self.counted(group, value, &self.value);
                let cell = |(person, records): (u32, &Vec<u64>)| (person, value, records[group]);
                let cells = (0..).zip(&self.records).map(cell).collect();
                weighted.push(WeightedCount { cells, lower: counted, upper: counted });
            }
        }
        Problem { classes: self.records.iter().map(class).collect(), weighted, ..Problem::default() }
    }

    /// All assignments of values that give the published counts.
    fn worlds(&self) -> Vec<Vec<Value>> {
        let people = self.records.len();
        let world = |code: usize| (0..people).map(|at| (code / 3usize.pow(at as u32) % 3) as Value).collect();
        let fits = |world: &Vec<Value>| {
            let groups = 0..self.records[0].len();
            let mut counts = groups.flat_map(|group| (0..3).map(move |value| (group, value)));
            counts.all(|(group, value)| self.counted(group, value, world) == self.counted(group, value, &self.value))
        };
        (0..3usize.pow(people as u32)).map(world).filter(fits).collect()
    }
}

#[test]
fn posteriors_of_people_with_several_records_match_an_enumeration() {
    let mut random = Random(7);
    let mut several_worlds = 0;
    for round in 0..400 {
        let people = People::random(&mut random);
        let worlds = people.worlds();
        several_worlds += u32::from(worlds.len() > 1);
        let solution = solve(&people.problem(), &SolveOptions::default()).expect("the published counts have a world");
        assert_eq!(solution.worlds, Some(worlds.len() as u128), "round {round}");
        let bounds = SolveOptions { steps: 0, ..SolveOptions::default() };
        let bounded = solve(&people.problem(), &bounds).expect("the published counts have a world");
        for person in 0..people.value.len() {
            for value in 0..3 {
                let with = worlds.iter().filter(|world| world[person] == value).count() as u128;
                let expected = Fraction::new(with, worlds.len() as u128);
                let find = |posteriors: &[crate::Posterior]| posteriors.iter().find(|one| one.value == value).copied();
                let counted = find(&solution.classes[person]);
                assert_eq!(
                    counted.map_or(Some(Fraction::new(0, 1)), |one| one.exact()),
                    Some(expected),
                    "round {round}"
                );
                let (lower, upper) = find(&bounded.classes[person])
                    .map_or((Fraction::new(0, 1), Fraction::new(0, 1)), |one| (one.lower, one.upper));
                assert!(lower <= expected && expected <= upper, "round {round}: {expected} not in {lower} to {upper}");
            }
        }
    }
    assert!(several_worlds > 100, "most problems had a single world: {several_worlds}");
}

#[test]
fn a_weighted_count_that_nobody_can_meet_is_a_contradiction() {
    let classes = vec![PersonClass { people: 2, possible: vec![0, 1] }];
    let count = |lower| WeightedCount { cells: vec![(0, 1, 2)], lower, upper: lower };
    let problem = |lower| Problem { classes: classes.clone(), weighted: vec![count(lower)], ..Problem::default() };
    assert_eq!(solve(&problem(2), &SolveOptions::default()).expect("one of two people").worlds, Some(2));
    // A person with two records adds an even number.
    assert!(solve(&problem(3), &SolveOptions::default()).is_err());
}
