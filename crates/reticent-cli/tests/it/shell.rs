//! Commands about the environment: `doctor`, `completions`, `man` and `--explain`.

use crate::screen::screen;
use crate::support::{RunCommand, TestFolder};

/// The screen of `doctor`, without what depends on the disk and on the folder of the tests.
fn doctor(folder: &TestFolder, call: &str) -> String {
    let lines: Vec<String> = screen(folder, call)
        .lines()
        .map(|line| match line.split_once("disk-space") {
            Some((state, _)) => format!("{state}disk-space       [space]"),
            None => line.replace(env!("CARGO_PKG_VERSION"), "[version]"),
        })
        .collect();
    lines.join("\n")
}

#[test]
fn doctor_shows_problems_with_remedies() {
    insta::assert_snapshot!("doctor_without_a_policy", doctor(&TestFolder::new(), "doctor"));
}

#[test]
fn doctor_exits_with_the_status_of_the_worst_problem() {
    let folder = TestFolder::clinic_with_owner(3);
    folder.run("publish people.csv --name one -o one.csv").exits(0);
    let answer = folder.run("doctor --json").exits(0).json();
    assert_ne!(answer["state"], "problem", "{answer:#}");
    folder.replace("one.csv", "asthma", "gout");
    folder.run("doctor").exits(4).says("integrity");
    folder.write("reticent.toml", "[columns.age]\nrolle = \"other\"\n");
    folder.run("doctor").exits(4).says("policy-invalid");
    TestFolder::new().run("doctor").exits(2);
}

#[test]
fn explain_prints_the_page_of_errors() {
    let folder = TestFolder::new();
    insta::assert_snapshot!("explain", screen(&folder, "--explain key-unusable"));
    folder.run("--explain key-unusabel").exits(2).says("did you mean `key-unusable`?");
    folder.run("--explain key-unusable log").exits(2);
    folder.run("--quiet").exits(2).says("a command is missing");
}

/// The preset with its source, in the draft and in `check`.
#[test]
fn init_drafts_a_preset_and_check_shows_its_source() {
    let folder = TestFolder::new();
    folder.write("people.csv", crate::support::CLINIC);
    folder.run("init people.csv --preset ema-70").exits(2).says("there is no preset `ema-70`; presets: ema-0070,");
    folder.run("init people.csv --preset wp29-05-2014").exits(0);
    assert!(folder.read("reticent.toml").contains("preset = \"wp29-05-2014\""));
    insta::assert_snapshot!("check_a_preset", screen(&folder, "check"));
    folder.replace("reticent.toml", "preset = ", "k = 5\npreset = ");
    folder.run("check").exits(2).says("the preset wp29-05-2014 requires at least 12");
}

#[test]
fn completions_know_every_command() {
    let folder = TestFolder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = folder.run(&format!("completions {shell}")).exits(0).out;
        for word in ["publish", "export-head", "dry-run", "ignore-history"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let answer = folder.run(&format!("completions {shell} --json")).exits(0).json();
        assert_eq!(answer["script"].as_str().unwrap().trim_end(), script.trim_end());
    }
    folder.run("completions tcsh").exits(2);
}

#[test]
fn every_command_has_a_man_page() {
    let folder = TestFolder::new();
    folder.run("man --output man/man1").exits(0);
    let help = folder.run("help").exits(0).out;
    assert!(!help.contains("\n  man "), "{help}");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        let page = folder.read(&format!("man/man1/reticent-{command}.1"));
        assert!(page.contains("\\-\\-json") && page.contains("reticent"), "{command}");
    }
    assert!(folder.read("man/man1/reticent.1").contains("Exit status"));
}
