//! Decomposition+: several sensitive columns, release after release.
//!
//! Promise  nobody's value of a sensitive column is told with more than 1/l of that column, by all releases together, whoever comes,
//!          goes or comes back.
//! Why      a group lists the same for ever, and whoever was in it once is in no other. So a later release says of its people what the
//!          first said: the primary values are different and listed once each, and of the other columns only that everybody has one
//!          of at least l listed values (or the true ones, none above 1/l).
//! Method   new groups only from new people and those who wait, the longest first; published people stay in their group, whose list
//!          stays when some of them leave. False values are those nearest to the value that repeats.
//! Not      as in the paper, which puts who waited too long into a published group: the group's values before and after differ by
//!          exactly the newcomer's. Here they are published in a new group only, and reported as withheld until there is one.
//! Not      published: the marginal table, which undoes the false values (see Decomposition).
//! Paper    Das and Bhattacharyya, Decomposition+: improving l-diversity for multiple sensitive attributes, CCSIT 2012.

use super::decomposing::{DIVERSITY, Demand, L, Linkable, MARGINALS, Nearest, PRIMARY, marginals, promise};
use super::kept::kept;
use super::largest::Drawn;
use super::m_invariance::{CHANGED, refuse_changed};
use super::{Form, Group, List, Listed, Outcome, Reason, Task, Updates};
use crate::error::Result;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "decomposition-plus",
    title: "Decomposition+",
    summary: "Several sensitive columns, release after release: groups and their lists stay for ever, new ones are formed of new people.",
    paper: "Das and Bhattacharyya, Decomposition+: improving l-diversity for multiple sensitive attributes, CCSIT 2012",
    thwarts: "nobody's value of a column is told with more than 1/l of that column by all releases together, whoever comes, goes or \
              comes back",
    comparison: false,
    parameters: &[
        PRIMARY,
        L,
        DIVERSITY,
        MARGINALS,
        CHANGED,
        Parameter {
            name: "starvation",
            domain: Domain::Whole(0),
            default: Some("0"),
            meaning: "after so many releases a record that waits is reported as withheld, and still tried first; 0 is never",
        },
    ],
    evidence: &["laws::methods::nobody_is_told_more_than_promised", "golden::methods"],
};

/// The method as it stands in the list.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise,
    gone: "their groups are shown with the same values as before, without saying whose are gone",
    form: Form::Anatomized,
    run,
};

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let demand = Demand::of(task, arguments, &ENTRY)?;
    let (kept, of) = kept(task);
    let mut outcome = Outcome { marginals: marginals(arguments)?, ..Outcome::default() };
    let mut staying: Vec<Vec<u32>> = vec![Vec::new(); kept.len()];
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        match of.get(&task.records[at as usize].who) {
            None => new.push(at),
            _ if task.changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(Some(group)) if enough(task, &demand, at, &kept[*group]) => staying[*group].push(at),
            Some(_) => outcome.withheld.push((at, Reason::History)),
        }
    }
    refuse_changed(&outcome, arguments)?;
    let names: Vec<&String> = task.sensitive().into_iter().map(|at| &task.table.columns[at].name).collect();
    for (members, lists) in staying.into_iter().zip(&kept).filter(|(members, _)| !members.is_empty()) {
        // Where another release, judged by itself, put others into a group that lists the same, they may be too many for it.
        if !fit(task, &members, lists) {
            outcome.withheld.extend(members.into_iter().map(|at| (at, Reason::History)));
            continue;
        }
        let list = |name: &&String| lists.iter().find(|(known, _)| known == *name).map(|(_, list)| list.clone());
        outcome.groups.push(Group { members, lists: names.iter().filter_map(list).collect() });
    }
    Drawn(task.seed).shuffle(&mut new);
    let waited: Vec<u32> = (0..task.records.len()).map(|at| task.waited(at)).collect();
    // Those who waited longest are taken first.
    new.sort_by_key(|at| waited[*at as usize]);
    let (groups, left) = demand.form(task, new, &|at| waited[at as usize]);
    let linkable = Linkable::among(task, &demand);
    let starvation = u32::try_from(arguments.whole("starvation")?).unwrap_or(u32::MAX);
    let mut wait = |at: u32| match waited[at as usize] {
        times if starvation > 0 && times > starvation => outcome.withheld.push((at, Reason::Starved)),
        times => outcome.waiting.push((at, times)),
    };
    left.into_iter().flat_map(|(_, records)| records).for_each(&mut wait);
    let mut nearest = Nearest::of(task);
    for members in groups {
        match demand.list(task, members, &linkable, &mut nearest) {
            Ok(group) => outcome.groups.push(group),
            Err(members) => members.into_iter().for_each(&mut wait),
        }
    }
    Ok(outcome)
}

/// Whether everybody can have one of the values that are listed, each as often as it is.
fn fit(task: &Task<'_>, members: &[u32], lists: &[(String, List)]) -> bool {
    task.sensitive().into_iter().all(|column| {
        let listed = lists.iter().find(|(name, _)| *name == task.table.columns[column].name);
        let have = List::of(members.iter().map(|at| task.value(*at as usize, column)));
        listed.is_some_and(|(_, list)| list.holds(&have))
    })
}

/// Whether a group lists what is asked now, and what the record holds.
fn enough(task: &Task<'_>, demand: &Demand, at: u32, lists: &[(String, List)]) -> bool {
    task.sensitive().into_iter().all(|column| {
        let name = &task.table.columns[column].name;
        let Some((_, list)) = lists.iter().find(|(known, _)| known == name) else { return false };
        let others = demand.others.iter().find(|(other, _)| *other == column);
        let l = others.map_or(demand.l, |(_, l)| *l);
        let most = list.values.iter().map(|(_, times)| *times).max().unwrap_or(0);
        let diverse =
            if list.set { list.values.len() >= l } else { (most as usize).saturating_mul(l) <= list.len() as usize };
        diverse && list.has(task.value(at as usize, column))
    })
}
