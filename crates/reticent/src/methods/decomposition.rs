//! Decomposition: several sensitive columns at once, one release.
//!
//! Promise  nobody's value of a sensitive column is told with more than 1/l of that column, by this release alone.
//! Method   groups of different values of the primary column by the largest-l rule, choosing people who repeat little in the other
//!          columns; who is left over joins a group that does not have their value. Of every other column a group lists its
//!          different values, and where they are fewer than l, false ones from among the values that occur in the data with one of the
//!          group's primary values. Everything is listed column by column: nothing tells which values belong together.
//! Not      published: the paper's marginal table of whole combinations. It undoes the false values: of its own tables 2 to 4 only one
//!          allocation of pairs to groups is possible, and it tells that half of group 1 earns 8.
//! Refuses  nothing silently: who cannot be put into a group is withheld, and the answer says why.
//! Paper    Ye, Liu, Wang, Lv and Feng, Decomposition: privacy preservation for multiple sensitive attributes, DASFAA 2009, as Das
//!          and Bhattacharyya describe it. Its penalty is not in their text; here it is the number of columns on which somebody repeats
//!          a value of a group that is short of different ones.

use super::decomposing::{AtRandom, DIVERSITY, Demand, L, Linkable, MARGINALS, PRIMARY, marginals, promise};
use super::largest::Drawn;
use super::{Form, Listed, Outcome, Reason, Task, Updates};
use crate::error::{Refusal, Result};
use crate::registry::{Arguments, Entry, Kind};

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "decomposition",
    title: "Decomposition",
    summary: "One release of several sensitive columns: groups by the primary one, and of each column the values of a group by themselves.",
    paper: "Ye, Liu, Wang, Lv and Feng, Decomposition: privacy preservation for multiple sensitive attributes, DASFAA 2009",
    thwarts: "nobody's value of a column is told with more than 1/l of that column by this release; it covers no second one",
    comparison: false,
    parameters: &[PRIMARY, L, DIVERSITY, MARGINALS],
    evidence: &["laws::methods::nobody_is_told_more_than_promised", "golden::methods"],
};

/// The method as it stands in the list.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: None,
    updates: Updates { again: false, insert: false, delete: false, reinsert: false, correct: false },
    promise,
    gone: "there is one release, so nobody goes",
    form: Form::Anatomized,
    run,
};

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let demand = Demand::of(task, arguments, &ENTRY)?;
    if !task.past.releases.is_empty() {
        let advice = "; choose decomposition-plus for several";
        return Err(Refusal::MethodCoversOneRelease { method: "Decomposition", advice }.into());
    }
    let mut order: Vec<u32> = (0..task.records.len() as u32).collect();
    let mut drawn = Drawn(task.seed);
    drawn.shuffle(&mut order);
    let (mut groups, left) = demand.form(task, order, &|_| 0);
    let mut outcome = Outcome { marginals: marginals(arguments)?, ..Outcome::default() };
    for (value, records) in left {
        let has = |group: &Vec<u32>| group.iter().any(|at| task.code(*at as usize, demand.primary) == value);
        let mut lacking = groups.iter_mut().filter(|group| !has(group));
        for at in records {
            match lacking.next() {
                Some(group) => group.push(at),
                None => outcome.withheld.push((at, Reason::TooCommon)),
            }
        }
    }
    let linkable = Linkable::among(task, &demand);
    let mut choose = AtRandom(drawn);
    for members in groups {
        match demand.list(task, members, &linkable, &mut choose) {
            Ok(group) => outcome.groups.push(group),
            Err(members) => outcome.withheld.extend(members.into_iter().map(|at| (at, Reason::NoNoise))),
        }
    }
    Ok(outcome)
}
