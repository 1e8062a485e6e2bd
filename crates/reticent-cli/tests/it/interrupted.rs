//! A process that is interrupted or cannot write: nothing is done that was not asked for, and no half a file is left.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{RunCommand, TestFolder, clinic_policy};

/// A process that waits for the ledger and is interrupted does nothing when the ledger is free.
#[test]
fn interrupted_while_waiting() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.run("publish people.csv --name zero --to press -o zero.csv").exits(0);
    let lock = std::fs::File::options().read(true).write(true).open(folder.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    for call in
        ["purge zero --reason asked --yes", "publish people.csv --name one --to press --ignore-history -o one.csv"]
    {
        let mut waiting = Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(call.split_whitespace())
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1_500));
        assert!(Command::new("kill").args(["-INT", &waiting.id().to_string()]).status().unwrap().success());
        assert_eq!(waiting.wait().unwrap().code(), Some(130), "{call}");
    }
    drop(lock);
    assert_eq!(folder.run("verify --json").exits(0).json()["entries"], 1);
    assert!(!folder.exists("one.csv"));
}

/// A disk that is full in the middle of the report: half a page would show less than was found.
#[test]
fn half_a_report_is_not_left() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\n\
         role = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
    );
    let rows: String = (0..400).map(|at| format!("p{at},{},v{}\n", at / 2, at % 7)).collect();
    folder.write("one.csv", format!("pid,zip,ill\n{rows}"));
    folder.run("register one.csv --name one --to press --date 2026-01-01").exits(0);
    let call = "audit --confidence 1 --per-person --worst 300 --html r.html --json";
    // As much as the catalogue's log needs when it is opened, and less than the report.
    let limited = format!("trap '' XFSZ; ulimit -f 80; exec {} {call}", env!("CARGO_BIN_EXE_reticent"));
    let run = Command::new("sh").args(["-c", &limited]).current_dir(folder.path()).output().unwrap();
    assert_eq!(run.status.code(), Some(3), "{}", String::from_utf8_lossy(&run.stderr));
    let error: serde_json::Value = serde_json::from_slice(&run.stderr).unwrap();
    assert_eq!((&error["code"], &error["data"]["path"]), (&"file-failed".into(), &"r.html".into()), "{error:#}");
    let left = folder.files();
    assert!(!left.iter().any(|name| name.contains("report") || name.contains("html")), "{left:?}");
    folder.run(call).exits(0);
    assert!(folder.read("r.html").len() > 100_000);
}
