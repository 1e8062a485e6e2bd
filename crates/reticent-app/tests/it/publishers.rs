//! Many publishers of one ledger at once: no update is lost, and none is made against a history that has changed.

use std::collections::BTreeSet;
use std::time::Duration;

use reticent_app::answer::Publication;
use reticent_app::error::Class;
use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::{Value, json};

/// So many publishers at once, each on a thread of its own.
fn publish_at_once(folder: &TestFolder, many: usize, alone: bool) -> Vec<reticent_app::Result<Publication>> {
    let folder = folder.with_threads(1).with_wait(Duration::from_secs(300));
    let publish = |at: usize| {
        let name = format!("r{at}");
        let call = folder.publish("people.csv", &name).to("press");
        if alone { call.ignore_history().run() } else { call.run() }
    };
    let publish = &publish;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..many).map(|at| scope.spawn(move || publish(at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Every release is in the log once, each was judged with or apart from exactly those before it, and every file is there.
fn all_are_recorded(many: usize) {
    let folder = TestFolder::clinic_with_owner(3);
    for result in publish_at_once(&folder, many, true) {
        result.passes();
    }
    let log = folder.log().passes().json();
    let log = log["log"].as_array().unwrap();
    let names: BTreeSet<&str> = log.iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert_eq!((log.len(), names.len()), (many, many), "an update was lost");
    for (before, line) in log.iter().enumerate() {
        let judged = &line["judged"];
        let known = if judged["scope"] == "history" { &judged["with"] } else { &judged["apart_from"] };
        let all: Vec<usize> = (1..=before).collect();
        assert_eq!(*known, json!(all), "release {} was made against a history that had changed", before + 1);
        assert!(folder.exists(&format!("{}.csv", line["name"].as_str().unwrap())));
    }
    folder.verify().passes();
}

#[test]
fn two_publishers_are_both_recorded() {
    all_are_recorded(2);
}

#[test]
fn sixty_four_publishers_are_all_recorded() {
    all_are_recorded(64);
}

/// No publisher asks to be judged alone: the first is made against nothing, and every other one against all before it.
#[test]
fn only_one_of_many_is_made_against_an_empty_history() {
    let folder = TestFolder::clinic_with_owner(3);
    for result in publish_at_once(&folder, 5, false) {
        result.passes();
    }
    let log = folder.log().passes().json();
    let judged: Vec<Value> = log["log"].as_array().unwrap().iter().map(|entry| entry["judged"].clone()).collect();
    let all_before = |at: u64| json!({ "scope": "history", "with": (1..=at).collect::<Vec<_>>() });
    assert_eq!(judged, (0..5).map(all_before).collect::<Vec<_>>());
    folder.verify().passes();
}

/// One name, many publishers: one gets it.
#[test]
fn a_name_goes_to_one_publisher() {
    let folder = TestFolder::clinic_with_owner(3);
    let one_thread = folder.with_threads(1);
    let publish = |at: usize| {
        let output = format!("s{at}.csv");
        one_thread.publish("people.csv", "same").to(&format!("press{at}")).output(&output).ignore_history().run()
    };
    let publish = &publish;
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|at| scope.spawn(move || publish(at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (published, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((published.len(), failed.len()), (1, 5));
    for result in failed {
        assert_eq!(result.fails_with("release-name-taken").data()["name"], "same");
    }
    folder.verify().passes();
}

/// The error names who holds the lock, and waiting ends.
#[test]
fn a_locked_ledger_names_its_holder() {
    let folder = TestFolder::clinic_with_owner(3).with_wait(Duration::from_millis(300));
    folder.publish("people.csv", "one").to("press").run().passes();
    let lock = std::fs::OpenOptions::new().read(true).write(true).open(folder.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    let holder = r#"{"steward":"bert","process":4711,"since":"2026-01-02T03:04:05Z","doing":"publishing winter"}"#;
    std::fs::write(folder.file("ledger/lock"), holder).unwrap();
    let call = folder.publish("people.csv", "two").to("press").ignore_history();
    let error = call.run().fails_as(Class::Locked, "ledger-locked");
    let text = error.to_string();
    assert!(["bert", "4711", "publishing winter"].iter().all(|part| text.contains(part)), "{text}");
    assert!(!folder.exists("two.csv"));
    drop(lock);
    // What a killed process wrote into the file does not matter: the lock went with it.
    call.run().passes();
}
