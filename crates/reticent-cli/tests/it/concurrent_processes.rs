//! Several processes at one ledger: each release has a file and an entry of its own, and the ledger has one key.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{RunCommand, TestFolder};

fn clinic() -> TestFolder {
    TestFolder::clinic_with_owner(3)
}

fn entries(folder: &TestFolder) -> u64 {
    folder.run("verify --json").exits(0).json()["entries"].as_u64().unwrap()
}

fn start(folder: &TestFolder, call: &str) -> Child {
    let words: Vec<&str> = call.split_whitespace().collect();
    folder.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Another program that reads the catalogue and closes it does not remove the log that a publisher uses.
#[test]
fn another_reader_of_the_catalogue_does_no_harm() {
    let folder = clinic();
    folder.run("publish people.csv --name first --to press -o first.csv").exits(0);
    let stop = AtomicBool::new(false);
    let looks = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0;
            while !stop.load(Ordering::SeqCst) {
                let connection = rusqlite::Connection::open(folder.file("ledger/catalogue.sqlite")).unwrap();
                // It may be busy; it may not be wrong.
                let _ = connection.query_row("SELECT count(*) FROM entries", [], |_| Ok(()));
                drop(connection);
                looks += 1;
            }
            looks
        });
        for at in 0..25 {
            let call = format!("publish people.csv --name r{at} --to press --ignore-history -o r{at}.csv --threads 1");
            folder.run(&call).exits(0);
        }
        stop.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    assert!(looks > 25, "it looked {looks} times only");
    assert_eq!(entries(&folder), 26);
}

#[test]
fn two_publishers_of_one_file_get_a_name_each() {
    let folder = clinic();
    let call = |at: usize| format!("publish people.csv --name r{at} --to press --ignore-history -o out.csv --json");
    let children: Vec<_> = (0..4).map(|at| start(&folder, &call(at))).collect();
    let published = children.into_iter().map(|child| child.wait_with_output().unwrap());
    let files: BTreeSet<String> = published
        .filter(|output| output.status.success())
        .map(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["file"].to_string())
        .collect();
    assert!(!files.is_empty());
    assert_eq!(files.len() as u64, entries(&folder), "{files:?}");
}

#[test]
fn a_ledger_has_one_key() {
    let folder = clinic();
    let call = |at: usize| {
        format!("publish people.csv --name k{at} --to press --ignore-history -o k{at}.csv --key k{at}.key --quiet")
    };
    let children: Vec<_> = (0..6).map(|at| start(&folder, &call(at))).collect();
    let done = children.into_iter().map(|child| child.wait_with_output().unwrap());
    assert_eq!(done.filter(|output| output.status.success()).count(), 1);
    assert_eq!(entries(&folder), 1);
}
