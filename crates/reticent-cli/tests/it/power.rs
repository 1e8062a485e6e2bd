//! Power cuts: wherever the power goes, whatever was not synced may be gone, and the ledger opens, verifies, and holds the
//! release whole or not at all; once a command has said that it is done, what it did is there for good.
//!
//! A killed process leaves all that it wrote to the system, so killing one (see `faults`) cannot show that a sync is missing.
//! Here every change of a command is written down, and for every moment the disk is laid out as it may be when the power
//! comes back: only what was synced, or that and some of the rest. `model` says what a disk may lose.
//!
//! A disk is laid out in the folder in which the changes were made, because notes name that folder.

mod model;

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use self::model::{Change, Disk, Survives, Tree};
use crate::faults::{AMEND, APART, ERASE, FIRST, NEXT, Operation, PURGE, WITHDRAW, built};
use crate::support::{RunCommand, TestFolder};

/// So many mixtures of what survives are tried at every cut, besides the three that are not drawn.
const MIXTURES: u64 = 2;
/// Of the states that are not the harshest, one of so many is also worked on with.
const WORKED_ON: usize = 8;

/// What was done while everything was written down.
struct Recording {
    folder: TestFolder,
    before: Tree,
    changes: Vec<Change>,
    /// What the command left when it was done.
    after: Tree,
    /// Its path from the folder. It must stay the same folder, also while a disk has none.
    ledger: &'static str,
    aside: tempfile::TempDir,
}

/// Runs a command; `at` is the change right after which it is killed.
fn watched(folder: &TestFolder, call: &str, list: &Path, at: Option<usize>) -> ExitStatus {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reticent"));
    command.args(call.split_whitespace()).current_dir(folder.path());
    command.env("NO_COLOR", "1").env("RETICENT_NEW_LEDGER", "true");
    command.env("LD_PRELOAD", built("power/record.c")).env("SHIM_DIR", folder.path().canonicalize().unwrap());
    command.env("SHIM_LOG", list).env("SHIM_AT", at.unwrap_or(0).to_string());
    command.output().unwrap().status
}

impl Recording {
    /// Of a operation; or of one that was killed right after a change, and of the command that puts it in order.
    fn of(operation: &Operation, killed_after: Option<&dyn Fn(&Change) -> bool>) -> Recording {
        let (folder, list) = (operation.folder(), tempfile::NamedTempFile::new().unwrap());
        let before = tree(folder.path());
        let read = |folder: &TestFolder| {
            let root = folder.path().canonicalize().unwrap();
            Change::list(&fs::read(list.path()).unwrap(), &root)
        };
        match killed_after {
            None => assert!(watched(&folder, operation.call, list.path(), None).success()),
            Some(is_it) => {
                let all = Recording::of(operation, None).changes;
                let at = all.iter().rposition(is_it).expect("a change to be killed after") + 1;
                assert_eq!(watched(&folder, operation.call, list.path(), Some(at)).code(), None);
                assert!(is_it(read(&folder).last().unwrap()), "killed elsewhere");
                assert!(watched(&folder, "export-head", list.path(), None).success());
            }
        }
        let (changes, after) = (read(&folder), tree(folder.path()));
        let (ledger, aside) = (operation.ledger, tempfile::tempdir().unwrap());
        Recording { folder, before, changes, after, ledger, aside }
    }

    /// The disk at every cut, with the number of changes until then. The power stays on between two writes in a row: what
    /// survives of them is drawn later.
    fn disks(&self, mut see: impl FnMut(usize, &Disk)) {
        let mut disk = Disk::of(&self.before);
        for (at, change) in self.changes.iter().enumerate() {
            let inside = change.is_content() && at > 0 && self.changes[at - 1].is_content();
            if !inside {
                see(at, &disk);
            }
            disk.change(change);
        }
        // A call that the list does not know of would show here.
        assert!(disk.current() == self.after, "a change was not seen, or not understood");
        see(self.changes.len(), &disk);
    }

    /// Lays out a disk in the folder.
    fn lay(&self, tree: &Tree) {
        let (ledger, aside) = (self.folder.file(self.ledger), self.aside.path().join("ledger"));
        if !aside.exists() && ledger.exists() {
            fs::rename(&ledger, &aside).unwrap();
        }
        clear(self.folder.path());
        if tree.contains_key(Path::new(self.ledger)) {
            clear(&aside);
            fs::create_dir_all(ledger.parent().unwrap()).unwrap();
            fs::rename(&aside, &ledger).unwrap();
        }
        for (path, bytes) in tree {
            let path = self.folder.file(path.to_str().unwrap());
            match bytes {
                None => fs::DirBuilder::new().recursive(true).mode(0o700).create(path).unwrap(),
                Some(bytes) => {
                    let mut options = fs::OpenOptions::new();
                    let mut file = options.write(true).create_new(true).mode(0o600).open(path).unwrap();
                    std::io::Write::write_all(&mut file, bytes).unwrap();
                }
            }
        }
    }
}

/// Everything in a folder, but for what the database rebuilds.
fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(root).unwrap().to_owned();
            if path.is_dir() {
                found.insert(name, None);
                folders.push(path);
            } else if !name.to_string_lossy().ends_with("-shm") {
                found.insert(name, Some(fs::read(path).unwrap()));
            }
        }
    }
    found
}

fn clear(folder: &Path) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
}

/// What must be true of a disk before anybody looks at the ledger.
fn is_decent(operation: &Operation, tree: &Tree, published: Option<&Vec<u8>>, finished: bool) {
    if operation.call.starts_with("publish") {
        let file = tree.get(Path::new("one.csv")).map(|bytes| bytes.as_ref().unwrap());
        assert!(file.is_none() || file == published, "the file has other bytes than it was published with");
        assert!(file.is_some() || !finished, "the file was published, and is gone");
    } else if operation.call.starts_with("erase") && finished {
        let before = tree.get(Path::new("links.txt")).and_then(Option::as_ref).unwrap();
        let old = Path::new("ledger/links").join(String::from_utf8_lossy(before).into_owned());
        assert!(!tree.contains_key(&old), "{old:?} was erased, and is back");
    } else if operation.call.starts_with("purge") && finished {
        let links: Vec<&PathBuf> =
            tree.keys().filter(|path| path.parent() == Some(Path::new("ledger/links"))).collect();
        assert!(links.is_empty(), "{links:?} were erased, and are back");
    }
}

/// Cuts the power at every change of a operation.
fn at_every_cut(name: &str, operation: &Operation, recording: &Recording, mixtures: u64) {
    let clock = Instant::now();
    let published = recording.after.get(Path::new("one.csv")).and_then(Option::as_ref);
    let all = recording.changes.len();
    let (mut seen, mut worked_on, mut wrong) = (HashSet::new(), 0, Vec::new());
    recording.disks(|at, disk| {
        let mixtures = (0..mixtures).map(|mixture| Survives::Some(at as u64 * mixtures + mixture));
        for survives in [Survives::Synced, Survives::Names, Survives::Contents].into_iter().chain(mixtures) {
            let (state, finished) = (disk.after_power_cut(survives), at == all);
            if !seen.insert((state.clone(), finished)) {
                continue;
            }
            let next = recording.changes.get(at).map_or("the end".to_owned(), told);
            let what = format!("{name}, cut at {at} of {all}, before {next}, {survives:?} survives");
            let work = survives == Survives::Synced || seen.len().is_multiple_of(WORKED_ON);
            let tried = std::panic::catch_unwind(AssertUnwindSafe(|| {
                is_decent(operation, &state, published, finished);
                recording.lay(&state);
                let done = operation.holds(&recording.folder, &what, finished);
                is_decent(operation, &tree(recording.folder.path()), published, done);
                if work {
                    operation.recovers(&recording.folder, &what, done);
                }
            }));
            worked_on += usize::from(work);
            wrong.extend(tried.is_err().then_some(what));
        }
    });
    let (states, seconds) = (seen.len(), clock.elapsed().as_secs_f64());
    println!("{name}: {states} states after {all} changes, {worked_on} of them worked on, {seconds:.1} s");
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A correction changes less than a release.
    assert!(states >= 20, "{states}");
}

/// A change without the bytes.
fn told(change: &Change) -> String {
    match change {
        Change::Write(path, offset, bytes) => format!("a write of {} bytes to {path:?} at {offset}", bytes.len()),
        change => format!("{change:?}"),
    }
}

#[test]
fn the_power_goes_in_a_first_publish() {
    at_every_cut("first publish", &FIRST, &Recording::of(&FIRST, None), MIXTURES);
}

#[test]
fn the_power_goes_while_ledger_and_key_are_made_elsewhere() {
    at_every_cut("elsewhere", &APART, &Recording::of(&APART, None), 0);
}

#[test]
fn the_power_goes_in_a_next_publish() {
    at_every_cut("next publish", &NEXT, &Recording::of(&NEXT, None), MIXTURES);
}

#[test]
fn the_power_goes_in_an_erasure() {
    at_every_cut("erasure", &PURGE, &Recording::of(&PURGE, None), MIXTURES);
}

#[test]
fn the_power_goes_in_the_erasure_of_a_person() {
    at_every_cut("erasure of a person", &ERASE, &Recording::of(&ERASE, None), MIXTURES);
}

#[test]
fn the_power_goes_in_a_withdrawal_or_an_amendment() {
    at_every_cut("withdrawal", &WITHDRAW, &Recording::of(&WITHDRAW, None), MIXTURES);
    at_every_cut("amendment", &AMEND, &Recording::of(&AMEND, None), MIXTURES);
}

/// The name is there, but not for good: whoever puts the ledger in order must not trust it.
#[test]
fn the_power_goes_while_a_killed_publish_is_put_in_order() {
    let named = |change: &Change| matches!(change, Change::Link(_, to) if to.ends_with("one.csv"));
    at_every_cut("killed publish", &NEXT, &Recording::of(&NEXT, Some(&named)), MIXTURES);
}

/// The last body is gone, but not for good.
#[test]
fn the_power_goes_while_a_killed_erasure_is_put_in_order() {
    let is_body = |path: &PathBuf| path.starts_with("ledger/bodies") || path.starts_with("ledger/links");
    let erased = |change: &Change| matches!(change, Change::Remove(path) if is_body(path));
    at_every_cut("killed erasure", &PURGE, &Recording::of(&PURGE, Some(&erased)), MIXTURES);
}

/// Names may go in any order: that a folder was held can be lost before the release in it is.
#[test]
fn what_is_left_of_a_removed_folder_is_swept() {
    let folder = FIRST.folder();
    folder.write(".reticent-work-000000/release", "half");
    folder.run(FIRST.call).exits(0);
    assert!(!folder.file(".reticent-work-000000").exists());
}
