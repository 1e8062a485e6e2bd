//! Cross correspondence: excludes records of a later release for a victim who is also in an earlier one.
//!
//! Attack   a record of the victim's group in the later release can belong to the victim only if a record of the victim's group in
//!          the earlier release can correspond to it. All records of the earlier release must correspond to records of the later.
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
    id: "cross-correspondence",
    title: "cross correspondence",
    summary: "C-attack: excludes records of the victim's group in a later release that cannot correspond to a record of the victim's \
              group in an earlier release.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008; survey section 6.3",
    protects_against: "record linkage and attribute linkage in a later release of people who are also in an earlier one",
    comparison: false,
    parameters: &[MIN_RECORDS],
    evidence: &[
        "attacks::tests::correspondence::cross",
        "attacks::tests::correspondence::flows_match_the_enumeration_of_all_assignments",
        "attacks::tests::naive::certain_correspondences_are_true",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    compare(input, &ENTRY, |pair, findings, options| {
        let condition = format!("also in {}", release_text(pair.earlier.groups.recorded));
        for ((first, group), people) in pair.people_by_group_pair() {
            let remaining = pair.max_common_records(first, group);
            let records = &pair.second[group as usize];
            let cracked = CrackedGroup { release: 1, group, people, condition: condition.clone(), records, remaining };
            findings.extend(pair.report(&cracked, options));
        }
        Ok(())
    })
}
