//! Attacks on several releases, on the survey's examples of section 6 and the notes' small ones.

use super::small::{Col, Small, attack, brief, certain, history, linked, obstacle, quasi, sensitive, unlinked};
use crate::attacks::Confidence;
use crate::registry::{Argument, Arguments};
use crate::share::Share;

fn patients() -> [Col; 3] {
    [quasi("job"), quasi("sex"), sensitive("disease")]
}

/// The survey's table VIII: (a), (b) and (c). Persons 1 and 2 stay, 2 leaves before (c); 3 and 4 come.
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
    let found = certain("difference", &[&first, &second]);
    assert_eq!(found.len(), 1);
    assert_eq!(brief(&found[0]), ("Professional/Female".to_owned(), 1, "HIV".to_owned()));
    assert_eq!((found[0].releases.as_slice(), found[0].certain), ([1, 2].as_slice(), true));
    // The order of the releases does not matter, only who is in them.
    assert_eq!(certain("difference", &[&second, &first]).len(), 1);
    // Neither group covers the other.
    assert!(certain("difference", &[&first, &third]).is_empty());
}

/// The second release groups the same people across; only together do its groups cover the first.
#[test]
fn difference_of_groups_together() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b"), (3, "2, a"), (4, "2, b")]);
    let second = linked(2, &cols, &[(1, "5, a"), (3, "5, a"), (2, "6, b"), (4, "6, b"), (9, "6, c")]);
    let found = certain("difference", &[&first, &second]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].people, found[0].class.len()), (1, 0));
    assert!(found[0].words.starts_with("1 person of 2 groups together has"), "{}", found[0].words);
}

/// Who has several records: the second one is what is left.
#[test]
fn difference_counts_records() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b")]);
    let second = linked(2, &cols, &[(1, "1, a"), (2, "1, b"), (2, "1, c"), (3, "1, c")]);
    let found = certain("difference", &[&first, &second]);
    assert_eq!((found[0].people, found[0].records), (2, Some(2)));
}

/// What compares people's values rests on their staying the same: where they did not, nothing was found out, and that is said.
#[test]
fn a_value_that_changed_is_an_obstacle() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b")]);
    let changed = linked(2, &cols, &[(1, "1, x"), (2, "1, y"), (3, "1, c")]);
    for id in ["difference", "intersection", "critical-absence"] {
        let why = obstacle(attack(id, &history(&[&first, &changed]), Share::new(1, 1), &Arguments::default()));
        assert!(why.contains("`ill` of somebody") && why.contains("changed"), "{id}: {why}");
    }
    // The values are those that were there, but not of those who have them: only the groups say so.
    let first = linked(1, &cols, &[(1, "1, a"), (2, "2, b")]);
    let turned = linked(2, &cols, &[(1, "1, b"), (2, "2, a")]);
    for id in ["intersection", "forward-correspondence", "cross-correspondence"] {
        let why = obstacle(attack(id, &history(&[&first, &turned]), Share::new(1, 1), &Arguments::default()));
        assert!(why.contains("changed"), "{id}: {why}");
    }
}

/// A rough value that fits both of two finer ones, which do not fit each other: there is no value, and none is certain.
#[test]
fn a_rough_value_does_not_hide_that_another_changed() {
    let cols = [quasi("zip"), sensitive("ill").tree("ill\n  lung\n    flu\n    asthma\n  gut\n  hiv\n  gout")];
    let rough = linked(1, &cols, &[(1, "1, lung"), (2, "1, gut")]);
    let one = linked(2, &cols, &[(1, "1, flu"), (3, "1, hiv")]);
    let other = linked(3, &cols, &[(1, "1, asthma"), (4, "1, gout")]);
    for order in [[&rough, &one, &other], [&one, &rough, &other], [&one, &other, &rough]] {
        let all = attack("intersection", &history(&order), Share::new(1, 1), &Arguments::default());
        let why = obstacle(all);
        assert!(why.contains("`ill` of somebody changed"), "{why}");
    }
}

/// Whoever compares only releases of which one has everybody of the other says which it did not compare.
#[test]
fn releases_that_are_not_compared_are_named() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (2, "1, b")]);
    let second = linked(2, &cols, &[(1, "1, a"), (2, "1, b"), (3, "1, c")]);
    let third = linked(3, &cols, &[(1, "1, a"), (4, "1, b")]);
    for id in ["forward-correspondence", "complementary-release"] {
        assert_eq!(certain(id, &[&first, &second]), [], "{id}");
        let all = attack(id, &history(&[&first, &second, &third]), Share::new(1, 1), &Arguments::default());
        let why = obstacle(all);
        assert!(why.contains("release 2") && why.contains("release 3"), "{id}: {why}");
    }
}

#[test]
fn intersection_example_6_4() {
    let [first, _, third] = continuous();
    let found = certain("intersection", &[&first, &third]);
    assert_eq!(
        found.iter().map(brief).collect::<Vec<_>>(),
        [("Professional/Female".to_owned(), 1, "Cancer".to_owned())]
    );
    assert_eq!(found[0].releases, [1, 3]);
}

#[test]
fn intersection_of_two_hospitals() {
    let cols = [quasi("zip"), sensitive("ill")];
    let one = linked(1, &cols, &[(1, "130**, AIDS"), (2, "130**, TB"), (3, "130**, Flu")]);
    let other = linked(2, &cols, &[(1, "13***, AIDS"), (5, "13***, Cancer"), (6, "13***, Asthma")]);
    let found = certain("intersection", &[&one, &other]);
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), [("13***".to_owned(), 1, "AIDS".to_owned())]);
    // Two values left are no certainty, and are found when asked for.
    let wider = linked(2, &cols, &[(1, "13***, AIDS"), (5, "13***, TB"), (6, "13***, Asthma")]);
    assert!(certain("intersection", &[&one, &wider]).is_empty());
    let half = attack("intersection", &history(&[&one, &wider]), Share::new(1, 2), &Arguments::default());
    assert_eq!(half.expect("findings")[0].confidence, Confidence::Exact(Share::new(1, 2)));
}

/// One release says it more roughly: the finer one counts the values.
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
    // Alone the rough release leaves two values of the finer one, though it has one.
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
    let found = certain("critical-absence", &[&first, &second]);
    // Bob stays in the group of both; his value is certain from either side.
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|finding| brief(finding).2 == "dyspepsia" && finding.people == 1));
    // Somebody else with bronchitis, in whatever group, and it may still be his.
    let counterfeit =
        linked(2, &cols, &[(1, "1, dyspepsia"), (3, "1, gastritis"), (7, "2, bronchitis"), (8, "2, flu")]);
    let found = certain("critical-absence", &[&first, &counterfeit]);
    assert!(found.iter().all(|finding| !finding.words.contains("in release 1 has")), "{found:?}");
}

/// Of people with several records nobody can tell which is meant: that is no pass.
#[test]
fn several_records_are_left_out_and_said() {
    let cols = [quasi("zip"), sensitive("ill")];
    let first = linked(1, &cols, &[(1, "1, a"), (1, "1, b"), (2, "1, b")]);
    let second = linked(2, &cols, &[(1, "1, a"), (2, "1, b")]);
    for id in ["intersection", "critical-absence"] {
        let why = obstacle(attack(id, &history(&[&first, &second]), Share::new(1, 1), &Arguments::default()));
        assert!(why.contains("several records in release 1"), "{why}");
    }
}

#[test]
fn comparing_needs_people_and_a_second_release() {
    let [mut first, second, _] = continuous();
    first.held.links = None;
    let none = Arguments::default();
    for id in ["difference", "intersection", "critical-absence"] {
        let why = obstacle(attack(id, &history(&[&first, &second]), Share::new(1, 1), &none));
        assert!(why.contains("release 1"), "{why}");
        let why = obstacle(attack(id, &history(&[&second]), Share::new(1, 1), &none));
        assert!(why.contains("only one"), "{why}");
    }
}

/// The survey's tables VI: ages with jobs, and jobs with birthplaces and diseases.
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
    let found = certain("join", &[&first, &second]);
    let of = |class: &str| found.iter().filter(|finding| brief(finding).0 == class).collect::<Vec<_>>();
    // {30, US} has four pairs of records, of two people, and all with cancer.
    let lawyers = of("30/US");
    assert_eq!((lawyers.len(), lawyers[0].records, brief(lawyers[0]).1), (1, Some(4), 2));
    assert_eq!(
        lawyers[0].words,
        "2 people of age 30 / US have one and the same disease when release 1 and release 2 are joined on job"
    );
    // {40, France}, {50, France} and {50, US} lead to one record of each release; who is from the UK was alone before.
    let singled: Vec<_> =
        found.iter().filter(|finding| finding.column.is_none()).map(|finding| brief(finding).0).collect();
    assert_eq!(singled, ["40/France", "50/France", "50/US"]);
    assert!(of("40/UK").is_empty());
    // Whoever knows the job too needs no join.
    let on = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let arguments = Arguments::default().set("on", Argument::Words(names));
        attack("join", &history(&[&first, &second]), Share::new(1, 1), &arguments)
    };
    assert!(on(&["age"]).expect("findings").iter().all(|finding| finding.class.len() == 1));
    assert!(obstacle(on(&["shoe size"])).contains("no two releases"));
}
