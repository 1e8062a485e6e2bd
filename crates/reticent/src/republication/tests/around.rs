//! Worked examples of departures, utility, verification of tables, and cells.

use super::*;
use crate::audit::group_checks::min_indistinguishable;
use crate::ratio::Ratio;
use crate::republication::{
    DepartureColumn, Departures, Form, PublishedTables, ReleaseGroup, departures, utility, verify,
};

const PEOPLE: &[Person] =
    &[(1, "20", "flu"), (2, "30", "gout"), (3, "40", "flu"), (4, "60", "ulcer"), (5, "80", "gout"), (6, "90", "flu")];

/// Returns three groups of two people.
fn pairs(task: &RepublicationTask<'_>) -> GroupingOutcome {
    let group = |members: [u32; 2]| {
        let list = List::new(members.iter().map(|at| task.value(*at as usize, 1)));
        ReleaseGroup { members: members.to_vec(), lists: vec![list] }
    };
    GroupingOutcome { groups: [[0, 1], [2, 3], [4, 5]].into_iter().map(group).collect(), ..GroupingOutcome::default() }
}

#[test]
fn departures_disclose_leavers_and_others() {
    let (table, records) = table(PEOPLE);
    let past = MethodState::default();
    let task = RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: 1 };
    let past = MethodState { releases: vec![earlier_release(&records, &pairs(&task), 1)], ..MethodState::default() };
    let bound = |_: &str| Ok(Some(Ratio::new(1, 2)));
    let departures_without = |departed: &[Pseudonym]| {
        let people: Vec<Person> = PEOPLE.iter().filter(|person| !departed.contains(&person.0)).copied().collect();
        let (table, records) = self::table(&people);
        departures(&RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: 1 }, &bound).unwrap()
    };
    let expected = |people, groups, leavers, others| Departures {
        people,
        groups,
        columns: vec![DepartureColumn { column: "ill".to_owned(), leavers, others }],
    };
    assert_eq!(departures_without(&[]), expected(0, 0, 0, 0));
    // In a pair, the leaver and the other are both disclosed.
    assert_eq!(departures_without(&[2]), expected(1, 1, 1, 1));
    // If a whole pair leaves, both values remain equally likely.
    assert_eq!(departures_without(&[3, 4]), expected(2, 1, 0, 0));
    assert_eq!(departures_without(&[1, 3, 4, 6]), expected(4, 3, 2, 2));
}

#[test]
fn utility_of_small_groups() {
    let (table, records) = table(PEOPLE);
    let past = MethodState::default();
    let task = RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: 1 };
    // Six ages; every group spans two adjacent ages.
    let measured = utility(&task, &pairs(&task), Form::Generalized);
    assert!((measured.iloss - 1.0 / 6.0).abs() < 1e-12, "{measured:?}");
    assert_eq!(utility(&task, &pairs(&task), Form::Anatomized).iloss, 0.0);
    // Groups of one person disclose everything: every estimate is exact.
    let singletons = |at: u32| ReleaseGroup { members: vec![at], lists: vec![List::new([task.value(at as usize, 1)])] };
    let singletons = GroupingOutcome { groups: (0..6).map(singletons).collect(), ..GroupingOutcome::default() };
    for form in [Form::Anatomized, Form::Generalized] {
        let measured = utility(&task, &singletons, form);
        assert_eq!((measured.iloss, measured.query_error), (0.0, Some(0.0)), "{form:?}");
        assert!(measured.queries > 10);
    }
    // One group of all people: few estimates are exact.
    let all = ReleaseGroup { members: (0..6).collect(), lists: vec![List::new((0..6).map(|at| task.value(at, 1)))] };
    let all = GroupingOutcome { groups: vec![all], ..GroupingOutcome::default() };
    let measured = utility(&task, &all, Form::Generalized);
    assert!(measured.query_error > Some(0.0) && (measured.iloss - 5.0 / 6.0).abs() < 1e-12, "{measured:?}");
}

/// Every kind of tampering with the tables is detected.
#[test]
fn tampered_tables_are_detected() {
    let (table, records) = table(PEOPLE);
    let past = MethodState::default();
    let task = RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: 1 };
    for form in [Form::Anatomized, Form::Generalized] {
        let correct = PublishedTables::new(&task, &pairs(&task), form);
        verify(&task, &correct).expect("the tables match the data");
        let check_detected = |what: &str, tamper: &dyn Fn(&mut PublishedTables)| {
            let mut tables = correct.clone();
            tamper(&mut tables);
            assert!(verify(&task, &tables).is_err(), "{what} {form:?}");
        };
        check_detected("rows without owners", &|tables| tables.people.links = None);
        check_detected("a row of an unknown person", &|tables| {
            if let Some(links) = &mut tables.people.links {
                links.pseudonyms[0] = 99;
            }
        });
        check_detected("a row too few", &|tables| tables.people.contingency.weights[0] += 1);
        check_detected("an age that no member of the group has", &|tables| {
            tables.people.values[1][0] = "[1,2]".to_owned()
        });
        check_detected("a text that is not an age", &|tables| tables.people.values[1][0] = "old".to_owned());
        check_detected("no list", &|tables| tables.lists.clear());
        check_detected("a value that is not listed", &|tables| tables.lists[0].counts.values[1][0] = "cold".to_owned());
        check_detected("a group without a list", &|tables| tables.lists[0].counts.values[0][0] = "9".to_owned());
        check_detected("people in other groups", &|tables| {
            let third = tables.people.contingency.len() / 3;
            tables.people.contingency.codes[0].rotate_left(third);
        });
    }
    // Three members have flu, but its count is 2.
    let twice = GroupingOutcome {
        groups: vec![ReleaseGroup {
            members: vec![0, 2, 5],
            lists: vec![List { values: vec![("flu".to_owned(), 2)], is_set: false }],
        }],
        ..GroupingOutcome::default()
    };
    assert!(verify(&task, &PublishedTables::new(&task, &twice, Form::Generalized)).is_err());
}

#[test]
fn smallest_cell_is_counted() {
    let (table, records) = table(PEOPLE);
    let past = MethodState::default();
    let task = RepublicationTask { table: &table, records: &records, past: &past, k: 1, seed: 1 };
    let recorded = |groups: &[&[u32]], number: u64| {
        let group = |members: &&[u32]| ReleaseGroup {
            members: members.to_vec(),
            lists: vec![List::new(members.iter().map(|at| task.value(*at as usize, 1)))],
        };
        let outcome = GroupingOutcome { groups: groups.iter().map(group).collect(), ..GroupingOutcome::default() };
        let tables = PublishedTables::new(&task, &outcome, Form::Generalized);
        let meta = crate::release::history::RecordedRelease {
            number,
            ..crate::release::history::History::single(empty()).releases.remove(0)
        };
        crate::republication::recorded_releases(&tables, &table.columns, &meta).expect("tables").remove(0)
    };
    let one = recorded(&[&[0, 1, 2], &[3, 4, 5]], 1);
    let other = recorded(&[&[0, 1, 2, 3, 4, 5]], 2);
    let crossed = recorded(&[&[0, 1, 3], &[2, 4, 5]], 3);
    assert_eq!(min_indistinguishable(&[(&one, Some("group_id"))]), 3);
    assert_eq!(min_indistinguishable(&[(&one, Some("group_id")), (&other, Some("group_id"))]), 3);
    assert_eq!(min_indistinguishable(&[(&one, Some("group_id")), (&crossed, Some("group_id"))]), 1);
    assert_eq!(min_indistinguishable(&[(&one, None)]), 3);
}

fn empty() -> crate::release::Release {
    crate::release::Release { columns: Vec::new(), contingency: ContingencyTable::default(), suppressed: 0 }
}
