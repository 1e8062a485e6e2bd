//! Decomposition+: several releases with several sensitive columns.
//!
//! Guarantee  no person's posterior for a value of a sensitive column exceeds 1/l of this column, given all releases, with
//!            insertions, deletions and reinsertions.
//! Proof      the lists of a group never change, and a person is in one group only. So a later release adds no information
//!            about a group: the primary values are distinct and listed once each, and for every other column each person has
//!            one of at least l listed values (or the true values are listed, none with a share above 1/l).
//! Method     new groups are formed from newcomers and postponed records only, the longest postponed first. Published people
//!            stay in their group, whose lists do not change if members leave. A noise value is the linkable value that is
//!            nearest to the repeated value.
//! Differs    from the paper, which adds a record that was postponed too long to a published group. Then the lists before and
//!            after differ by exactly the value of the newcomer. Here the record is only published in a new group, and is
//!            reported as withheld until then. The joint marginal table, which exposes the noise, is not published by default
//!            (see Decomposition).
//! Paper      Das and Bhattacharyya, Decomposition+: improving l-diversity for multiple sensitive attributes, CCSIT 2012.

use super::decomposition::common::{
    DIVERSITY, DiversityRule, L, LinkableValues, MARGINALS, NearestNoise, PRIMARY, marginals, promise,
};
use super::largest::MethodRng;
use super::m_invariance::{CHANGED, check_changed};
use super::persistent_groups::persistent_groups;
use super::{Form, GroupingOutcome, List, MethodDef, Reason, ReleaseGroup, RepublicationTask, Updates};
use crate::error::Result;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};

/// Catalogue entry of Decomposition+.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "decomposition-plus",
    title: "Decomposition+",
    summary: "Several releases with several sensitive columns: groups and their lists never change, and new groups are formed from \
              newcomers.",
    paper: "Das and Bhattacharyya, Decomposition+: improving l-diversity for multiple sensitive attributes, CCSIT 2012",
    protects_against: "no person's posterior for a value of a sensitive column exceeds 1/l of this column, given all releases, with \
                       insertions, deletions and reinsertions",
    comparison: false,
    parameters: &[
        PRIMARY,
        L,
        DIVERSITY,
        MARGINALS,
        CHANGED,
        ParameterDef {
            name: "starvation",
            domain: Domain::Whole(0),
            default: Some("0"),
            meaning: "maximum number of releases for which a record is postponed; after that it is reported as withheld, and still tried \
                      first; 0: no maximum",
        },
    ],
    evidence: &["laws::republication::no_posterior_exceeds_the_promised_bound", "golden::republication"],
};

/// Definition of Decomposition+.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise,
    departure_rule: "the groups of the leavers are published with unchanged lists",
    form: Form::Anatomized,
    run,
};

fn run(task: &RepublicationTask<'_>, arguments: &Arguments) -> Result<GroupingOutcome> {
    let rule = DiversityRule::new(task, arguments, &ENTRY)?;
    let (lists, group_of) = persistent_groups(task);
    let mut outcome = GroupingOutcome { marginals: marginals(arguments)?, ..GroupingOutcome::default() };
    let mut staying: Vec<Vec<u32>> = vec![Vec::new(); lists.len()];
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        match group_of.get(&task.records[at as usize].person) {
            None => new.push(at),
            _ if task.is_changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(Some(group)) if is_sufficient(task, &rule, at, &lists[*group]) => staying[*group].push(at),
            Some(_) => outcome.withheld.push((at, Reason::History)),
        }
    }
    check_changed(&outcome, arguments)?;
    let names: Vec<&String> = task.sensitive().into_iter().map(|at| &task.table.columns[at].name).collect();
    for (members, lists) in staying.into_iter().zip(&lists).filter(|(members, _)| !members.is_empty()) {
        // A release that ignored the history may have put other people into a group with equal lists: then there are too many.
        if !lists_cover(task, &members, lists) {
            outcome.withheld.extend(members.into_iter().map(|at| (at, Reason::History)));
            continue;
        }
        let list = |name: &&String| lists.iter().find(|(known, _)| known == *name).map(|(_, list)| list.clone());
        outcome.groups.push(ReleaseGroup { members, lists: names.iter().filter_map(list).collect() });
    }
    MethodRng(task.seed).shuffle(&mut new);
    let times_postponed: Vec<u32> = (0..task.records.len()).map(|at| task.times_postponed(at)).collect();
    // The last records are taken first: those that are postponed longest.
    new.sort_by_key(|at| times_postponed[*at as usize]);
    let (groups, left) = rule.form_groups(task, new, &|at| times_postponed[at as usize]);
    let linkable = LinkableValues::new(task, &rule);
    let starvation = u32::try_from(arguments.whole("starvation")?).unwrap_or(u32::MAX);
    let mut postpone = |at: u32| match times_postponed[at as usize] {
        times if starvation > 0 && times > starvation => outcome.withheld.push((at, Reason::Starved)),
        times => outcome.postponed.push((at, times)),
    };
    left.into_iter().flat_map(|(_, records)| records).for_each(&mut postpone);
    let mut nearest = NearestNoise::new(task);
    for members in groups {
        match rule.group_with_lists(task, members, &linkable, &mut nearest) {
            Ok(group) => outcome.groups.push(group),
            Err(members) => members.into_iter().for_each(&mut postpone),
        }
    }
    Ok(outcome)
}

/// Returns true if the lists are consistent with the values of the members.
fn lists_cover(task: &RepublicationTask<'_>, members: &[u32], lists: &[(String, List)]) -> bool {
    task.sensitive().into_iter().all(|column| {
        let listed = lists.iter().find(|(name, _)| *name == task.table.columns[column].name);
        let actual = List::new(members.iter().map(|at| task.value(*at as usize, column)));
        listed.is_some_and(|(_, list)| list.covers(&actual))
    })
}

/// Returns true if the lists of a group satisfy the rule, and contain the values of the record.
fn is_sufficient(task: &RepublicationTask<'_>, rule: &DiversityRule, at: u32, lists: &[(String, List)]) -> bool {
    task.sensitive().into_iter().all(|column| {
        let name = &task.table.columns[column].name;
        let Some((_, list)) = lists.iter().find(|(known, _)| known == name) else { return false };
        let others = rule.others.iter().find(|(other, _)| *other == column);
        let l = others.map_or(rule.l, |(_, l)| *l);
        let highest = list.values.iter().map(|(_, times)| *times).max().unwrap_or(0);
        let diverse = if list.is_set {
            list.values.len() >= l
        } else {
            (highest as usize).saturating_mul(l) <= list.len() as usize
        };
        diverse && list.contains(task.value(at as usize, column))
    })
}
