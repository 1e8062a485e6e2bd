//! Attacks on one release, on the survey's table II and on the notes' small ones. Expected values are the papers'.

use super::small::{attack, brief, certain, history, obstacle, quasi, sensitive, unlinked};
use super::{external, release_of, three_anonymous};
use crate::attacks::{Confidence, Scene, run};
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
    assert_eq!(found[0].words, "2 people of Dancer / Female / 30 have one and the same Disease in the release");
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
    let scene =
        Scene { history: &raw, people: &people, confidence: Share::new(1, 1), rows: &[], arguments: &arguments };
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
    let scene =
        Scene { history: &general, people: &people, confidence: Share::new(3, 4), rows: &[], arguments: &arguments };
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

/// That nothing was found is only said when everything could be looked at.
#[test]
fn what_is_gone_is_not_called_safe() {
    let small = unlinked(1, &[quasi("zip"), sensitive("ill")], &["1, a", "1, b"]);
    let mut history = history(&[&small]);
    let none = Arguments::default();
    assert_eq!(attack("homogeneity", &history, Share::new(1, 1), &none), Ok(Vec::new()));
    history.lost.push(Lost {
        number: 2,
        name: "autumn".to_owned(),
        date: String::new(),
        recipients: Vec::new(),
        columns: Vec::new(),
        erased: String::new(),
    });
    assert!(obstacle(attack("homogeneity", &history, Share::new(1, 1), &none)).contains("release 2 autumn"));
    assert!(attack("homogenity", &history, Share::new(1, 1), &none).is_err_and(|e| e.to_string().contains("did you")));
}
