//! Incremental l-diversity: people come, and each set of newcomers is l-diverse by itself, also inside a group that was there.
//!
//! Promise  nobody's value is told with more than 1/l, by all releases together, whoever comes, goes or comes back.
//! Why      a group is made of *parts*: people who were published first in the same release, with l or more different values, one
//!          each. When a part is new, everybody else of its group is shown, so the difference to earlier releases is the part's own
//!          list, and what follows from all releases together is this list for each part and nothing else: a group that
//!          is shown without some of its people, with the same list, adds nothing. Within a part everybody is as likely to have one
//!          value as another.
//! Method   newcomers are halved along quasi-identifiers as long as both halves can be put into parts, and parts are formed by the
//!          largest-l rule, those who waited longest first. A part joins the nearest group of which everybody is there, where
//!          the box around both is no wider than their two boxes; else it is a group of its own. Who left is no longer shown, their
//!          value stays listed as long as somebody of their part is there, and who comes back is in their group again. Who cannot be
//!          placed waits.
//! Not      as in the paper, which looks at groups two by two: an old and a new group that overlap must have l values in common, and
//!          what one has beyond the other must be l-diverse. People 1, 2 and 3, 4 with a, b each, then 1, 4 with a, b and 2, 3, 5
//!          with a, b, c pass that for l = 2, and 5 has c: both new groups less both old ones are 5 alone. So here people never
//!          change groups. Nor does a part join a group that somebody left: of 1, 2 with x, z let 1 go, and 3, 4 with x, y join;
//!          of 9 worlds, 1 has z in 6. That l-diverse means values once each is stricter than the paper too: a, a, a, b has two.
//! Not      covered: corrected values, which are withheld or refused; attackers who know others' values, or how the algorithm decided.
//! Paper    Byun, Sohn, Bertino and Li, Secure anonymization for incremental datasets, SDM 2006 (VLDB workshop); Byun, Li, Bertino,
//!          Li and Sohn, Privacy-preserving incremental data dissemination, Journal of Computer Security 2009.

use hashbrown::HashMap;

use super::largest::{Buckets, Drawn};
use super::m_invariance::{CHANGED, refuse_changed};
use super::{Form, Group, List, Listed, Outcome, Reason, ShownGroup, Task, Updates};
use crate::error::Result;
use crate::links::Pseudonym;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::share::Share;
use crate::taxonomy::Code;

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "incremental-l-diversity",
    title: "incremental l-diversity",
    summary: "People come and join groups near them, in sets that are l-diverse by themselves; groups keep their people, and who cannot be placed waits.",
    paper: "Byun, Sohn, Bertino and Li, Secure anonymization for incremental datasets, 2006; Byun, Li, Bertino, Li and Sohn, \
            Privacy-preserving incremental data dissemination, 2009",
    thwarts: "nobody's value is told with more than 1/l by all releases together, whoever comes, goes or comes back",
    comparison: false,
    parameters: &[
        Parameter {
            name: "l",
            domain: Domain::Whole(2),
            default: None,
            meaning: "how many different values a set of newcomers has at least",
        },
        Parameter {
            name: "parts",
            domain: Domain::Whole(1),
            default: Some("3"),
            meaning: "how many sets of newcomers are in one group at most; with 1, newcomers are in groups of their own",
        },
        CHANGED,
    ],
    evidence: &["laws::methods", "methods::tests"],
};

/// The method as it stands in the list.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise: |arguments, _| Ok(Some(Share::new(1, arguments.whole("l")?))),
    gone: "their groups are shown with the same values as before, or withheld where too few are left",
    form: Form::Generalized,
    run,
};

/// People who were published first together.
struct Part {
    people: usize,
    /// Their values, ascending.
    values: Vec<String>,
    /// The group they are in.
    group: usize,
    /// Those of them who are here now.
    here: Vec<u32>,
}

/// A group as it is published now.
#[derive(Default)]
struct Standing {
    members: Vec<u32>,
    values: Vec<String>,
    /// How many parts it ever had.
    parts: usize,
    /// Whether everybody of the parts that are listed is here.
    whole: bool,
}

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let l = arguments.whole("l")? as usize;
    let column = task.only_sensitive(&ENTRY)?;
    let Known { mut parts, of } = Known::of(task, column);
    let mut outcome = Outcome::default();
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        let value = task.value(at as usize, column);
        match of.get(&task.records[at as usize].who) {
            None => new.push(at),
            _ if task.changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(None) => outcome.withheld.push((at, Reason::History)),
            Some(Some(part)) => match &mut parts[*part] {
                part if part.values.len() < l => outcome.withheld.push((at, Reason::History)),
                part if part.values.iter().any(|known| known == value) => part.here.push(at),
                _ => outcome.withheld.push((at, Reason::Changed)),
            },
        }
    }
    refuse_changed(&outcome, arguments)?;
    let mut groups = standing(parts);
    let fresh = fresh(task, column, l, new, &mut outcome);
    extend(task, column, arguments.whole("parts")? as usize, fresh, &mut groups);
    let groups = groups.into_iter().filter(|group| !group.members.is_empty());
    outcome.groups = groups
        .map(|group| Group { members: group.members, lists: vec![List::of(group.values.iter().map(String::as_str))] })
        .collect();
    Ok(outcome)
}

/// The groups that were published before, with who is here of them. A part of which nobody is here is not listed.
fn standing(parts: Vec<Part>) -> Vec<Standing> {
    let count = parts.iter().map(|part| part.group + 1).max().unwrap_or(0);
    let mut groups: Vec<Standing> = (0..count).map(|_| Standing { whole: true, ..Standing::default() }).collect();
    for part in parts {
        let group = &mut groups[part.group];
        group.parts += 1;
        if !part.here.is_empty() {
            group.whole &= part.here.len() == part.people;
            group.members.extend(part.here);
            group.values.extend(part.values);
        }
    }
    groups
}

/// What was published before.
struct Known {
    parts: Vec<Part>,
    /// By owner who was ever published: their part; none when what was shown is not what this method shows.
    of: HashMap<Pseudonym, Option<usize>>,
}

impl Known {
    fn of(task: &Task<'_>, column: usize) -> Known {
        let name = &task.table.columns[column].name;
        let mut known = Known { parts: Vec::new(), of: HashMap::new() };
        let mut groups = 0;
        for group in task.past.releases.iter().flat_map(|release| release.groups()) {
            let parts = known.parts_in(&group);
            let new: Vec<Pseudonym> =
                group.members.iter().filter(|who| !known.of.contains_key(*who)).copied().collect();
            let values = parts.as_ref().and_then(|parts| known.beyond(group.list(name)?, parts));
            match values {
                Some(values) if values.len() == new.len() && known.allowed(&values, &group, &parts) => {
                    if !new.is_empty() {
                        let before = parts.and_then(|parts| parts.first().map(|part| known.parts[*part].group));
                        let group = before.unwrap_or(groups);
                        groups = groups.max(group + 1);
                        known.of.extend(new.iter().map(|who| (*who, Some(known.parts.len()))));
                        known.parts.push(Part { people: new.len(), values, group, here: Vec::new() });
                    }
                }
                _ => known.of.extend(group.members.iter().map(|who| (*who, None))),
            }
        }
        known
    }

    /// The parts that somebody of a group is in; none where that is not known.
    fn parts_in(&self, group: &ShownGroup) -> Option<Vec<usize>> {
        let parts: Option<Vec<usize>> = group.members.iter().filter_map(|who| self.of.get(who)).copied().collect();
        parts.map(|mut parts| {
            parts.sort_unstable();
            parts.dedup();
            parts
        })
    }

    /// What is listed beyond the values of these parts, ascending; none when not even these are.
    fn beyond(&self, list: &List, parts: &[usize]) -> Option<Vec<String>> {
        let mut rest: Vec<String> = Vec::new();
        for (value, times) in list.values.iter().filter(|_| !list.set) {
            let before = parts.iter().filter(|part| self.parts[**part].values.contains(value)).count() as u64;
            rest.extend((0..times.checked_sub(before)?).map(|_| value.clone()));
        }
        let listed: usize = parts.iter().map(|part| self.parts[*part].values.len()).sum();
        (rest.len() + listed == list.len() as usize && !list.set).then_some(rest)
    }

    /// Whether newcomers with these values may have joined: each value once, and nobody of the others missing.
    fn allowed(&self, values: &[String], group: &ShownGroup, parts: &Option<Vec<usize>>) -> bool {
        let people: usize = parts.iter().flatten().map(|part| self.parts[*part].people).sum();
        let different = values.windows(2).all(|pair| pair[0] != pair[1]);
        values.is_empty() || different && people + values.len() == group.members.len()
    }
}

/// New parts: people who are near each other, with l or more different values, one each. The others wait.
fn fresh(task: &Task<'_>, column: usize, l: usize, mut new: Vec<u32>, outcome: &mut Outcome) -> Vec<Vec<u32>> {
    Drawn(task.seed).shuffle(&mut new);
    // Who comes last is taken first.
    new.sort_by_key(|at| task.waited(*at as usize));
    let (placed, mut left) = largest(task, column, l, new);
    let mut parts = Vec::new();
    let mut open = vec![placed.concat()];
    while let Some(people) = open.pop() {
        match halves(task, column, l, &people) {
            Some(halves) => open.extend(halves),
            None => {
                let (placed, others) = largest(task, column, l, people);
                parts.extend(placed);
                left.extend(others);
            }
        }
    }
    outcome.waiting.extend(left.into_iter().map(|at| (at, task.waited(at as usize))));
    parts
}

/// Parts by the largest-l rule. Who is left over joins one that does not have their value yet; the second are those who cannot.
fn largest(task: &Task<'_>, column: usize, l: usize, people: Vec<u32>) -> (Vec<Vec<u32>>, Vec<u32>) {
    let values = task.table.columns[column].tree.len();
    let mut buckets = Buckets::of(values, people.into_iter().map(|at| (at, task.code(at as usize, column))));
    let mut parts: Vec<Vec<u32>> = Vec::new();
    while let Some(chosen) = buckets.next(l) {
        parts.push(chosen.iter().filter_map(|value| buckets.records(*value).pop()).collect());
        buckets.put_back(&chosen);
    }
    let mut left = Vec::new();
    for (value, people) in buckets.left() {
        let lacks = |part: &&mut Vec<u32>| part.iter().all(|at| task.code(*at as usize, column) != value);
        let mut lacking = parts.iter_mut().filter(lacks);
        for at in people.into_iter().rev() {
            match lacking.next() {
                Some(part) => part.push(at),
                None => left.push(at),
            }
        }
    }
    (parts, left)
}

/// People in two halves along the quasi-identifier that leaves these narrowest; none when no column leaves halves that can both be
/// put into parts.
fn halves(task: &Task<'_>, column: usize, l: usize, people: &[u32]) -> Option<[Vec<u32>; 2]> {
    let halved = task.quasi_identifiers().into_iter().filter_map(|along| {
        let mut people = people.to_vec();
        people.sort_unstable_by_key(|at| (task.code(*at as usize, along), *at));
        let right = people.split_off(people.len() / 2);
        let halves = [people, right];
        let width: f64 = halves.iter().map(|half| Around::of(task, half).width(task)).sum();
        halves.iter().all(|half| eligible(task, column, l, half)).then_some((width, halves))
    });
    halved.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, halves)| halves)
}

/// Whether nobody's value has more than 1/l of the people: then the largest-l rule places them all.
fn eligible(task: &Task<'_>, column: usize, l: usize, people: &[u32]) -> bool {
    let mut often: HashMap<Code, usize> = HashMap::new();
    people.iter().for_each(|at| *often.entry(task.code(*at as usize, column)).or_insert(0) += 1);
    !people.is_empty() && often.values().all(|times| times.saturating_mul(l) <= people.len())
}

/// Puts every new part into the nearest group that can take it, or makes it one.
fn extend(task: &Task<'_>, column: usize, most: usize, fresh: Vec<Vec<u32>>, groups: &mut Vec<Standing>) {
    let open = |group: &Standing| group.whole && group.parts < most && !group.members.is_empty();
    let places = (0..groups.len()).filter(|place| open(&groups[*place]));
    let mut nearby = Nearby::of(task, places.map(|place| (Around::of(task, &groups[place].members), place)));
    for part in fresh {
        let values = part.iter().map(|at| task.value(*at as usize, column).to_owned());
        match nearby.take(task, &Around::of(task, &part)) {
            Some(place) => {
                groups[place].values.extend(values);
                groups[place].members.extend(part);
            }
            None => groups.push(Standing { values: values.collect(), members: part, parts: 1, whole: true }),
        }
    }
}

/// The smallest box around people: by quasi-identifier, the first code and the last.
struct Around(Vec<(Code, Code)>);

impl Around {
    fn of(task: &Task<'_>, people: &[u32]) -> Around {
        let range = |column: usize| {
            let codes = || people.iter().map(|at| task.code(*at as usize, column));
            (codes().min().unwrap_or(0), codes().max().unwrap_or(0))
        };
        Around(task.quasi_identifiers().into_iter().map(range).collect())
    }

    /// The smallest box around two.
    fn with(&self, other: &Around) -> Around {
        let both = self.0.iter().zip(&other.0).map(|(one, other)| (one.0.min(other.0), one.1.max(other.1)));
        Around(both.collect())
    }

    /// By column the share of its values that lie between, summed.
    fn width(&self, task: &Task<'_>) -> f64 {
        let columns = task.quasi_identifiers().into_iter().map(|column| &task.table.columns[column]);
        let share = |((low, high), column): (&(Code, Code), &crate::table::Column)| {
            f64::from(high - low) / column.tree.len().max(1) as f64
        };
        self.0.iter().zip(columns).map(share).sum()
    }
}

/// Groups that can take newcomers, along the column that has most values.
struct Nearby {
    /// The quasi-identifier they are ordered by.
    along: usize,
    /// Ascending: twice the middle, the box, and the place; none when it is taken.
    groups: Vec<(u64, Around, Option<usize>)>,
}

/// More groups on each side are not looked at.
const LOOKED_AT: usize = 64;

impl Nearby {
    fn of(task: &Task<'_>, groups: impl Iterator<Item = (Around, usize)>) -> Nearby {
        let quasi = task.quasi_identifiers();
        let along = (0..quasi.len()).max_by_key(|at| task.table.columns[quasi[*at]].tree.len()).unwrap_or(0);
        let groups = groups.map(|(around, place)| (middle(&around, along), around, Some(place)));
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by_key(|(middle, ..)| *middle);
        Nearby { along, groups }
    }

    /// The group that widens least, if the box around both is no wider than the two boxes; it is taken then.
    fn take(&mut self, task: &Task<'_>, part: &Around) -> Option<usize> {
        let from = self.groups.partition_point(|(at, ..)| *at < middle(part, self.along));
        let seen = from.saturating_sub(LOOKED_AT)..(from + LOOKED_AT).min(self.groups.len());
        let own = part.width(task);
        let near =
            self.groups[seen].iter_mut().filter(|(.., place)| place.is_some()).filter_map(|(_, around, place)| {
                let wider = around.with(part).width(task) - around.width(task);
                (wider <= own + 1e-9).then_some((wider, place))
            });
        near.min_by(|one, other| one.0.total_cmp(&other.0)).and_then(|(_, place)| place.take())
    }
}

/// Twice the middle of a box along a quasi-identifier.
fn middle(around: &Around, along: usize) -> u64 {
    around.0.get(along).map_or(0, |(low, high)| u64::from(*low) + u64::from(*high))
}
