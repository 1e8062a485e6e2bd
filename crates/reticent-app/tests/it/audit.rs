//! `audit`: the figures, the report, requests that are wrong, and the audit that `publish` makes.

use std::time::Duration;

use reticent_testkit::{Answer, Outcome, TestFolder, clinic_policy_with_owner};
use serde_json::{Value, json};

/// A folder whose people are linked by `pid`, with two sensitive columns.
fn linked(more: &str) -> TestFolder {
    TestFolder::from_policy(&format!(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\n\
         role = \"sensitive\"\n[columns.pay]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n{more}"
    ))
}

fn register(folder: &TestFolder, name: &str, to: &str, text: &str) {
    folder.write(&format!("{name}.csv"), text);
    folder.register(&format!("{name}.csv"), name).to(to).run().passes();
}

/// Figure 1 of the paper on inference analysis: three of fifteen people are certain, in 16 possible worlds.
#[test]
fn the_figures_are_those_of_the_paper() {
    let folder = TestFolder::figure_1();
    let answer = folder.audit().per_person().run().violates().json();
    let audit = &answer["coalitions"][0]["audit"];
    let column = &audit["columns"][0];
    assert_eq!((column["certain"].as_u64(), column["above"].as_u64()), (Some(3), Some(3)));
    assert_eq!((&column["name"], &column["people"], &audit["worlds"]), (&json!("disease"), &json!(15), &json!("16")));
    assert_eq!(audit["persons"].as_array().map(Vec::len), Some(15));
    let over_time = &answer["coalitions"][0]["timeline"];
    let certain = |at: usize| over_time[at]["columns"][0]["certain"].as_u64();
    assert_eq!((certain(0), certain(1)), (Some(0), Some(3)));
}

/// The report is one file without links, for the steward or for everybody.
#[test]
fn the_report_is_one_file_for_the_steward_or_for_everybody() {
    let folder = TestFolder::figure_1();
    folder.audit().html("inside.html").attacks("all").run().violates();
    folder.audit().html("outside.html").public().run().violates();
    let (inside, outside) = (folder.read("inside.html"), folder.read("outside.html"));
    assert!(inside.contains("Lung cancer") && inside.contains("Internal"));
    assert!(!outside.contains("Lung cancer") && !outside.contains("Diabetes") && !outside.contains("Internal:"));
    for page in [&inside, &outside] {
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("<script"));
        assert!(page.contains("default-src 'none'; style-src 'sha256-"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.file("inside.html")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "only the steward can read it");
    }
    let error = folder.audit().html("inside.html").run().fails_with("report-exists");
    assert_eq!(error.data()["path"], json!(folder.file("inside.html")));
    assert_eq!(folder.read("inside.html"), inside);
    let error = folder.audit().public().run().fails_with("option-needs");
    assert_eq!(error.data(), json!({ "option": "public", "needs": "html" }));
}

/// `publish` audits a release with its history, and records how well that was established.
#[test]
fn publish_records_how_well_the_audit_was_established() {
    let policy = clinic_policy_with_owner(2).replace("k = 2", "k = 2\nconfidence = 0.75");
    let folder = TestFolder::clinic(&policy);
    let audited = folder.publish("people.csv", "one").to("press").run().passes().json();
    assert_eq!(audited["audited"]["proof"], "bounds");
    assert!(audited["audited"]["upper"].as_f64().unwrap() <= 0.75, "{audited}");
    let shown = folder.show("one").passes().json();
    assert_eq!(shown["recorded"]["content"]["made"]["audit"], "bounds");
    folder.replace("reticent.toml", "confidence = 0.75", "confidence = 0.75\naudit = \"off\"");
    let answer = folder.publish("people.csv", "two").to("guests").ignore_history().run().passes().json();
    assert_eq!((&answer["audited"]["proof"], &answer["audited"]["confidence"]), (&json!("off"), &Value::Null));
}

/// Alice knew Ann's illness before, so together with her Bob learns nothing new. Alone he does: Ann's two groups have one
/// illness in common.
#[test]
fn a_posterior_that_is_new_to_one_recipient_is_refused() {
    let folder = linked("");
    register(&folder, "raw", "alice", "pid,zip,ill\nann,9,Flu\n");
    register(&folder, "old", "bob", "pid,zip,ill\nann,1,Flu\nbea,1,HIV\ncid,1,Cold\n");
    folder.write("new.csv", "pid,zip,ill,pay\nann,2,Flu,1\ndee,2,Gout,1\neve,2,Lupus,1\n");
    let publish = |to: &str| folder.publish("new.csv", "new").columns("zip,ill").to(to).output("new-out.csv").run();
    for to in ["alice,bob", "bob"] {
        let data = publish(to).refused_with("posterior-above-confidence").data();
        assert_eq!((&data["column"], &data["people"], &data["earlier"]), (&json!("ill"), &json!(1), &json!(["old"])));
        assert!(!folder.exists("new-out.csv"));
    }
    publish("alice").passes();
}

/// A person whose value was disclosed once is still protected when they have another.
#[test]
fn an_earlier_disclosure_excuses_that_value_only() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.disease]\n\
         role = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.5\n[release]\nseed = 1\n[recipients]\n",
    );
    register(&folder, "r0", "public", "pid,zip,disease\nr,z9,X\n");
    register(&folder, "r1", "public", "pid,zip,disease\np,z1,HIV\nq,z1,Flu\nr,z1,Cold\n");
    folder.write("t.csv", "pid,zip,disease\np,z1,HIV\nq,z1,Flu\n");
    let data = folder.publish("t.csv", "t").output("out.csv").run().refused_with("posterior-not-established").data();
    assert_eq!((&data["column"], &data["earlier"]), (&json!("disease"), &json!(["r0", "r1"])));
    assert_eq!((&data["changed_values"], &data["people"]), (&json!(1), &json!(3)));
    assert!(!folder.exists("out.csv"));
}

/// Wrong requests are errors, and no disclosure.
#[test]
fn wrong_requests_are_errors() {
    let folder = linked("[recipients]\nnon-colluding = [\"press\", \"ministry\"]\n");
    register(&folder, "one", "press", "pid,zip,ill\na,z,Cold\nb,z,Flu\n");
    folder.register("one.csv", "two").to("ministry").run().passes();
    let error = folder.with_policy("other.toml").audit().run().fails_with("policy-missing");
    assert_eq!(error.data()["path"], json!(folder.file("other.toml")));
    let error = folder.audit().recipients("pres").run().fails_with("no-such-recipient");
    assert_eq!(error.data(), json!({ "recipient": "pres", "hint": "did you mean `press`?" }));
    let error = folder.audit().recipients("press,ministry").run().fails_with("recipients-separate");
    assert_eq!(error.data()["recipients"], json!(["press", "ministry"]));
    let error = folder.audit().recipients("press").columns("nothing").run().fails_with("no-such-sensitive-column");
    assert_eq!(error.data()["column"], "nothing");
    folder.write("there.html", "");
    folder.audit().recipients("press").html("there.html").run().fails_with("report-exists");
    folder.write("m.csv", "ill\nCold\n");
    let error = folder.register("m.csv", "m").to("press").marginal_of("one").run().fails_with("marginal-rows");
    assert_eq!(error.data(), json!({ "rows": 1, "number": 1, "name": "one", "records": 2 }));
}

/// A misspelled column is an error with the nearest name, and not a column about which nothing is disclosed.
#[test]
fn a_misspelled_column_is_an_error() {
    let folder = linked("");
    register(&folder, "one", "press", "pid,zip,ill,pay\np,1,HIV,low\nq,1,HIV,low\n");
    let error = folder.audit().columns("il").run().fails_with("no-such-sensitive-column");
    assert_eq!(error.data(), json!({ "column": "il", "hint": "did you mean `ill`?" }));
}

/// A threshold that cannot be compared exactly is refused.
#[test]
fn a_threshold_with_too_many_digits_is_refused() {
    let folder = linked("");
    register(&folder, "one", "press", "pid,zip,ill\np,1,HIV\nq,1,HIV\n");
    folder.audit().confidence(0.012_345_678_901_234_567).run().fails_with("name-invalid");
}

/// The catalogue was modified: what the audit finds is not founded on what was released.
#[test]
fn a_modified_ledger_establishes_nothing() {
    let folder = linked("");
    register(&folder, "one", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\n");
    assert_eq!(folder.audit().run().passes().holds, Some(true));
    let path = folder.file("ledger/catalogue.sqlite");
    let mut bytes = std::fs::read(&path).unwrap();
    // The last bytes of a page belong to its first row: this is the name of a release, or of a table, in another case.
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let answer = folder.audit().run().violates();
    assert_eq!((answer.holds, answer.coalitions[0].not_established.len()), (Some(false), 1));
    assert!(answer.coalitions[0].not_established[0].contains("ledger"), "{:?}", answer.coalitions[0].not_established);
    assert_eq!(folder.warnings().len(), 1, "{:?}", folder.warnings());
}

/// Another process writes for longer than the audit waits: whether the ledger was modified is then not known.
#[test]
#[cfg(unix)]
fn a_locked_ledger_establishes_nothing() {
    let folder = linked("").with_wait(Duration::ZERO);
    register(&folder, "one", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\n");
    let lock = std::fs::File::open(folder.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    let answer = folder.audit().run().violates();
    assert!(answer.coalitions[0].not_established[0].contains("ledger"), "{:?}", answer.coalitions[0].not_established);
    drop(lock);
    assert_eq!(folder.audit().run().passes().holds, Some(true));
}

/// A column in which every cell is suppressed discloses nothing, and is no contradiction.
#[test]
fn a_suppressed_column_discloses_nothing() {
    let folder = linked("");
    register(&folder, "r", "press", "pid,zip,ill\na,x,*\nb,x,*\n");
    let answer = folder.audit().run().passes();
    assert_eq!(answer.holds, Some(true));
    assert!(answer.coalitions[0].audit.columns.is_empty());
}
