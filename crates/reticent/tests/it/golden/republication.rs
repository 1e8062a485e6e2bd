//! Worked examples of republication methods: the tables of Das and Bhattacharyya, and the motivating example of m-invariance.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reticent::error::Error;
use reticent::registry::{Argument, Arguments};
use reticent::republication::{
    self, Form, GroupingOutcome, MethodState, PublishedTables, Reason, ReleaseGroup, RepublicationTask, SourceRecord,
};
use reticent::taxonomy::Type;

use crate::support::{Col, Data, quasi, sensitive};

/// Runs a method on rows with these owners, after the earlier releases. Returns the outcome and the new state.
fn run(
    id: &str,
    arguments: &Arguments,
    data: &Data,
    owners: &[u128],
    past: &MethodState,
) -> Result<(GroupingOutcome, MethodState), Error> {
    let table = data.table();
    let places = table.places(&data.counts().contingency);
    let mark = |row: &[String]| row.concat().bytes().fold(7u32, |mark, byte| mark.wrapping_mul(31) ^ u32::from(byte));
    let sensitive: Vec<usize> =
        (0..data.cols.len()).filter(|at| data.cols[*at].role == reticent::Role::Sensitive).collect();
    let records: Vec<SourceRecord> = owners
        .iter()
        .zip(places)
        .zip(&data.rows)
        .map(|((owner, place), row)| {
            let values: Vec<String> = sensitive.iter().map(|at| row[*at].clone()).collect();
            SourceRecord { person: *owner, row: place.unwrap(), value_mark: mark(&values) }
        })
        .collect();
    let task = RepublicationTask { table: &table, records: &records, past, k: 1, seed: 5 };
    let outcome = republication::run(id, &task, arguments.clone())?;
    let tables = PublishedTables::new(&task, &outcome, Form::Anatomized);
    let meta = reticent::History::single(data.raw()).releases.remove(0);
    let recorded = republication::recorded_releases(&tables, &table.columns, &meta)?;
    let states = [outcome.person_states(&task)];
    Ok((outcome, MethodState::new(&recorded, &states)))
}

fn thresholds(l: &[(&str, f64)]) -> Argument {
    Argument::Thresholds(l.iter().map(|(name, l)| ((*name).to_owned(), *l)).collect())
}

fn decomposition_arguments(primary: &str, l: &[(&str, f64)]) -> Arguments {
    Arguments::default().set("primary", Argument::Word(primary.to_owned())).set("l", thresholds(l))
}

/// Table 1.
fn microdata() -> Data {
    let cols = vec![quasi("gender"), quasi("zip"), sensitive("occupation"), sensitive("salary")];
    let rows = [
        "F 10078 Nurse 1",
        "F 10077 Nurse 4",
        "M 10076 Police 8",
        "F 10075 Cook 9",
        "F 10085 Actor 2",
        "M 10085 Actor 7",
        "M 20086 Clerk 8",
        "F 20087 Clerk 2",
    ];
    Data::new(cols, &rows)
}

fn values(group: &ReleaseGroup, at: usize) -> Vec<&str> {
    group.lists[at].values.iter().map(|(value, _)| value.as_str()).collect()
}

/// Tables 3 and 4: two groups of four people, with four distinct occupations and four salaries each.
#[test]
fn decomposition_forms_two_diverse_groups_of_eight_people() {
    let data = microdata();
    let arguments = decomposition_arguments("occupation", &[("occupation", 4.0), ("salary", 4.0)]);
    let owners: Vec<u128> = (0..8).collect();
    for id in ["decomposition", "decomposition-plus"] {
        let (outcome, _) = run(id, &arguments, &data, &owners, &MethodState::default()).unwrap();
        assert_eq!((outcome.groups.len(), outcome.postponed.len(), outcome.withheld.len()), (2, 0, 0), "{id}");
        for group in &outcome.groups {
            assert_eq!((values(group, 0).len(), values(group, 1).len()), (4, 4), "{id}");
            let occupations = values(group, 0);
            // Every listed salary, also a counterfeit one, occurs with one of the occupations of the group.
            let mut linkable: Vec<&str> = data
                .rows
                .iter()
                .filter(|row| occupations.contains(&row[2].as_str()))
                .map(|row| row[3].as_str())
                .collect();
            linkable.sort_unstable();
            assert!(values(group, 1).iter().all(|salary| linkable.contains(salary)), "{id}");
        }
    }
}

/// Group 1 of table 6 has a police officer, a nurse, an actor and a clerk with the salaries 8, 1, 2 and 8. The possible counterfeit values
/// are 4 and 7. The paper adds 4 and names 2 as the repeated value. But 8 is the repeated value, and 7 is the nearest to it.
#[test]
fn the_counterfeit_value_nearest_to_the_repeated_value_is_added() {
    let cols = vec![quasi("zip"), sensitive("occupation"), Col { values: Type::Number, ..sensitive("salary") }];
    let rows = ["a Nurse 1", "b Police 8", "c Actor 2", "d Clerk 8"];
    let others = ["e Nurse 4", "f Actor 7"];
    let data = Data::new(cols, &[&rows[..], &others[..]].concat());
    let arguments = decomposition_arguments("occupation", &[("occupation", 4.0), ("salary", 4.0)]);
    // People who were postponed more often are grouped first: the four people of table 6.
    let past = MethodState { postponed: (0..4).map(|person| (person, 3)).collect(), ..MethodState::default() };
    let (first, _) = run("decomposition-plus", &arguments, &data, &[0, 1, 2, 3, 4, 5], &past).unwrap();
    let [group] = first.groups.as_slice() else { panic!("{first:?}") };
    let mut members = group.members.clone();
    members.sort_unstable();
    assert_eq!((members.as_slice(), values(group, 1)), (&[0, 1, 2, 3][..], vec!["1", "2", "7", "8"]));
}

/// Alice leaves, and no other person has bronchitis. m-invariance lists it as a counterfeit.
#[test]
fn a_counterfeit_replaces_the_value_of_a_leaver() {
    let data = |rows: &[&str]| Data::new(vec![quasi("age"), sensitive("ill")], rows);
    let m = Arguments::default().set("m", Argument::Number(2.0));
    let first = data(&["20 dyspepsia", "30 bronchitis"]);
    let (_, past) = run("m-invariance", &m, &first, &[1, 2], &MethodState::default()).unwrap();
    let second = data(&["20 dyspepsia", "40 gastritis", "50 flu"]);
    let (outcome, _) = run("m-invariance", &m, &second, &[1, 3, 4], &past).unwrap();
    let bob = outcome.groups.iter().find(|group| group.members == [0]).unwrap();
    assert_eq!(values(bob, 0), ["bronchitis", "dyspepsia"]);
    assert_eq!(bob.lists[0].len() - bob.members.len() as u64, 1);
    // Without counterfeits, Bob is withheld.
    let without = m.clone().set("counterfeits", Argument::Flag(false));
    let (outcome, _) = run("m-invariance", &without, &second, &[1, 3, 4], &past).unwrap();
    assert_eq!(outcome.withheld, [(0, Reason::History)]);
    // A person with a changed value is withheld, or the release is refused.
    let third = data(&["20 bronchitis", "40 gastritis", "50 flu"]);
    let (outcome, _) = run("m-invariance", &m, &third, &[1, 3, 4], &past).unwrap();
    assert_eq!(outcome.withheld, [(0, Reason::Changed)]);
    let refuse = m.set("changed", Argument::Word("refuse".to_owned()));
    assert!(matches!(run("m-invariance", &refuse, &third, &[1, 3, 4], &past), Err(Error::Refused(_))));
}

/// The complete training records of Adult, from RETICENT_DATA or from `../shared/data` next to the repository.
fn adult() -> Option<Data> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("RETICENT_DATA").map_or(default, PathBuf::from);
    let text = std::fs::read_to_string(folder.join("adult/adult.data")).ok()?;
    let cols = vec![quasi("race"), sensitive("workclass")];
    let cells = text.lines().map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    let clean = cells.filter(|cells| cells.len() == 15 && !cells.contains(&"?"));
    let rows: Vec<Vec<String>> = clean.map(|cells| vec![cells[8].to_owned(), cells[1].to_owned()]).collect();
    assert_eq!(rows.len(), 30_162);
    Some(Data { cols, rows, owners: None })
}

/// Table 7(a), computed by an independent program: the postponed records of each value, and the number of groups.
#[test]
fn table_7a_of_decomposition_plus() {
    let Some(data) = adult() else {
        println!("skipped: no Adult data");
        return;
    };
    let owners: Vec<u128> = (0..data.rows.len() as u128).collect();
    let expected: [(f64, &[u64], usize); 7] = [
        (7.0, &[929, 1060, 1265, 2053, 2485, 22272], 14),
        (6.0, &[117, 322, 1110, 1542, 21329], 957),
        (5.0, &[412, 844, 20631], 1655),
        (4.0, &[1, 19661], 2625),
        (3.0, &[18348], 3938),
        (2.0, &[14410], 7876),
        (1.0, &[], 30162),
    ];
    for (l, postponed, groups) in expected {
        let arguments = decomposition_arguments("workclass", &[("workclass", l)]);
        let (outcome, _) = run("decomposition-plus", &arguments, &data, &owners, &MethodState::default()).unwrap();
        let mut by_value: BTreeMap<&str, u64> = BTreeMap::new();
        outcome.postponed.iter().for_each(|(at, _)| *by_value.entry(&data.rows[*at as usize][1]).or_default() += 1);
        let mut found: Vec<u64> = by_value.into_values().collect();
        found.sort_unstable();
        assert_eq!((found.as_slice(), outcome.groups.len()), (postponed, groups), "l = {l}");
    }
}
