//! Record suppression: suppresses the records of equivalence classes that violate the requirement.
//!
//! Suppression changes other counts: classes on other columns, and the distribution in the whole release. The operation
//! therefore repeats until no class violates the requirement. It returns the number of suppressed records, so that the caller
//! can limit it.
//! Paper  survey section 3.1, record suppression.

use hashbrown::HashSet;

use crate::contract::{Model, ReleaseJudge};
use crate::data::contingency::ContingencyTable;
use crate::data::table::Table;
use crate::error::Result;
use crate::join::JoinCheck;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::release::classes::{Measured, for_each};
use crate::release::recoding::{Recoding, RecodingRule};
use crate::requirement::Requirement;

/// Catalogue entry of the operation.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "suppress-records",
    title: "record suppression",
    summary: "Suppresses the records of equivalence classes that violate the requirement, until no class violates it.",
    paper: "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001",
    protects_against: "linkage of outliers, without further generalization of all records",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// Classes, by their codes in some columns.
type ClassSet = HashSet<Box<[u32]>>;

/// Adds a rule to suppress every violating class, and returns the number of suppressed records.
///
/// # Errors
///
/// Returns an error if a column of the requirement does not exist, or if a model cannot be checked.
pub fn suppress_records(
    table: &Table,
    recoding: &mut Recoding,
    requirement: &Requirement,
    join_checks: &[JoinCheck<'_>],
) -> Result<u64> {
    let on = rule_columns(table, requirement)?;
    recoding.on.clone_from(&on);
    let before = recoding.apply(table)?;
    let mut kept = before.clone();
    let mut suppressed_classes = ClassSet::new();
    loop {
        let violating = violating(&kept, requirement, join_checks)?;
        if !violating.contains(&true) {
            break;
        }
        for at in (0..kept.contingency.len()).filter(|at| violating[*at]) {
            suppressed_classes.insert(class_of(&kept.contingency, &on, at));
        }
        kept.contingency =
            kept.contingency.filter(|at| !suppressed_classes.contains(&class_of(&kept.contingency, &on, at)));
    }
    let suppressed = before.contingency.rows() - kept.contingency.rows();
    recoding.rules.extend(suppressed_classes.into_iter().map(|class| (class, RecodingRule::Drop)));
    Ok(suppressed)
}

/// The columns that identify classes in rules: all columns that some model or join constraint groups by.
pub(crate) fn rule_columns(table: &Table, requirement: &Requirement) -> Result<Vec<usize>> {
    let mut on = Vec::new();
    for model in &requirement.models {
        on.extend(table.positions(model.grouped_by())?);
    }
    for constraint in requirement.joins.iter().flat_map(|join| &join.constraints) {
        on.extend(constraint.x.iter().filter(|at| at.release == 0).map(|at| at.column));
    }
    on.sort_unstable();
    on.dedup();
    Ok(on)
}

/// The published codes of a combination in some columns.
pub(crate) fn class_of(combos: &ContingencyTable, on: &[usize], at: usize) -> Box<[u32]> {
    on.iter().map(|column| combos.codes[*column][at]).collect()
}

/// By combination: whether its class violates a model or a join constraint.
pub(crate) fn violating(
    release: &Release,
    requirement: &Requirement,
    join_checks: &[JoinCheck<'_>],
) -> Result<Vec<bool>> {
    let mut marks = vec![false; release.contingency.len()];
    // A class that violates a constraint is not judged by the others on the same columns.
    let mut by_columns: Vec<(&[usize], ClassSet)> = Vec::new();
    for join_check in join_checks {
        let by = join_check.by();
        let at = by_columns.iter().position(|(known, _)| *known == by).unwrap_or_else(|| {
            by_columns.push((by, ClassSet::new()));
            by_columns.len() - 1
        });
        join_check.add_violating(release, &mut by_columns[at].1)?;
    }
    for (by, classes) in by_columns.iter().filter(|(_, classes)| !classes.is_empty()) {
        for (at, mark) in marks.iter_mut().enumerate() {
            *mark |= classes.contains(&class_of(&release.contingency, by, at));
        }
    }
    for model in &requirement.models {
        let by = release.positions(model.grouped_by())?;
        let classes = violating_classes(model.as_ref(), release, &by)?;
        if classes.is_empty() {
            continue;
        }
        for (at, mark) in marks.iter_mut().enumerate() {
            *mark |= classes.contains(&class_of(&release.contingency, &by, at));
        }
    }
    Ok(marks)
}

/// Returns true if a class violates a model or a join constraint.
pub(crate) fn is_violating(
    release: &Release,
    requirement: &Requirement,
    join_checks: &[JoinCheck<'_>],
) -> Result<bool> {
    for model in &requirement.models {
        let by = release.positions(model.grouped_by())?;
        if !violating_classes(model.as_ref(), release, &by)?.is_empty() {
            return Ok(true);
        }
    }
    for join_check in join_checks {
        if join_check.is_violated(release)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// ClassSet on the columns `by` that violate a model.
fn violating_classes(model: &dyn Model, release: &Release, by: &[usize]) -> Result<ClassSet> {
    let of = release.positions(model.measured())?;
    let column = if let [only] = of.as_slice() { Some(&release.columns[*only]) } else { None };
    let measured = Measured::new(&release.contingency, &of);
    let whole = measured.whole(&release.contingency, column);
    let judge = ReleaseJudge::new(model, &release.contingency, by, &whole)?;
    let mut classes = ClassSet::new();
    for_each(&release.contingency, by, &measured, |member, group| {
        if !judge.judge(member, &group).holds {
            classes.insert(class_of(&release.contingency, by, member));
        }
    });
    Ok(classes)
}
