//! Cell suppression: suppresses cells of equivalence classes that violate the requirement.
//!
//! The operation tries sets of columns, smallest first. It suppresses these columns in the remaining violating records, which merges
//! their classes. Merged classes that satisfy every model are published in this form. Records that violate the requirement for every
//! set of columns are suppressed.
//! Paper  survey section 3.1, cell suppression (local suppression).
//! Note   for equivalence classes, a suppressed cell `*` is equal to `*` only.

use crate::data::schema::Role;
use crate::data::table::Table;
use crate::error::Result;
use crate::join::JoinCheck;
use crate::operations::suppress_records::{class_of, is_violating, rule_columns, suppress_records, violating};
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::release::recoding::{Recoding, RecodingRule};
use crate::requirement::Requirement;

/// Catalogue entry of the operation.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "suppress-cells",
    title: "cell suppression",
    summary: "Suppresses cells of equivalence classes that violate the requirement, and whole records where this does not suffice.",
    paper: "Cox, Suppression methodology and statistical disclosure control, JASA 75, 1980",
    protects_against: "linkage of outliers, without further generalization of all records",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// Maximum number of columns for which all sets are tried. With more columns, only prefixes of the list are tried.
const MAX_EXHAUSTIVE_COLUMNS: usize = 10;

/// Adds rules to suppress cells or records of violating classes, and returns the number of suppressed records.
///
/// # Errors
///
/// Returns an error if a column of the requirement does not exist, or if a model cannot be checked.
pub fn suppress_cells(
    table: &Table,
    recoding: &mut Recoding,
    requirement: &Requirement,
    join_checks: &[JoinCheck<'_>],
) -> Result<u64> {
    let on = rule_columns(table, requirement)?;
    recoding.on.clone_from(&on);
    let before = recoding.apply(table)?;
    let marks = violating(&before, requirement, join_checks)?;
    let mut remaining = Release { contingency: before.contingency.filter(|at| marks[at]), ..before.clone() };
    // Only cells of quasi-identifiers are suppressed; other columns are published unchanged.
    let quasi: Vec<usize> = on.iter().copied().filter(|at| before.columns[*at].role == Role::QuasiIdentifier).collect();
    for suppressed in column_sets(&quasi) {
        if remaining.contingency.is_empty() {
            break;
        }
        let violating_after = still_violating(&remaining, &suppressed, requirement, join_checks)?;
        for at in (0..remaining.contingency.len()).filter(|at| !violating_after[*at]) {
            recoding.rules.insert(class_of(&remaining.contingency, &on, at), RecodingRule::Hide(suppressed.clone()));
        }
        remaining.contingency = remaining.contingency.filter(|at| violating_after[at]);
    }
    for at in 0..remaining.contingency.len() {
        recoding.rules.insert(class_of(&remaining.contingency, &on, at), RecodingRule::Drop);
    }
    // The loop checks the violating records separately. In the whole release, a model may have another result.
    let after = recoding.apply(table)?;
    if is_violating(&after, requirement, join_checks)? {
        recoding.rules.clear();
        return suppress_records(table, recoding, requirement, join_checks);
    }
    Ok(before.contingency.rows() - after.contingency.rows())
}

/// The sets of columns to suppress, smallest first.
fn column_sets(on: &[usize]) -> Vec<Vec<usize>> {
    if on.len() > MAX_EXHAUSTIVE_COLUMNS {
        return (1..=on.len()).map(|count| on[..count].to_vec()).collect();
    }
    let mut sets: Vec<Vec<usize>> = (1u32..1 << on.len())
        .map(|mask| on.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, column)| *column).collect())
        .collect();
    sets.sort_by_key(Vec::len);
    sets
}

/// By combination: whether its class violates the requirement with these columns suppressed.
fn still_violating(
    remaining: &Release,
    suppressed: &[usize],
    requirement: &Requirement,
    join_checks: &[JoinCheck<'_>],
) -> Result<Vec<bool>> {
    let mut release = remaining.clone();
    for column in suppressed {
        let root = release.columns[*column].root();
        release.contingency.codes[*column].fill(root);
    }
    violating(&release, requirement, join_checks)
}
