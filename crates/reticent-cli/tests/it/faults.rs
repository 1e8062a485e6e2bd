//! Crashes, full disks and I/O errors: whatever happens at any change to the disk, the ledger opens, verifies, and holds the
//! release whole or not at all; and no file has a release's name without its entry.
//!
//! The faults are put between the command and the C library, so every call is met that writes, syncs, names, removes or
//! creates anything below the folder: ours, and those of the database.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use reticent_testkit::clinic_policy_with_owner;

use crate::support::{CLINIC, RunCommand, TestFolder};

/// Builds a library that is loaded before the C library, once.
pub fn built(source: &str) -> PathBuf {
    static FOLDER: OnceLock<Mutex<tempfile::TempDir>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| Mutex::new(tempfile::tempdir().unwrap())).lock().unwrap();
    let path = folder.path().join(source.replace('/', "-")).with_extension("so");
    if !path.exists() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(source);
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let built = Command::new(compiler)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&path)
            .arg(source)
            .arg("-ldl")
            .output()
            .expect("a C compiler, which the database is built with too");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }
    path
}

/// A clinic where people are known by an owner key, so that owner links are recorded too.
fn policy(ledger: &str, key: &str) -> String {
    format!("{}[ledger]\npath = \"{ledger}\"\nkey = \"{key}\"\n", clinic_policy_with_owner(3))
}

/// What is done while faults happen, and what was there before.
pub struct Operation {
    before: &'static [&'static str],
    pub call: &'static str,
    pub ledger: &'static str,
    key: &'static str,
    /// How many entries there are before and after.
    entries: (u64, u64),
}

pub const FIRST: Operation = Operation {
    before: &[],
    call: "publish people.csv --name one --to press -o one.csv --threads 1",
    ledger: "ledger",
    key: "reticent.key",
    entries: (0, 1),
};
/// Ledger, key and output are in folders of their own.
pub const APART: Operation = Operation { ledger: "books/clinic/ledger", key: "keys/clinic/reticent.key", ..FIRST };
pub const NEXT: Operation = Operation {
    before: &["publish people.csv --name zero --to press -o zero.csv"],
    call: "publish people.csv --name one --to press --ignore-history -o one.csv --threads 1",
    entries: (1, 2),
    ..FIRST
};
pub const PURGE: Operation = Operation {
    before: &["publish people.csv --name zero --to press -o zero.csv"],
    call: "purge zero --reason asked --yes",
    entries: (1, 2),
    ..FIRST
};
pub const WITHDRAW: Operation = Operation { call: "withdraw zero --reason unsent", ..PURGE };
pub const AMEND: Operation = Operation { call: "amend zero --add-recipient ward --reason known", ..PURGE };
pub const ERASE: Operation = Operation { call: "erase --owner-file owner.txt --reason asked --yes", ..PURGE };

/// The list of the files of owner links before an erasure of a person, which replaces them.
const LINKS_BEFORE: &str = "links.txt";

impl Operation {
    pub fn folder(&self) -> TestFolder {
        let folder = TestFolder::new();
        folder.write("people.csv", CLINIC);
        folder.write("reticent.toml", policy(self.ledger, self.key));
        self.before.iter().for_each(|call| drop(folder.run(call).exits(0)));
        if self.call.starts_with("withdraw") {
            std::fs::remove_file(folder.file("zero.csv")).unwrap();
        }
        if self.call.starts_with("erase") {
            folder.write("owner.txt", "Leo\n");
            folder.write(LINKS_BEFORE, self.links(&folder).join("\n"));
        }
        folder
    }

    /// Names of the files of owner links.
    fn links(&self, folder: &TestFolder) -> Vec<String> {
        let links = std::fs::read_dir(folder.file(self.ledger).join("links")).unwrap();
        let mut names: Vec<String> =
            links.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn run(&self, folder: &TestFolder, mode: &str, at: usize, log: Option<&Path>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reticent"));
        command
            .args(self.call.split_whitespace())
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .env("RETICENT_NEW_LEDGER", "true");
        command.env("LD_PRELOAD", built("faults/shim.c")).env("SHIM_DIR", folder.path().canonicalize().unwrap());
        command.env("SHIM_MODE", mode).env("SHIM_AT", at.to_string());
        if let Some(log) = log {
            command.env("SHIM_LOG", log);
        }
        command.output().unwrap()
    }

    /// Every call that changes something, by its kind.
    fn points(&self) -> Vec<String> {
        let folder = self.folder();
        let log = tempfile::NamedTempFile::new().unwrap();
        let ran = self.run(&folder, "count", 0, Some(log.path()));
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        std::fs::read_to_string(log.path()).unwrap().lines().map(str::to_owned).collect()
    }

    /// What must hold after any fault; tells whether the entry is there.
    pub fn holds(&self, folder: &TestFolder, what: &str, finished: bool) -> bool {
        let verified = folder.run("verify --json");
        let there = if verified.status == 2 {
            let error: serde_json::Value = serde_json::from_str(&verified.err).unwrap();
            assert!(self.entries.0 == 0 && error["code"] == "ledger-not-found", "{what}: {}", verified.err);
            0
        } else {
            assert_eq!(verified.status, 0, "{what}: {}{}", verified.out, verified.err);
            verified.json()["entries"].as_u64().unwrap()
        };
        assert!(there == self.entries.0 || there == self.entries.1, "{what}: {there} entries");
        let done = there == self.entries.1;
        // Verifying changes nothing; a command that writes completes or undoes what was left.
        if verified.status == 0 {
            recover(folder, what);
        }
        assert!(done || !finished, "{what}: it said that it was done, and it was not");
        if self.call.starts_with("publish") {
            assert_eq!(folder.file("one.csv").exists(), done, "{what}: entry and file do not agree");
        } else if self.call.starts_with("purge") {
            assert_eq!(self.links(folder).is_empty(), done, "{what}: the entry and what it erases do not agree");
        } else if self.call.starts_with("erase") {
            let links = self.links(folder);
            assert_eq!(links.len(), 1, "{what}: old and new owner links");
            assert_eq!(
                links.join("\n") != folder.read(LINKS_BEFORE),
                done,
                "{what}: the entry and the owner links do not agree"
            );
        } else {
            let counts = folder.run("history for press,ward --json").exits(0).json();
            let held = counts["coalitions"][0]["releases"].as_array().map_or(0, Vec::len);
            let of_ward =
                counts["unknown_recipients"].as_array().is_some_and(|unknown| !unknown.contains(&"ward".into()));
            let corrected = if self.call.starts_with("withdraw") { held == 0 } else { of_ward };
            assert_eq!(corrected, done, "{what}: the entry and the history do not agree");
        }
        done
    }

    /// The steward tries again, and it works.
    pub fn recovers(&self, folder: &TestFolder, what: &str, done: bool) {
        if !done {
            let again = folder.run(self.call);
            assert_eq!(again.status, 0, "{what}: {}{}", again.out, again.err);
        }
        let next = folder.run("publish people.csv --name more --to press --ignore-history -o more.csv");
        assert_eq!(next.status, 0, "{what}: {}{}", next.out, next.err);
        assert_eq!(folder.run("verify --json").exits(0).json()["intact"], true, "{what}");
        let left: Vec<String> = folder.files().into_iter().filter(|name| name.starts_with(".reticent-")).collect();
        assert!(left.is_empty(), "{what}: {left:?} were left behind");
    }
}

/// The smallest command that writes.
fn recover(folder: &TestFolder, what: &str) {
    let head = folder.run("export-head");
    assert_eq!(head.status, 0, "{what}: {}", head.err);
}

/// A release that was recorded and has no name yet is named by the next command that writes; whatever that command cannot look
/// at, the file is never lost.
#[test]
fn recovery_that_cannot_look_loses_nothing() {
    let link = FIRST.points().iter().rposition(|point| point == "link").unwrap() + 1;
    let killed = || {
        let folder = FIRST.folder();
        FIRST.run(&folder, "kill", link, None);
        assert!(!folder.file("one.csv").exists());
        folder
    };
    let writes = Operation { call: "export-head", ..FIRST };
    let list = tempfile::NamedTempFile::new().unwrap();
    writes.run(&killed(), "look", 0, Some(list.path()));
    let points = std::fs::read_to_string(list.path()).unwrap().lines().count();
    for at in 1..=points {
        let folder = killed();
        writes.run(&folder, "look", at, None);
        folder.run("verify").exits(0);
        recover(&folder, "look");
        assert!(folder.file("one.csv").exists(), "the file was lost at {at} of {points}");
    }
    println!("recovery, look: {points} points");
    assert!(points >= 10, "{points}");
}

/// A recorded release whose names are both taken waits for one, also while others publish into the same folder.
#[test]
fn a_file_that_waits_for_its_name_is_not_swept() {
    let link = FIRST.points().iter().rposition(|point| point == "link").unwrap() + 1;
    let folder = FIRST.folder();
    FIRST.run(&folder, "kill", link, None);
    for name in ["one.csv", "one-release-1.csv"] {
        folder.write(name, "somebody else's");
    }
    recover(&folder, "both names are taken");
    let warnings = folder.run("verify --json").json()["warnings"].clone();
    let warned = warnings.as_array().unwrap().iter().any(|text| text.as_str().unwrap().starts_with("release 1 waits"));
    assert!(warned, "{warnings}");
    folder.run("publish people.csv --name more --to press --ignore-history -o more.csv").exits(0);
    std::fs::remove_file(folder.file("one.csv")).unwrap();
    recover(&folder, "a name is free");
    folder.run("verify").exits(0);
    assert!(folder.read("one.csv").starts_with("age,sex,city,illness"), "the release was lost");
}

/// Lets every point of a operation fail in one way.
fn at_every_point(name: &str, operation: &Operation, mode: &str) -> usize {
    let points = operation.points();
    let next = AtomicUsize::new(1);
    let wrong: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::SeqCst);
            let Some(point) = points.get(at - 1) else { return };
            let what = format!("{name}, {mode} at {at} of {} ({point})", points.len());
            let tried = std::panic::catch_unwind(|| {
                let folder = operation.folder();
                let ran = operation.run(&folder, mode, at, None);
                if mode == "kill" {
                    assert_eq!(ran.status.code(), None, "{what}: it was not killed");
                } else {
                    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
                    assert!(matches!(ran.status.code(), Some(0 | 3)), "{what}: {:?} {said}", ran.status);
                    let shown = ["Ada", "Leo", "asthma", "diabetes", "panicked"].iter().any(|word| said.contains(word));
                    assert!(!shown, "{what}: {said}");
                }
                let done = operation.holds(&folder, &what, ran.status.success());
                operation.recovers(&folder, &what, done);
            });
            if tried.is_err() {
                wrong.lock().unwrap().push(what);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut kinds: Vec<&String> = points.iter().collect();
    kinds.sort();
    kinds.dedup();
    let of_kind = |kind: &&String| format!("{} {kind}", points.iter().filter(|point| point == kind).count());
    println!("{name}, {mode}: {} points ({})", points.len(), kinds.iter().map(of_kind).collect::<Vec<_>>().join(", "));
    points.len()
}

#[test]
fn killed_anywhere_in_a_first_publish() {
    assert!(at_every_point("first publish", &FIRST, "kill") >= 40);
}

#[test]
fn killed_anywhere_in_a_next_publish() {
    assert!(at_every_point("next publish", &NEXT, "kill") >= 40);
}

#[test]
fn killed_anywhere_in_an_erasure() {
    assert!(at_every_point("erasure", &PURGE, "kill") >= 10);
}

#[test]
fn killed_anywhere_in_a_withdrawal_or_an_amendment() {
    assert!(at_every_point("withdrawal", &WITHDRAW, "kill") >= 10);
    assert!(at_every_point("amendment", &AMEND, "kill") >= 10);
}

#[test]
fn killed_anywhere_in_the_erasure_of_a_person() {
    assert!(at_every_point("erasure of a person", &ERASE, "kill") >= 15);
}

#[test]
fn a_disk_that_is_full_from_any_point_on() {
    assert!(at_every_point("first publish", &FIRST, "full") >= 40);
    assert!(at_every_point("next publish", &NEXT, "full") >= 40);
}

#[test]
fn an_io_error_at_any_point() {
    assert!(at_every_point("first publish", &FIRST, "io") >= 40);
    assert!(at_every_point("next publish", &NEXT, "io") >= 40);
    assert!(at_every_point("erasure", &PURGE, "io") >= 10);
    assert!(at_every_point("withdrawal", &WITHDRAW, "io") >= 10);
    assert!(at_every_point("amendment", &AMEND, "io") >= 10);
    assert!(at_every_point("erasure of a person", &ERASE, "io") >= 15);
}
