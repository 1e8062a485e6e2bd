//! What keeps a ledger whole: one key, erased files that stay erased, and files that belong to no entry.

use reticent_ledger::{Error, KeyFile, Staging};

use crate::support::{Desk, autumn, copy, files, keys, links, session, spring};

#[test]
fn one_ledger_has_one_key() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let other = KeyFile::create(&desk.path().join("other.key"), None).unwrap().ledger_key(&keys().1);
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
    assert!(desk.wrong().unwrap().contains("was erased but exists again"));
    desk.open().write(&session()).unwrap();
    assert_eq!(files(&desk.ledger().join("links")).len(), 0);
    assert_eq!(desk.wrong(), None);
}

/// An entry is in the database file, or it is not recorded and its file has no name: a program that reads the catalogue and does not
/// stop keeps a release from being recorded.
#[test]
fn a_reader_in_the_way_leaves_nothing_half_recorded() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let mut ledger = desk.open();
    let body = autumn();
    let links = links(&body, 5);
    let out = desk.path().join("out.csv");
    let mut staging = Staging::create(&out, &desk.ledger()).unwrap();
    std::fs::write(staging.release(), "a").unwrap();
    let mut draft = desk.draft(&ledger, "autumn", &["press"], &body, &links, &staging.release());
    draft.naming = Some(staging.naming(&out).unwrap());
    staging.keep();
    drop(staging);
    let reader = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    reader.query_row("SELECT count(*) FROM entries", [], |_| Ok(())).unwrap();
    let impatient = session().without_waiting();
    let refused = ledger.write(&impatient).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::Held { .. }), "{refused}");
    drop(reader);
    assert!(!out.exists());
    assert_eq!((desk.wrong(), desk.open().head().unwrap().entries), (None, 1));
    // Nothing of SQLite's own is left that could be lost.
    let names: Vec<String> = std::fs::read_dir(desk.ledger())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(!names.iter().any(|name| name.contains("-wal") || name.contains("-journal")), "{names:?}");
}

#[test]
fn a_folder_among_the_bodies_is_told_and_blocks_nobody() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    std::fs::create_dir(desk.ledger().join("bodies/.new-x")).unwrap();
    assert!(desk.wrong().unwrap().contains("belongs to no entry"));
    desk.record("autumn", &["press"], &autumn());
}
