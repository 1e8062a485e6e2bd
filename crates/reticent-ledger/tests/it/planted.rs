//! Files planted by an attacker in the ledger folder: no file outside changes, and no command blocks on a named pipe.

use std::fs;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use reticent_ledger::{Error, Ledger};

use crate::support::{Sandbox, session, spring};

/// A ledger with one release.
fn one_release() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    sandbox
}

#[test]
fn a_lock_that_links_to_another_file_does_not_change_that_file() {
    for hard in [false, true] {
        let sandbox = one_release();
        let victim = sandbox.path().join("precious");
        fs::write(&victim, "precious").unwrap();
        let lock = sandbox.ledger().join("lock");
        fs::remove_file(&lock).unwrap();
        match hard {
            true => fs::hard_link(&victim, &lock).unwrap(),
            false => std::os::unix::fs::symlink(&victim, &lock).unwrap(),
        }
        assert!(sandbox.verify().is_err());
        assert!(sandbox.open().write(&session()).is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }
}

#[test]
fn no_command_blocks_on_a_named_pipe() {
    for name in ["seal.json", "under-way.json", "unnamed.json", "catalogue.sqlite-journal", "lock"] {
        let sandbox = one_release();
        let path = sandbox.ledger().join(name);
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (done, wait) = mpsc::channel();
        let folder = sandbox.ledger();
        std::thread::spawn(move || {
            let verify =
                || -> Result<bool, Error> { Ok(Ledger::open(&folder, &session())?.verify(&session())?.is_intact()) };
            let _ = done.send(verify().unwrap_or(false));
        });
        let intact = wait.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("blocked on {name}"));
        assert!(!intact, "{name}");
    }
}

/// An endless view in place of a table.
#[test]
fn a_view_in_place_of_a_table_is_not_queried() {
    let sandbox = one_release();
    let catalogue = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    let view = "PRAGMA foreign_keys = OFF; ALTER TABLE entries RENAME TO other;
                CREATE VIEW entries AS WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n)
                SELECT number, 'a' AS previous, 'b' AS hash, 'c' AS document, NULL AS signature FROM n;";
    catalogue.execute_batch(view).unwrap();
    drop(catalogue);
    assert!(matches!(Ledger::open(&sandbox.ledger(), &session()), Err(Error::Broken { .. })));
}

#[test]
fn a_ledger_with_removed_signatures_is_not_signed_again() {
    let sandbox = one_release();
    let catalogue = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    let strip = "DROP TRIGGER entries_are_not_changed; UPDATE entries SET signature = NULL; UPDATE ledger SET verifier = NULL;
                 CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries BEGIN SELECT RAISE (ABORT, 'entries are not changed'); END;";
    catalogue.execute_batch(strip).unwrap();
    drop(catalogue);
    let error = sandbox.open().authenticate(&session(), "x").unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
}
