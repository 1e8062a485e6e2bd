//! Every folder in examples/, except that of the notebooks, is a whole story: its page is run from top to bottom, beside its files.

use std::path::{Path, PathBuf};

use crate::pages::run_page;
use crate::support::TestFolder;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn every_example_is_true() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut stories = 0;
    for entry in std::fs::read_dir(examples).unwrap() {
        let folder = entry.unwrap().path();
        // The tests of the Python package run the notebooks.
        if folder.ends_with("notebooks") {
            continue;
        }
        let copy = TestFolder::new();
        for file in files(&folder) {
            copy.write(&file.strip_prefix(&folder).unwrap().to_string_lossy(), std::fs::read(&file).unwrap());
        }
        let (commands, lines) = run_page(&copy, &copy.read("README.md"));
        assert!(commands >= 3 && lines >= 8, "{}: {commands} commands, {lines} lines", folder.display());
        stories += 1;
    }
    assert!(stories > 0);
}
