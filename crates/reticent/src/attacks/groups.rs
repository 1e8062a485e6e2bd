//! Groups of a release: sets of people that an attacker with their quasi-identifiers cannot distinguish.
//!
//! A group is an equivalence class on the published quasi-identifiers. In a bucketized release it is the set of records with the
//! same value of the group column. There, the sensitive value of a single record has no meaning; only the values of the group have.

use hashbrown::{HashMap, HashSet};

use super::finding::release_text;
use super::input::{AttackInput, Unchecked, not_runnable, releases};
use crate::data::contingency::{Weight, ascending};
use crate::data::interval::is_masked;
use crate::data::links::Pseudonym;
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, number_text};
use crate::error::Result;
use crate::join::matching::matches;
use crate::registry::Entry;
use crate::release::classes::{EquivalenceClass, Measured, for_each};
use crate::release::history::RecordedRelease;
use crate::release::{PublishedColumn, Release};

/// The columns whose values define the groups of a release.
pub(super) fn grouping(recorded: &RecordedRelease) -> Result<Vec<usize>> {
    match &recorded.presentation.group_column {
        Some(group_column) => Ok(vec![recorded.release.position(group_column)?]),
        None => Ok(with_role(&recorded.release, Role::QuasiIdentifier)),
    }
}

/// Whether every published record belongs to a person, so that value counts are counts of records of people.
pub(super) fn has_exact_counts(recorded: &RecordedRelease) -> bool {
    !recorded.presentation.values_listed_once && recorded.presentation.counterfeit_column.is_none()
}

/// Indices of the columns with a role.
pub(super) fn with_role(release: &Release, role: Role) -> Vec<usize> {
    (0..release.columns.len()).filter(|column| release.columns[*column].role == role).collect()
}

/// The published values of a combination in some columns, as (column, value).
pub(super) fn cells(release: &Release, columns: &[usize], at: usize) -> Vec<(String, String)> {
    let cell = |column: &usize| {
        let published = &release.columns[*column];
        (published.name.clone(), published.label(release.contingency.codes[*column][at]).to_owned())
    };
    columns.iter().map(cell).collect()
}

/// Group of one release with the counts of a sensitive column.
pub(super) struct GroupView<'a> {
    pub recorded: &'a RecordedRelease,
    /// Published columns and records, with owners where they are known.
    pub release: &'a Release,
    /// Index of the sensitive column.
    pub column: usize,
    pub class: Vec<(String, String)>,
    /// Number of people in the group.
    pub people: Weight,
    /// By value: number of people with it, or of records if the release has counterfeit records.
    pub counts: &'a [(Code, Weight)],
    /// Size of the group, in the unit of `counts`.
    pub total: Weight,
    /// Counts of the column in the whole release.
    pub whole: EquivalenceClass<'a>,
}

impl GroupView<'_> {
    /// The sensitive column.
    pub(super) fn published(&self) -> &PublishedColumn {
        &self.release.columns[self.column]
    }
}

/// Whether a code stands for less than the root of the taxonomy (`*`).
pub(super) fn is_unsuppressed(column: &PublishedColumn, code: Code) -> bool {
    column.nodes[code as usize] != 0
}

/// Visits every group of every release, once for each sensitive column.
///
/// If no release has a sensitive column, the function adds a reason to `unchecked`.
pub(super) fn visit_groups(
    input: &AttackInput<'_>,
    entry: &Entry,
    unchecked: &mut Unchecked,
    mut visit: impl FnMut(GroupView<'_>),
) -> Result<()> {
    let mut missing = Vec::new();
    let mut any = false;
    for recorded in releases(input, entry, 1)? {
        let by = grouping(recorded)?;
        // Counterfeit records cannot be distinguished from others, so all records are counted.
        let release = if has_exact_counts(recorded) { recorded.with_owners() } else { recorded.release.clone() };
        let columns = with_role(&release, Role::Sensitive);
        any |= !columns.is_empty();
        if columns.is_empty() {
            missing.push(format!("{} has no sensitive column", release_text(recorded)));
        }
        let people = match has_exact_counts(recorded) {
            true => None,
            false => {
                let groups = ReleaseGroups::new(recorded)?;
                let people = people_by_group(&groups)?;
                Some((groups, people))
            }
        };
        for column in columns {
            let measured = Measured::new(&release.contingency, &[column]);
            let whole = measured.whole(&release.contingency, None);
            for_each(&release.contingency, &by, &measured, |member, group| {
                let class = cells(&release, &by, member);
                let (total, counts) = (group.size, group.counts);
                let people = people.as_ref().map_or(total, |(groups, people)| people[groups.group_of[member] as usize]);
                visit(GroupView {
                    recorded,
                    release: &release,
                    column,
                    class,
                    people,
                    counts,
                    total,
                    whole: whole.as_class(),
                });
            });
        }
    }
    missing.into_iter().filter(|_| !any).for_each(|reason| unchecked.push(reason));
    Ok(())
}

/// Groups of a release, numbered in ascending order of their published codes.
#[derive(Debug)]
pub(super) struct ReleaseGroups<'a> {
    pub recorded: &'a RecordedRelease,
    /// Columns that define the groups.
    by: Vec<usize>,
    /// By combination: number of its group.
    pub group_of: Vec<u32>,
    /// By group: index of one of its combinations.
    member: Vec<u32>,
    /// By group: number of its records.
    pub records: Vec<Weight>,
}

impl<'a> ReleaseGroups<'a> {
    pub(super) fn new(recorded: &'a RecordedRelease) -> Result<ReleaseGroups<'a>> {
        let by = grouping(recorded)?;
        let combos = &recorded.release.contingency;
        let parts: Vec<&[Code]> = by.iter().map(|column| combos.codes[*column].as_slice()).collect();
        let mut groups =
            ReleaseGroups { recorded, by, group_of: vec![0; combos.len()], member: Vec::new(), records: Vec::new() };
        for at in ascending(&parts, combos.len()) {
            let is_new = groups
                .member
                .last()
                .is_none_or(|last| parts.iter().any(|part| part[*last as usize] != part[at as usize]));
            if is_new {
                groups.member.push(at);
                groups.records.push(0);
            }
            groups.group_of[at as usize] = groups.member.len() as u32 - 1;
            if let Some(records) = groups.records.last_mut() {
                *records += combos.weights[at as usize];
            }
        }
        Ok(groups)
    }

    pub(super) fn len(&self) -> usize {
        self.member.len()
    }

    /// Index of one combination of a group.
    pub(super) fn member(&self, group: usize) -> usize {
        self.member[group] as usize
    }

    /// The published values that define a group, as (column, value).
    pub(super) fn cells(&self, group: usize) -> Vec<(String, String)> {
        cells(&self.recorded.release, &self.by, self.member[group] as usize)
    }

    /// By group: the codes of a column that occur, ascending, each with its number of records.
    pub(super) fn counts(&self, column: usize) -> Vec<Vec<(Code, Weight)>> {
        let combos = &self.recorded.release.contingency;
        let mut counts: Vec<Vec<(Code, Weight)>> = vec![Vec::new(); self.len()];
        for at in 0..combos.len() {
            counts[self.group_of[at] as usize].push((combos.codes[column][at], combos.weights[at]));
        }
        counts.iter_mut().for_each(merge_counts);
        counts
    }
}

/// Sorts the counts by key and sums the counts of equal keys.
pub(super) fn merge_counts<T: Ord>(counts: &mut Vec<(T, Weight)>) {
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
}

/// Number of records of a person in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Membership {
    pub person: Pseudonym,
    pub group: u32,
    pub records: Weight,
}

/// Groups of a release with owner links: the people of each group are known.
#[derive(Debug)]
pub(super) struct TrackedPeople<'a> {
    pub groups: ReleaseGroups<'a>,
    /// Memberships, ascending by person, then by group.
    pub members: Vec<Membership>,
    /// Number of another release and a sensitive column that is time-varying or whose values changed between the two.
    incomparable: Vec<(u64, String)>,
}

impl<'a> TrackedPeople<'a> {
    /// Collects the memberships; none if the release has no owner links.
    pub(super) fn new(recorded: &'a RecordedRelease) -> Result<Option<TrackedPeople<'a>>> {
        let Some(links) = &recorded.links else { return Ok(None) };
        let groups = ReleaseGroups::new(recorded)?;
        let mut members: Vec<Membership> = Vec::with_capacity(links.len());
        for at in 0..links.len() {
            let Some(group) = groups.group_of.get(links.cells[at] as usize) else { continue };
            members.push(Membership {
                person: links.pseudonyms[at],
                group: *group,
                records: Weight::from(links.records[at]),
            });
        }
        members.sort_unstable();
        members.dedup_by(|next, kept| {
            let same = (next.person, next.group) == (kept.person, kept.group);
            kept.records += if same { next.records } else { 0 };
            same
        });
        Ok(Some(TrackedPeople { groups, members, incomparable: Vec::new() }))
    }

    /// The people with exactly one record, each with the group of the record.
    ///
    /// For other people it is ambiguous which record an inference is about.
    pub(super) fn single_record_people(&self) -> impl Iterator<Item = (Pseudonym, u32)> {
        let of_person = self.members.chunk_by(|one, next| one.person == next.person);
        of_person.filter_map(|records| match records {
            [only] if only.records == 1 => Some((only.person, only.group)),
            _ => None,
        })
    }

    /// Adds a reason to `unchecked` if some person has several records.
    pub(super) fn note_multi_record_people(&self, unchecked: &mut Unchecked) {
        let of_person = self.members.chunk_by(|one, next| one.person == next.person).count();
        if of_person > self.single_record_people().count() {
            let place = release_text(self.groups.recorded);
            unchecked.push(format!(
                "some people have several records in {place}; the attack checks people with one record only"
            ));
        }
    }

    /// By group: its memberships.
    pub(super) fn by_group(&self) -> Vec<Vec<Membership>> {
        let mut groups = vec![Vec::new(); self.groups.len()];
        self.members.iter().for_each(|member| groups[member.group as usize].push(*member));
        groups
    }

    /// Whether the values of a sensitive column can be compared with those in another release.
    pub(super) fn is_comparable(&self, other: &TrackedPeople<'_>, name: &str) -> bool {
        let other = other.groups.recorded.number;
        !self.incomparable.iter().any(|(release, column)| *release == other && column == name)
    }

    /// Whether some column cannot be compared with another release.
    pub(super) fn has_incomparable_columns(&self) -> bool {
        !self.incomparable.is_empty()
    }

    /// Whether the value of some person with one record in each of two releases changed between them.
    ///
    /// False for bucketized releases: the value of a single record has no meaning there.
    fn has_changed(&self, other: &TrackedPeople<'_>, (here, there): (usize, usize)) -> bool {
        let is_bucketized = |tracked: &TrackedPeople<'_>| tracked.groups.recorded.presentation.group_column.is_some();
        if is_bucketized(self) || is_bucketized(other) {
            return false;
        }
        let (ours, theirs) = (self.single_record_combinations(), other.single_record_combinations());
        let matching = matches(&self.release().columns[here], &other.release().columns[there]);
        ours.iter().any(|(person, combo)| {
            let Some(other_combo) = theirs.get(person) else { return false };
            let code = self.release().contingency.codes[here][*combo as usize];
            let other_code = other.release().contingency.codes[there][*other_combo as usize];
            !matching[code as usize].contains(&other_code)
        })
    }

    /// By person with one record: index of its combination.
    fn single_record_combinations(&self) -> HashMap<Pseudonym, u32> {
        let singles: HashSet<Pseudonym> = self.single_record_people().map(|(person, _)| person).collect();
        let links = self.groups.recorded.links.iter();
        let records = links.flat_map(|links| links.pseudonyms.iter().copied().zip(links.cells.iter().copied()));
        records.filter(|(person, _)| singles.contains(person)).collect()
    }

    pub(super) fn has(&self, person: Pseudonym) -> bool {
        self.members.binary_search_by_key(&person, |member| member.person).is_ok()
    }

    pub(super) fn release(&self) -> &'a Release {
        &self.groups.recorded.release
    }
}

/// By group: number of its people, or of its records if the release has no owner links.
pub(super) fn people_by_group(groups: &ReleaseGroups<'_>) -> Result<Vec<Weight>> {
    let Some(tracked) = TrackedPeople::new(groups.recorded)? else { return Ok(groups.records.clone()) };
    Ok(tracked.by_group().iter().map(|members| members.len() as Weight).collect())
}

/// The releases with owner links. The function adds the other releases to `unchecked`.
///
/// # Errors
///
/// Returns an error if fewer than two releases have owner links.
pub(super) fn tracked<'a>(
    input: &AttackInput<'a>,
    entry: &Entry,
    unchecked: &mut Unchecked,
) -> Result<Vec<TrackedPeople<'a>>> {
    let mut all = Vec::new();
    for recorded in releases(input, entry, 2)? {
        match TrackedPeople::new(recorded)? {
            Some(tracked) => all.push(tracked),
            None => unchecked.push(format!("{} has no owner links", release_text(recorded))),
        }
    }
    if all.len() < 2 {
        return Err(not_runnable(entry, unchecked.reason()));
    }
    note_incomparable(&mut all, input, unchecked);
    Ok(all)
}

/// Notes the sensitive columns that cannot be compared between two releases.
///
/// The attacks assume that the value of a person does not change. The owner links show where this assumption is false.
fn note_incomparable(all: &mut [TrackedPeople<'_>], input: &AttackInput<'_>, unchecked: &mut Unchecked) {
    let mut incomparable = Vec::new();
    for (at, one) in all.iter().enumerate() {
        for (place, other) in all.iter().enumerate().skip(at + 1) {
            let (first, second) = (one.groups.recorded, other.groups.recorded);
            for columns in shared_sensitive(one, other) {
                let name = &one.release().columns[columns.0].name;
                let is_time_varying = input.time_varying.contains(name);
                if is_time_varying {
                    unchecked.push(format!("the policy declares that `{name}` may change from release to release"));
                } else if first.number != second.number && one.has_changed(other, columns) {
                    let (first, second) = (release_text(first), release_text(second));
                    unchecked.push(format!("the `{name}` of some person changed between {first} and {second}"));
                } else {
                    continue;
                }
                incomparable.push((at, second.number, name.clone()));
                incomparable.push((place, first.number, name.clone()));
            }
        }
    }
    incomparable.into_iter().for_each(|(at, number, name)| all[at].incomparable.push((number, name)));
}

/// The releases with owner links and without counterfeit records.
///
/// The value counts of a release with counterfeit records are not counts of people.
///
/// # Errors
///
/// Returns an error if fewer than two releases qualify.
pub(super) fn tracked_counts<'a>(
    input: &AttackInput<'a>,
    entry: &Entry,
    unchecked: &mut Unchecked,
) -> Result<Vec<TrackedPeople<'a>>> {
    let mut all = tracked(input, entry, unchecked)?;
    all.retain(|tracked| {
        let counts = has_exact_counts(tracked.groups.recorded);
        if !counts {
            let place = release_text(tracked.groups.recorded);
            unchecked.push(format!(
                "{place} may contain counterfeit values, so that the number of people with a value is unknown"
            ));
        }
        counts
    });
    if all.len() < 2 {
        return Err(not_runnable(entry, unchecked.reason()));
    }
    Ok(all)
}

/// Whether the comparison of two tables without a shared sensitive column is no omission.
///
/// True if the tables belong to the same release, if other tables of the two releases share a sensitive column, or if the
/// shared column is already noted as incomparable.
pub(super) fn compared_elsewhere(
    all: &[TrackedPeople<'_>],
    one: &TrackedPeople<'_>,
    other: &TrackedPeople<'_>,
) -> bool {
    let of = |tracked: &TrackedPeople<'_>| tracked.groups.recorded.number;
    let same = |wanted: u64| all.iter().filter(move |tracked| of(tracked) == wanted);
    let share = |one: &TrackedPeople<'_>, other: &TrackedPeople<'_>| !shared_sensitive(one, other).is_empty();
    one.incomparable.iter().any(|(release, _)| *release == of(other))
        || of(one) == of(other)
        || same(of(one)).any(|one| same(of(other)).any(|other| share(one, other)))
}

/// The comparable sensitive columns that two releases share, as column indices in each.
pub(super) fn shared_sensitive(one: &TrackedPeople<'_>, other: &TrackedPeople<'_>) -> Vec<(usize, usize)> {
    let (here, there) = (one.release(), other.release());
    let sensitive = with_role(here, Role::Sensitive).into_iter();
    let place = |column: usize| {
        let name = &here.columns[column].name;
        let mut same = with_role(there, Role::Sensitive).into_iter();
        same.find(|place| there.columns[*place].name == *name && one.is_comparable(other, name))
    };
    sensitive.filter_map(|column| Some((column, place(column)?))).collect()
}

/// Common numbering of the values of a column in two releases.
pub(super) struct ValueIndex {
    /// By release, by code: number of the value; none for a code that stands for several values.
    numbers: [Vec<Option<u32>>; 2],
    /// By number: text of the value.
    pub labels: Vec<String>,
}

impl ValueIndex {
    pub(super) fn new(columns: [&PublishedColumn; 2]) -> ValueIndex {
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut labels = Vec::new();
        let mut number = |column: &PublishedColumn, code: usize| {
            let text = exact_value(column, code as u32)?;
            Some(*known.entry(text).or_insert_with_key(|text| {
                labels.push(text.clone());
                labels.len() as u32 - 1
            }))
        };
        let numbers = columns
            .map(|column| (0..column.nodes.len()).map(|code| number(column, code)).collect::<Vec<Option<u32>>>());
        ValueIndex { numbers, labels }
    }

    /// By group, by value number: number of records. None if some record has a generalized value.
    pub(super) fn counts(&self, release: usize, groups: &ReleaseGroups<'_>, column: usize) -> Option<Vec<Vec<Weight>>> {
        let mut all = Vec::with_capacity(groups.len());
        for counts in groups.counts(column) {
            let mut by_number = vec![0; self.labels.len()];
            for (code, records) in counts {
                by_number[self.numbers[release][code as usize]? as usize] += records;
            }
            all.push(by_number);
        }
        Some(all)
    }

    /// Code of a value in a release.
    pub(super) fn code(&self, release: usize, number: usize) -> Option<u32> {
        self.numbers[release].iter().position(|known| *known == Some(number as u32)).map(|code| code as u32)
    }
}

/// The single value that a code stands for; none if it is generalized or suppressed.
fn exact_value(column: &PublishedColumn, code: Code) -> Option<String> {
    let id = column.nodes[code as usize];
    let node = column.tree.node(id);
    match column.tree.interval(id) {
        _ if id == 0 || !node.is_leaf() => None,
        Some(interval) if !interval.is_point() => None,
        Some(interval) => interval.low.map(number_text),
        None if is_masked(&node.label) => None,
        None => Some(node.label.clone()),
    }
}
