//! Files that an attacker plants in the ledger: nothing outside is touched, and nobody waits for a pipe.

use std::fs;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use reticent_ledger::{Error, Ledger};

use crate::support::{Desk, session, spring};

fn clinic() -> Desk {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    desk
}

#[test]
fn a_lock_that_leads_elsewhere_empties_nothing() {
    for hard in [false, true] {
        let desk = clinic();
        let victim = desk.path().join("precious");
        fs::write(&victim, "precious").unwrap();
        let lock = desk.ledger().join("lock");
        fs::remove_file(&lock).unwrap();
        match hard {
            true => fs::hard_link(&victim, &lock).unwrap(),
            false => std::os::unix::fs::symlink(&victim, &lock).unwrap(),
        }
        assert!(desk.verify().is_err());
        assert!(desk.open().write(&session()).is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }
}

#[test]
fn nobody_waits_for_a_pipe() {
    for name in ["seal.json", "under-way.json", "unnamed.json", "catalogue.sqlite-journal", "lock"] {
        let desk = clinic();
        let path = desk.ledger().join(name);
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (done, wait) = mpsc::channel();
        let folder = desk.ledger();
        std::thread::spawn(move || {
            let look =
                || -> Result<bool, Error> { Ok(Ledger::open(&folder, &session())?.verify(&session())?.is_intact()) };
            let _ = done.send(look().unwrap_or(false));
        });
        let intact = wait.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("waits for {name}"));
        assert!(!intact, "{name}");
    }
}

/// A view that has no end, in the place of a table.
#[test]
fn a_view_is_not_asked() {
    let desk = clinic();
    let catalogue = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    let view = "PRAGMA foreign_keys = OFF; ALTER TABLE entries RENAME TO other;
                CREATE VIEW entries AS WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n)
                SELECT number, 'a' AS previous, 'b' AS hash, 'c' AS document, NULL AS signature FROM n;";
    catalogue.execute_batch(view).unwrap();
    drop(catalogue);
    assert!(matches!(Ledger::open(&desk.ledger(), &session()), Err(Error::Broken { .. })));
}

/// Signatures that were removed are not replaced by new ones.
#[test]
fn a_ledger_whose_signatures_were_removed_is_not_signed_again() {
    let desk = clinic();
    let catalogue = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    let strip = "DROP TRIGGER entries_are_not_changed; UPDATE entries SET signature = NULL; UPDATE ledger SET verifier = NULL;
                 CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries BEGIN SELECT RAISE (ABORT, 'entries are not changed'); END;";
    catalogue.execute_batch(strip).unwrap();
    drop(catalogue);
    let error = desk.open().authenticate(&session(), "x").unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
}
