//! Exported heads reveal removed, reordered and rolled back entries, even if the attacker can write a valid seal.

use std::path::Path;

use reticent_ledger::{ExportedHead, Hash, Identity, Key, KeyFile, Ledger};

use crate::support::{Sandbox, autumn, clinic, copy, key, session, spring};

/// Time at which heads are exported.
const AT: &str = "2026-03-01T00:00:00Z";

/// A ledger with three releases, and its exported head.
fn three_releases() -> (Sandbox, ExportedHead) {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    sandbox.record("summer", &["press"], &autumn());
    sandbox.record("autumn", &["press"], &clinic(&[(&["*", "Oslo", "flu"], 9)]));
    let head = sandbox.open().export_head(Some(&key()), AT).unwrap();
    (sandbox, head)
}

/// A different ledger with its own key.
fn other_ledger() -> (tempfile::TempDir, Ledger, Key) {
    let folder = tempfile::tempdir().unwrap();
    let identity = Identity::draw().unwrap();
    let key = KeyFile::ephemeral().unwrap().ledger_key(&identity);
    let session = session().with_key(Some(key.clone()));
    let ledger = Ledger::create(&folder.path().join("ledger"), &identity, &session).unwrap();
    (folder, ledger, key)
}

/// Compares the ledger with a head. Returns the difference.
fn compare(sandbox: &Sandbox, head: &ExportedHead) -> Option<String> {
    sandbox.open().compare_head(head, Some(&key())).unwrap()
}

/// Changes the catalogue as a forger would, and writes a matching seal without the key.
fn forge(ledger: &Path, sql: &str) {
    let connection = rusqlite::Connection::open(ledger.join("catalogue.sqlite")).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA foreign_keys = OFF; DROP TRIGGER entries_are_not_changed; DROP TRIGGER entries_are_not_removed; {sql}"
        ))
        .unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let last: (i64, String) = connection
        .query_row("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    drop(connection);
    let (catalogue, _) = Hash::digest_file(&ledger.join("catalogue.sqlite")).unwrap();
    let path = ledger.join("seal.json");
    let mut seal: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace(seal["catalogue"].as_str().unwrap(), &catalogue.to_string());
    let text = text.replace(seal["head"]["hash"].as_str().unwrap(), &last.1);
    let text = text.replace(&format!("\"entries\":{}", seal["head"]["entries"]), &format!("\"entries\":{}", last.0));
    seal["head"]["entries"] = last.0.into();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_head_matches_its_ledger_and_all_extensions() {
    let (sandbox, head) = three_releases();
    assert_eq!(compare(&sandbox, &head), None);
    sandbox.record("winter", &["press"], &spring());
    assert_eq!(compare(&sandbox, &head), None);
    sandbox.open().write(&session()).unwrap().purge("spring", "asked").unwrap();
    assert_eq!(compare(&sandbox, &head), None);
    assert_eq!(ExportedHead::parse(&head.to_string()).unwrap(), head);
}

#[test]
fn a_head_reveals_a_rollback() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let kept = sandbox.path().join("kept");
    copy(&sandbox.ledger(), &kept);
    sandbox.record("summer", &["press"], &autumn());
    let head = sandbox.open().export_head(Some(&key()), AT).unwrap();
    std::fs::remove_dir_all(sandbox.ledger()).unwrap();
    copy(&kept, &sandbox.ledger());
    // A complete old copy is consistent. Only the exported head reveals the rollback.
    assert_eq!(sandbox.problem(), None);
    assert!(compare(&sandbox, &head).unwrap().contains("had 2 entries on"));
    // A different release in place of the removed one is detected as well.
    sandbox.record("other", &["press"], &autumn());
    assert!(compare(&sandbox, &head).unwrap().contains("rewritten"));
}

#[test]
fn a_head_reveals_removed_last_entries() {
    let (sandbox, head) = three_releases();
    forge(
        &sandbox.ledger(),
        "DELETE FROM bodies WHERE release = 3; DELETE FROM recipients WHERE release = 3;
         DELETE FROM releases WHERE number = 3; DELETE FROM entries WHERE number = 3;",
    );
    assert!(sandbox.problem().unwrap().contains("not signed with the ledger's key"));
    assert!(compare(&sandbox, &head).unwrap().contains("entries are missing"));
}

#[test]
fn reordered_removed_or_changed_entries_are_detected_without_a_head() {
    let swap = "UPDATE entries SET number = 99 WHERE number = 1; UPDATE entries SET number = 1 WHERE number = 2;
                UPDATE entries SET number = 2 WHERE number = 99;";
    let gap = "DELETE FROM bodies WHERE release = 2; DELETE FROM recipients WHERE release = 2;
               DELETE FROM releases WHERE number = 2; DELETE FROM entries WHERE number = 2;";
    let moved = format!("{gap} UPDATE entries SET number = 2 WHERE number = 3;");
    let changed = "UPDATE entries SET document = replace(document, 'press', 'other') WHERE number = 2;";
    let other_table = "UPDATE recipients SET name = 'other' WHERE release = 2;";
    for sql in [swap, gap, &moved, changed, other_table] {
        let (sandbox, _) = three_releases();
        forge(&sandbox.ledger(), sql);
        assert!(sandbox.problem().is_some(), "not detected: {sql}");
    }
}

/// A changed entry with a correct hash breaks the chain at the next entry.
#[test]
fn a_changed_entry_with_a_correct_hash_breaks_the_chain() {
    let (sandbox, head) = three_releases();
    let connection = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    let document: String =
        connection.query_row("SELECT document FROM entries WHERE number = 2", [], |row| row.get(0)).unwrap();
    drop(connection);
    let changed = document.replace("\"press\"", "\"other\"");
    let hash = Hash::digest(changed.as_bytes());
    let sql = format!(
        "UPDATE entries SET document = '{changed}', hash = '{hash}' WHERE number = 2;
         UPDATE recipients SET name = 'other' WHERE release = 2;"
    );
    forge(&sandbox.ledger(), &sql);
    assert!(sandbox.problem().is_some());
    assert!(sandbox.open().compare_head(&head, None).unwrap_err().to_string().contains("entry 3 does not follow"));
}

#[test]
fn a_changed_head_is_refused_by_its_signature() {
    let (sandbox, head) = three_releases();
    let text = head.to_string();
    let older = ExportedHead::parse(&text.replacen("\n3\n", "\n2\n", 1)).unwrap();
    assert_eq!(older.entries, 2);
    assert!(compare(&sandbox, &older).unwrap().contains("was changed"));
    // A head without the signature is refused, also without the public key.
    let (body, _) =
        older.to_string().split_once("\n\n").map(|(body, line)| (body.to_owned(), line.to_owned())).unwrap();
    let stripped = ExportedHead::parse(&format!("{body}\n\n")).unwrap();
    assert!(compare(&sandbox, &stripped).unwrap().contains("is not signed"));
    let without: String =
        body.lines().filter(|line| !line.starts_with("verifier ")).map(|line| format!("{line}\n")).collect();
    let unsigned = ExportedHead::parse(&format!("{without}\n")).unwrap();
    assert!(compare(&sandbox, &unsigned).unwrap().contains("is not signed"));
    // A head signed with another key is refused.
    let other = other_ledger();
    let forged = other.1.export_head(Some(&other.2), AT).unwrap();
    assert!(compare(&sandbox, &forged).unwrap().contains("another ledger"));
}
