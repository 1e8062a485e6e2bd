//! Value suppression: suppresses all occurrences of given values of a column.
//!
//! Paper  survey section 3.1, value suppression; Wang, Fung and Yu, ICDM 2005.

use crate::data::taxonomy::Code;
use crate::registry::{Entry, Kind};
use crate::release::recoding::Recoding;

/// Catalogue entry of the operation.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "suppress-values",
    title: "value suppression",
    summary: "Replaces every occurrence of given values of a column by `*`.",
    paper: "Wang, Fung and Yu, Template-based privacy preservation in classification problems, ICDM 2005",
    protects_against: "linkage by rare values",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// Recodes these values of a column to the root of its taxonomy.
pub fn suppress_values(recoding: &mut Recoding, column: usize, values: &[Code]) {
    let recoded = &mut recoding.columns[column];
    let root = recoded.column.root();
    for value in values {
        recoded.map[*value as usize] = root;
    }
}
