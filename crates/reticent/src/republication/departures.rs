//! Disclosure by departures: the effect of republishing groups without the people who left, and without their values.
//!
//! The attack is critical absence. The attacker compares the lists of a group before and after. The values that are no longer
//! listed belong to the leavers, and the remaining values belong to the others.

use crate::text::{counted, people};
use std::collections::BTreeMap;

use super::RepublicationTask;
use super::state::list_for_column;
use crate::data::links::ByOwner;
use crate::error::Result;
use crate::ratio::Ratio;

/// People who left the data, and the disclosure if they were deleted from their groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Departures {
    /// Number of people of the newest release who are no longer in the data.
    pub people: u64,
    /// Number of groups of the newest release with such people.
    pub groups: u64,
    /// Disclosure by sensitive column.
    pub columns: Vec<DepartureColumn>,
}

/// Number of people whose value of one sensitive column would be disclosed above the bound.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DepartureColumn {
    /// Name of the sensitive column.
    pub column: String,
    /// Number of disclosed people who left.
    pub leavers: u64,
    /// Number of disclosed people who stayed in the groups of the leavers.
    pub others: u64,
}

/// Computes the disclosure if the leavers and their values were deleted from their groups.
///
/// Columns without a bound are left out, and lists that are sets are ignored.
///
/// # Errors
///
/// Returns the error of `promise`.
pub fn departures(task: &RepublicationTask<'_>, promise: &dyn Fn(&str) -> Result<Option<Ratio>>) -> Result<Departures> {
    let classes = task.past.classes.last().map(|classes| &classes.release);
    let Some(newest) = task.past.releases.last().or(classes) else { return Ok(Departures::default()) };
    let records: ByOwner<usize> = task.records.iter().zip(0..).map(|(record, at)| (record.person, at)).collect();
    let records = records.get_sorted(newest.people.iter().copied());
    // True for groups with a leaver.
    let mut affected = vec![false; newest.lists.len()];
    let mut departures = Departures::default();
    for (place, group) in records.iter().zip(&newest.group_of) {
        affected[*group as usize] |= place.is_none();
        departures.people += u64::from(place.is_none());
    }
    departures.groups = affected.iter().filter(|affected| **affected).count() as u64;
    // Records of the staying members and number of all members, by affected group.
    let mut groups: BTreeMap<u32, (Vec<usize>, usize)> = BTreeMap::new();
    for (place, group) in records.iter().zip(&newest.group_of).filter(|(_, group)| affected[**group as usize]) {
        let (staying, people) = groups.entry(*group).or_default();
        staying.extend(place);
        *people += 1;
    }
    for column in task.sensitive() {
        let name = &task.table.columns[column].name;
        let Some(bound) = promise(name)? else { continue };
        let above = |part: u64, whole: u64| Ratio::new(part, whole) > bound;
        let mut disclosed = DepartureColumn { column: name.clone(), leavers: 0, others: 0 };
        for (group, (staying, people)) in &groups {
            let Some(list) = list_for_column(&newest.lists[*group as usize], name).filter(|list| !list.is_set) else {
                continue;
            };
            let mut after: BTreeMap<&str, u64> = BTreeMap::new();
            staying.iter().for_each(|at| *after.entry(task.value(*at, column)).or_default() += 1);
            // Counts that disappear from the list. They may include counterfeits.
            let missing =
                |(value, times): &(String, u64)| times.saturating_sub(after.get(value.as_str()).copied().unwrap_or(0));
            let missing: Vec<u64> = list.values.iter().map(missing).collect();
            if above(missing.iter().copied().max().unwrap_or(0), missing.iter().sum()) {
                disclosed.leavers += (people - staying.len()) as u64;
            }
            if above(after.values().copied().max().unwrap_or(0), staying.len() as u64) {
                disclosed.others += staying.len() as u64;
            }
        }
        departures.columns.push(disclosed);
    }
    Ok(departures)
}

impl Departures {
    /// Describes the disclosure. Returns `None` if no person left.
    pub fn text(&self) -> Option<String> {
        if self.people == 0 {
            return None;
        }
        let disclosed: Vec<String> = self
            .columns
            .iter()
            .filter(|disclosed| disclosed.leavers + disclosed.others > 0)
            .map(|disclosed| {
                let (leavers, others) = (counted(disclosed.leavers, "leaver"), counted(disclosed.others, "other"));
                format!("the {} of {leavers} and {others}", disclosed.column)
            })
            .collect();
        let verb = if self.people == 1 { "is" } else { "are" };
        let left = format!(
            "{} of the previous release {verb} no longer in the data ({} affected)",
            people(self.people),
            counted(self.groups, "group")
        );
        Some(match disclosed.is_empty() {
            true if self.columns.is_empty() => left,
            true => format!(
                "{left}. If their groups were published without them, no posterior would exceed the promised bound"
            ),
            false => format!(
                "{left}. If their groups were published without them, these values would exceed the promised bound: {}",
                disclosed.join("; ")
            ),
        })
    }
}
