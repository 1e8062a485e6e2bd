//! BCF-anonymity by flow (retired). Its recorded releases can be read, and policies that name it can be parsed.
//!
//! Guarantee  at least k records of either release can belong to a person, for an attacker who compares two releases and knows
//!            the quasi-identifiers and the first release of this person. There is no bound for values.
//! Excludes   attackers who know the groups of other people, or compare three or more releases. `bcf-anonymity` covers both,
//!            without more information loss in the measurements (docs/decisions/0010).
//! Paper      Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008.

use super::{Form, GroupingOutcome, MethodDef, Updates};
use crate::registry::{Domain, Entry, Kind, ParameterDef};

/// Catalogue entry of BCF-anonymity by flow.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "bcf-anonymity-by-flow",
    title: "BCF-anonymity by flow",
    summary: "Cumulative releases with generalized quasi-identifiers, in which at least k records can belong to every person after \
              comparing any two releases.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008",
    protects_against: "at least k records can belong to every person, given two releases and the quasi-identifiers of this person only; \
                       there is no bound for values",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "k",
            domain: Domain::Whole(2),
            default: None,
            meaning: "minimum number of records that can belong to a person",
        },
        ParameterDef {
            name: "begin",
            domain: Domain::Word(&["apart", "together"]),
            default: Some("apart"),
            meaning: "whether people with different first releases are specialized separately (apart) or jointly (together)",
        },
    ],
    evidence: &[],
};

/// Definition of the retired method.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: Some("bcf-anonymity"),
    updates: Updates { again: true, insert: true, delete: false, reinsert: false, correct: false },
    promise: |_, _| Ok(None),
    departure_rule: "the release is refused",
    form: Form::Generalized,
    run: |_, _| LISTED.check_offered().map(|()| GroupingOutcome::default()),
};
