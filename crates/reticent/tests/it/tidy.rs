//! Module boundaries and conventions, checked on the text of the sources.

mod cycles;
mod language;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Path (relative to the folder) and text of every source file below a folder.
fn sources(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{} has no sources", root.display());
    found
}

/// Crates without input and output.
const PURE: [&str; 3] = ["reticent", "reticent-inference", "reticent-report"];

fn library() -> Vec<(String, String)> {
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// Lines of code with their numbers, without comments, test files and inline test modules.
fn code<'a>(name: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    let file = name.rsplit('/').next().unwrap();
    if file == "tests.rs" || name.starts_with("tests/") || name.contains("/tests/") {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut in_test = false;
    let all: Vec<&str> = text.lines().collect();
    for (at, line) in all.iter().enumerate() {
        let trimmed = line.trim();
        let inline_tests =
            trimmed == "#[cfg(test)]" && all.get(at + 1).is_some_and(|next| next.trim_end().ends_with('{'));
        in_test |= inline_tests;
        if !in_test && !trimmed.starts_with("//") {
            lines.push((at + 1, line.split(" // ").next().unwrap()));
        }
    }
    lines
}

/// Asserts that no line of code of the selected files contains any of these words.
fn assert_absent(files: &[(String, String)], selects: impl Fn(&str) -> bool, words: &[&str]) {
    let mut examined = 0;
    let mut wrong = Vec::new();
    for (name, text) in files.iter().filter(|(name, _)| selects(name)) {
        examined += 1;
        for (line, code) in code(name, text) {
            for word in words.iter().filter(|word| code.contains(*word)) {
                wrong.push(format!("{name}:{line} contains `{word}`"));
            }
        }
    }
    assert!(examined > 0, "no file was selected");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn comments_and_tests_are_not_code() {
    let text = "//! x\nuse a;\n/// y\nlet b = 1; // c\n#[cfg(test)]\nmod tests;\nfn d() {}\n#[cfg(test)]\nmod more {\n    e();\n}\n";
    let lines: Vec<&str> = code("a.rs", text).into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, ["use a;", "let b = 1;", "#[cfg(test)]", "mod tests;", "fn d() {}"]);
    assert!(code("metrics/tests.rs", text).is_empty());
}

#[test]
fn verify_and_models_import_no_algorithm() {
    let prefixes = ["verify.rs", "verify/", "models/", "contract.rs", "contract/"];
    let selects = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
    assert_absent(&library(), selects, &["algorithms", "top_down", "full_domain"]);
}

#[test]
fn verify_shares_no_code_with_the_searches() {
    let words =
        ["crate::release::classes", "crate::operations", "crate::metrics", "JoinCheck", "join::judge", "join::index"];
    let prefixes = ["verify.rs", "verify/", "contract/reading.rs"];
    assert_absent(&library(), |name| prefixes.iter().any(|prefix| name.starts_with(prefix)), &words);
}

#[test]
fn attacks_import_no_table_model_or_algorithm() {
    let words = [
        "crate::algorithms",
        "crate::models",
        "crate::contract",
        "crate::data::table",
        "crate::Table",
        "crate::requirement",
        "crate::release::recoding",
    ];
    assert_absent(&library(), |name| name.starts_with("attacks/"), &words);
}

#[test]
fn republication_and_audit_respect_their_boundaries() {
    let in_module = |module: &'static str| {
        move |name: &str| name == format!("{module}.rs") || name.starts_with(&format!("{module}/"))
    };
    assert_absent(&library(), in_module("republication"), &["crate::audit", "crate::algorithms"]);
    assert_absent(
        &library(),
        in_module("audit"),
        &["crate::data::table", "crate::algorithms", "crate::models", "crate::contract", "crate::republication"],
    );
}

/// Tests open copies of the fixtures. Files of SQLite or a lock next to a fixture show that it was opened in place.
#[test]
fn fixtures_are_not_opened_in_place() {
    let mut open = vec![crates().join("reticent-ledger/tests/fixtures")];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.display().to_string();
            assert!(!["-shm", "-wal", "/lock"].iter().any(|ending| name.ends_with(ending)), "{name}");
            if path.is_dir() {
                open.push(path);
            }
        }
    }
}

#[test]
fn inference_imports_no_crate_of_the_workspace() {
    let manifest = fs::read_to_string(crates().join("reticent-inference/Cargo.toml")).unwrap();
    let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
    assert!(!dependencies.lines().any(|line| line.starts_with("reticent")), "{dependencies}");
}

#[test]
fn pure_crates_do_no_io_and_read_no_clock() {
    let words = [
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::process",
        "fs::",
        "File::",
        "SystemTime",
        "Instant",
        "Timestamp::now",
        "Zoned::now",
        "println!",
        "eprintln!",
        "print!(",
        "eprint!(",
        "dbg!",
    ];
    for name in PURE {
        assert_absent(&sources(&crates().join(name).join("src")), |_| true, &words);
    }
}

#[test]
fn pure_crates_use_no_random_source() {
    for name in PURE {
        let words = ["rand::", "thread_rng", "getrandom", "RandomState", "fastrand"];
        assert_absent(&sources(&crates().join(name).join("src")), |_| true, &words);
        let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        assert!(
            !dependencies.lines().any(|line| line.starts_with("rand") || line.starts_with("fastrand")),
            "{dependencies}"
        );
    }
}

#[test]
fn the_sources_contain_no_panics() {
    let words = [".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unreachable!("];
    // Test helpers report failures by panics.
    for name in crate_names().iter().filter(|name| *name != "reticent-testkit") {
        assert_absent(&sources(&crates().join(name).join("src")), |_| true, &words);
    }
}

#[test]
fn every_file_starts_with_a_description() {
    for name in crate_names() {
        for folder in folders(&name) {
            for (file, text) in sources(&folder) {
                let first = text.lines().next().unwrap_or_default();
                assert!(
                    first.starts_with("//! ") && first.len() > 8,
                    "{name}/{file} does not start with a description"
                );
            }
        }
    }
}

/// Type names are unique, so a search for a type finds one definition.
#[test]
fn a_type_name_occurs_once_in_the_library() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in library() {
        for (_, line) in code(&file, &text) {
            let declared = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches("(super)"));
            let words: Vec<&str> = declared.trim_start_matches("(crate)").split_whitespace().collect();
            if let ["struct" | "enum" | "trait" | "type", name, ..] = words.as_slice() {
                let end = name.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(name.len());
                files.entry(name[..end].to_owned()).or_default().push(file.clone());
            }
        }
    }
    assert!(files.len() > 100, "{} types were found", files.len());
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "{files:?}");
}

#[test]
fn no_file_is_too_long() {
    for name in crate_names() {
        for folder in folders(&name) {
            for (file, text) in sources(&folder) {
                assert!(text.lines().count() <= 600, "{name}/{file} has {} lines", text.lines().count());
            }
        }
    }
}

#[test]
fn no_source_contains_a_path_of_a_machine() {
    let prefixes = ["work", "home", "Users", "tmp", "root", "mnt"].map(|folder| format!("/{folder}/"));
    for name in crate_names() {
        for (file, text) in sources(&crates().join(&name).join("src")) {
            for (line, text) in text.lines().enumerate() {
                let is_path = prefixes.iter().any(|prefix| text.contains(prefix));
                assert!(!is_path, "{name}/{file}:{} contains a path of a machine", line + 1);
            }
        }
    }
}

/// A file with an entry is a module and is listed. A file without an entry is a private module.
#[test]
fn every_file_of_a_registry_is_listed() {
    for folder in ["models", "metrics", "algorithms", "operations", "attacks", "republication"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
        let list = fs::read_to_string(root.join("mod.rs")).unwrap();
        let start = list.find("pub const LIST").unwrap();
        let (before, after) = list.split_at(start);
        let items = |list: &str| after.find(list).map_or("", |start| after[start..].split("];").next().unwrap());
        // Entries that are no longer offered are in a separate list.
        let listing = items("const LIST").to_owned() + items("const RETIRED");
        let mut listed = 0;
        for entry in fs::read_dir(&root).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let Some(module) = file.strip_suffix(".rs").filter(|module| !["mod", "tests"].contains(module)) else {
                continue;
            };
            let text = fs::read_to_string(root.join(&file)).unwrap();
            // `correspondence` is not in the list because `forward_correspondence` is.
            let paths = listing.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':');
            let in_list = paths.into_iter().any(|path| path.split("::").next() == Some(module) && path.contains("::"));
            if text.contains("Entry {") && text.contains("evidence:") {
                assert!(in_list, "{folder}/{file} has an entry that is not in the list");
                assert!(before.contains(&format!("mod {module};")), "{folder}/{file} is not a module");
                listed += 1;
            } else {
                assert!(
                    !in_list && before.contains(&format!("\nmod {module};")),
                    "{folder}/{file} has no entry and is not private"
                );
            }
        }
        assert_eq!(listed, listing.matches("::").count(), "{folder}: listed entries without a file");
    }
}

/// String literals of a source file, with the number of their first line. Comments and raw strings with hashes are skipped.
fn literals(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut line, mut rest) = (1, text.chars().peekable());
    while let Some(next) = rest.next() {
        match next {
            '\n' => line += 1,
            '/' if rest.peek() == Some(&'/') => while rest.next_if(|next| *next != '\n').is_some() {},
            // A quote as a character literal.
            '\'' if rest.peek() == Some(&'"') => {
                rest.next();
            }
            '"' => {
                let (start, mut literal) = (line, String::new());
                while let Some(next) = rest.next_if(|next| *next != '"') {
                    line += usize::from(next == '\n');
                    literal.push(next);
                    if next == '\\' {
                        let escaped = rest.next();
                        line += usize::from(escaped == Some('\n'));
                        literal.extend(escaped);
                    }
                }
                rest.next();
                found.push((start, literal));
            }
            _ => {}
        }
    }
    found
}

/// Whether a text contains a flag or a command of the command line.
fn names_the_command_line(literal: &str) -> bool {
    let flag = |(at, _): (usize, &str)| {
        let before = literal[..at].chars().next_back();
        let after = literal[at + 2..].chars().next();
        before.is_none_or(|before| before.is_whitespace() || "(`'".contains(before))
            && after.is_some_and(|after| after.is_ascii_alphabetic())
    };
    literal.contains("`reticent ") || literal.match_indices("--").any(flag)
}

/// Each interface adds its own texts for the hints of an error.
#[test]
fn no_text_below_the_command_line_names_a_flag_or_a_command() {
    for name in ["reticent", "reticent-report", "reticent-engine", "reticent-ledger"] {
        for (file, text) in sources(&crates().join(name).join("src")) {
            if file.starts_with("policy/draft") || file.ends_with("tests.rs") || file.contains("/tests/") {
                continue;
            }
            for (line, literal) in literals(&text) {
                assert!(!names_the_command_line(&literal), "{name}/{file}:{line}: {literal}");
            }
        }
    }
}

#[test]
fn flags_and_commands_in_texts_are_detected() {
    let text = "// \"a --b\"\nlet c = '\"'; let d = \"e \\\" --f\";\n\"one \\\n --two\"\n";
    let found = literals(text);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
    assert!(found.iter().all(|(_, literal)| names_the_command_line(literal)), "{found:?}");
    for plain in ["a -- b", "---", "see `reticent`", "a--b"] {
        assert!(!names_the_command_line(plain), "{plain}");
    }
    assert!(names_the_command_line("run `reticent log`") && names_the_command_line("(--columns)"));
}

/// Templates escape data, string literals with markup do not. Only the style sheet is inserted without escaping.
#[test]
fn the_report_makes_html_by_templates_only() {
    let mut unescaped = Vec::new();
    for (file, text) in sources(&crates().join("reticent-report").join("src")) {
        if file == "tests.rs" {
            continue;
        }
        for (line, literal) in literals(&text) {
            // An element, an end tag or a comment; not a sign such as `<=`.
            let is_markup =
                |rest: &str| rest.starts_with(|next: char| next.is_ascii_alphabetic() || "/!".contains(next));
            let has_markup = literal.split('<').skip(1).any(is_markup);
            assert!(!has_markup, "{file}:{line} contains markup in a literal: {literal}");
        }
        for (line, code) in code(&file, &text) {
            assert!(!code.contains(" style="), "{file}:{line} contains an inline style");
            unescaped.extend(code.contains("PreEscaped(").then(|| format!("{file}: {}", code.trim())));
        }
    }
    assert_eq!(
        unescaped,
        ["fragment/parts.rs: style { (PreEscaped(style)) }", "page.rs: style { (PreEscaped(style)) }"]
    );
}

#[test]
fn only_engine_ledger_application_and_interfaces_do_io() {
    let allowed =
        ["reticent-engine", "reticent-ledger", "reticent-app", "reticent-cli", "reticent-python", "reticent-testkit"];
    let words = ["std::fs", "std::io", "std::net", "SystemTime", "Instant", "println!", "eprintln!"];
    let others: Vec<String> = crate_names().into_iter().filter(|name| !allowed.contains(&name.as_str())).collect();
    assert!(others.contains(&"reticent".to_owned()));
    for name in others {
        assert_absent(&sources(&crates().join(&name).join("src")), |_| true, &words);
    }
}

#[test]
fn only_the_command_line_prints() {
    let words = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!"];
    for name in crate_names().iter().filter(|name| *name != "reticent-cli") {
        assert_absent(&sources(&crates().join(name).join("src")), |_| true, &words);
    }
}

/// Git keeps every file forever, so packages, pictures and data sets must not be committed.
#[test]
fn no_large_file_is_committed() {
    let root = crates().parent().unwrap().to_owned();
    if !root.join(".git").exists() {
        eprintln!("skipped: not a git checkout");
        return;
    }
    let listed = std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files: Vec<&str> = listed.split_terminator('\0').collect();
    assert!(files.contains(&"README.md"), "{files:?}");
    for file in files {
        let bytes = fs::metadata(root.join(file)).map_or(0, |file| file.len());
        assert!(bytes <= 256 * 1024, "{file} has {bytes} bytes");
    }
}

/// Folders of a crate with sources in Rust.
fn folders(name: &str) -> Vec<PathBuf> {
    let has_sources = |folder: &PathBuf| folder.is_dir() && !(name == "reticent-python" && folder.ends_with("tests"));
    ["src", "tests"].map(|folder| crates().join(name).join(folder)).into_iter().filter(has_sources).collect()
}

fn crate_names() -> Vec<String> {
    let folders = fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = folders
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
