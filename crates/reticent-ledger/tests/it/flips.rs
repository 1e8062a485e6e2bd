//! Tamper evidence: every changed bit in the catalogue, the seal and the bodies is detected.

use std::path::Path;

use crate::support::{Sandbox, files};

/// Flips one bit at each of these offsets, one at a time, and checks that verification detects it. Returns the number of flips.
fn assert_flips_detected(sandbox: &Sandbox, path: &Path, offsets: impl Iterator<Item = usize>) -> usize {
    let bytes = std::fs::read(path).unwrap();
    let mut flips = 0;
    for at in offsets.take_while(|at| *at < bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(path, &changed).unwrap();
        assert!(sandbox.problem().is_some(), "a flip at byte {at} of {} was not detected", path.display());
        flips += 1;
    }
    std::fs::write(path, &bytes).unwrap();
    assert_eq!(sandbox.problem(), None, "after restoring the file");
    flips
}

#[test]
fn every_flip_in_the_catalogue_is_detected() {
    let sandbox = Sandbox::full();
    let path = sandbox.ledger().join("catalogue.sqlite");
    // The first 512 bytes, the first 16 bytes of every page, and one of 13 other bytes.
    let offsets = (0..).filter(|at| *at < 512 || at % 4096 < 16 || at % 13 == 0);
    let flips = assert_flips_detected(&sandbox, &path, offsets);
    println!("{flips} flips of {} bytes", std::fs::metadata(&path).unwrap().len());
    assert!(flips > 3000);
}

/// The same after a withdrawal, an amendment and an erasure.
#[test]
fn every_flip_in_a_corrected_ledger_is_detected() {
    let sandbox = Sandbox::corrected();
    let path = sandbox.ledger().join("catalogue.sqlite");
    let offsets = (0..).filter(|at| *at < 100 || at % 4096 < 16 || at % 31 == 0);
    assert!(assert_flips_detected(&sandbox, &path, offsets) > 1000);
    for path in files(&sandbox.ledger().join("links")) {
        let step = (std::fs::metadata(&path).unwrap().len() / 200).max(1) as usize;
        assert!(assert_flips_detected(&sandbox, &path, (0..).step_by(step)) >= 200);
    }
}

#[test]
fn every_flip_in_a_body_is_detected() {
    let sandbox = Sandbox::full();
    let bodies: Vec<_> = ["bodies", "links"].iter().flat_map(|folder| files(&sandbox.ledger().join(folder))).collect();
    // Two releases have records and links. They share the policy and the taxonomy.
    assert_eq!(bodies.len(), 6);
    for path in bodies {
        let step = (std::fs::metadata(&path).unwrap().len() / 300).max(1) as usize;
        assert_flips_detected(&sandbox, &path, (0..).step_by(step));
    }
}

#[test]
fn every_flip_in_the_seal_is_detected() {
    let sandbox = Sandbox::full();
    assert!(assert_flips_detected(&sandbox, &sandbox.ledger().join("seal.json"), 0..) > 100);
}

#[test]
fn removed_and_added_files_are_detected() {
    let sandbox = Sandbox::full();
    for path in files(&sandbox.ledger()) {
        let name = path.strip_prefix(sandbox.ledger()).unwrap().to_string_lossy().into_owned();
        // The database and the lock create these files if they need them.
        if name == "lock" || name.ends_with("-wal") || name.ends_with("-shm") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(sandbox.problem().is_some(), "the removal of {name} was not detected");
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(sandbox.problem(), None);
    std::fs::write(sandbox.ledger().join("bodies/stranger.parquet"), "x").unwrap();
    assert!(sandbox.problem().unwrap().contains("belongs to no entry"));
}

#[test]
fn a_change_by_another_program_is_detected() {
    let sandbox = Sandbox::full();
    let connection = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    connection.execute_batch("PRAGMA application_id; CREATE TABLE remarks (remark TEXT)").unwrap();
    assert!(sandbox.problem().unwrap().contains("was changed after it was sealed"), "in the write-ahead log");
    drop(connection);
    assert!(sandbox.problem().unwrap().contains("was changed after it was sealed"), "in the database file");
}

#[test]
fn the_seal_contains_the_hash_of_the_catalogue_file() {
    let sandbox = Sandbox::full();
    let seal: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(sandbox.ledger().join("seal.json")).unwrap()).unwrap();
    let (file, _) = reticent_ledger::Hash::digest_file(&sandbox.ledger().join("catalogue.sqlite")).unwrap();
    assert_eq!(seal["catalogue"], file.to_string());
}

#[test]
fn a_changed_published_file_is_detected_and_a_moved_one_is_reported_as_absent() {
    let sandbox = Sandbox::full();
    std::fs::write(sandbox.path().join("spring.csv"), "other").unwrap();
    assert!(sandbox.problem().unwrap().contains("is not what was published"));
    std::fs::remove_file(sandbox.path().join("spring.csv")).unwrap();
    let findings = sandbox.verify().unwrap();
    assert!(findings.is_intact());
    let states: Vec<String> = findings.files.iter().map(|file| serde_json::to_string(&file.state).unwrap()).collect();
    assert_eq!(states, ["\"absent\"", "\"intact\"", "\"intact\""]);
    // Verification does not block on a named pipe in place of the file.
    let status = std::process::Command::new("mkfifo").arg(sandbox.path().join("spring.csv")).status().unwrap();
    assert!(status.success());
    assert!(sandbox.problem().unwrap().contains("is not what was published"));
}
