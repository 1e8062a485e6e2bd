//! Releases whose file waits to be named: their folder comes back, moves or is copied, and a planted journal harms nothing.

use std::path::Path;

use reticent_ledger::{Error, Ledger, Naming, Staging};

use crate::support::{Desk, autumn, copy, files, links, session, spring};

/// Lays a journal as a killed writer would have: its entry is recorded, its file has no name yet, and the folder of the
/// output is away.
fn crash_before_naming(desk: &Desk) -> Naming {
    let body = spring();
    let links = links(&body, 5);
    let out = desk.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let to = out.join("out.csv");
    let mut ledger = desk.open();
    let mut staging = Staging::create(&to, &desk.ledger()).unwrap();
    std::fs::write(staging.release(), "the release").unwrap();
    let naming = staging.naming(&to).unwrap();
    let mut draft = desk.draft(&ledger, "spring", &["press"], &body, &links, &staging.release());
    draft.file.as_mut().unwrap().path = ledger.recorded_path(&to);
    draft.naming = Some(naming.clone());
    std::fs::rename(&out, desk.path().join("away")).unwrap();
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::Unnamed { number: 1, .. }), "{refused}");
    staging.keep();
    naming
}

/// The folder of the output comes back.
fn comes_back(project: &Path) {
    std::fs::rename(project.join("away"), project.join("out")).unwrap();
}

/// What a command that writes does first.
fn recover(ledger: &Path) {
    Ledger::open(ledger, &session()).unwrap().recover(&session()).unwrap();
}

#[test]
fn a_file_whose_folder_is_away_waits_for_it() {
    let desk = Desk::new();
    let naming = crash_before_naming(&desk);
    recover(&desk.ledger());
    for _ in 0..2 {
        let findings = desk.verify().unwrap();
        assert!(findings.is_intact());
        assert!(
            findings.warnings.iter().any(|told| told.contains("release 1 waits for its final name")),
            "{findings:?}"
        );
    }
    // Others can publish meanwhile.
    desk.record("autumn", &["press"], &autumn());
    comes_back(desk.path());
    // A reader changes nothing.
    desk.open().entries().unwrap();
    desk.verify().unwrap();
    assert!(naming.from.exists() && !naming.to.exists());
    recover(&desk.ledger());
    assert_eq!(std::fs::read_to_string(&naming.to).unwrap(), "the release");
    assert!(!naming.from.exists() && desk.verify().unwrap().warnings.is_empty());
}

#[test]
fn a_project_that_was_moved_after_a_crash_finds_its_file() {
    let desk = Desk::new();
    crash_before_naming(&desk);
    // Everything moves, and then the folder of the output is there.
    let moved = desk.path().with_extension("moved");
    std::fs::rename(desk.path(), &moved).unwrap();
    comes_back(&moved);
    recover(&moved.join("ledger"));
    assert_eq!(std::fs::read_to_string(moved.join("out/out.csv")).unwrap(), "the release");
    std::fs::rename(&moved, desk.path()).unwrap();
}

#[test]
fn a_copy_of_a_ledger_touches_nothing_outside_it() {
    let desk = Desk::new();
    let naming = crash_before_naming(&desk);
    let other = desk.path().join("copies/ledger");
    copy(&desk.ledger(), &other);
    comes_back(desk.path());
    recover(&other);
    assert!(naming.from.exists() && !naming.to.exists());
    recover(&desk.ledger());
    assert!(naming.to.exists());
}

/// A ledger that somebody sent must not make us delete our own files.
#[test]
fn a_planted_note_removes_nothing_that_is_not_the_ledgers() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let precious = desk.path().join("precious.txt");
    let config = desk.path().join(".reticent-config");
    std::fs::create_dir(&config).unwrap();
    std::fs::write(&precious, "x").unwrap();
    let note = format!(
        r#"{{"format":1,"place":"","entry":null,"bodies":["../precious.txt","{}"],"naming":{{"from":"{}/any","to":"x"}}}}"#,
        precious.display(),
        config.display()
    );
    std::fs::write(desk.ledger().join("under-way.json"), note).unwrap();
    recover(&desk.ledger());
    assert_eq!(desk.wrong(), None);
    assert!(precious.exists() && config.exists());
}

#[test]
fn a_newer_ledger_with_a_note_is_left_alone() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let connection = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    std::fs::write(desk.ledger().join("under-way.json"), "{\"format\":99}").unwrap();
    let before: Vec<(std::path::PathBuf, Vec<u8>)> = contents(&desk.ledger());
    assert!(matches!(Ledger::open(&desk.ledger(), &session()).unwrap_err(), Error::Newer { .. }));
    assert_eq!(contents(&desk.ledger()), before);
}

fn contents(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let kept = |path: &std::path::PathBuf| {
        !path.to_string_lossy().ends_with("-shm") && !path.to_string_lossy().ends_with("-wal")
    };
    files(folder).into_iter().filter(kept).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}
