//! Recorded releases without their final file name: the output folder is absent, moved or copied; planted journals.

use std::path::Path;

use reticent_ledger::{Error, Ledger, Naming, Staging};

use crate::support::{Sandbox, autumn, copy, files, links, session, spring};

/// Leaves the state of a killed writer: the entry is recorded, the file has no final name, and the output folder is absent.
fn crash_before_naming(sandbox: &Sandbox) -> Naming {
    let body = spring();
    let links = links(&body, 5);
    let out = sandbox.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let to = out.join("out.csv");
    let mut ledger = sandbox.open();
    let mut staging = Staging::create(&to, &sandbox.ledger()).unwrap();
    std::fs::write(staging.release(), "the release").unwrap();
    let naming = staging.naming(&to).unwrap();
    let mut draft = sandbox.draft(&ledger, "spring", &["press"], &body, &links, &staging.release());
    draft.file.as_mut().unwrap().path = ledger.recorded_path(&to);
    draft.naming = Some(naming.clone());
    std::fs::rename(&out, sandbox.path().join("away")).unwrap();
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::Unnamed { number: 1, .. }), "{refused}");
    staging.keep();
    naming
}

/// Makes the output folder available again.
fn restore_output_folder(project: &Path) {
    std::fs::rename(project.join("away"), project.join("out")).unwrap();
}

/// Recovers the ledger, as every command that writes does first.
fn recover(ledger: &Path) {
    Ledger::open(ledger, &session()).unwrap().recover(&session()).unwrap();
}

#[test]
fn a_file_is_named_when_its_output_folder_is_available_again() {
    let sandbox = Sandbox::new();
    let naming = crash_before_naming(&sandbox);
    recover(&sandbox.ledger());
    for _ in 0..2 {
        let findings = sandbox.verify().unwrap();
        assert!(findings.is_intact());
        assert!(
            findings.warnings.iter().any(|warning| warning.contains("release 1 waits for its final name")),
            "{findings:?}"
        );
    }
    // Other releases can be recorded meanwhile.
    sandbox.record("autumn", &["press"], &autumn());
    restore_output_folder(sandbox.path());
    // Reading commands change nothing.
    sandbox.open().entries().unwrap();
    sandbox.verify().unwrap();
    assert!(naming.from.exists() && !naming.to.exists());
    recover(&sandbox.ledger());
    assert_eq!(std::fs::read_to_string(&naming.to).unwrap(), "the release");
    assert!(!naming.from.exists() && sandbox.verify().unwrap().warnings.is_empty());
}

#[test]
fn a_file_is_named_after_the_project_was_moved() {
    let sandbox = Sandbox::new();
    crash_before_naming(&sandbox);
    // The whole project is moved, then the output folder is available again.
    let moved = sandbox.path().with_extension("moved");
    std::fs::rename(sandbox.path(), &moved).unwrap();
    restore_output_folder(&moved);
    recover(&moved.join("ledger"));
    assert_eq!(std::fs::read_to_string(moved.join("out/out.csv")).unwrap(), "the release");
    std::fs::rename(&moved, sandbox.path()).unwrap();
}

#[test]
fn a_copy_of_a_ledger_changes_no_file_outside_the_copy() {
    let sandbox = Sandbox::new();
    let naming = crash_before_naming(&sandbox);
    let other = sandbox.path().join("copies/ledger");
    copy(&sandbox.ledger(), &other);
    restore_output_folder(sandbox.path());
    recover(&other);
    assert!(naming.from.exists() && !naming.to.exists());
    recover(&sandbox.ledger());
    assert!(naming.to.exists());
}

/// A ledger from another source must not cause the removal of the user's files.
#[test]
fn a_planted_journal_removes_only_files_of_the_ledger() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let precious = sandbox.path().join("precious.txt");
    let config = sandbox.path().join(".reticent-config");
    std::fs::create_dir(&config).unwrap();
    std::fs::write(&precious, "x").unwrap();
    let journal = format!(
        r#"{{"format":1,"place":"","entry":null,"bodies":["../precious.txt","{}"],"naming":{{"from":"{}/any","to":"x"}}}}"#,
        precious.display(),
        config.display()
    );
    std::fs::write(sandbox.ledger().join("under-way.json"), journal).unwrap();
    recover(&sandbox.ledger());
    assert_eq!(sandbox.problem(), None);
    assert!(precious.exists() && config.exists());
}

#[test]
fn a_ledger_of_a_newer_format_with_a_journal_is_not_changed() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let connection = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    std::fs::write(sandbox.ledger().join("under-way.json"), "{\"format\":99}").unwrap();
    let before: Vec<(std::path::PathBuf, Vec<u8>)> = contents(&sandbox.ledger());
    assert!(matches!(Ledger::open(&sandbox.ledger(), &session()).unwrap_err(), Error::Newer { .. }));
    assert_eq!(contents(&sandbox.ledger()), before);
}

fn contents(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let kept = |path: &std::path::PathBuf| {
        !path.to_string_lossy().ends_with("-shm") && !path.to_string_lossy().ends_with("-wal")
    };
    files(folder).into_iter().filter(kept).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}
