//! What a review of the attacks found: each of these was called certain and was false, or was passed over in silence.

use serde_json::Value;

use crate::support::Desk;

const TREE: &str = "any\n  infection\n    viral\n      HIV\n      Hep\n    TB\n  cold\n    Flu\n    Cold\n";

/// A desk whose people are followed, with a taxonomy of what is sensitive.
fn desk(history: &str) -> Desk {
    let desk = Desk::new();
    desk.write("d.txt", TREE);
    desk.write("a.txt", "any\n  P\n    E\n    L\n");
    desk.write(
        "reticent.toml",
        format!(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.a]\ntaxonomy = \"a.txt\"\n[columns.d]\n\
             role = \"sensitive\"\ntaxonomy = \"d.txt\"\n[requirement]\nk = 2\n{history}"
        ),
    );
    desk
}

fn registered(desk: &Desk, number: usize, text: &str) {
    desk.write(&format!("r{number}.csv"), text);
    desk.run(&format!("register r{number}.csv --name r{number} --to public --date 2026-01-0{number}")).exits(0);
}

fn attacked(desk: &Desk, call: &str) -> Value {
    desk.run(&format!("audit --json {call}")).json()["coalitions"][0]["attacks"][0].clone()
}

/// One of two people has another value in the second release: what both groups have is not what either has.
#[test]
fn nothing_is_concluded_where_a_value_changed_or_may() {
    for history in ["", "[history]\nvaries = [\"d\"]\n"] {
        let desk = desk(history);
        registered(&desk, 1, "pid,a,d\n1,E,TB\n2,E,HIV\n");
        registered(&desk, 2, "pid,a,d\n1,E,Flu\n2,E,HIV\n");
        for attack in ["intersection", "critical-absence"] {
            let found = attacked(&desk, &format!("--attack {attack}"));
            let why = found["not_run"].as_str().unwrap_or_default();
            assert!(found["findings"].as_array().is_some_and(Vec::is_empty) && why.contains("chang"), "{found}");
        }
    }
    let desk = desk("[history]\nvaries = [\"d\"]\n");
    registered(&desk, 1, "pid,a,d\n1,E,HIV\n2,E,Flu\n");
    registered(&desk, 2, "pid,a,d\n1,E,HIV\n2,E,Flu\n3,E,TB\n");
    for attack in ["difference", "backward-correspondence"] {
        let found = attacked(&desk, &format!("--attack {attack}"));
        assert!(found["findings"].as_array().is_some_and(Vec::is_empty), "{found}");
    }
}

/// Two records show E and the list has one person who can be them; of E and P, and of E and L, everybody must be there, which the shares
/// of classes do not tell.
#[test]
fn a_list_that_does_not_cover_a_class_tells_nothing() {
    let of = |rows: &str| {
        let desk = Desk::new();
        desk.write("a.txt", "any\n  P\n    E\n    L\n");
        desk.write("reticent.toml", "[columns.a]\ntaxonomy = \"a.txt\"\n[requirement]\nk = 2\n");
        registered(&desk, 1, &format!("a\n{rows}"));
        desk
    };
    let desk = of("E\nE\n");
    desk.write("people.csv", "a\nE\nL\nL\n");
    let found = attacked(&desk, "--attack table-linkage --population people.csv");
    assert!(found["not_run"].as_str().is_some_and(|why| why.contains("shows 2 people of E, and")), "{found}");
    let desk = of("E\nP\n");
    desk.write("people.csv", "a\nE\nL\n");
    let found = attacked(&desk, "--attack table-linkage --population people.csv --confidence 0.4");
    assert!(found["not_checked"].as_str().is_some_and(|why| why.contains("several groups")), "{found}");
    let findings = found["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["confidence"]["kind"] != "exact"), "{found}");
    // Of whom nothing is known it cannot be told that they are not there.
    let desk = of("E\n");
    desk.write("people.csv", "a\nE\n\"\"\n");
    let found = attacked(&desk, "--attack table-linkage --population people.csv");
    assert!(!found.to_string().contains("not to be"), "{found}");
}

#[test]
fn kinds_of_values_are_those_of_people() {
    let labels = |found: &Value| -> Vec<(String, u64)> {
        let findings = found["findings"].as_array().unwrap().iter();
        let one = |finding: &Value| {
            (finding["value"]["label"].as_str().unwrap_or_default().to_owned(), finding["people"].as_u64().unwrap_or(0))
        };
        findings.map(one).collect()
    };
    // A published kind is of itself.
    let all = desk("");
    registered(&all, 1, "pid,a,d\n1,E,viral\n2,E,HIV\n3,L,Flu\n4,L,TB\n");
    assert_eq!(labels(&attacked(&all, "--attack similarity")), [("viral".to_owned(), 2)]);
    // What most have in common does not hide what all have.
    let most = desk("");
    registered(&most, 1, "pid,a,d\n1,E,HIV\n2,E,Hep\n3,E,TB\n4,L,Flu\n5,L,HIV\n");
    let found = labels(&attacked(&most, "--attack similarity --confidence 0.5"));
    assert!(found.contains(&("viral".to_owned(), 3)) && found.contains(&("infection".to_owned(), 3)), "{found:?}");
    // Three records of one person are not three people.
    let several = desk("");
    registered(&several, 1, "pid,a,d\n1,E,HIV\n1,E,HIV\n1,E,HIV\n2,E,Flu\n3,L,Flu\n4,L,TB\n");
    let found = attacked(&several, "--attack similarity --confidence 0.5");
    assert!(!found.to_string().contains("viral"), "{found}");
}

#[test]
fn attacks_are_about_the_columns_that_are_asked_about() {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        "[columns.a]\n[columns.d]\nrole = \"sensitive\"\n[columns.e]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    registered(&desk, 1, "a,d,e\nx,HIV,r\nx,HIV,r\ny,Flu,s\ny,Flu,s\n");
    let found = attacked(&desk, "--column e --attack homogeneity");
    let columns = found["findings"].as_array().unwrap().iter().map(|finding| finding["column"].clone());
    assert!(columns.clone().count() > 0 && columns.clone().all(|column| column == "e"), "{found}");
}
