//! Backward correspondence: excludes records of a later release for a victim who is not in the earlier one.
//!
//! Attack   every record of the earlier release corresponds to a record of the later. Records of the victim's group that must
//!          correspond to records of the earlier release cannot belong to the victim.
//! Assumes  that the later release contains all people of the earlier, with the same values, and that the attacker knows that the
//!          victim is new, and the victim's group. A confidence below 1 is the share among the remaining records, an estimate.
//! Paper    Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3.

use std::collections::BTreeMap;

use super::correspondence::{Correspondence, CrackedGroup, MIN_RECORDS, run as compare};
use super::finding::{Findings, release_text};
use super::input::AttackInput;
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::registry::{Entry, Kind};

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "backward-correspondence",
    title: "backward correspondence",
    summary: "B-attack: excludes records of a newcomer's group in a later release that must correspond to records of an earlier release.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3",
    protects_against: "record linkage and attribute linkage of newcomers in a later release",
    comparison: false,
    parameters: &[MIN_RECORDS],
    evidence: &[
        "attacks::tests::correspondence::backward",
        "attacks::tests::correspondence::flows_match_the_enumeration_of_all_assignments",
        "attacks::tests::naive::certain_correspondences_are_true",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    compare(input, &ENTRY, |pair, findings, options| {
        let condition = format!("not in {}", release_text(pair.earlier.groups.recorded));
        for (group, people) in newcomers(pair) {
            let records = &pair.second[group as usize];
            let required = pair.flows.iter().map(|flow| flow.min_records(group as usize));
            let remaining: Vec<Weight> = records.iter().zip(required).map(|(all, required)| all - required).collect();
            let cracked = CrackedGroup { release: 1, group, people, condition: condition.clone(), records, remaining };
            findings.extend(pair.report(&cracked, options));
        }
        Ok(())
    })
}

/// By group of the later release: number of its people who are not in the earlier.
fn newcomers(pair: &Correspondence<'_>) -> BTreeMap<u32, Weight> {
    let mut people = BTreeMap::new();
    for (_, group) in pair.later.single_record_people().filter(|(person, _)| !pair.earlier.has(*person)) {
        *people.entry(group).or_insert(0) += 1;
    }
    people
}
