//! Exported heads: whatever is removed, reordered or rolled back is revealed, also by somebody who can write a seal.

use std::path::Path;

use reticent_ledger::{ExportedHead, Hash, Identity, Key, KeyFile, Ledger};

use crate::support::{Desk, autumn, clinic, copy, key, session, spring};

/// When heads are exported.
const AT: &str = "2026-03-01T00:00:00Z";

fn three() -> (Desk, ExportedHead) {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    desk.record("summer", &["press"], &autumn());
    desk.record("autumn", &["press"], &clinic(&[(&["*", "Oslo", "flu"], 9)]));
    let head = desk.open().export_head(Some(&key()), AT).unwrap();
    (desk, head)
}

/// Another ledger, with another key.
fn other_ledger() -> (tempfile::TempDir, Ledger, Key) {
    let folder = tempfile::tempdir().unwrap();
    let identity = Identity::draw().unwrap();
    let key = KeyFile::ephemeral().unwrap().ledger_key(&identity);
    let session = session().with_key(Some(key.clone()));
    let ledger = Ledger::create(&folder.path().join("ledger"), &identity, &session).unwrap();
    (folder, ledger, key)
}

fn against(desk: &Desk, head: &ExportedHead) -> Option<String> {
    desk.open().compare_head(head, Some(&key())).unwrap()
}

/// Does something to the catalogue that only a forger would, and seals it as if nothing had happened.
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
fn a_head_agrees_with_its_ledger_and_with_what_grows_on_it() {
    let (desk, head) = three();
    assert_eq!(against(&desk, &head), None);
    desk.record("winter", &["press"], &spring());
    assert_eq!(against(&desk, &head), None);
    desk.open().write(&session()).unwrap().purge("spring", "asked").unwrap();
    assert_eq!(against(&desk, &head), None);
    assert_eq!(ExportedHead::parse(&head.to_string()).unwrap(), head);
}

#[test]
fn a_ledger_that_was_rolled_back_is_revealed() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let kept = desk.path().join("kept");
    copy(&desk.ledger(), &kept);
    desk.record("summer", &["press"], &autumn());
    let head = desk.open().export_head(Some(&key()), AT).unwrap();
    std::fs::remove_dir_all(desk.ledger()).unwrap();
    copy(&kept, &desk.ledger());
    // A whole old copy holds together; only the head that was kept elsewhere tells.
    assert_eq!(desk.wrong(), None);
    assert!(against(&desk, &head).unwrap().contains("had 2 entries on"));
    // Nor does it help to record something else in its place.
    desk.record("other", &["press"], &autumn());
    assert!(against(&desk, &head).unwrap().contains("rewritten"));
}

#[test]
fn entries_that_were_cut_off_are_revealed() {
    let (desk, head) = three();
    forge(
        &desk.ledger(),
        "DELETE FROM bodies WHERE release = 3; DELETE FROM recipients WHERE release = 3;
         DELETE FROM releases WHERE number = 3; DELETE FROM entries WHERE number = 3;",
    );
    assert!(desk.wrong().unwrap().contains("not signed with the ledger's key"));
    assert!(against(&desk, &head).unwrap().contains("entries are missing"));
}

#[test]
fn entries_that_were_reordered_or_taken_out_are_noticed_without_a_head() {
    let swap = "UPDATE entries SET number = 99 WHERE number = 1; UPDATE entries SET number = 1 WHERE number = 2;
                UPDATE entries SET number = 2 WHERE number = 99;";
    let gap = "DELETE FROM bodies WHERE release = 2; DELETE FROM recipients WHERE release = 2;
               DELETE FROM releases WHERE number = 2; DELETE FROM entries WHERE number = 2;";
    let moved = format!("{gap} UPDATE entries SET number = 2 WHERE number = 3;");
    let changed = "UPDATE entries SET document = replace(document, 'press', 'other') WHERE number = 2;";
    let beside = "UPDATE recipients SET name = 'other' WHERE release = 2;";
    for sql in [swap, gap, &moved, changed, beside] {
        let (desk, _) = three();
        forge(&desk.ledger(), sql);
        assert!(desk.wrong().is_some(), "not noticed: {sql}");
    }
}

/// A forger who makes a changed document's hash right breaks the link to the next entry.
#[test]
fn a_changed_entry_with_a_right_hash_is_noticed_by_the_next() {
    let (desk, head) = three();
    let connection = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    let document: String =
        connection.query_row("SELECT document FROM entries WHERE number = 2", [], |row| row.get(0)).unwrap();
    drop(connection);
    let changed = document.replace("\"press\"", "\"other\"");
    let hash = Hash::digest(changed.as_bytes());
    let sql = format!(
        "UPDATE entries SET document = '{changed}', hash = '{hash}' WHERE number = 2;
         UPDATE recipients SET name = 'other' WHERE release = 2;"
    );
    forge(&desk.ledger(), &sql);
    assert!(desk.wrong().is_some());
    assert!(desk.open().compare_head(&head, None).unwrap_err().to_string().contains("entry 3 does not follow"));
}

#[test]
fn a_head_that_was_changed_is_known_by_its_signature() {
    let (desk, head) = three();
    let text = head.to_string();
    let older = ExportedHead::parse(&text.replacen("\n3\n", "\n2\n", 1)).unwrap();
    assert_eq!(older.entries, 2);
    assert!(against(&desk, &older).unwrap().contains("was changed"));
    // Nor does it help to take the signature out, or the key with it.
    let (body, _) =
        older.to_string().split_once("\n\n").map(|(body, line)| (body.to_owned(), line.to_owned())).unwrap();
    let stripped = ExportedHead::parse(&format!("{body}\n\n")).unwrap();
    assert!(against(&desk, &stripped).unwrap().contains("is not signed"));
    let without: String =
        body.lines().filter(|line| !line.starts_with("verifier ")).map(|line| format!("{line}\n")).collect();
    let unsigned = ExportedHead::parse(&format!("{without}\n")).unwrap();
    assert!(against(&desk, &unsigned).unwrap().contains("is not signed"));
    // Nor to sign it with another key.
    let other = other_ledger();
    let forged = other.1.export_head(Some(&other.2), AT).unwrap();
    assert!(against(&desk, &forged).unwrap().contains("another ledger"));
}
