//! BCF-anonymity by flow: no longer offered. Its recorded releases stay readable, and old policies that name it can be parsed.
//!
//! Promise  of a person whose quasi-identifiers are known, and since when they are in the data, k records of either release can be
//!          theirs, whichever two releases are compared. Nothing about values.
//! Not      covered: attackers who know in which groups others are, and attackers who compare three releases or more at a time.
//!          `bcf-anonymity` covers both, and was measured to lose no more information (docs/decisions/0010).
//! Paper    Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008.

use super::{Form, Listed, Outcome, Updates};
use crate::registry::{Domain, Entry, Kind, Parameter};

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "bcf-anonymity-by-flow",
    title: "BCF-anonymity by flow",
    summary: "Cumulative releases, generalized so that k records can be anybody's whichever two releases are compared.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008",
    thwarts: "at least k records can be anybody's when two releases are compared by who knows nobody else's quasi-identifiers; values may be told",
    comparison: false,
    parameters: &[
        Parameter {
            name: "k",
            domain: Domain::Whole(2),
            default: None,
            meaning: "how many records can be anybody's at least",
        },
        Parameter {
            name: "begin",
            domain: Domain::Word(&["apart", "together"]),
            default: Some("apart"),
            meaning: "whether people who came with different releases are specialized apart from each other, or all together",
        },
    ],
    evidence: &[],
};

/// The method among those that are no longer offered.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: Some("bcf-anonymity"),
    updates: Updates { again: true, insert: true, delete: false, reinsert: false, correct: false },
    promise: |_, _| Ok(None),
    gone: "the release is refused",
    form: Form::Generalized,
    run: |_, _| LISTED.offered().map(|()| Outcome::default()),
};
