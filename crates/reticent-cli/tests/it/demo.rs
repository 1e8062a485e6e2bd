//! The demo fits on one screen, shows what it claims, and leaves no files unless it is asked to keep them.

use std::collections::{BTreeMap, BTreeSet};

use crate::screen::screen;
use crate::support::{RunCommand, TestFolder};

#[test]
fn the_demo_fits_on_one_screen() {
    let folder = TestFolder::new();
    let shown = screen(&folder, "demo");
    assert!(shown.lines().count() <= 42, "more than one screen:\n{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "a line is too long:\n{shown}");
    assert!(folder.files().is_empty(), "{:?}", folder.files());
    insta::assert_snapshot!("demo", shown);
}

/// By group: its diagnoses, from a published folder.
fn groups(folder: &TestFolder, name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = folder.read(&format!("kept/{name}/diagnosis.csv"));
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (group, diagnosis) = (place("group_id"), place("diagnosis"));
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        groups.entry(cells[group].to_owned()).or_default().insert(cells[diagnosis].to_owned());
    }
    groups
}

/// The kept files show the same as the screen: every group lists three diagnoses or more, and the answer counts the rest.
#[test]
fn the_demo_keeps_its_files_in_a_new_folder() {
    let folder = TestFolder::new();
    let answer: serde_json::Value = serde_json::from_str(&folder.run("demo --keep kept --json").exits(0).out).unwrap();
    for name in ["alone-january", "alone-february", "january", "february"] {
        let groups = groups(&folder, name);
        assert!(groups.len() > 10 && groups.values().all(|values| values.len() >= 3), "{name}: {groups:?}");
    }
    let column = |series: &str| answer[series]["audit"]["coalitions"][0]["audit"]["columns"][0].clone();
    let (separate, protected) = (column("separate"), column("protected"));
    assert_eq!((&separate["certain"], &separate["people"]), (&23.into(), &68.into()));
    assert_eq!((&protected["certain"], &protected["may_be_above"]), (&0.into(), &0.into()));
    let other = &answer["other"];
    assert_eq!(other["code"], "posterior-above-confidence");
    assert!(other["checked_remedy"].is_string(), "{other:#}");
    assert!(!folder.exists("kept/insurer.csv"), "it was refused");
    for report in ["kept/report.html", "kept/alone-report.html"] {
        assert!(folder.read(report).contains("Disclosure risk report"), "{report}");
    }
    let ran = folder.run("demo --keep kept --json").exits(2);
    assert!(ran.err.contains(r#""code":"usage""#), "{}", ran.err);
}
