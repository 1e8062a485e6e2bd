//! Unknown formats: a ledger of a newer format is refused and not changed.

use reticent_ledger::{Error, Ledger};

use crate::support::{Sandbox, session, spring};

#[test]
fn a_ledger_of_a_newer_format_is_refused_and_not_changed() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let path = sandbox.ledger().join("catalogue.sqlite");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    let refused = Ledger::open(&sandbox.ledger(), &session()).unwrap_err();
    assert!(matches!(refused, Error::Newer { found: 99, known: 2, .. }), "{refused}");
    assert!(refused.to_string().contains("use a newer Reticent"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn an_invalid_catalogue_is_an_error() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.ledger()).unwrap();
    std::fs::write(sandbox.ledger().join("catalogue.sqlite"), "something else").unwrap();
    let refused = Ledger::open(&sandbox.ledger(), &session()).unwrap_err();
    assert!(matches!(refused, Error::Broken { .. }), "{refused}");
}
