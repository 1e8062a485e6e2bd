//! Intersection: values that a person can have according to every release they are in.
//!
//! Attack   a person's value is among those of their group, in each release; only values that all of these groups have are
//!          possible. Independent publishers are no exception (composition).
//! Assumes  that it is known who is in which group, and that a person's value is the same in all releases; who has several
//!          records in a release is left out of it, and where somebody's value changed nothing is concluded. Values are compared as they
//!          are published, one sensitive column at a time; the audit takes columns together, and generalized values apart, and may find more.
//! Measure  one over the number of values left; only what no single release tells is reported.
//! Paper    survey section 6.3, example 6.4; Ganta, Kasiviswanathan and Smith, Composition attacks, KDD 2008.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Tracked, tracked, with_role};
use super::scene::{Scene, Unchecked, cannot};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::matching::matches;
use crate::registry::{Entry, Kind};
use crate::schema::Role;
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "intersection",
    title: "intersection",
    summary: "Keeps, for everybody who is in several releases, the values that their group has in each of them, column by column.",
    paper: "Ganta, Kasiviswanathan and Smith, Composition attacks and auxiliary information in data privacy, KDD 2008; survey section 6.3",
    thwarts: "whose value the groups of several releases leave no choice of",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::several::intersection_example_6_4",
        "attacks::tests::several::intersection_of_two_hospitals",
        "attacks::tests::naive::intersections_person_by_person",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

/// The groups that somebody is in: release and group.
type Places = Vec<(usize, u32)>;

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let mut unchecked = Unchecked::of(scene);
    let all = tracked(scene, &ENTRY, &mut unchecked)?;
    all.iter().for_each(|tracked| tracked.leave_out_several(&mut unchecked));
    let people = people_by_places(&all);
    let columns = Column::shared(&all);
    if columns.is_empty() {
        return Err(cannot(&ENTRY, "no two releases with known people share a sensitive column"));
    }
    let mut findings = Vec::new();
    for column in &columns {
        for (places, people) in &people {
            match column.left(&all, places) {
                Some(Left { values: 0, known, .. }) => {
                    let named: Vec<String> = known.iter().map(|(at, _)| called(all[*at].groups.held)).collect();
                    let column = &column.name;
                    unchecked.push(format!("`{column}` of somebody changed between {}", named.join(" and ")));
                }
                left => findings.extend(left.and_then(|left| left.finding(scene, &all, column, *people))),
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// How many people are in the same groups of the same releases, two or more.
fn people_by_places(all: &[Tracked<'_>]) -> BTreeMap<Places, Weight> {
    let singles = all
        .iter()
        .enumerate()
        .flat_map(|(at, tracked)| tracked.single().map(move |(person, group)| (person, at, group)));
    let mut singles: Vec<_> = singles.collect();
    singles.sort_unstable();
    let mut people = BTreeMap::new();
    for person in singles.chunk_by(|one, next| one.0 == next.0).filter(|places| places.len() > 1) {
        let places: Places = person.iter().map(|(_, at, group)| (*at, *group)).collect();
        *people.entry(places).or_insert(0) += 1;
    }
    people
}

/// By release: the place of a column there, and by group the codes that occur.
type Occurring = BTreeMap<usize, (usize, Vec<Vec<Code>>)>;

/// A sensitive column of several releases.
struct Column {
    name: String,
    of: Occurring,
    /// By two releases: by code of the first, the codes of the second that can be the same value.
    matches: BTreeMap<(usize, usize), Vec<Vec<Code>>>,
}

impl Column {
    fn shared(all: &[Tracked<'_>]) -> Vec<Column> {
        let mut columns: BTreeMap<String, Occurring> = BTreeMap::new();
        for (at, tracked) in all.iter().enumerate() {
            for place in with_role(tracked.release(), Role::Sensitive) {
                let codes = tracked.groups.counts(place).into_iter();
                let codes = codes.map(|counts| counts.into_iter().map(|(code, _)| code).collect()).collect();
                let name = tracked.release().columns[place].name.clone();
                columns.entry(name).or_default().insert(at, (place, codes));
            }
        }
        let shared = columns.into_iter().filter(|(_, of)| of.len() > 1);
        shared.map(|(name, of)| Column { matches: pairs(all, &of), name, of }).collect()
    }

    /// What all groups leave, which is nothing where somebody's value changed; none unless it is less than each leaves by itself.
    fn left(&self, all: &[Tracked<'_>], places: &Places) -> Option<Left> {
        let known: Vec<(usize, u32)> = places.iter().filter(|(at, _)| self.of.contains_key(at)).copied().collect();
        let compared =
            |(one, _): &(usize, u32)| known.iter().all(|(other, _)| all[*one].compares(&all[*other], &self.name));
        if !known.iter().all(compared) {
            return None;
        }
        let sets: Vec<&[Code]> = known.iter().map(|(at, group)| self.of[at].1[*group as usize].as_slice()).collect();
        if sets.len() < 2 {
            return None;
        }
        let stays = |one: usize, code: &Code| {
            (0..known.len()).filter(|other| *other != one).all(|other| {
                let matching = &self.matches[&(known[one].0, known[other].0)][*code as usize];
                matching.iter().any(|code| sets[other].binary_search(code).is_ok())
            })
        };
        let kept = (0..known.len())
            .map(|one| -> Vec<Code> { sets[one].iter().filter(|code| stays(one, code)).copied().collect() });
        let kept: Vec<Vec<Code>> = kept.collect();
        // Where one release says it more roughly, the finer one says how many values there are.
        let (finest, values) = kept.iter().map(Vec::len).enumerate().max_by_key(|(_, values)| *values)?;
        // Whoever has the same value throughout has it in each.
        let values = if kept.iter().any(Vec::is_empty) { 0 } else { values };
        let fewest =
            (0..known.len()).map(|one| sets[one].len().max(self.breadth(known[one], known[finest].0))).min()?;
        let (at, _) = *known.last()?;
        let value = |code: Code| {
            let label = all[at].release().columns[self.of[&at].0].label(code).to_owned();
            Value { code: Some(code), label }
        };
        let only = kept.last()?.first().copied().filter(|_| values == 1).map(value);
        (values < fewest).then_some(Left { known, values: values as Weight, only })
    }
}

fn pairs(all: &[Tracked<'_>], of: &Occurring) -> BTreeMap<(usize, usize), Vec<Vec<Code>>> {
    let column = |at: &usize| &all[*at].release().columns[of[at].0];
    let pairs = of.keys().flat_map(|one| of.keys().filter(move |other| *other != one).map(move |other| (one, other)));
    let occur = |at: &usize| of[at].1.iter().flatten().copied().collect::<BTreeSet<Code>>();
    let occurring: BTreeMap<usize, BTreeSet<Code>> = of.keys().map(|at| (*at, occur(at))).collect();
    let matching = |one: &usize, other: &usize| -> Vec<Vec<Code>> {
        let mut matching = matches(column(one), column(other));
        matching.iter_mut().for_each(|codes| codes.retain(|code| occurring[other].contains(code)));
        matching
    };
    pairs.map(|(one, other)| ((*one, *other), matching(one, other))).collect()
}

impl Column {
    /// How many values of another release a group of one leaves.
    fn breadth(&self, (at, group): (usize, u32), other: usize) -> usize {
        let Some(matching) = self.matches.get(&(at, other)) else { return 0 };
        let codes = self.of[&at].1[group as usize].iter().flat_map(|code| &matching[*code as usize]);
        codes.collect::<BTreeSet<_>>().len()
    }
}

/// How many values the groups of several releases leave.
struct Left {
    known: Places,
    values: Weight,
    only: Option<Value>,
}

impl Left {
    fn finding(self, scene: &Scene<'_>, all: &[Tracked<'_>], column: &Column, people: Weight) -> Option<Finding> {
        let confidence = Confidence::one_of(self.values);
        let (last, group) = *self.known.last().filter(|_| confidence.reaches(scene.confidence))?;
        let class = all[last].groups.cells(group as usize);
        let named: Vec<String> = self.known.iter().map(|(at, _)| called(all[*at].groups.held)).collect();
        let (whose, have) = (people_of(people, &class), have(people));
        let what = match self.values {
            1 => format!("one possible {}", column.name),
            many => format!("{many} possible values of {}", column.name),
        };
        Some(Finding {
            attack: ENTRY.id,
            releases: self.known.iter().map(|(at, _)| all[*at].groups.held.number).collect(),
            people,
            records: None,
            confidence,
            certain: self.values == 1,
            class,
            column: Some(column.name.clone()),
            value: self.only,
            words: format!("{whose} {have} {what} left when their groups in {} are compared", named.join(" and ")),
        })
    }
}
