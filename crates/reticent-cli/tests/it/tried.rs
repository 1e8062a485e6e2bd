//! What a new steward met: each of these said something untrue, or lost something.

use crate::support::{CLINIC, Desk};

fn clinic() -> Desk {
    Desk::followed_clinic(3)
}

/// In Latin-1 and in UTF-8 one person would be two, and nothing that is said about them together true.
#[test]
fn owners_are_read_in_one_encoding() {
    let desk = clinic();
    let latin = CLINIC.replace("Ada", "Ad?").into_bytes();
    desk.write("latin.csv", latin.iter().map(|byte| if *byte == b'?' { 0xe4 } else { *byte }).collect::<Vec<u8>>());
    desk.run("publish latin.csv --name one -o one.csv").exits(2).says("is not UTF-8");
    desk.run("check latin.csv").exits(2).says("is not UTF-8");
    desk.run("register latin.csv --name one --to press --date 2020-01-01").exits(2).says("is not UTF-8");
}

/// What is in the way of drafting a policy again is met before the one that is there is replaced, and that one is kept.
#[test]
fn drafting_again_loses_nothing() {
    let desk = clinic();
    let policy = desk.read("reticent.toml");
    desk.run("publish people.csv --name one -o one.csv").exits(0);
    std::fs::rename(desk.file("reticent.key"), desk.file("away")).unwrap();
    desk.run("init people.csv --force").exits(2).says("key");
    assert_eq!(desk.read("reticent.toml"), policy);
    std::fs::rename(desk.file("away"), desk.file("reticent.key")).unwrap();
    desk.run("init people.csv --force").exits(0).says("reticent.toml.old1 (the policy that was there)");
    assert_eq!(desk.read("reticent.toml.old1"), policy);
    assert_ne!(desk.read("reticent.toml"), policy);
}

/// The next step can be typed as it is shown.
#[test]
fn names_with_spaces_are_quoted() {
    let desk = Desk::new();
    desk.write("our people.csv", CLINIC);
    desk.run_with(&["init", "our people.csv"]).exits(0).says("reticent check 'our people.csv'");
}

/// What cannot be looked at is not what is not there.
#[test]
fn a_ledger_that_cannot_be_read_is_not_missing() {
    let desk = clinic();
    desk.write("ledger", "not a folder");
    for call in ["audit", "verify", "log", "publish people.csv --name one -o one.csv"] {
        let ran = desk.run(call);
        assert!(ran.status > 1 && !ran.err.contains("there is no ledger"), "{call}: {} {}", ran.status, ran.err);
    }
    assert_eq!(desk.read("ledger"), "not a folder");
}

/// Nothing is judged with a ledger that was changed; that it was is what has to be said.
#[test]
fn a_broken_ledger_is_no_reason_to_ask_for_less() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    std::fs::remove_file(desk.file("ledger/seal.json")).unwrap();
    desk.run("publish people.csv --name two --to press -o two.csv").exits(4).says("seal");
}

/// A release that was judged by itself was not audited with what its recipients hold, and it is not said that it was.
#[test]
fn what_was_judged_alone_was_audited_alone() {
    let desk = clinic();
    desk.write("reticent.toml", desk.read("reticent.toml").replace("k = 3", "k = 3\nconfidence = 0.9"));
    let first = desk.run("publish people.csv --name one --to press -o one.csv").exits(0).says("Audited by itself");
    assert!(!first.out.contains("recipients can hold"), "{}", first.out);
    let call = "publish people.csv --name two --to press --columns age,sex,illness -o two.csv --json";
    let answer = desk.run(&format!("{call} --alone --dry-run")).exits(0).json();
    assert_eq!(answer["audited"]["with"], serde_json::Value::Array(Vec::new()));
}

/// What is to be kept from the attacker is not what he knows, also where the list of people has it.
#[test]
fn a_population_does_not_know_what_is_sensitive() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    let call = "audit --attack record-linkage --population people.csv --confidence 1 --json";
    let ran = desk.run(call).exits(0).says("illness of people.csv is sensitive, and not taken to be known");
    desk.write(
        "known.csv",
        desk.read("people.csv").lines().map(|row| row[..row.rfind(',').unwrap()].to_owned() + "\n").collect::<String>(),
    );
    let without = desk.run(&call.replace("people.csv", "known.csv")).exits(0).json();
    assert_eq!(ran.json()["coalitions"][0]["attacks"], without["coalitions"][0]["attacks"]);
}

/// Of recipients who never combine what they hold that is an assumption, and it is said.
#[test]
fn that_recipients_never_combine_is_said() {
    let desk = clinic();
    let policy = desk.read("reticent.toml") + "[recipients]\nseparate = [\"press\", \"bank\"]\n";
    desk.write("reticent.toml", policy);
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    desk.run("audit").exits(0).says("press and bank never combine what they hold");
}

/// Of some people only bounds are known: what they count for is a bound, too.
#[test]
fn bounds_are_not_told_as_figures() {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    for (name, value) in [("one", "HIV"), ("two", "Flu")] {
        desk.write(&format!("{name}.csv"), format!("pid,zip,ill\ncid,z,Cold\ndee,z,Flu\neve,z,{value}\n"));
        desk.run(&format!("register {name}.csv --name {name} --to press --date 2026-01-01")).exits(0);
    }
    let answer = desk.run("audit --json").exits(0).json();
    assert_eq!(answer["coalitions"][0]["audit"]["columns"][0]["bounded"], 3, "{answer}");
    desk.run("audit").exits(0).says("at most 100.0 % right").says("3 of them by the most that may be");
}
