//! Attacks that an audit runs, and attackers who know the algorithm.

use reticent_app::Hint;
use reticent_app::request::Adversary;
use reticent_testkit::{Answer, AuditCall, Outcome, TestFolder, clinic_policy};
use serde_json::{Value, json};

const POLICY: &str = "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.illness]\nrole = \"sensitive\"\n\
                      [requirement]\nk = 2\nconfidence = 0.6\n";

/// The first attack of an audit, whatever the audit found.
fn attack(call: AuditCall<'_>) -> Value {
    call.run().unwrap().json()["coalitions"][0]["attacks"][0].clone()
}

/// The order of the rows is read from the files, as long as they are the files that were registered.
#[test]
fn rows_in_the_same_order_are_matched() {
    let folder = TestFolder::from_policy(
        "[columns.race]\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    folder.write("one.csv", "race,zip,ill\n*,1,a\n*,2,b\n*,1,c\n*,2,d\n");
    folder.write("two.csv", "race,zip,ill\nAsian,*,a\nAsian,*,b\nBlack,*,c\nBlack,*,d\n");
    for name in ["one", "two"] {
        folder.register(&format!("{name}.csv"), name).run().passes();
    }
    let found = attack(folder.audit().attacks("unsorted-matching"));
    assert_eq!((&found["not_run"], &found["findings"][0]["records"]), (&Value::Null, &4.into()), "{found}");
    folder.write("two.csv", "race,zip,ill\nAsian,*,b\nAsian,*,a\nBlack,*,c\nBlack,*,d\n");
    let found = attack(folder.audit().attacks("unsorted-matching"));
    assert!(found["not_run"].as_str().is_some_and(|why| why.contains("order")), "{found}");
}

#[test]
fn an_attacker_who_knows_the_algorithm_undoes_its_steps() {
    let folder = TestFolder::engineers();
    folder.audit().confidence(0.8).run().passes();
    let error = folder.audit().confidence(0.8).adversary(Adversary::Algorithm).run();
    assert_eq!(error.fails_with("adversary-needs-population").hints(), [Hint::NamePopulation]);
    let call = folder.audit().confidence(0.6).adversary(Adversary::Algorithm).population("people.csv");
    let answer = call.run().violates().json();
    let coalition = &answer["coalitions"][0];
    let found = &coalition["attacks"][0];
    assert_eq!((&found["id"], &found["findings"][0]["people"]), (&"minimality".into(), &2.into()), "{found}");
    // Flu has a bound too, and exceeds it whoever has it: that the two engineers have HIV follows only if that was not the reason.
    let finding = &found["findings"][0];
    assert_eq!((&finding["certain"], &finding["confidence"]["kind"]), (&false.into(), &"estimate".into()), "{finding}");
    assert_eq!(coalition["violations"], json!([]));
    assert!(!coalition["not_established"].as_array().unwrap().is_empty(), "not established: {coalition}");
    let call = folder
        .audit()
        .confidence(0.6)
        .attacks("minimality")
        .attack_parameter("values", "HIV=0.6")
        .population("people.csv");
    let finding = attack(call)["findings"][0].clone();
    assert_eq!((&finding["certain"], &finding["people"]), (&true.into(), &2.into()), "{finding}");
    // Had the two suppressed cells been alike, they would have been published: that is certain.
    let folder = TestFolder::downcoded();
    let call = folder.audit().confidence(0.9).adversary(Adversary::Algorithm).population("people.csv");
    let answer = call.html("report.html").run().violates().json();
    let coalition = &answer["coalitions"][0];
    assert_eq!(coalition["violations"][0]["certain"], true, "{answer}");
    assert_eq!(coalition["audit"]["columns"][0]["certain"], 0, "to others nobody's value is certain: {answer}");
    assert!(folder.read("report.html").contains("Certain disclosure"));
    let not = coalition["audit"]["not_considered"].to_string();
    assert!(!not.contains("minimality"), "{not}");
}

#[test]
fn knowing_the_algorithm_is_judged_by_a_confidence() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "one").run().passes();
    let error = folder.audit().adversary(Adversary::Algorithm).population("people.csv").run();
    assert_eq!(error.fails_with("adversary-needs-confidence").hints(), [Hint::NameConfidence]);
}

/// A posterior at the confidence bound is no finding.
#[test]
fn what_is_within_the_bound_is_no_finding() {
    let folder = TestFolder::from_policy("[columns.age]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n");
    folder.write("old.csv", "age,ill\n1,a\n1,b\n2,a\n2,a\n2,b\n");
    folder.register("old.csv", "old").to("press").date("2020-01-01").run().passes();
    let found = |confidence: f64| {
        let found = attack(folder.audit().attacks("attribute-linkage").confidence(confidence));
        found["findings"].as_array().unwrap().len()
    };
    assert_eq!((found(0.5), found(0.4)), (1, 3));
}

/// A release without a sensitive column has nothing that could be homogeneous.
#[test]
fn attacks_look_at_the_releases_that_have_a_sensitive_column() {
    let folder = TestFolder::from_policy(POLICY);
    folder.write("d.csv", "id,sex,illness\n1,F,flu\n2,F,flu\n");
    folder.register("d.csv", "one").to("press").run().passes();
    folder.write("e.csv", "id,sex\n1,F\n2,F\n");
    folder.register("e.csv", "two").to("press").date("2026-02-01").run().passes();
    let found = attack(folder.audit().attacks("homogeneity"));
    assert_eq!((&found["not_run"], &found["not_checked"]), (&Value::Null, &Value::Null), "{found}");
    assert_eq!(found["findings"][0]["people"], json!(2));
}

#[test]
fn a_sensitive_column_is_no_join_key() {
    let folder = TestFolder::from_policy(POLICY);
    for (name, date) in [("one", "2026-01-01"), ("two", "2026-02-01")] {
        folder.write(&format!("{name}.csv"), "id,sex,illness\n1,F,HIV\n2,F,gout\n");
        folder.register(&format!("{name}.csv"), name).to("press").date(date).run().passes();
    }
    let found = attack(folder.audit().attacks("join").attack_parameter("on", "illness"));
    assert!(found["not_run"].as_str().is_some_and(|why| why.contains("sensitive column")), "{found}");
}
