//! Recovery acts only on what it can prove to be its own, and only in commands that write.
//!
//! An attacker who can write to the ledger's folder, or beside an output, must not be able to have files of the steward
//! removed, emptied, or created somewhere else.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use reticent_ledger::{Error, Hash, Ledger, Naming, Staging};

use crate::support::{Desk, create, files, links, session, spring};

fn recover(ledger: &Path) {
    Ledger::open(ledger, &session()).unwrap().recover(&session()).unwrap();
}

/// A writer recovers, too.
fn write(ledger: &Path) {
    Ledger::open(ledger, &session()).unwrap().write(&session()).unwrap();
}

/// How a journal names the ledger's folder.
fn place(ledger: &Path) -> String {
    let about = fs::metadata(ledger).unwrap();
    format!("{}:{}", about.dev(), about.ino())
}

/// A journal that claims an unfinished release.
fn forge_journal(desk: &Desk, from: &Path, to: &Path) {
    let place = place(&desk.ledger());
    let naming = serde_json::json!({ "from": from, "to": to });
    let journal = serde_json::json!({ "format": 1, "place": place, "entry": null, "bodies": [], "naming": naming });
    fs::write(desk.ledger().join("under-way.json"), journal.to_string()).unwrap();
}

/// A list that claims a recorded release whose file waits for its name.
fn forge_waiting(desk: &Desk, from: &Path, to: &Path) {
    let naming = serde_json::json!({ "from": from, "to": to });
    let waiting = serde_json::json!([{ "release": 1, "place": place(&desk.ledger()), "naming": naming }]);
    fs::write(desk.ledger().join("unnamed.json"), waiting.to_string()).unwrap();
}

/// Folders that an attacker would like to have removed.
fn home(desk: &Desk) -> std::path::PathBuf {
    let home = desk.path().join("home");
    fs::create_dir_all(home.join("docs/deep")).unwrap();
    fs::write(home.join("docs/deep/thesis.txt"), "precious").unwrap();
    fs::write(home.join("notes"), "y").unwrap();
    home
}

#[test]
fn a_forged_journal_removes_nothing() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let home = home(&desk);
    for name in [".reticent-x", ".reticent-work-aaaaaa"] {
        fs::create_dir(home.join(name)).unwrap();
        fs::write(home.join(name).join("held"), "").unwrap();
    }
    symlink(&home, desk.path().join(".reticent-work-linked")).unwrap();
    symlink(&home, desk.path().join(".reticent-work-link00")).unwrap();
    // A real staging folder of another ledger.
    let other = Staging::create(&desk.path().join("other.csv"), &desk.path().join("elsewhere/ledger")).unwrap();
    fs::write(other.release(), "waits").unwrap();
    let other_path = other.path().to_owned();
    std::mem::forget(other);
    let before = files(desk.path());
    let targets = [
        home.join(".reticent-x/.."),
        home.join(".reticent-x/../docs"),
        home.join(".reticent-work-aaaaaa/.."),
        home.join(".reticent-work-aaaaaa/release"),
        home.join("docs/release"),
        desk.path().join(".reticent-work-linked/docs"),
        desk.path().join(".reticent-work-link00/release"),
        other_path.join("release"),
        desk.path().join("home/../home/.reticent-work-aaaaaa/release"),
    ];
    for from in &targets {
        let beside = from.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        for to in [desk.path().join("zzz"), beside.join("zzz")] {
            for act in [recover, write] {
                forge_journal(&desk, from, &to);
                act(&desk.ledger());
                assert!(!to.exists(), "{}", from.display());
                let left: Vec<_> =
                    files(desk.path()).into_iter().filter(|path| !path.starts_with(desk.ledger())).collect();
                let was: Vec<_> = before.iter().filter(|path| !path.starts_with(desk.ledger())).cloned().collect();
                assert_eq!(left, was, "{}", from.display());
            }
        }
    }
    assert_eq!(desk.wrong(), None);
}

#[test]
fn a_forged_waiting_list_creates_nothing() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let home = home(&desk);
    let evil = desk.path().join("evil");
    // The bytes of the release, so that the hash is that of the entry.
    fs::copy(desk.path().join("spring.csv"), &evil).unwrap();
    for act in [recover, write] {
        forge_waiting(&desk, &evil, &home.join(".bashrc"));
        act(&desk.ledger());
        assert!(!home.join(".bashrc").exists());
    }
    // Nor if the file is in a staging folder beside the target: the entry records another name.
    let staging = Staging::create(&home.join(".bashrc"), &desk.ledger()).unwrap();
    fs::copy(&evil, staging.release()).unwrap();
    let naming = staging.naming(&home.join(".bashrc")).unwrap();
    forge_waiting(&desk, &naming.from, &naming.to);
    recover(&desk.ledger());
    assert!(!home.join(".bashrc").exists());
}

#[test]
fn readers_act_on_no_journal() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    // An unfinished release of this very ledger.
    let out = desk.path().join("one.csv");
    let mut staging = Staging::create(&out, &desk.ledger()).unwrap();
    fs::write(staging.release(), "unfinished").unwrap();
    let Naming { from, to } = staging.naming(&out).unwrap();
    staging.keep();
    drop(staging);
    forge_journal(&desk, &from, &to);
    let ledger = desk.open();
    ledger.entries().unwrap();
    let findings = desk.verify().unwrap();
    assert!(findings.is_intact(), "{:?}", findings.problems);
    assert!(findings.warnings.iter().any(|warning| warning.contains("did not finish")), "{:?}", findings.warnings);
    assert_eq!(ledger.find_modification(&session()).unwrap(), None);
    assert!(from.exists() && desk.ledger().join("under-way.json").exists());
    // The next command that writes undoes it.
    write(&desk.ledger());
    assert!(!from.exists() && !desk.ledger().join("under-way.json").exists());
}

#[test]
fn a_sweep_follows_no_symbolic_link() {
    let desk = Desk::new();
    let victim = desk.path().join("victim");
    fs::create_dir_all(victim.join("release/precious")).unwrap();
    fs::write(victim.join("release/precious/thesis.txt"), "x").unwrap();
    let out = desk.path().join("out");
    fs::create_dir(&out).unwrap();
    symlink(&victim, out.join(".reticent-work-evil00")).unwrap();
    // A real folder whose release is a symbolic link, and one whose `held` is.
    for (folder, name) in [(".reticent-work-evil01", "release"), (".reticent-work-evil02", "held")] {
        fs::create_dir(out.join(folder)).unwrap();
        symlink(victim.join("release"), out.join(folder).join(name)).unwrap();
    }
    drop(Staging::create(&out.join("one.csv"), &desk.ledger()).unwrap());
    assert!(victim.join("release/precious/thesis.txt").exists());
    assert!(out.join(".reticent-work-evil00").is_symlink());
}

#[test]
fn a_staging_folder_of_a_killed_process_is_swept() {
    let desk = Desk::new();
    let out = desk.path().join("one.csv");
    let mut staging = Staging::create(&out, &desk.ledger()).unwrap();
    fs::create_dir(staging.release()).unwrap();
    fs::write(staging.release().join("people.csv"), "unverified").unwrap();
    let path = staging.path().to_owned();
    staging.keep();
    // A process works there: it stays.
    drop(Staging::create(&out, &desk.ledger()).unwrap());
    assert!(path.exists());
    drop(staging);
    drop(Staging::create(&out, &desk.ledger()).unwrap());
    assert!(!path.exists());
}

/// A release to `../out/..` is named, and recovered if its writer is killed before.
#[test]
fn an_output_with_dots_and_links_is_named() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path().join("project/deep")).unwrap();
    fs::create_dir(desk.path().join("real")).unwrap();
    symlink(desk.path().join("real"), desk.path().join("linked")).unwrap();
    for (at, out) in ["project/deep/../../project/one.csv", "linked/two.csv"].iter().enumerate() {
        let (out, name) = (desk.path().join(out), format!("release-{at}"));
        let (body, mut ledger) = (spring(), desk.open());
        let links = links(&body, 5);
        let mut staging = Staging::create(&out, &desk.ledger()).unwrap();
        fs::write(staging.release(), "the release").unwrap();
        let mut draft = desk.draft(&ledger, &name, &["press"], &body, &links, &staging.release());
        draft.file.as_mut().unwrap().path = ledger.recorded_path(&out);
        draft.naming = Some(staging.naming(&out).unwrap());
        // Both names are taken first, so that recovery has to name it.
        let numbered = out.with_file_name(format!("{}-release-{}.csv", ["one", "two"][at], at + 1));
        for taken in [&out, &numbered] {
            fs::write(taken, "taken").unwrap();
        }
        ledger.write(&session()).unwrap().append(&draft).unwrap_err();
        staging.keep();
        drop(staging);
        fs::remove_file(&out).unwrap();
        // Another release beside it sweeps nothing that waits.
        drop(Staging::create(&out.with_file_name("other.csv"), &desk.path().join("elsewhere")).unwrap());
        drop(Staging::create(&out.with_file_name("other.csv"), &desk.ledger()).unwrap());
        // Through another spelling of the ledger's path.
        recover(&desk.path().join("project/../ledger"));
        assert_eq!(fs::read_to_string(&out).unwrap(), "the release", "{}", out.display());
    }
}

/// The first release is staged before there is a ledger.
#[test]
fn a_ledger_that_is_created_later_knows_its_staging_folder() {
    let desk = Desk::new();
    fs::create_dir(desk.path().join("deep")).unwrap();
    symlink(desk.path().join("deep"), desk.path().join("linked")).unwrap();
    for (at, ledger) in ["deep/../one", "linked/two"].iter().enumerate() {
        let (ledger, out) = (desk.path().join(ledger), desk.path().join(format!("{at}.csv")));
        let body = spring();
        let links = links(&body, 5);
        let staging = Staging::create(&out, &ledger).unwrap();
        fs::write(staging.release(), "the release").unwrap();
        let mut ledger = create(&ledger).unwrap();
        let mut draft = desk.draft(&ledger, "first", &["press"], &body, &links, &staging.release());
        draft.naming = Some(staging.naming(&out).unwrap());
        assert_eq!(ledger.write(&session()).unwrap().append(&draft).unwrap().file, Some(out.canonicalize().unwrap()));
    }
}

/// A first release whose writer was killed is found again after the project was moved.
#[test]
fn a_first_release_survives_a_crash_and_a_move() {
    let desk = Desk::new();
    let project = desk.path().join("project");
    fs::create_dir(&project).unwrap();
    let (ledger, out, body) = (project.join("ledger"), project.join("one.csv"), spring());
    let links = links(&body, 5);
    let mut staging = Staging::create(&out, &ledger).unwrap();
    fs::write(staging.release(), "the release").unwrap();
    let mut opened = create(&ledger).unwrap();
    let mut draft = desk.draft(&opened, "first", &["press"], &body, &links, &staging.release());
    draft.file.as_mut().unwrap().path = opened.recorded_path(&out);
    draft.naming = Some(staging.naming(&out).unwrap());
    for name in ["one.csv", "one-release-1.csv"] {
        fs::write(project.join(name), "taken").unwrap();
    }
    opened.write(&session()).unwrap().append(&draft).unwrap_err();
    staging.keep();
    drop((staging, opened));
    fs::remove_file(&out).unwrap();
    let moved = desk.path().join("moved");
    fs::rename(&project, &moved).unwrap();
    // Others who publish there sweep nothing that waits.
    drop(Staging::create(&moved.join("other.csv"), &desk.path().join("another")).unwrap());
    recover(&moved.join("ledger"));
    assert_eq!(fs::read_to_string(moved.join("one.csv")).unwrap(), "the release");
}

/// A folder that is empty because nothing is mounted there yet does not make a release forgotten.
#[test]
fn a_release_whose_folder_was_replaced_still_waits() {
    let desk = Desk::new();
    let (out, body) = (desk.path().join("share/one.csv"), spring());
    fs::create_dir(desk.path().join("share")).unwrap();
    let links = links(&body, 5);
    let mut ledger = desk.open();
    let mut staging = Staging::create(&out, &desk.ledger()).unwrap();
    fs::write(staging.release(), "the release").unwrap();
    let mut draft = desk.draft(&ledger, "first", &["press"], &body, &links, &staging.release());
    draft.file.as_mut().unwrap().path = ledger.recorded_path(&out);
    draft.naming = Some(staging.naming(&out).unwrap());
    fs::rename(desk.path().join("share"), desk.path().join("away")).unwrap();
    ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    staging.keep();
    drop((staging, ledger));
    fs::create_dir(desk.path().join("share")).unwrap();
    recover(&desk.ledger());
    write(&desk.ledger());
    fs::remove_dir(desk.path().join("share")).unwrap();
    fs::rename(desk.path().join("away"), desk.path().join("share")).unwrap();
    drop(Staging::create(&out, &desk.ledger()).unwrap());
    recover(&desk.ledger());
    assert_eq!(fs::read_to_string(&out).unwrap(), "the release");
}

/// A release that waits is not swept when its ledger was moved, or is away.
#[test]
fn a_release_of_a_ledger_that_is_away_is_not_swept() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let out = desk.path().join("one.csv");
    let mut staging = Staging::create(&out, &desk.ledger()).unwrap();
    fs::write(staging.release(), "waits").unwrap();
    let path = staging.path().to_owned();
    staging.keep();
    drop(staging);
    fs::rename(desk.ledger(), desk.path().join("moved")).unwrap();
    drop(Staging::create(&out, &desk.path().join("another")).unwrap());
    assert!(path.exists());
    // The ledger itself, wherever it is now, knows that nothing waits.
    drop(Staging::create(&out, &desk.path().join("moved")).unwrap());
    assert!(!path.exists());
}

/// A planted journal hides neither bodies without an entry nor a changed catalogue.
#[test]
fn a_journal_excuses_only_what_it_names() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let stray = "bodies/0000000000000000000000000000000000000000000000000000000000000000.csv";
    fs::write(desk.ledger().join(stray), "x").unwrap();
    fs::write(desk.ledger().join("under-way.json"), "{}").unwrap();
    assert!(desk.wrong().unwrap().contains("belongs to no entry"));
    fs::remove_file(desk.ledger().join(stray)).unwrap();
    assert_eq!(desk.wrong(), None);
    let connection = rusqlite::Connection::open(desk.ledger().join("catalogue.sqlite")).unwrap();
    connection.execute("UPDATE recipients SET name = 'ministry'", []).unwrap();
    drop(connection);
    assert!(desk.wrong().unwrap().contains("changed after it was sealed"));
    assert!(desk.open().find_modification(&session()).unwrap().unwrap().contains("changed after it was sealed"));
}

/// Recovery gives a name only to the bytes that the entry records.
#[test]
fn other_bytes_get_no_name() {
    let desk = Desk::new();
    let (body, out) = (spring(), desk.path().join("one.csv"));
    let links = links(&body, 5);
    let mut ledger = desk.open();
    let mut staging = Staging::create(&out, &desk.ledger()).unwrap();
    fs::write(staging.release(), "the release").unwrap();
    let mut draft = desk.draft(&ledger, "spring", &["press"], &body, &links, &staging.release());
    let file = draft.file.as_mut().unwrap();
    file.path = ledger.recorded_path(&out);
    let recorded = file.sha256;
    let naming = staging.naming(&out).unwrap();
    for name in ["one.csv", "one-release-1.csv"] {
        fs::write(desk.path().join(name), "taken").unwrap();
    }
    draft.naming = Some(naming.clone());
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::Unnamed { .. }), "{refused}");
    staging.keep();
    drop(staging);
    fs::remove_file(&out).unwrap();
    fs::write(&naming.from, "other bytes").unwrap();
    recover(&desk.ledger());
    assert!(!out.exists());
    fs::write(&naming.from, "the release").unwrap();
    forge_waiting(&desk, &naming.from, &naming.to);
    recover(&desk.ledger());
    assert_eq!(Hash::digest_file(&out).unwrap().0, recorded);
}
