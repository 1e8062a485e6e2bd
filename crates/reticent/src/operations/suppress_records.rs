//! Record suppression: the records of classes that violate the requirement are left out.
//!
//! Leaving records out changes what is counted elsewhere (other quasi-identifiers, the whole distribution), so it goes on
//! until nothing violates. Records that are left out are counted, and only so many may be.
//! Paper  survey section 3.1, record suppression.

use hashbrown::HashSet;

use crate::classes::{Measured, for_each};
use crate::combos::Combos;
use crate::error::Result;
use crate::joined::Joint;
use crate::recoding::{Recoding, Rule};
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::requirement::Requirement;
use crate::table::Table;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "suppress-records",
    title: "record suppression",
    summary: "Leaves out the records of classes that violate the requirement.",
    paper: "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001",
    thwarts: "outliers that would force everybody's values to be generalized",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations"],
};

/// Adds the rules that leave out every record whose class violates a model, and answers with how many records that is.
pub fn suppress_records(
    table: &Table,
    recoding: &mut Recoding,
    requirement: &Requirement,
    joints: &[Joint<'_>],
) -> Result<u64> {
    let on = rule_columns(table, requirement)?;
    recoding.on.clone_from(&on);
    let before = recoding.apply(table)?;
    let mut kept = before.clone();
    let mut dropped: HashSet<Box<[u32]>> = HashSet::new();
    loop {
        let violating = violating(&kept, requirement, joints)?;
        if !violating.contains(&true) {
            break;
        }
        for at in (0..kept.combos.len()).filter(|at| violating[*at]) {
            dropped.insert(class_of(&kept.combos, &on, at));
        }
        kept.combos = kept.combos.filter(|at| !dropped.contains(&class_of(&kept.combos, &on, at)));
    }
    let suppressed = before.combos.rows() - kept.combos.rows();
    recoding.rules.extend(dropped.into_iter().map(|class| (class, Rule::Drop)));
    Ok(suppressed)
}

/// The columns that name a class for every model: all that some model groups by.
pub(crate) fn rule_columns(table: &Table, requirement: &Requirement) -> Result<Vec<usize>> {
    let mut on = Vec::new();
    for model in &requirement.models {
        on.extend(table.positions(model.by())?);
    }
    for statement in requirement.joined.iter().flat_map(|together| &together.statements) {
        on.extend(statement.x.iter().filter(|at| at.release == 0).map(|at| at.column));
    }
    on.sort_unstable();
    on.dedup();
    Ok(on)
}

/// The published values of a combination on some columns.
pub(crate) fn class_of(combos: &Combos, on: &[usize], at: usize) -> Box<[u32]> {
    on.iter().map(|column| combos.codes[*column][at]).collect()
}

/// By combination, whether its class violates some model, or some demand on joined releases.
pub(crate) fn violating(release: &Release, requirement: &Requirement, joints: &[Joint<'_>]) -> Result<Vec<bool>> {
    let mut marks = vec![false; release.combos.len()];
    for joint in joints {
        marks.iter_mut().zip(joint.violating(release)?).for_each(|(mark, violates)| *mark |= violates);
    }
    for model in &requirement.models {
        let by = release.positions(model.by())?;
        let of = release.positions(model.of())?;
        let column = if let [only] = of.as_slice() { Some(&release.columns[*only]) } else { None };
        let measured = Measured::new(&release.combos, &of);
        let judge = model.judge(&measured.whole(&release.combos, column))?;
        let mut classes: HashSet<Box<[u32]>> = HashSet::new();
        for_each(&release.combos, &by, &measured, |member, group| {
            if !judge(&group).holds {
                classes.insert(class_of(&release.combos, &by, member));
            }
        });
        if classes.is_empty() {
            continue;
        }
        for (at, mark) in marks.iter_mut().enumerate() {
            *mark |= classes.contains(&class_of(&release.combos, &by, at));
        }
    }
    Ok(marks)
}
