//! Groups: the people of a release whom an attacker with their quasi-identifiers cannot tell apart.
//!
//! A group is a class on the published quasi-identifiers, or, where the release marks its groups with a column, the records
//! with the same mark; then a record's own sensitive value means nothing, only the group's values together do.

use hashbrown::{HashMap, HashSet};

use super::finding::called;
use super::scene::{Scene, Unchecked, cannot, releases};
use crate::classes::{Group, Measured, for_each};
use crate::combos::{Weight, ascending};
use crate::error::Result;
use crate::history::Held;
use crate::interval::is_masked;
use crate::links::Pseudonym;
use crate::matching::matches;
use crate::registry::Entry;
use crate::release::{PublishedColumn, Release};
use crate::schema::Role;
use crate::taxonomy::{Code, number_text};

/// The columns that make the groups of a release.
pub(super) fn grouping(held: &Held) -> Result<Vec<usize>> {
    match &held.disguise.groups {
        Some(mark) => Ok(vec![held.release.position(mark)?]),
        None => Ok(with_role(&held.release, Role::QuasiIdentifier)),
    }
}

/// Whether every record that a release shows is somebody's: then as many have a value as it is shown.
pub(super) fn counts_people(held: &Held) -> bool {
    !held.disguise.set && held.disguise.counterfeits.is_none()
}

/// The places of the columns with a role.
pub(super) fn with_role(release: &Release, role: Role) -> Vec<usize> {
    (0..release.columns.len()).filter(|column| release.columns[*column].role == role).collect()
}

/// These columns with the texts that a combination publishes.
pub(super) fn cells(release: &Release, columns: &[usize], at: usize) -> Vec<(String, String)> {
    let cell = |column: &usize| {
        let published = &release.columns[*column];
        (published.name.clone(), published.label(release.combos.codes[*column][at]).to_owned())
    };
    columns.iter().map(cell).collect()
}

/// A group of one release with the people who carry each value of a sensitive column.
pub(super) struct Seen<'a> {
    pub held: &'a Held,
    /// The release, with whose each record is where that is known.
    pub release: &'a Release,
    pub column: usize,
    pub class: Vec<(String, String)>,
    pub people: Weight,
    /// By value, how often it is shown; and how many are shown in all, which are as many as people where every record is somebody's.
    pub counts: &'a [(Code, Weight)],
    pub shown: Weight,
    /// The same of the whole release.
    pub whole: Group<'a>,
}

impl Seen<'_> {
    /// The sensitive column.
    pub(super) fn published(&self) -> &PublishedColumn {
        &self.release.columns[self.column]
    }
}

/// Whether a cell says anything: one that is hidden gives nothing away, however many are alike.
pub(super) fn tells(column: &PublishedColumn, code: Code) -> bool {
    column.nodes[code as usize] != 0
}

/// Visits every group of every release, once for each of its sensitive columns. That no release has any is an obstacle.
pub(super) fn visit_groups(
    scene: &Scene<'_>,
    entry: &Entry,
    unchecked: &mut Unchecked,
    mut visit: impl FnMut(Seen<'_>),
) -> Result<()> {
    let mut without = Vec::new();
    let mut any = false;
    for held in releases(scene, entry, 1)? {
        let by = grouping(held)?;
        // Of records that are nobody's it is not known which they are: their values count like the others.
        let release = if counts_people(held) { held.with_people() } else { held.release.clone() };
        let columns = with_role(&release, Role::Sensitive);
        any |= !columns.is_empty();
        if columns.is_empty() {
            without.push(format!("{} has no sensitive column", called(held)));
        }
        let people = match counts_people(held) {
            true => None,
            false => {
                let groups = Groups::of(held)?;
                let people = people_by_group(&groups)?;
                Some((groups, people))
            }
        };
        for column in columns {
            let measured = Measured::new(&release.combos, &[column]);
            let whole = measured.whole(&release.combos, None);
            for_each(&release.combos, &by, &measured, |member, group| {
                let class = cells(&release, &by, member);
                let (shown, counts) = (group.size, group.counts);
                let people = people.as_ref().map_or(shown, |(groups, people)| people[groups.of[member] as usize]);
                visit(Seen { held, release: &release, column, class, people, counts, shown, whole: whole.group() });
            });
        }
    }
    without.into_iter().filter(|_| !any).for_each(|why| unchecked.push(why));
    Ok(())
}

/// The groups of a release, numbered in ascending order of their published codes.
#[derive(Debug)]
pub(super) struct Groups<'a> {
    pub held: &'a Held,
    by: Vec<usize>,
    /// By combination: its group.
    pub of: Vec<u32>,
    /// By group: one of its combinations.
    member: Vec<u32>,
    /// By group: its records.
    pub records: Vec<Weight>,
}

impl<'a> Groups<'a> {
    pub(super) fn of(held: &'a Held) -> Result<Groups<'a>> {
        let by = grouping(held)?;
        let combos = &held.release.combos;
        let parts: Vec<&[Code]> = by.iter().map(|column| combos.codes[*column].as_slice()).collect();
        let mut groups = Groups { held, by, of: vec![0; combos.len()], member: Vec::new(), records: Vec::new() };
        for at in ascending(&parts, combos.len()) {
            let is_new = groups
                .member
                .last()
                .is_none_or(|last| parts.iter().any(|part| part[*last as usize] != part[at as usize]));
            if is_new {
                groups.member.push(at);
                groups.records.push(0);
            }
            groups.of[at as usize] = groups.member.len() as u32 - 1;
            if let Some(records) = groups.records.last_mut() {
                *records += combos.weights[at as usize];
            }
        }
        Ok(groups)
    }

    pub(super) fn len(&self) -> usize {
        self.member.len()
    }

    /// One of a group's combinations.
    pub(super) fn member(&self, group: usize) -> usize {
        self.member[group] as usize
    }

    /// How a group was published.
    pub(super) fn cells(&self, group: usize) -> Vec<(String, String)> {
        cells(&self.held.release, &self.by, self.member[group] as usize)
    }

    /// By group: the codes of a column that occur, ascending, with how many records carry each.
    pub(super) fn counts(&self, column: usize) -> Vec<Vec<(Code, Weight)>> {
        let combos = &self.held.release.combos;
        let mut counts: Vec<Vec<(Code, Weight)>> = vec![Vec::new(); self.len()];
        for at in 0..combos.len() {
            counts[self.of[at] as usize].push((combos.codes[column][at], combos.weights[at]));
        }
        counts.iter_mut().for_each(put_together);
        counts
    }
}

/// Puts the counts of the same thing together, ascending.
pub(super) fn put_together<T: Ord>(counts: &mut Vec<(T, Weight)>) {
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
}

/// How many records somebody has in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Membership {
    pub person: Pseudonym,
    pub group: u32,
    pub records: Weight,
}

/// The groups of a release, and who is in which.
#[derive(Debug)]
pub(super) struct Tracked<'a> {
    pub groups: Groups<'a>,
    /// Ascending by person, then by group.
    pub members: Vec<Membership>,
    /// What cannot be compared, because it may change or did: another release, and the sensitive column.
    changed: Vec<(u64, String)>,
}

impl<'a> Tracked<'a> {
    /// None where nobody knows whose the records are.
    pub(super) fn of(held: &'a Held) -> Result<Option<Tracked<'a>>> {
        let Some(links) = &held.links else { return Ok(None) };
        let groups = Groups::of(held)?;
        let mut members: Vec<Membership> = Vec::with_capacity(links.len());
        for at in 0..links.len() {
            let Some(group) = groups.of.get(links.combos[at] as usize) else { continue };
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
        Ok(Some(Tracked { groups, members, changed: Vec::new() }))
    }

    /// Those who have one record only, with their group: of others nobody can tell which record is meant.
    pub(super) fn single(&self) -> impl Iterator<Item = (Pseudonym, u32)> {
        let of_person = self.members.chunk_by(|one, next| one.person == next.person);
        of_person.filter_map(|records| match records {
            [only] if only.records == 1 => Some((only.person, only.group)),
            _ => None,
        })
    }

    /// Says of those who have several records that they were left out.
    pub(super) fn leave_out_several(&self, unchecked: &mut Unchecked) {
        let of_person = self.members.chunk_by(|one, next| one.person == next.person).count();
        if of_person > self.single().count() {
            let place = called(self.groups.held);
            unchecked.push(format!("some people have several records in {place}, and which is meant cannot be told"));
        }
    }

    /// By group, its members.
    pub(super) fn by_group(&self) -> Vec<Vec<Membership>> {
        let mut groups = vec![Vec::new(); self.groups.len()];
        self.members.iter().for_each(|member| groups[member.group as usize].push(*member));
        groups
    }

    /// Whether what another release shows of a sensitive column can be compared with this one.
    pub(super) fn compares(&self, other: &Tracked<'_>, name: &str) -> bool {
        let other = other.groups.held.number;
        !self.changed.iter().any(|(release, column)| *release == other && column == name)
    }

    /// Whether there is something that cannot be compared.
    pub(super) fn leaves_out(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Whether somebody who has one record in each of two releases has another value of a column in them. Where groups are marked, a
    /// record's own value means nothing.
    fn has_changed(&self, other: &Tracked<'_>, (here, there): (usize, usize)) -> bool {
        let marked = |tracked: &Tracked<'_>| tracked.groups.held.disguise.groups.is_some();
        if marked(self) || marked(other) {
            return false;
        }
        let (mine, theirs) = (self.records(), other.records());
        let matching = matches(&self.release().columns[here], &other.release().columns[there]);
        mine.iter().any(|(person, combo)| {
            let Some(other_combo) = theirs.get(person) else { return false };
            let code = self.release().combos.codes[here][*combo as usize];
            let other_code = other.release().combos.codes[there][*other_combo as usize];
            !matching[code as usize].contains(&other_code)
        })
    }

    /// The combinations of those who have one record.
    fn records(&self) -> HashMap<Pseudonym, u32> {
        let singles: HashSet<Pseudonym> = self.single().map(|(person, _)| person).collect();
        let links = self.groups.held.links.iter();
        let records = links.flat_map(|links| links.pseudonyms.iter().copied().zip(links.combos.iter().copied()));
        records.filter(|(person, _)| singles.contains(person)).collect()
    }

    pub(super) fn has(&self, person: Pseudonym) -> bool {
        self.members.binary_search_by_key(&person, |member| member.person).is_ok()
    }

    pub(super) fn release(&self) -> &'a Release {
        &self.groups.held.release
    }
}

/// By group: its people, or its records where nobody knows whose they are.
pub(super) fn people_by_group(groups: &Groups<'_>) -> Result<Vec<Weight>> {
    let Some(tracked) = Tracked::of(groups.held)? else { return Ok(groups.records.clone()) };
    Ok(tracked.by_group().iter().map(|members| members.len() as Weight).collect())
}

/// The releases whose people are known, at least two; the others are obstacles.
pub(super) fn tracked<'a>(scene: &Scene<'a>, entry: &Entry, unchecked: &mut Unchecked) -> Result<Vec<Tracked<'a>>> {
    let mut all = Vec::new();
    for held in releases(scene, entry, 2)? {
        match Tracked::of(held)? {
            Some(tracked) => all.push(tracked),
            None => unchecked.push(format!("nobody knows whose the records of {} are (it has no links)", called(held))),
        }
    }
    if all.len() < 2 {
        return Err(cannot(entry, unchecked.why()));
    }
    note_changed(&mut all, scene, unchecked);
    Ok(all)
}

/// Notes which sensitive columns of which releases cannot be compared. Whose value changed is asked of the links, and of nobody else: the
/// attacks take it that none has, and what they concluded would be false.
fn note_changed(all: &mut [Tracked<'_>], scene: &Scene<'_>, unchecked: &mut Unchecked) {
    let mut changed = Vec::new();
    for (at, one) in all.iter().enumerate() {
        for (place, other) in all.iter().enumerate().skip(at + 1) {
            let (first, second) = (one.groups.held, other.groups.held);
            for columns in shared_sensitive(one, other) {
                let name = &one.release().columns[columns.0].name;
                let varies = scene.varies.contains(name);
                if varies {
                    unchecked.push(format!("`{name}` may change from release to release, as the policy says"));
                } else if first.number != second.number && one.has_changed(other, columns) {
                    let (first, second) = (called(first), called(second));
                    unchecked.push(format!("`{name}` of somebody changed between {first} and {second}"));
                } else {
                    continue;
                }
                changed.push((at, second.number, name.clone()));
                changed.push((place, first.number, name.clone()));
            }
        }
    }
    changed.into_iter().for_each(|(at, number, name)| all[at].changed.push((number, name)));
}

/// The same without those that show records of nobody: from how often these show a value nothing follows.
pub(super) fn tracked_counts<'a>(
    scene: &Scene<'a>,
    entry: &Entry,
    unchecked: &mut Unchecked,
) -> Result<Vec<Tracked<'a>>> {
    let mut all = tracked(scene, entry, unchecked)?;
    all.retain(|tracked| {
        let counts = counts_people(tracked.groups.held);
        if !counts {
            let place = called(tracked.groups.held);
            unchecked
                .push(format!("{place} lists values that may be nobody's, so that it does not say how many have one"));
        }
        counts
    });
    if all.len() < 2 {
        return Err(cannot(entry, unchecked.why()));
    }
    Ok(all)
}

/// Whether these are tables of one release, or of two others of whose tables share a sensitive column, or what they share is left out.
pub(super) fn compared_elsewhere(all: &[Tracked<'_>], one: &Tracked<'_>, other: &Tracked<'_>) -> bool {
    let of = |tracked: &Tracked<'_>| tracked.groups.held.number;
    let same = |wanted: u64| all.iter().filter(move |tracked| of(tracked) == wanted);
    let share = |one: &Tracked<'_>, other: &Tracked<'_>| !shared_sensitive(one, other).is_empty();
    one.changed.iter().any(|(release, _)| *release == of(other))
        || of(one) == of(other)
        || same(of(one)).any(|one| same(of(other)).any(|other| share(one, other)))
}

/// The sensitive columns that two releases share and that can be compared, as places in each.
pub(super) fn shared_sensitive(one: &Tracked<'_>, other: &Tracked<'_>) -> Vec<(usize, usize)> {
    let (here, there) = (one.release(), other.release());
    let sensitive = with_role(here, Role::Sensitive).into_iter();
    let place = |column: usize| {
        let name = &here.columns[column].name;
        let mut same = with_role(there, Role::Sensitive).into_iter();
        same.find(|place| there.columns[*place].name == *name && one.compares(other, name))
    };
    sensitive.filter_map(|column| Some((column, place(column)?))).collect()
}

/// One number for each value of a column, the same in two releases.
pub(super) struct SameValues {
    /// By release, by code: the number of the value; none for what stands for more than one value.
    numbers: [Vec<Option<u32>>; 2],
    /// By number: the value.
    pub labels: Vec<String>,
}

impl SameValues {
    pub(super) fn of(columns: [&PublishedColumn; 2]) -> SameValues {
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
        SameValues { numbers, labels }
    }

    /// By group, by number of the value: how many records. None when some record does not say one exact value.
    pub(super) fn counts(&self, release: usize, groups: &Groups<'_>, column: usize) -> Option<Vec<Vec<Weight>>> {
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

    /// The code of a value in a release.
    pub(super) fn code(&self, release: usize, number: usize) -> Option<u32> {
        self.numbers[release].iter().position(|known| *known == Some(number as u32)).map(|code| code as u32)
    }
}

/// The one value that a cell says; none when it says several, or nothing.
fn exact_value(column: &PublishedColumn, code: Code) -> Option<String> {
    let id = column.nodes[code as usize];
    let node = column.tree.node(id);
    match column.tree.interval(id) {
        _ if id == 0 || !node.children.is_empty() => None,
        Some(interval) if !interval.is_one() => None,
        Some(interval) => interval.low.map(number_text),
        None if is_masked(&node.label) => None,
        None => Some(node.label.clone()),
    }
}
