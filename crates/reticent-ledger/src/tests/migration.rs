//! Migration: an older format becomes a newer one and the old catalogue is kept, even if the migration is
//! interrupted.

use std::path::Path;

use super::{fixture, new_keys, session_without_key};
use crate::catalogue::Catalogue;
use crate::entry::{EntryKind, Purge};
use crate::error::Error;
use crate::hash::Hash;
use crate::ledger::Ledger;
use crate::schema::FORMATS;
use crate::seal::{Journal, Seal};
use crate::verify::Authentication;

/// The formats of a future program: the current ones and one that adds a table.
fn future_formats(step: &'static str) -> Vec<&'static str> {
    FORMATS.iter().copied().chain([step]).collect()
}

const STEP: &str = "CREATE TABLE remarks (release INTEGER NOT NULL, remark TEXT NOT NULL) STRICT;";

fn backups(folder: &Path) -> Vec<std::path::PathBuf> {
    let Ok(found) = std::fs::read_dir(folder.join("backups")) else { return Vec::new() };
    found.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn an_older_ledger_is_migrated_and_its_catalogue_is_kept() {
    let (_dir, folder) = fixture("format-1");
    let before = std::fs::read(folder.join("catalogue.sqlite")).unwrap();
    let sealed = Seal::read(&folder).unwrap().unwrap();
    assert_eq!(sealed.format, 1);
    let ledger = Ledger::open(&folder, &session_without_key()).unwrap();
    assert_eq!(ledger.catalogue.format().unwrap(), 2);
    assert_eq!(ledger.head().unwrap().hash, sealed.head.hash, "entries stay as they were written");
    let seal = ledger.check_seal(&session_without_key()).unwrap();
    assert_eq!(seal.format, 2);
    assert_eq!(backups(&folder).len(), 1);
    assert_eq!(std::fs::read(&backups(&folder)[0]).unwrap(), before);
    assert_eq!(ledger.verify(&session_without_key()).unwrap().authentication, Authentication::Unsigned);
    // A second opening migrates nothing.
    Ledger::open(&folder, &session_without_key()).unwrap();
    assert_eq!(backups(&folder).len(), 1);
}

#[test]
fn a_newer_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("ledger");
    let (_, identity, key) = new_keys();
    let session = session_without_key().with_key(Some(key));
    let mut ledger = Ledger::create(&folder, &identity, &session).unwrap();
    let purge = Purge { release: 9, reason: "a test".to_owned(), erased: Vec::new(), shared: Vec::new() };
    let mut writer = ledger.write(&session).unwrap();
    writer.append_kind(EntryKind::Purge(purge), None).unwrap();
    assert_eq!(writer.seal(), None);
    drop(writer);
    let hash = ledger.head().unwrap().hash;
    let formats = future_formats(STEP);
    let migrated = Ledger::open_with_formats(&folder, &session, &formats).unwrap();
    assert_eq!((migrated.catalogue.format().unwrap(), migrated.head().unwrap().hash), (3, hash));
    // The current program refuses the migrated ledger.
    assert!(matches!(Ledger::open(&folder, &session), Err(Error::Newer { found: 3, known: 2, .. })));
}

#[test]
fn a_migration_that_fails_leaves_the_ledger_as_it_was() {
    let (_dir, folder) = fixture("format-1");
    let before = std::fs::read(folder.join("catalogue.sqlite")).unwrap();
    let broken = future_formats("CREATE TABLE remarks (a TEXT) STRICT; SELECT nonsense FROM nowhere;");
    assert!(Ledger::open_with_formats(&folder, &session_without_key(), &broken).is_err());
    // The next program starts again from the backup.
    let ledger = Ledger::open(&folder, &session_without_key()).unwrap();
    assert_eq!(ledger.catalogue.format().unwrap(), 2);
    ledger.check_seal(&session_without_key()).unwrap();
    assert!(Catalogue::open(&folder).unwrap().damage().unwrap().is_empty());
    assert!(backups(&folder).iter().all(|path| std::fs::read(path).unwrap() == before));
}

/// A killed process leaves a journal that names the backup. The next process restarts the migration.
#[test]
fn an_interrupted_migration_begins_again() {
    for killed in ["before the catalogue changed", "after the catalogue changed", "after the seal"] {
        let (_dir, folder) = fixture("format-1");
        let before = std::fs::read(folder.join("catalogue.sqlite")).unwrap();
        std::fs::create_dir(folder.join("backups")).unwrap();
        std::fs::write(folder.join("backups/catalogue-format-1-x.sqlite"), &before).unwrap();
        let journal =
            Journal { backup: Some("backups/catalogue-format-1-x.sqlite".to_owned()), ..Journal::new(&folder, None) };
        journal.write(&folder).unwrap();
        if killed != "before the catalogue changed" {
            Catalogue::open(&folder).unwrap().migrate(FORMATS).unwrap();
        }
        if killed == "after the seal" {
            let ledger = Ledger::open_unchecked(&folder).unwrap();
            ledger.seal(&ledger.chain().unwrap(), None, &session_without_key()).unwrap();
        }
        let ledger = Ledger::open(&folder, &session_without_key()).unwrap();
        let findings = ledger.verify(&session_without_key()).unwrap();
        assert!(findings.is_intact(), "{killed}: {:?}", findings.problems);
        assert_eq!((ledger.catalogue.format().unwrap(), Journal::exists(&folder)), (2, false), "{killed}");
    }
}

/// A forged journal does not replace the catalogue.
#[test]
fn a_backup_is_used_only_if_it_matches_the_seal() {
    let (_dir, folder) = fixture("format-1");
    std::fs::create_dir(folder.join("backups")).unwrap();
    std::fs::write(folder.join("backups/catalogue-format-1-x.sqlite"), "forged").unwrap();
    for backup in ["backups/catalogue-format-1-x.sqlite", "backups/catalogue-format-1-../../seal.json", "/etc/passwd"] {
        let journal = Journal { backup: Some(backup.to_owned()), ..Journal::new(&folder, None) };
        journal.write(&folder).unwrap();
        assert!(matches!(Ledger::open(&folder, &session_without_key()), Err(Error::Broken { .. })), "{backup}");
    }
}

/// After authentication, earlier entries are protected from that time on.
#[test]
fn a_migrated_ledger_is_signed_from_the_day_it_is_authenticated() {
    let (dir, folder) = fixture("format-1");
    let mut ledger = Ledger::open(&folder, &session_without_key()).unwrap();
    let path = dir.path().join("reticent.key");
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let key = crate::key::KeyFile::read(&path, None).unwrap().unwrap().ledger_key(&ledger.identity().unwrap());
    let session = session_without_key().with_key(Some(key.clone()));
    // With a key, an unsigned ledger is neither writable nor intact.
    assert!(matches!(ledger.write(&session), Err(Error::Unauthenticated(_))));
    assert!(!ledger.verify(&session).unwrap().is_intact());
    assert!(matches!(ledger.authenticate(&session_without_key(), "x"), Err(Error::KeyNeeded(_))));
    let entry = ledger.authenticate(&session, "format 2").unwrap();
    assert_eq!(entry.kind.name(), "key-rotation");
    let findings = ledger.verify(&session).unwrap();
    assert_eq!((findings.authentication, findings.signed_since), (Authentication::Authentic, Some(entry.number)));
    assert!(ledger.authenticate(&session, "again").is_err());
    // Without the key, the ledger can be verified but not written to.
    assert_eq!(ledger.verify(&session_without_key()).unwrap().authentication, Authentication::Untrusted);
    assert!(matches!(ledger.write(&session_without_key()), Err(Error::KeyNeeded(_))));
    ledger.write(&session).unwrap().purge("spring", "asked").unwrap();
    assert_eq!(ledger.verify(&session).unwrap().authentication, Authentication::Authentic);
}

/// A crash between the first signed entry and its seal.
#[test]
fn an_interrupted_authentication_is_completed() {
    let (_dir, folder) = fixture("format-1");
    let mut ledger = Ledger::open(&folder, &session_without_key()).unwrap();
    let (file, ..) = new_keys();
    let key = file.ledger_key(&ledger.identity().unwrap());
    let session = session_without_key().with_key(Some(key.clone()));
    let verifier = key.verifier();
    let mut writer = ledger.write_with(&session, true).unwrap();
    let snapshot = writer.ledger.catalogue.snapshot().unwrap();
    Seal::new(&snapshot, writer.chain.head(), Some(&key)).unwrap().write(&folder).unwrap();
    let rotation = crate::entry::KeyRotation { verifier: verifier.to_string(), replaces: None, reason: "x".to_owned() };
    writer.append_kind(EntryKind::KeyRotation(rotation), Some(verifier)).unwrap();
    drop(writer);
    assert!(Journal::exists(&folder));
    Ledger::open(&folder, &session).unwrap().recover(&session).unwrap();
    assert!(!Journal::exists(&folder));
    assert_eq!(ledger.verify(&session).unwrap().authentication, Authentication::Authentic);
    assert_ne!(ledger.head().unwrap().hash, Hash::digest(b""));
}

/// A forged journal and an unsigned seal cannot truncate a ledger to its first signed entry.
#[test]
fn a_forged_journal_cannot_truncate_a_signed_ledger() {
    let (_dir, folder) = fixture("format-1");
    let mut ledger = Ledger::open(&folder, &session_without_key()).unwrap();
    let key = new_keys().0.ledger_key(&ledger.identity().unwrap());
    let session = session_without_key().with_key(Some(key));
    let first = ledger.authenticate(&session, "x").unwrap().number;
    // A ledger is signed only once.
    assert!(ledger.authenticate(&session, "x").is_err());
    let purge = Purge { release: 99, reason: "x".to_owned(), erased: Vec::new(), shared: Vec::new() };
    let mut writer = ledger.write(&session).unwrap();
    writer.append_kind(EntryKind::Purge(purge), None).unwrap();
    assert_eq!(writer.seal(), None);
    drop(writer);
    let connection = rusqlite::Connection::open(folder.join("catalogue.sqlite")).unwrap();
    let cut = format!(
        "DROP TRIGGER entries_are_not_removed; DELETE FROM entries WHERE number > {first}; CREATE TRIGGER entries_are_not_removed \
         BEFORE DELETE ON entries BEGIN SELECT RAISE (ABORT, 'entries are not removed'); END;"
    );
    connection.execute_batch(&cut).unwrap();
    drop(connection);
    let forged = Ledger::open_unchecked(&folder).unwrap();
    let (chain, about) = (forged.chain().unwrap(), forged.catalogue.metadata_hash(None).unwrap());
    let seal = Seal::new(&forged.catalogue, chain.head_after(first - 1).unwrap(), None).unwrap();
    let mut without_key = seal.clone();
    without_key.about = Some(about);
    for seal in [without_key, seal] {
        seal.write(&folder).unwrap();
        Journal { entry: Some(chain.head().hash), ..Journal::new(&folder, None) }.write(&folder).unwrap();
        assert_eq!(forged.verify(&session).unwrap().authentication, Authentication::Modified);
        assert!(matches!(Ledger::open(&folder, &session).unwrap().write(&session), Err(Error::Broken { .. })));
    }
}

/// Unknown kinds and requirements are refused by name.
#[test]
fn unknown_kinds_and_requirements_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let (_, identity, key) = new_keys();
    let session = session_without_key().with_key(Some(key));
    let kinds = [
        (r#""kind":"embargo","content":{}"#, "embargo"),
        (
            r#""requires":["differential-privacy"],"kind":"purge","content":{"release":1,"reason":"x","erased":[],"shared":[]}"#,
            "differential-privacy",
        ),
    ];
    for (at, (text, named)) in kinds.iter().enumerate() {
        let folder = dir.path().join(at.to_string());
        let mut ledger = Ledger::create(&folder, &identity, &session).unwrap();
        let writer = ledger.write(&session).unwrap();
        let purge = Purge { release: 1, reason: "x".to_owned(), erased: vec![], shared: vec![] };
        let entry = writer.next_entry(EntryKind::Purge(purge));
        let head = writer.chain.head();
        let document = format!(
            r#"{{"format":2,"number":1,"previous":"{}","at":"{}","steward":"ana",{text}}}"#,
            head.hash, entry.at
        );
        let written = writer.serialize_entry(&entry).unwrap();
        let head = writer.chain.head_with(&document);
        let written = crate::record::SerializedEntry { document, head, ..written };
        writer.ledger.catalogue.append(&entry, &written, std::time::Duration::from_secs(1)).unwrap();
        drop(writer);
        let errors = [ledger.history(crate::load::HistoryQuery::default()).err(), ledger.write(&session).err()];
        for error in errors.into_iter().flatten() {
            let Error::UnknownEntry { number: 1, what, .. } = &error else { continue };
            assert_eq!(what, named);
        }
        let refused = ledger.history(crate::load::HistoryQuery::default()).unwrap_err();
        assert!(matches!(&refused, Error::UnknownEntry { number: 1, what, .. } if what == named), "{refused}");
    }
}
