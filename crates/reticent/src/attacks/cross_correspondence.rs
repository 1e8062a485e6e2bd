//! Cross correspondence: which records of the later release can be somebody's who was in the earlier one already.
//!
//! Attack   a record of the victim's group in the later release can be theirs only if a record of their group in the earlier
//!          one can be the same, given that all records of the earlier have a place in the later.
//! Assumes  that the later release is about everybody of the earlier, with the same values, and that the victim's groups in
//!          both are known. Confidence below certainty is the share among the records left, an estimate.
//! Paper    Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3.

use super::corresponding::{Cracked, LEFT, run as compare};
use super::finding::{Findings, called};
use super::scene::Scene;
use super::{Listed, LooksAt, Result};
use crate::registry::{Entry, Kind};

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "cross-correspondence",
    title: "cross correspondence",
    summary: "Excludes records of a later release that cannot be somebody's, because their group in an earlier one had none like it.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3",
    thwarts: "how many records of a later release can still be somebody's who was there before",
    comparison: false,
    parameters: &[LEFT],
    evidence: &[
        "attacks::tests::correspondence::cross",
        "attacks::tests::correspondence::transports_are_those_of_every_way_to_place_the_records",
        "attacks::tests::naive::what_is_followed_is_true",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    compare(scene, &ENTRY, |pair, findings, asked| {
        let who = format!("who were in {} already", called(pair.earlier.groups.held));
        for ((first, group), people) in pair.followed() {
            let left = pair.common(first, group);
            let records = &pair.second[group as usize];
            let cracked = Cracked { release: 1, group, people, who: who.clone(), records, left };
            findings.extend(pair.report(&cracked, asked));
        }
        Ok(())
    })
}
