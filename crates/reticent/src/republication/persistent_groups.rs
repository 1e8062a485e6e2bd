//! Persistent groups: every person stays in one group in all releases, and its lists do not change.

use hashbrown::HashMap;

use super::{List, Lists, RepublicationTask};
use crate::data::links::Pseudonym;

/// The lists of each persistent group, and the index of the group by owner. `None`: the owner was in different groups.
pub(super) type PersistentGroups = (Vec<Lists>, HashMap<Pseudonym, Option<usize>>);

/// Reconstructs the persistent groups from the earlier releases.
///
/// Groups of two releases are the same group if they have a member in common. All their members belong to it.
pub(super) fn persistent_groups(task: &RepublicationTask<'_>) -> PersistentGroups {
    let mut lists: Vec<Lists> = Vec::new();
    let mut group_of: HashMap<Pseudonym, Option<usize>> = HashMap::new();
    for group in task.past.releases.iter().flat_map(|release| release.groups()) {
        let before = group.members.iter().find_map(|member| group_of.get(member).copied());
        let current = match before {
            Some(None) => None,
            Some(Some(known)) => is_same_group(&lists[known], &group.lists).then_some(known),
            None => {
                lists.push(group.lists.clone());
                Some(lists.len() - 1)
            }
        };
        for member in &group.members {
            let known = group_of.entry(*member).or_insert(current);
            if *known != current {
                *known = None;
            }
        }
    }
    (lists, group_of)
}

/// Returns true if the lists are unchanged, or if a list became the set of the same values.
fn is_same_group(before: &Lists, now: &Lists) -> bool {
    let values = |list: &List| list.values.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>();
    let same = |before: &List, now: &List| before == now || now.is_set && values(before) == values(now);
    before == now
        || before.len() == now.len()
            && before.iter().zip(now.iter()).all(|((name, before), (other, now))| name == other && same(before, now))
}
