//! Shipped files that are made from the registries must be what the registries say now.

use std::path::Path;

use crate::support::{RunCommand, TestFolder};

fn shipped(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// The reference has every entry with its paper.
#[test]
fn the_reference_is_what_the_registries_say() {
    let made = TestFolder::new().run("catalogue --markdown").exits(0).out;
    assert!(made == shipped("docs/reference.md"), "docs/reference.md is old: run `just reference`");
    let all = TestFolder::new().run("catalogue --json").exits(0).json();
    let entries = all.as_array().unwrap();
    assert!(entries.len() >= 20, "{} entries", entries.len());
    for entry in entries {
        let (id, paper) = (entry["id"].as_str().unwrap(), entry["paper"].as_str().unwrap());
        assert!(made.contains(&format!("(`{id}`)\n")) && made.contains(&format!("- Paper: {paper}\n")), "{id}");
    }
}

#[test]
fn the_json_schema_is_what_the_registries_say() {
    let made = TestFolder::new().run("schema").exits(0).out;
    assert!(made == shipped("docs/reticent.schema.json"), "docs/reticent.schema.json is old: run `just reference`");
}
