//! Laws of the catalogue entries: ids, texts, parameters, and evidence that exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use reticent::catalogue::all;
use reticent::registry::{Domain, Kind};

#[test]
fn ids_are_unique_and_kebab_case() {
    let mut seen = BTreeSet::new();
    for entry in all() {
        assert!(seen.insert((entry.kind, entry.id)), "two entries {} {}", entry.kind, entry.id);
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(!entry.id.is_empty() && entry.id.bytes().all(plain), "{} {}", entry.kind, entry.id);
    }
    for kind in [Kind::Model, Kind::Operation, Kind::Metric, Kind::Algorithm, Kind::Attack] {
        assert!(seen.iter().any(|(known, _)| *known == kind), "no {kind} at all");
    }
}

#[test]
fn every_text_is_complete() {
    for entry in all() {
        for text in [entry.title, entry.summary, entry.paper, entry.protects_against] {
            assert!(text.trim() == text && text.len() > 2, "{} {}: `{text}`", entry.kind, entry.id);
        }
        assert!(entry.summary.ends_with('.'), "{} {}: a summary is a sentence", entry.kind, entry.id);
        assert!(!entry.evidence.is_empty(), "{} {} has no evidence", entry.kind, entry.id);
    }
}

#[test]
fn parameter_names_are_unique_and_defaults_are_in_their_domain() {
    for entry in all() {
        let mut seen = BTreeSet::new();
        for parameter in entry.parameters {
            assert!(seen.insert(parameter.name), "{} {} has two `{}`", entry.kind, entry.id, parameter.name);
            assert!(parameter.meaning.len() > 2, "{} {} `{}`", entry.kind, entry.id, parameter.name);
            let is_valid = match (parameter.default, parameter.domain) {
                (None | Some(""), _) => true,
                (Some(text), Domain::Whole(least)) => text.parse::<u64>().is_ok_and(|number| number >= least),
                (Some(text), Domain::Number(low, high)) => {
                    text.parse::<f64>().is_ok_and(|number| number >= low && number <= high)
                }
                (Some(text), Domain::Word(words)) => words.contains(&text),
                (Some(text), Domain::Flag) => text == "true" || text == "false",
                (Some(_), Domain::Columns | Domain::Column) => true,
                (Some(_), Domain::Thresholds | Domain::Each(_)) => false,
            };
            assert!(is_valid, "{} {}: default of `{}`", entry.kind, entry.id, parameter.name);
        }
    }
}

#[test]
fn evidence_names_tests_that_exist() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in all() {
        for evidence in entry.evidence {
            assert!(
                exists(&home.join("tests/it"), evidence) || exists(&home.join("src"), evidence),
                "{} {}: there is no test `{evidence}`",
                entry.kind,
                entry.id
            );
        }
    }
}

#[test]
fn missing_evidence_is_detected() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for existing in ["oracle::models", "golden::survey::example_2_2", "laws::models"] {
        assert!(exists(&tests, existing), "{existing}");
    }
    for missing in ["oracle::model", "golden::survey::example_2", "golden::survey::example_9_9", "laws", "support", ""]
    {
        assert!(!exists(&tests, missing), "{missing}");
    }
}

/// Whether the evidence is a module with tests, or a test (or an inner module) of a module with tests.
fn exists(root: &Path, evidence: &str) -> bool {
    let parts: Vec<&str> = evidence.split("::").collect();
    let module =
        |parts: &[&str]| source(root, parts).filter(|text| text.contains("#[test]") || text.contains("proptest!"));
    if module(&parts).is_some() {
        return true;
    }
    let Some((name, above)) = parts.split_last() else { return false };
    module(above).is_some_and(|text| {
        let (function, inner) = (format!("fn {name}("), format!("mod {name} {{"));
        text.lines().map(str::trim_start).any(|line| line.starts_with(&function) || line.starts_with(&inner))
    })
}

/// The source of a module. Every module on the path must be declared in its parent.
fn source(root: &Path, parts: &[&str]) -> Option<String> {
    let Some((name, above)) = parts.split_last() else {
        return ["main.rs", "lib.rs"].iter().find_map(|file| fs::read_to_string(root.join(file)).ok());
    };
    let parent = source(root, above)?;
    let declared = [format!("mod {name};"), format!("pub mod {name};")];
    if !parent.lines().any(|line| declared.iter().any(|declaration| line == declaration)) {
        return None;
    }
    let path: PathBuf = parts.iter().fold(root.to_owned(), |path, part| path.join(part));
    fs::read_to_string(path.with_extension("rs")).or_else(|_| fs::read_to_string(path.join("mod.rs"))).ok()
}
