//! People who are gone from the data: what it would tell to show their groups again without them and their values.
//!
//! The attack is critical absence: whoever holds the release before and the one after compares the values of a group. What is no
//! longer listed was a leaver's, and what is left is the others'.

use crate::text::{counted, grouped, people};
use std::collections::BTreeMap;

use super::Task;
use super::past::list_of;
use crate::error::Result;
use crate::links::ByOwner;
use crate::share::Share;

/// What the removal of people would tell by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Leaving {
    /// People of the newest release who are not in the data any more.
    pub people: u64,
    /// Groups of it that they were in.
    pub groups: u64,
    /// By sensitive column, what would be told.
    pub columns: Vec<LeavingColumn>,
}

/// What would be told of a sensitive column with more confidence than is promised.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LeavingColumn {
    /// The column.
    pub column: String,
    /// Of how many who are gone.
    pub gone: u64,
    /// Of how many of their groups who stay.
    pub staying: u64,
}

/// What the removal of people would tell, if their groups were shown again without them and their values. Columns without a promise
/// are not looked at, nor lists that only say which values there are.
///
/// # Errors
///
/// Fails if `promise` fails.
pub fn leaving(task: &Task<'_>, promise: &dyn Fn(&str) -> Result<Option<Share>>) -> Result<Leaving> {
    let Some(newest) = task.past.releases.last() else { return Ok(Leaving::default()) };
    let places: ByOwner<usize> = task.records.iter().zip(0..).map(|(record, at)| (record.who, at)).collect();
    let places = places.of_each(newest.who.iter().copied());
    // By group: whether somebody is gone.
    let mut touched = vec![false; newest.lists.len()];
    let mut leaving = Leaving::default();
    for (place, group) in places.iter().zip(&newest.of) {
        touched[*group as usize] |= place.is_none();
        leaving.people += u64::from(place.is_none());
    }
    leaving.groups = touched.iter().filter(|touched| **touched).count() as u64;
    // By group that is touched: where those of its people are who stay, and how many there were.
    let mut groups: BTreeMap<u32, (Vec<usize>, usize)> = BTreeMap::new();
    for (place, group) in places.iter().zip(&newest.of).filter(|(_, group)| touched[**group as usize]) {
        let (stay, people) = groups.entry(*group).or_default();
        stay.extend(place);
        *people += 1;
    }
    for column in task.sensitive() {
        let name = &task.table.columns[column].name;
        let Some(most) = promise(name)? else { continue };
        let above = |part: u64, whole: u64| Share::new(part, whole) > most;
        let mut told = LeavingColumn { column: name.clone(), gone: 0, staying: 0 };
        for (group, (stay, people)) in &groups {
            let Some(list) = list_of(&newest.lists[*group as usize], name).filter(|list| !list.set) else { continue };
            let mut after: BTreeMap<&str, u64> = BTreeMap::new();
            stay.iter().for_each(|at| *after.entry(task.value(*at, column)).or_default() += 1);
            // What is listed before and not after; what was nobody's may be among it.
            let missing =
                |(value, times): &(String, u64)| times.saturating_sub(after.get(value.as_str()).copied().unwrap_or(0));
            let missing: Vec<u64> = list.values.iter().map(missing).collect();
            if above(missing.iter().copied().max().unwrap_or(0), missing.iter().sum()) {
                told.gone += (people - stay.len()) as u64;
            }
            if above(after.values().copied().max().unwrap_or(0), stay.len() as u64) {
                told.staying += stay.len() as u64;
            }
        }
        leaving.columns.push(told);
    }
    Ok(leaving)
}

impl Leaving {
    /// What deleting those who left would disclose, in words; none if nobody left.
    pub fn words(&self) -> Option<String> {
        if self.people == 0 {
            return None;
        }
        let told: Vec<String> = self
            .columns
            .iter()
            .filter(|told| told.gone + told.staying > 0)
            .map(|told| {
                format!(
                    "the {} of {} of them and of {} who stay",
                    told.column,
                    grouped(told.gone),
                    people(told.staying)
                )
            })
            .collect();
        let are = if self.people == 1 { "is" } else { "are" };
        let left = format!(
            "{} of the release before {are} not in the data any more; they were in {}",
            people(self.people),
            counted(self.groups, "group")
        );
        Some(match told.is_empty() {
            true if self.columns.is_empty() => left,
            true => format!("{left}, which would tell nothing that is not allowed if they were shown without them"),
            false => format!(
                "{left}. Shown again without them and their values, these would tell, with more confidence than is promised, {}",
                told.join("; ")
            ),
        })
    }
}
