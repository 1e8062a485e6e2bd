//! Discretion: identifiers and sensitive values that were planted in the data appear in nothing that is printed, whatever
//! goes right or wrong.

use crate::support::{Desk, clinic_policy};

const NAME: &str = "ZZCANARYNAME";
const ILLNESS: &str = "ZZCANARYILLNESS";

fn data() -> String {
    let mut text = String::from("name,age,sex,city,illness\n");
    for row in 0..12 {
        let (name, illness) = if row == 5 { (NAME, ILLNESS) } else { ("someone", "flu") };
        text.push_str(&format!("{name}{row},{},F,Paris,{illness}\n", 30 + row));
    }
    text
}

#[track_caller]
fn silent(desk: &Desk, call: &str) {
    let ran = desk.run(call);
    let printed = format!("{}{}", ran.out, ran.err);
    assert!(!printed.is_empty());
    assert!(!printed.contains(NAME), "{call} printed an identifier:\n{printed}");
    assert!(!printed.contains(ILLNESS), "{call} printed a sensitive value:\n{printed}");
}

#[test]
fn nothing_planted_is_printed() {
    let strict = clinic_policy(3).replace("k = 3", "k = 3\nconfidence = 0.3");
    for (policy, change) in [
        (clinic_policy(3), ("", "")),
        (clinic_policy(13), ("", "")),
        (strict, ("", "")),
        // The sensitive column is called a number: its values are wrong, and must not be shown.
        (clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntype = \"number\""), ("", "")),
        (clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntaxonomy = \"t.csv\""), ("", "")),
        // The data is broken in a line that carries both.
        (clinic_policy(3), ("ZZCANARYILLNESS", "ZZCANARYILLNESS,more")),
        (clinic_policy(3), ("35,F", "x35x,F")),
    ] {
        let desk = Desk::new();
        desk.write("people.csv", if change.0.is_empty() { data() } else { data().replace(change.0, change.1) });
        desk.write("t.csv", "flu;*\n");
        desk.write("reticent.toml", policy);
        for call in [
            "check people.csv",
            "check people.csv --json",
            "publish people.csv --name one -o out.csv",
            "publish people.csv --name two -o out2.csv --json",
            "publish people.csv --name three -o out3.csv --algorithm optimal-full-domain",
        ] {
            silent(&desk, call);
        }
    }
}

const CITY: &str = "ZZCANARYCITY";
const AGE: &str = "41.4142";

/// Everything that is stored, as text: every file as it is, and every Parquet file unpacked.
fn stored(desk: &Desk, folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![desk.file(folder)];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(desk.path()).unwrap().to_string_lossy().into_owned();
            let mut text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            if name.ends_with(".parquet") && name.contains("bodies") {
                let counts = reticent_engine::read_back(&path, &reticent_engine::Options::default()).unwrap();
                text.push_str(&counts.values.concat().join("\n"));
            }
            found.push((name, text));
        }
    }
    assert!(found.len() > 4, "{found:?}");
    found
}

/// The ledger holds what was published and nothing else: no identifier anywhere, no value that was generalized away, and a
/// sensitive value in no place but the body of a release that published it.
#[test]
fn nothing_planted_is_in_the_ledger() {
    let desk = Desk::new();
    let planted = data().replace("35,F,Paris", &format!("{AGE},F,{CITY}"));
    desk.write("people.csv", &planted);
    desk.write("reticent.toml", clinic_policy(3).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\""));
    desk.write("old.csv", format!("name,age,illness\n{NAME}5,30-39,{ILLNESS}\nsomeone2,30-39,flu\n"));
    let calls = [
        "init people.csv --policy drafted/reticent.toml",
        "publish people.csv --name one --to press -o one.csv",
        "publish people.csv --name two --to press -o two.csv --alone --json",
        "publish people.csv --name two --to press -o again.csv --alone",
        "publish people.csv --name three --to press -o three.csv",
        "register old.csv --name old --to press --date 2020-01-01",
        "log",
        "log --json",
        "show one",
        "show one --json",
        "show old --json",
        "diff one two",
        "diff one old --json",
        "history for press --json",
        "verify",
        "verify --json",
        "export-head",
        "purge two --reason asked --yes",
        "show two --json",
    ];
    for call in calls {
        silent(&desk, call);
    }
    assert_eq!(desk.run("verify --json").exits(0).json()["entries"], 5);
    let mut published_in = Vec::new();
    for (name, text) in stored(&desk, "ledger") {
        assert!(!text.contains(NAME), "{name} holds an identifier");
        assert!(!text.contains(CITY) && !text.contains(AGE), "{name} holds a value that was not published");
        if text.contains(ILLNESS) {
            published_in.push(name);
        }
    }
    assert!(published_in.iter().all(|name| name.starts_with("ledger/bodies/")), "{published_in:?}");
    assert_eq!(published_in.len(), 2, "two releases that published it are stored: {published_in:?}");
    // What was looked for can be found: in the data, and in the file that published it.
    assert!(planted.contains(NAME) && planted.contains(CITY) && planted.contains(AGE));
    assert!(desk.read("one.csv").contains(ILLNESS) && !desk.read("one.csv").contains(CITY));
}

/// Nor is it in what a run leaves behind that was killed in the middle.
#[test]
fn nothing_planted_is_in_what_a_killed_run_leaves_in_the_ledger() {
    let desk = Desk::new();
    let rows: String =
        (0..60_000).map(|row| format!("{NAME}{row},{},F,c{},{ILLNESS}{}\n", row % 90, row % 7, row % 5)).collect();
    desk.write("people.csv", format!("name,age,sex,city,illness\n{rows}"));
    desk.write("reticent.toml", clinic_policy(3).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\""));
    for wait in [20, 60, 100, 140, 180, 220, 260, 300, 340] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(["publish", "people.csv", "--name", &format!("r{wait}"), "--alone", "-o", &format!("r{wait}.csv")])
            .current_dir(desk.path())
            .env("RETICENT_NEW_LEDGER", "true")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if !desk.file("ledger").exists() {
            continue;
        }
        let mut open = vec![desk.file("ledger")];
        while let Some(folder) = open.pop() {
            for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    open.push(path);
                } else {
                    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                    assert!(!text.contains(NAME), "{} holds an identifier", path.display());
                }
            }
        }
    }
    desk.run("publish people.csv --name last --alone -o last.csv").exits(0);
    desk.run("verify").exits(0);
}
