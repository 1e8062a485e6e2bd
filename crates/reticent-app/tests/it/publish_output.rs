//! The output of a release: nothing is overwritten, and an output that cannot be written publishes nothing.

use reticent_app::error::Class;
use reticent_testkit::{Outcome, TestFolder, clinic_policy};

#[test]
fn an_output_that_exists_is_not_touched() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.write("one.csv", "precious");
    let error = folder.publish("people.csv", "one").run().fails_with("output-exists");
    assert_eq!(error.data()["path"], folder.file("one.csv").display().to_string());
    assert_eq!(folder.read("one.csv"), "precious");
}

#[test]
fn an_output_in_a_missing_folder_fails() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let error = folder.publish("people.csv", "one").output("nowhere/out.csv").run();
    let error = error.fails_as(Class::Io, "ledger-io-failed");
    assert_eq!(error.data()["path"], folder.file("nowhere").display().to_string());
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
}

/// A folder in which nobody can make a file, not even root.
#[cfg(target_os = "linux")]
#[test]
fn an_output_in_a_read_only_folder_fails() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let error = folder.publish("people.csv", "one").output("/proc/out.csv").run();
    let error = error.fails_as(Class::Io, "ledger-io-failed");
    assert_eq!(error.data()["path"], "/proc");
    let error = folder.with_policy("/proc/reticent.toml").init("people.csv").fails_as(Class::Io, "ledger-io-failed");
    assert!(error.data()["path"].as_str().unwrap().starts_with("/proc"), "{error}");
}

/// The folder of the release is a link to itself, so that nobody can tell what is there.
#[cfg(unix)]
#[test]
fn a_published_file_that_cannot_be_looked_for_is_a_problem() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    std::fs::create_dir(folder.file("out")).unwrap();
    folder.publish("people.csv", "one").output("out/one.csv").run().passes();
    let state = |folder: &TestFolder| {
        let answer = serde_json::to_value(folder.verify().unwrap()).unwrap();
        (answer["intact"].clone(), answer["files"][0]["state"].clone())
    };
    assert_eq!(state(&folder), (true.into(), "intact".into()));
    std::fs::rename(folder.file("out"), folder.file("away")).unwrap();
    assert_eq!(state(&folder), (true.into(), "absent".into()));
    std::os::unix::fs::symlink(folder.file("out"), folder.file("out")).unwrap();
    assert_eq!(state(&folder), (false.into(), "unseen".into()));
    assert_eq!(folder.verify().violates().findings.problems.len(), 1);
}
