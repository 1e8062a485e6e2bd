//! Tests of private items: migration, tampering, large ledgers.

mod corrections;
mod migration;
mod scale;
mod tampering;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::key::{Identity, Key, KeyFile};
use crate::lock::Holder;
use crate::session::Session;

fn session_without_key() -> Session {
    let holder = Holder { steward: "ana".to_owned(), process: 7, since: String::new(), doing: "testing".to_owned() };
    Session::new(holder, Duration::from_secs(5))
}

/// Returns a key file, the identity of a ledger and its key.
fn new_keys() -> (KeyFile, Identity, Key) {
    let (file, identity) = (KeyFile::ephemeral().unwrap(), Identity::draw().unwrap());
    let key = file.ledger_key(&identity);
    (file, identity, key)
}

/// Copies a stored ledger to a temporary folder.
fn fixture(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name), dir.path());
    let ledger = dir.path().join("ledger");
    (dir, ledger)
}

/// Replaces a folder by a copy of another.
fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}
