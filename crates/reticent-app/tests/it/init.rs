//! Drafting a policy: nothing is overwritten, and a first line that looks like data is not taken for column names.

use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder};

#[test]
fn a_policy_is_never_overwritten() {
    let folder = TestFolder::new();
    folder.write("people.csv", CLINIC);
    folder.init("people.csv").passes();
    let drafted = folder.read("reticent.toml");
    folder.write("reticent.toml", "mine");
    let error = folder.init("people.csv").fails_with("policy-exists");
    assert_eq!(error.data()["path"], folder.file("reticent.toml").display().to_string());
    assert_eq!(folder.read("reticent.toml"), "mine");
    folder.init_overwriting("people.csv").passes();
    assert_eq!(folder.read("reticent.toml"), drafted);
    // What init drafts is a policy that check understands.
    let answer = folder.check("people.csv").violates().json();
    let model = &answer["data"]["models"][0];
    assert!(model["model"].as_str().unwrap().starts_with("5-anonymity"), "{model}");
    assert_eq!(model["holds"], false);
}

/// What prevents drafting again is found before the policy is replaced, and that policy is kept.
#[test]
fn drafting_again_loses_nothing() {
    let folder = TestFolder::clinic_with_owner(3);
    let policy = folder.read("reticent.toml");
    folder.publish("people.csv", "one").run().passes();
    std::fs::rename(folder.file("reticent.key"), folder.file("away")).unwrap();
    let error = folder.init_overwriting("people.csv").fails_with("key-missing");
    assert_eq!(error.data()["path"], folder.file("reticent.key").display().to_string());
    assert_eq!(folder.read("reticent.toml"), policy);
    std::fs::rename(folder.file("away"), folder.file("reticent.key")).unwrap();
    let written = folder.init_overwriting("people.csv").passes().written;
    assert!(written.iter().any(|file| file.contains("reticent.toml.old1")), "{written:?}");
    assert_eq!(folder.read("reticent.toml.old1"), policy);
    assert_ne!(folder.read("reticent.toml"), policy);
}

#[test]
fn a_first_line_of_data_is_not_shown() {
    let folder = TestFolder::new();
    folder.write("d.csv", "34,Paris\n34,Lyon\n36,Paris\n");
    let result = folder.init("d.csv");
    assert!(!result.visible_text().contains("Paris"), "{}", result.visible_text());
    let error = result.fails_with("header-looks-like-data");
    assert_eq!((&error.data()["fields"], &error.data()["of"]), (&2.into(), &2.into()));
    folder.init_overwriting("d.csv").passes();
    let folder = TestFolder::from_policy(
        "[columns.name]\nrole = \"identifier\"\n[columns.age]\n[columns.illness]\n[requirement]\nk = 2\n",
    );
    folder.write("d.csv", "Jane Doe,34,HIV\nAda,30,flu\nBen,31,flu\n");
    let result = folder.publish("d.csv", "x").run();
    assert!(
        !result.visible_text().contains("Jane") && !result.visible_text().contains("HIV"),
        "{}",
        result.visible_text()
    );
    let error = result.fails_with("policy-invalid");
    assert!(error.to_string().contains("does the first line of the data contain the column names?"), "{error}");
}
