//! The demo: it fits on one screen, holds, and leaves nothing behind unless asked to.

use crate::screen::screen;
use crate::support::{RunCommand, TestFolder};

#[test]
fn the_demo_holds_and_fits_on_one_screen() {
    let folder = TestFolder::new();
    let shown = screen(&folder, "demo --rows 3000");
    assert!(shown.lines().count() <= 42, "more than one screen:\n{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "a line is too long:\n{shown}");
    assert!(folder.files().is_empty(), "{:?}", folder.files());
    insta::assert_snapshot!("demo", shown);
}

#[test]
fn the_demo_keeps_its_files_in_a_new_folder() {
    let folder = TestFolder::new();
    folder.run("demo --rows 3000 --keep kept").exits(0);
    let release = folder.read("kept/research.csv");
    assert!(release.starts_with("born,sex,postcode,admitted,diagnosis,days\n"));
    let again = TestFolder::new();
    again.run("demo --rows 3000 --keep kept").exits(0);
    assert_eq!(release, again.read("kept/research.csv"), "the same seed must give the same bytes");
    let ran = folder.run("demo --rows 3000 --keep kept --json").exits(3);
    assert!(ran.err.contains(r#""code":"file-failed""#), "{}", ran.err);
}
