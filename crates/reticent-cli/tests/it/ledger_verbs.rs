//! The verbs about the ledger as a process: words of the command line, exit status, and what is on which stream.

use serde_json::Value;

use crate::support::{RunCommand, TestFolder, answers, clinic_policy, fails};

fn clinic() -> TestFolder {
    let folder = TestFolder::clinic_with_owner(3);
    folder.run("publish people.csv --name one --to press,ministry -o one.csv").exits(0);
    folder
}

/// Every verb that reads the ledger answers on standard output, with status 0.
#[test]
fn verbs_answer_on_standard_output() {
    let folder = clinic();
    assert_eq!(answers(&folder, "log", 0)["entries"], 1);
    assert_eq!(answers(&folder, "show one", 0)["recorded"]["number"], 1);
    assert_eq!(answers(&folder, "show 1", 0)["recorded"]["number"], 1);
    assert_eq!(answers(&folder, "diff one 1", 0)["people"]["kept"], 12);
    assert_eq!(
        answers(&folder, "history for press,ministry", 0)["recipients"],
        serde_json::json!(["press", "ministry"])
    );
    assert_eq!(answers(&folder, "verify", 0)["intact"], true);
    assert_eq!(answers(&folder, "export-head", 0)["entries"], 1);
    assert_eq!(answers(&folder, "audit --confidence 0.9", 0)["holds"], true);
}

/// `audit` answers with 1 when the bound is violated; `verify` answers with 4 when a file was changed.
#[test]
fn verbs_answer_in_full_when_something_does_not_hold() {
    let folder = clinic();
    assert_eq!(answers(&folder, "audit --confidence 0.5", 1)["holds"], false);
    folder.replace("one.csv", "asthma", "gout");
    assert_eq!(answers(&folder, "verify", 4)["intact"], false);
}

#[test]
fn register_and_purge_write_to_the_ledger() {
    let folder = clinic();
    folder.write("old.csv", "age,city\n20-29,Paris\n30-39,Paris\n30-39,Oslo\n");
    let call = "register old.csv --name old --to press --date 2020-01-01";
    assert_eq!(answers(&folder, &format!("{call} --dry-run"), 0)["release"], Value::Null);
    assert_eq!(folder.run(&format!("{call} --json")).exits(0).json()["release"], 2);
    let error = fails(&folder, "purge old --reason asked", 2, "purge-unconfirmed");
    assert_eq!(error["hints"], serde_json::json!(["confirm"]));
    assert_eq!(folder.run("purge old --reason asked --yes --json").exits(0).json()["release"], 2);
}

/// Errors have a code and the exit status of their class, on standard error.
#[test]
fn errors_are_on_standard_error_with_their_status() {
    let folder = clinic();
    fails(&folder, "show 7", 2, "release-not-found");
    fails(&folder, "audit --column ilness", 2, "no-such-sensitive-column");
    fails(&folder, "register none.csv --name x --to press --date 2020-05-01", 3, "io-failed");
    folder.write("ledger/seal.json", "{}");
    let publish = "publish people.csv --name two --to press --ignore-history -o two.csv";
    fails(&folder, publish, 4, "ledger-inconsistent");
    fails(&folder, "purge one --reason r --yes", 4, "ledger-inconsistent");
    // The log can be read all the same, with a warning on standard error.
    let ran = folder.run("log --json").exits(0);
    assert_eq!(ran.json()["entries"], 1);
    assert!(ran.err.starts_with("warning: ") && ran.err.contains("seal.json"), "{}", ran.err);
    let held = clinic();
    let lock = std::fs::File::open(held.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    fails(&held, "purge one --reason r --yes --wait 0", 5, "ledger-locked");
    fails(&folder, "log --ledger nowhere", 2, "ledger-not-found");
}

/// The owner value comes from a file, from standard input or, with a warning, from the command line. It is never printed.
#[test]
fn the_owner_to_erase_is_read_and_not_printed() {
    use std::io::Write;
    use std::process::Stdio;
    let folder = clinic();
    let from_input = |text: &str, words: &[&str]| {
        let mut child = folder
            .command(&[&["erase", "--reason", "asked", "--json"], words].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, out, err) = from_input("Leo\r\n", &["--dry-run"]);
    assert!(status == Some(0) && !format!("{out}{err}").contains("Leo"), "{out}{err}");
    let (status, _, err) = from_input("", &["--dry-run"]);
    assert!(status == Some(2) && err.contains("the owner value is empty"), "{err}");
    let (status, _, err) = from_input("leo\n", &["--yes"]);
    assert!(status == Some(2) && err.contains("owner-not-found") && !err.contains("leo"), "{err}");
    folder.write("two.txt", "Leo\nAda\n");
    fails(&folder, "erase --owner-file two.txt --reason asked --yes", 2, "usage");
    fails(&folder, "erase --owner-file none.txt --reason asked --yes", 3, "file-failed");
    fails(&folder, "erase --owner Leo --owner-file two.txt --reason asked --yes", 2, "usage");
    let ran = folder.run("erase --owner Leo --reason asked --yes --json").exits(0);
    assert!(ran.err.starts_with("warning: ") && !ran.err.contains("Leo") && !ran.out.contains("Leo"), "{}", ran.err);
    for wrong in ["amend one --reason r --role city", "amend one --reason r --role city=drop", "withdraw one"] {
        fails(&folder, wrong, 2, "usage");
    }
}

/// Names, days, reasons and bounds are checked before a verb is called.
#[test]
fn wrong_words_are_usage_errors() {
    let folder = TestFolder::clinic_with_owner(3);
    for wrong in [
        "register people.csv --name old --to press --date 1.5.2020",
        "audit --confidence 0.012345678901234567",
        "audit --confidence 1.5",
        "audit --public",
        "publish people.csv --name 1 -o one.csv",
    ] {
        fails(&folder, wrong, 2, "usage");
    }
    let publish = |name, to| ["publish", "people.csv", "--name", name, "--to", to, "-o", "one.csv", "--json"];
    let purge = ["purge", "one", "--reason", "a\nb", "--yes", "--json"];
    for call in [
        &publish("x\n9  2030-01-01  forged", "press")[..],
        &publish(" ", "press"),
        &publish("one", "a\nb"),
        &publish("one", ""),
        &purge,
    ] {
        let ran = folder.run_with(call).exits(2);
        let error: Value = serde_json::from_str(&ran.err).unwrap();
        assert_eq!((&error["code"], ran.out.as_str()), (&"usage".into(), ""), "{call:?}");
    }
    assert!(!folder.exists("ledger") && !folder.exists("one.csv"));
    let answer = folder.run("publish people.csv --name one --to PUBLIC -o one.csv --json").exits(0).json();
    assert_eq!(answer["recipients"], serde_json::json!(["public"]));
}

/// Without `RETICENT_NEW_LEDGER` a missing ledger is an error; the hint is in the words of the command line.
#[test]
fn a_missing_ledger_needs_a_flag() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let publish = ["publish", "people.csv", "--name", "one", "--to", "press", "-o", "one.csv"];
    let output = folder.command(&publish).env_remove("RETICENT_NEW_LEDGER").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("--new-ledger"), "{said}");
    assert!(!folder.exists("ledger") && !folder.exists("one.csv"));
    let publish = [&publish[..], &["--new-ledger"]].concat();
    assert!(folder.command(&publish).env_remove("RETICENT_NEW_LEDGER").output().unwrap().status.success());
}
