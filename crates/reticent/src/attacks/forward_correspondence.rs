//! Forward correspondence: excludes records of an earlier release for a victim who is also in a later one.
//!
//! Attack   a record of the victim's group in the earlier release can belong to the victim only if it can correspond to a record
//!          of the victim's group in the later release. All records of the earlier release must correspond to records of the later.
//! Assumes  that the later release contains all people of the earlier, with the same values, and that the attacker knows the
//!          victim's group in both. A confidence below 1 is the share among the remaining records, an estimate.
//! Paper    Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3.

use super::correspondence::{CrackedGroup, MIN_RECORDS, run as compare};
use super::finding::{Findings, release_text};
use super::input::AttackInput;
use super::{AttackDef, AttackTarget, Result};
use crate::registry::{Entry, Kind};

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "forward-correspondence",
    title: "forward correspondence",
    summary: "F-attack: excludes records of the victim's group in an earlier release that cannot correspond to a record of the victim's \
              group in a later release.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3",
    protects_against: "record linkage and attribute linkage in an earlier release after a later one that contains the same people",
    comparison: false,
    parameters: &[MIN_RECORDS],
    evidence: &[
        "attacks::tests::correspondence::forward",
        "attacks::tests::correspondence::flows_match_the_enumeration_of_all_assignments",
        "attacks::tests::naive::certain_correspondences_are_true",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    compare(input, &ENTRY, |pair, findings, options| {
        let condition = format!("also in {}", release_text(pair.later.groups.recorded));
        for ((group, second), people) in pair.people_by_group_pair() {
            let remaining = pair.max_common_records(group, second);
            let records = &pair.first[group as usize];
            let cracked = CrackedGroup { release: 0, group, people, condition: condition.clone(), records, remaining };
            findings.extend(pair.report(&cracked, options));
        }
        Ok(())
    })
}
