//! `doctor`: every defect of the environment is found, with a code and a remedy, and nothing is changed.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use reticent_app::answer::{CheckState, DoctorAnswer, DoctorCheck, DoctorSubject};
use reticent_app::error::Class;
use reticent_app::{Workspace, explain};
use reticent_testkit::{Outcome, TestFolder};

fn doctor(folder: &TestFolder) -> DoctorAnswer {
    folder.workspace().doctor(folder.context()).unwrap()
}

#[track_caller]
fn check(answer: DoctorAnswer, subject: DoctorSubject) -> DoctorCheck {
    let mut found: Vec<DoctorCheck> = answer.checks.into_iter().filter(|check| check.check == subject).collect();
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

#[track_caller]
fn finds(folder: &TestFolder, subject: DoctorSubject, state: CheckState, code: Option<&str>) -> DoctorCheck {
    let found = check(doctor(folder), subject);
    assert_eq!((found.state, found.code), (state, code), "{found:#?}");
    assert!(state == CheckState::Ok || found.remedy.as_ref().is_some_and(|remedy| remedy.ends_with('.')), "{found:#?}");
    found
}

fn mode(folder: &TestFolder, name: &str, mode: u32) {
    std::fs::set_permissions(folder.file(name), PermissionsExt::from_mode(mode)).unwrap();
}

/// A folder with a ledger of one release.
fn clinic() -> TestFolder {
    let folder = TestFolder::clinic_with_owner(3);
    mode(&folder, "", 0o700);
    mode(&folder, "reticent.toml", 0o600);
    folder.publish("people.csv", "one").to("press").run().passes();
    folder
}

#[test]
fn every_check_is_ok_after_a_release() {
    let folder = clinic();
    let ledger = |folder: &TestFolder| std::fs::read(folder.file("ledger/catalogue.sqlite")).unwrap();
    let before = (folder.files(), ledger(&folder));
    let answer = doctor(&folder);
    let all = <DoctorSubject as strum::VariantArray>::VARIANTS;
    let found: Vec<DoctorSubject> = answer.checks.iter().map(|check| check.check).collect();
    assert_eq!(found, all, "{answer:#?}");
    let space = |check: &&DoctorCheck| check.check == DoctorSubject::DiskSpace;
    let bad: Vec<_> =
        answer.checks.iter().filter(|check| check.state != CheckState::Ok).filter(|check| !space(check)).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    assert_eq!((folder.files(), ledger(&folder)), before);
}

#[test]
fn a_missing_or_wrong_policy_is_a_problem() {
    let empty = TestFolder::new();
    finds(&empty, DoctorSubject::Policy, CheckState::Problem, Some("policy-missing"));
    finds(&empty, DoctorSubject::Ledger, CheckState::Warning, None);
    finds(&empty, DoctorSubject::Key, CheckState::Ok, None);
    let folder = clinic();
    folder.replace("reticent.toml", "role =", "rolle =");
    let found = finds(&folder, DoctorSubject::Policy, CheckState::Problem, Some("policy-invalid"));
    assert_eq!(found.class, Some(Class::Invalid));
    // The ledger has its default place.
    finds(&folder, DoctorSubject::Ledger, CheckState::Ok, None);
}

#[test]
fn permissions_that_are_too_open_are_found() {
    let folder = clinic();
    mode(&folder, "reticent.key", 0o644);
    finds(&folder, DoctorSubject::Key, CheckState::Problem, Some("key-unusable"));
    mode(&folder, "reticent.key", 0o600);
    finds(&folder, DoctorSubject::LedgerPermissions, CheckState::Ok, None);
    mode(&folder, "ledger/bodies", 0o750);
    finds(&folder, DoctorSubject::LedgerPermissions, CheckState::Warning, None);
    mode(&folder, "reticent.toml", 0o666);
    let found = finds(&folder, DoctorSubject::PolicyPermissions, CheckState::Warning, None);
    assert!(found.text.contains("reticent.toml"), "{found:#?}");
}

#[test]
fn the_key_must_be_that_of_the_ledger() {
    let folder = clinic();
    let key = folder.read("reticent.key");
    std::fs::remove_file(folder.file("reticent.key")).unwrap();
    finds(&folder, DoctorSubject::Key, CheckState::Problem, Some("key-missing"));
    folder.write("reticent.key", format!("reticent-key-1 {}\n", "5a".repeat(32)));
    mode(&folder, "reticent.key", 0o600);
    finds(&folder, DoctorSubject::Key, CheckState::Problem, Some("key-differs"));
    folder.write("ledger/reticent.key", key);
    finds(&folder.with_key("ledger/reticent.key"), DoctorSubject::Key, CheckState::Problem, Some("key-in-ledger"));
}

#[test]
fn a_modified_ledger_and_unfinished_work_are_found() {
    let folder = clinic();
    finds(&folder, DoctorSubject::UnfinishedWork, CheckState::Ok, None);
    folder.write(".reticent-work-abc123/held", "");
    finds(&folder, DoctorSubject::UnfinishedWork, CheckState::Warning, None);
    std::fs::remove_dir_all(folder.file(".reticent-work-abc123")).unwrap();
    let body = std::fs::read_dir(folder.file("ledger/bodies")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(body, "other bytes").unwrap();
    let found = finds(&folder, DoctorSubject::Integrity, CheckState::Problem, Some("ledger-inconsistent"));
    assert_eq!(found.class, Some(Class::Modified));
    folder.write("ledger/under-way.json", "{}");
    finds(&folder, DoctorSubject::UnfinishedWork, CheckState::Warning, None);
}

#[test]
fn a_folder_that_does_not_exist_cannot_be_written_to() {
    let folder = TestFolder::new();
    let workspace = Workspace::new(folder.file("none/reticent.toml"));
    let answer = workspace.doctor(folder.context()).unwrap();
    assert_eq!(answer.state, CheckState::Problem);
    let found = check(answer, DoctorSubject::Writable);
    assert_eq!((found.state, found.class), (CheckState::Problem, Some(Class::Io)), "{found:#?}");
}

#[test]
fn every_code_can_be_explained() {
    for code in reticent_app::error::all_codes() {
        let found = explain(code).unwrap();
        assert_eq!(found.code, code);
        assert!(!found.subject.is_empty() && found.meaning.ends_with('.') && found.remedy.ends_with('.'), "{found:?}");
    }
    let error = explain("key-unusabel").unwrap_err();
    assert_eq!(error.code(), "no-such-error-code");
    assert!(error.data()["hint"].as_str().unwrap().contains("key-unusable"), "{error}");
}
