//! Recovery changes only files of its own ledger, and only in commands that write.
//!
//! An attacker can write to the ledger folder or next to an output. Recovery must not remove, truncate or create files of
//! the user elsewhere.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use reticent_ledger::{Error, Hash, Ledger, Naming, Staging};

use crate::support::{Sandbox, create, files, links, session, spring};

fn recover(ledger: &Path) {
    Ledger::open(ledger, &session()).unwrap().recover(&session()).unwrap();
}

/// Opens the ledger for writing, which also recovers.
fn write(ledger: &Path) {
    Ledger::open(ledger, &session()).unwrap().write(&session()).unwrap();
}

/// The folder id of the ledger, as journals store it in the field `place`.
fn folder_id(ledger: &Path) -> String {
    let metadata = fs::metadata(ledger).unwrap();
    format!("{}:{}", metadata.dev(), metadata.ino())
}

/// Writes a journal that claims an unfinished release.
fn forge_journal(sandbox: &Sandbox, from: &Path, to: &Path) {
    let place = folder_id(&sandbox.ledger());
    let naming = serde_json::json!({ "from": from, "to": to });
    let journal = serde_json::json!({ "format": 1, "place": place, "entry": null, "bodies": [], "naming": naming });
    fs::write(sandbox.ledger().join("under-way.json"), journal.to_string()).unwrap();
}

/// Writes a list that claims a recorded release without its final file name.
fn forge_unnamed(sandbox: &Sandbox, from: &Path, to: &Path) {
    let naming = serde_json::json!({ "from": from, "to": to });
    let unnamed = serde_json::json!([{ "release": 1, "place": folder_id(&sandbox.ledger()), "naming": naming }]);
    fs::write(sandbox.ledger().join("unnamed.json"), unnamed.to_string()).unwrap();
}

/// A folder of user files that the attacks try to remove.
fn home(sandbox: &Sandbox) -> std::path::PathBuf {
    let home = sandbox.path().join("home");
    fs::create_dir_all(home.join("docs/deep")).unwrap();
    fs::write(home.join("docs/deep/thesis.txt"), "precious").unwrap();
    fs::write(home.join("notes"), "y").unwrap();
    home
}

#[test]
fn a_forged_journal_removes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let home = home(&sandbox);
    for name in [".reticent-x", ".reticent-work-aaaaaa"] {
        fs::create_dir(home.join(name)).unwrap();
        fs::write(home.join(name).join("held"), "").unwrap();
    }
    symlink(&home, sandbox.path().join(".reticent-work-linked")).unwrap();
    symlink(&home, sandbox.path().join(".reticent-work-link00")).unwrap();
    // A valid staging folder of another ledger.
    let other = Staging::create(&sandbox.path().join("other.csv"), &sandbox.path().join("elsewhere/ledger")).unwrap();
    fs::write(other.release(), "waits").unwrap();
    let other_path = other.path().to_owned();
    std::mem::forget(other);
    let before = files(sandbox.path());
    let targets = [
        home.join(".reticent-x/.."),
        home.join(".reticent-x/../docs"),
        home.join(".reticent-work-aaaaaa/.."),
        home.join(".reticent-work-aaaaaa/release"),
        home.join("docs/release"),
        sandbox.path().join(".reticent-work-linked/docs"),
        sandbox.path().join(".reticent-work-link00/release"),
        other_path.join("release"),
        sandbox.path().join("home/../home/.reticent-work-aaaaaa/release"),
    ];
    for from in &targets {
        let beside = from.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        for to in [sandbox.path().join("zzz"), beside.join("zzz")] {
            for act in [recover, write] {
                forge_journal(&sandbox, from, &to);
                act(&sandbox.ledger());
                assert!(!to.exists(), "{}", from.display());
                let remaining: Vec<_> =
                    files(sandbox.path()).into_iter().filter(|path| !path.starts_with(sandbox.ledger())).collect();
                let expected: Vec<_> =
                    before.iter().filter(|path| !path.starts_with(sandbox.ledger())).cloned().collect();
                assert_eq!(remaining, expected, "{}", from.display());
            }
        }
    }
    assert_eq!(sandbox.problem(), None);
}

#[test]
fn a_forged_list_of_unnamed_releases_creates_nothing() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let home = home(&sandbox);
    let evil = sandbox.path().join("evil");
    // The bytes of the release, so that the hash matches the entry.
    fs::copy(sandbox.path().join("spring.csv"), &evil).unwrap();
    for act in [recover, write] {
        forge_unnamed(&sandbox, &evil, &home.join(".bashrc"));
        act(&sandbox.ledger());
        assert!(!home.join(".bashrc").exists());
    }
    // A file in a staging folder next to the target is ignored as well, because the entry records another name.
    let staging = Staging::create(&home.join(".bashrc"), &sandbox.ledger()).unwrap();
    fs::copy(&evil, staging.release()).unwrap();
    let naming = staging.naming(&home.join(".bashrc")).unwrap();
    forge_unnamed(&sandbox, &naming.from, &naming.to);
    recover(&sandbox.ledger());
    assert!(!home.join(".bashrc").exists());
}

#[test]
fn reading_commands_report_a_journal_but_do_not_act_on_it() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    // An unfinished release of this ledger.
    let out = sandbox.path().join("one.csv");
    let mut staging = Staging::create(&out, &sandbox.ledger()).unwrap();
    fs::write(staging.release(), "unfinished").unwrap();
    let Naming { from, to } = staging.naming(&out).unwrap();
    staging.keep();
    drop(staging);
    forge_journal(&sandbox, &from, &to);
    let ledger = sandbox.open();
    ledger.entries().unwrap();
    let findings = sandbox.verify().unwrap();
    assert!(findings.is_intact(), "{:?}", findings.problems);
    assert!(findings.warnings.iter().any(|warning| warning.contains("did not finish")), "{:?}", findings.warnings);
    assert_eq!(ledger.find_modification(&session()).unwrap(), None);
    assert!(from.exists() && sandbox.ledger().join("under-way.json").exists());
    // The next write removes the unfinished release.
    write(&sandbox.ledger());
    assert!(!from.exists() && !sandbox.ledger().join("under-way.json").exists());
}

#[test]
fn cleanup_follows_no_symbolic_link() {
    let sandbox = Sandbox::new();
    let victim = sandbox.path().join("victim");
    fs::create_dir_all(victim.join("release/precious")).unwrap();
    fs::write(victim.join("release/precious/thesis.txt"), "x").unwrap();
    let out = sandbox.path().join("out");
    fs::create_dir(&out).unwrap();
    symlink(&victim, out.join(".reticent-work-evil00")).unwrap();
    // Folders in which `release`, or the lock file `held`, is a symbolic link.
    for (folder, name) in [(".reticent-work-evil01", "release"), (".reticent-work-evil02", "held")] {
        fs::create_dir(out.join(folder)).unwrap();
        symlink(victim.join("release"), out.join(folder).join(name)).unwrap();
    }
    drop(Staging::create(&out.join("one.csv"), &sandbox.ledger()).unwrap());
    assert!(victim.join("release/precious/thesis.txt").exists());
    assert!(out.join(".reticent-work-evil00").is_symlink());
}

#[test]
fn a_staging_folder_of_a_killed_process_is_removed() {
    let sandbox = Sandbox::new();
    let out = sandbox.path().join("one.csv");
    let mut staging = Staging::create(&out, &sandbox.ledger()).unwrap();
    fs::create_dir(staging.release()).unwrap();
    fs::write(staging.release().join("people.csv"), "unverified").unwrap();
    let path = staging.path().to_owned();
    staging.keep();
    // A folder in use remains.
    drop(Staging::create(&out, &sandbox.ledger()).unwrap());
    assert!(path.exists());
    drop(staging);
    drop(Staging::create(&out, &sandbox.ledger()).unwrap());
    assert!(!path.exists());
}

/// Recovery names a release if its output path contains `..` or symbolic links.
#[test]
fn an_output_path_with_dots_or_links_is_recovered() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path().join("project/deep")).unwrap();
    fs::create_dir(sandbox.path().join("real")).unwrap();
    symlink(sandbox.path().join("real"), sandbox.path().join("linked")).unwrap();
    for (at, out) in ["project/deep/../../project/one.csv", "linked/two.csv"].iter().enumerate() {
        let (out, name) = (sandbox.path().join(out), format!("release-{at}"));
        let (body, mut ledger) = (spring(), sandbox.open());
        let links = links(&body, 5);
        let mut staging = Staging::create(&out, &sandbox.ledger()).unwrap();
        fs::write(staging.release(), "the release").unwrap();
        let mut draft = sandbox.draft(&ledger, &name, &["press"], &body, &links, &staging.release());
        draft.file.as_mut().unwrap().path = ledger.recorded_path(&out);
        draft.naming = Some(staging.naming(&out).unwrap());
        // Both possible names are taken first, so that only recovery can name the file.
        let numbered = out.with_file_name(format!("{}-release-{}.csv", ["one", "two"][at], at + 1));
        for taken in [&out, &numbered] {
            fs::write(taken, "taken").unwrap();
        }
        ledger.write(&session()).unwrap().append(&draft).unwrap_err();
        staging.keep();
        drop(staging);
        fs::remove_file(&out).unwrap();
        // Cleanup for another release in the same folder does not remove the unnamed release.
        drop(Staging::create(&out.with_file_name("other.csv"), &sandbox.path().join("elsewhere")).unwrap());
        drop(Staging::create(&out.with_file_name("other.csv"), &sandbox.ledger()).unwrap());
        // Recovery with another spelling of the ledger path.
        recover(&sandbox.path().join("project/../ledger"));
        assert_eq!(fs::read_to_string(&out).unwrap(), "the release", "{}", out.display());
    }
}

/// The first release is staged before the ledger exists.
#[test]
fn a_ledger_accepts_a_staging_folder_that_is_older_than_the_ledger() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path().join("deep")).unwrap();
    symlink(sandbox.path().join("deep"), sandbox.path().join("linked")).unwrap();
    for (at, ledger) in ["deep/../one", "linked/two"].iter().enumerate() {
        let (ledger, out) = (sandbox.path().join(ledger), sandbox.path().join(format!("{at}.csv")));
        let body = spring();
        let links = links(&body, 5);
        let staging = Staging::create(&out, &ledger).unwrap();
        fs::write(staging.release(), "the release").unwrap();
        let mut ledger = create(&ledger).unwrap();
        let mut draft = sandbox.draft(&ledger, "first", &["press"], &body, &links, &staging.release());
        draft.naming = Some(staging.naming(&out).unwrap());
        assert_eq!(ledger.write(&session()).unwrap().append(&draft).unwrap().file, Some(out.canonicalize().unwrap()));
    }
}

/// The writer of the first release is killed, then the project is moved.
#[test]
fn a_first_release_is_recovered_after_a_crash_and_a_move() {
    let sandbox = Sandbox::new();
    let project = sandbox.path().join("project");
    fs::create_dir(&project).unwrap();
    let (ledger, out, body) = (project.join("ledger"), project.join("one.csv"), spring());
    let links = links(&body, 5);
    let mut staging = Staging::create(&out, &ledger).unwrap();
    fs::write(staging.release(), "the release").unwrap();
    let mut opened = create(&ledger).unwrap();
    let mut draft = sandbox.draft(&opened, "first", &["press"], &body, &links, &staging.release());
    draft.file.as_mut().unwrap().path = opened.recorded_path(&out);
    draft.naming = Some(staging.naming(&out).unwrap());
    for name in ["one.csv", "one-release-1.csv"] {
        fs::write(project.join(name), "taken").unwrap();
    }
    opened.write(&session()).unwrap().append(&draft).unwrap_err();
    staging.keep();
    drop((staging, opened));
    fs::remove_file(&out).unwrap();
    let moved = sandbox.path().join("moved");
    fs::rename(&project, &moved).unwrap();
    // Cleanup for another ledger does not remove the unnamed release.
    drop(Staging::create(&moved.join("other.csv"), &sandbox.path().join("another")).unwrap());
    recover(&moved.join("ledger"));
    assert_eq!(fs::read_to_string(moved.join("one.csv")).unwrap(), "the release");
}

/// The output folder is temporarily empty, for example because its file system is not mounted.
#[test]
fn a_release_is_recovered_when_its_output_folder_is_available_again() {
    let sandbox = Sandbox::new();
    let (out, body) = (sandbox.path().join("share/one.csv"), spring());
    fs::create_dir(sandbox.path().join("share")).unwrap();
    let links = links(&body, 5);
    let mut ledger = sandbox.open();
    let mut staging = Staging::create(&out, &sandbox.ledger()).unwrap();
    fs::write(staging.release(), "the release").unwrap();
    let mut draft = sandbox.draft(&ledger, "first", &["press"], &body, &links, &staging.release());
    draft.file.as_mut().unwrap().path = ledger.recorded_path(&out);
    draft.naming = Some(staging.naming(&out).unwrap());
    fs::rename(sandbox.path().join("share"), sandbox.path().join("away")).unwrap();
    ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    staging.keep();
    drop((staging, ledger));
    fs::create_dir(sandbox.path().join("share")).unwrap();
    recover(&sandbox.ledger());
    write(&sandbox.ledger());
    fs::remove_dir(sandbox.path().join("share")).unwrap();
    fs::rename(sandbox.path().join("away"), sandbox.path().join("share")).unwrap();
    drop(Staging::create(&out, &sandbox.ledger()).unwrap());
    recover(&sandbox.ledger());
    assert_eq!(fs::read_to_string(&out).unwrap(), "the release");
}

/// Cleanup keeps a staging folder if its ledger was moved or is not available.
#[test]
fn a_staging_folder_of_an_absent_ledger_is_not_removed() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let out = sandbox.path().join("one.csv");
    let mut staging = Staging::create(&out, &sandbox.ledger()).unwrap();
    fs::write(staging.release(), "waits").unwrap();
    let path = staging.path().to_owned();
    staging.keep();
    drop(staging);
    fs::rename(sandbox.ledger(), sandbox.path().join("moved")).unwrap();
    drop(Staging::create(&out, &sandbox.path().join("another")).unwrap());
    assert!(path.exists());
    // The moved ledger itself has no unnamed release.
    drop(Staging::create(&out, &sandbox.path().join("moved")).unwrap());
    assert!(!path.exists());
}

#[test]
fn a_planted_journal_hides_neither_stray_bodies_nor_a_changed_catalogue() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let stray = "bodies/0000000000000000000000000000000000000000000000000000000000000000.csv";
    fs::write(sandbox.ledger().join(stray), "x").unwrap();
    fs::write(sandbox.ledger().join("under-way.json"), "{}").unwrap();
    assert!(sandbox.problem().unwrap().contains("belongs to no entry"));
    fs::remove_file(sandbox.ledger().join(stray)).unwrap();
    assert_eq!(sandbox.problem(), None);
    let connection = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    connection.execute("UPDATE recipients SET name = 'ministry'", []).unwrap();
    drop(connection);
    assert!(sandbox.problem().unwrap().contains("changed after it was sealed"));
    assert!(sandbox.open().find_modification(&session()).unwrap().unwrap().contains("changed after it was sealed"));
}

#[test]
fn recovery_names_only_a_file_with_the_recorded_hash() {
    let sandbox = Sandbox::new();
    let (body, out) = (spring(), sandbox.path().join("one.csv"));
    let links = links(&body, 5);
    let mut ledger = sandbox.open();
    let mut staging = Staging::create(&out, &sandbox.ledger()).unwrap();
    fs::write(staging.release(), "the release").unwrap();
    let mut draft = sandbox.draft(&ledger, "spring", &["press"], &body, &links, &staging.release());
    let file = draft.file.as_mut().unwrap();
    file.path = ledger.recorded_path(&out);
    let recorded = file.sha256;
    let naming = staging.naming(&out).unwrap();
    for name in ["one.csv", "one-release-1.csv"] {
        fs::write(sandbox.path().join(name), "taken").unwrap();
    }
    draft.naming = Some(naming.clone());
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::Unnamed { .. }), "{refused}");
    staging.keep();
    drop(staging);
    fs::remove_file(&out).unwrap();
    fs::write(&naming.from, "other bytes").unwrap();
    recover(&sandbox.ledger());
    assert!(!out.exists());
    fs::write(&naming.from, "the release").unwrap();
    forge_unnamed(&sandbox, &naming.from, &naming.to);
    recover(&sandbox.ledger());
    assert_eq!(Hash::digest_file(&out).unwrap().0, recorded);
}
