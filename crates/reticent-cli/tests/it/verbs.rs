//! Drafting, checking, publishing and comparing as a process: words of the command line, exit status, and what is on which
//! stream.

use crate::support::{CLINIC, RunCommand, TestFolder, answers, clinic_policy, fails};

#[test]
fn verbs_answer_on_standard_output() {
    let folder = TestFolder::new();
    folder.write("people.csv", CLINIC);
    let drafted = folder.run("init people.csv --json").exits(0);
    assert_eq!((drafted.json()["rows"].as_u64(), drafted.err.as_str()), (Some(12), ""));
    folder.write("reticent.toml", clinic_policy(3));
    assert_eq!(answers(&folder, "check", 0)["dataset"], "clinic");
    assert_eq!(answers(&folder, "check people.csv --policy reticent.toml", 1)["data"]["risk"]["sample_unique"], 12);
    let rehearsal = answers(&folder, "publish people.csv --name one -o one.csv --dry-run --k 2 --confidence 1", 0);
    assert_eq!((&rehearsal["dry_run"], &rehearsal["recipients"]), (&true.into(), &serde_json::json!(["public"])));
    let call = "publish people.csv --name one --to press,bank -o one.csv --columns age,illness --time-limit 60 \
                --algorithm optimal-full-domain --ledger here --threads 1 --memory 500M --quiet --json";
    let answer = folder.run(call).exits(0).json();
    assert_eq!(answer["recipients"], serde_json::json!(["press", "bank"]));
    assert_eq!(answer["algorithm"], "optimal-full-domain");
    assert_eq!(answer["recorded"]["ledger"], "here");
    assert_eq!(answer["file"], "one.csv");
    assert!(folder.read("one.csv").starts_with("age,illness\n"));
    let compared = answers(&folder, "compare people.csv --k 2,3 --columns age,illness --columns sex,illness", 0);
    assert_eq!(compared["choices"].as_array().unwrap().len(), 4);
    // Every choice is refused.
    assert_eq!(answers(&folder, "compare people.csv --k 13,14", 1)["choices"].as_array().unwrap().len(), 2);
}

#[test]
fn errors_are_on_standard_error_with_their_status() {
    let folder = TestFolder::clinic(&clinic_policy(13));
    let error = fails(&folder, "publish people.csv --name one -o one.csv", 1, "requirement-unreachable");
    assert_eq!(error["refusal"]["remedies"][0]["thresholds"][0]["to"], 12.0);
    fails(&folder, "publish people.csv --name one -o people.csv", 2, "output-exists");
    fails(&folder, "check none.csv", 2, "file-not-found");
    fails(&folder, "check people.csv --policy none.toml", 3, "file-failed");
    fails(&folder, "init people.csv", 2, "policy-exists");
    let folder = TestFolder::clinic(&clinic_policy(3));
    fails(&folder, "publish people.csv --name one -o nowhere/one.csv", 3, "ledger-io-failed");
    fails(&folder, "catalogue k-anonimity", 2, "no-such-entry");
}

/// Words are checked before a verb is called.
#[test]
fn wrong_words_are_usage_errors() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    for limit in ["nan", "inf", "-1", "soon"] {
        let call = format!("publish people.csv --name x -o out.csv --time-limit={limit}");
        fails(&folder, &call, 2, "usage");
    }
    for wrong in
        ["--k 1", "--confidence 2", "--suppression 1.5", "--threads 0", "--memory much", "--nome y", "--dry-run --k 1"]
    {
        fails(&folder, &format!("publish people.csv --name x -o out.csv {wrong}"), 2, "usage");
    }
    // Flags of version 0.1 are named with their present names.
    for (old, new) in [("--alone", "--ignore-history"), ("--alone=yes", "--ignore-history")] {
        let ran = folder.run(&format!("publish people.csv --name x -o out.csv {old}")).exits(2);
        assert!(ran.err.contains(&format!("is now called `{new}`")), "{}", ran.err);
    }
    let ran = folder.run("audit --knows facts.txt --json").exits(2);
    assert!(ran.err.contains("`--knows` is now called `--background`"), "{}", ran.err);
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
    // Without words the command prints its help.
    let ran = folder.run("").exits(2);
    assert!(ran.err.contains("Usage: reticent"), "{}", ran.err);
}

/// The work is done although the answer cannot be printed.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_printed_changes_no_status() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    for (round, json) in [&[][..], &["--json"]].into_iter().enumerate() {
        let out = format!("out{round}.csv");
        let call = [&["publish", "people.csv", "--name", &out, "--ignore-history", "-o", &out], json].concat();
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = folder.command(&call).stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(0));
        assert!(String::from_utf8_lossy(&ran.stderr).contains("could not be printed"));
        assert!(folder.exists(&out));
    }
}
