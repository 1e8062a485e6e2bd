//! A ledger or a published file that was modified, copied or planted: it is found, and nothing else is touched.

use reticent_app::answer::FileState;
use reticent_app::error::Class;
use reticent_testkit::{CLINIC, Outcome, TestFolder, clinic_policy};

fn clinic() -> TestFolder {
    let folder = TestFolder::clinic_with_owner(3);
    folder.publish("people.csv", "one").to("press").run().passes();
    folder
}

fn states(folder: &TestFolder) -> Vec<(u64, FileState)> {
    let verified = folder.verify().unwrap();
    verified.findings.files.iter().map(|file| (file.release, file.state)).collect()
}

#[test]
fn a_modified_ledger_is_not_written_to() {
    let folder = clinic();
    let path = folder.file("ledger/catalogue.sqlite");
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let verified = folder.verify().violates();
    assert_eq!((verified.entries, verified.findings.problems.len()), (None, 1));
    let result = folder.publish("people.csv", "two").to("press").ignore_history().run();
    result.fails_as(Class::Modified, "ledger-inconsistent");
    assert!(!folder.exists("two.csv"));
    folder.purge("one", "r").fails_as(Class::Modified, "ledger-inconsistent");
}

/// A catalogue without its tables is a modified ledger.
#[test]
fn a_catalogue_without_tables_is_found() {
    for change in ["DROP TABLE entries", "DROP TABLE ledger"] {
        let folder = clinic();
        let catalogue = rusqlite::Connection::open(folder.file("ledger/catalogue.sqlite")).unwrap();
        catalogue.pragma_update(None, "foreign_keys", false).unwrap();
        catalogue.execute_batch(change).unwrap();
        drop(catalogue);
        match folder.verify() {
            Ok(answer) => assert!(!answer.intact, "{change}"),
            Err(error) => assert_eq!((error.class(), error.code()), (Class::Modified, "ledger-inconsistent")),
        }
    }
}

/// A later release may have the name of a file that was moved away.
#[test]
fn a_file_name_may_be_used_again() {
    let folder = TestFolder::clinic_with_owner(3);
    folder.publish("people.csv", "one").to("press").output("out.csv").run().passes();
    std::fs::rename(folder.file("out.csv"), folder.file("delivered.csv")).unwrap();
    folder.write("people.csv", CLINIC.replace("Ada,34", "Ada,35"));
    folder.publish("people.csv", "two").to("press").ignore_history().output("out.csv").run().passes();
    folder.verify().passes();
    assert_eq!(states(&folder), [(1, FileState::Replaced), (2, FileState::Intact)]);
}

/// A changed file is a problem, also when it was registered as another release.
#[test]
fn a_changed_file_is_not_excused_by_registering_it() {
    let folder = clinic();
    folder.replace("one.csv", "asthma", "gout");
    folder.verify().violates();
    assert_eq!(states(&folder), [(1, FileState::Changed)]);
    folder.register("one.csv", "cover").to("press").date("2020-01-01").run().passes();
    folder.verify().violates();
    assert_eq!(states(&folder), [(1, FileState::Changed), (2, FileState::Intact)]);
}

/// Empty folders may be missing from a copy.
#[test]
fn a_copy_without_empty_folders_is_written_to() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "zero").to("press").run().passes();
    std::fs::remove_dir(folder.file("ledger/links")).unwrap();
    folder.publish("people.csv", "one").to("press").ignore_history().run().passes();
    assert_eq!(folder.verify().passes().entries, Some(2));
}

/// Only staging folders of the program itself are removed.
#[test]
fn folders_of_others_are_left_alone() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    for (name, held) in [(".reticent-backup", None), (".reticent-work-mine", Some("mine"))] {
        folder.write(&format!("{name}/release/a"), "x");
        if let Some(held) = held {
            folder.write(&format!("{name}/held"), held);
            folder.write(&format!("{name}/notes"), held);
        }
    }
    folder.publish("people.csv", "one").to("press").rehearse().passes();
    folder.publish("people.csv", "one").to("press").run().passes();
    assert!(folder.exists(".reticent-backup/release/a") && folder.exists(".reticent-work-mine/release/a"));
}

/// A planted journal makes no verb remove or create anything outside the ledger. Verbs that read leave it alone.
#[test]
#[cfg(unix)]
fn a_planted_journal_moves_no_file() {
    use std::os::unix::fs::MetadataExt;
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "zero").to("press").run().passes();
    std::fs::create_dir_all(folder.file("home/.reticent-x")).unwrap();
    folder.write("home/thesis.txt", "precious");
    let about = std::fs::metadata(folder.file("ledger")).unwrap();
    let place = format!("{}:{}", about.dev(), about.ino());
    let home = folder.path().canonicalize().unwrap().join("home");
    let naming = |from: &str| format!(r#"{{"from":"{0}/{from}","to":"{0}/.bashrc"}}"#, home.display());
    type Verb = fn(&TestFolder);
    let verbs: [(&str, Verb); 6] = [
        ("log", |folder| drop(folder.log().passes())),
        ("show", |folder| drop(folder.show("zero").passes())),
        ("verify", |folder| drop(folder.verify().passes())),
        ("history", |folder| drop(folder.history("press").passes())),
        ("audit", |folder| drop(folder.audit().run().passes())),
        ("export-head", |folder| drop(folder.export_head().passes())),
    ];
    for (name, verb) in verbs {
        let from = naming(".reticent-x/..");
        let journal = format!(r#"{{"format":1,"place":"{place}","entry":null,"bodies":[],"naming":{from}}}"#);
        folder.write("ledger/under-way.json", journal);
        let waits = naming("thesis.txt");
        folder.write("ledger/unnamed.json", format!(r#"[{{"release":1,"place":"{place}","naming":{waits}}}]"#));
        verb(&folder);
        assert!(folder.exists("home/thesis.txt") && folder.exists("home/.reticent-x"), "{name}");
        assert!(!folder.exists("home/.bashrc"), "{name}");
        assert_eq!(folder.exists("ledger/under-way.json"), name != "export-head", "{name}");
    }
    folder.verify().passes();
}
