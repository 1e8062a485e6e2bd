//! The demo tells its story, holds, and leaves nothing behind unless asked to.

use crate::support::Desk;

#[test]
fn the_demo_tells_a_story_that_holds() {
    let desk = Desk::new();
    let ran =
        desk.run("demo --rows 3000").exits(0).says("Your turn: reticent init YOUR_DATA.csv").says("holds 5-anonymity");
    assert!(ran.out.lines().count() <= 40, "more than one screen:\n{}", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 110), "a line is too long:\n{}", ran.out);
    assert!(desk.files().is_empty(), "{:?}", desk.files());
}

#[test]
fn the_demo_keeps_its_files_where_it_is_told() {
    let desk = Desk::new();
    desk.run("demo --rows 3000 --keep kept").exits(0);
    let release = desk.read("kept/research.csv");
    assert!(release.starts_with("born,sex,postcode,admitted,diagnosis,days\n"));
    let again = Desk::new();
    again.run("demo --rows 3000 --keep kept").exits(0);
    assert_eq!(release, again.read("kept/research.csv"), "the same seed must give the same bytes");
    desk.run("demo --rows 3000 --keep kept").exits(3).says("kept");
}
