//! Equivalence classes of the records of a history, and the records of each owner in them.

use hashbrown::HashMap;

use super::{RecordTally, certainly};
use crate::audit::attacker_view::AttackerView;
use crate::audit::marginal_tables;
use crate::data::contingency::combine_with_positions;
use crate::data::links::{Links, Pseudonym};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};

/// Classes of records that agree on their quasi-identifiers and their group.
pub(super) struct RecordClasses<'a> {
    /// Releases with owner links.
    linked: Vec<LinkedClasses<'a>>,
    /// Releases without owner links: numbers of records of the classes, by group of the view.
    of_group: HashMap<u32, Vec<u64>>,
    /// By group of the view: whether it has records that are counted once per person.
    has_records: Vec<bool>,
}

/// The classes of a release with owner links.
struct LinkedClasses<'a> {
    table: usize,
    links: &'a Links,
    class_of_cell: Vec<u32>,
    /// Number of records by class.
    sizes: Vec<u64>,
    group_of_cell: &'a [u32],
}

impl RecordClasses<'_> {
    pub(super) fn new<'a>(history: &'a History, view: &'a AttackerView) -> RecordClasses<'a> {
        let counts_records = |at: usize| {
            marginal_tables::counted_release(history, at).is_none() && marginal_tables::first_view(history, at) == at
        };
        let of_release: Vec<bool> = (0..history.releases.len()).map(counts_records).collect();
        let has_records = view.groups.iter().map(|group| of_release[group.release]).collect();
        let mut classes = RecordClasses { linked: Vec::new(), of_group: HashMap::new(), has_records };
        for (at, recorded) in history.releases.iter().enumerate() {
            // A marginal table has no records of people.
            if marginal_tables::counted_release(history, at).is_some() {
                continue;
            }
            let (class_of_cell, sizes) = equivalence_classes(recorded);
            let group_of_cell = view.group_of_cell[at].as_slice();
            if let Some(links) = &recorded.links {
                classes.linked.push(LinkedClasses { table: at, links, class_of_cell, sizes, group_of_cell });
                continue;
            }
            let mut group_of_class = vec![0; sizes.len()];
            for (cell, class) in class_of_cell.iter().enumerate() {
                group_of_class[*class as usize] = group_of_cell[cell];
            }
            for (group, size) in group_of_class.into_iter().zip(sizes) {
                classes.of_group.entry(group).or_default().push(size);
            }
        }
        classes
    }

    /// The records of the owners from `first` on, in ascending order.
    pub(super) fn owned_from(&self, first: Option<Pseudonym>) -> OwnedClasses<'_> {
        let start = |linked: &LinkedClasses<'_>| {
            first.map_or(0, |first| linked.links.pseudonyms.partition_point(|known| *known < first))
        };
        OwnedClasses { next: self.linked.iter().map(start).collect(), linked: &self.linked }
    }

    /// Whether a group has records that are counted once per person: not those of a marginal table or of a further view.
    pub(super) fn has_records(&self, group: u32) -> bool {
        self.has_records[group as usize]
    }

    /// Sizes of the classes of a group.
    pub(super) fn in_group(&self, group: Option<u32>) -> &[u64] {
        group.and_then(|group| self.of_group.get(&group)).map_or(&[], Vec::as_slice)
    }
}

/// The classes of the records of owners, who are visited in ascending order.
pub(super) struct OwnedClasses<'a> {
    linked: &'a [LinkedClasses<'a>],
    /// Index of the next link, by release.
    next: Vec<usize>,
}

impl OwnedClasses<'_> {
    /// Adds the classes of an owner's records.
    pub(super) fn add_owner(&mut self, owner: Pseudonym, tally: &mut RecordTally) {
        for (linked, next) in self.linked.iter().zip(&mut self.next) {
            let LinkedClasses { table, links, class_of_cell, sizes, group_of_cell } = linked;
            let rest = &links.pseudonyms[*next..];
            let skipped = rest.iter().take_while(|known| **known < owner).count();
            let start = *next + skipped;
            *next = start + links.pseudonyms[start..].iter().take_while(|known| **known == owner).count();
            let class = |link: usize| class_of_cell[links.cells[link] as usize];
            for link in start..*next {
                let here = class(link);
                // The records of a class are added up at its first link.
                if (start..link).any(|before| class(before) == here) {
                    continue;
                }
                let own = (link..*next).filter(|other| class(*other) == here);
                let own: u64 = own.map(|other| u64::from(links.records[other])).sum();
                let all = sizes[here as usize];
                tally.add(certainly(own, all));
                if own == all {
                    tally.own((*table, group_of_cell[links.cells[link] as usize]), own, own);
                }
            }
        }
    }
}

/// Returns the equivalence class of each contingency-table cell, and the number of records in each class.
fn equivalence_classes(recorded: &RecordedRelease) -> (Vec<u32>, Vec<u64>) {
    let release = &recorded.release;
    let distinguishes = |column: &PublishedColumn| {
        column.role == Role::QuasiIdentifier || recorded.presentation.group_column.as_ref() == Some(&column.name)
    };
    let contingency = &release.contingency;
    let by = (0..release.columns.len()).filter(|column| distinguishes(&release.columns[*column]));
    let by: Vec<&[Code]> = by.map(|column| contingency.codes[column].as_slice()).collect();
    let mut class_of_cell = vec![0; contingency.len()];
    let classes = combine_with_positions(&by, &contingency.weights, None, |cell, class| class_of_cell[cell] = class);
    (class_of_cell, classes.weights)
}
