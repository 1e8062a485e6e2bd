//! Attacks on bucketized releases: people and value lists in separate tables, as republication methods publish them.

use super::naive::Random;
use super::small::{Col, Small, attack, brief, certain, history, linked, obstacle, other, quasi, sensitive, unlinked};
use crate::attacks::{AttackConfidence, AttackInput, Findings, KnownPerson, LIST, run};
use crate::ratio::Ratio;
use crate::registry::Arguments;
use crate::release::history::Presentation;

/// Two tables of one release: people as `group, zip`, and a list as `group, value`.
fn people_and_list(number: u64, people: &[(u128, &str)], list: &[&str]) -> [Small; 2] {
    let people = linked(number, &[quasi("group"), quasi("zip")], people);
    let mut list = unlinked(number, &[quasi("group"), sensitive("ill")], list);
    list.recorded.presentation = Presentation { about_release: Some(number), ..Presentation::default() };
    [people, list]
}

fn tables<'a>(releases: &[&'a [Small; 2]]) -> Vec<&'a Small> {
    releases.iter().flat_map(|release| release.iter()).collect()
}

#[test]
fn values_of_groups_are_inferred() {
    let first = people_and_list(1, &[(1, "1, 8001"), (2, "1, 8002"), (3, "2, 8003")], &["1, flu", "1, hiv", "2, flu"]);
    // A group of one person.
    let findings_of_first = certain("homogeneity", &tables(&[&first]));
    assert_eq!(findings_of_first.iter().map(brief).collect::<Vec<_>>(), [("2".to_owned(), 1, "flu".to_owned())]);
    // The group of person 1 has flu and hiv, then flu and gout.
    let second = people_and_list(2, &[(1, "1, 8001"), (4, "1, 8004")], &["1, flu", "1, gout"]);
    let findings = certain("intersection", &tables(&[&first, &second]));
    assert_eq!(findings.iter().map(|finding| brief(finding).2).collect::<Vec<_>>(), ["flu"]);
    assert_eq!(findings[0].releases, [1, 2]);
    // Person 5 joins 1 and 2: the new value of the list belongs to person 5.
    let third = people_and_list(3, &[(1, "7, 8001"), (2, "7, 8002"), (5, "7, 8005")], &["7, flu", "7, gout", "7, hiv"]);
    let findings = certain("difference", &tables(&[&first, &third]));
    assert_eq!(findings.iter().map(brief).collect::<Vec<_>>(), [("7".to_owned(), 1, "gout".to_owned())]);
    // The next release contains both people and only one of hiv and flu.
    let fourth =
        people_and_list(4, &[(1, "1, 8001"), (2, "1, 8002"), (6, "1, 8006")], &["1, flu", "1, flu", "1, gout"]);
    let findings = certain("critical-absence", &tables(&[&first, &fourth]));
    assert!(findings.iter().any(|finding| brief(finding).2 == "flu" && finding.people == 2), "{findings:?}");
}

#[test]
fn constant_signatures_disclose_no_value() {
    let first = people_and_list(1, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, hiv"]);
    // Person 3 replaces person 2 and has the same value: the list is unchanged. Group numbers have no meaning.
    let second = people_and_list(2, &[(1, "2, 8001"), (3, "2, 8003")], &["2, flu", "2, hiv"]);
    for id in ["homogeneity", "intersection", "difference", "critical-absence", "attribute-linkage"] {
        assert_eq!(certain(id, &tables(&[&first, &second])), [], "{id}");
    }
    let half = attack("attribute-linkage", &history(&tables(&[&first])), Ratio::new(1, 2), &Arguments::default());
    assert_eq!(half.expect("findings").len(), 2);
}

#[test]
fn counterfeit_values_are_possible_values() {
    // One person and one counterfeit value.
    let first = people_and_list(1, &[(1, "1, 8001")], &["1, flu", "1, hiv"]);
    assert_eq!(certain("homogeneity", &tables(&[&first])), []);
    let half = attack("attribute-linkage", &history(&tables(&[&first])), Ratio::new(1, 2), &Arguments::default());
    let half = half.expect("findings");
    assert_eq!(half.len(), 2);
    assert!(half.iter().all(|finding| finding.people == 1 && !finding.certain));
    // Only the value that both releases list remains.
    let second = people_and_list(2, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, gout"]);
    assert_eq!(certain("intersection", &tables(&[&first, &second])).len(), 1);
    // The first release does not show the number of people with a value.
    for id in [
        "difference",
        "forward-correspondence",
        "cross-correspondence",
        "backward-correspondence",
        "complementary-release",
    ] {
        let reason =
            obstacle(attack(id, &history(&tables(&[&first, &second])), Ratio::new(1, 1), &Arguments::default()));
        assert!(reason.contains("release 1 may contain counterfeit values"), "{id}: {reason}");
    }
    let reason = obstacle(attack("definetti", &history(&tables(&[&first])), Ratio::new(1, 1), &Arguments::default()));
    assert!(reason.contains("counterfeit"), "{reason}");
}

#[test]
fn values_listed_once_are_equally_likely() {
    let people = [(1, "1, 8001"), (2, "1, 8002"), (3, "1, 8003"), (4, "2, 8004"), (5, "2, 8005"), (6, "2, 8006")];
    let mut first = people_and_list(1, &people, &["1, flu", "1, hiv", "2, gout"]);
    first[1].recorded.presentation.values_listed_once = true;
    let findings = certain("homogeneity", &tables(&[&first]));
    assert_eq!(findings.iter().map(brief).collect::<Vec<_>>(), [("2".to_owned(), 3, "gout".to_owned())]);
    let half = attack("attribute-linkage", &history(&tables(&[&first])), Ratio::new(1, 2), &Arguments::default());
    let half = half.expect("findings");
    // Three people and two values listed once: confidence 1/2 each.
    let in_first: Vec<_> = half.iter().filter(|one| brief(one).0 == "1").collect();
    assert_eq!(in_first.len(), 2);
    assert!(in_first.iter().all(|one| one.people == 3 && one.confidence == AttackConfidence::Exact(Ratio::new(1, 2))));
}

/// Two people and three values, one of them counterfeit: the counterfeit record is no record of a person.
#[test]
fn counterfeit_records_do_not_prevent_record_linkage() {
    let release = people_and_list(1, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, hiv", "1, gout"]);
    let lives = |zip: &str| KnownPerson { name: String::new(), facts: vec![("zip".to_owned(), zip.to_owned())] };
    let (history, arguments) = (history(&tables(&[&release])), Arguments::default());
    let input = |people| AttackInput {
        history: &history,
        people,
        confidence: Ratio::new(1, 1),
        rows: &[],
        time_varying: &[],
        arguments: &arguments,
    };
    // Both people are unique by zip.
    let known = [lives("8001"), lives("8002")];
    let findings = run("record-linkage", &input(&known)).expect("findings");
    assert_eq!((findings.iter().map(|one| one.people).sum::<u64>(), findings.iter().all(|one| one.certain)), (2, true));
    // Facts about a column that only the list publishes do not help to match records.
    let also = |zip: &str| KnownPerson {
        facts: [lives(zip).facts, vec![("ill".to_owned(), "flu".to_owned())]].concat(),
        ..lives(zip)
    };
    let more = [also("8001"), also("8002")];
    let findings = run("record-linkage", &input(&more)).expect("findings");
    assert_eq!(findings.len(), 2);
    // The external table has two people of each zip, the release one.
    let known = [lives("8001"), lives("8001"), lives("8002"), lives("8002")];
    assert_eq!(run("table-linkage", &input(&known)).expect("findings").all, []);
    let half = run("table-linkage", &AttackInput { confidence: Ratio::new(1, 2), ..input(&known) }).expect("findings");
    assert!(
        half.len() == 2 && half.iter().all(|one| one.confidence == AttackConfidence::Exact(Ratio::new(1, 2))),
        "{half:?}"
    );
}

#[test]
fn an_incomplete_list_is_not_joined_with_its_people() {
    let first = people_and_list(1, &[(1, "1, 8001"), (2, "2, 8002")], &["1, flu"]);
    let second = people_and_list(2, &[(1, "1, 8001"), (2, "1, 8002")], &["1, flu", "1, gout"]);
    let both = history(&tables(&[&first, &second]));
    let reason = obstacle(attack("difference", &both, Ratio::new(1, 1), &Arguments::default()));
    assert!(reason.contains("no two releases with owner links share a sensitive column"), "{reason}");
}

/// The joined table: each person with a value of their group, and the group column.
fn bucketized(number: u64, rows: &[(u128, String)]) -> Small {
    let rows: Vec<(u128, &str)> = rows.iter().map(|(person, row)| (*person, row.as_str())).collect();
    let cols: [Col; 3] = [other("group"), quasi("zip"), sensitive("ill")];
    let mut small = linked(number, &cols, &rows);
    small.recorded.presentation.group_column = Some("group".to_owned());
    small
}

/// By attack: its findings, or the reason why it cannot run.
fn all_results(releases: &[&Small], min_confidence: Ratio) -> Vec<(&'static str, Result<Findings, String>)> {
    let history = history(releases);
    let fact = |zip: u64| vec![("zip".to_owned(), format!("800{zip}"))];
    let people: Vec<KnownPerson> =
        (0..5).map(|zip| KnownPerson { name: format!("p{zip}"), facts: fact(zip) }).collect();
    let input = AttackInput {
        history: &history,
        people: &people,
        confidence: min_confidence,
        rows: &[],
        time_varying: &[],
        arguments: &Arguments::default(),
    };
    let run = |id: &'static str| (id, run(id, &input).map_err(|error| error.to_string()));
    LIST.iter().map(|listed| run(listed.entry.id)).collect()
}

/// The assignment of the values of a group to its people does not affect any attack: a joined table with the true assignment
/// and separate tables lead to the same findings.
#[test]
fn findings_do_not_depend_on_the_assignment_of_values_in_a_group() {
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
                rows.iter().map(|(person, group, zip, _)| (*person, format!("g{group}, 800{zip}"))).collect();
            let people: Vec<(u128, &str)> = people.iter().map(|(person, row)| (*person, row.as_str())).collect();
            let list: Vec<String> = rows.iter().map(|(_, group, _, value)| format!("g{group}, ill{value}")).collect();
            let list: Vec<&str> = list.iter().map(String::as_str).collect();
            let true_rows =
                rows.iter().map(|(person, group, zip, value)| (*person, format!("g{group}, 800{zip}, ill{value}")));
            pairs.push((people_and_list(number, &people, &list), bucketized(number, &true_rows.collect::<Vec<_>>())));
        }
        let two: Vec<&Small> = pairs.iter().flat_map(|(separate, _)| separate).collect();
        let one: Vec<&Small> = pairs.iter().map(|(_, joined)| joined).collect();
        for min_confidence in [Ratio::new(1, 1), Ratio::new(1, 2)] {
            for ((id, separate), (_, joined)) in
                all_results(&two, min_confidence).into_iter().zip(all_results(&one, min_confidence))
            {
                findings += separate.as_ref().map_or(0, |list| list.len());
                obstacles += usize::from(separate.is_err());
                assert_eq!(separate, joined, "{id}");
            }
        }
    }
    assert!(findings > 1000 && obstacles > 0, "{findings} {obstacles}");
}
