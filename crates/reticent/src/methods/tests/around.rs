//! What is said around a release: what a removal would tell, what it is worth, and whether its tables are true. Worked by hand.

use super::*;
use crate::audit::group_checks::fewest_alike;
use crate::methods::{Form, Group, Leaving, LeavingColumn, Shown, leaving, prove, utility};
use crate::share::Share;

const PEOPLE: &[Person] =
    &[(1, "20", "flu"), (2, "30", "gout"), (3, "40", "flu"), (4, "60", "ulcer"), (5, "80", "gout"), (6, "90", "flu")];

/// Three groups of two.
fn pairs(task: &Task<'_>) -> Outcome {
    let group = |members: [u32; 2]| {
        let list = List::of(members.iter().map(|at| task.value(*at as usize, 1)));
        Group { members: members.to_vec(), lists: vec![list] }
    };
    Outcome { groups: [[0, 1], [2, 3], [4, 5]].into_iter().map(group).collect(), ..Outcome::default() }
}

#[test]
fn a_removal_tells_of_who_goes_and_of_who_stays() {
    let (table, records) = table(PEOPLE);
    let past = Past::default();
    let task = Task { table: &table, records: &records, past: &past, seed: 1 };
    let past = Past { releases: vec![shown(&records, &pairs(&task), 1)], ..Past::default() };
    let half = |_: &str| Ok(Some(Share::new(1, 2)));
    let without = |gone: &[Pseudonym]| {
        let people: Vec<Person> = PEOPLE.iter().filter(|person| !gone.contains(&person.0)).copied().collect();
        let (table, records) = self::table(&people);
        leaving(&Task { table: &table, records: &records, past: &past, seed: 1 }, &half).unwrap()
    };
    let told = |people, groups, gone, staying| Leaving {
        people,
        groups,
        columns: vec![LeavingColumn { column: "ill".to_owned(), gone, staying }],
    };
    assert_eq!(without(&[]), told(0, 0, 0, 0));
    // Of a pair, who goes and who stays are both told.
    assert_eq!(without(&[2]), told(1, 1, 1, 1));
    // Of a whole pair nobody can say who had which.
    assert_eq!(without(&[3, 4]), told(2, 1, 0, 0));
    assert_eq!(without(&[1, 3, 4, 6]), told(4, 3, 2, 2));
}

#[test]
fn worth_is_counted_by_hand() {
    let (table, records) = table(PEOPLE);
    let past = Past::default();
    let task = Task { table: &table, records: &records, past: &past, seed: 1 };
    // Six ages; every group spans two that lie side by side.
    let worth = utility(&task, &pairs(&task), Form::Generalized);
    assert!((worth.iloss - 1.0 / 6.0).abs() < 1e-12, "{worth:?}");
    assert_eq!(utility(&task, &pairs(&task), Form::Anatomized).iloss, 0.0);
    // Groups of one tell everything: every estimate is right.
    let alone = |at: u32| Group { members: vec![at], lists: vec![List::of([task.value(at as usize, 1)])] };
    let alone = Outcome { groups: (0..6).map(alone).collect(), ..Outcome::default() };
    for form in [Form::Anatomized, Form::Generalized] {
        let worth = utility(&task, &alone, form);
        assert_eq!((worth.iloss, worth.query_error), (0.0, Some(0.0)), "{form:?}");
        assert!(worth.queries > 10);
    }
    // The youngest with the oldest: hardly any estimate is.
    let all = Group { members: (0..6).collect(), lists: vec![List::of((0..6).map(|at| task.value(at, 1)))] };
    let all = Outcome { groups: vec![all], ..Outcome::default() };
    let worth = utility(&task, &all, Form::Generalized);
    assert!(worth.query_error > Some(0.0) && (worth.iloss - 5.0 / 6.0).abs() < 1e-12, "{worth:?}");
}

/// Tables that were tampered with are found, whatever was done to them.
#[test]
fn untrue_tables_are_found() {
    let (table, records) = table(PEOPLE);
    let past = Past::default();
    let task = Task { table: &table, records: &records, past: &past, seed: 1 };
    for form in [Form::Anatomized, Form::Generalized] {
        let right = Shown::of(&task, &pairs(&task), form);
        prove(&task, &right).expect("they are true");
        let wrong = |what: &str, tamper: &dyn Fn(&mut Shown)| {
            let mut shown = right.clone();
            tamper(&mut shown);
            assert!(prove(&task, &shown).is_err(), "{what} {form:?}");
        };
        wrong("nobody's rows", &|shown| shown.people.links = None);
        wrong("a stranger's row", &|shown| {
            if let Some(links) = &mut shown.people.links {
                links.pseudonyms[0] = 99;
            }
        });
        wrong("a row too few", &|shown| shown.people.combos.weights[0] += 1);
        wrong("an age that nobody of the group has", &|shown| shown.people.values[1][0] = "[1,2]".to_owned());
        wrong("no age", &|shown| shown.people.values[1][0] = "old".to_owned());
        wrong("no list", &|shown| shown.lists.clear());
        wrong("a value that is not listed", &|shown| shown.lists[0].counts.values[1][0] = "cold".to_owned());
        wrong("a group without a list", &|shown| shown.lists[0].counts.values[0][0] = "9".to_owned());
        wrong("a group of others", &|shown| {
            let third = shown.people.combos.len() / 3;
            shown.people.combos.codes[0].rotate_left(third);
        });
    }
    // A value that two have must be listed twice.
    let twice = Outcome {
        groups: vec![Group {
            members: vec![0, 2, 5],
            lists: vec![List { values: vec![("flu".to_owned(), 2)], set: false }],
        }],
        ..Outcome::default()
    };
    assert!(prove(&task, &Shown::of(&task, &twice, Form::Generalized)).is_err());
}

#[test]
fn people_in_the_same_groups_of_all_releases_are_counted() {
    let (table, records) = table(PEOPLE);
    let past = Past::default();
    let task = Task { table: &table, records: &records, past: &past, seed: 1 };
    let held = |groups: &[&[u32]], number: u64| {
        let group = |members: &&[u32]| Group {
            members: members.to_vec(),
            lists: vec![List::of(members.iter().map(|at| task.value(*at as usize, 1)))],
        };
        let outcome = Outcome { groups: groups.iter().map(group).collect(), ..Outcome::default() };
        let shown = Shown::of(&task, &outcome, Form::Generalized);
        let meta = crate::history::Held { number, ..crate::history::History::single(empty()).releases.remove(0) };
        crate::methods::held(&shown, &table.columns, &meta).expect("tables").remove(0)
    };
    let one = held(&[&[0, 1, 2], &[3, 4, 5]], 1);
    let other = held(&[&[0, 1, 2, 3, 4, 5]], 2);
    let crossed = held(&[&[0, 1, 3], &[2, 4, 5]], 3);
    assert_eq!(fewest_alike(&[(&one, Some("group_id"))]), 3);
    assert_eq!(fewest_alike(&[(&one, Some("group_id")), (&other, Some("group_id"))]), 3);
    assert_eq!(fewest_alike(&[(&one, Some("group_id")), (&crossed, Some("group_id"))]), 1);
    assert_eq!(fewest_alike(&[(&one, None)]), 3);
}

fn empty() -> crate::release::Release {
    crate::release::Release { columns: Vec::new(), combos: Combos::default(), suppressed: 0 }
}
