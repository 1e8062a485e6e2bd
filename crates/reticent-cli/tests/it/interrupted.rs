//! Being stopped, waiting, and what cannot be had: nothing is done that was not to be done.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{CLINIC, Desk, clinic_policy};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", CLINIC);
    desk.write("reticent.toml", clinic_policy(3));
    desk
}

/// Whoever waits for the ledger and is stopped does nothing when it is free.
#[test]
fn stopped_while_waiting() {
    let desk = desk();
    desk.run("publish people.csv --name zero --to press -o zero.csv").exits(0);
    let lock = std::fs::File::options().read(true).write(true).open(desk.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    for call in ["purge zero --reason asked --yes", "publish people.csv --name one --to press --alone -o one.csv"] {
        let mut waiting = Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(call.split_whitespace())
            .current_dir(desk.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1_500));
        assert!(Command::new("kill").args(["-INT", &waiting.id().to_string()]).status().unwrap().success());
        assert_eq!(waiting.wait().unwrap().code(), Some(130), "{call}");
    }
    drop(lock);
    let entries = desk.run("verify --json").exits(0).json();
    assert_eq!(entries["entries"], 1);
    assert!(!desk.file("one.csv").exists());
}

/// Texts that are too long for a table are cut, not the answer.
#[test]
fn long_texts_are_shown_in_part() {
    let desk = Desk::new();
    let long = "x".repeat(70_000);
    desk.write("old.csv", format!("ward,kind\n{long},b\n{long},c\na,b\na,c\n"));
    desk.run("register old.csv --name old --to press --date 2020-01-01 --quasi-identifier ward,kind").exits(0);
    desk.run("show old").exits(0);
}

/// A name that can never be given is refused before anything is recorded.
#[test]
fn impossible_names_are_refused_first() {
    let desk = desk();
    let name = format!("{}.csv", "a".repeat(252));
    for output in [name.as_str(), "one.csv/"] {
        let ran = desk.run(&format!("publish people.csv --name one --to press -o {output}"));
        assert!(ran.status == 2 || ran.status == 3, "{}{}", ran.out, ran.err);
        assert!(!desk.file("ledger").exists(), "{output}");
    }
}

/// A pipe is read once, and data several times.
#[test]
fn pipes_are_refused() {
    let desk = desk();
    assert!(Command::new("mkfifo").arg(desk.file("pipe.csv")).status().unwrap().success());
    desk.run("check pipe.csv").exits(2).says("write it to a file first");
}

/// Folders that are empty may not come with a copy.
#[test]
fn a_copy_without_empty_folders_is_written_to() {
    let desk = desk();
    desk.run("publish people.csv --name zero --to press -o zero.csv").exits(0);
    std::fs::remove_dir(desk.file("ledger/links")).unwrap();
    desk.run("publish people.csv --name one --to press --alone -o one.csv").exits(0);
    desk.run("verify").exits(0);
}

/// Only what was left by the program itself is swept.
#[test]
fn other_peoples_folders_are_left_alone() {
    let desk = desk();
    for (folder, held) in [(".reticent-backup", None), (".reticent-work-mine", Some("mine"))] {
        std::fs::create_dir_all(desk.file(folder).join("release")).unwrap();
        desk.write(&format!("{folder}/release/a"), "x");
        if let Some(held) = held {
            desk.write(&format!("{folder}/held"), held);
            desk.write(&format!("{folder}/notes"), held);
        }
    }
    desk.run("publish people.csv --name one --to press -o one.csv --dry-run").exits(0);
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    assert!(desk.file(".reticent-backup/release/a").exists() && desk.file(".reticent-work-mine/release/a").exists());
}

/// A catalogue that is not as it was written does not hold together, whatever is wrong with it.
#[test]
fn a_catalogue_of_another_make_does_not_hold_together() {
    for change in ["DROP TABLE entries", "DROP TABLE ledger"] {
        let desk = desk();
        desk.run("publish people.csv --name zero --to press -o zero.csv").exits(0);
        let catalogue = rusqlite::Connection::open(desk.file("ledger/catalogue.sqlite")).unwrap();
        catalogue.pragma_update(None, "foreign_keys", false).unwrap();
        catalogue.execute_batch(change).unwrap();
        drop(catalogue);
        desk.run("verify").exits(4);
    }
}

/// A journal that somebody planted makes no command remove or create anything outside the ledger; reading commands leave it alone.
#[test]
fn a_planted_journal_moves_no_file() {
    use std::os::unix::fs::MetadataExt;
    let desk = desk();
    desk.run("publish people.csv --name zero --to press -o zero.csv").exits(0);
    std::fs::create_dir_all(desk.file("home/.reticent-x")).unwrap();
    desk.write("home/thesis.txt", "precious");
    let about = std::fs::metadata(desk.file("ledger")).unwrap();
    let place = format!("{}:{}", about.dev(), about.ino());
    let home = desk.path().canonicalize().unwrap().join("home");
    let naming = |from: &str| format!(r#"{{"from":"{0}/{from}","to":"{0}/.bashrc"}}"#, home.display());
    for call in ["log", "show zero", "verify", "history for press", "audit", "export-head"] {
        let from = naming(".reticent-x/..");
        let journal = format!(r#"{{"format":1,"place":"{place}","entry":null,"bodies":[],"naming":{from}}}"#);
        desk.write("ledger/under-way.json", journal);
        let waits = naming("thesis.txt");
        desk.write("ledger/unnamed.json", format!(r#"[{{"release":1,"place":"{place}","naming":{waits}}}]"#));
        desk.run(call).exits(0);
        assert!(desk.file("home/thesis.txt").exists() && desk.file("home/.reticent-x").exists(), "{call}");
        assert!(!desk.file("home/.bashrc").exists(), "{call}");
        assert_eq!(desk.file("ledger/under-way.json").exists(), call != "export-head", "{call}");
    }
    desk.run("verify").exits(0);
}

/// An output may be named with `..`, and through a symbolic link.
#[test]
fn an_output_is_named_however_its_folder_is_written() {
    let desk = desk();
    std::fs::create_dir_all(desk.file("deep/er")).unwrap();
    std::os::unix::fs::symlink(desk.file("deep"), desk.file("linked")).unwrap();
    desk.run("publish people.csv --name zero --to press -o deep/er/../../zero.csv").exits(0);
    desk.run("publish people.csv --name one --to press --alone -o linked/one.csv").exits(0);
    assert!(desk.file("zero.csv").exists() && desk.file("deep/one.csv").exists());
    desk.run("verify").exits(0).says("2 files where published, unchanged");
    // A first release whose ledger is named in a roundabout way.
    let first = "publish people.csv --name first --to press --new-ledger";
    desk.run(&format!("{first} -o deep/first.csv --ledger deep/er/../books")).exits(0);
    desk.run(&format!("{first} -o deep/second.csv --ledger linked/er/ledger")).exits(0);
    assert!(desk.file("deep/first.csv").exists() && desk.file("deep/second.csv").exists());
    desk.run("verify --ledger deep/books").exits(0).says("1 file where published, unchanged");
}
