//! Groups that go on: whoever was published in one stays in it, and it always lists the same.

use hashbrown::HashMap;

use super::{Lists, Task};
use crate::links::Pseudonym;

/// The lists of the groups that were published before, each group once; and by owner the one they were in, none when that was not
/// always the same.
pub type Kept = (Vec<Lists>, HashMap<Pseudonym, Option<usize>>);

/// What goes on. A group is the one of before when somebody is in both; whoever was ever in it belongs to it.
pub fn kept(task: &Task<'_>) -> Kept {
    let mut kept: Vec<Lists> = Vec::new();
    let mut of: HashMap<Pseudonym, Option<usize>> = HashMap::new();
    for group in task.past.releases.iter().flat_map(|release| release.groups()) {
        let before = group.members.iter().find_map(|member| of.get(member).copied());
        let here = match before {
            Some(None) => None,
            Some(Some(known)) => (kept[known] == group.lists).then_some(known),
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
