//! Cell suppression: in classes that violate the requirement some cells are hidden, until the classes they join satisfy it.
//!
//! For every set of columns, fewest first, the violating records are put together by what would still be shown; a class
//! that then satisfies every model is published that way. What no set of columns saves is left out.
//! Paper  survey section 3.1, cell suppression (local suppression).
//! Note   a record with hidden cells is a class of its own by what it shows: `*` equals only `*`.

use crate::error::Result;
use crate::joined::Joint;
use crate::operations::suppress_records::{class_of, rule_columns, suppress_records, violating};
use crate::recoding::{Recoding, Rule};
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::requirement::Requirement;
use crate::schema::Role;
use crate::table::Table;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "suppress-cells",
    title: "cell suppression",
    summary: "Hides cells in classes that violate the requirement, and leaves out only the records that this cannot save.",
    paper: "Cox, Suppression methodology and statistical disclosure control, JASA 75, 1980",
    thwarts: "outliers that would force everybody's values to be generalized",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// More columns than this are hidden from the first on, one more at a time, instead of in every combination.
const ALL_SETS: usize = 10;

/// Adds the rules that hide cells or leave out records of violating classes, and answers with how many were left out.
pub fn suppress_cells(
    table: &Table,
    recoding: &mut Recoding,
    requirement: &Requirement,
    joints: &[Joint<'_>],
) -> Result<u64> {
    let on = rule_columns(table, requirement)?;
    recoding.on.clone_from(&on);
    let before = recoding.apply(table)?;
    let marks = violating(&before, requirement, joints)?;
    let mut left = Release { combos: before.combos.filter(|at| marks[at]), ..before.clone() };
    // Only what is generalized may be hidden; everything else is published as it is, or left out with its record.
    let quasi: Vec<usize> = on.iter().copied().filter(|at| before.columns[*at].role == Role::QuasiIdentifier).collect();
    for hidden in hiding_sets(&quasi) {
        if left.combos.is_empty() {
            break;
        }
        let lost = still_violating(&left, &hidden, requirement, joints)?;
        for at in (0..left.combos.len()).filter(|at| !lost[*at]) {
            recoding.rules.insert(class_of(&left.combos, &on, at), Rule::Hide(hidden.clone()));
        }
        left.combos = left.combos.filter(|at| lost[at]);
    }
    for at in 0..left.combos.len() {
        recoding.rules.insert(class_of(&left.combos, &on, at), Rule::Drop);
    }
    // Classes were judged by themselves; together with the rest of the release a model may see it differently.
    let after = recoding.apply(table)?;
    if violating(&after, requirement, joints)?.contains(&true) {
        recoding.rules.clear();
        return suppress_records(table, recoding, requirement, joints);
    }
    Ok(before.combos.rows() - after.combos.rows())
}

/// The sets of columns that may be hidden, smallest first.
fn hiding_sets(on: &[usize]) -> Vec<Vec<usize>> {
    if on.len() > ALL_SETS {
        return (1..=on.len()).map(|hidden| on[..hidden].to_vec()).collect();
    }
    let mut sets: Vec<Vec<usize>> = (1u32..1 << on.len())
        .map(|mask| on.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, column)| *column).collect())
        .collect();
    sets.sort_by_key(Vec::len);
    sets
}

/// By combination, whether its class violates some model even with these columns hidden.
fn still_violating(
    left: &Release,
    hidden: &[usize],
    requirement: &Requirement,
    joints: &[Joint<'_>],
) -> Result<Vec<bool>> {
    let mut shown = left.clone();
    for column in hidden {
        let root = shown.columns[*column].root();
        shown.combos.codes[*column].fill(root);
    }
    violating(&shown, requirement, joints)
}
