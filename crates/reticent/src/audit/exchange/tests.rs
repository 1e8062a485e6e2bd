//! Worked examples of what is told by exchange, and of what is not.

use std::sync::Arc;

use super::*;
use crate::combos::Combos;
use crate::history::Disguise;
use crate::links::Links;
use crate::release::{PublishedColumn, Release};
use crate::taxonomy::Taxonomy;

/// A group: its people, and what is listed of them, value by letter.
type Given = (&'static [Pseudonym], &'static str);

/// A column whose texts stand for values, given by place: two texts may stand for the same.
fn column(name: &str, role: Role, values: &[String], texts: &[usize]) -> PublishedColumn {
    let tree = Arc::new(Taxonomy::flat(values.to_vec()));
    let nodes = texts.iter().map(|value| tree.leaf_of(*value as Code)).collect();
    PublishedColumn { name: name.to_owned(), role, tree, nodes }
}

fn held(number: u64, of: Option<u64>, columns: Vec<PublishedColumn>, combos: Combos, links: Option<Links>) -> Held {
    Held {
        number,
        name: String::new(),
        date: String::new(),
        recipients: Vec::new(),
        disguise: Disguise { of, ..Disguise::default() },
        release: Release { columns, combos, suppressed: 0 },
        links,
    }
}

/// The people and the list of a release. `marks` says by group, and `values` by letter, what its text stands for.
fn release(number: u64, groups: &[Given], marks: &[usize], values: &[usize]) -> [Held; 2] {
    let names: Vec<String> = (0..groups.len()).map(|group| format!("group {group}")).collect();
    let letters: Vec<String> = ('a'..='d').map(String::from).collect();
    let mark = || column("group", Role::QuasiIdentifier, &names, marks);
    let sizes = groups.iter().map(|(people, _)| people.len() as u64);
    let people = Combos { codes: vec![(0..groups.len() as Code).collect()], weights: sizes.collect(), owners: None };
    let pairs = (0..).zip(groups).flat_map(|(group, (people, _))| people.iter().map(move |who| (*who, group)));
    let mut rows: Vec<(Code, Code)> = Vec::new();
    for (group, (_, listed)) in (0..).zip(groups) {
        rows.extend(listed.bytes().map(|letter| (group, Code::from(letter - b'a'))));
    }
    rows.sort_unstable();
    let same: Vec<&[(Code, Code)]> = rows.chunk_by(|one, next| one == next).collect();
    let list = Combos {
        codes: vec![same.iter().map(|rows| rows[0].0).collect(), same.iter().map(|rows| rows[0].1).collect()],
        weights: same.iter().map(|rows| rows.len() as u64).collect(),
        owners: None,
    };
    let links = Links::collect(pairs.collect());
    [
        held(number, None, vec![mark()], people, Some(links)),
        held(number, Some(number), vec![mark(), column("ill", Role::Sensitive, &letters, values)], list, None),
    ]
}

/// What plain releases tell: so many people, and the most of anybody.
fn told(releases: &[&[Given]]) -> Option<(u64, Share)> {
    let plain = |(number, groups): (u64, &&[Given])| {
        release(number, groups, &(0..groups.len()).collect::<Vec<_>>(), &[0, 1, 2, 3])
    };
    judged(&(1..).zip(releases).flat_map(plain).collect::<Vec<_>>())
}

fn judged(releases: &[Held]) -> Option<(u64, Share)> {
    let found = exchanged(&releases.iter().collect::<Vec<_>>(), "ill")?;
    Some((found.people, found.most))
}

#[test]
fn values_that_always_stand_together_are_equally_likely() {
    let first: &[Given] = &[(&[1, 2], "ab"), (&[3, 4], "cd")];
    assert_eq!(told(&[first]), Some((4, Share::new(1, 2))));
    // 2 is gone; 5, 6 and 7 came.
    let second: &[Given] = &[(&[1, 5], "ab"), (&[3, 4, 6, 7], "ccdd")];
    assert_eq!(told(&[first, second]), Some((7, Share::new(1, 2))));
    // Two values are nobody's.
    let third: &[Given] = &[(&[2], "abc")];
    assert_eq!(told(&[third]), Some((1, Share::new(1, 3))));
    assert_eq!(told(&[first, second, third]), None);
}

#[test]
fn people_who_are_always_together_are_equally_likely() {
    let first: &[Given] = &[(&[1, 2, 3], "aab")];
    assert_eq!(told(&[first]), Some((3, Share::new(2, 3))));
    assert_eq!(told(&[first, first]), Some((3, Share::new(2, 3))));
    // Of two others with the same values more is told: who was with whom.
    let second: &[Given] = &[(&[1, 2, 4], "aab")];
    assert_eq!(told(&[first, second]), None);
    // A value of nobody.
    assert_eq!(told(&[&[(&[1, 2], "aab")]]), None);
}

#[test]
fn nothing_is_said_of_groups_that_are_not_told_apart() {
    let groups: &[Given] = &[(&[1, 2], "ab"), (&[3, 4], "cd")];
    assert_eq!(judged(&release(1, groups, &[0, 1], &[0, 1, 2, 3])), Some((4, Share::new(1, 2))));
    assert_eq!(judged(&release(1, groups, &[0, 0], &[0, 1, 2, 3])), None);
    // The list has no such group.
    let [people, _] = release(1, groups, &[0, 1], &[0, 1, 2, 3]);
    let [_, list] = release(1, &groups[..1], &[0], &[0, 1, 2, 3]);
    assert_eq!(judged(&[people, list]), None);
}

#[test]
fn texts_that_say_the_same_are_one_value() {
    // a and b are the same, so that everybody is known.
    assert_eq!(judged(&release(1, &[(&[1, 2], "ab")], &[0], &[0, 0, 2, 3])), Some((2, Share::new(1, 1))));
    assert_eq!(judged(&release(1, &[(&[1, 2, 3], "abc")], &[0], &[0, 0, 2, 3])), Some((3, Share::new(2, 3))));
}
