//! Incremental l-diversity: newcomers are added in parts that are l-diverse, also if a part joins an existing group.
//!
//! Guarantee  no person's posterior for a value exceeds 1/l, given all releases, with insertions, deletions and reinsertions.
//! Proof      a group consists of *parts*: people whose first release is the same, with at least l distinct values, one each.
//!            When a part joins a group, all other listed people of the group are present. So the difference to the earlier
//!            releases is exactly the list of the part. A group that is published without some of its people, but with the same
//!            list, adds no information. So all releases are equivalent to one list for each part, and within a part all
//!            assignments are equally likely.
//! Method     newcomers are halved along the quasi-identifiers while both halves can be divided into parts. Parts are formed by
//!            the largest-l rule, the longest postponed records first. A part joins the nearest complete group if their common
//!            bounding box is no wider than both boxes; otherwise it is a new group. The value of a leaver stays listed while
//!            a person of the same part is present. A returning person joins the old group. Other records are postponed.
//! Differs    from the paper, which compares pairs of groups: overlapping groups of two releases must have l common values,
//!            and the difference must be l-diverse. Groups {1, 2}, {3, 4} with a, b each, followed by {1, 4} with a, b and
//!            {2, 3, 5} with a, b, c, pass this test for l = 2, but 5 has c: the new groups minus the old ones are 5 alone.
//!            So here people never change groups. A part also never joins a group with absent people: let 1 leave {1, 2} with
//!            x, z, and let 3, 4 with x, y join; then 1 has z in 6 of 9 possible worlds. Parts list each value once, which is
//!            stricter than the paper: a, a, a, b has two distinct values.
//! Excludes   corrected values, which are withheld or refused, and attackers who know values of other people, or how the
//!            algorithm decides.
//! Paper      Byun, Sohn, Bertino and Li, Secure anonymization for incremental datasets, SDM 2006 (VLDB workshop); Byun, Li,
//!            Bertino, Li and Sohn, Privacy-preserving incremental data dissemination, Journal of Computer Security 2009.

use hashbrown::HashMap;

use super::largest::{MethodRng, ValueBuckets};
use super::m_invariance::{CHANGED, check_changed};
use super::{EarlierGroup, Form, GroupingOutcome, List, MethodDef, Reason, ReleaseGroup, RepublicationTask, Updates};
use crate::data::links::Pseudonym;
use crate::data::taxonomy::Code;
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};

/// Catalogue entry of incremental l-diversity.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "incremental-l-diversity",
    title: "incremental l-diversity",
    summary: "Newcomers join similar groups, or form new ones, in parts with at least l distinct values, each once; people never \
              change groups.",
    paper: "Byun, Sohn, Bertino and Li, Secure anonymization for incremental datasets, 2006; Byun, Li, Bertino, Li and Sohn, \
            Privacy-preserving incremental data dissemination, 2009",
    protects_against: "no person's posterior for a sensitive value exceeds 1/l, given all releases, with insertions, deletions and \
                       reinsertions",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "l",
            domain: Domain::Whole(2),
            default: None,
            meaning: "minimum number of distinct values in a part (a set of newcomers)",
        },
        ParameterDef {
            name: "parts",
            domain: Domain::Whole(1),
            default: Some("3"),
            meaning: "maximum number of parts in a group; with 1, newcomers always form new groups",
        },
        CHANGED,
    ],
    evidence: &["laws::republication", "republication::tests"],
};

/// Definition of incremental l-diversity.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise: |arguments, _| Ok(Some(Ratio::new(1, arguments.whole("l")?))),
    departure_rule: "the groups of the leavers are published with unchanged lists while a person of the same part is present",
    form: Form::Generalized,
    run,
};

/// A part: people of a group whose first release is the same.
struct SubGroup {
    /// Number of people in the part.
    people: usize,
    /// Values of the people, in ascending order.
    values: Vec<String>,
    /// Index of the group.
    group: usize,
    /// Records of the people who are present in the data.
    present: Vec<u32>,
}

/// A group of the new release.
#[derive(Default)]
struct CurrentGroup {
    members: Vec<u32>,
    values: Vec<String>,
    /// Number of parts that the group ever had.
    parts: usize,
    /// True if all people of the listed parts are present.
    is_complete: bool,
}

fn run(task: &RepublicationTask<'_>, arguments: &Arguments) -> Result<GroupingOutcome> {
    let l = arguments.whole("l")? as usize;
    let column = task.single_sensitive(&ENTRY)?;
    let PublishedParts { mut parts, part_of } = PublishedParts::new(task, column);
    let mut outcome = GroupingOutcome::default();
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        let value = task.value(at as usize, column);
        match part_of.get(&task.records[at as usize].person) {
            None => new.push(at),
            _ if task.is_changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(None) => outcome.withheld.push((at, Reason::History)),
            Some(Some(part)) => match &mut parts[*part] {
                part if part.values.len() < l => outcome.withheld.push((at, Reason::History)),
                part if part.values.iter().any(|known| known == value) => part.present.push(at),
                _ => outcome.withheld.push((at, Reason::Changed)),
            },
        }
    }
    check_changed(&outcome, arguments)?;
    let mut groups = current_groups(parts);
    let new_parts = form_parts(task, column, l, new, &mut outcome);
    assign_parts(task, column, arguments.whole("parts")? as usize, new_parts, &mut groups);
    let groups = groups.into_iter().filter(|group| !group.members.is_empty());
    outcome.groups = groups
        .map(|group| ReleaseGroup {
            members: group.members,
            lists: vec![List::new(group.values.iter().map(String::as_str))],
        })
        .collect();
    Ok(outcome)
}

/// Builds the published groups with their present people. A part without a present person is not listed.
fn current_groups(parts: Vec<SubGroup>) -> Vec<CurrentGroup> {
    let count = parts.iter().map(|part| part.group + 1).max().unwrap_or(0);
    let mut groups: Vec<CurrentGroup> =
        (0..count).map(|_| CurrentGroup { is_complete: true, ..CurrentGroup::default() }).collect();
    for part in parts {
        let group = &mut groups[part.group];
        group.parts += 1;
        if !part.present.is_empty() {
            group.is_complete &= part.present.len() == part.people;
            group.members.extend(part.present);
            group.values.extend(part.values);
        }
    }
    groups
}

/// The parts of the earlier releases.
struct PublishedParts {
    parts: Vec<SubGroup>,
    /// Index of the part, by published owner. `None`: a release of the owner was not made by this method.
    part_of: HashMap<Pseudonym, Option<usize>>,
}

impl PublishedParts {
    fn new(task: &RepublicationTask<'_>, column: usize) -> PublishedParts {
        let name = &task.table.columns[column].name;
        let mut known = PublishedParts { parts: Vec::new(), part_of: HashMap::new() };
        let mut groups = 0;
        for group in task.past.releases.iter().flat_map(|release| release.groups()) {
            let parts = known.parts_in(&group);
            let new: Vec<Pseudonym> =
                group.members.iter().filter(|person| !known.part_of.contains_key(*person)).copied().collect();
            let values = parts.as_ref().and_then(|parts| known.additional_values(group.list(name)?, parts));
            match values {
                Some(values) if values.len() == new.len() && known.is_valid_part(&values, &group, &parts) => {
                    if !new.is_empty() {
                        let before = parts.and_then(|parts| parts.first().map(|part| known.parts[*part].group));
                        let group = before.unwrap_or(groups);
                        groups = groups.max(group + 1);
                        known.part_of.extend(new.iter().map(|person| (*person, Some(known.parts.len()))));
                        known.parts.push(SubGroup { people: new.len(), values, group, present: Vec::new() });
                    }
                }
                _ => known.part_of.extend(group.members.iter().map(|person| (*person, None))),
            }
        }
        known
    }

    /// Returns the parts of the members of a group, or `None` if a part is unknown.
    fn parts_in(&self, group: &EarlierGroup) -> Option<Vec<usize>> {
        let parts: Option<Vec<usize>> =
            group.members.iter().filter_map(|person| self.part_of.get(person)).copied().collect();
        parts.map(|mut parts| {
            parts.sort_unstable();
            parts.dedup();
            parts
        })
    }

    /// Returns the listed values without those of these parts, in ascending order, or `None` if one of those is not listed.
    fn additional_values(&self, list: &List, parts: &[usize]) -> Option<Vec<String>> {
        let mut additional: Vec<String> = Vec::new();
        for (value, times) in list.values.iter().filter(|_| !list.is_set) {
            let before = parts.iter().filter(|part| self.parts[**part].values.contains(value)).count() as u64;
            additional.extend((0..times.checked_sub(before)?).map(|_| value.clone()));
        }
        let listed: usize = parts.iter().map(|part| self.parts[*part].values.len()).sum();
        (additional.len() + listed == list.len() as usize && !list.is_set).then_some(additional)
    }

    /// Returns true if these values are empty, or a valid new part: distinct, with all people of the other parts present.
    fn is_valid_part(&self, values: &[String], group: &EarlierGroup, parts: &Option<Vec<usize>>) -> bool {
        let people: usize = parts.iter().flatten().map(|part| self.parts[*part].people).sum();
        let different = values.windows(2).all(|pair| pair[0] != pair[1]);
        values.is_empty() || different && people + values.len() == group.members.len()
    }
}

/// Forms new parts of similar people with at least l distinct values, one each. Other records are postponed.
fn form_parts(
    task: &RepublicationTask<'_>,
    column: usize,
    l: usize,
    mut new: Vec<u32>,
    outcome: &mut GroupingOutcome,
) -> Vec<Vec<u32>> {
    MethodRng(task.seed).shuffle(&mut new);
    // The last records are taken first: those that are postponed longest.
    new.sort_by_key(|at| task.times_postponed(*at as usize));
    let (placed, mut remaining) = largest_l_parts(task, column, l, new);
    let mut parts = Vec::new();
    let mut open = vec![placed.concat()];
    while let Some(people) = open.pop() {
        match halves(task, column, l, &people) {
            Some(halves) => open.extend(halves),
            None => {
                let (placed, others) = largest_l_parts(task, column, l, people);
                parts.extend(placed);
                remaining.extend(others);
            }
        }
    }
    outcome.postponed.extend(remaining.into_iter().map(|at| (at, task.times_postponed(at as usize))));
    parts
}

/// Forms parts by the largest-l rule. Returns the parts and the records that cannot be placed.
///
/// A remaining record joins a part that does not have its value.
fn largest_l_parts(
    task: &RepublicationTask<'_>,
    column: usize,
    l: usize,
    people: Vec<u32>,
) -> (Vec<Vec<u32>>, Vec<u32>) {
    let values = task.table.columns[column].tree.len();
    let mut buckets = ValueBuckets::new(values, people.into_iter().map(|at| (at, task.code(at as usize, column))));
    let mut parts: Vec<Vec<u32>> = Vec::new();
    while let Some(chosen) = buckets.next(l) {
        parts.push(chosen.iter().filter_map(|value| buckets.records(*value).pop()).collect());
        buckets.put_back(&chosen);
    }
    let mut remaining = Vec::new();
    for (value, people) in buckets.into_remaining() {
        let lacks_value = |part: &&mut Vec<u32>| part.iter().all(|at| task.code(*at as usize, column) != value);
        let mut parts_without = parts.iter_mut().filter(lacks_value);
        for at in people.into_iter().rev() {
            match parts_without.next() {
                Some(part) => part.push(at),
                None => remaining.push(at),
            }
        }
    }
    (parts, remaining)
}

/// Halves people along the quasi-identifier with the smallest total width.
///
/// Returns `None` if no quasi-identifier gives two halves that can both be divided into parts.
fn halves(task: &RepublicationTask<'_>, column: usize, l: usize, people: &[u32]) -> Option<[Vec<u32>; 2]> {
    let halved = task.quasi_identifiers().into_iter().filter_map(|along| {
        let mut people = people.to_vec();
        people.sort_unstable_by_key(|at| (task.code(*at as usize, along), *at));
        let right = people.split_off(people.len() / 2);
        let halves = [people, right];
        let width: f64 = halves.iter().map(|half| BoundingBox::new(task, half).width(task)).sum();
        halves.iter().all(|half| eligible(task, column, l, half)).then_some((width, halves))
    });
    halved.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, halves)| halves)
}

/// Returns true if no value has a share above 1/l: then the largest-l rule places all people.
fn eligible(task: &RepublicationTask<'_>, column: usize, l: usize, people: &[u32]) -> bool {
    let mut counts: HashMap<Code, usize> = HashMap::new();
    people.iter().for_each(|at| *counts.entry(task.code(*at as usize, column)).or_insert(0) += 1);
    !people.is_empty() && counts.values().all(|times| times.saturating_mul(l) <= people.len())
}

/// Adds every new part to the nearest group that can take it, or makes it a new group.
fn assign_parts(
    task: &RepublicationTask<'_>,
    column: usize,
    max_parts: usize,
    new_parts: Vec<Vec<u32>>,
    groups: &mut Vec<CurrentGroup>,
) {
    let open = |group: &CurrentGroup| group.is_complete && group.parts < max_parts && !group.members.is_empty();
    let places = (0..groups.len()).filter(|place| open(&groups[*place]));
    let mut nearby =
        NearbyGroups::new(task, places.map(|place| (BoundingBox::new(task, &groups[place].members), place)));
    for part in new_parts {
        let values = part.iter().map(|at| task.value(*at as usize, column).to_owned());
        match nearby.take_nearest(task, &BoundingBox::new(task, &part)) {
            Some(place) => {
                groups[place].values.extend(values);
                groups[place].members.extend(part);
            }
            None => groups.push(CurrentGroup { values: values.collect(), members: part, parts: 1, is_complete: true }),
        }
    }
}

/// The bounding box of people: the lowest and the highest code of each quasi-identifier.
struct BoundingBox(Vec<(Code, Code)>);

impl BoundingBox {
    fn new(task: &RepublicationTask<'_>, people: &[u32]) -> BoundingBox {
        let range = |column: usize| {
            let codes = || people.iter().map(|at| task.code(*at as usize, column));
            (codes().min().unwrap_or(0), codes().max().unwrap_or(0))
        };
        BoundingBox(task.quasi_identifiers().into_iter().map(range).collect())
    }

    /// Returns the bounding box of two boxes.
    fn union(&self, other: &BoundingBox) -> BoundingBox {
        let both = self.0.iter().zip(&other.0).map(|(one, other)| (one.0.min(other.0), one.1.max(other.1)));
        BoundingBox(both.collect())
    }

    /// Returns the sum over the quasi-identifiers of (highest code - lowest code) / (number of values).
    fn width(&self, task: &RepublicationTask<'_>) -> f64 {
        let columns = task.quasi_identifiers().into_iter().map(|column| &task.table.columns[column]);
        let share = |((low, high), column): (&(Code, Code), &crate::data::table::Column)| {
            f64::from(high - low) / column.tree.len().max(1) as f64
        };
        self.0.iter().zip(columns).map(share).sum()
    }
}

/// Groups that can take a new part, ordered along the quasi-identifier with the most values.
struct NearbyGroups {
    /// Index of the quasi-identifier that orders the groups.
    along: usize,
    /// Twice the middle in ascending order, bounding box, and index of the group (`None` if it is taken).
    groups: Vec<(u64, BoundingBox, Option<usize>)>,
}

/// Maximum number of groups on each side that are considered.
const MAX_NEIGHBORS: usize = 64;

impl NearbyGroups {
    fn new(task: &RepublicationTask<'_>, groups: impl Iterator<Item = (BoundingBox, usize)>) -> NearbyGroups {
        let quasi = task.quasi_identifiers();
        let along = (0..quasi.len()).max_by_key(|at| task.table.columns[quasi[*at]].tree.len()).unwrap_or(0);
        let groups = groups.map(|(bounding_box, place)| (middle(&bounding_box, along), bounding_box, Some(place)));
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by_key(|(middle, ..)| *middle);
        NearbyGroups { along, groups }
    }

    /// Takes the group whose bounding box widens least, if the common box is no wider than both boxes.
    fn take_nearest(&mut self, task: &RepublicationTask<'_>, part: &BoundingBox) -> Option<usize> {
        let from = self.groups.partition_point(|(at, ..)| *at < middle(part, self.along));
        let seen = from.saturating_sub(MAX_NEIGHBORS)..(from + MAX_NEIGHBORS).min(self.groups.len());
        let own = part.width(task);
        let near = self.groups[seen].iter_mut().filter(|(.., place)| place.is_some()).filter_map(
            |(_, bounding_box, place)| {
                let wider = bounding_box.union(part).width(task) - bounding_box.width(task);
                (wider <= own + 1e-9).then_some((wider, place))
            },
        );
        near.min_by(|one, other| one.0.total_cmp(&other.0)).and_then(|(_, place)| place.take())
    }
}

/// Returns twice the middle of a box along a quasi-identifier.
fn middle(bounding_box: &BoundingBox, along: usize) -> u64 {
    bounding_box.0.get(along).map_or(0, |(low, high)| u64::from(*low) + u64::from(*high))
}
