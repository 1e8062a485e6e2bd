//! The attacker view: the people, the groups and the published values that an attacker sees in a release history.
//!
//! A *sensitive tuple* has one value for each sensitive column that was published about a person. A *group* is the set of
//! records of a release that only their sensitive values distinguish: an equivalence class on the quasi-identifiers, or the
//! records with the same value of the group column.
//!
//! The owner links of the ledger determine each person's group in each release. The links also determine each person's
//! sensitive values, but the view uses that only to detect a value that changed between two releases.

mod membership;
mod problem;

use super::marginal_tables;
use super::sensitive_domain::{SensitiveDomain, Shape, ValueCover};
use crate::audit::AuditOptions;
use crate::data::contingency::{ContingencyTable, combine_with_positions};
use crate::data::links::Pseudonym;
use crate::data::schema::{Role, Unit};
use crate::data::taxonomy::Code;
use crate::error::{Obstacle, Result};
use crate::release::history::{History, RecordedRelease};
use reticent_inference::{Count, Value};

/// The people, groups and published values of a history, as an attacker sees them.
pub struct AttackerView {
    /// Domain of the sensitive tuples.
    pub domain: SensitiveDomain,
    /// Groups of all releases.
    pub groups: Vec<ViewGroup>,
    /// Classes of people that the attacker cannot distinguish.
    pub classes: Vec<ViewClass>,
    /// All people, ordered by pseudonym. Those without a pseudonym come last.
    pub people: Vec<ViewPerson>,
    /// Number of people with several records in one release.
    pub multi_record_people: u64,
    /// Number of people with several records in one release whose values are not those of the person, so that each record
    /// has a class of its own.
    pub unlinked_record_people: u64,
    /// Unit of each sensitive column.
    pub units: Vec<Unit>,
    /// Whether people of a class have several records in a release, by release.
    shared_groups: Vec<bool>,
    /// Whether the owners of the records are known, by release.
    pub linked: Vec<bool>,
    /// Group of each contingency-table cell, by release.
    pub group_of_cell: Vec<Vec<u32>>,
    /// Whether some constraints are not used in full. Then bounds are valid, but no posterior is exact.
    pub relaxed: bool,
    /// Whether connected columns are missing, because they have too many combinations of values.
    pub partial: bool,
    /// Counts over classes from background knowledge.
    pub known_counts: Vec<Count>,
    /// Possible sensitive tuples of the people in a group, by group.
    possible: Vec<Vec<Value>>,
    /// Index of the release whose people a marginal table counts, by release.
    counted_release: Vec<Option<usize>>,
}

/// A group of a release.
#[derive(Debug, Clone)]
pub struct ViewGroup {
    /// Index of the release in the history.
    pub release: usize,
    /// Index of a contingency-table cell of the group.
    pub member: usize,
    /// Number of records.
    pub records: u64,
    /// Number of counterfeit records that the release declares.
    pub counterfeits: u64,
    /// Whether each value is listed once for the whole group. Then some values may belong to no person.
    pub values_listed_once: bool,
    /// Published values and the number of records with each.
    pub values: Vec<(ValueCover, u64)>,
    /// Indices of the classes of its people.
    pub classes: Vec<u32>,
}

/// People that the attacker cannot distinguish.
#[derive(Debug, Clone, Default)]
pub struct ViewClass {
    /// Number of people.
    pub people: u64,
    /// Indices of the groups that contain these people.
    pub groups: Vec<u32>,
    /// Number of records of each person in each group; empty if it is 1 in all of them.
    pub records: Vec<u64>,
    /// Possible sensitive tuples according to background knowledge.
    pub known: Option<Vec<Value>>,
    /// Whether constraints are missing: some people have several records in one release, or a changed value, and the view
    /// does not link their records across releases although an attacker can.
    pub incomplete: bool,
    /// Actual values of these people, where they help to find an initial solution: cover and number of people.
    observed: Vec<(ValueCover, u64)>,
}

/// A person, or several people of a release without owner links.
#[derive(Debug, Clone)]
pub struct ViewPerson {
    /// Pseudonym; `None` in a release without owner links.
    pub pseudonym: Option<Pseudonym>,
    /// Indices of the person's classes: one, unless the person has several records or a changed value.
    pub classes: Vec<u32>,
    /// Number of people. More than 1 only without a pseudonym.
    pub people: u64,
    /// Group and published values of each record, including those of releases without sensitive columns. Values are empty
    /// without a pseudonym.
    pub records: Vec<(u32, Option<ValueCover>)>,
    /// Whether the person's sensitive value changed between releases.
    pub changed: bool,
}

impl ViewClass {
    /// Number of records of each person in a group of the class.
    pub(super) fn records_per_person(&self, group: u32) -> u64 {
        let at = self.groups.iter().position(|known| *known == group);
        at.map_or(0, |at| self.records.get(at).copied().unwrap_or(1))
    }

    /// Number of records of all people of the class in a group.
    pub(super) fn records_in(&self, group: u32) -> u64 {
        self.people * self.records_per_person(group)
    }
}

impl ViewPerson {
    /// Indices of the person's groups. A group occurs once for each record of the person in it.
    pub fn groups(&self) -> impl Iterator<Item = u32> {
        self.records.iter().map(|(group, _)| *group)
    }
}

/// One record of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ViewRecord {
    release: usize,
    group: u32,
    /// Published sensitive values.
    cover: ValueCover,
    /// In a marginal table: the person's group in the release that it counts.
    counted_group: Option<u32>,
}

/// A group with unknown owners, its published values, and the groups of marginal tables that count the same people.
pub(super) type UnlinkedGroup = (u32, Vec<(ValueCover, u64)>, Vec<u32>);

impl AttackerView {
    /// Builds the view of the given sensitive columns, or of all.
    ///
    /// # Errors
    ///
    /// Returns an error if a release has nothing to audit, if its tables cannot be linked, or if the domain is too large.
    pub fn new(history: &History, only: Option<&[String]>, options: &AuditOptions) -> Result<AttackerView> {
        let mut domain = SensitiveDomain::new(history, only)?;
        let mut groups: Vec<ViewGroup> = Vec::new();
        let mut person_records: Vec<(Pseudonym, ViewRecord)> = Vec::new();
        let mut unlinked_groups: Vec<UnlinkedGroup> = Vec::new();
        let mut linked = Vec::new();
        let mut grouped: Vec<Vec<u32>> = Vec::new();
        let mut counted_releases: Vec<Option<usize>> = Vec::new();
        for (at, recorded) in history.releases.iter().enumerate() {
            let covers = domain.covers(recorded)?;
            let first = groups.len() as u32;
            let group_of_cell = group_records(recorded, at, &covers, &mut groups)?;
            grouped.push(group_of_cell.clone());
            let counted = marginal_tables::counted_release(history, at);
            counted_releases.push(counted);
            linked.push(
                recorded.links.is_some() || counted.is_some_and(|counted| history.releases[counted].links.is_some()),
            );
            if let Some(counted) = counted {
                let suppressed = domain.suppressed_cover();
                let counting_group = marginal_tables::counting_groups(history, at, counted, &group_of_cell)?;
                match &history.releases[counted].links {
                    Some(links) => person_records.extend((0..links.len()).flat_map(|link| {
                        let cell = links.cells[link] as usize;
                        let of = Some(grouped[counted][cell]);
                        let record = ViewRecord {
                            release: at,
                            group: counting_group[cell],
                            cover: suppressed,
                            counted_group: of,
                        };
                        std::iter::repeat_n((links.pseudonyms[link], record), links.records[link] as usize)
                    })),
                    None => marginal_tables::attach_groups(
                        history,
                        &grouped[counted],
                        &counting_group,
                        &mut unlinked_groups,
                        at,
                    )?,
                }
                continue;
            }
            match &recorded.links {
                Some(links) => {
                    for link in 0..links.len() {
                        let cell = links.cells[link] as usize;
                        let record = ViewRecord {
                            release: at,
                            group: group_of_cell[cell],
                            cover: covers[cell],
                            counted_group: None,
                        };
                        let record = (links.pseudonyms[link], record);
                        person_records.extend(std::iter::repeat_n(record, links.records[link] as usize));
                    }
                }
                None if marginal_tables::first_view(history, at) < at => {
                    let first_view = marginal_tables::first_view(history, at);
                    marginal_tables::attach_groups(
                        history,
                        &grouped[first_view],
                        &group_of_cell,
                        &mut unlinked_groups,
                        at,
                    )?;
                }
                None => unlinked_groups.extend(
                    (first..groups.len() as u32)
                        .map(|group| (group, groups[group as usize].values.clone(), Vec::new())),
                ),
            }
        }
        let mut view = AttackerView {
            domain,
            groups,
            classes: Vec::new(),
            people: Vec::new(),
            multi_record_people: 0,
            unlinked_record_people: 0,
            units: Vec::new(),
            shared_groups: Vec::new(),
            linked,
            group_of_cell: grouped,
            relaxed: false,
            partial: false,
            known_counts: Vec::new(),
            possible: Vec::new(),
            counted_release: counted_releases,
        };
        view.possible = view.groups.iter().map(|group| view.possible_values(group)).collect();
        view.relaxed =
            view.domain.has_wide_intervals || view.groups.iter().any(|group| !view.domain.is_laminar(&group.values));
        view.assign_classes(person_records, unlinked_groups, options);
        view.relaxed |= (0..).zip(&view.groups).any(|group| view.has_hidden_counterfeits(group));
        Ok(view)
    }

    /// Returns whether a group has counterfeit records and also generalized values. Then counts by value are not sufficient.
    fn has_hidden_counterfeits(&self, (at, group): (u32, &ViewGroup)) -> bool {
        let owned: u64 = group.classes.iter().map(|class_id| self.classes[*class_id as usize].records_in(at)).sum();
        let plain = |(cover, _): &(ValueCover, u64)| self.domain.is_plain(*cover);
        !group.values_listed_once
            && self.domain.columns_of(group.release) != 0
            && owned < group.records
            && !group.values.iter().all(plain)
    }

    /// Number of people in a group, or its number of records if no person is known to be in it.
    pub fn people_in(&self, group: &ViewGroup) -> u64 {
        let people: u64 = group.classes.iter().map(|class_id| self.classes[*class_id as usize].people).sum();
        if people == 0 { group.records } else { people }
    }

    fn possible_values(&self, group: &ViewGroup) -> Vec<Value> {
        let below = group.values.iter().flat_map(|(cover, _)| self.domain.tuples_of(*cover));
        let mut possible: Vec<Value> = below.copied().collect();
        possible.sort_unstable();
        possible.dedup();
        possible
    }

    /// Sensitive columns that were published in any of these groups.
    fn shape(&self, groups: impl Iterator<Item = u32>) -> Shape {
        let releases = groups.map(|group| self.groups[group as usize].release);
        releases.fold(0, |shape, release| shape | self.domain.columns_of(release))
    }

    /// Returns whether the release of a group has a sensitive column, also if its values are suppressed.
    fn is_informative(&self, group: u32) -> bool {
        self.domain.columns_of(self.groups[group as usize].release) != 0
    }

    /// Returns whether a sensitive column was published for the people of a class.
    pub fn is_informative_for(&self, class_id: u32, column: usize) -> bool {
        self.shape(self.classes[class_id as usize].groups.iter().copied()) >> column & 1 == 1
    }
}

/// Adds the groups of a release, and returns the index of the group of each contingency-table cell.
fn group_records(
    recorded: &RecordedRelease,
    at: usize,
    covers: &[ValueCover],
    groups: &mut Vec<ViewGroup>,
) -> Result<Vec<u32>> {
    let release = &recorded.release;
    let by: Vec<usize> = match &recorded.presentation.group_column {
        Some(column) => vec![release.position(column)?],
        None => {
            let columns = 0..release.columns.len();
            columns.filter(|column| release.columns[*column].role == Role::QuasiIdentifier).collect()
        }
    };
    let ContingencyTable { codes, weights, .. } = &release.contingency;
    let keys: Vec<&[Code]> = by.iter().map(|column| codes[*column].as_slice()).collect();
    let mut key_of_cell = vec![0; weights.len()];
    let distinct = combine_with_positions(&keys, weights, None, |cell, key| key_of_cell[cell] = key as usize).len();
    // Groups are in the order of their first cells.
    let mut known: Vec<Option<u32>> = vec![None; distinct];
    let mut group_of_cell = Vec::with_capacity(weights.len());
    for (cell, key) in key_of_cell.into_iter().enumerate() {
        let group_id = *known[key].get_or_insert_with(|| {
            groups.push(ViewGroup {
                release: at,
                member: cell,
                records: 0,
                counterfeits: 0,
                values_listed_once: recorded.presentation.values_listed_once,
                values: Vec::new(),
                classes: Vec::new(),
            });
            groups.len() as u32 - 1
        });
        let group = &mut groups[group_id as usize];
        group.records += weights[cell];
        match group.values.iter_mut().find(|(cover, _)| *cover == covers[cell]) {
            Some((_, records)) => *records += weights[cell],
            None => group.values.push((covers[cell], weights[cell])),
        }
        group_of_cell.push(group_id);
    }
    marginal_tables::set_counterfeits(recorded, at, &group_of_cell, groups)?;
    if by.is_empty()
        && recorded.presentation.group_column.is_none()
        && release.columns.iter().all(|column| column.role != Role::Sensitive)
    {
        return Err(Obstacle::NothingToAudit { release: recorded.number, name: recorded.name.clone() }.into());
    }
    Ok(group_of_cell)
}
