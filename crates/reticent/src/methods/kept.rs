//! Groups that go on: whoever was published in one stays in it, and it always lists the same.

use hashbrown::HashMap;

use super::{List, Lists, Task};
use crate::links::Pseudonym;

/// The lists of the groups that were published before, each group once; and by owner the one they were in, none when that was not
/// always the same.
pub(super) type Kept = (Vec<Lists>, HashMap<Pseudonym, Option<usize>>);

/// What goes on. A group is the one of before when somebody is in both; whoever was ever in it belongs to it.
pub(super) fn kept(task: &Task<'_>) -> Kept {
    let mut kept: Vec<Lists> = Vec::new();
    let mut of: HashMap<Pseudonym, Option<usize>> = HashMap::new();
    for group in task.past.releases.iter().flat_map(|release| release.groups()) {
        let before = group.members.iter().find_map(|member| of.get(member).copied());
        let here = match before {
            Some(None) => None,
            Some(Some(known)) => goes_on(&kept[known], &group.lists).then_some(known),
            None => {
                kept.push(group.lists.clone());
                Some(kept.len() - 1)
            }
        };
        for member in &group.members {
            let known = of.entry(*member).or_insert(here);
            if *known != here {
                *known = None;
            }
        }
    }
    (kept, of)
}

/// Whether a group lists what it did: the same, or the same values without how often each is there.
fn goes_on(before: &Lists, now: &Lists) -> bool {
    let values = |list: &List| list.values.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>();
    let same = |before: &List, now: &List| before == now || now.set && values(before) == values(now);
    before == now
        || before.len() == now.len()
            && before.iter().zip(now.iter()).all(|((name, before), (other, now))| name == other && same(before, now))
}
