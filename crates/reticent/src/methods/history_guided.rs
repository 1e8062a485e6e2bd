//! History-guided bucketization: groups stay what they are; who leaves is followed by somebody with the same value.
//!
//! Promise  nobody's value is told with more than 1/l, by all releases together, whoever comes, goes or comes back.
//! Why      a group lists l or more different values, once each, in every release in which it is shown, and whoever was in it once
//!          is in no other. Exchanging two of its values in all worlds changes nothing that was published.
//! Method   people who were published stay in their group; a place that somebody left is taken by a new person with the same value,
//!          or, where the policy allows it, by a counterfeit. The other new people form new groups by the largest-l rule; who is left
//!          over waits.
//! Not      as in the paper, which lets a group list a value several times. Then filling places tells: in a group of a, a, b, c of whom
//!          two are replaced, 22 worlds are left, and somebody who stayed has a in 12 of them, more than 1/2. So here values are
//!          listed once.
//! Not      covered: that whoever follows somebody has the same value, for who knows that somebody's.
//! Paper    Wang, Zhu, Du and Teng, Inference analysis in privacy-preserving data re-publishing, ICDM 2009: its second strategy.

use hashbrown::HashMap;

use super::kept::kept;
use super::largest::{Drawn, fresh};
use super::m_invariance::{CHANGED, COUNTERFEITS, refuse_changed};
use super::{Form, Group, List, Listed, Lists, Outcome, Reason, Task, Updates};
use crate::error::Result;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::share::Share;

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "history-guided",
    title: "history-guided bucketization",
    summary: "Groups keep their list of values for ever; who leaves is followed by somebody with the same value, or by a counterfeit.",
    paper: "Wang, Zhu, Du and Teng, Inference analysis in privacy-preserving data re-publishing, ICDM 2009",
    thwarts: "nobody's value is told with more than 1/l by all releases together, whoever comes, goes or comes back",
    comparison: false,
    parameters: &[
        Parameter {
            name: "l",
            domain: Domain::Whole(2),
            default: None,
            meaning: "how many different values a group lists at least",
        },
        COUNTERFEITS,
        CHANGED,
    ],
    evidence: &["laws::methods::nobody_is_told_more_than_promised"],
};

/// The method as it stands in the list.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise: |arguments, _| Ok(Some(Share::new(1, arguments.whole("l")?))),
    gone: "their places are taken by newcomers with the same value or by counterfeits, so that their groups' values stay (with `counterfeits = false`, the others of their groups are withheld where nobody takes a place)",
    form: Form::Anatomized,
    run,
};

/// A group that was published before.
struct Slots {
    values: Vec<String>,
    /// By value: who is in its place now.
    places: Vec<Option<u32>>,
}

impl Slots {
    /// None when a value is listed twice.
    fn of(list: &List) -> Option<Slots> {
        let once = !list.set && list.values.iter().all(|(_, times)| *times == 1);
        let values: Vec<String> = list.values.iter().map(|(value, _)| value.clone()).collect();
        once.then(|| Slots { places: vec![None; values.len()], values })
    }
}

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let l = arguments.whole("l")? as usize;
    let counterfeits = arguments.flag("counterfeits")?;
    let column = task.only_sensitive(&ENTRY)?;
    let name = &task.table.columns[column].name;
    let (kept, of) = kept(task);
    let slots = |lists: &Lists| Slots::of(lists.iter().find(|(known, _)| known == name).map(|(_, list)| list)?);
    let mut kept: Vec<Option<Slots>> = kept.iter().map(slots).collect();
    let mut outcome = Outcome::default();
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        let value = task.value(at as usize, column);
        match of.get(&task.records[at as usize].who) {
            None => new.push(at),
            _ if task.changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(None) => outcome.withheld.push((at, Reason::History)),
            Some(Some(group)) => {
                let Some(group) = &mut kept[*group] else {
                    outcome.withheld.push((at, Reason::History));
                    continue;
                };
                match group.values.iter().position(|known| known == value) {
                    _ if group.values.len() < l => outcome.withheld.push((at, Reason::History)),
                    None => outcome.withheld.push((at, Reason::Changed)),
                    // Somebody who followed them is there, or came back first.
                    Some(place) if group.places[place].is_some() => outcome.withheld.push((at, Reason::History)),
                    Some(place) => group.places[place] = Some(at),
                }
            }
        }
    }
    refuse_changed(&outcome, arguments)?;
    Drawn(task.seed).shuffle(&mut new);
    let mut newcomers: HashMap<&str, Vec<u32>> = HashMap::new();
    new.iter().for_each(|at| newcomers.entry(task.value(*at as usize, column)).or_default().push(*at));
    for group in kept.iter_mut().flatten() {
        // Nobody joins a group of which nobody is left.
        if group.places.iter().all(Option::is_none) {
            continue;
        }
        for (value, place) in group.values.iter().zip(&mut group.places).filter(|(_, place)| place.is_none()) {
            *place = newcomers.get_mut(value.as_str()).and_then(Vec::pop);
        }
        let whole = group.places.iter().all(Option::is_some);
        if whole || counterfeits {
            let members = group.places.iter().flatten().copied().collect();
            outcome.groups.push(listed(members, group.values.iter().map(String::as_str)));
            continue;
        }
        for at in group.places.iter().flatten() {
            match of.contains_key(&task.records[*at as usize].who) {
                true => outcome.withheld.push((*at, Reason::History)),
                false => newcomers.entry(task.value(*at as usize, column)).or_default().push(*at),
            }
        }
    }
    let left: Vec<u32> = newcomers.into_values().flatten().collect();
    for members in fresh(task, column, l, left, &mut outcome) {
        let values: Vec<&str> = members.iter().map(|at| task.value(*at as usize, column)).collect();
        outcome.groups.push(listed(members, values));
    }
    Ok(outcome)
}

fn listed<'t>(members: Vec<u32>, values: impl IntoIterator<Item = &'t str>) -> Group {
    Group { members, lists: vec![List::of(values)] }
}
