//! Anatomy: quasi-identifiers as they are, and beside them, group by group, the sensitive values.
//!
//! Promise  nobody's value is told with more than 1/l, by this release alone. A second release by Anatomy forms its groups anew
//!          and may tell everything, so there is none.
//! Method   groups of l different values by the largest-l rule; the few records left over each join a group that does not have
//!          their value.
//! Refuses  when a value has more than 1/l of the records: then no grouping keeps the promise.
//! Paper    Xiao and Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.

use super::largest::{Buckets, Drawn};
use super::{Form, Group, List, Listed, Outcome, Task, Updates};
use crate::error::{Error, Refusal, Result};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::share::Share;

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "anatomy",
    title: "Anatomy",
    summary: "One release: quasi-identifiers as they are, and the sensitive values of groups of at least l different ones.",
    paper: "Xiao and Tao, Anatomy: simple and effective privacy preservation, VLDB 2006",
    thwarts: "nobody's value is told with more than 1/l by this release; it covers no second one",
    comparison: false,
    parameters: &[Parameter {
        name: "l",
        domain: Domain::Whole(2),
        default: None,
        meaning: "how many different values a group has at least",
    }],
    evidence: &["laws::methods::nobody_is_told_more_than_promised"],
};

/// The method as it stands in the list.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: None,
    updates: Updates { again: false, insert: false, delete: false, reinsert: false, correct: false },
    promise: |arguments, _| Ok(Some(Share::new(1, arguments.whole("l")?))),
    gone: "there is one release, so nobody goes",
    form: Form::Anatomized,
    run,
};

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let l = arguments.whole("l")? as usize;
    let column = task.only_sensitive(&ENTRY)?;
    if !task.past.releases.is_empty() {
        let advice = ": a second forms its groups anew, and the two together may tell everything. Choose a method for several \
                      releases, such as m-invariance";
        return Err(Refusal::MethodCoversOneRelease { method: "Anatomy", advice }.into());
    }
    let values = task.table.columns[column].tree.len();
    let mut order: Vec<u32> = (0..task.records.len() as u32).collect();
    let mut drawn = Drawn(task.seed);
    drawn.shuffle(&mut order);
    let mut buckets = Buckets::of(values, order.into_iter().map(|at| (at, task.code(at as usize, column))));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    while let Some(chosen) = buckets.next(l) {
        groups.push(chosen.iter().filter_map(|value| buckets.records(*value).pop()).collect());
        buckets.put_back(&chosen);
    }
    let too_common =
        || Error::from(Refusal::ValueTooFrequent { column: task.table.columns[column].name.clone(), l: l as u64 });
    for (value, records) in buckets.left() {
        for record in records {
            // Those that have the value already cannot take it again.
            let fitting = |group: &&usize| groups[**group].iter().all(|at| task.code(*at as usize, column) != value);
            let start = if groups.is_empty() { return Err(too_common()) } else { drawn.below(groups.len()) };
            let order: Vec<usize> = (start..groups.len()).chain(0..start).collect();
            let group = *order.iter().find(fitting).ok_or_else(too_common)?;
            groups[group].push(record);
        }
    }
    let group = |members: Vec<u32>| {
        let lists = vec![List::of(members.iter().map(|at| task.value(*at as usize, column)))];
        Group { members, lists }
    };
    Ok(Outcome { groups: groups.into_iter().map(group).collect(), ..Outcome::default() })
}
