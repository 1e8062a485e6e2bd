//! Attacks on one release, on table II of the survey and small examples of the notes. Expected values are those of the papers.

use super::small::{attack, brief, certain, history, obstacle, quasi, sensitive, unlinked};
use super::{external, release_of, three_anonymous};
use crate::attacks::skewness::Skew;
use crate::attacks::{AttackConfidence, AttackInput, Findings, run};
use crate::ratio::Ratio;
use crate::registry::{Argument, Arguments};
use crate::release::classes::EquivalenceClass;
use crate::release::history::{ErasedRelease, History};
use crate::release::recoding::Recoding;

fn expected(list: &[(&str, u64, &str)]) -> Vec<(String, u64, String)> {
    list.iter().map(|(class, people, value)| ((*class).to_owned(), *people, (*value).to_owned())).collect()
}

#[test]
fn homogeneity_of_table_2() {
    let raw = History::single(release_of(Recoding::identity));
    let none = Arguments::default();
    let findings = attack("homogeneity", &raw, Ratio::new(1, 1), &none).expect("findings");
    let brief: Vec<_> = findings.iter().map(brief).collect();
    let dancers = ("Dancer/Female/30", 2, "HIV");
    let engineers = [("Engineer/Male/35", 1, "Hepatitis"), ("Engineer/Male/38", 1, "Hepatitis")];
    assert_eq!(brief, expected(&[dancers, engineers[0], engineers[1], ("Lawyer/Male/38", 1, "HIV")]));
    assert!(findings.iter().all(|finding| finding.certain && finding.confidence == AttackConfidence::CERTAIN));
    assert_eq!(findings[0].text, "2 people of Dancer / Female / Age 30 have the same Disease in the release");
    let general = History::single(release_of(three_anonymous));
    assert!(attack("homogeneity", &general, Ratio::new(1, 1), &none).expect("findings").is_empty());
}

/// Two values, one of which the attacker rules out.
#[test]
fn background_knowledge_leaves_one_value() {
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, heart", "1, heart", "1, viral", "1, viral"]);
    assert!(certain("homogeneity", &[&small]).is_empty());
    let arguments = Arguments::default().set("ruled-out", Argument::Number(1.0));
    let findings = attack("homogeneity", &history(&[&small]), Ratio::new(1, 1), &arguments).expect("findings");
    assert_eq!((findings.len(), findings[0].people, findings[0].certain), (1, 4, false));
}

#[test]
fn attribute_linkage_from_the_list() {
    let general = History::single(release_of(three_anonymous));
    let none = Arguments::default();
    let findings = attack("attribute-linkage", &general, Ratio::new(2, 3), &none).expect("findings");
    let confidences: Vec<AttackConfidence> = findings.iter().map(|finding| finding.confidence).collect();
    assert_eq!(confidences, [(3, 4), (2, 3)].map(|(a, b)| AttackConfidence::Exact(Ratio::new(a, b))));
    let brief: Vec<_> = findings.iter().map(brief).collect();
    assert_eq!(brief, expected(&[("Artist/Female/[30,35)", 4, "HIV"), ("Professional/Male/[35,40)", 3, "Hepatitis")]));
}

#[test]
fn record_linkage_from_the_list() {
    let raw = History::single(release_of(Recoding::identity));
    let people = external();
    let arguments = Arguments::default();
    let input = AttackInput {
        history: &raw,
        people: &people,
        confidence: Ratio::new(1, 1),
        rows: &[],
        time_varying: &[],
        arguments: &arguments,
    };
    let findings = run("record-linkage", &input).expect("findings");
    // Bob, Doug and Fred are singled out. The HIV of Doug, Emily and Gladys is certain.
    let singled_out: u64 =
        findings.iter().filter(|finding| finding.column.is_none()).map(|finding| finding.people).sum();
    assert_eq!(singled_out, 3);
    let hiv = findings.iter().filter(|finding| finding.value.as_ref().is_some_and(|value| value.label == "HIV"));
    assert_eq!(hiv.map(|finding| finding.people).sum::<u64>(), 3);
    assert!(findings.iter().all(|finding| people.iter().all(|person| !finding.text.contains(&person.name))));
    // The attack needs an external table.
    let reason = obstacle(run("record-linkage", &AttackInput { people: &[], ..input }));
    assert!(reason.contains("external table"), "{reason}");
}

#[test]
fn table_linkage_from_the_list() {
    let general = History::single(release_of(three_anonymous));
    let people = external();
    let arguments = Arguments::default();
    let input = AttackInput {
        history: &general,
        people: &people,
        confidence: Ratio::new(3, 4),
        rows: &[],
        time_varying: &[],
        arguments: &arguments,
    };
    let findings = run("table-linkage", &input).expect("findings");
    let presence: Vec<_> = findings.iter().map(|finding| (finding.people, finding.confidence)).collect();
    let exact = |a, b| AttackConfidence::Exact(Ratio::new(a, b));
    assert_eq!(presence, [(5, exact(4, 5)), (4, exact(3, 4))]);
    // In the raw release, Henry and Irene are absent and the others are present.
    let raw = History::single(release_of(Recoding::identity));
    let findings =
        run("table-linkage", &AttackInput { history: &raw, confidence: Ratio::new(1, 1), ..input }).expect("findings");
    let absent: Vec<_> = findings.iter().filter(|finding| finding.text.contains("not to be")).collect();
    assert_eq!((absent.len(), absent[0].people), (1, 2));
    assert_eq!(findings.iter().map(|finding| finding.people).sum::<u64>(), 9);
    // The external table must cover the release.
    let reason = obstacle(run("table-linkage", &AttackInput { people: &people[..3], ..input }));
    assert!(reason.contains("cover"), "{reason}");
}

/// Equal suppressed cells are no disclosure.
#[test]
fn suppressed_values_are_not_disclosed() {
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, *", "1, *", "2, a", "2, b"]);
    for id in ["homogeneity", "attribute-linkage"] {
        assert!(certain(id, &[&small]).is_empty(), "{id}");
    }
}

/// An attack without findings is an error if part of the history could not be checked.
#[test]
fn erased_releases_are_reported_as_unchecked() {
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, a", "1, b"]);
    let mut history = history(&[&small]);
    let none = Arguments::default();
    assert_eq!(attack("homogeneity", &history, Ratio::new(1, 1), &none), Ok(Findings::default()));
    history.erased.push(ErasedRelease {
        number: 2,
        name: "autumn".to_owned(),
        date: String::new(),
        recipients: Vec::new(),
        columns: Vec::new(),
        erased: String::new(),
        population: false,
    });
    assert!(obstacle(attack("homogeneity", &history, Ratio::new(1, 1), &none)).contains("release 2 autumn"));
    // Findings are reported together with the unchecked part.
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, a", "1, a"]);
    history.releases = vec![small.recorded.clone()];
    let findings = attack("homogeneity", &history, Ratio::new(1, 1), &none).unwrap();
    assert_eq!(
        (findings.len(), findings.not_checked.is_some_and(|reason| reason.contains("release 2 autumn"))),
        (1, true)
    );
    assert!(attack("homogenity", &history, Ratio::new(1, 1), &none).is_err_and(|e| e.to_string().contains("did you")));
}

/// A value has share 1/2 in a group and 1/20 in the release: gain 9, total variation distance 9/20.
#[test]
fn skewness_of_a_rare_value() {
    let mut rows = vec!["1, HIV", "1, HIV", "1, none", "1, none"];
    rows.extend(["2, HIV", "2, HIV"]);
    rows.extend([["2, none"; 20], ["3, none"; 20], ["4, none"; 20]].concat());
    rows.extend(["5, none"; 14]);
    assert_eq!(rows.len(), 80);
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &rows);
    let findings = certain("skewness", &[&small]);
    assert_eq!(findings.iter().map(brief).collect::<Vec<_>>(), expected(&[("1", 4, "HIV")]));
    assert_eq!((findings[0].confidence, findings[0].certain), (AttackConfidence::Exact(Ratio::new(1, 2)), false));
    assert!(
        findings[0].text.starts_with("a value of ill is 10 times as frequent among 4 people of zip 1 "),
        "{}",
        findings[0].text
    );
    let (group, whole) = ([(0, 2), (1, 2)], [(0, 4), (1, 76)]);
    let (group, whole) = (EquivalenceClass { size: 4, counts: &group }, EquivalenceClass { size: 80, counts: &whole });
    let skew = Skew::new(0, 2, &group, &whole).expect("a skew");
    assert_eq!((skew.gain, skew.distance), (Ratio::new(9, 1), Ratio::new(9, 20)));
    assert_eq!(Skew::new(1, 2, &group, &whole), None);
}

/// Salaries from 3 to 11 thousand: {3,4,5} is a narrow interval, {6,8,11} is not.
#[test]
fn similarity_of_salaries() {
    let rows = ["1, 3", "1, 4", "1, 5", "2, 6", "2, 8", "2, 11", "3, 7", "3, 9", "3, 10"];
    let small = unlinked(1, &[quasi("zip"), sensitive("salary").numbers()], &rows);
    let findings = certain("similarity", &[&small]);
    assert_eq!(findings.iter().map(brief).collect::<Vec<_>>(), expected(&[("1", 3, "[3,5]")]));
    // (7, 50)-anonymous, but nine of ten values lie in [30,35].
    let rows = ["1, 30", "1, 30", "1, 31", "1, 31", "1, 32", "1, 33", "1, 34", "1, 35", "1, 35", "1, 80"];
    let small = unlinked(1, &[quasi("zip"), sensitive("salary").numbers()], &rows);
    assert!(certain("similarity", &[&small]).is_empty());
    let findings =
        attack("similarity", &history(&[&small]), Ratio::new(9, 10), &Arguments::default()).expect("findings");
    assert_eq!(findings[0].confidence, AttackConfidence::Exact(Ratio::new(9, 10)));
    assert_eq!((brief(&findings[0]).2.as_str(), findings[0].records), ("[30,35]", Some(9)));
}

#[test]
fn similarity_of_illnesses() {
    let tree = "ill\n  lung\n    flu\n    asthma\n  gut\n    ulcer\n    colic\n  hiv";
    let cols = [quasi("zip"), sensitive("ill").tree(tree)];
    let small = unlinked(1, &cols, &["1, ulcer", "1, colic", "2, ulcer", "2, flu", "2, hiv"]);
    let findings = certain("similarity", &[&small]);
    assert_eq!(findings.iter().map(brief).collect::<Vec<_>>(), expected(&[("1", 2, "gut")]));
    let flat = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, ulcer", "1, colic"]);
    let reason = obstacle(attack("similarity", &history(&[&flat]), Ratio::new(1, 1), &Arguments::default()));
    assert!(reason.contains("taxonomy"), "{reason}");
    // A column without a taxonomy is reported even if another column can be checked.
    let cols = [quasi("zip"), sensitive("ill").tree(tree), sensitive("drug")];
    let both = unlinked(1, &cols, &["1, ulcer, p", "1, flu, q"]);
    let reason = obstacle(attack("similarity", &history(&[&both]), Ratio::new(1, 1), &Arguments::default()));
    assert!(reason.contains("`drug`") && !reason.contains("`ill`"), "{reason}");
}
