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

/// The example in docs/policy.md is a policy, and its two taxonomies are one tree.
#[test]
fn the_policy_page_is_true() {
    let page = shipped("docs/policy.md");
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let [policy, paths, indented] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    let mut answers = Vec::new();
    for taxonomy in [paths, indented] {
        let desk = Desk::new();
        desk.write("reticent.toml", policy.strip_prefix("toml\n").unwrap());
        desk.write("taxonomies/city.csv", taxonomy.trim_start_matches('\n'));
        desk.write("d.csv", "patient,born,income,age,city,diagnosis,ward\n".to_owned() + &rows());
        answers.push(desk.run("check d.csv --json").json()["data"]["risk"].clone());
        desk.run("publish d.csv --name x -o out.csv")
            .exits(0)
            .says("holds distinct 3-diversity of diagnosis on age, city");
        answers.push(serde_json::Value::String(desk.read("out.csv")));
    }
    assert_eq!(answers[0], answers[2]);
    assert_eq!(answers[1], answers[3]);
}

/// Forty stays that can be published under the page's policy.
fn rows() -> String {
    let cities = ["Paris", "Lyon", "Oslo", "Lima"];
    let row = |at: usize| {
        let diagnosis = if at == 7 { "HIV" } else { ["flu", "asthma", "burn", "cold"][at % 4] };
        format!(
            "p{at},19{}0-01-0{},{},{},{},{diagnosis},w{}\n",
            at % 8 + 1,
            at % 9 + 1,
            1000 * at,
            at % 60,
            cities[at / 4 % 4],
            at % 3
        )
    };
    (0..40).map(row).collect()
}
