//! What keeps a ledger whole: one key, erased files that stay erased, and files that belong to no entry.

use reticent_ledger::{Error, Key};

use crate::support::{Desk, autumn, copy, files, links, session, spring};

#[test]
fn one_ledger_has_one_key() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let other = Key::create(&desk.path().join("other.key")).unwrap();
    let body = autumn();
    let links = links(&body, 5);
    let file = desk.path().join("a.csv");
    std::fs::write(&file, "a").unwrap();
    let mut ledger = desk.open();
    let mut draft = desk.draft(&ledger, "autumn", &["press"], &body, &links, &file);
    draft.links = Some((&links, other.fingerprint()));
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::OtherKey { .. }), "{refused}");
}

/// What came back, from a backup for example, is reported by verification and erased again by the next command that writes.
#[test]
fn what_was_erased_stays_erased() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let kept = desk.path().join("kept");
    copy(&desk.ledger().join("links"), &kept);
    desk.open().write(&session()).unwrap().purge("spring", "asked").unwrap();
    copy(&kept, &desk.ledger().join("links"));
    assert_eq!(files(&desk.ledger().join("links")).len(), 1);
    assert!(desk.wrong().unwrap().contains("was erased and is back"));
    desk.open().write(&session()).unwrap();
    assert_eq!(files(&desk.ledger().join("links")).len(), 0);
    assert_eq!(desk.wrong(), None);
}

/// A log that was folded and came back after a crash says nothing new.
#[test]
fn a_log_that_came_back_is_no_tampering() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let mut ledger = desk.open();
    let body = autumn();
    let links = links(&body, 5);
    let file = desk.path().join("a.csv");
    std::fs::write(&file, "a").unwrap();
    let draft = desk.draft(&ledger, "autumn", &["press"], &body, &links, &file);
    // A reader keeps the log from being folded; it is copied, then folded, then put back.
    let reader = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM entries;").unwrap();
    reader.query_row("SELECT count(*) FROM entries", [], |_| Ok(())).unwrap();
    let outcome = ledger.write(&session()).unwrap().append(&draft).unwrap();
    assert!(outcome.notes.iter().any(|note| note.contains("will be sealed later")), "{:?}", outcome.notes);
    let log = desk.ledger().join("catalogue.sqlite-wal");
    let kept = std::fs::read(&log).unwrap();
    assert!(!kept.is_empty());
    drop(reader);
    drop(ledger);
    assert_eq!(desk.wrong(), None);
    let _ = std::fs::remove_file(desk.ledger().join("catalogue.sqlite-shm"));
    std::fs::write(&log, kept).unwrap();
    assert_eq!(desk.wrong(), None);
    assert_eq!(desk.open().head().unwrap().entries, 2);
}

#[test]
fn a_folder_among_the_bodies_is_told_and_blocks_nobody() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    std::fs::create_dir(desk.ledger().join("bodies/.new-x")).unwrap();
    assert!(desk.wrong().unwrap().contains("belongs to no entry"));
    desk.record("autumn", &["press"], &autumn());
}
