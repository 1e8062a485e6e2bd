//! Subtree generalization: replaces every value by its ancestor in a cut of the taxonomy of its column.
//!
//! A cut contains exactly one node on every path from the root to a leaf. The published value of a leaf is therefore unique,
//! and different subtrees may be generalized to different levels.
//! Paper  survey section 3.1, subtree generalization.

use std::sync::Arc;

use crate::data::table::Table;
use crate::data::taxonomy::{Cut, Taxonomy};
use crate::registry::{Entry, Kind};
use crate::release::recoding::Recoding;

/// Catalogue entry of the operation.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "generalize",
    title: "subtree generalization",
    summary: "Replaces every value by its ancestor in a cut of the taxonomy; a cut has one node on every path from the root to a leaf.",
    paper: "Fung, Wang, Chen and Yu, Privacy-preserving data publishing: a survey, section 3.1, ACM CSUR 42(4), 2010",
    protects_against: "record linkage by specific values of quasi-identifiers",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// Generalizes every column along its cut.
pub fn generalize(table: &Table, cuts: Vec<(Arc<Taxonomy>, Cut)>) -> Recoding {
    Recoding::along(table, cuts)
}
