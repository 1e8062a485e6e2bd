//! Data sets that share a ledger: all are joined, unless the policy declares them unrelated, and a declaration hides no release
//! of the same data set.

use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy_with_owner, method_policy, month};
use serde_json::json;

/// Taxpayers, who are not in the clinic.
const TAXES: &str =
    "name,age,sex,city,income\nMia,34,F,Paris,10\nNoa,36,M,Paris,20\nOla,31,F,Paris,30\nPia,38,M,Paris,10\n";

fn taxes_policy() -> String {
    clinic_policy_with_owner(2).replace("\"clinic\"", "\"taxes\"").replace("illness", "income")
}

fn declared(policy: &str, name: &str) -> String {
    format!("{policy}\n[history]\nunrelated-data-sets = [\"{name}\"]\n")
}

/// A ledger with a release of the data set `taxes`, and the data and the policy of a clinic.
fn folder(policy: &str) -> TestFolder {
    let folder = TestFolder::clinic(policy);
    folder.write("taxes.toml", taxes_policy());
    folder.write("taxes.csv", TAXES);
    folder.with_policy("taxes.toml").publish("taxes.csv", "taxes1").to("press").run().passes();
    folder
}

#[test]
fn releases_of_all_data_sets_are_joined_by_default() {
    let folder = folder(&clinic_policy_with_owner(3));
    let answer = folder.publish("people.csv", "spring").to("press").run().passes().json();
    assert_eq!(answer["judged"], json!({ "scope": "history", "with": [1] }));
    assert_eq!(answer["assumptions"], json!([]));
    let notes = answer["notes"].to_string();
    assert!(notes.contains("also has releases of taxes"), "{notes}");
}

#[test]
fn a_declared_data_set_is_not_joined_and_every_verdict_says_so() {
    let folder = folder(&declared(&clinic_policy_with_owner(3), "taxes"));
    let answer = folder.publish("people.csv", "spring").to("press").run().passes().json();
    assert_eq!(answer["judged"], json!({ "scope": "history", "with": [] }));
    assert_eq!(answer["joins"], json!([]));
    let assumption = answer["assumptions"][0].as_str().unwrap();
    assert!(assumption.contains("no person is both in clinic and in the data set taxes"), "{assumption}");
    let notes = answer["notes"].to_string();
    assert!(!notes.contains("also has releases") && !notes.contains("no owner of this release"), "{notes}");
    // The next release of the same data set is joined.
    let answer = folder.publish("people.csv", "summer").to("press").rehearse();
    assert_eq!(answer.unwrap().json()["judged"], json!({ "scope": "history", "with": [2] }));
    let audited = folder.audit().confidence(0.9).run().unwrap().json();
    assert_eq!(audited["coalitions"][0]["audit"]["releases"], json!([{ "number": 2, "name": "spring" }]));
    let assumptions = audited["coalitions"][0]["audit"]["assumptions"].to_string();
    assert!(assumptions.contains(assumption), "{assumptions}");
    // For the other data set, it is not declared.
    let taxes = folder.with_policy("taxes.toml").audit().confidence(0.9).run().unwrap().json();
    assert_eq!(taxes["coalitions"][0]["audit"]["releases"].as_array().unwrap().len(), 2);
}

#[test]
fn the_report_lists_the_assumption() {
    let folder = folder(&declared(&clinic_policy_with_owner(3), "taxes"));
    folder.publish("people.csv", "spring").to("press").run().passes();
    for public in [false, true] {
        let name = format!("report-{public}.html");
        let request = reticent_app::request::AuditRequest {
            html: Some(folder.file(&name)),
            public,
            ..reticent_app::request::AuditRequest::default()
        };
        folder.workspace().audit(&request, folder.context()).unwrap();
        let report = folder.read(&name);
        assert!(report.contains("o person is both in clinic and in the data set taxes"), "{name}");
    }
}

/// One person is in both data sets.
#[test]
fn a_person_in_both_data_sets_contradicts_the_declaration() {
    let folder = folder(&declared(&clinic_policy_with_owner(3), "taxes"));
    folder.write("people.csv", format!("{CLINIC}Mia,40,F,Oslo,flu\nNoa,40,F,Oslo,flu\n"));
    for result in [
        folder.publish("people.csv", "spring").to("press").run(),
        folder.publish("people.csv", "spring").to("press").rehearse(),
    ] {
        let error = result.fails_with("data-sets-share-owners");
        assert_eq!(error.data(), json!({ "data_set": "taxes", "release": 1, "people": 2 }));
    }
    assert!(!folder.exists("spring.csv"));
    // The audit finds it, too, if the release was published before the declaration.
    folder.write("reticent.toml", clinic_policy_with_owner(3));
    folder.publish("people.csv", "spring").to("press").ignore_history().run().passes();
    folder.write("reticent.toml", declared(&clinic_policy_with_owner(3), "taxes"));
    folder.audit().confidence(0.9).run().fails_with("data-sets-share-owners");
}

/// With another name of its data set, a policy cannot declare the former name unrelated.
#[test]
fn a_renamed_data_set_is_not_unrelated_to_itself() {
    let renamed = |policy: &str| declared(&policy.replace("\"clinic\"", "\"hospital\""), "clinic");
    let linked = TestFolder::clinic_with_owner(3);
    linked.publish("people.csv", "one").to("press").run().passes();
    linked.write("reticent.toml", renamed(&clinic_policy_with_owner(3)));
    let error = linked.publish("people.csv", "two").to("press").run().fails_with("data-sets-share-owners");
    assert_eq!(error.data()["people"], 12);
    // Without owners, the columns show it.
    let policy = reticent_testkit::clinic_policy(3);
    let unlinked = TestFolder::clinic(&policy);
    unlinked.publish("people.csv", "one").to("press").run().passes();
    unlinked.write("reticent.toml", renamed(&policy));
    let error = unlinked.publish("people.csv", "two").to("press").run().fails_with("data-sets-alike");
    assert_eq!(error.data(), json!({ "data_set": "clinic", "release": 1 }));
    unlinked.audit().confidence(0.9).run().fails_with("data-sets-alike");
    // Erasing the first release does not help.
    unlinked.purge("one", "asked").passes();
    unlinked.publish("people.csv", "two").to("press").run().fails_with("data-sets-alike");
}

/// Without owners, a data set with other columns is taken for what it is declared to be.
#[test]
fn without_owners_a_data_set_with_other_columns_can_be_unrelated() {
    let folder = folder(&declared(&reticent_testkit::clinic_policy(3), "taxes"));
    let answer = folder.publish("people.csv", "spring").to("press").run().passes().json();
    assert_eq!(answer["judged"]["with"], json!([]));
}

#[test]
fn a_population_register_belongs_to_no_data_set() {
    let folder = TestFolder::clinic(&declared(&clinic_policy_with_owner(3), "voters.csv"));
    folder.write("voters.csv", "name,age\nMia,34\nNoa,36\n");
    folder.register("voters.csv", "voters").date("2024-06-01").as_population().run().passes();
    let answer = folder.publish("people.csv", "spring").run().passes().json();
    assert_eq!(answer["judged"]["with"], json!([1]));
    assert!(answer["notes"].to_string().contains("of which the ledger has no release"), "{}", answer["notes"]);
}

#[test]
fn a_method_starts_its_own_series() {
    let policy = method_policy("anatomy", "l = 2");
    let folder = TestFolder::monthly(&policy);
    folder.write("may.csv", month(0..40, false));
    folder.publish("may.csv", "may").to("press").output("out-may").run().passes();
    let own = policy.lines().find(|line| line.starts_with("name = ")).unwrap_or("name = \"data\"").to_owned();
    let other = match policy.contains("name = ") {
        true => policy.replace(&own, "name = \"other\""),
        false => policy.replace("[dataset]\n", "[dataset]\nname = \"other\"\n"),
    };
    let own = own.trim_start_matches("name = ").trim_matches('"').to_owned();
    folder.write("reticent.toml", declared(&other, &own));
    folder.write("june.csv", month(100..140, false));
    let answer = folder.publish("june.csv", "june").to("press").output("out-june").run().passes().json();
    assert_eq!(answer["judged"]["with"], json!([]));
    assert_eq!(answer["assumptions"].as_array().unwrap().len(), 1);
    folder.write("july.csv", month(30..60, false));
    folder.publish("july.csv", "july").to("press").output("out-july").run().fails_with("data-sets-share-owners");
}

/// Owners that cannot be read cannot be compared.
#[test]
fn damaged_links_of_an_unrelated_data_set_are_an_error() {
    let folder = folder(&declared(&clinic_policy_with_owner(3), "taxes"));
    let links = folder.file("ledger/links");
    for file in std::fs::read_dir(links).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let error = folder.publish("people.csv", "spring").to("press").run().unwrap_err();
    assert_eq!(error.code(), "ledger-inconsistent", "{error}");
}
