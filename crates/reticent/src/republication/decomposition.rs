//! Decomposition: one release with several sensitive columns.
//!
//! Guarantee  no person's posterior for a value of a sensitive column exceeds 1/l of this column, given this release.
//! Method     groups of distinct values of the primary column by the largest-l rule, preferring records that repeat few values
//!            of the other columns. A remaining record joins a group that does not have its primary value. For every other
//!            column a group lists its distinct values. If these are fewer than l, noise values are added, which occur in the
//!            data with a primary value of the group (linkable values). Each column has its own list, so the release does not
//!            link values of different columns.
//! Differs    from the paper, which also publishes the joint marginal table. That table exposes the noise: tables 2 to 4 of the
//!            paper admit one allocation of pairs to groups, which discloses that half of group 1 earns 8.
//! Withholds  records that cannot be grouped, and reports the reason.
//! Paper      Ye, Liu, Wang, Lv and Feng, Decomposition: privacy preservation for multiple sensitive attributes, DASFAA 2009,
//!            as described by Das and Bhattacharyya. They do not define its penalty. Here the penalty is the number of columns
//!            in which a record repeats a value of a group that has too few distinct values.

pub(super) mod common;

use super::largest::MethodRng;
use super::{Form, GroupingOutcome, MethodDef, Reason, RepublicationTask, Updates};
use crate::error::{Refusal, Result};
use crate::registry::{Arguments, Entry, Kind};
use common::{DIVERSITY, DiversityRule, L, LinkableValues, MARGINALS, PRIMARY, RandomNoise, marginals, promise};

/// Catalogue entry of Decomposition.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "decomposition",
    title: "Decomposition",
    summary: "One release with several sensitive columns: groups with at least l distinct values of the primary column, and a separate \
              list of values of each column for each group.",
    paper: "Ye, Liu, Wang, Lv and Feng, Decomposition: privacy preservation for multiple sensitive attributes, DASFAA 2009",
    protects_against: "no person's posterior for a value of a sensitive column exceeds 1/l of this column, given this release; a second \
                       release is not covered",
    comparison: false,
    parameters: &[PRIMARY, L, DIVERSITY, MARGINALS],
    evidence: &["laws::republication::no_posterior_exceeds_the_promised_bound", "golden::republication"],
};

/// Definition of Decomposition.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: None,
    updates: Updates { again: false, insert: false, delete: false, reinsert: false, correct: false },
    promise,
    departure_rule: "not applicable, because there is one release",
    form: Form::Anatomized,
    run,
};

fn run(task: &RepublicationTask<'_>, arguments: &Arguments) -> Result<GroupingOutcome> {
    let rule = DiversityRule::new(task, arguments, &ENTRY)?;
    if !task.past.releases.is_empty() {
        let advice = "; choose decomposition-plus for several releases";
        return Err(Refusal::MethodCoversOneRelease { method: "Decomposition", advice }.into());
    }
    let mut order: Vec<u32> = (0..task.records.len() as u32).collect();
    let mut rng = MethodRng(task.seed);
    rng.shuffle(&mut order);
    let (mut groups, left) = rule.form_groups(task, order, &|_| 0);
    let mut outcome = GroupingOutcome { marginals: marginals(arguments)?, ..GroupingOutcome::default() };
    for (value, records) in left {
        let has = |group: &Vec<u32>| group.iter().any(|at| task.code(*at as usize, rule.primary) == value);
        let mut groups_without = groups.iter_mut().filter(|group| !has(group));
        for at in records {
            match groups_without.next() {
                Some(group) => group.push(at),
                None => outcome.withheld.push((at, Reason::TooCommon)),
            }
        }
    }
    let linkable = LinkableValues::new(task, &rule);
    let mut chooser = RandomNoise(rng);
    for members in groups {
        match rule.group_with_lists(task, members, &linkable, &mut chooser) {
            Ok(group) => outcome.groups.push(group),
            Err(members) => outcome.withheld.extend(members.into_iter().map(|at| (at, Reason::NoNoise))),
        }
    }
    Ok(outcome)
}
