//! Attacks: nothing false is called certain, and what could not be looked at is in the answer.

use reticent_testkit::{Answer, AuditCall, Outcome, TestFolder};
use serde_json::Value;

const TREE: &str = "any\n  infection\n    viral\n      HIV\n      Hep\n    TB\n  cold\n    Flu\n    Cold\n";

/// A folder whose people are linked, with a taxonomy of the sensitive values.
fn linked(history: &str) -> TestFolder {
    let folder = TestFolder::from_policy(&format!(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.a]\ntaxonomy = \"a.txt\"\n\
         [columns.d]\nrole = \"sensitive\"\ntaxonomy = \"d.txt\"\n[requirement]\nk = 2\n{history}"
    ));
    folder.write("d.txt", TREE);
    folder.write("a.txt", "any\n  P\n    E\n    L\n");
    folder
}

fn register(folder: &TestFolder, number: usize, text: &str) {
    folder.write(&format!("r{number}.csv"), text);
    let date = format!("2026-01-0{number}");
    folder.register(&format!("r{number}.csv"), &format!("r{number}")).date(&date).run().passes();
}

/// What the first attack of an audit found.
fn found(call: AuditCall<'_>) -> Value {
    call.run().unwrap().json()["coalitions"][0]["attacks"][0].clone()
}

fn finds_nothing(attack: &Value) -> bool {
    attack["findings"].as_array().is_some_and(Vec::is_empty)
}

/// One of two people has another value in the second release: the value that both groups show is not theirs.
#[test]
fn nothing_is_concluded_where_a_value_changed_or_may() {
    for history in ["", "[history]\ntime-varying = [\"d\"]\n"] {
        let folder = linked(history);
        register(&folder, 1, "pid,a,d\n1,E,TB\n2,E,HIV\n");
        register(&folder, 2, "pid,a,d\n1,E,Flu\n2,E,HIV\n");
        for attack in ["intersection", "critical-absence"] {
            let found = found(folder.audit().attacks(attack));
            let why = found["not_run"].as_str().unwrap_or_default();
            assert!(finds_nothing(&found) && why.contains("chang"), "{found}");
        }
    }
    let folder = linked("[history]\ntime-varying = [\"d\"]\n");
    register(&folder, 1, "pid,a,d\n1,E,HIV\n2,E,Flu\n");
    register(&folder, 2, "pid,a,d\n1,E,HIV\n2,E,Flu\n3,E,TB\n");
    for attack in ["difference", "backward-correspondence"] {
        let found = found(folder.audit().attacks(attack));
        assert!(finds_nothing(&found), "{found}");
    }
}

/// Two records show E and the population has one person who can be them. Of E and P, and of E and L, everybody must be present,
/// which the shares of classes do not disclose.
#[test]
fn a_population_that_does_not_cover_a_class_discloses_nothing() {
    let of = |rows: &str, people: &str| {
        let folder = TestFolder::from_policy("[columns.a]\ntaxonomy = \"a.txt\"\n[requirement]\nk = 2\n");
        folder.write("a.txt", "any\n  P\n    E\n    L\n");
        register(&folder, 1, &format!("a\n{rows}"));
        folder.write("people.csv", format!("a\n{people}"));
        folder
    };
    let linkage = |folder: &TestFolder, confidence: Option<f64>| {
        let call = folder.audit().attacks("table-linkage").population("people.csv");
        found(match confidence {
            Some(bound) => call.confidence(bound),
            None => call,
        })
    };
    let uncovered = linkage(&of("E\nE\n", "E\nL\nL\n"), None);
    assert!(uncovered["not_run"].as_str().is_some_and(|why| why.contains("2 people of E")), "{uncovered}");
    let several = linkage(&of("E\nP\n", "E\nL\n"), Some(0.4));
    assert!(several["not_checked"].as_str().is_some_and(|why| why.contains("several groups")), "{several}");
    let findings = several["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["confidence"]["kind"] != "exact"), "{several}");
    // That a person is absent cannot be concluded if nothing is known about them.
    let unknown = linkage(&of("E\n", "E\n\"\"\n"), None);
    assert!(!unknown.to_string().contains("not to be"), "{unknown}");
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
    // A published inner value is of its own kind.
    let all = linked("");
    register(&all, 1, "pid,a,d\n1,E,viral\n2,E,HIV\n3,L,Flu\n4,L,TB\n");
    assert_eq!(labels(&found(all.audit().attacks("similarity"))), [("viral".to_owned(), 2)]);
    // The kind that most people have does not hide the one that all have.
    let most = linked("");
    register(&most, 1, "pid,a,d\n1,E,HIV\n2,E,Hep\n3,E,TB\n4,L,Flu\n5,L,HIV\n");
    let kinds = labels(&found(most.audit().attacks("similarity").confidence(0.5)));
    assert!(kinds.contains(&("viral".to_owned(), 3)) && kinds.contains(&("infection".to_owned(), 3)), "{kinds:?}");
    // Three records of one person are not three people.
    let several = linked("");
    register(&several, 1, "pid,a,d\n1,E,HIV\n1,E,HIV\n1,E,HIV\n2,E,Flu\n3,L,Flu\n4,L,TB\n");
    let found = found(several.audit().attacks("similarity").confidence(0.5));
    assert!(!found.to_string().contains("viral"), "{found}");
}

#[test]
fn attacks_are_about_the_columns_of_the_request() {
    let folder = TestFolder::from_policy(
        "[columns.a]\n[columns.d]\nrole = \"sensitive\"\n[columns.e]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    register(&folder, 1, "a,d,e\nx,HIV,r\nx,HIV,r\ny,Flu,s\ny,Flu,s\n");
    let found = found(folder.audit().columns("e").attacks("homogeneity"));
    let columns = found["findings"].as_array().unwrap().iter().map(|finding| finding["column"].clone());
    assert!(columns.clone().count() > 0 && columns.clone().all(|column| column == "e"), "{found}");
}
