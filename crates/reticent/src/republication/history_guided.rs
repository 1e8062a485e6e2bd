//! History-guided bucketization: groups persist, and a newcomer with the same value replaces a leaver.
//!
//! Guarantee  no person's posterior for a value exceeds 1/l, given all releases, with insertions, deletions and reinsertions.
//! Proof      a group lists at least l distinct values, each once, in every release, and a person is in one group only.
//!            Exchanging two of its values in all possible worlds does not change the releases.
//! Method     published people stay in their group. A newcomer with the same value takes the place of a leaver; if there is
//!            none, a counterfeit record does, if the policy allows it. Other newcomers form new groups by the largest-l rule,
//!            and remaining records are postponed.
//! Differs    from the paper, in which a group may list a value several times. Then replacements disclose values: if two people
//!            of a group a, a, b, c are replaced, 22 possible worlds remain, and a person who stayed has a in 12 of them, more
//!            than 1/2. Here each value is listed once.
//! Excludes   attackers who know the value of a leaver, and infer that the replacement has the same value.
//! Paper      Wang, Zhu, Du and Teng, Inference analysis in privacy-preserving data re-publishing, ICDM 2009: its second
//!            strategy.

use hashbrown::HashMap;

use super::largest::{MethodRng, form_groups};
use super::m_invariance::{CHANGED, COUNTERFEITS, LEAVERS_REPLACED, check_changed};
use super::persistent_groups::persistent_groups;
use super::{Form, GroupingOutcome, List, Lists, MethodDef, Reason, ReleaseGroup, RepublicationTask, Updates};
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};

/// Catalogue entry of history-guided bucketization.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "history-guided",
    title: "history-guided bucketization",
    summary: "Groups keep their list of at least l distinct values in all releases; a newcomer with the same value or a counterfeit \
              record replaces a leaver.",
    paper: "Wang, Zhu, Du and Teng, Inference analysis in privacy-preserving data re-publishing, ICDM 2009",
    protects_against: "no person's posterior for a sensitive value exceeds 1/l, given all releases, with insertions, deletions and \
                       reinsertions",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "l",
            domain: Domain::Whole(2),
            default: None,
            meaning: "minimum number of distinct values in the list of a group",
        },
        COUNTERFEITS,
        CHANGED,
    ],
    evidence: &["laws::republication::no_posterior_exceeds_the_promised_bound"],
};

/// Definition of history-guided bucketization.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise: |arguments, _| Ok(Some(Ratio::new(1, arguments.whole("l")?))),
    departure_rule: LEAVERS_REPLACED,
    form: Form::Anatomized,
    run,
};

/// The places of a published group, one for each listed value.
struct Slots {
    values: Vec<String>,
    /// Record in each place, by value.
    places: Vec<Option<u32>>,
}

impl Slots {
    /// Creates empty places. Returns `None` if the list is a set, or has a count above 1.
    fn new(list: &List) -> Option<Slots> {
        let once = !list.is_set && list.values.iter().all(|(_, times)| *times == 1);
        let values: Vec<String> = list.values.iter().map(|(value, _)| value.clone()).collect();
        once.then(|| Slots { places: vec![None; values.len()], values })
    }
}

fn run(task: &RepublicationTask<'_>, arguments: &Arguments) -> Result<GroupingOutcome> {
    let l = arguments.whole("l")? as usize;
    let counterfeits = arguments.flag("counterfeits")?;
    let column = task.single_sensitive(&ENTRY)?;
    let name = &task.table.columns[column].name;
    let (groups, group_of) = persistent_groups(task);
    let slots = |lists: &Lists| Slots::new(lists.iter().find(|(known, _)| known == name).map(|(_, list)| list)?);
    let mut groups: Vec<Option<Slots>> = groups.iter().map(slots).collect();
    let mut outcome = GroupingOutcome::default();
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        let value = task.value(at as usize, column);
        match group_of.get(&task.records[at as usize].person) {
            None => new.push(at),
            _ if task.is_changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(None) => outcome.withheld.push((at, Reason::History)),
            Some(Some(group)) => {
                let Some(group) = &mut groups[*group] else {
                    outcome.withheld.push((at, Reason::History));
                    continue;
                };
                match group.values.iter().position(|known| known == value) {
                    _ if group.values.len() < l => outcome.withheld.push((at, Reason::History)),
                    None => outcome.withheld.push((at, Reason::Changed)),
                    // A replacement, or another returning person, has the place.
                    Some(place) if group.places[place].is_some() => outcome.withheld.push((at, Reason::History)),
                    Some(place) => group.places[place] = Some(at),
                }
            }
        }
    }
    check_changed(&outcome, arguments)?;
    MethodRng(task.seed).shuffle(&mut new);
    let mut newcomers: HashMap<&str, Vec<u32>> = HashMap::new();
    new.iter().for_each(|at| newcomers.entry(task.value(*at as usize, column)).or_default().push(*at));
    for group in groups.iter_mut().flatten() {
        // No newcomer joins a group without present members.
        if group.places.iter().all(Option::is_none) {
            continue;
        }
        for (value, place) in group.values.iter().zip(&mut group.places).filter(|(_, place)| place.is_none()) {
            *place = newcomers.get_mut(value.as_str()).and_then(Vec::pop);
        }
        let is_complete = group.places.iter().all(Option::is_some);
        if is_complete || counterfeits {
            let members = group.places.iter().flatten().copied().collect();
            outcome.groups.push(group_with_list(members, group.values.iter().map(String::as_str)));
            continue;
        }
        for at in group.places.iter().flatten() {
            match group_of.contains_key(&task.records[*at as usize].person) {
                true => outcome.withheld.push((*at, Reason::History)),
                false => newcomers.entry(task.value(*at as usize, column)).or_default().push(*at),
            }
        }
    }
    let remaining: Vec<u32> = newcomers.into_values().flatten().collect();
    for members in form_groups(task, column, l, remaining, &mut outcome) {
        let values: Vec<&str> = members.iter().map(|at| task.value(*at as usize, column)).collect();
        outcome.groups.push(group_with_list(members, values));
    }
    Ok(outcome)
}

fn group_with_list<'t>(members: Vec<u32>, values: impl IntoIterator<Item = &'t str>) -> ReleaseGroup {
    ReleaseGroup { members, lists: vec![List::new(values)] }
}
