//! Attacks on people and lists that are published apart, as methods do.

use super::naive::Random;
use super::small::{Col, Small, attack, brief, certain, history, linked, obstacle, other, quasi, sensitive, unlinked};
use crate::attacks::{Confidence, Findings, LIST, Person, Scene, run};
use crate::history::Disguise;
use crate::registry::Arguments;
use crate::share::Share;

/// Two tables of one release: people as `group, zip`, and a list as `group, value`.
fn apart(number: u64, people: &[(u128, &str)], list: &[&str]) -> [Small; 2] {
    let people = linked(number, &[quasi("group"), quasi("zip")], people);
    let mut list = unlinked(number, &[quasi("group"), sensitive("ill")], list);
    list.held.disguise = Disguise { of: Some(number), ..Disguise::default() };
    [people, list]
}

fn all<'a>(releases: &[&'a [Small; 2]]) -> Vec<&'a Small> {
    releases.iter().flat_map(|release| release.iter()).collect()
}

#[test]
fn values_are_told_through_the_groups() {
    let first = apart(1, &[(1, "1, 8001"), (2, "1, 8002"), (3, "2, 8003")], &["1, flu", "1, hiv", "2, flu"]);
    // Somebody alone in a group.
    let alone = certain("homogeneity", &all(&[&first]));
    assert_eq!(alone.iter().map(brief).collect::<Vec<_>>(), [("2".to_owned(), 1, "flu".to_owned())]);
    // 1 is with flu and hiv, then with flu and gout.
    let second = apart(2, &[(1, "1, 8001"), (4, "1, 8004")], &["1, flu", "1, gout"]);
    let found = certain("intersection", &all(&[&first, &second]));
    assert_eq!(found.iter().map(|finding| brief(finding).2).collect::<Vec<_>>(), ["flu"]);
    assert_eq!(found[0].releases, [1, 2]);
    // 5 joins 1 and 2: what is new in their list is theirs.
    let third = apart(3, &[(1, "7, 8001"), (2, "7, 8002"), (5, "7, 8005")], &["7, flu", "7, gout", "7, hiv"]);
    let found = certain("difference", &all(&[&first, &third]));
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), [("7".to_owned(), 1, "gout".to_owned())]);
    // Of hiv and flu only one is anywhere in the next release, which has both people.
    let fourth = apart(4, &[(1, "1, 8001"), (2, "1, 8002"), (6, "1, 8006")], &["1, flu", "1, flu", "1, gout"]);
    let found = certain("critical-absence", &all(&[&first, &fourth]));
    assert!(found.iter().any(|finding| brief(finding).2 == "flu" && finding.people == 2), "{found:?}");
}

#[test]
fn nothing_is_told_where_signatures_stay() {
    let first = apart(1, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, hiv"]);
    // 2 went, 3 with the same value came: the list is as it was. The number of the group means nothing.
    let second = apart(2, &[(1, "2, 8001"), (3, "2, 8003")], &["2, flu", "2, hiv"]);
    for id in ["homogeneity", "intersection", "difference", "critical-absence", "attribute-linkage"] {
        assert_eq!(certain(id, &all(&[&first, &second])), [], "{id}");
    }
    let half = attack("attribute-linkage", &history(&all(&[&first])), Share::new(1, 2), &Arguments::default());
    assert_eq!(half.expect("findings").len(), 2);
}

#[test]
fn what_is_nobodys_may_be_anybodys() {
    // One person, and a value that is nobody's.
    let first = apart(1, &[(1, "1, 8001")], &["1, flu", "1, hiv"]);
    assert_eq!(certain("homogeneity", &all(&[&first])), []);
    let half = attack("attribute-linkage", &history(&all(&[&first])), Share::new(1, 2), &Arguments::default());
    let half = half.expect("findings");
    assert_eq!(half.len(), 2);
    assert!(half.iter().all(|finding| finding.people == 1 && !finding.certain));
    // With another release only what both list is left.
    let second = apart(2, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, gout"]);
    assert_eq!(certain("intersection", &all(&[&first, &second])).len(), 1);
    // How many have a value is not said by the first.
    for id in [
        "difference",
        "forward-correspondence",
        "cross-correspondence",
        "backward-correspondence",
        "complementary-release",
    ] {
        let why = obstacle(attack(id, &history(&all(&[&first, &second])), Share::new(1, 1), &Arguments::default()));
        assert!(why.contains("release 1 lists values that may be nobody's"), "{id}: {why}");
    }
    let why = obstacle(attack("definetti", &history(&all(&[&first])), Share::new(1, 1), &Arguments::default()));
    assert!(why.contains("nobody's"), "{why}");
}

#[test]
fn a_set_says_that_everybody_has_one_of_it() {
    let people = [(1, "1, 8001"), (2, "1, 8002"), (3, "1, 8003"), (4, "2, 8004"), (5, "2, 8005"), (6, "2, 8006")];
    let mut first = apart(1, &people, &["1, flu", "1, hiv", "2, gout"]);
    first[1].held.disguise.set = true;
    let found = certain("homogeneity", &all(&[&first]));
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), [("2".to_owned(), 3, "gout".to_owned())]);
    let half = attack("attribute-linkage", &history(&all(&[&first])), Share::new(1, 2), &Arguments::default());
    let half = half.expect("findings");
    // Three people, two values that are listed once: each is one of two.
    let in_first: Vec<_> = half.iter().filter(|one| brief(one).0 == "1").collect();
    assert_eq!(in_first.len(), 2);
    assert!(in_first.iter().all(|one| one.people == 3 && one.confidence == Confidence::Exact(Share::new(1, 2))));
}

/// Two people and three values, one of which is nobody's: the records that it needs beside people are nobody's as well.
#[test]
fn records_of_nobody_hide_nobody() {
    let release = apart(1, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, hiv", "1, gout"]);
    let lives = |zip: &str| Person { name: String::new(), facts: vec![("zip".to_owned(), zip.to_owned())] };
    let (history, arguments) = (history(&all(&[&release])), Arguments::default());
    let scene = |people| Scene {
        history: &history,
        people,
        confidence: Share::new(1, 1),
        rows: &[],
        varies: &[],
        arguments: &arguments,
    };
    // Each is alone with their zip.
    let known = [lives("8001"), lives("8002")];
    let found = run("record-linkage", &scene(&known)).expect("findings");
    assert_eq!((found.iter().map(|one| one.people).sum::<u64>(), found.iter().all(|one| one.certain)), (2, true));
    // What else is known of them is shown by the list alone, and says nothing of whose a record is.
    let also = |zip: &str| Person {
        facts: [lives(zip).facts, vec![("ill".to_owned(), "flu".to_owned())]].concat(),
        ..lives(zip)
    };
    let more = [also("8001"), also("8002")];
    let found = run("record-linkage", &scene(&more)).expect("findings");
    assert_eq!(found.len(), 2);
    // Two of each zip are known, and one of each is in the release.
    let known = [lives("8001"), lives("8001"), lives("8002"), lives("8002")];
    assert_eq!(run("table-linkage", &scene(&known)).expect("findings").all, []);
    let half = run("table-linkage", &Scene { confidence: Share::new(1, 2), ..scene(&known) }).expect("findings");
    assert!(
        half.len() == 2 && half.iter().all(|one| one.confidence == Confidence::Exact(Share::new(1, 2))),
        "{half:?}"
    );
}

#[test]
fn people_without_a_list_for_all_stay_apart() {
    let first = apart(1, &[(1, "1, 8001"), (2, "2, 8002")], &["1, flu"]);
    let second = apart(2, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, gout"]);
    let both = history(&all(&[&first, &second]));
    let why = obstacle(attack("difference", &both, Share::new(1, 1), &Arguments::default()));
    assert!(why.contains("no two releases with known people share a sensitive column"), "{why}");
}

/// One table in place of two: everybody with a value of their group, which is marked.
fn marked(number: u64, rows: &[(u128, String)]) -> Small {
    let rows: Vec<(u128, &str)> = rows.iter().map(|(who, row)| (*who, row.as_str())).collect();
    let cols: [Col; 3] = [other("group"), quasi("zip"), sensitive("ill")];
    let mut small = linked(number, &cols, &rows);
    small.held.disguise.groups = Some("group".to_owned());
    small
}

/// What every attack finds, or why it does not.
fn found(releases: &[&Small], least: Share) -> Vec<(&'static str, Result<Findings, String>)> {
    let history = history(releases);
    let fact = |zip: u64| vec![("zip".to_owned(), format!("800{zip}"))];
    let people: Vec<Person> = (0..5).map(|zip| Person { name: format!("p{zip}"), facts: fact(zip) }).collect();
    let scene = Scene {
        history: &history,
        people: &people,
        confidence: least,
        rows: &[],
        varies: &[],
        arguments: &Arguments::default(),
    };
    let run = |id: &'static str| (id, run(id, &scene).map_err(|error| error.to_string()));
    LIST.iter().map(|listed| run(listed.entry.id)).collect()
}

/// Which of a group's values is put with whom makes no difference to any attack: the true pairs, in a table that marks its groups,
/// and people and lists apart lead to the same.
#[test]
fn it_makes_no_difference_which_value_is_put_with_whom() {
    let mut random = Random(5);
    let (mut findings, mut obstacles) = (0, 0);
    for _ in 0..300 {
        let values: Vec<u64> = (0..7).map(|_| random.below(3)).collect();
        let zips: Vec<u64> = (0..7).map(|_| random.below(4)).collect();
        let mut pairs: Vec<([Small; 2], Small)> = Vec::new();
        for number in 1..=2 {
            let mut rows: Vec<(u128, u64, u64, u64)> = Vec::new();
            for (person, (value, zip)) in (0u128..).zip(values.iter().zip(&zips)) {
                if number == 2 || random.below(10) >= 3 {
                    rows.push((person, random.below(3), *zip, *value));
                }
            }
            if rows.is_empty() {
                continue;
            }
            let people: Vec<(u128, String)> =
                rows.iter().map(|(who, group, zip, _)| (*who, format!("g{group}, 800{zip}"))).collect();
            let people: Vec<(u128, &str)> = people.iter().map(|(who, row)| (*who, row.as_str())).collect();
            let list: Vec<String> = rows.iter().map(|(_, group, _, value)| format!("g{group}, ill{value}")).collect();
            let list: Vec<&str> = list.iter().map(String::as_str).collect();
            let true_rows =
                rows.iter().map(|(who, group, zip, value)| (*who, format!("g{group}, 800{zip}, ill{value}")));
            pairs.push((apart(number, &people, &list), marked(number, &true_rows.collect::<Vec<_>>())));
        }
        let two: Vec<&Small> = pairs.iter().flat_map(|(apart, _)| apart).collect();
        let one: Vec<&Small> = pairs.iter().map(|(_, marked)| marked).collect();
        for least in [Share::new(1, 1), Share::new(1, 2)] {
            for ((id, apart), (_, marked)) in found(&two, least).into_iter().zip(found(&one, least)) {
                findings += apart.as_ref().map_or(0, |found| found.len());
                obstacles += usize::from(apart.is_err());
                assert_eq!(apart, marked, "{id}");
            }
        }
    }
    assert!(findings > 1000 && obstacles > 0, "{findings} {obstacles}");
}
