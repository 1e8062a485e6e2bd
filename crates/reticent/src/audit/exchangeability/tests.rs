//! Worked examples of histories with and without exchangeability.

use std::sync::Arc;

use super::*;
use crate::data::contingency::ContingencyTable;
use crate::data::links::Links;
use crate::data::taxonomy::Taxonomy;
use crate::release::history::Presentation;
use crate::release::{PublishedColumn, Release};

/// A group: its people, and its list of values, one letter each.
type Given = (&'static [Pseudonym], &'static str);

/// Builds a column whose codes refer to values by index. Two codes may refer to the same value.
fn column(name: &str, role: Role, values: &[String], texts: &[usize]) -> PublishedColumn {
    let tree = Arc::new(Taxonomy::flat(values.to_vec()));
    let nodes = texts.iter().map(|value| tree.leaf_of(*value as Code)).collect();
    PublishedColumn { name: name.to_owned(), role, tree, nodes }
}

fn recorded(
    number: u64,
    of: Option<u64>,
    columns: Vec<PublishedColumn>,
    contingency: ContingencyTable,
    links: Option<Links>,
) -> RecordedRelease {
    RecordedRelease {
        number,
        name: String::new(),
        date: String::new(),
        recipients: Vec::new(),
        population: false,
        presentation: Presentation { about_release: of, ..Presentation::default() },
        release: Release { columns, contingency, suppressed: 0 },
        links,
    }
}

/// Builds the table of people and the list of a release. `marks` and `values` are the value indices of group and value codes.
fn release(number: u64, groups: &[Given], marks: &[usize], values: &[usize]) -> [RecordedRelease; 2] {
    let names: Vec<String> = (0..groups.len()).map(|group| format!("group {group}")).collect();
    let letters: Vec<String> = ('a'..='d').map(String::from).collect();
    let mark = || column("group", Role::QuasiIdentifier, &names, marks);
    let sizes = groups.iter().map(|(people, _)| people.len() as u64);
    let people =
        ContingencyTable { codes: vec![(0..groups.len() as Code).collect()], weights: sizes.collect(), owners: None };
    let pairs = (0..).zip(groups).flat_map(|(group, (people, _))| people.iter().map(move |person| (*person, group)));
    let mut rows: Vec<(Code, Code)> = Vec::new();
    for (group, (_, listed)) in (0..).zip(groups) {
        rows.extend(listed.bytes().map(|letter| (group, Code::from(letter - b'a'))));
    }
    rows.sort_unstable();
    let same: Vec<&[(Code, Code)]> = rows.chunk_by(|one, next| one == next).collect();
    let list = ContingencyTable {
        codes: vec![same.iter().map(|rows| rows[0].0).collect(), same.iter().map(|rows| rows[0].1).collect()],
        weights: same.iter().map(|rows| rows.len() as u64).collect(),
        owners: None,
    };
    let links = Links::from_rows(pairs.collect());
    [
        recorded(number, None, vec![mark()], people, Some(links)),
        recorded(number, Some(number), vec![mark(), column("ill", Role::Sensitive, &letters, values)], list, None),
    ]
}

/// Exchangeability of releases in which all codes refer to different values: number of people and maximum posterior.
fn max_posterior(releases: &[&[Given]]) -> Option<(u64, Ratio)> {
    let plain = |(number, groups): (u64, &&[Given])| {
        release(number, groups, &(0..groups.len()).collect::<Vec<_>>(), &[0, 1, 2, 3])
    };
    result_of(&(1..).zip(releases).flat_map(plain).collect::<Vec<_>>())
}

fn result_of(releases: &[RecordedRelease]) -> Option<(u64, Ratio)> {
    let result = exchangeability(&releases.iter().collect::<Vec<_>>(), "ill")?;
    Some((result.people, result.max_posterior))
}

#[test]
fn values_of_uniform_lists_are_exchangeable() {
    let first: &[Given] = &[(&[1, 2], "ab"), (&[3, 4], "cd")];
    assert_eq!(max_posterior(&[first]), Some((4, Ratio::new(1, 2))));
    // Person 2 has left, and 5, 6 and 7 are new.
    let second: &[Given] = &[(&[1, 5], "ab"), (&[3, 4, 6, 7], "ccdd")];
    assert_eq!(max_posterior(&[first, second]), Some((7, Ratio::new(1, 2))));
    // Two of the values are counterfeit.
    let third: &[Given] = &[(&[2], "abc")];
    assert_eq!(max_posterior(&[third]), Some((1, Ratio::new(1, 3))));
    assert_eq!(max_posterior(&[first, second, third]), None);
}

#[test]
fn people_in_the_same_groups_are_exchangeable() {
    let first: &[Given] = &[(&[1, 2, 3], "aab")];
    assert_eq!(max_posterior(&[first]), Some((3, Ratio::new(2, 3))));
    assert_eq!(max_posterior(&[first, first]), Some((3, Ratio::new(2, 3))));
    // The members differ although the list is the same: people are no longer exchangeable.
    let second: &[Given] = &[(&[1, 2, 4], "aab")];
    assert_eq!(max_posterior(&[first, second]), None);
    // One value is counterfeit.
    assert_eq!(max_posterior(&[&[(&[1, 2], "aab")]]), None);
}

#[test]
fn ambiguous_or_unlisted_groups_have_no_result() {
    let groups: &[Given] = &[(&[1, 2], "ab"), (&[3, 4], "cd")];
    assert_eq!(result_of(&release(1, groups, &[0, 1], &[0, 1, 2, 3])), Some((4, Ratio::new(1, 2))));
    assert_eq!(result_of(&release(1, groups, &[0, 0], &[0, 1, 2, 3])), None);
    // The list does not contain the second group.
    let [people, _] = release(1, groups, &[0, 1], &[0, 1, 2, 3]);
    let [_, list] = release(1, &groups[..1], &[0], &[0, 1, 2, 3]);
    assert_eq!(result_of(&[people, list]), None);
}

#[test]
fn equal_labels_are_one_value() {
    // Codes a and b are the same value, so that every person's value is certain.
    assert_eq!(result_of(&release(1, &[(&[1, 2], "ab")], &[0], &[0, 0, 2, 3])), Some((2, Ratio::new(1, 1))));
    assert_eq!(result_of(&release(1, &[(&[1, 2, 3], "abc")], &[0], &[0, 0, 2, 3])), Some((3, Ratio::new(2, 3))));
}
