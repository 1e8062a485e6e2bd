//! A republication series after ordinary releases: people of ordinary releases stay in the classes in which they were published.
//!
//! Definition  a *class* is an equivalence class of an ordinary release, with the values of its records as its list. A person whose first
//!             release is an ordinary one is *continued*: every release of the series lists the person in a group of the people of one
//!             class, the one of the newest ordinary release that shows the person. The group lists the values of the class, unchanged.
//! Guarantee   for recipients who hold the ordinary releases, the series adds nothing about the sensitive values of continued people: their
//!             posteriors stay those of the ordinary releases, which can exceed the bound of the method. For other recipients, the bound
//!             of the method holds. It holds for all other people.
//! Proof       the list of a group is a copy of a published one, whichever of its people are present, so it is a function of the earlier
//!             releases and of who is in the data. No other person is ever in such a group: leavers are replaced by counterfeits. So
//!             the possible worlds of continued people and those of the others are independent.
//! Recipients  if one of them does not hold the ordinary release, a class whose list exceeds the bound of the method is withheld.
//! Withheld    a record whose value is not listed, or is listed less often than it occurs in its group: a value changed. People with
//!             several records in an ordinary release. Without counterfeits, the people of a class of which a person is absent or
//!             shown by a newer release.
//! Refused     marginal tables: they would count the values of the continued people who are present.
//! Ignored     releases with another presentation than one record per row, such as registered groups, and releases that do not show the columns as sensitive ones. If a release shows only some of the sensitive columns,
//!             its people are withheld.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::state::list_for_column;
use super::{
    EarlierRelease, GroupingOutcome, List, Lists, Marginals, MethodDef, MethodState, Reason, ReleaseGroup,
    RepublicationTask, SourceRecord,
};
use crate::data::links::Pseudonym;
use crate::data::schema::Role;
use crate::error::{Refusal, Result};
use crate::ratio::Ratio;
use crate::registry::Arguments;
use crate::release::PublishedColumn;
use crate::release::history::RecordedRelease;

/// The classes of an ordinary release.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrdinaryClasses {
    /// The classes as groups.
    pub release: EarlierRelease,
    /// Whether every recipient of the new release holds the ordinary one.
    pub is_held_by_all: bool,
}

/// Returns the classes of an ordinary release as groups. A person with several records occurs several times.
///
/// Returns `None` if the release shows none of these sensitive columns, has no owner links, or has another presentation than one record
/// per row.
pub fn earlier_classes(recorded: &RecordedRelease, sensitive: &[&str]) -> Option<EarlierRelease> {
    let (columns, contingency) = (&recorded.release.columns, &recorded.release.contingency);
    let links = recorded.links.as_ref().filter(|_| recorded.presentation.is_none())?;
    let is_shown =
        |column: &PublishedColumn| column.role == Role::Sensitive && sensitive.contains(&column.name.as_str());
    let shown: Vec<usize> = (0..columns.len()).filter(|at| is_shown(&columns[*at])).collect();
    if shown.is_empty() {
        return None;
    }
    let known: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].role == Role::QuasiIdentifier).collect();
    let mut classes: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut class_of = Vec::with_capacity(contingency.len());
    let mut listed: Vec<Vec<HashMap<u32, u64>>> = Vec::new();
    for combination in 0..contingency.len() {
        let key: Vec<u32> = known.iter().map(|at| contingency.codes[*at][combination]).collect();
        let next = classes.len() as u32;
        let class = *classes.entry(key).or_insert(next);
        if class == next {
            listed.push(vec![HashMap::new(); shown.len()]);
        }
        for (counts, at) in listed[class as usize].iter_mut().zip(&shown) {
            *counts.entry(contingency.codes[*at][combination]).or_default() += contingency.weights[combination];
        }
        class_of.push(class);
    }
    let list = |(at, counts): (&usize, HashMap<u32, u64>)| {
        let label = |(code, times): (u32, u64)| (columns[*at].label(code).to_owned(), times);
        let mut values: Vec<(String, u64)> = counts.into_iter().map(label).collect();
        values.sort_unstable();
        (columns[*at].name.clone(), List { values, is_set: false })
    };
    let lists = listed.into_iter().map(|counts| {
        let mut lists: Vec<(String, List)> = shown.iter().zip(counts).map(list).collect();
        lists.sort_by(|one, other| one.0.cmp(&other.0));
        Arc::new(lists)
    });
    let lists = lists.collect();
    let mut placed: Vec<(Pseudonym, u32)> = Vec::with_capacity(links.len());
    for (at, person) in links.pseudonyms.iter().enumerate() {
        let class = class_of[links.cells[at] as usize];
        placed.extend(std::iter::repeat_n((*person, class), links.records[at] as usize));
    }
    placed.sort_unstable();
    let (people, group_of) = placed.into_iter().unzip();
    Some(EarlierRelease { number: recorded.number, people, group_of, lists })
}

/// A class with people in the data.
struct CurrentClass {
    lists: Lists,
    /// Records of the people.
    records: Vec<u32>,
    /// Number of people of the class in the ordinary release.
    people: usize,
    is_held_by_all: bool,
}

/// The continued people of a task, and the task without them.
pub(super) struct Continued<'a> {
    /// Classes with people in the data.
    classes: Vec<CurrentClass>,
    /// Records of people with several classes in one release.
    ambiguous: Vec<u32>,
    /// Records of other people, and their place in the task.
    records: Vec<SourceRecord>,
    places: Vec<u32>,
    past: Cow<'a, MethodState>,
}

impl<'a> Continued<'a> {
    /// Separates continued people from the others.
    pub(super) fn new(task: &RepublicationTask<'a>) -> Continued<'a> {
        let all: Vec<u32> = (0..task.records.len() as u32).collect();
        if task.past.classes.is_empty() {
            let (classes, ambiguous) = (Vec::new(), Vec::new());
            return Continued {
                classes,
                ambiguous,
                records: task.records.to_vec(),
                places: all,
                past: Cow::Borrowed(task.past),
            };
        }
        let continued = continued_people(task.past);
        let mut by_class: HashMap<(usize, u32), Vec<u32>> = HashMap::new();
        let (mut ambiguous, mut places) = (Vec::new(), Vec::new());
        for at in all {
            match continued.get(&task.records[at as usize].person) {
                None => places.push(at),
                Some(None) => ambiguous.push(at),
                Some(Some(class)) => by_class.entry(*class).or_default().push(at),
            }
        }
        let mut keys: Vec<(usize, u32)> = by_class.keys().copied().collect();
        keys.sort_unstable();
        let sizes = |earlier: &OrdinaryClasses| {
            let mut sizes = vec![0; earlier.release.lists.len()];
            earlier.release.group_of.iter().for_each(|class| sizes[*class as usize] += 1);
            sizes
        };
        let sizes: Vec<Vec<usize>> = task.past.classes.iter().map(sizes).collect();
        let mut class = |(release, class): (usize, u32)| {
            let OrdinaryClasses { release: earlier, is_held_by_all } = &task.past.classes[release];
            CurrentClass {
                lists: earlier.lists[class as usize].clone(),
                records: by_class.remove(&(release, class)).unwrap_or_default(),
                people: sizes[release][class as usize],
                is_held_by_all: *is_held_by_all,
            }
        };
        let is_other = |person: &Pseudonym| !continued.contains_key(person);
        Continued {
            classes: keys.into_iter().map(&mut class).collect(),
            ambiguous,
            records: places.iter().map(|at| task.records[*at as usize]).collect(),
            places,
            past: Cow::Owned(without(task.past, &is_other)),
        }
    }

    /// Returns the task without continued people.
    pub(super) fn others<'t>(&'t self, task: &RepublicationTask<'t>) -> RepublicationTask<'t> {
        RepublicationTask { records: &self.records, past: &self.past, ..*task }
    }

    /// Adds the groups of continued people to the outcome of a method for the others.
    ///
    /// # Errors
    ///
    /// Returns a refusal if there are marginal tables, or if a value changed and the policy refuses that.
    pub(super) fn complete(
        self,
        task: &RepublicationTask<'_>,
        (method, arguments): (&MethodDef, &Arguments),
        others: GroupingOutcome,
    ) -> Result<GroupingOutcome> {
        let place = |at: u32| self.places[at as usize];
        let mut outcome = others;
        outcome.groups.iter_mut().flat_map(|group| &mut group.members).for_each(|at| *at = place(*at));
        outcome.postponed.iter_mut().for_each(|(at, _)| *at = place(*at));
        outcome.withheld.iter_mut().for_each(|(at, _)| *at = place(*at));
        outcome.withheld.extend(self.ambiguous.iter().map(|at| (*at, Reason::History)));
        // A method without this parameter keeps the values of leavers listed.
        let has_counterfeits = arguments.flag("counterfeits").unwrap_or(true);
        let sensitive = task.sensitive();
        let name = |column: usize| task.table.columns[column].name.as_str();
        let bounds: Vec<Option<Ratio>> =
            sensitive.iter().map(|column| (method.promise)(arguments, name(*column))).collect::<Result<_>>()?;
        for CurrentClass { lists, records, people, is_held_by_all } in &self.classes {
            let named = |column: &usize| list_for_column(lists, name(*column)).cloned();
            let lists = sensitive.iter().map(named).collect::<Option<Vec<List>>>();
            let is_within = |lists: &Vec<List>| {
                let mut judged = lists.iter().zip(&bounds);
                judged.all(|(list, bound)| bound.is_none_or(|bound| highest_share(list) <= bound))
            };
            let Some(lists) = lists.filter(|lists| *is_held_by_all || is_within(lists)) else {
                outcome.withheld.extend(records.iter().map(|at| (*at, Reason::History)));
                continue;
            };
            let changed = changed_records(task, &sensitive, &lists, records);
            let members: Vec<u32> = records.iter().copied().filter(|at| !changed.contains(at)).collect();
            outcome.withheld.extend(records.iter().filter(|at| changed.contains(*at)).map(|at| (*at, Reason::Changed)));
            if !has_counterfeits && members.len() < *people {
                outcome.withheld.extend(members.into_iter().map(|at| (at, Reason::History)));
            } else if !members.is_empty() {
                outcome.continued += members.len() as u64;
                outcome.groups.push(ReleaseGroup { members, lists });
            }
        }
        let changed = outcome.withheld.iter().filter(|(_, reason)| *reason == Reason::Changed).count() as u64;
        if changed > 0 && arguments.word("changed").is_ok_and(|word| word == "refuse") {
            return Err(Refusal::ValuesChanged { records: changed }.into());
        }
        if outcome.continued > 0 && outcome.marginals != Marginals::Off {
            return Err(Refusal::MarginalsOfContinued { people: outcome.continued }.into());
        }
        Ok(outcome)
    }
}

/// Returns the highest share of a value in a list.
fn highest_share(list: &List) -> Ratio {
    let highest = list.values.iter().map(|(_, times)| *times).max().unwrap_or(0);
    Ratio::new(highest, list.len().max(1))
}

/// Index of a release in `classes`, and of a class in it.
type ClassPlace = (usize, u32);

/// Returns the class of every continued person; `None` for a person with several classes in one release.
fn continued_people(past: &MethodState) -> HashMap<Pseudonym, Option<ClassPlace>> {
    let mut first_in_series: HashMap<Pseudonym, u64> = HashMap::new();
    for release in &past.releases {
        for person in &release.people {
            first_in_series.entry(*person).or_insert(release.number);
        }
    }
    let mut continued: HashMap<Pseudonym, Option<ClassPlace>> = HashMap::new();
    for (at, OrdinaryClasses { release, .. }) in past.classes.iter().enumerate() {
        let mut seen: HashSet<Pseudonym> = HashSet::new();
        for (person, class) in release.people.iter().zip(&release.group_of) {
            // The method already has a group for people who were first in the series.
            let is_first = first_in_series.get(person).is_none_or(|first| release.number < *first);
            if is_first || continued.contains_key(person) {
                let place = seen.insert(*person).then_some((at, *class));
                continued.insert(*person, place);
            }
        }
    }
    continued
}

/// Returns the state without continued people and their groups.
fn without(past: &MethodState, is_other: &dyn Fn(&Pseudonym) -> bool) -> MethodState {
    let release = |release: &EarlierRelease| {
        let kept: Vec<usize> = (0..release.people.len()).filter(|at| is_other(&release.people[*at])).collect();
        let groups: BTreeSet<u32> = kept.iter().map(|at| release.group_of[*at]).collect();
        let groups: Vec<u32> = groups.into_iter().collect();
        let place = |group: u32| groups.binary_search(&group).unwrap_or(0) as u32;
        EarlierRelease {
            number: release.number,
            people: kept.iter().map(|at| release.people[*at]).collect(),
            group_of: kept.iter().map(|at| place(release.group_of[*at])).collect(),
            lists: groups.iter().map(|group| release.lists[*group as usize].clone()).collect(),
        }
    };
    MethodState {
        releases: past.releases.iter().map(release).filter(|release| !release.people.is_empty()).collect(),
        classes: Vec::new(),
        marks: past.marks.clone(),
        postponed: past.postponed.clone(),
    }
}

/// Returns the records whose value changed, or may have changed: it is listed less often than it occurs.
fn changed_records(task: &RepublicationTask<'_>, sensitive: &[usize], lists: &[List], records: &[u32]) -> HashSet<u32> {
    let mut changed: HashSet<u32> = records.iter().copied().filter(|at| task.is_changed(*at as usize)).collect();
    for (column, list) in sensitive.iter().zip(lists) {
        let mut by_value: HashMap<&str, Vec<u32>> = HashMap::new();
        for at in records.iter().filter(|at| !changed.contains(*at)) {
            by_value.entry(task.value(*at as usize, *column)).or_default().push(*at);
        }
        for (value, of) in by_value {
            let listed = list.values.iter().find(|(known, _)| known == value).map_or(0, |(_, times)| *times);
            if of.len() as u64 > listed {
                changed.extend(of);
            }
        }
    }
    changed
}
