//! Eight processes that publish to one ledger at once: every release is recorded, each against the history before it.

use std::process::{Child, Stdio};

use crate::support::{RunCommand, TestFolder};

#[test]
fn eight_processes_are_all_recorded() {
    let folder = TestFolder::clinic_with_owner(3);
    let start = |at: usize| {
        let call =
            format!("publish people.csv --name r{at} --to press -o r{at}.csv --threads 1 --wait 300 --ignore-history");
        let mut command = folder.command(&call.split_whitespace().collect::<Vec<_>>());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..8).map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let log = folder.run("log --json").exits(0).json();
    let log = log["log"].as_array().unwrap();
    assert_eq!(log.len(), 8, "an update was lost");
    for (before, line) in log.iter().enumerate() {
        let judged = &line["judged"];
        let known = if judged["scope"] == "history" { &judged["with"] } else { &judged["apart_from"] };
        assert_eq!(*known, serde_json::json!((1..=before).collect::<Vec<_>>()), "{line}");
        assert!(folder.exists(&format!("{}.csv", line["name"].as_str().unwrap())));
    }
    folder.run("verify").exits(0);
}
