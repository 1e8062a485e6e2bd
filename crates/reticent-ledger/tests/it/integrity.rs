//! Integrity of a ledger: a single key, permanent erasure, atomic recording, files without an entry.

use reticent_ledger::{Error, KeyFile, Staging};

use crate::support::{Sandbox, autumn, copy, files, keys, links, session, spring};

#[test]
fn links_with_another_key_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let other = KeyFile::create(&sandbox.path().join("other.key"), None).unwrap().ledger_key(&keys().1);
    let body = autumn();
    let links = links(&body, 5);
    let file = sandbox.path().join("a.csv");
    std::fs::write(&file, "a").unwrap();
    let mut ledger = sandbox.open();
    let mut draft = sandbox.draft(&ledger, "autumn", &["press"], &body, &links, &file);
    draft.links = Some((&links, other.fingerprint()));
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::OtherKey { .. }), "{refused}");
}

/// Verification reports erased files that exist again, for example from a backup. The next write erases them.
#[test]
fn erased_files_that_exist_again_are_reported_and_erased_by_the_next_write() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let kept = sandbox.path().join("kept");
    copy(&sandbox.ledger().join("links"), &kept);
    sandbox.open().write(&session()).unwrap().purge("spring", "asked").unwrap();
    copy(&kept, &sandbox.ledger().join("links"));
    assert_eq!(files(&sandbox.ledger().join("links")).len(), 1);
    assert!(sandbox.problem().unwrap().contains("was erased but exists again"));
    sandbox.open().write(&session()).unwrap();
    assert_eq!(files(&sandbox.ledger().join("links")).len(), 0);
    assert_eq!(sandbox.problem(), None);
}

/// A release is recorded and named, or neither. Here another program holds a read transaction on the catalogue.
#[test]
fn a_concurrent_reader_does_not_leave_a_partly_recorded_release() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let mut ledger = sandbox.open();
    let body = autumn();
    let links = links(&body, 5);
    let out = sandbox.path().join("out.csv");
    let mut staging = Staging::create(&out, &sandbox.ledger()).unwrap();
    std::fs::write(staging.release(), "a").unwrap();
    let mut draft = sandbox.draft(&ledger, "autumn", &["press"], &body, &links, &staging.release());
    draft.naming = Some(staging.naming(&out).unwrap());
    staging.keep();
    drop(staging);
    let reader = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    reader.query_row("SELECT count(*) FROM entries", [], |_| Ok(())).unwrap();
    let impatient = session().without_waiting();
    let refused = ledger.write(&impatient).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::Held { .. }), "{refused}");
    drop(reader);
    assert!(!out.exists());
    assert_eq!((sandbox.problem(), sandbox.open().head().unwrap().entries), (None, 1));
    // SQLite leaves no journal file with unsaved changes.
    let names: Vec<String> = std::fs::read_dir(sandbox.ledger())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(!names.iter().any(|name| name.contains("-wal") || name.contains("-journal")), "{names:?}");
}

#[test]
fn a_folder_among_the_bodies_is_reported_and_does_not_block_writing() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    std::fs::create_dir(sandbox.ledger().join("bodies/.new-x")).unwrap();
    assert!(sandbox.problem().unwrap().contains("belongs to no entry"));
    sandbox.record("autumn", &["press"], &autumn());
}
