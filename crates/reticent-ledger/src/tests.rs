//! Migration, which no ledger of today needs: an older format is brought to a newer one, and the old catalogue is kept.

use std::time::Duration;

use crate::catalogue::{Catalogue, FORMATS};
use crate::entry::{Purge, What};
use crate::ledger::Ledger;
use crate::lock::Holder;
use crate::record::written;
use crate::session::Session;

fn session() -> Session {
    let holder = Holder { steward: "ana".to_owned(), process: 7, since: String::new(), doing: "testing".to_owned() };
    Session::new(holder, Duration::from_secs(5))
}

/// The formats of a future program: today's, and one that adds a table.
const FUTURE: &[&str] = &[FORMATS[0], "CREATE TABLE remarks (release INTEGER NOT NULL, remark TEXT NOT NULL) STRICT;"];

#[test]
fn an_older_ledger_is_migrated_and_its_catalogue_is_kept() {
    let desk = tempfile::tempdir().unwrap();
    let folder = desk.path().join("ledger");
    let mut ledger = Ledger::open_or_create(&folder, &session()).unwrap();
    let writer = ledger.write(&session()).unwrap();
    let purge = Purge { release: 9, reason: "a test".to_owned(), erased: Vec::new(), shared: Vec::new() };
    let entry = writer.entry(What::Purge(purge));
    let (document, hash) = written(&entry).unwrap();
    crate::seal::UnderWay::of(&folder, None).write(&folder).unwrap();
    writer.ledger.catalogue.append(&entry, &document, hash).unwrap();
    assert!(writer.seal(crate::chain::Head { entries: 1, hash }).is_none());
    drop(writer);
    let before = std::fs::read(folder.join("catalogue.sqlite")).unwrap();

    let migrated = Ledger::open_as(&folder, &session(), FUTURE).unwrap();
    assert_eq!(migrated.catalogue.format().unwrap(), 2);
    assert_eq!(migrated.head().unwrap().hash, hash);
    migrated.check_seal().unwrap();
    let backups: Vec<_> =
        std::fs::read_dir(folder.join("backups")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(backups.len(), 1);
    assert_eq!(std::fs::read(&backups[0]).unwrap(), before);
    // Today's program leaves the migrated one alone.
    assert!(Ledger::open(&folder, &session()).is_err());
    // Opened again, nothing is migrated twice.
    Ledger::open_as(&folder, &session(), FUTURE).unwrap();
    assert_eq!(std::fs::read_dir(folder.join("backups")).unwrap().count(), 1);
}

#[test]
fn a_migration_that_fails_leaves_the_ledger_as_it_was() {
    let desk = tempfile::tempdir().unwrap();
    let folder = desk.path().join("ledger");
    Ledger::open_or_create(&folder, &session()).unwrap();
    let broken: &[&str] = &[FORMATS[0], "CREATE TABLE remarks (a TEXT) STRICT; SELECT nonsense FROM nowhere;"];
    assert!(Ledger::open_as(&folder, &session(), broken).is_err());
    let ledger = Ledger::open(&folder, &session()).unwrap();
    assert_eq!(ledger.catalogue.format().unwrap(), 1);
    ledger.check_seal().unwrap();
    assert!(Catalogue::open(&folder).unwrap().damage().unwrap().is_empty());
}
