//! `init` with roles: as arguments, and asked for in the terminal.

use std::io::Write;
use std::process::Stdio;

use crate::support::{RunCommand, TestFolder, fails};

fn staff() -> TestFolder {
    let folder = TestFolder::new();
    let rows: String = (0..40).map(|row| format!("p{row},{},{}\n", 20 + row % 9, 30_000 + 700 * (row % 13))).collect();
    folder.write("staff.csv", format!("patient_id,age,salary\n{rows}"));
    folder
}

/// Runs `init --ask` with these answers. Returns the status, the output and the error.
fn ask(folder: &TestFolder, answers: &str) -> (Option<i32>, String, String) {
    let mut child = folder
        .command(&["init", "staff.csv", "--ask"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn roles(folder: &TestFolder) -> Vec<String> {
    let policy = folder.read("reticent.toml");
    let roles = policy.lines().filter_map(|line| line.strip_prefix("role = \"")?.strip_suffix('"').map(str::to_owned));
    roles.collect()
}

#[test]
fn roles_are_asked_for() {
    let folder = staff();
    // The suggested role, a wrong answer with a correction, and the first letter.
    let (status, out, err) = ask(&folder, "\nnone\nquasi\nS\n");
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    assert_eq!(roles(&folder), ["identifier", "quasi-identifier", "sensitive"]);
    assert!(out.contains("suggested: sensitive - the column name contains `salary`"), "{out}");
    assert!(out.contains("write identifier, quasi-identifier, sensitive, other or drop"), "{out}");
    assert!(!out.contains("p7"), "{out}");
}

#[test]
fn an_input_that_ends_early_writes_nothing() {
    let folder = staff();
    let (status, _, err) = ask(&folder, "\n");
    assert!(status == Some(2) && err.contains("nothing was written"), "{err}");
    assert_eq!(folder.files(), ["staff.csv"]);
}

#[test]
fn roles_and_the_owner_are_arguments() {
    let folder = staff();
    folder.run("init staff.csv --owner patient_id --role salary=sensitive").exits(0);
    assert_eq!(roles(&folder), ["identifier", "quasi-identifier", "sensitive"]);
    assert!(folder.read("reticent.toml").contains("\nowner = \"patient_id\""));
    folder.run("check staff.csv").exits(1).says("violates 5-anonymity on age");
    let again = |options: &str, code: &str| fails(&folder, &format!("init staff.csv --force {options}"), 2, code);
    again("--role wage=sensitive", "column-unknown");
    again("--owner patient", "column-unknown");
    folder.run("init staff.csv --force --role salary=secret").exits(2).says("`secret` is not a role");
    folder.run("init staff.csv --force --role salary").exits(2).says("write COLUMN=ROLE");
}
