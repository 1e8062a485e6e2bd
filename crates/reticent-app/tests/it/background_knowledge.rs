//! Background knowledge of an audit: statements about people, contradictions, and people whose value no release shows.

use reticent_app::Error;
use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::Value;

const POLICY: &str = "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n";

fn register(folder: &TestFolder, name: &str, to: &str, text: &str) {
    let file = format!("{name}.csv");
    folder.write(&file, text);
    folder.register(&file, name).to(to).run().passes();
}

fn certain(answer: &Value) -> Value {
    answer["coalitions"][0]["audit"]["columns"][0]["certain"].clone()
}

/// No release shows the value of a person in two statements: that this person has one value only is part of what is known.
#[test]
fn a_person_who_is_not_published_has_one_value_all_the_same() {
    let folder = TestFolder::from_policy(POLICY);
    register(&folder, "r1", "public", "pid,zip,ill\nann,x,HIV\nbob,x,Flu\n");
    register(&folder, "r2", "public", "pid,zip\nann,x\nbob,x\ncy,x\n");
    let known = |text: &str| {
        folder.write("knows.txt", text);
        folder.audit().background("knows.txt").run()
    };
    let fault = |error: Error| error.data()["fault"]["kind"].clone();
    for twice in [
        "1 of \"cy\" have ill = HIV\n1 of \"cy\", \"bob\" have ill = Flu\n",
        "at least 1 of \"ann\", \"cy\" have ill = HIV\nat least 1 of \"bob\", \"cy\" have ill = Flu\n",
        "P(ill = HIV) >= 0.6\nP(ill = Flu) >= 0.6\n",
        "P(ill = HIV) >= 0.6\n1 of \"cy\" have ill = Flu\n",
    ] {
        let error = known(twice).fails_with("background-knowledge-invalid");
        assert_eq!(error.data()["fault"]["column"], "ill", "{twice}");
        assert_eq!(fault(error), "several-statements", "{twice}");
    }
    for contradiction in
        ["\"cy\" has ill = HIV\n\"cy\" has ill = Flu\n", "\"cy\" has ill = HIV\n\"cy\" has not ill = HIV\n"]
    {
        assert_eq!(fault(known(contradiction).fails_with("background-knowledge-invalid")), "two-values");
    }
    assert_eq!(fault(known("P(ill = HIV) = 0.5\n").fails_with("background-knowledge-invalid")), "share-impossible");
    // Whether cy is the one of the two is open, so nothing follows. If the value of cy is known, bob has the other.
    assert_eq!(certain(&known("1 of \"cy\", \"bob\" have ill = Flu\n").passes().json()), 0);
    assert_eq!(certain(&known("\"cy\" has ill = HIV\n1 of \"cy\", \"bob\" have ill = Flu\n").unwrap().json()), 2);
}

/// Statements about people of whom only others hold something are no error, and disclose nothing to these.
#[test]
fn statements_about_people_of_others_are_allowed() {
    let folder = TestFolder::from_policy(&format!("{POLICY}[recipients]\nnon-colluding = [\"press\", \"ministry\"]\n"));
    register(&folder, "press", "press", "pid,zip,ill\nann,x,HIV\nbob,x,Flu\n");
    register(&folder, "ministry", "ministry", "pid,zip,ill\ncy,x,HIV\ndan,x,Flu\neve,x,Gout\n");
    // One of three has HIV: were it not cy, both others had it. Gout is not of cy and dan, so it is eve's.
    folder.write(
        "knows.txt",
        "1 of \"cy\", \"dan\" have ill = HIV\n1 of \"cy\", \"eve\" have ill = HIV\n0 of \"cy\", \"dan\" have ill = Gout\n",
    );
    let certain_for =
        |who: &str| certain(&folder.audit().recipients(who).background("knows.txt").run().unwrap().json());
    assert_eq!((certain_for("press"), certain_for("ministry")), (0.into(), 3.into()));
}

/// Column and value are swapped: the word in the place of the column is the sensitive value.
#[test]
fn a_statement_with_column_and_value_swapped_shows_no_value() {
    let folder = TestFolder::from_policy(POLICY);
    register(&folder, "one", "press", "pid,zip,ill\n1,F,HIV\n2,F,gout\n");
    folder.write("knows.txt", "\"1\" has HIV = ill\n");
    let result = folder.audit().background("knows.txt").run();
    assert!(!result.visible_text().contains("HIV"), "{}", result.visible_text());
    let fault = result.fails_with("background-knowledge-invalid").data()["fault"].clone();
    assert_eq!(fault, serde_json::json!({ "kind": "column-unknown", "columns": ["ill"] }));
}
