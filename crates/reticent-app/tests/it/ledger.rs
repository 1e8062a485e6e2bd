//! The ledger: log, show, diff, history, exported heads, erasing, and the key.

use reticent_app::Hint;
use reticent_app::error::Class;
use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy_with_owner};
use serde_json::{Value, json};

fn clinic() -> TestFolder {
    TestFolder::clinic_with_owner(3)
}

/// The clinic with a policy that has more.
fn clinic_with(more: &str) -> TestFolder {
    TestFolder::clinic(&(clinic_policy_with_owner(3) + more))
}

/// The sets of earlier releases that a release was judged with.
fn judged_with(answer: &Value) -> Vec<Vec<u64>> {
    let numbers = |set: &Value| set["with"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    answer["joins"].as_array().unwrap().iter().map(numbers).collect()
}

fn fields(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort();
    names
}

/// Copies a folder.
fn copy(folder: &TestFolder, from: &str, to: &str) {
    let mut command = std::process::Command::new("cp");
    assert!(command.arg("-r").arg(folder.file(from)).arg(folder.file(to)).status().unwrap().success());
}

#[test]
fn the_log_lists_releases_and_their_recipients() {
    let folder = clinic();
    let error = folder.log().fails_with("ledger-not-found");
    assert_eq!(error.data()["folder"], json!(folder.file("ledger")));
    let first = folder.publish("people.csv", "one").to("press,ministry").run().passes().json();
    assert_eq!(first["recorded"]["release"], 1);
    let second =
        folder.publish("people.csv", "two").to("press").columns("age,illness").ignore_history().run().passes().json();
    assert_eq!(second["judged"], json!({ "scope": "alone", "apart_from": [1] }));
    let log = folder.log().passes().json();
    assert_eq!(fields(&log), ["entries", "head", "ledger", "log", "signed"]);
    assert_eq!(log["entries"], 2);
    let first = &log["log"][0];
    let names = [
        "at",
        "columns",
        "date",
        "erased",
        "judged",
        "kind",
        "name",
        "number",
        "origin",
        "recipients",
        "records",
        "steward",
        "withdrawn",
    ];
    assert_eq!(fields(first), names);
    assert_eq!(first["recipients"], json!(["ministry", "press"]));
    assert_eq!(first["judged"], json!({ "scope": "history", "with": [] }));
    assert_eq!(log["log"][1]["judged"], json!({ "scope": "alone", "apart_from": [1] }));
    assert!(folder.warnings().is_empty(), "{:?}", folder.warnings());
}

#[test]
fn show_has_everything_about_a_release() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    let shown = folder.show("one").passes().json();
    assert_eq!(shown, folder.show("1").passes().json(), "by name and by number");
    assert_eq!(
        fields(&shown),
        ["corrections", "cuts", "entry", "erased", "proof", "recipients", "recorded", "shared_with", "withdrawn"]
    );
    let age = shown["cuts"].as_array().unwrap().iter().find(|cut| cut["column"] == "age").unwrap();
    assert_eq!(age["values"], json!(["<35", "[35,51)", "[51,55)", ">=55"]), "in order");
    assert!(!shown.to_string().contains("asthma"), "values of a sensitive column are no cut");
    let release = &shown["recorded"]["content"];
    for field in ["body", "columns", "file", "judged", "links", "made", "policy", "records", "recipients"] {
        assert!(!release[field].is_null(), "{field} is missing");
    }
    assert_eq!((&release["name"], &shown["recorded"]["number"]), (&json!("one"), &json!(1)));
    assert_eq!(release["links"]["people"], 12);
    assert_eq!(release["made"]["seed"], 1);
    assert_eq!(shown["recorded"]["kind"], "release");
    let statements = release["made"]["statements"].as_array().unwrap();
    let k = json!({
        "model": "k-anonymity", "parameters": { "k": 3, "on": ["age", "sex", "city"] }, "scope": { "releases": "this" },
        "outcome": "judged", "violations": 0, "level": "exact",
    });
    assert_eq!((statements.len(), &statements[0]), (2, &k), "{statements:#?}");
    let posterior = &statements[1];
    assert_eq!((&posterior["model"], &posterior["outcome"]), (&json!("posterior"), &json!("not-applicable")));
    assert_eq!((&posterior["reason"], &posterior["scope"]["releases"]), (&json!("no-bound"), &json!("history")));
    let error = folder.show("7").fails_with("release-not-found");
    assert_eq!(error.data()["wanted"], "7");
}

#[test]
fn diff_counts_what_came_and_went() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    // Leo leaves, Mia and Noa come; the cities are gone.
    let next = CLINIC.replace("Leo,54,M,Oslo,diabetes\n", "Mia,53,M,Oslo,diabetes\nNoa,56,F,Oslo,flu\n");
    folder.write("people.csv", next);
    folder.publish("people.csv", "two").to("press").columns("age,sex,illness").ignore_history().run().passes();
    let diff = folder.diff("one", "two").passes().json();
    assert_eq!(fields(&diff), ["columns", "columns_added", "columns_removed", "from", "people", "records", "to"]);
    assert_eq!((&diff["columns_removed"], &diff["columns_added"]), (&json!(["city"]), &json!([])));
    assert_eq!(diff["people"], json!({ "removed": 1, "kept": 11, "added": 2 }));
    let number = |field: &str| diff["records"][field].as_u64().unwrap();
    assert_eq!((number("removed") + number("kept"), number("kept") + number("added")), (12, 13));
    let same = folder.diff("one", "one").passes().json();
    assert_eq!(same["records"], json!({ "removed": 0, "kept": 12, "added": 0 }));
}

#[test]
fn a_coalition_holds_what_its_members_got() {
    let folder = clinic_with("\n[recipients]\nnon-colluding = [\"press\", \"ministry\"]\n");
    folder.publish("people.csv", "one").to("press").run().passes();
    // The ministry never combines with the press, so for it nothing was released before.
    folder.publish("people.csv", "two").to("ministry").columns("age,sex").run().passes();
    // A clinic can combine with each, but nobody holds what both got.
    let third = folder.publish("people.csv", "three").to("clinic").columns("age,city").run().passes().json();
    assert_eq!(third["judged"], json!({ "scope": "history", "with": [1, 2] }));
    assert_eq!(judged_with(&third), [[1], [2]]);
    let held = |who: &str| {
        let coalitions = folder.history(who).passes().coalitions;
        let names = coalitions.into_iter().map(|one| one.releases.into_iter().map(|held| held.name).collect());
        let mut all: Vec<Vec<String>> = names.collect();
        all.sort();
        all
    };
    assert_eq!(held("press"), [["one", "three"]]);
    assert_eq!(held("ministry"), [["two", "three"]]);
    assert_eq!(held("clinic"), [["one", "three"], ["two", "three"]]);
    let error = folder.history("press,ministry").fails_with("recipients-declared-separate");
    assert_eq!(error.data(), json!({ "one": "press", "other": "ministry" }));
    assert_eq!(folder.history("stranger").passes().unknown_recipients, ["stranger"]);
    // Everybody holds what is public.
    let fourth = folder.publish("people.csv", "four").run().passes().json();
    assert_eq!(judged_with(&fourth), [vec![1], vec![2], vec![3], vec![1, 3], vec![2, 3]]);
    assert_eq!(held("ministry"), [["two", "three", "four"]]);
}

/// Lists of separate recipients have two names or more, and not `public`.
#[test]
fn separate_recipients_are_checked() {
    for (names, part) in [("\"press\", \"public\"", "\"public\""), ("\"press\"", "two names")] {
        let folder = clinic_with(&format!("\n[recipients]\nnon-colluding = [{names}]\n"));
        let error = folder.publish("people.csv", "one").run().fails_with("policy-invalid");
        let line = folder.read("reticent.toml").lines().position(|line| line.starts_with("non-colluding")).unwrap() + 1;
        assert_eq!(error.data()["line"], line);
        assert!(error.to_string().contains("recipients.non-colluding") && error.to_string().contains(part), "{error}");
    }
}

#[test]
fn an_exported_head_reveals_a_rollback() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    copy(&folder, "ledger", "kept");
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    let head = folder.export_head_to("head.json").passes();
    assert!(head.is_signed() && head.entries == 2);
    assert_eq!(folder.verify_against("head.json").passes().compared_with_head, Some(true));
    std::fs::remove_dir_all(folder.file("ledger")).unwrap();
    copy(&folder, "kept", "ledger");
    folder.verify().passes();
    let found = folder.verify_against("head.json").violates();
    assert_eq!((found.intact, found.compared_with_head), (false, Some(false)));
    assert!(found.findings.problems[0].contains("rolled back"), "{:?}", found.findings.problems);
    let lines = folder.read("head.json");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!((lines.len(), lines[1], lines[5]), (7, "2", ""), "{lines:?}");
    assert!(lines[0].starts_with("reticent.ledger/") && lines[6].starts_with("\u{2014} reticent.ledger/"), "{lines:?}");
    folder.write("head.json", "{}");
    let error = folder.verify_against("head.json").fails_with("head-unreadable");
    assert_eq!(error.data()["path"], json!(folder.file("head.json")));
}

/// A head that the ledger does not continue is evidence, and is not replaced.
#[test]
fn an_exported_head_is_not_overwritten_by_another_ledger() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    folder.export_head_to("head.json").passes();
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    folder.export_head_to("head.json").passes();
    let before = folder.read("head.json");
    // The ledger is replaced by one that knows less.
    std::fs::rename(folder.file("ledger"), folder.file("away")).unwrap();
    folder.publish("people.csv", "one").to("press").output("three.csv").run().passes();
    let error = folder.export_head_to("head.json").fails_with("head-kept");
    assert_eq!(error.data()["path"], json!(folder.file("head.json")));
    assert_eq!(folder.read("head.json"), before);
    // No head of a modified ledger is exported. The log can be read, with a warning.
    folder.write("ledger/seal.json", "{}");
    folder.export_head().fails_as(Class::Modified, "ledger-inconsistent");
    assert!(folder.warnings().is_empty(), "{:?}", folder.warnings());
    folder.log().passes();
    assert!(folder.warnings().iter().any(|text| text.contains("seal.json")), "{:?}", folder.warnings());
}

#[test]
fn an_erased_release_is_marked_everywhere() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    let error = folder.purge_if("one", "asked", false).fails_with("purge-unconfirmed");
    assert_eq!((&error.data()["number"], error.hints()), (&json!(1), vec![Hint::Confirm]));
    let purged = folder.purge("one", "asked").passes();
    assert_eq!((purged.release, purged.erased_files, purged.shared_files), (1, 3, 0));
    assert!(folder.exists("one.csv"), "the published file is not touched");
    let error = folder.purge("one", "asked").fails_with("release-erased");
    assert_eq!(error.data()["number"], 1);
    assert_eq!(folder.verify().passes().findings.erased_releases, 1);
    let log = folder.log().passes().json();
    assert!(log["log"][0]["erased"].is_string(), "{log:#}");
    let purge = &log["log"][1];
    assert_eq!((&purge["kind"], &purge["release"], &purge["reason"]), (&json!("purge"), &json!(1), &json!("asked")));
    let shown = folder.show("one").passes().json();
    assert!(shown["erased"].is_string() && shown["cuts"].is_null(), "{shown:#}");
    assert_eq!(shown["shared_with"], json!([]));
    folder.diff("one", "one").fails_with("release-erased");
    assert!(folder.history("press").passes().coalitions[0].releases[0].erased.is_some());
    let error = folder.publish("people.csv", "two").to("press").run().refused_with("earlier-release-erased");
    assert_eq!(error.data(), json!({ "release": 1, "name": "one" }));
}

/// Two releases store the same: erasing one leaves it readable through the other, and the answers name that one.
#[test]
fn an_erased_release_that_another_shares_can_be_read() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    let purged = folder.purge("one", "asked").passes();
    assert!(purged.shared_with == [2] && purged.shared_files > 0, "{purged:?}");
    assert_eq!(folder.show("one").passes().shared_with, [2]);
    assert!(folder.purge("two", "asked").passes().shared_with.is_empty());
    let shown = folder.show("one").passes();
    assert!(shown.shared_with.is_empty() && shown.erased.is_some() && shown.cuts.is_none());
}

#[test]
fn the_key_is_made_once_and_never_exchanged() {
    let folder = clinic();
    let answer = folder.publish("people.csv", "one").to("press").run().passes().json();
    assert!(answer["notes"].to_string().contains("reticent.key"), "{answer:#}");
    let key = folder.read("reticent.key");
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    assert_eq!(folder.read("reticent.key"), key);
    std::fs::rename(folder.file("reticent.key"), folder.file("elsewhere.key")).unwrap();
    let error = folder.publish("people.csv", "three").to("press").ignore_history().run().fails_with("key-missing");
    assert_eq!(error.data()["path"], json!(folder.file("reticent.key")));
    let elsewhere = folder.with_key("elsewhere.key");
    elsewhere.publish("people.csv", "three").to("press").ignore_history().run().passes();
    let other = TestFolder::new();
    other.write("d.csv", "a\n1\n2\n");
    assert!(other.init("d.csv").passes().written.iter().any(|file| file.contains("reticent.key")));
    std::fs::copy(other.file("reticent.key"), folder.file("reticent.key")).unwrap();
    let error = folder.publish("people.csv", "four").to("press").ignore_history().run().fails_with("key-differs");
    assert_eq!(error.data()["path"], json!(folder.file("reticent.key")));
    let inside = folder.with_key("ledger/reticent.key");
    inside.log().passes();
    inside.export_head().fails_with("key-in-ledger");
    // A key that exists is kept when a policy is drafted again.
    let kept = other.read("reticent.key");
    other.init_overwriting("d.csv").passes();
    assert_eq!(other.read("reticent.key"), kept);
}

#[test]
fn neither_key_nor_release_lies_in_the_ledger() {
    let folder = clinic();
    std::fs::create_dir(folder.file("sub")).unwrap();
    folder.publish("people.csv", "one").to("press").run().passes();
    let inside = folder.with_key("sub/../ledger/k");
    inside.publish("people.csv", "two").to("press").ignore_history().run().fails_with("key-in-ledger");
    let call = folder.publish("people.csv", "two").to("press").ignore_history().output("ledger/bodies/two.csv");
    let error = call.run().fails_with("output-in-ledger");
    assert_eq!(error.data()["path"], json!(folder.file("ledger/bodies/two.csv")));
    folder.verify().passes();
}

/// A ledger that was moved away is not replaced by an empty one, with which every release would be the first.
#[test]
fn a_missing_ledger_is_started_by_init_only() {
    let folder = clinic();
    let answer = folder.publish("people.csv", "one").to("press").run().passes().json();
    assert!(answer["notes"].to_string().contains("created the ledger"), "{answer:#}");
    std::fs::rename(folder.file("ledger"), folder.file("elsewhere")).unwrap();
    let careful = folder.without_new_ledger();
    let error = careful.publish("people.csv", "two").to("press").run().fails_with("ledger-missing");
    assert_eq!((&error.data()["path"], error.hints()), (&json!(folder.file("ledger")), vec![Hint::StartLedger]));
    let error = careful.register("people.csv", "two").to("press").date("2020-01-01").run().fails_with("ledger-missing");
    assert_eq!(error.hints(), [Hint::StartLedger]);
    assert!(!folder.exists("two.csv") && !folder.exists("ledger"));
    // A draft starts the ledger, so that nobody has to ask for it.
    let fresh = TestFolder::new().without_new_ledger();
    fresh.write("d.csv", "a,b\n1,x\n2,y\n");
    let drafted = fresh.init("d.csv").passes();
    assert!(drafted.written.iter().any(|file| file.contains("ledger")), "{:?}", drafted.written);
    // Two people are not five: it is refused for that and not for the ledger.
    fresh.publish("d.csv", "one").run().refused_with("requirement-unreachable");
}

/// A rehearsal fails for the same reasons as the release would: the key, and a modified ledger.
#[test]
fn a_rehearsal_fails_as_the_release_would() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    let call = folder.publish("people.csv", "two").to("press").ignore_history();
    std::fs::rename(folder.file("reticent.key"), folder.file("away.key")).unwrap();
    call.rehearse().fails_with("key-missing");
    std::fs::rename(folder.file("away.key"), folder.file("reticent.key")).unwrap();
    call.rehearse().passes();
    std::fs::remove_file(folder.file("ledger/seal.json")).unwrap();
    call.rehearse().fails_as(Class::Modified, "ledger-inconsistent");
}

/// A requirement that names another release is checked: a misspelled column is an error, an unknown release a warning.
#[test]
fn requirements_about_other_releases_are_checked() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    let rehearse = |x: &str, y: &str| {
        let model =
            format!("\n[[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"{x}\"]\ny = [\"{y}\"]\nh = 0.9\n");
        folder.write("reticent.toml", clinic_policy_with_owner(3) + &model);
        folder.publish("people.csv", "two").to("press").columns("age,sex").rehearse()
    };
    let judged = |answer: &Value| (answer["joins"][0]["with"].clone(), answer["joins"][0]["judged"].clone());
    let answer = rehearse("two.sex", "one.illness").passes().json();
    assert_eq!((judged(&answer), &answer["warnings"]), ((json!([1]), json!(3)), &json!([])));
    // The requirement about the unknown release is not judged: a warning names it.
    let answer = rehearse("two.sex", "oen.illness").passes().json();
    assert_eq!(judged(&answer), (json!([1]), json!(2)));
    let warnings = answer["warnings"].as_array().unwrap();
    assert!(warnings.len() == 1 && warnings[0].as_str().unwrap().contains("oen"), "{warnings:?}");
    for (x, y, named) in [
        ("two.sex", "one.ilness", ["`one.ilness`", "did you mean `illness`?"]),
        ("sexx", "one.illness", ["`sexx`", "did you mean `sex`?"]),
        ("one.people", "one.illness", ["`one.people`", "release one"]),
    ] {
        let error = rehearse(x, y).fails_with("policy-invalid");
        assert!(named.iter().all(|name| error.to_string().contains(name)), "{error}");
    }
}
