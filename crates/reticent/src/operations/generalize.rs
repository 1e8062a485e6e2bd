//! Subtree generalization: every value is published as the node above it in a cut of its column's taxonomy.
//!
//! A cut takes exactly one value on every path from the root to a leaf, so a published value is never ambiguous and
//! different branches may be published at different depths.
//! Paper  survey section 3.1, subtree generalization.

use std::sync::Arc;

use crate::recoding::Recoding;
use crate::registry::{Entry, Kind};
use crate::table::Table;
use crate::taxonomy::{Cut, Taxonomy};

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "generalize",
    title: "subtree generalization",
    summary: "Publishes every value as the node above it in a cut of its column's taxonomy.",
    paper: "Fung, Wang, Chen and Yu, Privacy-preserving data publishing: a survey, section 3.1, ACM CSUR 42(4), 2010",
    thwarts: "what single values give away",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// Generalizes every column along its cut.
pub fn generalize(table: &Table, cuts: Vec<(Arc<Taxonomy>, Cut)>) -> Recoding {
    Recoding::along(table, cuts)
}
