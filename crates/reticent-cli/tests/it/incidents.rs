//! docs/incidents.md, run from top to bottom.

use std::path::Path;

use crate::pages::run_page;
use crate::support::TestFolder;

#[test]
fn the_page_of_incidents_is_true() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/incidents.md");
    let (commands, lines) = run_page(&TestFolder::new(), &std::fs::read_to_string(page).unwrap());
    assert!(commands >= 18 && lines >= 9, "{commands} commands, {lines} lines: the page was not read");
}
