//! Runs that end early: interrupted, killed, or out of disk space. No half-written file is left, and nothing is disclosed.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{RunCommand, TestFolder, clinic_policy};

/// Interrupted at several moments: either it was done already, or nothing is left behind but what was there.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_half_written_file() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let rows: String = (0..150_000).map(|row| format!("n{row},{},F,c{},flu{}\n", row % 90, row % 7, row % 5)).collect();
    folder.write("people.csv", format!("name,age,sex,city,illness\n{rows}"));
    let mut interrupted = 0;
    for (round, delay) in [5, 20, 60, 150, 300, 600].into_iter().enumerate() {
        let out = format!("out{round}.csv");
        let mut command = folder.command(&["publish", "people.csv", "--name", "one", "-o", &out]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let done = child.wait().unwrap().code() == Some(0);
        interrupted += usize::from(!done);
        assert_eq!(folder.files().contains(&out), done, "after {delay} ms");
        assert!(!folder.files().iter().any(|name| name.starts_with(".reticent")), "{:?}", folder.files());
    }
    assert!(interrupted > 0, "it was never interrupted in time");
}

/// No file may grow beyond one block: the write fails as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_publishes_nothing() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let call = format!(
        "trap '' XFSZ; ulimit -f 0; exec {} publish people.csv --name one -o out.csv --new-ledger",
        env!("CARGO_BIN_EXE_reticent")
    );
    let ran = Command::new("sh").args(["-c", &call]).current_dir(folder.path()).output().unwrap();
    assert_eq!(ran.status.code(), Some(3), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
}

/// What a killed run leaves in the ledger has no identifier, and the next run works.
#[test]
fn a_killed_run_leaves_no_identifier_in_the_ledger() {
    const NAME: &str = "ZZCANARYNAME";
    let folder = TestFolder::clinic_with_owner(3);
    let rows: String =
        (0..60_000).map(|row| format!("{NAME}{row},{},F,c{},i{}\n", row % 90, row % 7, row % 5)).collect();
    folder.write("people.csv", format!("name,age,sex,city,illness\n{rows}"));
    for wait in [20, 60, 100, 140, 180, 220, 260, 300, 340] {
        let (name, output) = (format!("r{wait}"), format!("r{wait}.csv"));
        let mut command =
            folder.command(&["publish", "people.csv", "--name", &name, "--ignore-history", "-o", &output]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut open = vec![folder.file("ledger")];
        while let Some(directory) = open.pop() {
            let entries = std::fs::read_dir(&directory).into_iter().flatten();
            for path in entries.map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    open.push(path);
                } else {
                    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                    assert!(!text.contains(NAME), "{} has an identifier", path.display());
                }
            }
        }
    }
    folder.run("publish people.csv --name last --ignore-history -o last.csv").exits(0);
    folder.run("verify").exits(0);
}
