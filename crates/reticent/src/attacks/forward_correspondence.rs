//! Forward correspondence: which records of the earlier release can be somebody's who is in the later one too.
//!
//! Attack   a record of the victim's group in the earlier release can be theirs only if it can be a record of their group in
//!          the later one, given that all records of the earlier have a place there.
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
    id: "forward-correspondence",
    title: "forward correspondence",
    summary: "Excludes records of an earlier release that cannot be somebody's, because a later one leaves them no place in the person's group.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3",
    thwarts: "how many records of an earlier release can still be somebody's",
    comparison: false,
    parameters: &[LEFT],
    evidence: &[
        "attacks::tests::correspondence::forward",
        "attacks::tests::correspondence::transports_are_those_of_every_way_to_place_the_records",
        "attacks::tests::naive::what_is_followed_is_true",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    compare(scene, &ENTRY, |pair, findings, asked| {
        let who = format!("who are in {} too", called(pair.later.groups.held));
        for ((group, second), people) in pair.followed() {
            let left = pair.common(group, second);
            let records = &pair.first[group as usize];
            let cracked = Cracked { release: 0, group, people, who: who.clone(), records, left };
            findings.extend(pair.report(&cracked, asked));
        }
        Ok(())
    })
}
