//! Shipped files that are made from the registries must be what the registries say now.

use std::path::Path;

use crate::support::Desk;

fn shipped(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

#[test]
fn the_reference_is_what_the_registries_say() {
    let made = Desk::new().run("catalogue --markdown").exits(0).out;
    assert!(made == shipped("docs/reference.md"), "docs/reference.md is old: run `just reference`");
}

#[test]
fn the_json_schema_is_what_the_registries_say() {
    let made = Desk::new().run("schema").exits(0).out;
    assert!(made == shipped("docs/reticent.schema.json"), "docs/reticent.schema.json is old: run `just reference`");
}

#[test]
fn the_catalogue_shows_every_entry_and_its_paper() {
    let desk = Desk::new();
    let all = desk.run("catalogue --json").exits(0).json();
    let entries = all.as_array().unwrap();
    assert!(entries.len() >= 20, "{} entries", entries.len());
    for entry in entries {
        let id = entry["id"].as_str().unwrap();
        desk.run_with(&["catalogue", id]).exits(0).says(entry["paper"].as_str().unwrap());
    }
    desk.run("catalogue k-anonimity").exits(2).says("did you mean `k-anonymity`?");
}
