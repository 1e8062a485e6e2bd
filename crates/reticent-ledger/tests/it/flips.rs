//! Bytes that were changed: every one is noticed, in the catalogue, the seal and the bodies.

use std::path::Path;

use crate::support::{Desk, files};

/// Flips one bit at these places, one at a time, and asks each time whether it is noticed.
fn every_flip_is_noticed(desk: &Desk, path: &Path, places: impl Iterator<Item = usize>) -> usize {
    let bytes = std::fs::read(path).unwrap();
    let mut flips = 0;
    for at in places.take_while(|at| *at < bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(path, &changed).unwrap();
        assert!(desk.wrong().is_some(), "a flip at byte {at} of {} was not noticed", path.display());
        flips += 1;
    }
    std::fs::write(path, &bytes).unwrap();
    assert_eq!(desk.wrong(), None, "after all is as it was");
    flips
}

#[test]
fn every_flip_in_the_catalogue_is_noticed() {
    let desk = Desk::full();
    let path = desk.ledger().join("catalogue.sqlite");
    // All of the first page and of every page's head; elsewhere one byte in 13.
    let places = (0..).filter(|at| *at < 512 || at % 4096 < 16 || at % 13 == 0);
    let flips = every_flip_is_noticed(&desk, &path, places);
    println!("{flips} flips of {} bytes", std::fs::metadata(&path).unwrap().len());
    assert!(flips > 3000);
}

#[test]
fn every_flip_in_a_body_is_noticed() {
    let desk = Desk::full();
    let bodies: Vec<_> = ["bodies", "links"].iter().flat_map(|folder| files(&desk.ledger().join(folder))).collect();
    // Two releases have records and links each; the policy and the taxonomy are shared.
    assert_eq!(bodies.len(), 6);
    for path in bodies {
        let step = (std::fs::metadata(&path).unwrap().len() / 300).max(1) as usize;
        every_flip_is_noticed(&desk, &path, (0..).step_by(step));
    }
}

#[test]
fn every_flip_in_the_seal_is_noticed() {
    let desk = Desk::full();
    assert!(every_flip_is_noticed(&desk, &desk.ledger().join("seal.json"), 0..) > 100);
}

#[test]
fn files_that_went_or_came_are_noticed() {
    let desk = Desk::full();
    for path in files(&desk.ledger()) {
        let name = path.strip_prefix(desk.ledger()).unwrap().to_string_lossy().into_owned();
        // What the database and the lock make anew when they need it.
        if name == "lock" || name.ends_with("-wal") || name.ends_with("-shm") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(desk.wrong().is_some(), "{name} went, and nobody noticed");
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(desk.wrong(), None);
    std::fs::write(desk.ledger().join("bodies/stranger.parquet"), "x").unwrap();
    assert!(desk.wrong().unwrap().contains("belongs to no entry"));
}

#[test]
fn something_written_behind_its_back_is_noticed() {
    let desk = Desk::full();
    let connection = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    connection.execute_batch("PRAGMA application_id; CREATE TABLE remarks (remark TEXT)").unwrap();
    assert!(desk.wrong().unwrap().contains("was changed after it was sealed"), "while it stands in the log");
    drop(connection);
    assert!(desk.wrong().unwrap().contains("was changed after it was sealed"), "when it stands in the database");
}

#[test]
fn the_seal_is_the_hash_of_the_file() {
    let desk = Desk::full();
    let seal: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(desk.ledger().join("seal.json")).unwrap()).unwrap();
    let (file, _) = reticent_ledger::Hash::digest_file(&desk.ledger().join("catalogue.sqlite")).unwrap();
    assert_eq!(seal["catalogue"], file.to_string());
}

#[test]
fn a_published_file_that_was_changed_is_noticed_and_one_that_was_moved_is_told() {
    let desk = Desk::full();
    std::fs::write(desk.path().join("spring.csv"), "other").unwrap();
    assert!(desk.wrong().unwrap().contains("is not what was published"));
    std::fs::remove_file(desk.path().join("spring.csv")).unwrap();
    let findings = desk.verify().unwrap();
    assert!(findings.is_intact());
    let states: Vec<String> = findings.files.iter().map(|file| serde_json::to_string(&file.state).unwrap()).collect();
    assert_eq!(states, ["\"absent\"", "\"intact\"", "\"intact\""]);
    // A pipe in its place is not waited for.
    let made = std::process::Command::new("mkfifo").arg(desk.path().join("spring.csv")).status().unwrap();
    assert!(made.success());
    assert!(desk.wrong().unwrap().contains("is not what was published"));
}
