//! Attacks on minimal algorithms: example 5.1 of the survey and example 3.15 of the notes.

use super::small::{Small, attack, certain, history, linked, obstacle, quasi, sensitive, unlinked};
use crate::attacks::downcoding::ways;
use crate::attacks::{AttackConfidence, AttackInput, Findings, KnownPerson, run};
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::{Argument, Arguments};

const JOBS: &str = "Any\n  Professional\n    Engineer\n    Lawyer\n  Artist\n    Dancer\n    Writer";

fn known(job: &str, count: usize) -> Vec<KnownPerson> {
    let facts = vec![("job".to_owned(), job.to_owned()), ("sex".to_owned(), "Male".to_owned())];
    (0..count).map(|at| KnownPerson { name: format!("{job} {at}"), facts: facts.clone() }).collect()
}

fn run_minimality(small: &Small, people: &[KnownPerson], bound: f64, min_confidence: Ratio) -> Result<Findings> {
    let arguments = Arguments::default().set("values", Argument::Thresholds(vec![("HIV".to_owned(), bound)]));
    let history = history(&[small]);
    run(
        "minimality",
        &AttackInput {
            history: &history,
            people,
            confidence: min_confidence,
            rows: &[],
            time_varying: &[],
            arguments: &arguments,
        },
    )
}

/// Table V(b) of the survey: seven professionals, two of them with HIV.
fn professionals() -> Small {
    let mut rows = vec!["Professional, Male, HIV"; 2];
    rows.extend(["Professional, Male, Flu"; 5]);
    unlinked(1, &[quasi("job").tree(JOBS), quasi("sex"), sensitive("ill")], &rows)
}

#[test]
fn minimality_example_5_1() {
    let people = [known("Engineer", 2), known("Lawyer", 5)].concat();
    let findings = run_minimality(&professionals(), &people, 0.6, Ratio::new(1, 1)).expect("findings");
    // Andy and Bob, the engineers, have HIV with certainty; without minimality the confidence is 2/7.
    assert_eq!((findings.len(), findings[0].people, findings[0].confidence), (1, 2, AttackConfidence::CERTAIN));
    assert!(findings[0].certain && !findings[0].text.contains("HIV") && !findings[0].text.contains("Engineer"));
    // One engineer with HIV violates the bound: 11 of 21 worlds remain, and a given engineer has HIV in 6 of them.
    let findings = run_minimality(&professionals(), &people, 0.4, Ratio::new(1, 2)).expect("findings");
    assert_eq!(findings[0].confidence, AttackConfidence::Exact(Ratio::new(6, 11)));
}

#[test]
fn minimality_needs_all_people_and_one_bound() {
    let people = known("Engineer", 2);
    let none = run_minimality(&professionals(), &[], 0.6, Ratio::new(1, 1));
    assert!(obstacle(none).contains("raw quasi-identifiers"));
    assert!(obstacle(run_minimality(&professionals(), &people, 0.6, Ratio::new(1, 1))).contains("are not all known"));
    let no_bound = attack("minimality", &history(&[&professionals()]), Ratio::new(1, 1), &Arguments::default());
    assert!(no_bound.is_err_and(|error| error.to_string().contains("`values`")));
}

/// Example 5.1 with ages instead of jobs. An interval does not show the steps that led to it, so no step can be undone. Raw
/// numbers have no step to undo.
#[test]
fn minimality_of_numbers_is_not_checked() {
    let aged = |ages: &[&str]| -> Vec<KnownPerson> {
        let person =
            |age: &&str| KnownPerson { name: String::new(), facts: vec![("age".to_owned(), (*age).to_owned())] };
        ages.iter().map(person).collect()
    };
    let people = aged(&["20", "20", "35", "35", "35", "35", "35"]);
    let release = |ages: [&str; 7]| {
        let ills = ["HIV", "HIV", "Flu", "Flu", "Flu", "Flu", "Flu"];
        let rows: Vec<String> = ages.iter().zip(ills).map(|(age, ill)| format!("{age}, {ill}")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        unlinked(1, &[quasi("age").numbers(), sensitive("ill")], &rows)
    };
    let reason = obstacle(run_minimality(&release(["20-39"; 7]), &people, 0.6, Ratio::new(1, 1)));
    assert!(reason.contains("`age`") && reason.contains("last step"), "{reason}");
    let raw = release(["20", "20", "35", "35", "35", "35", "35"]);
    assert_eq!(run_minimality(&raw, &people, 0.6, Ratio::new(1, 1)).expect("findings").len(), 0);
    // The same holds for a masked text.
    let masked = unlinked(1, &[quasi("age"), sensitive("ill")], &["2*, HIV", "2*, Flu"]);
    let reason = obstacle(run_minimality(&masked, &aged(&["20", "21"]), 0.6, Ratio::new(1, 1)));
    assert!(reason.contains("`age`") || reason.contains("are not all known"), "{reason}");
}

/// If another class can have forced the step, the confidence is an estimate.
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
    let findings = run_minimality(&small, &people, 0.6, Ratio::new(1, 10)).expect("findings");
    // For the women, 2 of 6 worlds violate the bound. The male engineers have HIV with
    // (1 + 5 * 1/3) / (1 + 20 * 1/3) = 8/23.
    let men = findings.iter().find(|finding| finding.class[1].1 == "Male").expect("men");
    assert!((men.confidence.to_f64() - 8.0 / 23.0).abs() < 1e-12, "{:?}", men.confidence);
    assert!(matches!(men.confidence, AttackConfidence::Estimate(_)));
}

/// Two records with a suppressed bit: with equal bits, a minimal algorithm would have published them.
#[test]
fn downcoding_of_two() {
    assert_eq!(ways(2, &[2, 2]), Some((3, 1)));
    // Three records, three values, k = 3: all multisets except the three with equal values.
    assert_eq!(ways(3, &[3, 3, 3]), Some((10, 7)));
    // Four records, k = 2: two pairs of equal values would also have been published.
    assert_eq!(ways(4, &[2, 2]), Some((5, 2)));
    // Other records publish the first value, so that one record suffices: only two records of it and one of the other are suppressed.
    assert_eq!((ways(3, &[1, 2]), ways(2, &[1, 1])), (Some((4, 1)), Some((3, 0))));
    let bits = "*\n  0\n  1";
    let cols = [quasi("a").tree(bits), quasi("b"), quasi("c")];
    let small = unlinked(1, &cols, &["*, 0, 1", "*, 0, 1", "0, 1, 1", "0, 1, 1", "1, 1, 0", "1, 1, 0"]);
    let findings = certain("downcoding", &[&small]);
    assert_eq!((findings.len(), findings[0].people, findings[0].certain), (1, 2, true));
    assert!(findings[0].text.contains("1 possible completion instead of 3"), "{}", findings[0].text);
    // A fully suppressed column is not suppressed group by group.
    let all = unlinked(1, &cols, &["*, 0, 1", "*, 0, 1"]);
    assert!(certain("downcoding", &[&all]).is_empty());
    let several = linked(1, &[quasi("a"), quasi("b")], &[(1, "*, *"), (2, "*, *"), (3, "0, 1"), (4, "0, 1")]);
    let reason = obstacle(attack("downcoding", &history(&[&several]), Ratio::new(1, 1), &Arguments::default()));
    assert!(reason.contains("several suppressed cells"), "{reason}");
}
