//! Ledgers that cannot be written to: copies on write-once media, and files of somebody else.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::TestFolder;

/// A user who owns nothing here.
const NOBODY: u32 = 65534;

/// Whether the tests run as root, for whom permissions do not count; then the command runs as somebody else.
fn is_root() -> bool {
    let own = tempfile::tempdir().unwrap();
    std::fs::metadata(own.path()).unwrap().uid() == 0
}

/// Runs the command as somebody who is not root.
fn run(folder: &Path, call: &str) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reticent"));
    command.args(call.split_whitespace()).arg("--json").current_dir(folder);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    let text = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
    let answer = serde_json::from_slice(text);
    let answer = answer.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)));
    (output.status.code().unwrap(), answer)
}

/// Gives everything below a folder these permissions, and to the other user.
fn give(path: &Path, folder: u32, file: u32) {
    let mode = if path.is_dir() { folder } else { file };
    if path.is_dir() {
        std::fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path(), folder, file));
    }
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    if is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// What is there, with its bytes.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        match path.is_dir() {
            true => open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path())),
            false => found.push((path.display().to_string(), std::fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

fn clinic() -> TestFolder {
    let folder = TestFolder::clinic_with_owner(3);
    let published = folder.publish("people.csv", "one").to("press").run();
    assert!(published.is_ok(), "{published:?}");
    folder
}

#[test]
fn a_read_only_copy_is_verified_and_left_as_it_is() {
    let folder = clinic();
    let before = contents(folder.path());
    give(folder.path(), 0o555, 0o400);
    let (status, answer) = run(folder.path(), "verify");
    assert_eq!((status, &answer["status"], &answer["entries"]), (0, &"authentic".into(), &1.into()), "{answer:#}");
    assert_eq!(run(folder.path(), "log").1["entries"], 1);
    let (status, error) = run(folder.path(), "purge one --reason asked --yes");
    assert_eq!((status, &error["code"]), (3, &"ledger-permission-denied".into()), "{error:#}");
    give(folder.path(), 0o755, 0o600);
    assert_eq!(contents(folder.path()), before);
}

/// Format 1 has a write-ahead log, which SQLite cannot even read where it cannot write.
#[test]
fn a_read_only_copy_of_format_1_is_verified() {
    let folder = TestFolder::clinic_with_owner(3);
    folder.copy_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../reticent-ledger/tests/fixtures/format-1"));
    std::fs::remove_file(folder.file("reticent.key")).unwrap();
    let before = contents(folder.path());
    give(folder.path(), 0o555, 0o400);
    let (status, answer) = run(folder.path(), "verify");
    assert_eq!(
        (status, &answer["status"], &answer["entries"]),
        (0, &"unauthenticated".into(), &5.into()),
        "{answer:#}"
    );
    assert_eq!(run(folder.path(), "show spring").0, 0);
    give(folder.path(), 0o755, 0o600);
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn permission_problems_are_reported_as_such() {
    for (file, mode) in [("ledger/catalogue.sqlite", 0o000), ("ledger", 0o000), ("ledger/seal.json", 0o000)] {
        let folder = clinic();
        give(folder.path(), 0o755, 0o600);
        std::fs::set_permissions(folder.file(file), PermissionsExt::from_mode(mode)).unwrap();
        for call in ["verify", "log", "export-head"] {
            let (status, answer) = run(folder.path(), call);
            // The log can be read without the seal; it warns.
            if call == "log" && file.ends_with("seal.json") {
                continue;
            }
            let told = answer["code"] == "ledger-permission-denied" || answer.to_string().contains("no permission to");
            assert!(told && (status == 3 || status == 4), "{call} {file}: {status} {answer:#}");
        }
        std::fs::set_permissions(folder.file(file), PermissionsExt::from_mode(0o700)).unwrap();
    }
}
