//! The walls of the application layer, held by reading the sources as text.

use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every line of code of a crate's sources, without comments, by file and number.
fn lines(name: &str) -> Vec<(String, String)> {
    lines_in(name, "src")
}

/// The same of one of its folders.
fn lines_in(name: &str, folder: &str) -> Vec<(String, String)> {
    let root = crates().join(name).join(folder);
    let (mut folders, mut found) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let is_test = path.file_name().is_some_and(|name| name == "tests.rs" || name == "tests");
            if is_test {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let file = path.strip_prefix(&root).unwrap().display().to_string();
            let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
            found.extend(code.map(|(at, line)| (format!("{name}/{file}:{}", at + 1), line.to_owned())));
        }
    }
    assert!(found.len() > 100, "{name} has hardly any sources");
    found
}

/// Lines that a wall forbids.
fn with(name: &str, is_forbidden: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    lines(name).into_iter().filter(|(_, line)| is_forbidden(line)).collect()
}

#[test]
fn the_application_prints_nothing_and_parses_no_arguments() {
    let words =
        ["println!", "eprintln!", "print!(", "eprint!(", "dbg!", "clap", "anstream", "indicatif", "std::process::exit"];
    let found = with("reticent-app", |line| words.iter().any(|word| line.contains(word)));
    assert!(found.is_empty(), "{found:#?}");
    let manifest = fs::read_to_string(crates().join("reticent-app/Cargo.toml")).unwrap();
    assert!(!manifest.contains("clap") && !manifest.contains("anstream"));
}

/// Whether a line declares process-wide state.
fn is_static(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) ")).unwrap_or(line);
    line.starts_with("static ") || line.starts_with("thread_local!")
}

#[test]
fn there_is_no_process_wide_state() {
    assert!(is_static("    static X: AtomicBool = AtomicBool::new(false);") && is_static("pub static Y: u8 = 1;"));
    assert!(!is_static("fn a(text: &'static str) {"));
    for name in ["reticent-app", "reticent-ledger", "reticent-report"] {
        let found = with(name, |line| is_static(line) || line.contains("build_global"));
        assert!(found.is_empty(), "{found:#?}");
    }
    // Whether a panic of this thread is caught is a matter of the thread.
    let found = with("reticent-engine", is_static);
    assert_eq!(found.len(), 2, "{found:#?}");
}

#[test]
fn interfaces_call_only_the_application() {
    let below = ["reticent_ledger", "reticent_engine", "reticent_report"];
    for interface in ["reticent-cli", "reticent-python"] {
        let found = with(interface, |line| below.iter().any(|name| line.contains(name)));
        assert!(found.is_empty(), "{found:#?}");
        let manifest = fs::read_to_string(crates().join(interface).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        let below = ["reticent-ledger", "reticent-engine", "reticent-report"];
        assert!(!below.iter().any(|name| dependencies.contains(name)), "{dependencies}");
    }
}

/// The report sees results of the library, and no record or table.
#[test]
fn the_report_depends_on_the_library_only() {
    let manifest = fs::read_to_string(crates().join("reticent-report/Cargo.toml")).unwrap();
    let ours: Vec<&str> = manifest.lines().filter(|line| line.starts_with("reticent")).collect();
    assert_eq!(ours, ["reticent.workspace = true"]);
}

/// Errors of the application name no flag and no command: hints do, in the interface's words.
#[test]
fn texts_of_errors_name_no_flag() {
    let found = with("reticent-app", |line| line.contains(" --") || line.contains("`reticent "));
    let found: Vec<_> =
        found.into_iter().filter(|(at, _)| at.contains("/error/") || at.contains("/error.rs")).collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Tests of the verbs run at the same time in one process: they change nothing that it shares, and do not start the command.
#[test]
fn tests_of_the_verbs_change_nothing_that_a_process_shares() {
    let words = ["set_current_dir", "set_var", "remove_var", "CARGO_BIN_EXE"];
    let mut found = lines_in("reticent-app", "tests");
    found.extend(lines("reticent-testkit"));
    found.retain(|(at, line)| !at.contains("/tidy.rs") && words.iter().any(|word| line.contains(word)));
    assert!(found.is_empty(), "{found:#?}");
}
