//! What an audit reports, and what it does not claim: certain values, bounds, reasons and assumptions.

use reticent_app::request::Adversary;
use reticent_testkit::{Answer, AuditCall, Outcome, TestFolder};
use serde_json::Value;

/// Linked owners, a quasi-identifier `zip` and these sensitive columns, without a confidence bound.
fn folder(sensitive: &[&str]) -> TestFolder {
    let columns: String = sensitive.iter().map(|name| format!("[columns.{name}]\nrole = \"sensitive\"\n")).collect();
    TestFolder::from_policy(&format!(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n{columns}[requirement]\nk = 2\n"
    ))
}

fn registered(folder: &TestFolder, number: usize, text: &str) {
    let name = format!("r{number}");
    folder.write(&format!("{name}.csv"), text);
    folder.register(&format!("{name}.csv"), &name).date(&format!("2026-01-0{number}")).run().passes();
}

fn audit(call: AuditCall<'_>) -> Value {
    call.run().unwrap().json()["coalitions"][0]["audit"].clone()
}

/// One of 1 and 2, one of 1 and 3, and one of 2, 3 and 4 has HIV. If 1 did not, 2 and 3 both did, of whom at most one does: so
/// it is 1, and 4.
#[test]
fn what_was_not_counted_is_not_reported_as_uncertain() {
    let folder = folder(&["ill"]);
    registered(&folder, 1, "pid,zip,ill\n1,a,HIV\n2,a,Flu\n");
    registered(&folder, 2, "pid,zip,ill\n1,b,HIV\n3,b,Flu\n");
    registered(&folder, 3, "pid,zip,ill\n2,c,Flu\n3,c,Flu\n4,c,HIV\n");
    assert_eq!(audit(folder.audit())["columns"][0]["certain"], 4);
    let column = audit(folder.audit().effort(0).html("page.html"))["columns"][0].clone();
    assert_eq!((&column["certain"], &column["may_be_certain"]), (&0.into(), &4.into()), "{column}");
    assert_eq!(column["people"], 4, "{column}");
    let page = folder.read("page.html");
    assert!(page.contains("Disclosure not ruled out") && !page.contains("No certain disclosure"), "{page}");
    assert!(page.contains("it could not be ruled out that <q>ill</q> is certain"));
}

/// What one column discloses about another is not visible where only one of them is shown.
#[test]
fn the_reason_shows_all_columns_that_disclose_it() {
    let folder = folder(&["ill", "smokes"]);
    registered(&folder, 1, "pid,zip,ill,smokes\n1,a,HIV,yes\n2,a,Flu,no\n");
    registered(&folder, 2, "pid,zip,smokes\n1,b,yes\n3,b,yes\n");
    let worst = audit(folder.audit().columns("ill"))["worst"].clone();
    let groups = worst[0]["explanation"]["groups"].as_array().unwrap();
    assert_eq!(
        groups[0]["values"],
        serde_json::json!([{ "value": "ill Flu, smokes no", "records": 1 }, { "value": "ill HIV, smokes yes", "records": 1 }]),
        "{worst}"
    );
    assert_eq!(groups[1]["values"], serde_json::json!([{ "value": "smokes yes", "records": 2 }]), "{worst}");
}

#[test]
fn assumptions_are_those_of_the_adversary() {
    let folder = folder(&["ill"]);
    registered(&folder, 1, "pid,zip,ill\n1,a,HIV\n2,a,Flu\n3,a,Gout\n");
    registered(&folder, 2, "pid,zip,ill\n1,b,HIV\n2,b,Flu\n3,b,Gout\n");
    folder.write("knows.txt", "\"3\" has ill = Gout\n");
    let not = audit(folder.audit().background("knows.txt"))["not_considered"].to_string();
    assert!(not.contains("than those given") && not.contains("other background knowledge"), "{not}");
    let of_quasi = || folder.audit().adversary(Adversary::QuasiIdentifiers);
    of_quasi().background("knows.txt").run().fails_with("knowledge-names-people");
    folder.write("knows.txt", "\u{feff}\"3\" has ill = Gout\n");
    folder.audit().background("knows.txt").run().passes();
    let answer = of_quasi().run().passes().json();
    let coalition = &answer["coalitions"][0];
    let (assumed, not) =
        (coalition["audit"]["assumptions"].to_string(), coalition["audit"]["not_considered"].to_string());
    assert!(not.contains("know which releases contain a person"), "{not}");
    assert!(
        assumed.contains("does not know which people are in which release")
            && !assumed.contains("owners of the records"),
        "{assumed}"
    );
    assert!(
        coalition["not_established"].to_string().contains("does not know which people are in which release"),
        "{coalition}"
    );
    let folder = TestFolder::engineers();
    let call = folder.audit().adversary(Adversary::Algorithm).population("people.csv");
    let assumed = call.run().violates().json()["coalitions"][0]["audit"]["assumptions"].to_string();
    assert!(assumed.contains("generalized no more than necessary"), "{assumed}");
}

/// 2,999 of 3,000 is not everybody.
#[test]
fn nearly_certain_is_not_certain() {
    let folder = folder(&["ill"]);
    let rows: String = (0..3_000).map(|at| format!("{at},a,{}\n", if at == 0 { "HIV" } else { "Flu" })).collect();
    registered(&folder, 1, &format!("pid,zip,ill\n{rows}"));
    let found = audit(folder.audit());
    let column = &found["columns"][0];
    assert_eq!((&column["certain"], &column["highest"]["upper"]), (&0.into(), &(2_999.0 / 3_000.0).into()), "{column}");
    assert_eq!(column["histogram"][10], 0, "{column}");
    assert_eq!((&found["worst"][0]["value"], &found["worst"][0]["people"]), (&"Flu".into(), &3_000.into()));
}

/// A release that was judged alone was audited alone.
#[test]
fn what_was_judged_alone_was_audited_alone() {
    let folder = TestFolder::clinic_with_owner(3);
    folder.replace("reticent.toml", "k = 3", "k = 3\nconfidence = 0.9");
    let first = folder.publish("people.csv", "one").to("press").run().passes().json();
    assert_eq!(
        (&first["audited"]["with"], &first["audited"]["join_only"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
    let call = folder.publish("people.csv", "two").to("press").columns("age,sex,illness");
    let answer = call.ignore_history().rehearse().passes().json();
    assert_eq!(answer["audited"]["with"], serde_json::json!([]));
    assert_eq!(answer["judged"], serde_json::json!({ "scope": "alone", "apart_from": [1] }));
}

/// A sensitive attribute is not background knowledge, also where the population has it.
#[test]
fn a_population_does_not_know_what_is_sensitive() {
    let folder = TestFolder::clinic_with_owner(3);
    folder.publish("people.csv", "one").to("press").run().passes();
    let attacks = |population: &str| {
        let call = folder.audit().attacks("record-linkage").population(population).confidence(1.0);
        call.run().passes().json()["coalitions"][0]["attacks"].clone()
    };
    let with = attacks("people.csv");
    let warnings = folder.warnings();
    assert!(
        warnings.iter().any(|warning| warning.starts_with("illness of ") && warning.contains("sensitive")),
        "{warnings:?}"
    );
    let people = folder.read("people.csv");
    let known: String = people.lines().map(|row| row[..row.rfind(',').unwrap()].to_owned() + "\n").collect();
    folder.write("known.csv", known);
    assert_eq!(with, attacks("known.csv"));
    assert_eq!(folder.warnings().len(), warnings.len());
}

/// The audit lists non-colluding recipients as an assumption.
#[test]
fn separate_recipients_are_an_assumption() {
    let folder = TestFolder::clinic_with_owner(3);
    folder
        .write("reticent.toml", folder.read("reticent.toml") + "[recipients]\nnon-colluding = [\"press\", \"bank\"]\n");
    folder.publish("people.csv", "one").to("press").run().passes();
    let assumed = audit(folder.audit())["assumptions"].to_string();
    assert!(assumed.contains("press and bank do not collude"), "{assumed}");
}

/// Only bounds are known of some people: what they count for is a bound, too.
#[test]
fn bounds_are_not_reported_as_figures() {
    let folder = folder(&["ill"]);
    for (number, value) in [(1, "HIV"), (2, "Flu")] {
        registered(&folder, number, &format!("pid,zip,ill\ncid,z,Cold\ndee,z,Flu\neve,z,{value}\n"));
    }
    let column = audit(folder.audit())["columns"][0].clone();
    assert_eq!((&column["bounds_only"], &column["accuracy"]), (&3.into(), &1.0.into()), "{column}");
}

/// The set of releases that a person is in singles out none of their records. But p3 is the only woman who left, and the only value
/// that left is y: so one of five records of the first release is hers.
#[test]
fn nobody_is_singled_out_by_a_release_they_are_not_in() {
    let folder = TestFolder::from_policy(
        "[dataset]\nname = \"t\"\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    let row = |at: usize| {
        format!("p{at},{},{}\n", if at < 10 { "F" } else { "M" }, if at.is_multiple_of(2) { "x" } else { "y" })
    };
    let all: String = (0..20).map(row).collect();
    let but_one: String = (0..20).filter(|at| *at != 3).map(row).collect();
    folder.write("one.csv", format!("id,sex,ill\n{all}"));
    folder.write("two.csv", format!("id,sex,ill\n{but_one}"));
    for name in ["one", "two"] {
        folder.register(&format!("{name}.csv"), name).to("press").date("2020-01-01").run().passes();
    }
    let identity = audit(folder.audit())["identity"].clone();
    assert_eq!((&identity["singled_out"], &identity["linkable"]), (&0.into(), &0.into()), "{identity}");
    assert!((identity["prosecutor"]["upper"].as_f64().unwrap() - 1.0 / 5.0).abs() < 1e-9, "{identity}");
}
