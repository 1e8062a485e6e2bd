//! Texts that users read contain none of the phrases that the glossary replaces.

use std::fs;
use std::path::{Path, PathBuf};

use super::{crate_names, crates, literals, sources};

/// Phrases that no text contains, as lower-case words. A phrase of one word matches the whole word only.
const FORBIDDEN: &[&str] = &[
    "told",
    "tell",
    "tells",
    "somebody",
    "whoever",
    "anybody",
    "crowd",
    "surest",
    "says nothing",
    "say nothing",
    "hangs together",
    "holds together",
    "hold together",
    "gives away",
    "give away",
    "given away",
    "alone with their values",
    "alone in a class",
    "most told",
    "what is known of",
    "of whom it is",
    "of which it is not known",
    "nobody's",
    "everybody's",
    "nothing untrue",
    "publishing again",
    "found in the files of",
    "goes out",
    "went out",
    "worlds taken to be",
];

/// The lower-case words of a text, separated by single spaces, with a space at both ends.
fn words(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    format!(" {} ", plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" "))
}

fn forbidden(text: &str) -> Vec<&'static str> {
    let words = words(text);
    FORBIDDEN.iter().copied().filter(|phrase| words.contains(&format!(" {phrase} "))).collect()
}

fn is_test(name: &str) -> bool {
    name.ends_with("tests.rs") || name.starts_with("tests/") || name.contains("/tests/")
}

#[test]
fn texts_use_the_terms_of_the_glossary() {
    let mut wrong = Vec::new();
    let mut examined = 0;
    for krate in crate_names() {
        for (name, text) in sources(&crates().join(&krate).join("src")).iter().filter(|(name, _)| !is_test(name)) {
            for (line, literal) in literals(text) {
                examined += 1;
                wrong.extend(forbidden(&literal).iter().map(|phrase| format!("{krate}/src/{name}:{line}: `{phrase}`")));
            }
            // The help of the command line is written as doc comments.
            let help = text.lines().zip(1..).filter(|(line, _)| name == "args.rs" && line.trim().starts_with("///"));
            for (comment, line) in help {
                wrong.extend(forbidden(comment).iter().map(|phrase| format!("{krate}/src/{name}:{line}: `{phrase}`")));
            }
        }
    }
    assert!(examined > 1_000, "only {examined} texts were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pages_use_the_terms_of_the_glossary() {
    let home = crates().parent().unwrap().to_owned();
    let mut pages = vec![home.join("README.md"), home.join("ARCHITECTURE.md")];
    for folder in ["docs", "examples/monthly-hospital", "examples/immigration-then-taxation"] {
        pages.extend(markdown(&home.join(folder)));
    }
    assert!(pages.len() > 10, "{pages:?}");
    let mut wrong = Vec::new();
    for page in &pages {
        for (line, number) in fs::read_to_string(page).unwrap().lines().zip(1..) {
            let name = page.strip_prefix(&home).unwrap().display();
            wrong.extend(forbidden(line).iter().map(|phrase| format!("{name}:{number}: `{phrase}`")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Words that would claim more than a check of thresholds can establish: that a release meets a law or a guidance as a whole.
const NEVER_CLAIMED: &[&str] = &["compliant", "compliance", "complies", "comply", "complying", "certified", "certify"];

fn claims(text: &str) -> Vec<&'static str> {
    let words = words(text);
    NEVER_CLAIMED.iter().copied().filter(|word| words.contains(&format!(" {word} "))).collect()
}

/// Presets set thresholds of guidances. No output, report or page claims that a release is in line with the guidance itself.
#[test]
fn nothing_is_claimed_to_meet_a_law_as_a_whole() {
    let home = crates().parent().unwrap().to_owned();
    let mut open = ["crates", "docs", "examples", "README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .map(|name| home.join(name))
        .to_vec();
    let mut wrong = Vec::new();
    let mut examined = 0;
    while let Some(path) = open.pop() {
        let name = path.strip_prefix(&home).unwrap().display().to_string();
        if path.is_dir() {
            // Tests name the words that they look for.
            let skipped = name.ends_with("/tests") || name.ends_with("/fixtures") || name.ends_with("/target");
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).filter(|_| !skipped));
            continue;
        }
        let is_text =
            ["rs", "md", "toml", "json", "css", "svg"].iter().any(|ending| name.ends_with(&format!(".{ending}")));
        let Some(text) = is_text.then(|| fs::read_to_string(&path).ok()).flatten() else { continue };
        examined += 1;
        for (line, number) in text.lines().zip(1..) {
            wrong.extend(claims(line).iter().map(|word| format!("{name}:{number}: `{word}`")));
        }
    }
    assert!(examined > 300, "only {examined} files were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn claims_are_found() {
    assert_eq!(claims("GDPR-compliant, in full Compliance"), ["compliant", "compliance"]);
    assert_eq!(claims("complicated, uncomplying"), Vec::<&str>::new(), "whole words only");
}

fn markdown(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn forbidden_phrases_are_found() {
    assert_eq!(forbidden("Whoever holds it, is told."), ["told", "whoever"]);
    assert_eq!(forbidden("4 of 6 quasi-identifiers say\n nothing"), ["say nothing"]);
    assert_eq!(forbidden("4 of 6 quasi-identifiers are suppressed"), Vec::<&str>::new());
    assert_eq!(forbidden("retold, storyteller"), Vec::<&str>::new(), "whole words only");
}
