//! Several users of one group share a ledger, whatever their umask is. The tests need root, to become other users.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use serde_json::Value;

use crate::support::TestFolder;

/// Users without an account.
const ANA: u32 = 40_001;
const BEN: u32 = 40_002;
const STRANGER: u32 = 40_003;
/// A group that is not the declared one.
const OTHERS: u32 = 40_004;

/// The id and the name of a group that is not that of root; none if the tests do not run as root.
fn group(folder: &TestFolder) -> Option<(u32, String)> {
    if std::fs::metadata(folder.path()).unwrap().uid() != 0 {
        eprintln!("skipped: only root can become another user");
        return None;
    }
    let all = std::fs::read_to_string("/etc/group").unwrap();
    let group = |line: &str| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?.parse().ok()?);
        (id > 0 && id < 60_000).then(|| (id, name.to_owned()))
    };
    let found = all.lines().find_map(group);
    assert!(found.is_some(), "{all}");
    found
}

/// Runs the command as a user of a group, with a umask that denies everything to others.
fn run(folder: &TestFolder, (user, group): (u32, u32), call: &str) -> (i32, Value) {
    let line = format!("umask 077; exec \"$0\" {call} --json");
    let mut command = Command::new("sh");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_reticent")]).current_dir(folder.path());
    command.env("RETICENT_NEW_LEDGER", "true").env("USER", "root").env("LOGNAME", "root").uid(user).gid(group);
    let output = command.output().unwrap();
    let text = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
    let answer = serde_json::from_slice(text);
    let answer = answer.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)));
    (output.status.code().unwrap(), answer)
}

/// A folder in which everyone can publish, with a key that root gave to the group.
fn shared(folder: &TestFolder, (id, name): &(u32, String)) {
    let policy = folder.read("reticent.toml");
    folder.write("reticent.toml", format!("{policy}\n[ledger]\npath = \"shared/ledger\"\ngroup = \"{name}\"\n"));
    folder.write("reticent.key", format!("reticent-key-1 {}\n", "5a".repeat(32)));
    folder.write("shared/readme", "");
    let set = |name: &str, mode| std::fs::set_permissions(folder.file(name), PermissionsExt::from_mode(mode)).unwrap();
    set("", 0o1777);
    set("shared", 0o1777);
    set("reticent.key", 0o640);
    chown(folder.file("reticent.key"), None, Some(*id)).unwrap();
}

#[test]
fn users_of_the_group_publish_and_others_cannot_read() {
    let folder = TestFolder::clinic_with_owner(3);
    let Some(group) = group(&folder) else { return };
    shared(&folder, &group);
    let id = group.0;
    let publish = |user, name: &str| {
        // Stored files are named by their contents, so only different ones show who wrote them.
        let columns = if user == BEN { "age,illness" } else { "age,sex,city,illness" };
        let call =
            format!("publish people.csv --name {name} --to press -o {name}.csv --columns {columns} --ignore-history");
        run(&folder, (user, id), &call)
    };
    for (user, name) in [(ANA, "one"), (BEN, "two"), (ANA, "three")] {
        let (status, answer) = publish(user, name);
        assert_eq!(status, 0, "{answer:#}");
    }
    let mut open = vec![folder.file("shared/ledger")];
    let mut owners = Vec::new();
    while let Some(path) = open.pop() {
        let found = std::fs::metadata(&path).unwrap();
        let mode = if path.is_dir() { 0o2770 } else { 0o660 };
        assert_eq!((found.gid(), found.mode() & 0o7777), (id, mode), "{} {:o}", path.display(), found.mode());
        owners.push(found.uid());
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert!(owners.contains(&ANA) && owners.contains(&BEN), "{owners:?}");
    // A published file has the permissions that its publisher chose.
    for name in ["one.csv", "two.csv", "three.csv"] {
        std::fs::set_permissions(folder.file(name), PermissionsExt::from_mode(0o644)).unwrap();
    }
    assert_eq!(run(&folder, (BEN, id), "verify").0, 0);
    // Who published is what the operating system says, not the variable USER.
    let (_, log) = run(&folder, (ANA, id), "log");
    let stewards: Vec<&str> =
        log["log"].as_array().unwrap().iter().map(|entry| entry["steward"].as_str().unwrap()).collect();
    assert_eq!(stewards, ["uid 40001", "uid 40002", "uid 40001"]);
    let (status, answer) = run(&folder, (STRANGER, OTHERS), "log");
    assert_eq!((status, &answer["code"]), (3, &"ledger-permission-denied".into()), "{answer:#}");
    let (status, answer) = publish(STRANGER, "four");
    assert_eq!(status, 0, "in the group, every user can publish: {answer:#}");
}

/// A user who is not in the declared group cannot give the ledger to it.
#[test]
fn a_user_outside_the_group_cannot_share() {
    let folder = TestFolder::clinic(&crate::support::clinic_policy(3));
    let Some(group) = group(&folder) else { return };
    shared(&folder, &group);
    folder.replace("reticent.toml", "group = ", "key = \"none\"\ngroup = ");
    let (status, answer) = run(&folder, (STRANGER, OTHERS), "publish people.csv --name one --to press -o one.csv");
    assert_eq!((status, &answer["code"]), (3, &"ledger-not-shared".into()), "{answer:#}");
    assert!(!folder.exists("one.csv"));
}

/// A declared name is added to the user, and does not replace them.
#[test]
fn a_declared_name_does_not_replace_the_user() {
    let folder = TestFolder::clinic_with_owner(3);
    let call = ["publish", "people.csv", "--name", "one", "--to", "press", "-o", "one.csv", "--json"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_reticent"));
    command.args(call).current_dir(folder.path()).env("RETICENT_NEW_LEDGER", "true");
    let output = command.env("RETICENT_STEWARD", "Ana Perez").env("USER", "mallory").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = folder.log().unwrap();
    let user = reticent_app::system_user();
    assert_eq!(log.log[0].steward, format!("{user} (Ana Perez)"));
    assert!(!user.is_empty() && user != "mallory");
}
