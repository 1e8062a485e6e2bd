//! Attacks on several releases, on the examples of section 6 of the survey and small examples of the notes.

use super::small::{Col, Small, attack, brief, certain, history, linked, obstacle, quasi, sensitive, unlinked};
use crate::attacks::AttackConfidence;
use crate::ratio::Ratio;
use crate::registry::{Argument, Arguments};

fn patients() -> [Col; 3] {
    [quasi("job"), quasi("sex"), sensitive("disease")]
}

/// Tables VIII (a), (b) and (c) of the survey. Person 3 is in (b) only; in (c), person 4 replaces person 2.
fn continuous() -> [Small; 3] {
    let cancer = (1, "Professional, Female, Cancer");
    let diabetes = (2, "Professional, Female, Diabetes");
    [
        linked(1, &patients(), &[cancer, diabetes]),
        linked(2, &patients(), &[cancer, diabetes, (3, "Professional, Female, HIV")]),
        linked(3, &patients(), &[cancer, (4, "Professional, Female, Fever")]),
    ]
}

#[test]
fn difference_example_6_3() {
    let [first, second, third] = continuous();
    let findings = certain("difference", &[&first, &second]);
    assert_eq!(findings.len(), 1);
    assert_eq!(brief(&findings[0]), ("Professional/Female".to_owned(), 1, "HIV".to_owned()));
    assert_eq!((findings[0].releases.as_slice(), findings[0].certain), ([1, 2].as_slice(), true));
    // The order of the releases does not matter.
    assert_eq!(certain("difference", &[&second, &first]).len(), 1);
    // Neither group covers the other.
    assert!(certain("difference", &[&first, &third]).is_empty());
}

/// The second release groups the same people differently; only two of its groups combined cover the first release.
#[test]
fn difference_of_several_groups_combined() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b"), (3, "2, a"), (4, "2, b")]);
    let second = linked(2, &cols, &[(1, "5, a"), (3, "5, a"), (2, "6, b"), (4, "6, b"), (9, "6, c")]);
    let findings = certain("difference", &[&first, &second]);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].people, findings[0].class.len()), (1, 0));
    assert!(
        findings[0].text.starts_with("the ill of 1 person of 2 groups combined can be inferred"),
        "{}",
        findings[0].text
    );
}

/// The additional record of a person with several records remains after the subtraction.
#[test]
fn difference_counts_records() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b")]);
    let second = linked(2, &cols, &[(1, "1, a"), (2, "1, b"), (2, "1, c"), (3, "1, c")]);
    let findings = certain("difference", &[&first, &second]);
    assert_eq!((findings[0].people, findings[0].records), (2, Some(2)));
}

/// Attacks that compare values assume that they do not change. If a value changed, the attack reports it and infers nothing.
#[test]
fn a_changed_value_prevents_the_comparison() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b")]);
    let changed = linked(2, &cols, &[(1, "1, x"), (2, "1, y"), (3, "1, c")]);
    for id in ["difference", "intersection", "critical-absence"] {
        let reason = obstacle(attack(id, &history(&[&first, &changed]), Ratio::new(1, 1), &Arguments::default()));
        assert!(reason.contains("the `ill` of some person") && reason.contains("changed"), "{id}: {reason}");
    }
    // Both releases have the same values, with swapped owners: only the groups show the change.
    let first = linked(1, &cols, &[(1, "1, a"), (2, "2, b")]);
    let turned = linked(2, &cols, &[(1, "1, b"), (2, "2, a")]);
    for id in ["intersection", "forward-correspondence", "cross-correspondence"] {
        let reason = obstacle(attack(id, &history(&[&first, &turned]), Ratio::new(1, 1), &Arguments::default()));
        assert!(reason.contains("changed"), "{id}: {reason}");
    }
}

/// A generalized value is compatible with two values that exclude each other: no value remains, and none is certain.
#[test]
fn a_generalized_value_does_not_mask_a_changed_value() {
    let cols = [quasi("zip"), sensitive("ill").tree("ill\n  lung\n    flu\n    asthma\n  gut\n  hiv\n  gout")];
    let rough = linked(1, &cols, &[(1, "1, lung"), (2, "1, gut")]);
    let one = linked(2, &cols, &[(1, "1, flu"), (3, "1, hiv")]);
    let other = linked(3, &cols, &[(1, "1, asthma"), (4, "1, gout")]);
    for order in [[&rough, &one, &other], [&one, &rough, &other], [&one, &other, &rough]] {
        let all = attack("intersection", &history(&order), Ratio::new(1, 1), &Arguments::default());
        let reason = obstacle(all);
        assert!(reason.contains("the `ill` of some person changed"), "{reason}");
    }
}

/// Attacks that need a release with all people of another report the pairs that they do not compare.
#[test]
fn uncompared_releases_are_reported() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b")]);
    let second = linked(2, &cols, &[(1, "1, a"), (2, "1, b"), (3, "1, c")]);
    let third = linked(3, &cols, &[(1, "1, a"), (4, "1, b")]);
    for id in ["forward-correspondence", "complementary-release"] {
        assert_eq!(certain(id, &[&first, &second]), [], "{id}");
        let all = attack(id, &history(&[&first, &second, &third]), Ratio::new(1, 1), &Arguments::default());
        let reason = obstacle(all);
        assert!(reason.contains("release 2") && reason.contains("release 3"), "{id}: {reason}");
    }
}

#[test]
fn intersection_example_6_4() {
    let [first, _, third] = continuous();
    let findings = certain("intersection", &[&first, &third]);
    assert_eq!(
        findings.iter().map(brief).collect::<Vec<_>>(),
        [("Professional/Female".to_owned(), 1, "Cancer".to_owned())]
    );
    assert_eq!(findings[0].releases, [1, 3]);
}

#[test]
fn intersection_of_two_hospitals() {
    let cols = [quasi("zip"), sensitive("ill")];
    let one = linked(1, &cols, &[(1, "130**, AIDS"), (2, "130**, TB"), (3, "130**, Flu")]);
    let other = linked(2, &cols, &[(1, "13***, AIDS"), (5, "13***, Cancer"), (6, "13***, Asthma")]);
    let found = certain("intersection", &[&one, &other]);
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), [("13***".to_owned(), 1, "AIDS".to_owned())]);
    // Two remaining values: found with minimum confidence 1/2.
    let wider = linked(2, &cols, &[(1, "13***, AIDS"), (5, "13***, TB"), (6, "13***, Asthma")]);
    assert!(certain("intersection", &[&one, &wider]).is_empty());
    let half = attack("intersection", &history(&[&one, &wider]), Ratio::new(1, 2), &Arguments::default());
    assert_eq!(half.expect("findings")[0].confidence, AttackConfidence::Exact(Ratio::new(1, 2)));
}

/// If one release generalizes values, the finer release determines the number of values.
#[test]
fn intersection_across_levels() {
    let tree = "ill\n  lung\n    flu\n    asthma\n  gut\n    ulcer\n  hiv";
    let cols = [quasi("zip"), sensitive("ill").tree(tree)];
    let rough = linked(1, &cols, &[(1, "1, lung"), (2, "1, gut")]);
    let fine = linked(2, &cols, &[(1, "1, flu"), (3, "1, hiv"), (4, "1, hiv")]);
    assert_eq!(
        certain("intersection", &[&rough, &fine]).iter().map(brief).collect::<Vec<_>>(),
        [("1".to_owned(), 1, "flu".to_owned())]
    );
    // The generalized release has one value, which is compatible with two values of the finer one.
    let lungs = linked(1, &cols, &[(1, "1, lung"), (2, "1, lung")]);
    let more = linked(2, &cols, &[(1, "1, flu"), (4, "1, hiv"), (5, "2, asthma"), (6, "2, hiv")]);
    assert_eq!(certain("intersection", &[&lungs, &more]).len(), 1);
    let two = linked(2, &cols, &[(1, "1, flu"), (3, "1, asthma"), (4, "1, hiv")]);
    assert!(certain("intersection", &[&rough, &two]).is_empty());
}

#[test]
fn critical_absence_of_bronchitis() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, dyspepsia"), (2, "1, bronchitis")]);
    let second = linked(2, &cols, &[(1, "1, dyspepsia"), (3, "1, gastritis")]);
    let findings = certain("critical-absence", &[&first, &second]);
    // Bob is in both releases; his value is certain from either release.
    assert_eq!(findings.len(), 2);
    assert!(findings.iter().all(|finding| brief(finding).2 == "dyspepsia" && finding.people == 1));
    // A record with bronchitis in any group of the second release keeps it possible.
    let counterfeit =
        linked(2, &cols, &[(1, "1, dyspepsia"), (3, "1, gastritis"), (7, "2, bronchitis"), (8, "2, flu")]);
    let findings = certain("critical-absence", &[&first, &counterfeit]);
    assert!(findings.iter().all(|finding| !finding.text.contains("in release 1 has")), "{findings:?}");
}

/// The attack does not check people with several records, and an unchecked part is not reported as safe.
#[test]
fn people_with_several_records_are_reported_as_unchecked() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (1, "1, b"), (2, "1, b")]);
    let second = linked(2, &cols, &[(1, "1, a"), (2, "1, b")]);
    for id in ["intersection", "critical-absence"] {
        let reason = obstacle(attack(id, &history(&[&first, &second]), Ratio::new(1, 1), &Arguments::default()));
        assert!(reason.contains("several records in release 1"), "{reason}");
    }
}

#[test]
fn comparison_needs_owner_links_and_two_releases() {
    let [mut first, second, _] = continuous();
    first.recorded.links = None;
    let none = Arguments::default();
    for id in ["difference", "intersection", "critical-absence"] {
        let reason = obstacle(attack(id, &history(&[&first, &second]), Ratio::new(1, 1), &none));
        assert!(reason.contains("release 1"), "{reason}");
        let reason = obstacle(attack(id, &history(&[&second]), Ratio::new(1, 1), &none));
        assert!(reason.contains("only one"), "{reason}");
    }
}

/// Tables VI of the survey: ages with jobs, and jobs with birthplaces and diseases.
fn sequential() -> (Small, Small) {
    let ages = ["30, Lawyer", "30, Lawyer", "40, Carpenter", "40, Electrician", "50, Engineer", "50, Clerk"];
    let births = [
        "Lawyer, US, Cancer",
        "Lawyer, US, Cancer",
        "Carpenter, France, HIV",
        "Electrician, UK, Cancer",
        "Engineer, France, HIV",
        "Clerk, US, HIV",
    ];
    let first = unlinked(1, &[quasi("age"), quasi("job")], &ages);
    (first, unlinked(2, &[quasi("job"), quasi("birthplace"), sensitive("disease")], &births))
}

#[test]
fn join_examples_6_1_and_6_2() {
    let (first, second) = sequential();
    let findings = certain("join", &[&first, &second]);
    let of = |class: &str| findings.iter().filter(|finding| brief(finding).0 == class).collect::<Vec<_>>();
    // {30, US} matches four pairs of records of two people, all with cancer.
    let lawyers = of("30/US");
    assert_eq!((lawyers.len(), lawyers[0].records, brief(lawyers[0]).1), (1, Some(4), 2));
    assert_eq!(
        lawyers[0].text,
        "the disease of 2 people of age 30 / US can be inferred with certainty when release 1 and release 2 are joined on job"
    );
    // {40, France}, {50, France} and {50, US} match one record of each release; UK is unique in the second release already.
    let singled_out: Vec<_> =
        findings.iter().filter(|finding| finding.column.is_none()).map(|finding| brief(finding).0).collect();
    assert_eq!(singled_out, ["40/France", "50/France", "50/US"]);
    assert!(of("40/UK").is_empty());
    // The known columns can be chosen, and must exist.
    let on = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let arguments = Arguments::default().set("on", Argument::Words(names));
        attack("join", &history(&[&first, &second]), Ratio::new(1, 1), &arguments)
    };
    assert!(on(&["age"]).expect("findings").iter().all(|finding| finding.class.len() == 1));
    assert!(obstacle(on(&["shoe size"])).contains("no two releases"));
}
