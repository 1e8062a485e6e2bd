//! Every error has a stable code, data, and an entry in docs/errors.md.

use std::collections::BTreeSet;

use reticent_app::error::{CODES, Problem, all_codes, markdown};

#[test]
fn every_code_is_explained_once() {
    let explained: Vec<&str> = CODES.iter().flat_map(|(_, codes)| codes.iter()).map(|code| code.code).collect();
    let once: BTreeSet<&str> = explained.iter().copied().collect();
    assert_eq!(once.len(), explained.len(), "a code is explained twice");
    let known: BTreeSet<&str> = all_codes().into_iter().collect();
    let missing: Vec<_> = known.difference(&once).collect();
    let stale: Vec<_> = once.difference(&known).collect();
    assert!(missing.is_empty() && stale.is_empty(), "not explained: {missing:?}; explained and unknown: {stale:?}");
}

#[test]
fn codes_are_kebab_case_and_explanations_are_sentences() {
    for code in CODES.iter().flat_map(|(_, codes)| codes.iter()) {
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(code.code.chars().all(kebab), "{}", code.code);
        for text in [code.meaning, code.remedy] {
            assert!(text.ends_with('.') && text.len() > 8, "{}: {text}", code.code);
            assert!(!text.contains(" --"), "{} names a flag: {text}", code.code);
        }
    }
}

#[test]
fn data_is_what_the_text_is_made_from() {
    let problem = Problem::NoSuchColumn { path: "a.csv".into(), column: "zip".to_owned(), hint: None };
    assert_eq!(problem.code(), "no-such-column");
    let error = reticent_app::Error::from(problem);
    assert_eq!(error.data()["column"], "zip");
    assert_eq!(error.data()["path"], "a.csv");
    assert_eq!(error.to_string(), "a.csv has no column `zip`");
}

/// docs/errors.md is generated. To write it again: `just reference`.
#[test]
fn the_page_is_up_to_date() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    assert_eq!(std::fs::read_to_string(page).unwrap(), markdown());
}
