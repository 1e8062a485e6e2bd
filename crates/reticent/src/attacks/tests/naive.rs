//! Attacks on several releases, compared with naive implementations on many small random histories.

use std::collections::{BTreeMap, BTreeSet};

use super::small::{Small, brief, certain, linked, quasi, sensitive};
use crate::attacks::Finding;

/// Deterministic pseudorandom numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// By person: group and value. The value of a person is the same in all releases.
type People = BTreeMap<u128, (u64, u64)>;

/// Two random releases. If `growing`, the second contains all people of the first.
fn two(random: &mut Random, growing: bool) -> [People; 2] {
    let values: Vec<u64> = (0..7).map(|_| random.below(3)).collect();
    let mut draw = |least: u64, kept: &dyn Fn(u128) -> bool| -> People {
        let mut people = People::new();
        for (person, value) in (0u128..).zip(&values) {
            if random.below(10) >= least || kept(person) {
                people.insert(person, (random.below(3), *value));
            }
        }
        people
    };
    let first = draw(4, &|_| false);
    let second = draw(4, &|person| growing && first.contains_key(&person));
    [first, second]
}

fn small(number: u64, people: &People) -> Small {
    let rows: Vec<(u128, String)> =
        people.iter().map(|(person, (group, value))| (*person, format!("z{group}*, ill{value}"))).collect();
    let rows: Vec<(u128, &str)> = rows.iter().map(|(person, row)| (*person, row.as_str())).collect();
    linked(number, &[quasi("zip"), sensitive("ill")], &rows)
}

/// A release with the group in one of two columns and the other suppressed: all groups of two such releases are compatible.
fn small_with_suppressed_column(number: u64, people: &People) -> Small {
    let row = |group: &u64| if number == 1 { format!("z{group}, *") } else { format!("*, z{group}") };
    let rows: Vec<(u128, String)> =
        people.iter().map(|(person, (group, value))| (*person, format!("{}, ill{value}", row(group)))).collect();
    let rows: Vec<(u128, &str)> = rows.iter().map(|(person, row)| (*person, row.as_str())).collect();
    linked(number, &[quasi("home"), quasi("work"), sensitive("ill")], &rows)
}

/// The values of a group.
fn values(people: &People, group: u64) -> BTreeSet<u64> {
    people.values().filter(|(known, _)| *known == group).map(|(_, value)| *value).collect()
}

fn people(findings: &[Finding]) -> u64 {
    findings.iter().map(|finding| finding.people).sum()
}

fn is_label_of(label: &str, value: u64) -> bool {
    label == format!("ill{value}")
}

#[test]
fn intersections_person_by_person() {
    let mut random = Random(11);
    let mut all = 0;
    for _ in 0..2000 {
        let [first, second] = two(&mut random, false);
        if first.is_empty() || second.is_empty() {
            continue;
        }
        let pinned = first.iter().filter(|(person, (group, _))| {
            let Some((other, _)) = second.get(person) else { return false };
            let (one, other) = (values(&first, *group), values(&second, *other));
            one.len() > 1 && other.len() > 1 && one.intersection(&other).count() == 1
        });
        let expected = pinned.count() as u64;
        all += expected;
        assert_eq!(people(&certain("intersection", &[&small(1, &first), &small(2, &second)])), expected);
    }
    assert!(all > 300, "{all}");
}

#[test]
fn absences_person_by_person() {
    let mut random = Random(12);
    let mut all = 0;
    for _ in 0..2000 {
        let both = two(&mut random, false);
        if both.iter().any(BTreeMap::is_empty) {
            continue;
        }
        let mut expected = 0;
        for (one, other) in [(&both[0], &both[1]), (&both[1], &both[0])] {
            let there: BTreeSet<u64> = other.values().map(|(_, value)| *value).collect();
            let pinned = one.iter().filter(|(person, (group, _))| {
                let values = values(one, *group);
                other.contains_key(person) && values.len() > 1 && values.intersection(&there).count() == 1
            });
            expected += pinned.count() as u64;
        }
        all += expected;
        assert_eq!(people(&certain("critical-absence", &[&small(1, &both[0]), &small(2, &both[1])])), expected);
    }
    assert!(all > 100, "{all}");
}

/// Number of remaining people and their common value, over all choices of groups where one set covers the other.
fn remainders(cover: &People, covered: &People) -> BTreeSet<(u64, u64)> {
    let chosen = |people: &People, groups: u64| -> BTreeSet<u128> {
        people.iter().filter(|(_, (group, _))| groups >> group & 1 == 1).map(|(person, _)| *person).collect()
    };
    let mut remainders = BTreeSet::new();
    for (groups, others) in (1u64..8).flat_map(|groups| (1u64..8).map(move |others| (groups, others))) {
        let (whole, part) = (chosen(cover, groups), chosen(covered, others));
        if !part.is_subset(&whole) {
            continue;
        }
        let remaining_values: BTreeSet<u64> = whole.difference(&part).map(|person| cover[person].1).collect();
        if remaining_values.len() == 1 {
            remainders.extend(remaining_values.iter().map(|value| (whole.difference(&part).count() as u64, *value)));
        }
    }
    remainders
}

/// Every finding corresponds to a choice of groups, and every newcomer that a single group isolates is found.
#[test]
fn differences_of_every_choice_of_groups() {
    let mut random = Random(13);
    let mut all = 0;
    for _ in 0..1500 {
        let both = two(&mut random, false);
        if both.iter().any(BTreeMap::is_empty) {
            continue;
        }
        let possible: BTreeSet<(u64, u64)> =
            remainders(&both[0], &both[1]).union(&remainders(&both[1], &both[0])).copied().collect();
        let findings = certain("difference", &[&small(1, &both[0]), &small(2, &both[1])]);
        all += findings.len();
        for finding in &findings {
            let (_, people, label) = brief(finding);
            let explained = possible.iter().any(|(size, value)| *size == people && is_label_of(&label, *value));
            assert!(explained, "{finding:?} {both:?}");
        }
        let newcomer = |group: u64| {
            let members = both[1].iter().filter(|(_, (known, _))| *known == group);
            let (old, new): (Vec<_>, Vec<_>) = members.partition(|(person, _)| both[0].contains_key(*person));
            let whole = old.first().and_then(|(person, _)| both[0].get(*person)).map(|(group, _)| *group);
            let covers = both[0].iter().filter(|(_, (known, _))| Some(*known) == whole).count() == old.len()
                && old.iter().all(|(person, _)| both[0].get(*person).map(|(known, _)| *known) == whole);
            new.len() == 1 && !old.is_empty() && covers && values(&both[1], group).len() > 1
        };
        let expected = (0..3).filter(|group| newcomer(*group)).count();
        assert!(findings.len() >= expected, "{findings:?} {both:?}");
    }
    assert!(all > 150, "{all}");
}

/// Certain findings of the correspondence attacks are true.
#[test]
fn certain_correspondences_are_true() {
    let mut random = Random(14);
    let mut all = [0, 0, 0];
    for _ in 0..1500 {
        let [first, second] = two(&mut random, true);
        if first.is_empty() {
            continue;
        }
        let releases = [small_with_suppressed_column(1, &first), small_with_suppressed_column(2, &second)];
        let ids = ["forward-correspondence", "cross-correspondence", "backward-correspondence"];
        for (at, id) in ids.iter().enumerate() {
            for finding in certain(id, &[&releases[0], &releases[1]]).iter().filter(|finding| finding.certain) {
                all[at] += 1;
                let (class, people, label) = brief(finding);
                let mut values_by_groups: BTreeMap<(Option<u64>, u64), Vec<u64>> = BTreeMap::new();
                for (person, (group, value)) in &second {
                    values_by_groups
                        .entry((first.get(person).map(|(group, _)| *group), *group))
                        .or_default()
                        .push(*value);
                }
                let fits = |((before, now), values): (&(Option<u64>, u64), &Vec<u64>)| {
                    let known_group = if at == 0 { *before } else { Some(*now) };
                    let right = (at == 2) == before.is_none()
                        && known_group.is_some_and(|group| class.contains(&format!("z{group}")));
                    right && values.len() as u64 == people && values.iter().all(|value| is_label_of(&label, *value))
                };
                assert!(values_by_groups.iter().any(fits), "{finding:?} {first:?} {second:?}");
            }
        }
    }
    assert!(all.iter().all(|findings| *findings > 20), "{all:?}");
}
