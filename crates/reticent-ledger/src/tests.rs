//! Tests that need what is not public: migration, forged ledgers, ledgers of many entries.

mod migration;
mod scale;
mod tampering;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::key::{Identity, Key, KeyFile};
use crate::lock::Holder;
use crate::session::Session;

fn unkeyed() -> Session {
    let holder = Holder { steward: "ana".to_owned(), process: 7, since: String::new(), doing: "testing".to_owned() };
    Session::new(holder, Duration::from_secs(5))
}

/// A key and the identity of a ledger.
fn keys() -> (KeyFile, Identity, Key) {
    let (file, identity) = (KeyFile::passing().unwrap(), Identity::draw().unwrap());
    let key = file.of_ledger(&identity);
    (file, identity, key)
}

/// A copy of a stored ledger, to work on.
fn fixture(name: &str) -> (tempfile::TempDir, PathBuf) {
    let desk = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name), desk.path());
    let ledger = desk.path().join("ledger");
    (desk, ledger)
}

/// Copies a folder and all that is in it, in the place of what is there.
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
