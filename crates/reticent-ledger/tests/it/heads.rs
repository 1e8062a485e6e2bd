//! Exported heads: whatever is removed, reordered or rolled back is revealed, also by somebody who can write a seal.

use std::path::Path;

use reticent_ledger::{ExportedHead, Hash};

use crate::support::{Desk, autumn, clinic, copy, session, spring};

/// When heads are exported.
const AT: &str = "2026-03-01T00:00:00Z";

fn three() -> (Desk, ExportedHead) {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    desk.record("summer", &["press"], &autumn());
    desk.record("autumn", &["press"], &clinic(&[(&["*", "Oslo", "flu"], 9)]));
    let head = desk.open().export_head(Some(&desk.key()), AT).unwrap();
    (desk, head)
}

fn against(desk: &Desk, head: &ExportedHead) -> Option<String> {
    desk.open().compare_head(head, Some(&desk.key())).unwrap()
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
    let (catalogue, _) = Hash::of_file(&ledger.join("catalogue.sqlite")).unwrap();
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
    let text = serde_json::to_string(&head).unwrap();
    assert_eq!(ExportedHead::parse(&text).unwrap(), head);
}

#[test]
fn a_ledger_that_was_rolled_back_is_revealed() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let kept = desk.path().join("kept");
    copy(&desk.ledger(), &kept);
    desk.record("summer", &["press"], &autumn());
    let head = desk.open().export_head(Some(&desk.key()), AT).unwrap();
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
    // The bodies that no entry names any more tell by themselves.
    assert!(desk.wrong().unwrap().contains("belongs to no entry"));
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
    let hash = Hash::of(changed.as_bytes());
    let sql = format!(
        "UPDATE entries SET document = '{changed}', hash = '{hash}' WHERE number = 2;
         UPDATE recipients SET name = 'other' WHERE release = 2;"
    );
    forge(&desk.ledger(), &sql);
    let wrong = desk.wrong().unwrap();
    assert!(wrong.contains("entry 3 does not follow"), "{wrong}");
    assert!(desk.open().compare_head(&head, None).is_err());
}

#[test]
fn a_head_that_was_changed_is_known_by_its_signature() {
    let (desk, head) = three();
    let older = ExportedHead { entries: 2, ..head.clone() };
    assert!(against(&desk, &older).unwrap().contains("was changed"));
    // Nor does it help to take the signature out.
    let stripped = ExportedHead { signature: None, ..older };
    assert!(against(&desk, &stripped).unwrap().contains("is not signed"));
    let other = Desk::new();
    other.record("spring", &["press"], &spring());
    let strange = other.open().compare_head(&head, None).unwrap().unwrap();
    assert!(strange.contains("another ledger"));
}
