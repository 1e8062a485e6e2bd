//! Paths of data and outputs that cannot be used.

use reticent_app::error::Class;
use reticent_testkit::{Outcome, TestFolder, clinic_policy};

/// A name that no file can have is refused before anything is recorded.
#[test]
fn impossible_names_are_refused_first() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let name = format!("{}.csv", "a".repeat(252));
    for output in [name.as_str(), "one.csv/"] {
        let error = folder.publish("people.csv", "one").to("press").output(output).run().unwrap_err();
        assert!([Class::Invalid, Class::Io].contains(&error.class()), "{error}");
        assert!(!folder.exists("ledger"), "{output}");
    }
}

/// A pipe is read once, and data several times.
#[test]
#[cfg(unix)]
fn pipes_are_refused() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    assert!(std::process::Command::new("mkfifo").arg(folder.file("pipe.csv")).status().unwrap().success());
    let error = folder.check("pipe.csv").fails_with("file-malformed");
    assert_eq!(error.data()["file"], serde_json::json!(folder.file("pipe.csv")));
}
