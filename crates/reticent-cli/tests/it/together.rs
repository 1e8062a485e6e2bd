//! Many stewards at once: no update is lost, none is made against a history that has changed, and who waits is told for whom.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{CLINIC, Desk, clinic_policy};

fn start(desk: &Desk, call: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_reticent"))
        .args(call.split_whitespace())
        .current_dir(desk.path())
        .env("RETICENT_NEW_LEDGER", "true")
        .env("NO_COLOR", "1")
        .env("RETICENT_STEWARD", "ana")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts so many publishers at once; their exit statuses and what they said.
fn publishers(desk: &Desk, many: usize, extra: &str) -> Vec<(i32, String)> {
    let call =
        |at: usize| format!("publish people.csv --name r{at} --to press -o r{at}.csv --threads 1 --wait 300 {extra}");
    let children: Vec<Child> = (0..many).map(|at| start(desk, &call(at))).collect();
    let answer = |child: Child| {
        let output = child.wait_with_output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap_or(-1), said)
    };
    children.into_iter().map(answer).collect()
}

fn clinic() -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", CLINIC);
    desk.write("reticent.toml", clinic_policy(3).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\""));
    desk
}

/// Every release is in the log once, each was judged with or apart from exactly those before it, and every file is there.
fn all_are_recorded(many: usize) {
    let desk = clinic();
    for (status, said) in publishers(&desk, many, "--alone") {
        assert_eq!(status, 0, "{said}");
    }
    let log = desk.run("log --json").exits(0).json();
    let log = log["log"].as_array().unwrap();
    let names: BTreeSet<&str> = log.iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert_eq!((log.len(), names.len()), (many, many), "an update was lost");
    for (before, line) in log.iter().enumerate() {
        let known: Vec<u64> = match line["judged"]["scope"].as_str().unwrap() {
            "history" => line["judged"]["with"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect(),
            _ => line["judged"]["apart_from"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect(),
        };
        let all: Vec<u64> = (1..=before as u64).collect();
        assert_eq!(known, all, "release {} was made against a history that had changed", before + 1);
        assert!(desk.file(&format!("{}.csv", line["name"].as_str().unwrap())).exists());
    }
    desk.run("verify").exits(0).says("intact");
}

#[test]
fn two_publishers() {
    all_are_recorded(2);
}

#[test]
fn eight_publishers() {
    all_are_recorded(8);
}

#[test]
fn sixty_four_publishers() {
    all_are_recorded(64);
}

/// Nobody asks to be judged alone: whoever is first is made against nothing, and every other one against all before it.
#[test]
fn only_one_of_many_is_made_against_an_empty_history() {
    let desk = clinic();
    let answers = publishers(&desk, 5, "");
    assert!(answers.iter().all(|(status, _)| *status == 0), "{answers:#?}");
    let log = desk.run("log --json").exits(0).json();
    let judged: Vec<Value> = log["log"].as_array().unwrap().iter().map(|entry| entry["judged"].clone()).collect();
    let all_before = |at: u64| json!({ "scope": "history", "with": (1..=at).collect::<Vec<_>>() });
    assert_eq!(judged, (0..5).map(all_before).collect::<Vec<_>>());
    desk.run("verify").exits(0);
}

/// One name, many publishers: one gets it.
#[test]
fn a_name_goes_to_one_publisher() {
    let desk = clinic();
    let call = |at: usize| format!("publish people.csv --name same --to press{at} -o s{at}.csv --alone --threads 1");
    let children: Vec<Child> = (0..6).map(|at| start(&desk, &call(at))).collect();
    let statuses: Vec<i32> = children.into_iter().map(|mut child| child.wait().unwrap().code().unwrap()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 0).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 2).count(), 5, "{statuses:?}");
    desk.run("verify").exits(0);
}

/// Who holds the lock is told, and waiting ends.
#[test]
fn who_waits_is_told_for_whom() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    let lock = std::fs::OpenOptions::new().read(true).write(true).open(desk.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    let holder = r#"{"steward":"bert","process":4711,"since":"2026-01-02T03:04:05Z","doing":"publishing winter"}"#;
    std::fs::write(desk.file("ledger/lock"), holder).unwrap();
    let call = "publish people.csv --name two --to press -o two.csv --alone --wait 0.3";
    desk.run(call).exits(5).says("bert").says("4711").says("publishing winter");
    assert!(!desk.file("two.csv").exists());
    let refused = desk.run(&format!("{call} --json")).exits(5);
    let said: serde_json::Value = serde_json::from_str(&refused.err).unwrap();
    assert_eq!(said["status"], 5);
    drop(lock);
    // What a killed process wrote into the file does not matter: the lock went with it.
    desk.run(call).exits(0);
}
