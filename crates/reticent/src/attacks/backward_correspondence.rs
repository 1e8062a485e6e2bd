//! Backward correspondence: which records of the later release can be a newcomer's.
//!
//! Attack   records of the earlier release take their places in the later; those of the newcomer's group that must be taken
//!          cannot be theirs. Taken from a group are the records of the earlier that find no place elsewhere.
//! Assumes  that the later release is about everybody of the earlier, with the same values, and that it is known who is new and
//!          in which group. Confidence below certainty is the share among the records left, an estimate.
//! Paper    Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3.

use std::collections::BTreeMap;

use super::corresponding::{Corresponding, Cracked, LEFT, run as compare};
use super::finding::{Findings, called};
use super::scene::Scene;
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::registry::{Entry, Kind};

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "backward-correspondence",
    title: "backward correspondence",
    summary: "Excludes records of a later release that cannot be a newcomer's, because records of an earlier one need their places.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3",
    thwarts: "how many records of a later release can still be a newcomer's",
    comparison: false,
    parameters: &[LEFT],
    evidence: &[
        "attacks::tests::correspondence::backward",
        "attacks::tests::correspondence::transports_are_those_of_every_way_to_place_the_records",
        "attacks::tests::naive::what_is_followed_is_true",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    compare(scene, &ENTRY, |pair, findings, asked| {
        let who = format!("who were not yet in {}", called(pair.earlier.groups.held));
        for (group, people) in newcomers(pair) {
            let records = &pair.second[group as usize];
            let taken = pair.transports.iter().map(|transport| transport.fewest(group as usize));
            let left: Vec<Weight> = records.iter().zip(taken).map(|(all, taken)| all - taken).collect();
            let cracked = Cracked { release: 1, group, people, who: who.clone(), records, left };
            findings.extend(pair.report(&cracked, asked));
        }
        Ok(())
    })
}

/// By group of the later release: its people who were not in the earlier.
fn newcomers(pair: &Corresponding<'_>) -> BTreeMap<u32, Weight> {
    let mut people = BTreeMap::new();
    for (_, group) in pair.later.single().filter(|(person, _)| !pair.earlier.has(*person)) {
        *people.entry(group).or_insert(0) += 1;
    }
    people
}
