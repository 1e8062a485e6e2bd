//! Relative paths of outputs and ledgers, with `..` and through symbolic links.
#![cfg(unix)]

use crate::support::{RunCommand, TestFolder, clinic_policy};

/// The files of a ledger that are where they were published, unchanged.
fn intact_files(folder: &TestFolder, call: &str) -> usize {
    let answer = folder.run(&format!("{call} --json")).exits(0).json();
    answer["files"].as_array().unwrap().iter().filter(|file| file["state"] == "intact").count()
}

#[test]
fn an_output_is_named_however_its_folder_is_written() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    std::fs::create_dir_all(folder.file("deep/er")).unwrap();
    std::os::unix::fs::symlink(folder.file("deep"), folder.file("linked")).unwrap();
    folder.run("publish people.csv --name zero --to press -o deep/er/../../zero.csv").exits(0);
    folder.run("publish people.csv --name one --to press --ignore-history -o linked/one.csv").exits(0);
    assert!(folder.exists("zero.csv") && folder.exists("deep/one.csv"));
    assert_eq!(intact_files(&folder, "verify"), 2);
    // A first release whose ledger is not named by its shortest path.
    let first = "publish people.csv --name first --to press --new-ledger";
    folder.run(&format!("{first} -o deep/first.csv --ledger deep/er/../books")).exits(0);
    folder.run(&format!("{first} -o deep/second.csv --ledger linked/er/ledger")).exits(0);
    assert!(folder.exists("deep/first.csv") && folder.exists("deep/second.csv"));
    assert_eq!(intact_files(&folder, "verify --ledger deep/books"), 1);
}
