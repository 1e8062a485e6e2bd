//! Attacks on what was generalized or hidden because it had to be: the survey's example 5.1 and the notes' 3.15.

use super::small::{Small, attack, certain, history, linked, obstacle, quasi, sensitive, unlinked};
use crate::attacks::downcoding::ways;
use crate::attacks::{Confidence, Findings, Person, Scene, run};
use crate::error::Result;
use crate::registry::{Argument, Arguments};
use crate::share::Share;

const JOBS: &str = "Any\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Dancer\n    Writer";

fn known(job: &str, count: usize) -> Vec<Person> {
    let facts = vec![("job".to_owned(), job.to_owned()), ("sex".to_owned(), "Male".to_owned())];
    (0..count).map(|at| Person { name: format!("{job} {at}"), facts: facts.clone() }).collect()
}

fn minimal(small: &Small, people: &[Person], bound: f64, least: Share) -> Result<Findings> {
    let arguments = Arguments::default().set("values", Argument::Thresholds(vec![("HIV".to_owned(), bound)]));
    let history = history(&[small]);
    run(
        "minimality",
        &Scene { history: &history, people, confidence: least, rows: &[], varies: &[], arguments: &arguments },
    )
}

/// The survey's table V(b): seven professionals, two of them with HIV.
fn professionals() -> Small {
    let mut rows = vec!["Professional, Male, HIV"; 2];
    rows.extend(["Professional, Male, Flu"; 5]);
    unlinked(1, &[quasi("job").tree(JOBS), quasi("sex"), sensitive("ill")], &rows)
}

#[test]
fn minimality_example_5_1() {
    let people = [known("Engineer", 2), known("Lawyer", 5)].concat();
    let found = minimal(&professionals(), &people, 0.6, Share::new(1, 1)).expect("findings");
    // Andy and Bob, the engineers, have HIV; without minimality it was 2/7.
    assert_eq!((found.len(), found[0].people, found[0].confidence), (1, 2, Confidence::CERTAIN));
    assert!(found[0].certain && !found[0].words.contains("HIV") && !found[0].words.contains("Engineer"));
    // With a bound that one engineer breaks: 11 of 21 worlds, in 6 of which a given engineer has it.
    let found = minimal(&professionals(), &people, 0.4, Share::new(1, 2)).expect("findings");
    assert_eq!(found[0].confidence, Confidence::Exact(Share::new(6, 11)));
}

#[test]
fn minimality_needs_everybody() {
    let people = known("Engineer", 2);
    let none = minimal(&professionals(), &[], 0.6, Share::new(1, 1));
    assert!(obstacle(none).contains("raw quasi-identifiers"));
    assert!(obstacle(minimal(&professionals(), &people, 0.6, Share::new(1, 1))).contains("who is in which group"));
    let no_bound = attack("minimality", &history(&[&professionals()]), Share::new(1, 1), &Arguments::default());
    assert!(no_bound.is_err_and(|error| error.to_string().contains("`values`")));
}

/// Example 5.1 with ages in place of jobs. A number says nothing of the steps that led to it, so nothing can be undone; where it is as it
/// was, there is nothing to undo.
#[test]
fn minimality_of_numbers_is_not_looked_at() {
    let aged = |ages: &[&str]| -> Vec<Person> {
        let person = |age: &&str| Person { name: String::new(), facts: vec![("age".to_owned(), (*age).to_owned())] };
        ages.iter().map(person).collect()
    };
    let people = aged(&["20", "20", "35", "35", "35", "35", "35"]);
    let release = |ages: [&str; 7]| {
        let ills = ["HIV", "HIV", "Flu", "Flu", "Flu", "Flu", "Flu"];
        let rows: Vec<String> = ages.iter().zip(ills).map(|(age, ill)| format!("{age}, {ill}")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        unlinked(1, &[quasi("age").numbers(), sensitive("ill")], &rows)
    };
    let why = obstacle(minimal(&release(["20-39"; 7]), &people, 0.6, Share::new(1, 1)));
    assert!(why.contains("`age`") && why.contains("last step"), "{why}");
    let raw = release(["20", "20", "35", "35", "35", "35", "35"]);
    assert_eq!(minimal(&raw, &people, 0.6, Share::new(1, 1)).expect("findings").len(), 0);
    // Nor does a text of which a part is hidden.
    let masked = unlinked(1, &[quasi("age"), sensitive("ill")], &["2*, HIV", "2*, Flu"]);
    let why = obstacle(minimal(&masked, &aged(&["20", "21"]), 0.6, Share::new(1, 1)));
    assert!(why.contains("`age`") || why.contains("who is in which group"), "{why}");
}

/// Another class with the same value may have forced the step: then it is an estimate.
#[test]
fn minimality_with_another_cause() {
    let mut rows = vec!["Professional, Male, HIV"; 2];
    rows.extend(["Professional, Male, Flu"; 5]);
    rows.extend(["Professional, Female, HIV", "Professional, Female, HIV", "Professional, Female, Flu"]);
    rows.extend(["Professional, Female, Flu"]);
    let small = unlinked(1, &[quasi("job").tree(JOBS), quasi("sex"), sensitive("ill")], &rows);
    let women = |job: &str, count| {
        let mut people = known(job, count);
        people.iter_mut().for_each(|person| person.facts[1].1 = "Female".to_owned());
        people
    };
    let people = [known("Engineer", 2), known("Lawyer", 5), women("Engineer", 2), women("Lawyer", 2)].concat();
    let found = minimal(&small, &people, 0.6, Share::new(1, 10)).expect("findings");
    // Among the women 2 of 6 worlds break the bound. The engineers among the men have it in
    // (1 + 5 * 1/3) / (1 + 20 * 1/3) = 8/23 of what is possible.
    let men = found.iter().find(|finding| finding.class[1].1 == "Male").expect("men");
    assert!((men.confidence.to_f64() - 8.0 / 23.0).abs() < 1e-12, "{:?}", men.confidence);
    assert!(matches!(men.confidence, Confidence::Estimate(_)));
}

/// Two records that hide a bit: had they been alike, it would not have been hidden.
#[test]
fn downcoding_of_two() {
    assert_eq!(ways(2, &[2, 2]), Some((3, 1)));
    // Three records, three values, in groups of three: all but the three where they are alike.
    assert_eq!(ways(3, &[3, 3, 3]), Some((10, 7)));
    // Four in groups of two: two pairs could have been shown as well.
    assert_eq!(ways(4, &[2, 2]), Some((5, 2)));
    // One is enough of a value that two others show: of 3 records over two values, only two of it and one of the other must be hidden.
    assert_eq!((ways(3, &[1, 2]), ways(2, &[1, 1])), (Some((4, 1)), Some((3, 0))));
    let bits = "*\n  0\n  1";
    let cols = [quasi("a").tree(bits), quasi("b"), quasi("c")];
    let small = unlinked(1, &cols, &["*, 0, 1", "*, 0, 1", "0, 1, 1", "0, 1, 1", "1, 1, 0", "1, 1, 0"]);
    let found = certain("downcoding", &[&small]);
    assert_eq!((found.len(), found[0].people, found[0].certain), (1, 2, true));
    assert!(found[0].words.contains("1 way instead of 3"), "{}", found[0].words);
    // Cells that no group shows were not hidden group by group.
    let all = unlinked(1, &cols, &["*, 0, 1", "*, 0, 1"]);
    assert!(certain("downcoding", &[&all]).is_empty());
    let several = linked(1, &[quasi("a"), quasi("b")], &[(1, "*, *"), (2, "*, *"), (3, "0, 1"), (4, "0, 1")]);
    let why = obstacle(attack("downcoding", &history(&[&several]), Share::new(1, 1), &Arguments::default()));
    assert!(why.contains("several hidden cells"), "{why}");
}
