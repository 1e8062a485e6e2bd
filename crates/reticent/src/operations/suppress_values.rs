//! Value suppression: some values of a column are published as nothing wherever they occur.
//!
//! Paper  survey section 3.1, value suppression; Wang, Fung and Yu, ICDM 2005.

use crate::recoding::Recoding;
use crate::registry::{Entry, Kind};
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "suppress-values",
    title: "value suppression",
    summary: "Publishes given values of a column as nothing, wherever they occur.",
    paper: "Wang, Fung and Yu, Template-based privacy preservation in classification problems, ICDM 2005",
    thwarts: "rare values that give people away",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// Publishes these values of a column as its root.
pub fn suppress_values(recoding: &mut Recoding, column: usize, values: &[Code]) {
    let recoded = &mut recoding.columns[column];
    let root = recoded.column.root();
    for value in values {
        recoded.map[*value as usize] = root;
    }
}
