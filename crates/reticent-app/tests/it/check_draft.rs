//! `check` of a policy that nobody corrected, or that contradicts its taxonomy.

use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy};

/// A fresh draft excludes the names. A column that may be sensitive is a quasi-identifier, and is not shown all the same.
#[test]
fn a_draft_that_nobody_corrected_shows_no_names() {
    let folder = TestFolder::new();
    folder.write("people.csv", CLINIC);
    folder.init("people.csv").passes();
    let checked = folder.check("people.csv").violates();
    let shown = checked.json().to_string();
    for secret in ["Ada", "Gus", "Leo", "asthma"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
    let warnings = checked.data.unwrap().warnings;
    let warned = |text: &String| text.starts_with("illness ") && text.contains("sensitive");
    assert!(warnings.iter().any(warned), "{warnings:?}");
}

#[test]
fn a_missing_value_is_not_in_the_taxonomy() {
    let policy = clinic_policy(3)
        .replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\"")
        .replace("name = \"clinic\"", "name = \"clinic\"\nmissing-values = [\"NA\"]");
    let folder = TestFolder::clinic(&policy);
    folder.write("city.csv", "Paris;*\nLyon;*\nOslo;*\nNA;*\n");
    folder.write("people.csv", CLINIC.replace("Bergen", "NA"));
    let error = folder.check("people.csv").fails_with("column-unfit");
    assert_eq!(error.data()["column"], "city");
    assert!(error.to_string().contains("missing-values"), "{error}");
}
