//! Attacks on one release, on the survey's table II and on the notes' small ones. Expected values are the papers'.

use super::small::{attack, brief, certain, history, obstacle, quasi, sensitive, unlinked};
use super::{external, release_of, three_anonymous};
use crate::attacks::skewness::Skew;
use crate::attacks::{Confidence, Findings, Scene, run};
use crate::classes::Group;
use crate::history::{History, Lost};
use crate::recoding::Recoding;
use crate::registry::{Argument, Arguments};
use crate::share::Share;

fn expected(list: &[(&str, u64, &str)]) -> Vec<(String, u64, String)> {
    list.iter().map(|(class, people, value)| ((*class).to_owned(), *people, (*value).to_owned())).collect()
}

#[test]
fn homogeneity_of_table_2() {
    let raw = History::single(release_of(Recoding::identity));
    let none = Arguments::default();
    let found = attack("homogeneity", &raw, Share::new(1, 1), &none).expect("findings");
    let brief: Vec<_> = found.iter().map(brief).collect();
    let dancers = ("Dancer/Female/30", 2, "HIV");
    let engineers = [("Engineer/Male/35", 1, "Hepatitis"), ("Engineer/Male/38", 1, "Hepatitis")];
    assert_eq!(brief, expected(&[dancers, engineers[0], engineers[1], ("Lawyer/Male/38", 1, "HIV")]));
    assert!(found.iter().all(|finding| finding.certain && finding.confidence == Confidence::CERTAIN));
    assert_eq!(found[0].words, "2 people of Dancer / Female / Age 30 have one and the same Disease in the release");
    let general = History::single(release_of(three_anonymous));
    assert!(attack("homogeneity", &general, Share::new(1, 1), &none).expect("findings").is_empty());
}

/// Two values, of which the attacker rules one out.
#[test]
fn background_knowledge_leaves_one() {
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, heart", "1, heart", "1, viral", "1, viral"]);
    assert!(certain("homogeneity", &[&small]).is_empty());
    let knows = Arguments::default().set("ruled-out", Argument::Number(1.0));
    let found = attack("homogeneity", &history(&[&small]), Share::new(1, 1), &knows).expect("findings");
    assert_eq!((found.len(), found[0].people, found[0].certain), (1, 4, false));
}

#[test]
fn attribute_linkage_from_the_list() {
    let general = History::single(release_of(three_anonymous));
    let none = Arguments::default();
    let found = attack("attribute-linkage", &general, Share::new(2, 3), &none).expect("findings");
    let confidences: Vec<Confidence> = found.iter().map(|finding| finding.confidence).collect();
    assert_eq!(confidences, [(3, 4), (2, 3)].map(|(a, b)| Confidence::Exact(Share::new(a, b))));
    let brief: Vec<_> = found.iter().map(brief).collect();
    assert_eq!(brief, expected(&[("Artist/Female/[30,35)", 4, "HIV"), ("Professional/Male/[35,40)", 3, "Hepatitis")]));
}

#[test]
fn record_linkage_from_the_list() {
    let raw = History::single(release_of(Recoding::identity));
    let people = external();
    let arguments = Arguments::default();
    let scene = Scene {
        history: &raw,
        people: &people,
        confidence: Share::new(1, 1),
        rows: &[],
        varies: &[],
        arguments: &arguments,
    };
    let found = run("record-linkage", &scene).expect("findings");
    // Bob, Doug and Fred are singled out; Doug's, Emily's and Gladys's HIV is certain, and so is Bob's and Fred's disease.
    let singled: u64 = found.iter().filter(|finding| finding.column.is_none()).map(|finding| finding.people).sum();
    assert_eq!(singled, 3);
    let hiv = found.iter().filter(|finding| finding.value.as_ref().is_some_and(|value| value.label == "HIV"));
    assert_eq!(hiv.map(|finding| finding.people).sum::<u64>(), 3);
    assert!(found.iter().all(|finding| people.iter().all(|person| !finding.words.contains(&person.name))));
    // Without a list of people there is nothing to link.
    let why = obstacle(run("record-linkage", &Scene { people: &[], ..scene }));
    assert!(why.contains("external list"), "{why}");
}

#[test]
fn table_linkage_from_the_list() {
    let general = History::single(release_of(three_anonymous));
    let people = external();
    let arguments = Arguments::default();
    let scene = Scene {
        history: &general,
        people: &people,
        confidence: Share::new(3, 4),
        rows: &[],
        varies: &[],
        arguments: &arguments,
    };
    let found = run("table-linkage", &scene).expect("findings");
    let said: Vec<_> = found.iter().map(|finding| (finding.people, finding.confidence)).collect();
    let exact = |a, b| Confidence::Exact(Share::new(a, b));
    assert_eq!(said, [(5, exact(4, 5)), (4, exact(3, 4))]);
    // On the raw release Henry and Irene are absent, and the others present.
    let raw = History::single(release_of(Recoding::identity));
    let found =
        run("table-linkage", &Scene { history: &raw, confidence: Share::new(1, 1), ..scene }).expect("findings");
    let absent: Vec<_> = found.iter().filter(|finding| finding.words.contains("not to be")).collect();
    assert_eq!((absent.len(), absent[0].people), (1, 2));
    assert_eq!(found.iter().map(|finding| finding.people).sum::<u64>(), 9);
    // A list that does not cover the release says nothing.
    let why = obstacle(run("table-linkage", &Scene { people: &people[..3], ..scene }));
    assert!(why.contains("cover"), "{why}");
}

/// Cells that say nothing give nothing away, however many are alike.
#[test]
fn hidden_values_are_no_values() {
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, *", "1, *", "2, a", "2, b"]);
    for id in ["homogeneity", "attribute-linkage"] {
        assert!(certain(id, &[&small]).is_empty(), "{id}");
    }
}

/// That nothing was found is only said when everything could be looked at.
#[test]
fn what_is_gone_is_not_called_safe() {
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, a", "1, b"]);
    let mut history = history(&[&small]);
    let none = Arguments::default();
    assert_eq!(attack("homogeneity", &history, Share::new(1, 1), &none), Ok(Findings::default()));
    history.lost.push(Lost {
        number: 2,
        name: "autumn".to_owned(),
        date: String::new(),
        recipients: Vec::new(),
        columns: Vec::new(),
        erased: String::new(),
    });
    assert!(obstacle(attack("homogeneity", &history, Share::new(1, 1), &none)).contains("release 2 autumn"));
    // What was found is told beside it.
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, a", "1, a"]);
    history.releases = vec![small.held.clone()];
    let found = attack("homogeneity", &history, Share::new(1, 1), &none).unwrap();
    assert_eq!((found.len(), found.not_checked.is_some_and(|why| why.contains("release 2 autumn"))), (1, true));
    assert!(attack("homogenity", &history, Share::new(1, 1), &none).is_err_and(|e| e.to_string().contains("did you")));
}

/// Half of a group has what one in twenty of all has: nine times more than expected on top, and 9/20 away.
#[test]
fn skewness_of_a_rare_value() {
    let mut rows = vec!["1, HIV", "1, HIV", "1, none", "1, none"];
    rows.extend(["2, HIV", "2, HIV"]);
    rows.extend([["2, none"; 20], ["3, none"; 20], ["4, none"; 20]].concat());
    rows.extend(["5, none"; 14]);
    assert_eq!(rows.len(), 80);
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &rows);
    let found = certain("skewness", &[&small]);
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), expected(&[("1", 4, "HIV")]));
    assert_eq!((found[0].confidence, found[0].certain), (Confidence::Exact(Share::new(1, 2)), false));
    assert!(
        found[0].words.starts_with("a value of ill is 10 times as common among 4 people of zip 1 "),
        "{}",
        found[0].words
    );
    let (group, whole) = ([(0, 2), (1, 2)], [(0, 4), (1, 76)]);
    let (group, whole) = (Group { size: 4, counts: &group }, Group { size: 80, counts: &whole });
    let skew = Skew::of(0, 2, &group, &whole).expect("a skew");
    assert_eq!((skew.gain, skew.distance), (Share::new(9, 1), Share::new(9, 20)));
    assert_eq!(Skew::of(1, 2, &group, &whole), None);
}

/// Salaries of 3 to 11 thousand: {3,4,5} lie near each other, {6,8,11} do not.
#[test]
fn similarity_of_salaries() {
    let rows = ["1, 3", "1, 4", "1, 5", "2, 6", "2, 8", "2, 11", "3, 7", "3, 9", "3, 10"];
    let small = unlinked(1, &[quasi("zip"), sensitive("salary").numbers()], &rows);
    let found = certain("similarity", &[&small]);
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), expected(&[("1", 3, "[3,5]")]));
    // (7, 50)-anonymous, and nine of ten lie in [30,35].
    let rows = ["1, 30", "1, 30", "1, 31", "1, 31", "1, 32", "1, 33", "1, 34", "1, 35", "1, 35", "1, 80"];
    let small = unlinked(1, &[quasi("zip"), sensitive("salary").numbers()], &rows);
    assert!(certain("similarity", &[&small]).is_empty());
    let found = attack("similarity", &history(&[&small]), Share::new(9, 10), &Arguments::default()).expect("findings");
    assert_eq!(found[0].confidence, Confidence::Exact(Share::new(9, 10)));
    assert_eq!((brief(&found[0]).2.as_str(), found[0].records), ("[30,35]", Some(9)));
}

#[test]
fn similarity_of_illnesses() {
    let tree = "ill\n  lung\n    flu\n    asthma\n  gut\n    ulcer\n    colic\n  hiv";
    let cols = [quasi("zip"), sensitive("ill").tree(tree)];
    let small = unlinked(1, &cols, &["1, ulcer", "1, colic", "2, ulcer", "2, flu", "2, hiv"]);
    let found = certain("similarity", &[&small]);
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), expected(&[("1", 2, "gut")]));
    let flat = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, ulcer", "1, colic"]);
    let why = obstacle(attack("similarity", &history(&[&flat]), Share::new(1, 1), &Arguments::default()));
    assert!(why.contains("taxonomy"), "{why}");
    // One that can be looked at does not stand for another.
    let cols = [quasi("zip"), sensitive("ill").tree(tree), sensitive("drug")];
    let both = unlinked(1, &cols, &["1, ulcer, p", "1, flu, q"]);
    let why = obstacle(attack("similarity", &history(&[&both]), Share::new(1, 1), &Arguments::default()));
    assert!(why.contains("`drug`") && !why.contains("`ill`"), "{why}");
}
