//! A ledger that several stewards share: everything in it belongs to the declared group. The tests run as a single user with the
//! group of that user; those with several users start the command (reticent-cli).
#![cfg(unix)]

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use reticent_app::answer::{CheckState, DoctorSubject};
use reticent_app::error::Class;
use reticent_testkit::{Outcome, TestFolder};

/// The id and the name of the group of new files.
fn own_group() -> (u32, String) {
    let id = std::fs::metadata(tempfile_path().path()).unwrap().gid();
    let all = std::fs::read_to_string("/etc/group").unwrap();
    let named = |line: &&str| line.split(':').nth(2) == Some(&id.to_string());
    let line = all.lines().find(named).unwrap_or_else(|| panic!("the group {id} has no name"));
    (id, line.split(':').next().unwrap().to_owned())
}

fn tempfile_path() -> TestFolder {
    TestFolder::new()
}

fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while next < found.len() {
        if found[next].is_dir() {
            found.extend(std::fs::read_dir(&found[next]).unwrap().map(|entry| entry.unwrap().path()));
        }
        next += 1;
    }
    found
}

/// Asserts that everything in the ledger is shared with the group, and with nobody else.
#[track_caller]
fn assert_shared(folder: &TestFolder, group: u32) {
    let all = all_in(&folder.file("ledger"));
    assert!(all.len() > 8, "{all:?}");
    for path in all {
        let found = std::fs::metadata(&path).unwrap();
        let expected = if path.is_dir() { 0o2770 } else { 0o660 };
        assert_eq!((found.gid(), found.mode() & 0o7777), (group, expected), "{} {:o}", path.display(), found.mode());
    }
}

fn share(folder: &TestFolder, group: &str) {
    let policy = folder.read("reticent.toml");
    folder.write("reticent.toml", format!("{policy}\n[ledger]\ngroup = \"{group}\"\n"));
}

#[test]
fn everything_in_a_new_ledger_belongs_to_the_group() {
    let (id, name) = own_group();
    let folder = TestFolder::clinic_with_owner(3);
    share(&folder, &name);
    folder.publish("people.csv", "one").to("press").run().passes();
    assert_shared(&folder, id);
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    assert_shared(&folder, id);
    // The key keeps its own rule.
    assert_eq!(std::fs::metadata(folder.file("reticent.key")).unwrap().mode() & 0o7777, 0o600);
    // A ledger that is shared as declared is no reason for a warning.
    let answer = folder.workspace().doctor(folder.context()).unwrap();
    let check = answer.checks.iter().find(|check| check.check == DoctorSubject::LedgerPermissions).unwrap();
    assert_eq!(check.state, CheckState::Ok, "{check:#?}");
    // Without the declaration, it is.
    folder.replace("reticent.toml", &format!("group = \"{name}\""), "");
    let answer = folder.workspace().doctor(folder.context()).unwrap();
    let check = answer.checks.iter().find(|check| check.check == DoctorSubject::LedgerPermissions).unwrap();
    assert_eq!(check.state, CheckState::Warning, "{check:#?}");
}

#[test]
fn an_existing_ledger_is_shared_by_the_next_write() {
    let (id, name) = own_group();
    let folder = TestFolder::clinic_with_owner(3);
    folder.publish("people.csv", "one").to("press").run().passes();
    for path in all_in(&folder.file("ledger")) {
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o077, 0, "{}", path.display());
    }
    share(&folder, &name);
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    assert_shared(&folder, id);
}

/// A key in a folder that a group shares stays private.
#[test]
fn a_key_does_not_get_the_permissions_of_its_folder() {
    let folder = TestFolder::clinic_with_owner(3);
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o2770)).unwrap();
    folder.publish("people.csv", "one").to("press").run().passes();
    assert_eq!(std::fs::metadata(folder.file("reticent.key")).unwrap().mode() & 0o777, 0o600);
    // Nor does a ledger that the policy does not share.
    assert_eq!(std::fs::metadata(folder.file("ledger")).unwrap().mode() & 0o777, 0o700);
    assert_eq!(std::fs::metadata(folder.file("ledger/seal.json")).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn an_unknown_group_is_an_error() {
    let folder = TestFolder::clinic(&reticent_testkit::clinic_policy(3));
    let policy = folder.read("reticent.toml");
    folder.write("reticent.toml", format!("{policy}\n[ledger]\ngroup = \"no-such-group\"\nkey = \"none\"\n"));
    let error = folder.publish("people.csv", "one").to("press").run();
    let error = error.fails_as(Class::Io, "ledger-not-shared");
    assert_eq!(error.data()["group"], "no-such-group");
    assert!(!folder.exists("one.csv"));
}
