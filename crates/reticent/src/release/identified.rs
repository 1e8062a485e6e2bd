//! People who are identified by a release: a published identifier names them.
//!
//! An attacker needs no inference for them: each of their records in the release is known to be theirs. For the audit, such
//! a person forms a group of their own. The values of identifiers are not needed, only whether a record shows one.

use std::borrow::Cow;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::data::contingency::ContingencyTable;
use crate::data::links::{Links, Pseudonym};
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::release::history::{History, RecordedRelease};
use crate::release::{PublishedColumn, Release};

/// Name of the column that separates identified people. No data has it: it is made for an audit and never written.
const IDENTIFIED: &str = "identified person";

/// A release that shows identifiers.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct IdentifiedPeople {
    /// Number of the release.
    pub release: u64,
    /// Name of the release.
    pub name: String,
    /// Identifier columns that the release shows.
    pub columns: Vec<String>,
    /// Number of people whose records show an identifier; of records, without owner links.
    pub people: u64,
}

impl History {
    /// Replaces the roles of columns by stricter ones: any column can become an identifier, and a column with the role `other`
    /// can get any role.
    pub fn with_roles(mut self, roles: &[(String, Role)]) -> History {
        for recorded in &mut self.releases {
            let marks = [&recorded.presentation.group_column, &recorded.presentation.counterfeit_column];
            let marks: Vec<String> = marks.into_iter().flatten().cloned().collect();
            for column in recorded.release.columns.iter_mut().filter(|column| !marks.contains(&column.name)) {
                let Some((_, now)) = roles.iter().find(|(name, _)| *name == column.name) else { continue };
                let is_stricter = *now == Role::Identifier || column.role == Role::Other && *now != Role::Drop;
                column.role = if is_stricter { *now } else { column.role };
            }
        }
        self
    }

    /// Gives every identified person a group of their own, and lists the releases that identify people.
    pub(crate) fn with_identified_people(&self) -> (Cow<'_, History>, Vec<IdentifiedPeople>) {
        let shows =
            |recorded: &RecordedRelease| recorded.release.columns.iter().any(|column| column.role == Role::Identifier);
        if !self.releases.iter().any(shows) {
            return (Cow::Borrowed(self), Vec::new());
        }
        let mut identified = Vec::new();
        let separate = |recorded: &RecordedRelease| match shows(recorded) {
            false => recorded.clone(),
            true => {
                let (separated, people) = separate_people(recorded);
                identified.extend(people);
                separated
            }
        };
        let releases = self.releases.iter().map(separate).collect();
        (Cow::Owned(History { releases, erased: self.erased.clone(), owned: self.owned.clone() }), identified)
    }
}

/// Replaces the identifiers of a release by a quasi-identifier that has a value of its own for every identified person.
fn separate_people(recorded: &RecordedRelease) -> (RecordedRelease, Option<IdentifiedPeople>) {
    let release = &recorded.release;
    let (identifiers, kept): (Vec<usize>, Vec<usize>) =
        (0..release.columns.len()).partition(|at| release.columns[*at].role == Role::Identifier);
    let contingency = &release.contingency;
    // A missing or suppressed identifier identifies nobody.
    let names_person = |cell: usize| {
        identifiers.iter().any(|at| {
            let (column, code) = (&release.columns[*at], contingency.codes[*at][cell]);
            let suppressed = column.nodes[code as usize] == 0 && column.tree.nodes().len() > 1;
            !suppressed && !column.label(code).is_empty()
        })
    };
    let named: Vec<bool> = (0..contingency.len()).map(names_person).collect();
    // Rows: the cell of the release, the identified person (0 for none), the owner, and the number of records.
    let mut rows: Vec<(u32, u32, Option<Pseudonym>, u64)> = Vec::new();
    let (mut people, mut last) = (0u32, None);
    let mut left = contingency.weights.clone();
    for link in recorded.links.iter().flat_map(|links| (0..links.len()).map(move |link| (links, link))) {
        let (links, link) = link;
        let (owner, cell) = (links.pseudonyms[link], links.cells[link]);
        let records = u64::from(links.records[link]);
        left[cell as usize] = left[cell as usize].saturating_sub(records);
        if !named[cell as usize] {
            rows.push((cell, 0, Some(owner), records));
            continue;
        }
        // Links are sorted by owner.
        if last != Some(owner) {
            (people, last) = (people + 1, Some(owner));
        }
        rows.push((cell, people, Some(owner), records));
    }
    for (cell, records) in (0..).zip(left) {
        match named[cell as usize] {
            _ if records == 0 => {}
            false => rows.push((cell, 0, None, records)),
            // Without an owner, every record counts as another person.
            true => rows.extend((0..records).map(|_| {
                people += 1;
                (cell, people, None, 1)
            })),
        }
    }
    let mut known: HashMap<Vec<Code>, u32> = HashMap::new();
    let mut table = ContingencyTable { codes: vec![Vec::new(); kept.len() + 1], weights: Vec::new(), owners: None };
    let mut links: Vec<(Pseudonym, u32, u64)> = Vec::new();
    for (cell, person, owner, records) in rows {
        let key: Vec<Code> = kept.iter().map(|at| contingency.codes[*at][cell as usize]).chain([person]).collect();
        let place = *known.entry_ref(&key).or_insert_with(|| {
            table.codes.iter_mut().zip(&key).for_each(|(codes, code)| codes.push(*code));
            table.weights.push(0);
            table.weights.len() as u32 - 1
        });
        table.weights[place as usize] += records;
        links.extend(owner.map(|owner| (owner, place, records)));
    }
    let rows = links.iter().flat_map(|(owner, place, records)| {
        std::iter::repeat_n((*owner, *place), usize::try_from(*records).unwrap_or(usize::MAX))
    });
    let links = recorded.links.is_some().then(|| Links::from_rows(rows.collect()));
    let tree = Arc::new(Taxonomy::flat((0..=people).map(|person| person.to_string()).collect()));
    let nodes: Vec<NodeId> = (0..=people).map(|person| tree.leaf_of(person)).collect();
    let mark = PublishedColumn { name: IDENTIFIED.to_owned(), role: Role::QuasiIdentifier, tree, nodes };
    let columns = kept.iter().map(|at| release.columns[*at].clone()).chain([mark]).collect();
    let separated = RecordedRelease {
        release: Release { columns, contingency: table, suppressed: release.suppressed },
        links,
        ..recorded.clone()
    };
    let found = (people > 0).then(|| IdentifiedPeople {
        release: recorded.number,
        name: recorded.name.clone(),
        columns: identifiers.iter().map(|at| release.columns[*at].name.clone()).collect(),
        people: people.into(),
    });
    (separated, found)
}
