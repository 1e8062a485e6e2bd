//! Formats: a newer ledger is refused, and nothing of it is changed.

use reticent_ledger::{Error, Ledger};

use crate::support::{Desk, session, spring};

#[test]
fn a_newer_ledger_is_refused_and_left_alone() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let path = desk.ledger().join("catalogue.sqlite");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    let refused = Ledger::open(&desk.ledger(), &session()).unwrap_err();
    assert!(matches!(refused, Error::Newer { found: 99, known: 2, .. }), "{refused}");
    assert!(refused.to_string().contains("use a newer Reticent"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_is_no_catalogue_is_told() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.ledger()).unwrap();
    std::fs::write(desk.ledger().join("catalogue.sqlite"), "something else").unwrap();
    let refused = Ledger::open(&desk.ledger(), &session()).unwrap_err();
    assert!(matches!(refused, Error::Broken { .. }), "{refused}");
}
