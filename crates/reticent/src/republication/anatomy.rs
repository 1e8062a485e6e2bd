//! Anatomy: unchanged quasi-identifiers in one table, and the sensitive values of each group in another.
//!
//! Guarantee  no person's posterior for a value exceeds 1/l, given this release. A second release by Anatomy would form new
//!            groups and could disclose every value, so it is refused.
//! Method     groups of l distinct values by the largest-l rule. Each remaining record joins a group that does not have its
//!            value.
//! Refuses    if a value has more than 1/l of the records: then no grouping keeps the guarantee.
//! Paper      Xiao and Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.

use super::largest::{MethodRng, ValueBuckets};
use super::{Form, GroupingOutcome, List, MethodDef, ReleaseGroup, RepublicationTask, Updates};
use crate::error::{Error, Refusal, Result};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};

/// Catalogue entry of Anatomy.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "anatomy",
    title: "Anatomy",
    summary: "One release with unchanged quasi-identifiers; a separate table lists the sensitive values of each group, at least l \
              distinct ones.",
    paper: "Xiao and Tao, Anatomy: simple and effective privacy preservation, VLDB 2006",
    protects_against: "no person's posterior for a sensitive value exceeds 1/l, given this release; a second release is not covered",
    comparison: false,
    parameters: &[ParameterDef {
        name: "l",
        domain: Domain::Whole(2),
        default: None,
        meaning: "minimum number of distinct values in a group",
    }],
    evidence: &["laws::republication::no_posterior_exceeds_the_promised_bound"],
};

/// Definition of Anatomy.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: None,
    updates: Updates { again: false, insert: false, delete: false, reinsert: false, correct: false },
    promise: |arguments, _| Ok(Some(Ratio::new(1, arguments.whole("l")?))),
    departure_rule: "not applicable, because there is one release",
    form: Form::Anatomized,
    run,
};

fn run(task: &RepublicationTask<'_>, arguments: &Arguments) -> Result<GroupingOutcome> {
    let l = arguments.whole("l")? as usize;
    let column = task.single_sensitive(&ENTRY)?;
    if !task.past.releases.is_empty() {
        let advice = ": a second release with new groups could disclose every value. Choose a method for several releases, such \
                      as m-invariance";
        return Err(Refusal::MethodCoversOneRelease { method: "Anatomy", advice }.into());
    }
    let values = task.table.columns[column].tree.len();
    let mut order: Vec<u32> = (0..task.records.len() as u32).collect();
    let mut rng = MethodRng(task.seed);
    rng.shuffle(&mut order);
    let mut buckets = ValueBuckets::new(values, order.into_iter().map(|at| (at, task.code(at as usize, column))));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    while let Some(chosen) = buckets.next(l) {
        groups.push(chosen.iter().filter_map(|value| buckets.records(*value).pop()).collect());
        buckets.put_back(&chosen);
    }
    let too_common =
        || Error::from(Refusal::ValueTooFrequent { column: task.table.columns[column].name.clone(), l: l as u64 });
    for (value, records) in buckets.into_remaining() {
        for record in records {
            // A group must not contain the value twice.
            let fitting = |group: &&usize| groups[**group].iter().all(|at| task.code(*at as usize, column) != value);
            let start = if groups.is_empty() { return Err(too_common()) } else { rng.below(groups.len()) };
            let order: Vec<usize> = (start..groups.len()).chain(0..start).collect();
            let group = *order.iter().find(fitting).ok_or_else(too_common)?;
            groups[group].push(record);
        }
    }
    let group = |members: Vec<u32>| {
        let lists = vec![List::new(members.iter().map(|at| task.value(*at as usize, column)))];
        ReleaseGroup { members, lists }
    };
    Ok(GroupingOutcome { groups: groups.into_iter().map(group).collect(), ..GroupingOutcome::default() })
}
